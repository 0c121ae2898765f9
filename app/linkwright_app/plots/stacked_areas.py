"""Areas stacked on each other, drawn from the boundaries between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from linkwright_app.services.run_history import FloatArray


@dataclass(frozen=True)
class Layer:
    """One area: its lower and upper boundary as (k,) times and values each, its colour and edge.

    Points that are not finite are left out.
    """

    lower: tuple[FloatArray, FloatArray]
    upper: tuple[FloatArray, FloatArray]
    brush: QColor
    edge: QPen


class StackedAreas(pg.GraphicsObject):  # type: ignore[misc]  # pyqtgraph has no type information
    """Paints layers in order, each as one polygon and its upper edge as a line."""

    def __init__(self) -> None:
        super().__init__()
        self._layers: list[tuple[QPolygonF, QPolygonF, QColor, QPen]] = []
        self._bounds = QRectF()
        self._smooth = True

    def set_layers(self, layers: Sequence[Layer], *, smooth: bool) -> None:
        """Draw these layers; `smooth` edges cost more."""
        self._smooth = smooth
        self._layers = []
        bounds = QRectF()
        for layer in layers:
            t_low, y_low = _finite(*layer.lower)
            t_high, y_high = _finite(*layer.upper)
            if len(t_high) < 2 or len(t_low) < 2:
                continue
            outline = pg.functions.arrayToQPolygonF(
                np.concatenate([t_high, t_low[::-1]]), np.concatenate([y_high, y_low[::-1]])
            )
            edge = pg.functions.arrayToQPolygonF(t_high, y_high)
            self._layers.append((outline, edge, layer.brush, layer.edge))
            bounds = bounds.united(outline.boundingRect())
        if bounds != self._bounds:
            self.prepareGeometryChange()
            self._bounds = bounds
        self.update()

    @property
    def n_layer(self) -> int:
        """Layers that have something to draw."""
        return len(self._layers)

    def boundingRect(self) -> QRectF:
        return self._bounds

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, self._smooth)
        for outline, edge, brush, pen in self._layers:
            painter.setPen(pg.mkPen(None))
            painter.setBrush(brush)
            painter.drawPolygon(outline)
            painter.setPen(pen)
            painter.drawPolyline(edge)


def _finite(t: FloatArray, y: FloatArray) -> tuple[FloatArray, FloatArray]:
    good = np.isfinite(y)
    return np.ascontiguousarray(t[good]), np.ascontiguousarray(y[good])
