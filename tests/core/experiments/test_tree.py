"""The experiment of the tree: its rows and its figure; times themselves are never part of a test."""

from __future__ import annotations

from pathlib import Path

import pytest

from linkwright.errors import OptionError
from linkwright.experiments.base import experiment, experiments
from linkwright.experiments.tree import times


@pytest.mark.parametrize("name", ["tree-linear", "tree-linear-hinges"])
def test_rows_and_figure(name: str, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    outcome = experiment(name).run(
        on_progress=lambda done, total: seen.append((done, total)), values=(2, 4), rounds=1
    )
    assert [(row["n"], row["solver"]) for row in outcome.rows] == [
        (2, "sweep"),
        (2, "ltdl"),
        (4, "sweep"),
        (4, "ltdl"),
    ]
    assert seen == [(1, 2), (2, 2)]
    for sweep, ltdl in (outcome.rows[:2], outcome.rows[2:]):
        for part in ("step", "evaluation", "solve"):
            t1, t2 = float(sweep[f"{part}_us"] or 0.0), float(ltdl[f"{part}_us"] or 0.0)
            assert t2 > 0.0
            assert sweep[f"ratio_{part}"] == ltdl[f"ratio_{part}"] == pytest.approx(t1 / t2)
        # a step holds an evaluation, an evaluation a solve; the clock may jump by some per cent
        step, evaluation, solve = (
            float(ltdl[f"{part}_us"] or 0.0) for part in ("step", "evaluation", "solve")
        )
        assert step > 0.7 * evaluation > 0.5 * solve
    files = outcome.write(tmp_path, name)
    assert [file.suffix for file in files] == [".csv", ".png", ".svg"]
    assert all(file.stat().st_size > 0 for file in files)


def test_it_is_offered() -> None:
    assert experiments()["tree-linear"].title == "O(N): sweep and LTDL"


def test_refusal() -> None:
    with pytest.raises(OptionError, match="planar"):
        times("planar", (2,))  # type: ignore[arg-type]  # what a person might type
