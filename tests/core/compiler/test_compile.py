"""From document to tables: frames at the mass centre, recipes of joints, labels, refused mechanisms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.validation.mechanisms import reference, slider_crank, tensegrity

from linkwright.compiler.compile import compile_mechanism
from linkwright.compiler.coordinates import coordinates_of
from linkwright.document.bodies import Body, Marker, MassGiven
from linkwright.document.mechanism import Mechanism
from linkwright.document.parameters import Parameter
from linkwright.document.rotation import axis_angle
from linkwright.elements.forces import AppliedForce, AppliedTorque, Sda
from linkwright.elements.joints import Revolute
from linkwright.elements.registry import joint_types
from linkwright.elements.rows import row_count
from linkwright.errors import CompileError, LinkwrightError
from linkwright.kernels import layout

HEAVY = MassGiven(mass=2.0, centre=(0.1, 0.2, 0.3), inertia=(1.0, 2.0, 2.5, 0.1, 0.2, 0.3))


def two_bodies(**changes: object) -> Mechanism:
    bodies = (
        Body(id="a", mass=HEAVY, velocity=(1.0, 0.0, 0.0), angular_velocity=(0.0, 0.0, 2.0)),
        Body(
            id="b", mass=HEAVY, position=(1.0, 0.0, 0.0), orientation=axis_angle((0.0, 0.0, 1.0), math.pi / 2)
        ),
    )
    markers = (
        Marker(id="m", body="a", position=(0.5, 0.0, 0.0)),
        Marker(
            id="n", body="b", position=(0.0, 0.5, 0.0), orientation=axis_angle((1.0, 0.0, 0.0), math.pi / 2)
        ),
        Marker(id="g", body="ground", position=(3.0, 0.0, 0.0)),
    )
    return Mechanism.model_validate({"bodies": bodies, "markers": markers, **changes})


def test_bodies_are_seen_from_their_mass_centre() -> None:
    model = compile_mechanism(two_bodies())
    wanted = [2.0, 1.0, 2.0, 2.5, 0.1, 0.2, 0.3, -0.1, -0.2, -0.3]
    assert model.tables.body[0].tolist() == wanted
    q, v = coordinates_of(model, model.poses, model.twists)
    assert q[:7] == pytest.approx([0.1, 0.2, 0.3, 1.0, 0.0, 0.0, 0.0])
    # v + omega x s
    assert v[:7] == pytest.approx([1.0 - 0.4, 0.2, 0.0, 0.0, 0.0, 0.0, 1.0])
    assert q[7:10] == pytest.approx([1.0 - 0.2, 0.1, 0.3])


def test_points_and_axes_of_a_joint() -> None:
    joint = Revolute(id="j", i="m", j="n")
    model = compile_mechanism(two_bodies(joints=(joint,)))
    ints, reals = model.tables.prim_int, model.tables.prim_real
    assert ints.tolist() == [[layout.POINT, 0, 1, 0], [layout.DOT1, 0, 1, 3], [layout.DOT1, 0, 1, 4]]
    assert reals[0, :6] == pytest.approx([0.4, -0.2, -0.3, -0.1, 0.3, -0.3])
    # z of i, then x and y of j; the frame of j is turned about x, its y axis is the z axis of the body
    assert reals[1, :6] == pytest.approx([0.0, 0.0, 1.0, 1.0, 0.0, 0.0])
    assert reals[2, :6] == pytest.approx([0.0, 0.0, 1.0, 0.0, 0.0, 1.0])
    assert model.row_prim.tolist() == [0, 0, 0, 1, 2]
    assert [label.direction for label in model.row_labels] == [
        "translation along x",
        "translation along y",
        "translation along z",
        "rotation about y",
        "rotation about x",
    ]
    assert [label.axes for label in model.row_labels] == ["ground"] * 3 + ["n"] * 2


def test_ground_is_the_last_body() -> None:
    model = compile_mechanism(two_bodies(joints=(Revolute(id="j", i="m", j="g"),)))
    assert model.tables.prim_int[0, 1:3].tolist() == [0, 2]
    assert model.tables.prim_real[0, 3:6].tolist() == [3.0, 0.0, 0.0]


@pytest.mark.parametrize("tag", list(joint_types()))
def test_every_joint_compiles_to_its_rows(tag: str) -> None:
    kind = joint_types()[tag]
    model = compile_mechanism(two_bodies(joints=(kind.model_validate({"id": "j", "i": "m", "j": "n"}),)))
    assert model.n_row == row_count(kind.constraint_rows())
    assert len(model.row_labels) == model.n_row
    assert model.joints[0].stop - model.joints[0].first == model.n_row


def test_drawn_length_is_the_free_length() -> None:
    spring = Sda(id="s", i="m", j="g", stiffness=3.0, damping=2.0, actuator_force=1.0)
    model = compile_mechanism(two_bodies(forces=(spring,)))
    assert model.tables.sda_int.tolist() == [[0, 2, 0]]
    assert model.tables.sda_real[0] == pytest.approx([0.4, -0.2, -0.3, 3.0, 0.0, 0.0, 3.0, 2.0, 2.5, 1.0])
    names = [name for name in model.channel_names if name.startswith("s.")]
    assert names == ["s.length", "s.rate", "s.force", "s.spring_force"]
    assert len(model.channel_units) == len(model.channel_names)
    assert model.channel_units[-4:] == ("m", "m/s", "N", "N")


def test_loads_on_the_ground_are_left_out() -> None:
    loads = (
        AppliedForce(id="f", at="m", vector=(1.0, 2.0, 3.0), axes="body"),
        AppliedForce(id="lost", at="g", vector=(1.0, 0.0, 0.0)),
        AppliedTorque(id="t", at="b", vector=(0.0, 0.0, 4.0)),
    )
    model = compile_mechanism(two_bodies(forces=loads))
    assert (model.force_ids, model.torque_ids) == (("f",), ("t",))
    assert model.tables.force_int.tolist() == [[0, 1]]
    assert model.tables.force_real[0] == pytest.approx([1.0, 2.0, 3.0, 0.4, -0.2, -0.3])
    assert model.tables.torque_int.tolist() == [[1, 0]]


def test_formulas_become_numbers() -> None:
    spring = Sda(id="s", i="m", j="g", stiffness="=2*k")
    model = compile_mechanism(two_bodies(forces=(spring,), parameters=(Parameter(id="k", value=21.0),)))
    assert model.tables.sda_real[0, layout.SDA_K] == 42.0


def test_spring_on_one_body_is_refused() -> None:
    spring = Sda(id="s", i="a", j="m")
    with pytest.raises(CompileError, match="same body") as caught:
        compile_mechanism(two_bodies(forces=(spring,)))
    assert caught.value.element == "s"


def test_formula_that_fails_names_its_element() -> None:
    spring = Sda(id="s", i="m", j="g", stiffness="=1/k")
    with pytest.raises(LinkwrightError) as caught:
        compile_mechanism(two_bodies(forces=(spring,), parameters=(Parameter(id="k", value=0.0),)))
    assert caught.value.element == "s"


def test_arrays_are_read_only_and_contiguous() -> None:
    model = compile_mechanism(slider_crank(k=1.0))
    for array in (*model.tables, model.row_prim, model.poses, model.twists):
        assert not array.flags.writeable
        assert array.flags.c_contiguous


def test_same_structure() -> None:
    model = compile_mechanism(slider_crank(k=1.0))
    assert model.same_structure(compile_mechanism(slider_crank(k=2.0, c=5.0, theta_deg=50.0)))
    assert not model.same_structure(compile_mechanism(slider_crank(redundant=True)))
    assert not model.same_structure(compile_mechanism(tensegrity()))
    assert not compile_mechanism(tensegrity()).same_structure(
        compile_mechanism(tensegrity(tension_only=True))
    )


def test_equations_have_names() -> None:
    model = compile_mechanism(slider_crank())
    assert model.equation_element(0) == "pin_o"
    assert model.equation_words(0) == "translation along x"
    assert model.equation_element(model.n_row + 2) == "slider"
    assert "Euler parameters" in model.equation_words(model.n_row)
    first = model.n_row + model.n_body
    assert model.equation_element(first + 8) == "link2"
    assert model.equation_words(first + 8) == "force balance along y"
    assert model.equation_words(first + 7 + 5) == "torque balance"


def test_slider_crank_is_that_of_the_reference() -> None:
    spec = reference("slider_crank")
    model = compile_mechanism(slider_crank(k=2e4))
    q, v = coordinates_of(model, model.poses, model.twists)
    assert q == pytest.approx(spec["q0_45deg"], abs=1e-15)
    assert np.abs(v).max() == 0.0
    assert model.n_row + model.n_body == spec["unknowns"]["multipliers"]
    assert 7 * model.n_body == spec["unknowns"]["coordinates"]
