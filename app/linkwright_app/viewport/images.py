"""Pixels of VTK as images of Qt."""

from __future__ import annotations

from PySide6.QtGui import QImage

from linkwright_app.viewport.renderer import Pixels


def image_of(pixels: Pixels) -> QImage:
    """Copy pixels, (height, width, 3), into an image."""
    height, width = pixels.shape[:2]
    flat = pixels.tobytes()
    return QImage(flat, width, height, 3 * width, QImage.Format.Format_RGB888).copy()
