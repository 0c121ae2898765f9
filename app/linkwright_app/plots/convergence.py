"""Iterations per step of run A against run B, the residual of one step, and how many steps took how many iterations."""

from __future__ import annotations

from functools import partial

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPen, QPixmap
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QVBoxLayout, QWidget

from linkwright_app.plots import line_style
from linkwright_app.plots.plot_frame import Columns, PlotFrame
from linkwright_app.plots.residual_plot import ResidualPlot
from linkwright_app.plots.run_legend import RunLegend
from linkwright_app.plots.run_panel import RunPanel, step_horizon
from linkwright_app.plots.step_curve import StepCurve
from linkwright_app.services.iteration_tally import IterationTally
from linkwright_app.services.run_entry import RunEntry
from linkwright_app.services.run_history import FloatArray
from linkwright_app.services.run_service import RunService
from linkwright_app.services.time_cursor import TimeCursor
from linkwright_app.window import theme
from linkwright_app.window.tokens import ThemeTokens
from linkwright_app.window.widgets import framed, label, row

LEFT_WIDTH = 50


class _Track:
    """The stair of one run and how much of the run is already in it."""

    def __init__(self, frame: PlotFrame, entry: RunEntry, role: str) -> None:
        self.entry = entry
        self.role = role
        self.column = ""
        self.curve = StepCurve(frame, z={"A": 10, "baseline": 12, "B": 14}[role])

    def take_rows(self, column: str) -> None:
        if column != self.column:
            self.column = column
            self.curve.clear()
        seen, n = len(self.curve.samples), self.entry.history.n_step
        if n > seen:
            self.curve.append(self.entry.history.step_column(column, seen, n))


class HistogramPlot(PlotFrame):
    """Bars: number of steps that took a number of iterations; A filled, B in outline."""

    def __init__(self) -> None:
        super().__init__(x_whole=True, y_whole=True)
        self._bars = {role: pg.BarGraphItem(x=[], height=[], width=0.7) for role in ("A", "B")}
        for bars in self._bars.values():
            self.addItem(bars, ignoreBounds=True)
        self._counts: dict[str, FloatArray] = {}
        self.set_titles((self.tr("iterations"), ""), (self.tr("steps"), ""))
        self.set_source("steps-by-iterations", self._table)

    def show_counts(self, counts: dict[str, FloatArray], tokens: ThemeTokens) -> None:
        """Show the histograms of the sides, each (largest + 1,) counts for 0, 1, 2, ... iterations."""
        self._counts = counts
        pens = {
            "A": (pg.mkPen(tokens.plot[0], width=1.0), line_style.translucent(tokens.plot[0], 120)),
            "B": (pg.mkPen(tokens.plot[1], width=1.8), QColor(0, 0, 0, 0)),
        }
        for role, bars in self._bars.items():
            values = counts.get(role, np.empty(0))
            at = np.flatnonzero(values)
            pen, brush = pens[role]
            bars.setOpts(x=at.astype(float), height=values[at], width=0.7, pen=pen, brush=brush)
        longest = max((len(c) for c in counts.values()), default=0)
        highest = max((float(c.max()) for c in counts.values() if len(c)), default=0.0)
        self.set_home(0.4, max(longest - 1, 3) + 1.6, 0.0, max(highest, 1.0) * 1.12)

    def _table(self) -> Columns:
        longest = max((len(c) for c in self._counts.values()), default=0)
        columns: list[tuple[str, FloatArray]] = [(self.tr("iterations"), np.arange(longest, dtype=float))]
        columns += [(self.tr("steps of {0}").format(role), c) for role, c in self._counts.items()]
        return columns


