"""Closed plane outlines with outward normals, counter-clockwise: the sections bodies are extruded from."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Contour:
    """A closed outline.

    Attributes
    ----------
    points : (n, 2) array
        In order, counter-clockwise, the last one not repeated [m].
    normals : (n, 2) array
        Unit outward normals; two points may share a place and differ in normal at a sharp corner.
    """

    points: Array
    normals: Array

    def offset(self, distance: float) -> Contour:
        """Move every point outward by `distance` [m]; negative moves inward."""
        return Contour(self.points + distance * self.normals, self.normals)

    def moved(self, x: float, y: float) -> Contour:
        """Shift the outline."""
        return Contour(self.points + np.array([x, y]), self.normals)


def circle(radius: float, x: float = 0.0, y: float = 0.0, n: int = 48) -> Contour:
    """Outline a circle of `radius` about (x, y) with `n` points."""
    angle = np.linspace(0.0, 2 * np.pi, n, endpoint=False)
    normals = np.column_stack((np.cos(angle), np.sin(angle)))
    return Contour(np.array([x, y]) + radius * normals, normals)


def taper(x0: float, x1: float, r0: float, r1: float, n: int = 29) -> Contour:
    """Outline the convex hull of two circles of radius r0 at (x0, 0) and r1 at (x1, 0); `n` points on each arc."""
    turn = math.acos(max(-1.0, min(1.0, (r0 - r1) / (x1 - x0))))
    end = np.linspace(-turn, turn, n)
    start = np.linspace(turn, 2 * np.pi - turn, n)
    n_end = np.column_stack((np.cos(end), np.sin(end)))
    n_start = np.column_stack((np.cos(start), np.sin(start)))
    points = np.concatenate((np.array([x1, 0.0]) + r1 * n_end, np.array([x0, 0.0]) + r0 * n_start))
    return Contour(points, np.concatenate((n_end, n_start)))


def rounded_polygon(corners: Array, radius: float, n: int = 6) -> Contour:
    """Outline a polygon with every corner rounded.

    Parameters
    ----------
    corners : (m, 2) array
        In order, either way round, without crossing edges [m].
    radius : float
        Radius of the rounding [m]; made smaller at a corner whose edges are too short for it.
    n : int
        Points on each rounded corner.
    """
    corners = np.asarray(corners, float)
    following = np.roll(corners, -1, axis=0)
    if np.sum(corners[:, 0] * following[:, 1] - following[:, 0] * corners[:, 1]) < 0:
        corners = corners[::-1]
    edges = np.roll(corners, -1, axis=0) - corners
    lengths = np.hypot(edges[:, 0], edges[:, 1])
    lengths[lengths == 0] = 1e-30
    along = edges / lengths[:, None]
    points, normals = [], []
    for k in range(len(corners)):
        before, after = along[k - 1], along[k]
        turn = math.atan2(before[0] * after[1] - before[1] * after[0], float(before @ after))
        if abs(turn) < 1e-9:
            continue
        reach = math.tan(min(abs(turn) / 2, 1.5))
        r = min(radius, 0.45 * min(lengths[k - 1], lengths[k]) / reach)
        sign = math.copysign(1.0, turn)
        centre = corners[k] - before * r * reach + sign * r * np.array([-before[1], before[0]])
        first = math.atan2(-before[0], before[1])
        angle = first + np.linspace(0.0, turn, n)
        outward = np.column_stack((np.cos(angle), np.sin(angle)))
        points.append(centre + sign * r * outward)
        normals.append(outward)
    return Contour(np.concatenate(points), np.concatenate(normals))


def rounded_rectangle(width: float, height: float, radius: float, n: int = 8) -> Contour:
    """Outline a rectangle about the origin with rounded corners."""
    x, y = width / 2, height / 2
    return rounded_polygon(np.array([[-x, -y], [x, -y], [x, y], [-x, y]]), radius, n)
