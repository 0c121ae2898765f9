"""The envelope solver against dense solves: any pattern, small pivots noticed, row exchange where it is needed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.validation.random_models import make_model

from linkwright.compiler.ordering import envelope_size, make_pattern
from linkwright.kernels import layout, linear
from linkwright.kernels.jit import kernel
from linkwright.kernels.layout import BAND_FIRST, BAND_STOP, Pattern
from linkwright.kernels.linear import PER_GROUP

Array = NDArray[np.float64]


@kernel
def solve(matrix: Any, band: Any, inverse: Any, rhs: Any) -> Any:
    if not linear.factor(matrix, band, inverse):
        return False
    linear.substitute(matrix, band, inverse, rhs)
    return True


@kernel
def solve_dense(matrix: Any, band: Any, rhs: Any, dense: Any) -> Any:
    linear.unpack(matrix, band, rhs, dense)
    return linear.solve_dense(dense, rhs.size)


def chain_pattern(n_body: int, closed: bool) -> Pattern:
    """Pattern of a chain of spherical joints; closed to the ground at both ends or not."""
    body = [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    real = [0.5, 0.0, 0.0, -0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    ends = [
        (n_body, 0),
        *((k, k + 1) for k in range(n_body - 1)),
        *([(n_body - 1, n_body)] if closed else []),
    ]
    model = make_model([body] * n_body, [(layout.POINT, i, j, real) for i, j in ends], [])
    return make_pattern(model.tables, model.row_prim, np.ones(model.n_row, bool))


def random_system(pattern: Pattern, seed: int) -> tuple[Array, Array, Array]:
    """Dense matrix that fits the envelope, the same packed, and a right-hand side."""
    rng = np.random.default_rng(seed)
    n = pattern.offset.size
    mask = np.zeros((n, n), bool)
    for r in range(n):
        mask[r, int(pattern.band[r, BAND_FIRST]) : int(pattern.band[r, BAND_STOP])] = True
    dense = np.where(mask, rng.normal(size=(n, n)), 0.0)
    # unsymmetric, with the saddle shape of the real systems: constraint rows have no diagonal
    unknowns = np.zeros(n, bool)
    for adr in pattern.body_adr[:-1]:
        unknowns[adr : adr + 6] = True
    unknowns[pattern.idle] = True
    dense[np.ix_(~unknowns, ~unknowns)] = 0.0
    dense[np.arange(n)[unknowns], np.arange(n)[unknowns]] += 4.0 * np.sqrt(n)
    packed = np.zeros(envelope_size(pattern))
    for r in range(n):
        first, stop = int(pattern.band[r, BAND_FIRST]), int(pattern.band[r, BAND_STOP])
        start = int(pattern.offset[r]) + first
        packed[start : start + stop - first] = dense[r, first:stop]
    return dense, packed, rng.normal(size=n)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(n_body=st.integers(1, 9), closed=st.booleans(), seed=st.integers(0, 10**6))
def test_envelope_solver(n_body: int, closed: bool, seed: int) -> None:
    pattern = chain_pattern(n_body, closed)
    dense, packed, rhs = random_system(pattern, seed)
    condition = np.linalg.cond(dense)
    x = rhs.copy()
    ok = solve(packed.copy(), pattern.band, np.zeros(rhs.size // 4 * PER_GROUP), x)
    wanted = np.linalg.solve(dense, rhs)
    if ok:
        # without pivot search some digits may go; a factor 1e4 beyond the condition number is allowed for
        assert np.abs(x - wanted).max() <= 1e-12 * condition * np.abs(wanted).max()
    room = np.empty((rhs.size, rhs.size + 1))
    assert solve_dense(packed, pattern.band, rhs, room)
    assert np.abs(room[:, -1] - wanted).max() <= 1e-14 * condition * np.abs(wanted).max() * rhs.size


def test_most_random_systems_need_no_pivot_search() -> None:
    pattern = chain_pattern(5, closed=True)
    solved = 0
    for seed in range(50):
        _, packed, rhs = random_system(pattern, seed)
        solved += bool(solve(packed, pattern.band, np.zeros(rhs.size // 4 * PER_GROUP), rhs))
    assert solved >= 45


def test_small_pivot_is_noticed() -> None:
    pattern = chain_pattern(1, closed=False)
    n = pattern.offset.size
    dense = np.eye(n)
    # rows 0 and 1 are equal but for 1e-10
    dense[0, 1] = dense[1, 0] = 1.0
    dense[1, 1] = 1.0 + 1e-10
    packed, rhs = dense.ravel().copy(), np.ones(n)
    assert not solve(packed, pattern.band, np.zeros(n // 4 * PER_GROUP), rhs)


def test_zero_pivot_is_solved_with_row_exchange() -> None:
    pattern = chain_pattern(1, closed=False)
    n = pattern.offset.size
    dense = np.eye(n)[:, [1, 0, *range(2, n)]]
    rhs = np.arange(1.0, n + 1)
    assert not solve(dense.ravel().copy(), pattern.band, np.zeros(n // 4 * PER_GROUP), rhs.copy())
    room = np.empty((n, n + 1))
    assert solve_dense(dense.ravel(), pattern.band, rhs, room)
    assert room[:, -1] == pytest.approx(np.linalg.solve(dense, rhs), abs=1e-15)


@pytest.mark.parametrize("value", [0.0, np.nan])
def test_singular_matrix_is_refused(value: float) -> None:
    pattern = chain_pattern(1, closed=False)
    n = pattern.offset.size
    dense = np.eye(n)
    dense[3, :] = dense[2, :] + value
    room = np.empty((n, n + 1))
    assert not solve(dense.ravel().copy(), pattern.band, np.zeros(n // 4 * PER_GROUP), np.ones(n))
    assert not solve_dense(dense.ravel(), pattern.band, np.ones(n), room)
