"""Bodies, joint rows and loads in space: mass centre and Euler parameters of the principal frame, six velocities."""

from __future__ import annotations

import numpy as np

from linkwright.kernels.jit import inner_kernel
from linkwright.kernels.layout import Floats, Ints
from linkwright.kernels.lcp.layout import (
    DISTANCE,
    DOT1,
    DOT2,
    F_BODY,
    F_IN_BODY,
    F_POINT,
    F_TORQUE,
    F_VECTOR,
    K_GYRO,
    K_ISJ,
    K_ISM,
    K_J,
    K_MASS,
    POINT,
    Q_TURN,
    R_ACTUATOR,
    R_AXIS,
    R_C,
    R_CODE,
    R_FREE,
    R_I,
    R_J,
    R_K,
    R_LENGTH,
    R_ROW,
    R_SOURCE,
    R_TENSION_ONLY,
    R_UI,
    R_UJ,
    S_ACTIVE,
    S_DAMPING,
    S_LENGTH,
    S_PULL,
    S_RATE,
    S_ROW,
    SDA,
    X_ROT,
)
from linkwright.kernels.rotation import (
    Mat,
    Quat,
    Vec,
    add,
    cross,
    dot,
    mat,
    rotation,
    scale,
    sub,
    times,
    times_t,
    vec,
)

NO_LENGTH = 1e-12
"""An SDA or distance shorter than this has no direction [m]."""


@inner_kernel
def turned(e: Quat, d: Vec) -> Quat:
    """E exp(d): the orientation e turned by the rotation vector d in body axes, scaled back to unit length."""
    s = 0.25 * dot(d, d)
    if s < 0.04:
        # series of cos(x) and sin(x) / (2 x) in s = x^2, x half the angle; exact to rounding there
        w = 1.0 - s * (1.0 / 2.0 - s * (1.0 / 24.0 - s * (1.0 / 720.0 - s * (1.0 / 40320.0 - s / 3628800.0))))
        f = 0.5 - s * (
            1.0 / 12.0 - s * (1.0 / 240.0 - s * (1.0 / 10080.0 - s * (1.0 / 725760.0 - s / 79833600.0)))
        )
    else:
        x = np.sqrt(s)
        w = np.cos(x)
        f = 0.5 * np.sin(x) / x
    a = f * d[0]
    b = f * d[1]
    c = f * d[2]
    e0 = e[0] * w - e[1] * a - e[2] * b - e[3] * c
    e1 = e[0] * a + e[1] * w + e[2] * c - e[3] * b
    e2 = e[0] * b - e[1] * c + e[2] * w + e[3] * a
    e3 = e[0] * c + e[1] * b - e[2] * a + e[3] * w
    n = 1.5 - 0.5 * (e0 * e0 + e1 * e1 + e2 * e2 + e3 * e3)
    return e0 * n, e1 * n, e2 * n, e3 * n


@inner_kernel
def place_body(q: Floats, b: int, placed: Floats) -> None:
    """Write mass centre and rotation matrix of a body."""
    placed[b, 0] = q[b, 0]
    placed[b, 1] = q[b, 1]
    placed[b, 2] = q[b, 2]
    m = rotation((q[b, Q_TURN], q[b, Q_TURN + 1], q[b, Q_TURN + 2], q[b, Q_TURN + 3]))
    placed[b, X_ROT] = m[0]
    placed[b, X_ROT + 1] = m[1]
    placed[b, X_ROT + 2] = m[2]
    placed[b, X_ROT + 3] = m[3]
    placed[b, X_ROT + 4] = m[4]
    placed[b, X_ROT + 5] = m[5]
    placed[b, X_ROT + 6] = m[6]
    placed[b, X_ROT + 7] = m[7]
    placed[b, X_ROT + 8] = m[8]


@inner_kernel
def drift(body: Floats, q: Floats, u: Floats, h: float, out: Floats, placed: Floats) -> None:
    """Move all bodies for a time h with constant velocities and place them."""
    for b in range(body.shape[0] - 1):
        s = h * body[b, K_ISM]
        out[b, 0] = q[b, 0] + s * u[b, 0]
        out[b, 1] = q[b, 1] + s * u[b, 1]
        out[b, 2] = q[b, 2] + s * u[b, 2]
        d = h * body[b, K_ISJ] * u[b, 3], h * body[b, K_ISJ + 1] * u[b, 4], h * body[b, K_ISJ + 2] * u[b, 5]
        e = turned((q[b, Q_TURN], q[b, Q_TURN + 1], q[b, Q_TURN + 2], q[b, Q_TURN + 3]), d)
        out[b, Q_TURN] = e[0]
        out[b, Q_TURN + 1] = e[1]
        out[b, Q_TURN + 2] = e[2]
        out[b, Q_TURN + 3] = e[3]
        place_body(out, b, placed)


