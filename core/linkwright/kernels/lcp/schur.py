"""The system of the joint rows: W W^T in envelope storage, its Cholesky factor, and its use by contact rows.

Rows are flat vectors: `rows[r]` holds the part of body i, then that of body j. All kernels take `dim`, a tuple as long
as a body has velocities (`layout.SPATIAL`, `layout.PLANAR`), which fixes the length of the innermost loops.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from linkwright.kernels.jit import inner_kernel
from linkwright.kernels.layout import Floats, Ints
from linkwright.kernels.lcp.layout import (
    C_A,
    C_ADDRESS,
    C_B,
    V_COMPLIANCE,
    V_INVERSE,
    W_FIRST,
    W_I,
    W_J,
    W_OFFSET,
)

REDUNDANT: Final = 1e-9
"""A pivot below this part of its diagonal entry belongs to a redundant row, which is dropped."""


@inner_kernel
def factor(
    coupling: Ints, row_int: Ints, rows: Floats, vector: Floats, matrix: Floats, dim: tuple[int, ...]
) -> int:
    """Assemble W W^T + compliance and replace it by its Cholesky factor; returns the number of redundant rows."""
    flat = rows.reshape(rows.size)
    inverse = vector[V_INVERSE]
    for k in range(matrix.size):
        matrix[k] = 0.0
    for c in range(coupling.shape[0]):
        a = coupling[c, C_A]
        b = coupling[c, C_B]
        s = 0.0
        for k in range(len(dim)):
            s += flat[a + k] * flat[b + k]
        matrix[coupling[c, C_ADDRESS]] += s
    redundant = 0
    for i in range(row_int.shape[0]):
        oi = row_int[i, W_OFFSET]
        fi = row_int[i, W_FIRST]
        diagonal = matrix[oi + i] + vector[V_COMPLIANCE, i]
        d = diagonal
        for j in range(fi, i):
            oj = row_int[j, W_OFFSET]
            s = matrix[oi + j]
            for k in range(max(fi, row_int[j, W_FIRST]), j):
                s -= matrix[oi + k] * matrix[oj + k]
            s *= inverse[j]
            matrix[oi + j] = s
            d -= s * s
        if d > REDUNDANT * diagonal:
            inverse[i] = 1.0 / np.sqrt(d)
        else:
            inverse[i] = 0.0
            redundant += 1
    return redundant


@inner_kernel
def forward(row_int: Ints, matrix: Floats, inverse: Floats, start: int, x: Floats) -> None:
    """Replace x by L^-1 x; entries before `start` are zero."""
    for i in range(start, row_int.shape[0]):
        oi = row_int[i, W_OFFSET]
        s = x[i]
        for k in range(max(row_int[i, W_FIRST], start), i):
            s -= matrix[oi + k] * x[k]
        x[i] = s * inverse[i]


@inner_kernel
def backward(row_int: Ints, matrix: Floats, inverse: Floats, x: Floats) -> None:
    """Replace x by L^-T x."""
    for i in range(row_int.shape[0] - 1, -1, -1):
        oi = row_int[i, W_OFFSET]
        s = x[i] * inverse[i]
        x[i] = s
        if s != 0.0:
            for k in range(row_int[i, W_FIRST], i):
                x[k] -= matrix[oi + k] * s


@inner_kernel
def row_times(rows: Floats, r: int, i: int, j: int, u: Floats, dim: tuple[int, ...]) -> float:
    """Scalar product of a row with the velocities of its two bodies."""
    nv = len(dim)
    s = 0.0
    for k in range(nv):
        s += rows[r, k] * u[i, k] + rows[r, nv + k] * u[j, k]
    return s


@inner_kernel
def add_row(rows: Floats, r: int, i: int, j: int, x: float, u: Floats, dim: tuple[int, ...]) -> None:
    """Add x times a row to the velocities of its two bodies."""
    nv = len(dim)
    for k in range(nv):
        u[i, k] += rows[r, k] * x
        u[j, k] += rows[r, nv + k] * x


@inner_kernel
def solve_rows(row_int: Ints, matrix: Floats, vector: Floats, x: Floats) -> None:
    """Replace x by (L L^T)^-1 x."""
    forward(row_int, matrix, vector[V_INVERSE], 0, x)
    backward(row_int, matrix, vector[V_INVERSE], x)


@inner_kernel
def add_rows(row_int: Ints, rows: Floats, x: Floats, u: Floats, dim: tuple[int, ...]) -> None:
    """Add W^T x to the velocities."""
    for r in range(row_int.shape[0]):
        add_row(rows, r, row_int[r, W_I], row_int[r, W_J], x[r], u, dim)
