"""Applied force and torque, constant in the ground or in the body."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from linkwright.document.base import FieldSpec, Reference, Vec3
from linkwright.elements.glyph import GlyphPart, LoadArrow
from linkwright.elements.registry import About, ForceType

Frame = Annotated[
    Literal["ground", "body"],
    FieldSpec(
        "Axes", group="Load", help="The vector keeps its direction in the ground or turns with the body."
    ),
]


class AppliedForce(ForceType):
    """A constant force at a marker, or at the origin of a body frame."""

    type: Literal["force"] = "force"
    about: ClassVar[About] = About("Force", "force", "A constant force at a point of a body.", "F")

    at: Annotated[Reference, FieldSpec("Acts at", group="Load", help="Marker or body.", editor="reference")]
    vector: Annotated[Vec3, FieldSpec("Force", unit="N", group="Load")] = (0.0, 0.0, 0.0)
    axes: Frame = "ground"

    def references(self) -> tuple[str, ...]:
        """Where it acts."""
        return (self.at,)

    def glyph_parts(self) -> tuple[GlyphPart, ...]:
        """An arrow along the force."""
        return (LoadArrow(),)


class AppliedTorque(ForceType):
    """A constant torque on a body."""

    type: Literal["torque"] = "torque"
    about: ClassVar[About] = About("Torque", "torque", "A constant torque on a body.", "T")

    at: Annotated[Reference, FieldSpec("Acts on", group="Load", help="Marker or body.", editor="reference")]
    vector: Annotated[Vec3, FieldSpec("Torque", unit="N m", group="Load")] = (0.0, 0.0, 0.0)
    axes: Frame = "ground"

    def references(self) -> tuple[str, ...]:
        """Where it acts."""
        return (self.at,)

    def glyph_parts(self) -> tuple[GlyphPart, ...]:
        """An arc about the torque."""
        return (LoadArrow(turning=True),)
