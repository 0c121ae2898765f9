"""A Newton step of the kernels against the full system solved in plain numpy with complex-step derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.validation.random_models import random_model, random_state
from tests.validation.reference_equations import Reference, jacobian

from linkwright.compiler.model import CompiledModel
from linkwright.compiler.ordering import make_pattern
from linkwright.compiler.workspace import make_ledger, make_motion, make_scratch
from linkwright.engines.newmark import TERMS
from linkwright.engines.state import RowBlock
from linkwright.kernels import layout
from linkwright.kernels.implicit import advance

Array = NDArray[np.float64]
H, BETA, GAMMA = 0.01, 0.3, 0.6


def one_newton_step(
    model: CompiledModel, kept: NDArray[np.bool_], state: tuple[Array, Array, Array, Array], terms: int
) -> tuple[Array, Array, Array]:
    """Changes of q'' and lambda by the first Newton step of a time step, and the residual norms before and after."""
    pattern = make_pattern(model.tables, model.row_prim, kept)
    work = make_scratch(model, pattern, 1)
    old, new, spare = make_motion(model), make_motion(model), make_motion(model)
    for target, source in zip(old, state, strict=True):
        target[:] = source
    opt_real = np.array([H, BETA, GAMMA, 1e-300, 0.0])
    opt_int = np.array([1, terms, 0, 1])
    rows = RowBlock.allocate(model.n_body, len(model.channel_names), 1)
    done = advance(
        model.tables,
        pattern,
        opt_real,
        opt_int,
        old,
        new,
        spare,
        np.zeros(layout.CLOCK_COLUMNS),
        make_ledger(model),
        work,
        np.zeros(1, np.int64),
        rows.arrays(),
        1,
    )
    assert done == 0
    assert work.out[layout.OUT_STATUS] == layout.STEP_NOT_CONVERGED
    assert all(np.array_equal(x, y) for x, y in zip(old, state, strict=True))
    return new.a - old.a, new.lam - old.lam, work.history.copy()


def reference_step(
    model: CompiledModel, kept: NDArray[np.bool_], state: tuple[Array, Array, Array, Array], name: str
) -> tuple[Array, Array, float]:
    """The same from the full system [T, Phi_q^T; alpha h^2 Phi_q, 0], all unknowns at once."""
    q0, v0, a, lam = state
    q = q0 + H * v0 + H * H / 2 * a
    v = v0 + H * a
    counts = np.concatenate([kept, np.ones(model.n_body, bool)])
    lam = lam[counts]
    ref = Reference(model, kept)
    n = q.size
    residual = ref.residual(q, v, a, lam)

    def sda_sum(x: Array, y: Array) -> Array:
        return np.asarray(np.sum([ref.sda_force(x, y, s)[0] for s in range(len(model.sda_ids))], axis=0))

    matrix = np.zeros((residual.size, residual.size))
    by_q = jacobian(lambda x: ref.residual(x, v, a, lam, with_sda=False), q)
    by_v = jacobian(lambda x: ref.residual(q, x, a, lam, with_sda=False), v)
    by_a = jacobian(lambda x: ref.residual(q, v, x, lam, with_sda=False), a)
    matrix[:, :n] = by_a + BETA * H * H * by_q + GAMMA * H * by_v
    if "M2" in name or name == "difference":
        matrix[:n, :n] -= BETA * H * H * jacobian(lambda x: sda_sum(x, v), q)
    if "M3" in name or name == "difference":
        matrix[:n, :n] -= GAMMA * H * jacobian(lambda x: sda_sum(q, x), v)
    matrix[:n, n:] = ref.phi_q(q).T
    step: Array = np.linalg.solve(matrix, -residual).astype(float)
    dlam = np.zeros(counts.size)
    dlam[counts] = step[n:]
    return step[:n], dlam, float(np.linalg.norm(residual))


@pytest.mark.parametrize("name", ["M1", "M1+M2", "M1+M3", "M1+M2+M3"])
@settings(max_examples=5, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6), dropped=st.booleans())
def test_newton_step(name: str, seed: int, dropped: bool) -> None:
    model = random_model(seed)
    state = random_state(model, seed)
    kept = np.ones(model.n_row, bool)
    if dropped:
        kept[[1, 4]] = False
        state[3][[1, 4]] = 0.0
    da, dlam, history = one_newton_step(model, kept, state, TERMS[name])
    ra, rlam, norm = reference_step(model, kept, state, name)
    assert history[0] == pytest.approx(norm, rel=1e-12)
    # Matrices of random states have condition numbers up to 1e8 or so; 1e-6 of the largest entry leaves room for that,
    # while a wrong or missing term changes the step by far more than 1e-3.
    scale = max(np.abs(ra).max(), 1e-9)
    assert np.abs(da - ra).max() < 1e-6 * scale
    assert np.abs(dlam - rlam).max() < 1e-6 * max(np.abs(rlam).max(), 1e-9)


@settings(max_examples=4, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6))
def test_newton_step_by_differences(seed: int) -> None:
    model = random_model(seed)
    state = random_state(model, seed)
    kept = np.ones(model.n_row, bool)
    da, dlam, _ = one_newton_step(model, kept, state, TERMS["difference"])
    ra, rlam, _ = reference_step(model, kept, state, "difference")
    # forward differences keep about half of the digits, times the condition number
    assert np.abs(da - ra).max() < 1e-2 * np.abs(ra).max()
    assert np.abs(dlam - rlam).max() < 1e-2 * np.abs(rlam).max()


@pytest.mark.parametrize(
    ("term", "exact"),
    [(layout.TERM_VELOCITY, False), (layout.TERM_INERTIA, False), (layout.TERM_REACTION, False), (0, True)],
)
def test_terms_of_m1_can_be_left_out(term: int, exact: bool) -> None:
    model = random_model(7)
    state = random_state(model, 7)
    kept = np.ones(model.n_row, bool)
    da, _, _ = one_newton_step(model, kept, state, TERMS["M1+M2+M3"] & ~term)
    ra, _, _ = reference_step(model, kept, state, "M1+M2+M3")
    assert bool(np.abs(da - ra).max() < 1e-6 * np.abs(ra).max()) is exact
