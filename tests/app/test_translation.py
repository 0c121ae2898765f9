"""Every word a person sees goes through Qt translation.

A translator that puts every text into brackets is installed before the window is built; then every widget, action,
menu, header and plot title of the window is walked, and any letters outside brackets must be data of the document, a
unit, a key, or one of a few names that no language changes.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QLocale, QObject, QSortFilterProxyModel, Qt, QTranslator
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QDialog,
    QDockWidget,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from linkwright import samples
from linkwright.document.mechanism import Mechanism
from linkwright.files import model_file
from linkwright_app import paths, translation
from linkwright_app.settings import Settings
from linkwright_app.window import theme
from linkwright_app.window.log_panel import LogHandler
from linkwright_app.window.main_window import MainWindow

UNITS = r"(?:[kcmµn]?m|kg|s|ms|N|J|W|Pa|rad|deg|Hz|GB|MB|kB)"
UNIT = re.compile(rf"\b{UNITS}(?:[\s·/^]*(?:{UNITS}|[-\d²³]+))*\b")
"""A unit, as written behind a number or in brackets."""

KEYS = re.compile(
    r"\b(?:Ctrl|Shift|Alt|Meta|Esc|Del|Home|End|Left|Right|Space|F\d{1,2}|Return|PgUp|PgDown|[A-Z])\b"
)
NAMES = re.compile(
    r"\b(?:Linkwright|OpenGL|Qt|Python|HDF5|CSV|NPZ|PNG|SVG|JSON|DOF|SDA|M[123]|Qe|[xyz]{2}|e[+-]?\d+|lwk|A|B)\b"
)
"""Names of products and formats, symbols of the theory, exponents of numbers, and the two runs."""


class Brackets(QTranslator):
    """Turns every text into ``⟦text⟧`` and remembers it."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[tuple[str, str]] = set()

    def isEmpty(self) -> bool:
        return False

    def translate(self, context: str, text: str, disambiguation: str | None = None, n: int = -1) -> str:
        self.asked.add((context, text))
        return f"⟦{text}⟧"


@pytest.fixture
def brackets(qapp: QApplication) -> Iterator[Brackets]:
    made = Brackets()
    assert qapp.installTranslator(made)
    yield made
    qapp.removeTranslator(made)


@pytest.fixture
def window(qtbot: QtBot, brackets: Brackets, tmp_path: Path, scripted: Any) -> Iterator[MainWindow]:
    """A whole window in brackets, with the sample open and one run behind it."""
    from linkwright_app.window.sample_list import add_samples
    from linkwright_app.window.session import Session

    theme.current().start("light")
    made = MainWindow(Settings(tmp_path / "s.ini"), LogHandler())
    session = Session(made)
    session.run_service._make_runner = scripted
    add_samples(made)
    session.add_view()
    session.add_plots()
    made.show()
    yield made
    session.documents.ask = lambda parent, name: "discard"
    made.close()
    made.deleteLater()


def data_of(m: Mechanism) -> set[str]:
    """Words of the document: ids, names, texts and units a person has written."""
    words = {m.title, m.description, "ground"}
    for element in m.elements():
        words |= {element.id, element.name, str(getattr(element, "unit", ""))}
        words |= {str(getattr(element, name)) for name in ("color", "value") if hasattr(element, name)}
    return {word for word in words if word}


