"""Hard stops of a joint."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import model_validator

from linkwright.document.base import FieldSpec, Reference, Scalar
from linkwright.document.mechanism import Mechanism
from linkwright.document.typed import Joint
from linkwright.elements.contacts.gaps import Gap, X, Z
from linkwright.elements.contacts.law import ContactLaw
from linkwright.elements.glyph import GlyphPart
from linkwright.elements.registry import About
from linkwright.errors import DocumentError


class JointLimit(ContactLaw):
    """The slide along z, or the turn about z, of a joint stays between two stops."""

    type: Literal["joint-limit"] = "joint-limit"
    about: ClassVar[About] = About(
        "Joint limit", "joint-limit", "Hard stops for the slide or the turn of a joint.", "L"
    )

    joint: Annotated[
        Reference,
        FieldSpec(
            "Joint", group="Ends", help="Its z axis is the axis of the slide or turn.", editor="reference"
        ),
    ]
    motion: Annotated[
        Literal["slide", "turn"],
        FieldSpec("Motion", group="Limits", help="Slide of i along z of j, or turn of x of i from x of j."),
    ] = "slide"
    lower: Annotated[Scalar, FieldSpec("Lower limit", unit="m or rad", group="Limits")] = 0.0
    upper: Annotated[Scalar, FieldSpec("Upper limit", unit="m or rad", group="Limits")] = 0.0

    @model_validator(mode="after")
    def _in_order(self) -> JointLimit:
        if isinstance(self.lower, float) and isinstance(self.upper, float) and self.lower > self.upper:
            raise ValueError("The lower limit of a joint may not be above its upper limit.")
        return self

    def references(self) -> tuple[str, ...]:
        """Give the joint."""
        return (self.joint,)

    def ends(self, mechanism: Mechanism) -> tuple[str, str]:
        """Both ends of the joint."""
        joint = mechanism.element(self.joint)
        if not isinstance(joint, Joint):
            raise DocumentError(
                f"The limit {self.label!r} needs a joint, but {self.joint!r} is a {joint.kind}. Choose a joint.",
                self.id,
            )
        return joint.i, joint.j

    def gaps(self) -> tuple[Gap, ...]:
        """Two stops for a slide; one angle that knows both."""
        low, high = float(self.lower), float(self.upper)
        if self.motion == "turn":
            return (Gap("angle", at=X, origin=X, normal=Z, tangent=X, size=(low, high, 0.0)),)
        return (
            Gap("plane", origin=(0.0, 0.0, low), normal=Z, tangent=X),
            Gap("plane", origin=(0.0, 0.0, high), normal=(0.0, 0.0, -1.0), tangent=X),
        )

    def glyph_parts(self) -> tuple[GlyphPart, ...]:
        """Nothing of its own: the glyph of the joint stands there."""
        return ()
