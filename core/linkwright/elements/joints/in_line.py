"""In-line joint: a point stays on a line."""

from __future__ import annotations

from typing import ClassVar, Literal

from linkwright.elements.glyph import Ball, GlyphPart, Ring, Rod
from linkwright.elements.registry import About, JointType
from linkwright.elements.rows import Dot2, Row


class InLine(JointType):
    """The origin of i stays on the z axis of j; all rotations are free.

    With the line across the plane of motion it is the pin of a planar mechanism without its three redundant rows.
    """

    type: Literal["in-line"] = "in-line"
    about: ClassVar[About] = About(
        "In-line joint", "in-line", "A point of body i stays on the z axis of j; rotation is free.", "J"
    )
    rows: ClassVar[tuple[Row, ...]] = (Dot2("x"), Dot2("y"))
    glyph: ClassVar[tuple[GlyphPart, ...]] = (
        Ring(),
        Ball(0.34),
        Rod((0.0, 0.0, -1.0), (0.0, 0.0, 1.0), radius=0.09),
    )
