"""Planar joint: two bodies share a plane."""

from __future__ import annotations

from typing import ClassVar, Literal

from linkwright.elements.glyph import Arrow, GlyphPart, Plane
from linkwright.elements.motion import Motion, Rotation, Translation
from linkwright.elements.registry import About, JointType
from linkwright.elements.rows import Dot1, Dot2, Row


class Planar(JointType):
    """The origin of i slides in the x-y plane of j, and the z axes stay parallel; rotation about z is free."""

    type: Literal["planar"] = "planar"
    about: ClassVar[About] = About(
        "Planar joint",
        "planar",
        "A block on a table: slides in the x-y plane of j and turns about its normal.",
        "J",
    )
    rows: ClassVar[tuple[Row, ...]] = (Dot2("z"), Dot1("z", "x"), Dot1("z", "y"))
    motion: ClassVar[tuple[Motion, ...] | None] = (Translation("x"), Translation("y"), Rotation("z"))
    glyph: ClassVar[tuple[GlyphPart, ...]] = (
        Plane(half=0.95),
        Arrow((0.85, 0.0, 0.0)),
        Arrow((-0.85, 0.0, 0.0)),
        Arrow((0.0, 0.85, 0.0)),
        Arrow((0.0, -0.85, 0.0)),
    )
