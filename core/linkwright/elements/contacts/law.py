"""The contact laws and their numbers, which all contact types share."""

from __future__ import annotations

from typing import Annotated

from linkwright.document.base import FieldSpec, Reference, Scalar
from linkwright.document.mechanism import Mechanism
from linkwright.elements.contacts.gaps import Gap
from linkwright.elements.glyph import Diamond, GlyphPart
from linkwright.elements.registry import ContactType


class ContactLaw(ContactType):
    """Unilateral contact with Newton's restitution and Coulomb's friction."""

    restitution: Annotated[
        Scalar,
        FieldSpec(
            "Restitution eN",
            group="Law",
            help="Speed after an impact over speed before, along the normal.",
            low=0.0,
            high=1.0,
        ),
    ] = 0.0
    tangential_restitution: Annotated[
        Scalar,
        FieldSpec(
            "Restitution eT",
            group="Law",
            help="The same along the surface, as far as friction can give it.",
            low=0.0,
            high=1.0,
            advanced=True,
        ),
    ] = 0.0
    friction: Annotated[
        Scalar, FieldSpec("Friction", group="Law", help="Coulomb coefficient while slipping.", low=0.0)
    ] = 0.0
    static_friction: Annotated[
        Scalar | None,
        FieldSpec(
            "Static friction",
            group="Law",
            help="Coefficient while sticking; empty takes the same.",
            low=0.0,
            advanced=True,
        ),
    ] = None
    rebound_speed: Annotated[
        Scalar,
        FieldSpec(
            "No rebound below",
            unit="m/s",
            group="Law",
            help="Restitution is off in a step where every contact approaches slower than this.",
            low=0.0,
            advanced=True,
        ),
    ] = 0.0

    def ends(self, mechanism: Mechanism) -> tuple[str, str]:
        """References of the frames i and j in which the gaps are given.

        Raises
        ------
        DocumentError
            When what it refers to has no such ends.
        """
        raise NotImplementedError

    def gaps(self) -> tuple[Gap, ...]:
        """Primitive gaps of an evaluated contact."""
        raise NotImplementedError

    def belt(self) -> tuple[float, float]:
        """Velocity of the surface of j along the first and second tangent, seen from j [m/s]."""
        return (0.0, 0.0)

    def glyph_parts(self) -> tuple[GlyphPart, ...]:
        """A diamond at every place of i where it may touch."""
        places = dict.fromkeys((gap.at, gap.group) for gap in self.gaps())
        return tuple(Diamond(at, group) for at, group in places)


class PairContact(ContactLaw):
    """A contact of two frames, each a marker, a body or the ground."""

    i: Annotated[Reference, FieldSpec("Side i", group="Ends", help="Marker or body.", editor="reference")]
    j: Annotated[
        Reference, FieldSpec("Side j", group="Ends", help="Marker, body or ground.", editor="reference")
    ]

    def references(self) -> tuple[str, ...]:
        """Both ends."""
        return (self.i, self.j)

    def ends(self, mechanism: Mechanism) -> tuple[str, str]:
        """Both ends."""
        return (self.i, self.j)
