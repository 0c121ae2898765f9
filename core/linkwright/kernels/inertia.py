"""Rigid bodies: placing them, their inertia in the residual, and their own block of the iteration matrix.

Inertia follows from the kinetic energy with M = blockdiag(m I, 4 G^T J G) and Qv = [0; -8 G(e')^T J G(e) e'] (theory
section 3). Sums over forces at points are kept as one 3x3 matrix W = sum f u^T per body, because the generalised force
of the Euler parameters is D(W) e and its derivative at constant f is D(W) again (theory section 4).
"""

from __future__ import annotations

from linkwright.kernels.jit import inner_kernel
from linkwright.kernels.layout import (
    B_DE,
    B_DR,
    B_E,
    B_ED,
    B_EROW,
    B_NORM,
    B_R,
    B_RATE,
    B_RES,
    B_ROT,
    B_S,
    B_TAU,
    B_TAUB,
    B_TE,
    B_V,
    B_W,
    B_WS,
    BODY_J,
    BODY_MASS,
    TERM_INERTIA,
    TERM_REACTION,
    TERM_SDA_Q,
    TERM_VELOCITY,
    Floats,
    Ints,
)
from linkwright.kernels.rotation import (
    Mat,
    Quat,
    Vec,
    dot4,
    hessian_times,
    mat,
    quat,
    rotation,
    turn,
    turn_ground_t,
    turn_t,
    turned_by,
    vec,
)


@inner_kernel
def inertia_times(body: Floats, b: int, x: Vec) -> Vec:
    """J x, both in body axes."""
    j = BODY_J
    return (
        body[b, j] * x[0] + body[b, j + 3] * x[1] + body[b, j + 4] * x[2],
        body[b, j + 3] * x[0] + body[b, j + 1] * x[1] + body[b, j + 5] * x[2],
        body[b, j + 4] * x[0] + body[b, j + 5] * x[1] + body[b, j + 2] * x[2],
    )


@inner_kernel
def put_mat(table: Floats, i: int, k: int, m: Mat) -> None:
    """Write nine numbers into row i of a table from column k."""
    table[i, k] = m[0]
    table[i, k + 1] = m[1]
    table[i, k + 2] = m[2]
    table[i, k + 3] = m[3]
    table[i, k + 4] = m[4]
    table[i, k + 5] = m[5]
    table[i, k + 6] = m[6]
    table[i, k + 7] = m[7]
    table[i, k + 8] = m[8]


@inner_kernel
def place(body: Floats, q: Floats, v: Floats, bw: Floats) -> None:
    """Fill the kinematic part of the scratch rows of all bodies from coordinates and rates."""
    for b in range(body.shape[0]):
        p = 7 * b
        for k in range(7):
            bw[b, B_R + k] = q[p + k]
            bw[b, B_V + k] = v[p + k]
        e = quat(bw, b, B_E)
        put_mat(bw, b, B_ROT, rotation(e))
        put_mat(bw, b, B_RATE, turned_by(e, quat(bw, b, B_ED)))
        bw[b, B_NORM] = dot4(e, e) - 1.0


@inner_kernel
def start_residual(body: Floats, a: Floats, bw: Floats) -> float:
    """Begin the residual with M q'' - Qv and empty the sums of forces; returns the largest inertial force."""
    largest = 0.0
    n_body = body.shape[0]
    for k in range(B_W, B_NORM):
        bw[n_body, k] = 0.0
    for b in range(n_body):
        for k in range(B_W, B_NORM):
            bw[b, k] = 0.0
        p = 7 * b
        m = body[b, BODY_MASS]
        for k in range(3):
            f = m * a[p + k]
            bw[b, B_RES + k] = f
            largest = max(largest, abs(f))
        e = quat(bw, b, B_E)
        ed = quat(bw, b, B_ED)
        acc = a[p + 3], a[p + 4], a[p + 5], a[p + 6]
        x = turn_t(e, inertia_times(body, b, turn(e, acc)))
        y = turn_t(ed, inertia_times(body, b, turn(e, ed)))
        for k in range(4):
            largest = max(largest, abs(4.0 * x[k]), abs(8.0 * y[k]))
            bw[b, B_RES + 3 + k] = 4.0 * x[k] + 8.0 * y[k]
    return largest


