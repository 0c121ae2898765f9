"""Box on a plane."""

from __future__ import annotations

import itertools
from typing import Annotated, ClassVar, Literal

from linkwright.document.base import FieldSpec, Vec3
from linkwright.elements.contacts.corner_plane import SurfaceVelocity
from linkwright.elements.contacts.gaps import Gap
from linkwright.elements.contacts.law import PairContact
from linkwright.elements.registry import About


class BoxPlane(PairContact):
    """The eight corners of a box centred at i stay above the plane through j; z of j points out of the material."""

    type: Literal["box-plane"] = "box-plane"
    about: ClassVar[About] = About(
        "Box on plane", "box-plane", "A box may stand, tip and slide on a plane with its eight corners.", "C"
    )

    size: Annotated[
        Vec3,
        FieldSpec(
            "Size of the box",
            unit="m",
            group="Surface",
            help="Extents along x, y, z of side i.",
            low=0.0,
            open_low=True,
        ),
    ]
    surface_velocity: SurfaceVelocity = (0.0, 0.0)

    def gaps(self) -> tuple[Gap, ...]:
        """Eight corners above one half space, recorded as one."""
        x, y, z = (0.5 * float(c) for c in self.size)
        return tuple(Gap("plane", at=at) for at in itertools.product((-x, x), (-y, y), (-z, z)))

    def belt(self) -> tuple[float, float]:
        """Give the surface velocity."""
        return float(self.surface_velocity[0]), float(self.surface_velocity[1])
