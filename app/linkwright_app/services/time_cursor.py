"""The one time that the slider, the plots, the 3D view and the tables share."""

from __future__ import annotations

import time

import numpy as np
from PySide6.QtCore import QObject, Qt, QTimer, Signal

from linkwright_app.services.run_service import RunService

#: Replay speeds; 1 is real time.
SPEEDS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
_FRAME_MS = 16


class TimeCursor(QObject):
    """Where in the shown run we are, and the replay that moves it.

    While a run goes on the cursor follows its newest frame until somebody moves it; `follow` takes it back.

    Parameters
    ----------
    run_service : RunService
        Source of the shown run.
    parent : QObject or None
        Owner.
    """

    moved = Signal(float)
    range_changed = Signal()
    playing_changed = Signal(bool)
    speed_changed = Signal(float)
    loop_changed = Signal(bool)
    following_changed = Signal(bool)

    def __init__(self, run_service: RunService, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._run_service = run_service
        self._t = 0.0
        self._t_end = 0.0
        self._t_last = 0.0
        self._speed = 1.0
        self._loop = False
        self._following = False
        self._clock = 0.0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_FRAME_MS)
        self._timer.timeout.connect(self._advance)
        run_service.started.connect(self._on_started)
        run_service.ticked.connect(self._on_tick)
        run_service.finished.connect(self._on_ended)
        run_service.failed.connect(self._on_ended)
        run_service.current_changed.connect(self._on_current_changed)
        run_service.was_reset.connect(self._on_reset)

    # ------------------------------------------------------------------ where
    @property
    def t(self) -> float:
        """Time shown [s]."""
        return self._t

    @property
    def t_end(self) -> float:
        """Time at which the shown run is meant to end [s]; 0 when no run is shown."""
        return self._t_end

    @property
    def t_last(self) -> float:
        """Time of the newest recorded frame of the shown run [s]."""
        return self._t_last

    def set_t(self, t: float) -> None:
        """Show a time within the recorded part; whoever calls this takes the cursor off the running end.

        Parameters
        ----------
        t : float
            Time [s]; values outside the recorded part go to its nearer end.
        """
        self._set_following(False)
        self._move(t)

    def step(self, n_frame: int) -> None:
        """Move by recorded frames, forward when positive."""
        entry = self._run_service.current
        if entry is None:
            return
        times = entry.history.frame_times()
        if len(times) == 0:
            return
        self.pause()
        if n_frame > 0:
            # A hair's width above t, so that the frame we stand on is not taken for the next one.
            i = int(np.searchsorted(times, self._t + 1e-9 * max(self._t_end, 1e-30), "right")) - 1 + n_frame
        else:
            i = int(np.searchsorted(times, self._t - 1e-9 * max(self._t_end, 1e-30), "left")) + n_frame
        self.set_t(float(times[min(max(i, 0), len(times) - 1)]))

    def to_start(self) -> None:
        """Go to the first frame."""
        self.set_t(0.0)

    def to_end(self) -> None:
        """Go to the newest frame; during a run, follow it from there."""
        if self._run_service.is_live:
            self.follow()
        else:
            self.set_t(self._t_last)

    def to_event(self, direction: int) -> None:
        """Jump to the next (+1) or previous (-1) event of the run."""
        entry = self._run_service.current
        if entry is None:
            return
        margin = 1e-9 * max(self._t_end, 1e-30)
        times = [e.t for e in entry.events]
        if direction > 0:
            later = [t for t in times if t > self._t + margin]
            target = min(later, default=None)
        else:
            earlier = [t for t in times if t < self._t - margin]
            target = max(earlier, default=None)
        if target is not None:
            self.set_t(target)

    # ------------------------------------------------------------------ follow a run
    @property
    def following(self) -> bool:
        """Whether the cursor stays at the newest frame of a run that goes on."""
        return self._following

    def follow(self) -> None:
        """Go to the newest frame and stay there while the run goes on."""
        self.pause()
        self._set_following(self._run_service.is_live)
        self._move(self._t_last)

    def _set_following(self, on: bool) -> None:
        if on != self._following:
            self._following = on
            self.following_changed.emit(on)

    # ------------------------------------------------------------------ replay
    @property
    def playing(self) -> bool:
        """Whether the replay goes on."""
        return self._timer.isActive()

    def play(self) -> None:
        """Replay from here, or from the start when standing at the end."""
        if self._t_last <= 0.0:
            return
        self._set_following(False)
        if self._t >= self._t_last:
            self._move(0.0)
        if not self._timer.isActive():
            self._clock = time.perf_counter()
            self._timer.start()
            self.playing_changed.emit(True)

    def pause(self) -> None:
        """Stop the replay and stay here."""
        if self._timer.isActive():
            self._timer.stop()
            self.playing_changed.emit(False)

    def toggle(self) -> None:
        """Play or pause; while following a run, let go of its end."""
        if self._following:
            self._set_following(False)
        elif self.playing:
            self.pause()
        else:
            self.play()

    @property
    def speed(self) -> float:
        """Replay speed; 1 is real time."""
        return self._speed

    def set_speed(self, speed: float) -> None:
        """Set the replay speed, held between 1/8 and 8."""
        speed = min(max(speed, SPEEDS[0]), SPEEDS[-1])
        if speed != self._speed:
            self._speed = speed
            self.speed_changed.emit(speed)

    def faster(self) -> None:
        """Double the replay speed."""
        self.set_speed(self._speed * 2.0)

    def slower(self) -> None:
        """Halve the replay speed."""
        self.set_speed(self._speed / 2.0)

    @property
    def loop(self) -> bool:
        """Whether the replay begins again at its end."""
        return self._loop

    def set_loop(self, on: bool) -> None:
        """Let the replay begin again at its end, or not."""
        if on != self._loop:
            self._loop = on
            self.loop_changed.emit(on)

    # ------------------------------------------------------------------ inside
    def _move(self, t: float) -> None:
        t = min(max(t, 0.0), self._t_last)
        if t != self._t:
            self._t = t
            self.moved.emit(t)

    def _advance(self) -> None:
        now = time.perf_counter()
        t = self._t + (now - self._clock) * self._speed
        self._clock = now
        if t < self._t_last:
            self._move(t)
        elif self._loop:
            self._move(t % self._t_last)
        else:
            self._move(self._t_last)
            if not self._run_service.is_live:
                self.pause()

    def _refresh_range(self) -> None:
        entry = self._run_service.current
        t_end = 0.0 if entry is None else entry.t_end
        t_last = 0.0 if entry is None else entry.history.t_last
        if (t_end, t_last) != (self._t_end, self._t_last):
            self._t_end, self._t_last = t_end, t_last
            self.range_changed.emit()

    def _on_started(self) -> None:
        self.pause()
        self._refresh_range()
        self._set_following(True)
        self._move(0.0)

    def _on_tick(self) -> None:
        self._refresh_range()
        if self._following:
            self._move(self._t_last)

    def _on_ended(self) -> None:
        self._on_tick()
        self._set_following(False)

    def _on_current_changed(self) -> None:
        self.pause()
        self._refresh_range()
        # The frame under the cursor is of another run now, so everybody redraws even when t is the same.
        self._t = min(max(self._t, 0.0), self._t_last)
        self.moved.emit(self._t)

    def _on_reset(self) -> None:
        self.pause()
        self._set_following(False)
        self._refresh_range()
        self._move(0.0)
