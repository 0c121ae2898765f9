"""The solver thread: it ends, holds, steps, stops and changes as asked, and keeps every good step."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import LinkwrightError, OptionError, RunError
from linkwright.run.results import Results
from linkwright.run.runner import Progress, Runner, run_to_end

ENDLESS: dict[str, Any] = {"t_end": 1e5, "h": 0.01, "output_step": 1.0, "projection": True}


def until(true: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait for something another thread does; a test that waits in vain fails."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.002)


def one_step(runner: Runner) -> None:
    """Start a run with a single step and wait until it holds."""
    runner.step_once()
    until(lambda: runner.recorder.counts()[0] == 1 and runner.state == "paused")


@pytest.fixture
def endless() -> Iterator[Runner]:
    runner = Runner(lw.load("slider-crank-sda"), **ENDLESS)
    yield runner
    runner.stop()
    assert runner.join(30)


def test_a_run_ends_by_itself() -> None:
    runner = Runner(lw.load("slider-crank-sda"), model_name="sc")
    assert runner.state == "ready"
    runner.start()
    assert runner.join(120)
    assert runner.state == "completed"
    results = runner.result()
    assert results.ended == "completed"
    assert results.step_t == pytest.approx(np.arange(1, 101) * 0.01, abs=1e-12)
    assert results.t == pytest.approx(np.arange(101) * 0.01, abs=1e-12)
    assert results.events == ()
    progress = runner.progress
    assert (progress.steps, progress.time_left) == (100, 0.0)
    assert progress.t == pytest.approx(1.0)


def test_the_last_step_is_shortened_to_end_on_time() -> None:
    results = lw.simulate(lw.load("pendulum"), t_end=0.1, h=0.03)
    assert results.step_t == pytest.approx([0.03, 0.06, 0.09, 0.1], abs=1e-12)
    assert results.step_column("h") == pytest.approx([0.03, 0.03, 0.03, 0.01], abs=1e-12)
    assert results.t[-1] == pytest.approx(0.1)


def test_frames_at_the_output_step_and_at_the_end() -> None:
    results = lw.simulate(lw.load("pendulum"), t_end=0.1, h=0.01, output_step=0.03)
    assert results.t == pytest.approx([0.0, 0.03, 0.06, 0.09, 0.1], abs=1e-12)
    assert len(results.steps) == 10


def test_how_the_run_is_cut_into_chunks_changes_nothing() -> None:
    """Steps made one by one, and in chunks of any size, give the same bits."""
    whole = lw.simulate(lw.load("slider-crank-sda"), t_end=0.2)
    runner = Runner(lw.load("slider-crank-sda"), t_end=0.2)
    for n in range(1, 21):
        runner.step_once()
        until(lambda n=n: runner.recorder.counts()[0] == n)  # type: ignore[misc]  # n bound now
    assert runner.join(30)
    assert runner.state == "completed"
    np.testing.assert_array_equal(runner.result().poses, whole.poses)
    np.testing.assert_array_equal(runner.result().channels, whole.channels)
    np.testing.assert_array_equal(runner.result().packed_residuals, whole.packed_residuals)


def test_single_steps_asked_for_at_once_are_all_made(endless: Runner) -> None:
    for _ in range(5):
        endless.step_once()
    until(lambda: endless.recorder.counts()[0] == 5)
    until(lambda: endless.state == "paused")
    time.sleep(0.05)
    assert endless.recorder.counts()[0] == 5


def test_a_single_step_that_is_interrupted_before_it_began_is_made_all_the_same(
    endless: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request of any kind raises the flag that ends the compiled call; here it comes just before the step."""
    one_step(endless)
    real = type(endless.engine).advance
    interrupted: list[int] = []

    def advance(engine: Any, work: Any, state: Any, rows: Any, n: int) -> int:
        if not interrupted:
            interrupted.append(n)
            work.flags[0] = 1
        return int(real(engine, work, state, rows, n))

    monkeypatch.setattr(type(endless.engine), "advance", advance)
    endless.step_once()
    until(lambda: endless.recorder.counts()[0] == 2)
    assert interrupted == [1]


