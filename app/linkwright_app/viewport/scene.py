"""The scene: everything that stands for one mechanism, moved by poses and sized by the camera."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from vtkmodules.vtkRenderingCore import vtkActor, vtkLight, vtkRenderer

from linkwright.document.base import GROUND
from linkwright.document.mechanism import Mechanism
from linkwright_app.viewport.actors import mask_actor, pose_elements, unlit_actor
from linkwright_app.viewport.bodies import BodyActors
from linkwright_app.viewport.camera import VIEW_ANGLE, Camera, triple, upright_basis
from linkwright_app.viewport.floor import GRID_LINES, ContactShadow, grid_actor, grid_step
from linkwright_app.viewport.ghosts import Ghost
from linkwright_app.viewport.items import BodyFrame, SceneItem, make_items
from linkwright_app.viewport.mesh import surface_data, tube
from linkwright_app.viewport.placement import Placement
from linkwright_app.viewport.sky import Sky
from linkwright_app.viewport.theme import LAMPS, ViewTheme

Array = NDArray[np.float64]

OCCLUSION_RADIUS = 0.075
"""Over the size of the mechanism."""
SHADOW_HALF = 1.0
"""Half edge of the shadow's quad over the size."""
SHADOW_SHIFT = (0.025, -0.020)
"""Shift of the shadow to the right and into the depth, away from the key light, over the size."""
FLOOR_GAP = 0.10
"""Depth of the floor under a mechanism whose ground has no shapes, over the size."""
TRACE_RADIUS = 0.0016
"""Over the size."""
EMPTY_PIXEL = 0.005


