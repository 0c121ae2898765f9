"""Thin a long curve for the painter without losing a peak or a gap.

A painter slows down long before a run gets long, so at most about two thousand points of a curve may
reach it. The pyramid keeps, for blocks of 8, 32, 128, ... samples, where the smallest and the largest value
stand. A view of any width is then answered from the level whose blocks are just small enough, in time that
does not depend on the length of the run. What is drawn are always true samples at their true times.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_FIRST_BLOCK = 8
_GROWTH = 4
#: A view that needs no thinning up to this number of samples; thinned views stay below it too.
MAX_POINTS = 2000


class _Level:
    """Where the smallest and largest finite value of each block stand (-1: nowhere), and which blocks have gaps."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.count = 0
        self.low: IntArray = np.empty(64, np.int64)
        self.high: IntArray = np.empty(64, np.int64)
        self.gap: NDArray[np.bool_] = np.empty(64, np.bool_)

    def reserve(self, n_block: int) -> None:
        if n_block > len(self.low):
            n = max(n_block, 2 * len(self.low))
            self.low = np.resize(self.low, n)
            self.high = np.resize(self.high, n)
            self.gap = np.resize(self.gap, n)


class MinMaxPyramid:
    """Samples of one channel over time, answered in as few points as a view can show.

    Samples are appended in order of time. Values that are not finite are gaps.
    """

    def __init__(self) -> None:
        self._n = 0
        self._t: FloatArray = np.empty(1024)
        self._y: FloatArray = np.empty(1024)
        self._levels: list[_Level] = []

    def __len__(self) -> int:
        return self._n

    @property
    def t(self) -> FloatArray:
        """Times of all samples : (n,) read-only view [s]."""
        view = self._t[: self._n]
        view.flags.writeable = False
        return view

    @property
    def y(self) -> FloatArray:
        """Values of all samples : (n,) read-only view."""
        view = self._y[: self._n]
        view.flags.writeable = False
        return view

    def clear(self) -> None:
        """Forget all samples."""
        self._n = 0
        self._levels = []

    def append(self, t: FloatArray, y: FloatArray) -> None:
        """Add samples at the end.

        Parameters
        ----------
        t : (k,) times, not before the last one already there [s]
        y : (k,) values; not finite = gap

        Raises
        ------
        ValueError
            If the two differ in length.
        """
        if len(t) != len(y):
            raise ValueError(f"{len(t)} times for {len(y)} values.")
        if len(t) == 0:
            return
        start, self._n = self._n, self._n + len(t)
        if self._n > len(self._t):
            size = max(self._n, 2 * len(self._t))
            self._t = np.concatenate([self._t[:start], np.empty(size - start)])
            self._y = np.concatenate([self._y[:start], np.empty(size - start)])
        self._t[start : self._n] = t
        self._y[start : self._n] = y
        self._update_levels(start)

    def _update_levels(self, start: int) -> None:
        size = _FIRST_BLOCK
        i_level = 0
        while size < self._n:
            if i_level == len(self._levels):
                self._levels.append(_Level(size))
            level = self._levels[i_level]
            # The block that held the old end may have been incomplete: begin with it.
            first = min(start // size, level.count)
            self._fill(i_level, first)
            size *= _GROWTH
            i_level += 1

    def _fill(self, i_level: int, first: int) -> None:
        level = self._levels[i_level]
        n_block = -(-self._n // level.size)
        level.reserve(n_block)
        if i_level == 0:
            low, high, gap = _extremes_of_samples(self._y[first * level.size : self._n], level.size)
            offset = first * level.size
            level.low[first:n_block] = np.where(low < 0, -1, low + offset)
            level.high[first:n_block] = np.where(high < 0, -1, high + offset)
            level.gap[first:n_block] = gap
        else:
            below = self._levels[i_level - 1]
            part = slice(first * _GROWTH, -(-self._n // below.size))
            low, high = _extremes_of_blocks(self._y, below.low[part], below.high[part])
            level.low[first:n_block] = low
            level.high[first:n_block] = high
            level.gap[first:n_block] = _in_rows(below.gap[part], _GROWTH, False).any(axis=1)
        level.count = n_block

    def view(
        self, t_from: float = -np.inf, t_to: float = np.inf, max_points: int = MAX_POINTS
    ) -> tuple[FloatArray, FloatArray]:
        """Points that draw the curve between two times like all its samples would.

        Parameters
        ----------
        t_from, t_to : float
            Ends of the view [s]; one sample beyond either end is included, so that the line leaves the view.
        max_points : int
            At most about this many points come back.

        Returns
        -------
        t, y : (k,) and (k,)
            True samples in order of time. Each block's smallest and largest value are among them; NaN stands
            where samples are not finite, so that a line drawn through finite neighbours breaks there.
        """
        start, stop = self._in_view(t_from, t_to)
        if stop - start <= max_points:
            return self._samples(start, stop)
        level = self._level_for(start, stop, max_points)
        first, last = start // level.size, -(-stop // level.size)
        return self._points(
            level.low[first:last], level.high[first:last], level.gap[first:last], first, level.size
        )

    def peaks(
        self, t_from: float = -np.inf, t_to: float = np.inf, max_points: int = MAX_POINTS
    ) -> tuple[FloatArray, FloatArray]:
        """Upper outline of the curve between two times: the largest value of each block, without gaps.

        Parameters
        ----------
        t_from, t_to, max_points
            As in `view`.

        Returns
        -------
        t, y : (k,) and (k,)
            True samples in order of time.
        """
        start, stop = self._in_view(t_from, t_to)
        if stop - start <= max_points:
            t, y = self._samples(start, stop)
            finite = np.isfinite(y)
            return t[finite], y[finite]
        level = self._level_for(start, stop, max_points)
        index = level.high[start // level.size : -(-stop // level.size)]
        index = index[index >= 0]
        return self._t[index], self._y[index]

    def _in_view(self, t_from: float, t_to: float) -> tuple[int, int]:
        t = self._t[: self._n]
        start = max(int(np.searchsorted(t, t_from, "left")) - 1, 0)
        stop = min(int(np.searchsorted(t, t_to, "right")) + 1, self._n)
        return start, max(stop, start)

    def _samples(self, start: int, stop: int) -> tuple[FloatArray, FloatArray]:
        y = self._y[start:stop].copy()
        y[~np.isfinite(y)] = np.nan
        return self._t[start:stop].copy(), y

    def _level_for(self, start: int, stop: int, max_points: int) -> _Level:
        for level in self._levels:
            first, last = start // level.size, -(-stop // level.size)
            n_gap = int(np.count_nonzero(level.gap[first:last]))
            if 2 * (last - first) + n_gap <= max_points:
                return level
        return self._levels[-1]

    def _points(
        self, low: IntArray, high: IntArray, gap: NDArray[np.bool_], first: int, size: int
    ) -> tuple[FloatArray, FloatArray]:
        # Three columns per block: earlier extreme, later extreme, gap mark at the block's last sample.
        early, late = np.minimum(low, high), np.maximum(low, high)
        ends = np.minimum((first + 1 + np.arange(len(low))) * size, self._n) - 1
        index = np.stack([early, late, ends], axis=1)
        t = self._t[np.maximum(index, 0)]
        y = self._y[np.maximum(index, 0)].copy()
        y[:, 2] = np.nan
        keep = np.stack([early >= 0, (late >= 0) & (late != early), gap], axis=1)
        return t[keep], y[keep]

    def range(self, t_from: float = -np.inf, t_to: float = np.inf) -> tuple[float, float] | None:
        """Smallest and largest finite value between two times, or None if there is none."""
        _, y = self.view(t_from, t_to)
        y = y[np.isfinite(y)]
        return (float(y.min()), float(y.max())) if len(y) else None


def _in_rows(a: NDArray[np.bool_], width: int, fill: bool) -> NDArray[np.bool_]:
    rest = -len(a) % width
    return np.concatenate([a, np.full(rest, fill)]).reshape(-1, width)


def _extremes_of_samples(y: FloatArray, size: int) -> tuple[IntArray, IntArray, NDArray[np.bool_]]:
    finite = np.isfinite(y)
    rest = -len(y) % size
    low = np.concatenate([np.where(finite, y, np.inf), np.full(rest, np.inf)]).reshape(-1, size)
    high = np.concatenate([np.where(finite, y, -np.inf), np.full(rest, -np.inf)]).reshape(-1, size)
    base = np.arange(len(low)) * size
    some = _in_rows(finite, size, False).any(axis=1)
    return (
        np.where(some, base + low.argmin(axis=1), -1),
        np.where(some, base + high.argmax(axis=1), -1),
        np.logical_not(_in_rows(finite, size, True).all(axis=1)),
    )


def _extremes_of_blocks(y: FloatArray, low: IntArray, high: IntArray) -> tuple[IntArray, IntArray]:
    rest = -len(low) % _GROWTH
    low = np.concatenate([low, np.full(rest, -1, np.int64)]).reshape(-1, _GROWTH)
    high = np.concatenate([high, np.full(rest, -1, np.int64)]).reshape(-1, _GROWTH)
    pick_low = np.where(low < 0, np.inf, y[np.maximum(low, 0)]).argmin(axis=1)
    pick_high = np.where(high < 0, -np.inf, y[np.maximum(high, 0)]).argmax(axis=1)
    row = np.arange(len(low))
    return low[row, pick_low], high[row, pick_high]
