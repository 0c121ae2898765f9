"""The energy ledger against closed solutions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.validation.study import Run, run

from linkwright.document.bodies import Body, Marker, MassGiven
from linkwright.document.mechanism import Mechanism
from linkwright.document.rotation import axis_angle
from linkwright.elements.forces import AppliedForce, AppliedTorque, Sda

OPTIONS: dict[str, Any] = {"tolerance_abs": 1e-10, "tolerance_rel": 0.0, "projection": False}


def block(name: str = "block", x: float = 0.0, mass: float = 2.0, **changes: object) -> Body:
    given = MassGiven(mass=mass, inertia=(0.3, 0.4, 0.5, 0.0, 0.0, 0.0))
    return Body.model_validate({"id": name, "position": (x, 0.0, 0.0), "mass": given, **changes})


def weightless(*bodies: Body, **changes: object) -> Mechanism:
    return Mechanism.model_validate({"gravity": (0.0, 0.0, 0.0), "bodies": bodies, **changes})


def last(result: Run, name: str) -> float:
    return float(result.channel(name)[-1])


def test_damped_oscillation() -> None:
    # m x'' + c x' + k (x - 1) = 0 from x = 1.2: x = 1 + 0.2 exp(-d t) (cos w t + d/w sin w t)
    m, c, k = 2.0, 3.0, 50.0
    spring = Sda(id="s", i="ground", j="block", stiffness=k, damping=c, free_length=1.0)
    result = run(weightless(block(x=1.2), forces=(spring,)), steps=2000, h=1e-3, **OPTIONS)
    d, t = c / (2 * m), result.rows.frame_t
    w = math.sqrt(k / m - d * d)
    x = 0.2 * np.exp(-d * t) * (np.cos(w * t) + d / w * np.sin(w * t))
    v = -0.2 * np.exp(-d * t) * k / (m * w) * np.sin(w * t)
    energy = 0.5 * m * v * v + 0.5 * k * x * x
    # Newmark's period error is (w h)^2 / 12 relative, 2e-6 here, over two periods
    assert result.channel("s.length") == pytest.approx(1.0 + x, abs=2e-6)
    assert result.channel("s.rate") == pytest.approx(v, abs=1e-5)
    assert result.channel("s.spring_force") == pytest.approx(k * x, abs=1e-4)
    assert result.channel("s.force") == pytest.approx(k * x + c * v, abs=1e-4)
    assert result.channel("energy.total") == pytest.approx(energy, abs=2e-5)
    assert result.channel("energy.damper_loss") == pytest.approx(1.0 - energy, abs=2e-5)
    # mean force times change of length closes exactly for a linear oscillator
    assert np.abs(result.channel("energy.balance_error")).max() < 1e-12


def test_free_fall() -> None:
    mechanism = Mechanism(gravity=(0.0, 0.0, -9.81), bodies=(block(velocity=(1.0, 0.0, 2.0)),))
    result = run(mechanism, steps=100, h=0.01, **OPTIONS)
    z = 2.0 - 0.5 * 9.81
    assert result.pose("block")[-1, :3] == pytest.approx([1.0, 0.0, z], abs=1e-12)
    assert last(result, "energy.gravity") == pytest.approx(2.0 * 9.81 * z, abs=1e-10)
    assert last(result, "energy.total") == pytest.approx(5.0, abs=1e-10)
    assert abs(last(result, "energy.balance_error")) < 1e-11


def test_work_of_a_constant_force() -> None:
    push = AppliedForce(id="f", at="block", vector=(6.0, 0.0, 0.0))
    result = run(weightless(block(), forces=(push,)), steps=100, h=0.01, **OPTIONS)
    # a = 3 m/s^2, 1.5 m in a second
    assert last(result, "energy.force_work") == pytest.approx(9.0, rel=1e-12)
    assert last(result, "energy.kinetic") == pytest.approx(9.0, rel=1e-12)


@pytest.mark.parametrize("axes", ["ground", "body"])
def test_work_of_a_torque(axes: str) -> None:
    # about the z axis of the body, which stays the z axis of the ground: 0.5 kg m^2, 2 N m, 2 rad in a second
    turn = AppliedTorque.model_validate({"id": "t", "at": "block", "vector": (0.0, 0.0, 2.0), "axes": axes})
    start = axis_angle((0.0, 0.0, 1.0), 0.7)
    result = run(weightless(block(orientation=start), forces=(turn,)), steps=1000, h=1e-3, **OPTIONS)
    assert last(result, "energy.kinetic") == pytest.approx(4.0, rel=1e-5)
    assert last(result, "energy.force_work") == pytest.approx(4.0, rel=1e-5)
    assert result.rows.twists[-1, 0, 3:] == pytest.approx([0.0, 0.0, 4.0], abs=1e-5)


def test_torque_in_body_axes_turns_with_the_body() -> None:
    # the body lies on its side: its x axis is the z axis of the ground
    side = axis_angle((0.0, 1.0, 0.0), -math.pi / 2)
    turn = AppliedTorque(id="t", at="block", vector=(0.3, 0.0, 0.0), axes="body")
    result = run(weightless(block(orientation=side), forces=(turn,)), steps=100, h=1e-3, **OPTIONS)
    assert result.rows.twists[-1, 0, 3:] == pytest.approx([0.0, 0.0, 0.1], abs=1e-7)


def test_force_in_body_axes_turns_with_the_body() -> None:
    # a body that spins at 2 rad/s about z, pushed along its own x: v = F / (m w) (sin wt, 1 - cos wt)
    push = AppliedForce(id="f", at="block", vector=(4.0, 0.0, 0.0), axes="body")
    spinning = block(angular_velocity=(0.0, 0.0, 2.0))
    result = run(weightless(spinning, forces=(push,)), steps=1000, h=1e-3, **OPTIONS)
    wanted = [math.sin(2.0), 1.0 - math.cos(2.0), 0.0]
    assert result.rows.twists[-1, 0, :3] == pytest.approx(wanted, abs=1e-6)
    assert last(result, "energy.force_work") == pytest.approx(0.5 * 2.0 * np.dot(wanted, wanted), abs=1e-5)


def test_actuator_work_is_positive_when_it_shortens() -> None:
    # two equal masses pulled together by 4 N from 3 m: each moves 1 m in a second
    pull = Sda(id="s", i="a", j="b", actuator_force=4.0)
    result = run(weightless(block("a"), block("b", 3.0), forces=(pull,)), steps=100, h=0.01, **OPTIONS)
    assert last(result, "s.length") == pytest.approx(1.0, rel=1e-12)
    assert last(result, "energy.actuator_work") == pytest.approx(8.0, rel=1e-12)
    assert last(result, "energy.kinetic") == pytest.approx(8.0, rel=1e-12)
    assert abs(last(result, "energy.balance_error")) < 1e-12


def test_slack_cable_does_nothing() -> None:
    cable = Sda(id="s", i="ground", j="block", stiffness=1e3, damping=5.0, free_length=2.0, tension_only=True)
    moving = block(x=1.0, velocity=(0.5, 0.0, 0.0))
    result = run(weightless(moving, forces=(cable,)), steps=100, h=0.01, **OPTIONS)
    assert result.pose("block")[-1, 0] == pytest.approx(1.5, abs=1e-13)
    assert np.abs(result.channel("s.force")).max() == 0.0
    assert np.abs(result.channel("energy.springs")).max() == 0.0


def test_cable_that_goes_slack_while_long_loses_its_spring_energy() -> None:
    # it shortens so fast that the damper would push: the cable goes slack, and the ledger still closes
    cable = Sda(
        id="s", i="ground", j="block", stiffness=10.0, damping=40.0, free_length=1.0, tension_only=True
    )
    moving = block(x=1.5, velocity=(-1.0, 0.0, 0.0))
    result = run(weightless(moving, forces=(cable,)), steps=40, h=0.01, **OPTIONS)
    assert np.abs(result.channel("s.force")).max() == 0.0
    assert last(result, "s.length") == pytest.approx(1.1, abs=1e-12)
    lost = 0.5 * 10.0 * (0.5**2 - 0.1**2)
    assert last(result, "energy.damper_loss") == pytest.approx(lost, rel=1e-10)
    assert abs(last(result, "energy.balance_error")) < 1e-12


def test_frame_of_the_body_is_recorded_not_the_mass_centre() -> None:
    # mass centre 0.4 m along x from the frame; free spin about z carries the frame around the centre
    mass = MassGiven(mass=1.0, centre=(0.4, 0.0, 0.0), inertia=(0.1, 0.1, 0.1, 0.0, 0.0, 0.0))
    body = Body(
        id="block",
        position=(-0.4, 0.0, 0.0),
        mass=mass,
        angular_velocity=(0.0, 0.0, 3.0),
        velocity=(0.0, -1.2, 0.0),
    )
    result = run(weightless(body), steps=500, h=1e-3, **OPTIONS)
    angle = 1.5
    pose, twist = result.pose("block")[-1], result.rows.twists[-1, 0]
    assert pose[:3] == pytest.approx([-0.4 * math.cos(angle), -0.4 * math.sin(angle), 0.0], abs=1e-5)
    assert pose[3:] == pytest.approx([math.cos(angle / 2), 0.0, 0.0, math.sin(angle / 2)], abs=1e-5)
    assert np.linalg.norm(pose[3:]) == pytest.approx(1.0, abs=1e-15)
    wanted = [1.2 * math.sin(angle), -1.2 * math.cos(angle), 0.0, 0.0, 0.0, 3.0]
    assert twist == pytest.approx(wanted, abs=1e-5)


def test_force_at_a_marker_turns_the_body() -> None:
    # 1 N at 0.5 m for a short time: angular acceleration F r / J about z
    push = AppliedForce(id="f", at="tip", vector=(0.0, 1.0, 0.0))
    tip = Marker(id="tip", body="block", position=(0.5, 0.0, 0.0))
    result = run(weightless(block(), markers=(tip,), forces=(push,)), steps=10, h=1e-4, **OPTIONS)
    assert result.rows.twists[-1, 0, 5] == pytest.approx(0.5 / 0.5 * 1e-3, rel=1e-6)
