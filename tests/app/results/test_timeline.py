"""The timeline: buttons, keys, slider, events and figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QHBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from linkwright.errors import RunError
from linkwright_app.results.time_slider import EventTick, TimeSlider, nice_step
from linkwright_app.results.timeline import Timeline, speed_text, time_decimals
from linkwright_app.window.tokens import DARK, LIGHT

NO_KEYS = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def timeline(desk: Any, qtbot: QtBot) -> Timeline:
    made = Timeline(desk.runs, desk.cursor, DARK)
    qtbot.addWidget(made)
    made.resize(900, 44)
    made.show()
    qtbot.waitExposed(made)
    return made


def test_without_a_run_there_is_nothing_to_replay(timeline: Timeline) -> None:
    assert not timeline.command_actions["replay.play"].isEnabled()
    assert not timeline.slider.isEnabled()
    assert timeline._now.text() == "t = 0.000 s"
    assert timeline._end.text() == ""


def test_figures_follow_the_cursor(timeline: Timeline, desk: Any, run_to_end: Callable[..., Any]) -> None:
    run_to_end()
    desk.cursor.set_t(0.73)
    assert timeline._now.text() == "t = 0.730 s"
    assert timeline._end.text() == "/ 1.000 s"


def test_every_command(timeline: Timeline, desk: Any, run_to_end: Callable[..., Any]) -> None:
    run_to_end()
    do = timeline.command_actions
    visited = []
    for name in ("first", "next", "on-ten", "previous", "back-ten", "last", "previous"):
        do[f"replay.{name}"].trigger()
        visited.append(round(desk.cursor.t, 9))
    assert visited == [0.0, 0.01, 0.11, 0.1, 0.0, 1.0, 0.99]
    do["replay.faster"].trigger()
    assert timeline._speed.text() == "×2"
    do["replay.slower"].trigger()
    do["replay.slower"].trigger()
    assert timeline._speed.text() == "×1/2"
    do["replay.loop"].trigger()
    assert desk.cursor.loop
    assert do["replay.loop"].isChecked()


def test_play_becomes_pause_in_picture_and_text(
    timeline: Timeline, desk: Any, run_to_end: Callable[..., Any]
) -> None:
    run_to_end()
    play = timeline.command_actions["replay.play"]
    assert play.text() == "Play"
    before = play.icon().pixmap(18, 18).toImage()
    desk.cursor.to_start()
    play.trigger()
    assert play.text() == "Pause"
    assert "Pause" in play.toolTip()
    assert play.icon().pixmap(18, 18).toImage() != before
    play.trigger()
    assert play.text() == "Play"
    assert not desk.cursor.playing


def test_following_a_run_shows_pause_too(timeline: Timeline, desk: Any, qtbot: QtBot) -> None:
    desk.scripted.hold_at = 40
    desk.runs.start()
    qtbot.waitUntil(lambda: desk.cursor.t == pytest.approx(0.4), timeout=2000)
    assert timeline.command_actions["replay.play"].text() == "Pause"
    assert not timeline.command_actions["replay.follow"].isEnabled()
    desk.cursor.set_t(0.1)
    assert timeline.command_actions["replay.play"].text() == "Play"
    timeline.command_actions["replay.follow"].trigger()
    assert desk.cursor.following


@pytest.mark.parametrize(
    ("key", "modifier", "t"),
    [
        (Qt.Key.Key_Right, NO_KEYS, 0.51),
        (Qt.Key.Key_Left, NO_KEYS, 0.49),
        (Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier, 0.6),
        (Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier, 0.4),
        (Qt.Key.Key_Home, NO_KEYS, 0.0),
        (Qt.Key.Key_End, NO_KEYS, 1.0),
    ],
)
def test_keys_work_where_they_were_given(
    desk: Any,
    qtbot: QtBot,
    run_to_end: Callable[..., Any],
    key: Qt.Key,
    modifier: Qt.KeyboardModifier,
    t: float,
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    layout = QHBoxLayout(window)
    view = QWidget()
    view.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    timeline = Timeline(desk.runs, desk.cursor)
    view.addActions(list(timeline.command_actions.values()))
    layout.addWidget(view)
    layout.addWidget(timeline)
    window.show()
    qtbot.waitExposed(window)
    window.activateWindow()
    run_to_end()
    desk.cursor.set_t(0.5)
    view.setFocus()
    qtbot.waitUntil(view.hasFocus, timeout=2000)
    QTest.keyClick(view, key, modifier)
    assert desk.cursor.t == pytest.approx(t)


def test_press_and_drag_on_the_slider(timeline: Timeline, desk: Any, run_to_end: Callable[..., Any]) -> None:
    run_to_end()
    slider = timeline.slider
    QTest.mousePress(slider, Qt.MouseButton.LeftButton, NO_KEYS, QPoint(int(slider.x_of(0.25)), 15))
    assert desk.cursor.t == pytest.approx(0.25, abs=0.003)
    QTest.mouseMove(slider, QPoint(int(slider.x_of(0.8)), 15))
    QTest.mouseRelease(slider, Qt.MouseButton.LeftButton, NO_KEYS, QPoint(int(slider.x_of(0.8)), 15))
    slider.dragged.emit(0.8)
    assert desk.cursor.t == pytest.approx(0.8)


def test_places_and_times_are_each_others_inverse(qtbot: QtBot) -> None:
    slider = TimeSlider()
    qtbot.addWidget(slider)
    slider.resize(600, 36)
    slider.set_range(0.5, 2.0)
    for t in (0.0, 0.3, 1.0, 2.0):
        assert slider.t_at(slider.x_of(t)) == pytest.approx(t)
    assert slider.t_at(-50.0) == 0.0
    assert slider.t_at(5000.0) == 2.0


def test_press_on_an_event_goes_to_its_very_time(qtbot: QtBot) -> None:
    slider = TimeSlider()
    qtbot.addWidget(slider)
    slider.resize(600, 36)
    slider.set_range(2.0, 2.0)
    slider.set_events([EventTick(0.7071, "flag", "bad", "impact")])
    told: list[float] = []
    slider.dragged.connect(told.append)
    QTest.mousePress(slider, Qt.MouseButton.LeftButton, NO_KEYS, QPoint(int(slider.x_of(0.7071)) + 2, 6))
    assert told == [0.7071]


def test_events_of_the_run_are_ticks(timeline: Timeline, desk: Any, qtbot: QtBot) -> None:
    whole = desk.scripted.script

    def script(variant: str) -> Any:
        run = whole(variant, 41)
        run.failure = RunError("Step 42 did not converge.", "s1", step=42, t=0.41)
        return run

    desk.scripted.script = script
    desk.scripted.hold_at = 20
    desk.runs.start()
    qtbot.waitUntil(lambda: desk.runs.current.history.n_step == 20, timeout=2000)
    desk.runs.set_option("jacobian", "M1+M3")
    with qtbot.waitSignal(desk.runs.failed, timeout=3000):
        desk.scripted.made[-1].hold_at = None
    assert [(e.t, e.shape, e.tone, e.text) for e in timeline.slider.events] == [
        (0.2, "bar", "accent", "M1+M3"),
        (0.41, "flag", "bad", "step failed"),
    ]
    timeline.grab()


@pytest.mark.parametrize(
    ("span", "n", "step"), [(1.0, 10, 0.1), (2.0, 10, 0.2), (0.73, 7, 0.2), (100.0, 3, 50.0)]
)
def test_steps_of_the_labels(span: float, n: int, step: float) -> None:
    assert nice_step(span, n) == pytest.approx(step)


def test_speeds_and_decimals() -> None:
    assert [speed_text(s) for s in (0.125, 0.5, 1.0, 8.0)] == ["×1/8", "×1/2", "×1", "×8"]
    assert [time_decimals(t) for t in (100.0, 1.0, 0.1, 0.01, 0.0)] == [3, 3, 4, 5, 3]


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_theme(timeline: Timeline, run_to_end: Callable[..., Any], tokens: Any) -> None:
    run_to_end()
    timeline.set_theme(tokens)
    timeline.grab()
