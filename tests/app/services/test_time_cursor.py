"""The shared time: following a run, replay, frame steps and events."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from pytestqt.qtbot import QtBot


def test_follows_a_run_until_somebody_moves_it(desk: Any, qtbot: QtBot) -> None:
    desk.scripted.hold_at = 50
    desk.runs.start()
    assert desk.cursor.following
    qtbot.waitUntil(lambda: desk.cursor.t == pytest.approx(0.5), timeout=2000)
    desk.cursor.set_t(0.2)
    assert not desk.cursor.following
    desk.scripted.made[-1].hold_at = 60
    qtbot.wait(120)
    assert desk.cursor.t == pytest.approx(0.2)
    desk.cursor.to_end()
    assert desk.cursor.following
    assert desk.cursor.t == pytest.approx(0.6)


def test_stays_within_what_is_recorded(desk: Any, qtbot: QtBot) -> None:
    desk.scripted.hold_at = 50
    desk.runs.start()
    qtbot.waitUntil(lambda: desk.cursor.t_last == pytest.approx(0.5), timeout=2000)
    desk.cursor.set_t(7.0)
    assert desk.cursor.t == pytest.approx(0.5)
    desk.cursor.set_t(-1.0)
    assert desk.cursor.t == 0.0
    assert desk.cursor.t_end == 1.0


def test_steps_go_from_frame_to_frame(desk: Any, run_to_end: Callable[..., Any]) -> None:
    run_to_end()
    desk.cursor.set_t(0.5)
    desk.cursor.step(1)
    assert desk.cursor.t == pytest.approx(0.51)
    desk.cursor.step(-1)
    assert desk.cursor.t == pytest.approx(0.5)
    desk.cursor.step(10)
    assert desk.cursor.t == pytest.approx(0.6)
    desk.cursor.set_t(0.555)
    desk.cursor.step(1)
    assert desk.cursor.t == pytest.approx(0.56)
    desk.cursor.set_t(0.555)
    desk.cursor.step(-1)
    assert desk.cursor.t == pytest.approx(0.55)
    desk.cursor.to_end()
    desk.cursor.step(1)
    assert desk.cursor.t == pytest.approx(1.0)
    desk.cursor.to_start()
    desk.cursor.step(-1)
    assert desk.cursor.t == 0.0


def test_every_frame_is_met_once_going_up_and_down(desk: Any, run_to_end: Callable[..., Any]) -> None:
    entry = run_to_end()
    times = entry.history.frame_times()
    desk.cursor.to_start()
    for t in times[1:]:
        desk.cursor.step(1)
        assert desk.cursor.t == t
    for t in times[-2::-1]:
        desk.cursor.step(-1)
        assert desk.cursor.t == t


def test_replay_runs_at_its_speed_and_stops_at_the_end(
    desk: Any, qtbot: QtBot, run_to_end: Callable[..., Any]
) -> None:
    run_to_end()
    desk.cursor.set_speed(8.0)
    seen: list[float] = []
    desk.cursor.moved.connect(seen.append)
    desk.cursor.play()
    assert desk.cursor.t == 0.0
    qtbot.waitUntil(lambda: not desk.cursor.playing, timeout=3000)
    assert desk.cursor.t == pytest.approx(1.0)
    assert seen == sorted(seen)
    assert len(seen) > 2


def test_loop_begins_again(desk: Any, qtbot: QtBot, run_to_end: Callable[..., Any]) -> None:
    run_to_end()
    desk.cursor.set_speed(8.0)
    desk.cursor.set_loop(True)
    seen: list[float] = []
    desk.cursor.moved.connect(seen.append)
    desk.cursor.play()
    qtbot.waitUntil(lambda: any(b < a for a, b in itertools.pairwise(seen[1:])), timeout=3000)
    assert desk.cursor.playing
    desk.cursor.toggle()
    assert not desk.cursor.playing


def test_speed_doubles_and_halves_within_its_bounds(desk: Any) -> None:
    for _ in range(9):
        desk.cursor.faster()
    assert desk.cursor.speed == 8.0
    for _ in range(9):
        desk.cursor.slower()
    assert desk.cursor.speed == 0.125


def test_jumps_between_events(desk: Any, qtbot: QtBot) -> None:
    desk.scripted.hold_at = 20
    entry = desk.runs.start()
    qtbot.waitUntil(lambda: entry.history.n_step == 20, timeout=2000)
    desk.runs.set_parameter("k", 1e4)
    desk.scripted.made[-1].hold_at = 60
    qtbot.waitUntil(lambda: entry.history.n_step == 60, timeout=2000)
    desk.runs.set_parameter("k", 2e4)
    desk.scripted.made[-1].hold_at = None
    qtbot.waitUntil(lambda: not desk.runs.is_live, timeout=2000)
    desk.cursor.to_start()
    visited = []
    for direction in (1, 1, 1, -1, -1):
        desk.cursor.to_event(direction)
        visited.append(round(desk.cursor.t, 9))
    assert visited == [0.2, 0.6, 0.6, 0.2, 0.2]


def test_reset_goes_back_to_the_start(desk: Any, qtbot: QtBot) -> None:
    desk.scripted.hold_at = 50
    desk.runs.start()
    qtbot.waitUntil(lambda: desk.cursor.t == pytest.approx(0.5), timeout=2000)
    desk.runs.reset()
    assert not desk.runs.is_live
    assert desk.cursor.t == 0.0
    assert not desk.cursor.following


def test_nothing_to_play_without_a_run(desk: Any) -> None:
    desk.cursor.play()
    desk.cursor.step(1)
    desk.cursor.to_event(1)
    desk.cursor.set_t(1.0)
    assert not desk.cursor.playing
    assert desk.cursor.t == 0.0
