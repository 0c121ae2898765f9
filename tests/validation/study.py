"""Runs of the SDA study: a mechanism through the engine, step by step numbers out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwright.compiler.compile import compile_mechanism
from linkwright.compiler.model import CompiledModel
from linkwright.document.mechanism import Mechanism
from linkwright.engines.base import start_frame
from linkwright.engines.newmark import NewmarkEngine, NewmarkWorkspace
from linkwright.engines.state import STEP_COLUMNS, Frame, RowBlock, State, StepFailure

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Run:
    """A finished run.

    Attributes
    ----------
    steps : int
        Steps done.
    failure : StepFailure or None
    start : Frame
        After the start was made consistent.
    """

    model: CompiledModel
    work: NewmarkWorkspace
    state: State
    steps: int
    failure: StepFailure | None
    start: Frame
    rows: RowBlock

    def column(self, name: str) -> Array:
        """One number per step, see `STEP_COLUMNS`."""
        return np.array(self.rows.steps[: self.steps, STEP_COLUMNS.index(name)])

    def channel(self, name: str) -> Array:
        """One number per frame."""
        return np.array(self.rows.channels[: self.rows.count[2], self.model.channel_names.index(name)])

    def residuals(self, step: int) -> Array:
        """Residual history of a step, counted from 1."""
        start, count = (int(self.column(name)[step - 1]) for name in ("residual_start", "residual_count"))
        return np.array(self.rows.residuals[start : start + count])

    def pose(self, body: str) -> Array:
        """Positions and Euler parameters of a body frame over the frames, (n, 7)."""
        return np.array(self.rows.poses[: self.rows.count[2], self.model.body_ids.index(body)])


def run(
    mechanism: Mechanism,
    steps: int = 100,
    h: float | None = None,
    terms: int | None = None,
    stride: int = 1,
    **options: Any,
) -> Run:
    """Run so many steps; `terms` sets the terms of the iteration matrix directly, see `kernels.layout`."""
    engine = NewmarkEngine()
    model = compile_mechanism(mechanism)
    settings = mechanism.settings
    work = engine.prepare(model, settings.newmark.replaced(**options), settings.h if h is None else h, stride)
    state, _ = engine.initialise(work, start_frame(model))
    if terms is not None:
        work.opt_int[1] = terms
    start = Frame.empty(model.n_body, len(model.channel_names))
    engine.observe(work, state, start)
    rows = RowBlock.allocate(
        model.n_body, len(model.channel_names), steps, residuals=100 * steps + work.options.max_iterations + 1
    )
    done = engine.advance(work, state, rows, steps)
    return Run(model, work, state, done, work.failure, start, rows)


def check_counts(result: Run, wanted: dict[str, Any], mean: float, extreme: float | None = None) -> None:
    """Compare the linear solves per step with a row of facts.json.

    Parameters
    ----------
    result : Run
    wanted : dict
        ``mean_solves``, ``min_solves``, ``max_solves``, ``converged``.
    mean, extreme : float
        Tolerances of the mean and of the largest count.
    """
    if not wanted["converged"]:
        assert result.steps < 100
        assert result.failure is not None
        return
    assert result.failure is None
    assert result.steps == wanted["steps_completed"]
    solves = result.column("solves")
    assert abs(solves.mean() - wanted["mean_solves"]) <= mean
    assert np.array_equal(result.column("evaluations"), solves + 1)
    if extreme is not None:
        assert abs(solves.max() - wanted["max_solves"]) <= extreme
