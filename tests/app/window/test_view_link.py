"""The 3D view and the services: clicks select, the pose follows the time, the corner tells the facts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from linkwright.document.commands import SetField
from linkwright.errors import RunError
from linkwright_app.window.main_window import MainWindow
from linkwright_app.window.session import Session
from linkwright_app.window.tokens import DARK, LIGHT


@pytest.fixture
def session(frame: MainWindow, scripted: Any) -> Session:
    """A window with everything, the sample open."""
    made = Session(frame)
    made.run_service._make_runner = scripted
    made.add_view()
    made.add_plots()
    made.open_sample("slider-crank-sda")
    return made


@pytest.fixture
def view(session: Session) -> Any:
    return session.viewport


def test_click_in_the_view_selects_everywhere(session: Session, view: Any) -> None:
    view.picked.emit("link1", Qt.KeyboardModifier.NoModifier)
    view.picked.emit("slider", Qt.KeyboardModifier.ControlModifier)
    both = session.selection.ids
    rows = {index.data() for index in session.tree.view.selectionModel().selectedIndexes()}
    view.picked.emit("", Qt.KeyboardModifier.NoModifier)
    assert (both, session.selection.ids) == (("link1", "slider"), ())
    assert rows == {"Crank", "Slider"}


def test_selection_is_outlined_and_named_in_the_corner(session: Session, view: Any) -> None:
    session.selection.set(("link2",))
    assert view._frames.composer.selection == ("link2",)
    assert [step.text for step in view.breadcrumb._steps] == ["Slider-crank with spring", "Bodies", "Rod"]
    session.selection.set(("ground",))
    assert [step.text for step in view.breadcrumb._steps][-1] == "Ground"


def test_view_shows_the_edited_document(session: Session, view: Any) -> None:
    session.store.do(SetField("slider", "position", (4.0, 0.0, 0.0)))
    shown = next(body for body in view.scene.mechanism.bodies if body.id == "slider")
    assert shown.position == (4.0, 0.0, 0.0)
    session.store.undo()
    assert view.scene.mechanism == session.store.evaluated


def test_pose_follows_the_time_cursor(session: Session, view: Any, qtbot: QtBot, monkeypatch: Any) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(view, "set_poses", seen.append)
    with qtbot.waitSignal(session.run_service.finished, timeout=5000):
        session.run_service.start()
    session.time_cursor.pause()
    session.time_cursor.set_t(0.5)
    entry: Any = session.run_service.current
    assert np.array_equal(seen[-1], entry.history.poses_at(0.5))
    assert "t = 0.500 s" in view.status._parts
    session.run_service.show_run(None)
    assert seen[-1] is None
    assert "21 coordinates" in view.status._parts


def test_run_card_is_there_while_a_run_goes_on(
    session: Session, view: Any, scripted: Any, qtbot: QtBot
) -> None:
    scripted.hold_at = 30
    session.run_service.start()
    qtbot.waitUntil(view.run_card.isVisible)
    assert view._moving
    session.run_service.stop()
    qtbot.waitUntil(lambda: not view.run_card.isVisible())
    assert not view._moving


def test_failed_element_is_marked_until_the_next_run(session: Session, view: Any, qtbot: QtBot) -> None:
    session.run_service.failed.emit(RunError("No.", "link1", 1, 0.0))
    assert view._frames.composer.fault == "link1"
    with qtbot.waitSignal(session.run_service.finished, timeout=5000):
        session.run_service.start()
    assert view._frames.composer.fault == ""


def test_theme_reaches_the_view(session: Session, view: Any) -> None:
    session.window.choose_theme("dark")
    assert view.scene.theme.tokens is DARK
    session.window.choose_theme("light")
    assert view.scene.theme.tokens is LIGHT


def test_keys_work_in_the_view_and_only_there(session: Session, view: Any, monkeypatch: Any) -> None:
    called: list[str] = []
    monkeypatch.setattr(view, "standard_view", called.append)
    session.window.activateWindow()
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_7)
    QTest.keyClick(view, Qt.Key.Key_1)
    session.tree.filter.setFocus()
    QTest.keyClicks(session.tree.filter, "37")
    assert called == ["top", "front"]
    assert session.tree.filter.text() == "37"


def test_space_replays_in_the_view(session: Session, view: Any, qtbot: QtBot) -> None:
    with qtbot.waitSignal(session.run_service.finished, timeout=5000):
        session.run_service.start()
    session.time_cursor.pause()
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Space)
    assert session.time_cursor.playing
    QTest.keyClick(view, Qt.Key.Key_Space)
    assert not session.time_cursor.playing
