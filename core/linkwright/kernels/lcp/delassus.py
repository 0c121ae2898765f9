"""From touching points to a contact problem: contact rows, joints eliminated, velocities without impulses; and back."""

from __future__ import annotations

import numpy as np

from linkwright.kernels.contact import across, measure_boxes, write_active
from linkwright.kernels.jit import inner_kernel, kernel
from linkwright.kernels.layout import Floats, Ints
from linkwright.kernels.lcp import planar, spatial
from linkwright.kernels.lcp.boxes import B_AT, B_GAP
from linkwright.kernels.lcp.layout import (
    A_AT,
    A_BEFORE,
    A_E,
    A_ET,
    A_GAP,
    A_N,
    A_T,
    ANGLE,
    BOX_BOX,
    FOLLOWER,
    K_ISJ,
    M_STILL,
    P_BELT,
    P_EN,
    P_ET,
    P_I,
    P_J,
    P_KIND,
    P_MU,
    P_MU_STATIC,
    P_SLOW,
    T_I,
    T_J,
    T_POINT,
    V_INVERSE,
    V_LAM,
    V_RHS,
    X_ROT,
    Bench,
    Machine,
    Touch,
)
from linkwright.kernels.lcp.problem import (
    BEFORE,
    BOX,
    CLOSED,
    DISC,
    FIRST,
    FREE,
    IMPULSE,
    LAW,
    MU,
    OPEN,
    SLIP,
    SLIP_BACK,
    STICK,
    Problem,
)
from linkwright.kernels.lcp.schur import add_row, add_rows, backward, forward, row_times
from linkwright.kernels.rotation import add, cross, mat, put_vec, scale, vec


@inner_kernel
def direction(k: int, n_tangent: int) -> tuple[float, float]:
    """Components along both tangents of direction k: a disc has its two tangents, a polygon directions pi / m apart."""
    if k == 0:
        return 1.0, 0.0
    if 2 * k == n_tangent:
        return 0.0, 1.0
    angle = np.pi * k / n_tangent
    return np.cos(angle), np.sin(angle)


@inner_kernel
def put_rows(
    body: Floats,
    placed: Floats,
    active: Floats,
    c: int,
    i: int,
    j: int,
    turns: bool,
    n_tangent: int,
    rows: Floats,
    r: int,
    dim: tuple[int, ...],
) -> None:
    """Write normal and tangential rows of active contact c between bodies i and j from row r on."""
    if len(dim) == 6:
        n = vec(active, c, A_N)
        if turns:
            spatial.put_turn(body, mat(placed, i, X_ROT), i, n, 1.0, rows, r, 0)
            spatial.put_turn(body, mat(placed, j, X_ROT), j, n, -1.0, rows, r, 6)
            return
        at = vec(active, c, A_AT)
        t = vec(active, c, A_T)
        s = cross(n, t)
        d = n
        for k in range(1 + n_tangent):
            if k > 0:
                x, y = direction(k - 1, n_tangent)
                d = add(scale(x, t), scale(y, s))
            spatial.contact_row(body, placed, i, j, d, at, rows, r + k)
    else:
        if turns:
            for k in range(6):
                rows[r, k] = 0.0
            rows[r, 2] = active[c, A_N] * body[i, K_ISJ]
            rows[r, 5] = -active[c, A_N] * body[j, K_ISJ]
            return
        x = active[c, A_AT]
        y = active[c, A_AT + 1]
        for k in range(1 + n_tangent):
            a = A_N if k == 0 else A_T
            planar.contact_row(body, placed, i, j, active[c, a], active[c, a + 1], x, y, rows, r + k)


@inner_kernel
def add_contact(
    body: Floats,
    point_int: Ints,
    real: Floats,
    k: int,
    placed: Floats,
    directions: int,
    nc: int,
    touch: Touch,
    p: Problem,
    dim: tuple[int, ...],
) -> None:
    """Write rows and friction law of active contact number nc, point k; its geometry stands in `active`."""
    i = point_int[k, P_I]
    j = point_int[k, P_J]
    touch.active_int[nc, T_POINT] = k
    touch.active_int[nc, T_I] = i
    touch.active_int[nc, T_J] = j
    p.number[nc, MU] = real[k, P_MU_STATIC] if touch.memory[k, M_STILL] == 1 else real[k, P_MU]
    n_tangent = 0
    law = BOX
    if real[k, P_MU_STATIC] > 0.0:
        if len(dim) == 3:
            n_tangent = 1
        elif directions == 0:
            n_tangent = 2
            law = DISC
        else:
            # m intervals of half width s add up to a polygon with inner radius s / tan(pi / 2 m)
            n_tangent = directions
            p.number[nc, MU] *= np.tan(0.5 * np.pi / directions)
    p.contact[nc, LAW] = law
    r = p.contact[nc, FIRST]
    turns = point_int[k, P_KIND] == ANGLE
    put_rows(body, placed, touch.active, nc, i, j, turns, n_tangent, touch.rows, r, dim)
    p.contact[nc + 1, FIRST] = r + 1 + n_tangent


