"""The bench measures what a run does; its numbers are never part of a test, its meaning is."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

import linkwright as lw
from linkwright.bench import newmark
from linkwright.bench.base import BenchRow, run_family
from linkwright.bench.newmark import CASES, Case, Contender, rows, step_error
from linkwright.bench.peer import Peer
from linkwright.errors import LinkwrightError, OptionError


def test_ratio() -> None:
    row = BenchRow("tensegrity", "h=0.01", "spatial", "us/step", 10.0, "exudyn-3d", 40.0)
    assert row.ratio == 0.25
    assert BenchRow("tensegrity", "h=0.01", "spatial", "us/step", 10.0).ratio is None
    assert set(row.plain()) == {
        "case",
        "size",
        "variant",
        "unit",
        "value",
        "peer",
        "peer_value",
        "ratio",
        "note",
    }


@pytest.mark.parametrize("case", [c for c in CASES if c.h == 0.01], ids=lambda c: c.sample)
def test_the_contender_makes_the_steps_of_a_run(case: Case) -> None:
    """What is timed ends where a run of the sample with the same step ends, to the bit."""
    contender = Contender(lw.load(case.sample), case.h)
    run = lw.simulate(lw.load(case.sample), t_end=case.t_compare, h=case.h)
    expected = [run[f"{case.body}.{axis}"][-1] for axis in "xyz"]
    assert contender.position(case.body, case.t_compare) == expected
    assert 0.0 < contender.timed() < 0.01
    assert contender.position(case.body, case.t_compare) == expected


def test_step_error() -> None:
    """facts.json, trajectories_45deg, k = 2e4: x(1 s) is 3.131604911 at h = 0.01 and 3.129964855 exactly."""
    case = CASES[0]
    error = step_error(case, Contender(lw.load(case.sample), case.h))
    exact = 3.131604911 - 3.129964855
    assert error == pytest.approx(
        15 / 16 * exact, rel=0.02
    )  # a sixteenth of it is left at a quarter of the step


def test_cases_of_the_first_bench() -> None:
    assert [(c.sample, c.h) for c in CASES] == [
        ("slider-crank-sda", 0.01),
        ("slider-crank-sda", 0.001),
        ("tensegrity", 0.01),
        ("tensegrity", 0.001),
    ]


def test_rows_without_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(newmark, "CASES", CASES[:1])
    (row,) = run_family("newmark", peers=False)
    assert (row.case, row.variant, row.unit) == ("slider-crank-sda", "spatial", "us/step")
    assert row.peer is None
    assert 0.1 < row.value < 10_000


STAND_IN = """
import json, sys
print("words of the program itself", flush=True)
for line in sys.stdin:
    if line.strip() == "position":
        print(json.dumps({"position": POSITION}), flush=True)
    else:
        print(json.dumps({"us_per_step": 40.0, "settings": "sparse"}), flush=True)
"""


@pytest.mark.parametrize(("offset", "word"), [(0.0, ", equal within"), (0.01, ", NOT EQUAL within")])
def test_rows_beside_a_peer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, offset: float, word: str
) -> None:
    """A stand-in for Exudyn that ends where the reference says: the slider at x = 3.131604911 m after 1 s."""
    place = [3.131604911 + offset, 0.0, 0.0]
    (tmp_path / "stand_in.py").write_text(STAND_IN.replace("POSITION", json.dumps(place)))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(newmark, "CASES", CASES[:1])
    monkeypatch.setattr(newmark, "ROUNDS", 2)

    class StandIn(Peer):
        def __init__(self, module: str, *arguments: Any) -> None:
            assert module == "linkwright.bench.exudyn_peer"
            super().__init__("stand_in", *arguments)

    monkeypatch.setattr(newmark, "Peer", StandIn)
    (row,) = rows(peers=True)
    assert (row.peer, row.peer_value) == ("exudyn-3d", 40.0)
    assert word in row.note
    assert row.ratio == row.value / 40.0


def test_a_peer_that_ends_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "short_lived.py").write_text("")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with Peer("short_lived") as answers, pytest.raises(LinkwrightError, match="ended"):
        answers.ask()


def test_unknown_bench() -> None:
    with pytest.raises(OptionError, match="newmark"):
        run_family("newmrk", peers=False)
