"""The linear system of a step: envelope storage, factors without pivot search, and a dense way out with pivot search.

The matrix is stored row by row, each row from its first to its last column that can be filled (`layout.Pattern`). The
order of the unknowns is static: a constraint row stands behind the bodies it holds, so that every leading block is
regular and no search for pivots is needed. A pivot that is small against the numbers it came from is reported; then the
same system is solved densely with row exchange.
"""

from __future__ import annotations

import numpy as np

from linkwright.kernels.jit import kernel
from linkwright.kernels.layout import Floats, Ints
from linkwright.kernels.rotation import Mat, Vec

SMALL_PIVOT = 1e-8
"""A pivot below this part of the sum it came from has lost half of its digits."""
SINGULAR = 1e-13
"""With row exchange, a pivot below this part of the largest entry its column ever had means a singular matrix."""


@kernel
def add_block(matrix: Floats, offset: Ints, row: int, col: int, s: float, m: Mat) -> None:
    """Add s m to the 3x3 block whose upper left entry is (row, col)."""
    p = offset[row] + col
    matrix[p] += s * m[0]
    matrix[p + 1] += s * m[1]
    matrix[p + 2] += s * m[2]
    p = offset[row + 1] + col
    matrix[p] += s * m[3]
    matrix[p + 1] += s * m[4]
    matrix[p + 2] += s * m[5]
    p = offset[row + 2] + col
    matrix[p] += s * m[6]
    matrix[p + 1] += s * m[7]
    matrix[p + 2] += s * m[8]


@kernel
def add_block_pair(matrix: Floats, offset: Ints, row: int, col: int, s: float, m: Mat) -> None:
    """Add s m at (row, col) and its transpose at (col, row)."""
    add_block(matrix, offset, row, col, s, m)
    p = offset[col] + row
    matrix[p] += s * m[0]
    matrix[p + 1] += s * m[3]
    matrix[p + 2] += s * m[6]
    p = offset[col + 1] + row
    matrix[p] += s * m[1]
    matrix[p + 1] += s * m[4]
    matrix[p + 2] += s * m[7]
    p = offset[col + 2] + row
    matrix[p] += s * m[2]
    matrix[p + 1] += s * m[5]
    matrix[p + 2] += s * m[8]


@kernel
def put_row(matrix: Floats, offset: Ints, row: int, col: int, x: Vec, w: Vec) -> None:
    """Write a constraint row over the six unknowns from `col`, and the same numbers as a column."""
    p = offset[row] + col
    matrix[p] = x[0]
    matrix[p + 1] = x[1]
    matrix[p + 2] = x[2]
    matrix[p + 3] = w[0]
    matrix[p + 4] = w[1]
    matrix[p + 5] = w[2]
    matrix[offset[col] + row] = x[0]
    matrix[offset[col + 1] + row] = x[1]
    matrix[offset[col + 2] + row] = x[2]
    matrix[offset[col + 3] + row] = w[0]
    matrix[offset[col + 4] + row] = w[1]
    matrix[offset[col + 5] + row] = w[2]


@kernel
def factor(matrix: Floats, first: Ints, last: Ints, offset: Ints, pivot: Floats) -> bool:
    """Replace the matrix by its factors L U (Doolittle, row by row), one over the pivots in `pivot`.

    Returns False at the first pivot that is small against the sum it came from; the matrix is then spoilt.
    """
    n = first.size
    for i in range(n):
        oi = offset[i]
        size = abs(matrix[oi + i])
        for k in range(first[i], i):
            factor_ik = matrix[oi + k]
            if factor_ik != 0.0:
                factor_ik *= pivot[k]
                matrix[oi + k] = factor_ik
                ok = offset[k]
                size += abs(factor_ik * matrix[ok + i])
                for j in range(k + 1, last[k] + 1):
                    matrix[oi + j] -= factor_ik * matrix[ok + j]
        d = matrix[oi + i]
        if not abs(d) > SMALL_PIVOT * size:
            return False
        pivot[i] = 1.0 / d
    return True


@kernel
def solve(matrix: Floats, first: Ints, last: Ints, offset: Ints, pivot: Floats, rhs: Floats) -> None:
    """Replace the right-hand side by the solution, with the factors of `factor`."""
    n = first.size
    for i in range(n):
        oi = offset[i]
        s = rhs[i]
        for k in range(first[i], i):
            s -= matrix[oi + k] * rhs[k]
        rhs[i] = s
    for i in range(n - 1, -1, -1):
        oi = offset[i]
        s = rhs[i]
        for k in range(i + 1, last[i] + 1):
            s -= matrix[oi + k] * rhs[k]
        rhs[i] = s * pivot[i]


@kernel
def unpack(matrix: Floats, first: Ints, last: Ints, offset: Ints, rhs: Floats, dense: Floats) -> None:
    """Copy matrix and right-hand side into the dense array (n, n + 1)."""
    n = first.size
    for i in range(n):
        for j in range(n):
            dense[i, j] = 0.0
        for j in range(first[i], last[i] + 1):
            dense[i, j] = matrix[offset[i] + j]
        dense[i, n] = rhs[i]


@kernel
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