class Scene:
    """All actors of one mechanism, in one renderer.

    Parameters
    ----------
    theme : ViewTheme
        Colours.

    Attributes
    ----------
    renderer : vtkRenderer
        Holds the actors and the lights; a window owner adds it to a window.
    mechanism : Mechanism
        Evaluated; what is shown.
    bodies : dict of id to BodyActors
        Every body and the ground.
    items : dict of id to SceneItem
        Joints, springs and loads.
    basis : (3, 3) array
        Rows right, depth, up of the turntable.
    size : float
        Diagonal of the box around the drawn mechanism [m].
    """

    def __init__(self, theme: ViewTheme) -> None:
        self.theme = theme
        self.mechanism = Mechanism()
        self.bodies: dict[str, BodyActors] = {}
        self.items: dict[str, SceneItem] = {}
        self.basis: Array = np.eye(3)
        self.size = 1.0
        self._frames: dict[str, BodyFrame] = {}
        self._poses: Array | None = None
        self._line_width = 1.0
        self._placement: Placement | None = None
        self._shown = {"grid": True, "glyphs": True, "labels": True, "shadows": True}
        self._ghosts: list[Ghost] = []
        self._traces: list[vtkActor] = []
        self.renderer = _lit_renderer()
        self._sky = Sky()
        self._sky.set_theme(theme)
        self.renderer.AddActor(self._sky.actor)
        self._shadow = ContactShadow(theme)
        self.renderer.AddActor(self._shadow.actor)
        self._casters: list[vtkActor] = []
        self._grid: vtkActor | None = None
        self.show(Mechanism())

    # ---------------------------------------------------------------- what is shown
    def show(self, mechanism: Mechanism) -> None:
        """Show an evaluated mechanism in its drawn pose.

        Bodies whose shapes and colour did not change keep their meshes.
        """
        old, self.mechanism = self.mechanism, mechanism
        if mechanism.gravity != old.gravity or not self._frames:
            self.basis = upright_basis(_up(mechanism))
        self._show_bodies()
        self._poses = None
        self._move_bodies(None)
        self._rebuild()

    def set_theme(self, theme: ViewTheme) -> None:
        """Change all colours."""
        self.theme = theme
        self._sky.set_theme(theme)
        self._shadow.set_theme(theme)
        self._drop_body(GROUND)
        poses = self._poses
        self.show(self.mechanism)
        if poses is not None:
            self.set_poses(poses)

    def _show_bodies(self) -> None:
        mechanism = self.mechanism
        wanted = {GROUND: (mechanism.ground.shapes, self.theme.ground, True)}
        wanted |= {b.id: (b.shapes, b.color, b.visible) for b in mechanism.bodies}
        for body_id in [known for known in self.bodies if known not in wanted]:
            self._drop_body(body_id)
        for body_id, (shapes, color, visible) in wanted.items():
            present = self.bodies.get(body_id)
            if present is None or present.shapes != shapes or present.color != color:
                self._drop_body(body_id)
                # The ground steps back in the dark, whatever its colours are in the light.
                veil = self.theme.floor if body_id == GROUND and self.theme.dark else ""
                present = BodyActors(body_id, shapes, color, veil)
                for actor in present.actors:
                    self.renderer.AddActor(actor)
                self.bodies[body_id] = present
            present.set_visible(visible)

    def _drop_body(self, body_id: str) -> None:
        body = self.bodies.pop(body_id, None)
        for actor in body.actors if body else ():
            self.renderer.RemoveActor(actor)

    def _rebuild(self) -> None:
        """Make everything that depends on the drawn pose: places of glyphs, floor, shadow."""
        for item in self.items.values():
            for actor in item.actors:
                self.renderer.RemoveActor(actor)
        placement = Placement(self.mechanism, self.bodies, self.basis)
        self._placement = placement
        self.size = placement.size
        px = self.size / 700 if self.size > 0 else EMPTY_PIXEL
        matrices = {body_id: body.matrix for body_id, body in self.bodies.items()}
        self.items = make_items(placement, self._frames, matrices, self.theme, px)
        for item in self.items.values():
            item.follow(self._frames)
            for actor in item.actors:
                self.renderer.AddActor(actor)
        self._casters = [mask_actor(a) for body in self.bodies.values() for a in body.solids]
        self._casters += [
            mask_actor(a) for item in self.items.values() if item.casts_shadow for a in item.actors
        ]
        self._lay_floor(placement)
        self.renderer.SetSSAORadius(OCCLUSION_RADIUS * self.size)
        self.clear_ghosts()
        self.clear_traces()
        self._apply_shown()
        self._apply_line_width()

    def _lay_floor(self, placement: Placement) -> None:
        right, depth, up = self.basis
        middle = (placement.low + placement.high) / 2
        level = float((placement.drawn_points() @ up).min())
        if not self.mechanism.ground.shapes:
            # What nearly touches the plane through the origin stands on it; the rest floats.
            stands = -0.05 * self.size <= level <= 0.3 * self.size
            level = min(level, 0.0) if stands else level - FLOOR_GAP * self.size
        centre = middle + up * (level - middle @ up)
        if self._grid is not None:
            self.renderer.RemoveActor(self._grid)
        self._floor = centre
        self.grid_step = grid_step(self.size)
        self._grid = grid_actor(self.theme, self.basis, centre, self.grid_step)
        self.renderer.AddActor(self._grid)
        shift = SHADOW_SHIFT[0] * self.size * right + SHADOW_SHIFT[1] * self.size * depth
        self._shadow.place(self.basis, centre + shift, SHADOW_HALF * self.size, self.size)

    # ---------------------------------------------------------------- poses
    @property
    def poses(self) -> Array | None:
        """Poses shown in place of the drawn ones, (n_body, 7), or None."""
        return self._poses

    def set_poses(self, poses: Array | None) -> None:
        """Move the bodies; only matrices and the points of springs change.

        Parameters
        ----------
        poses : (n_body, 7) array or None
            [x y z w x y z] of every body frame in the ground, in document order; None for the drawn pose.

        Raises
        ------
        ValueError
            When the number of rows is not that of the bodies.
        """
        if poses is not None:
            poses = np.asarray(poses, float)
            if poses.shape != (len(self.mechanism.bodies), 7):
                raise ValueError(
                    f"poses must have shape ({len(self.mechanism.bodies)}, 7), not {poses.shape}"
                )
        self._poses = poses
        self._move_bodies(poses)
        for item in self.items.values():
            item.follow(self._frames)

    def drawn_poses(self) -> Array:
        """Poses of the document, (n_body, 7)."""
        rows = [(*map(float, b.position), *map(float, b.orientation)) for b in self.mechanism.bodies]
        return np.array(rows, float).reshape(-1, 7)

    def _move_bodies(self, poses: Array | None) -> None:
        rows = self.drawn_poses() if poses is None else poses
        self._frames = {GROUND: BodyFrame(np.eye(3), np.zeros(3))}
        for body, pose in zip(self.mechanism.bodies, rows, strict=True):
            elements = np.array(pose_elements(pose)).reshape(4, 4)
            self._frames[body.id] = BodyFrame(elements[:3, :3], elements[:3, 3])
            self.bodies[body.id].set_pose(pose)

    # ---------------------------------------------------------------- the screen
    def fit_screen(self, camera: Camera, width: float, height: float, ratio: float = 1.0) -> None:
        """Size the glyphs and set the sky for a picture of that size in logical pixels.

        Lines are `ratio` device pixels wide, one logical pixel.
        """
        if ratio != self._line_width:
            self._line_width = ratio
            self._apply_line_width()
        self._sky.face(camera, camera.clipping_range(self.reach(camera))[1], width / height)
        if self._shown["glyphs"]:
            for item in self.items.values():
                item.fit_screen(camera, height)

    def reach(self, camera: Camera) -> float:
        """Distance of the farthest thing drawn from the camera's target [m]."""
        away = float(np.linalg.norm(np.array(camera.target) - self._floor))
        return away + max(1.2 * self.size, 0.9 * GRID_LINES * self.grid_step if self._shown["grid"] else 0.0)

    def points(self, ids: Iterable[str] | None = None) -> Array:
        """Points that a fitted view must show, (n, 3) [m]; all of them, or those of some elements."""
        wanted = None if ids is None else self._with_bodies(ids)
        parts = [body.world_points() for key, body in self.bodies.items() if wanted is None or key in wanted]
        parts += [item.extent() for key, item in self.items.items() if wanted is None or key in wanted]
        parts = [part for part in parts if len(part)]
        if not parts:
            return np.array([[-0.5, -0.5, 0.0], [0.5, 0.5, 0.5]]) if ids is None else np.zeros((0, 3))
        return np.concatenate(parts)

    def is_marker(self, element_id: str) -> bool:
        """Whether an id is that of a marker; it stands for its body in the view."""
        return any(marker.id == element_id for marker in self.mechanism.markers)

    def _with_bodies(self, ids: Iterable[str]) -> set[str]:
        """Add the body a marker stands on."""
        wanted = set(ids)
        return wanted | {m.body for m in self.mechanism.markers if m.id in wanted and m.body != GROUND}

    def default_camera(self, angle: float = VIEW_ANGLE) -> Camera:
        """Direction a mechanism of this kind is best seen from; not fitted yet."""
        normal = self._placement.normal if self._placement else None
        up = self.basis[2]
        if normal is None:
            azimuth, elevation = math.radians(25.0), math.radians(17.0)
        elif abs(normal @ up) > 0.5:
            azimuth, elevation = math.radians(-9.0), math.radians(40.0)
        else:
            right, depth = self.basis[0], self.basis[1]
            azimuth = math.atan2(float(normal @ right), float(-normal @ depth)) + math.radians(9.0)
            elevation = math.radians(12.0)
        basis = (triple(self.basis[0]), triple(self.basis[1]), triple(self.basis[2]))
        return Camera(azimuth=azimuth, elevation=elevation, basis=basis, angle=angle)

    # ---------------------------------------------------------------- switches
    def set_shown(self, what: str, shown: bool) -> None:
        """Show or hide ``"grid"``, ``"glyphs"``, ``"labels"`` or ``"shadows"``."""
        if what not in self._shown:
            raise ValueError(f"There is no switch {what!r}; known: {', '.join(self._shown)}.")
        self._shown[what] = shown
        self._apply_shown()

    def shown(self, what: str) -> bool:
        """Whether a switch is on."""
        return self._shown[what]

    def _apply_shown(self) -> None:
        if self._grid is not None:
            self._grid.SetVisibility(self._shown["grid"])
        self._shadow.actor.SetVisibility(self._shown["shadows"])
        for item in self.items.values():
            for actor in item.actors:
                # Springs and cables are things, not symbols: they stay.
                actor.SetVisibility(self._shown["glyphs"] or item.casts_shadow)

    def _apply_line_width(self) -> None:
        for body in self.bodies.values():
            body.set_line_width(self._line_width)
        if self._grid is not None:
            self._grid.GetProperty().SetLineWidth(self._line_width)

    # ---------------------------------------------------------------- shadow and outlines
    def shadow_camera(self) -> Camera:
        """Camera that looks straight down on the quad of the shadow; a picture of it is as wide as high."""
        return replace(
            self.default_camera(),
            target=triple(self._floor),
            azimuth=0.0,
            elevation=math.pi / 2,
            perspective=False,
            distance=self._shadow.half / math.tan(VIEW_ANGLE / 2),
        )

    def shadow_casters(self) -> list[vtkActor]:
        """White actors to draw with `shadow_camera`."""
        return self._casters

    def set_shadow(self, mask: NDArray[np.bool_]) -> None:
        """Take the picture of the casters, first row nearest the viewer."""
        self._shadow.set_mask(mask.astype(np.float64))

    def outline_actors(self, ids: Iterable[str]) -> list[vtkActor]:
        """White actors of some elements, for the outline of a selection."""
        wanted = self._with_bodies(ids)
        made = [mask_actor(a) for key, body in self.bodies.items() if key in wanted for a in body.solids]
        return made + [
            mask_actor(a) for key, item in self.items.items() if key in wanted for a in item.outline
        ]

    # ---------------------------------------------------------------- ghosts and traces
    def add_ghost(self, poses: Array, opacity: float) -> None:
        """Show the bodies once more, translucent, in other poses (n_body, 7)."""
        ghost = Ghost([self.bodies[b.id] for b in self.mechanism.bodies], poses, opacity)
        self._ghosts.append(ghost)
        for actor in ghost.actors:
            self.renderer.AddActor(actor)

    def add_trace(self, path: Array, color: str = "") -> None:
        """Show the path of a point, (n, 3) [m]."""
        if len(path) < 2:
            return
        actor = unlit_actor(surface_data(tube(path, TRACE_RADIUS * self.size, 8)), color or self.theme.trace)
        self._traces.append(actor)
        self.renderer.AddActor(actor)

    def clear_traces(self) -> None:
        """Take away the paths."""
        for actor in self._traces:
            self.renderer.RemoveActor(actor)
        self._traces = []

    def clear_ghosts(self) -> None:
        """Take away the translucent copies."""
        for actor in (a for ghost in self._ghosts for a in ghost.actors):
            self.renderer.RemoveActor(actor)
        self._ghosts = []


def _up(mechanism: Mechanism) -> Array:
    """Direction against gravity; z without gravity."""
    gravity = np.array(mechanism.gravity, float)
    return -gravity if np.linalg.norm(gravity) > 1e-9 else np.array([0.0, 0.0, 1.0])


def _lit_renderer() -> vtkRenderer:
    renderer = vtkRenderer()
    renderer.SetAutomaticLightCreation(False)
    renderer.SetSSAOBlur(True)
    renderer.UseDepthPeelingOff()
    # Blending in the order of the actors is right for a floor under everything, and far cheaper.
    renderer.UseOITOff()
    for lamp in LAMPS:
        light = vtkLight()
        light.SetLightTypeToCameraLight()
        light.SetPosition(*lamp.position)
        light.SetFocalPoint(0.0, 0.0, 0.0)
        light.SetIntensity(lamp.intensity)
        light.SetColor(*lamp.color)
        renderer.AddLight(light)
    return renderer
