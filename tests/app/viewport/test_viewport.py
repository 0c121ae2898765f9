from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from linkwright.document.commands import SetField
from linkwright.document.mechanism import Mechanism
from linkwright_app.services.document_store import Delta, difference
from linkwright_app.viewport.canvas import GlCanvas, ImageCanvas, gl_report
from linkwright_app.viewport.cards import Crumb
from linkwright_app.viewport.viewport import Viewport

MakeView = Callable[..., Viewport]

KINDS = ["image", "gl"]


def pixels(image: QImage) -> np.ndarray:
    flat = image.convertToFormat(QImage.Format.Format_RGB888)
    raw = np.frombuffer(flat.constBits(), np.uint8).reshape(flat.height(), flat.bytesPerLine())
    return raw[:, : 3 * flat.width()].reshape(flat.height(), flat.width(), 3).astype(int).copy()


def shot(view: Viewport) -> QImage:
    return view.grab_image(refined=False)


def drawn_share(image: QImage) -> float:
    """Share of strongly coloured pixels: bodies and glyphs against the grey of background and grid."""
    seen = pixels(image)
    return float((np.ptp(seen, axis=2) > 60).mean())


def send(view: Viewport, kind: QEvent.Type, place: QPointF, button: Qt.MouseButton, **more: Any) -> None:
    held = button if kind != QEvent.Type.MouseButtonRelease else Qt.MouseButton.NoButton
    pressed = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else button
    modifiers = more.get("modifiers", Qt.KeyboardModifier.NoModifier)
    event = QMouseEvent(kind, place, view.mapToGlobal(place), pressed, held, modifiers)
    handlers = {
        QEvent.Type.MouseButtonPress: view.mousePressEvent,
        QEvent.Type.MouseMove: view.mouseMoveEvent,
        QEvent.Type.MouseButtonRelease: view.mouseReleaseEvent,
    }
    handlers[kind](event)


def drag(view: Viewport, start: QPointF, stop: QPointF, button: Qt.MouseButton, **more: Any) -> None:
    send(view, QEvent.Type.MouseButtonPress, start, button, **more)
    for share in (0.5, 1.0):
        send(view, QEvent.Type.MouseMove, start + (stop - start) * share, button, **more)
    send(view, QEvent.Type.MouseButtonRelease, stop, button, **more)


def click(view: Viewport, place: QPointF, button: Qt.MouseButton = Qt.MouseButton.LeftButton) -> None:
    send(view, QEvent.Type.MouseButtonPress, place, button)
    send(view, QEvent.Type.MouseButtonRelease, place, button)


def place_of(view: Viewport, point: np.ndarray) -> QPointF:
    x, y, _ = view.camera.project(point[None], *view.view_size())[0]
    return QPointF(x, y)


# ---------------------------------------------------------------- drawing
@pytest.mark.parametrize("kind", KINDS)
def test_a_mechanism_is_drawn(make_view: MakeView, slider_crank: Mechanism, kind: str) -> None:
    view = make_view(slider_crank, canvas=kind)
    expected = GlCanvas if kind == "gl" and gl_report().works else ImageCanvas
    assert isinstance(view.canvas_widget(), expected)
    assert view.frames_per_second() > 0
    assert view.frame_seconds() > 0
    assert drawn_share(shot(view)) > 0.03


@pytest.mark.parametrize("kind", KINDS)
def test_both_ways_of_drawing_give_the_same_picture(
    make_view: MakeView, slider_crank: Mechanism, kind: str
) -> None:
    here = pixels(shot(make_view(slider_crank, canvas=kind)))
    other = pixels(shot(make_view(slider_crank, canvas="image")))
    assert here.shape == other.shape
    # Drivers round colours and edges differently.
    assert np.abs(here - other).mean() < 2.0


@pytest.mark.parametrize("kind", KINDS)
def test_resizing_hiding_and_showing(
    make_view: MakeView, slider_crank: Mechanism, qtbot: QtBot, kind: str
) -> None:
    view = make_view(slider_crank, canvas=kind)
    for width, height in ((700, 300), (200, 500), (161, 121)):
        view.resize(width, height)
        view.repaint_now()
        image = shot(view)
        ratio = view.devicePixelRatioF()
        assert abs(image.width() - width * ratio) <= 1
        assert abs(image.height() - height * ratio) <= 1
        assert drawn_share(image) > 0.01
    view.hide()
    view.set_poses(None)
    with qtbot.waitExposed(view):
        view.show()
    view.repaint_now()
    assert drawn_share(shot(view)) > 0.01


