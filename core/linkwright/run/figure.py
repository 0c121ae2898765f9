"""The convergence and energy picture of a run, made by matplotlib for files and reports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.errors import FileError, OptionError

if TYPE_CHECKING:
    from linkwright.run.results import Results

BLUE, ORANGE, GREEN, VERMILION, PURPLE = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7"
"""Okabe-Ito."""

PARTS = (
    ("energy.kinetic", "kinetic", BLUE, "-"),
    ("energy.springs", "springs", VERMILION, "-"),
    ("energy.gravity", "gravity", GREEN, "-"),
    ("energy.damper_loss", "damper loss", PURPLE, "--"),
    ("energy.actuator_work", "work of actuators", ORANGE, "-."),
    ("energy.force_work", "work of forces", "#1B1F24", ":"),
)


def matplotlib_figure(width: float, height: float) -> Any:
    """Empty figure that draws without a screen.

    Raises
    ------
    OptionError
        When matplotlib is not installed; says how to get it.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise OptionError("Plots need matplotlib. Install it with: pip install 'linkwright[plot]'") from error
    figure = Figure(figsize=(width, height), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save_figure(figure: Any, path: Path) -> None:
    """Write a figure in the format of the file's ending.

    Raises
    ------
    OptionError
        For an ending that is no picture.
    FileError
        When the file cannot be written.
    """
    known = figure.canvas.get_supported_filetypes()
    if path.suffix.lstrip(".").lower() not in known:
        raise OptionError(f"{path.name!r} is no picture file. Use one of: {', '.join(sorted(known))}.")
    try:
        figure.savefig(path)
    except OSError as error:
        raise FileError(f"{path.name!r} was not written: {error.strerror or error}.") from error


def style(axes: Any, x: str, y: str) -> None:
    """Give axes their titles and a light grid."""
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(True, color="#1B1F24", alpha=0.12, linewidth=0.8)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def plot_run(results: Results, path: Path) -> None:
    """Draw iterations per step and the energy ledger of a run into a picture file.

    Raises
    ------
    OptionError
        When matplotlib is missing or the ending is no picture.
    FileError
        When the file cannot be written.
    """
    figure = matplotlib_figure(9.0, 6.4)
    top, bottom = figure.subplots(2, 1, sharex=True)
    iterations, solves = results.iterations, results.solves
    edges = np.concatenate(([0.0], results.step_t))
    if len(iterations):
        label = f"residual evaluations, mean {iterations.mean():.2f}"
        top.stairs(iterations, edges, fill=True, color=BLUE, alpha=0.35, label=label)
        top.stairs(iterations, edges, baseline=None, color=BLUE, linewidth=1.2)
        top.stairs(
            solves,
            edges,
            baseline=None,
            color=ORANGE,
            linewidth=1.4,
            label=f"linear solves, mean {solves.mean():.2f}",
        )
        top.legend(frameon=False, fontsize=8, ncols=2)
    top.set_title(f"{results.mechanism.title or results.model_name}: iterations per step", fontsize=10)
    top.set_ylim(0, max(1.25 * int(iterations.max(initial=1)), 4))
    style(top, "", "iterations")
    for name, label, color, dash in PARTS:
        if name in results.channel_names and np.any(results[name] != 0.0):
            bottom.plot(results.t, results[name], dash, color=color, linewidth=1.4, label=label)
    bottom.set_title("Energy ledger", fontsize=10)
    style(bottom, "time [s]", "energy [J]")
    if bottom.lines:
        bottom.legend(frameon=False, fontsize=8)
    save_figure(figure, path)
