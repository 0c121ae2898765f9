"""Edits and their history: what a command changes, what it leaves alone, and the way back."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from linkwright.document.bodies import Body, Marker, MassFromShapes
from linkwright.document.commands import AddElement, Batch, RemoveElement, Rename, SetField
from linkwright.document.history import History
from linkwright.document.mechanism import Mechanism
from linkwright.document.parameters import Parameter, evaluated
from linkwright.document.shapes import Sphere
from linkwright.elements.forces import Sda
from linkwright.elements.joints import Revolute, Spherical
from linkwright.errors import DocumentError


@pytest.fixture
def pair() -> Mechanism:
    return Mechanism(
        parameters=(Parameter(id="k", value=100.0),),
        bodies=(Body(id="a", name="Arm", shapes=(Sphere(radius=0.1),)), Body(id="b")),
        markers=(Marker(id="tip", body="a", position=(1.0, 0.0, 0.0)),),
        joints=(Revolute(id="J1", i="a", j="ground"), Spherical(id="J2", i="tip", j="b")),
        forces=(Sda(id="S1", i="tip", j="ground", stiffness="=k"),),
    )


def test_set_field_touches_that_element_alone(pair: Mechanism) -> None:
    after = SetField("a", "shapes.0.radius", 0.2).apply(pair)
    assert after.bodies[0].shapes[0] == Sphere(radius=0.2)
    assert after.bodies[1] is pair.bodies[1]
    assert after.joints[0] is pair.joints[0]
    assert pair.bodies[0].shapes[0] == Sphere(radius=0.1)


def test_set_field_reaches_settings_and_vectors(pair: Mechanism) -> None:
    assert SetField(None, "settings.newmark.beta", 0.3).apply(pair).settings.newmark.beta == 0.3
    assert SetField(None, "gravity.2", 0.0).apply(pair).gravity == (0.0, 0.0, 0.0)
    density = SetField("a", "mass.density", 1000.0).apply(pair).bodies[0].mass
    assert density == MassFromShapes(density=1000.0)


@pytest.mark.parametrize(
    ("element", "path", "value", "words"),
    [
        ("S1", "stiffness", -1.0, "at least 0"),
        ("S1", "stiffness", "1.0", "A number is needed"),
        ("S1", "stifness", 1.0, "Did you mean 'stiffness'"),
        ("S1", "i", "nobody", "does not exist"),
        ("J1", "j", "a", "with itself"),
        ("a", "name", "b", "two elements"),
        ("a", "mass.density", float("nan"), "finite"),
        ("a", "mass.density", 10**400, "finite"),
        ("a", "shapes.7.radius", 1.0, "no place"),
        ("gone", "name", "x", "no element"),
        (None, "settings.h", 5.0, "longer than the end time"),
    ],
)
def test_a_bad_edit_is_refused_with_a_sentence(
    pair: Mechanism, element: str | None, path: str, value: object, words: str
) -> None:
    history = History(pair)
    with pytest.raises(DocumentError, match=words):
        history.do(SetField(element, path, value))
    assert history.mechanism is pair and history.undo_labels == ()


def test_removing_a_body_takes_its_dependants_and_undo_brings_all_back(pair: Mechanism) -> None:
    history = History(pair)
    history.do(RemoveElement("a"))
    assert [e.id for e in history.mechanism.elements()] == ["k", "b"]
    assert history.undo() is pair


def test_rename_keeps_references(pair: Mechanism) -> None:
    after = Rename("a", "Кривошип").apply(pair)
    assert after.bodies[0].label == "Кривошип" and after.joints[0] is pair.joints[0]
    for bad in ("", "  ", "b", "x" * 201, "a\x00b", " a"):
        with pytest.raises(DocumentError):
            Rename("a", bad).apply(pair)


def test_typing_in_one_field_is_one_step(pair: Mechanism) -> None:
    history = History(pair)
    for k in (1.0, 12.0, 120.0):
        history.do(SetField("k", "value", k))
    history.seal()
    history.do(SetField("k", "value", 7.0))
    assert len(history.undo_labels) == 2
    history.undo()
    assert history.undo() is pair
    assert history.redo().parameters[0].value == 120.0


def test_a_batch_is_all_or_nothing(pair: Mechanism) -> None:
    history = History(pair)
    with pytest.raises(DocumentError):
        history.do(Batch("both", (SetField("k", "value", 1.0), SetField("k", "value", "x"))))
    assert history.mechanism is pair
    history.do(Batch("both", (SetField("k", "value", 1.0), Rename("b", "Bob"))))
    assert history.undo_labels == ("both",)


def test_evaluated_replaces_formulas_and_keeps_the_rest(pair: Mechanism) -> None:
    numbers = evaluated(pair)
    assert numbers.forces[0].stiffness == 100.0  # type: ignore[attr-defined]  # an SDA
    assert numbers.bodies is pair.bodies or numbers.bodies[0] is pair.bodies[0]
    assert evaluated(pair) is numbers


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"k": "=k"}, "circle"),
        ({"k": "=2*q"}, "no parameter 'q'"),
        ({"k": "=-5"}, "at least 0"),
        ({"k": "=2*"}, "expected here"),
    ],
)
def test_bad_formulas_name_their_element(pair: Mechanism, values: dict[str, str], words: str) -> None:
    edited = SetField("k", "value", values["k"]).apply(pair)
    with pytest.raises(DocumentError, match=words) as caught:
        evaluated(edited)
    assert caught.value.element in ("k", "S1")


class UndoMachine(RuleBasedStateMachine):
    """Random edits, undos and redos against a plain list of snapshots."""

    def __init__(self) -> None:
        super().__init__()
        self.history = History(Mechanism())
        self.past = [Mechanism()]
        self.at = 0

    def _did(self) -> None:
        now = self.history.mechanism
        self.history.seal()
        if now != self.past[self.at]:
            del self.past[self.at + 1 :]
            self.past.append(now)
            self.at += 1

    @rule(n=st.integers(0, 5))
    def add(self, n: int) -> None:
        """Add a body unless its id is taken."""
        with contextlib.suppress(DocumentError):
            self.history.do(AddElement(Body(id=f"b{n}")))
        self._did()

    @rule(n=st.integers(0, 5), x=st.floats(-1e3, 1e3))
    def move(self, n: int, x: float) -> None:
        """Move a body if it exists."""
        with contextlib.suppress(DocumentError):
            self.history.do(SetField(f"b{n}", "position.0", x))
        self._did()

    @rule(n=st.integers(0, 5))
    def remove(self, n: int) -> None:
        """Delete a body if it exists."""
        with contextlib.suppress(DocumentError):
            self.history.do(RemoveElement(f"b{n}"))
        self._did()

    @rule()
    def undo(self) -> None:
        """Go back."""
        self.history.undo()
        self.at = max(0, self.at - 1)

    @rule()
    def redo(self) -> None:
        """Go forward."""
        self.history.redo()
        self.at = min(len(self.past) - 1, self.at + 1)

    @invariant()
    def same(self) -> None:
        """The history shows what the list shows."""
        assert self.history.mechanism == self.past[self.at]


TestUndo = UndoMachine.TestCase
