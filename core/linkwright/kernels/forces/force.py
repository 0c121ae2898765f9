"""Constant force at a point of a body, in ground axes or turning with the body."""

from __future__ import annotations

from linkwright.kernels.jit import inner_kernel
from linkwright.kernels.layout import (
    B_DE,
    B_E,
    B_EROW,
    B_R,
    B_RES,
    B_ROT,
    B_S,
    B_W,
    LOAD_BODY,
    LOAD_IN_BODY,
    LOAD_POINT,
    LOAD_VECTOR,
    Floats,
    Ints,
)
from linkwright.kernels.linear import add_block
from linkwright.kernels.rotation import (
    Vec,
    add,
    add_outer,
    add_vec,
    arm,
    dot,
    mat,
    quat,
    scale,
    times,
    times_t,
    transposed_product,
    turned_by,
    vec,
)


@inner_kernel
def in_ground(force_int: Ints, force_real: Floats, n: int, bw: Floats) -> Vec:
    """Force vector in ground axes."""
    f = vec(force_real, n, LOAD_VECTOR)
    if force_int[n, LOAD_IN_BODY]:
        f = times(mat(bw, force_int[n, LOAD_BODY], B_ROT), f)
    return f


@inner_kernel
def residual(force_int: Ints, force_real: Floats, bw: Floats) -> float:
    """Subtract the forces from the residual; returns the largest component."""
    largest = 0.0
    for n in range(force_int.shape[0]):
        b = force_int[n, LOAD_BODY]
        f = in_ground(force_int, force_real, n, bw)
        back = -f[0], -f[1], -f[2]
        add_vec(bw, b, B_RES, back)
        add_outer(bw, b, B_W, back, vec(force_real, n, LOAD_POINT))
        largest = max(largest, abs(f[0]), abs(f[1]), abs(f[2]))
    return largest


@inner_kernel
def tangent(
    force_int: Ints,
    force_real: Floats,
    c_q: float,
    bw: Floats,
    body_adr: Ints,
    offset: Ints,
    matrix: Floats,
    rhs: Floats,
) -> None:
    """Add what the turning of body-fixed force vectors brings beside D: -c_q [I, C(u)]^T C(f)."""
    for n in range(force_int.shape[0]):
        b = force_int[n, LOAD_BODY]
        base = body_adr[b]
        if force_int[n, LOAD_IN_BODY] and base >= 0:
            rot = mat(bw, b, B_ROT)
            f = vec(force_real, n, LOAD_VECTOR)
            xf = arm(rot, f)
            xu = arm(rot, vec(force_real, n, LOAD_POINT))
            add_block(matrix, offset, base, base + 3, -c_q, xf)
            add_block(matrix, offset, base + 3, base + 3, -c_q, transposed_product(xu, xf))
            along = scale(2.0 * c_q * bw[b, B_S], times(rot, f))
            turned = times_t(xu, along)
            for k in range(3):
                rhs[base + k] += along[k]
                rhs[base + 3 + k] += turned[k]


@inner_kernel
def collect_along(force_int: Ints, force_real: Floats, c_q: float, bw: Floats) -> None:
    """After the solve: share of the body-fixed forces in the equations along e."""
    for n in range(force_int.shape[0]):
        if force_int[n, LOAD_IN_BODY]:
            b = force_int[n, LOAD_BODY]
            change = times(turned_by(quat(bw, b, B_E), quat(bw, b, B_DE)), vec(force_real, n, LOAD_VECTOR))
            point = times(mat(bw, b, B_ROT), vec(force_real, n, LOAD_POINT))
            bw[b, B_EROW] -= 2.0 * c_q * dot(point, change)


@inner_kernel
def work(force_int: Ints, force_real: Floats, bw: Floats, memory: Floats) -> float:
    """Work of all forces over a step: mean force times displacement of the point [J].

    `memory` holds point and force of the last good step and is overwritten by the present ones.
    """
    total = 0.0
    for n in range(force_int.shape[0]):
        b = force_int[n, LOAD_BODY]
        f = in_ground(force_int, force_real, n, bw)
        r = add(vec(bw, b, B_R), times(mat(bw, b, B_ROT), vec(force_real, n, LOAD_POINT)))
        for k in range(3):
            total += 0.5 * (f[k] + memory[n, 3 + k]) * (r[k] - memory[n, k])
            memory[n, k] = r[k]
            memory[n, 3 + k] = f[k]
    return total
