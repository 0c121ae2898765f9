"""The document store: commands, undo, files, and the difference it announces."""

from __future__ import annotations

from pathlib import Path

import pytest

from linkwright import samples
from linkwright.document.bodies import Body
from linkwright.document.commands import AddElement, RemoveElement, SetField
from linkwright.document.mechanism import Mechanism
from linkwright.document.parameters import Parameter
from linkwright.errors import DocumentError, FileError
from linkwright.files import model_file
from linkwright_app.services.document_store import Delta, DocumentStore, difference


@pytest.fixture
def store() -> DocumentStore:
    made = DocumentStore()
    made.open_copy(samples.path("slider-crank-sda"))
    return made


@pytest.fixture
def deltas(store: DocumentStore) -> list[Delta]:
    seen: list[Delta] = []
    store.changed.connect(seen.append)
    return seen


def test_difference_names_what_was_added_removed_and_changed() -> None:
    a, b, c = (Body(id=name) for name in "abc")
    before = Mechanism(bodies=(a, b))
    after = Mechanism(bodies=(b.replaced(visible=False), c), title="new")
    found = difference(before, after)
    assert found == Delta(
        added=frozenset("c"), removed=frozenset("a"), changed=frozenset("b"), fields=frozenset({"title"})
    )


def test_difference_of_equal_documents_is_empty() -> None:
    assert difference(Mechanism(bodies=(Body(id="a"),)), Mechanism(bodies=(Body(id="a"),))) == Delta()


def test_command_is_announced_with_only_its_element(store: DocumentStore, deltas: list[Delta]) -> None:
    store.do(SetField("link1", "visible", False))
    assert deltas == [Delta(changed=frozenset({"link1"}))]
    body = store.mechanism.element("link1")
    assert isinstance(body, Body)
    assert not body.visible


def test_settings_are_announced_as_a_field(store: DocumentStore, deltas: list[Delta]) -> None:
    store.do(SetField(None, "settings.t_end", 2.0))
    assert deltas == [Delta(fields=frozenset({"settings"}))]


def test_undo_and_redo_go_there_and_back(store: DocumentStore, deltas: list[Delta]) -> None:
    start = store.mechanism
    store.do(SetField("k", "value", 5e4))
    edited = store.mechanism
    store.undo()
    assert store.mechanism is start
    store.redo()
    assert store.mechanism is edited
    assert [delta.changed for delta in deltas] == [frozenset({"k"})] * 3


def test_undo_without_a_step_says_nothing(store: DocumentStore, deltas: list[Delta]) -> None:
    store.undo()
    store.redo()
    assert deltas == []


def test_refused_command_leaves_the_document(store: DocumentStore, deltas: list[Delta]) -> None:
    before = store.mechanism
    with pytest.raises(DocumentError, match="Mass needs a value of at least 0 kg"):
        store.do(SetField("link1", "mass.mass", -1.0))
    assert store.mechanism is before
    assert deltas == []


def test_command_that_leaves_a_formula_without_number_is_refused(store: DocumentStore) -> None:
    before = store.mechanism
    with pytest.raises(DocumentError, match="k"):
        store.do(RemoveElement("k"))  # the stiffness is "=k"
    assert store.mechanism is before
    assert store.history.undo_labels == ()


def test_evaluated_holds_numbers_only(store: DocumentStore) -> None:
    store.do(SetField("k", "value", 123.0))
    spring = next(force for force in store.evaluated.forces if force.type == "sda")
    assert spring.stiffness == 123.0  # type: ignore[attr-defined]  # an SDA, see above


def test_typing_in_one_field_is_one_step_until_it_is_left(store: DocumentStore) -> None:
    store.do(SetField("k", "value", 1.0))
    store.do(SetField("k", "value", 2.0))
    assert len(store.history.undo_labels) == 1
    store.seal()
    store.do(SetField("k", "value", 3.0))
    assert len(store.history.undo_labels) == 2


def test_modified_follows_the_file(store: DocumentStore, tmp_path: Path) -> None:
    heard: list[bool] = []
    store.modified_changed.connect(heard.append)
    seen = [store.modified]
    file = tmp_path / "model.lwk"
    store.do(SetField("k", "value", 1.0))
    seen.append(store.modified)
    store.save(file)
    seen.append(store.modified)
    store.undo()
    seen.append(store.modified)
    store.redo()
    seen.append(store.modified)
    assert seen == [False, True, False, True, False]
    assert heard == [True, False, True, False]
    assert store.path == file


def test_save_and_open_give_the_same_document(store: DocumentStore, tmp_path: Path) -> None:
    store.do(AddElement(Parameter(id="länge", name="Länge 长", value=0.1, unit="m")))
    file = tmp_path / "модель.lwk"
    store.save(file)
    other = DocumentStore()
    other.open(file)
    assert other.mechanism == store.mechanism
    assert model_file.load(file) == store.mechanism


def test_copy_has_no_file_and_is_not_modified(store: DocumentStore) -> None:
    assert store.path is None
    assert not store.modified


def test_bad_file_changes_nothing(store: DocumentStore, deltas: list[Delta], tmp_path: Path) -> None:
    before = store.mechanism
    file = tmp_path / "bad.lwk"
    file.write_text('{"format": "linkwright", "version": 1, "nonsense": 1}', encoding="utf-8")
    with pytest.raises(FileError):
        store.open(file)
    assert store.mechanism is before
    assert deltas == []


def test_file_with_a_formula_over_nothing_is_refused(store: DocumentStore, tmp_path: Path) -> None:
    before = store.mechanism
    file = tmp_path / "formula.lwk"
    text = samples.path("slider-crank-sda").read_text(encoding="utf-8")
    assert '"=k"' in text
    file.write_text(text.replace('"=k"', '"=no_such"'), encoding="utf-8")
    with pytest.raises(DocumentError, match="no_such"):
        store.open(file)
    assert store.mechanism is before


def test_new_forgets_everything(store: DocumentStore, deltas: list[Delta]) -> None:
    store.do(SetField("k", "value", 1.0))
    deltas.clear()
    store.new()
    assert deltas == [Delta(everything=True)]
    assert list(store.mechanism.elements()) == []
    assert store.history.undo_labels == ()
    assert not store.modified
