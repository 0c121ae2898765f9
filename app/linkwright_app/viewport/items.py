"""Joints, springs and loads in the scene: actors that follow the bodies and keep their size on the screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonMath import vtkMatrix4x4
from vtkmodules.vtkRenderingCore import vtkActor

from linkwright.document.base import Element
from linkwright.elements.forces import AppliedForce, AppliedTorque, Sda
from linkwright.elements.glyph import GlyphPart, Rail
from linkwright_app.viewport import mesh as solid
from linkwright_app.viewport.actors import METAL_POWER, set_frame, surface_actor
from linkwright_app.viewport.camera import Camera
from linkwright_app.viewport.glyphs import (
    GLYPH_PIXELS,
    RAIL_TIE_STEP,
    arc_arrow_mesh,
    arrow_mesh,
    glyph_actors,
    glyph_data,
    rail_mesh,
)
from linkwright_app.viewport.mesh import surface_data, turn_from_z
from linkwright_app.viewport.placement import Place, Placement, RailPlace, SpringPlace, is_cable
from linkwright_app.viewport.stretched import CoilSpring, Rope, Stretched
from linkwright_app.viewport.theme import ViewTheme

Array = NDArray[np.float64]

LONGEST_ARROW, SHORTEST_ARROW = 76.0, 40.0
"""Length of the arrow of the largest load, and of a vanishing one [px]."""
TORQUE_RADIUS = 26.0
"""Radius of the arc of a torque [px]."""
ROPE_RADIUS = 0.0031
"""Over the size of the mechanism."""


class BodyFrame(NamedTuple):
    """Rotation (3, 3) and position (3,) [m] of a body in the ground."""

    rot: Array
    position: Array


Frames = Mapping[str, BodyFrame]


class Handle(NamedTuple):
    """Something thin that a person can point at: a line in the ground [m] and how near counts [px]."""

    start: Array
    stop: Array
    pixels: float


def _world(place: Place, frames: Frames) -> tuple[Array, Array]:
    frame = frames[place.body]
    return frame.rot @ place.rot, frame.rot @ place.position + frame.position


class SceneItem:
    """Base: an element with actors of its own.

    Attributes
    ----------
    element : Element
        What it stands for.
    category : str
        Kind whose colour it wears: ``"joint"`` or ``"force"``.
    actors : list of vtkActor
        Everything drawn.
    outline : list of vtkActor
        What the outline of the selection goes around.
    casts_shadow : bool
        Whether it stands between the sky and the floor.
    centre : (3,) array
        Where its name belongs [m].
    """

    category = "joint"
    casts_shadow = False

    def __init__(self, element: Element) -> None:
        self.element = element
        self.actors: list[vtkActor] = []
        self.outline: list[vtkActor] = []
        self.centre: Array = np.zeros(3)

    def follow(self, frames: Frames) -> None:
        """Move with the bodies."""
        raise NotImplementedError

    def fit_screen(self, camera: Camera, height: float) -> None:
        """Take the size that is constant on a screen of `height` logical pixels."""

    def handles(self) -> list[Handle]:
        """Places where it can be picked."""
        raise NotImplementedError

    @property
    def visible(self) -> bool:
        """Whether it is shown."""
        return bool(self.actors) and bool(self.actors[0].GetVisibility())

    def extent(self) -> Array:
        """Points that must be in a fitted view, (n, 3) [m]."""
        return self.centre[None]


class JointItem(SceneItem):
    """A joint glyph of constant size: ring and axle, ball, block."""

    def __init__(
        self, element: Element, parts: tuple[GlyphPart, ...], place: Place, theme: ViewTheme
    ) -> None:
        super().__init__(element)
        self._place = place
        self._matrix = vtkMatrix4x4()
        self._rot: Array = np.eye(3)
        self._scale = 0.0
        data = glyph_data(parts, theme, "joint")
        if data is not None:
            front, ghost = glyph_actors(data, self._matrix)
            self.actors = [front, ghost]
            self.outline = [front]

    def follow(self, frames: Frames) -> None:
        self._rot, self.centre = _world(self._place, frames)
        self._write()

    def fit_screen(self, camera: Camera, height: float) -> None:
        self._scale = camera.pixel(self.centre, height) * GLYPH_PIXELS / 2
        self._write()

    def _write(self) -> None:
        set_frame(self._matrix, self._rot, self.centre, self._scale)

    def handles(self) -> list[Handle]:
        axle = self._rot[:, 2] * self._scale
        return [
            Handle(self.centre, self.centre, 0.5 * GLYPH_PIXELS),
            Handle(self.centre - axle, self.centre + axle, 6.0),
        ]


class RailItem(SceneItem):
    """The two bars of a sliding joint: long as the guide, thin as pixels."""

    def __init__(self, element: Element, rail: RailPlace, theme: ViewTheme, px: float) -> None:
        super().__init__(element)
        self._rail = rail
        self.gap = rail.gap
        self._matrix = vtkMatrix4x4()
        ties = int(np.clip(2 * rail.half / (RAIL_TIE_STEP * px), 3, 60))
        mesh = rail_mesh(rail.half, rail.gap, px, ties)
        self._slope: Array = (rail_mesh(rail.half, rail.gap, 2 * px, ties).points - mesh.points) / px
        self._base: Array = mesh.points - px * self._slope
        self._data = surface_data(mesh)
        self._points: NDArray[np.float32] = vtk_to_numpy(self._data.GetPoints().GetData())
        self._px = px
        front, ghost = glyph_actors(self._data, self._matrix, theme.category("joint"))
        self.actors = [front, ghost]
        self.outline = [front]
        self._rot: Array = np.eye(3)
        self._middle: Array = np.zeros(3)

    def follow(self, frames: Frames) -> None:
        self._rot, self._middle = _world(self._rail.place, frames)
        set_frame(self._matrix, self._rot, self._middle)
        self.centre = self._middle - self._rot[:, 2] * 0.93 * self._rail.half

    def fit_screen(self, camera: Camera, height: float) -> None:
        px = camera.pixel(self._middle, height)
        if abs(px - self._px) < 0.01 * self._px:
            return
        self._px = px
        self._points[:] = self._base + px * self._slope
        self._data.GetPoints().GetData().Modified()
        self._data.GetPoints().Modified()
        self._data.Modified()

    def handles(self) -> list[Handle]:
        along, across = self._rot[:, 2] * self._rail.half, self._rot[:, 0] * self._rail.gap
        return [
            Handle(self._middle + s * across - along, self._middle + s * across + along, 6.0) for s in (-1, 1)
        ]

    def extent(self) -> Array:
        along, across = self._rot[:, 2] * self._rail.half, self._rot[:, 0] * self._rail.gap
        return np.array([self._middle + a * along + b * across for a in (-1, 1) for b in (-1, 1)])


class SpringItem(SceneItem):
    """A spring-damper-actuator: a coil with its posts, or a rope."""

    category = "force"
    casts_shadow = True

    def __init__(
        self, sda: Sda, place: SpringPlace, frames: Frames, posts: Mapping[str, vtkMatrix4x4], theme: ViewTheme,
        size: float,
    ) -> None:  # fmt: skip
        super().__init__(sda)
        self.sda = sda
        self._place = place
        a, b = _world(place.i, frames)[1], _world(place.j, frames)[1]
        length = float(np.linalg.norm(b - a))
        self._radius = ROPE_RADIUS * size if is_cable(sda) else place.radius
        self._drawn: Stretched
        if is_cable(sda):
            self._drawn = Rope(theme.cable, self._radius)
        else:
            self._drawn = CoilSpring(theme, self._radius, length)
        self.actors = [self._drawn.actor]
        self.outline = [self._drawn.actor]
        for post in place.posts:
            span = post.head - post.foot
            height = float(np.linalg.norm(span))
            column = solid.cylinder(post.radius, 0.0, height, 0.15 * post.radius, n=32)
            actor = surface_actor(
                surface_data(column.placed(turn_from_z(span), post.foot)),
                theme.steel_dark,
                specular=0.4,
                power=METAL_POWER,
            )
            actor.SetUserMatrix(posts[post.body])
            self.actors.append(actor)
        self._ends = np.array([a, b])
        self._drawn_length = length

    def follow(self, frames: Frames) -> None:
        a, b = _world(self._place.i, frames)[1], _world(self._place.j, frames)[1]
        self._drawn.stretch(a, b)
        self._ends = np.array([a, b])
        self.centre = (a + b) / 2

    @property
    def length(self) -> float:
        """Present distance of the ends [m]."""
        return float(np.linalg.norm(self._ends[1] - self._ends[0]))

    @property
    def static_force(self) -> float:
        """Tension at the present length without motion [N]."""
        free = self._drawn_length if self.sda.free_length is None else float(self.sda.free_length)
        stretch = self.length - free
        if self.sda.tension_only and stretch <= 0:
            return 0.0
        return float(self.sda.stiffness) * stretch + float(self.sda.actuator_force)

    def handles(self) -> list[Handle]:
        return [Handle(self._ends[0], self._ends[1], 5.0)]

    @property
    def radius(self) -> float:
        """Of coil or rope [m]."""
        return self._radius

    def extent(self) -> Array:
        return self._ends


class LoadItem(SceneItem):
    """An applied force or torque: an arrow, or an arc about it, longer for a larger load."""

    category = "force"

    def __init__(
        self,
        load: AppliedForce | AppliedTorque,
        placement: Placement,
        frames: Frames,
        theme: ViewTheme,
        share: float,
    ) -> None:
        super().__init__(load)
        self._vector = np.array(load.vector, float)
        self._on_body = load.axes == "body"
        self.turning = isinstance(load, AppliedTorque)
        self._rot: Array = np.eye(3)
        self._scale = 0.0
        self.magnitude = float(np.linalg.norm(self._vector))
        direction = self._direction(frames[placement.mechanism.body_of(load.at)].rot)
        self._place = placement.load(load, direction)
        self._length = TORQUE_RADIUS
        if self.turning:
            shape = arc_arrow_mesh(TORQUE_RADIUS, 1.0)
        else:
            self._length = SHORTEST_ARROW + (LONGEST_ARROW - SHORTEST_ARROW) * share
            shape = arrow_mesh(self._length, 1.0)
        self._matrix = vtkMatrix4x4()
        if self.magnitude > 0:
            front, ghost = glyph_actors(surface_data(shape), self._matrix, theme.category("force"))
            self.actors = [front, ghost]
            self.outline = [front]

    def _direction(self, body_rot: Array) -> Array:
        if self.magnitude == 0:
            return np.array([1.0, 0.0, 0.0])
        unit = self._vector / self.magnitude
        return np.asarray(body_rot @ unit if self._on_body else unit)

    def follow(self, frames: Frames) -> None:
        body = frames[self._place.body]
        self.centre = body.rot @ self._place.position + body.position
        self._rot = turn_from_z(self._direction(body.rot))
        self._write()

    def fit_screen(self, camera: Camera, height: float) -> None:
        self._scale = camera.pixel(self.centre, height)
        self._write()

    def _write(self) -> None:
        set_frame(self._matrix, self._rot, self.centre, self._scale)

    @property
    def tip(self) -> Array:
        """End of the arrow [m]."""
        return np.asarray(self.centre + self._rot[:, 2] * self._length * self._scale)

    def handles(self) -> list[Handle]:
        if self.turning:
            return [Handle(self.centre, self.centre, TORQUE_RADIUS + 6.0)]
        return [Handle(self.centre, self.tip, 7.0)]


def make_items(
    placement: Placement,
    frames: Frames,
    matrices: Mapping[str, vtkMatrix4x4],
    theme: ViewTheme,
    px: float,
) -> dict[str, SceneItem]:
    """Make the items of all joints and forces of a mechanism, by id.

    Parameters
    ----------
    placement : Placement
        Of the mechanism in its drawn pose.
    frames : Frames
        Bodies in that pose.
    matrices : mapping of id to vtkMatrix4x4
        The matrix each body moves its own actors by.
    theme : ViewTheme
        Colours.
    px : float
        Expected size of a pixel [m].
    """
    made: dict[str, SceneItem] = {}
    mechanism = placement.mechanism
    for joint in mechanism.joints:
        parts: tuple[GlyphPart, ...] = getattr(joint, "glyph", ())
        if any(isinstance(part, Rail) for part in parts):
            made[joint.id] = RailItem(joint, placement.rail(joint), theme, px)
        else:
            made[joint.id] = JointItem(joint, parts, placement.joint(joint), theme)
    loads = [f for f in mechanism.forces if isinstance(f, (AppliedForce, AppliedTorque))]
    largest = {
        kind: max((_magnitude(load) for load in loads if load.type == kind), default=0.0)
        for kind in ("force", "torque")
    }
    for force in mechanism.forces:
        if isinstance(force, Sda):
            place = placement.spring(force)
            made[force.id] = SpringItem(force, place, frames, matrices, theme, placement.size)
        elif isinstance(force, (AppliedForce, AppliedTorque)):
            share = _magnitude(force) / largest[force.type] if largest[force.type] > 0 else 0.0
            made[force.id] = LoadItem(force, placement, frames, theme, share)
    return made


def _magnitude(load: AppliedForce | AppliedTorque) -> float:
    return float(np.linalg.norm(np.array(load.vector, float)))
