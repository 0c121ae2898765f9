"""Standard LCP: every answer is checked by its definition, and small problems against all 2^n complementary sets."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from linkwright.kernels import lemke

Array = NDArray[np.float64]

TOLERANCE = 1e-9
seeds = st.integers(0, 2**32 - 1)


def _solve(matrix: Array, rhs: Array, guess: Array | None = None) -> tuple[int, float, Array]:
    n = len(rhs)
    x = np.zeros(n) if guess is None else guess.copy()
    method, _, error = lemke.solve(
        np.ascontiguousarray(matrix), np.ascontiguousarray(rhs), n, TOLERANCE, lemke.room(n), x
    )
    return method, error, x


def _violation(matrix: Array, rhs: Array, x: Array) -> float:
    """Largest violation of x >= 0, y >= 0 and min(x, y) = 0, by the definition."""
    y = matrix @ x + rhs
    return float(max(np.max(-x, initial=0.0), np.max(-y, initial=0.0), np.max(np.minimum(x, y), initial=0.0)))


def _all_solutions(matrix: Array, rhs: Array) -> list[Array]:
    """Solve for every complementary set; feasible answers only."""
    n = len(rhs)
    found = []
    for size in range(n + 1):
        for members in itertools.combinations(range(n), size):
            x = np.zeros(n)
            if size:
                block = matrix[np.ix_(members, members)]
                if np.linalg.cond(block) > 1e10:
                    continue
                x[list(members)] = np.linalg.solve(block, -rhs[list(members)])
            if np.min(x, initial=0.0) >= -1e-10 and np.min(matrix @ x + rhs) >= -1e-10:
                found.append(x)
    return found


def _p_matrix(rng: np.random.Generator, n: int) -> Array:
    """Positive definite plus a skew part: a P matrix that is not symmetric."""
    a = rng.normal(size=(n, n))
    skew = rng.normal(size=(n, n))
    return np.asarray(a @ a.T + 0.1 * np.eye(n) + skew - skew.T)


@given(seeds, st.integers(1, 7))
@settings(max_examples=100, deadline=None)
def test_p_matrix_gives_the_only_solution(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    matrix, rhs = _p_matrix(rng, n), rng.normal(size=n)
    method, _, x = _solve(matrix, rhs)
    (only,) = _all_solutions(matrix, rhs)
    assert method != lemke.UNSOLVED
    # conditioned up to about 1e3: eight digits are safe
    np.testing.assert_allclose(x, only, rtol=1e-7, atol=1e-8)


@given(seeds, st.integers(2, 24), st.floats(-6.0, 6.0))
@settings(max_examples=200, deadline=None)
def test_psd_with_consistent_right_hand_side(seed: int, n: int, decade: float) -> None:
    """Rank-deficient W W^T with b in its range has a solution, whatever the units."""
    rng = np.random.default_rng(seed)
    w = rng.normal(size=(n, int(rng.integers(1, n + 1)))) * 10.0**decade
    matrix, rhs = w @ w.T, w @ rng.normal(size=w.shape[1])
    method, _, x = _solve(matrix, rhs)
    assert method != lemke.UNSOLVED
    assert _violation(matrix * 10.0 ** (-2 * decade), rhs * 10.0**-decade, x * 10.0**decade) < 1e-7


@given(seeds, st.integers(2, 20))
@settings(max_examples=200, deadline=None)
def test_degenerate_integers_tie_everywhere(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    w = rng.integers(-2, 3, size=(n, int(rng.integers(1, n + 1)))).astype(float)
    matrix, rhs = w @ w.T, w @ rng.integers(-2, 3, size=w.shape[1]).astype(float)
    method, _, x = _solve(matrix, rhs)
    assert method != lemke.UNSOLVED
    assert _violation(matrix, rhs, x) < 1e-7


@given(seeds, st.integers(1, 15))
@settings(max_examples=100, deadline=None)
def test_unsolvable_is_said_so(seed: int, n: int) -> None:
    """A matrix without a positive entry and b < 0: y >= 0 is impossible."""
    rng = np.random.default_rng(seed)
    matrix, rhs = -np.abs(rng.normal(size=(n, n))), -1.0 - rng.random(n)
    method, error, x = _solve(matrix, rhs)
    assert method == lemke.UNSOLVED
    assert error > 0.1 and np.all(np.isfinite(x))


@given(seeds, st.integers(1, 5))
@settings(max_examples=200, deadline=None)
def test_any_matrix_ends_and_is_never_claimed_wrongly(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    matrix, rhs = rng.normal(size=(n, n)), rng.normal(size=n)
    method, _, x = _solve(matrix, rhs)
    solutions = _all_solutions(matrix, rhs)
    if method == lemke.UNSOLVED:
        # Lemke may end on a ray although a solution exists, but not for a P matrix (tested above)
        return
    assert solutions
    assert min(np.max(np.abs(x - s)) for s in solutions) < 1e-6 * (1.0 + np.max(np.abs(x)))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_numbers_that_are_none_are_unsolved(bad: float) -> None:
    method, error, x = _solve(np.eye(2), np.array([bad, -1.0]))
    assert method == lemke.UNSOLVED and error == np.inf and np.all(x == 0.0)
    method, _, x = _solve(np.array([[bad, 0.0], [0.0, 1.0]]), np.array([-1.0, -1.0]))
    assert method == lemke.UNSOLVED


def test_zero_right_hand_side_gives_zero() -> None:
    method, error, x = _solve(np.ones((3, 3)), np.zeros(3))
    assert method == lemke.BLOCK_PIVOTING and error == 0.0 and np.all(x == 0.0)


def test_murty_example_needs_the_exponential_path_and_ends() -> None:
    """Murty (1978): Lemke's pivots grow like 2^n on this lower triangular P matrix; block pivoting is the way out."""
    n = 12
    matrix = np.eye(n) + 2.0 * np.tril(np.ones((n, n)), -1)
    rhs = -np.array([sum(2.0**k for k in range(n - i - 1, n)) for i in range(n)])
    method, _, x = _solve(matrix, rhs)
    assert method != lemke.UNSOLVED
    assert _violation(matrix, rhs, x) < 1e-6


