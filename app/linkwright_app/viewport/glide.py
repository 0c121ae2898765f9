"""Moves the camera from one point of view to another in a short, smooth glide."""

from __future__ import annotations

import time

from PySide6.QtCore import QObject, QTimer, Signal

from linkwright_app.viewport.camera import Camera

DURATION = 0.200
"""[s]."""
TICK = 15
"""[ms]."""


class Glide(QObject):
    """A running change of view. `moved` gives the camera of the moment, `arrived` comes after the last one."""

    moved = Signal(object)
    arrived = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._timer = QTimer(self)
        self._timer.setInterval(TICK)
        self._timer.timeout.connect(self._step)
        self._from = self._to = Camera()
        self._start = 0.0

    def begin(self, start: Camera, stop: Camera) -> None:
        """Glide from one camera to another."""
        self._from, self._to = start, stop
        self._start = time.perf_counter()
        self._timer.start()

    def end(self) -> None:
        """Stay where the view is."""
        self._timer.stop()

    def _step(self) -> None:
        share = min((time.perf_counter() - self._start) / DURATION, 1.0)
        if share < 1.0:
            self.moved.emit(self._from.towards(self._to, share * share * (3 - 2 * share)))
            return
        self._timer.stop()
        self.moved.emit(self._to)
        self.arrived.emit()
