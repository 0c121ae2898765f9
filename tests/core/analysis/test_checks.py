"""Mobility and findings on mechanisms whose freedoms and faults are known by counting on fingers."""

from __future__ import annotations

import math

import numpy as np
import pytest

import linkwright as lw
from linkwright.analysis.checks import check
from linkwright.analysis.mobility import enumerated, mobility
from linkwright.document.bodies import Body, Marker, MassGiven
from linkwright.document.mechanism import Mechanism
from linkwright.document.rotation import axis_angle
from linkwright.document.shapes import Box
from linkwright.elements.forces import Sda
from linkwright.elements.joints import Fixed, InLine, Prismatic, Revolute, Spherical
from linkwright.errors import CompileError
from linkwright.findings import Severity

UNIT = MassGiven(mass=1.0, inertia=(1.0, 1.0, 1.0, 0.0, 0.0, 0.0))


def four_bar() -> Mechanism:
    """Four-bar of bars 1, 2, 1.5 on a base of 2, all joints full revolutes about z."""
    a, d = np.array([0.0, 0.0]), np.array([2.0, 0.0])
    b = np.array([math.cos(1.0), math.sin(1.0)])
    # intersection of the circles of 2 about b and 1.5 about d, upper branch
    span = d - b
    gap = float(np.hypot(*span))
    along = (4.0 - 2.25 + gap * gap) / (2 * gap)
    c = b + span / gap * along + np.array([-span[1], span[0]]) / gap * math.sqrt(4.0 - along**2)
    bodies, markers = [], []
    for name, p, q in (("crank", a, b), ("coupler", b, c), ("rocker", d, c)):
        turn = axis_angle((0.0, 0.0, 1.0), math.atan2(*(q - p)[::-1]))
        bodies.append(Body(id=name, position=(float(p[0]), float(p[1]), 0.0), orientation=turn, mass=UNIT))
        length = float(np.hypot(*(q - p)))
        markers.append(Marker(id=f"{name}_end", body=name, position=(length, 0.0, 0.0)))
    markers.append(Marker(id="base", position=(2.0, 0.0, 0.0)))
    return Mechanism(
        bodies=tuple(bodies),
        markers=tuple(markers),
        joints=(
            Revolute(id="A", i="crank", j="ground"),
            Revolute(id="B", i="coupler", j="crank_end"),
            Revolute(id="C", i="coupler_end", j="rocker_end"),
            Revolute(id="D", i="rocker", j="base"),
        ),
    )


def door() -> Mechanism:
    """A door on two coaxial hinges."""
    return Mechanism(
        bodies=(Body(id="door", mass=UNIT),),
        markers=(
            Marker(id="low", position=(0.0, 0.0, 0.2)),
            Marker(id="high", position=(0.0, 0.0, 1.8)),
            Marker(id="door_low", body="door", position=(0.0, 0.0, 0.2)),
            Marker(id="door_high", body="door", position=(0.0, 0.0, 1.8)),
        ),
        joints=(Revolute(id="H1", i="door_low", j="low"), Revolute(id="H2", i="door_high", j="high")),
    )


def texts(mechanism: Mechanism, severity: Severity) -> list[str]:
    return [f.text for f in check(mechanism).findings if f.severity is severity]


def test_a_spatial_four_bar_has_three_redundant_conditions() -> None:
    report = check(four_bar())
    assert (report.dof_count, report.dof_rank, len(report.redundant)) == (-2, 1, 3)
    # a planar loop of parallel pins repeats what keeps it in its plane, and nothing else
    words = " ".join(report.redundant)
    assert "translation along z" in words
    assert "rotation about x" in words
    assert "rotation about y" in words
    assert "translation along x" not in words
    assert all("A" in line and "B" in line for line in report.redundant)


def test_a_door_on_two_hinges_has_five() -> None:
    found = mobility(door())
    assert (found.dof_count, found.dof_rank, len(found.redundant)) == (-4, 1, 5)
    assert {r.row.element for r in found.redundant} == {"H2"}
    assert {r.imposed_by for r in found.redundant} == {("H1",)}


def test_the_free_motion_of_the_door_is_the_turn_about_its_hinges() -> None:
    motion = mobility(door()).free_motions
    assert motion.shape == (1, 1, 6)
    assert np.abs(motion[0, 0]) == pytest.approx([0, 0, 0, 0, 0, 1], abs=1e-12)


