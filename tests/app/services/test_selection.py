"""The shared selection."""

from __future__ import annotations

import pytest

from linkwright import samples
from linkwright.document.commands import RemoveElement, SetField
from linkwright_app.services.document_store import DocumentStore
from linkwright_app.services.selection import Selection


@pytest.fixture
def store() -> DocumentStore:
    made = DocumentStore()
    made.open_copy(samples.path("slider-crank-sda"))
    return made


@pytest.fixture
def selection(store: DocumentStore) -> Selection:
    return Selection(store)


@pytest.fixture
def heard(selection: Selection) -> list[tuple[str, ...]]:
    seen: list[tuple[str, ...]] = []
    selection.changed.connect(lambda: seen.append(selection.ids))
    return seen


def test_keeps_the_order_and_drops_doubles_and_strangers(
    selection: Selection, heard: list[tuple[str, ...]]
) -> None:
    selection.set(("slider", "nobody", "link1", "slider"))
    assert selection.ids == ("slider", "link1")
    selection.set(("slider", "link1"))
    assert heard == [("slider", "link1")]


def test_toggle_adds_and_takes_away(selection: Selection) -> None:
    seen = []
    for one in ("link1", "ground", "link1"):
        selection.toggle(one)
        seen.append(selection.ids)
    selection.clear()
    seen.append(selection.ids)
    assert seen == [("link1",), ("link1", "ground"), ("ground",), ()]


def test_removed_elements_leave_it(
    store: DocumentStore, selection: Selection, heard: list[tuple[str, ...]]
) -> None:
    force = next(force.id for force in store.mechanism.forces if force.type == "force")
    selection.set((force, "link1"))
    store.do(RemoveElement(force))
    assert selection.ids == ("link1",)
    assert heard[-1] == ("link1",)


def test_edits_do_not_disturb_it(
    store: DocumentStore, selection: Selection, heard: list[tuple[str, ...]]
) -> None:
    selection.set(("link1",))
    store.do(SetField("link1", "visible", False))
    assert heard == [("link1",)]


def test_another_document_clears_it(store: DocumentStore, selection: Selection) -> None:
    selection.set(("link1",))
    store.new()
    assert selection.ids == ()
