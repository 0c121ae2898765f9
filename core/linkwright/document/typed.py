"""Bases of the elements that come in types: joints, forces, contacts. The types live in `linkwright.elements`."""

from __future__ import annotations

from typing import Annotated, ClassVar

from linkwright.document.base import FieldSpec, Reference, TypedElement


class Joint(TypedElement):
    """A connection of two frames, `i` and `j`, each a marker, a body or the ground."""

    kind: ClassVar[str] = "joint"

    i: Annotated[
        Reference, FieldSpec("Side i", group="Ends", help="Marker, body or ground.", editor="reference")
    ]
    j: Annotated[
        Reference, FieldSpec("Side j", group="Ends", help="Marker, body or ground.", editor="reference")
    ]

    def references(self) -> tuple[str, ...]:
        """Both ends."""
        return (self.i, self.j)


class Force(TypedElement):
    """Anything that pushes, pulls or turns."""

    kind: ClassVar[str] = "force"


class Contact(TypedElement):
    """Bodies that may touch: unilateral contact with impact and friction, for the contact engine."""

    kind: ClassVar[str] = "contact"