def untranslated(text: str, data: set[str]) -> str:
    """What is left of a text once brackets, markup, data, units, keys and names are taken away; its letters, if any."""
    text = re.sub(r"<style.*?</style>", " ", text, flags=re.DOTALL)
    text = re.sub(r"<[^>]+>|&\w+;", " ", text)
    while "⟦" in text:
        shorter = re.sub(r"⟦[^⟦⟧]*⟧", " ", text)
        if shorter == text:
            break
        text = shorter
    for word in sorted(data, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", " ", text, flags=re.IGNORECASE)
    text = re.sub(r"\S+\.(?:lwk|h5|csv|npz|ini)\b|/\S+|#[0-9A-Fa-f]{6}", " ", text)
    text = re.sub(r"=[\w*/+\-.()]+", " ", text)
    for pattern in (KEYS, NAMES, UNIT):
        text = pattern.sub(" ", text)
    return " ".join(re.findall(r"[^\W\d_]{2,}", text))


def texts(root: QObject) -> Iterator[tuple[str, str]]:
    """Every text of a window with where it stands."""
    for item in [root, *root.findChildren(QObject)]:
        name = type(item).__name__
        if isinstance(item, QAction):
            yield f"action {item.objectName()}", item.text()
            yield f"tip of action {item.objectName()}", item.toolTip()
            yield f"help of action {item.objectName()}", item.statusTip()
        if isinstance(item, QMenu):
            yield "menu", item.title()
        if isinstance(item, QWidget):
            yield f"tip of {name}", item.toolTip()
            yield f"accessible name of {name}", item.accessibleName()
            yield f"accessible description of {name}", item.accessibleDescription()
        if isinstance(item, QLabel):
            yield name, item.text()
        if isinstance(item, QAbstractButton):
            yield name, item.text()
        if isinstance(item, QLineEdit):
            yield f"placeholder of {name}", item.placeholderText()
        if isinstance(item, (QPlainTextEdit, QTextEdit)):
            yield f"placeholder of {name}", item.placeholderText()
        if isinstance(item, QComboBox):
            for row in range(item.count()):
                yield f"entry of {name}", item.itemText(row)
        if isinstance(item, QTabBar):
            for tab in range(item.count()):
                yield "tab", item.tabText(tab)
        if isinstance(item, (QDockWidget, QDialog)):
            yield f"title of {name}", item.windowTitle()
        if isinstance(item, QAbstractItemView) and item.model() is not None:
            yield from _model_texts(item)
        yield from _own_texts(item)


def _model_texts(view: QAbstractItemView) -> Iterator[tuple[str, str]]:
    model = view.model()
    if isinstance(model, QSortFilterProxyModel) and "Log" in type(model).__name__:
        columns = range(2)  # messages of the log are written by many hands, tracebacks among them
    else:
        columns = range(model.columnCount())
    for column in range(model.columnCount()):
        header = model.headerData(column, Qt.Orientation.Horizontal)
        yield f"header of {type(view).__name__}", str(header or "")

    def walk(parent: Any) -> Iterator[tuple[str, str]]:
        for row in range(model.rowCount(parent)):
            for column in columns:
                index = model.index(row, column, parent)
                yield f"cell of {type(view).__name__}", str(index.data() or "")
                yield f"tip in {type(view).__name__}", str(index.data(Qt.ItemDataRole.ToolTipRole) or "")
            yield from walk(model.index(row, 0, parent))

    yield from walk(view.rootIndex())


def _own_texts(item: QObject) -> Iterator[tuple[str, str]]:
    """Texts of widgets that paint themselves, asked by the names they keep them under."""
    for attribute in ("_names", "_title", "_note", "title", "note", "_text", "_rows", "_parts", "_steps"):
        value = getattr(item, attribute, None)
        for text in _strings(value):
            yield f"{type(item).__name__}.{attribute}", text


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        for entry in value:
            yield from _strings(entry)
    elif hasattr(value, "text") and isinstance(value.text, str):
        yield value.text


def plot_texts(root: QWidget) -> Iterator[tuple[str, str]]:
    """Titles of the axes, and every text item inside the plots."""
    import pyqtgraph as pg

    for plot in root.findChildren(pg.GraphicsView):
        for item in plot.scene().items():
            if isinstance(item, pg.AxisItem):
                yield "axis", item.labelText
            elif isinstance(item, (pg.TextItem, pg.LabelItem)):
                yield "text in a plot", item.toPlainText() if hasattr(item, "toPlainText") else item.text


@cache
def sample_words() -> frozenset[str]:
    """Ids, titles and descriptions of the samples."""
    loaded = {sample: model_file.load(samples.path(sample)) for sample in samples.sample_ids()}
    words = {text for m in loaded.values() for text in (m.title, m.description)}
    return frozenset(words | loaded.keys())


def faults(window: MainWindow, *roots: QWidget) -> list[str]:
    """Texts with letters outside brackets, in the whole window or in parts of it."""
    assert window.session is not None
    data = data_of(window.session.store.mechanism)
    for entry in window.session.run_service.runs:
        data |= set(entry.history.channel_names)  # identifiers that scripts use, shown as such
    data |= sample_words()
    found = set()
    for root in roots or (window,):
        for where, text in (*texts(root), *plot_texts(root)):
            left = untranslated(text, data)
            if left:
                found.add(f"{where}: {left!r} in {text!r}")
    return sorted(found)


def test_rule_finds_what_it_should() -> None:
    data = {"Crank", "=k", "link1"}
    assert untranslated("⟦Open ⟦inner⟧ file⟧", data) == ""
    assert untranslated("Crank 50 kg", data) == ""
    assert untranslated("<b>⟦Length⟧</b> &nbsp;[m/s^2]<br>⟦Help.⟧", data) == ""
    assert untranslated("⟦Save⟧  Ctrl+Shift+S", data) == ""
    assert untranslated("my crank.lwk", data) == "my"
    assert untranslated("Forgotten ⟦text⟧", data) == "Forgotten"
    assert untranslated("⟦{0} steps⟧ only", data) == "only"


def test_welcome_page_is_translated(window: MainWindow) -> None:
    assert faults(window) == []


@pytest.mark.parametrize("stage", [0, 1, 2])
def test_stages_are_translated(window: MainWindow, qtbot: QtBot, stage: int) -> None:
    session = window.session
    assert session is not None
    session.open_sample("slider-crank-sda")
    session.properties.advanced_button.setChecked(True)
    window.set_stage(stage)
    assert faults(window) == []


def test_forms_of_every_element_are_translated(window: MainWindow) -> None:
    session = window.session
    assert session is not None
    session.open_sample("slider-crank-sda")
    session.properties.advanced_button.setChecked(True)
    found: list[str] = []
    for one in ("ground", *(element.id for element in session.store.mechanism.elements())):
        session.selection.set((one,))
        found += faults(window, session.properties, window.workspace, window.status)
    assert len(session.store.mechanism.joints) > 3
    assert sorted(set(found)) == []


def test_run_its_plots_and_its_notices_are_translated(
    window: MainWindow, qtbot: QtBot, scripted: Any
) -> None:
    session = window.session
    assert session is not None
    session.open_sample("slider-crank-sda")
    scripted.hold_at = 30
    session.run_service.start()
    qtbot.waitUntil(lambda: session.run_service.state == "running")
    qtbot.wait(150)
    found = faults(window)
    session.run_service.stop()
    qtbot.waitUntil(lambda: not session.run_service.is_live)
    scripted.hold_at = None
    with qtbot.waitSignal(session.run_service.finished, timeout=5000):
        session.run_service.start({"jacobian": "M1"}, "B")
    qtbot.wait(100)
    assert session.plots is not None
    for tab in range(session.plots.tabs.count()):
        session.plots.show_tab(tab)
        found += faults(window)
    assert sorted(set(found)) == []


def test_dialogs_and_palette_are_translated(window: MainWindow) -> None:
    from linkwright_app.window.about import PACKAGES, AboutDialog
    from linkwright_app.window.help_page import HelpPage

    window.open_palette()
    dialogs = (HelpPage(window, window.actions_), AboutDialog(window))
    left = [untranslated(dialogs[0].text.toPlainText(), set()), untranslated(dialogs[0].windowTitle(), set())]
    assert left == ["", ""]
    packages = {
        *PACKAGES,
        platform.system(),
        platform.machine(),
        platform.release(),
        QApplication.platformName(),
    }
    about = [untranslated(label.text(), packages) for label in dialogs[1].findChildren(QLabel)]
    assert [text for text in about if text] == []
    for dialog in dialogs:
        dialog.deleteLater()


def test_questions_are_translated(window: MainWindow, qtbot: QtBot) -> None:
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QMessageBox

    from linkwright_app.window.documents import ask_about_changes
    from linkwright_app.window.main_window import ask_to_stop

    seen: list[str] = []

    def answer() -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        seen.extend([box.text(), box.informativeText(), *(button.text() for button in box.buttons())])
        box.escapeButton().click()

    QTimer.singleShot(50, answer)
    assert ask_about_changes(window, "my crank.lwk") == "cancel"
    QTimer.singleShot(50, answer)
    assert not ask_to_stop(window)
    assert len(seen) == 9
    assert [untranslated(text, {"my crank.lwk"}) for text in seen] == [""] * 9


def test_core_texts_have_one_context(qapp: QApplication, brackets: Brackets) -> None:
    assert translation.core("Density") == "⟦Density⟧"
    assert translation.core("") == ""
    assert ("core", "Density") in brackets.asked


def test_language_without_a_file_is_english(qapp: QApplication) -> None:
    assert translation.install(qapp, QLocale("zu")) is None
    assert set(translation.available()) == {
        file.stem.removeprefix("linkwright_") for file in (paths.resources() / "translations").glob("*.qm")
    }