@inner_kernel
def gyrate(body: Floats, b: int, u: Floats, h: float) -> None:
    """Add the gyroscopic impulse of a step: J (w+ - w) + h w_m x J w_m = 0 with w_m = (w + w+) / 2, by Newton.

    This midpoint rule keeps the rotational energy of a free body exactly.
    """
    j0 = body[b, K_J]
    j1 = body[b, K_J + 1]
    j2 = body[b, K_J + 2]
    w = body[b, K_ISJ] * u[b, 3], body[b, K_ISJ + 1] * u[b, 4], body[b, K_ISJ + 2] * u[b, 5]
    # unknown is w_m, first guess w
    a, m, c = w
    half = 0.5 * h
    for _ in range(3):
        r0 = j0 * (a - w[0]) + half * (j2 - j1) * m * c
        r1 = j1 * (m - w[1]) + half * (j0 - j2) * a * c
        r2 = j2 * (c - w[2]) + half * (j1 - j0) * a * m
        k01 = half * (j2 - j1) * c
        k02 = half * (j2 - j1) * m
        k10 = half * (j0 - j2) * c
        k12 = half * (j0 - j2) * a
        k20 = half * (j1 - j0) * m
        k21 = half * (j1 - j0) * a
        c0 = j1 * j2 - k12 * k21
        c1 = k12 * k20 - k10 * j2
        c2 = k10 * k21 - j1 * k20
        inverse = 1.0 / (j0 * c0 + k01 * c1 + k02 * c2)
        a -= inverse * (c0 * r0 + (k02 * k21 - k01 * j2) * r1 + (k01 * k12 - k02 * j1) * r2)
        m -= inverse * (c1 * r0 + (j0 * j2 - k02 * k20) * r1 + (k02 * k10 - j0 * k12) * r2)
        c -= inverse * (c2 * r0 + (k01 * k20 - j0 * k21) * r1 + (j0 * j1 - k01 * k10) * r2)
    u[b, 3] += 2.0 * (a - w[0]) / body[b, K_ISJ]
    u[b, 4] += 2.0 * (m - w[1]) / body[b, K_ISJ + 1]
    u[b, 5] += 2.0 * (c - w[2]) / body[b, K_ISJ + 2]


@inner_kernel
def load_impulse(load_int: Ints, load_real: Floats, placed: Floats, n: int, h: float) -> tuple[Vec, Vec]:
    """Impulse of a load in ground axes and its moment about the mass centre in principal axes."""
    b = load_int[n, F_BODY]
    rot = mat(placed, b, X_ROT)
    x = scale(h, vec(load_real, n, F_VECTOR))
    if load_int[n, F_IN_BODY] == 1:
        own = x
        x = times(rot, x)
    else:
        own = times_t(rot, x)
    if load_int[n, F_TORQUE] == 1:
        return (0.0, 0.0, 0.0), own
    return x, cross(vec(load_real, n, F_POINT), own)


@inner_kernel
def load_all(
    body: Floats,
    world: Floats,
    load_int: Ints,
    load_real: Floats,
    placed: Floats,
    u: Floats,
    h: float,
    out: Floats,
) -> None:
    """Velocities after the impulses of gravity, gyroscopic terms and applied loads at the placed bodies."""
    g = world
    for b in range(body.shape[0] - 1):
        s = h * body[b, K_MASS] * body[b, K_ISM]
        out[b, 0] = u[b, 0] + s * g[0]
        out[b, 1] = u[b, 1] + s * g[1]
        out[b, 2] = u[b, 2] + s * g[2]
        out[b, 3] = u[b, 3]
        out[b, 4] = u[b, 4]
        out[b, 5] = u[b, 5]
        if body[b, K_GYRO] != 0.0:
            gyrate(body, b, out, h)
    for n in range(load_int.shape[0]):
        b = load_int[n, F_BODY]
        x, t = load_impulse(load_int, load_real, placed, n, h)
        for k in range(3):
            out[b, k] += body[b, K_ISM] * x[k]
            out[b, 3 + k] += body[b, K_ISJ + k] * t[k]


