"""Pictures of a mechanism without a window: for the welcome page, the headless run and the documentation."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QByteArray
from PySide6.QtGui import QImage, QImageWriter
from vtkmodules.vtkRenderingCore import vtkRenderWindow

from linkwright.document.mechanism import Mechanism
from linkwright.document.parameters import evaluated
from linkwright.errors import FileError
from linkwright_app.viewport.camera import Camera
from linkwright_app.viewport.images import image_of
from linkwright_app.viewport.renderer import Quality, SceneRenderer
from linkwright_app.viewport.scene import Scene
from linkwright_app.viewport.theme import view_theme

Array = NDArray[np.float64]

OCCLUSION_SAMPLES = 32
"""For each frame; the mean over the frames has many times that."""
PICTURE_SIZE = (1120, 700)


def _prefer_egl() -> None:
    """Let VTK draw through EGL where there is no X server; by itself it tries X first and complains on the console."""
    if sys.platform != "linux" or os.environ.get("DISPLAY"):
        return
    with suppress(OSError):
        ctypes.CDLL("libEGL.so.1")
        os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkEGLRenderWindow")


def render_picture(
    mechanism: Mechanism,
    size: tuple[int, int] = PICTURE_SIZE,
    theme: str = "light",
    camera: Camera | None = None,
    poses: Array | None = None,
    *,
    ghosts: Sequence[tuple[Array, float]] = (),
    traces: Sequence[Array] = (),
    glyphs: bool = False,
    grid: bool = True,
    shadows: bool = True,
    supersample: int = 2,
) -> QImage:
    """Draw a mechanism off screen, without any window or widget.

    Parameters
    ----------
    mechanism : Mechanism
        Evaluated or not.
    size : pair of int
        Width and height in pixels.
    theme : str
        ``"light"`` or ``"dark"``.
    camera : Camera, optional
        Point of view; the default shows everything from where such a mechanism is best seen.
    poses : (n_body, 7) array, optional
        [x y z w x y z] of every body; the default is the drawn pose.
    ghosts : sequence of (poses, opacity)
        Translucent copies of the bodies in other poses.
    traces : sequence of (n, 3) arrays
        Paths of points [m].
    glyphs : bool
        Whether joints and loads are drawn.
    grid, shadows : bool
        Whether the grid and the shadow on the floor are drawn.
    supersample : int
        Each pixel is the mean of (2 `supersample`)^2 frames shifted within it.

    Returns
    -------
    QImage
        The picture, without names.
    """
    scene = Scene(view_theme(theme))
    scene.show(evaluated(mechanism))
    scene.set_shown("glyphs", glyphs)
    scene.set_shown("grid", grid)
    scene.set_shown("shadows", shadows)
    if poses is not None:
        scene.set_poses(poses)
    for ghost_poses, opacity in ghosts:
        scene.add_ghost(np.asarray(ghost_poses, float), opacity)
    for path in traces:
        scene.add_trace(np.asarray(path, float))
    if camera is None:
        points = np.concatenate([scene.points(), *(np.asarray(path, float) for path in traces)])
        camera = scene.default_camera().fitted(points, size[0] / size[1])
    _prefer_egl()
    window = vtkRenderWindow()
    window.SetOffScreenRendering(True)
    window.SetMultiSamples(0)
    window.SetSize(*size)
    renderer = SceneRenderer(window, scene)
    try:
        renderer.prepare(camera)
        renderer.cast_shadow()
        pixels = renderer.refined(camera, Quality(occlusion=OCCLUSION_SAMPLES), (2 * supersample) ** 2)
        return image_of(pixels)
    finally:
        renderer.release()
        window.Finalize()


def save_picture(
    mechanism: Mechanism,
    file: Path,
    size: tuple[int, int] = PICTURE_SIZE,
    theme: str = "light",
    *,
    poses: Array | None = None,
    ghosts: Sequence[tuple[Array, float]] = (),
    traces: Sequence[Array] = (),
    glyphs: bool = False,
    supersample: int = 2,
) -> None:
    """Draw a mechanism, see `render_picture`, and write it as PNG; the file is whole or not there.

    Raises
    ------
    FileError
        When the file cannot be written.
    """
    image = render_picture(
        mechanism,
        size,
        theme,
        poses=poses,
        ghosts=ghosts,
        traces=traces,
        glyphs=glyphs,
        supersample=supersample,
    )
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        if not QImageWriter(str(part), QByteArray(b"png")).write(image):
            raise OSError("the picture could not be encoded or stored")
        part.replace(file)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise FileError(f"The picture {file} cannot be written: {error}.") from error
