"""Closed loops: rows between two bodies of the tree, held by multipliers.

A row is a primitive constraint of `linkwright.kernels.layout` with rate G nu = 0. With the factor of the tree one
answer per row gives its accelerations Y = M^-1 G^T, S = G Y, and the multipliers follow from

    S mu = -(phi'' + 2 alpha phi' + beta^2 phi),      q'' = q''_free + Y mu

where the terms in alpha and beta are Baumgarte's (1972). S is factored with pivoting, so that rows which depend on
others are left out. `evaluate.close_loops` uses Y to bring positions and rates back on the rows.
"""

from __future__ import annotations

import math

from linkwright.kernels.jit import kernel
from linkwright.kernels.layout import (
    DISTANCE,
    DOT1,
    DOT2,
    POINT,
    PRIM_AXIS,
    PRIM_CODE,
    PRIM_I,
    PRIM_J,
    PRIM_LENGTH,
    PRIM_ROW,
    PRIM_UI,
    PRIM_UJ,
    Floats,
    Ints,
    Tables,
)
from linkwright.kernels.rotation import Vec, add, cross, dot, mat, put_vec, scale, sub, times, vec
from linkwright.kernels.tree.layout import (
    L_I,
    L_J,
    T_ACCEL,
    T_ALPHA,
    T_DELTA,
    T_OMEGA,
    T_ORIGIN,
    T_ROT,
    T_VEL,
)
from linkwright.kernels.tree.outward import carried

DEPENDENT = 1e-10
"""A row is left out when less than this part of its pivot is left beside the others."""


@kernel
def point_acceleration(work: Floats, i: int, arm: Vec) -> Vec:
    """Acceleration of a body point while the unknown q'' are zero, gravity taken off."""
    return add(vec(work, i, T_ACCEL), carried(vec(work, i, T_ALPHA), vec(work, i, T_OMEGA), arm))


@kernel
def loop_rows(
    tables: Tables, work: Floats, phi: Floats, phi_d: Floats, phi_dd: Floats, wrench: Floats
) -> None:
    """Residuals of all loop rows, their rates, their second rates at q'' = 0, and their unit wrenches.

    Bodies must be placed; call it before the elimination, which overwrites the velocities.
    """
    for p in range(tables.prim_int.shape[0]):
        code = tables.prim_int[p, PRIM_CODE]
        i = tables.prim_int[p, PRIM_I]
        j = tables.prim_int[p, PRIM_J]
        row = tables.prim_int[p, PRIM_ROW]
        wi = vec(work, i, T_OMEGA)
        wj = vec(work, j, T_OMEGA)
        a = times(mat(work, i, T_ROT), vec(tables.prim_real, p, PRIM_UI))
        b = times(mat(work, j, T_ROT), vec(tables.prim_real, p, PRIM_UJ))
        if code == DOT1:
            ad = cross(wi, a)
            bd = cross(wj, b)
            acc_a = carried(vec(work, i, T_ALPHA), wi, a)
            acc_b = carried(vec(work, j, T_ALPHA), wj, b)
            phi[row] = dot(a, b)
            phi_d[row] = dot(ad, b) + dot(a, bd)
            phi_dd[row] = dot(acc_a, b) + 2.0 * dot(ad, bd) + dot(a, acc_b)
            turn = cross(a, b)
            put_wrench(wrench, row, turn, (0.0, 0.0, 0.0), scale(-1.0, turn), (0.0, 0.0, 0.0))
            continue
        d = sub(add(vec(work, i, T_ORIGIN), a), add(vec(work, j, T_ORIGIN), b))
        dd = sub(add(vec(work, i, T_VEL), cross(wi, a)), add(vec(work, j, T_VEL), cross(wj, b)))
        ddd = sub(point_acceleration(work, i, a), point_acceleration(work, j, b))
        if code == POINT:
            for k in range(3):
                unit = 1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0
                back = scale(-1.0, unit)
                phi[row + k] = d[k]
                phi_d[row + k] = dd[k]
                phi_dd[row + k] = ddd[k]
                put_wrench(wrench, row + k, cross(a, unit), unit, cross(b, back), back)
        elif code == DOT2:
            c = times(mat(work, j, T_ROT), vec(tables.prim_real, p, PRIM_AXIS))
            cd = cross(wj, c)
            cdd = carried(vec(work, j, T_ALPHA), wj, c)
            back = scale(-1.0, c)
            phi[row] = dot(c, d)
            phi_d[row] = dot(cd, d) + dot(c, dd)
            phi_dd[row] = dot(cdd, d) + 2.0 * dot(cd, dd) + dot(c, ddd)
            put_wrench(wrench, row, cross(a, c), c, cross(add(b, d), back), back)
        elif code == DISTANCE:
            length = tables.prim_real[p, PRIM_LENGTH]
            n = scale(1.0 / length, d)
            back = scale(-1.0, n)
            phi[row] = (dot(d, d) - length * length) / (2.0 * length)
            phi_d[row] = dot(n, dd)
            phi_dd[row] = (dot(dd, dd) + dot(d, ddd)) / length
            put_wrench(wrench, row, cross(a, n), n, cross(b, back), back)


