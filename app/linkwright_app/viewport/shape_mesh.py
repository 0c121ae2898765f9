"""Shapes of the document as meshes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from linkwright.document.inertia import POCKET_DEPTH, pocket_outline
from linkwright.document.rotation import matrix
from linkwright.document.shapes import Box, Cylinder, Link, Plate, ShapeBase, Sphere
from linkwright_app.viewport import mesh as solid
from linkwright_app.viewport.contours import Contour, circle, rounded_polygon, rounded_rectangle, taper
from linkwright_app.viewport.mesh import Mesh

LINK_BEVEL = 0.10
"""Bevel of a link over its smaller end radius."""
FLOOR_SHADE = 0.10
"""Share of black on the floor of a pocket."""


@dataclass(frozen=True)
class ShapePart:
    """A piece of a shape in the frame of its body; `shade` is the share of black mixed into the colour."""

    mesh: Mesh
    shade: float = 0.0


@lru_cache(maxsize=512)
def shape_parts(shape: ShapeBase) -> tuple[ShapePart, ...]:
    """Mesh an evaluated shape, in the frame of its body.

    Raises
    ------
    TypeError
        For a shape type without a picture.
    """
    rot = np.array(matrix(shape.orientation))
    position = np.array(shape.position, float)
    return tuple(ShapePart(part.mesh.placed(rot, position), part.shade) for part in _local_parts(shape))


def _local_parts(shape: ShapeBase) -> list[ShapePart]:
    match shape:
        case Link():
            return _link(shape)
        case Box(size=(x, y, z)):
            return [ShapePart(box(float(x), float(y), float(z)))]
        case Cylinder(radius=radius, length=length, inner_radius=inner):
            return [ShapePart(_cylinder(float(radius), float(length), float(inner)))]
        case Sphere(radius=radius):
            return [ShapePart(solid.sphere(float(radius), 48))]
        case Plate(corners=corners, thickness=thickness):
            return [ShapePart(_plate(np.array(corners, float), float(thickness)))]
    raise TypeError(f"no picture for a shape of type {type(shape).__name__}")


def _link(link: Link) -> list[ShapePart]:
    half, t = float(link.length) / 2, float(link.thickness)
    r0, r1, hole = float(link.start_radius), float(link.end_radius), float(link.hole)
    bevel = min(LINK_BEVEL * min(r0, r1), 0.22 * t)
    outline = taper(-half, half, r0, r1)
    holes: list[Contour] = []
    if hole > 0:
        holes += [circle(hole * r0, -half), circle(hole * r1, half)]
        bevel = min(bevel, 0.4 * (1 - hole) * min(r0, r1))
    pocket = pocket_outline(link)
    if pocket is None:
        return [ShapePart(solid.extruded(outline, holes, -t / 2, t / 2, bevel))]
    recess = taper(*pocket)
    body = solid.extruded(outline, [*holes, recess], -t / 2, t / 2, bevel)
    # The floor reaches a little into the wall, so that no gap shows where the two meet.
    web = solid.extruded(
        recess.offset(0.5 * bevel), [], -t * (0.5 - POCKET_DEPTH), t * (0.5 - POCKET_DEPTH), 0.0
    )
    return [ShapePart(body), ShapePart(web.without_edges(), FLOOR_SHADE)]


def box(x: float, y: float, z: float) -> Mesh:
    """Make a block about the origin with rounded upright edges and bevelled rims."""
    small = min(x, y, z)
    bevel = min(0.045 * min(x, y), 0.2 * small)
    return solid.extruded(
        rounded_rectangle(x, y, max(0.11 * min(x, y), 1.2 * bevel)), [], -z / 2, z / 2, bevel
    )


def _cylinder(radius: float, length: float, inner: float) -> Mesh:
    bevel = min(0.10 * radius, 0.2 * length, 0.35 * (radius - inner))
    return solid.cylinder(radius, -length / 2, length / 2, bevel, inner, n=56)


def _plate(corners: solid.Array, thickness: float) -> Mesh:
    extent = float(np.ptp(corners, axis=0).min())
    bevel = min(0.03 * extent, 0.2 * thickness)
    return solid.extruded(
        rounded_polygon(corners, max(0.04 * extent, 1.5 * bevel)), [], -thickness / 2, thickness / 2, bevel
    )
