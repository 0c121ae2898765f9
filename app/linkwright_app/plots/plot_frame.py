"""One plot in the style of the window: axes, time cursor, zoom, and the menu that copies and saves it."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QGuiApplication, QPainter, QPixmap, QResizeEvent
from PySide6.QtWidgets import QFileDialog, QFrame, QLabel, QMenu, QSizePolicy

from linkwright_app.plots.axis import PlotAxis, number
from linkwright_app.plots.min_max_pyramid import MAX_POINTS
from linkwright_app.services.run_history import FloatArray
from linkwright_app.window import theme
from linkwright_app.window.tokens import ThemeTokens

Columns = Sequence[tuple[str, FloatArray]]
#: A value this many times farther from the middle than the next one is taken for absurd, not for a peak.
_WILD = 1e6
#: Above this a value is absurd even where all others are equal.
_WILD_ABSOLUTE = 1e12
#: Only so few of the values can be absurd; of many, the range is theirs.
_WILD_SHARE = 0.1
_MARGIN = 0.04
#: A curve keeps at least so many points, however few columns of pixels it covers.
MIN_POINTS = 64
#: Length on the screen from which a line is drawn with the plain pen [px].
DENSE_LENGTH = 5_000.0


def robust_range(values: FloatArray) -> tuple[float, float, float | None] | None:
    """Range that shows the curve, even when a few values are absurd.

    Parameters
    ----------
    values : (n,) values; those that are not finite do not count

    Returns
    -------
    low, high, outside : float, float, float or None
        The range, and the largest value beyond it, if any lies beyond; None when no value is finite.
    """
    values = values[np.isfinite(values)]
    if len(values) == 0:
        return None
    distance = np.abs(values - np.median(values))
    order = np.sort(distance)
    first = int(np.ceil((1.0 - _WILD_SHARE) * len(order)))
    below, above = order[max(first - 1, 0) : -1], order[max(first, 1) :]
    jumps = np.where(below > 0.0, above > _WILD * below, above > _WILD_ABSOLUTE)
    if not jumps.any():
        return float(values.min()), float(values.max()), None
    inside = values[distance <= below[int(np.argmax(jumps))]]
    farthest = float(values[int(np.argmax(distance))])
    return float(inside.min()), float(inside.max()), farthest


def horizon(last: float, planned: float, *, live: bool) -> float:
    """End of the time axis: all that is planned once a fifth of it is done, before that a round number ahead.

    Parameters
    ----------
    last, planned : float
        What is recorded, and what the run will reach at its end.
    live : bool
        Whether the run can still go on; of one that has ended, what is recorded is all.
    """
    if not live:
        return last if last > 0.0 else planned
    if last >= 0.2 * planned or last <= 0.0:
        return planned
    decade = 10.0 ** math.floor(math.log10(last))
    ahead = next(m * decade for m in (2.0, 5.0, 10.0, 20.0) if m * decade >= 1.1 * last)
    return min(ahead, planned)


def padded(low: float, high: float) -> tuple[float, float]:
    """Widen a range a little, and one without width enough to show a flat line in its middle."""
    span = high - low
    if span <= 1e-12 * max(abs(low), abs(high)) or span <= 0.0:
        span = max(abs(high), abs(low)) * 0.2 or 1.0
        return low - span, high + span
    return low - _MARGIN * span, high + _MARGIN * span


class _PlotBox(pg.ViewBox):  # type: ignore[misc]  # pyqtgraph has no type information
    """Left button sets the cursor, wheel zooms (with Ctrl the other axis), middle button moves, double click resets."""

    def __init__(self, frame: PlotFrame) -> None:
        super().__init__(enableMenu=False, defaultPadding=0.0)
        self._frame = frame
        self.setMouseEnabled(x=True, y=True)
        self.disableAutoRange()

    def mouseDragEvent(
        self, ev: pg.GraphicsScene.mouseEvents.MouseDragEvent, axis: int | None = None
    ) -> None:
        if ev.button() == Qt.MouseButton.LeftButton:
            ev.accept()
            self._frame.pick(self.mapSceneToView(ev.scenePos()).x())
        elif ev.button() == Qt.MouseButton.MiddleButton:
            self._frame.set_zoomed(True)
            super().mouseDragEvent(ev, axis)
        else:
            ev.ignore()

    def mouseClickEvent(self, ev: pg.GraphicsScene.mouseEvents.MouseClickEvent) -> None:
        if ev.button() == Qt.MouseButton.LeftButton:
            ev.accept()
            if ev.double():
                self._frame.reset_view()
            else:
                self._frame.pick(self.mapSceneToView(ev.scenePos()).x())

    def wheelEvent(self, ev: pg.QtWidgets.QGraphicsSceneWheelEvent, axis: int | None = None) -> None:
        self._frame.set_zoomed(True)
        if axis is None:
            axis = 1 if ev.modifiers() & Qt.KeyboardModifier.ControlModifier else 0
        super().wheelEvent(ev, axis)


class PlotFrame(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no type information
    """A plot with styled axes and a vertical cursor.

    Parameters
    ----------
    x_whole, y_whole : bool
        Only whole numbers are marked on the axis.
    y_power : bool
        The y coordinate is the exponent of ten of what is shown.
    """

    picked = Signal(float)
    view_changed = Signal()
    resized = Signal()

    def __init__(self, *, x_whole: bool = False, y_whole: bool = False, y_power: bool = False) -> None:
        self._bottom = PlotAxis("bottom", whole=x_whole)
        self._left = PlotAxis("left", whole=y_whole, power=y_power)
        self._box = _PlotBox(self)
        super().__init__(viewBox=self._box, axisItems={"left": self._left, "bottom": self._bottom})
        self._zoomed = False
        self._home: tuple[float, float, float, float] = (0.0, 1.0, 0.0, 1.0)
        self._columns: Callable[[], Columns] = lambda: ()
        self._file_stem = "plot"
        item = self.getPlotItem()
        item.hideButtons()
        item.setMenuEnabled(False)
        item.layout.setContentsMargins(2, 6, 12, 2)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(120, 60)
        self.cursor_line = pg.InfiniteLine(angle=90, movable=False)
        self.cursor_line.setZValue(50)
        self.cursor_line.hide()
        self.addItem(self.cursor_line, ignoreBounds=True)
        self._note = QLabel(self)
        self._note.setProperty("role", "note")
        self._note.setProperty("tone", "warn")
        self._note.hide()
        self._empty = QLabel(self)
        self._empty.setProperty("role", "note")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setWordWrap(True)
        self._empty.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._empty.hide()
        self._box.sigRangeChanged.connect(lambda *_: self.view_changed.emit())
        self.set_theme(theme.tokens())

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 60)

    # ------------------------------------------------------------------ looks
    def set_theme(self, tokens: ThemeTokens) -> None:
        """Take the colours of a theme."""
        self.setBackground(QColor(tokens.panel))
        self._left.set_theme(tokens)
        self._bottom.set_theme(tokens)
        self.cursor_line.setPen(pg.mkPen(tokens.accent, width=1.2))

    def set_titles(self, x: tuple[str, str], y: tuple[str, str]) -> None:
        """Name both axes, each by text and unit; an empty text leaves the axis bare."""
        self._bottom.set_title(*x)
        self._left.set_title(*y)

    @property
    def titles(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """Text and unit of the bottom and of the left axis."""
        return self._bottom.title, self._left.title

    def set_left_width(self, width: int) -> None:
        """Set the width of the left axis, the same for all plots of a column."""
        self._left.setWidth(width)

    def set_note(self, text: str) -> None:
        """Show a warning in the upper left corner, or none."""
        self._note.setText(text)
        self._note.setVisible(bool(text))
        self._place_labels()

    def set_empty_text(self, text: str) -> None:
        """Say in the middle why nothing is drawn, or nothing."""
        self._empty.setText(text)
        self._empty.setVisible(bool(text))
        self._place_labels()

    def _place_labels(self) -> None:
        self._note.adjustSize()
        self._note.move(int(self._left.width()) + 8, 6)
        left = int(self._left.width())
        self._empty.setGeometry(left, 8, max(self.width() - left - 12, 10), max(self.height() - 44, 10))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if hasattr(self, "_empty"):
            self._place_labels()
            self.resized.emit()

    # ------------------------------------------------------------------ view
    @property
    def zoomed(self) -> bool:
        """Whether somebody has zoomed or moved the view."""
        return self._zoomed

    def set_zoomed(self, on: bool) -> None:
        """Keep the view where it is while data arrive, or let it follow them."""
        self._zoomed = on

    def set_home(self, x_low: float, x_high: float, y_low: float, y_high: float) -> None:
        """Set the view of everything; it is taken at once unless somebody has zoomed."""
        home = (x_low, x_high, y_low, y_high)
        if home != self._home or not self._zoomed:
            self._home = home
            if not self._zoomed:
                self._take_home()

    def _take_home(self) -> None:
        x_low, x_high, y_low, y_high = self._home
        shown = self._box.viewRange()
        if shown != [[x_low, x_high], [y_low, y_high]]:
            self._box.setRange(
                xRange=(x_low, x_high), yRange=(y_low, y_high), padding=0.0, disableAutoRange=True
            )

    def reset_view(self) -> None:
        """Show everything again."""
        self._zoomed = False
        self._take_home()
        self.view_changed.emit()

    @property
    def view_range(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Ends of x and of y in view."""
        (x_low, x_high), (y_low, y_high) = self._box.viewRange()
        return (x_low, x_high), (y_low, y_high)

    def points_worth(self, x_first: float, x_last: float) -> int:
        """Number of points that can be told apart between two x coordinates: three for each column of pixels."""
        (low, high), _ = self.view_range
        share = (min(x_last, high) - max(x_first, low)) / max(high - low, 1e-300)
        columns = max(share, 0.0) * self._box.width()
        return int(min(max(3.0 * columns, MIN_POINTS), MAX_POINTS))

    def is_dense(self, x: FloatArray, y: FloatArray) -> bool:
        """Whether a line is so long on the screen that a wide, smooth or dashed pen would keep the window waiting.

        Painters stroke one-pixel lines at once but build an outline for all others; a curve that goes up and down
        in every column takes them a second.
        """
        (x_low, x_high), (y_low, y_high) = self.view_range
        per_x = self._box.width() / max(x_high - x_low, 1e-300)
        per_y = self._box.height() / max(y_high - y_low, 1e-300)
        length = np.nansum(np.abs(np.diff(x))) * per_x + np.nansum(np.abs(np.diff(y))) * per_y
        return bool(length > DENSE_LENGTH)

    def drawable(self, y: FloatArray) -> FloatArray:
        """Bring values far outside the view to just outside it, since a painter fails with huge coordinates."""
        _, (low, high) = self.view_range
        reach = 20.0 * max(high - low, 1e-300)
        return np.clip(y, low - reach, high + reach)

    # ------------------------------------------------------------------ cursor
    def set_cursor(self, x: float | None) -> None:
        """Move the cursor line, or hide it."""
        if x is None:
            self.cursor_line.hide()
        else:
            self.cursor_line.setValue(x)
            self.cursor_line.show()

    def pick(self, x: float) -> None:
        """Tell that somebody points at an x coordinate."""
        if math.isfinite(x):
            self.picked.emit(float(x))

    # ------------------------------------------------------------------ menu
    def set_source(self, file_stem: str, columns: Callable[[], Columns]) -> None:
        """Give the name of saved files and the function that lists all columns with their titles."""
        self._file_stem = file_stem
        self._columns = columns

    def table_text(self, separator: str = ",") -> str:
        """All data of the plot as text, one column after the other under its title; short columns end empty."""
        columns = list(self._columns())
        out = io.StringIO()
        writer = csv.writer(out, delimiter=separator, lineterminator="\n")
        writer.writerow([title for title, _ in columns])
        n_row = max((len(values) for _, values in columns), default=0)
        for i in range(n_row):
            writer.writerow([repr(float(v[i])) if i < len(v) else "" for _, v in columns])
        return out.getvalue()

    def save_csv(self, path: Path) -> None:
        """Write all data of the plot.

        Raises
        ------
        OSError
            When the file cannot be written.
        """
        path.write_text(self.table_text(), encoding="utf-8")

    def picture(self, scale: float = 2.0) -> QPixmap:
        """Draw the plot at `scale` times its size on the screen."""
        pixmap = QPixmap(round(self.width() * scale), round(self.height() * scale))
        pixmap.fill(QColor(theme.tokens().panel))
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.render(painter, QRectF(pixmap.rect()), self.rect())
        painter.end()
        return pixmap

    def fill_menu(self, menu: QMenu) -> None:
        """Add the commands of this plot to a menu."""
        menu.addAction(self.tr("Copy data"), self.copy_data)
        menu.addAction(self.tr("Copy picture"), lambda: QGuiApplication.clipboard().setPixmap(self.picture()))
        menu.addSeparator()
        menu.addAction(self.tr("Save data as CSV…"), self._ask_csv)
        menu.addAction(self.tr("Save picture as PNG…"), self._ask_png)
        menu.addSeparator()
        menu.addAction(self.tr("Reset view"), self.reset_view)

    def copy_data(self) -> None:
        """Put all data on the clipboard, ready for a spreadsheet."""
        QGuiApplication.clipboard().setText(self.table_text("\t"))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.fill_menu(menu)
        menu.popup(event.globalPos())
        event.accept()

    def _ask_csv(self) -> None:
        name, _ = QFileDialog.getSaveFileName(
            self, self.tr("Save data"), f"{self._file_stem}.csv", self.tr("Comma separated values (*.csv)")
        )
        if name:
            try:
                self.save_csv(Path(name))
            except OSError as error:
                self._tell(error)

    def _ask_png(self) -> None:
        name, _ = QFileDialog.getSaveFileName(
            self, self.tr("Save picture"), f"{self._file_stem}.png", self.tr("PNG pictures (*.png)")
        )
        if name and not self.picture().save(name, "PNG"):
            self._tell(OSError(self.tr("The file {0} cannot be written.").format(name)))

    def _tell(self, error: OSError) -> None:
        self.set_note(self.tr("Not saved: {0}").format(error.strerror or str(error)))

    @staticmethod
    def off_scale_note(template: str, value: float | None) -> str:
        """Words for a value that lies outside the view, or none."""
        return "" if value is None else template.format(number(value, 3))