@inner_kernel
def collect(
    body: Floats,
    point_int: Ints,
    real: Floats,
    placed: Floats,
    directions: int,
    near: float,
    touch: Touch,
    p: Problem,
    dim: tuple[int, ...],
) -> int:
    """List the contact points whose gap is at most `near`, write their rows and friction laws; returns their number."""
    nc = 0
    p.contact[0, FIRST] = 0
    for k in range(point_int.shape[0]):
        if len(dim) == 6:
            if point_int[k, P_KIND] == FOLLOWER:
                continue
            if point_int[k, P_KIND] == BOX_BOX:
                n, gap, normal = measure_boxes(point_int, real, k, placed, touch.found, touch.clip)
                if gap > near:
                    continue
                t = across(normal, (1.0, 0.0, 0.0))
                for m in range(n):
                    if touch.found[m, B_GAP] <= near:
                        touch.active[nc, A_GAP] = touch.found[m, B_GAP]
                        put_vec(touch.active, nc, A_N, normal)
                        put_vec(touch.active, nc, A_T, t)
                        put_vec(touch.active, nc, A_AT, vec(touch.found, m, B_AT))
                        add_contact(body, point_int, real, k + m, placed, directions, nc, touch, p, dim)
                        nc += 1
                continue
        if write_active(point_int, real, k, placed, near, touch.active, nc, dim):
            add_contact(body, point_int, real, k, placed, directions, nc, touch, p, dim)
            nc += 1
    return nc


@inner_kernel
def overlap(rows: Floats, r: int, i: int, j: int, q: int, oi: int, oj: int, dim: tuple[int, ...]) -> float:
    """Scalar product of two contact rows over the bodies they share."""
    nv = len(dim)
    s = 0.0
    if i == oi:
        for v in range(nv):
            s += rows[r, v] * rows[q, v]
    elif i == oj:
        for v in range(nv):
            s += rows[r, v] * rows[q, nv + v]
    if j == oj:
        for v in range(nv):
            s += rows[r, nv + v] * rows[q, nv + v]
    elif j == oi:
        for v in range(nv):
            s += rows[r, nv + v] * rows[q, v]
    return s


@inner_kernel
def eliminate(
    row_int: Ints,
    near_start: Ints,
    near: Ints,
    joint_rows: Floats,
    matrix: Floats,
    inverse: Floats,
    nc: int,
    active_int: Ints,
    rows: Floats,
    lift: Floats,
    contact: Ints,
    g: Floats,
    dim: tuple[int, ...],
) -> None:
    """Fill g = W_C W_C^T - Y^T Y with Y = L^-1 W_E W_C^T from its first nonzero on."""
    nv = len(dim)
    n_row = row_int.shape[0]
    flat = joint_rows.reshape(joint_rows.size)
    for c in range(nc):
        i = active_int[c, T_I]
        j = active_int[c, T_J]
        for r in range(contact[c, FIRST], contact[c + 1, FIRST]):
            y = lift[r]
            start = n_row
            for m in range(n_row):
                y[m] = 0.0
            for side in range(2):
                b = i if side == 0 else j
                at = nv * side
                for m in range(near_start[b], near_start[b + 1]):
                    row = near[m, 0]
                    base = near[m, 1]
                    s = 0.0
                    for v in range(nv):
                        s += rows[r, at + v] * flat[base + v]
                    y[row] += s
                    start = min(start, row)
            forward(row_int, matrix, inverse, start, y)
            for d in range(c + 1):
                oi = active_int[d, T_I]
                oj = active_int[d, T_J]
                for q in range(contact[d, FIRST], min(contact[d + 1, FIRST], r + 1)):
                    s = overlap(rows, r, i, j, q, oi, oj, dim)
                    z = lift[q]
                    for m in range(start, n_row):
                        s -= y[m] * z[m]
                    g[r, q] = s
                    g[q, r] = s


