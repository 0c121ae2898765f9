"""The Insert menu: elements from nothing, joints that meet, everything undone in one step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwright
from linkwright.document.bodies import Body, Marker
from linkwright.document.commands import AddElement, SetField
from linkwright.document.rotation import axis_angle
from linkwright.elements import registry
from linkwright_app.window.insert_commands import free_name
from linkwright_app.window.main_window import MainWindow
from linkwright_app.window.session import Session


@pytest.fixture
def empty(window: MainWindow, session: Session) -> Session:
    window.actions_["new"].trigger()
    return session


def insert(session: Session, what: str) -> Any:
    """Trigger a command of the menu; give the new element."""
    session.window.actions_[f"insert_{what}"].trigger()
    return session.store.mechanism.element(session.selection.ids[-1])


def test_names_and_ids_are_free(empty: Session) -> None:
    first, second = insert(empty, "body"), insert(empty, "body")
    assert (first.name, second.name) == ("Body 1", "Body 2")
    assert first.color != second.color
    assert [insert(empty, "parameter").name for _ in range(2)] == ["p1", "p2"]
    assert free_name(empty.store.mechanism, "joint", "J") == "J1"


def test_every_insertion_is_one_step(empty: Session) -> None:
    insert(empty, "body")
    before = empty.store.mechanism
    insert(empty, "joint_revolute")
    assert len(empty.store.history.undo_labels) == 2
    empty.store.undo()
    assert empty.store.mechanism == before


def test_marker_belongs_to_the_selected_body(empty: Session) -> None:
    assert insert(empty, "marker").body == "ground"
    body = insert(empty, "body")
    assert insert(empty, "marker").body == body.id


@pytest.mark.parametrize("tag", list(registry.joint_types()))
def test_every_joint_meets_as_drawn(empty: Session, tag: str) -> None:
    store = empty.store
    a = Body(id="a", position=(1.0, 2.0, 3.0), orientation=axis_angle((1.0, 2.0, 3.0), 0.7))
    b = Body(id="b", position=(-1.0, 0.5, 0.0), orientation=axis_angle((0.0, 1.0, 1.0), -1.2))
    for element in (
        a,
        b,
        Marker(id="m", body="a", position=(0.3, 0.0, 0.1), orientation=axis_angle((1.0, 0.0, 0.0), 0.4)),
    ):
        store.do(AddElement(element))
    empty.selection.set(("m", "b"))
    joint = insert(empty, f"joint_{tag}")
    assert joint.type == tag
    (p, q), (r, s) = store.mechanism.world_frame(joint.i), store.mechanism.world_frame(joint.j)
    # two products of unit quaternions: a few roundings
    assert np.abs(np.subtract(p, r)).max() < 1e-14
    assert abs(abs(float(np.dot(q, s))) - 1.0) < 1e-14
    assert store.mechanism.body_of(joint.i) == "a"
    assert store.mechanism.body_of(joint.j) == "b"


def test_one_selected_body_is_joined_with_the_ground(empty: Session) -> None:
    body = insert(empty, "body")
    joint = insert(empty, "joint_revolute")
    m = empty.store.mechanism
    assert {m.body_of(joint.i), m.body_of(joint.j)} == {body.id, "ground"}
    assert m.markers == ()  # a body at the origin meets the ground without help


def test_commands_wait_for_what_they_need(empty: Session) -> None:
    actions = empty.window.actions_
    assert actions["insert_body"].isEnabled()
    for name in ("insert_joint_revolute", "insert_sda", "insert_force", "insert_torque"):
        assert not actions[name].isEnabled(), name
    empty.selection.set(("ground",))
    assert not actions["insert_sda"].isEnabled()
    insert(empty, "body")
    for name in ("insert_joint_revolute", "insert_sda", "insert_force", "insert_torque"):
        assert actions[name].isEnabled(), name


def test_force_and_torque_act_on_the_selected_body(empty: Session) -> None:
    body = insert(empty, "body")
    force = insert(empty, "force")
    assert (force.at, force.vector) == (body.id, (10.0, 0.0, 0.0))
    empty.selection.set((body.id,))
    assert insert(empty, "torque").at == body.id


def test_pendulum_made_in_the_window_swings(empty: Session) -> None:
    """Body, marker at its end, joint to the ground: then it is a pendulum that the engine runs."""
    store = empty.store
    body = insert(empty, "body")
    store.do(SetField(body.id, "position", (0.5, 0.0, 0.0)))
    store.do(SetField(body.id, "orientation", axis_angle((1.0, 0.0, 0.0), np.pi / 2)))
    marker = insert(empty, "marker")
    store.do(SetField(marker.id, "position", (-0.5, 0.0, 0.0)))
    empty.selection.set((marker.id,))
    insert(empty, "joint_revolute")
    empty.selection.set((body.id,))
    insert(empty, "parameter")
    results = linkwright.simulate(store.mechanism, t_end=0.2, h=1e-3)
    end = results.poses[-1, 0]
    x, _, z = end[:3]
    assert results.ended == "completed"
    # the joint keeps the centre half a metre from the origin, and gravity has pulled it down
    assert np.hypot(x, z) == pytest.approx(0.5, abs=1e-9)
    assert z < -0.1


def test_nothing_is_inserted_while_a_run_goes_on(empty: Session, scripted: Any, qtbot: Any) -> None:
    insert(empty, "body")
    scripted.hold_at = 10
    empty.run_service.start()
    qtbot.waitUntil(lambda: empty.run_service.state == "running")
    assert not empty.window.actions_["insert_body"].isEnabled()
    with qtbot.waitSignal(empty.run_service.finished, timeout=5000):
        empty.run_service.stop()
    assert empty.window.actions_["insert_body"].isEnabled()


def test_joints_have_a_menu_of_their_own(window: MainWindow) -> None:
    menu = window.actions_.menu("insert")
    (joints,) = (action.menu() for action in menu.actions() if action.menu() is not None)
    assert [action.text() for action in joints.actions()] == [  # type: ignore[attr-defined]  # a QMenu
        cls.about.label for cls in registry.joint_types().values()
    ]
