"""Quaternion arithmetic on plain tuples, for placing frames in the document (scalar first)."""

from __future__ import annotations

import math

Quat = tuple[float, float, float, float]
Vector = tuple[float, float, float]


def multiply(a: Quat, b: Quat) -> Quat:
    """Give the product a b: first turn by b, then by a."""
    w1, x1, y1, z1 = a
    w2, x2, y2, z2 = b
    return (
        w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2,
        w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2,
        w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2,
        w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2,
    )


def conjugate(a: Quat) -> Quat:
    """Give the inverse turn of a unit quaternion."""
    return a[0], -a[1], -a[2], -a[3]


def rotate(a: Quat, v: Vector) -> Vector:
    """Turn the vector `v` by the unit quaternion `a`."""
    _, x, y, z = multiply(multiply(a, (0.0, *v)), conjugate(a))
    return x, y, z


def normalised(a: Quat) -> Quat:
    """Scale to unit length."""
    n = math.sqrt(sum(x * x for x in a))
    return a[0] / n, a[1] / n, a[2] / n, a[3] / n


def axis_angle(axis: Vector, angle: float) -> Quat:
    """Quaternion of a turn by `angle` [rad] about `axis` (any length but zero)."""
    n = math.sqrt(sum(x * x for x in axis))
    s = math.sin(angle / 2) / n
    return math.cos(angle / 2), axis[0] * s, axis[1] * s, axis[2] * s


def z_axis_to(direction: Vector) -> Quat:
    """Shortest turn of the z axis onto `direction` (any length but zero)."""
    n = math.sqrt(sum(x * x for x in direction))
    x, y, z = (c / n for c in direction)
    if z < -1.0 + 1e-12:
        return 0.0, 1.0, 0.0, 0.0
    return normalised((1.0 + z, -y, x, 0.0))


def matrix(a: Quat) -> tuple[Vector, Vector, Vector]:
    """Rows of the rotation matrix of a unit quaternion."""
    w, x, y, z = a
    return (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