@kernel
def load_contacts(
    real: Floats,
    u: Floats,
    u_free: Floats,
    nc: int,
    elastic: float,
    active: Floats,
    active_int: Ints,
    rows: Floats,
    p: Problem,
    dim: tuple[int, ...],
) -> None:
    """Fill `FREE`: the row velocities without contact impulses, moving surfaces, and the restitution terms.

    Restitution is off where all contacts of the step approach slower than their limit; one fast contact keeps it on for
    all, because switching it off one by one pumps energy. `elastic` 0 switches it off altogether.
    """
    fast = False
    for c in range(nc):
        i = active_int[c, T_I]
        j = active_int[c, T_J]
        for r in range(p.contact[c, FIRST], p.contact[c + 1, FIRST]):
            p.vector[BEFORE, r] = row_times(rows, r, i, j, u, dim)
            p.vector[FREE, r] = row_times(rows, r, i, j, u_free, dim)
        before = p.vector[BEFORE, p.contact[c, FIRST]]
        active[c, A_BEFORE] = before
        fast = fast or abs(before) >= real[active_int[c, T_POINT], P_SLOW]
    for c in range(nc):
        k = active_int[c, T_POINT]
        r = p.contact[c, FIRST]
        e = elastic * real[k, P_EN] if fast else 0.0
        et = elastic * real[k, P_ET] if fast else 0.0
        active[c, A_E] = e
        active[c, A_ET] = et
        p.vector[FREE, r] += e * p.vector[BEFORE, r]
        n_tangent = p.contact[c + 1, FIRST] - r - 1
        for t in range(n_tangent):
            x, y = direction(t, n_tangent)
            belt = x * real[k, P_BELT] + y * real[k, P_BELT + 1]
            p.vector[BEFORE, r + 1 + t] -= belt
            p.vector[FREE, r + 1 + t] += et * p.vector[BEFORE, r + 1 + t] - belt


@kernel
def guess_states(nc: int, memory: Ints, active_int: Ints, p: Problem) -> None:
    """Begin with the states of the last step; new contacts follow the motion without impulses."""
    for c in range(nc):
        k = active_int[c, T_POINT]
        r = p.contact[c, FIRST]
        if memory[k, 0] == CLOSED:
            for t in range(p.contact[c + 1, FIRST] - r):
                p.state[r + t] = memory[k, t]
            continue
        p.state[r] = CLOSED if p.vector[FREE, r] < 0.0 else OPEN
        for t in range(r + 1, p.contact[c + 1, FIRST]):
            rate = p.vector[FREE, t]
            p.state[t] = (
                SLIP if rate > 0.0 or p.contact[c, LAW] == DISC else (SLIP_BACK if rate < 0.0 else STICK)
            )


@inner_kernel
def remember_states(nc: int, memory: Ints, active_int: Ints, p: Problem) -> None:
    """Keep the states of the answer for the next step; all other points are open."""
    for k in range(memory.shape[0]):
        memory[k, 0] = OPEN
        memory[k, M_STILL] = 0
    for c in range(nc):
        k = active_int[c, T_POINT]
        r = p.contact[c, FIRST]
        for t in range(p.contact[c + 1, FIRST] - r):
            memory[k, t] = p.state[r + t]


@inner_kernel
def apply(machine: Machine, work: Bench, nc: int, touch: Touch, p: Problem, dim: tuple[int, ...]) -> None:
    """Add the contact impulses, and the joint impulses that answer them, to `u_end` and `V_LAM`."""
    n_row = machine.row_int.shape[0]
    rhs = work.vector[V_RHS]
    for m in range(n_row):
        rhs[m] = 0.0
    for c in range(nc):
        i = touch.active_int[c, T_I]
        j = touch.active_int[c, T_J]
        for r in range(p.contact[c, FIRST], p.contact[c + 1, FIRST]):
            x = p.vector[IMPULSE, r]
            if x != 0.0:
                add_row(touch.rows, r, i, j, x, work.u_end, dim)
                for m in range(n_row):
                    rhs[m] -= touch.lift[r, m] * x
    backward(machine.row_int, work.matrix, work.vector[V_INVERSE], rhs)
    for m in range(n_row):
        work.vector[V_LAM, m] += rhs[m]
    add_rows(machine.row_int, work.rows, rhs, work.u_end, dim)