def test_a_fitted_view_stays_fitted_when_its_size_changes(
    make_view: MakeView, slider_crank: Mechanism
) -> None:
    view = make_view(slider_crank)
    for size in ((700, 300), (300, 500)):
        view.resize(*size)
        width, height = view.view_size()
        places = view.camera.project(view.scene.points(), width, height)
        reach = max(np.abs(places[:, 0] / width - 0.5).max(), np.abs(places[:, 1] / height - 0.5).max())
        assert 0.35 < reach < 0.5


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("first", [0, 1])
def test_two_views_close_in_either_order(
    make_view: MakeView, slider_crank: Mechanism, pendulum: Mechanism, kind: str, first: int
) -> None:
    views = [make_view(slider_crank, canvas=kind), make_view(pendulum, canvas=kind)]
    views[first].release()
    views[first].close()
    other = views[1 - first]
    other.standard_view("top")
    other.repaint_now()
    assert drawn_share(shot(other)) > 0.005


@pytest.mark.parametrize("kind", KINDS)
def test_opening_and_closing_many_times_leaves_nothing(
    slider_crank: Mechanism, qtbot: QtBot, kind: str
) -> None:
    gone: list[weakref.ref[Any]] = []
    for _ in range(20):
        view = Viewport(theme="dark", canvas=kind)
        view.resize(200, 150)
        view.show_mechanism(slider_crank)
        with qtbot.waitExposed(view):
            view.show()
        view.repaint_now()
        gone.append(weakref.ref(view.scene))
        view.release()
        view.close()
        view.deleteLater()
        del view
        qtbot.wait(1)
    gc.collect()
    assert sum(scene() is not None for scene in gone) <= 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_view_without_release_can_be_deleted(slider_crank: Mechanism, qtbot: QtBot, kind: str) -> None:
    owner = QWidget()
    layout = QVBoxLayout(owner)
    view = Viewport(theme="light", canvas=kind)
    layout.addWidget(view)
    view.show_mechanism(slider_crank)
    owner.resize(300, 200)
    with qtbot.waitExposed(owner):
        owner.show()
    view.repaint_now()
    del view
    owner.close()
    owner.deleteLater()
    qtbot.wait(20)


@pytest.mark.parametrize("kind", KINDS)
def test_moving_to_another_window_makes_the_context_anew(
    make_view: MakeView, slider_crank: Mechanism, qtbot: QtBot, kind: str
) -> None:
    view = make_view(slider_crank, canvas=kind)
    owner = QWidget()
    qtbot.addWidget(owner)
    layout = QVBoxLayout(owner)
    layout.addWidget(view)
    owner.resize(400, 300)
    with qtbot.waitExposed(owner):
        owner.show()
    view.repaint_now()
    assert drawn_share(shot(view)) > 0.01
    view.setParent(None)
    view.show()
    view.repaint_now()
    assert drawn_share(shot(view)) > 0.01


def test_drawing_after_release_is_harmless(make_view: MakeView, slider_crank: Mechanism) -> None:
    view = make_view(slider_crank)
    view.release()
    view.release()
    view.set_poses(None)
    view.show_mechanism(slider_crank)
    view.resize(300, 300)
    view.repaint_now()
    view.finish_still()
    assert shot(view).isNull()


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_while_drawing_does_not_end_the_program(
    make_view: MakeView,
    slider_crank: Mechanism,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    kind: str,
) -> None:
    view = make_view(slider_crank, canvas=kind)

    def broken(*_: object) -> None:
        raise RuntimeError("the driver is gone")

    with monkeypatch.context() as patch:
        patch.setattr(view.scene, "fit_screen", broken)
        view.repaint_now()
        qtbot.wait(30)
    assert "the driver is gone" in caplog.text
    view.repaint_now()
    # OpenGL is given up after a failure; the image canvas goes on.
    assert isinstance(view.canvas_widget(), ImageCanvas)
    assert drawn_share(shot(view)) > 0.03


def test_a_still_picture_replaces_the_plain_one_after_a_rest(
    make_view: MakeView, slider_crank: Mechanism, qtbot: QtBot
) -> None:
    view = make_view(slider_crank)
    assert view.overlay.content.still is None
    qtbot.waitUntil(lambda: view.overlay.content.still is not None, timeout=20000)
    view.set_poses(None)
    assert view.overlay.content.still is None


