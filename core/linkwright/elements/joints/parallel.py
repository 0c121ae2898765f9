"""Parallel-axes joint: two directions stay parallel."""

from __future__ import annotations

from typing import ClassVar, Literal

from linkwright.elements.glyph import GlyphPart, Rod
from linkwright.elements.registry import About, JointType
from linkwright.elements.rows import Dot1, Row


class Parallel(JointType):
    """The z axes of both ends stay parallel; translation and rotation about z are free."""

    type: Literal["parallel"] = "parallel"
    about: ClassVar[About] = About(
        "Parallel axes", "parallel", "Keeps the z axes of both ends parallel and leaves all else free.", "J"
    )
    rows: ClassVar[tuple[Row, ...]] = (Dot1("z", "x"), Dot1("z", "y"))
    glyph: ClassVar[tuple[GlyphPart, ...]] = (
        Rod((-0.35, 0.0, -0.9), (-0.35, 0.0, 0.9), radius=0.13, cap=0.2),
        Rod((0.35, 0.0, -0.9), (0.35, 0.0, 0.9), radius=0.13, cap=0.2),
    )
