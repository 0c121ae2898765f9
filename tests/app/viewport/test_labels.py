from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from linkwright.document.mechanism import Mechanism
from linkwright_app.viewport.camera import Camera
from linkwright_app.viewport.labels import Tag, TagLayout, number_text, paint_tag, tag_size, tags_of
from linkwright_app.viewport.scene import Scene
from linkwright_app.viewport.theme import VIEW_DARK, VIEW_LIGHT

WIDTH, HEIGHT = 900.0, 600.0


@pytest.fixture
def scene(slider_crank: Mechanism, qapp: QApplication) -> Scene:
    made = Scene(VIEW_LIGHT)
    made.show(slider_crank)
    return made


def fitted(scene: Scene) -> Camera:
    camera = scene.default_camera().fitted(scene.points(), WIDTH / HEIGHT)
    scene.fit_screen(camera, WIDTH, HEIGHT)
    return camera


def lit(text: str, icon: str = "") -> int:
    """Number of pixels that drawing a text changes."""
    tag = Tag("x", text, "#000000", np.zeros(3), 0.0, icon=icon)
    image = QImage(240, 40, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_tag(painter, tag, QRectF(8, 8, *tag_size(tag)), VIEW_LIGHT, 1.0)
    painter.end()
    raw = np.frombuffer(image.constBits(), np.uint8).reshape(40, image.bytesPerLine())
    return int((raw.reshape(40, -1, 4)[..., :3] < 128).any(axis=2).sum())


@pytest.mark.parametrize("text", ["Crank pin", "Кривошип", "曲柄销轴", "θ₁ · φ"])
@pytest.mark.parametrize("icon", ["", "sda"])
def test_names_in_any_script_are_really_drawn(qapp: QApplication, text: str, icon: str) -> None:
    base = lit("", icon)
    # A stroke of a letter covers several pixels; a font without these letters draws nothing or the same empty box.
    assert lit(text, icon) - base > 12 * len(text.replace(" ", "")) / 2
    letters = [lit(letter, icon) for letter in dict.fromkeys(text.replace(" ", ""))]
    assert len(set(letters)) > 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.41421356, "1.414"),
        (1953.7, "1954"),
        (0.0, "0"),
        (-3.2e-14, "0"),
        (2.5e6, "2.5e+06"),
        (-12.0, "−12"),
    ],
)
def test_numbers_are_short(value: float, text: str) -> None:
    assert number_text(value) == text


def test_joints_loads_and_springs_are_named(scene: Scene) -> None:
    tags = {tag.id: tag for tag in tags_of(scene, VIEW_LIGHT, (), {})}
    assert set(tags) == {"J1", "J2", "J3", "J4", "S1", "F1"}
    assert tags["F1"].text == "F1  1000 N"
    assert tags["S1"].text == "S1    l = 1.414 m    f = 0 N"
    assert tags["J1"].color == VIEW_LIGHT.tokens.joint
    assert {tag.color for tag in tags_of(scene, VIEW_DARK, (), {}) if tag.id == "F1"} == {"#FB923C"}


def test_values_of_a_run_take_the_place_of_the_drawn_ones(scene: Scene) -> None:
    tags = {tag.id: tag for tag in tags_of(scene, VIEW_LIGHT, (), {"S1.length": 1.505, "S1.force": 1954.2})}
    assert tags["S1"].text == "S1    l = 1.505 m    f = 1954 N"


def test_of_many_springs_only_the_chosen_ones_show_values(tensegrity: Mechanism, qapp: QApplication) -> None:
    scene = Scene(VIEW_LIGHT)
    scene.show(tensegrity)
    assert tags_of(scene, VIEW_LIGHT, (), {}) == []
    chosen = tensegrity.forces[3].id
    assert [tag.id for tag in tags_of(scene, VIEW_LIGHT, (chosen,), {})] == [chosen]


def test_names_lie_in_view_and_not_on_each_other(scene: Scene) -> None:
    camera = fitted(scene)
    rects = TagLayout().rects(tags_of(scene, VIEW_LIGHT, (), {}), scene, camera, WIDTH, HEIGHT, [])
    view = QRectF(0, 0, WIDTH, HEIGHT)
    assert len(rects) == 6
    places = list(rects.values())
    assert all(view.contains(rect) for rect in places)
    assert not any(a.intersects(b) for k, a in enumerate(places) for b in places[:k])


def test_names_keep_clear_of_cards(scene: Scene) -> None:
    camera = fitted(scene)
    tags = tags_of(scene, VIEW_LIGHT, (), {})
    first = TagLayout().rects(tags, scene, camera, WIDTH, HEIGHT, [])["J1"]
    moved = TagLayout().rects(tags, scene, camera, WIDTH, HEIGHT, [first])["J1"]
    assert not moved.intersects(first)


def test_a_name_keeps_its_side_while_the_view_turns(scene: Scene) -> None:
    camera = fitted(scene)
    layout, tags = TagLayout(), tags_of(scene, VIEW_LIGHT, (), {})
    offsets = []
    for angle in np.linspace(0, 0.6, 5):
        turned = camera.orbited(float(angle), 0.0, np.zeros(3))
        rect = layout.rects(tags, scene, turned, WIDTH, HEIGHT, [])["J2"]
        x, y, _ = turned.project(scene.items["J2"].centre[None], WIDTH, HEIGHT)[0]
        offsets.append((rect.center().x() - x, rect.center().y() - y))
    assert np.allclose(offsets, offsets[0], atol=1e-6)


def test_names_behind_the_eye_are_left_out(scene: Scene) -> None:
    camera = fitted(scene).panned(np.array([0.0, 50.0, 0.0]))
    assert TagLayout().rects(tags_of(scene, VIEW_LIGHT, (), {}), scene, camera, WIDTH, HEIGHT, []) == {}
