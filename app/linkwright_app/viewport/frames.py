"""How much effort a frame gets: little while things move, more as soon as they rest."""

from __future__ import annotations

import time
from collections import deque

from linkwright_app.viewport.renderer import Quality

CARD_MOVING = Quality(occlusion=32, smooth=True)
CARD_STILL, CARD_FRAMES = Quality(occlusion=64), 16
SOFT_STILL, SOFT_FRAMES = Quality(occlusion=32), 8
SMOOTH_BELOW, PLAIN_ABOVE = 0.014, 0.030
"""A software renderer smooths edges while moving if frames take less than the one, and stops above the other [s]."""
STILL_LIMIT = 0.40
"""A still picture gets no occlusion when one of its frames takes longer than this [s]."""


class FrameRate:
    """Counts frames and tells how long they take."""

    def __init__(self) -> None:
        self._ends: deque[float] = deque(maxlen=240)
        self._mean = 0.0

    def add(self, seconds: float) -> None:
        """Take in a frame that took so long [s]."""
        self._ends.append(time.perf_counter())
        self._mean = seconds if self._mean == 0.0 else 0.85 * self._mean + 0.15 * seconds

    @property
    def seconds(self) -> float:
        """Mean time of recent frames [s]; 0 before the first."""
        return self._mean

    def per_second(self) -> float:
        """Frames of the last second."""
        now = time.perf_counter()
        return float(sum(end > now - 1.0 for end in self._ends))


class Effort:
    """Chooses the quality of frames.

    Parameters
    ----------
    software : bool
        Whether the processor draws.
    """

    def __init__(self, software: bool) -> None:
        self.software = software
        self.rate = FrameRate()
        self._smooth = False
        self._slow_still = False

    def moving(self) -> Quality:
        """Quality of a frame while things move."""
        if not self.software:
            return CARD_MOVING
        if self._smooth and self.rate.seconds > PLAIN_ABOVE:
            self._smooth = False
        elif not self._smooth and 0 < self.rate.seconds < SMOOTH_BELOW:
            self._smooth = True
        return Quality(smooth=self._smooth)

    def still(self, *, best: bool = False) -> tuple[Quality, int]:
        """Quality and number of the frames that a picture at rest is averaged from.

        With `best` set the time they take does not matter.
        """
        if best or not self.software:
            return CARD_STILL, CARD_FRAMES
        return (Quality() if self._slow_still else SOFT_STILL), SOFT_FRAMES

    def took_still(self, seconds: float, first: bool) -> None:
        """Learn how long one frame of a still picture took; the first one may have compiled shaders."""
        if self.software and not first and seconds > STILL_LIMIT:
            self._slow_still = True
