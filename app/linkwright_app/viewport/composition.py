"""Puts together what is painted over a frame: outlines from masks, and names with their places."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QPointF, QRectF

from linkwright.document.base import GROUND
from linkwright_app.viewport.camera import Camera
from linkwright_app.viewport.glyphs import GLYPH_PIXELS
from linkwright_app.viewport.labels import TagLayout, tags_of
from linkwright_app.viewport.masks import OUTLINE, Rect, glow_alpha, outline_alpha
from linkwright_app.viewport.overlay import Outline, OverlayContent, tinted
from linkwright_app.viewport.renderer import SceneRenderer
from linkwright_app.viewport.scene import Scene

Array = NDArray[np.float64]

HOVER_STRENGTH = 0.5
GLOW, GLOW_STRENGTH = 9.0, 0.42
"""Width of the glow of a failed element [logical px], and its opacity."""
BORDER = 8.0
"""Empty border around a mask [logical px]."""


class Composer:
    """Remembers what is marked in the view and composes the overlay of a frame.

    Attributes
    ----------
    selection : tuple of str
        Ids outlined strongly.
    hover : str
        Id outlined faintly.
    fault : str
        Id of the element a run failed at.
    channels : dict of name to value
        Values of a run at the moment shown.
    layout : TagLayout
        Sides of the names.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.selection: tuple[str, ...] = ()
        self.hover = ""
        self.fault = ""
        self.channels: dict[str, float] = {}
        self.layout = TagLayout()

    def copy(self) -> Composer:
        """Give a copy that remembers no places of names."""
        made = Composer(self.scene)
        made.selection, made.hover, made.fault = self.selection, self.hover, self.fault
        made.channels = self.channels
        return made

    def compose(
        self, renderer: SceneRenderer, camera: Camera, keep_out: list[QRectF], ratio: float
    ) -> OverlayContent:
        """Draw the masks and place the names; call it before the frame itself.

        Parameters
        ----------
        renderer : SceneRenderer
            Its context is current.
        camera : Camera
            Point of view.
        keep_out : list of QRectF
            Places taken by cards [logical px].
        ratio : float
            Device pixels per logical pixel.
        """
        content = OverlayContent(camera=camera)
        renderer.prepare(camera, ratio)
        width, height = (side / ratio for side in renderer.window.GetSize())
        tokens, theme = self.scene.theme.tokens, self.scene.theme
        if self.fault:
            self._outline(content, renderer, (self.fault,), theme.fault, 1.0, ratio, glow=True)
        self._outline(content, renderer, self.selection, tokens.accent, 1.0, ratio)
        if self.hover and self.hover not in self.selection:
            self._outline(content, renderer, (self.hover,), tokens.accent, HOVER_STRENGTH, ratio)
        if self.scene.shown("labels"):
            chosen = (*self.selection, self.hover)
            content.tags = tags_of(self.scene, theme, chosen, self.channels)
            content.rects = self.layout.rects(content.tags, self.scene, camera, width, height, keep_out)
        return content

    def point_at(self, content: OverlayContent, place: QPointF | None) -> None:
        """Write the name of what is under the mouse beside it, unless its name stands there anyway."""
        hover = self.hover
        if not hover or place is None or hover in content.rects:
            content.pointer = None
            return
        if hover == GROUND:
            name = QCoreApplication.translate("Viewport", "Ground")
        elif self.scene.mechanism.has(hover):
            name = self.scene.mechanism.element(hover).label
        else:
            name = hover
        content.pointer = (name, place)

    def _outline(
        self,
        content: OverlayContent,
        renderer: SceneRenderer,
        ids: Iterable[str],
        color: str,
        strength: float,
        ratio: float,
        *,
        glow: bool = False,
    ) -> None:
        shown = [key for key in ids if self._is_drawn(key)]
        if not shown:
            return
        border = BORDER + (2 * GLOW if glow else 0.0)
        part = self._part(shown, content.camera, renderer.window.GetSize(), ratio, border)
        if part is None:
            return
        mask = renderer.mask(content.camera, shown, part)
        if not mask.any():
            return
        alpha = outline_alpha(mask, max(round(OUTLINE * ratio), 1), strength)
        if glow:
            alpha = np.maximum(alpha, glow_alpha(mask, GLOW * ratio, GLOW_STRENGTH))
        place = QPointF(part.left / ratio, part.top / ratio)
        content.outlines.append(Outline(tinted(alpha, color, ratio), place))

    def _is_drawn(self, key: str) -> bool:
        scene = self.scene
        if key in scene.bodies:
            return scene.bodies[key].visible
        return (key in scene.items and scene.items[key].visible) or scene.is_marker(key)

    def _part(
        self, ids: list[str], camera: Camera, full: tuple[int, int], ratio: float, border: float
    ) -> Rect | None:
        """Part of the picture around some elements; None when they are out of view."""
        width, height = full[0] / ratio, full[1] / ratio
        seen = camera.project(self.scene.points(ids), width, height)
        if (seen[:, 2] <= 0).any():
            return Rect(0, 0, *full)
        room = border + GLYPH_PIXELS * 1.8
        low = np.floor((seen[:, :2].min(axis=0) - room) * ratio).astype(int)
        high = np.ceil((seen[:, :2].max(axis=0) + room) * ratio).astype(int)
        left, top = max(int(low[0]), 0), max(int(low[1]), 0)
        right, bottom = min(int(high[0]), full[0]), min(int(high[1]), full[1])
        if right - left < 2 or bottom - top < 2:
            return None
        return Rect(left, top, right - left, bottom - top)
