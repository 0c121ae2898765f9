"""Mass matrix of a tree by composite bodies (Walker and Orin 1982; Featherstone 2008, section 6.2)."""

from __future__ import annotations

from linkwright.kernels.jit import kernel
from linkwright.kernels.layout import Floats, Ints
from linkwright.kernels.rotation import Vec, add, cross, dot, mat, times, times_t, vec
from linkwright.kernels.tree.blocks import (
    add_mat,
    add_packed,
    less_levered,
    less_levered_t,
    levered,
    mat_sum,
    packed,
    packed_times,
    put_mat,
    turned,
    with_moment,
)
from linkwright.kernels.tree.layout import (
    C_COLUMN,
    FREE,
    K_ANGULAR,
    K_COUPLING,
    K_LINEAR,
    PRISMATIC,
    REVOLUTE,
    SPHERICAL,
    T_ARM,
    T_BODIES,
    T_FIRST,
    T_FREEDOMS,
    T_INERTIA,
    T_JOINT,
    T_MASS,
    T_MOMENT,
    T_PARENT,
    T_ROT,
    T_V,
)
from linkwright.kernels.tree.outward import axis_of


@kernel
def column(tree_int: Ints, work: Floats, i: int, c: int) -> tuple[Vec, Vec]:
    """Angular and linear motion of body i, at its origin, per c-th rate of its joint."""
    joint = tree_int[i, T_JOINT]
    zero = 0.0, 0.0, 0.0
    rot = mat(work, i, T_ROT)
    if joint == REVOLUTE:
        return axis_of(rot, 2), zero
    if joint == PRISMATIC:
        return zero, axis_of(rot, 2)
    if joint == SPHERICAL:
        return axis_of(rot, c), zero
    if joint == FREE:
        if c < 3:
            return zero, (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
        return axis_of(rot, c - 3), zero
    r = tree_int[i, T_FIRST] + 1 + c
    return vec(work, r, C_COLUMN), vec(work, r, C_COLUMN + 3)


@kernel
def compose(tree_int: Ints, tree_real: Floats, work: Floats, blocks: Floats) -> None:
    """Fill `blocks` (rows of bodies, 21) with the inertia of every body and all it carries, as one rigid body.

    Needs `outward`.
    """
    n_body = tree_int[0, T_BODIES]
    for i in range(n_body + 1):
        for k in range(21):
            blocks[i, k] = 0.0
    for i in range(n_body, 0, -1):
        rot = mat(work, i, T_ROT)
        arm = vec(work, i, T_ARM)
        add_packed(blocks, i, K_ANGULAR, turned(rot, packed(tree_real, i, T_INERTIA)))
        put_mat(
            blocks,
            i,
            K_COUPLING,
            with_moment(mat(blocks, i, K_COUPLING), times(rot, vec(tree_real, i, T_MOMENT))),
        )
        mass = tree_real[i, T_MASS]
        add_packed(blocks, i, K_LINEAR, (mass, 0.0, 0.0, mass, 0.0, mass))
        j = packed(blocks, i, K_ANGULAR)
        h = mat(blocks, i, K_COUPLING)
        b = packed(blocks, i, K_LINEAR)
        k = tree_int[i, T_PARENT]
        j = less_levered(j, h, arm)
        h = mat_sum(h, levered(arm, b))
        add_packed(blocks, k, K_ANGULAR, less_levered_t(j, h, arm))
        add_mat(blocks, k, K_COUPLING, h)
        add_packed(blocks, k, K_LINEAR, b)


@kernel
def mass_matrix(tree_int: Ints, tree_real: Floats, work: Floats, blocks: Floats, matrix: Floats) -> None:
    """Fill the mass matrix (n_v, n_v); driven freedoms count like all others. Overwrites `blocks`."""
    compose(tree_int, tree_real, work, blocks)
    for r in range(matrix.shape[0]):
        for c in range(matrix.shape[1]):
            matrix[r, c] = 0.0
    for i in range(1, tree_int[0, T_BODIES] + 1):
        j = packed(blocks, i, K_ANGULAR)
        h = mat(blocks, i, K_COUPLING)
        b = packed(blocks, i, K_LINEAR)
        for c in range(tree_int[i, T_FREEDOMS]):
            x, y = column(tree_int, work, i, c)
            row = tree_int[i, T_V] + c
            # momentum of all that moves with this rate, referred to one body after the other on the way to the ground
            t = add(packed_times(j, x), times(h, y))
            f = add(times_t(h, x), packed_times(b, y))
            k = i
            while k > 0:
                for d in range(tree_int[k, T_FREEDOMS]):
                    x, y = column(tree_int, work, k, d)
                    entry = dot(x, t) + dot(y, f)
                    matrix[row, tree_int[k, T_V] + d] = entry
                    matrix[tree_int[k, T_V] + d, row] = entry
                t = add(t, cross(vec(work, k, T_ARM), f))
                k = tree_int[k, T_PARENT]
