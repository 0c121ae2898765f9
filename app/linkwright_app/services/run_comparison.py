"""How far the motions of two runs are apart, frame by frame, while they are still being computed."""

from __future__ import annotations

import numpy as np

from linkwright_app.services.run_entry import RunEntry
from linkwright_app.services.run_history import FloatArray

#: Two converged runs may differ by this share of the motion's size: far above what the iteration leaves over
#: (about 1e-11), far below a step error (about 1e-4).
RELATIVE_TOLERANCE = 1e-6
#: Smallest size of a motion that is still told from rest [m].
_SMALLEST_MOTION = 1e-6


class RunComparison:
    """Largest differences of position and orientation between two runs of the same problem.

    Frames are compared pair by pair as long as their times agree; each pair is looked at once.

    Parameters
    ----------
    a, b : RunEntry
        The runs.
    """

    def __init__(self, a: RunEntry, b: RunEntry) -> None:
        self.a, self.b = a, b
        self.n_frame = 0
        self.position = 0.0
        self.orientation = 0.0
        self.body: str | None = None
        self._motion = 0.0
        self._first: FloatArray | None = None
        self._in_step = a.history.body_ids == b.history.body_ids

    @property
    def position_tolerance(self) -> float:
        """Largest difference of position that counts as agreement [m]."""
        return RELATIVE_TOLERANCE * max(self._motion, _SMALLEST_MOTION)

    @property
    def orientation_tolerance(self) -> float:
        """Largest difference of orientation that counts as agreement [rad]."""
        return RELATIVE_TOLERANCE

    @property
    def comparable(self) -> bool:
        """Whether the two runs have frames at the same times."""
        return self._in_step and self.n_frame > 0

    @property
    def agree(self) -> bool:
        """Whether both differences are within their tolerances; a value that is not finite never is."""
        return self.position <= self.position_tolerance and self.orientation <= self.orientation_tolerance

    def update(self) -> bool:
        """Compare the frames both have recorded since the last call; tell whether there were any."""
        n = min(self.a.history.n_frame, self.b.history.n_frame)
        if n <= self.n_frame or not self._in_step:
            return False
        part = slice(self.n_frame, n)
        t_a, t_b = self.a.history.frame_times()[part], self.b.history.frame_times()[part]
        if np.any(np.abs(t_a - t_b) > 1e-9 * np.maximum(np.abs(t_a), 1e-12)):
            self._in_step = False
            return False
        poses_a, poses_b = self.a.history.poses(self.n_frame, n), self.b.history.poses(self.n_frame, n)
        if poses_a.shape[1] == 0:
            return False
        if self._first is None:
            self._first = poses_a[0, :, :3].copy()
        apart = np.linalg.norm(poses_a[:, :, :3] - poses_b[:, :, :3], axis=2)
        place = int(np.argmax(np.where(np.isnan(apart), np.inf, apart)))
        if not apart.flat[place] <= self.position or self.body is None:
            self.position = float(apart.flat[place])
            self.body = self.a.history.body_ids[place % apart.shape[1]]
        turned = _angle_between(poses_a[:, :, 3:], poses_b[:, :, 3:])
        self.orientation = float(np.max(np.append(turned, self.orientation)))
        moved = np.linalg.norm(poses_a[:, :, :3] - self._first, axis=2)
        self._motion = max(self._motion, float(np.max(np.where(np.isfinite(moved), moved, 0.0))))
        self.n_frame = n
        return True


def _angle_between(p: FloatArray, q: FloatArray) -> FloatArray:
    """Angle of the rotation from p to q, both (..., 4) unit Euler parameters, scalar first [rad].

    Twice the angle between the two as vectors, by the chord |p - q| = 2 sin(angle / 4), which keeps its digits
    for small angles where the arc cosine loses half of them.
    """
    chord = np.minimum(np.linalg.norm(p - q, axis=-1), np.linalg.norm(p + q, axis=-1))
    angle: FloatArray = 4.0 * np.arcsin(np.minimum(chord / 2.0, 1.0))
    return angle
