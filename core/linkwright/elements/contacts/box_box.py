"""Box on box."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from linkwright.document.base import FieldSpec, Vec3
from linkwright.elements.contacts.gaps import Gap
from linkwright.elements.contacts.law import PairContact
from linkwright.elements.registry import About


def _size(label: str, side: str) -> FieldSpec:
    return FieldSpec(
        label,
        unit="m",
        group="Surface",
        help=f"Extents along x, y, z of side {side}.",
        low=0.0,
        open_low=True,
    )


class BoxBox(PairContact):
    """Boxes centred at i and j stay out of each other; faces, edges and corners may touch."""

    type: Literal["box-box"] = "box-box"
    about: ClassVar[About] = About(
        "Box on box", "box-box", "Two boxes may touch with corners, edges and faces.", "C"
    )

    size: Annotated[Vec3, _size("Size of box i", "i")]
    size_j: Annotated[Vec3, _size("Size of box j", "j")]

    def gaps(self) -> tuple[Gap, ...]:
        """One pair of boxes."""
        x, y, z = (0.5 * float(c) for c in self.size)
        a, b, c = (0.5 * float(c) for c in self.size_j)
        return (Gap("box-box", size_i=(x, y, z), size=(a, b, c)),)
