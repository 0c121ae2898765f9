"""Force types, in the order they are offered."""

from linkwright.elements.forces.sda import Sda

from linkwright.elements.forces.loads import AppliedForce, AppliedTorque  # isort: skip

__all__ = ["AppliedForce", "AppliedTorque", "Sda"]
