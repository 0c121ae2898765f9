"""Primitive rows: residual, Jacobian and rates against plain numpy; the rates of accelerations along a known motion."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.validation.random_models import random_model, random_state
from tests.validation.reference_equations import Reference, g_matrix

from linkwright.compiler.model import CompiledModel
from linkwright.compiler.ordering import make_pattern
from linkwright.compiler.rank import constraint_matrix
from linkwright.compiler.workspace import make_ledger, make_motion, make_scratch
from linkwright.engines.state import RowBlock
from linkwright.kernels import layout
from linkwright.kernels.layout import Motion, Scratch
from linkwright.kernels.ledger import observe

Array = NDArray[np.float64]


def everything(model: CompiledModel) -> NDArray[np.bool_]:
    return np.ones(model.n_row, bool)


def observed(model: CompiledModel, motion: Motion) -> tuple[Scratch, Array]:
    """Scratch arrays and channels after one look at a motion."""
    pattern = make_pattern(model.tables, model.row_prim, everything(model))
    work = make_scratch(model, pattern, 1)
    rows = RowBlock.allocate(model.n_body, len(model.channel_names), 1)
    clock = np.zeros(layout.CLOCK_COLUMNS)
    observe(model.tables, clock, motion, make_ledger(model), work, rows.arrays(), True)
    return work, rows.channels[0]


@settings(max_examples=20, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6))
def test_rows_and_their_jacobian(seed: int) -> None:
    model = random_model(seed)
    q = random_state(model, seed)[0]
    ref = Reference(model, everything(model))
    got = constraint_matrix(model, q)
    assert got.phi == pytest.approx(ref.all_rows(q), abs=1e-13)
    by_q = ref.phi_q(q)[: model.n_row]
    for b in range(model.n_body):
        at = slice(7 * b, 7 * b + 3)
        assert got.rows[:, 6 * b : 6 * b + 3] == pytest.approx(by_q[:, at], abs=1e-12)
        # a turn of the body by d moves the Euler parameters by G^T d / 2
        e = q[7 * b + 3 : 7 * b + 7]
        turned = by_q[:, 7 * b + 3 : 7 * b + 7] @ g_matrix(e).T / 2
        assert got.rows[:, 6 * b + 3 : 6 * b + 6] == pytest.approx(turned, abs=1e-12)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6))
def test_rates_along_a_parabola(seed: int) -> None:
    # rows are polynomials, so along q + v t + a t^2 / 2 their rates follow from a fit that is exact in t
    model = random_model(seed)
    q, v, a, lam = random_state(model, seed)
    a = a / 10
    motion = make_motion(model)
    for target, source in zip(motion, (q, v, a, lam), strict=True):
        target[:] = source
    work, _ = observed(model, motion)
    ref = Reference(model, everything(model))
    t = np.cos(np.pi * (np.arange(24) + 0.5) / 24) / 4
    values = np.array([ref.all_rows(q + v * s + a * s * s / 2) for s in t])
    fit = np.polynomial.Polynomial
    for row in range(model.n_row):
        curve = fit.fit(t, values[:, row], 8).convert().coef
        scale = 1.0 + np.abs(values[:, row]).max()
        assert work.phi_d[row] == pytest.approx(curve[1], abs=1e-9 * scale)
        assert work.phi_dd[row] == pytest.approx(2 * curve[2], abs=1e-7 * scale)


def test_errors_cover_the_euler_parameters() -> None:
    model = random_model(11)
    q, v, a, lam = random_state(model, 11)
    motion = make_motion(model)
    for target, source in zip(motion, (q, v, a, lam), strict=True):
        target[:] = source
    work, channels = observed(model, motion)
    norms = [q[7 * b + 3 : 7 * b + 7] @ q[7 * b + 3 : 7 * b + 7] - 1 for b in range(3)]
    rates = [2 * q[7 * b + 3 : 7 * b + 7] @ v[7 * b + 3 : 7 * b + 7] for b in range(3)]
    names = list(model.channel_names)
    position = max(np.abs(work.phi).max(), np.abs(norms).max())
    velocity = max(np.abs(work.phi_d).max(), np.abs(rates).max())
    assert channels[names.index("constraint.position")] == pytest.approx(position, rel=1e-13)
    assert channels[names.index("constraint.velocity")] == pytest.approx(velocity, rel=1e-13)
