"""Starting, pausing and stopping runs, and what happens to a run when the document changes under it."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from linkwright.document.commands import SetField
from linkwright.errors import OptionError, RunError
from linkwright_app.services.run_entry import RunEntry
from linkwright_app.services.run_service import MAX_RUNS, RunService


def has_steps(entry: RunEntry, n: int) -> bool:
    return entry.history.n_step == n


def test_a_run_starts_ticks_and_finishes(desk: Any, qtbot: QtBot) -> None:
    ticks: list[int] = []
    desk.runs.ticked.connect(lambda: ticks.append(desk.runs.current.history.n_step))
    states: list[str] = []
    desk.runs.state_changed.connect(states.append)
    desk.scripted.steps_per_s = 400.0
    with qtbot.waitSignals([desk.runs.started, desk.runs.finished], timeout=5000):
        entry = desk.runs.start()
    assert entry is desk.runs.current
    assert not desk.runs.is_live
    assert states == ["running", "idle"]
    # The last tick comes after the end, so that nobody misses the last rows.
    assert ticks[-1] == 100
    assert ticks == sorted(ticks)
    assert len(ticks) > 3
    assert entry.results.ended == "completed"
    assert np.array_equal(entry.results.solves, entry.history.step_column("solves").astype(int))


def test_results_wait_for_the_end(desk: Any, qtbot: QtBot) -> None:
    desk.scripted.hold_at = 5
    entry = desk.runs.start()
    early = entry.results
    assert early is None
    desk.runs.reset()
    assert entry.results.ended == "stopped"
    assert entry.results is entry.results


def test_plots_tick_at_half_the_rate(desk: Any, qtbot: QtBot) -> None:
    counts = {"view": 0, "plots": 0}
    desk.runs.ticked.connect(lambda: counts.__setitem__("view", counts["view"] + 1))
    desk.runs.plot_ticked.connect(lambda: counts.__setitem__("plots", counts["plots"] + 1))
    desk.scripted.steps_per_s = 150.0
    with qtbot.waitSignal(desk.runs.finished, timeout=5000):
        desk.runs.start()
    # 0.67 s at 30 Hz are about 20 ticks; a busy machine may lose some of both.
    assert 0.35 < counts["plots"] / counts["view"] < 0.75


def test_no_ticks_while_paused_and_none_after_the_end(desk: Any, qtbot: QtBot) -> None:
    desk.scripted.steps_per_s = 200.0
    desk.runs.start()
    qtbot.wait(100)
    with qtbot.waitSignal(desk.runs.paused, timeout=2000):
        desk.runs.pause()
    qtbot.wait(60)
    n = desk.runs.current.history.n_step
    ticks: list[int] = []
    desk.runs.ticked.connect(lambda: ticks.append(1))
    qtbot.wait(150)
    assert desk.runs.current.history.n_step == n
    assert not ticks
    with qtbot.waitSignal(desk.runs.resumed, timeout=2000):
        desk.runs.resume()
    with qtbot.waitSignal(desk.runs.finished, timeout=5000):
        pass
    ticks.clear()
    qtbot.wait(100)
    assert not ticks


def test_step_once_makes_one_step_and_holds(desk: Any, qtbot: QtBot) -> None:
    desk.runs.step_once()
    qtbot.waitUntil(lambda: desk.runs.current.history.n_step == 1, timeout=2000)
    assert desk.runs.state == "paused"
    desk.runs.step_once()
    qtbot.waitUntil(lambda: desk.runs.current.history.n_step == 2, timeout=2000)
    qtbot.wait(80)
    assert desk.runs.current.history.n_step == 2
    with qtbot.waitSignal(desk.runs.finished, timeout=5000):
        desk.runs.resume()


def test_stop_is_obeyed_at_once_and_keeps_the_steps(desk: Any, qtbot: QtBot) -> None:
    desk.scripted.steps_per_s = 200.0
    entry = desk.runs.start()
    qtbot.wait(150)
    begin = time.perf_counter()
    with qtbot.waitSignal(desk.runs.finished, timeout=2000):
        desk.runs.stop()
        assert desk.runs.state == "stopping"
    assert time.perf_counter() - begin < 0.25
    assert entry.state == "stopped"
    assert 0 < entry.history.n_step < 100


def test_stop_close_and_start_again_twenty_times(desk: Any, qtbot: QtBot) -> None:
    for _ in range(20):
        desk.scripted.hold_at = 10
        service = RunService(desk.store, desk.scripted)
        entry = service.start()
        assert entry is not None
        qtbot.waitUntil(partial(has_steps, entry, 10), timeout=2000)
        begin = time.perf_counter()
        assert service.close()
        assert time.perf_counter() - begin < 0.25
        assert entry.state == "stopped"
        assert not service.is_live
    assert len(desk.scripted.made) == 20
    assert all(runner.join(0.0) for runner in desk.scripted.made)


def test_only_one_run_at_a_time(desk: Any, qtbot: QtBot) -> None:
    desk.scripted.hold_at = 5
    assert desk.runs.start() is not None
    assert desk.runs.start() is None
    assert len(desk.runs.runs) == 1


def test_b_follows_a(desk: Any, qtbot: QtBot) -> None:
    ends: list[str] = []
    desk.runs.finished.connect(lambda: ends.append(desk.runs.current.label))
    desk.runs.start_both({}, {"jacobian": "M1"})
    assert desk.runs.waiting == ("B",)
    qtbot.waitUntil(lambda: ends == ["A", "B"], timeout=5000)
    assert (desk.runs.run_a.variant, desk.runs.run_b.variant) == ("M1+M2+M3", "M1")
    assert desk.runs.run_a.same_problem(desk.runs.run_b)


def test_stop_also_drops_the_waiting_run(desk: Any, qtbot: QtBot) -> None:
    desk.scripted.hold_at = 5
    desk.runs.start_both({}, {"jacobian": "M1"})
    with qtbot.waitSignal(desk.runs.finished, timeout=2000):
        desk.runs.stop()
    assert desk.runs.waiting == ()
    desk.scripted.hold_at = None
    with qtbot.waitSignal(desk.runs.finished, timeout=2000):
        desk.runs.start()
    qtbot.wait(80)
    assert [e.label for e in desk.runs.runs] == ["A", "A"]
    assert not desk.runs.is_live


def test_a_failed_run_tells_the_element_and_keeps_its_steps(desk: Any, qtbot: QtBot) -> None:
    whole = desk.scripted.script

    def script(variant: str) -> Any:
        run = whole(variant, 41)
        run.failure = RunError("Step 42 did not converge.", "s1", step=42, t=0.41)
        return run

    desk.scripted.script = script
    with qtbot.waitSignal(desk.runs.failed, timeout=5000) as caught:
        entry = desk.runs.start()
    assert caught.args[0].element == "s1"
    assert caught.args[0].step == 42
    assert entry.history.n_step == 41
    assert entry.failed_steps == 1
    assert desk.cursor.t == pytest.approx(0.41)
    assert not desk.cursor.following


def test_a_refused_start_is_told_and_leaves_nothing(desk: Any, qtbot: QtBot) -> None:
    def refuse(mechanism: Any, **options: Any) -> Any:
        raise OptionError("There is no engine 'warp'.")

    service = RunService(desk.store, refuse)
    with qtbot.waitSignal(service.failed, timeout=1000) as caught:
        assert service.start({"engine": "warp"}) is None
    assert "warp" in caught.args[0].message
    assert not service.runs
    assert service.state == "idle"


def test_parameter_edit_reaches_a_run_that_goes_on(desk: Any, qtbot: QtBot) -> None:
    desk.scripted.hold_at = 10
    entry = desk.runs.start()
    desk.store.do(SetField("k", "value", 3e4))
    assert desk.scripted.made[-1].requests == [("k", 3e4)]
    assert [(e.kind, e.element) for e in entry.events] == [("parameter", "k")]
    assert entry.events[0].words() == "k = 30000"
    desk.store.undo()
    assert desk.scripted.made[-1].requests[-1] == ("k", 2e4)


def test_formula_parameter_sends_its_number(desk: Any, qtbot: QtBot) -> None:
    desk.scripted.hold_at = 10
    desk.runs.start()
    desk.store.do(SetField("c", "value", "=k/40"))
    assert desk.scripted.made[-1].requests == [("c", 500.0)]


def test_matrix_terms_switch_while_the_run_goes_on(desk: Any, qtbot: QtBot) -> None:
    desk.scripted.hold_at = 10
    entry = desk.runs.start()
    desk.store.do(SetField(None, "settings.newmark.jacobian", "M1+M2"))
    assert desk.scripted.made[-1].requests == [("jacobian", "M1+M2")]
    assert entry.variant == "M1+M2+M3"
    assert entry.variant_now == "M1+M2"
    desk.store.undo()
    assert desk.scripted.made[-1].requests[-1] == ("jacobian", "M1+M2+M3")


def test_the_models_setting_is_that_of_side_a_only(desk: Any, qtbot: QtBot) -> None:
    desk.scripted.hold_at = 10
    desk.runs.start({"jacobian": "M1"}, "B")
    desk.store.do(SetField(None, "settings.newmark.jacobian", "M1+M2"))
    assert desk.scripted.made[-1].requests == []


def test_moving_a_body_takes_the_old_frames_off_the_view(desk: Any, run_to_end: Callable[..., Any]) -> None:
    entry = run_to_end()
    desk.store.do(SetField("k", "value", 1e4))
    assert desk.runs.current is entry
    desk.store.do(SetField("slider", "position", (1.0, 0.0, 0.0)))
    assert desk.runs.current is None
    assert desk.runs.runs == (entry,)
    desk.store.undo()
    desk.store.undo()
    assert desk.runs.current is entry


def test_a_new_document_has_no_runs(desk: Any, qtbot: QtBot) -> None:
    desk.scripted.hold_at = 10
    desk.runs.start()
    desk.store.new()
    assert not desk.runs.is_live
    assert not desk.runs.runs
    assert desk.runs.current is None
    assert desk.cursor.t_end == 0.0


def test_baseline_is_the_a_run_before_until_there_is_a_b(desk: Any, run_to_end: Callable[..., Any]) -> None:
    first = run_to_end()
    assert desk.runs.baseline is None
    second = run_to_end()
    assert desk.runs.baseline is first
    b = run_to_end({"jacobian": "M1"}, "B")
    assert (desk.runs.run_a, desk.runs.run_b, desk.runs.baseline) == (second, b, None)
    desk.store.do(SetField("k", "value", 1e4))
    third = run_to_end()
    # B belongs to the stiffness before; it is not held against the new A.
    assert (desk.runs.run_a, desk.runs.run_b, desk.runs.baseline) == (third, None, second)


def test_old_runs_are_let_go(desk: Any, run_to_end: Callable[..., Any]) -> None:
    for _ in range(MAX_RUNS + 4):
        run_to_end()
    assert len(desk.runs.runs) == MAX_RUNS
    assert desk.runs.runs[-1].number == MAX_RUNS + 4


def test_window_timer_keeps_ticking_during_a_run_at_full_speed(desk: Any, qtbot: QtBot) -> None:
    whole = desk.scripted.script
    desk.scripted.script = lambda variant: whole(variant, 3000, 1e-3)
    beats: list[float] = []
    timer = QTimer()
    timer.setInterval(5)
    timer.timeout.connect(lambda: beats.append(time.perf_counter()))
    timer.start()
    desk.scripted.steps_per_s = 20000.0
    with qtbot.waitSignal(desk.runs.finished, timeout=20000):
        desk.runs.start()
    qtbot.wait(200)
    timer.stop()
    assert np.quantile(np.diff(beats), 0.95) < 0.3
