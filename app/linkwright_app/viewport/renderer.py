"""Draws a scene into any VTK render window: frames while moving, and refined still pictures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import vtkmodules.vtkRenderingOpenGL2  # noqa: F401 - registers the OpenGL classes
from numpy.typing import NDArray
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkUnsignedCharArray
from vtkmodules.vtkRenderingCore import vtkRenderWindow

from linkwright_app.viewport.camera import Camera
from linkwright_app.viewport.floor import SHADOW_PIXELS
from linkwright_app.viewport.masks import Mask, MaskRenderer, Rect

if TYPE_CHECKING:
    from linkwright_app.viewport.scene import Scene

Array = NDArray[np.float64]
Pixels = NDArray[np.uint8]

OCCLUSION_BIAS = 0.07
"""Over the radius; 0.02 gives stripes."""


@dataclass(frozen=True)
class Quality:
    """How a frame is drawn.

    Attributes
    ----------
    occlusion : int
        Samples of the ambient occlusion for each pixel; 0 leaves it out.
    smooth : bool
        Whether edges are smoothed within the one frame (FXAA).
    """

    occlusion: int = 0
    smooth: bool = False


def jitter(n: int) -> Array:
    """Give `n` places inside a pixel, (n, 2) in -0.5..0.5, evenly spread (Halton sequence, bases 2 and 3)."""
    places = np.array([[_radical_inverse(k + 1, base) for base in (2, 3)] for k in range(n)])
    return np.asarray(places - places.mean(axis=0))


def _radical_inverse(k: int, base: int) -> float:
    result, share = 0.0, 1.0 / base
    while k:
        k, digit = divmod(k, base)
        result += digit * share
        share /= base
    return result


class SceneRenderer:
    """Draws a scene into a window that someone else owns and makes current before any call here.

    Parameters
    ----------
    window : vtkRenderWindow
        Of any kind; its size is that of the picture in device pixels.
    scene : Scene
        What is drawn. A scene can be in one window at a time.
    own_mask_window : bool
        Whether masks get a window of their own, see `MaskRenderer`.
    """

    def __init__(self, window: vtkRenderWindow, scene: Scene, *, own_mask_window: bool = True) -> None:
        self.window = window
        self.scene = scene
        window.AddRenderer(scene.renderer)
        self._masks = MaskRenderer(None if own_mask_window else window)
        self._buffer = vtkUnsignedCharArray()

    def release(self) -> None:
        """Let go of the window; its context must still be alive."""
        self._masks.release()
        self.window.RemoveRenderer(self.scene.renderer)

    # ---------------------------------------------------------------- frames
    def draw(
        self, camera: Camera, quality: Quality, ratio: float = 1.0, shift: Sequence[float] = (0.0, 0.0)
    ) -> None:
        """Render one frame.

        Parameters
        ----------
        camera : Camera
            Point of view.
        quality : Quality
            Effort.
        ratio : float
            Device pixels per logical pixel.
        shift : pair of float
            Moves the whole picture by a part of a pixel.
        """
        width, height = self.window.GetSize()
        scene, renderer = self.scene, self.scene.renderer
        self.prepare(camera, ratio)
        view = renderer.GetActiveCamera()
        camera.apply(view, scene.reach(camera))
        view.SetWindowCenter(2 * shift[0] / width, 2 * shift[1] / height)
        renderer.SetUseFXAA(quality.smooth)
        renderer.SetUseSSAO(quality.occlusion > 0)
        if quality.occlusion:
            renderer.SetSSAOBias(OCCLUSION_BIAS * renderer.GetSSAORadius())
            renderer.SetSSAOKernelSize(quality.occlusion)
        self.window.Render()

    def prepare(self, camera: Camera, ratio: float = 1.0) -> None:
        """Size what keeps its size on the screen; needed before a mask that is drawn without a frame."""
        width, height = self.window.GetSize()
        self.scene.fit_screen(camera, width / ratio, height / ratio, ratio)

    def read(self) -> Pixels:
        """Show the last frame, (height, width, 3), first row on top; valid until the next call."""
        width, height = self.window.GetSize()
        self.window.GetPixelData(0, 0, width - 1, height - 1, 0, self._buffer, 0)
        return np.asarray(vtk_to_numpy(self._buffer)).reshape(height, width, 3)[::-1]

    def refined(self, camera: Camera, quality: Quality, n: int, ratio: float = 1.0) -> Pixels:
        """Average `n` frames, each shifted by another part of a pixel: smooth edges and little noise."""
        still = StillPicture(n)
        while not still.complete:
            self.draw(camera, quality, ratio, still.next_shift())
            still.add(self.read())
        return still.pixels()

    # ---------------------------------------------------------------- masks
    def cast_shadow(self) -> None:
        """Bring the contact shadow up to date with the poses of the scene."""
        scene = self.scene
        if not scene.shown("shadows"):
            return
        size = SHADOW_PIXELS
        camera = scene.shadow_camera()
        mask = self._masks.draw(
            camera, scene.reach(camera), scene.shadow_casters(), (size, size), Rect(0, 0, size, size)
        )
        if mask.shape != (size, size):
            # A shared window smaller than the shadow picture cuts off the lower right; keep the rest in place.
            mask = np.pad(mask, ((0, size - mask.shape[0]), (0, size - mask.shape[1])))
        scene.set_shadow(mask[::-1])

    def mask(self, camera: Camera, ids: Iterable[str], part: Rect) -> Mask:
        """Tell which pixels of a part of the picture some elements cover, first row on top."""
        actors = self.scene.outline_actors(ids)
        return self._masks.draw(camera, self.scene.reach(camera), actors, self.window.GetSize(), part)


class StillPicture:
    """Sum of shifted frames on the way to a refined picture."""

    def __init__(self, n: int) -> None:
        self._shifts = jitter(n)
        self._sum: NDArray[np.uint32] | None = None
        self._count = 0

    @property
    def complete(self) -> bool:
        """Whether all frames are in."""
        return self._count >= len(self._shifts)

    @property
    def count(self) -> int:
        """Frames so far."""
        return self._count

    def next_shift(self) -> tuple[float, float]:
        """Shift of the frame to draw next, in pixels."""
        x, y = self._shifts[self._count]
        return float(x), float(y)

    def add(self, frame: Pixels) -> None:
        """Take a frame in, (height, width, 3)."""
        if self._sum is None:
            self._sum = frame.astype(np.uint32)
        else:
            self._sum += frame
        self._count += 1

    def pixels(self) -> Pixels:
        """Mean of the frames so far, (height, width, 3)."""
        assert self._sum is not None
        return np.ascontiguousarray((self._sum + self._count // 2) // self._count, np.uint8)
