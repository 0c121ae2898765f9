from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from linkwright.document.mechanism import Mechanism
from linkwright_app.viewport.camera import Camera
from linkwright_app.viewport.picking import pick, pick_surface
from linkwright_app.viewport.scene import Scene
from linkwright_app.viewport.theme import VIEW_LIGHT

WIDTH, HEIGHT = 900.0, 600.0


@pytest.fixture
def scene(slider_crank: Mechanism) -> Scene:
    made = Scene(VIEW_LIGHT)
    made.show(slider_crank)
    return made


def fitted(scene: Scene) -> Camera:
    camera = scene.default_camera().fitted(scene.points(), WIDTH / HEIGHT)
    scene.fit_screen(camera, WIDTH, HEIGHT)
    return camera


def picked(scene: Scene, camera: Camera, point: np.ndarray) -> str:
    x, y, _ = camera.project(point[None], WIDTH, HEIGHT)[0]
    return pick(scene, camera, x, y, WIDTH, HEIGHT).id


def test_every_kind_of_element_is_found_where_it_is_seen(scene: Scene) -> None:
    camera = fitted(scene)
    for key in ("J1", "J2", "J3"):
        assert picked(scene, camera, scene.items[key].centre) == key
    assert picked(scene, camera, scene.items["S1"].centre) == "S1"
    assert picked(scene, camera, scene.items["J4"].handles()[0].start) == "J4"
    load = scene.items["F1"].handles()[0]
    assert picked(scene, camera, (load.start + load.stop) / 2) == "F1"
    rot, position = np.array(scene.drawn_poses()[0, :3]), np.array([0.6, 0.6, 0.0])
    assert picked(scene, camera, np.array([0.35, 0.35, -0.3])) == "link1", (rot, position)
    assert picked(scene, camera, np.array([2.4, 0.42, -0.13])) == "link2"
    assert picked(scene, camera, np.array([0.2, -0.25, -0.52])) == "ground"


def test_empty_space_gives_nothing(scene: Scene) -> None:
    found = pick(scene, fitted(scene), 5.0, 5.0, WIDTH, HEIGHT)
    assert found.id == ""
    assert found.point is None


def test_hidden_things_are_not_found(scene: Scene, slider_crank: Mechanism) -> None:
    camera = fitted(scene)
    scene.set_shown("glyphs", False)
    assert picked(scene, camera, scene.items["J1"].centre) in ("link1", "ground")
    hidden = tuple(b.replaced(visible=False) for b in slider_crank.bodies)
    scene.show(slider_crank.replaced(bodies=hidden))
    scene.set_shown("glyphs", False)
    assert picked(scene, camera, np.array([2.4, 0.42, -0.13])) == ""


def test_a_glyph_behind_a_body_is_not_found(scene: Scene) -> None:
    # From below the base plate stands before the first joint.
    camera = replace(scene.default_camera(), elevation=-1.2).fitted(scene.points(), WIDTH / HEIGHT)
    scene.fit_screen(camera, WIDTH, HEIGHT)
    assert picked(scene, camera, scene.items["J1"].centre) == "ground"


@pytest.mark.parametrize("perspective", [True, False])
def test_the_point_met_lies_on_the_face_of_the_block(lone_box: Mechanism, perspective: bool) -> None:
    scene = Scene(VIEW_LIGHT)
    scene.show(lone_box)
    camera = Camera(azimuth=0.0, elevation=0.0, distance=4.0, perspective=perspective)
    found = pick_surface(scene, camera, WIDTH / 2 + 20, HEIGHT / 2 - 10, WIDTH, HEIGHT)
    assert found.id == "block"
    assert found.point is not None
    # The front face of the block is at y = -0.3, 3.7 m before the eye.
    assert found.point[1] == pytest.approx(-0.3, abs=1e-6)
    assert found.depth == pytest.approx(3.7, abs=1e-6)
    reach = 3.7 if perspective else 4.0
    pixel = 2 * np.tan(camera.angle / 2) * reach / HEIGHT
    assert found.point[0] == pytest.approx(20 * pixel, abs=1e-6)
    assert found.point[2] == pytest.approx(10 * pixel, abs=1e-6)


def test_a_body_is_found_where_it_has_been_moved_to(lone_box: Mechanism) -> None:
    scene = Scene(VIEW_LIGHT)
    scene.show(lone_box)
    camera = Camera(azimuth=0.0, elevation=0.0, distance=12.0)
    place = np.array([1.5, 0.0, 0.8])
    assert picked(scene, camera, place) == ""
    scene.set_poses(np.array([[1.5, 0.0, 0.8, 1.0, 0.0, 0.0, 0.0]]))
    assert picked(scene, camera, place) == "block"
    assert picked(scene, camera, np.zeros(3)) == ""


SCALED_VIEW = Path(__file__).with_name("scaled_view.py")


@pytest.mark.parametrize("scale", ["1", "1.25", "1.5", "2"])
def test_what_is_picked_is_what_is_drawn_there(scale: str) -> None:
    """Compare picks with the picture, device pixel by device pixel, in a process with that screen scale."""
    run = subprocess.run(
        [sys.executable, str(SCALED_VIEW), scale], capture_output=True, text=True, timeout=200, check=False
    )
    assert run.returncode == 0, run.stderr
    ratio, pixels, worst = (float(part) for part in run.stdout.split())
    assert ratio == float(scale)
    # The block covers a good part of the view, and its border is tried on every side.
    assert pixels > 500
    assert worst <= 1.0
