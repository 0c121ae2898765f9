"""What a run has recorded so far, read in slices while the solver goes on writing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


class RecorderLike(Protocol):
    """The reading side of `linkwright.run.recorder.Recorder` that the window uses."""

    @property
    def step_columns(self) -> tuple[str, ...]:
        """Names of the columns of the step rows."""

    @property
    def channel_names(self) -> tuple[str, ...]:
        """Names of the channels."""

    @property
    def channel_units(self) -> tuple[str, ...]:
        """SI units of the channels."""

    @property
    def body_ids(self) -> tuple[str, ...]:
        """Bodies in the order of the poses."""

    def counts(self) -> tuple[int, int, int]:
        """Published numbers of steps, residuals and frames."""

    def steps(self, start: int = 0, stop: int | None = None) -> FloatArray:
        """Step rows : (k, n_column)."""

    def frame_t(self, start: int = 0, stop: int | None = None) -> FloatArray:
        """Frame times : (k,) [s]."""

    def poses(self, start: int = 0, stop: int | None = None) -> FloatArray:
        """Poses : (k, n_body, 7)."""

    def twists(self, start: int = 0, stop: int | None = None) -> FloatArray:
        """Twists : (k, n_body, 6)."""

    def channel(self, name: str, start: int = 0, stop: int | None = None) -> FloatArray:
        """Values of one channel : (k,)."""

    def residuals_of(self, step: int) -> FloatArray:
        """Residual norms of one step, counted from 0 : (n_evaluation,)."""


class _GrownColumn:
    """Copy of a column that only grows, so that looking up a time costs nothing but the new rows."""

    def __init__(self, fetch: Callable[[int, int], FloatArray]) -> None:
        self._fetch = fetch
        self._values = np.empty(256)
        self._n = 0

    def upto(self, n: int) -> FloatArray:
        if n > self._n:
            if n > len(self._values):
                self._values = np.concatenate([self._values[: self._n], np.empty(2 * n - self._n)])
            self._values[self._n : n] = self._fetch(self._n, n)
            self._n = n
        return self._values[:n]


class RunHistory:
    """Read-only view of a recorder; every call returns what is published at that moment.

    Parameters
    ----------
    recorder : RecorderLike
        Recorder of a run, going on or ended.
    """

    def __init__(self, recorder: RecorderLike) -> None:
        self._recorder = recorder
        self._columns = {name: i for i, name in enumerate(recorder.step_columns)}
        self._frame_t = _GrownColumn(recorder.frame_t)
        self._step_t = _GrownColumn(lambda start, stop: self.step_column("t", start, stop))

    @property
    def n_step(self) -> int:
        """Steps recorded."""
        return self._recorder.counts()[0]

    @property
    def n_frame(self) -> int:
        """Frames recorded."""
        return self._recorder.counts()[2]

    @property
    def channel_names(self) -> tuple[str, ...]:
        """Names of all channels."""
        return self._recorder.channel_names

    @property
    def body_ids(self) -> tuple[str, ...]:
        """Ids of the bodies in the order of the poses."""
        return self._recorder.body_ids

    def unit(self, channel: str) -> str:
        """SI unit of a channel."""
        return self._recorder.channel_units[self._recorder.channel_names.index(channel)]

    def step_column(self, name: str, start: int = 0, stop: int | None = None) -> FloatArray:
        """One column of the step rows.

        Parameters
        ----------
        name : str
            Column, for example ``"solves"``.
        start, stop : int, int or None
            Slice of steps, counted from 0.

        Returns
        -------
        values : (k,)
        """
        return self._recorder.steps(start, stop)[:, self._columns[name]]

    def residuals(self, step: int) -> FloatArray:
        """2-norm of the residual at each evaluation of a step (counted from 0) : (n_evaluation,)."""
        return self._recorder.residuals_of(step)

    def channel(self, name: str, start: int = 0, stop: int | None = None) -> FloatArray:
        """Values of a channel at frames [start:stop] : (k,) in the channel's SI unit."""
        return self._recorder.channel(name, start, stop)

    def frame_times(self) -> FloatArray:
        """Times of all frames : (n_frame,) [s]; do not write into it."""
        return self._frame_t.upto(self.n_frame)

    def step_times(self) -> FloatArray:
        """Times at the ends of all steps : (n_step,) [s]; do not write into it."""
        return self._step_t.upto(self.n_step)

    def poses(self, start: int = 0, stop: int | None = None) -> FloatArray:
        """Poses at frames [start:stop] : (k, n_body, 7), as in `poses_at`."""
        return self._recorder.poses(start, stop)

    def twists(self, start: int = 0, stop: int | None = None) -> FloatArray:
        """Velocity of the frame origin and angular velocity, ground axes : (k, n_body, 6) [m/s, rad/s]."""
        return self._recorder.twists(start, stop)

    @property
    def t_last(self) -> float:
        """Time of the newest frame [s]; 0 when there is none."""
        times = self.frame_times()
        return float(times[-1]) if len(times) else 0.0

    def frame_index(self, t: float) -> int:
        """Index of the last frame not after a time; 0 before the first one."""
        times = self.frame_times()
        return max(int(np.searchsorted(times, t + 1e-9 * max(abs(t), 1e-30), "right")) - 1, 0)

    def step_index(self, t: float) -> int | None:
        """Index, from 0, of the step that led to a time; None when there are no steps.

        A time between the ends of two steps belongs to the later one; the start belongs to the first.
        """
        ends = self.step_times()
        if len(ends) == 0:
            return None
        i = int(np.searchsorted(ends, t - 1e-9 * max(abs(t), 1e-30), "left"))
        return min(i, len(ends) - 1)

    def poses_at(self, t: float) -> FloatArray | None:
        """Poses of all bodies at a time, between two frames interpolated.

        Parameters
        ----------
        t : float
            Time [s].

        Returns
        -------
        poses : (n_body, 7) or None
            x, y, z of the body frame in ground [m] and its Euler parameters w, x, y, z; None without frames.
            Positions change linearly and orientations along the normalised chord, which differs from the
            great arc by less than 2e-3 of the angle for turns under 30 degrees per frame.
        """
        times = self.frame_times()
        n = len(times)
        if n == 0:
            return None
        i = self.frame_index(t)
        first = self._recorder.poses(i, min(i + 2, n))
        if len(first) < 2 or t <= times[i]:
            return np.array(first[0])
        share = (t - times[i]) / (times[i + 1] - times[i])
        a, b = first[0], first[1].copy()
        # q and -q are the same orientation: take the nearer one.
        turned = np.einsum("ij,ij->i", a[:, 3:], b[:, 3:]) < 0.0
        b[turned, 3:] *= -1.0
        poses: FloatArray = (1.0 - share) * a + share * b
        poses[:, 3:] /= np.linalg.norm(poses[:, 3:], axis=1, keepdims=True)
        return poses
