"""Primitive constraint rows, the words a joint is spelled with. Axes are named in the frames of its two ends.

The compiler turns each into rows of the constraint table; `linkwright.kernels.constraints` evaluates them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

AxisName = Literal["x", "y", "z"]


@dataclass(frozen=True, slots=True)
class Point:
    """Three rows, r_i - r_j = 0: the origins of the two end frames coincide."""


@dataclass(frozen=True, slots=True)
class Dot1:
    """One row, (A_i a) . (A_j b) = 0: axis `a` of end i stays perpendicular to axis `b` of end j."""

    a: AxisName
    b: AxisName


@dataclass(frozen=True, slots=True)
class Dot2:
    """One row, (A_j b) . (r_i - r_j) = 0: the origin of i stays in the plane through j that is normal to axis `b`."""

    b: AxisName


Row = Point | Dot1 | Dot2


def row_count(rows: tuple[Row, ...]) -> int:
    """Number of scalar equations of a recipe."""
    return sum(3 if isinstance(row, Point) else 1 for row in rows)
