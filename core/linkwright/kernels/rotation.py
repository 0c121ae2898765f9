"""Euler parameters and small vector algebra, on tuples of scalars so that they stay in registers.

Rotation matrices use the homogeneous polynomial A(e) u = (l0^2 - l.l) u + 2 l (l.u) + 2 l0 (l x u), which is quadratic
in e (theory section 2). Kernels do not check their inputs. 3x3 matrices are tuples of nine scalars, row by row.
"""

from __future__ import annotations

from linkwright.kernels.jit import inner_kernel
from linkwright.kernels.layout import Floats

Vec = tuple[float, float, float]
Quat = tuple[float, float, float, float]
Mat = tuple[float, float, float, float, float, float, float, float, float]


@inner_kernel
def vec(table: Floats, i: int, k: int) -> Vec:
    """Read three numbers in row i of a table from column k."""
    return table[i, k], table[i, k + 1], table[i, k + 2]


@inner_kernel
def quat(table: Floats, i: int, k: int) -> Quat:
    """Read four numbers in row i of a table from column k."""
    return table[i, k], table[i, k + 1], table[i, k + 2], table[i, k + 3]


@inner_kernel
def mat(table: Floats, i: int, k: int) -> Mat:
    """Read nine numbers in row i of a table from column k."""
    return (
        table[i, k],
        table[i, k + 1],
        table[i, k + 2],
        table[i, k + 3],
        table[i, k + 4],
        table[i, k + 5],
        table[i, k + 6],
        table[i, k + 7],
        table[i, k + 8],
    )


@inner_kernel
def put_vec(table: Floats, i: int, k: int, x: Vec) -> None:
    """Write three numbers into row i of a table from column k."""
    table[i, k] = x[0]
    table[i, k + 1] = x[1]
    table[i, k + 2] = x[2]


@inner_kernel
def dot(a: Vec, b: Vec) -> float:
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inner_kernel
def cross(a: Vec, b: Vec) -> Vec:
    """Vector product."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inner_kernel
def add(a: Vec, b: Vec) -> Vec:
    """Sum."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@inner_kernel
def sub(a: Vec, b: Vec) -> Vec:
    """Difference."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inner_kernel
def scale(s: float, a: Vec) -> Vec:
    """Multiple."""
    return s * a[0], s * a[1], s * a[2]


@inner_kernel
def times(m: Mat, x: Vec) -> Vec:
    """Matrix times vector."""
    return (
        m[0] * x[0] + m[1] * x[1] + m[2] * x[2],
        m[3] * x[0] + m[4] * x[1] + m[5] * x[2],
        m[6] * x[0] + m[7] * x[1] + m[8] * x[2],
    )


@inner_kernel
def times_t(m: Mat, x: Vec) -> Vec:
    """Transposed matrix times vector."""
    return (
        m[0] * x[0] + m[3] * x[1] + m[6] * x[2],
        m[1] * x[0] + m[4] * x[1] + m[7] * x[2],
        m[2] * x[0] + m[5] * x[1] + m[8] * x[2],
    )


@inner_kernel
def dot4(a: Quat, b: Quat) -> float:
    """Scalar product of two quadruples."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]


@inner_kernel
def turned_by(e: Quat, d: Quat) -> Mat:
    """Derivative of A along d, that is (dA/de) d as a matrix; linear in both, and 2 A(e) for d = e."""
    s = 2.0 * (e[0] * d[0] - e[1] * d[1] - e[2] * d[2] - e[3] * d[3])
    x = 4.0 * e[1] * d[1]
    y = 4.0 * e[2] * d[2]
    z = 4.0 * e[3] * d[3]
    xy = 2.0 * (e[1] * d[2] + e[2] * d[1])
    xz = 2.0 * (e[1] * d[3] + e[3] * d[1])
    yz = 2.0 * (e[2] * d[3] + e[3] * d[2])
    wx = 2.0 * (e[0] * d[1] + e[1] * d[0])
    wy = 2.0 * (e[0] * d[2] + e[2] * d[0])
    wz = 2.0 * (e[0] * d[3] + e[3] * d[0])
    return s + x, xy - wz, xz + wy, xy + wz, s + y, yz - wx, xz - wy, yz + wx, s + z


