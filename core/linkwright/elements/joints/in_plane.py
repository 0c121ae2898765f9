"""In-plane joint: a point stays in a plane."""

from __future__ import annotations

from typing import ClassVar, Literal

from linkwright.elements.glyph import Ball, GlyphPart, Plane
from linkwright.elements.registry import About, JointType
from linkwright.elements.rows import Dot2, Row


class InPlane(JointType):
    """The origin of i stays in the x-y plane of j; all rotations are free."""

    type: Literal["in-plane"] = "in-plane"
    about: ClassVar[About] = About(
        "In-plane joint", "in-plane", "A point of body i stays in the x-y plane of j; rotation is free.", "J"
    )
    rows: ClassVar[tuple[Row, ...]] = (Dot2("z"),)
    glyph: ClassVar[tuple[GlyphPart, ...]] = (Plane(half=0.95), Ball(0.34))
