"""What a run writes and everybody may read at any time: append-only blocks and a published count."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwright.compiler.model import CompiledModel
from linkwright.engines.state import STEP_COLUMNS, Frame, RowBlock

Floats = NDArray[np.float64]
Counts = tuple[int, int, int]

FIRST_STEPS = 512
"""Steps the first block has room for; each further block is twice as large."""
MAX_BLOCK_BYTES = 32_000_000
"""A block grows no larger than this, so that a long run never asks for a huge piece of memory at once."""
ROW_BYTES = 8

_START = STEP_COLUMNS.index("residual_start")
_COUNT = STEP_COLUMNS.index("residual_count")


@dataclass(frozen=True, slots=True)
class _Placed:
    """A block and the numbers of steps, residuals and frames that stand in the blocks before it."""

    block: RowBlock
    base: Counts


class Recorder:
    """Rows of a run. One thread writes, any thread reads.

    Blocks never move and published rows never change, so a slice stays valid; readers see whole chunks only.

    Parameters
    ----------
    model : CompiledModel
        Names and sizes.
    stride : int
        Steps from one frame to the next.
    max_history : int
        Longest residual history a step can have.
    """

    step_columns: tuple[str, ...] = STEP_COLUMNS

    def __init__(self, model: CompiledModel, stride: int = 1, max_history: int = 32) -> None:
        self.channel_names: tuple[str, ...] = tuple(model.channel_names)
        self.channel_units: tuple[str, ...] = tuple(model.channel_units)
        self.body_ids: tuple[str, ...] = tuple(model.body_ids)
        self._stride = stride
        self.max_history = max_history
        self._channel_index = {name: k for k, name in enumerate(self.channel_names)}
        self._placed: list[_Placed] = []
        self._published: Counts = (0, 0, 0)
        self._next_steps = FIRST_STEPS

    # ------------------------------------------------------------------ the writer's side
    def room(self) -> RowBlock:
        """Block with room for at least one more step and its frame, for the writer."""
        if self._placed:
            block = self._placed[-1].block
            steps, residuals, frames = (int(n) for n in block.count)
            if (
                steps < len(block.steps)
                and frames + 1 < len(block.frame_t)
                and residuals + self.max_history < len(block.residuals)
            ):
                return block
        return self._append()

    def _append(self) -> RowBlock:
        frame_bytes = ROW_BYTES * (1 + 13 * len(self.body_ids) + len(self.channel_names)) / self._stride
        step_bytes = ROW_BYTES * (len(STEP_COLUMNS) + 8)
        limit = max(int(MAX_BLOCK_BYTES / (frame_bytes + step_bytes)), 64)
        steps = min(self._next_steps, limit)
        self._next_steps = 2 * steps
        block = RowBlock.allocate(
            len(self.body_ids),
            len(self.channel_names),
            steps,
            frames=steps // self._stride + 3,
            residuals=8 * steps + 2 * self.max_history,
        )
        base = self._totals()
        self._placed.append(_Placed(block, base))
        return block

    def _totals(self) -> Counts:
        if not self._placed:
            return 0, 0, 0
        last = self._placed[-1]
        steps, residuals, frames = (int(b + n) for b, n in zip(last.base, last.block.count, strict=True))
        return steps, residuals, frames

    def append_frame(self, frame: Frame) -> None:
        """Write a single frame, such as the start."""
        if not self.room().append_frame(frame):
            self._append().append_frame(frame)

    def publish(self) -> None:
        """Let readers see everything written so far."""
        self._published = self._totals()

    # ------------------------------------------------------------------ the readers' side
    def counts(self) -> Counts:
        """Published numbers of steps, residuals and frames."""
        return self._published

    def _slice(self, pick: Callable[[RowBlock], Floats], which: int, start: int, stop: int | None) -> Floats:
        """Rows [start:stop] of one array over all blocks; `which` is 0 for step rows, 1 residuals, 2 frames."""
        end = self._published[which]
        stop = end if stop is None else min(stop, end)
        parts: list[Floats] = []
        placed = self._placed
        first = max(bisect_right(placed, start, key=lambda p: p.base[which]) - 1, 0)
        for here in placed[first:]:
            base = here.base[which]
            if base >= stop and parts:
                break
            rows = pick(here.block)
            upto = min(stop - base, int(here.block.count[which]))
            parts.append(rows[max(start - base, 0) : max(upto, 0)])
        filled = [part for part in parts if len(part)]
        if len(filled) == 1:
            return _read_only(filled[0])
        if filled:
            return np.concatenate(filled)
        return np.zeros((0, *pick(placed[0].block).shape[1:])) if placed else self._empty(pick)

    def _empty(self, pick: Callable[[RowBlock], Floats]) -> Floats:
        return pick(RowBlock.allocate(len(self.body_ids), len(self.channel_names), 0, residuals=0))

    def steps(self, start: int = 0, stop: int | None = None) -> Floats:
        """Step rows [start:stop] with the columns `step_columns` : (k, n_column)."""
        return self._slice(lambda block: block.steps, 0, start, stop)

    def frame_t(self, start: int = 0, stop: int | None = None) -> Floats:
        """Times of the frames [start:stop] : (k,) [s]."""
        return self._slice(lambda block: block.frame_t, 2, start, stop)

    def poses(self, start: int = 0, stop: int | None = None) -> Floats:
        """Poses x y z w x y z of the body frames in ground [m] : (k, n_body, 7)."""
        return self._slice(lambda block: block.poses, 2, start, stop)

    def twists(self, start: int = 0, stop: int | None = None) -> Floats:
        """Velocities of the frame origins and angular velocities, ground axes : (k, n_body, 6) [m/s, rad/s]."""
        return self._slice(lambda block: block.twists, 2, start, stop)

    def channels(self, start: int = 0, stop: int | None = None) -> Floats:
        """All channels at the frames [start:stop] : (k, n_channel)."""
        return self._slice(lambda block: block.channels, 2, start, stop)

    def channel(self, name: str, start: int = 0, stop: int | None = None) -> Floats:
        """One channel at the frames [start:stop] : (k,) in its SI unit."""
        column = self._channel_index[name]
        return self._slice(lambda block: block.channels[:, column], 2, start, stop)

    def residuals_of(self, step: int) -> Floats:
        """2-norms of the residual of one step, counted from 0 : (n_evaluation,)."""
        if not 0 <= step < self._published[0]:
            raise IndexError(f"step {step} is not recorded")
        here = self._placed[bisect_right(self._placed, step, key=lambda p: p.base[0]) - 1]
        row = here.block.steps[step - here.base[0]]
        first = int(row[_START])
        return _read_only(here.block.residuals[first : first + int(row[_COUNT])])

    def packed_residuals(self, stop: int | None = None) -> tuple[Floats, NDArray[np.int64]]:
        """Residuals of the steps [0:stop] one after the other, and where each begins : (n,), (n_step + 1,)."""
        count = self.steps(0, stop)[:, _COUNT].astype(np.int64)
        offsets = np.concatenate(([0], np.cumsum(count)))
        residuals = self._slice(lambda block: block.residuals, 1, 0, None)
        return residuals[: offsets[-1]], offsets

    def latest_frame(self) -> tuple[float, Floats] | None:
        """Time and poses (n_body, 7) of the newest frame; None before the first."""
        n = self._published[2]
        if n == 0:
            return None
        return float(self.frame_t(n - 1, n)[0]), self.poses(n - 1, n)[0]


def _read_only(rows: Floats) -> Floats:
    view = rows.view()
    view.flags.writeable = False
    return view
