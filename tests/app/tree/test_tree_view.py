"""The tree panel under mouse and keys."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from linkwright import samples
from linkwright.document.bodies import Body
from linkwright.document.commands import RemoveElement
from linkwright_app.services.check_service import CheckService
from linkwright_app.services.document_store import DocumentStore
from linkwright_app.services.selection import Selection
from linkwright_app.tree.tree_model import TreeModel
from linkwright_app.tree.tree_view import TreePanel
from linkwright_app.window import theme


@pytest.fixture
def store() -> DocumentStore:
    made = DocumentStore()
    made.open_copy(samples.path("slider-crank-sda"))
    return made


@pytest.fixture
def selection(store: DocumentStore) -> Selection:
    return Selection(store)


@pytest.fixture
def panel(qtbot: QtBot, store: DocumentStore, selection: Selection) -> TreePanel:
    theme.current().start("light")
    made = TreePanel(TreeModel(store, CheckService(store, lambda m: None)), store, selection)
    qtbot.addWidget(made)
    made.resize(244, 700)
    made.show()
    qtbot.waitExposed(made)
    return made


def click(panel: TreePanel, key: str, x: int = 80, modifiers: Any = Qt.KeyboardModifier.NoModifier) -> None:
    model: Any = panel.view.model()
    box = panel.view.visualRect(model.index_of(key))
    place = QPoint(x if x >= 0 else panel.view.viewport().width() + x, box.center().y())
    QTest.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, modifiers, place)


def selected_rows(panel: TreePanel) -> set[str]:
    return {str(index.data()) for index in panel.view.selectionModel().selectedIndexes()}


def test_click_selects_and_ctrl_adds(panel: TreePanel, selection: Selection) -> None:
    click(panel, "link1")
    click(panel, "slider", modifiers=Qt.KeyboardModifier.ControlModifier)
    both = selection.ids
    click(panel, "ground")
    assert (both, selection.ids) == (("link1", "slider"), ("ground",))


def test_shift_selects_a_range(panel: TreePanel, selection: Selection) -> None:
    click(panel, "link1")
    click(panel, "slider", modifiers=Qt.KeyboardModifier.ShiftModifier)
    assert set(selection.ids) == {"link1", "link2", "slider"}


def test_rows_follow_the_shared_selection(
    panel: TreePanel, selection: Selection, store: DocumentStore
) -> None:
    selection.set(("link1", "k"))
    assert selected_rows(panel) == {"Crank", "Stiffness k"}
    store.do(RemoveElement(store.mechanism.forces[-1].id))
    assert selected_rows(panel) == {"Crank", "Stiffness k"}
    selection.clear()
    assert selected_rows(panel) == set()


def test_selecting_a_marker_opens_its_body(
    panel: TreePanel, selection: Selection, store: DocumentStore
) -> None:
    marker = next(marker for marker in store.mechanism.markers if marker.body == "link1")
    model: Any = panel.view.model()
    assert not panel.view.isExpanded(model.index_of("link1"))
    selection.set((marker.id,))
    assert panel.view.isExpanded(model.index_of("link1"))


def test_eye_hides_and_shows_a_body_without_selecting(
    panel: TreePanel, selection: Selection, store: DocumentStore
) -> None:
    def visible() -> bool:
        body = store.mechanism.element("link1")
        assert isinstance(body, Body)
        return body.visible

    click(panel, "link1", x=-19)
    first = visible()
    click(panel, "link1", x=-19)
    assert (first, visible()) == (False, True)
    assert selection.ids == ()
    assert len(store.history.undo_labels) == 2


def test_groups_fold_and_stay_folded(panel: TreePanel, store: DocumentStore) -> None:
    model: Any = panel.view.model()
    click(panel, "joints")
    assert not panel.view.isExpanded(model.index_of("joints"))
    store.do(RemoveElement(store.mechanism.forces[-1].id))
    assert not panel.view.isExpanded(model.index_of("joints"))
    assert panel.view.isExpanded(model.index_of("bodies"))
    click(panel, "joints")
    assert panel.view.isExpanded(model.index_of("joints"))


def test_rename_in_place(panel: TreePanel, selection: Selection, store: DocumentStore, qtbot: QtBot) -> None:
    selection.set(("link1",))
    panel.view.rename_selected()
    editor: Any = panel.view.viewport().findChild(QLineEdit)
    assert editor.text() == "Crank"
    editor.selectAll()
    QTest.keyClicks(editor, "Kurbel")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: store.mechanism.element("link1").label == "Kurbel")


def test_refused_name_is_told(
    panel: TreePanel, selection: Selection, store: DocumentStore, qtbot: QtBot
) -> None:
    selection.set(("link1",))
    panel.view.rename_selected()
    editor: Any = panel.view.viewport().findChild(QLineEdit)
    editor.setText("Rod")
    with qtbot.waitSignal(panel.view.refused) as heard:
        QTest.keyClick(editor, Qt.Key.Key_Return)
    assert "Rod" in heard.args[0]
    assert store.mechanism.element("link1").label == "Crank"


def test_ground_cannot_be_renamed(panel: TreePanel, selection: Selection) -> None:
    selection.set(("ground",))
    panel.view.rename_selected()
    assert panel.view.viewport().findChild(QLineEdit) is None


def test_filter_field_filters(panel: TreePanel) -> None:
    model: Any = panel.view.model()
    QTest.keyClicks(panel.filter, "damping")
    assert model.index_of("c").isValid()
    assert not model.index_of("k").isValid()
    panel.filter.clear()
    assert model.index_of("k").isValid()


def test_lock_is_told_in_the_head(panel: TreePanel) -> None:
    panel.set_locked(True)
    assert panel._locked.isVisible()
    panel.set_locked(False)
    assert not panel._locked.isVisible()


def test_everything_is_drawn(panel: TreePanel, store: DocumentStore, selection: Selection) -> None:
    """Rows are painted by hand: a picture of the panel changes with name, selection and visibility."""
    before = panel.grab().toImage()
    selection.set(("link1",))
    chosen = panel.grab().toImage()
    assert before != chosen
    click(panel, "link1", x=-19)
    assert panel.grab().toImage() != chosen
    store.new()
    assert panel.grab().toImage() != before