@inner_kernel
def finish_residual(body: Floats, lam: Floats, n_row: int, bw: Floats) -> None:
    """Add the sums of forces, the torques and the multipliers of e . e = 1 to the residual."""
    for b in range(body.shape[0]):
        e = quat(bw, b, B_E)
        x = hessian_times(mat(bw, b, B_W), e)
        y = hessian_times(mat(bw, b, B_WS), e)
        z = turn_ground_t(e, vec(bw, b, B_TAU))
        u = turn_t(e, vec(bw, b, B_TAUB))
        m = 2.0 * lam[n_row + b]
        for k in range(4):
            bw[b, B_RES + 3 + k] += x[k] + y[k] + m * e[k] - 2.0 * (z[k] + u[k])


@inner_kernel
def tangent_column(
    body: Floats, b: int, e: Quat, ed: Quat, g: Vec, ga: Vec, gd: Vec, c_qm: float, c_qv: float, c_vv: float
) -> Quat:
    """One column of 4 G^T J (G - c_qm G(a)) + 8 G(e')^T J (c_vv G - c_qv G(e'))."""
    s = 4.0
    x = (
        s * (g[0] - c_qm * ga[0]),
        s * (g[1] - c_qm * ga[1]),
        s * (g[2] - c_qm * ga[2]),
    )
    r = 8.0 * c_vv
    t = 8.0 * c_qv
    y = r * g[0] - t * gd[0], r * g[1] - t * gd[1], r * g[2] - t * gd[2]
    p = turn_t(e, inertia_times(body, b, x))
    q = turn_t(ed, inertia_times(body, b, y))
    return p[0] + q[0], p[1] + q[1], p[2] + q[2], p[3] + q[3]


