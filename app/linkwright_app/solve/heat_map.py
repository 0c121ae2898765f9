"""A small matrix as coloured cells: sign by colour, size on a log scale by strength."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from linkwright_app.window import theme

CELL = 9
_LEFT, _TOP = 16, 16
#: Entries smaller than the largest one by this many powers of ten are drawn as nothing.
_DECADES = 9.0


def mixed(ground: str, ink: str, share: float) -> QColor:
    """Give the colour between two others, `share` of the second."""
    a, b = QColor(ground), QColor(ink)

    def between(x: int, y: int) -> int:
        return round((1.0 - share) * x + share * y)

    return QColor(between(a.red(), b.red()), between(a.green(), b.green()), between(a.blue(), b.blue()))


class HeatMap(QWidget):
    """Square matrix in square blocks, one block for each body.

    The strength of a cell is the logarithm of its entry over the largest one of the matrix; blue is negative, orange
    positive. The value of the cell under the mouse is told by its tool tip.
    """

    def __init__(self) -> None:
        super().__init__()
        self._matrix: NDArray[np.float64] = np.zeros((14, 14))
        self._names: tuple[str, ...] = ()
        self._rows: tuple[str, ...] = ()
        self._set_size()

    def set_matrix(
        self, matrix: NDArray[np.float64], body_names: tuple[str, ...], coordinates: tuple[str, ...]
    ) -> None:
        """Show a matrix.

        Parameters
        ----------
        matrix : (n, n) entries in SI units
        body_names : tuple of str
            One name for each block.
        coordinates : (n,) tuple of str
            Names of the rows, told by the tool tip.
        """
        self._matrix, self._names, self._rows = matrix, body_names, coordinates
        self._set_size()
        self.update()

    @property
    def matrix(self) -> NDArray[np.float64]:
        """What is shown : (n, n)."""
        return self._matrix

    def _set_size(self) -> None:
        n = max(len(self._matrix), 7)
        self.setFixedSize(QSize(_LEFT + n * CELL + 2, _TOP + n * CELL + 2))

    @staticmethod
    def strengths(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        """Strength of each cell, 0 to 1, by logarithm : (n, n)."""
        size = np.abs(np.nan_to_num(matrix))
        largest = float(size.max(initial=0.0))
        strength = np.zeros_like(size)
        if largest > 0.0:
            seen = size > largest * 10.0**-_DECADES
            strength[seen] = np.clip(1.0 + np.log10(size[seen] / largest) / 6.0, 0.12, 1.0)
        return strength

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme.tokens()
        painter = QPainter(self)
        n = len(self._matrix)
        empty = mixed(tokens.field, tokens.line, 0.45)
        strengths = self.strengths(self._matrix)
        for i in range(n):
            for j in range(n):
                share = float(strengths[i, j])
                ink = empty
                if share > 0.0:
                    ink = mixed(
                        tokens.field, tokens.plot[1] if self._matrix[i, j] > 0.0 else tokens.plot[0], share
                    )
                painter.fillRect(QRectF(_LEFT + j * CELL, _TOP + i * CELL, CELL - 1, CELL - 1), ink)
        self._paint_blocks(painter, n)
        painter.end()

    def _paint_blocks(self, painter: QPainter, n: int) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        dim = QColor(theme.tokens().dim)
        painter.setPen(QPen(dim, 1.0))
        n_block = max(len(self._names), 1)
        size = n // n_block * CELL
        for k in range(1, n_block):
            at = k * size - 0.5
            painter.drawLine(QPointF(_LEFT + at, _TOP - 2), QPointF(_LEFT + at, _TOP + n * CELL))
            painter.drawLine(QPointF(_LEFT - 2, _TOP + at), QPointF(_LEFT + n * CELL, _TOP + at))
        painter.setFont(theme.font(9, 500))
        for k, name in enumerate(self._names):
            shown = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, size)
            painter.drawText(QRectF(_LEFT + k * size, 0, size, 14), Qt.AlignmentFlag.AlignCenter, shown)
            painter.save()
            painter.translate(7, _TOP + size * (k + 0.5))
            painter.rotate(-90)
            painter.drawText(QRectF(-size / 2, -8, size, 14), Qt.AlignmentFlag.AlignCenter, shown)
            painter.restore()

    def event(self, event: object) -> bool:
        if isinstance(event, QHelpEvent):
            i, j = (event.pos().y() - _TOP) // CELL, (event.pos().x() - _LEFT) // CELL
            n = len(self._matrix)
            if 0 <= i < n and 0 <= j < n and len(self._rows) == n:
                value = f"{self._matrix[i, j]:.4g}".replace("-", "−")
                QToolTip.showText(event.globalPos(), f"{self._rows[i]} / {self._rows[j]}:  {value}", self)
                return True
        return bool(super().event(event))  # type: ignore[arg-type]  # every object here is a QEvent