def test_a_good_guess_is_taken_at_once() -> None:
    rng = np.random.default_rng(5)
    matrix, rhs = _p_matrix(rng, 10), rng.normal(size=10)
    x = np.zeros(10)
    room = lemke.room(10)
    _, pivots_cold, _ = lemke.solve(matrix, rhs, 10, TOLERANCE, room, x)
    _, pivots_warm, _ = lemke.solve(matrix, rhs, 10, TOLERANCE, room, x)
    assert pivots_cold > 0 and pivots_warm == 0


def test_redundant_rows_share_evenly() -> None:
    """Four equal rows: any split of the sum solves it; the shifted one is even."""
    method, _, x = _solve(np.ones((4, 4)), -np.ones(4), np.ones(4))
    assert method != lemke.UNSOLVED
    assert np.sum(x) == pytest.approx(1.0, abs=1e-9)
    np.testing.assert_allclose(lemke_shifted(np.ones((4, 4)), -np.ones(4)), 0.25, rtol=1e-7)


def lemke_shifted(matrix: Array, rhs: Array) -> Array:
    """Principal solve over all members with the shift."""
    n = len(rhs)
    room = lemke.room(n)
    lemke.diagonal_scale(matrix, n, room.vector[lemke.V_SCALE])
    x = np.ones(n)
    assert lemke.solve_principal(matrix, rhs, n, lemke.SHIFT, room, x)
    return x


def test_scaling_makes_units_meaningless() -> None:
    """The same problem with unknowns in units a million apart: the same members, the same pivots."""
    rng = np.random.default_rng(8)
    w = rng.normal(size=(12, 6))
    matrix, rhs = w @ w.T, w @ rng.normal(size=6)
    unit = 10.0 ** rng.uniform(-6.0, 6.0, 12)
    ends = []
    for d in (np.ones(12), unit):
        room = lemke.room(12)
        scaled, b = d[:, None] * matrix * d, d * rhs
        lemke.diagonal_scale(scaled, 12, room.vector[lemke.V_SCALE])
        x = np.zeros(12)
        ended, pivots = lemke.lemke(scaled, b, 12, 0.0, 1000, room, x)
        assert ended
        ends.append((pivots, tuple(x > 0.0)))
    assert ends[0] == ends[1]
