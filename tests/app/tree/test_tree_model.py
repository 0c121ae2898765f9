"""The document as a tree."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QModelIndex
from PySide6.QtTest import QAbstractItemModelTester

from linkwright import samples
from linkwright.document.bodies import Body, Marker
from linkwright.document.commands import AddElement, RemoveElement, Rename, SetField
from linkwright.errors import DocumentError
from linkwright.findings import Finding, Severity
from linkwright_app.services.check_service import CheckService
from linkwright_app.services.document_store import DocumentStore
from linkwright_app.tree.tree_model import BADGE, COUNT, ELEMENT_ID, ICON, NOTE, TONE, VISIBLE, TreeModel


@pytest.fixture
def store() -> DocumentStore:
    made = DocumentStore()
    made.open_copy(samples.path("slider-crank-sda"))
    return made


@pytest.fixture
def checks(store: DocumentStore) -> CheckService:
    return CheckService(store, lambda mechanism: None)


@pytest.fixture
def model(qapp: Any, store: DocumentStore, checks: CheckService) -> TreeModel:
    made = TreeModel(store, checks)
    QAbstractItemModelTester(made, QAbstractItemModelTester.FailureReportingMode.Fatal, made)
    return made


def outline(model: TreeModel, parent: QModelIndex | None = None) -> list[Any]:
    """Names of all rows, children in lists behind them."""
    found: list[Any] = []
    index = QModelIndex() if parent is None else parent
    for row in range(model.rowCount(index)):
        child = model.index(row, 0, index)
        found.append(child.data())
        if model.rowCount(child):
            found.append(outline(model, child))
    return found


def expected(store: DocumentStore) -> list[Any]:
    """The same, straight from the document."""
    m = store.mechanism

    def with_markers(name: str, owner: str) -> list[Any]:
        markers = [marker.label for marker in m.markers if marker.body == owner]
        return [name, markers] if markers else [name]

    bodies = [part for body in m.bodies for part in with_markers(body.label, body.id)]
    rows = with_markers("Ground", "ground")
    lists = (m.joints, m.forces, m.parameters)
    rows += ["Bodies", bodies] if bodies else ["Bodies"]
    for name, elements in zip(("Joints", "Forces", "Parameters"), lists, strict=True):
        rows += [name, [element.label for element in elements]] if elements else [name]
    return rows


def test_rows_are_the_document(model: TreeModel, store: DocumentStore) -> None:
    assert outline(model) == expected(store)


def test_rows_follow_every_kind_of_edit(model: TreeModel, store: DocumentStore) -> None:
    marker = store.mechanism.markers[0]
    for command in (
        AddElement(Body(id="wheel", name="Wheel")),
        AddElement(Marker(id="rim", body="wheel")),
        SetField(marker.id, "body", "wheel"),
        Rename("slider", "Schlitten"),
        RemoveElement("link1"),
        SetField(None, "title", "Other"),
    ):
        store.do(command)
        assert outline(model) == expected(store), command
    while store.history.undo_labels:
        store.undo()
        assert outline(model) == expected(store)
    store.new()
    assert outline(model) == ["Ground", "Bodies", "Joints", "Forces", "Parameters"]
    assert model.empty


def test_notes_tell_masses_ends_and_values(model: TreeModel, store: DocumentStore) -> None:
    def note(element_id: str) -> str:
        return str(model.index_of(element_id).data(NOTE))

    m = store.mechanism
    spring = next(force.id for force in m.forces if force.type == "sda")
    push = next(force.id for force in m.forces if force.type == "force")
    assert note("link1") == "50 kg"
    assert note(spring) == "Crank, Rod"
    assert note(push) == "on Slider"
    assert note("k") == "20000 N/m"
    store.do(Rename("link1", "Kurbel"))
    assert note(spring) == "Kurbel, Rod"
    store.do(SetField("k", "value", "=2*c"))
    assert note("k") == "=2*c N/m"


def test_groups_count_and_cannot_be_selected(model: TreeModel, store: DocumentStore) -> None:
    joints = model.index_of("joints")
    assert joints.data(COUNT) == len(store.mechanism.joints)
    assert joints.data(ELEMENT_ID) == ""
    assert not joints.flags() & joints.flags().ItemIsSelectable
    ground = model.index_of("ground")
    assert ground.flags() & ground.flags().ItemIsSelectable
    assert not ground.flags() & ground.flags().ItemIsEditable


def test_icons_have_the_colours_of_their_category(model: TreeModel, store: DocumentStore) -> None:
    body = store.mechanism.bodies[0]
    joint, force = store.mechanism.joints[0], store.mechanism.forces[0]
    assert model.index_of(body.id).data(TONE) == body.color
    assert model.index_of(joint.id).data(TONE) == "joint"
    assert model.index_of(joint.id).data(ICON) == "revolute"
    assert model.index_of(force.id).data(TONE) == "force"


def test_visibility_is_a_matter_of_bodies(model: TreeModel, store: DocumentStore) -> None:
    assert model.index_of("link1").data(VISIBLE) is True
    store.do(SetField("link1", "visible", False))
    assert model.index_of("link1").data(VISIBLE) is False
    assert model.index_of("k").data(VISIBLE) is None


def test_filter_keeps_what_holds_the_text(model: TreeModel, store: DocumentStore) -> None:
    model.set_filter("CRANK")
    rows = outline(model)
    assert rows[:1] == ["Ground"]
    assert "Slider" not in str(rows[: rows.index("Joints")])
    spring = next(force.label for force in store.mechanism.forces if force.type == "sda")
    assert spring in rows[rows.index("Forces") + 1]
    model.set_filter("")
    assert outline(model) == expected(store)


def test_markers_that_fit_keep_their_body(model: TreeModel, store: DocumentStore) -> None:
    marker = next(marker for marker in store.mechanism.markers if marker.body == "link2")
    store.do(Rename(marker.id, "Zapfen"))
    model.set_filter("zapfen")
    assert outline(model)[1:3] == ["Bodies", ["Rod", ["Zapfen"]]]


def test_rename_goes_through_a_command(model: TreeModel, store: DocumentStore) -> None:
    assert model.setData(model.index_of("link1"), "Kurbel 曲柄")
    assert store.mechanism.element("link1").label == "Kurbel 曲柄"
    assert len(store.history.undo_labels) == 1
    assert not model.setData(model.index_of("link1"), "Kurbel 曲柄")
    with pytest.raises(DocumentError, match="Rod"):
        model.setData(model.index_of("link1"), "Rod")
    assert store.mechanism.element("link1").label == "Kurbel 曲柄"


def test_badges_show_findings(model: TreeModel, checks: CheckService, store: DocumentStore) -> None:
    findings = (
        Finding(Severity.WARNING, "Look.", "link1"),
        Finding(Severity.ERROR, "Mend.", "link2"),
        Finding(Severity.NOTE, "Know.", "slider"),
    )
    checks._report = SimpleNamespace(findings=findings)
    checks.changed.emit()
    badges = {one: model.index_of(one).data(BADGE) for one in ("link1", "link2", "slider", "k")}
    assert badges == {"link1": "warn", "link2": "bad", "slider": "", "k": ""}
    assert "Mend." in model._tip(store.mechanism.element("link2"))
