from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QImage

from linkwright.document.bodies import Body
from linkwright.document.mechanism import Mechanism
from linkwright.document.shapes import Box
from linkwright.errors import FileError
from linkwright_app.viewport.camera import Camera
from linkwright_app.viewport.picture import render_picture, save_picture

SIZE = (240, 160)


def pixels(image: QImage) -> np.ndarray:
    flat = image.convertToFormat(QImage.Format.Format_RGB888)
    raw = np.frombuffer(flat.constBits(), np.uint8).reshape(flat.height(), flat.bytesPerLine())
    return raw[:, : 3 * flat.width()].reshape(flat.height(), flat.width(), 3).astype(int).copy()


def test_a_picture_shows_the_mechanism_in_colour(slider_crank: Mechanism) -> None:
    seen = pixels(render_picture(slider_crank, SIZE, supersample=1))
    assert seen.shape == (160, 240, 3)
    strong = np.ptp(seen, axis=2) > 60
    assert strong.mean() > 0.03
    rows, columns = np.nonzero(strong)
    # It is framed: well inside, and filling a good part of the width or height.
    assert columns.min() > 5
    assert columns.max() < 235
    assert np.ptp(columns) > 120 or np.ptp(rows) > 80


def test_themes_ghosts_traces_and_poses_change_it(slider_crank: Mechanism) -> None:
    plain = pixels(render_picture(slider_crank, SIZE, supersample=1))
    poses = np.array([[0.9, 0.2, 0, 1, 0, 0, 0], [2.6, 0.4, 0, 1, 0, 0, 0], [3.4, 0, 0, 1, 0, 0, 0]], float)
    path = np.array([[0.0, 0.0, 0.4], [1.0, 1.0, 0.4], [2.0, 0.0, 0.4]])
    others = [
        render_picture(slider_crank, SIZE, "dark", supersample=1),
        render_picture(slider_crank, SIZE, ghosts=[(poses, 0.3)], supersample=1),
        render_picture(slider_crank, SIZE, traces=[path], supersample=1),
        render_picture(slider_crank, SIZE, poses=poses, supersample=1),
        render_picture(slider_crank, SIZE, glyphs=True, supersample=1),
        render_picture(slider_crank, SIZE, grid=False, supersample=1),
    ]
    for image in others:
        assert np.abs(pixels(image) - plain).max() > 20


def test_the_shadow_falls_under_its_body() -> None:
    """Two blocks of one size high above the floor, far from the middle in one corner, seen from above."""
    shape = Box(size=(0.6, 0.6, 0.1))
    blocks = tuple(
        Body(id=key, shapes=(shape,), color="#E00000", position=place)
        for key, place in (("a", (2.0, 1.5, 0.3)), ("b", (-2.0, -1.5, 0.0)))
    )
    mechanism = Mechanism(gravity=(0.0, 0.0, 0.0), bodies=blocks)
    camera = Camera(elevation=math.pi / 2 - 1e-3, azimuth=0.0, perspective=False, distance=15.0)
    with_it, without = (
        pixels(_seen_from(mechanism, camera, shadows)).sum(axis=2) for shadows in (True, False)
    )
    rows, columns = np.nonzero(without - with_it > 24)
    pixel = camera.pixel(np.zeros(3), SIZE[1])
    x, y = (columns - SIZE[0] / 2) * pixel, (SIZE[1] / 2 - rows) * pixel
    # Every shaded place is near one of the blocks, and both have their share.
    near_a = np.hypot(x - 2.0, y - 1.5) < 1.0
    near_b = np.hypot(x + 2.0, y + 1.5) < 1.0
    assert (near_a | near_b).all()
    assert near_a.sum() > 3
    assert near_b.sum() > 3


def _seen_from(mechanism: Mechanism, camera: Camera, shadows: bool) -> QImage:
    return render_picture(mechanism, SIZE, camera=camera, grid=False, shadows=shadows, supersample=1)


def test_a_picture_is_saved_whole_or_not_at_all(pendulum: Mechanism, tmp_path: Path) -> None:
    file = tmp_path / "new folder" / "摆.png"
    save_picture(pendulum, file, SIZE, supersample=1)
    assert QImage(str(file)).width() == 240
    assert [entry.name for entry in file.parent.iterdir()] == [file.name]
    (tmp_path / "plain").write_text("in the way", encoding="utf-8")
    with pytest.raises(FileError, match="cannot be written"):
        save_picture(pendulum, tmp_path / "plain" / "x.png", SIZE, supersample=1)


def test_a_picture_needs_no_application_and_no_display(tmp_path: Path) -> None:
    """Headless runs draw one in a process without any Qt application object."""
    file = tmp_path / "x.png"
    program = f"""
from pathlib import Path
from linkwright import samples
from linkwright.files import model_file
from linkwright_app.viewport.camera import Camera
from linkwright_app.viewport.picture import save_picture
from PySide6.QtCore import QCoreApplication
save_picture(model_file.load(samples.path("pendulum")), Path({str(file)!r}), (120, 90), supersample=1)
assert QCoreApplication.instance() is None
"""
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(sys.path)}
    run = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=environment,
    )
    assert run.returncode == 0, run.stderr
    assert QImage(str(file)).height() == 90
