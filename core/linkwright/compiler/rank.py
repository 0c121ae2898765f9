"""Which constraint rows are independent: a rank-revealing factorisation of Phi_q at a pose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr

from linkwright.compiler.model import CompiledModel
from linkwright.compiler.ordering import make_pattern
from linkwright.compiler.topology import topology
from linkwright.compiler.workspace import make_motion, make_scratch
from linkwright.kernels.equations import constraint_rows
from linkwright.kernels.layout import BAND_FIRST, BAND_STOP, NU, Floats

RANK_TOLERANCE = 1e-7
"""A row counts as dependent when less than this part of it is left beside the others."""
LOOP_WEIGHT = 1e-3
"""Rows of loop-closing joints are taken last, so that redundancy is laid at their door."""


@dataclass(frozen=True, slots=True)
class ConstraintMatrix:
    """Phi_q at a pose, by the movements of the bodies.

    Attributes
    ----------
    rows : (n_row, 6 n_body)
        Derivatives of the rows by the displacement of each mass centre (ground axes) [m] and the turn of each body in
        body axes [rad].
    phi : (n_row,)
        Residuals.
    """

    rows: Floats
    phi: Floats


def constraint_matrix(model: CompiledModel, q: Floats) -> ConstraintMatrix:
    """Evaluate all rows at the coordinates q (7 n_body,)."""
    n_body, n_row = model.n_body, model.n_row
    pattern = make_pattern(model.tables, model.row_prim, np.ones(n_row, bool))
    work = make_scratch(model, pattern, 1)
    motion = make_motion(model)
    motion.q[:] = q
    tables = model.tables
    constraint_rows(
        tables.body,
        tables.prim_int,
        tables.prim_real,
        motion.q,
        motion.v,
        motion.lam,
        pattern,
        work.phi,
        work.body,
        work.prim,
        work.matrix,
        work.rhs,
    )
    rows = np.zeros((n_row, NU * n_body))
    for row in range(n_row):
        r = int(pattern.row_adr[row])
        for b in range(n_body):
            adr = int(pattern.body_adr[b])
            if pattern.band[r, BAND_FIRST] <= adr and adr + NU <= pattern.band[r, BAND_STOP]:
                start = int(pattern.offset[r]) + adr
                rows[row, NU * b : NU * (b + 1)] = work.matrix[start : start + NU]
    # a turn w of the Euler parameters, de = G^T w, turns the body by 2 w
    turns = rows.reshape(n_row, n_body, NU)
    turns[:, :, 3:] *= 0.5
    return ConstraintMatrix(rows, work.phi.copy())


def independent_rows(model: CompiledModel, matrix: ConstraintMatrix) -> np.ndarray:
    """Choose a largest set of independent rows.

    Returns
    -------
    kept : (n_row,) bool
    """
    n_row = model.n_row
    kept = np.zeros(n_row, bool)
    if n_row == 0:
        return kept
    size = np.linalg.norm(matrix.rows, axis=1)
    weight = np.ones(n_row)
    for link in topology(model).cut:
        weight[link.first : link.stop] = LOOP_WEIGHT
    # a row without any effect on a body, such as one between two fixed points, has no size and is dropped
    scaled = matrix.rows * (weight / np.where(size > 0.0, size, 1.0))[:, None]
    factors, order = qr(scaled.T, mode="r", pivoting=True)[-2:]
    left = np.abs(np.diagonal(factors))
    chosen = order[: left.size][left > RANK_TOLERANCE * weight[order[: left.size]]]
    kept[chosen] = True
    kept[size == 0.0] = False
    return kept


def rows_to_keep(model: CompiledModel, q: Floats) -> np.ndarray:
    """Choose a largest set of independent rows at the coordinates q (7 n_body,); see `independent_rows`.

    Joints that form a tree repeat nothing, so that a long open chain needs no factorisation.
    """
    if not topology(model).cut:
        return np.ones(model.n_row, bool)
    return independent_rows(model, constraint_matrix(model, q))