@inner_kernel
def rotation(e: Quat) -> Mat:
    """Rotation matrix A(e), body to ground, times e . e."""
    ww = e[0] * e[0]
    xx = e[1] * e[1]
    yy = e[2] * e[2]
    zz = e[3] * e[3]
    xy = 2.0 * e[1] * e[2]
    xz = 2.0 * e[1] * e[3]
    yz = 2.0 * e[2] * e[3]
    wx = 2.0 * e[0] * e[1]
    wy = 2.0 * e[0] * e[2]
    wz = 2.0 * e[0] * e[3]
    return (
        ww + xx - yy - zz,
        xy - wz,
        xz + wy,
        xy + wz,
        ww - xx + yy - zz,
        yz - wx,
        xz - wy,
        yz + wx,
        ww - xx - yy + zz,
    )


@inner_kernel
def turn(e: Quat, b: Quat) -> Vec:
    """G(e) b; body angular velocity is 2 G(e) e' (theory section 3)."""
    return (
        -e[1] * b[0] + e[0] * b[1] + e[3] * b[2] - e[2] * b[3],
        -e[2] * b[0] - e[3] * b[1] + e[0] * b[2] + e[1] * b[3],
        -e[3] * b[0] + e[2] * b[1] - e[1] * b[2] + e[0] * b[3],
    )


@inner_kernel
def turn_t(e: Quat, y: Vec) -> Quat:
    """G(e)^T y."""
    return (
        -e[1] * y[0] - e[2] * y[1] - e[3] * y[2],
        e[0] * y[0] - e[3] * y[1] + e[2] * y[2],
        e[3] * y[0] + e[0] * y[1] - e[1] * y[2],
        -e[2] * y[0] + e[1] * y[1] + e[0] * y[2],
    )


@inner_kernel
def turn_ground(e: Quat, b: Quat) -> Vec:
    """E(e) b; ground angular velocity is 2 E(e) e'."""
    return (
        -e[1] * b[0] + e[0] * b[1] - e[3] * b[2] + e[2] * b[3],
        -e[2] * b[0] + e[3] * b[1] + e[0] * b[2] - e[1] * b[3],
        -e[3] * b[0] - e[2] * b[1] + e[1] * b[2] + e[0] * b[3],
    )


@inner_kernel
def turn_ground_t(e: Quat, y: Vec) -> Quat:
    """E(e)^T y."""
    return (
        -e[1] * y[0] - e[2] * y[1] - e[3] * y[2],
        e[0] * y[0] + e[3] * y[1] - e[2] * y[2],
        -e[3] * y[0] + e[0] * y[1] + e[1] * y[2],
        e[2] * y[0] - e[1] * y[1] + e[0] * y[2],
    )


@inner_kernel
def arm(rot: Mat, u: Vec) -> Mat:
    """Give X = C(e, u) G(e)^T = -2 A [u]x: the movement of a body point for a turn w of its body."""
    x = 2.0 * u[0]
    y = 2.0 * u[1]
    z = 2.0 * u[2]
    return (
        y * rot[2] - z * rot[1],
        z * rot[0] - x * rot[2],
        x * rot[1] - y * rot[0],
        y * rot[5] - z * rot[4],
        z * rot[3] - x * rot[5],
        x * rot[4] - y * rot[3],
        y * rot[8] - z * rot[7],
        z * rot[6] - x * rot[8],
        x * rot[7] - y * rot[6],
    )


@inner_kernel
def point_gradient(e: Quat, u: Vec, f: Vec) -> Quat:
    """C(e, u)^T f: the gradient by e of f . A(e) u (theory section 2, homogeneous polynomial)."""
    uf = dot(u, f)
    lf = e[1] * f[0] + e[2] * f[1] + e[3] * f[2]
    lu = e[1] * u[0] + e[2] * u[1] + e[3] * u[2]
    c = cross(u, f)
    return (
        2.0 * (e[0] * uf + e[1] * c[0] + e[2] * c[1] + e[3] * c[2]),
        2.0 * (u[0] * lf + f[0] * lu - e[1] * uf + e[0] * c[0]),
        2.0 * (u[1] * lf + f[1] * lu - e[2] * uf + e[0] * c[1]),
        2.0 * (u[2] * lf + f[2] * lu - e[3] * uf + e[0] * c[2]),
    )


