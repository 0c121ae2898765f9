"""Orientations as three angles a person can type."""

from __future__ import annotations

import math
from collections.abc import Sequence

from linkwright.document import rotation


def angles_from_quaternion(q: Sequence[float]) -> tuple[float, float, float]:
    """Give the angles [rad] of turns about x, then y, then z of the turning frame that make up the orientation.

    Near the lock of the sequence (second angle a right angle) the third angle is taken as zero.

    Parameters
    ----------
    q : sequence of 4 float
        Euler parameters, scalar first.

    Notes
    -----
    Cardan angles, R = Rx(a) Ry(b) Rz(c); Nikravesh (1988), "Computer-Aided Analysis of Mechanical Systems", app. A.
    """
    w, x, y, z = q
    r = rotation.matrix(rotation.normalised((w, x, y, z)))
    sine = min(max(r[0][2], -1.0), 1.0)
    b = math.asin(sine)
    if abs(sine) > 1.0 - 1e-12:
        return math.atan2(r[2][1], r[1][1]), b, 0.0
    return math.atan2(-r[1][2], r[2][2]), b, math.atan2(-r[0][1], r[0][0])


def quaternion_from_angles(a: float, b: float, c: float) -> rotation.Quat:
    """Give the Euler parameters of turns about x, then y, then z of the turning frame [rad]."""
    turns = (
        rotation.axis_angle((1.0, 0.0, 0.0), a),
        rotation.axis_angle((0.0, 1.0, 0.0), b),
        rotation.axis_angle((0.0, 0.0, 1.0), c),
    )
    q = rotation.normalised(rotation.multiply(rotation.multiply(turns[0], turns[1]), turns[2]))
    return q if q[0] >= 0.0 else (-q[0], -q[1], -q[2], -q[3])
