"""Surfaces as arrays: extruded outlines with bevels, round bodies and tubes, and their VTK form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray, vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData
from vtkmodules.vtkFiltersGeneral import vtkContourTriangulator

from linkwright_app.viewport.contours import Contour, circle

Array = NDArray[np.float64]
Indices = NDArray[np.int64]

BEVEL_TILT = 0.7
"""z part of the normal on a bevel."""


@dataclass(frozen=True)
class Mesh:
    """A triangulated surface with the lines that outline it.

    Attributes
    ----------
    points : (n, 3) array
        [m].
    normals : (n, 3) array
        Unit outward normals; every triangle turns counter-clockwise seen from there.
    triangles : (m, 3) array
        Indices into `points`.
    edges : tuple of (k, 3) arrays
        Closed lines drawn over the surface [m].
    """

    points: Array
    normals: Array
    triangles: Indices
    edges: tuple[Array, ...] = field(default=())

    def placed(self, rot: Array, position: Array) -> Mesh:
        """Turn by the (3, 3) rotation matrix `rot`, then shift by the (3,) `position` [m]."""
        return Mesh(
            self.points @ rot.T + position,
            self.normals @ rot.T,
            self.triangles,
            tuple(edge @ rot.T + position for edge in self.edges),
        )

    def without_edges(self) -> Mesh:
        """Give the bare surface."""
        return Mesh(self.points, self.normals, self.triangles)


def joined(meshes: Sequence[Mesh]) -> Mesh:
    """Put several meshes into one."""
    starts = np.cumsum([0, *(len(m.points) for m in meshes)])
    return Mesh(
        np.concatenate([m.points for m in meshes]),
        np.concatenate([m.normals for m in meshes]),
        np.concatenate([m.triangles + start for m, start in zip(meshes, starts[:-1], strict=True)]),
        tuple(edge for m in meshes for edge in m.edges),
    )


def extruded(outer: Contour, holes: Sequence[Contour], z0: float, z1: float, bevel: float) -> Mesh:
    """Extrude an outline with holes from z0 to z1, with bevelled edges outside and in the holes.

    Parameters
    ----------
    outer : Contour
        The outside.
    holes : sequence of Contour
        Outlines of the holes, counter-clockwise like the outside.
    z0, z1 : float
        Bottom and top [m].
    bevel : float
        Width and height of the bevel [m]; 0 leaves sharp edges.
    """
    sides = [(outer, 1.0), *((hole, -1.0) for hole in holes)]
    parts = [_cap(sides, z, bevel, up) for z, up in ((z1, True), (z0, False))]
    edges = []
    for contour, sign in sides:
        inner = contour.offset(-sign * bevel)
        if bevel > 0:
            parts.append(_band(inner, contour, z0, z0 + bevel, sign, -BEVEL_TILT))
            parts.append(_band(contour, inner, z1 - bevel, z1, sign, BEVEL_TILT))
        parts.append(_band(contour, contour, z0 + bevel, z1 - bevel, sign, 0.0))
        edges += [_at_height(inner.points, z) for z in (z0, z1)]
    whole = joined(parts)
    return Mesh(whole.points, whole.normals, whole.triangles, tuple(edges))


def _at_height(points: Array, z: float) -> Array:
    return np.column_stack((points, np.full(len(points), z)))


def _cap(sides: Sequence[tuple[Contour, float]], z: float, bevel: float, up: bool) -> Mesh:
    outline = vtkPolyData()
    points, cells = vtkPoints(), vtkCellArray()
    points.SetDataTypeToDouble()
    for contour, sign in sides:
        ring = contour.offset(-sign * bevel).points[:: int(sign)]
        ids = [points.InsertNextPoint(x, y, z) for x, y in ring]
        cells.InsertNextCell(len(ids) + 1, [*ids, ids[0]])
    outline.SetPoints(points)
    outline.SetLines(cells)
    triangulator = vtkContourTriangulator()
    triangulator.SetInputData(outline)
    triangulator.Update()
    result = triangulator.GetOutput()
    corners = np.array(vtk_to_numpy(result.GetPoints().GetData()), float)
    triangles = np.array(vtk_to_numpy(result.GetPolys().GetConnectivityArray()), np.int64).reshape(-1, 3)
    a, b, c = (corners[triangles[:, k]] for k in range(3))
    upward = np.cross(b - a, c - a)[:, 2] > 0
    triangles[upward != up] = triangles[upward != up][:, ::-1]
    return Mesh(corners, np.tile([0.0, 0.0, 1.0 if up else -1.0], (len(corners), 1)), triangles)


def _band(low: Contour, high: Contour, z_low: float, z_high: float, sign: float, tilt: float) -> Mesh:
    n = len(low.points)
    points = np.concatenate((_at_height(low.points, z_low), _at_height(high.points, z_high)))
    flat = sign * low.normals * np.sqrt(1 - tilt * tilt)
    normals = np.column_stack((flat, np.full(n, tilt)))
    i = np.arange(n)
    j = (i + 1) % n
    triangles = np.concatenate((np.column_stack((i, j, n + j)), np.column_stack((i, n + j, n + i))))
    if sign < 0:
        triangles = triangles[:, ::-1]
    return Mesh(points, np.concatenate((normals, normals)), triangles)


def cylinder(radius: float, z0: float, z1: float, bevel: float = 0.0, hole: float = 0.0, n: int = 40) -> Mesh:
    """Make a cylinder along z, or a tube of inner radius `hole` [m]."""
    holes = [circle(hole, n=n)] if hole > 0 else []
    return extruded(circle(radius, n=n), holes, z0, z1, bevel)


def _revolved(radius: Array, height: Array, n_radius: Array, n_height: Array, n: int) -> Mesh:
    """Turn a profile about z; the profile runs so that its outside is to the right."""
    angle = np.linspace(0.0, 2 * np.pi, n, endpoint=False)
    cs, sn = np.cos(angle)[:, None], np.sin(angle)[:, None]
    points = np.stack((radius * cs, radius * sn, np.broadcast_to(height, (n, len(height)))), axis=-1)
    normals = np.stack((n_radius * cs, n_radius * sn, np.broadcast_to(n_height, (n, len(height)))), axis=-1)
    return _grid(points, normals, wrap_rows=True, wrap_columns=False)


def _grid(points: Array, normals: Array, *, wrap_rows: bool, wrap_columns: bool) -> Mesh:
    """Stitch a (rows, columns, 3) array of points; normal = row direction x column direction."""
    rows, columns = points.shape[:2]
    r = np.arange(rows if wrap_rows else rows - 1)
    c = np.arange(columns if wrap_columns else columns - 1)
    i, j = (x.ravel() for x in np.meshgrid(r, c, indexing="ij"))
    a = i * columns + j
    b = (i + 1) % rows * columns + j
    d = i * columns + (j + 1) % columns
    e = (i + 1) % rows * columns + (j + 1) % columns
    triangles = np.concatenate((np.column_stack((a, b, e)), np.column_stack((a, e, d))))
    return Mesh(points.reshape(-1, 3), normals.reshape(-1, 3), triangles)


def sphere(radius: float, n: int = 36) -> Mesh:
    """Make a ball about the origin."""
    angle = np.linspace(-np.pi / 2, np.pi / 2, n // 2 + 1)
    cs, sn = np.cos(angle), np.sin(angle)
    return _revolved(radius * cs, radius * sn, cs, sn, n)


def cone(radius: float, height: float, z0: float = 0.0, n: int = 32) -> Mesh:
    """Make a cone along z with its base at z0."""
    slant = np.hypot(radius, height)
    out, up = height / slant, radius / slant
    side = _revolved(
        np.array([radius, 0.0]), np.array([z0, z0 + height]), np.array([out, out]), np.array([up, up]), n
    )
    base = _revolved(np.array([0.0, radius]), np.array([z0, z0]), np.zeros(2), -np.ones(2), n)
    return joined([side, base])


def torus(radius: float, tube_radius: float, sweep: float = 1.0, n: int = 48, sides: int = 12) -> Mesh:
    """Make a ring about z, or the part of it that starts at the x axis when `sweep` < 1."""
    turns = max(3, round(n * sweep))
    angle = np.linspace(0.0, 2 * np.pi * sweep, turns, endpoint=sweep < 1.0)
    path = np.column_stack((radius * np.cos(angle), radius * np.sin(angle), np.zeros(turns)))
    outward = np.column_stack((np.cos(angle), np.sin(angle), np.zeros(turns)))
    across = np.tile([0.0, 0.0, 1.0], (turns, 1))
    surface = swept(path, outward, across, tube_radius, sides, closed=sweep >= 1.0)
    if sweep >= 1.0:
        return surface
    balls = [sphere(tube_radius, sides).placed(np.eye(3), p) for p in (path[0], path[-1])]
    return joined([surface, *balls])


def swept(path: Array, u: Array, v: Array, radius: float, sides: int, *, closed: bool = False) -> Mesh:
    """Sweep a circle along a path; the path runs along v x u at every point.

    Parameters
    ----------
    path, u, v : (n, 3) arrays
        Centre line [m] and two unit vectors across it.
    radius : float
        Radius of the tube [m].
    sides : int
        Points around it.
    closed : bool
        Whether the last ring is joined to the first.
    """
    points, normals = sweep_points(path, u, v, radius, sides)
    return _grid(points, normals, wrap_rows=closed, wrap_columns=True)


def sweep_points(path: Array, u: Array, v: Array, radius: float, sides: int) -> tuple[Array, Array]:
    """Points and normals, both (n, sides, 3), of a tube around a path; see `swept`."""
    angle = np.linspace(0.0, 2 * np.pi, sides, endpoint=False)[None, :, None]
    normals = u[:, None, :] * np.cos(angle) + v[:, None, :] * np.sin(angle)
    return path[:, None, :] + radius * normals, normals


def tube(path: Array, radius: float, sides: int = 14) -> Mesh:
    """Make a round tube with ball ends along any open path, (n, 3) [m]."""
    path = np.asarray(path, float)
    along = np.gradient(path, axis=0)
    along /= np.maximum(np.linalg.norm(along, axis=1), 1e-30)[:, None]
    u = np.empty_like(along)
    u[0] = perpendicular(along[0])
    for k in range(1, len(path)):
        # Parallel transport: keep the last direction as far as the path allows, so that the tube does not twist.
        w = u[k - 1] - along[k] * (u[k - 1] @ along[k])
        u[k] = w / np.linalg.norm(w)
    surface = swept(path, u, np.cross(u, along), radius, sides)
    balls = [sphere(radius, sides).placed(np.eye(3), p) for p in (path[0], path[-1])]
    return joined([surface, *balls])


def octahedron(radius: float) -> Mesh:
    """Make the diamond of a contact."""
    tips = radius * np.array([[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], float)
    faces = [(k, (k + 1) % 4, 4) for k in range(4)] + [((k + 1) % 4, k, 5) for k in range(4)]
    points = np.concatenate([tips[list(face)] for face in faces])
    normals = np.concatenate([np.tile(tips[list(f)].sum(axis=0), (3, 1)) for f in faces])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    return Mesh(points, normals, np.arange(24).reshape(8, 3))


def perpendicular(direction: Array) -> Array:
    """Any unit vector across `direction` (3,)."""
    helper = (
        np.array([1.0, 0.0, 0.0]) if abs(direction[0]) < 0.9 * np.linalg.norm(direction) else np.eye(3)[1]
    )
    across = np.cross(direction, helper)
    return np.asarray(across / np.linalg.norm(across))


def turn_from_z(direction: Array) -> Array:
    """Rotation matrix (3, 3) whose third column is the unit vector along `direction`."""
    z = np.asarray(direction, float) / np.linalg.norm(direction)
    x = perpendicular(z)
    return np.column_stack((x, np.cross(z, x), z))


# ---------------------------------------------------------------- VTK
def float_array(values: Array) -> Any:
    """Copy a numpy array into a single-precision VTK array."""
    return numpy_to_vtk(np.ascontiguousarray(values, np.float32), deep=1)


def id_array(values: Indices) -> Any:
    """Copy indices into a VTK array."""
    return numpy_to_vtkIdTypeArray(np.ascontiguousarray(values, np.int64), deep=1)


def color_array(colors: NDArray[Any]) -> Any:
    """Copy colours, (n, 3 or 4) from 0 to 255, into a VTK array."""
    return numpy_to_vtk(np.ascontiguousarray(colors, np.uint8), deep=1)


def surface_data(mesh: Mesh, colors: NDArray[np.uint8] | None = None) -> vtkPolyData:
    """Give the surface as VTK data, with a colour for every point when `colors`, (n, 3), is given."""
    made = vtkPolyData()
    points = vtkPoints()
    points.SetData(float_array(mesh.points))
    made.SetPoints(points)
    made.GetPointData().SetNormals(float_array(mesh.normals))
    cells = vtkCellArray()
    cells.SetData(3, id_array(mesh.triangles.ravel()))
    made.SetPolys(cells)
    if colors is not None:
        made.GetPointData().SetScalars(color_array(colors))
    return made


def line_data(
    lines: Sequence[Array], colors: NDArray[np.uint8] | None = None, *, closed: bool = True
) -> vtkPolyData:
    """Give lines as VTK data; `colors`, (n, 3 or 4), has one colour for every point of all lines in order."""
    made = vtkPolyData()
    points, cells = vtkPoints(), vtkCellArray()
    points.SetData(float_array(np.concatenate(list(lines)) if lines else np.zeros((0, 3))))
    start = 0
    for line in lines:
        ids = list(range(start, start + len(line)))
        cells.InsertNextCell(len(ids) + closed, [*ids, ids[0]] if closed else ids)
        start += len(line)
    made.SetPoints(points)
    made.SetLines(cells)
    if colors is not None:
        made.GetPointData().SetScalars(color_array(colors))
    return made
