"""Bodies and ground as actors: one surface and one set of edge lines each, moved by one matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import mutable, vtkIdList, vtkPoints
from vtkmodules.vtkCommonDataModel import vtkStaticCellLocator
from vtkmodules.vtkCommonMath import vtkMatrix4x4
from vtkmodules.vtkRenderingCore import vtkActor

from linkwright.document.shapes import ShapeBase
from linkwright_app.viewport.actors import line_actor, pose_frame, set_pose, surface_actor
from linkwright_app.viewport.mesh import joined, line_data, surface_data
from linkwright_app.viewport.shape_mesh import shape_parts
from linkwright_app.viewport.theme import EDGE_INK, EDGE_SHARE, mixed, rgb

Array = NDArray[np.float64]

VEIL = 0.42
REST = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


def _bytes(color: str) -> NDArray[np.uint8]:
    return np.round(np.array(rgb(color)) * 255).astype(np.uint8)


class BodyActors:
    """One rigid thing on the screen.

    Parameters
    ----------
    body_id : str
        Id of the body, or ``"ground"``.
    shapes : sequence of evaluated shapes
        In the frame of the body.
    color : str
        Of the shapes that bring none.
    veil : str
        Colour mixed into those of the shapes, by `VEIL`; empty for none.

    Attributes
    ----------
    points : (n, 3) array
        All points of the surface in the frame of the body [m].
    shape_points : list of (n, 3) arrays
        The same, shape by shape.
    edges : tuple of (k, 3) arrays
        Closed lines drawn over the surface, in the frame of the body [m].
    """

    def __init__(self, body_id: str, shapes: Sequence[ShapeBase], color: str, veil: str = "") -> None:
        self.id = body_id
        self.shapes = tuple(shapes)
        self.color = color
        self.matrix = vtkMatrix4x4()
        self.pose: tuple[float, ...] = REST
        self.actors: list[vtkActor] = []
        self.solids: list[vtkActor] = []
        self._middle: Array = np.zeros(3)
        self._radius = 0.0
        self._locator: vtkStaticCellLocator | None = None
        self.shape_points: list[Array] = [
            np.concatenate([part.mesh.points for part in shape_parts(shape)]) for shape in shapes
        ]
        self.points: Array = np.zeros((0, 3))
        self.edges: tuple[Array, ...] = ()
        tones = [
            mixed(shape.color, veil, VEIL) if shape.color and veil else shape.color or color
            for shape in shapes
        ]
        parts = [
            (part, tone) for shape, tone in zip(shapes, tones, strict=True) for part in shape_parts(shape)
        ]
        if not parts:
            return
        whole = joined([part.mesh for part, _ in parts])
        self.points, self.edges = whole.points, whole.edges
        self._middle = (whole.points.max(axis=0) + whole.points.min(axis=0)) / 2
        self._radius = float(np.linalg.norm(whole.points - self._middle, axis=1).max()) * 1.001
        fills = [
            np.tile(_bytes(mixed(tone, "#000000", part.shade)), (len(part.mesh.points), 1))
            for part, tone in parts
        ]
        self._surface = surface_data(whole, np.concatenate(fills))
        solid = surface_actor(self._surface)
        # Surfaces are closed, so nothing is lost, and a software renderer saves a tenth of its time.
        solid.GetProperty().BackfaceCullingOn()
        self.solids.append(solid)
        self._add(solid)
        lines = [(edge, tone) for part, tone in parts for edge in part.mesh.edges]
        if lines:
            inks = [
                np.tile(_bytes(mixed(tone, EDGE_INK, EDGE_SHARE)), (len(edge), 1)) for edge, tone in lines
            ]
            self._add(line_actor(line_data([edge for edge, _ in lines], np.concatenate(inks))))

    def _add(self, actor: vtkActor) -> None:
        actor.SetUserMatrix(self.matrix)
        self.actors.append(actor)

    def set_pose(self, pose: Sequence[float] | Array) -> None:
        """Move to a pose [x y z w x y z] in the ground."""
        self.pose = tuple(float(c) for c in pose)
        set_pose(self.matrix, self.pose)

    def set_line_width(self, width: float) -> None:
        """Set the width of the edge lines in device pixels."""
        for actor in self.actors:
            if actor not in self.solids:
                actor.GetProperty().SetLineWidth(width)

    def set_visible(self, visible: bool) -> None:
        """Show or hide."""
        for actor in self.actors:
            actor.SetVisibility(visible)

    @property
    def visible(self) -> bool:
        """Whether it is shown."""
        return bool(self.actors) and bool(self.actors[0].GetVisibility())

    def world_points(self) -> Array:
        """All points of the surface in the ground [m], (n, 3)."""
        rot, position = pose_frame(self.pose)
        return np.asarray(self.points @ rot.T + position)

    def near_line(self, start: Array, direction: Array) -> bool:
        """Whether a line (unit direction) passes through the ball around the body."""
        rot, position = pose_frame(self.pose)
        arm = rot @ self._middle + position - start
        return bool(np.linalg.norm(arm - direction * (arm @ direction)) <= self._radius)

    def hit(self, start: Array, stop: Array) -> float | None:
        """Where a line in the ground first meets the surface, as a share of its length; None for a miss."""
        if not self.actors:
            return None
        rot, position = pose_frame(self.pose)
        a, b = rot.T @ (start - position), rot.T @ (stop - position)
        points, cells = vtkPoints(), vtkIdList()
        # Without a tolerance a line that runs exactly between two triangles slips through.
        tolerance = 1e-8 * float(np.linalg.norm(b - a))
        if not self._search().IntersectWithLine(tuple(a), tuple(b), tolerance, points, cells):
            return None
        met = np.array(vtk_to_numpy(points.GetData()), float) - a
        return float(np.linalg.norm(met, axis=1).min() / np.linalg.norm(b - a))

    def nearest(self, point: Array) -> Array:
        """Point of the surface nearest to a point, both in the ground [m]; the body must have shapes."""
        rot, position = pose_frame(self.pose)
        closest = [0.0, 0.0, 0.0]
        cell, sub, square = mutable(0), mutable(0), mutable(0.0)
        search: Any = self._search()
        search.FindClosestPoint(tuple(rot.T @ (point - position)), closest, cell, sub, square)
        return np.asarray(rot @ np.array(closest) + position)

    def _search(self) -> vtkStaticCellLocator:
        if self._locator is None:
            self._locator = vtkStaticCellLocator()
            self._locator.SetDataSet(self._surface)
            self._locator.BuildLocator()
        return self._locator
