"""Bodies, joint rows and loads in a plane: mass centre, angle, cosine and sine; three velocities per body.

The same kernels as in `spatial`, name by name, in the axes e1, e2 of the plane.
"""

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
    K_ISJ,
    K_ISM,
    K_MASS,
    POINT,
    Q_ANGLE,
    Q_COS,
    Q_SIN,
    R_AXIS,
    R_CODE,
    R_I,
    R_J,
    R_LENGTH,
    R_ROW,
    R_SOURCE,
    R_UI,
    R_UJ,
    S_ROW,
    SDA,
    X_COS,
    X_SIN,
)
from linkwright.kernels.lcp.spatial import NO_LENGTH, pull_spring

Pair = tuple[float, float]


@inner_kernel
def turn(c: float, s: float, table: Floats, i: int, k: int) -> Pair:
    """Turn the pair in row i of a table, columns k and k + 1."""
    x = table[i, k]
    y = table[i, k + 1]
    return c * x - s * y, s * x + c * y


@inner_kernel
def drift(body: Floats, q: Floats, u: Floats, h: float, out: Floats, placed: Floats) -> None:
    """Move all bodies for a time h with constant velocities and place them."""
    for b in range(body.shape[0] - 1):
        s = h * body[b, K_ISM]
        x = q[b, 0] + s * u[b, 0]
        y = q[b, 1] + s * u[b, 1]
        d = h * body[b, K_ISJ] * u[b, 2]
        e = d * d
        if e < 0.04:
            # series, exact to rounding there
            cd = 1.0 - e * (
                1.0 / 2.0 - e * (1.0 / 24.0 - e * (1.0 / 720.0 - e * (1.0 / 40320.0 - e / 3628800.0)))
            )
            sd = d * (
                1.0
                - e
                * (1.0 / 6.0 - e * (1.0 / 120.0 - e * (1.0 / 5040.0 - e * (1.0 / 362880.0 - e / 39916800.0))))
            )
        else:
            cd = np.cos(d)
            sd = np.sin(d)
        c0 = q[b, Q_COS]
        s0 = q[b, Q_SIN]
        c = c0 * cd - s0 * sd
        s = s0 * cd + c0 * sd
        n = 1.5 - 0.5 * (c * c + s * s)
        c *= n
        s *= n
        out[b, 0] = x
        out[b, 1] = y
        out[b, Q_ANGLE] = q[b, Q_ANGLE] + d
        out[b, Q_COS] = c
        out[b, Q_SIN] = s
        placed[b, 0] = x
        placed[b, 1] = y
        placed[b, X_COS] = c
        placed[b, X_SIN] = s


@inner_kernel
def load_impulse(
    load_int: Ints, real: Floats, placed: Floats, n: int, h: float
) -> tuple[float, float, float]:
    """Impulse of a load in plane axes and its moment about the mass centre."""
    b = load_int[n, F_BODY]
    if load_int[n, F_TORQUE] == 1:
        return 0.0, 0.0, h * real[n, F_VECTOR + 2]
    c = placed[b, X_COS]
    s = placed[b, X_SIN]
    if load_int[n, F_IN_BODY] == 1:
        x, y = turn(c, s, real, n, F_VECTOR)
    else:
        x = real[n, F_VECTOR]
        y = real[n, F_VECTOR + 1]
    px, py = turn(c, s, real, n, F_POINT)
    return h * x, h * y, h * (px * y - py * x)


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
    """Velocities after the impulses of gravity and applied loads at the placed bodies."""
    for b in range(body.shape[0] - 1):
        s = h * body[b, K_MASS] * body[b, K_ISM]
        out[b, 0] = u[b, 0] + s * world[0]
        out[b, 1] = u[b, 1] + s * world[1]
        out[b, 2] = u[b, 2]
    for n in range(load_int.shape[0]):
        b = load_int[n, F_BODY]
        x, y, t = load_impulse(load_int, load_real, placed, n, h)
        out[b, 0] += body[b, K_ISM] * x
        out[b, 1] += body[b, K_ISM] * y
        out[b, 2] += body[b, K_ISJ] * t


@inner_kernel
def load_work(
    body: Floats, load_int: Ints, load_real: Floats, placed: Floats, u: Floats, u_end: Floats, h: float
) -> float:
    """Work of the applied loads over a step: impulse times mean velocity [J]."""
    work = 0.0
    for n in range(load_int.shape[0]):
        b = load_int[n, F_BODY]
        x, y, t = load_impulse(load_int, load_real, placed, n, h)
        work += 0.5 * x * body[b, K_ISM] * (u[b, 0] + u_end[b, 0])
        work += 0.5 * y * body[b, K_ISM] * (u[b, 1] + u_end[b, 1])
        work += 0.5 * t * body[b, K_ISJ] * (u[b, 2] + u_end[b, 2])
    return work


