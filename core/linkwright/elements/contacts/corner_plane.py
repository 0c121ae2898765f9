"""Corner on a plane."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from linkwright.document.base import FieldSpec, Vec2
from linkwright.elements.contacts.gaps import Gap
from linkwright.elements.contacts.law import PairContact
from linkwright.elements.registry import About

SurfaceVelocity = Annotated[
    Vec2,
    FieldSpec(
        "Surface velocity",
        unit="m/s",
        group="Surface",
        help="A belt: velocity of the surface along x and y of side j, seen from its body.",
        advanced=True,
    ),
]


class CornerPlane(PairContact):
    """The origin of i stays above the plane through j; z of j points out of the material."""

    type: Literal["corner-plane"] = "corner-plane"
    about: ClassVar[About] = About(
        "Corner on plane", "corner-plane", "A corner of one body may touch a plane of the other.", "C"
    )

    surface_velocity: SurfaceVelocity = (0.0, 0.0)

    def gaps(self) -> tuple[Gap, ...]:
        """One corner above one half space."""
        return (Gap("plane"),)

    def belt(self) -> tuple[float, float]:
        """Give the surface velocity."""
        return float(self.surface_velocity[0]), float(self.surface_velocity[1])
