"""A Newton step whose whole matrix is taken by forward differences: the baseline the analytic terms are judged by."""

from __future__ import annotations

from linkwright.kernels.equations import evaluate
from linkwright.kernels.jit import inner_kernel
from linkwright.kernels.layout import B_NORM, B_RES, Floats, Motion, Pattern, Scratch, Tables
from linkwright.kernels.linear import solve_dense

SHIFT = 1e-7
"""Change of a coordinate of unit size, near the square root of the rounding error."""


@inner_kernel
def gather(pattern: Pattern, work: Scratch, c_q: float, out: Floats) -> int:
    """Write the residual as one vector: motion, rows that count, e . e = 1; constraints divided by c_q.

    Returns its length.
    """
    bw = work.body
    n_body = bw.shape[0] - 1
    m = int(7 * n_body)
    for b in range(n_body):
        for k in range(7):
            out[7 * b + k] = bw[b, B_RES + k]
    for row in range(pattern.row_adr.size):
        if pattern.row_adr[row] >= 0:
            out[m] = work.phi[row] / c_q
            m += 1
    for b in range(n_body):
        out[m] = bw[b, B_NORM] / c_q
        m += 1
    return m


@inner_kernel
def copy(source: Motion, target: Motion) -> None:
    """Copy coordinates, rates, accelerations and multipliers."""
    for k in range(source.q.size):
        target.q[k] = source.q[k]
        target.v[k] = source.v[k]
        target.a[k] = source.a[k]
    for k in range(source.lam.size):
        target.lam[k] = source.lam[k]


@inner_kernel
def fill_column(
    tables: Tables, pattern: Pattern, spare: Motion, work: Scratch, c_q: float, column: int, change: float
) -> None:
    """Evaluate at the shifted point and write one column of the matrix."""
    n_row = pattern.row_adr.size
    evaluate(tables, spare, n_row, work)
    m = gather(pattern, work, c_q, work.shifted)
    for k in range(m):
        work.dense[k, column] = (work.shifted[k] - work.res[k]) / change


@inner_kernel
def newton(
    tables: Tables, pattern: Pattern, new: Motion, spare: Motion, work: Scratch, c_q: float, c_v: float
) -> int:
    """One Newton step with q'' and all multipliers as unknowns; returns 0, or -1 where that cannot be solved."""
    n_row = pattern.row_adr.size
    n_body = tables.body.shape[0]
    m = gather(pattern, work, c_q, work.res)
    if work.dense.shape[0] < m:
        return -1
    copy(new, spare)
    for k in range(7 * n_body):
        change = SHIFT * max(1.0, abs(new.q[k])) / c_q
        spare.a[k] = new.a[k] + change
        spare.q[k] = new.q[k] + c_q * change
        spare.v[k] = new.v[k] + c_v * change
        fill_column(tables, pattern, spare, work, c_q, k, change)
        spare.a[k] = new.a[k]
        spare.q[k] = new.q[k]
        spare.v[k] = new.v[k]
    column = 7 * n_body
    for row in range(n_row + n_body):
        if row >= n_row or pattern.row_adr[row] >= 0:
            change = max(1.0, abs(new.lam[row]))
            spare.lam[row] = new.lam[row] + change
            fill_column(tables, pattern, spare, work, c_q, column, change)
            spare.lam[row] = new.lam[row]
            column += 1
    for k in range(m):
        work.dense[k, m] = -work.res[k]
    if not solve_dense(work.dense, m):
        return -1
    for k in range(7 * n_body):
        da = work.dense[k, m]
        new.a[k] += da
        new.q[k] += c_q * da
        new.v[k] += c_v * da
    column = 7 * n_body
    for row in range(n_row + n_body):
        if row >= n_row or pattern.row_adr[row] >= 0:
            new.lam[row] += work.dense[column, m]
            column += 1
    return 0
