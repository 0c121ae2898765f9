"""Joint types, one file each; importing them in this order is the order in which they are offered."""

# isort: off
from linkwright.elements.joints.revolute import Revolute
from linkwright.elements.joints.prismatic import Prismatic
from linkwright.elements.joints.cylindrical import Cylindrical
from linkwright.elements.joints.universal import Universal
from linkwright.elements.joints.spherical import Spherical
from linkwright.elements.joints.planar import Planar
from linkwright.elements.joints.fixed import Fixed
from linkwright.elements.joints.in_line import InLine
from linkwright.elements.joints.in_plane import InPlane
from linkwright.elements.joints.parallel import Parallel
from linkwright.elements.joints.perpendicular import Perpendicular
# isort: on

__all__ = [
    "Cylindrical",
    "Fixed",
    "InLine",
    "InPlane",
    "Parallel",
    "Perpendicular",
    "Planar",
    "Prismatic",
    "Revolute",
    "Spherical",
    "Universal",
]
