"""The 3D view: a scene on a canvas, with overlay, view cube and cards, steered by the mouse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QHideEvent,
    QImage,
    QMouseEvent,
    QNativeGestureEvent,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QWidget

from linkwright.document.mechanism import Mechanism
from linkwright.document.parameters import evaluated
from linkwright_app.services.document_store import Delta
from linkwright_app.viewport.camera import STANDARD_VIEWS, Camera
from linkwright_app.viewport.canvas import FallbackCanvas, gl_report
from linkwright_app.viewport.cards import Breadcrumb, RunCard, StatusPill
from linkwright_app.viewport.frame_source import FrameSource
from linkwright_app.viewport.glide import Glide
from linkwright_app.viewport.navigation import Navigation
from linkwright_app.viewport.overlay import Overlay
from linkwright_app.viewport.picking import Pick, pick
from linkwright_app.viewport.renderer import Pixels, SceneRenderer
from linkwright_app.viewport.scene import Scene
from linkwright_app.viewport.theme import view_theme
from linkwright_app.viewport.view_cube import CORNER, SIDE, ViewCube

Array = NDArray[np.float64]

SETTLE = 180
"""Rest before a still picture is refined [ms]."""
HOVER_TICK = 30
"""Least time between two searches for what is under the mouse [ms]."""
MARGIN = 12
UNSEEN_FIELDS = frozenset({"title", "description", "settings"})
"""Fields of the mechanism that change nothing in the view."""


class Viewport(QWidget):
    """The 3D view of a mechanism.

    Parameters
    ----------
    parent : QWidget or None
        Owner.
    theme : str
        ``"light"`` or ``"dark"``.
    canvas : str
        ``"auto"``, ``"gl"`` or ``"image"`` (the setting "safe graphics"), see `make_canvas`.

    Attributes
    ----------
    scene : Scene
        What is drawn.
    camera : Camera
        Point of view; change it by the methods here.
    breadcrumb, status, run_card
        Cards over the view; callers fill them.
    """

    picked = Signal(str, object)
    hovered = Signal(str)
    activated = Signal(str)
    context_requested = Signal(str, QPoint)
    camera_changed = Signal()

    def __init__(self, parent: QWidget | None = None, theme: str = "light", canvas: str = "auto") -> None:
        super().__init__(parent)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(160, 120)
        self.setAccessibleName(self.tr("3D view"))
        self._theme = view_theme(theme)
        self.scene = Scene(self._theme)
        self.camera = self.scene.default_camera()
        self._released = False
        self._auto_fit = True
        report = gl_report()
        self._frames = FrameSource(self.scene, software=report.software or not report.works)
        self._canvas = FallbackCanvas(self, self.scene, self._draw, canvas)
        self._canvas.replaced.connect(self._changed)
        self.overlay = Overlay(self, self._theme)
        self.breadcrumb = Breadcrumb(self, self._theme)
        self.status = StatusPill(self, self._theme)
        self.run_card = RunCard(self, self._theme)
        self.cube = ViewCube(self, self._theme)
        self.cube.chosen.connect(self.standard_view)
        self._navigation = Navigation(self)
        self._moving = False
        self._settle = self._timer(self._begin_still, SETTLE)
        self._next_still = self._timer(self._continue_still, 0)
        self._gliding = Glide(self)
        self._gliding.moved.connect(self._use_camera)
        self._gliding.arrived.connect(self._settle_names)
        self._hover_timer = self._timer(self._search_hover, HOVER_TICK)
        self._pointer: QPointF | None = None
        application = QApplication.instance()
        if application is not None:
            application.aboutToQuit.connect(self.release)

    def _timer(self, slot: object, milliseconds: int) -> QTimer:
        made = QTimer(self)
        made.setSingleShot(True)
        made.setInterval(milliseconds)
        made.timeout.connect(slot)
        return made

    # ---------------------------------------------------------------- content
    def show_mechanism(self, mechanism: Mechanism, delta: Delta | None = None) -> None:
        """Show a mechanism in its drawn pose.

        Parameters
        ----------
        mechanism : Mechanism
            Evaluated or not.
        delta : Delta or None
            What changed since the last call; None and a new document also bring the view back to the default.
        """
        mechanism = evaluated(mechanism)
        if delta is not None and not delta.everything:
            if not (delta.added or delta.removed or delta.changed) and delta.fields <= UNSEEN_FIELDS:
                return
            was_empty = not self.scene.mechanism.bodies and not self.scene.mechanism.ground.shapes
            self.scene.show(mechanism)
            if was_empty or self._auto_fit:
                self._fit_now()
        else:
            self.scene.show(mechanism)
            composer = self._frames.composer
            composer.selection, composer.hover, composer.channels = (), "", {}
            perspective = self.camera.perspective
            self.camera = replace(self.scene.default_camera(), perspective=perspective)
            self._auto_fit = True
            self._fit_now()
        self._frames.shadow_stale = True
        self._frames.composer.layout.forget()
        self._changed()

    def set_poses(self, poses: Array | None) -> None:
        """Show the bodies in other poses, (n_body, 7) [x y z w x y z]; None for the drawn ones."""
        self.scene.set_poses(poses)
        self._frames.shadow_stale = True
        self._changed()

    def set_channels(self, channels: Mapping[str, float]) -> None:
        """Give the values of a run at the moment shown, for the values written at springs."""
        self._frames.composer.channels = dict(channels)
        self._changed()

    def set_traces(self, paths: Iterable[tuple[Array, str]]) -> None:
        """Show paths of points: (n, 3) [m] and a colour each; none takes the old ones away."""
        self.scene.clear_traces()
        for path, color in paths:
            self.scene.add_trace(path, color)
        self._changed()

    def set_selection(self, ids: Iterable[str]) -> None:
        """Outline some elements."""
        self._frames.composer.selection = tuple(dict.fromkeys(ids))
        self._changed()

    def set_fault(self, element_id: str) -> None:
        """Mark the element a run failed at; an empty id takes the mark away."""
        self._frames.composer.fault = element_id
        self._changed()

    def set_theme(self, name: str) -> None:
        """Change to ``"light"`` or ``"dark"``."""
        self._theme = view_theme(name)
        self.scene.set_theme(self._theme)
        self.overlay.theme = self._theme
        self.cube.theme = self._theme
        for card in (self.breadcrumb, self.status, self.run_card):
            card.set_theme(self._theme)
        self.cube.update()
        self._frames.shadow_stale = True
        self._changed()

    def set_shown(self, what: str, shown: bool) -> None:
        """Switch ``"grid"``, ``"glyphs"``, ``"labels"`` or ``"shadows"``."""
        self.scene.set_shown(what, shown)
        self._frames.shadow_stale = True
        self._changed()

    def shown(self, what: str) -> bool:
        """Whether a switch is on."""
        return self.scene.shown(what)

    # ---------------------------------------------------------------- camera
    def fit(self) -> None:
        """Bring everything into view."""
        self._auto_fit = True
        self._glide(self.camera.fitted(self.scene.points(), self._aspect()))

    def fit_selection(self) -> None:
        """Bring the selected elements into view, or everything when nothing is selected."""
        chosen = self._frames.composer.selection
        points = self.scene.points(chosen) if chosen else np.zeros((0, 3))
        if len(points) == 0:
            self.fit()
            return
        self._auto_fit = False
        self._glide(self.camera.fitted(points, self._aspect(), margin=0.5))

    def standard_view(self, name: str) -> None:
        """Look from ``"front"``, ``"back"``, ``"right"``, ``"left"``, ``"top"``, ``"bottom"``, ``"iso"``, ``"home"``.

        Raises
        ------
        ValueError
            For any other name.
        """
        if name == "home":
            wanted = replace(self.scene.default_camera(), perspective=self.camera.perspective)
        elif name in STANDARD_VIEWS:
            wanted = self.camera.looking(*STANDARD_VIEWS[name])
        else:
            raise ValueError(f"There is no view {name!r}; known: home, {', '.join(STANDARD_VIEWS)}.")
        if self._auto_fit or name == "home":
            self._auto_fit = True
            wanted = wanted.fitted(self.scene.points(), self._aspect())
        self._glide(wanted)

    def set_projection(self, perspective: bool) -> None:
        """Choose perspective or orthographic."""
        self._use_camera(replace(self.camera, perspective=perspective))

    def move_camera(self, camera: Camera) -> None:
        """Use another camera at once, as a person moves it."""
        self._auto_fit = False
        self._gliding.end()
        self._use_camera(camera)

    def _glide(self, camera: Camera) -> None:
        self._frames.composer.layout.forget()
        if not self.isVisible():
            self._use_camera(camera)
            return
        self._gliding.begin(self.camera, camera)

    def _settle_names(self) -> None:
        """Look for new places of the names."""
        self._frames.composer.layout.forget()
        self._changed()

    def _use_camera(self, camera: Camera) -> None:
        self.camera = camera
        self.cube.set_camera(camera)
        self._changed()
        self.camera_changed.emit()

    def _fit_now(self) -> None:
        self._gliding.end()
        self._use_camera(self.camera.fitted(self.scene.points(), self._aspect()))

    def _aspect(self) -> float:
        width, height = self.view_size()
        return width / height

    def view_size(self) -> tuple[float, float]:
        """Width and height of the picture [logical px]; fractions of a pixel count on scaled screens."""
        width, height = self._canvas.size_px()
        ratio = self._canvas.ratio()
        return width / ratio, height / ratio

    def scene_size(self) -> float:
        """Size of the mechanism [m]."""
        return self.scene.size

    # ---------------------------------------------------------------- picking
    def pick_at(self, place: QPointF) -> Pick:
        """Find the element under a place of the view, names included."""
        named = self.overlay.tag_at(place) if self.scene.shown("labels") else ""
        if named in self.scene.items:
            return Pick(named)
        return pick(self.scene, self.camera, place.x(), place.y(), *self.view_size())

    def click(self, place: QPointF, event: QMouseEvent) -> None:
        """Tell the others what was clicked."""
        met = self.pick_at(place)
        if event.button() == Qt.MouseButton.RightButton:
            self.context_requested.emit(met.id, event.globalPosition().toPoint())
        elif event.button() == Qt.MouseButton.LeftButton:
            self.picked.emit(met.id, event.modifiers())

    def _search_hover(self) -> None:
        place = self._pointer
        found = self.pick_at(place).id if place is not None and not self._navigation.dragging else ""
        if found != self._frames.composer.hover:
            self._frames.composer.hover = found
            self.hovered.emit(found)
            self._changed()
        elif found:
            self._changed(picture=False)

    # ---------------------------------------------------------------- frames
    def _changed(self, *, picture: bool = True) -> None:
        """Ask for a new frame; with `picture` False only what lies over it changes."""
        if self._released:
            return
        if picture:
            self._frames.cancel_still()
            self._next_still.stop()
            self._settle.start()
            self._canvas.request()
        else:
            self._frames.composer.point_at(self._frames.content, self._pointer)
        self.overlay.update()

    def _draw(self, renderer: SceneRenderer) -> bool:
        """Draw a frame for the canvas; tells whether to show it."""
        cards = (self.breadcrumb, self.status, self.run_card, self.cube)
        keep_out = [QRectF(card.geometry()) for card in cards if card.isVisible()]
        shown = self._frames.draw(renderer, self.camera, self._canvas.ratio(), keep_out, self._pointer)
        self.overlay.content = self._frames.content
        if not shown:
            self.overlay.update()
        if self._frames.refining:
            self._next_still.start()
        return shown

    def set_moving(self, moving: bool) -> None:
        """Tell that the bodies keep moving, as in a run or a replay: no refined picture is begun in between."""
        if moving != self._moving:
            self._moving = moving
            self._changed()

    def _begin_still(self) -> None:
        resting = not self._moving and not self._navigation.dragging
        if not self._released and self.isVisible() and resting:
            self._frames.begin_still()
            self._canvas.request()

    def _continue_still(self) -> None:
        if self._frames.refining:
            self._canvas.request()

    def frames_per_second(self) -> float:
        """Frames drawn in the last second."""
        return self._frames.effort.rate.per_second()

    def frame_seconds(self) -> float:
        """Mean time a recent frame took [s]."""
        return self._frames.effort.rate.seconds

    def repaint_now(self) -> None:
        """Draw a frame before returning."""
        self._changed()
        self._canvas.widget().repaint()
        self.overlay.repaint()

    def finish_still(self) -> None:
        """Refine the picture at rest before returning, for screenshots of a window on the screen."""
        self.repaint_now()
        self._settle.stop()
        self._frames.begin_still(best=True)
        done = -1
        while self._frames.refining and self._frames.progress != done:
            # Nothing is painted before the window is on the screen; then there is no progress either.
            done = self._frames.progress
            self._canvas.request()
            self._canvas.widget().repaint()
        self.overlay.repaint()

    def grab_image(self, size: tuple[int, int] | None = None, *, refined: bool = True) -> QImage:
        """Make a picture of the view with names and outlines; null after `release`.

        Parameters
        ----------
        size : pair of int, optional
            Width and height in pixels; the default is the size of the view on this screen.
        refined : bool
            Whether light and edges are as fine as they can be, which takes a while.
        """
        ratio = self._canvas.ratio() if size is None else 1.0
        wanted = self._canvas.size_px() if size is None else size
        content = self._frames.content

        def draw(renderer: SceneRenderer) -> Pixels:
            nonlocal content
            pixels, content = self._frames.picture(
                renderer, self.camera, ratio, anew=size is not None, refined=refined
            )
            return pixels

        image = self._canvas.picture(wanted, draw)
        self._changed()
        return QImage() if image is None else self._frames.finished(image, content, wanted[1] / ratio, ratio)

    # ---------------------------------------------------------------- events
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()
        if self._auto_fit:
            self._fit_now()
        self._frames.composer.layout.forget()
        self._changed()

    def _arrange(self) -> None:
        width, height = self.width(), self.height()
        self._canvas.widget().setGeometry(0, 0, width, height)
        self.overlay.setGeometry(0, 0, width, height)
        self.cube.move(int(width - CORNER - SIDE / 2), int(CORNER - SIDE / 2))
        self.breadcrumb.move(MARGIN, 6)
        self.run_card.move(MARGIN, 44)
        self.status.move(width - self.status.width() - MARGIN, height - self.status.height() - MARGIN)

    def set_status(self, parts: Iterable[str]) -> None:
        """Write short facts into the lower right corner."""
        self.status.set_parts(list(parts))
        self._arrange()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._changed()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._settle.stop()
        self._frames.cancel_still()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.setAccessibleName(self.tr("3D view"))
            self.cube.retranslate()
        super().changeEvent(event)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QNativeGestureEvent) and self._navigation.gesture(event):
            return True
        if event.type() in (QEvent.Type.DevicePixelRatioChange, QEvent.Type.ScreenChangeInternal):
            self._changed()
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self._navigation.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointer = event.position()
        if not self._navigation.move(event) and not self._hover_timer.isActive():
            self._hover_timer.start()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        was_dragging = self._navigation.dragging
        self._navigation.release(event)
        if was_dragging:
            self._settle_names()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.activated.emit(self.pick_at(event.position()).id)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._navigation.wheel(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._pointer = None
        self._search_hover()
        self._changed(picture=False)

    # ---------------------------------------------------------------- canvas
    def canvas_widget(self) -> QWidget:
        """The widget that is drawn on at present."""
        return self._canvas.widget()

    def canvas_size(self) -> tuple[int, int]:
        """Size of the picture in device pixels."""
        return self._canvas.size_px()

    def release(self) -> None:
        """Stop all timers and let go of the graphics card; the view stays as an empty widget."""
        if self._released:
            return
        self._released = True
        self._gliding.end()
        for timer in (self._settle, self._next_still, self._hover_timer):
            timer.stop()
        self._canvas.release()
