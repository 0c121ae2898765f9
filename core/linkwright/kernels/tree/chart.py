"""Coordinates near a pose: plain differences for scalars, rotation vectors for quaternions.

Within a step the coordinates are q = q_0 (+) x, where x has one number per rate. For a ball joint x is a rotation
vector in axes of the body, Q = Q_0 exp(x), so that quaternions stay on the unit sphere whatever the integrator does
(Munthe-Kaas 1999), and x' = J_r(x)^-1 w with the inverse right Jacobian of the rotation group.
"""

from __future__ import annotations

import math

from linkwright.kernels.jit import kernel
from linkwright.kernels.layout import Floats, Ints
from linkwright.kernels.rotation import Quat, Vec, add, cross, dot, scale

SERIES = 1e-2
"""Below this square of an angle the series below are exact to rounding, above it the closed forms."""


@kernel
def quat_product(a: Quat, b: Quat) -> Quat:
    """Quaternion a b: first turn by b, then by a."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@kernel
def quat_exp(x: Vec) -> Quat:
    """Unit quaternion of a rotation vector."""
    s = 0.25 * dot(x, x)
    if s < SERIES:
        c = 1.0 - s * (0.5 - s * (1.0 / 24.0 - s * (1.0 / 720.0 - s / 40320.0)))
        f = 0.5 * (1.0 - s * (1.0 / 6.0 - s * (1.0 / 120.0 - s * (1.0 / 5040.0 - s / 362880.0))))
    else:
        half = math.sqrt(s)
        c = math.cos(half)
        f = 0.5 * math.sin(half) / half
    return c, f * x[0], f * x[1], f * x[2]


@kernel
def chart_rate(x: Vec, w: Vec) -> Vec:
    """J_r(x)^-1 w = w + x x w / 2 + c x x (x x w): rate of the rotation vector x for the angular velocity w."""
    s = dot(x, x)
    if s < SERIES:
        c = 1.0 / 12.0 + s * (1.0 / 720.0 + s * (1.0 / 30240.0 + s / 1209600.0))
    else:
        half = 0.5 * math.sqrt(s)
        c = (1.0 - half / math.tan(half)) / s
    turned = cross(x, w)
    return add(w, add(scale(0.5, turned), scale(c, cross(x, turned))))


@kernel
def move(scalars: Ints, balls: Ints, q: Floats, x: Floats, out: Floats) -> None:
    """out = q (+) x, with quaternions brought back to unit length against rounding. `out` may be `q`."""
    for k in range(scalars.shape[0]):
        n = scalars[k, 0]
        out[n] = q[n] + x[scalars[k, 1]]
    for k in range(balls.shape[0]):
        n = balls[k, 0]
        m = balls[k, 1]
        e = quat_product((q[n], q[n + 1], q[n + 2], q[n + 3]), quat_exp((x[m], x[m + 1], x[m + 2])))
        f = 1.5 - 0.5 * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3])
        out[n] = f * e[0]
        out[n + 1] = f * e[1]
        out[n + 2] = f * e[2]
        out[n + 3] = f * e[3]


@kernel
def rates(scalars: Ints, balls: Ints, x: Floats, v: Floats, out: Floats) -> None:
    """out = x', the rates of the chart coordinates at x for the rates v of the freedoms."""
    for k in range(scalars.shape[0]):
        m = scalars[k, 1]
        out[m] = v[m]
    for k in range(balls.shape[0]):
        m = balls[k, 1]
        r = chart_rate((x[m], x[m + 1], x[m + 2]), (v[m], v[m + 1], v[m + 2]))
        out[m] = r[0]
        out[m + 1] = r[1]
        out[m + 2] = r[2]
