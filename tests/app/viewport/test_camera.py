from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vtkmodules.vtkRenderingCore import vtkCamera

from linkwright_app.viewport.camera import MAX_ELEVATION, STANDARD_VIEWS, Camera, triple, upright_basis

WIDTH, HEIGHT = 800.0, 500.0
POINTS = np.array([[0.3, -0.2, 0.1], [1.0, 0.5, -0.7], [-0.4, 0.9, 0.2], [0.0, 0.0, 0.0]])

angles = st.floats(-3.0, 3.0)
elevations = st.floats(-1.5, 1.5)
coordinates = st.floats(-2.0, 2.0)


def cameras() -> st.SearchStrategy[Camera]:
    return st.builds(
        lambda x, y, z, d, a, e, p: Camera((x, y, z), d, a, e, perspective=p),
        coordinates, coordinates, coordinates, st.floats(4.0, 12.0), angles, elevations, st.booleans(),
    )  # fmt: skip


def seen(camera: Camera, points: np.ndarray) -> np.ndarray:
    return camera.project(points, WIDTH, HEIGHT)


@given(cameras())
@settings(max_examples=60)
def test_projection_agrees_with_that_of_vtk(camera: Camera) -> None:
    other = vtkCamera()
    camera.apply(other)
    matrix = other.GetCompositeProjectionTransformMatrix(WIDTH / HEIGHT, -1, 1)
    for point, (x, y, depth) in zip(POINTS, seen(camera, POINTS), strict=True):
        if depth < 0.5:
            continue
        u, v, _, w = matrix.MultiplyPoint((*point, 1.0))
        assert x == pytest.approx((u / w + 1) / 2 * WIDTH, abs=1e-6)
        assert y == pytest.approx((1 - v / w) / 2 * HEIGHT, abs=1e-6)


@given(cameras(), angles, elevations)
@settings(max_examples=60)
def test_orbiting_keeps_the_pivot_in_its_place(camera: Camera, azimuth: float, elevation: float) -> None:
    pivot = POINTS[1]
    turned = camera.orbited(azimuth, elevation, pivot)
    assert np.allclose(seen(camera, pivot[None]), seen(turned, pivot[None]), atol=1e-6)
    assert abs(turned.elevation) <= MAX_ELEVATION


@given(cameras(), st.floats(0.3, 3.0))
@settings(max_examples=60)
def test_zooming_keeps_the_point_under_the_mouse(camera: Camera, factor: float) -> None:
    point = POINTS[2]
    near = camera.zoomed(factor, point)
    assert np.allclose(seen(camera, point[None])[:, :2], seen(near, point[None])[:, :2], atol=1e-6)
    assert near.pixel(point, HEIGHT) == pytest.approx(factor * camera.pixel(point, HEIGHT), rel=1e-9)


@given(cameras(), st.floats(0, WIDTH), st.floats(0, HEIGHT))
@settings(max_examples=60)
def test_rays_go_through_the_points_they_are_seen_at(camera: Camera, x: float, y: float) -> None:
    start, direction = camera.ray(x, y, WIDTH, HEIGHT)
    along = seen(camera, start + direction * np.array([[camera.distance], [1.7 * camera.distance]]))
    assert np.allclose(along[:, :2], (x, y), atol=1e-6)
    at_depth = camera.point_at(x, y, WIDTH, HEIGHT, 3.0)
    assert np.allclose(seen(camera, at_depth[None]), (x, y, 3.0), atol=1e-6)


@given(cameras(), st.floats(0.4, 3.0))
@settings(max_examples=60)
def test_a_fitted_view_shows_every_point_and_touches_the_margin(camera: Camera, aspect: float) -> None:
    width = HEIGHT * aspect
    fitted = camera.fitted(POINTS, aspect, margin=0.8)
    places = fitted.project(POINTS, width, HEIGHT)
    across = np.abs(places[:, 0] / width - 0.5).max() * 2
    upright = np.abs(places[:, 1] / HEIGHT - 0.5).max() * 2
    assert (places[:, 2] > 0).all()
    assert max(across, upright) <= 0.8 + 1e-9
    # The nearest the eye may come is limited by the depth of the points; else one side is full.
    deep = fitted.distance <= np.ptp(POINTS @ fitted.rows()[2]) * 0.6 + 1e-9
    assert deep or max(across, upright) == pytest.approx(0.8, abs=1e-6)


