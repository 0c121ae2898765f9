"""Convergence of the Newton iteration with and without the SDA terms M2 and M3 (Kan, Peng, Chen 2017, section 4.1)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import linkwright
from linkwright.experiments.base import Experiment, OnProgress, Outcome, Row, quiet, series
from linkwright.run.figure import BLUE, GREEN, ORANGE, PURPLE, matplotlib_figure, save_figure, style

SAMPLE = "slider-crank-sda"
VARIANTS = ("M1", "M1+M2", "M1+M3", "M1+M2+M3")
LINES = {
    "M1": (ORANGE, "s--", 10.0),
    "M1+M2": (PURPLE, "^-.", 10.0),
    "M1+M3": (GREEN, "D:", 5.0),
    "M1+M2+M3": (BLUE, "o-", 5.0),
}
"""Colour, marker and dash, marker size; large hollow markers stay visible where two variants coincide."""

STIFFNESS = (1e2, 1e3, 1e4, 2e4, 5e4, 1e5)
DAMPING = (10.0, 1e2, 1e3, 1e4)
ACTUATOR = (-2e4, -1e4, -1e3, -1e2, 1e2, 1e3, 1e4, 2e4)


def sweep(
    parameter: str,
    values: Sequence[float],
    variants: Sequence[str] = VARIANTS,
    on_progress: OnProgress = quiet,
    sample: str = SAMPLE,
) -> tuple[Row, ...]:
    """Run a sample for each value of a parameter and each iteration matrix.

    Parameters
    ----------
    parameter : str
        Id of a parameter of the sample.
    values : sequence of float
        Its values.
    variants : sequence of str
        Iteration matrices.
    on_progress : callable
        Takes the number of runs done and of all.
    sample : str
        Sample id.

    Returns
    -------
    rows : tuple of dict
        Value, variant, steps done, mean, smallest and largest number of linear solves, microseconds per step.
        Means are None where the run failed.
    """
    mechanism = linkwright.load(sample)
    rows: list[Row] = []
    total = len(values) * len(variants)
    for value in values:
        for variant in variants:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # a run that fails is a result here
                run = linkwright.simulate(mechanism, "newmark", {parameter: value}, jacobian=variant)
            solves = run.summary()["solves"]
            complete = run.ended == "completed"
            rows.append(
                {
                    parameter: value,
                    "variant": variant,
                    "ended": run.ended,
                    "steps": len(run.steps),
                    "solves_mean": solves["mean"] if complete else None,
                    "solves_min": solves["min"],
                    "solves_max": solves["max"],
                    "us_per_step": run.summary()["us_per_step"],
                }
            )
            on_progress(len(rows), total)
    return tuple(rows)


def draw(rows: Sequence[Row], parameter: str, title: str, log: bool, path: Path) -> None:
    """Draw mean linear solves per step over the value, one line per iteration matrix."""
    figure = matplotlib_figure(7.5, 4.6)
    axes = figure.subplots()
    for variant, (color, dash, size) in LINES.items():
        x, y = series(rows, parameter, "solves_mean", variant=variant)
        if x:
            fill = color if size < 6.0 else "none"
            axes.plot(
                x, y, dash, color=color, linewidth=1.6, markersize=size, markerfacecolor=fill, label=variant
            )
    if log:
        axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False, fontsize=9)
    style(axes, title, "mean linear solves per step")
    save_figure(figure, path)


def _run(
    parameter: str,
    defaults: Sequence[float],
    axis: str,
    log: bool,
    on_progress: OnProgress = quiet,
    values: Sequence[float] | None = None,
    variants: Sequence[str] = VARIANTS,
) -> Outcome:
    rows = sweep(parameter, defaults if values is None else values, variants, on_progress)
    return Outcome(rows, partial(draw, rows, parameter, axis, log))


EXPERIMENTS = (
    Experiment(
        "sda-stiffness",
        "SDA stiffness",
        "Mean linear solves per step over the stiffness k, for the four iteration matrices.",
        partial(_run, "k", STIFFNESS, "stiffness k [N/m]", True),
    ),
    Experiment(
        "sda-damping",
        "SDA damping",
        "Mean linear solves per step over the damping c at k = 2e4 N/m, for the four iteration matrices.",
        partial(_run, "c", DAMPING, "damping c [N s/m]", True),
    ),
    Experiment(
        "sda-actuator-force",
        "SDA actuator force",
        "Mean linear solves per step over the actuator force fa at k = 2e4 N/m, for the four iteration matrices.",
        partial(_run, "fa", ACTUATOR, "actuator force fa [N]", False),
    ),
)
