"""Redundant joints: the right motion, with rows that are chosen anew when the pose has made the choice a bad one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.validation.mechanisms import study_options
from tests.validation.study import run

from linkwright.compiler.compile import compile_mechanism
from linkwright.document.bodies import Body, Marker, MassGiven
from linkwright.document.mechanism import Mechanism
from linkwright.document.rotation import Quat, axis_angle, multiply, rotate
from linkwright.document.settings import Settings
from linkwright.elements.joints import InLine, Revolute
from linkwright.engines.base import start_frame
from linkwright.engines.newmark import NewmarkEngine
from linkwright.engines.state import STEP_COLUMNS, RowBlock

Y_AXIS = axis_angle((1.0, 0.0, 0.0), -math.pi / 2)
CRANK, COUPLER, ROCKER, BASE = 1.0, 1.5, 1.2, 1.6


def turntable(omega: float, redundant: bool = True) -> Mechanism:
    """Four-bar in a vertical plane on a table that spins about z; with four full pins three rows are redundant.

    The redundant directions turn with the table, the rows of the pins are in ground axes: after a quarter turn a row
    that could be left out is needed, and one that was needed could be left out.
    """
    angle = 1.1
    a = np.array([math.cos(angle), 0.0, math.sin(angle)]) * CRANK
    d = np.array([BASE, 0.0, 0.0])
    across = d - a
    distance = float(np.linalg.norm(across))
    along = (distance**2 + COUPLER**2 - ROCKER**2) / (2 * distance)
    normal = np.array([-across[2], 0.0, across[0]]) / distance
    b = a + along * across / distance + math.sqrt(COUPLER**2 - along**2) * normal

    def link(name: str, start: np.ndarray, end: np.ndarray) -> Body:
        x, y, z = (float(c) for c in (start + end) / 2)
        turn = axis_angle((0.0, 1.0, 0.0), -math.atan2(end[2] - start[2], end[0] - start[0]))
        return Body(
            id=name,
            position=(x, y, z),
            orientation=turn,
            velocity=(-omega * y, omega * x, 0.0),
            angular_velocity=(0.0, 0.0, omega),
            mass=MassGiven(mass=1.0, inertia=(1e-3, 0.1, 0.1, 0.0, 0.0, 0.0)),
        )

    table = Body(
        id="table",
        mass=MassGiven(mass=5.0, inertia=(1.0, 1.0, 2.0, 0.0, 0.0, 0.0)),
        angular_velocity=(0.0, 0.0, omega),
    )
    markers = [
        Marker(id="t0", body="table", orientation=Y_AXIS),
        Marker(id="t1", body="table", position=(BASE, 0.0, 0.0), orientation=Y_AXIS),
    ]
    for name, length in (("crank", CRANK), ("coupler", COUPLER), ("rocker", ROCKER)):
        for end, side in (("a", -0.5), ("b", 0.5)):
            place = (side * length, 0.0, 0.0)
            markers.append(Marker(id=f"{name}_{end}", body=name, position=place, orientation=Y_AXIS))
    last = Revolute if redundant else InLine
    return Mechanism(
        gravity=(0.0, 0.0, -9.81),
        bodies=(
            table,
            link("crank", np.zeros(3), a),
            link("coupler", a, b),
            link("rocker", d, b),
        ),
        markers=tuple(markers),
        joints=(
            Revolute(id="spin", i="table", j="ground"),
            Revolute(id="A0", i="crank_a", j="t0"),
            Revolute(id="A", i="coupler_a", j="crank_b"),
            Revolute(id="B0", i="rocker_a", j="t1"),
            last(id="B", i="coupler_b", j="rocker_b"),
        ),
        settings=Settings(t_end=3.0, h=1e-3, newmark=study_options(projection=True)),
    )


@pytest.mark.parametrize("omega", [1.0, math.pi / 2])
def test_redundant_directions_may_turn(omega: float) -> None:
    # with pi/2 rad/s the table stands at exactly 90 degrees after 1000 steps
    redundant = run(turntable(omega), steps=2500)
    plain = run(turntable(omega, redundant=False), steps=2500)
    assert (redundant.steps, plain.steps) == (2500, 2500)
    assert redundant.work.kept.sum() == redundant.model.n_row - 3
    # every row holds, those left out included
    assert redundant.column("position_error").max() < 1e-11
    assert redundant.column("velocity_error").max() < 1e-7
    assert redundant.column("solves").max() <= 2
    assert np.abs(redundant.rows.poses - plain.rows.poses).max() < 1e-7


def test_rows_are_chosen_again_and_the_step_repeated() -> None:
    it = NewmarkEngine()
    mechanism = turntable(0.0)
    model = compile_mechanism(mechanism)
    work = it.prepare(model, mechanism.settings.newmark, 1e-3)
    state, _ = it.initialise(work, start_frame(model))
    before = work.kept.copy()
    quarter: Quat = axis_angle((0.0, 0.0, 1.0), math.pi / 2)
    for vector in (state.q, state.v, state.a):
        for b in range(model.n_body):
            x, y, z = (float(c) for c in vector[7 * b : 7 * b + 3])
            vector[7 * b : 7 * b + 3] = rotate(quarter, (x, y, z))
            w, x, y, z = (float(c) for c in vector[7 * b + 3 : 7 * b + 7])
            vector[7 * b + 3 : 7 * b + 7] = multiply(quarter, (w, x, y, z))
    rows = RowBlock.allocate(model.n_body, len(model.channel_names), 10, residuals=100)
    assert it.advance(work, state, rows, 10) == 10
    assert work.failure is None
    assert not np.array_equal(before, work.kept)
    assert work.kept.sum() == before.sum()
    retries = rows.steps[:, STEP_COLUMNS.index("retries")]
    assert retries.tolist() == [1.0] + [0.0] * 9
    # the same motion as that of the mechanism that was not turned
    other = run(mechanism, steps=10)
    angles = [rotate(quarter, tuple(map(float, p))) for p in other.rows.poses[9, :, :3]]  # type: ignore[arg-type]  # three numbers
    assert rows.poses[9, :, :3] == pytest.approx(np.array(angles), abs=1e-9)
