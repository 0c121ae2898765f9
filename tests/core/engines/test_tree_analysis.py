"""Mass matrix, inverse dynamics and linear modes in joint coordinates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given as draw
from hypothesis import settings
from tests.core.kernels.tree.trees import Case, cases
from tests.validation.test_tree_accuracy import loaded
from tests.validation.tree_runs import ABOUT_Y, given, rod_chain

from linkwright.compiler.compile import compile_mechanism
from linkwright.document.bodies import Body, Marker
from linkwright.document.mechanism import Mechanism
from linkwright.document.settings import TreeOptions
from linkwright.elements.forces import Sda
from linkwright.elements.joints import Prismatic, Revolute
from linkwright.engines.base import start_frame
from linkwright.engines.state import State
from linkwright.engines.tree import TreeEngine, TreeWorkspace, find_accelerations
from linkwright.engines.tree_analysis import inverse_dynamics, linear_modes, mass_matrix
from linkwright.errors import RunError
from linkwright.kernels.tree import composite, ltdl, reactions
from linkwright.kernels.tree.layout import T_DELTA, T_DRIVEN, T_LOADED, T_RATE, TreeMotion
from linkwright.kernels.tree.outward import outward


def started(mechanism: Mechanism) -> tuple[TreeWorkspace, State]:
    model = compile_mechanism(mechanism)
    work = TreeEngine().prepare(model, TreeOptions(), 1e-3)
    state, _ = TreeEngine().initialise(work, start_frame(model))
    return work, state


@settings(max_examples=60)
@draw(case=cases(max_size=6))
def test_mass_matrix_gives_the_kinetic_energy(case: Case) -> None:
    # v^T M v / 2 against the sum over the bodies, with twists from the dense referee
    tables = case.tables
    work = tables.make_work(np.zeros(3))
    outward(tables.tree_int, tables.tree_real, case.q, case.v, np.zeros(tables.n_v), work)
    matrix = np.full((tables.n_v, tables.n_v), np.nan)
    composite.mass_matrix(tables.tree_int, tables.tree_real, work, np.zeros((tables.n_body + 1, 21)), matrix)
    motion = case.referee()
    expected = 0.0
    for k, body in enumerate(case.bodies):
        omega, vel = motion.rot[k].T @ motion.omega[k], motion.rot[k].T @ motion.vel[k]
        expected += 0.5 * (body.mass * vel @ vel + omega @ body.inertia @ omega)
        expected += vel @ np.cross(omega, body.moment)
    assert np.array_equal(matrix, matrix.T)
    assert 0.5 * case.v @ matrix @ case.v == pytest.approx(expected, rel=1e-11, abs=1e-11)


@settings(max_examples=60)
@draw(case=cases(max_size=6))
def test_inverse_dynamics_undoes_the_elimination(case: Case) -> None:
    # the accelerations of free motion need no push; others need M times the difference
    tables = case.tables
    found, work = case.evaluate_with_work(ltdl)
    free = np.zeros((tables.n_body + 1, 6))
    free[tables.rows] = np.hstack([found.torque, found.force])
    scale = max(1.0, float(np.abs(case.wrench).max()), float(np.abs(free).max()))
    driven = np.zeros(tables.n_v, bool)
    for row in range(tables.n_body + 1, tables.tree_int.shape[0]):
        if tables.tree_int[row, T_DRIVEN]:
            driven[tables.tree_int[row, T_RATE]] = True
    u = np.zeros(tables.n_v)
    reactions.along_freedoms(tables.tree_int, work, free, u)
    assert np.abs(u[~driven]).max(initial=0.0) < 1e-10 * scale

    # another acceleration of the freedoms that are not driven
    other = found.a + np.where(driven, 0.0, np.random.default_rng(1).normal(size=tables.n_v))
    work = tables.make_work(case.gravity)
    outward(tables.tree_int, tables.tree_real, case.q, case.v, case.driven, work)
    reactions.spread(tables.tree_int, other, work)
    reactions.total(tables.tree_int, work)
    tree_int = tables.tree_int.copy()
    tree_int[0, T_LOADED] = 1
    work[tables.rows, T_DELTA : T_DELTA + 6] = case.wrench
    react = np.zeros((tables.n_body + 1, 6))
    reactions.reactions(tree_int, tables.tree_real, work, react)
    reactions.along_freedoms(tables.tree_int, work, react, u)
    matrix = np.zeros((tables.n_v, tables.n_v))
    composite.mass_matrix(tables.tree_int, tables.tree_real, work, np.zeros((tables.n_body + 1, 21)), matrix)
    expected = matrix @ (other - found.a)
    assert np.abs((u - expected)[~driven]).max(initial=0.0) < 1e-9 * max(
        scale, float(np.abs(expected).max(initial=0.0))
    )


def test_interface_with_loads() -> None:
    work, state = started(loaded())
    motion = TreeMotion(state.q, state.v, state.a, state.lam)
    find_accelerations(work, motion)
    free = state.a.copy()
    assert np.abs(inverse_dynamics(work, state, free)).max() < 1e-8
    other = free + 1.0
    assert inverse_dynamics(work, state, other) == pytest.approx(
        mass_matrix(work, state) @ np.ones(free.size), abs=1e-8
    )


def test_modes_of_a_double_pendulum() -> None:
    # rods of 1 m and 1 kg in absolute angles: M = [4/3 1/2; 1/2 1/3], K = g diag(3/2, 1/2)
    g, j = 9.81, 1 / 12
    mass = np.array([[1.25 + j, 0.5], [0.5, 0.25 + j]])
    expected = np.sqrt(np.linalg.eigvals(np.linalg.solve(mass, g * np.diag([1.5, 0.5])))) / (2 * np.pi)
    work, state = started(hanging(rod_chain(2)))
    modes = linear_modes(work, state)
    assert modes.frequencies == pytest.approx(np.sort(expected), rel=1e-7)
    assert np.abs(modes.damping_ratios).max() < 1e-7
    # slow mode in phase, fast mode out of phase; joint angles are relative
    slow, fast = modes.shapes.real
    assert slow[0] * (slow[0] + slow[1]) > 0.0 > fast[0] * (fast[0] + fast[1])


def hanging(mechanism: Mechanism) -> Mechanism:
    """Turn gravity along the chain, which then hangs in equilibrium as it is drawn."""
    return mechanism.replaced(gravity=(9.81, 0.0, 0.0))


def test_modes_of_a_damped_slide() -> None:
    # one mass on a rail: lambda = -c/2m +- i sqrt(k/m - (c/2m)^2)
    m, k, c = 2.0, 50.0, 4.0
    mechanism = Mechanism(
        gravity=(0.0, 0.0, 0.0),
        bodies=(Body(id="block", position=(0.0, 0.0, 1.0), mass=given(m, (1.0, 1.0, 1.0))),),
        joints=(Prismatic(id="rail", i="block", j="ground"),),
        forces=(Sda(id="s", i="block", j="ground", stiffness=k, damping=c),),
    )
    modes = linear_modes(*started(mechanism))
    expected = -c / (2 * m) + 1j * math.sqrt(k / m - (c / (2 * m)) ** 2)
    assert len(modes.eigenvalues) == 1
    assert abs(modes.eigenvalues[0] - expected) < 1e-7
    assert modes.damping_ratios[0] == pytest.approx(c / (2 * math.sqrt(k * m)), rel=1e-7)


def test_modes_of_a_closed_parallelogram() -> None:
    # two hanging cranks m, length L, and a coupler M between them: omega^2 = g (m + M) / (L (2 m / 3 + M))
    g, m, big, length = 9.81, 1.0, 2.0, 0.8
    rod = given(m, (m * length**2 / 12, m * length**2 / 12, 1e-4))
    bodies = (
        Body(id="left", position=(0.0, 0.0, -length / 2), mass=rod),
        Body(id="right", position=(1.0, 0.0, -length / 2), mass=rod),
        Body(id="bar", position=(0.5, 0.0, -length), mass=given(big, (0.1, 0.1, 0.1))),
    )
    places = {"a": (0.0, 0.0), "b": (1.0, 0.0), "c": (0.0, -length), "d": (1.0, -length)}
    owners = {"a": ("left", "ground"), "b": ("right", "ground"), "c": ("bar", "left"), "d": ("bar", "right")}
    centres = {body.id: np.array(body.position, float) for body in bodies} | {"ground": np.zeros(3)}
    markers, joints = [], []
    for name, (x, z) in places.items():
        for owner in owners[name]:
            px, py, pz = (float(v) for v in np.array([x, 0.0, z]) - centres[owner])
            markers.append(
                Marker(id=f"{name}_{owner}", body=owner, position=(px, py, pz), orientation=ABOUT_Y)
            )
        i, j = owners[name]
        joints.append(Revolute(id=name, i=f"{name}_{i}", j=f"{name}_{j}"))
    mechanism = Mechanism(gravity=(0.0, 0.0, -g), bodies=bodies, markers=tuple(markers), joints=tuple(joints))
    work, state = started(mechanism)
    assert work.mechanism.n_loop == 5
    modes = linear_modes(work, state)
    expected = math.sqrt(g * (m + big) / (length * (2 * m / 3 + big))) / (2 * math.pi)
    assert modes.frequencies == pytest.approx([expected], rel=1e-7)


def test_modes_need_an_equilibrium() -> None:
    with pytest.raises(RunError, match="equilibrium"):
        linear_modes(*started(rod_chain(2)))
