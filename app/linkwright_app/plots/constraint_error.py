"""How well the joints hold: violation of the constraints at position and velocity level, on a log axis."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QMenu, QVBoxLayout

from linkwright_app.plots import line_style
from linkwright_app.plots.axis import number
from linkwright_app.plots.channel_curve import ChannelCurve
from linkwright_app.plots.plot_frame import Columns, PlotFrame, padded
from linkwright_app.plots.plot_legend import LegendRow, PlotLegend
from linkwright_app.plots.run_panel import RunPanel, entry_horizon
from linkwright_app.services.run_entry import RunEntry
from linkwright_app.services.run_history import FloatArray
from linkwright_app.services.run_service import RunService
from linkwright_app.services.time_cursor import TimeCursor
from linkwright_app.window import theme
from linkwright_app.window.tokens import ThemeTokens
from linkwright_app.window.widgets import framed, label, row

CHANNELS = ("constraint.position", "constraint.velocity")
#: Violations below this are drawn as this: they are rounding, and zero has no logarithm.
FLOOR = 1e-18


class ConstraintErrorPlot(RunPanel):
    """Largest violation of any constraint over time.

    Parameters
    ----------
    run_service : RunService
        Source of the runs.
    time_cursor : TimeCursor
        The shared time.
    """

    turn = 2

    def __init__(self, run_service: RunService, time_cursor: TimeCursor) -> None:
        super().__init__(run_service, time_cursor)
        self._entry: RunEntry | None = None
        self._seen = 0
        self.plot = PlotFrame(y_power=True)
        self.plot.set_titles((self.tr("time"), "s"), (self.tr("violation"), ""))
        self.plot.picked.connect(time_cursor.set_t)
        self.plot.view_changed.connect(self._redraw)
        self.plot.set_source("constraint-error", self._table)
        self._curves = [ChannelCurve(self.plot) for _ in CHANNELS]
        self.legend = PlotLegend(self.plot)
        title = label(self.tr("Constraint error"), "strong")
        title.setFont(theme.font(11, 600))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 6)
        layout.setSpacing(0)
        layout.addWidget(framed(row(title, None, margins=(12, 0, 12, 0)), "panel", height=24))
        layout.addWidget(self.plot, 1)
        self.set_theme(self.tokens)

    def set_theme(self, tokens: ThemeTokens) -> None:
        self.plot.set_theme(tokens)
        self.legend.set_theme(tokens)
        super().set_theme(tokens)

    def fill_menu(self, menu: QMenu) -> None:
        """Add the commands of this panel to a menu."""
        self.plot.fill_menu(menu)

    def sync_runs(self) -> None:
        entry = self.run_service.current
        if entry is None and self.run_service.runs:
            entry = self._entry if self._entry in self.run_service.runs else self.run_service.runs[-1]
        if entry is not self._entry:
            self._entry, self._seen = entry, 0
            for curve in self._curves:
                curve.samples.clear()
            self.plot.set_zoomed(False)
        live = entry is not None and entry.is_live
        for slot, curve in enumerate(self._curves):
            curve.set_pen(line_style.pen(self.tokens, slot, live=live), live=live)
        self.plot.set_empty_text("" if entry else self.tr("Press F5 to run."))

    def take_rows(self) -> None:
        entry = self._entry
        if entry is not None:
            history, n = entry.history, entry.history.n_frame
            if n > self._seen:
                t = history.frame_times()[self._seen : n].copy()
                for name, curve in zip(CHANNELS, self._curves, strict=True):
                    curve.append(t, _exponent(history.channel(name, self._seen, n)))
                self._seen = n
            values = np.concatenate([curve.visible_values() for curve in self._curves])
            values = values[np.isfinite(values)]
            low, high = (float(values.min()), float(values.max())) if len(values) else (-16.0, 0.0)
            self.plot.set_home(0.0, entry_horizon(entry), *padded(low, max(high, low + 2.0)))
        self._redraw()

    def _redraw(self) -> None:
        for curve in self._curves:
            curve.refresh()

    def draw_cursor(self) -> None:
        entry = self._entry
        if entry is None:
            self.plot.set_cursor(None)
            self.legend.set_rows([])
            return
        shown = entry is self.run_service.current
        self.plot.set_cursor(self.time_cursor.t if shown else None)
        ratio = self.devicePixelRatioF()
        rows = []
        for slot, (name, text) in enumerate(
            zip(CHANNELS, (self.tr("position"), self.tr("velocity")), strict=True)
        ):
            ink = line_style.color(self.tokens, slot)
            value = ""
            if shown:
                exponent = self._curves[slot].value_at(self.time_cursor.t)
                value = (
                    f"{number(10.0**exponent, 2)} {entry.history.unit(name)}"
                    if np.isfinite(exponent)
                    else "–"
                )
            rows.append(
                LegendRow(
                    line_style.swatch("line", ink, ratio=ratio, dash=line_style.DASHES[slot]), text, value
                )
            )
        self.legend.set_rows(rows)

    def _table(self) -> Columns:
        if self._entry is None:
            return ()
        history = self._entry.history
        columns: list[tuple[str, FloatArray]] = [(self.tr("time [s]"), history.frame_times())]
        columns += [(f"{name} [{history.unit(name)}]", history.channel(name)) for name in CHANNELS]
        return columns


def _exponent(values: FloatArray) -> FloatArray:
    made = np.full(len(values), np.nan)
    good = np.isfinite(values)
    made[good] = np.log10(np.maximum(np.abs(values[good]), FLOOR))
    return made
