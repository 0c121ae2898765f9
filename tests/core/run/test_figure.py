"""The picture of a run that `--plot` writes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

import linkwright as lw
from linkwright.errors import FileError, OptionError
from linkwright.run.figure import BLUE, ORANGE, plot_run


def has_color(file: Path, color: str) -> bool:
    """Whether a picture holds pixels of a colour."""
    pixels = np.round(np.asarray(imread(file))[:, :, :3] * 255).astype(int)
    wanted = [int(color[k : k + 2], 16) for k in (1, 3, 5)]
    return bool((np.abs(pixels - wanted).max(axis=2) <= 2).any())


def test_iterations_and_energy_are_drawn(tmp_path: Path) -> None:
    plot_run(lw.simulate(lw.load("slider-crank-sda")), tmp_path / "p.png")
    assert has_color(tmp_path / "p.png", BLUE)
    assert has_color(tmp_path / "p.png", ORANGE)


def test_a_run_without_a_good_step_is_drawn_too(tmp_path: Path) -> None:
    """facts.json, tensegrity.grid: k = 200, c = 10 fails with M1 in the first step."""
    with pytest.warns(RuntimeWarning):
        results = lw.simulate(lw.load("tensegrity"), jacobian="M1")
    plot_run(results, tmp_path / "p.svg")
    assert "</svg>" in (tmp_path / "p.svg").read_text(encoding="utf-8")


def test_files_that_cannot_be_drawn(tmp_path: Path) -> None:
    results = lw.simulate(lw.load("pendulum"), t_end=0.05)
    with pytest.raises(OptionError, match="no picture file"):
        plot_run(results, tmp_path / "p.docx")
    with pytest.raises(FileError, match="was not written"):
        plot_run(results, tmp_path / "gone" / "p.png")
