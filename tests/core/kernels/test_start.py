"""Consistent starts: least movement in the metric of the masses, nearest velocities, the full equations of motion."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.validation.random_models import make_model, random_model, random_state
from tests.validation.reference_equations import Reference, g_matrix

from linkwright.compiler.model import CompiledModel
from linkwright.compiler.ordering import make_pattern
from linkwright.compiler.rank import constraint_matrix
from linkwright.compiler.workspace import make_motion, make_scratch
from linkwright.kernels import layout
from linkwright.kernels.layout import STEP_DONE, STEP_NO_LENGTH, STEP_NOT_CONVERGED, STEP_SINGULAR, Motion
from linkwright.kernels.start import settle

Array = NDArray[np.float64]


def settled(model: CompiledModel, motion: Motion, begin: bool = True) -> int:
    pattern = make_pattern(model.tables, model.row_prim, np.ones(model.n_row, bool))
    return int(settle(model.tables, pattern, motion, make_scratch(model, pattern, 1), begin))


def mass_matrix(model: CompiledModel, q: Array) -> Array:
    """Mass matrix over velocities of the mass centres and angular velocities in body axes."""
    m = np.zeros((6 * model.n_body, 6 * model.n_body))
    for b, row in enumerate(model.tables.body):
        xx, yy, zz, xy, xz, yz = row[1:7]
        m[6 * b : 6 * b + 3, 6 * b : 6 * b + 3] = row[0] * np.eye(3)
        m[6 * b + 3 : 6 * b + 6, 6 * b + 3 : 6 * b + 6] = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    return m


def velocities(q: Array, v: Array) -> Array:
    """Velocities of the mass centres and angular velocities in body axes."""
    out = []
    for b in range(q.size // 7):
        e, ed = (x[7 * b + 3 : 7 * b + 7] for x in (q, v))
        out += [v[7 * b : 7 * b + 3], 2 * g_matrix(e) @ ed]
    return np.concatenate(out)


def consistent(seed: int) -> tuple[CompiledModel, Motion, Array]:
    """A random model, closed from a random pose, and the velocities it was given."""
    model = random_model(seed)
    q, v, _, _ = random_state(model, seed)
    motion = make_motion(model)
    motion.q[:], motion.v[:] = q, v
    status = settled(model, motion)
    given_v = v.copy()
    return model, motion, given_v if status == STEP_DONE else np.zeros(0)


SEEDS = range(6)
"""Random models whose joints can be closed."""


@pytest.mark.parametrize("seed", SEEDS)
def test_random_models_can_be_closed(seed: int) -> None:
    assert consistent(seed)[2].size


@pytest.mark.parametrize("seed", SEEDS)
def test_equations_hold_at_the_start(seed: int) -> None:
    model, motion, _ = consistent(seed)
    ref = Reference(model, np.ones(model.n_row, bool))
    residual = ref.residual(motion.q, motion.v, motion.a, motion.lam)
    scale = 1.0 + np.abs(motion.lam).max()
    assert np.abs(residual[: motion.q.size]).max() < 1e-9 * scale
    assert np.abs(ref.phi(motion.q)).max() < 1e-11
    by_q = ref.phi_q(motion.q)
    assert np.abs(by_q @ motion.v).max() < 1e-11
    # second rate of the rows: a complex step along the motion
    step = 1e-30j
    ahead = ref.phi_q(motion.q + step * motion.v) @ (motion.v + step * motion.a)
    assert np.abs(ahead.imag).max() / 1e-30 < 1e-9 * (1.0 + np.abs(motion.a).max())


@pytest.mark.parametrize("seed", SEEDS)
def test_velocities_are_the_nearest(seed: int) -> None:
    # the change is orthogonal, in the metric of the masses, to every motion the joints allow
    model, motion, given_v = consistent(seed)
    moved = make_motion(model)
    moved.q[:], moved.v[:] = motion.q, given_v
    assert settled(model, moved) == STEP_DONE
    rows = constraint_matrix(model, moved.q).rows
    change = velocities(moved.q, moved.v) - velocities(moved.q, given_v)
    _, _, vt = np.linalg.svd(rows)
    free = vt[rows.shape[0] :]
    momentum = mass_matrix(model, moved.q) @ change
    assert np.abs(free @ momentum).max() < 1e-10 * (1.0 + np.abs(momentum).max())
    assert np.abs(rows @ velocities(moved.q, moved.v)).max() < 1e-11


def test_least_movement() -> None:
    # two equal masses a distance of 3 apart on a rod of 2: each moves half of what is missing, along the line
    body = [2.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    real = [0.0] * 9 + [2.0]
    model = make_model([body, body], [(layout.DISTANCE, 0, 1, real)], [], gravity=(0.0, 0.0, 0.0))
    motion = make_motion(model)
    motion.q[[0, 3, 7, 10]] = 0.0, 1.0, 3.0, 1.0
    assert settled(model, motion) == STEP_DONE
    assert motion.q[:3] == pytest.approx([0.5, 0.0, 0.0], abs=1e-12)
    assert motion.q[7:10] == pytest.approx([2.5, 0.0, 0.0], abs=1e-12)


@settings(max_examples=10, deadline=None, derandomize=True)
@given(st.integers(0, 10**6))
def test_projection_of_a_consistent_motion_changes_nothing(seed: int) -> None:
    model, motion, given_v = consistent(seed)
    if not given_v.size:
        return
    before = [x.copy() for x in motion]
    assert settled(model, motion, begin=False) == STEP_DONE
    for name, x, y in zip("qval", before, motion, strict=True):
        assert np.abs(x - y).max() < 1e-8 * (1.0 + np.abs(x).max()), name


def test_projection_keeps_positions_and_gives_exact_rates() -> None:
    seed = SEEDS[0]
    model, motion, given_v = consistent(seed)
    rng = np.random.default_rng(1)
    q = motion.q.copy()
    motion.v[:] = given_v
    motion.a[:] += rng.normal(size=motion.a.size)
    motion.lam[:] += rng.normal(size=motion.lam.size)
    assert settled(model, motion, begin=False) == STEP_DONE
    assert np.array_equal(motion.q, q)
    ref = Reference(model, np.ones(model.n_row, bool))
    residual = ref.residual(motion.q, motion.v, motion.a, motion.lam)
    assert np.abs(residual).max() < 1e-9 * (1.0 + np.abs(motion.lam).max())
    assert np.abs(ref.phi_q(motion.q) @ motion.v).max() < 1e-12


def test_contradictory_joints_are_not_closed() -> None:
    # two points 1 apart on one body cannot meet two points 2 apart on the ground
    body = [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    prims = [(layout.POINT, 0, 1, [x, 0.0, 0.0, 2 * x, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]) for x in (-0.5, 0.5)]
    model = make_model([body], prims, [])
    pattern = make_pattern(model.tables, model.row_prim, np.array([True] * 4 + [False, False]))
    motion = make_motion(model)
    motion.q[3] = 1.0
    work = make_scratch(model, pattern, 1)
    assert settle(model.tables, pattern, motion, work, True) in (STEP_NOT_CONVERGED, STEP_SINGULAR)


def test_spring_without_length_is_named() -> None:
    body = [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    model = make_model([body], [], [([0, 1, 0], [0.0] * 6 + [10.0, 0.0, 1.0, 0.0])])
    motion = make_motion(model)
    motion.q[3] = 1.0
    assert settled(model, motion) == STEP_NO_LENGTH


def test_twice_the_same_row_is_singular() -> None:
    body = [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    point = (layout.POINT, 0, 1, [0.1, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    model = make_model([body], [point, point], [])
    motion = make_motion(model)
    motion.q[3] = 1.0
    assert settled(model, motion) == STEP_SINGULAR
