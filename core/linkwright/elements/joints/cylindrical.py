"""Cylindrical joint: rotation about one axis and translation along it."""

from __future__ import annotations

from typing import ClassVar, Literal

from linkwright.elements.glyph import Arrow, GlyphPart, Ring, Rod
from linkwright.elements.motion import Motion, Rotation, Translation
from linkwright.elements.registry import About, JointType
from linkwright.elements.rows import Dot1, Dot2, Row


class Cylindrical(JointType):
    """The z axes of both ends lie on one line; rotation about it and translation along it are free."""

    type: Literal["cylindrical"] = "cylindrical"
    about: ClassVar[About] = About(
        "Cylindrical joint",
        "cylindrical",
        "A shaft in a sleeve: turns about and slides along the z axis.",
        "J",
    )
    rows: ClassVar[tuple[Row, ...]] = (Dot2("x"), Dot2("y"), Dot1("z", "x"), Dot1("z", "y"))
    motion: ClassVar[tuple[Motion, ...] | None] = (Rotation("z"), Translation("z"))
    glyph: ClassVar[tuple[GlyphPart, ...]] = (
        Rod((0.0, 0.0, -0.5), (0.0, 0.0, 0.5), radius=0.5, cap=0.58),
        Ring(radius=0.62, tube=0.1),
        Arrow((0.0, 0.0, 1.3)),
        Arrow((0.0, 0.0, -1.3)),
    )
