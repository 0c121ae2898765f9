"""Glyph data of the core as actors of constant size on the screen, that shine faintly through bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkCommonMath import vtkMatrix4x4
from vtkmodules.vtkRenderingCore import vtkActor, vtkShaderProperty

from linkwright.elements.glyph import Arrow, Ball, Block, GlyphPart, Plane, Ring, Rod
from linkwright_app.viewport import mesh as solid
from linkwright_app.viewport.actors import GLYPH_AMBIENT, surface_actor
from linkwright_app.viewport.contours import rounded_rectangle
from linkwright_app.viewport.mesh import Mesh, surface_data, turn_from_z
from linkwright_app.viewport.shape_mesh import box
from linkwright_app.viewport.theme import ViewTheme, mixed, rgb

Array = NDArray[np.float64]

GLYPH_PIXELS = 46.0
"""Size of a glyph on the screen, 2 R."""
GHOST_OPACITY = 0.16
"""Of the parts of a glyph behind a body."""
CAP_THICKNESS = 0.18
ARROW_SHAFT, ARROW_HEAD, ARROW_HEAD_RADIUS = 2.0, 15.0, 5.5
"""Radius of the shaft, length and radius of the head [px]."""
RAIL_BAR, RAIL_TIE, RAIL_TIE_STEP, RAIL_CONE, RAIL_CONE_RADIUS = 2.2, 1.1, 40.0, 18.0, 7.0
"""Radii of bars and ties, distance of the ties, length and radius of the end cones [px]."""
PLANE_OPACITY = 0.45


@dataclass(frozen=True)
class Painted:
    """A mesh with a colour for every point, (n, 3) from 0 to 255."""

    mesh: Mesh
    colors: NDArray[np.uint8]


def painted(parts: Sequence[tuple[Mesh, str]]) -> Painted:
    """Join meshes, each in one colour."""
    inks = [np.tile(np.round(np.array(rgb(color)) * 255), (len(part.points), 1)) for part, color in parts]
    return Painted(solid.joined([part for part, _ in parts]), np.concatenate(inks).astype(np.uint8))


@lru_cache(maxsize=128)
def glyph_mesh(parts: tuple[GlyphPart, ...], color: str, dark: bool) -> Painted | None:
    """Build the parts of a glyph that keep their size on the screen, with R = 1; None when there are none."""
    body = "#7C8795" if dark else "#AEB8C4"
    light = mixed(color, "#FFFFFF", 0.25 if dark else 0.12)
    pieces: list[tuple[Mesh, str]] = []
    for part in parts:
        match part:
            case Ring():
                ink = {"category": color, "metal": body, "body": body}[part.role]
                pieces += [(m, ink) for m in _ring(part)]
            case Rod():
                ink = {"category": light if part.cap else color, "metal": body, "body": body}[part.role]
                pieces += [(m, ink if k == 0 else color) for k, m in enumerate(_rod(part))]
            case Ball():
                ink = {"category": mixed(color, "#FFFFFF", 0.10), "metal": body, "body": body}[part.role]
                pieces.append((solid.sphere(part.radius, 24).placed(np.eye(3), np.array(part.centre)), ink))
            case Block():
                ink = {"category": color, "metal": body, "body": body}[part.role]
                pieces.append((box(*part.size).placed(np.eye(3), np.array(part.centre)), ink))
            case Arrow():
                pieces.append((_arrow(np.array(part.direction), np.array(part.start)), color))
            case Plane():
                slab = solid.extruded(
                    rounded_rectangle(2 * part.half, 2 * part.half, 0.1), [], -0.035, 0.035, 0.0
                )
                pieces.append(
                    (slab.placed(turn_from_z(np.array(part.normal)), np.zeros(3)), mixed(color, body, 0.55))
                )
    return painted(pieces) if pieces else None


def _ring(part: Ring) -> list[Mesh]:
    turn = turn_from_z(np.array(part.axis))
    made = [solid.torus(part.radius, part.tube, part.sweep).placed(turn, np.zeros(3))]
    if part.arrow and part.sweep < 1.0:
        end = 2 * np.pi * part.sweep
        tip = part.radius * np.array([np.cos(end), np.sin(end), 0.0])
        head = solid.cone(2.6 * part.tube, 5.0 * part.tube)
        along = turn_from_z(np.array([-np.sin(end), np.cos(end), 0.0]))
        made.append(head.placed(turn @ along, turn @ tip))
    return made


def _rod(part: Rod) -> list[Mesh]:
    start, stop = np.array(part.start), np.array(part.stop)
    length = float(np.linalg.norm(stop - start))
    turn = turn_from_z(stop - start)
    made = [solid.cylinder(part.radius, 0.0, length, 0.25 * part.radius, n=16).placed(turn, start)]
    if part.cap > 0:
        cap = solid.cylinder(part.cap, -CAP_THICKNESS / 2, CAP_THICKNESS / 2, 0.06, n=20)
        made += [cap.placed(turn, end) for end in (start, stop)]
    return made


def _arrow(direction: Array, start: Array) -> Mesh:
    length = float(np.linalg.norm(direction))
    # Within a glyph arrows are as slender as they are short.
    px = 2 / GLYPH_PIXELS * min(0.42 * length, 1.0)
    return arrow_mesh(length, px).placed(turn_from_z(direction), start)


def arrow_mesh(length: float, px: float) -> Mesh:
    """Make an arrow along z; `px` is the size of a pixel in the units of `length`."""
    head = min(ARROW_HEAD * px, 0.6 * length)
    shaft = solid.cylinder(ARROW_SHAFT * px, 0.0, length - head, 0.3 * px, n=14)
    return solid.joined([shaft, solid.cone(ARROW_HEAD_RADIUS * px, head, length - head, n=20)])


def arc_arrow_mesh(radius: float, px: float) -> Mesh:
    """Make three quarters of a turn about z with a head, for a torque; `px` as in `arrow_mesh`."""
    sweep = 0.72
    end = 2 * np.pi * sweep
    arc = solid.torus(radius, ARROW_SHAFT * px, sweep, n=48, sides=10)
    head = solid.cone(ARROW_HEAD_RADIUS * px, ARROW_HEAD * px)
    along = turn_from_z(np.array([-np.sin(end), np.cos(end), 0.0]))
    tip = radius * np.array([np.cos(end), np.sin(end), 0.0])
    return solid.joined([arc, head.placed(along, tip)])


def rail_mesh(half: float, gap: float, px: float, ties: int) -> Mesh:
    """Make a rail: two bars along z at x = -gap and +gap, ties and end cones.

    Every point depends linearly on `px`, the size of a pixel [m].
    """
    parts = []
    bar = solid.cylinder(RAIL_BAR * px, -half, half, 0.3 * px, n=10)
    tie = solid.cylinder(RAIL_TIE * px, -gap, gap, n=8).placed(turn_from_z(np.eye(3)[0]), np.zeros(3))
    for side in (-1, 1):
        parts.append(bar.placed(np.eye(3), np.array([side * gap, 0.0, 0.0])))
        cone = solid.cone(RAIL_CONE_RADIUS * px, RAIL_CONE * px, n=20)
        parts.append(cone.placed(turn_from_z(np.array([0.0, 0.0, side])), np.array([0.0, 0.0, side * half])))
    for z in np.linspace(-half, half, ties):
        parts.append(tie.placed(np.eye(3), np.array([0.0, 0.0, z])))
    return solid.joined(parts)


def glyph_actors(
    data: vtkPolyData, matrix: vtkMatrix4x4, color: str | None = None
) -> tuple[vtkActor, vtkActor]:
    """Make the glyph itself, and its faint twin that shows through whatever stands before it."""
    front = surface_actor(data, color, ambient=GLYPH_AMBIENT, specular=0.35)
    ghost = surface_actor(data, color, ambient=GLYPH_AMBIENT, specular=0.0, opacity=GHOST_OPACITY)
    ghost.GetProperty().BackfaceCullingOn()
    shader: vtkShaderProperty = ghost.GetShaderProperty()
    # Squeeze the depth towards the eye: the order within the glyph stays, everything else is behind it.
    shader.AddFragmentShaderReplacement(
        "//VTK::Depth::Impl", True, "//VTK::Depth::Impl\n  gl_FragDepth = 0.001 * gl_FragCoord.z;\n", False
    )
    for actor in (front, ghost):
        actor.SetUserMatrix(matrix)
        actor.UseBoundsOff()
    return front, ghost


def glyph_data(parts: tuple[GlyphPart, ...], theme: ViewTheme, category: str) -> vtkPolyData | None:
    """Give the VTK data of a glyph with R = 1; None when none of its parts keeps its size on the screen."""
    return _glyph_data(parts, theme.category(category), theme.dark)


@lru_cache(maxsize=128)
def _glyph_data(parts: tuple[GlyphPart, ...], color: str, dark: bool) -> vtkPolyData | None:
    made = glyph_mesh(parts, color, dark)
    return None if made is None else surface_data(made.mesh, made.colors)
