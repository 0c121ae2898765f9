"""The window's own way through the spring study, with the real solver: switches, runs A and B, plots, comparison."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from linkwright.document.commands import SetField
from linkwright.samples import path
from linkwright_app import bench
from linkwright_app.plots.plot_dock import PlotDock
from linkwright_app.services.document_store import DocumentStore
from linkwright_app.services.run_entry import RunEntry
from linkwright_app.services.run_service import RunService
from linkwright_app.services.time_cursor import TimeCursor
from linkwright_app.solve.jacobian_panel import JacobianPanel

COMPILING = 300_000
"""Longest wait for a run, since the first one may have to compile the kernels [ms]."""


@dataclass
class Bench:
    """Services and widgets around the sample with a damper of 1000 N s/m."""

    store: DocumentStore
    runs: RunService
    cursor: TimeCursor
    dock: PlotDock
    panel: JacobianPanel


@pytest.fixture
def study(qtbot: QtBot) -> Iterator[Bench]:
    store = DocumentStore()
    store.open_copy(path("slider-crank-sda"))
    store.do(SetField("c", "value", 1e3))
    runs = RunService(store)
    cursor = TimeCursor(runs)
    made = Bench(store, runs, cursor, PlotDock(runs, cursor), JacobianPanel(store, runs, cursor))
    for widget in (made.dock, made.panel):
        qtbot.addWidget(widget)
        widget.show()
    made.dock.resize(1300, 400)
    yield made
    runs.close()


def steps_done(entry: RunEntry, n: int) -> Callable[[], bool]:
    return lambda: entry.history.n_step >= n


def mean_of(legend: str) -> float:
    found = re.search(r"mean ([\d.]+)", legend)
    assert found is not None
    return float(found.group(1))


@pytest.mark.parametrize("variant_b", ["M1", "M1+M2", "M1+M3"])
def test_a_against_b_shows_the_iterations_of_the_reference(
    study: Bench, qtbot: QtBot, repository: Path, variant_b: str
) -> None:
    facts = json.loads((repository / "tests" / "data" / "sda" / "facts.json").read_text(encoding="utf-8"))
    row = next(r for r in facts["slider_crank"]["c_sweep_k2e4_fa0"] if r["c"] == 1000.0)
    for term in ("M2", "M3"):
        if term in variant_b:
            study.panel.boxes[term + "B"].click()
    study.panel.run_both.click()
    qtbot.waitUntil(lambda: len(study.runs.runs) == 2 and not study.runs.is_live, timeout=COMPILING)
    a, b = study.runs.run_a, study.runs.run_b
    assert a is not None
    assert b is not None
    # The reference: two solves in every step with the whole matrix, the means of the others to 0.15.
    shown = [mean_of(text) for text in study.dock.convergence.legend.texts]
    assert shown[0] == row["M1+M2+M3"]["mean_solves"] == 2.0
    assert shown[1] == pytest.approx(row[variant_b]["mean_solves"], abs=0.15)
    for role, entry in (("A", a), ("B", b)):
        curve = next(t.curve for t in study.dock.convergence._tracks if t.role == role)
        assert np.array_equal(curve.drawn[1], entry.results.solves)
        assert study.panel.comparison.value("total", role) == str(entry.results.solves.sum())
    qtbot.waitUntil(lambda: study.panel.comparison.verdict.startswith("A and B agree"), timeout=2000)
    assert study.dock.convergence.residual.note_of(0) == "quadratic"
    assert study.dock.convergence.residual.note_of(1).startswith("linear")


def test_energy_stack_meets_the_work_of_the_force(study: Bench, qtbot: QtBot) -> None:
    study.panel.run_a.click()
    qtbot.waitUntil(lambda: len(study.runs.runs) == 1 and not study.runs.is_live, timeout=COMPILING)
    results = study.runs.runs[0].results
    ledger = study.dock.ledger
    assert [name for name, _ in ledger.legend.rows_text] == [
        "work of F1",
        "damper loss",
        "springs",
        "kinetic",
    ]
    top = ledger._edges[-1].visible_values()
    for name in ("kinetic", "springs", "damper_loss", "gravity"):
        top = top - results[f"energy.{name}"]
    assert np.abs(top).max() < 1e-9
    assert np.array_equal(
        ledger._error.visible_values() / ledger._error.factor, results["energy.balance_error"]
    )


def test_switching_terms_changes_the_iterations_of_a_run_that_goes_on(study: Bench, qtbot: QtBot) -> None:
    study.runs.start(bench.ENDLESS, "A")
    entry = study.runs.live
    assert entry is not None
    qtbot.waitUntil(steps_done(entry, 200), timeout=COMPILING)
    # By hand, so that the two ways are compared at nearly the same state.
    study.runs.pause()
    qtbot.waitUntil(lambda: study.runs.state == "paused", timeout=2000)
    study.store.do(SetField("c", "value", 5e4))
    n_full = entry.history.n_step
    study.runs.resume()
    qtbot.waitUntil(steps_done(entry, n_full + 50), timeout=10_000)
    study.runs.pause()
    qtbot.waitUntil(lambda: study.runs.state == "paused", timeout=2000)
    n_switch = entry.history.n_step
    for term in ("M2A", "M3A"):
        study.panel.boxes[term].click()
    assert entry.variant_now == "M1"
    study.runs.resume()
    qtbot.waitUntil(lambda: steps_done(entry, n_switch + 50)() or not study.runs.is_live, timeout=10_000)
    study.runs.stop()
    qtbot.waitUntil(lambda: not study.runs.is_live, timeout=2000)
    kinds = [(e.kind, e.element) for e in entry.events][:3]
    assert kinds == [("parameter", "c"), ("option", "jacobian"), ("option", "jacobian")]
    solves = entry.history.step_column("solves")
    assert solves[n_switch:].mean() > solves[n_full:n_switch].mean()


def test_pause_step_stop_and_start_again(study: Bench, qtbot: QtBot) -> None:
    study.runs.step_once()
    entry = study.runs.live
    assert entry is not None
    qtbot.waitUntil(steps_done(entry, 1), timeout=COMPILING)
    study.runs.step_once()
    qtbot.waitUntil(steps_done(entry, 2), timeout=5000)
    qtbot.wait(100)
    assert entry.history.n_step == 2
    assert entry.history.poses_at(0.015) is not None
    study.runs.resume()
    qtbot.waitUntil(lambda: not study.runs.is_live, timeout=10_000)
    assert entry.state == "completed"
    assert entry.history.n_step == 100
    for _ in range(20):
        study.runs.start(bench.ENDLESS)
        live: Any = study.runs.live
        qtbot.waitUntil(steps_done(live, 1), timeout=10_000)
        began = time.perf_counter()
        with qtbot.waitSignal(study.runs.finished, timeout=5000):
            study.runs.stop()
        # A quarter of a second on a free machine.
        assert time.perf_counter() - began < 1.0
        assert live.state == "stopped"
        assert live.results.ended == "stopped"


def test_a_step_that_fails_keeps_what_was_good(study: Bench, qtbot: QtBot) -> None:
    study.store.do(SetField("c", "value", 5e4))
    with qtbot.waitSignal(study.runs.failed, timeout=COMPILING) as caught:
        study.runs.start({"jacobian": "M1"}, "B")
    error = caught.args[0]
    assert "did not converge" in error.message or "diverged" in error.message
    assert error.element is not None
    assert study.store.mechanism.has(error.element)
    entry = study.runs.run_b
    assert entry is not None
    assert entry.history.n_step == error.step - 1
    assert study.cursor.t == pytest.approx(error.t)
    assert [e.kind for e in entry.events] == ["failure"]
    assert study.panel.comparison.value("failed", "B") == "1"
