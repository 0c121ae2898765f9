"""The main window: opening, editing, undo, saving, stages, runs, closing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QStatusTipEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from linkwright.document.commands import RemoveElement, SetField
from linkwright.errors import LinkwrightError, RunError
from linkwright_app.settings import Settings
from linkwright_app.window import theme
from linkwright_app.window.layouts import BUILD, RESULTS, SOLVE
from linkwright_app.window.main_window import MainWindow
from linkwright_app.window.session import ASK_AFTER, Session
from linkwright_app.window.tokens import DARK, LIGHT


def value_of(session: Session, element_id: str) -> Any:
    """Value of a parameter."""
    parameter: Any = session.store.mechanism.element(element_id)
    return parameter.value


def dock_of(session: Session) -> Any:
    """Dock of the tree."""
    return session.tree.parentWidget()


def test_frame_starts_with_the_welcome_page_and_without_document(frame: MainWindow) -> None:
    assert frame.on_welcome_page
    assert frame.session is None
    assert not frame.top_bar.tool_row.isVisible()
    assert not frame.actions_["save"].isEnabled()
    assert frame.top_bar.title.text() == "Welcome"


def test_first_paint_is_told_once(
    qtbot: QtBot, frame: MainWindow, settings: Settings, log_handler: Any
) -> None:
    window = MainWindow(settings, log_handler)
    heard: list[int] = []
    window.first_painted.connect(lambda: heard.append(1))
    window.show()
    qtbot.waitUntil(lambda: heard == [1])
    window.update()
    qtbot.wait(50)
    assert heard == [1]
    window.close()
    window.deleteLater()


def test_sample_opens_as_an_unnamed_copy(window: MainWindow, session: Session) -> None:
    window.welcome.sample_chosen.emit("pendulum")
    assert not window.on_welcome_page
    assert session.store.path is None
    assert not session.store.modified
    assert window.top_bar.title.text() == "pendulum.lwk"
    assert window.layouts.stage == BUILD
    assert session.tree.isVisible()
    assert session.side.page == "properties"


def test_edit_undo_redo_and_their_names(opened: MainWindow, session: Session) -> None:
    undo, redo = opened.actions_["undo"], opened.actions_["redo"]
    assert not undo.isEnabled()
    session.selection.set(("k",))
    editor: Any = session.properties.form.row_of("value").editor
    field = editor.field
    field.setFocus()
    field.setText("3e4")
    field.setModified(True)
    field.editingFinished.emit()
    assert value_of(session, "k") == 3e4
    assert undo.text() == "&Undo Set Value of Stiffness k"
    assert opened.isWindowModified()
    undo.trigger()
    assert value_of(session, "k") == 2e4
    assert field.value == 2e4
    assert redo.text() == "&Redo Set Value of Stiffness k"
    redo.trigger()
    assert field.value == 3e4


def test_save_reopen_and_recent(opened: MainWindow, session: Session, tmp_path: Path) -> None:
    target = tmp_path / "my model.lwk"
    session.documents.ask_save_path = lambda proposed: str(target)
    session.store.do(SetField("c", "value", 77.0))
    opened.actions_["save"].trigger()
    assert target.is_file()
    assert opened.top_bar.title.text() == "my model.lwk"
    assert opened.top_bar.note.text().startswith("saved ")
    assert not opened.actions_["save"].isEnabled()
    opened.actions_["new"].trigger()
    assert list(session.store.mechanism.elements()) == []
    opened.show_welcome()
    (recent,) = opened.welcome.recent_rows
    recent.click()
    assert value_of(session, "c") == 77.0
    assert session.store.path == target


def test_name_without_ending_gets_one(session: Session, opened: MainWindow, tmp_path: Path) -> None:
    session.documents.ask_save_path = lambda proposed: str(tmp_path / "crank")
    assert session.documents.save_as()
    assert session.store.path == tmp_path / "crank.lwk"


def test_file_that_is_gone_leaves_the_recent_list(
    window: MainWindow, session: Session, sample_file: Path, settings: Settings
) -> None:
    assert session.documents.open_path(sample_file)
    sample_file.unlink()
    assert not session.documents.open_path(sample_file)
    assert settings.recent_files == []
    assert "was not opened" in window.notices.shown[-1].text


def test_bad_file_is_told_and_nothing_changes(opened: MainWindow, session: Session, tmp_path: Path) -> None:
    before = session.store.mechanism
    bad = tmp_path / "bad.lwk"
    bad.write_text("not json", encoding="utf-8")
    assert not session.documents.open_path(bad)
    assert session.store.mechanism is before
    notice = opened.notices.shown[-1]
    assert notice.tone == "bad"
    assert notice.text.startswith("bad.lwk was not opened.")


@pytest.mark.parametrize(("answer", "gone"), [("cancel", False), ("discard", True), ("save", True)])
def test_changes_are_asked_about(
    opened: MainWindow, session: Session, tmp_path: Path, answer: str, gone: bool
) -> None:
    target = tmp_path / "kept.lwk"
    session.documents.ask = lambda parent, name: answer
    session.documents.ask_save_path = lambda proposed: str(target)
    session.store.do(SetField("k", "value", 1.0))
    opened.actions_["new"].trigger()
    assert (not list(session.store.mechanism.elements())) == gone
    assert target.exists() == (answer == "save")


def test_stages_switch_panels(opened: MainWindow, session: Session, qtbot: QtBot) -> None:
    plots: Any = session.plots
    assert plots.collapsed
    opened.actions_["stage_solve"].trigger()
    assert (opened.top_bar.stages.current, session.side.page) == (SOLVE, "jacobian")
    qtbot.waitUntil(lambda: not plots.collapsed and plots.height() > 150)
    opened.set_stage(RESULTS)
    assert (opened.top_bar.stages.current, session.side.page) == (RESULTS, "properties")
    opened.set_stage(BUILD)
    assert plots.collapsed


def test_folding_the_plots_is_remembered_for_the_stage(opened: MainWindow, session: Session) -> None:
    assert session.plots is not None
    opened.set_stage(SOLVE)
    session.plots.set_collapsed(True)
    opened.set_stage(BUILD)
    opened.set_stage(SOLVE)
    assert session.plots.collapsed


def test_reset_layout_brings_panels_back(opened: MainWindow, session: Session) -> None:
    dock_of(session).hide()
    assert not session.tree.isVisible()
    opened.actions_["reset_layout"].trigger()
    assert session.tree.isVisible()


def test_locked_panels_cannot_float(opened: MainWindow, session: Session) -> None:
    dock = dock_of(session)
    opened.actions_["lock_layout"].trigger()
    assert not dock.features() & dock.DockWidgetFeature.DockWidgetFloatable
    opened.actions_["lock_layout"].trigger()
    assert dock.features() & dock.DockWidgetFeature.DockWidgetFloatable


def test_theme_is_switched_and_remembered(opened: MainWindow, session: Session, settings: Settings) -> None:
    opened.actions_["theme_dark"].trigger()
    assert theme.tokens() is DARK
    assert settings.theme == "dark"
    assert opened.palette().window().color().name().upper() == DARK.window
    opened.actions_["theme_light"].trigger()
    assert theme.tokens() is LIGHT
    assert opened.palette().window().color().name().upper() == LIGHT.window


def test_run_goes_through_the_window(opened: MainWindow, session: Session, qtbot: QtBot) -> None:
    with qtbot.waitSignal(session.run_service.finished, timeout=5000):
        opened.actions_["run.start"].trigger()
        assert opened.layouts.stage == SOLVE
    text = opened.notices.shown[-1].text
    assert text.startswith("Run A is complete.\n100 steps in ")
    assert "2.00 iterations a step" in text
    assert opened.actions_["export_results"].isEnabled()


def test_structure_is_locked_while_running(
    opened: MainWindow, session: Session, scripted: Any, qtbot: QtBot
) -> None:
    scripted.hold_at = 30
    session.selection.set(("link1",))
    session.run_service.start()
    qtbot.waitUntil(lambda: session.run_service.state == "running")
    assert not opened.actions_["delete"].isEnabled()
    assert not session.properties.form.row_of("position").isEnabled()
    assert session.properties.form.row_of("color").isEnabled()
    session.selection.set(("k",))
    assert session.properties.form.row_of("value").isEnabled()
    with qtbot.waitSignal(session.run_service.finished, timeout=5000):
        opened.actions_["run.stop"].trigger()
    session.selection.set(("link1",))
    assert opened.actions_["delete"].isEnabled()
    assert session.properties.form.row_of("position").isEnabled()


def test_failed_run_selects_its_element_and_says_why(opened: MainWindow, session: Session) -> None:
    spring = next(force.id for force in session.store.mechanism.forces if force.type == "sda")
    session.run_service.failed.emit(RunError("Step 42 did not converge.", spring, 42, 0.42))
    assert session.selection.ids == (spring,)
    notice = opened.notices.shown[-1]
    assert notice.tone == "bad"
    assert notice.text == "Step 42 did not converge."
    session.selection.clear()
    notice.buttons[0].click()
    assert session.selection.ids == (spring,)


def test_failed_step_offers_ways_out(
    opened: MainWindow, session: Session, scripted: Any, qtbot: QtBot
) -> None:
    session.store.do(SetField(None, "settings.newmark.jacobian", "M1"))
    with qtbot.waitSignal(session.run_service.finished, timeout=5000):
        session.run_service.start()
    session.run_service.failed.emit(RunError("Step 42 did not converge.", None, 42, 0.42))
    matrix, step, copy = opened.notices.shown[-1].buttons
    assert (matrix.text(), step.text(), copy.text()) == ("Turn on M2 and M3", "Step 5 ms", "Copy")
    with qtbot.waitSignal(session.run_service.finished, timeout=5000):
        matrix.click()
    assert session.store.mechanism.settings.newmark.jacobian == "M1+M2+M3"
    session.run_service.failed.emit(RunError("Step 42 did not converge.", None, 42, 0.42))
    step, copy = opened.notices.shown[-1].buttons
    with qtbot.waitSignal(session.run_service.finished, timeout=5000):
        step.click()
    assert session.store.mechanism.settings.h == 0.005


def test_close_during_a_run_stops_it(
    opened: MainWindow, session: Session, scripted: Any, qtbot: QtBot
) -> None:
    scripted.hold_at = 30
    session.run_service.start()
    qtbot.waitUntil(lambda: session.run_service.state == "running")
    runner = scripted.made[-1]
    assert opened.close()
    assert runner.join(2.0)
    assert runner.state == "stopped"


def test_services_end_with_the_session(
    opened: MainWindow, session: Session, scripted: Any, qtbot: QtBot
) -> None:
    scripted.hold_at = 30
    session.run_service.start()
    qtbot.waitUntil(lambda: session.run_service.state == "running")
    session.close()
    assert scripted.made[-1].join(0.0)
    assert not session.checks.busy


def test_long_run_is_not_lost_without_a_question(
    opened: MainWindow, session: Session, scripted: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted.hold_at = 30
    session.run_service.start()
    qtbot.waitUntil(lambda: session.run_service.state == "running")
    progress = type(scripted.made[-1]).progress
    monkeypatch.setattr(
        type(scripted.made[-1]),
        "progress",
        property(lambda self: _later(progress.fget(self), ASK_AFTER + 1.0)),
    )
    session.ask_to_stop = lambda parent: False
    assert not opened.close()
    assert session.run_service.is_live
    session.ask_to_stop = lambda parent: True
    assert opened.close()


def _later(progress: Any, wall: float) -> Any:
    progress.wall_s = wall
    return progress


def test_close_keeps_the_document_when_asked_to(opened: MainWindow, session: Session) -> None:
    session.store.do(SetField("k", "value", 1.0))
    session.documents.ask = lambda parent, name: "cancel"
    assert not opened.close()
    session.documents.ask = lambda parent, name: "discard"
    assert opened.close()


def test_layout_and_geometry_come_back(
    opened: MainWindow, session: Session, make_window: Any, add_session: Any, qtbot: QtBot
) -> None:
    opened.resize(1280, 640)
    dock_of(session).hide()
    opened.close()
    other = make_window()
    again = add_session(other)
    assert other.height() == 640
    again.open_sample("pendulum")
    assert again.side.isVisible()
    assert not again.tree.isVisible()


def test_panel_that_arrives_late_takes_its_place(frame: MainWindow, scripted: Any, qtbot: QtBot) -> None:
    """With a model on the command line, the workspace is shown before the plots are there."""
    session = Session(frame)
    session.run_service._make_runner = scripted
    frame.show_workspace()
    session.add_plots()
    plots: Any = session.plots
    assert plots.isVisible()
    timeline: Any = session.timeline
    qtbot.waitUntil(timeline.isVisible)
    session.open_sample("pendulum")
    assert plots.isVisible()


def test_error_without_element_has_no_show_button(opened: MainWindow) -> None:
    notice = opened.tell_error(LinkwrightError("Something is wrong."))
    assert [button.text() for button in notice.buttons] == ["Copy"]
    notice.buttons[0].click()
    assert QApplication.clipboard().text() == "Something is wrong."


def test_help_of_a_command_takes_the_place_of_the_hint(opened: MainWindow) -> None:
    hint = opened.status.hint.text()
    QApplication.sendEvent(opened, QStatusTipEvent("What it does."))
    assert opened.status.hint.text() == "What it does."
    QApplication.sendEvent(opened, QStatusTipEvent(""))
    assert opened.status.hint.text() == hint


def test_delete_takes_dependants_in_one_step(opened: MainWindow, session: Session) -> None:
    before = session.store.mechanism
    session.selection.set(("link1",))
    opened.actions_["delete"].trigger()
    assert not session.store.mechanism.has("link1")
    assert all(marker.body != "link1" for marker in session.store.mechanism.markers)
    expected = len(RemoveElement("link1").apply(before).joints)
    assert len(session.store.mechanism.joints) == expected < len(before.joints)
    opened.actions_["undo"].trigger()
    assert session.store.mechanism == before


def test_hide_isolate_show_all(opened: MainWindow, session: Session) -> None:
    def visible() -> list[str]:
        return [body.id for body in session.store.mechanism.bodies if body.visible]

    session.selection.set(("link1",))
    opened.actions_["hide"].trigger()
    assert visible() == ["link2", "slider"]
    opened.actions_["show_all"].trigger()
    assert visible() == ["link1", "link2", "slider"]
    opened.actions_["isolate"].trigger()
    assert visible() == ["link1"]
    opened.actions_["undo"].trigger()
    assert visible() == ["link1", "link2", "slider"]


def test_grip_resizes_its_panel(opened: MainWindow, session: Session, qtbot: QtBot) -> None:
    from linkwright_app.window.grips import Grip

    dock = dock_of(session)
    grip = next(one for one in opened.findChildren(Grip) if one._dock is dock)
    qtbot.waitUntil(grip.isVisible)
    width = dock.width()
    middle = QPoint(3, grip.height() // 2)
    QTest.mousePress(grip, Qt.MouseButton.LeftButton, pos=middle)
    QTest.mouseMove(grip, middle + QPoint(60, 0))
    QTest.mouseRelease(grip, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: dock.width() == width + 60)


@pytest.mark.slow
def test_window_survives_many_opens_and_closes(
    make_window: Any, add_session: Any, scripted: Any, qtbot: QtBot
) -> None:
    for _ in range(20):
        window = make_window()
        session = add_session(window)
        session.open_sample("slider-crank-sda")
        scripted.hold_at = 10
        session.run_service.start()
        qtbot.wait(5)
        assert window.close()
        assert scripted.made[-1].join(2.0)
        window.deleteLater()
        QApplication.sendPostedEvents(window, QEvent.Type.DeferredDelete.value)
