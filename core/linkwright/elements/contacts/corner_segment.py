"""Corner on a face of finite length."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from linkwright.document.base import FieldSpec, Scalar
from linkwright.elements.contacts.corner_plane import SurfaceVelocity
from linkwright.elements.contacts.gaps import Gap
from linkwright.elements.contacts.law import PairContact
from linkwright.elements.registry import About


class CornerSegment(PairContact):
    """The origin of i may touch a face through j that ends at x = -length/2 and +length/2; z of j points out of it."""

    type: Literal["corner-segment"] = "corner-segment"
    about: ClassVar[About] = About(
        "Corner on segment",
        "corner-segment",
        "A corner of one body may touch a face of finite length of the other, or slide over its ends.",
        "C",
    )

    length: Annotated[
        Scalar,
        FieldSpec("Length", unit="m", group="Surface", help="Along x of side j.", low=0.0, open_low=True),
    ]
    depth: Annotated[
        Scalar | None,
        FieldSpec(
            "Depth",
            unit="m",
            group="Surface",
            help="A corner further behind the face came from behind and is free; empty takes a tenth of the length.",
            low=0.0,
            open_low=True,
            advanced=True,
        ),
    ] = None
    surface_velocity: SurfaceVelocity = (0.0, 0.0)

    def gaps(self) -> tuple[Gap, ...]:
        """One corner above one strip."""
        length = float(self.length)
        depth = 0.1 * length if self.depth is None else float(self.depth)
        return (Gap("strip", size=(0.5 * length, depth, 0.0)),)

    def belt(self) -> tuple[float, float]:
        """Give the surface velocity."""
        return float(self.surface_velocity[0]), float(self.surface_velocity[1])
