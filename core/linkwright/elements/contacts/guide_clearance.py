"""Guide with clearance: the translational clearance joint."""

from __future__ import annotations

import itertools
from typing import Annotated, ClassVar, Literal

from linkwright.document.base import FieldSpec, Scalar
from linkwright.elements.contacts.gaps import Gap, Vector, X, Y, Z
from linkwright.elements.contacts.law import PairContact
from linkwright.elements.registry import About


def _size(label: str, help: str) -> FieldSpec:
    return FieldSpec(label, unit="m", group="Slider", help=help, low=0.0, open_low=True)


def _scaled(axis: Vector, s: float) -> Vector:
    return (axis[0] * s, axis[1] * s, axis[2] * s)


def _sum(*parts: Vector) -> Vector:
    return (sum(p[0] for p in parts), sum(p[1] for p in parts), sum(p[2] for p in parts))


class GuideClearance(PairContact):
    """A slider centred at i runs along z of j between parallel faces, with a free gap on either side.

    Faces across y hold the corners of the slider in the y-z plane: 1 (-length/2, above), 2 (+length/2, above), 3 and 4
    below (Flores, Leine, Glocker 2010). Faces across x do the same in the x-z plane; all four faces make a square guide
    with eight corners in space.
    """

    type: Literal["guide-clearance"] = "guide-clearance"
    about: ClassVar[About] = About(
        "Guide with clearance",
        "guide-clearance",
        "A slider in a guide that is a little wider: its corners hit, stick and slip on the faces.",
        "G",
    )

    length: Annotated[Scalar, _size("Slider length", "Along z.")]
    height: Annotated[Scalar, _size("Slider height", "Across the faces.")]
    clearance: Annotated[
        Scalar,
        FieldSpec(
            "Clearance",
            unit="m",
            group="Slider",
            help="Free gap on either side of the centred slider.",
            low=0.0,
        ),
    ]
    faces: Annotated[
        Literal["y", "x", "xy"],
        FieldSpec("Faces across", group="Slider", help="Which directions of side j the faces close."),
    ] = "y"

    def groups(self) -> tuple[str, ...]:
        """One strip per corner."""
        return tuple(f"corner_{k + 1}" for k in range(8 if self.faces == "xy" else 4))

    def gaps(self) -> tuple[Gap, ...]:
        """Every corner above its face, or in a square guide above its two."""
        a, b, c = 0.5 * float(self.length), 0.5 * float(self.height), float(self.clearance)
        found = []
        if self.faces == "xy":
            corners = itertools.product((b, -b), (b, -b), (-a, a))
            for group, (x, y, z) in enumerate(corners):
                for axis, s in ((X, x), (Y, y)):
                    found.append(self._above((x, y, z), axis, s / b, b + c, group))
            return tuple(found)
        axis = Y if self.faces == "y" else X
        for group, (side, z) in enumerate(itertools.product((1.0, -1.0), (-a, a))):
            at = _sum(_scaled(axis, side * b), (0.0, 0.0, z))
            found.append(self._above(at, axis, side, b + c, group))
        return tuple(found)

    def _above(self, at: Vector, axis: Vector, side: float, distance: float, group: int) -> Gap:
        """Give the gap of a corner to the face at `distance` on one side of the axis."""
        return Gap(
            "plane",
            at=at,
            origin=_scaled(axis, side * distance),
            normal=_scaled(axis, -side),
            tangent=Z,
            group=group,
        )