def test_finishing_the_still_picture_at_once(make_view: MakeView, slider_crank: Mechanism) -> None:
    view = make_view(slider_crank)
    view.finish_still()
    still = view.overlay.content.still
    assert still is not None
    assert (still.width(), still.height()) == view.canvas_size()


def test_a_picture_of_another_size(make_view: MakeView, slider_crank: Mechanism) -> None:
    view = make_view(slider_crank)
    image = view.grab_image((640, 300), refined=False)
    assert (image.width(), image.height()) == (640, 300)
    assert drawn_share(image) > 0.02
    view.repaint_now()
    assert drawn_share(shot(view)) > 0.03


def test_an_empty_view_can_be_drawn(make_view: MakeView) -> None:
    view = make_view(Mechanism())
    view.fit()
    assert not shot(view).isNull()


# ---------------------------------------------------------------- content
def test_replay_moves_the_picture(make_view: MakeView, slider_crank: Mechanism) -> None:
    view = make_view(slider_crank)
    before = pixels(shot(view))
    poses = view.scene.drawn_poses()
    poses[:, 1] += 0.5
    view.set_poses(poses)
    moved = pixels(shot(view))
    assert np.abs(moved - before).mean() > 1.0
    view.set_poses(None)
    assert np.abs(pixels(shot(view)) - before).mean() < 0.1


def test_selection_is_outlined_in_the_accent(make_view: MakeView, slider_crank: Mechanism) -> None:
    view = make_view(slider_crank)
    accent = np.array([0x25, 0x63, 0xEB])

    def marked() -> int:
        return int((np.abs(pixels(shot(view)) - accent).max(axis=2) < 24).sum())

    plain = marked()
    view.set_selection(["link2"])
    assert marked() > plain + 300
    view.set_selection([])
    assert marked() == plain
    view.set_selection(["nothing", "J2", "F1", "ground", "rail"])
    assert marked() > plain


def test_the_outline_lies_around_its_element(make_view: MakeView, slider_crank: Mechanism) -> None:
    view = make_view(slider_crank)
    for what in ("labels", "glyphs"):
        view.set_shown(what, False)
    for key in ("slider", "link2"):
        view.set_selection([key])
        seen = pixels(shot(view))
        rows, columns = np.nonzero(np.abs(seen - np.array([0x25, 0x63, 0xEB])).max(axis=2) < 24)
        # The axes in the corner have a blue arm.
        keep = (columns > 90) | (rows < seen.shape[0] - 90)
        ratio = view.devicePixelRatioF()
        body = view.camera.project(view.scene.points([key]), *view.view_size())[:, :2] * ratio
        # Three pixels wide, and soft by one more.
        low, high = body.min(axis=0) - 4 * ratio, body.max(axis=0) + 4 * ratio
        outside = (columns < low[0]) | (columns > high[0]) | (rows < low[1]) | (rows > high[1])
        assert not outside[keep].any()
        assert np.abs(columns[keep].min() - body[:, 0].min()) < 6 * ratio
        assert np.abs(rows[keep].max() - body[:, 1].max()) < 6 * ratio


def test_a_failed_element_glows_red(make_view: MakeView, slider_crank: Mechanism) -> None:
    view = make_view(slider_crank)
    view.set_fault("S1")
    seen = pixels(shot(view))
    assert (np.abs(seen - np.array([0xDC, 0x26, 0x26])).max(axis=2) < 24).sum() > 50
    view.set_fault("")
    seen = pixels(shot(view))
    assert (np.abs(seen - np.array([0xDC, 0x26, 0x26])).max(axis=2) < 24).sum() < 20


def test_the_theme_changes_everything(make_view: MakeView, slider_crank: Mechanism) -> None:
    view = make_view(slider_crank)
    view.set_theme("dark")
    seen = pixels(shot(view))
    assert np.abs(seen[0, 0] - np.array([0x2B, 0x30, 0x38])).max() < 6
    assert np.abs(seen[-1, -1] - np.array([0x16, 0x18, 0x1C])).max() < 8
    with pytest.raises(ValueError, match="no theme"):
        view.set_theme("sepia")


def test_an_edit_keeps_the_point_of_view(make_view: MakeView, slider_crank: Mechanism) -> None:
    view = make_view(slider_crank)
    view.move_camera(view.camera.zoomed(0.6, np.zeros(3)))
    camera = view.camera
    edited = SetField("link1", "color", "#123456").apply(slider_crank)
    view.show_mechanism(edited, difference(slider_crank, edited))
    assert view.camera == camera
    assert view.scene.bodies["link1"].color == "#123456"
    view.show_mechanism(slider_crank, Delta(everything=True))
    assert view.camera != camera


