"""Masks of parts of a scene, and the outlines made from them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import vtkmodules.vtkRenderingOpenGL2  # noqa: F401 - registers the OpenGL classes
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkUnsignedCharArray
from vtkmodules.vtkRenderingCore import vtkActor, vtkRenderer, vtkRenderWindow

from linkwright_app.viewport.camera import Camera

Mask = NDArray[np.bool_]

GRAIN = 64
"""An own window grows in steps of so many pixels, so that a moving outline does not allocate anew each frame."""
OUTLINE = 3.0
"""Width of the outline [logical px]."""
OUTLINE_ALPHA, FILL_ALPHA = 0.95, 0.12
SOFTNESS = 0.7


class Rect(NamedTuple):
    """Part of a picture in device pixels, from its upper left corner."""

    left: int
    top: int
    width: int
    height: int


class MaskRenderer:
    """Draws white shapes on black and reads them back.

    Parameters
    ----------
    shared : vtkRenderWindow or None
        Window to draw into beside the picture; None makes a small off-screen window of its own, which is faster with
        a software renderer since only the part asked for is cleared and copied.
    """

    def __init__(self, shared: vtkRenderWindow | None) -> None:
        self._own = shared is None
        self._window = shared if shared is not None else _off_screen()
        self._renderer = vtkRenderer()
        self._renderer.SetBackground(0.0, 0.0, 0.0)
        self._renderer.SetDraw(self._own)
        self._window.AddRenderer(self._renderer)
        self._buffer = vtkUnsignedCharArray()

    def release(self) -> None:
        """Let go of the window; its context must still be alive."""
        self._renderer.RemoveAllViewProps()
        self._window.RemoveRenderer(self._renderer)
        if self._own:
            self._window.Finalize()

    def draw(
        self, camera: Camera, reach: float, actors: Iterable[vtkActor], full: tuple[int, int], part: Rect
    ) -> Mask:
        """Tell which pixels some actors cover, whatever stands before them.

        Parameters
        ----------
        camera : Camera
            Point of view.
        reach : float
            See `Camera.clipping_range`.
        actors : iterable of vtkActor
            White and unlit, see `actors.mask_actor`.
        full : pair of int
            Width and height of the whole picture in device pixels.
        part : Rect
            The part of it that is wanted.

        Returns
        -------
        (height, width) array of bool
            First row on top; smaller than asked for when a shared window is smaller.
        """
        self._renderer.RemoveAllViewProps()
        for actor in actors:
            self._renderer.AddActor(actor)
        width, height = self._room(part)
        part = Rect(part.left, part.top, width, height)
        camera.apply_part(self._renderer.GetActiveCamera(), reach, full, part)
        others = [r for r in _renderers(self._window) if r is not self._renderer and r.GetDraw()]
        for renderer in others:
            renderer.SetDraw(False)
        self._renderer.SetDraw(True)
        try:
            self._window.Render()
            self._window.GetPixelData(0, 0, width - 1, height - 1, 0, self._buffer, 0)
        finally:
            self._renderer.SetDraw(self._own)
            for renderer in others:
                renderer.SetDraw(True)
        pixels = np.asarray(vtk_to_numpy(self._buffer)).reshape(height, width, 3)[::-1]
        return np.asarray(pixels[..., 0] > 127)

    def _room(self, part: Rect) -> tuple[int, int]:
        """Make the window large enough and aim the renderer at its lower left corner; give the usable size."""
        window_width, window_height = self._window.GetSize()
        if self._own:
            wanted = [
                max(have, -(-want // GRAIN) * GRAIN)
                for have, want in ((window_width, part.width), (window_height, part.height))
            ]
            if wanted != [window_width, window_height]:
                self._window.SetSize(*wanted)
            window_width, window_height = wanted
        width, height = min(part.width, window_width), min(part.height, window_height)
        self._renderer.SetViewport(0.0, 0.0, width / window_width, height / window_height)
        return width, height


def _off_screen() -> vtkRenderWindow:
    window = vtkRenderWindow()
    window.SetOffScreenRendering(True)
    window.SetMultiSamples(0)
    window.SetSize(GRAIN, GRAIN)
    return window


def _renderers(window: vtkRenderWindow) -> list[vtkRenderer]:
    collection = window.GetRenderers()
    collection.InitTraversal()
    return [collection.GetNextItem() for _ in range(collection.GetNumberOfItems())]


def grown(mask: Mask, radius: int) -> Mask:
    """Dilate a mask by a disc of `radius` pixels (within one pixel), inside its own frame."""
    result = mask.copy()
    for dy in range(-radius, radius + 1):
        reach = int(np.sqrt(max(radius * radius - dy * dy, 0)) + 0.5)
        row = _widened(mask, reach)
        if dy >= 0:
            result[dy:] |= row[: len(row) - dy]
        else:
            result[:dy] |= row[-dy:]
    return result


def _widened(mask: Mask, reach: int) -> Mask:
    """Dilate along the rows: a pixel is set when any within `reach` is, found with running sums."""
    if reach == 0:
        return mask
    padded = np.pad(mask, ((0, 0), (reach + 1, reach)))
    sums = np.cumsum(padded, axis=1, dtype=np.int32)
    return np.asarray(sums[:, 2 * reach + 1 :] > sums[:, : -2 * reach - 1])


def outline_alpha(mask: Mask, width: int, strength: float = 1.0) -> NDArray[np.uint8]:
    """Opacity of outline and fill, (h, w) from 0 to 255; the mask needs an empty border as wide as the outline."""
    ring = gaussian_filter((grown(mask, width) & ~mask).astype(np.float32), SOFTNESS, truncate=3.0)
    fill = FILL_ALPHA * mask
    return np.asarray(
        np.clip((fill + np.clip(ring, 0, 1) * OUTLINE_ALPHA) * strength * 255, 0, 255), np.uint8
    )


def glow_alpha(mask: Mask, width: float, strength: float) -> NDArray[np.uint8]:
    """Opacity of a soft glow around a mask, (h, w) from 0 to 255."""
    soft = gaussian_filter(mask.astype(np.float32), width / 2, truncate=2.5)
    soft[mask] = 0
    return np.asarray(np.clip(2 * soft * strength * 255, 0, 255 * strength), np.uint8)