@inner_kernel
def hessian_times(w: Mat, d: Quat) -> Quat:
    """D d for the sum w of (force)(point)^T: derivative along d of the generalised force of e (theory section 2)."""
    t = 2.0 * (w[0] + w[4] + w[8])
    cx = 2.0 * (w[7] - w[5])
    cy = 2.0 * (w[2] - w[6])
    cz = 2.0 * (w[3] - w[1])
    xy = 2.0 * (w[1] + w[3])
    xz = 2.0 * (w[2] + w[6])
    yz = 2.0 * (w[5] + w[7])
    return (
        t * d[0] + cx * d[1] + cy * d[2] + cz * d[3],
        cx * d[0] + (4.0 * w[0] - t) * d[1] + xy * d[2] + xz * d[3],
        cy * d[0] + xy * d[1] + (4.0 * w[4] - t) * d[2] + yz * d[3],
        cz * d[0] + xz * d[1] + yz * d[2] + (4.0 * w[8] - t) * d[3],
    )


@inner_kernel
def add_outer(table: Floats, i: int, k: int, f: Vec, u: Vec) -> None:
    """Add f u^T to the nine numbers in row i of a table from column k."""
    table[i, k] += f[0] * u[0]
    table[i, k + 1] += f[0] * u[1]
    table[i, k + 2] += f[0] * u[2]
    table[i, k + 3] += f[1] * u[0]
    table[i, k + 4] += f[1] * u[1]
    table[i, k + 5] += f[1] * u[2]
    table[i, k + 6] += f[2] * u[0]
    table[i, k + 7] += f[2] * u[1]
    table[i, k + 8] += f[2] * u[2]


@inner_kernel
def add_vec(table: Floats, i: int, k: int, x: Vec) -> None:
    """Add three numbers to a table row from column k."""
    table[i, k] += x[0]
    table[i, k + 1] += x[1]
    table[i, k + 2] += x[2]


@inner_kernel
def product(a: Mat, b: Mat) -> Mat:
    """A b of two 3x3 matrices."""
    return (
        a[0] * b[0] + a[1] * b[3] + a[2] * b[6],
        a[0] * b[1] + a[1] * b[4] + a[2] * b[7],
        a[0] * b[2] + a[1] * b[5] + a[2] * b[8],
        a[3] * b[0] + a[4] * b[3] + a[5] * b[6],
        a[3] * b[1] + a[4] * b[4] + a[5] * b[7],
        a[3] * b[2] + a[4] * b[5] + a[5] * b[8],
        a[6] * b[0] + a[7] * b[3] + a[8] * b[6],
        a[6] * b[1] + a[7] * b[4] + a[8] * b[7],
        a[6] * b[2] + a[7] * b[5] + a[8] * b[8],
    )


@inner_kernel
def transposed_product(a: Mat, b: Mat) -> Mat:
    """A^T b of two 3x3 matrices."""
    return (
        a[0] * b[0] + a[3] * b[3] + a[6] * b[6],
        a[0] * b[1] + a[3] * b[4] + a[6] * b[7],
        a[0] * b[2] + a[3] * b[5] + a[6] * b[8],
        a[1] * b[0] + a[4] * b[3] + a[7] * b[6],
        a[1] * b[1] + a[4] * b[4] + a[7] * b[7],
        a[1] * b[2] + a[4] * b[5] + a[7] * b[8],
        a[2] * b[0] + a[5] * b[3] + a[8] * b[6],
        a[2] * b[1] + a[5] * b[4] + a[8] * b[7],
        a[2] * b[2] + a[5] * b[5] + a[8] * b[8],
    )


@inner_kernel
def plus_outer(m: Mat, s: float, a: Vec, b: Vec) -> Mat:
    """M + s a b^T."""
    x = s * a[0]
    y = s * a[1]
    z = s * a[2]
    return (
        m[0] + x * b[0],
        m[1] + x * b[1],
        m[2] + x * b[2],
        m[3] + y * b[0],
        m[4] + y * b[1],
        m[5] + y * b[2],
        m[6] + z * b[0],
        m[7] + z * b[1],
        m[8] + z * b[2],
    )