@inner_kernel
def load_work(
    body: Floats, load_int: Ints, load_real: Floats, placed: Floats, u: Floats, u_end: Floats, h: float
) -> float:
    """Work of the applied loads over a step: impulse times mean velocity [J]."""
    work = 0.0
    for n in range(load_int.shape[0]):
        b = load_int[n, F_BODY]
        x, t = load_impulse(load_int, load_real, placed, n, h)
        for k in range(3):
            work += 0.5 * x[k] * body[b, K_ISM] * (u[b, k] + u_end[b, k])
            work += 0.5 * t[k] * body[b, K_ISJ + k] * (u[b, 3 + k] + u_end[b, 3 + k])
    return work


@inner_kernel
def put_part(
    body: Floats, placed: Floats, b: int, n: Vec, arm: Vec, sign: float, rows: Floats, r: int, k: int
) -> None:
    """Write one half of a row: unit vector n and arm from the mass centre, both in ground axes."""
    rot = mat(placed, b, X_ROT)
    t = times_t(rot, cross(arm, n))
    s = sign * body[b, K_ISM]
    rows[r, k] = s * n[0]
    rows[r, k + 1] = s * n[1]
    rows[r, k + 2] = s * n[2]
    rows[r, k + 3] = sign * body[b, K_ISJ] * t[0]
    rows[r, k + 4] = sign * body[b, K_ISJ + 1] * t[1]
    rows[r, k + 5] = sign * body[b, K_ISJ + 2] * t[2]


@inner_kernel
def put_turn(body: Floats, rot: Mat, b: int, c: Vec, sign: float, rows: Floats, r: int, k: int) -> None:
    """Write one half of a row about the axis c, ground axes."""
    t = times_t(rot, c)
    rows[r, k] = 0.0
    rows[r, k + 1] = 0.0
    rows[r, k + 2] = 0.0
    rows[r, k + 3] = sign * body[b, K_ISJ] * t[0]
    rows[r, k + 4] = sign * body[b, K_ISJ + 1] * t[1]
    rows[r, k + 5] = sign * body[b, K_ISJ + 2] * t[2]


@inner_kernel
def put_axis(
    body: Floats, b: int, k: int, line: Vec, u: Vec, sign: float, rows: Floats, r: int, side: int
) -> None:
    """Write one half of a row along ground axis k for a body point u; `line` is row k of the rotation matrix."""
    s = sign * body[b, K_ISM]
    rows[r, side] = s if k == 0 else 0.0
    rows[r, side + 1] = s if k == 1 else 0.0
    rows[r, side + 2] = s if k == 2 else 0.0
    t = cross(u, line)
    rows[r, side + 3] = sign * body[b, K_ISJ] * t[0]
    rows[r, side + 4] = sign * body[b, K_ISJ + 1] * t[1]
    rows[r, side + 5] = sign * body[b, K_ISJ + 2] * t[2]


@inner_kernel
def place_rows(
    body: Floats,
    prim_int: Ints,
    prim_real: Floats,
    placed: Floats,
    u: Floats,
    h: float,
    rows: Floats,
    sda: Floats,
) -> int:
    """Write the joint rows and springs of the placed bodies; returns -1 - s at an SDA s without length."""
    for p in range(prim_int.shape[0]):
        code = prim_int[p, R_CODE]
        i = prim_int[p, R_I]
        j = prim_int[p, R_J]
        r = prim_int[p, R_ROW]
        rot_i = mat(placed, i, X_ROT)
        rot_j = mat(placed, j, X_ROT)
        ui = vec(prim_real, p, R_UI)
        uj = vec(prim_real, p, R_UJ)
        if code == POINT:
            for k in range(3):
                x = placed[i, X_ROT + 3 * k], placed[i, X_ROT + 3 * k + 1], placed[i, X_ROT + 3 * k + 2]
                y = placed[j, X_ROT + 3 * k], placed[j, X_ROT + 3 * k + 1], placed[j, X_ROT + 3 * k + 2]
                put_axis(body, i, k, x, ui, 1.0, rows, r + k, 0)
                put_axis(body, j, k, y, uj, -1.0, rows, r + k, 6)
            continue
        a = times(rot_i, ui)
        b = times(rot_j, uj)
        if code == DOT1:
            c = cross(a, b)
            put_turn(body, rot_i, i, c, 1.0, rows, r, 0)
            put_turn(body, rot_j, j, c, -1.0, rows, r, 6)
            continue
        d = sub(add(vec(placed, i, 0), a), add(vec(placed, j, 0), b))
        if code == DOT2:
            n = times(rot_j, vec(prim_real, p, R_AXIS))
            put_part(body, placed, i, n, a, 1.0, rows, r, 0)
            # the arm on j ends at the point of i
            put_part(body, placed, j, n, add(b, d), -1.0, rows, r, 6)
        elif code == DISTANCE:
            n = scale(1.0 / prim_real[p, R_LENGTH], d)
            put_part(body, placed, i, n, a, 1.0, rows, r, 0)
            put_part(body, placed, j, n, b, -1.0, rows, r, 6)
        else:
            s = prim_int[p, R_SOURCE]
            length = np.sqrt(dot(d, d))
            if not length > NO_LENGTH:
                return int(-1 - s)
            n = scale(-1.0 / length, d)
            put_part(body, placed, i, n, a, -1.0, rows, r, 0)
            put_part(body, placed, j, n, b, 1.0, rows, r, 6)
            rate = 0.0
            for k in range(6):
                rate += rows[r, k] * u[i, k] + rows[r, 6 + k] * u[j, k]
            pull_spring(prim_real, p, h, length, rate, sda, s)
            sda[s, S_ROW] = r
    return 0


