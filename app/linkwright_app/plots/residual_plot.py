"""Residual against iteration for the step under the time cursor, with the kind of convergence written at each curve."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt

from linkwright_app.plots import line_style
from linkwright_app.plots.axis import number
from linkwright_app.plots.convergence_rate import convergence_rate
from linkwright_app.plots.plot_frame import Columns, PlotFrame
from linkwright_app.services.run_history import FloatArray
from linkwright_app.window import theme
from linkwright_app.window.tokens import ThemeTokens

_SYMBOLS = ("o", "s")
#: Exponent at which a residual of exactly zero is drawn: below every other one.
_ZERO_EXPONENT = -18.0


class _Track:
    """Curve and words of one side of the comparison."""

    def __init__(self, frame: PlotFrame, slot: int) -> None:
        self.slot = slot
        self.residuals: FloatArray = np.empty(0)
        self.curve = pg.PlotDataItem(connect="finite", antialias=True)
        self.curve.setZValue(20 - slot)
        self.words = pg.TextItem(anchor=(0.0, 0.5))
        self.words.setFont(theme.font(11, 600))
        self.words.setZValue(40)
        frame.addItem(self.curve, ignoreBounds=True)
        frame.addItem(self.words, ignoreBounds=True)


class ResidualPlot(PlotFrame):
    """2-norm of the residual at each evaluation of one step, on a log axis, with the tolerance as a line."""

    def __init__(self) -> None:
        super().__init__(x_whole=True, y_power=True)
        self._tracks = [_Track(self, slot) for slot in (0, 1)]
        self._step: int | None = None
        self._tolerance = 0.0
        self._tolerance_line = pg.InfiniteLine(angle=0, movable=False)
        self._tolerance_words = pg.TextItem(anchor=(1.0, 1.0))
        self._tolerance_words.setFont(theme.font(10, 500))
        for item in (self._tolerance_line, self._tolerance_words):
            item.setZValue(5)
            item.hide()
            self.addItem(item, ignoreBounds=True)
        self.set_titles((self.tr("iteration"), ""), (self.tr("residual"), ""))
        self.set_source("residual", self._table)

    def set_theme(self, tokens: ThemeTokens) -> None:
        super().set_theme(tokens)
        if hasattr(self, "_tolerance_line"):
            self._paint(tokens)

    def show_step(
        self, step: int | None, residuals: Sequence[FloatArray | None], tolerance: float, tokens: ThemeTokens
    ) -> None:
        """Show the residuals of a step.

        Parameters
        ----------
        step : int or None
            Step number counted from 1; None shows nothing.
        residuals : sequence of ((n,) or None)
            Norms for sides A and B.
        tolerance : float
            Absolute tolerance of the convergence test; 0 for none.
        tokens : ThemeTokens
            Colours.
        """
        self._step, self._tolerance = step, tolerance
        for track, values in zip(self._tracks, residuals, strict=True):
            track.residuals = np.empty(0) if values is None else values
        self._paint(tokens)

    def note_of(self, slot: int) -> str:
        """Words written at the curve of side A (0) or B (1)."""
        return (
            str(self._tracks[slot].words.textItem.toPlainText())
            if self._tracks[slot].words.isVisible()
            else ""
        )

    def _paint(self, tokens: ThemeTokens) -> None:
        exponents = [_exponents(track.residuals) for track in self._tracks]
        self._set_view(exponents)
        for track, y in zip(self._tracks, exponents, strict=True):
            self._paint_track(track, y, tokens)
        shown = self._tolerance > 0.0 and any(len(y) for y in exponents)
        self._tolerance_line.setVisible(shown)
        self._tolerance_words.setVisible(shown)
        if shown:
            level = float(np.log10(self._tolerance))
            self._tolerance_line.setValue(level)
            self._tolerance_line.setPen(pg.mkPen(tokens.good, width=1, style=Qt.PenStyle.DashLine))
            self._tolerance_words.setText(
                self.tr("tolerance {0}").format(number(self._tolerance, 3)), color=tokens.good
            )
            (_, right), _ = self.view_range
            self._tolerance_words.setPos(right, level)
        self.set_empty_text("" if any(len(y) for y in exponents) else self.tr("No step yet."))

    def _set_view(self, exponents: Sequence[FloatArray]) -> None:
        finite = np.concatenate([y[np.isfinite(y)] for y in exponents])
        longest = max((len(y) for y in exponents), default=0)
        ends = list(finite) + ([float(np.log10(self._tolerance))] if self._tolerance > 0.0 else [])
        low, high = (min(ends), max(ends)) if ends else (-8.0, 2.0)
        room = 0.09 * max(high - low, 4.0)
        # Room on the right for words that stand behind the end of a short curve.
        x_high = max(longest - 1, 2) * 1.06 if longest > 4 else max(longest - 1, 2) + 0.7
        self.set_home(-0.2, x_high, low - room, high + room)

    def _paint_track(self, track: _Track, y: FloatArray, tokens: ThemeTokens) -> None:
        ink = line_style.color(tokens, track.slot)
        open_marker = track.slot % 2 == 1
        many = len(y) > 60
        track.curve.setData(
            np.arange(len(y), dtype=float),
            self.drawable(y),
            pen=pg.mkPen(ink, width=1.8),
            symbol=None if many else _SYMBOLS[track.slot],
            symbolSize=7,
            symbolBrush=tokens.panel if open_marker else ink,
            symbolPen=pg.mkPen(ink, width=1.6 if open_marker else 1.0),
        )
        rate = convergence_rate(track.residuals)
        track.words.setVisible(rate is not None)
        if rate is None:
            return
        if rate.kind == "quadratic":
            track.words.setText(self.tr("quadratic"), color=ink)
        elif rate.kind == "linear":
            track.words.setText(
                self.tr("linear, ×{0} per iteration").format(number(rate.factor, 2)), color=ink
            )
        else:
            track.words.setText(
                self.tr("growing, ×{0} per iteration").format(number(rate.factor, 2)), color=ink
            )
        self._place_words(track, y)

    def _place_words(self, track: _Track, y: FloatArray) -> None:
        finite = np.flatnonzero(np.isfinite(y))
        last = int(finite[-1])
        (x_low, x_high), (y_low, y_high) = self.view_range
        if last < 0.55 * x_high:
            # Behind the end of a short curve.
            track.words.setAnchor((0.0, 0.5))
            track.words.setPos(last + 0.02 * (x_high - x_low), float(y[last]) + 0.03 * (y_high - y_low))
        else:
            # Above the middle of a long falling one, below that of a rising one.
            middle = int(finite[len(finite) // 3])
            rising = y[last] > y[finite[0]]
            track.words.setAnchor((0.0, -0.15) if rising else (0.0, 1.15))
            track.words.setPos(float(middle), float(y[middle]))

    def _table(self) -> Columns:
        longest = max((len(t.residuals) for t in self._tracks), default=0)
        columns: list[tuple[str, FloatArray]] = [(self.tr("iteration"), np.arange(longest, dtype=float))]
        for track, label in zip(self._tracks, "AB", strict=True):
            if len(track.residuals):
                columns.append((self.tr("residual {0}, step {1}").format(label, self._step), track.residuals))
        return columns


def _exponents(residuals: FloatArray) -> FloatArray:
    """Powers of ten of residual norms; a gap where one is not finite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.log10(residuals)
    y[residuals == 0.0] = _ZERO_EXPONENT
    y[~np.isfinite(residuals)] = np.nan
    return y