@kernel
def put_wrench(wrench: Floats, row: int, ti: Vec, fi: Vec, tj: Vec, fj: Vec) -> None:
    """Write torque and force on body i, then on body j."""
    put_vec(wrench, row, L_I, ti)
    put_vec(wrench, row, L_I + 3, fi)
    put_vec(wrench, row, L_J, tj)
    put_vec(wrench, row, L_J + 3, fj)


@kernel
def row_bodies(tables: Tables, bodies: Ints) -> None:
    """Fill `bodies` (n_loop, 2) with the two tree rows of every loop row."""
    for p in range(tables.prim_int.shape[0]):
        row = tables.prim_int[p, PRIM_ROW]
        for k in range(3 if tables.prim_int[p, PRIM_CODE] == POINT else 1):
            bodies[row + k, 0] = tables.prim_int[p, PRIM_I]
            bodies[row + k, 1] = tables.prim_int[p, PRIM_J]


@kernel
def along_row(wrench: Floats, bodies: Ints, row: int, work: Floats) -> float:
    """G times the accelerations in `T_DELTA`."""
    i = bodies[row, 0]
    j = bodies[row, 1]
    total = 0.0
    for k in range(6):
        total += wrench[row, L_I + k] * work[i, T_DELTA + k] + wrench[row, L_J + k] * work[j, T_DELTA + k]
    return total


@kernel
def load_row(wrench: Floats, bodies: Ints, row: int, work: Floats) -> None:
    """Put the unit wrench of one row into `T_DELTA` and nothing else."""
    i = bodies[row, 0]
    j = bodies[row, 1]
    for b in range(1, work.shape[0]):
        for k in range(6):
            work[b, T_DELTA + k] = 0.0
    for k in range(6):
        if i > 0:
            work[i, T_DELTA + k] += wrench[row, L_I + k]
        if j > 0:
            work[j, T_DELTA + k] += wrench[row, L_J + k]


@kernel
def factor_pivoted(s: Floats, pivots: Ints) -> int:
    """Replace a symmetric matrix by its Cholesky factor L, the largest pivot first; returns the rank.

    Pivots are measured against the diagonal they started from. The factor stands in the lower triangle in the order
    `pivots`; rows behind the rank are not used.
    """
    n = s.shape[0]
    start = 0.0
    for r in range(n):
        pivots[r] = r
        start = max(start, s[r, r])
    for p in range(n):
        best = p
        for r in range(p + 1, n):
            if s[r, r] > s[best, best]:
                best = r
        if not s[best, best] > DEPENDENT * start:
            return p
        if best != p:
            pivots[p], pivots[best] = pivots[best], pivots[p]
            for k in range(n):
                s[p, k], s[best, k] = s[best, k], s[p, k]
            for k in range(n):
                s[k, p], s[k, best] = s[k, best], s[k, p]
        root = math.sqrt(s[p, p])
        s[p, p] = root
        for r in range(p + 1, n):
            s[r, p] /= root
        for r in range(p + 1, n):
            for k in range(p + 1, r + 1):
                s[r, k] -= s[r, p] * s[k, p]
                s[k, r] = s[r, k]
    return int(n)


@kernel
def solve_pivoted(s: Floats, pivots: Ints, rank: int, x: Floats, spare: Floats) -> None:
    """Solve with the factor of `factor_pivoted`, in place; rows behind the rank get zero."""
    for p in range(rank):
        total = x[pivots[p]]
        for k in range(p):
            total -= s[p, k] * spare[k]
        spare[p] = total / s[p, p]
    for r in range(x.size):
        x[r] = 0.0
    for p in range(rank - 1, -1, -1):
        total = spare[p]
        for k in range(p + 1, rank):
            total -= s[k, p] * x[pivots[k]]
        x[pivots[p]] = total / s[p, p]
