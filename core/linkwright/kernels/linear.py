"""The linear system of a step: envelope storage, factors without pivot search, and a dense way out with pivot search.

The matrix is stored row by row, each row from its first to its last column that can be filled, in whole groups of four
(`layout.Pattern`). The order of the unknowns is static: a constraint row stands behind the bodies it holds, so that
every leading block is regular and no search for pivots is needed. A pivot that is small against the numbers it came
from is reported; then the same system is solved densely with row exchange.

Indices into the matrix are unsigned, because a signed index costs a test for negative values at every access.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from linkwright.kernels.jit import inner_kernel
from linkwright.kernels.layout import BAND_FIRST, BAND_OFFSET, BAND_STOP, Floats, Ints, Unsigned
from linkwright.kernels.rotation import Mat, Quat, Vec

SMALL_PIVOT = 1e-8
"""A pivot below this part of the sum it came from has lost half of its digits."""
SINGULAR = 1e-13
"""With row exchange, a pivot below this part of the largest entry its column ever had means a singular matrix."""


def _unsigned(k: int) -> int:
    """Unsigned constant for index arithmetic; an int for the type checker."""
    return cast(int, np.uint64(k))


U0, U1, U2, U3, U4 = (_unsigned(k) for k in range(5))
U5, U6, U7, U8, U9 = (_unsigned(k) for k in range(5, 10))
PER_GROUP = 10
"""Numbers of the inverse of a 4x4 upper triangle."""
U_GROUP = _unsigned(PER_GROUP)


@inner_kernel
def add3(matrix: Floats, p: int, s: float, x: float, y: float, z: float) -> None:
    """Add s (x, y, z) to three neighbouring entries."""
    u = np.uint64(p)
    matrix[u] += s * x
    matrix[u + U1] += s * y
    matrix[u + U2] += s * z


@inner_kernel
def add_block(matrix: Floats, offset: Ints, row: int, col: int, s: float, m: Mat) -> None:
    """Add s m to the 3x3 block whose upper left entry is (row, col)."""
    add3(matrix, offset[row] + col, s, m[0], m[1], m[2])
    add3(matrix, offset[row + 1] + col, s, m[3], m[4], m[5])
    add3(matrix, offset[row + 2] + col, s, m[6], m[7], m[8])


@inner_kernel
def add_block_pair(matrix: Floats, offset: Ints, row: int, col: int, s: float, m: Mat) -> None:
    """Add s m at (row, col) and its transpose at (col, row)."""
    add_block(matrix, offset, row, col, s, m)
    add3(matrix, offset[col] + row, s, m[0], m[3], m[6])
    add3(matrix, offset[col + 1] + row, s, m[1], m[4], m[7])
    add3(matrix, offset[col + 2] + row, s, m[2], m[5], m[8])


@inner_kernel
def put_row(matrix: Floats, offset: Ints, row: int, col: int, x: Vec, w: Vec) -> None:
    """Write a constraint row over the six unknowns from `col`, and the same numbers as a column."""
    u = np.uint64(offset[row] + col)
    matrix[u] = x[0]
    matrix[u + U1] = x[1]
    matrix[u + U2] = x[2]
    matrix[u + U3] = w[0]
    matrix[u + U4] = w[1]
    matrix[u + U5] = w[2]
    matrix[np.uint64(offset[col] + row)] = x[0]
    matrix[np.uint64(offset[col + 1] + row)] = x[1]
    matrix[np.uint64(offset[col + 2] + row)] = x[2]
    matrix[np.uint64(offset[col + 3] + row)] = w[0]
    matrix[np.uint64(offset[col + 4] + row)] = w[1]
    matrix[np.uint64(offset[col + 5] + row)] = w[2]


Inverse = tuple[float, float, float, float, float, float, float, float, float, float]


@inner_kernel
def load4(m: Floats, p: int) -> Quat:
    """Read four neighbouring numbers."""
    return m[p], m[p + U1], m[p + U2], m[p + U3]


@inner_kernel
def store4(m: Floats, p: int, x: Quat) -> None:
    """Write four neighbouring numbers."""
    m[p] = x[0]
    m[p + U1] = x[1]
    m[p + U2] = x[2]
    m[p + U3] = x[3]


@inner_kernel
def minus4(x: Quat, f: Quat, a: Quat, b: Quat, c: Quat, d: Quat) -> Quat:
    """Give x - f0 a - f1 b - f2 c - f3 d."""
    return (
        x[0] - f[0] * a[0] - f[1] * b[0] - f[2] * c[0] - f[3] * d[0],
        x[1] - f[0] * a[1] - f[1] * b[1] - f[2] * c[1] - f[3] * d[1],
        x[2] - f[0] * a[2] - f[1] * b[2] - f[2] * c[2] - f[3] * d[2],
        x[3] - f[0] * a[3] - f[1] * b[3] - f[2] * c[3] - f[3] * d[3],
    )


@inner_kernel
def minus1(x: Quat, f: float, a: Quat) -> Quat:
    """Give x - f a."""
    return x[0] - f * a[0], x[1] - f * a[1], x[2] - f * a[2], x[3] - f * a[3]


@inner_kernel
def zero4(x: Quat) -> bool:
    """Tell whether all four are zero."""
    return x[0] == 0.0 and x[1] == 0.0 and x[2] == 0.0 and x[3] == 0.0


@inner_kernel
def load_inverse(inv: Floats, q: int) -> Inverse:
    """Read the inverse of an upper triangle, column by column."""
    return (
        inv[q],
        inv[q + U1],
        inv[q + U2],
        inv[q + U3],
        inv[q + U4],
        inv[q + U5],
        inv[q + U6],
        inv[q + U7],
        inv[q + U8],
        inv[q + U9],
    )


@inner_kernel
def lower4(x: Quat, w: Inverse) -> Quat:
    """Give x U^-1 with the inverse of the upper triangle column by column."""
    return (
        x[0] * w[0],
        x[0] * w[1] + x[1] * w[2],
        (x[0] * w[3] + x[1] * w[4]) + x[2] * w[5],
        (x[0] * w[6] + x[1] * w[7]) + (x[2] * w[8] + x[3] * w[9]),
    )


@inner_kernel
def grow4(s: Quat, f0: float, f1: float, f2: float, f3: float, a: Quat) -> Quat:
    """Add the sizes of what is subtracted from four diagonal entries."""
    return s[0] + abs(f0 * a[0]), s[1] + abs(f1 * a[1]), s[2] + abs(f2 * a[2]), s[3] + abs(f3 * a[3])


@inner_kernel
def row_count(band: Unsigned) -> Any:
    """Number of rows, unsigned."""
    return np.uint64(band.shape[0])


@inner_kernel
def factor(m: Floats, band: Unsigned, inv: Floats) -> bool:
    """Overwrite the matrix by its factors L U (Doolittle), in groups of four rows.

    Four rows below are multiplied by the inverse of the triangle of the four rows above, kept in `inv`, so that the
    four factors do not wait for one another; groups that are zero are passed over.

    Returns False at the first pivot that is small against the sum it came from; the matrix is spoilt then.
    """
    n = row_count(band)
    for i in range(U0, n, U4):
        o0 = band[i, BAND_OFFSET]
        o1 = band[i + U1, BAND_OFFSET]
        o2 = band[i + U2, BAND_OFFSET]
        o3 = band[i + U3, BAND_OFFSET]
        size = abs(m[o0 + i]), abs(m[o1 + i + U1]), abs(m[o2 + i + U2]), abs(m[o3 + i + U3])
        for k in range(band[i, BAND_FIRST], i, U4):
            x0 = load4(m, o0 + k)
            x1 = load4(m, o1 + k)
            x2 = load4(m, o2 + k)
            x3 = load4(m, o3 + k)
            if zero4(x0) and zero4(x1) and zero4(x2) and zero4(x3):
                continue
            w = load_inverse(inv, (k >> U2) * U_GROUP)
            l0 = lower4(x0, w)
            l1 = lower4(x1, w)
            l2 = lower4(x2, w)
            l3 = lower4(x3, w)
            store4(m, o0 + k, l0)
            store4(m, o1 + k, l1)
            store4(m, o2 + k, l2)
            store4(m, o3 + k, l3)
            ka = band[k, BAND_OFFSET]
            kb = band[k + U1, BAND_OFFSET]
            kc = band[k + U2, BAND_OFFSET]
            kd = band[k + U3, BAND_OFFSET]
            size = grow4(size, l0[0], l1[0], l2[0], l3[0], load4(m, ka + i))
            size = grow4(size, l0[1], l1[1], l2[1], l3[1], load4(m, kb + i))
            size = grow4(size, l0[2], l1[2], l2[2], l3[2], load4(m, kc + i))
            size = grow4(size, l0[3], l1[3], l2[3], l3[3], load4(m, kd + i))
            j = k + U4
            while j < band[k, BAND_STOP]:
                a = load4(m, ka + j)
                b = load4(m, kb + j)
                c = load4(m, kc + j)
                d = load4(m, kd + j)
                t0 = minus4(load4(m, o0 + j), l0, a, b, c, d)
                t1 = minus4(load4(m, o1 + j), l1, a, b, c, d)
                t2 = minus4(load4(m, o2 + j), l2, a, b, c, d)
                t3 = minus4(load4(m, o3 + j), l3, a, b, c, d)
                store4(m, o0 + j, t0)
                store4(m, o1 + j, t1)
                store4(m, o2 + j, t2)
                store4(m, o3 + j, t3)
                j += U4
        # the diagonal block
        r0 = load4(m, o0 + i)
        r1 = load4(m, o1 + i)
        r2 = load4(m, o2 + i)
        r3 = load4(m, o3 + i)
        p0 = 1.0 / r0[0]
        g10 = r1[0] * p0
        g20 = r2[0] * p0
        g30 = r3[0] * p0
        r1 = minus1(r1, g10, r0)
        r2 = minus1(r2, g20, r0)
        r3 = minus1(r3, g30, r0)
        s1 = size[1] + abs(g10 * r0[1])
        p1 = 1.0 / r1[1]
        g21 = r2[1] * p1
        g31 = r3[1] * p1
        r2 = minus1(r2, g21, r1)
        r3 = minus1(r3, g31, r1)
        s2 = size[2] + abs(g20 * r0[2]) + abs(g21 * r1[2])
        p2 = 1.0 / r2[2]
        g32 = r3[2] * p2
        r3 = minus1(r3, g32, r2)
        s3 = size[3] + abs(g30 * r0[3]) + abs(g31 * r1[3]) + abs(g32 * r2[3])
        p3 = 1.0 / r3[3]
        if not (
            abs(r0[0]) > SMALL_PIVOT * size[0]
            and abs(r1[1]) > SMALL_PIVOT * s1
            and abs(r2[2]) > SMALL_PIVOT * s2
            and abs(r3[3]) > SMALL_PIVOT * s3
        ):
            return False
        m[o1 + i] = g10
        m[o2 + i] = g20
        m[o2 + i + U1] = g21
        m[o3 + i] = g30
        m[o3 + i + U1] = g31
        m[o3 + i + U2] = g32
        # inverse of the upper triangle, column by column
        q = (i >> U2) * U_GROUP
        w01 = -p0 * r0[1] * p1
        w12 = -p1 * r1[2] * p2
        w23 = -p2 * r2[3] * p3
        w02 = -(w01 * r1[2] + p0 * r0[2]) * p2
        w13 = -(w12 * r2[3] + p1 * r1[3]) * p3
        w03 = -((p0 * r0[3] + w01 * r1[3]) + w02 * r2[3]) * p3
        inv[q] = p0
        inv[q + U1] = w01
        inv[q + U2] = p1
        inv[q + U3] = w02
        inv[q + U4] = w12
        inv[q + U5] = p2
        inv[q + U6] = w03
        inv[q + U7] = w13
        inv[q + U8] = w23
        inv[q + U9] = p3
        j = i + U4
        while j < band[i, BAND_STOP]:
            a = load4(m, o0 + j)
            b = minus1(load4(m, o1 + j), g10, a)
            c = minus1(minus1(load4(m, o2 + j), g20, a), g21, b)
            d = minus1(minus1(minus1(load4(m, o3 + j), g30, a), g31, b), g32, c)
            store4(m, o1 + j, b)
            store4(m, o2 + j, c)
            store4(m, o3 + j, d)
            j += U4
    return True


@inner_kernel
def dot4(a: Quat, z: Quat) -> float:
    """Scalar product, summed in pairs."""
    return (a[0] * z[0] + a[1] * z[1]) + (a[2] * z[2] + a[3] * z[3])


@inner_kernel
def substitute(m: Floats, band: Unsigned, inv: Floats, rhs: Floats) -> None:
    """Replace the right-hand side by the solution, with the factors of `factor`."""
    n = row_count(band)
    for i in range(U0, n, U4):
        o0 = band[i, BAND_OFFSET]
        o1 = band[i + U1, BAND_OFFSET]
        o2 = band[i + U2, BAND_OFFSET]
        o3 = band[i + U3, BAND_OFFSET]
        y = load4(rhs, i)
        s0 = y[0]
        s1 = y[1]
        s2 = y[2]
        s3 = y[3]
        for k in range(band[i, BAND_FIRST], i, U4):
            z = load4(rhs, k)
            s0 -= dot4(load4(m, o0 + k), z)
            s1 -= dot4(load4(m, o1 + k), z)
            s2 -= dot4(load4(m, o2 + k), z)
            s3 -= dot4(load4(m, o3 + k), z)
        s1 -= m[o1 + i] * s0
        s2 -= m[o2 + i] * s0 + m[o2 + i + U1] * s1
        s3 -= m[o3 + i] * s0 + m[o3 + i + U1] * s1 + m[o3 + i + U2] * s2
        store4(rhs, i, (s0, s1, s2, s3))
    substitute_back(m, band, inv, rhs)


@inner_kernel
def substitute_back(m: Floats, band: Unsigned, inv: Floats, rhs: Floats) -> None:
    """Second half of `substitute`: solve with the upper triangle."""
    n = row_count(band)
    for back in range(U0, n, U4):
        i = n - U4 - back
        o0 = band[i, BAND_OFFSET]
        o1 = band[i + U1, BAND_OFFSET]
        o2 = band[i + U2, BAND_OFFSET]
        o3 = band[i + U3, BAND_OFFSET]
        y = load4(rhs, i)
        s0 = y[0]
        s1 = y[1]
        s2 = y[2]
        s3 = y[3]
        for k in range(i + U4, band[i, BAND_STOP], U4):
            z = load4(rhs, k)
            s0 -= dot4(load4(m, o0 + k), z)
            s1 -= dot4(load4(m, o1 + k), z)
            s2 -= dot4(load4(m, o2 + k), z)
            s3 -= dot4(load4(m, o3 + k), z)
        q = (i >> U2) * U_GROUP
        x0 = (inv[q] * s0 + inv[q + U1] * s1) + (inv[q + U3] * s2 + inv[q + U6] * s3)
        x1 = (inv[q + U2] * s1 + inv[q + U4] * s2) + inv[q + U7] * s3
        x2 = inv[q + U5] * s2 + inv[q + U8] * s3
        store4(rhs, i, (x0, x1, x2, inv[q + U9] * s3))


@inner_kernel
def unpack(matrix: Floats, band: Unsigned, rhs: Floats, dense: Floats) -> None:
    """Copy matrix and right-hand side into the dense array (n, n + 1)."""
    n = rhs.size
    for i in range(n):
        for j in range(n):
            dense[i, j] = 0.0
        for j in range(int(band[i, BAND_FIRST]), int(band[i, BAND_STOP])):
            dense[i, j] = matrix[band[i, BAND_OFFSET] + np.uint64(j)]
        dense[i, n] = rhs[i]


@inner_kernel
def solve_dense(dense: Floats, n: int) -> bool:
    """Solve the system in the first n rows and n + 1 columns with row exchange; the solution stands in column n.

    Returns False when the matrix is singular to working precision.
    """
    for k in range(n):
        best = k
        largest = abs(dense[k, k])
        for i in range(k + 1, n):
            if abs(dense[i, k]) > largest:
                largest = abs(dense[i, k])
                best = i
        # the entries above belong to U: together they show how large this column ever was
        size = largest
        for i in range(k):
            size = max(size, abs(dense[i, k]))
        if not largest > SINGULAR * size or not np.isfinite(largest):
            return False
        if best != k:
            for j in range(k, n + 1):
                dense[k, j], dense[best, j] = dense[best, j], dense[k, j]
        inverse = 1.0 / dense[k, k]
        for i in range(k + 1, n):
            factor_ik = dense[i, k] * inverse
            if factor_ik != 0.0:
                for j in range(k + 1, n + 1):
                    dense[i, j] -= factor_ik * dense[k, j]
    for i in range(n - 1, -1, -1):
        s = dense[i, n]
        for j in range(i + 1, n):
            s -= dense[i, j] * dense[j, n]
        dense[i, n] = s / dense[i, i]
    return True
