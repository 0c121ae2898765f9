"""Iterations per step as a stair, thinned to its peaks when there are more steps than the painter can show."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QColor, QPen

from linkwright_app.plots.min_max_pyramid import MAX_POINTS, MinMaxPyramid
from linkwright_app.plots.plot_frame import PlotFrame
from linkwright_app.services.run_history import FloatArray


class StepCurve:
    """Whole numbers of the steps 1, 2, 3, ...; step n covers x from n - 1 to n.

    Parameters
    ----------
    frame : PlotFrame
        Where it is drawn.
    z : float
        Height in the stack of curves.
    """

    def __init__(self, frame: PlotFrame, z: float = 10.0) -> None:
        self.samples = MinMaxPyramid()
        self._frame = frame
        self._fill: QColor | None = None
        self._pen = pg.mkPen("w", width=1.0)
        self._item = pg.PlotCurveItem(antialias=False)
        self._item.setZValue(z)
        frame.addItem(self._item, ignoreBounds=True)

    def remove(self) -> None:
        """Take the curve off its plot."""
        self._frame.removeItem(self._item)

    def set_look(self, pen: QPen, fill: QColor | None) -> None:
        """Set outline and fill."""
        self._fill = fill
        self._pen = pen
        self._item.setBrush(fill)

    def clear(self) -> None:
        """Forget all steps."""
        self.samples.clear()

    def append(self, values: FloatArray) -> None:
        """Add the next steps."""
        first = len(self.samples)
        self.samples.append(np.arange(first + 0.5, first + len(values), dtype=np.float64), values)

    @property
    def drawn(self) -> tuple[FloatArray, FloatArray]:
        """Points that reached the painter: corners of the stair and its heights, or points of the thinned line."""
        x, y = self._item.getData()
        return np.asarray(x, float), np.asarray(y, float)

    def refresh(self) -> None:
        """Draw the part in view."""
        (x_from, x_to), _ = self._frame.view_range
        worth = self._frame.points_worth(0.0, float(len(self.samples)))
        x, y = self.samples.view(x_from - 0.5, x_to + 0.5, worth)
        if self._fill is not None and self._frame.is_dense(x, y):
            # A filled stair looks the same as its upper outline, which is filled much faster.
            x, y = self.samples.peaks(x_from - 0.5, x_to + 0.5, worth)
        pen = pg.mkPen(self._pen.color(), width=1.0) if self._frame.is_dense(x, y) else self._pen
        level = 0.0 if self._fill is not None else None
        if len(x) == 0:
            self._item.setData([], [], stepMode=None, fillLevel=None)
        elif x[-1] - x[0] < MAX_POINTS and len(x) == round(x[-1] - x[0]) + 1:
            self._item.setData(
                np.append(x - 0.5, x[-1] + 0.5), y, pen=pen, stepMode="center", fillLevel=level
            )
        else:
            self._item.setData(x, y, pen=pen, stepMode=None, fillLevel=level)
