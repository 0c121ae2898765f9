"""The energy ledger: where the energy of the mechanism is and was lost, against what was put in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QVBoxLayout

from linkwright_app.plots import line_style
from linkwright_app.plots.axis import number, prefix_for
from linkwright_app.plots.channel_curve import ChannelCurve
from linkwright_app.plots.plot_frame import Columns, PlotFrame, padded, robust_range
from linkwright_app.plots.plot_legend import LegendRow, PlotLegend
from linkwright_app.plots.run_panel import RunPanel, entry_horizon
from linkwright_app.plots.stacked_areas import Layer, StackedAreas
from linkwright_app.services.run_entry import RunEntry
from linkwright_app.services.run_history import FloatArray
from linkwright_app.services.run_service import RunService
from linkwright_app.services.time_cursor import TimeCursor
from linkwright_app.window import theme
from linkwright_app.window.tokens import ThemeTokens
from linkwright_app.window.widgets import framed, label, row

#: The band of the balance error, as a share of the largest energy in the ledger: a fixed step of the usual size
#: keeps the balance to about this.
BALANCE_TOLERANCE = 1e-4
_KINETIC, _SPRINGS, _LOSS, _GRAVITY = (
    "energy.kinetic",
    "energy.springs",
    "energy.damper_loss",
    "energy.gravity",
)
_FORCES, _ACTUATORS, _BALANCE = "energy.force_work", "energy.actuator_work", "energy.balance_error"
#: Order of the stack from the bottom. Gravity stands on top, since it is counted from its lowest value so far and
#: a new lowest value then lifts nothing but itself.
STACK = (_KINETIC, _SPRINGS, _LOSS, _GRAVITY)
#: A part that never exceeds this share of the largest energy is not drawn.
_NOTHING = 1e-9


@dataclass(frozen=True)
class LedgerColors:
    """Fill colours of the stack and the colour of the work line in one theme."""

    parts: tuple[str, ...]
    work: str


_DARK = LedgerColors(("#0B84C6", "#D55E00", "#CC79A7", "#2BB98C"), "#F0E442")
_LIGHT = LedgerColors(("#0072B2", "#E69F00", "#CC79A7", "#009E73"), "#1B1F24")


class EnergyLedger(RunPanel):
    """Stacked energies with the work put in as a dashed line, and the balance error on an axis of its own.

    The stack is kinetic energy, springs, what the dampers took, and gravity from its lowest point. If the balance
    holds, its upper edge is the energy at the start plus the work of forces and actuators.

    Parameters
    ----------
    run_service : RunService
        Source of the runs.
    time_cursor : TimeCursor
        The shared time.
    """

    turn = 1

    def __init__(self, run_service: RunService, time_cursor: TimeCursor) -> None:
        super().__init__(run_service, time_cursor)
        self._entry: RunEntry | None = None
        self._seen = 0
        self._largest = dict.fromkeys(STACK, 0.0)
        self._gravity_low = 0.0
        self._start_energy = 0.0
        self._unit = "J"

        self.energy = PlotFrame()
        self.balance = PlotFrame()
        self.balance.setFixedHeight(86)
        self._areas = StackedAreas()
        self._areas.setZValue(5)
        self.energy.addItem(self._areas, ignoreBounds=True)
        self._edges = [ChannelCurve(self.energy, z=6) for _ in STACK]
        self._work = ChannelCurve(self.energy, z=20)
        self._error = ChannelCurve(self.balance, z=20)
        self._band = pg.LinearRegionItem((0, 0), orientation="horizontal", movable=False)
        self._band.setZValue(1)
        self.balance.addItem(self._band, ignoreBounds=True)
        self.legend = PlotLegend(self.energy)
        for frame in (self.energy, self.balance):
            frame.picked.connect(time_cursor.set_t)
            frame.view_changed.connect(self._redraw)
            frame.set_source("energy", self._table)
        self.energy.view_changed.connect(self._link_x)

        self._title = label(self.tr("Energy ledger"), "strong")
        self._run_name = label()
        for head in (self._title, self._run_name):
            head.setFont(theme.font(11, 600))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 6)
        layout.setSpacing(0)
        layout.addWidget(
            framed(row(self._title, None, self._run_name, margins=(12, 0, 12, 0)), "panel", height=24)
        )
        layout.addWidget(self.energy, 1)
        layout.addWidget(self.balance)
        self.set_theme(self.tokens)

    @property
    def _colors(self) -> LedgerColors:
        return _DARK if self.tokens.dark else _LIGHT

    def set_theme(self, tokens: ThemeTokens) -> None:
        self.energy.set_theme(tokens)
        self.balance.set_theme(tokens)
        self.legend.set_theme(tokens)
        super().set_theme(tokens)

    def fill_menu(self, menu: QMenu) -> None:
        """Add the commands of this panel to a menu."""
        self.energy.fill_menu(menu)

    # ------------------------------------------------------------------ rows
    def sync_runs(self) -> None:
        entry = self.run_service.current
        if entry is None and self.run_service.runs:
            entry = self._entry if self._entry in self.run_service.runs else self.run_service.runs[-1]
        if entry is not self._entry:
            self._entry = entry
            self._seen = 0
            self._largest = dict.fromkeys(STACK, 0.0)
            self._start_energy = 0.0
            for curve in (*self._edges, self._work, self._error):
                curve.samples.clear()
            self.energy.set_zoomed(False)
            self.balance.set_zoomed(False)
        self._set_looks()

    def _set_looks(self) -> None:
        entry, tokens = self._entry, self.tokens
        live = entry is not None and entry.is_live
        for curve in self._edges:
            curve.set_pen(pg.mkPen(None), live=live)
        dash = pg.mkPen(self._colors.work, width=1.0 if live else 2.0, style=Qt.PenStyle.DashLine)
        self._work.set_pen(dash, live=live)
        self._error.set_pen(pg.mkPen(tokens.text, width=1.0 if live else 1.2), live=live)
        ink = line_style.translucent(tokens.good, 26)
        self._band.setBrush(ink)
        for line in self._band.lines:
            line.setPen(pg.mkPen(tokens.good, width=1, style=Qt.PenStyle.DotLine))
        if entry is None:
            self._run_name.setText("")
        else:
            self._run_name.setText(self.tr("run {0}").format(entry.label))
            self._run_name.setStyleSheet(f"color: {line_style.color(tokens, entry.slot)};")
        self.energy.set_empty_text(
            "" if entry else self.tr("Press F5 to run. The energy of each part appears here.")
        )

    def take_rows(self) -> None:
        entry = self._entry
        if entry is None:
            self._areas.set_layers([], smooth=True)
            self.legend.set_rows([])
            for curve in (self._work, self._error):
                curve.refresh()
            return
        self._append_new_rows(entry)
        self._set_view(entry)
        self._redraw()
        self._write_legend(entry)

    def _append_new_rows(self, entry: RunEntry) -> None:
        history = entry.history
        n = history.n_frame
        if n <= self._seen:
            return
        t = history.frame_times()[self._seen : n].copy()

        def rows(name: str) -> FloatArray:
            if name not in history.channel_names:
                return np.zeros(len(t))
            return history.channel(name, self._seen, n)

        parts = {name: rows(name) for name in STACK}
        if self._seen == 0:
            self._gravity_low = _lowest(parts[_GRAVITY], np.inf)
            self._start_energy = float(sum(parts[name][0] for name in STACK if name != _LOSS))
        self._gravity_low = _lowest(parts[_GRAVITY], self._gravity_low)
        top = np.zeros(len(t))
        for name, curve in zip(STACK, self._edges, strict=True):
            top = top + parts[name]
            curve.append(t, top)
            seen = parts[name] - (self._gravity_low if name == _GRAVITY else 0.0)
            self._largest[name] = max(self._largest[name], _largest(seen))
        self._work.append(t, self._start_energy + rows(_FORCES) + rows(_ACTUATORS))
        self._error.append(t, rows(_BALANCE))
        self._seen = n

    # ------------------------------------------------------------------ view
    def _set_view(self, entry: RunEntry) -> None:
        lift = -self._gravity_low
        self._edges[-1].offset = self._work.offset = lift
        top = self._edges[-1].visible_values()
        work = self._work.visible_values()
        found = robust_range(np.concatenate([top, work, [0.0]]))
        low, high, outside = found or (0.0, 1.0, None)
        factor, self._unit = prefix_for(max(abs(low), abs(high)), "J")
        for curve in (*self._edges, self._work):
            curve.factor = 1.0 / factor
        self._edges[-1].offset = self._work.offset = lift / factor
        self.energy.set_titles((self.tr("time"), "s"), (self.tr("energy"), self._unit))
        low, high = low / factor, high / factor
        low = 0.0 if low >= -1e-6 * abs(high) else low * 1.08
        self.energy.set_home(0.0, entry_horizon(entry), low, high * 1.12 if high > 0.0 else 1.0)
        self.energy.set_note(
            PlotFrame.off_scale_note(self.tr("off scale: up to {0} J"), outside)
            if outside is not None
            else ""
        )
        self._set_balance_view(entry, max(abs(low), abs(high)) * factor)

    def _set_balance_view(self, entry: RunEntry, scale: float) -> None:
        tolerance = BALANCE_TOLERANCE * scale
        found = robust_range(self._error.samples.view()[1])
        low, high, outside = found or (0.0, 0.0, None)
        low, high = min(low, -1.4 * tolerance), max(high, 1.4 * tolerance)
        factor, unit = prefix_for(max(-low, high), "J")
        self._error.factor = 1.0 / factor
        self._band.setRegion((-tolerance / factor, tolerance / factor))
        self.balance.set_titles(("", ""), (self.tr("error"), unit))
        self.balance.set_home(0.0, entry_horizon(entry), *padded(low / factor, high / factor))
        self.balance.set_note(
            PlotFrame.off_scale_note(self.tr("off scale: up to {0} J"), outside)
            if outside is not None
            else ""
        )
        self.balance.setToolTip(
            self.tr(
                "Energy in the stack minus what was there and put in. The band is {0} of the largest energy."
            ).format(number(BALANCE_TOLERANCE))
        )

    def _link_x(self) -> None:
        (x_low, x_high), _ = self.energy.view_range
        (b_low, b_high), _ = self.balance.view_range
        if (x_low, x_high) != (b_low, b_high) and self.energy.zoomed:
            self.balance.set_zoomed(True)
            self.balance.getViewBox().setRange(xRange=(x_low, x_high), padding=0.0)
        elif not self.energy.zoomed and self.balance.zoomed:
            self.balance.reset_view()

    def _redraw(self) -> None:
        self._work.refresh()
        self._error.refresh()
        edges = [curve.in_view() for curve in self._edges]
        smooth = self._entry is None or not self._entry.is_live
        if any(self.energy.is_dense(*edge) for edge in edges):
            # Areas below fast oscillations: their outline looks the same and is filled in a tenth of the time.
            smooth = False
            edges = [curve.outline_in_view() for curve in self._edges]
        layers = []
        below: tuple[FloatArray, FloatArray] | None = None
        for name, edge, ink in zip(STACK, edges, self._colors.parts, strict=True):
            if self._is_shown(name):
                if below is None:
                    below = (edge[0], np.zeros(len(edge[0])))
                pen = pg.mkPen(ink, width=1.2 if smooth else 1.0)
                layers.append(Layer(below, edge, line_style.translucent(ink, 150), pen))
            below = edge
        self._areas.set_layers(layers, smooth=smooth)

    def _is_shown(self, name: str) -> bool:
        return self._largest[name] > _NOTHING * max(*self._largest.values(), 1e-300)

    # ------------------------------------------------------------------ legend and cursor
    def _write_legend(self, entry: RunEntry) -> None:
        names = {
            _KINETIC: self.tr("kinetic"),
            _SPRINGS: self.tr("springs"),
            _LOSS: self.tr("damper loss"),
            _GRAVITY: self.tr("gravity"),
        }
        ratio = self.devicePixelRatioF()
        rows = [
            LegendRow(
                line_style.swatch("line", self._colors.work, ratio=ratio, dash=(3.0, 2.0)),
                self._work_name(entry),
            )
        ]
        for name, ink in reversed(list(zip(STACK, self._colors.parts, strict=True))):
            if self._is_shown(name):
                rows.append(LegendRow(line_style.swatch("fill", ink, ratio=ratio), names[name]))
        self.legend.set_rows(rows)

    def _work_name(self, entry: RunEntry) -> str:
        begins_at_rest = abs(self._start_energy - self._gravity_low) <= 1e-9 * max(
            *self._largest.values(), 1e-300
        )
        forces = [f for f in entry.mechanism.forces if f.type == "force"]
        work = (
            self.tr("work of {0}").format(forces[0].label) if len(forces) == 1 else self.tr("work of forces")
        )
        return work if begins_at_rest else self.tr("start + {0}").format(work)

    def draw_cursor(self) -> None:
        t = None if self._entry is None or self._entry is not self.run_service.current else self.time_cursor.t
        self.energy.set_cursor(t)
        self.balance.set_cursor(t)

    def _table(self) -> Columns:
        entry = self._entry
        if entry is None:
            return ()
        history = entry.history
        columns: list[tuple[str, FloatArray]] = [(self.tr("time [s]"), history.frame_times())]
        for name in (*STACK, _FORCES, _ACTUATORS, _BALANCE):
            if name in history.channel_names:
                columns.append((f"{name} [{history.unit(name)}]", history.channel(name)))
        return columns


def _lowest(values: FloatArray, otherwise: float) -> float:
    finite = values[np.isfinite(values)]
    return float(min(finite.min(), otherwise)) if len(finite) else (0.0 if otherwise == np.inf else otherwise)


def _largest(values: FloatArray) -> float:
    finite = values[np.isfinite(values)]
    return float(np.abs(finite).max()) if len(finite) else 0.0
