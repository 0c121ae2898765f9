"""Pieces of the iteration matrix that constraints and spring-damper-actuators write alike.

`X` stands for the derivative of a turned vector by the turn of its body, see `rotation.arm`.
"""

from __future__ import annotations

from linkwright.kernels.jit import inner_kernel
from linkwright.kernels.layout import B_S, Floats, Ints
from linkwright.kernels.linear import add_block, add_block_pair, put_row
from linkwright.kernels.rotation import Mat, Vec, dot, times_t, transposed_product


@inner_kernel
def put_gradient(
    matrix: Floats,
    offset: Ints,
    rhs: Floats,
    adr: int,
    body_adr: Ints,
    bw: Floats,
    b: int,
    x: Vec,
    w: Vec,
    along: float,
) -> None:
    """Write the gradient of a row by one body: x by R, w by the turn; its part along e goes to the right-hand side."""
    base = body_adr[b]
    if base >= 0:
        put_row(matrix, offset, adr, base, x, w)
        rhs[adr] -= along * bw[b, B_S]


@inner_kernel
def put_point(
    matrix: Floats,
    offset: Ints,
    rhs: Floats,
    adr: int,
    body_adr: Ints,
    bw: Floats,
    i: int,
    j: int,
    value: float,
    unit: Vec,
    xi: Mat,
    xj: Mat,
    a: Vec,
    b: Vec,
) -> None:
    """Write one of the three rows of coincident points, with the right-hand side -value, unless it is left out."""
    if adr >= 0:
        rhs[adr] = -value
        back = -unit[0], -unit[1], -unit[2]
        put_gradient(matrix, offset, rhs, adr, body_adr, bw, i, unit, times_t(xi, unit), 2.0 * dot(unit, a))
        put_gradient(matrix, offset, rhs, adr, body_adr, bw, j, back, times_t(xj, back), 2.0 * dot(back, b))


@inner_kernel
def sub_from(rhs: Floats, base: int, s: float, x: Vec) -> None:
    """Subtract s x from three entries."""
    rhs[base] -= s * x[0]
    rhs[base + 1] -= s * x[1]
    rhs[base + 2] -= s * x[2]


@inner_kernel
def couple_turns(
    matrix: Floats,
    offset: Ints,
    rhs: Floats,
    bw: Floats,
    i: int,
    j: int,
    base_i: int,
    base_j: int,
    force: float,
    xi: Mat,
    xj: Mat,
    a: Vec,
    b: Vec,
) -> None:
    """Add force d2(a . b)/(de_i de_j) for a turning with i and b turning with j."""
    if base_i >= 0 and base_j >= 0:
        add_block_pair(matrix, offset, base_i + 3, base_j + 3, force, transposed_product(xi, xj))
        sub_from(rhs, base_i + 3, 2.0 * force * bw[j, B_S], times_t(xi, b))
        sub_from(rhs, base_j + 3, 2.0 * force * bw[i, B_S], times_t(xj, a))


@inner_kernel
def end_step(bw: Floats, i: int, j: int, a: Vec, b: Vec) -> Vec:
    """Change of r_i - r_j by the known steps along e_i and e_j, for the points a = A_i u_i and b = A_j u_j."""
    si = 2.0 * bw[i, B_S]
    sj = 2.0 * bw[j, B_S]
    return si * a[0] - sj * b[0], si * a[1] - sj * b[1], si * a[2] - sj * b[2]


@inner_kernel
def pull_ends(rhs: Floats, base_i: int, base_j: int, xi: Mat, xj: Mat, f: Vec) -> None:
    """Add the force f at the point of body i and -f at that of body j to the right-hand side."""
    if base_i >= 0:
        w = times_t(xi, f)
        sub_from(rhs, base_i, -1.0, f)
        sub_from(rhs, base_i + 3, -1.0, w)
    if base_j >= 0:
        w = times_t(xj, f)
        sub_from(rhs, base_j, 1.0, f)
        sub_from(rhs, base_j + 3, 1.0, w)


@inner_kernel
def pair_stiffness(
    matrix: Floats, offset: Ints, i: int, j: int, xi: Mat, xj: Mat, k: Mat, ki: Mat, kj: Mat
) -> None:
    """Add what a force between points of two bodies brings: it changes by k (dr_i - dr_j) for R, ki and kj for turns.

    i, j : first unknown of each body, -1 for the ground; xi, xj : see `rotation.arm`; k need not be symmetric.
    """
    if i >= 0:
        add_block(matrix, offset, i, i, 1.0, k)
        add_block(matrix, offset, i, i + 3, 1.0, ki)
        add_block(matrix, offset, i + 3, i, 1.0, transposed_product(xi, k))
        add_block(matrix, offset, i + 3, i + 3, 1.0, transposed_product(xi, ki))
    if j >= 0:
        add_block(matrix, offset, j, j, 1.0, k)
        add_block(matrix, offset, j, j + 3, 1.0, kj)
        add_block(matrix, offset, j + 3, j, 1.0, transposed_product(xj, k))
        add_block(matrix, offset, j + 3, j + 3, 1.0, transposed_product(xj, kj))
    if i >= 0 and j >= 0:
        add_block(matrix, offset, i, j, -1.0, k)
        add_block(matrix, offset, i, j + 3, -1.0, kj)
        add_block(matrix, offset, i + 3, j, -1.0, transposed_product(xi, k))
        add_block(matrix, offset, i + 3, j + 3, -1.0, transposed_product(xi, kj))
        add_block(matrix, offset, j, i, -1.0, k)
        add_block(matrix, offset, j, i + 3, -1.0, ki)
        add_block(matrix, offset, j + 3, i, -1.0, transposed_product(xj, k))
        add_block(matrix, offset, j + 3, i + 3, -1.0, transposed_product(xj, ki))
