"""The cube in the upper right corner: shows how the view is turned, and turns it at a click."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QEvent, QPointF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPolygonF,
    QRadialGradient,
    QTransform,
)
from PySide6.QtWidgets import QWidget

from linkwright_app.viewport.camera import Camera
from linkwright_app.viewport.labels import label_font
from linkwright_app.viewport.theme import ViewTheme, rgb

Array = NDArray[np.float64]

HALF_EDGE = 33.0
CORNER = 62.0
"""Distance of the middle from the two edges of the view [logical px]."""
SIDE = 124
"""Edge of the widget: room for the cube turned by any angle and its shadow."""
LETTERING = 22
"""Height of the letters on a face of 100 units."""
FACES = ("front", "back", "right", "left", "top", "bottom")


class Face(NamedTuple):
    """A side of the cube in the turntable frame: standard view, outward normal, right and up of its lettering."""

    view: str
    normal: tuple[float, float, float]
    right: tuple[float, float, float]
    up: tuple[float, float, float]


CUBE = (
    Face("top", (0, 0, 1), (1, 0, 0), (0, 1, 0)),
    Face("front", (0, -1, 0), (1, 0, 0), (0, 0, 1)),
    Face("right", (1, 0, 0), (0, 1, 0), (0, 0, 1)),
    Face("left", (-1, 0, 0), (0, -1, 0), (0, 0, 1)),
    Face("back", (0, 1, 0), (-1, 0, 0), (0, 0, 1)),
    Face("bottom", (0, 0, -1), (1, 0, 0), (0, -1, 0)),
)


def face_text(view: str) -> str:
    """Lettering of a face in the language of the program."""
    texts = {
        "top": QCoreApplication.translate("ViewCube", "TOP"),
        "bottom": QCoreApplication.translate("ViewCube", "BOTTOM"),
        "front": QCoreApplication.translate("ViewCube", "FRONT"),
        "back": QCoreApplication.translate("ViewCube", "BACK"),
        "right": QCoreApplication.translate("ViewCube", "RIGHT"),
        "left": QCoreApplication.translate("ViewCube", "LEFT"),
    }
    return texts[view]


class ViewCube(QWidget):
    """Clickable cube. `chosen` gives the name of a standard view."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget, theme: ViewTheme) -> None:
        super().__init__(parent)
        self.setFixedSize(SIDE, SIDE)
        self.setMouseTracking(True)
        self.theme = theme
        self.retranslate()
        self._camera = Camera()
        self._hovered = ""

    def retranslate(self) -> None:
        """Take the texts of the present language."""
        self.setToolTip(self.tr("Click a face to look straight at it"))
        self.update()

    def set_camera(self, camera: Camera) -> None:
        """Turn the cube like the scene."""
        turned = (camera.azimuth, camera.elevation, camera.basis)
        if turned != (self._camera.azimuth, self._camera.elevation, self._camera.basis):
            self._camera = camera
            self.update()

    def polygons(self) -> dict[str, QPolygonF]:
        """Visible faces by the name of their view, in widget coordinates, corners from the lower left around."""
        turn = self._turn()
        centre = np.array([SIDE / 2, SIDE / 2])
        seen = {}
        for face in CUBE:
            normal, right, up = (np.array(v, float) for v in (face.normal, face.right, face.up))
            if (turn @ normal)[2] <= 0.02:
                continue
            corners = (normal - right - up, normal + right - up, normal + right + up, normal - right + up)
            flat = [centre + HALF_EDGE * (turn @ c)[:2] * (1, -1) for c in corners]
            seen[face.view] = QPolygonF([QPointF(*p) for p in flat])
        return seen

    def _turn(self) -> Array:
        """Rotation turntable -> camera."""
        return np.asarray(self._camera.rows() @ np.array(self._camera.basis).T)

    # ---------------------------------------------------------------- mouse
    def face_at(self, place: QPointF) -> str:
        """Name of the view of the face at a place; empty beside the cube."""
        for view, polygon in self.polygons().items():
            if polygon.containsPoint(place, Qt.FillRule.OddEvenFill):
                return view
        return ""

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self.face_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self._hover("")

    def _hover(self, view: str) -> None:
        if view != self._hovered:
            self._hovered = view
            self.setCursor(Qt.CursorShape.PointingHandCursor if view else Qt.CursorShape.ArrowCursor)
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        view = self.face_at(event.position())
        if view and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(view)
        else:
            event.ignore()

    # ---------------------------------------------------------------- painting
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_shadow(painter)
        turn = self._turn()
        polygons = self.polygons()
        for face in CUBE:
            if face.view in polygons:
                normal = turn @ np.array(face.normal, float)
                self._paint_face(painter, face.view, polygons[face.view], normal)
        painter.end()

    def _paint_shadow(self, painter: QPainter) -> None:
        middle, radius = QPointF(SIDE / 2, SIDE / 2 + 4), 1.9 * HALF_EDGE
        gradient = QRadialGradient(middle, radius)
        gradient.setColorAt(0, QColor(0, 0, 0, 70 if self.theme.dark else 36))
        gradient.setColorAt(1, QColor(0, 0, 0, 0))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(gradient)
        painter.drawEllipse(middle, radius, radius)

    def _paint_face(self, painter: QPainter, view: str, polygon: QPolygonF, normal: Array) -> None:
        dark = self.theme.dark
        high, low = ("#3A404A", "#24282F") if dark else ("#FCFDFE", "#D6DCE5")
        light = min(1.0, 0.55 * normal[2] + 0.45 * max(0.0, normal[1] * 0.6 + 0.6))
        fill = np.array(rgb(low)) * (1 - light) + np.array(rgb(high)) * light
        if view == self._hovered:
            fill = 0.78 * fill + 0.22 * np.array(rgb(self.theme.tokens.accent))
        painter.setPen(QPen(QColor(self.theme.tokens.strong_line), 1))
        painter.setBrush(QColor.fromRgbF(*(float(c) for c in fill)))
        painter.drawPolygon(polygon)
        square = QPolygonF([QPointF(0, 100), QPointF(100, 100), QPointF(100, 0), QPointF(0, 0)])
        onto = QTransform()
        if not QTransform.quadToQuad(square, polygon, onto):
            return
        text = face_text(view)
        font = label_font(LETTERING, 600)
        metrics = QFontMetricsF(font)
        path = QPainterPath()
        width = metrics.horizontalAdvance(text)
        path.addText(50 - width / 2, 50 + metrics.capHeight() / 2, font, text)
        if width > 90:
            path = QTransform().translate(50, 50).scale(90 / width, 90 / width).translate(-50, -50).map(path)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.theme.tokens.text if normal[2] >= 0.5 else self.theme.tokens.dim))
        painter.drawPath(onto.map(path))
