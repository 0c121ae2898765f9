"""Glyphs as data: a list of simple parts that any viewer can draw.

Lengths are multiples of R, half the glyph's size on screen, unless a part says otherwise. Axes and offsets are in the
frame of side j of a joint, or of the marker a force acts at; z is the axis of a joint.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Axis = tuple[float, float, float]
Role = Literal["category", "metal", "body"]

X: Axis = (1.0, 0.0, 0.0)
Y: Axis = (0.0, 1.0, 0.0)
Z: Axis = (0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Ring:
    """A torus around `axis`; `sweep` < 1 leaves an open arc, drawn with a head when `arrow` is set."""

    axis: Axis = Z
    radius: float = 0.84
    tube: float = 0.155
    sweep: float = 1.0
    arrow: bool = False
    role: Role = "category"


@dataclass(frozen=True, slots=True)
class Rod:
    """A round bar from `start` to `stop`, with caps at its ends when `cap` > 0."""

    start: Axis
    stop: Axis
    radius: float = 0.15
    cap: float = 0.0
    role: Role = "category"


@dataclass(frozen=True, slots=True)
class Rail:
    """Two parallel bars along `axis` with ties and end cones: the way of a sliding joint, long as the travel drawn."""

    axis: Axis = Z


@dataclass(frozen=True, slots=True)
class Ball:
    """A sphere."""

    radius: float
    centre: Axis = (0.0, 0.0, 0.0)
    role: Role = "category"


@dataclass(frozen=True, slots=True)
class Block:
    """A box with extents along x, y, z."""

    size: Axis
    centre: Axis = (0.0, 0.0, 0.0)
    role: Role = "metal"


@dataclass(frozen=True, slots=True)
class Plane:
    """A thin translucent square with the given normal and half edge."""

    normal: Axis = Z
    half: float = 1.0


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow from `start` along `direction` (its length counts)."""

    direction: Axis
    start: Axis = (0.0, 0.0, 0.0)
    role: Role = "category"


@dataclass(frozen=True, slots=True)
class Coil:
    """Stretched between the two ends of the element: a coil spring, with a piston inside when `piston` is set."""

    piston: bool = True


@dataclass(frozen=True, slots=True)
class Cable:
    """Stretched between the two ends of the element: a thin rope with a ball at either end."""


@dataclass(frozen=True, slots=True)
class LoadArrow:
    """At the place of a load, along its vector, with its size written beside it; `turning` draws an arc about it."""

    turning: bool = False


@dataclass(frozen=True, slots=True)
class Diamond:
    """A contact point: a wire frame when open, solid on touch, with a flash on impact.

    `at` is its place in the frame of side i [m]; `group` is the index of the strip it belongs to.
    """

    at: Axis = (0.0, 0.0, 0.0)
    group: int = 0


GlyphPart = Ring | Rod | Rail | Ball | Block | Plane | Arrow | Coil | Cable | LoadArrow | Diamond