@inner_kernel
def put_part(
    body: Floats,
    b: int,
    nx: float,
    ny: float,
    px: float,
    py: float,
    sign: float,
    rows: Floats,
    r: int,
    k: int,
) -> None:
    """Write one half of a row: unit vector and arm from the mass centre, plane axes."""
    s = sign * body[b, K_ISM]
    rows[r, k] = s * nx
    rows[r, k + 1] = s * ny
    rows[r, k + 2] = sign * body[b, K_ISJ] * (px * ny - py * nx)


@inner_kernel
def place_rows(
    body: Floats,
    prim_int: Ints,
    real: Floats,
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
        if code == DOT1:
            # two axes in the plane that stay perpendicular: the angle between the bodies stays
            x, y = turn(placed[i, X_COS], placed[i, X_SIN], real, p, R_UI)
            v, w = turn(placed[j, X_COS], placed[j, X_SIN], real, p, R_UJ)
            c = x * w - y * v
            rows[r, 0] = 0.0
            rows[r, 1] = 0.0
            rows[r, 2] = body[i, K_ISJ] * c
            rows[r, 3] = 0.0
            rows[r, 4] = 0.0
            rows[r, 5] = -body[j, K_ISJ] * c
            continue
        ax, ay = turn(placed[i, X_COS], placed[i, X_SIN], real, p, R_UI)
        bx, by = turn(placed[j, X_COS], placed[j, X_SIN], real, p, R_UJ)
        if code == POINT:
            put_part(body, i, 1.0, 0.0, ax, ay, 1.0, rows, r, 0)
            put_part(body, j, 1.0, 0.0, bx, by, -1.0, rows, r, 3)
            put_part(body, i, 0.0, 1.0, ax, ay, 1.0, rows, r + 1, 0)
            put_part(body, j, 0.0, 1.0, bx, by, -1.0, rows, r + 1, 3)
            continue
        dx = placed[i, 0] + ax - placed[j, 0] - bx
        dy = placed[i, 1] + ay - placed[j, 1] - by
        if code == DOT2:
            nx, ny = turn(placed[j, X_COS], placed[j, X_SIN], real, p, R_AXIS)
            put_part(body, i, nx, ny, ax, ay, 1.0, rows, r, 0)
            # the arm on j ends at the point of i
            put_part(body, j, nx, ny, bx + dx, by + dy, -1.0, rows, r, 3)
        elif code == DISTANCE:
            s = 1.0 / real[p, R_LENGTH]
            put_part(body, i, s * dx, s * dy, ax, ay, 1.0, rows, r, 0)
            put_part(body, j, s * dx, s * dy, bx, by, -1.0, rows, r, 3)
        else:
            source = prim_int[p, R_SOURCE]
            length = np.sqrt(dx * dx + dy * dy)
            if not length > NO_LENGTH:
                return int(-1 - source)
            s = -1.0 / length
            put_part(body, i, s * dx, s * dy, ax, ay, -1.0, rows, r, 0)
            put_part(body, j, s * dx, s * dy, bx, by, 1.0, rows, r, 3)
            rate = 0.0
            for k in range(3):
                rate += rows[r, k] * u[i, k] + rows[r, 3 + k] * u[j, k]
            pull_spring(real, p, h, length, rate, sda, source)
            sda[source, S_ROW] = r
    return 0


@inner_kernel
def residuals(prim_int: Ints, real: Floats, placed: Floats, phi: Floats) -> float:
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
        ax, ay = turn(placed[i, X_COS], placed[i, X_SIN], real, p, R_UI)
        bx, by = turn(placed[j, X_COS], placed[j, X_SIN], real, p, R_UJ)
        if code == DOT1:
            phi[r] = ax * bx + ay * by
            largest = max(largest, abs(phi[r]))
            continue
        dx = placed[i, 0] + ax - placed[j, 0] - bx
        dy = placed[i, 1] + ay - placed[j, 1] - by
        if code == POINT:
            phi[r] = dx
            phi[r + 1] = dy
            largest = max(largest, abs(dx), abs(dy))
        elif code == DOT2:
            nx, ny = turn(placed[j, X_COS], placed[j, X_SIN], real, p, R_AXIS)
            phi[r] = nx * dx + ny * dy
            largest = max(largest, abs(phi[r]))
        else:
            length = real[p, R_LENGTH]
            phi[r] = (dx * dx + dy * dy - length * length) / (2.0 * length)
            largest = max(largest, abs(phi[r]))
    return largest


@inner_kernel
def move(body: Floats, q: Floats, du: Floats, placed: Floats) -> None:
    """Move all bodies by scaled displacements, M^(1/2) dq, and place them."""
    drift(body, q, du, 1.0, q, placed)


@inner_kernel
def contact_row(
    body: Floats,
    placed: Floats,
    i: int,
    j: int,
    nx: float,
    ny: float,
    x: float,
    y: float,
    rows: Floats,
    r: int,
) -> None:
    """Write the row of the relative velocity of i against j along n at a common point, plane axes."""
    put_part(body, i, nx, ny, x - placed[i, 0], y - placed[i, 1], 1.0, rows, r, 0)
    put_part(body, j, nx, ny, x - placed[j, 0], y - placed[j, 1], -1.0, rows, r, 3)
