"""What is painted over the 3D picture: refined still picture, outlines, names, values, axes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from linkwright_app.viewport.camera import Camera
from linkwright_app.viewport.labels import Tag, label_font, paint_tag
from linkwright_app.viewport.theme import ViewTheme, rgb

AXIS_COLORS = (("X", "#E5484D"), ("Y", "#30A46C"), ("Z", "#3E7BFA"))
TRIAD_ARM, TRIAD_CORNER, TRIAD_DISC = 30.0, 46.0, 7.5


@dataclass
class Outline:
    """A tinted picture of an outline and where it lies, in logical pixels."""

    image: QImage
    place: QPointF


@dataclass
class OverlayContent:
    """Everything the overlay paints; the view fills it for every frame."""

    still: QImage | None = None
    outlines: list[Outline] = field(default_factory=list)
    tags: list[Tag] = field(default_factory=list)
    rects: dict[str, QRectF] = field(default_factory=dict)
    camera: Camera = field(default_factory=Camera)
    pointer: tuple[str, QPointF] | None = None


def tinted(alpha: NDArray[np.uint8], color: str, ratio: float) -> QImage:
    """Make an image of one colour with the given opacity, (h, w) from 0 to 255."""
    height, width = alpha.shape
    pixels = np.empty((height, width, 4), np.uint8)
    shares = alpha.astype(np.float32)[..., None]
    pixels[..., :3] = np.round(shares * np.array(rgb(color), np.float32))
    pixels[..., 3] = alpha
    image = QImage(pixels.tobytes(), width, height, 4 * width, QImage.Format.Format_RGBA8888_Premultiplied)
    image = image.copy()
    image.setDevicePixelRatio(ratio)
    return image


def paint_overlay(
    painter: QPainter,
    content: OverlayContent,
    theme: ViewTheme,
    height: float,
    ratio: float,
) -> None:
    """Paint everything but the still picture; `height` of the view in logical pixels."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    for outline in content.outlines:
        painter.drawImage(outline.place, outline.image)
    for tag in sorted(content.tags, key=lambda tag: tag.icon != ""):
        if tag.id in content.rects:
            paint_tag(painter, tag, content.rects[tag.id], theme, ratio)
    if content.pointer is not None:
        _paint_pointer(painter, *content.pointer, theme)
    paint_triad(painter, content.camera, theme, QPointF(TRIAD_CORNER, height - TRIAD_CORNER))


def _paint_pointer(painter: QPainter, text: str, place: QPointF, theme: ViewTheme) -> None:
    """Write the name of what is under the mouse beside it."""
    font = label_font(11, 500)
    width = QFontMetricsF(font).horizontalAdvance(text) + 16
    box = QRectF(round(place.x()) + 14.5, round(place.y()) + 16.5, width, 22)
    painter.setPen(QPen(QColor(theme.tokens.line), 1))
    painter.setBrush(QColor(theme.tokens.card))
    painter.drawRoundedRect(box, 6, 6)
    painter.setFont(font)
    painter.setPen(QColor(theme.tokens.text))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def paint_triad(painter: QPainter, camera: Camera, theme: ViewTheme, centre: QPointF) -> None:
    """Draw the three axes of the ground as seen by the camera."""
    rows = camera.rows()
    arms = sorted(range(3), key=lambda k: float(rows[2, k]))
    for k in arms:
        name, color = AXIS_COLORS[k]
        end = centre + QPointF(rows[0, k] * TRIAD_ARM, -rows[1, k] * TRIAD_ARM)
        painter.setPen(QPen(QColor(color), 2.2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLine(centre, end)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(color))
        painter.drawEllipse(end, TRIAD_DISC, TRIAD_DISC)
        painter.setPen(QColor("#FFFFFF"))
        painter.setFont(label_font(9, 700))
        box = QRectF(end.x() - 8, end.y() - 8, 16, 16)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, name)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.tokens.dim))
    painter.drawEllipse(centre, 2.5, 2.5)


class Overlay(QWidget):
    """Transparent widget over the canvas; the mouse goes through it."""

    def __init__(self, parent: QWidget, theme: ViewTheme) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.theme = theme
        self.content = OverlayContent()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self.content.still is not None:
            painter.drawImage(0, 0, self.content.still)
        paint_overlay(painter, self.content, self.theme, self.height(), self.devicePixelRatioF())
        painter.end()

    def tag_at(self, place: QPointF) -> str:
        """Id of the element whose name is at a place; empty for none."""
        for key, rect in self.content.rects.items():
            if rect.contains(place):
                return key
        return ""
