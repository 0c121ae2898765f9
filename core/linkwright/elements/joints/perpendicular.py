"""Perpendicular-axes joint: two directions stay at right angles."""

from __future__ import annotations

from typing import ClassVar, Literal

from linkwright.elements.glyph import GlyphPart, Rod
from linkwright.elements.registry import About, JointType
from linkwright.elements.rows import Dot1, Row


class Perpendicular(JointType):
    """The z axis of i stays perpendicular to the z axis of j; all else is free."""

    type: Literal["perpendicular"] = "perpendicular"
    about: ClassVar[About] = About(
        "Perpendicular axes", "perpendicular", "Keeps the z axes of both ends at right angles.", "J"
    )
    rows: ClassVar[tuple[Row, ...]] = (Dot1("z", "z"),)
    glyph: ClassVar[tuple[GlyphPart, ...]] = (
        Rod((0.0, 0.0, -0.1), (0.0, 0.0, 0.9), radius=0.13, cap=0.2),
        Rod((-0.8, 0.0, -0.1), (0.8, 0.0, -0.1), radius=0.13, cap=0.2),
    )