def test_pause_holds_and_resume_goes_on(endless: Runner) -> None:
    endless.start()
    until(lambda: endless.recorder.counts()[0] > 1000)
    endless.pause()
    until(lambda: endless.state == "paused")
    held = endless.recorder.counts()
    time.sleep(0.1)
    assert endless.recorder.counts() == held
    endless.step_once()
    until(lambda: endless.recorder.counts()[0] == held[0] + 1)
    endless.resume()
    until(lambda: endless.recorder.counts()[0] > held[0] + 1000)
    assert endless.state == "running"


def test_a_stop_is_obeyed_within_a_quarter_of_a_second(endless: Runner) -> None:
    endless.start()
    until(lambda: endless.recorder.counts()[0] > 5000)
    began = time.perf_counter()
    endless.stop()
    assert endless.join(10)
    assert time.perf_counter() - began < 0.25
    results = endless.result()
    assert results.ended == "stopped"
    assert f"{results.step_t[-1]:.6g}" in results.message
    assert results.t[-1] == results.step_t[-1], "the last state is kept even between two output steps"


def test_a_stop_while_paused(endless: Runner) -> None:
    one_step(endless)
    endless.stop()
    assert endless.join(10)
    assert endless.state == "stopped"


def test_a_run_that_was_never_started_can_be_stopped() -> None:
    runner = Runner(lw.load("pendulum"))
    runner.stop()
    assert runner.state == "stopped"
    assert runner.join(1)


def test_runs_start_and_stop_twenty_times_in_a_row() -> None:
    before = threading.active_count()
    for _ in range(20):
        runner = Runner(lw.load("slider-crank-sda"), **ENDLESS)
        runner.start()
        runner.start()
        until(lambda r=runner: r.recorder.counts()[0] > 0)  # type: ignore[misc]  # runner bound now
        runner.stop()
        assert runner.join(10)
    assert threading.active_count() == before


def test_readers_see_whole_rows_while_the_run_goes_on(endless: Runner) -> None:
    endless.start()
    until(lambda: endless.recorder.counts()[0] > 0)
    seen = 0
    end = time.monotonic() + 60.0
    while seen <= 2000:  # over several blocks of the recorder, however slow the machine
        assert time.monotonic() < end
        n = endless.recorder.counts()[0]
        rows = endless.recorder.steps(seen, n)
        assert rows[:, 0] == pytest.approx(np.arange(seen + 1, n + 1) * 0.01, abs=1e-9)
        if n > 0:
            history = endless.recorder.residuals_of(n - 1)
            assert history[-1] <= 1e-7, "the tolerance of the sample"
        seen = n


def test_the_iteration_matrix_changes_while_the_run_goes_on(endless: Runner) -> None:
    """Three residual evaluations in each step with the full matrix, more with M1 alone (facts.json, k = 2e4)."""
    one_step(endless)
    endless.set_option("jacobian", "M1")
    endless.step_once()
    until(lambda: endless.recorder.counts()[0] == 2)
    endless.stop()
    assert endless.join(10)
    results = endless.result()
    assert results.iterations[0] == 3
    assert results.iterations[1] >= 4
    assert [e.plain() for e in results.events] == [
        {"t": results.step_t[0], "kind": "option", "element": "jacobian", "values": {"value": "M1"}}
    ]


def test_a_parameter_changes_while_the_run_goes_on() -> None:
    """From rest with k = 0 and c = 0 nothing but the force acts; fa = 2 F holds the slider in balance for ever."""
    model = lw.load("slider-crank-sda")
    runner = Runner(model, t_end=0.05, h=0.01)
    one_step(runner)
    runner.set_parameter("k", 1e5)
    runner.set_parameter("fa", -50.0)
    runner.resume()
    assert runner.join(30)
    results = runner.result()
    assert [(e.kind, e.element, dict(e.values)) for e in results.events] == [
        ("parameter", "k", {"value": 1e5}),
        ("parameter", "fa", {"value": -50.0}),
    ]
    stretch = results["S1.length"] - results["S1.length"][0]
    spring = results["S1.force"]
    assert spring[1] == pytest.approx(2e4 * stretch[1], rel=1e-9)
    assert spring[2:] == pytest.approx(1e5 * stretch[2:] - 50.0, rel=1e-9)


