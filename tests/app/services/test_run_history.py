"""Reading a run that grows: times, steps, and poses between two frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pytestqt.qtbot import QtBot


def turned_about_z(angle: float) -> NDArray[np.float64]:
    return np.array([np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)])


def test_times_grow_with_the_run(desk: Any, qtbot: QtBot) -> None:
    desk.scripted.hold_at = 10
    entry = desk.runs.start()
    qtbot.waitUntil(lambda: entry.history.n_step == 10, timeout=2000)
    assert np.allclose(entry.history.frame_times(), np.arange(11) * 0.01, atol=1e-15)
    desk.scripted.made[-1].hold_at = None
    qtbot.waitUntil(lambda: entry.history.n_step == 100, timeout=2000)
    assert np.allclose(entry.history.frame_times(), np.arange(101) * 0.01, atol=1e-15)
    assert np.allclose(entry.history.step_times(), np.arange(1, 101) * 0.01, atol=1e-15)
    assert entry.history.t_last == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("t", "step"), [(0.0, 0), (0.005, 0), (0.01, 0), (0.0101, 1), (0.73, 72), (0.995, 99), (1.0, 99)]
)
def test_a_time_belongs_to_the_step_that_leads_to_it(
    run_to_end: Callable[..., Any], t: float, step: int
) -> None:
    assert run_to_end().history.step_index(t) == step


def test_before_the_first_step_there_is_none(desk: Any, qtbot: QtBot) -> None:
    desk.scripted.hold_at = 0
    assert desk.runs.start().history.step_index(0.0) is None


def test_poses_at_frames_and_between_them(run_to_end: Callable[..., Any]) -> None:
    entry = run_to_end()
    poses = entry.runner.script.poses
    for t, want in ((0.0, poses[0]), (0.3, poses[30]), (1.0, poses[100]), (5.0, poses[100])):
        got = entry.history.poses_at(t)
        assert np.allclose(got, want, atol=1e-12)
    # In the middle the slider is half way, and the crank has turned half of the small angle.
    got = entry.history.poses_at(0.305)
    assert got[2, 0] == pytest.approx((poses[30, 2, 0] + poses[31, 2, 0]) / 2)
    angles = [2 * np.arctan2(p[0, 6], p[0, 3]) for p in poses[30:32]]
    assert np.allclose(got[0, 3:], turned_about_z(sum(angles) / 2), atol=1e-9)
    assert np.allclose(np.linalg.norm(got[:, 3:], axis=1), 1.0, atol=1e-15)


def test_interpolation_takes_the_short_way_round(desk: Any, qtbot: QtBot) -> None:
    whole = desk.scripted.script

    def script(variant: str) -> Any:
        run = whole(variant, 2)
        run.poses[0, 0, 3:] = turned_about_z(0.2)
        run.poses[1, 0, 3:] = -turned_about_z(0.4)
        return run

    desk.scripted.script = script
    with qtbot.waitSignal(desk.runs.finished, timeout=5000):
        entry = desk.runs.start()
    got = entry.history.poses_at(0.005)[0, 3:]
    # Symmetric about the middle, the chord gives the exact half angle.
    assert np.allclose(got, turned_about_z(0.3), atol=1e-12)


def test_chord_error_is_as_small_as_promised() -> None:
    # For 30 degrees between frames, at a quarter of the way: the angle along the chord against a quarter of it.
    turn = np.radians(30.0)
    chord = 0.75 * turned_about_z(0.0) + 0.25 * turned_about_z(turn)
    angle = 2 * np.arctan2(chord[3], chord[0])
    assert abs(angle - turn / 4) < 2e-3 * turn
