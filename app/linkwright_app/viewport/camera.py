"""The camera: a turntable about an upright axis, with exact fitting, zoom to a point and its own projection."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from vtkmodules.vtkRenderingCore import vtkCamera

Array = NDArray[np.float64]
Triple = tuple[float, float, float]

VIEW_ANGLE = math.radians(24.0)
"""Full vertical angle of the perspective."""
MAX_ELEVATION = math.radians(89.9)
NEAR, FAR = 0.30, 3.2
"""Clipping planes over the distance. The automatic range of VTK spoils the depth of edges and of the occlusion."""
FIT_MARGIN = 0.82
"""Share of the picture that a fitted scene fills."""

STANDARD_VIEWS = {
    "front": (0.0, 0.0),
    "back": (math.pi, 0.0),
    "right": (math.pi / 2, 0.0),
    "left": (-math.pi / 2, 0.0),
    "top": (0.0, MAX_ELEVATION),
    "bottom": (0.0, -MAX_ELEVATION),
    "iso": (math.radians(35.0), math.radians(30.0)),
}
"""Azimuth and elevation [rad]."""


def upright_basis(up: Array) -> Array:
    """Rows right, depth, up of the turntable for the axis nearest to `up` (3,).

    Seen from the front (azimuth 0) `right` points to the right and `depth` away from the viewer: for z up these are
    x and y, for y up x and -z.
    """
    k = int(np.argmax(np.abs(up)))
    axis = np.zeros(3)
    axis[k] = math.copysign(1.0, up[k])
    right = np.array([1.0, 0.0, 0.0]) if k != 0 else np.array([0.0, 1.0, 0.0])
    if axis[k] < 0:
        right = -right
    return np.array([right, np.cross(axis, right), axis])


@dataclass(frozen=True)
class Camera:
    """Where the viewer stands. Replaced, never changed.

    Attributes
    ----------
    target : (3,) tuple
        Focal point [m].
    distance : float
        From the focal point [m].
    azimuth, elevation : float
        Direction of the viewer from the focal point in the turntable frame [rad]; 0, 0 is the front.
    basis : three tuples
        Right, depth and up of the turntable in the ground, see `upright_basis`.
    perspective : bool
        Perspective or orthographic picture.
    angle : float
        Full vertical angle of view [rad].
    """

    target: Triple = (0.0, 0.0, 0.0)
    distance: float = 5.0
    azimuth: float = 0.0
    elevation: float = 0.5
    basis: tuple[Triple, Triple, Triple] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    perspective: bool = True
    angle: float = VIEW_ANGLE

    # ---------------------------------------------------------------- frames
    @property
    def up(self) -> Array:
        """Upright axis of the turntable, (3,)."""
        return np.array(self.basis[2])

    def rows(self) -> Array:
        """Rotation ground -> camera, (3, 3): rows right, up, and towards the viewer."""
        ca, sa, ce, se = (
            math.cos(self.azimuth),
            math.sin(self.azimuth),
            math.cos(self.elevation),
            math.sin(self.elevation),
        )
        right, depth, up = (np.array(row) for row in self.basis)
        level = sa * right - ca * depth
        towards = ce * level + se * up
        across = ca * right + sa * depth
        return np.array([across, np.cross(towards, across), towards])

    def position(self) -> Array:
        """Eye point [m], (3,)."""
        return np.asarray(np.array(self.target) + self.distance * self.rows()[2])

    def pixel(self, point: Array, height: float) -> float:
        """Length in the scene [m] of one pixel at `point`, for a picture of `height` pixels."""
        return float(self.pixels(np.asarray(point)[None], height)[0])

    def pixels(self, points: Array, height: float) -> Array:
        """As `pixel`, for (n, 3) points."""
        scale = 2 * math.tan(self.angle / 2) / height
        if not self.perspective:
            return np.full(len(points), scale * self.distance)
        depth = self.distance - (points - np.array(self.target)) @ self.rows()[2]
        return np.asarray(scale * np.maximum(depth, 1e-6 * self.distance))

    # ---------------------------------------------------------------- projection
    def project(self, points: Array, width: float, height: float) -> Array:
        """Place points in the picture.

        Parameters
        ----------
        points : (n, 3) array
            [m].
        width, height : float
            Size of the picture in any pixels.

        Returns
        -------
        (n, 3) array
            x to the right and y down from the upper left corner in the same pixels, and the depth in front of the
            eye [m]; points behind the eye have a depth below 0 and no meaning in x and y.
        """
        local = (np.asarray(points, float) - np.array(self.target)) @ self.rows().T
        depth = self.distance - local[:, 2]
        scale = self.distance if not self.perspective else np.where(np.abs(depth) < 1e-12, 1e-12, depth)
        per_unit = height / (2 * math.tan(self.angle / 2) * scale)
        return np.column_stack(
            (width / 2 + local[:, 0] * per_unit, height / 2 - local[:, 1] * per_unit, depth)
        )

    def ray(self, x: float, y: float, width: float, height: float) -> tuple[Array, Array]:
        """Line of sight through a place of the picture: start [m] and unit direction, (3,) each."""
        right, up, towards = self.rows()
        half = math.tan(self.angle / 2)
        u = (x - width / 2) * 2 * half / height
        v = (height / 2 - y) * 2 * half / height
        if self.perspective:
            direction = u * right + v * up - towards
            return self.position(), direction / np.linalg.norm(direction)
        start = self.position() + self.distance * (u * right + v * up + (FAR - 1) * towards)
        return start, -towards

    def point_at(self, x: float, y: float, width: float, height: float, depth: float | None = None) -> Array:
        """Point in the scene under a place of the picture, at a depth before the eye (default: of the target)."""
        right, up, towards = self.rows()
        depth = self.distance if depth is None else depth
        reach = depth if self.perspective else self.distance
        half = math.tan(self.angle / 2)
        u = (x - width / 2) * 2 * half / height * reach
        v = (height / 2 - y) * 2 * half / height * reach
        return np.asarray(self.position() + u * right + v * up - depth * towards)

    # ---------------------------------------------------------------- moves
    def orbited(self, d_azimuth: float, d_elevation: float, pivot: Array) -> Camera:
        """Turn about `pivot` [m]; it keeps its place in the picture."""
        elevation = min(max(self.elevation + d_elevation, -MAX_ELEVATION), MAX_ELEVATION)
        turned = replace(self, azimuth=_wrapped(self.azimuth + d_azimuth), elevation=elevation)
        arm = self.rows() @ (np.array(self.target) - pivot)
        return turned._aimed(pivot + turned.rows().T @ arm)

    def panned(self, shift: Array) -> Camera:
        """Shift by a vector [m]."""
        return self._aimed(np.array(self.target) + shift)

    def zoomed(self, factor: float, fixed: Array) -> Camera:
        """Bring the eye nearer (`factor` < 1) to a point that keeps its place in the picture."""
        moved = replace(self, distance=self.distance * factor)
        return moved._aimed(fixed + factor * (np.array(self.target) - fixed))

    def looking(self, azimuth: float, elevation: float) -> Camera:
        """Look from another direction at the same target."""
        return replace(self, azimuth=azimuth, elevation=elevation)

    def _aimed(self, target: Array) -> Camera:
        return replace(self, target=triple(target))

    def fitted(self, points: Array, aspect: float, margin: float = FIT_MARGIN) -> Camera:
        """Move so that all points just fit into the picture, without turning.

        The four side planes of the view are pushed against the points, which gives the exact answer in one pass.

        Parameters
        ----------
        points : (n, 3) array
            [m].
        aspect : float
            Width over height of the picture.
        margin : float
            Share of width and height that the points may fill.
        """
        if len(points) == 0:
            return self
        rows = self.rows()
        x, y, z = (np.asarray(points, float) @ rows.T).T
        tan_y = math.tan(self.angle / 2) * margin
        tan_x = tan_y * aspect
        if self.perspective:
            left, right = (-x + z * tan_x).max(), (x + z * tan_x).max()
            low, high = (-y + z * tan_y).max(), (y + z * tan_y).max()
        else:
            left, right, low, high = (-x).max(), x.max(), (-y).max(), y.max()
        eye_height = max((left + right) / (2 * tan_x), (low + high) / (2 * tan_y))
        middle = float(z.max() + z.min()) / 2
        distance = eye_height - middle if self.perspective else eye_height
        distance = max(distance, float(np.ptp(z)) * 0.6, 1e-3)
        target = rows.T @ np.array([(right - left) / 2, (high - low) / 2, middle])
        return replace(self, distance=distance)._aimed(target)

    def towards(self, other: Camera, share: float) -> Camera:
        """Stand between this camera (`share` 0) and another one (1), for a glide."""
        target = (1 - share) * np.array(self.target) + share * np.array(other.target)
        return replace(
            other,
            distance=self.distance ** (1 - share) * other.distance**share,
            azimuth=_wrapped(self.azimuth + share * _wrapped(other.azimuth - self.azimuth)),
            elevation=self.elevation + share * (other.elevation - self.elevation),
        )._aimed(target)

    def clipping_range(self, reach: float = 0.0) -> tuple[float, float]:
        """Distances of the near and far plane [m]; `reach` [m] of the farthest point from the target widens them."""
        near, far = self.distance * NEAR, self.distance * FAR
        if reach > 0:
            near = min(near, self.distance - reach)
            far = max(far, (self.distance + reach) / 0.9)
        if self.perspective:
            near = max(near, 0.004 * self.distance)
        return near, far

    # ---------------------------------------------------------------- VTK
    def apply(self, camera: vtkCamera, reach: float = 0.0) -> None:
        """Set a VTK camera; `reach` as in `clipping_range`."""
        camera.SetParallelProjection(not self.perspective)
        camera.SetViewAngle(math.degrees(self.angle))
        camera.SetFocalPoint(*self.target)
        camera.SetPosition(*self.position())
        camera.SetViewUp(*self.rows()[1])
        camera.SetParallelScale(self.distance * math.tan(self.angle / 2))
        camera.SetClippingRange(*self.clipping_range(reach))
        camera.SetWindowCenter(0.0, 0.0)

    def apply_part(
        self, camera: vtkCamera, reach: float, full: tuple[int, int], part: tuple[int, int, int, int]
    ) -> None:
        """Set a VTK camera so that it shows only a part of the picture, at the same scale.

        Parameters
        ----------
        camera : vtkCamera
            Is changed.
        reach : float
            See `clipping_range`.
        full : pair of int
            Width and height of the whole picture in pixels.
        part : four int
            Left, top, width, height of the part in pixels.
        """
        self.apply(camera, reach)
        left, top, width, height = part
        scale = height / full[1]
        tangent = scale * math.tan(self.angle / 2)
        camera.SetViewAngle(math.degrees(2 * math.atan(tangent)))
        camera.SetParallelScale(self.distance * tangent)
        camera.SetWindowCenter((2 * left + width - full[0]) / width, (full[1] - 2 * top - height) / height)


def triple(vector: Array) -> Triple:
    """Three plain numbers."""
    x, y, z = (float(c) for c in vector)
    return x, y, z


def _wrapped(angle: float) -> float:
    """Bring an angle into -pi..pi."""
    return math.atan2(math.sin(angle), math.cos(angle))
