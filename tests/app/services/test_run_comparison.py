"""A against B: differences are found where they are, judged by their size, and counted while the runs go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from linkwright.document.commands import SetField
from linkwright_app.services.iteration_tally import IterationTally
from linkwright_app.services.run_comparison import RELATIVE_TOLERANCE, RunComparison


def pair(
    desk: Any, run_to_end: Callable[..., Any], change: Callable[[Any], None] | None = None
) -> RunComparison:
    a = run_to_end()
    whole = desk.scripted.script

    def script(variant: str) -> Any:
        run = whole(variant)
        if change is not None:
            change(run)
        return run

    desk.scripted.script = script
    b = run_to_end({"jacobian": "M1"}, "B")
    comparison = RunComparison(a, b)
    comparison.update()
    return comparison


def test_equal_motions_agree(desk: Any, run_to_end: Callable[..., Any]) -> None:
    comparison = pair(desk, run_to_end)
    assert comparison.comparable
    assert comparison.agree
    assert (comparison.position, comparison.orientation) == (0.0, 0.0)
    assert comparison.n_frame == 101


def test_tolerance_is_a_share_of_the_motion(desk: Any, run_to_end: Callable[..., Any]) -> None:
    comparison = pair(desk, run_to_end)
    x = desk.scripted.made[0].script.poses[:, 2, 0]
    # The slider moves farthest.
    assert comparison.position_tolerance == pytest.approx(RELATIVE_TOLERANCE * np.abs(x - x[0]).max())


def test_a_moved_body_is_named(desk: Any, run_to_end: Callable[..., Any]) -> None:
    def change(run: Any) -> None:
        run.poses[40, 1, :3] += (3e-3, 0.0, 4e-3)

    comparison = pair(desk, run_to_end, change)
    assert comparison.position == pytest.approx(5e-3)
    assert comparison.body == "link2"
    assert not comparison.agree


def test_a_turned_body_is_found_although_its_place_is_the_same(
    desk: Any, run_to_end: Callable[..., Any]
) -> None:
    def change(run: Any) -> None:
        run.poses[:, 2, 3:] = (np.cos(5e-4), 0.0, 0.0, -np.sin(5e-4))

    comparison = pair(desk, run_to_end, change)
    assert comparison.position == 0.0
    assert comparison.orientation == pytest.approx(1e-3, rel=1e-9)
    assert not comparison.agree


def test_opposite_euler_parameters_are_the_same_orientation(
    desk: Any, run_to_end: Callable[..., Any]
) -> None:
    def change(run: Any) -> None:
        run.poses[:, :, 3:] *= -1.0

    assert pair(desk, run_to_end, change).agree


def test_tiny_angles_keep_their_digits(desk: Any, run_to_end: Callable[..., Any]) -> None:
    def change(run: Any) -> None:
        run.poses[:, 2, 3:] = (1.0, 0.0, 0.0, 5e-13)

    assert pair(desk, run_to_end, change).orientation == pytest.approx(1e-12, rel=1e-3)


def test_a_number_that_is_none_never_agrees(desk: Any, run_to_end: Callable[..., Any]) -> None:
    def change(run: Any) -> None:
        run.poses[50, 0, 0] = np.nan

    comparison = pair(desk, run_to_end, change)
    assert not comparison.agree
    assert comparison.body == "link1"


def test_frames_at_other_times_are_not_compared(desk: Any, run_to_end: Callable[..., Any]) -> None:
    def change(run: Any) -> None:
        run.frame_t *= 0.5

    comparison = pair(desk, run_to_end, change)
    assert not comparison.comparable


def test_each_frame_is_compared_once_while_b_goes_on(
    desk: Any, qtbot: QtBot, run_to_end: Callable[..., Any]
) -> None:
    a = run_to_end()
    desk.scripted.hold_at = 30
    b = desk.runs.start({"jacobian": "M1"}, "B")
    qtbot.waitUntil(lambda: b.history.n_step == 30, timeout=2000)
    comparison = RunComparison(a, b)
    assert comparison.update()
    assert comparison.n_frame == 31
    assert not comparison.update()


def test_what_makes_a_problem_the_same(desk: Any, qtbot: QtBot, run_to_end: Callable[..., Any]) -> None:
    a = run_to_end()
    b = run_to_end({"jacobian": "M1"}, "B")
    assert a.same_problem(b)
    desk.store.do(SetField(None, "settings.newmark.jacobian", "M1+M2"))
    assert a.same_problem(run_to_end())
    desk.store.do(SetField(None, "title", "Another title"))
    assert a.same_problem(run_to_end())
    desk.store.do(SetField(None, "settings.newmark.gamma", 0.6))
    assert not a.same_problem(run_to_end())
    desk.store.undo()
    desk.store.do(SetField("k", "value", 1.0))
    assert not a.same_problem(run_to_end())


def test_a_parameter_changed_on_the_way_makes_another_problem(
    desk: Any, qtbot: QtBot, run_to_end: Callable[..., Any]
) -> None:
    a = run_to_end()
    desk.scripted.hold_at = 20
    b = desk.runs.start({"jacobian": "M1"}, "B")
    assert a.same_problem(b)
    desk.runs.set_parameter("k", 3e4)
    assert not a.same_problem(b)
    assert not b.same_problem(a)


@pytest.mark.parametrize("pieces", [[100], [1, 2, 3, 94], [0, 50, 50, 0]])
def test_tally_in_pieces_equals_the_whole(
    desk: Any, run_to_end: Callable[..., Any], pieces: list[int]
) -> None:
    entry = run_to_end({"jacobian": "M1"}, "B")
    solves = entry.runner.script.steps[:, 3].astype(int)
    tally = IterationTally(entry.history, "solves")
    upto = 0
    for n in pieces:
        upto += n
        tally.update(upto)
        assert tally.n_step == upto
    assert tally.total == solves.sum()
    assert tally.mean == pytest.approx(solves.mean())
    assert tally.largest == solves.max()
    assert np.array_equal(tally.counts, np.bincount(solves))


def test_tally_of_no_steps(desk: Any, qtbot: QtBot) -> None:
    desk.scripted.hold_at = 0
    tally = IterationTally(desk.runs.start().history, "solves")
    assert not tally.update()
    assert np.isnan(tally.mean)
    assert (tally.total, tally.largest) == (0, 0)
