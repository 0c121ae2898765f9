"""Spherical joint: two points coincide."""

from __future__ import annotations

from typing import ClassVar, Literal

from linkwright.elements.glyph import Ball, GlyphPart, Ring, X
from linkwright.elements.motion import FreeRotation, Motion
from linkwright.elements.registry import About, JointType
from linkwright.elements.rows import Point, Row


class Spherical(JointType):
    """The origins of both ends coincide; all rotations are free."""

    type: Literal["spherical"] = "spherical"
    about: ClassVar[About] = About(
        "Spherical joint", "spherical", "A ball in a socket: the ends share one point, rotation is free.", "J"
    )
    rows: ClassVar[tuple[Row, ...]] = (Point(),)
    motion: ClassVar[tuple[Motion, ...] | None] = (FreeRotation(),)
    glyph: ClassVar[tuple[GlyphPart, ...]] = (Ball(0.55), Ring(tube=0.12), Ring(axis=X, tube=0.12))
