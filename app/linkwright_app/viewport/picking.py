"""What is under the mouse: bodies by a ray through their surface, thin things by their distance on the screen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwright_app.viewport.camera import Camera
from linkwright_app.viewport.items import SpringItem
from linkwright_app.viewport.scene import Scene

Array = NDArray[np.float64]

BEHIND = 0.03
"""A glyph this far behind a surface still wins, over the size of the mechanism: glyphs sit on bodies."""


@dataclass(frozen=True)
class Pick:
    """What was met.

    Attributes
    ----------
    id : str
        Element, or ``"ground"``; empty for nothing.
    point : (3,) array or None
        Where the line of sight meets a surface, or the middle of the glyph [m].
    depth : float or None
        Of that point before the eye [m].
    """

    id: str = ""
    point: Array | None = None
    depth: float | None = None


def pick(scene: Scene, camera: Camera, x: float, y: float, width: float, height: float) -> Pick:
    """Find the element under a place of the view.

    Parameters
    ----------
    scene, camera : Scene, Camera
        What is seen and from where.
    x, y : float
        From the upper left corner [logical px].
    width, height : float
        Size of the view [logical px].
    """
    surface = pick_surface(scene, camera, x, y, width, height)
    best, best_nearness, best_point = "", 1.0, None
    for key, item in scene.items.items():
        if not item.visible:
            continue
        for handle in item.handles():
            ends = camera.project(np.array([handle.start, handle.stop]), width, height)
            if (ends[:, 2] <= 0).any():
                continue
            reach = handle.pixels
            if isinstance(item, SpringItem):
                reach = max(reach, item.radius / camera.pixel(item.centre, height))
            away, share = _distance(np.array([x, y]), ends[0, :2], ends[1, :2])
            depth = float(ends[0, 2] + share * (ends[1, 2] - ends[0, 2]))
            hidden = surface.depth is not None and depth > surface.depth + BEHIND * scene.size
            if away <= reach and away / reach < best_nearness and not hidden:
                best, best_nearness = key, away / reach
                best_point = handle.start + share * (handle.stop - handle.start)
    if best:
        assert best_point is not None
        return Pick(best, best_point, float(camera.project(best_point[None], width, height)[0, 2]))
    return surface


def pick_surface(scene: Scene, camera: Camera, x: float, y: float, width: float, height: float) -> Pick:
    """Find the body whose surface is met first; the ground counts as one."""
    start, direction = camera.ray(x, y, width, height)
    far = camera.clipping_range(scene.reach(camera))[1] * 1.5 + camera.distance * 3
    best, best_share = "", np.inf
    for key, body in scene.bodies.items():
        if not body.visible or not body.near_line(start, direction):
            continue
        share = body.hit(start, start + far * direction)
        if share is not None and share < best_share:
            best, best_share = key, share
    if not best:
        return Pick()
    point = start + best_share * far * direction
    return Pick(best, point, float(camera.project(point[None], width, height)[0, 2]))


def _distance(place: Array, a: Array, b: Array) -> tuple[float, float]:
    """Distance of a place from the line a-b, and where along it (0..1) the nearest point is; all on the screen."""
    along = b - a
    square = float(along @ along)
    share = 0.0 if square < 1e-12 else min(max(float((place - a) @ along) / square, 0.0), 1.0)
    return float(np.linalg.norm(place - a - share * along)), share
