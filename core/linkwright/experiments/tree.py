"""Cost of a step over the number of bodies, by Vereshchagin's sweep (T1) and by symmetric block LTDL factors (T2)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import get_args

import numpy as np

from linkwright.errors import OptionError
from linkwright.experiments.base import Experiment, OnProgress, Outcome, Row, quiet, series
from linkwright.made_samples import ChainJoint, chain
from linkwright.run.figure import BLUE, GREEN, ORANGE, matplotlib_figure, save_figure, style

SIZES = (10, 20, 50, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000)
SOLVERS = ("sweep", "ltdl")
LINES = {"sweep": (ORANGE, "s--", "sweep, T1"), "ltdl": (BLUE, "o-", "LTDL, T2")}
RATIOS = {"step": (GREEN, "D-", "whole step"), "solve": (BLUE, "o:", "solve alone")}
ROUNDS = 6
SLICE_BODIES = 40_000
"""Bodies that one slice evaluates, all repetitions together."""


def times(
    joint: ChainJoint, sizes: Sequence[int] = SIZES, rounds: int = ROUNDS, on_progress: OnProgress = quiet
) -> tuple[Row, ...]:
    """Time chains of several lengths by both eliminations, in turn.

    Parameters
    ----------
    joint : str
        Joints of the chain, ``"spherical"`` or ``"revolute"``.
    sizes : sequence of int
        Numbers of bodies.
    rounds : int
        Slices per elimination; the least time counts.
    on_progress : callable
        Takes the number of chains done and of all.

    Returns
    -------
    rows : tuple of dict
        One per length and elimination: ``n``, ``solver``, processor times ``step_us`` (a whole step of Stoermer),
        ``evaluation_us`` (all accelerations), ``solve_us`` (elimination and answers), and T1/T2 of each, the same in
        both rows of a length.

    Raises
    ------
    OptionError
        When there is no such joint.
    """
    from linkwright.engines.tree_measure import Contender

    if joint not in get_args(ChainJoint):
        raise OptionError(f"A chain has 'spherical' or 'revolute' joints, not {joint!r}.")
    rows: list[Row] = []
    for done, n in enumerate(sizes):
        contenders = {solver: Contender(chain(n, joint), solver) for solver in SOLVERS}
        best = {solver: np.full(3, np.inf) for solver in SOLVERS}
        for contender in contenders.values():
            contender.timed(2)  # compiled now, not while the time is taken
        for _ in range(rounds):
            for solver, contender in contenders.items():
                t = contender.timed(max(5, SLICE_BODIES // n))
                best[solver] = np.minimum(best[solver], [t.step, t.evaluation, t.solve])
        ratios = best["sweep"] / best["ltdl"]
        for solver in SOLVERS:
            step, evaluation, solve = (float(x) * 1e6 for x in best[solver])
            rows.append(
                {
                    "n": n,
                    "solver": solver,
                    "step_us": step,
                    "evaluation_us": evaluation,
                    "solve_us": solve,
                    "ratio_step": float(ratios[0]),
                    "ratio_evaluation": float(ratios[1]),
                    "ratio_solve": float(ratios[2]),
                }
            )
        on_progress(done + 1, len(sizes))
    return tuple(rows)


def draw(rows: Sequence[Row], path: Path) -> None:
    """Draw the time of a step over the number of bodies, and T1/T2 over it."""
    figure = matplotlib_figure(9.5, 4.2)
    left, right = figure.subplots(1, 2)
    for solver, (color, dash, label) in LINES.items():
        x, y = series(rows, "n", "step_us", solver=solver)
        left.plot(x, y, dash, color=color, linewidth=1.6, markersize=5, label=label)
    left.set_xlim(left=0)
    left.set_ylim(bottom=0)
    left.legend(frameon=False, fontsize=9)
    style(left, "bodies N", "time of a step [µs]")
    for name, (color, dash, label) in RATIOS.items():
        x, y = series(rows, "n", f"ratio_{name}", solver="ltdl")
        right.plot(x, y, dash, color=color, linewidth=1.6, markersize=5, label=label)
    right.set_xlim(left=0)
    right.set_ylim(0, 1.2 * max(float(row["ratio_solve"] or 0.0) for row in rows))
    right.legend(frameon=False, fontsize=9)
    style(right, "bodies N", "T1 / T2")
    save_figure(figure, path)


def _run(
    joint: ChainJoint,
    on_progress: OnProgress = quiet,
    values: Sequence[float] | None = None,
    rounds: int = ROUNDS,
) -> Outcome:
    sizes = SIZES if values is None else [int(value) for value in values]
    rows = times(joint, sizes, rounds, on_progress)
    return Outcome(rows, partial(draw, rows))


EXPERIMENTS = (
    Experiment(
        "tree-linear",
        "O(N): sweep and LTDL",
        "Time of a whole Stoermer step over the number of bodies of a ball-jointed chain, by both eliminations.",
        partial(_run, "spherical"),
    ),
    Experiment(
        "tree-linear-hinges",
        "O(N): sweep and LTDL, hinges",
        "The same for a chain with hinges.",
        partial(_run, "revolute"),
    ),
)
