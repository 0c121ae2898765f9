"""Spring-damper-actuator (SDA) between two points."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from linkwright.document.base import FieldSpec, Flag, Reference, Scalar
from linkwright.elements.glyph import Cable, Coil, GlyphPart
from linkwright.elements.registry import About, ForceType


class Sda(ForceType):
    """Pulls two points together with f = k (l - l0) + c l' + fa, tension positive."""

    type: Literal["sda"] = "sda"
    about: ClassVar[About] = About(
        "Spring-damper-actuator",
        "sda",
        "Pulls two points together with f = k (l - l0) + c l' + fa; tension is positive.",
        "S",
    )

    i: Annotated[
        Reference, FieldSpec("Point A", group="Ends", help="Marker, body or ground.", editor="reference")
    ]
    j: Annotated[
        Reference, FieldSpec("Point B", group="Ends", help="Marker, body or ground.", editor="reference")
    ]
    stiffness: Annotated[
        Scalar, FieldSpec("Stiffness k", unit="N/m", group="Law", help="Force per length.", low=0.0)
    ] = 0.0
    damping: Annotated[
        Scalar, FieldSpec("Damping c", unit="N s/m", group="Law", help="Force per rate of length.", low=0.0)
    ] = 0.0
    free_length: Annotated[
        Scalar | None,
        FieldSpec("Free length", unit="m", group="Law", help="Empty takes the drawn length.", low=0.0),
    ] = None
    actuator_force: Annotated[
        Scalar, FieldSpec("Actuator force", unit="N", group="Law", help="Constant part; pulls when positive.")
    ] = 0.0
    tension_only: Annotated[
        Flag, FieldSpec("Tension only", group="Law", help="A cable: goes slack instead of pushing.")
    ] = False
    look: Annotated[
        Literal["spring", "cable"],
        FieldSpec("Drawn as", group="Looks", help="Only the picture: a coil with a piston, or a rope."),
    ] = "spring"

    def references(self) -> tuple[str, ...]:
        """Both ends."""
        return (self.i, self.j)

    def glyph_parts(self) -> tuple[GlyphPart, ...]:
        """A rope for a cable, else a coil around a piston."""
        return (Cable(),) if self.tension_only or self.look == "cable" else (Coil(),)
