"""The equations of motion as a whole: residual, its norm, and the linear system of a Newton step or a projection."""

from __future__ import annotations

from linkwright.kernels import constraints, inertia
from linkwright.kernels.forces import force, gravity, sda, torque
from linkwright.kernels.jit import inner_kernel, kernel
from linkwright.kernels.layout import (
    B_NORM,
    B_RES,
    TERM_REACTION,
    Floats,
    Ints,
    Motion,
    Pattern,
    Scratch,
    Tables,
)
from linkwright.kernels.linear import factor, solve_dense, substitute, unpack


@inner_kernel
def evaluate(tables: Tables, motion: Motion, n_row: int, work: Scratch) -> tuple[float, int]:
    """Evaluate the residual; it stands in the scratch rows of the bodies and in `work.phi`.

    Returns the largest force term, and the first SDA whose ends coincide or -1.
    """
    bw = work.body
    inertia.place(tables.body, motion.q, motion.v, bw)
    largest = inertia.start_residual(tables.body, motion.a, bw)
    largest = max(largest, gravity.residual(tables.body, tables.gravity, bw))
    largest = max(
        largest,
        constraints.residual(tables.prim_int, tables.prim_real, motion.lam, work.phi, bw, work.prim),
    )
    short = sda.place(tables.sda_int, tables.sda_real, bw, work.sda)
    largest = max(largest, sda.residual(tables.sda_int, tables.sda_real, bw, work.sda))
    largest = max(largest, force.residual(tables.force_int, tables.force_real, bw))
    largest = max(largest, torque.residual(tables.torque_int, tables.torque_real, bw))
    inertia.finish_residual(tables.body, motion.lam, n_row, bw)
    return largest, short


@inner_kernel
def residual_square(pattern: Pattern, work: Scratch) -> float:
    """Sum of squares of the whole unscaled residual; rows left out as redundant do not count."""
    total = 0.0
    bw = work.body
    for b in range(bw.shape[0] - 1):
        for k in range(7):
            total += bw[b, B_RES + k] * bw[b, B_RES + k]
        total += bw[b, B_NORM] * bw[b, B_NORM]
    for row in range(pattern.row_adr.size):
        if pattern.row_adr[row] >= 0:
            total += work.phi[row] * work.phi[row]
    return total


@inner_kernel
def worst_equation(pattern: Pattern, work: Scratch) -> int:
    """Index of the equation with the largest residual.

    Constraint rows come first, then e . e = 1 of each body, then the seven equations of motion of each body. A residual
    that is not a number is the worst of all.
    """
    bw = work.body
    n_row = pattern.row_adr.size
    n_body = bw.shape[0] - 1
    worst = 0
    largest = -1.0
    for row in range(n_row):
        if pattern.row_adr[row] >= 0 and not abs(work.phi[row]) <= largest:
            largest = abs(work.phi[row])
            worst = row
    for b in range(n_body):
        if not abs(bw[b, B_NORM]) <= largest:
            largest = abs(bw[b, B_NORM])
            worst = n_row + b
    for b in range(n_body):
        for k in range(7):
            if not abs(bw[b, B_RES + k]) <= largest:
                largest = abs(bw[b, B_RES + k])
                worst = n_row + n_body + 7 * b + k
    return worst


@inner_kernel
def solve_system(
    tables: Tables,
    pattern: Pattern,
    work: Scratch,
    a: Floats,
    lam: Floats,
    phi: Floats,
    phi_scale: float,
    c_q: float,
    c_v: float,
    terms: int,
    quiet: bool,
) -> int:
    """Fill and solve [M + c_q d/dq + c_v d/dq', Phi_q^T; Phi_q, 0] x = -[residual; phi_scale phi], all evaluated.

    The solution stands in `work.rhs`. `quiet` puts zero in place of the residual. Returns 0 when the factors stand in
    `work.matrix`, 1 when pivots had to be searched, -1 when the matrix is singular or too large for a search.
    """
    matrix = work.matrix
    bw = work.body
    adr = pattern.body_adr
    offset = pattern.offset
    rhs = work.rhs
    n_row = pattern.row_adr.size
    c_r = c_q if terms & TERM_REACTION else 0.0
    for attempt in range(2):
        for k in range(matrix.size):
            matrix[k] = 0.0
        for k in range(pattern.idle.size):
            row = pattern.idle[k]
            matrix[offset[row] + row] = 1.0
            rhs[row] = 0.0
        inertia.tangent(tables.body, a, lam, n_row, c_q, c_v, terms, bw, adr, offset, matrix, rhs)
        if quiet:
            for b in range(tables.body.shape[0]):
                for k in range(6):
                    rhs[adr[b] + k] = 0.0
        constraints.tangent(
            tables.prim_int,
            tables.prim_real,
            lam,
            phi,
            phi_scale,
            c_r,
            bw,
            work.prim,
            adr,
            pattern.row_adr,
            offset,
            matrix,
            rhs,
        )
        sda.tangent(tables.sda_int, tables.sda_real, c_q, c_v, terms, bw, work.sda, adr, offset, matrix, rhs)
        force.tangent(tables.force_int, tables.force_real, c_r, bw, adr, offset, matrix, rhs)
        if attempt == 0:
            if factor(matrix, pattern.band, work.pivot):
                substitute(matrix, pattern.band, work.pivot, rhs)
                return 0
            continue
        n = rhs.size
        if work.dense.shape[0] < n:
            return -1
        unpack(matrix, pattern.band, rhs, work.dense)
        if not solve_dense(work.dense, n):
            return -1
        for k in range(n):
            rhs[k] = work.dense[k, n]
    return 1


@kernel
def constraint_rows(
    body: Floats,
    prim_int: Ints,
    prim_real: Floats,
    q: Floats,
    v: Floats,
    lam: Floats,
    pattern: Pattern,
    phi: Floats,
    bw: Floats,
    pw: Floats,
    matrix: Floats,
    rhs: Floats,
) -> None:
    """Evaluate the rows at q and write Phi_q into its places in the matrix."""
    inertia.place(body, q, v, bw)
    constraints.residual(prim_int, prim_real, lam, phi, bw, pw)
    constraints.tangent(
        prim_int,
        prim_real,
        lam,
        phi,
        1.0,
        0.0,
        bw,
        pw,
        pattern.body_adr,
        pattern.row_adr,
        pattern.offset,
        matrix,
        rhs,
    )
