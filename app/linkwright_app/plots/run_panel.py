"""What all plot panels share: when to look for new rows, and how the time cursor reaches them."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QMenu, QWidget

from linkwright_app.plots.plot_frame import horizon
from linkwright_app.services.run_entry import RunEntry
from linkwright_app.services.run_service import RunService
from linkwright_app.services.time_cursor import TimeCursor
from linkwright_app.window import theme
from linkwright_app.window.tokens import ThemeTokens

#: Panels draw one after the other, this far apart, so that the window answers in between [ms].
STAGGER_MS = 8
#: Period of the cursor during a replay [ms].
REPLAY_MS = 66


def entry_horizon(entry: RunEntry) -> float:
    """End of the time axis that shows a run [s]."""
    return horizon(entry.history.t_last, entry.t_end, live=entry.is_live)


def step_horizon(entry: RunEntry) -> float:
    """End of the step axis that shows a run; a step that failed gets its place."""
    done = entry.history.n_step + (1 if entry.failure is not None else 0)
    return max(horizon(float(done), float(entry.n_step_planned), live=entry.is_live), 1.0)


class RunPanel(QWidget):
    """Base of the plot panels. A hidden panel does nothing and catches up when it is shown.

    Parameters
    ----------
    run_service : RunService
        Source of the runs.
    time_cursor : TimeCursor
        The shared time.
    """

    turn = 0
    """Place in the order in which the panels that are visible together draw."""

    def __init__(self, run_service: RunService, time_cursor: TimeCursor) -> None:
        super().__init__()
        self.setProperty("ground", "panel")
        self.run_service = run_service
        self.time_cursor = time_cursor
        self.tokens: ThemeTokens = theme.tokens()
        # Several moves of the cursor at once are drawn once. (A timer of 0 ms would wait until nothing else is to be
        # done, which may be long.)
        self._cursor_due = QTimer(self)
        self._cursor_due.setSingleShot(True)
        self._cursor_due.timeout.connect(self._draw_cursor)
        self._rows_due = QTimer(self)
        self._rows_due.setSingleShot(True)
        self._rows_due.timeout.connect(self._draw_rows)
        run_service.plot_ticked.connect(self._on_plot_tick)
        run_service.runs_changed.connect(self._on_runs_changed)
        run_service.current_changed.connect(self._on_runs_changed)
        run_service.state_changed.connect(self._on_runs_changed)
        time_cursor.moved.connect(self._on_moved)

    # ------------------------------------------------------------------ for the panels
    def sync_runs(self) -> None:
        """Match the curves to the runs there are now."""

    def take_rows(self) -> None:
        """Read and draw what was recorded since the last call."""

    def draw_cursor(self) -> None:
        """Draw whatever depends on the time cursor."""

    def fill_menu(self, menu: QMenu) -> None:
        """Add the commands of this panel to a menu."""

    def set_theme(self, tokens: ThemeTokens) -> None:
        """Take the colours of a theme."""
        self.tokens = tokens
        if self.isVisible():
            self.refresh()

    def refresh(self) -> None:
        """Draw everything again."""
        self.sync_runs()
        self.take_rows()
        self.draw_cursor()

    # ------------------------------------------------------------------ inside
    def _on_plot_tick(self) -> None:
        if self.isVisible() and not self._rows_due.isActive():
            self._rows_due.start(1 + self.turn * STAGGER_MS)

    def _draw_rows(self) -> None:
        self.take_rows()
        self.draw_cursor()

    def _on_runs_changed(self) -> None:
        if self.isVisible():
            self.refresh()

    def _on_moved(self) -> None:
        # While a run goes on the cursor moves at 30 Hz; the plots take it along with their own 15 Hz.
        # A replay is shown by the 3D view; the plots keep up with it at the same 15 Hz.
        if self.isVisible() and not self.time_cursor.following and not self._cursor_due.isActive():
            self._cursor_due.start(REPLAY_MS if self.time_cursor.playing else 1)

    def _draw_cursor(self) -> None:
        self.draw_cursor()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()
