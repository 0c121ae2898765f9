"""Fixed joint: a weld."""

from __future__ import annotations

from typing import ClassVar, Literal

from linkwright.elements.glyph import Block, GlyphPart, Rod
from linkwright.elements.motion import Motion
from linkwright.elements.registry import About, JointType
from linkwright.elements.rows import Dot1, Point, Row


class Fixed(JointType):
    """Both end frames coincide: origins and all axes."""

    type: Literal["fixed"] = "fixed"
    about: ClassVar[About] = About(
        "Fixed joint", "fixed", "A weld: the two ends keep the same place and orientation.", "J"
    )
    rows: ClassVar[tuple[Row, ...]] = (Point(), Dot1("z", "x"), Dot1("z", "y"), Dot1("x", "y"))
    motion: ClassVar[tuple[Motion, ...] | None] = ()
    glyph: ClassVar[tuple[GlyphPart, ...]] = (
        Block((1.3, 0.9, 0.9)),
        Rod((-0.5, -0.3, 0.5), (0.5, 0.3, 0.5), radius=0.09),
        Rod((-0.5, 0.3, 0.5), (0.5, -0.3, 0.5), radius=0.09),
    )