def test_an_iteration_limit_raised_during_a_run_has_room(endless: Runner) -> None:
    one_step(endless)
    endless.set_option("max_iterations", 5000)
    until(lambda: len(endless.events) == 1)
    assert endless.recorder.max_history == 5001
    endless.resume()
    until(lambda: endless.recorder.counts()[0] > 2000)
    assert endless.failure is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda r: r.set_parameter("kk", 1.0), "parameter"),
        (lambda r: r.set_parameter("k", float("inf")), "finite"),
        (lambda r: r.set_option("jacobian", "M9"), "jacobian"),
        (lambda r: r.set_option("jacobean", "M1"), "jacobian"),
        (lambda r: r.set_option("h", 0.1), "new run"),
    ],
)
def test_changes_that_cannot_be_are_refused_at_once(
    endless: Runner, change: Callable[[Runner], None], words: str
) -> None:
    one_step(endless)
    with pytest.raises(OptionError, match=words):
        change(endless)
    endless.resume()
    until(lambda: endless.recorder.counts()[0] > 10)
    assert endless.events == ()


def test_a_change_that_the_engine_refuses_is_noted_and_undone(
    endless: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise RunError("The joints cannot be closed.", "J1")

    monkeypatch.setattr(type(endless.engine), "update", refuse)
    one_step(endless)
    endless.set_parameter("k", 5.0)
    until(lambda: len(endless.events) == 1)
    assert dict(endless.events[0].values) == {"value": 5.0, "refused": "The joints cannot be closed."}
    monkeypatch.undo()
    endless.set_parameter("c", 7.0)
    until(lambda: len(endless.events) == 2)
    assert "refused" not in endless.events[1].values
    values = {p.id: p.value for p in endless._accepted.parameters}
    assert (values["k"], values["c"]) == (2e4, 7.0), "the refused value is forgotten"


def test_several_refused_changes_leave_nothing_behind(
    endless: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = threading.Event()

    def refuse(*_: Any) -> None:
        held.wait(30)
        raise RunError("The joints cannot be closed.", "J1")

    monkeypatch.setattr(type(endless.engine), "update", refuse)
    one_step(endless)
    for k in (1.0, 2.0, 3.0):  # the later ones wait while the first is refused
        endless.set_parameter("k", k)
    held.set()
    until(lambda: len(endless.events) == 3)
    assert all("refused" in e.values for e in endless.events)
    monkeypatch.undo()
    endless.set_parameter("fa", 10.0)
    until(lambda: len(endless.events) == 4)
    values = {p.id: p.value for p in endless._accepted.parameters}
    assert (values["k"], values["fa"]) == (2e4, 10.0)


def test_what_changes_before_the_start_holds_from_the_first_frame() -> None:
    """The spring starts at its free length and at rest, so its force at t = 0 is fa alone."""
    runner = Runner(lw.load("slider-crank-sda"), t_end=0.05)
    runner.set_parameter("fa", 5000.0)
    runner.set_option("jacobian", "M1")
    results = run_to_end(runner)
    assert results["S1.force"][0] == pytest.approx(5000.0, abs=1e-9)
    assert {p.id: p.value for p in results.mechanism.parameters}["fa"] == 5000.0
    assert results.mechanism.settings.newmark.jacobian == "M1"
    assert results.events == ()
    direct = lw.simulate(lw.load("slider-crank-sda"), parameters={"fa": 5000.0}, t_end=0.05, jacobian="M1")
    assert np.array_equal(results.poses, direct.poses)
    assert np.array_equal(results.iterations, direct.iterations)


@pytest.mark.parametrize("change", [lambda r: r.set_parameter("k", 1.0), lambda r: r.set_option("beta", 0.3)])
def test_nothing_changes_in_a_run_that_has_ended(change: Callable[[Runner], None]) -> None:
    runner = Runner(lw.load("slider-crank-sda"), t_end=0.05)
    run_to_end(runner)
    with pytest.raises(OptionError, match="has ended"):
        change(runner)
    assert runner.events == ()


def test_results_asked_for_on_the_way_are_of_one_moment(endless: Runner) -> None:
    endless.start()
    end = time.monotonic() + 60.0
    while endless.recorder.counts()[0] < 3000:
        results = endless.result()
        assert len(results.residual_offsets) == len(results.steps) + 1
        assert len(results.packed_residuals) == results.residual_offsets[-1]
        assert len(results.t) == len(results.poses) == len(results.twists) == len(results.channels)
        assert time.monotonic() < end


def test_a_failed_step_keeps_the_good_ones_and_says_what_to_do() -> None:
    """The tensegrity with k = 200, c = 10 does not get through with M1 alone (facts.json, tensegrity.grid)."""
    runner = Runner(lw.load("tensegrity"))
    one_step(runner)
    runner.set_option("jacobian", "M1")
    runner.resume()
    assert runner.join(60)
    assert runner.state == "failed"
    failure = runner.failure
    assert failure is not None
    results = runner.result()
    n = len(results.steps)
    assert failure.step == n + 1
    assert failure.t == results.t[-1] == results.step_t[-1]
    assert failure.element in {f.id for f in runner.mechanism.forces} | {
        b.id for b in runner.mechanism.bodies
    }
    assert f"Step {n + 1} " in failure.message
    assert "M2 and M3" in failure.message
    assert results.ended == "failed"
    assert results.message == failure.message
    assert results.events[-1].kind == "failure"
    assert results.events[-1].element == failure.element
    assert np.all(np.isfinite(results.poses))


def test_simulate_warns_of_a_failure_and_gives_the_good_steps() -> None:
    with pytest.warns(RuntimeWarning, match="M2 and M3"):
        results = lw.simulate(lw.load("tensegrity"), jacobian="M1")
    assert results.ended == "failed"
    assert results.t[0] == 0.0


def test_a_fault_of_the_program_ends_the_run_alone(
    endless: Runner, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: Any) -> int:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(type(endless.engine), "advance", broken)
    endless.start()
    assert endless.join(30)
    assert endless.state == "failed"
    assert endless.failure is not None
    assert "fault of the program" in endless.failure.message
    assert "ZeroDivisionError" in caplog.text


def test_an_engine_that_stands_still_does_not_hang_the_run(
    endless: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(endless.engine), "advance", lambda *_: 0)
    endless.start()
    assert endless.join(30)
    assert endless.state == "failed"


def test_a_mechanism_the_engine_cannot_treat_is_refused_before_it_starts() -> None:
    model = lw.load("pendulum")
    massless = model.replaced(bodies=tuple(b.replaced(shapes=()) for b in model.bodies))
    with pytest.raises(LinkwrightError) as caught:
        Runner(massless)
    assert caught.value.element == "arm"


def test_time_is_that_of_the_steps_alone() -> None:
    """Loading compiled code takes seconds, a hundred steps take milliseconds; only the latter is the run's time."""
    results = lw.simulate(lw.load("slider-crank-sda"))
    assert 0.0 < results.wall_s < 1.0
    assert results.summary()["us_per_step"] == pytest.approx(results.wall_s / 100 * 1e6)


def test_progress_is_reported_on_the_way(endless: Runner) -> None:
    seen: list[Progress] = []

    def look(progress: Progress) -> None:
        seen.append(progress)
        if progress.steps > 2000:
            endless.stop()

    results: Results = run_to_end(endless, look)
    assert results.ended == "stopped"
    last = seen[-1]
    assert last.t == pytest.approx(last.steps * 0.01, rel=0.5)
    assert last.t_end == 1e5
    assert last.steps_per_s > 0
    assert last.real_time_factor == pytest.approx(last.t / last.wall_s)
    assert last.time_left == pytest.approx((1e5 - last.t) / last.real_time_factor)