@inner_kernel
def pull_spring(prim_real: Floats, p: int, h: float, length: float, rate: float, sda: Floats, s: int) -> None:
    """Split the force of an SDA into an explicit part and one that is linear in the end velocity.

    The mean of the spring over the step is k (l_m - l0 + h (l'+ - l') / 4), that of the damper c (l' + l'+) / 2: the
    trapezoidal rule. With l'+ still unknown its part D l'+ of the impulse becomes a soft row, D = h (h k / 4 + c / 2).
    """
    k = prim_real[p, R_K]
    c = prim_real[p, R_C]
    pull = k * (length - prim_real[p, R_FREE]) + prim_real[p, R_ACTUATOR]
    stiff = 0.25 * h * k + 0.5 * c
    first = pull + (0.5 * c - 0.25 * h * k) * rate
    sda[s, S_LENGTH] = length
    sda[s, S_RATE] = rate
    sda[s, S_ACTIVE] = 1.0
    # a cable that would push is slack for this step
    if prim_real[p, R_TENSION_ONLY] != 0.0 and first + stiff * rate < 0.0:
        first = 0.0
        stiff = 0.0
        sda[s, S_ACTIVE] = 0.0
    sda[s, S_PULL] = first
    sda[s, S_DAMPING] = np.sqrt(h * stiff)


@inner_kernel
def residuals(prim_int: Ints, prim_real: Floats, placed: Floats, phi: Floats) -> float:
    """Residuals of the joint rows at the placed bodies, zero for soft rows; returns the largest."""
    largest = 0.0
    for p in range(prim_int.shape[0]):
        code = prim_int[p, R_CODE]
        r = prim_int[p, R_ROW]
        if code == SDA:
            phi[r] = 0.0
            continue
        i = prim_int[p, R_I]
        j = prim_int[p, R_J]
        a = times(mat(placed, i, X_ROT), vec(prim_real, p, R_UI))
        b = times(mat(placed, j, X_ROT), vec(prim_real, p, R_UJ))
        if code == DOT1:
            phi[r] = dot(a, b)
            largest = max(largest, abs(phi[r]))
            continue
        d = sub(add(vec(placed, i, 0), a), add(vec(placed, j, 0), b))
        if code == POINT:
            put_point(phi, r, d)
            largest = max(largest, abs(d[0]), abs(d[1]), abs(d[2]))
        elif code == DOT2:
            phi[r] = dot(times(mat(placed, j, X_ROT), vec(prim_real, p, R_AXIS)), d)
            largest = max(largest, abs(phi[r]))
        else:
            length = prim_real[p, R_LENGTH]
            phi[r] = (dot(d, d) - length * length) / (2.0 * length)
            largest = max(largest, abs(phi[r]))
    return largest


@inner_kernel
def put_point(phi: Floats, r: int, d: Vec) -> None:
    """Write three residuals."""
    phi[r] = d[0]
    phi[r + 1] = d[1]
    phi[r + 2] = d[2]


@inner_kernel
def move(body: Floats, q: Floats, du: Floats, placed: Floats) -> None:
    """Move all bodies by scaled displacements, M^(1/2) dq, and place them."""
    drift(body, q, du, 1.0, q, placed)


@inner_kernel
def contact_row(
    body: Floats, placed: Floats, i: int, j: int, n: Vec, point: Vec, rows: Floats, r: int
) -> None:
    """Write the row of the relative velocity of i against j along n at a common point, ground axes."""
    put_part(body, placed, i, n, sub(point, vec(placed, i, 0)), 1.0, rows, r, 0)
    put_part(body, placed, j, n, sub(point, vec(placed, j, 0)), -1.0, rows, r, 6)
