"""Colour and dash of each line: dash is the second cue, so that no curve rests on colour alone."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap

from linkwright_app.window.tokens import ThemeTokens

#: Dash patterns by place in the palette, in units of the line width; the first is solid.
DASHES: tuple[tuple[float, ...], ...] = (
    (),
    (8.0, 3.0),
    (4.0, 2.5),
    (1.5, 2.5),
    (8.0, 3.0, 1.5, 3.0),
    (2.5, 2.5),
)
STOPPED_WIDTH = 1.6
LIVE_WIDTH = 1.0


def color(tokens: ThemeTokens, slot: int) -> str:
    """Colour of a place in the palette; places beyond its end begin again."""
    return tokens.plot[slot % len(tokens.plot)]


def pen(tokens: ThemeTokens, slot: int, *, live: bool = False, width: float = STOPPED_WIDTH) -> QPen:
    """Pen of a place in the palette; while a run goes on one pixel wide, since wider lines cost many times more."""
    made: QPen = pg.mkPen(color(tokens, slot), width=LIVE_WIDTH if live else width)
    # After one round through the palette the same colours come back with the next dash.
    dash = DASHES[(slot + slot // len(tokens.plot)) % len(DASHES)]
    if dash:
        made.setDashPattern(dash)
    return made


def translucent(color_name: str, alpha: int) -> QColor:
    """Give a colour with an opacity of 0 to 255."""
    made = QColor(color_name)
    made.setAlpha(alpha)
    return made


def swatch(
    kind: str, color_name: str, *, ground: str = "", ratio: float = 1.0, dash: tuple[float, ...] = ()
) -> QPixmap:
    """Draw the sample of a curve for a legend, 20 x 14 px.

    Parameters
    ----------
    kind : str
        ``"fill"``, ``"line"``, ``"box"`` (a small square), ``"dot"`` or ``"square"`` (a line with a marker).
    color_name : str
        Colour as ``"#RRGGBB"``.
    ground : str
        Colour inside an open marker.
    ratio : float
        Device pixels per logical pixel.
    dash : tuple of float
        Dash pattern of a line.
    """
    size = QSize(10, 10) if kind == "box" else QSize(20, 14)
    picture = QPixmap(size * ratio)
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    ink = QColor(color_name)
    line = QPen(ink, 2.0)
    if dash:
        line.setDashPattern([0.6 * part for part in dash])
    if kind == "box":
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ink)
        painter.drawRoundedRect(QRectF(0, 0, 10, 10), 2, 2)
    elif kind == "fill":
        painter.setPen(QPen(ink, 1.0))
        painter.setBrush(translucent(color_name, 110))
        painter.drawRoundedRect(QRectF(1.5, 2.5, 17, 9), 2, 2)
    else:
        painter.setPen(line)
        painter.drawLine(QPointF(1, 7), QPointF(19, 7))
        if kind == "dot":
            painter.setBrush(ink)
            painter.drawEllipse(QPointF(10, 7), 3, 3)
        elif kind == "square":
            painter.setBrush(QColor(ground or color_name))
            painter.setPen(QPen(ink, 1.5))
            painter.drawRect(QRectF(7, 4, 6, 6))
    painter.end()
    return picture