def test_a_new_title_draws_nothing_anew(make_view: MakeView, slider_crank: Mechanism) -> None:
    view = make_view(slider_crank)
    items = view.scene.items
    renamed = slider_crank.replaced(title="Another")
    view.show_mechanism(renamed, difference(slider_crank, renamed))
    assert view.scene.items is items


def test_switches(make_view: MakeView, slider_crank: Mechanism) -> None:
    view = make_view(slider_crank)
    before = pixels(shot(view))
    for what in ("grid", "glyphs", "labels", "shadows"):
        view.set_shown(what, False)
        assert not view.shown(what)
        assert np.abs(pixels(shot(view)) - before).max() > 20
        view.set_shown(what, True)
    assert np.abs(pixels(shot(view)) - before).mean() < 0.1


# ---------------------------------------------------------------- mouse
def test_a_click_picks_and_tells_the_keys_held(
    make_view: MakeView, slider_crank: Mechanism, qtbot: QtBot
) -> None:
    view = make_view(slider_crank)
    view.set_shown("labels", False)
    place = place_of(view, view.scene.items["J2"].centre)
    with qtbot.waitSignal(view.picked) as caught:
        click(view, place)
    assert caught.args is not None
    assert caught.args[0] == "J2"
    with qtbot.waitSignal(view.picked) as caught:
        click(view, QPointF(3, 200))
    assert caught.args is not None
    assert caught.args[0] == ""
    with qtbot.waitSignal(view.context_requested) as caught:
        click(view, place, Qt.MouseButton.RightButton)
    assert caught.args is not None
    assert caught.args[0] == "J2"


def test_a_click_on_a_name_picks_its_element(
    make_view: MakeView, slider_crank: Mechanism, qtbot: QtBot
) -> None:
    view = make_view(slider_crank)
    for key, rect in view.overlay.content.rects.items():
        with qtbot.waitSignal(view.picked) as caught:
            click(view, rect.center())
        assert caught.args is not None
        assert caught.args[0] == key


def test_hovering_tells_what_is_under_the_mouse(
    make_view: MakeView, slider_crank: Mechanism, qtbot: QtBot
) -> None:
    view = make_view(slider_crank)
    with qtbot.waitSignal(view.hovered, timeout=3000) as caught:
        send(
            view, QEvent.Type.MouseMove, place_of(view, np.array([2.4, 0.42, -0.13])), Qt.MouseButton.NoButton
        )
    assert caught.args == ["link2"]
    view.repaint_now()
    assert view.overlay.content.pointer is not None
    assert view.overlay.content.pointer[0] == "Rod"
    with qtbot.waitSignal(view.hovered, timeout=3000) as caught:
        view.leaveEvent(QEvent(QEvent.Type.Leave))
    assert caught.args == [""]


def test_a_drag_orbits_about_the_point_under_the_mouse(make_view: MakeView, slider_crank: Mechanism) -> None:
    view = make_view(slider_crank)
    start = place_of(view, np.array([2.4, 0.42, -0.13]))
    pivot = view.pick_at(start).point
    assert pivot is not None
    azimuth = view.camera.azimuth
    drag(view, start, start + QPointF(60, 25), Qt.MouseButton.LeftButton)
    assert view.camera.azimuth != azimuth
    moved = place_of(view, pivot) - start
    assert abs(moved.x()) < 0.01
    assert abs(moved.y()) < 0.01


def test_a_right_drag_carries_the_point_along(make_view: MakeView, slider_crank: Mechanism) -> None:
    view = make_view(slider_crank)
    start = place_of(view, np.array([2.4, 0.42, -0.13]))
    point = view.pick_at(start).point
    assert point is not None
    direction = view.camera.rows()
    drag(view, start, start + QPointF(40, -30), Qt.MouseButton.RightButton)
    assert np.allclose(view.camera.rows(), direction)
    moved = place_of(view, point) - start
    assert abs(moved.x() - 40) < 0.01
    assert abs(moved.y() + 30) < 0.01


def test_shift_pans_and_a_short_press_does_not_move(make_view: MakeView, slider_crank: Mechanism) -> None:
    view = make_view(slider_crank)
    camera = view.camera
    drag(view, QPointF(200, 200), QPointF(202, 201), Qt.MouseButton.LeftButton)
    assert view.camera == camera
    shift = Qt.KeyboardModifier.ShiftModifier
    drag(view, QPointF(200, 200), QPointF(240, 200), Qt.MouseButton.LeftButton, modifiers=shift)
    assert np.allclose(view.camera.rows(), camera.rows())
    assert view.camera.target != camera.target


