"""Symmetric 3x3 blocks in packed storage, and what one body adds to the equations; tuples of scalars throughout.

A body refers its six equations to its origin O: with the angular acceleration x and the acceleration y of O,
torque = J x + H y and force = H^T x + B y. `Packed` holds xx, xy, xz, yy, yz, zz of J or B, `Mat` the nine of H.
"""

from __future__ import annotations

from linkwright.kernels.jit import kernel
from linkwright.kernels.layout import Floats
from linkwright.kernels.rotation import Mat, Vec, add, cross, dot, scale

Packed = tuple[float, float, float, float, float, float]


@kernel
def packed(table: Floats, i: int, k: int) -> Packed:
    """Read six numbers in row i of a table from column k."""
    return table[i, k], table[i, k + 1], table[i, k + 2], table[i, k + 3], table[i, k + 4], table[i, k + 5]


@kernel
def put_packed(table: Floats, i: int, k: int, s: Packed) -> None:
    """Write six numbers into row i of a table from column k."""
    table[i, k] = s[0]
    table[i, k + 1] = s[1]
    table[i, k + 2] = s[2]
    table[i, k + 3] = s[3]
    table[i, k + 4] = s[4]
    table[i, k + 5] = s[5]


@kernel
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


@kernel
def add_packed(table: Floats, i: int, k: int, s: Packed) -> None:
    """Add six numbers to a table row from column k."""
    put_packed(table, i, k, packed_sum(packed(table, i, k), s))


@kernel
def add_mat(table: Floats, i: int, k: int, m: Mat) -> None:
    """Add nine numbers to a table row from column k."""
    for n in range(9):
        table[i, k + n] += m[n]


@kernel
def packed_times(s: Packed, x: Vec) -> Vec:
    """Symmetric matrix times vector."""
    return (
        s[0] * x[0] + s[1] * x[1] + s[2] * x[2],
        s[1] * x[0] + s[3] * x[1] + s[4] * x[2],
        s[2] * x[0] + s[4] * x[1] + s[5] * x[2],
    )


