"""Spanning trees, loops and the count of freedoms."""

from __future__ import annotations

from tests.validation.mechanisms import slider_crank, tensegrity
from tests.validation.random_models import make_model

from linkwright.compiler.compile import compile_mechanism
from linkwright.compiler.topology import mobility_count, topology
from linkwright.kernels import layout

BODY = [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]


def test_one_loop() -> None:
    found = topology(compile_mechanism(slider_crank()))
    assert {link.element for link in found.tree} == {"pin_o", "guide", "pin_a"}
    assert [link.element for link in found.cut] == ["pin_b"]
    assert found.loose == ()


def test_loose_parts_have_trees_of_their_own() -> None:
    # 0 - ground, 1 - 2 loose, 3 alone
    point = [0.0] * 10
    model = make_model([BODY] * 4, [(layout.POINT, 0, 4, point), (layout.POINT, 1, 2, point)], [])
    found = topology(model)
    assert [link.element for link in found.tree] == ["j0", "j1"]
    assert found.cut == ()
    assert found.loose == (1, 2, 3)


def test_two_joints_between_the_same_bodies_make_a_loop() -> None:
    point = [0.0] * 10
    model = make_model([BODY], [(layout.POINT, 0, 1, point), (layout.POINT, 1, 0, point)], [])
    found = topology(model)
    assert [link.element for link in found.tree] == ["j0"]
    assert [link.element for link in found.cut] == ["j1"]


def test_mobility_count() -> None:
    assert mobility_count(compile_mechanism(slider_crank())) == 1
    assert mobility_count(compile_mechanism(slider_crank(redundant=True))) == -2
    assert mobility_count(compile_mechanism(tensegrity())) == 36
