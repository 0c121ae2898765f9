"""A legend that floats over its plot and can be dragged out of the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QMouseEvent, QPixmap
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel

from linkwright_app.plots.plot_frame import PlotFrame
from linkwright_app.window import theme
from linkwright_app.window.tokens import ThemeTokens

_EDGE = 14


@dataclass(frozen=True)
class LegendRow:
    """Sample, name and value at the cursor (empty for none)."""

    sample: QPixmap
    name: str
    value: str = ""


class PlotLegend(QFrame):
    """Rows of curves in the upper right corner of a plot.

    Parameters
    ----------
    frame : PlotFrame
        The plot it lies on.
    """

    def __init__(self, frame: PlotFrame) -> None:
        super().__init__(frame)
        self._frame = frame
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(8, 5, 8, 5)
        self._grid.setHorizontalSpacing(6)
        self._grid.setVerticalSpacing(2)
        self._labels: list[tuple[QLabel, QLabel, QLabel]] = []
        self._grip: QPoint | None = None
        self._moved = False
        self.setCursor(Qt.CursorShape.SizeAllCursor)
        self.set_theme(theme.tokens())
        frame.resized.connect(self.place)

    def set_theme(self, tokens: ThemeTokens) -> None:
        """Take the colours of a theme."""
        red, green, blue = (int(tokens.panel[i : i + 2], 16) for i in (1, 3, 5))
        self.setStyleSheet(
            f"PlotLegend {{ background: rgba({red}, {green}, {blue}, 225); border: 1px solid {tokens.line}; "
            "border-radius: 4px; }"
        )

    def set_rows(self, rows: Sequence[LegendRow]) -> None:
        """Show these rows; the legend hides when there are none."""
        while len(self._labels) < len(rows):
            self._add_line()
        for i, (sample, name, value) in enumerate(self._labels):
            used = i < len(rows)
            for part in (sample, name, value):
                part.setVisible(used)
            if used:
                sample.setPixmap(rows[i].sample)
                name.setText(rows[i].name)
                value.setText(rows[i].value)
                value.setVisible(bool(rows[i].value))
        self.setVisible(bool(rows))
        self.adjustSize()
        self.place()

    def _add_line(self) -> None:
        sample, name, value = QLabel(self), QLabel(self), QLabel(self)
        for part in (name, value):
            part.setFont(theme.font(11, tabular=True))
            part.setTextFormat(Qt.TextFormat.PlainText)
        value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        line = len(self._labels)
        for column, part in enumerate((sample, name, value)):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            self._grid.addWidget(part, line, column)
        self._labels.append((sample, name, value))

    @property
    def rows_text(self) -> tuple[tuple[str, str], ...]:
        """Names and values shown."""
        return tuple((n.text(), v.text()) for s, n, v in self._labels if not s.isHidden())

    def place(self) -> None:
        """Go to the upper right corner unless somebody has dragged it; stay inside the plot in any case."""
        parent = self._frame
        x, y = (self.x(), self.y()) if self._moved else (parent.width() - self.width() - _EDGE, 10)
        x = min(max(x, 0), max(parent.width() - self.width(), 0))
        y = min(max(y, 0), max(parent.height() - self.height(), 0))
        if (x, y) != (self.x(), self.y()):
            self.move(x, y)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._grip = event.position().toPoint()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grip is not None:
            self._moved = True
            self.move(self.mapToParent(event.position().toPoint() - self._grip))
            self.place()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._grip = None