@inner_kernel
def tangent(
    body: Floats,
    a: Floats,
    lam: Floats,
    n_row: int,
    c_q: float,
    c_v: float,
    terms: int,
    bw: Floats,
    body_adr: Ints,
    offset: Ints,
    matrix: Floats,
    rhs: Floats,
) -> None:
    """Add the own block of every body to the matrix and put its share of the residual on the right-hand side.

    The block of the Euler parameters T = M + c_q d(residual)/dq + c_v d(residual)/dq' is turned into the basis
    [G^T, e]; its part along e times the known step `B_S` goes to the right-hand side, T^T e is kept for later.
    """
    c_qm = c_q if terms & TERM_INERTIA else 0.0
    c_qv = c_q if terms & TERM_VELOCITY else 0.0
    c_vv = c_v if terms & TERM_VELOCITY else 0.0
    c_qr = c_q if terms & TERM_REACTION else 0.0
    c_qs = c_q if terms & TERM_SDA_Q else 0.0
    for b in range(body.shape[0]):
        p = 7 * b
        e = quat(bw, b, B_E)
        ed = quat(bw, b, B_ED)
        acc = a[p + 3], a[p + 4], a[p + 5], a[p + 6]

        # columns of the inertia, c-th column of G taken for each of the three quadruples
        t0 = tangent_column(
            body,
            b,
            e,
            ed,
            (-e[1], -e[2], -e[3]),
            (-acc[1], -acc[2], -acc[3]),
            (-ed[1], -ed[2], -ed[3]),
            c_qm,
            c_qv,
            c_vv,
        )
        t1 = tangent_column(
            body,
            b,
            e,
            ed,
            (e[0], -e[3], e[2]),
            (acc[0], -acc[3], acc[2]),
            (ed[0], -ed[3], ed[2]),
            c_qm,
            c_qv,
            c_vv,
        )
        t2 = tangent_column(
            body,
            b,
            e,
            ed,
            (e[3], e[0], -e[1]),
            (acc[3], acc[0], -acc[1]),
            (ed[3], ed[0], -ed[1]),
            c_qm,
            c_qv,
            c_vv,
        )
        t3 = tangent_column(
            body,
            b,
            e,
            ed,
            (-e[2], e[1], e[0]),
            (-acc[2], acc[1], acc[0]),
            (-ed[2], ed[1], ed[0]),
            c_qm,
            c_qv,
            c_vv,
        )

        # H(y) of d(M q'')/de, of dQv/de' and of torques in body axes, and its like for torques in ground axes
        ya = inertia_times(body, b, turn(e, acc))
        yd = inertia_times(body, b, turn(e, ed))
        r = 4.0 * c_qm
        s = 8.0 * c_vv
        c = 2.0 * c_qr
        y0 = r * ya[0] + s * yd[0] - c * bw[b, B_TAUB]
        y1 = r * ya[1] + s * yd[1] - c * bw[b, B_TAUB + 1]
        y2 = r * ya[2] + s * yd[2] - c * bw[b, B_TAUB + 2]
        z0 = -c * bw[b, B_TAU]
        z1 = -c * bw[b, B_TAU + 1]
        z2 = -c * bw[b, B_TAU + 2]

        # D of the forces at points, and the multiplier of e . e = 1
        w = (
            c_qr * bw[b, B_W] + c_qs * bw[b, B_WS],
            c_qr * bw[b, B_W + 1] + c_qs * bw[b, B_WS + 1],
            c_qr * bw[b, B_W + 2] + c_qs * bw[b, B_WS + 2],
            c_qr * bw[b, B_W + 3] + c_qs * bw[b, B_WS + 3],
            c_qr * bw[b, B_W + 4] + c_qs * bw[b, B_WS + 4],
            c_qr * bw[b, B_W + 5] + c_qs * bw[b, B_WS + 5],
            c_qr * bw[b, B_W + 6] + c_qs * bw[b, B_WS + 6],
            c_qr * bw[b, B_W + 7] + c_qs * bw[b, B_WS + 7],
            c_qr * bw[b, B_W + 8] + c_qs * bw[b, B_WS + 8],
        )
        m = c * lam[n_row + b]
        d0 = hessian_times(w, (1.0, 0.0, 0.0, 0.0))
        d1 = hessian_times(w, (0.0, 1.0, 0.0, 0.0))
        d2 = hessian_times(w, (0.0, 0.0, 1.0, 0.0))
        d3 = hessian_times(w, (0.0, 0.0, 0.0, 1.0))
        t0 = (
            t0[0] + d0[0] + m,
            t0[1] + d0[1] + y0 + z0,
            t0[2] + d0[2] + y1 + z1,
            t0[3] + d0[3] + y2 + z2,
        )
        t1 = (
            t1[0] + d1[0] - y0 - z0,
            t1[1] + d1[1] + m,
            t1[2] + d1[2] - y2 + z2,
            t1[3] + d1[3] + y1 - z1,
        )
        t2 = (
            t2[0] + d2[0] - y1 - z1,
            t2[1] + d2[1] + y2 - z2,
            t2[2] + d2[2] + m,
            t2[3] + d2[3] - y0 + z0,
        )
        t3 = (
            t3[0] + d3[0] - y2 - z2,
            t3[1] + d3[1] - y1 + z1,
            t3[2] + d3[2] + y0 - z0,
            t3[3] + d3[3] + m,
        )

        bw[b, B_TE] = dot4(t0, e)
        bw[b, B_TE + 1] = dot4(t1, e)
        bw[b, B_TE + 2] = dot4(t2, e)
        bw[b, B_TE + 3] = dot4(t3, e)

        # G T G^T, G T e
        g0 = turn(e, t0)
        g1 = turn(e, t1)
        g2 = turn(e, t2)
        g3 = turn(e, t3)
        adr = body_adr[b]
        res = turn(e, quat(bw, b, B_RES + 3))
        along = bw[b, B_S]
        for k in range(3):
            matrix[offset[adr + k] + adr + k] += body[b, BODY_MASS]
            rhs[adr + k] = -bw[b, B_RES + k]
            line = g0[k], g1[k], g2[k], g3[k]
            x = turn(e, line)
            at = offset[adr + 3 + k] + adr + 3
            matrix[at] += x[0]
            matrix[at + 1] += x[1]
            matrix[at + 2] += x[2]
            rhs[adr + 3 + k] = -res[k] - along * dot4(line, e)


@inner_kernel
def unpack_step(body: Floats, bw: Floats, body_adr: Ints, x: Floats) -> None:
    """Turn the solution of the linear system into steps of R and e, and begin the equations along e."""
    for b in range(body.shape[0]):
        adr = body_adr[b]
        for k in range(3):
            bw[b, B_DR + k] = x[adr + k]
        e = quat(bw, b, B_E)
        de = turn_t(e, (x[adr + 3], x[adr + 4], x[adr + 5]))
        s = bw[b, B_S]
        for k in range(4):
            bw[b, B_DE + k] = de[k] + s * e[k]
        bw[b, B_EROW] = dot4(quat(bw, b, B_TE), quat(bw, b, B_DE)) + dot4(quat(bw, b, B_RES + 3), e)


@inner_kernel
def norm_step(bw: Floats, b: int) -> float:
    """Step of the multiplier of e . e = 1, from the equation along e once all its terms are collected."""
    e = quat(bw, b, B_E)
    return -float(bw[b, B_EROW]) / (2.0 * dot4(e, e))
