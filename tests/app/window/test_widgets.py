"""Segmented switch, notices, log panel, command palette, small things."""

from __future__ import annotations

import logging
import threading
from datetime import date, datetime
from typing import Any

import pytest
from PySide6.QtCore import QLocale, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from linkwright_app.window import notices as notices_module
from linkwright_app.window.command_palette import CommandPalette, rank
from linkwright_app.window.log_panel import LogHandler, LogPanel
from linkwright_app.window.main_window import MainWindow
from linkwright_app.window.model_cards import when_text
from linkwright_app.window.notices import MAX_NOTICES, Notices
from linkwright_app.window.sample_list import first_sentence
from linkwright_app.window.widgets import SectionHead, Segmented


def test_segmented_by_mouse_and_keys(qtbot: QtBot) -> None:
    switch = Segmented(["Build", "Solve", "Results"], width=88)
    qtbot.addWidget(switch)
    heard: list[int] = []
    switch.chosen.connect(heard.append)
    QTest.mouseClick(switch, Qt.MouseButton.LeftButton, pos=QPoint(2 + 88 + 40, 10))
    QTest.mouseClick(switch, Qt.MouseButton.LeftButton, pos=QPoint(2 + 88 + 40, 10))
    QTest.keyClick(switch, Qt.Key.Key_Right)
    QTest.keyClick(switch, Qt.Key.Key_Right)
    QTest.keyClick(switch, Qt.Key.Key_Left)
    assert heard == [1, 2, 1]
    assert switch.accessibleName() == "Solve"


def test_segmented_set_from_outside_is_silent(qtbot: QtBot) -> None:
    switch = Segmented(["A", "B"])
    qtbot.addWidget(switch)
    with qtbot.assertNotEmitted(switch.chosen):
        switch.set_current(1)
    assert switch.current == 1


def test_section_head_folds_its_body(qtbot: QtBot) -> None:
    owner = QWidget()
    qtbot.addWidget(owner)
    body = QWidget(owner)
    head = SectionHead("Law", body)
    head.setParent(owner)
    owner.show()
    assert head.text() == "LAW"
    QTest.mouseClick(head, Qt.MouseButton.LeftButton)
    assert not body.isVisible()
    QTest.mouseClick(head, Qt.MouseButton.LeftButton)
    assert body.isVisible()


@pytest.fixture
def over(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(900, 700)
    made.show()
    return made


def test_notices_stack_in_the_lower_right_corner(over: QWidget) -> None:
    stack = Notices(over)
    stack.set_foot(44)
    first = stack.tell("One\nwith more words", "bad")
    second = stack.tell("Two")
    assert second.geometry().bottom() < 700 - 44
    assert first.geometry().bottom() < second.geometry().top()
    assert first.geometry().right() == second.geometry().right()
    over.resize(1000, 800)
    assert second.geometry().right() > 900


def test_long_notice_is_tall_enough_for_its_text(over: QWidget) -> None:
    stack = Notices(over)
    short = stack.tell("Short.")
    long = stack.tell("A long sentence about something that did not work. " * 6)
    assert long.height() > short.height() + 60


def test_same_notice_is_not_shown_twice_and_old_ones_go(over: QWidget) -> None:
    stack = Notices(over)
    stack.tell("Same")
    stack.tell("Same")
    assert [notice.text for notice in stack.shown] == ["Same"]
    for number in range(MAX_NOTICES):
        stack.tell(str(number))
    assert [notice.text for notice in stack.shown] == [str(number) for number in range(MAX_NOTICES)]


def test_choice_does_its_work_and_closes(over: QWidget) -> None:
    stack = Notices(over)
    done: list[str] = []
    notice = stack.tell("Question", "warn", (("Yes", lambda: done.append("yes")),))
    notice.buttons[0].click()
    assert done == ["yes"]
    assert stack.shown == []


def test_good_news_go_by_themselves_and_bad_ones_stay(
    over: QWidget, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(notices_module.SECONDS, "good", 0.05)
    stack = Notices(over)
    stack.tell("Done", "good")
    stack.tell("Failed", "bad")
    qtbot.waitUntil(lambda: [notice.text for notice in stack.shown] == ["Failed"])


@pytest.fixture
def log(qtbot: QtBot, log_handler: LogHandler) -> LogPanel:
    panel = LogPanel(log_handler)
    qtbot.addWidget(panel)
    return panel


def messages(panel: LogPanel) -> list[str]:
    return [str(panel.shown.index(row, 2).data()) for row in range(panel.shown.rowCount())]


def test_log_filters_by_level_and_text(log: LogPanel, qtbot: QtBot) -> None:
    logger = logging.getLogger("test")
    logger.info("opened crank")
    logger.warning("slow spring")
    logger.error("broken spring")
    qtbot.waitUntil(lambda: len(messages(log)) == 3)
    log.level.chosen.emit(1)
    assert messages(log) == ["slow spring", "broken spring"]
    log.search.setText("BROKEN")
    assert messages(log) == ["broken spring"]
    log.copy()
    assert "ERROR test: broken spring" in QApplication.clipboard().text()


def test_log_takes_records_of_other_threads(log: LogPanel, qtbot: QtBot) -> None:
    thread = threading.Thread(target=lambda: logging.getLogger("worker").warning("from a thread"))
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: messages(log) == ["from a thread"])


def test_log_keeps_the_trace_of_an_exception(log: LogPanel, qtbot: QtBot) -> None:
    try:
        raise ValueError("deep inside")
    except ValueError:
        logging.getLogger("test").exception("outer")
    qtbot.waitUntil(lambda: messages(log) == ["outer"])
    assert "ValueError: deep inside" in log.model.line(0)


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("", "Fit all", 0),
        ("fit", "Fit all", 1),
        ("all", "Fit all", 1),
        ("t al", "Fit all", 2),
        ("ftl", "Fit all", 3),
        ("xyz", "Fit all", None),
    ],
)
def test_rank_of_a_command(query: str, text: str, expected: int | None) -> None:
    assert rank(query, text) == expected