@kernel
def packed_sum(a: Packed, b: Packed) -> Packed:
    """Sum of two symmetric matrices."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@kernel
def mat_sum(a: Mat, b: Mat) -> Mat:
    """Sum of two 3x3 matrices."""
    return (
        a[0] + b[0],
        a[1] + b[1],
        a[2] + b[2],
        a[3] + b[3],
        a[4] + b[4],
        a[5] + b[5],
        a[6] + b[6],
        a[7] + b[7],
        a[8] + b[8],
    )


@kernel
def turned(r: Mat, s: Packed) -> Packed:
    """R S R^T: a symmetric matrix in body axes, turned to ground axes."""
    a = (
        r[0] * s[0] + r[1] * s[1] + r[2] * s[2],
        r[0] * s[1] + r[1] * s[3] + r[2] * s[4],
        r[0] * s[2] + r[1] * s[4] + r[2] * s[5],
    )
    b = (
        r[3] * s[0] + r[4] * s[1] + r[5] * s[2],
        r[3] * s[1] + r[4] * s[3] + r[5] * s[4],
        r[3] * s[2] + r[4] * s[4] + r[5] * s[5],
    )
    c = (
        r[6] * s[0] + r[7] * s[1] + r[8] * s[2],
        r[6] * s[1] + r[7] * s[3] + r[8] * s[4],
        r[6] * s[2] + r[7] * s[4] + r[8] * s[5],
    )
    return (
        a[0] * r[0] + a[1] * r[1] + a[2] * r[2],
        a[0] * r[3] + a[1] * r[4] + a[2] * r[5],
        a[0] * r[6] + a[1] * r[7] + a[2] * r[8],
        b[0] * r[3] + b[1] * r[4] + b[2] * r[5],
        b[0] * r[6] + b[1] * r[7] + b[2] * r[8],
        c[0] * r[6] + c[1] * r[7] + c[2] * r[8],
    )


@kernel
def with_mass(b: Packed, mass: float) -> Packed:
    """B + m I."""
    return b[0] + mass, b[1], b[2], b[3] + mass, b[4], b[5] + mass


@kernel
def with_moment(h: Mat, c: Vec) -> Mat:
    """H + [c]x."""
    return (
        h[0],
        h[1] - c[2],
        h[2] + c[1],
        h[3] + c[2],
        h[4],
        h[5] - c[0],
        h[6] - c[1],
        h[7] + c[0],
        h[8],
    )


@kernel
def levered(arm: Vec, b: Packed) -> Mat:
    """[arm]x B."""
    x, y, z = arm
    return (
        y * b[2] - z * b[1],
        y * b[4] - z * b[3],
        y * b[5] - z * b[4],
        z * b[0] - x * b[2],
        z * b[1] - x * b[4],
        z * b[2] - x * b[5],
        x * b[1] - y * b[0],
        x * b[3] - y * b[1],
        x * b[4] - y * b[2],
    )


@kernel
def less_levered(j: Packed, h: Mat, arm: Vec) -> Packed:
    """Upper triangle of J - H [arm]x."""
    x, y, z = arm
    return (
        j[0] + (h[2] * y - h[1] * z),
        j[1] + (h[0] * z - h[2] * x),
        j[2] + (h[1] * x - h[0] * y),
        j[3] + (h[3] * z - h[5] * x),
        j[4] + (h[4] * x - h[3] * y),
        j[5] + (h[7] * x - h[6] * y),
    )


@kernel
def less_levered_t(j: Packed, h: Mat, arm: Vec) -> Packed:
    """Upper triangle of J - (H [arm]x)^T."""
    x, y, z = arm
    return (
        j[0] + (h[2] * y - h[1] * z),
        j[1] + (h[5] * y - h[4] * z),
        j[2] + (h[8] * y - h[7] * z),
        j[3] + (h[3] * z - h[5] * x),
        j[4] + (h[6] * z - h[8] * x),
        j[5] + (h[7] * x - h[6] * y),
    )


@kernel
def spun(omega: Vec, omega2: float, c: Vec) -> Vec:
    """w x (w x c), with w . w given."""
    along = omega[0] * c[0] + omega[1] * c[1] + omega[2] * c[2]
    return (
        omega[0] * along - omega2 * c[0],
        omega[1] * along - omega2 * c[1],
        omega[2] * along - omega2 * c[2],
    )


@kernel
def less_outer(s: Packed, a: Vec, b: Vec) -> Packed:
    """Upper triangle of S - a b^T, where b is parallel to a."""
    return (
        s[0] - a[0] * b[0],
        s[1] - a[0] * b[1],
        s[2] - a[0] * b[2],
        s[3] - a[1] * b[1],
        s[4] - a[1] * b[2],
        s[5] - a[2] * b[2],
    )


@kernel
def mat_less_outer(m: Mat, a: Vec, b: Vec) -> Mat:
    """H - a b^T."""
    return (
        m[0] - a[0] * b[0],
        m[1] - a[0] * b[1],
        m[2] - a[0] * b[2],
        m[3] - a[1] * b[0],
        m[4] - a[1] * b[1],
        m[5] - a[1] * b[2],
        m[6] - a[2] * b[0],
        m[7] - a[2] * b[1],
        m[8] - a[2] * b[2],
    )


@kernel
def bias_force(mass: float, c: Vec, omega: Vec, alpha: Vec, accel: Vec) -> Vec:
    """m a + alpha x c + w x (w x c): force for the accelerations of one body; c = mass times centre."""
    return add(scale(mass, accel), add(cross(alpha, c), spun(omega, dot(omega, omega), c)))


@kernel
def bias_torque(j: Packed, c: Vec, omega: Vec, alpha: Vec, accel: Vec) -> Vec:
    """J alpha + w x J w + c x a: torque about the origin for the accelerations of one body."""
    gyro = cross(omega, packed_times(j, omega))
    return add(packed_times(j, alpha), add(gyro, cross(c, accel)))
