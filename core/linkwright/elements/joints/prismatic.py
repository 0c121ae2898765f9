"""Prismatic joint: translation along one axis."""

from __future__ import annotations

from typing import ClassVar, Literal

from linkwright.elements.glyph import GlyphPart, Rail
from linkwright.elements.motion import Motion, Translation
from linkwright.elements.registry import About, JointType
from linkwright.elements.rows import Dot1, Dot2, Row


class Prismatic(JointType):
    """Both end frames keep the same orientation; the origin of i slides along the z axis of j."""

    type: Literal["prismatic"] = "prismatic"
    about: ClassVar[About] = About(
        "Prismatic joint", "prismatic", "A slide along the z axis of the ends, without rotation.", "J"
    )
    rows: ClassVar[tuple[Row, ...]] = (Dot2("x"), Dot2("y"), Dot1("z", "x"), Dot1("z", "y"), Dot1("x", "y"))
    motion: ClassVar[tuple[Motion, ...] | None] = (Translation("z"),)
    glyph: ClassVar[tuple[GlyphPart, ...]] = (Rail(),)
