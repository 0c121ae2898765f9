"""Both eliminations against the dense augmented system, on random trees and on long chains."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from tests.core.kernels.tree.referee import Answer
from tests.core.kernels.tree.trees import JOINTS, Case, cases, make_case

from linkwright.engines.tree_tables import make_tables
from linkwright.kernels.layout import Floats
from linkwright.kernels.tree import ltdl, sweep
from linkwright.kernels.tree.layout import T_DELTA
from linkwright.kernels.tree.reactions import along_freedoms

SOLVERS = {"ltdl": (ltdl, 1e-10), "sweep": (sweep, 1e-9)}
"""Relative tolerances asked for; explicit inverses lose a little more."""


def error(found: Floats, expected: Floats, least: float = 0.0) -> float:
    """Largest difference over the largest expected number, or over `least` if that is larger."""
    if expected.size == 0:
        return 0.0
    return float(np.abs(found - expected).max() / max(least, np.abs(expected).max()))


def check(case: Case, expected: Answer, solver: ModuleType, tolerance: float) -> None:
    """Compare positions, rates, accelerations and reactions with the dense solution."""
    found = case.evaluate(solver)
    for name in ("rot", "origin", "omega", "vel"):
        assert np.allclose(getattr(found, name), getattr(expected, name), rtol=0, atol=1e-10), name
    assert error(found.a, expected.a) < tolerance
    w = np.hstack([expected.alpha, expected.accel])
    assert error(np.hstack([found.alpha, found.accel]), w) < tolerance
    # a free body has no reactions: what is left is rounding of the loads
    load = float(np.abs(case.wrench).max())
    r = np.hstack([expected.torque, expected.force])
    assert error(np.hstack([found.torque, found.force]), r, load) < tolerance


@settings(max_examples=500, suppress_health_check=[HealthCheck.too_slow])
@given(case=cases())
def test_random_trees(case: Case) -> None:
    expected = case.referee()
    for solver, tolerance in SOLVERS.values():
        check(case, expected, solver, tolerance)


@pytest.mark.parametrize("joint", JOINTS)
def test_every_joint_at_root_middle_and_leaf(joint: str) -> None:
    # two branches behind the middle body, so that blocks are collected as well as handed on
    case = make_case([-1, 0, 1, 1, 3], [joint, joint, "revolute", joint, "spherical"], seed=7)
    expected = case.referee()
    for solver, tolerance in SOLVERS.values():
        check(case, expected, solver, tolerance)


def test_slender_bodies() -> None:
    # rods a thousand times longer than thick: moments of inertia a million times apart, turned at random
    case = make_case(list(range(-1, 11)), ["spherical"] * 12, seed=5)
    rod = np.diag([1.0, 1.0, 1e-6])
    bodies = [replace(body, mass=1.0, moment=np.array([0.0, 0.0, 0.5]), inertia=rod) for body in case.bodies]
    case = replace(case, bodies=bodies, tables=make_tables(bodies))
    expected = case.referee()
    for solver, tolerance in SOLVERS.values():
        check(case, expected, solver, tolerance)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("joint", ["spherical", "revolute", "universal"])
def test_ten_thousand_bodies_satisfy_their_equations(joint: str, solver: str) -> None:
    # nothing recurs in the call stack, and no reaction works on a freedom: A^T R = 0 to rounding of the largest R
    n = 10_000
    case = make_case(list(range(-1, n - 1)), [joint] * n, seed=1)
    case.v *= 0.01
    case.wrench[:] = 0.0
    module, tolerance = SOLVERS[solver]
    found, work = case.evaluate_with_work(module)
    u = np.zeros(case.tables.n_v)
    react = np.zeros((n + 1, 6))
    react[case.tables.rows] = np.hstack([found.torque, found.force])
    along_freedoms(case.tables.tree_int, work, react, u)
    assert np.all(np.isfinite(u))
    assert np.abs(u).max() < tolerance * np.abs(react).max()


def test_without_bodies() -> None:
    tables = make_tables([])
    work = tables.make_work(np.array([0.0, 0.0, -9.81]))
    for solver, _ in SOLVERS.values():
        solver.eliminate(tables.tree_int, tables.tree_real, work)
        solver.answer(tables.tree_int, work, np.zeros(0))
    assert np.array_equal(work, tables.make_work(np.array([0.0, 0.0, -9.81])))


@pytest.mark.parametrize("solver", SOLVERS)
@settings(max_examples=60)
@given(case=cases(max_size=6))
def test_factor_serves_other_wrenches(solver: str, case: Case) -> None:
    # two evaluations that differ in the wrenches alone differ by the answer to the difference
    module, tolerance = SOLVERS[solver]
    first, work = case.evaluate_with_work(module)
    other = replace(case, wrench=np.random.default_rng(3).normal(size=case.wrench.shape) * 5.0)
    second = other.evaluate(module)
    tables = case.tables
    work[tables.rows, T_DELTA : T_DELTA + 6] = other.wrench - case.wrench
    added = np.zeros(tables.n_v)
    module.reload(tables.tree_int, work)
    module.answer(tables.tree_int, work, added)
    assert error(first.a + added, second.a, np.abs(first.a).max(initial=0.0)) < tolerance
