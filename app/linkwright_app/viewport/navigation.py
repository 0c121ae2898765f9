"""What the mouse does in the 3D view: orbit, pan, zoom and pick, without any of VTK's own keys and styles."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent, QNativeGestureEvent, QWheelEvent

from linkwright_app.viewport.camera import Camera
from linkwright_app.viewport.picking import Pick

CLICK_PIXELS = 4.0
"""A press that moves less than this is a click [logical px]."""
TURN_PER_PIXEL = math.radians(0.35)
ZOOM_PER_NOTCH = 0.86
"""Factor on the distance for one notch of the wheel, 120 units."""
PIXELS_PER_NOTCH = 60.0
NEAREST, FARTHEST = 0.02, 60.0
"""Limits of the distance over the size of the scene."""

LEFT, MIDDLE, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton, Qt.MouseButton.RightButton


class Steered(Protocol):
    """What navigation needs of the view."""

    camera: Camera

    def view_size(self) -> tuple[float, float]:
        """Width and height [logical px]."""
        ...

    def scene_size(self) -> float:
        """Size of the mechanism [m]."""
        ...

    def pick_at(self, place: QPointF) -> Pick:
        """Element under a place."""
        ...

    def move_camera(self, camera: Camera) -> None:
        """Use another camera, as part of a drag."""
        ...

    def click(self, place: QPointF, event: QMouseEvent) -> None:
        """A click without a drag."""
        ...


class Navigation:
    """Turns mouse events into camera moves and clicks.

    Left or middle drag orbits about the point under the mouse, right drag or Shift pans, Ctrl with the middle button
    zooms; the wheel zooms to the mouse.
    """

    def __init__(self, view: Steered) -> None:
        self._view = view
        self._pressed: QPointF | None = None
        self._last = QPointF()
        self._button = LEFT
        self._mode = ""
        self._pivot = np.zeros(3)
        self._depth = 1.0

    @property
    def dragging(self) -> bool:
        """Whether the camera is being moved."""
        return self._mode != ""

    def press(self, event: QMouseEvent) -> None:
        """Begin a click or a drag."""
        if self._pressed is not None or event.button() not in (LEFT, MIDDLE, RIGHT):
            return
        self._pressed = self._last = event.position()
        self._button = event.button()

    def move(self, event: QMouseEvent) -> bool:
        """Go on with a drag; tells whether there is one."""
        if self._pressed is None:
            return False
        place = event.position()
        if not self._mode:
            moved = place - self._pressed
            if math.hypot(moved.x(), moved.y()) < CLICK_PIXELS:
                return True
            self._begin(self._pressed, event.modifiers())
        self._drag(place)
        self._last = place
        return True

    def release(self, event: QMouseEvent) -> None:
        """End a drag, or click."""
        if self._pressed is None or event.button() != self._button:
            return
        clicked, self._mode, self._pressed = not self._mode, "", None
        if clicked:
            self._view.click(event.position(), event)

    def cancel(self) -> None:
        """Forget a drag, for example when the window loses the mouse."""
        self._mode, self._pressed = "", None

    def _begin(self, place: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        shift = bool(modifiers & Qt.KeyboardModifier.ShiftModifier)
        control = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
        if self._button == RIGHT or shift:
            self._mode = "pan"
        elif control and self._button == MIDDLE:
            self._mode = "zoom"
        else:
            self._mode = "orbit"
        self._pivot, self._depth = self._grasp(place)

    def _grasp(self, place: QPointF) -> tuple[np.ndarray, float]:
        """Point under the mouse, on a surface or else at the depth of the target, and its depth [m]."""
        camera = self._view.camera
        met = self._view.pick_at(place)
        if met.point is not None and met.depth is not None and met.depth > 0:
            return met.point, met.depth
        width, height = self._view.view_size()
        return camera.point_at(place.x(), place.y(), width, height), camera.distance

    def _drag(self, place: QPointF) -> None:
        camera = self._view.camera
        step = place - self._last
        if self._mode == "orbit":
            moved = camera.orbited(-step.x() * TURN_PER_PIXEL, step.y() * TURN_PER_PIXEL, self._pivot)
        elif self._mode == "pan":
            width, height = self._view.view_size()
            before = camera.point_at(self._last.x(), self._last.y(), width, height, self._depth)
            after = camera.point_at(place.x(), place.y(), width, height, self._depth)
            moved = camera.panned(before - after)
        else:
            moved = self._limited(camera, math.exp(step.y() / 150.0), self._pivot)
        self._view.move_camera(moved)

    def wheel(self, event: QWheelEvent) -> None:
        """Zoom to the mouse."""
        pixels, notches = event.pixelDelta(), event.angleDelta().y() / 120.0
        if not pixels.isNull() and event.angleDelta().isNull():
            notches = pixels.y() / PIXELS_PER_NOTCH
        if notches:
            self._zoom(event.position(), ZOOM_PER_NOTCH**notches)
        event.accept()

    def gesture(self, event: QNativeGestureEvent) -> bool:
        """Zoom by a pinch on a touchpad; tells whether the gesture was used."""
        if event.gestureType() != Qt.NativeGestureType.ZoomNativeGesture:
            return False
        self._zoom(event.position(), 1.0 / max(1.0 + event.value(), 0.2))
        return True

    def _zoom(self, place: QPointF, factor: float) -> None:
        point, _ = self._grasp(place)
        self._view.move_camera(self._limited(self._view.camera, factor, point))

    def _limited(self, camera: Camera, factor: float, fixed: np.ndarray) -> Camera:
        size = self._view.scene_size()
        wanted = min(max(camera.distance * factor, NEAREST * size), FARTHEST * size)
        return camera.zoomed(wanted / camera.distance, fixed)
