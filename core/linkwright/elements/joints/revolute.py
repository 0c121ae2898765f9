"""Revolute joint: rotation about one axis."""

from __future__ import annotations

from typing import ClassVar, Literal

from linkwright.elements.glyph import GlyphPart, Ring, Rod
from linkwright.elements.motion import Motion, Rotation
from linkwright.elements.registry import About, JointType
from linkwright.elements.rows import Dot1, Point, Row


class Revolute(JointType):
    """The origins of both ends coincide and their z axes are parallel; rotation about z is free."""

    type: Literal["revolute"] = "revolute"
    about: ClassVar[About] = About(
        "Revolute joint", "revolute", "A pin: both bodies turn about the z axis of the ends.", "J"
    )
    rows: ClassVar[tuple[Row, ...]] = (Point(), Dot1("z", "x"), Dot1("z", "y"))
    motion: ClassVar[tuple[Motion, ...] | None] = (Rotation("z"),)
    glyph: ClassVar[tuple[GlyphPart, ...]] = (
        Ring(),
        Rod((0.0, 0.0, -1.0), (0.0, 0.0, 1.0), radius=0.15, cap=0.27),
    )
