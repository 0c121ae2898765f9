"""Running count of the iterations of a run: each row is looked at once, however long the run gets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from linkwright_app.services.run_history import RunHistory


class IterationTally:
    """Sum, largest value and histogram of one whole-number column of the step rows.

    Parameters
    ----------
    history : RunHistory
        Source of the rows.
    column : str
        ``"solves"`` (linear solves) or ``"evaluations"`` (residual evaluations).
    """

    def __init__(self, history: RunHistory, column: str) -> None:
        self._history = history
        self._column = column
        self._seen = 0
        self._counts: NDArray[np.int64] = np.zeros(1, np.int64)
        self._retries = 0

    def update(self, limit: int | None = None) -> bool:
        """Take in the rows recorded since the last call, up to a number of steps; tell whether there were any."""
        n = self._history.n_step
        if limit is not None:
            n = min(n, limit)
        if n <= self._seen:
            return False
        new = np.bincount(self._history.step_column(self._column, self._seen, n).astype(np.int64))
        if len(new) > len(self._counts):
            self._counts = np.concatenate([self._counts, np.zeros(len(new) - len(self._counts), np.int64)])
        self._counts[: len(new)] += new
        self._retries += int(self._history.step_column("retries", self._seen, n).sum())
        self._seen = n
        return True

    @property
    def n_step(self) -> int:
        """Steps counted."""
        return self._seen

    @property
    def counts(self) -> NDArray[np.int64]:
        """Number of steps that took 0, 1, 2, ... iterations : (largest + 1,)."""
        return self._counts

    @property
    def total(self) -> int:
        """Iterations of all steps together."""
        return int(self._counts @ np.arange(len(self._counts)))

    @property
    def mean(self) -> float:
        """Mean iterations of a step; NaN before the first one."""
        return self.total / self._seen if self._seen else float("nan")

    @property
    def largest(self) -> int:
        """Most iterations in a step."""
        return int(np.flatnonzero(self._counts)[-1]) if self._counts.any() else 0

    @property
    def retries(self) -> int:
        """Steps that had to be tried again with another step size."""
        return self._retries
