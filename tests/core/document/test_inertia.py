"""Inertia of shapes against closed forms and against an independent sum over a fine grid of points."""

from __future__ import annotations

import math

import numpy as np
import pytest

from linkwright.document.bodies import Body, MassFromShapes, MassGiven
from linkwright.document.inertia import POCKET_DEPTH, pocket_outline, shape_inertia, shifted
from linkwright.document.rotation import axis_angle, matrix
from linkwright.document.shapes import Box, Cylinder, Link, Plate, Sphere


def test_box_is_the_textbook_formula() -> None:
    inertia = shape_inertia(Box(size=(2.0, 3.0, 4.0)), 10.0)
    assert inertia.mass == pytest.approx(240.0, rel=1e-15)
    assert np.diag(inertia.tensor) == pytest.approx([240 / 12 * 25, 240 / 12 * 20, 240 / 12 * 13], rel=1e-15)


def test_sphere_and_tube_are_the_textbook_formulas() -> None:
    ball = shape_inertia(Sphere(radius=0.5), 1000.0)
    assert ball.mass == pytest.approx(1000 * 4 / 3 * math.pi / 8, rel=1e-15)
    assert np.diag(ball.tensor) == pytest.approx([0.4 * ball.mass * 0.25] * 3, rel=1e-15)
    tube = shape_inertia(Cylinder(radius=2.0, inner_radius=1.0, length=3.0), 1.0)
    assert tube.mass == pytest.approx(9 * math.pi, rel=1e-15)
    assert tube.tensor[2, 2] == pytest.approx(tube.mass * 5 / 2, rel=1e-15)
    assert tube.tensor[0, 0] == pytest.approx(tube.mass * (15 + 9) / 12, rel=1e-15)


def test_rectangular_plate_equals_the_box() -> None:
    corners = ((-1.0, -0.5), (1.0, -0.5), (1.0, 0.5), (-1.0, 0.5))
    box = shape_inertia(Box(size=(2.0, 1.0, 0.1)), 7.0)
    for order in (corners, corners[::-1]):  # the outline may run either way round
        plate = shape_inertia(Plate(corners=order, thickness=0.1), 7.0)
        assert plate.mass == pytest.approx(box.mass, rel=1e-14)
        assert plate.tensor == pytest.approx(box.tensor, abs=1e-14)


def test_triangle_centre_and_product_of_inertia() -> None:
    # right triangle with legs a, b: area ab/2, centre (a/3, b/3), Ixy about the centre -a^2 b^2/72 per area density
    a, b, t = 3.0, 2.0, 0.5
    plate = shape_inertia(Plate(corners=((0.0, 0.0), (a, 0.0), (0.0, b)), thickness=t), 4.0)
    assert plate.mass == pytest.approx(4.0 * t * a * b / 2, rel=1e-14)
    assert plate.centre == pytest.approx([a / 3, b / 3, 0.0], abs=1e-14)
    assert plate.tensor[0, 1] == pytest.approx(4.0 * t * a * a * b * b / 72, rel=1e-13)


def _in_link(link: Link, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Tell which points lie in the hull of two circles, holes left out, without any of the formulas under test."""
    length, r0, r1 = float(link.length), float(link.start_radius), float(link.end_radius)
    hole = float(link.hole)
    inside = np.zeros(x.shape, bool)
    for s in np.linspace(0, 1, 4001):  # the hull is the union of the circles between the two
        inside |= (x + length / 2 - s * length) ** 2 + y**2 <= (r0 + s * (r1 - r0)) ** 2
    for cx, radius in ((-length / 2, hole * r0), (length / 2, hole * r1)):
        inside &= (x - cx) ** 2 + y**2 >= radius**2
    return inside


@pytest.mark.parametrize(("r0", "r1"), [(0.2, 0.2), (0.2, 0.12)])
def test_link_equals_a_sum_over_points(r0: float, r1: float) -> None:
    link = Link(length=1.0, start_radius=r0, end_radius=r1, thickness=0.1, hole=0.45)
    n = 600
    xs = (np.arange(n) + 0.5) / n * 1.6 - 0.8
    ys = (np.arange(n // 2) + 0.5) / (n // 2) * 0.5 - 0.25
    x, y = np.meshgrid(xs, ys)
    cell = 1.6 / n * 0.5 / (n // 2) * 0.1
    inside = _in_link(link, x, y)
    px, py = x[inside], y[inside]
    inertia = shape_inertia(link, 1.0)
    # a grid of 600 x 300 points resolves an area of this outline to about 3e-4
    assert inertia.mass == pytest.approx(cell * len(px), rel=2e-3)
    assert inertia.centre[0] == pytest.approx(px.mean(), abs=1e-3)
    izz = cell * ((px - px.mean()) ** 2 + py**2).sum()
    assert inertia.tensor[2, 2] == pytest.approx(izz, rel=3e-3)


def test_pocket_takes_away_what_its_outline_holds() -> None:
    plain = Link(length=2.0, start_radius=0.2, end_radius=0.2, thickness=0.12)
    cut = plain.replaced(pocket=True)
    outline = pocket_outline(cut)
    assert outline is not None
    x0, x1, a, b = outline
    assert a == b
    area = math.pi * a * a + 2 * a * (x1 - x0)  # a stadium
    taken = shape_inertia(plain, 1.0).mass - shape_inertia(cut, 1.0).mass
    assert taken == pytest.approx(area * 2 * POCKET_DEPTH * 0.12, rel=1e-12)


def test_placed_shape_turns_its_tensor_and_shifts_its_centre() -> None:
    turn = axis_angle((1.0, 2.0, -0.5), 0.7)
    placed = shape_inertia(Box(size=(1.0, 2.0, 3.0), position=(4.0, 5.0, 6.0), orientation=turn), 2.0)
    plain = shape_inertia(Box(size=(1.0, 2.0, 3.0)), 2.0)
    rot = np.array(matrix(turn))
    assert placed.centre == pytest.approx([4.0, 5.0, 6.0])
    assert placed.tensor == pytest.approx(rot @ plain.tensor @ rot.T, abs=1e-12)
    assert placed.principal_moments() == pytest.approx(plain.principal_moments(), rel=1e-12)


def test_two_halves_weigh_what_the_whole_weighs() -> None:
    whole = Body(id="a", shapes=(Box(size=(2.0, 1.0, 1.0)),), mass=MassFromShapes(density=3.0)).inertia()
    halves = Body(
        id="b",
        shapes=(
            Box(size=(1.0, 1.0, 1.0), position=(-0.5, 0.0, 0.0)),
            Box(size=(1.0, 1.0, 1.0), position=(0.5, 0.0, 0.0)),
        ),
        mass=MassFromShapes(density=3.0),
    ).inertia()
    assert halves.mass == pytest.approx(whole.mass)
    assert halves.tensor == pytest.approx(whole.tensor, abs=1e-12)


def test_given_mass_is_taken_as_given() -> None:
    body = Body(
        id="a",
        shapes=(Sphere(radius=1.0),),
        mass=MassGiven(mass=2.0, centre=(0.1, 0.2, 0.3), inertia=(1.0, 2.0, 3.0, -0.1, -0.2, -0.3)),
    )
    inertia = body.inertia()
    assert inertia.mass == 2.0
    assert inertia.tensor == pytest.approx(np.array([[1, -0.1, -0.2], [-0.1, 2, -0.3], [-0.2, -0.3, 3]]))


def test_huygens_steiner_of_a_point() -> None:
    assert shifted(np.zeros((3, 3)), 2.0, np.array([0.0, 0.0, 3.0])) == pytest.approx(
        np.diag([18.0, 18.0, 0.0])
    )
