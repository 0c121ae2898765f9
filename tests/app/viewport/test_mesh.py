from __future__ import annotations

import math

import numpy as np
import pytest

from linkwright.document.inertia import shape_inertia
from linkwright.document.rotation import axis_angle
from linkwright.document.shapes import Box, Cylinder, Link, Plate, ShapeBase, Sphere
from linkwright_app.viewport import mesh as solid
from linkwright_app.viewport.contours import circle, rounded_polygon, rounded_rectangle, taper
from linkwright_app.viewport.mesh import Mesh
from linkwright_app.viewport.shape_mesh import shape_parts

SHAPES: dict[str, ShapeBase] = {
    "link": Link(length=2.0, start_radius=0.2, end_radius=0.17, thickness=0.12, hole=0.45),
    "pocketed link": Link(length=2.0, start_radius=0.2, end_radius=0.2, thickness=0.12, pocket=True),
    "box": Box(size=(0.6, 0.44, 0.14)),
    "cylinder": Cylinder(radius=0.1, length=0.3),
    "tube": Cylinder(radius=0.1, length=0.3, inner_radius=0.05),
    "sphere": Sphere(radius=0.1),
    "plate": Plate(corners=((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.5, 0.4), (0.0, 1.0)), thickness=0.1),
}


def volume(mesh: Mesh) -> float:
    """Divergence theorem over the triangles."""
    a, b, c = (mesh.points[mesh.triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def check_outward(mesh: Mesh) -> None:
    """Every triangle turns counter-clockwise seen from the side its normals point to."""
    a, b, c = (mesh.points[mesh.triangles[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    area = np.linalg.norm(normal, axis=1)
    for corner in range(3):
        towards = np.einsum("ij,ij->i", normal, mesh.normals[mesh.triangles[:, corner]])
        assert (towards[area > 1e-12] > 0).all()
    assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1.0, atol=1e-9)


def check_closed(mesh: Mesh) -> None:
    """Every edge of a triangle meets another one that runs the other way."""
    places, index = np.unique(np.round(mesh.points, 9), axis=0, return_inverse=True)
    corners = index.ravel()[mesh.triangles]
    edges = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    edges = edges[edges[:, 0] != edges[:, 1]]
    key = edges[:, 0] * len(places) + edges[:, 1]
    back = edges[:, 1] * len(places) + edges[:, 0]
    assert set(key) == set(back)


@pytest.mark.parametrize("name", SHAPES)
def test_mesh_encloses_the_volume_that_the_mass_is_computed_from(name: str) -> None:
    shape = SHAPES[name]
    enclosed = sum(volume(part.mesh) for part in shape_parts(shape))
    exact = shape_inertia(shape, 1.0).mass
    # Bevels and rounded corners take off at most 5 % of these shapes; the web of a pocket overlaps its wall a little.
    assert enclosed == pytest.approx(exact, rel=0.05)


@pytest.mark.parametrize("name", SHAPES)
def test_normals_point_outward_and_surfaces_are_closed(name: str) -> None:
    for part in shape_parts(SHAPES[name]):
        check_outward(part.mesh)
        check_closed(part.mesh)


def test_extents_are_those_of_the_shape() -> None:
    for name, half in {"link": (1.2, 0.2, 0.06), "box": (0.3, 0.22, 0.07), "tube": (0.1, 0.1, 0.15)}.items():
        points = shape_parts(SHAPES[name])[0].mesh.points
        # The flank of a tapered link touches its circles beside a corner of the polygon.
        assert np.allclose(np.abs(points).max(axis=0), half, atol=3e-4)


def test_a_shape_is_placed_in_its_body() -> None:
    turned = Box(
        size=(0.6, 0.4, 0.2), position=(1.0, 2.0, 3.0), orientation=axis_angle((0, 0, 1), math.pi / 2)
    )
    points = shape_parts(turned)[0].mesh.points
    assert np.allclose(points.min(axis=0), (0.8, 1.7, 2.9), atol=1e-9)
    assert np.allclose(points.max(axis=0), (1.2, 2.3, 3.1), atol=1e-9)


def test_round_bodies() -> None:
    for made, exact in (
        (solid.sphere(0.5, 64), 4 / 3 * math.pi * 0.5**3),
        (solid.torus(0.84, 0.155, n=96, sides=32), 2 * math.pi**2 * 0.84 * 0.155**2),
        (solid.cone(0.2, 0.5, n=96), math.pi * 0.04 * 0.5 / 3),
        (solid.octahedron(0.3), 4 / 3 * 0.3**3),
    ):
        check_outward(made)
        check_closed(made)
        # Chords lie inside the circles: less than 1 % with so many corners.
        assert volume(made) == pytest.approx(exact, rel=0.01)


def test_a_tube_follows_its_path_with_one_radius() -> None:
    angle = np.linspace(0, 3, 60)
    path = np.column_stack((np.cos(angle), np.sin(angle), 0.3 * angle))
    made = solid.tube(path, 0.02, sides=16)
    nearest = np.min(np.linalg.norm(made.points[: 60 * 16, None] - path[None], axis=2), axis=1)
    assert np.allclose(nearest, 0.02, atol=2e-4)
    check_outward(made)


def test_turn_from_z_is_a_rotation_onto_any_direction() -> None:
    for direction in ((0, 0, 1), (0, 0, -1), (1, 0, 0), (-0.3, 0.5, 2.0)):
        turn = solid.turn_from_z(np.array(direction, float))
        assert np.allclose(turn @ turn.T, np.eye(3), atol=1e-12)
        assert np.linalg.det(turn) == pytest.approx(1.0)
        assert np.allclose(turn[:, 2], np.array(direction) / np.linalg.norm(direction))


def area(points: np.ndarray) -> float:
    x, y = points.T
    return float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y) / 2)


def test_outlines_run_counter_clockwise_and_enclose_their_area() -> None:
    assert area(circle(0.5, n=400).points) == pytest.approx(math.pi * 0.25, rel=1e-3)
    # Hull of two equal circles: rectangle plus one circle.
    assert area(taper(0, 2, 0.2, 0.2, 200).points) == pytest.approx(0.8 + math.pi * 0.04, rel=1e-3)
    assert area(rounded_rectangle(2, 1, 0.1, 100).points) == pytest.approx(2 - (4 - math.pi) * 0.01, rel=1e-4)
    clockwise = np.array([[0, 0], [0, 1], [1, 1], [1, 0]], float)
    assert area(rounded_polygon(clockwise, 0.05).points) > 0


def test_an_outline_moved_inward_keeps_its_distance() -> None:
    corners = np.array([[0, 0], [3, 0], [3, 2], [1.5, 0.8], [0, 2]], float)
    outline = rounded_polygon(corners, 0.2)
    inner = outline.offset(-0.1)
    gaps = np.linalg.norm(outline.points[:, None] - inner.points[None], axis=2).min(axis=1)
    assert gaps.max() <= 0.1 + 1e-12
    assert area(inner.points) < area(outline.points)
