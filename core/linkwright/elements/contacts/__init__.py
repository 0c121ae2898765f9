"""Contact types, in the order they are offered."""

# isort: off
from linkwright.elements.contacts.corner_plane import CornerPlane
from linkwright.elements.contacts.corner_segment import CornerSegment
from linkwright.elements.contacts.spheres import SphereBox, SpherePlane, SphereSphere
from linkwright.elements.contacts.box_plane import BoxPlane
from linkwright.elements.contacts.box_box import BoxBox
from linkwright.elements.contacts.guide_clearance import GuideClearance
from linkwright.elements.contacts.pin_clearance import PinClearance
from linkwright.elements.contacts.joint_limit import JointLimit
# isort: on

__all__ = [
    "BoxBox",
    "BoxPlane",
    "CornerPlane",
    "CornerSegment",
    "GuideClearance",
    "JointLimit",
    "PinClearance",
    "SphereBox",
    "SpherePlane",
    "SphereSphere",
]
