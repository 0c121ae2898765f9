"""Joint types, one file each, in the order they are offered."""

from linkwright.elements.joints.revolute import Revolute

from linkwright.elements.joints.prismatic import Prismatic  # isort: skip
from linkwright.elements.joints.in_line import InLine  # isort: skip
from linkwright.elements.joints.spherical import Spherical  # isort: skip
from linkwright.elements.joints.fixed import Fixed  # isort: skip

__all__ = ["Fixed", "InLine", "Prismatic", "Revolute", "Spherical"]