def test_a_fit_of_nothing_or_of_one_point_stays_finite() -> None:
    camera = Camera()
    assert camera.fitted(np.zeros((0, 3)), 1.0) == camera
    assert math.isfinite(camera.fitted(np.ones((1, 3)), 1.0).distance)


@pytest.mark.parametrize(
    ("view", "right", "up"),
    [
        ("front", (1, 0, 0), (0, 0, 1)),
        ("right", (0, 1, 0), (0, 0, 1)),
        ("top", (1, 0, 0), (0, 1, 0)),
        ("left", (0, -1, 0), (0, 0, 1)),
        ("back", (-1, 0, 0), (0, 0, 1)),
        ("bottom", (1, 0, 0), (0, -1, 0)),
    ],
)
def test_standard_views_with_z_up(view: str, right: tuple[float, ...], up: tuple[float, ...]) -> None:
    rows = Camera().looking(*STANDARD_VIEWS[view]).rows()
    # The elevation stops 0.1 degree before straight down.
    assert np.allclose(rows[0], right, atol=1e-9)
    assert np.allclose(rows[1], up, atol=2e-3)


@pytest.mark.parametrize("up", [(0, 0, 1), (0, 1, 0), (1, 0, 0), (0, 0, -1), (0.1, 0.9, -0.2)])
def test_the_turntable_is_a_right_handed_frame(up: tuple[float, float, float]) -> None:
    basis = upright_basis(np.array(up, float))
    assert np.allclose(basis @ basis.T, np.eye(3))
    assert np.linalg.det(basis) == pytest.approx(1.0)
    assert basis[2] @ np.array(up) > 0.85


def test_with_y_up_the_front_view_looks_against_z() -> None:
    basis = upright_basis(np.array([0.0, 1.0, 0.0]))
    camera = replace(
        Camera(azimuth=0.0, elevation=0.0), basis=(triple(basis[0]), triple(basis[1]), triple(basis[2]))
    )
    assert np.allclose(camera.rows(), [[1, 0, 0], [0, 1, 0], [0, 0, 1]])


def test_a_glide_starts_and_ends_at_its_cameras_and_takes_the_short_way() -> None:
    a = Camera(azimuth=3.0, elevation=0.1, distance=2.0)
    b = Camera(target=(1.0, 2.0, 3.0), azimuth=-3.0, elevation=0.5, distance=8.0)
    assert np.allclose(a.towards(b, 0.0).rows(), a.rows())
    assert a.towards(b, 0.0).distance == pytest.approx(2.0)
    assert np.allclose(a.towards(b, 1.0).position(), b.position())
    halfway = a.towards(b, 0.5)
    assert halfway.distance == pytest.approx(4.0)
    assert abs(halfway.azimuth) == pytest.approx(math.pi)


@pytest.mark.parametrize("perspective", [True, False])
def test_a_part_of_the_picture_has_the_same_scale_and_place(perspective: bool) -> None:
    camera = Camera(azimuth=0.4, elevation=0.3, perspective=perspective)
    other = vtkCamera()
    left, top, width, height = 100, 60, 300, 200
    camera.apply_part(other, 0.0, (int(WIDTH), int(HEIGHT)), (left, top, width, height))
    matrix = other.GetCompositeProjectionTransformMatrix(width / height, -1, 1)
    for point, (x, y, _) in zip(POINTS, seen(camera, POINTS), strict=True):
        u, v, _, w = matrix.MultiplyPoint((*point, 1.0))
        assert left + (u / w + 1) / 2 * width == pytest.approx(x, abs=1e-6)
        assert top + (1 - v / w) / 2 * height == pytest.approx(y, abs=1e-6)


def test_the_clipping_range_encloses_what_reaches_far() -> None:
    camera = Camera(distance=5.0)
    near, far = camera.clipping_range()
    assert near == pytest.approx(1.5)
    assert far == pytest.approx(16.0)
    near, far = camera.clipping_range(reach=40.0)
    assert 0 < near < 0.1
    assert far > 45.0
