"""Energy over long runs, orders of the integrators, and cost over the number of bodies."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from tests.validation.tree_runs import ENGINE, TreeRun, given, rod_chain, run, vec3

from linkwright.compiler.compile import compile_mechanism
from linkwright.document.bodies import Body, Marker
from linkwright.document.mechanism import Mechanism
from linkwright.document.settings import TreeOptions
from linkwright.elements.forces import AppliedForce, AppliedTorque, Sda
from linkwright.elements.joints import Spherical
from linkwright.engines.base import start_frame
from linkwright.engines.state import RowBlock
from linkwright.kernels.layout import Floats

TIGHT: dict[str, Any] = {"tolerance_abs": 1e-10, "tolerance_rel": 1e-10}


def spinning_chain(n: int) -> Mechanism:
    """Chain with ball joints that swings in space: the rods turn at the start, each about an axis of its own."""
    mechanism = rod_chain(n, "spherical")
    rng = np.random.default_rng(2)
    bodies = tuple(body.replaced(angular_velocity=vec3(rng.normal(size=3))) for body in mechanism.bodies)
    return mechanism.replaced(bodies=bodies)


@pytest.mark.parametrize("solver", ["ltdl", "sweep"])
def test_energy_of_a_chain_of_fifty(solver: str) -> None:
    result = run(spinning_chain(50), 10.0, 0.02, solver=solver, **TIGHT)
    energy, kinetic = result.channel("energy.total"), result.channel("energy.kinetic")
    assert np.ptp(energy) < 1e-8 * kinetic.max()


def final(result: TreeRun) -> Floats:
    return np.concatenate([result.poses[-1].ravel(), result.twists[-1].ravel()])


ORDERS = {
    # integrator, steps of 1 s, order; slopes between neighbours of the series scatter by a few tenths
    "symplectic-euler": ([400, 800, 1600], 1),
    "rk4": ([50, 100, 200], 4),
    "stoermer": ([60, 120, 240], 6),
}


@pytest.mark.parametrize("integrator", ORDERS)
@pytest.mark.parametrize("joint", ["revolute", "spherical"])
def test_order(integrator: str, joint: str) -> None:
    mechanism = rod_chain(3) if joint == "revolute" else spinning_chain(3)
    exact = final(run(mechanism, 1.0, 0.1, tolerance_abs=1e-13, tolerance_rel=1e-13))
    counts, order = ORDERS[integrator]
    errors = [
        np.linalg.norm(final(run(mechanism, 1.0, 1.0 / n, integrator=integrator)) - exact) for n in counts
    ]
    slopes = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert abs(slopes[-1] - order) < 0.5, (errors, slopes)


def test_dormand_prince_keeps_its_tolerance() -> None:
    mechanism = spinning_chain(3)
    exact = final(run(mechanism, 1.0, 0.1, tolerance_abs=1e-13, tolerance_rel=1e-13))
    for tolerance in (1e-6, 1e-8, 1e-10):
        found = run(mechanism, 1.0, 0.1, tolerance_abs=tolerance, tolerance_rel=tolerance)
        # local errors add up over a second; a factor of 300 bounds their sum here
        assert np.linalg.norm(final(found) - exact) < 300 * tolerance


def test_output_step_does_not_move_the_solution() -> None:
    # inner steps are chosen by the tolerance alone, so that outputs are read off one and the same solution
    mechanism = spinning_chain(3)
    coarse = run(mechanism, 1.0, 0.1, **TIGHT)
    fine = run(mechanism, 1.0, 0.001, every=100, **TIGHT)
    assert np.abs(coarse.poses - fine.poses).max() < 1e-8
    assert coarse.steps[:, 2].sum() < 1.2 * fine.steps[:, 2].sum() + 12


def loaded() -> Mechanism:
    """A ball-jointed rod and a floating body with damped springs, actuator, force and torque in both frames."""
    ball = Body(
        id="ball", position=(1.0, 0.5, 1.0), velocity=(0.0, 1.0, 0.0), mass=given(2.0, (0.1, 0.2, 0.3))
    )
    mechanism = spinning_chain(2)
    return mechanism.replaced(
        bodies=(*mechanism.bodies, ball),
        markers=(*mechanism.markers, Marker(id="ear", body="ball", position=(0.1, 0.2, 0.0))),
        forces=(
            Sda(id="spring", i="b_1", j="ear", stiffness=50.0, damping=3.0, actuator_force=5.0),
            Sda(id="stay", i="ear", j="ground", stiffness=80.0, damping=1.0, free_length=1.0),
            AppliedForce(id="push", at="ear", vector=(1.0, 2.0, 3.0)),
            AppliedForce(id="thrust", at="b_0", vector=(4.0, -1.0, 0.0), axes="body"),
            AppliedTorque(id="twist", at="rod_0", vector=(0.3, 0.2, 0.1)),
            AppliedTorque(id="spin", at="ball", vector=(0.1, -0.3, 0.2), axes="body"),
        ),
    )


@pytest.mark.parametrize(
    ("integrator", "h", "tolerance"),
    # energies reach 50 J; the sums are integrated with the motion, to the order of the method
    [("dormand-prince", 0.01, 1e-6), ("rk4", 5e-4, 3e-5), ("stoermer", 2.5e-4, 3e-7)],
)
def test_energy_ledger_closes(integrator: str, h: float, tolerance: float) -> None:
    result = run(loaded(), 1.0, h, integrator=integrator, **TIGHT)
    assert result.channel("energy.damper_loss")[-1] > 0.1
    assert abs(result.channel("energy.actuator_work")[-1]) > 0.1
    assert abs(result.channel("energy.force_work")[-1]) > 0.1
    assert np.abs(result.channel("energy.balance_error")).max() < tolerance


def test_time_is_linear_in_the_number_of_bodies() -> None:
    # least processor time of several repetitions; R^2 > 0.99 over N = 10 ... 1000
    sizes = [10, 30, 100, 300, 1000]
    times = []
    for n in sizes:
        model = compile_mechanism(rod_chain(n, "spherical"))
        work = ENGINE.prepare(model, TreeOptions(integrator="stoermer"), 1e-4, 10**6)
        state, _ = ENGINE.initialise(work, start_frame(model))
        steps = max(10, 20000 // n)
        rows = RowBlock.allocate(n, len(model.channel_names), 12 * steps, frames=1)
        best = np.inf
        for _ in range(10):
            start = time.process_time()
            assert ENGINE.advance(work, state, rows, steps) == steps
            best = min(best, (time.process_time() - start) / steps)
        times.append(best)
    assert np.corrcoef(sizes, times)[0, 1] ** 2 > 0.99


def test_ten_thousand_bodies_run() -> None:
    result = run(rod_chain(10_000, "spherical"), 2e-3, 1e-3, integrator="rk4")
    # the far end has not heard of the pivot yet and falls freely
    fall = -0.5 * 9.81 * 2e-3**2
    assert abs(result.poses[-1, -1, 2] - fall) < 1e-12
    assert np.ptp(result.channel("energy.total")) < 1e-9 * result.channel("energy.kinetic")[-1]


def test_ball_joint_through_many_turns() -> None:
    # a body that spins freely about a principal axis turns uniformly, however long the steps
    body = Body(id="top", angular_velocity=(0.0, 0.0, 40.0), mass=given(1.0, (1.0, 2.0, 3.0)))
    mechanism = Mechanism(
        gravity=(0.0, 0.0, 0.0), bodies=(body,), joints=(Spherical(id="ball", i="top", j="ground"),)
    )
    result = run(mechanism, 5.0, 0.5, tolerance_abs=1e-6, tolerance_rel=1e-6)
    half = 0.5 * 40.0 * result.t
    expected = np.column_stack([np.cos(half), 0 * half, 0 * half, np.sin(half)])
    assert np.abs(result.poses[:, 0, 3:] - expected).max() < 1e-10