def wheel(view: Viewport, place: QPointF, notches: int) -> None:
    event = QWheelEvent(
        place, view.mapToGlobal(place), QPoint(), QPoint(0, 120 * notches), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    view.wheelEvent(event)


def test_the_wheel_zooms_to_the_mouse_within_limits(make_view: MakeView, slider_crank: Mechanism) -> None:
    view = make_view(slider_crank)
    place = place_of(view, np.array([2.4, 0.42, -0.13]))
    point = view.pick_at(place).point
    assert point is not None
    distance = view.camera.distance
    wheel(view, place, 2)
    assert view.camera.distance == pytest.approx(distance * 0.86**2)
    moved = place_of(view, point) - place
    assert abs(moved.x()) < 0.01
    assert abs(moved.y()) < 0.01
    wheel(view, place, 200)
    assert 0 < view.camera.distance >= 0.0199 * view.scene.size
    wheel(view, place, -2000)
    assert view.camera.distance <= 60.1 * view.scene.size


# ---------------------------------------------------------------- views and cards
def test_standard_views_glide_and_arrive(make_view: MakeView, slider_crank: Mechanism, qtbot: QtBot) -> None:
    view = make_view(slider_crank)
    view.standard_view("front")
    assert view.camera.elevation != 0.0
    qtbot.waitUntil(lambda: view.camera.elevation == 0.0 and view.camera.azimuth == 0.0, timeout=5000)
    with pytest.raises(ValueError, match="no view"):
        view.standard_view("sideways")


def test_fitting_the_selection_brings_it_near(
    make_view: MakeView, slider_crank: Mechanism, qtbot: QtBot
) -> None:
    view = make_view(slider_crank)
    distance = view.camera.distance
    view.set_selection(["slider"])
    view.fit_selection()
    qtbot.waitUntil(lambda: view.camera.distance < 0.6 * distance, timeout=5000)
    view.fit()
    qtbot.waitUntil(lambda: view.camera.distance > 0.9 * distance, timeout=5000)


def test_the_projection_can_be_orthographic(make_view: MakeView, slider_crank: Mechanism) -> None:
    view = make_view(slider_crank)
    before = pixels(shot(view))
    view.set_projection(False)
    assert not view.camera.perspective
    assert drawn_share(shot(view)) > 0.03
    assert np.abs(pixels(shot(view)) - before).mean() > 0.2


def test_clicking_the_cube_turns_the_view(make_view: MakeView, slider_crank: Mechanism, qtbot: QtBot) -> None:
    view = make_view(slider_crank)
    faces = view.cube.polygons()
    assert {"top", "front"} <= set(faces)
    middle = faces["top"].boundingRect().center()
    assert view.cube.face_at(middle) == "top"
    with qtbot.waitSignal(view.cube.chosen) as caught:
        QTest.mouseClick(view.cube, Qt.MouseButton.LeftButton, pos=middle.toPoint())
    assert caught.args == ["top"]
    qtbot.waitUntil(lambda: set(view.cube.polygons()) == {"top"}, timeout=5000)
    assert view.camera.elevation > 1.5


def test_cards_show_what_they_are_given(make_view: MakeView, slider_crank: Mechanism, qtbot: QtBot) -> None:
    view = make_view(slider_crank)
    view.breadcrumb.set_path([Crumb("Slider-crank", icon="globe"), Crumb("Forces"), Crumb("S1", "S1")])
    view.set_status(["DOF 1", "21 coordinates"])
    view.run_card.set_title("Run B", "step 73 of 100", "#E69F00")
    view.run_card.set_progress(0.73)
    view.run_card.set_rows([("100 steps/s", "real time x1.0"), ("time left", "0.27 s")])
    view.run_card.show()
    assert view.status.isVisible()
    assert view.status.geometry().right() <= view.width()
    with qtbot.waitSignal(view.breadcrumb.clicked) as caught:
        QTest.mouseClick(
            view.breadcrumb, Qt.MouseButton.LeftButton, pos=QPoint(view.breadcrumb.width() - 12, 12)
        )
    assert caught.args == ["S1"]
    for card in (view.breadcrumb, view.status, view.run_card, view.cube):
        shown = pixels(card.grab().toImage())
        assert len(np.unique(shown.reshape(-1, 3), axis=0)) > 8
    view.set_status([])
    assert not view.status.isVisible()
