"""Universal joint: two crossing axes at right angles."""

from __future__ import annotations

from typing import ClassVar, Literal

from linkwright.elements.glyph import GlyphPart, Ring, Rod, X, Z
from linkwright.elements.motion import Motion, Rotation
from linkwright.elements.registry import About, JointType
from linkwright.elements.rows import Dot1, Point, Row


class Universal(JointType):
    """The origins coincide, and the x axis of i (one bar of the cross) stays perpendicular to the z axis of j."""

    type: Literal["universal"] = "universal"
    about: ClassVar[About] = About(
        "Universal joint", "universal", "A cross: turns about the z axis of j and the x axis of i.", "J"
    )
    rows: ClassVar[tuple[Row, ...]] = (Point(), Dot1("x", "z"))
    motion: ClassVar[tuple[Motion, ...] | None] = (Rotation("z"), Rotation("x"))
    glyph: ClassVar[tuple[GlyphPart, ...]] = (
        Rod((-0.8, 0.0, 0.0), (0.8, 0.0, 0.0), radius=0.12, cap=0.2),
        Rod((0.0, 0.0, -0.8), (0.0, 0.0, 0.8), radius=0.12, cap=0.2),
        Ring(axis=X, radius=0.84, tube=0.11, sweep=0.5),
        Ring(axis=Z, radius=0.84, tube=0.11, sweep=0.5),
    )
