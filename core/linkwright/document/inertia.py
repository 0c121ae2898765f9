"""Mass, centre and inertia tensor of shapes, in closed form or by quadrature that is exact to rounding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwright.document.rotation import matrix
from linkwright.document.shapes import Box, Cylinder, Link, Plate, ShapeBase, Sphere

Array = NDArray[np.float64]

POCKET_DEPTH = 0.25
"""Depth of the recess of a link on each face, over its thickness."""
POCKET_RADIUS = 0.52
"""End radius of the recess over the end radius of the link."""
POCKET_GAP = 1.35
"""Solid rim from an end centre to the recess, over the end radius."""


@dataclass(frozen=True, slots=True)
class RigidInertia:
    """Inertia of a rigid body.

    Attributes
    ----------
    mass : float
        [kg].
    centre : (3,) array
        Centre of mass in the body frame [m].
    tensor : (3, 3) array
        About the centre of mass, in body axes [kg m^2]; off-diagonal entries as they stand in the matrix.
    """

    mass: float
    centre: Array
    tensor: Array

    def principal_moments(self) -> Array:
        """Principal moments in rising order, shape (3,) [kg m^2]."""
        return np.asarray(np.linalg.eigvalsh(self.tensor))


def shifted(tensor: Array, mass: float, arm: Array) -> Array:
    """Inertia tensor about a point at `arm` from the centre of mass (Huygens-Steiner)."""
    return np.asarray(tensor + mass * (arm @ arm * np.eye(3) - np.outer(arm, arm)))


def combined(parts: Sequence[RigidInertia]) -> RigidInertia:
    """Inertia of several bodies welded together; a negative mass stands for a cut-out."""
    mass = sum(part.mass for part in parts)
    if mass == 0.0:
        return RigidInertia(0.0, np.zeros(3), np.zeros((3, 3)))
    centre = np.asarray(sum((part.mass * part.centre for part in parts), np.zeros(3)) / mass)
    tensor = sum((shifted(part.tensor, part.mass, part.centre - centre) for part in parts), np.zeros((3, 3)))
    return RigidInertia(mass, centre, np.asarray(tensor))


def shape_inertia(shape: ShapeBase, density: float) -> RigidInertia:
    """Inertia of one evaluated shape of uniform density [kg/m^3], in the frame of its body."""
    local = _local_inertia(shape, density)
    rot = np.array(matrix(shape.orientation))
    return RigidInertia(
        local.mass, rot @ local.centre + np.array(shape.position, float), rot @ local.tensor @ rot.T
    )


def _local_inertia(shape: ShapeBase, density: float) -> RigidInertia:
    match shape:
        case Box(size=(float(a), float(b), float(c))):
            mass = density * a * b * c
            return _diagonal(mass, b * b + c * c, a * a + c * c, a * a + b * b, 12.0)
        case Sphere(radius=float(r)):
            return _diagonal(density * 4.0 / 3.0 * math.pi * r**3, r * r, r * r, r * r, 2.5)
        case Cylinder(radius=float(r), length=float(length), inner_radius=float(inner)):
            mass = density * math.pi * (r * r - inner * inner) * length
            across = 3.0 * (r * r + inner * inner) + length * length
            return _diagonal(mass, across, across, 6.0 * (r * r + inner * inner), 12.0)
        case Plate(corners=corners, thickness=float(thickness)):
            return _prism(_polygon(np.array(corners, float)), density, thickness)
        case Link():
            return combined(_link_parts(shape, density))
    raise TypeError(f"no inertia for a shape of type {type(shape).__name__}")


def _diagonal(mass: float, a: float, b: float, c: float, divisor: float) -> RigidInertia:
    return RigidInertia(mass, np.zeros(3), mass / divisor * np.diag([a, b, c]))


# Plane figures by boundary integrals (Green). A figure is the tuple (area, Sx, Sy, Sxx, Syy, Sxy):
# the integrals of 1, x, y, x^2, y^2 and xy over it, positive for a counter-clockwise outline.


def _polygon(corners: Array) -> Array:
    x, y = corners.T
    u, v = np.roll(x, -1), np.roll(y, -1)
    c = x * v - u * y
    figure = np.array(
        [
            c.sum() / 2,
            ((x + u) * c).sum() / 6,
            ((y + v) * c).sum() / 6,
            ((x * x + x * u + u * u) * c).sum() / 12,
            ((y * y + y * v + v * v) * c).sum() / 12,
            ((2 * x * y + x * v + u * y + 2 * u * v) * c).sum() / 24,
        ]
    )
    return figure if figure[0] >= 0 else -figure


def _sector(x: float, y: float, radius: float, start: float, stop: float) -> Array:
    """Region between an arc and the coordinate origin, by Gauss-Legendre quadrature of Green's integrals.

    The integrands are trigonometric polynomials of degree 4 in an angle of at most a half turn, for which 24 points
    are exact to rounding.
    """
    nodes, weights = np.polynomial.legendre.leggauss(24)
    angle = start + (stop - start) * (nodes + 1) / 2
    w = weights * (stop - start) / 2
    px, py = x + radius * np.cos(angle), y + radius * np.sin(angle)
    c = w * (px * radius * np.cos(angle) + py * radius * np.sin(angle))  # x dy - y dx
    return np.array(
        [
            c.sum() / 2,
            (px * c).sum() / 3,
            (py * c).sum() / 3,
            (px * px * c).sum() / 4,
            (py * py * c).sum() / 4,
            (px * py * c).sum() / 4,
        ]
    )


def _taper(x0: float, x1: float, r0: float, r1: float) -> Array:
    """Convex hull of two circles with centres on the x axis."""
    turn = math.acos(max(-1.0, min(1.0, (r0 - r1) / (x1 - x0))))
    cs, sn = math.cos(turn), math.sin(turn)
    upper = np.array([[x1 + r1 * cs, r1 * sn], [x0 + r0 * cs, r0 * sn]])
    triangles = np.zeros(6)
    for a, b in ((upper[0], upper[1]), (upper[1] * [1, -1], upper[0] * [1, -1])):
        c = a[0] * b[1] - b[0] * a[1]
        triangles += c * np.array(
            [
                1 / 2,
                (a[0] + b[0]) / 6,
                (a[1] + b[1]) / 6,
                (a[0] ** 2 + a[0] * b[0] + b[0] ** 2) / 12,
                (a[1] ** 2 + a[1] * b[1] + b[1] ** 2) / 12,
                (2 * a[0] * a[1] + a[0] * b[1] + b[0] * a[1] + 2 * b[0] * b[1]) / 24,
            ]
        )
    ends = _sector(x1, 0, r1, -turn, turn) + _sector(x0, 0, r0, turn, math.pi)
    return np.asarray(ends + _sector(x0, 0, r0, math.pi, 2 * math.pi - turn) + triangles)


def _prism(figure: Array, density: float, thickness: float, z: float = 0.0) -> RigidInertia:
    """Inertia of a plane figure extruded by `thickness`, centred at height z."""
    area, sx, sy, sxx, syy, sxy = figure
    mass = density * area * thickness
    cx, cy = sx / area, sy / area
    jx = density * thickness * (syy - area * cy * cy)
    jy = density * thickness * (sxx - area * cx * cx)
    jxy = -density * thickness * (sxy - area * cx * cy)
    high = mass * thickness * thickness / 12
    tensor = np.array([[jx + high, jxy, 0.0], [jxy, jy + high, 0.0], [0.0, 0.0, jx + jy]])
    return RigidInertia(mass, np.array([cx, cy, z]), tensor)


def pocket_outline(link: Link) -> tuple[float, float, float, float] | None:
    """Recess of an evaluated link as (x0, x1, r0, r1), the hull of two circles; None where it has none or no room."""
    if not link.pocket:
        return None
    length, r0, r1 = float(link.length), float(link.start_radius), float(link.end_radius)
    a, b = POCKET_RADIUS * r0, POCKET_RADIUS * r1
    x0 = -length / 2 + POCKET_GAP * r0 + a
    x1 = length / 2 - POCKET_GAP * r1 - b
    return (x0, x1, a, b) if x1 - x0 > abs(a - b) else None


def _link_parts(link: Link, density: float) -> list[RigidInertia]:
    half, thickness = float(link.length) / 2, float(link.thickness)
    r0, r1, hole = float(link.start_radius), float(link.end_radius), float(link.hole)
    parts = [_prism(_taper(-half, half, r0, r1), density, thickness)]
    for x, radius in ((-half, hole * r0), (half, hole * r1)):
        if radius > 0:
            parts.append(
                _prism(
                    _sector(x, 0, radius, 0, math.pi) + _sector(x, 0, radius, math.pi, 2 * math.pi),
                    -density,
                    thickness,
                )
            )
    pocket = pocket_outline(link)
    if pocket is not None:
        depth = POCKET_DEPTH * thickness
        for side in (-1, 1):
            parts.append(_prism(_taper(*pocket), -density, depth, side * (thickness - depth) / 2))
    return parts
