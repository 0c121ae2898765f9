"""Run controls: what each button says and does in each state, and the fields that edit the model's settings."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from linkwright_app.solve.run_bar import RunBar
from linkwright_app.solve.run_card import duration, run_card_text


@pytest.fixture
def bar(desk: Any, qtbot: QtBot) -> RunBar:
    made = RunBar(desk.store, desk.runs)
    qtbot.addWidget(made)
    made.show()
    qtbot.waitExposed(made)
    return made


def enabled(bar: RunBar) -> set[str]:
    return {name.removeprefix("run.") for name, action in bar.command_actions.items() if action.isEnabled()}


def test_faces_of_the_main_button(bar: RunBar, desk: Any, qtbot: QtBot) -> None:
    seen = []

    def look() -> None:
        # The shape alone: colours differ with the kind of the button.
        picture = bar.main.icon().pixmap(16, 16).toImage().convertToFormat(QImage.Format.Format_Alpha8)
        seen.append((bar.main.text(), bar.main.property("kind"), bytes(picture.constBits())))

    look()
    desk.scripted.hold_at = 20
    bar.main.click()
    look()
    bar.main.click()
    qtbot.waitUntil(lambda: desk.runs.state == "paused", timeout=2000)
    look()
    bar.main.click()
    qtbot.waitUntil(lambda: desk.runs.state == "running", timeout=2000)
    look()
    assert [(text, kind) for text, kind, _ in seen] == [
        ("Run", "primary"),
        ("Pause", ""),
        ("Continue", "primary"),
        ("Pause", ""),
    ]
    # Run and Continue share the triangle; Pause has another picture.
    assert seen[0][2] == seen[2][2] != seen[1][2]


def test_what_can_be_done_in_each_state(bar: RunBar, desk: Any, qtbot: QtBot) -> None:
    assert enabled(bar) == {"start", "step"}
    desk.scripted.hold_at = 20
    bar.command_actions["run.start"].trigger()
    assert enabled(bar) == {"pause", "stop", "reset"}
    assert not bar.t_end.isEnabled()
    bar.command_actions["run.pause"].trigger()
    qtbot.waitUntil(lambda: desk.runs.state == "paused", timeout=2000)
    assert enabled(bar) == {"pause", "stop", "step", "reset"}
    assert bar.command_actions["run.pause"].text() == "Continue"
    with qtbot.waitSignal(desk.runs.finished, timeout=2000):
        bar.stop.click()
        assert bar.main.text() == "Stopping"
        assert not bar.main.isEnabled()
    assert enabled(bar) == {"start", "step", "reset"}
    assert bar.main.text() == "Run"


def test_stop_is_red_only_when_it_does_something(bar: RunBar, desk: Any, qtbot: QtBot) -> None:
    assert not bar.stop.isEnabled()
    assert bar.stop.property("kind") == ""
    desk.scripted.hold_at = 20
    desk.runs.start()
    assert bar.stop.isEnabled()
    assert bar.stop.property("kind") == "danger"


def test_step_once_and_reset(bar: RunBar, desk: Any, qtbot: QtBot) -> None:
    bar.command_actions["run.step"].trigger()
    qtbot.waitUntil(lambda: desk.runs.current.history.n_step == 1, timeout=2000)
    assert bar.main.text() == "Continue"
    bar.command_actions["run.reset"].trigger()
    assert desk.runs.state == "idle"
    assert desk.cursor.t == 0.0


def test_fields_show_and_set_the_settings_of_the_model(bar: RunBar, desk: Any) -> None:
    assert (bar.t_end.text(), bar.h.text()) == ("1", "10")
    bar.h.selectAll()
    QTest.keyClicks(bar.h, "5")
    bar.h.editingFinished.emit()
    assert desk.store.mechanism.settings.h == pytest.approx(0.005)
    bar.t_end.selectAll()
    QTest.keyClicks(bar.t_end, "2,5 s")
    bar.t_end.editingFinished.emit()
    assert desk.store.mechanism.settings.t_end == 2.5
    desk.store.undo()
    desk.store.undo()
    assert (bar.t_end.value, bar.h.value) == (1.0, 0.01)


@pytest.mark.parametrize("text", ["-1", "nonsense", "0", "5000"])
def test_bad_steps_are_refused_and_stay_in_the_field(bar: RunBar, desk: Any, text: str) -> None:
    bar.h.selectAll()
    QTest.keyClicks(bar.h, text)
    bar.h.editingFinished.emit()
    assert bar.h.has_error
    assert bar.h.toolTip()
    assert bar.h.text() == text
    assert desk.store.mechanism.settings.h == 0.01


def test_keys(bar: RunBar) -> None:
    keys = {name: action.shortcut().toString() for name, action in bar.command_actions.items()}
    assert keys == {
        "run.start": "F5",
        "run.pause": "F6",
        "run.stop": "Shift+F5",
        "run.step": "F10",
        "run.reset": "Ctrl+Home",
    }


def test_engine_list_tells_what_each_is_for(bar: RunBar) -> None:
    assert bar.engine.itemText(0) == "Newmark implicit"
    assert bar.engine.toolTip()


def test_card_says_how_far_the_run_is(desk: Any, qtbot: QtBot) -> None:
    desk.scripted.hold_at = 73
    desk.scripted.steps_per_s = 1000.0
    entry = desk.runs.start({"jacobian": "M1"}, "B")
    qtbot.waitUntil(lambda: entry.history.n_step == 73, timeout=3000)
    text = run_card_text(entry)
    assert (text.title, text.place) == ("Run B  ·  M1 only", "step 73 of 100")
    assert text.share == pytest.approx(0.73)
    assert text.rows == (
        ("1\u202f000 steps/s", "real time ×10"),
        ("time left", "0.03 s"),
        ("iterations, last step", "6"),
    )
    desk.runs.set_option("jacobian", "M1+M3")
    desk.runs.pause()
    qtbot.waitUntil(lambda: desk.runs.state == "paused", timeout=2000)
    assert run_card_text(entry).title == "Run B  ·  paused"


def test_card_before_the_first_step(desk: Any, qtbot: QtBot) -> None:
    desk.scripted.hold_at = 0
    text = run_card_text(desk.runs.start())
    assert text.place == "step 0 of 100"
    assert text.rows[2] == ("iterations, last step", "0")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.27, "0.27 s"),
        (12.4, "12 s"),
        (185.0, "3 min 5 s"),
        (7300.0, "2 h 1 min"),
        (float("nan"), "–"),
        (-1.0, "–"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text