def test_palette_finds_and_triggers(window: MainWindow, qtbot: QtBot) -> None:
    window.open_palette()
    palette: Any = window.findChild(CommandPalette)
    assert palette.isVisible()
    QTest.keyClicks(palette.line, "dark")
    assert palette.names()[0] == "Dark"
    done: list[bool] = []
    window.actions_["theme_dark"].triggered.connect(lambda: done.append(True))
    QTest.keyClick(palette.line, Qt.Key.Key_Return)
    assert done == [True]
    assert not palette.isVisible()


def test_palette_lists_every_enabled_command_and_no_other(window: MainWindow) -> None:
    window.open_palette()
    palette: Any = window.findChild(CommandPalette)
    enabled = [action for name, action in window.actions_ if action.isEnabled() and name != "palette"]
    assert len(palette.names()) == len(enabled)
    assert "Undo" not in palette.names()
    QTest.keyClick(palette.line, Qt.Key.Key_Escape)
    assert not palette.isVisible()


def test_typing_in_the_search_field_opens_the_palette(window: MainWindow) -> None:
    QTest.keyClick(window.top_bar.search, Qt.Key.Key_U)
    palette: Any = window.findChild(CommandPalette)
    assert palette.isVisible()
    assert palette.line.text() == "u"


def test_keys_are_used_once(window: MainWindow) -> None:
    seen: dict[str, str] = {}
    local = Qt.ShortcutContext.WidgetWithChildrenShortcut
    for name, action in window.actions_:
        if action.shortcutContext() == local:
            continue
        for key in action.shortcuts():
            text = key.toString()
            assert text not in seen, f"{text} is the key of {seen[text]} and {name}"
            seen[text] = name


def test_every_action_has_help(frame: MainWindow) -> None:
    without = [name for name, action in frame.actions_ if not action.statusTip() or not action.text()]
    assert without == []


def test_days_in_words() -> None:
    today, locale = date(2026, 3, 4), QLocale(QLocale.Language.English)
    assert when_text(datetime(2026, 3, 4, 21, 40), today, locale) == ("today", "21:40")
    assert when_text(datetime(2026, 3, 3, 1, 0), today, locale) == ("yesterday", "")
    assert when_text(datetime(2026, 2, 1, 1, 0), today, locale) == ("", "1 Feb")
    assert when_text(datetime(2025, 12, 31, 1, 0), today, locale) == ("", "31 Dec 2025")


def test_first_sentence() -> None:
    assert first_sentence("One body. Two words.") == "One body"
    assert first_sentence("No stop") == "No stop"
    assert first_sentence("With 1.5 inside. More") == "With 1.5 inside"


def test_help_page_lists_keys_and_guide(window: MainWindow, qtbot: QtBot) -> None:
    from linkwright_app.window.help_page import HelpPage

    page = HelpPage(window, window.actions_)
    text = page.text.toPlainText()
    for expected in ("Run a sample", "Ctrl+Shift+P", "Undo", "F5", "Compare iteration matrices"):
        assert expected in text
    page.deleteLater()


def test_about_tells_versions(window: MainWindow) -> None:
    from linkwright_app.window.about import AboutDialog, environment

    facts = dict(environment("llvmpipe"))
    assert {"Linkwright", "Python", "Qt", "vtk", "numpy", "OpenGL"} <= facts.keys()
    dialog = AboutDialog(window)
    assert dialog.findChildren(QLineEdit) == []
    dialog.deleteLater()