def test_free_motions_keep_all_conditions() -> None:
    found = mobility(four_bar())
    motion = found.free_motions[0]
    assert found.free_motions.shape == (1, 3, 6)
    # all bodies stay in the plane: no velocity along z, no turn about x and y
    assert np.abs(motion[:, [2, 3, 4]]).max() < 1e-12
    # the end of the crank moves at right angles to the crank, as fast as it turns times its length of 1
    speed = motion[1, :2]
    assert speed == pytest.approx(motion[0, 5] * np.array([-math.sin(1.0), math.cos(1.0)]), abs=1e-12)


@pytest.mark.parametrize(
    ("sample", "dof"),
    [
        ("slider-crank-sda", 1),
        ("slider-crank-sda-60", 1),
        ("slider-crank-sda-offset", 1),
        ("tensegrity", 36),
        ("pendulum", 1),
        ("double-pendulum", 2),
    ],
)
def test_samples_have_the_freedoms_they_should_and_no_faults(sample: str, dof: int) -> None:
    report = check(lw.load(sample))
    assert (report.dof_count, report.dof_rank) == (dof, dof)
    assert report.findings == ()


def test_in_line_in_place_of_the_last_pin_takes_the_redundancy_away() -> None:
    bar = four_bar()
    joints = (*bar.joints[:2], InLine(id="C", i="coupler_end", j="rocker_end"), bar.joints[3])
    report = check(bar.replaced(joints=joints))
    assert (report.dof_count, report.dof_rank) == (1, 1)


def _one(**body: object) -> Mechanism:
    joints = (Spherical(id="J", i="b", j="ground"),)
    return Mechanism(bodies=(Body.model_validate({"id": "b", "name": "Bar", **body}),), joints=joints)


def test_mass_and_inertia() -> None:
    (text,) = texts(_one(), Severity.ERROR)
    assert "Bar has no mass" in text
    (text,) = texts(_one(mass=MassGiven(mass=1.0, inertia=(0.0, 1.0, 1.0, 0.0, 0.0, 0.0))), Severity.ERROR)
    assert "Bar has no inertia" in text
    assert texts(_one(shapes=(Box(size=(1.0, 1.0, 1.0)),)), Severity.ERROR) == []


def test_a_tensor_that_belongs_to_no_rigid_body_is_named_with_its_moments() -> None:
    # positive definite, principal moments 0.010, 0.020, 0.050: the two smaller ones add up to less than the largest
    tensor = (0.016009333, 0.018669778, 0.045320889, -0.002304012, 0.011133408, 0.006427876)
    (text,) = texts(_one(mass=MassGiven(mass=1.0, inertia=tensor)), Severity.WARNING)
    assert "Bar" in text
    for moment in ("0.01", "0.02", "0.05"):
        assert moment in text


def test_gaps_are_measured() -> None:
    bar = _one(mass=UNIT, position=(0.003, 0.0, 0.004))
    (text,) = texts(bar, Severity.WARNING)
    assert "Joint J is open by 5 mm" in text
    tilted = Mechanism(
        bodies=(Body(id="b", mass=UNIT, orientation=axis_angle((1.0, 0.0, 0.0), math.radians(0.5))),),
        joints=(Prismatic(id="P", i="b", j="ground"),),
    )
    (text,) = texts(tilted, Severity.WARNING)
    assert "0.5 degrees" in text


def test_springs() -> None:
    base = {"bodies": (Body(id="b", mass=UNIT, position=(1.0, 0.0, 0.0)),)}
    markers = (
        Marker(id="m", body="b", position=(-1.0, 0.0, 0.0)),
        Marker(id="n", body="b", position=(0.0, 1.0, 0.0)),
    )

    def findings(spring: Sda) -> list[str]:
        model = Mechanism(bodies=base["bodies"], markers=markers, forces=(spring,))
        return [f.text for f in check(model).findings if f.element == "S"]

    assert "coincide" in findings(Sda(id="S", i="m", j="ground"))[0]
    with pytest.raises(CompileError, match="same body"):
        findings(Sda(id="S", i="m", j="n"))
    assert (
        "free length of S is 0" in findings(Sda(id="S", i="b", j="ground", stiffness=1.0, free_length=0.0))[0]
    )
    assert findings(Sda(id="S", i="b", j="ground", stiffness=1.0)) == []


def test_a_body_that_nothing_holds_and_a_mechanism_that_cannot_move() -> None:
    free = Mechanism(bodies=(Body(id="b", mass=UNIT),))
    assert "moves freely" in texts(free, Severity.NOTE)[0]
    welded = free.replaced(joints=(Fixed(id="W", i="b", j="ground"),))
    assert "cannot move" in texts(welded, Severity.WARNING)[0]


def test_words_are_enumerated() -> None:
    assert [enumerated(w) for w in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]