class ConvergencePanel(RunPanel):
    """Convergence of runs A and B. A click on a step moves the shared time there.

    Parameters
    ----------
    run_service : RunService
        Source of the runs.
    time_cursor : TimeCursor
        The shared time.
    """

    def __init__(self, run_service: RunService, time_cursor: TimeCursor) -> None:
        super().__init__(run_service, time_cursor)
        self._column = "solves"
        self._tracks: list[_Track] = []
        self._marks: list[pg.InfiniteLine] = []
        self._n_mark = -1

        self.iterations = PlotFrame(x_whole=True, y_whole=True)
        self.iterations.picked.connect(self._on_picked)
        self.iterations.view_changed.connect(self._redraw_curves)
        self.iterations.set_source("iterations", self._table)
        self.iterations.setContextMenuPolicy(Qt.ContextMenuPolicy.DefaultContextMenu)
        self.residual = ResidualPlot()
        self.histogram = HistogramPlot()
        for frame in (self.iterations, self.residual):
            frame.set_left_width(LEFT_WIDTH)
        self.histogram.set_left_width(42)

        self._title = label(self.tr("Iterations per step"), "strong")
        self.legend = RunLegend()
        self._residual_title = label("", "strong")
        histogram_title = label(self.tr("Steps by iterations"), "strong")
        for head in (self._title, self._residual_title, histogram_title):
            head.setFont(theme.font(11, 600))
        self._title.setToolTip(
            self.tr(
                "One iteration is one linear solve with the iteration matrix. The residual is evaluated once more "
                "than that: the last evaluation passes the test."
            )
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(_head(self._title, self.legend))
        layout.addWidget(self.iterations, 11)
        below = QHBoxLayout()
        below.setSpacing(0)
        for head, frame, share in (
            (self._residual_title, self.residual, 3),
            (histogram_title, self.histogram, 2),
        ):
            part = QVBoxLayout()
            part.setSpacing(0)
            part.addWidget(_head(head))
            part.addWidget(frame, 1)
            below.addLayout(part, share)
        layout.addLayout(below, 11)
        self._name_axes()
        self.set_theme(self.tokens)

    # ------------------------------------------------------------------ what is counted
    @property
    def column(self) -> str:
        """What is counted: ``"solves"`` or ``"evaluations"``."""
        return self._column

    def set_column(self, column: str) -> None:
        """Count linear solves or residual evaluations."""
        self._column = column
        self._name_axes()
        self.refresh()

    def _name_axes(self) -> None:
        what = self.tr("iterations") if self._column == "solves" else self.tr("residual evaluations")
        self.iterations.set_titles((self.tr("step"), ""), (what, ""))
        self.histogram.set_titles((what, ""), (self.tr("steps"), ""))

    def fill_menu(self, menu: QMenu) -> None:
        """Add the commands of this panel to a menu."""
        for column, text in (
            ("solves", self.tr("Count linear solves")),
            ("evaluations", self.tr("Count residual evaluations")),
        ):
            action = menu.addAction(text, partial(self.set_column, column))
            action.setCheckable(True)
            action.setChecked(column == self._column)
        menu.addSeparator()
        self.iterations.fill_menu(menu)

    # ------------------------------------------------------------------ runs
    def sync_runs(self) -> None:
        service = self.run_service
        wanted = [
            (entry, role)
            for entry, role in ((service.run_a, "A"), (service.baseline, "baseline"), (service.run_b, "B"))
            if entry is not None
        ]
        if [(t.entry, t.role) for t in self._tracks] != wanted:
            for track in self._tracks:
                track.curve.remove()
            self._tracks = [_Track(self.iterations, entry, role) for entry, role in wanted]
            self._n_mark = -1
            self.iterations.set_zoomed(False)
        for track in self._tracks:
            track.curve.set_look(*self._look(track))
        self.iterations.set_empty_text(
            ""
            if self._tracks
            else self.tr("Press F5 to run. Each step then shows how many iterations it took.")
        )

    def _look(self, track: _Track) -> tuple[QPen, QColor | None]:
        tokens, live = self.tokens, track.entry.is_live
        if track.role == "A":
            return pg.mkPen(tokens.plot[0], width=1.0 if live else 1.2), line_style.translucent(
                tokens.plot[0], 95
            )
        if track.role == "B":
            return pg.mkPen(tokens.plot[1], width=1.0 if live else 1.8), None
        return pg.mkPen(tokens.dim, width=1.0), None

    def take_rows(self) -> None:
        for track in self._tracks:
            track.take_rows(self._column)
        self._set_view()
        self._redraw_curves()
        self._mark_events()
        self.legend.set_entries([self._legend_entry(t) for t in self._tracks])
        self.histogram.show_counts(
            {t.role: self._tally(t.entry).counts.astype(float) for t in self._tracks if t.role != "baseline"},
            self.tokens,
        )

    def _tally(self, entry: RunEntry) -> IterationTally:
        return entry.solves if self._column == "solves" else entry.evaluations

    def _set_view(self) -> None:
        steps = max((step_horizon(t.entry) for t in self._tracks), default=100.0)
        highest = max((self._tally(t.entry).largest for t in self._tracks), default=0)
        highest = max(highest, self._limit() if self._failed_step() is not None else 0)
        self.iterations.set_home(0.0, steps, 0.0, max(highest, 3) * 1.22)

    def _redraw_curves(self) -> None:
        for track in self._tracks:
            track.curve.refresh()

    def _legend_entry(self, track: _Track) -> tuple[QPixmap, str]:
        entry, tally = track.entry, self._tally(track.entry)
        dim, ratio = self.tokens.dim, self.devicePixelRatioF()
        if track.role == "baseline":
            text = self.tr("previous run&nbsp; mean {0}").format(f"{tally.mean:.2f}" if tally.n_step else "–")
            return line_style.swatch("line", dim, ratio=ratio), f'<span style="color:{dim}">{text}</span>'
        ink = line_style.color(self.tokens, entry.slot)
        kind = "line" if track.role == "B" else "fill"
        numbers = self.tr("mean {0}&nbsp; max {1}&nbsp; total {2}&nbsp; failed {3}").format(
            f"{tally.mean:.2f}" if tally.n_step else "–", tally.largest, tally.total, entry.failed_steps
        )
        return (
            line_style.swatch(kind, ink, ratio=ratio),
            f'<b>{entry.label}</b>&nbsp; {entry.variant}&nbsp; <span style="color:{dim}">{numbers}</span>',
        )

    # ------------------------------------------------------------------ marks
    def _failed_step(self) -> int | None:
        entry = self.run_service.current
        if entry is None or entry.failure is None or entry not in [t.entry for t in self._tracks]:
            return None
        return entry.failure.step

    def _limit(self) -> int:
        entry = self.run_service.current
        options = None if entry is None else entry.mechanism.settings.options(entry.mechanism.settings.engine)
        limit = int(getattr(options, "max_iterations", 0))
        return limit + 1 if self._column == "evaluations" and limit else limit

    def _mark_events(self) -> None:
        entry = self.run_service.current
        events = [] if entry is None or entry not in [t.entry for t in self._tracks] else list(entry.events)
        if len(events) == self._n_mark:
            return
        self._n_mark = len(events)
        for mark in self._marks:
            self.iterations.removeItem(mark)
        self._marks = []
        if entry is None:
            return
        times = entry.history.step_times()
        for event in events:
            if event.kind == "failure":
                self._add_mark(
                    float(len(times)), self.tr("step {0} failed").format(len(times) + 1), self.tokens.bad
                )
            elif event.kind in ("option", "parameter"):
                at = float(np.searchsorted(times, event.t * (1 + 1e-9), "right"))
                self._add_mark(at, event.words(), self.tokens.accent)

    def _add_mark(self, x: float, text: str, ink: str) -> None:
        mark = pg.InfiniteLine(
            x,
            pen=pg.mkPen(ink, width=1.0, style=Qt.PenStyle.DotLine),
            label=text,
            labelOpts={"color": ink, "position": 0.88, "anchors": [(0.0, 0.5), (1.0, 0.5)]},
        )
        mark.label.setFont(theme.font(10, 500))
        mark.setZValue(30)
        self.iterations.addItem(mark, ignoreBounds=True)
        self._marks.append(mark)

    # ------------------------------------------------------------------ time
    def _on_picked(self, x: float) -> None:
        entry = self.run_service.current
        if entry is None:
            return
        times = entry.history.step_times()
        if len(times):
            self.time_cursor.set_t(float(times[min(max(int(x), 0), len(times) - 1)]))

    def draw_cursor(self) -> None:
        entry = self.run_service.current
        step = None if entry is None else entry.history.step_index(self.time_cursor.t)
        self.iterations.set_cursor(None if step is None else step + 0.5)
        self._residual_title.setText(
            self.tr("Residual") if step is None else self.tr("Residual of step {0}").format(step + 1)
        )
        by_role = {t.role: t.entry for t in self._tracks}
        residuals: list[FloatArray | None] = []
        for role in ("A", "B"):
            run = by_role.get(role)
            there = run is not None and step is not None and step < run.history.n_step
            residuals.append(
                run.history.residuals(step) if there and run is not None and step is not None else None
            )
        options = None if entry is None else entry.mechanism.settings.options(entry.mechanism.settings.engine)
        self.residual.show_step(
            None if step is None else step + 1,
            residuals,
            float(getattr(options, "tolerance_abs", 0.0)),
            self.tokens,
        )

    def set_theme(self, tokens: ThemeTokens) -> None:
        for frame in (self.iterations, self.residual, self.histogram):
            frame.set_theme(tokens)
        self._n_mark = -1
        super().set_theme(tokens)

    def _table(self) -> Columns:
        longest = max((len(t.curve.samples) for t in self._tracks), default=0)
        columns: list[tuple[str, FloatArray]] = [(self.tr("step"), np.arange(1.0, longest + 1.0))]
        for track in self._tracks:
            name = self.tr("previous run") if track.role == "baseline" else track.role
            columns.append((f"{self.iterations.titles[1][0]} {name}", track.curve.samples.y))
        return columns


def _head(title: QLabel, *right: QWidget) -> QFrame:
    return framed(row(title, None, *right, margins=(12, 0, 12, 0)), "panel", height=24)
