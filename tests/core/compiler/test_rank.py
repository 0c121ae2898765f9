"""Independent rows: rank by singular values, redundancy laid at the loop-closing joint."""

from __future__ import annotations

import numpy as np
import pytest
from tests.validation.mechanisms import slider_crank
from tests.validation.random_models import make_model, random_model, random_state

from linkwright.compiler.compile import compile_mechanism
from linkwright.compiler.coordinates import coordinates_of
from linkwright.compiler.model import CompiledModel
from linkwright.compiler.rank import constraint_matrix, independent_rows, rows_to_keep
from linkwright.kernels import layout


def kept_rows(model: CompiledModel) -> np.ndarray:
    q, _ = coordinates_of(model, model.poses, model.twists)
    return independent_rows(model, constraint_matrix(model, q))


def test_redundant_slider_crank() -> None:
    model = compile_mechanism(slider_crank(redundant=True))
    kept = kept_rows(model)
    assert kept.sum() == 17
    dropped = [model.row_labels[r] for r in np.flatnonzero(~kept)]
    # out of the plane: one translation, two rotations, all of them rows of one loop-closing joint or two
    assert sorted(label.direction for label in dropped) == [
        "rotation about x",
        "rotation about y",
        "translation along z",
    ]
    assert {label.element for label in dropped} <= {"guide", "pin_b"}


def test_plain_slider_crank_keeps_all() -> None:
    assert kept_rows(compile_mechanism(slider_crank())).all()


@pytest.mark.parametrize("seed", range(10))
def test_rank_is_that_of_the_singular_values(seed: int) -> None:
    # a random model with some joints doubled
    base = random_model(seed)
    ints, reals = base.tables.prim_int, base.tables.prim_real
    prims = [(int(r[0]), int(r[1]), int(r[2]), x.tolist()) for r, x in zip(ints, reals, strict=True)]
    doubled = [*prims, prims[0], prims[2]]
    model = make_model(base.tables.body.tolist(), doubled, [])
    matrix = constraint_matrix(model, random_state(base, seed)[0])
    kept = independent_rows(model, matrix)
    rank = np.linalg.matrix_rank(matrix.rows, tol=1e-9)
    assert kept.sum() == rank == base.n_row
    assert np.linalg.matrix_rank(matrix.rows[kept], tol=1e-9) == rank


def test_row_between_fixed_points_is_dropped() -> None:
    body = [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    model = make_model([body], [(layout.DOT1, 1, 1, [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0])], [])
    q = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    assert not independent_rows(model, constraint_matrix(model, q)).any()


def test_no_rows() -> None:
    model = make_model([[1.0] * 4 + [0.0] * 6], [], [])
    assert kept_rows(model).size == 0


def test_open_chains_keep_all_rows_without_a_factorisation() -> None:
    body = [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    real = [0.5, 0.0, 0.0, -0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    chain = [(layout.POINT, k, k + 1, real) for k in range(2)]
    open_chain, closed = make_model([body] * 3, chain, []), make_model([body] * 3, [*chain, chain[0]], [])
    q = np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], 3)
    assert rows_to_keep(open_chain, q).all()
    assert rows_to_keep(closed, q).sum() == 6
