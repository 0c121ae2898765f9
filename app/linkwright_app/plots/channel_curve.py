"""A curve over time that grows while a run goes on, thinned for the painter."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QColor, QPen

from linkwright_app.plots.min_max_pyramid import MAX_POINTS, MinMaxPyramid
from linkwright_app.plots.plot_frame import PlotFrame
from linkwright_app.services.run_history import FloatArray


class ChannelCurve:
    """One line of a plot and all its samples.

    Parameters
    ----------
    frame : PlotFrame
        Where it is drawn.
    z : float
        Height in the stack of curves.
    """

    def __init__(self, frame: PlotFrame, z: float = 10.0) -> None:
        self.samples = MinMaxPyramid()
        self.factor = 1.0
        self.offset = 0.0
        self._frame = frame
        self._live = False
        self._pen = self._plain_pen = pg.mkPen("w", width=1.0)
        self._item = pg.PlotCurveItem(connect="finite", antialias=True)
        self._item.setZValue(z)
        frame.addItem(self._item, ignoreBounds=True)

    def remove(self) -> None:
        """Take the curve off its plot."""
        self._frame.removeItem(self._item)

    def set_pen(self, pen: QPen, *, live: bool = False) -> None:
        """Set the look; while a run goes on edges are not smoothed."""
        self._live = live
        self._pen = pen
        self._plain_pen = pg.mkPen(pen.color(), width=1.0)

    def set_fill(self, brush: QColor | None) -> None:
        """Fill down to zero, or not."""
        self._item.setBrush(brush)
        self._item.setFillLevel(0.0 if brush is not None else None)

    def append(self, t: FloatArray, y: FloatArray) -> None:
        """Add samples at the end; draw them with `refresh`."""
        self.samples.append(t, y)

    def visible_values(self) -> FloatArray:
        """Values of the points of the whole curve as drawn : (k,)."""
        return self.samples.view()[1] * self.factor + self.offset

    @property
    def drawn(self) -> tuple[FloatArray, FloatArray]:
        """Points that reached the painter."""
        t, y = self._item.getData()
        return np.asarray(t, float), np.asarray(y, float)

    def refresh(self) -> None:
        """Draw the part in view."""
        t, y = self.in_view()
        if not np.isfinite(y).any():
            t = y = np.empty(0)
        dense = self._frame.is_dense(t, y)
        self._item.setData(
            t, y, pen=self._plain_pen if dense else self._pen, antialias=not (self._live or dense)
        )

    def _points_worth(self) -> int:
        t = self.samples.t
        return self._frame.points_worth(float(t[0]), float(t[-1])) if len(t) else MAX_POINTS

    def in_view(self) -> tuple[FloatArray, FloatArray]:
        """Points of the part in view, as they are drawn : (k,) and (k,)."""
        (t_from, t_to), _ = self._frame.view_range
        t, y = self.samples.view(t_from, t_to, self._points_worth())
        return t, self._frame.drawable(y * self.factor + self.offset)

    def outline_in_view(self) -> tuple[FloatArray, FloatArray]:
        """Upper outline of the part in view : (k,) and (k,)."""
        (t_from, t_to), _ = self._frame.view_range
        t, y = self.samples.peaks(t_from, t_to, self._points_worth())
        return t, self._frame.drawable(y * self.factor + self.offset)

    def value_at(self, t: float) -> float:
        """Sample at or before a time, as drawn; NaN before the first one."""
        i = int(np.searchsorted(self.samples.t, t + 1e-9 * max(abs(t), 1e-30), "right")) - 1
        return float(self.samples.y[i]) * self.factor + self.offset if i >= 0 else float("nan")
