"""Springs and cables: surfaces stretched between two points, their radii kept, rebuilt for every frame."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonMath import vtkMatrix4x4
from vtkmodules.vtkRenderingCore import vtkActor

from linkwright_app.viewport import mesh as solid
from linkwright_app.viewport.actors import METAL_POWER, METAL_SPECULAR, set_frame, surface_actor
from linkwright_app.viewport.mesh import Mesh, perpendicular, surface_data
from linkwright_app.viewport.theme import ViewTheme, mixed, rgb

Array = NDArray[np.float64]

TURNS = 9.5
STEPS_PER_TURN, SIDES = 20, 8
WIRE = 0.17
"""Radius of the wire over that of the coil."""
HOOK = 0.08
"""Length of a hook over the drawn length."""
BARREL_END = 0.56
BARREL, ROD, COLLAR, BALL, STEM = 0.50, 0.21, 0.57, 0.34, 0.22
"""Radii of barrel, rod, collar, ball ends and stems over that of the coil."""
SHORTEST = 1e-9


class Stretched:
    """A surface between two moving points. Subclasses say how its points follow the length.

    Parameters
    ----------
    surface : Mesh
        At the drawn length, along z from the origin.
    colors : (n, 3) array
        Colour of every point, 0 to 255.

    Attributes
    ----------
    actor : vtkActor
        The surface.
    """

    def __init__(self, surface: Mesh, colors: NDArray[np.uint8]) -> None:
        self._data = surface_data(surface, colors)
        # Views on the memory of VTK: writing here moves the surface without a copy.
        self.points: NDArray[np.float32] = vtk_to_numpy(self._data.GetPoints().GetData())
        self.normals: NDArray[np.float32] = vtk_to_numpy(self._data.GetPointData().GetNormals())
        self.actor: vtkActor = surface_actor(self._data, specular=METAL_SPECULAR, power=METAL_POWER)
        self._matrix = vtkMatrix4x4()
        self.actor.SetUserMatrix(self._matrix)
        self._across: Array | None = None
        self._length = -1.0

    def stretch(self, a: Array, b: Array) -> None:
        """Lie between the points `a` and `b` in the ground [m]."""
        span = b - a
        length = float(np.linalg.norm(span))
        if length < SHORTEST:
            span, length = np.array([0.0, 0.0, SHORTEST]), SHORTEST
        along = span / length
        # Carry the old direction along, so that the coil does not spin about its axis.
        across = perpendicular(along) if self._across is None else self._across
        across = across - along * (across @ along)
        size = float(np.linalg.norm(across))
        across = across / size if size > 1e-6 else perpendicular(along)
        self._across = across
        set_frame(self._matrix, np.column_stack((across, np.cross(along, across), along)), a)
        if abs(length - self._length) > 1e-7 * length:
            self._length = length
            self.follow(length)
            self._data.GetPoints().GetData().Modified()
            self._data.GetPointData().GetNormals().Modified()
            self._data.GetPoints().Modified()
            self._data.Modified()

    def follow(self, length: float) -> None:
        """Write `points` and `normals` for a length [m]."""
        raise NotImplementedError


def coil_path(length: float, radius: float, hook: float) -> tuple[Array, Array, Array]:
    """Centre line of a coil along z with two unit vectors across it, (n, 3) each [m].

    The wire runs from the axis outward in the first half turn, and back in the last.
    """
    n = round(TURNS * STEPS_PER_TURN)
    angle = np.linspace(0.0, 2 * np.pi * TURNS, n)
    cs, sn = np.cos(angle), np.sin(angle)
    ease = STEPS_PER_TURN // 2
    reach = np.ones(n)
    reach[:ease] = 0.25 + 0.75 * np.sin(np.linspace(0, np.pi / 2, ease))
    reach[-ease:] = reach[:ease][::-1]
    path = np.column_stack((radius * reach * cs, radius * reach * sn, np.linspace(hook, length - hook, n)))
    along = np.gradient(path, axis=0)
    along /= np.linalg.norm(along, axis=1)[:, None]
    outward = np.column_stack((cs, sn, np.zeros(n)))
    outward -= along * np.einsum("ij,ij->i", along, outward)[:, None]
    outward /= np.linalg.norm(outward, axis=1)[:, None]
    return path, outward, np.cross(outward, along)


class CoilSpring(Stretched):
    """A coil around a piston. Only the coil stretches; the rod slides in the barrel.

    Parameters
    ----------
    theme : ViewTheme
        Steel colours.
    radius : float
        Of the coil [m].
    length : float
        Drawn length [m]; sizes of barrel and hooks follow from it.
    piston : bool
        Whether there is a piston inside.
    wire_color : str
        Colour of the wire in place of steel.
    """

    def __init__(
        self, theme: ViewTheme, radius: float, length: float, piston: bool = True, wire_color: str = ""
    ) -> None:
        self._radius, self._drawn = radius, max(length, SHORTEST)
        dark = theme.steel_dark
        coil = self._coil(self._drawn)
        ball, stem = solid.sphere(BALL * radius, 20), solid.cylinder(STEM * radius, 0.0, 1.0, n=16)
        parts = [(coil, wire_color or theme.steel), (ball, dark), (ball, dark), (stem, dark), (stem, dark)]
        if piston:
            bevel = 0.12 * BARREL * radius
            barrel_length = (BARREL_END - 1.25 * HOOK) * self._drawn
            barrel = solid.cylinder(BARREL * radius, 0.0, 1.0, min(bevel / max(barrel_length, SHORTEST), 0.2))
            collar = solid.cylinder(COLLAR * radius, -0.28 * radius, 0.06 * radius, min(0.06 * radius, bevel))
            parts += [
                (barrel, dark),
                (solid.cylinder(ROD * radius, 0.0, 1.0, n=16), theme.steel_light),
                (collar, mixed(dark, "#FFFFFF", 0.12)),
            ]
        whole = solid.joined([part for part, _ in parts])
        inks = [np.tile(np.round(np.array(rgb(color)) * 255), (len(part.points), 1)) for part, color in parts]
        super().__init__(whole, np.concatenate(inks).astype(np.uint8))
        ends = np.cumsum([0, *(len(part.points) for part, _ in parts)])
        self._slices = [slice(a, b) for a, b in pairwise(ends)]
        self._heights = whole.points[:, 2].copy()

    def _hook(self, length: float) -> float:
        return min(HOOK * self._drawn, 0.2 * length)

    def _coil(self, length: float) -> Mesh:
        path, u, v = coil_path(length, self._radius, self._hook(length))
        return solid.swept(path, u, v, WIRE * self._radius, SIDES)

    def follow(self, length: float) -> None:
        """Wind the coil anew; move ball ends, stems, barrel and rod along the axis."""
        hook = self._hook(length)
        path, u, v = coil_path(length, self._radius, hook)
        points, normals = solid.sweep_points(path, u, v, WIRE * self._radius, SIDES)
        coil = self._slices[0]
        self.points[coil] = points.reshape(-1, 3)
        self.normals[coil] = normals.reshape(-1, 3)
        stem = 1.25 * hook
        barrel_end = stem + min((BARREL_END - 1.25 * HOOK) * self._drawn, 0.62 * length)
        # Offset and scale along z of every part after the coil.
        moves = [(0.0, 1.0), (length, 1.0), (0.0, stem), (length - stem, stem)]
        if len(self._slices) > 5:
            middle = (stem + barrel_end) / 2
            moves += [(stem, barrel_end - stem), (middle, length - hook - middle), (barrel_end, 1.0)]
        for part, (offset, scale) in zip(self._slices[1:], moves, strict=True):
            self.points[part, 2] = offset + scale * self._heights[part]


class Rope(Stretched):
    """A cable: a thin round rod with a ball at either end.

    Parameters
    ----------
    color : str
        Of rope and balls.
    radius : float
        Of the rope [m].
    """

    def __init__(self, color: str, radius: float) -> None:
        ball = solid.sphere(1.9 * radius, 12)
        rod = solid.cylinder(radius, 0.0, 1.0, n=10)
        whole = solid.joined([rod, ball, ball])
        ink = np.round(np.array(rgb(color)) * 255).astype(np.uint8)
        super().__init__(whole, np.tile(ink, (len(whole.points), 1)))
        self._rod = slice(0, len(rod.points))
        self._far = slice(len(rod.points) + len(ball.points), len(whole.points))
        self._heights = whole.points[:, 2].copy()

    def follow(self, length: float) -> None:
        """Reach to the far end."""
        self.points[self._rod, 2] = self._heights[self._rod] * length
        self.points[self._far, 2] = self._heights[self._far] + length
