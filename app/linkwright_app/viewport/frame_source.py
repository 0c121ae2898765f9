"""Draws the frames of a view: plain ones while things move, a refined picture step by step when they rest."""

from __future__ import annotations

import time

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage, QPainter

from linkwright_app.viewport.camera import Camera
from linkwright_app.viewport.composition import Composer
from linkwright_app.viewport.frames import Effort
from linkwright_app.viewport.images import image_of
from linkwright_app.viewport.overlay import OverlayContent, paint_overlay
from linkwright_app.viewport.renderer import Pixels, Quality, SceneRenderer, StillPicture
from linkwright_app.viewport.scene import Scene

SHOWN_STEPS = (1, 4)
"""Steps of a refined picture that are shown before it is complete: light and shade first, then smooth edges."""


SHADOW_TICK = 0.060
"""Least time between two shadows of moving bodies with a software renderer [s]."""


class FrameSource:
    """What a view shows, apart from the widget it is shown on.

    Parameters
    ----------
    scene : Scene
        What is drawn.
    software : bool
        Whether the processor draws.

    Attributes
    ----------
    composer : Composer
        What is marked and written.
    effort : Effort
        Quality and frame rate.
    content : OverlayContent
        What lies over the last frame.
    shadow_stale : bool
        Whether the bodies moved since the shadow was cast.
    """

    def __init__(self, scene: Scene, software: bool) -> None:
        self.scene = scene
        self.composer = Composer(scene)
        self.effort = Effort(software)
        self.content = OverlayContent()
        self.shadow_stale = True
        self._shadow_time = 0.0
        self._still: StillPicture | None = None
        self._best = False

    # ---------------------------------------------------------------- still picture
    def begin_still(self, *, best: bool = False) -> None:
        """Draw parts of a refined picture from now on; `best` without regard to the time it takes."""
        self._best = best
        self._still = StillPicture(self.effort.still(best=best)[1])

    def cancel_still(self) -> None:
        """Draw plain frames again."""
        self._still = None
        self.content.still = None

    @property
    def refining(self) -> bool:
        """Whether parts of a refined picture are missing."""
        return self._still is not None and not self._still.complete

    @property
    def progress(self) -> int:
        """Parts of the refined picture that are there."""
        return self._still.count if self._still is not None else 0

    @property
    def refined(self) -> bool:
        """Whether the refined picture is complete."""
        return self._still is not None and self._still.complete

    # ---------------------------------------------------------------- frames
    def draw(
        self,
        renderer: SceneRenderer,
        camera: Camera,
        ratio: float,
        keep_out: list[QRectF],
        pointer: QPointF | None,
    ) -> bool:
        """Draw the next frame; tells whether it is to be shown as it stands.

        Parameters
        ----------
        renderer : SceneRenderer
            Its context is current.
        camera : Camera
            Point of view.
        ratio : float
            Device pixels per logical pixel.
        keep_out : list of QRectF
            Places taken by cards [logical px].
        pointer : QPointF or None
            Where the mouse is.
        """
        if self._still is not None:
            if not self._still.complete:
                self._refine(renderer, self._still, camera, ratio)
            return False
        start = time.perf_counter()
        if not self.effort.software or start - self._shadow_time > SHADOW_TICK:
            self._cast_shadow(renderer)
        self.content = self.composer.compose(renderer, camera, keep_out, ratio)
        self.composer.point_at(self.content, pointer)
        renderer.draw(camera, self.effort.moving(), ratio)
        self.effort.rate.add(time.perf_counter() - start)
        return True

    def _cast_shadow(self, renderer: SceneRenderer) -> None:
        if self.shadow_stale:
            renderer.cast_shadow()
            self.shadow_stale = False
            self._shadow_time = time.perf_counter()

    def _refine(self, renderer: SceneRenderer, still: StillPicture, camera: Camera, ratio: float) -> None:
        start = time.perf_counter()
        self._cast_shadow(renderer)
        quality, _ = self.effort.still(best=self._best)
        renderer.draw(camera, quality, ratio, still.next_shift())
        still.add(renderer.read())
        if still.count in SHOWN_STEPS or still.complete:
            image = image_of(still.pixels())
            image.setDevicePixelRatio(ratio)
            self.content.still = image
        self.effort.took_still(time.perf_counter() - start, first=still.count == 1)

    # ---------------------------------------------------------------- pictures
    def picture(
        self, renderer: SceneRenderer, camera: Camera, ratio: float, *, anew: bool, refined: bool
    ) -> tuple[Pixels, OverlayContent]:
        """Draw a picture of the size of the renderer's window, and what lies over it.

        Parameters
        ----------
        renderer : SceneRenderer
            Its context is current.
        camera : Camera
            Point of view.
        ratio : float
            Device pixels per logical pixel.
        anew : bool
            Whether names look for new places.
        refined : bool
            Whether it is the mean of many frames, or one plain frame.
        """
        self._cast_shadow(renderer)
        composer = self.composer.copy() if anew else self.composer
        hover, composer.hover = composer.hover, ""
        content = composer.compose(renderer, camera, [], ratio)
        composer.hover = hover
        if not refined:
            renderer.draw(camera, Quality(), ratio)
            return renderer.read(), content
        quality, n = self.effort.still(best=True)
        return renderer.refined(camera, quality, n, ratio), content

    def finished(self, image: QImage, content: OverlayContent, height: float, ratio: float) -> QImage:
        """Paint what lies over a picture into it; `height` in logical pixels."""
        image.setDevicePixelRatio(ratio)
        painter = QPainter(image)
        paint_overlay(painter, content, self.scene.theme, height, ratio)
        painter.end()
        return image
