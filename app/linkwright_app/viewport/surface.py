"""The OpenGL format of the process; needs no VTK, so that it can be set before the first paint."""

from __future__ import annotations

from PySide6.QtGui import QSurfaceFormat


def set_surface_format() -> None:
    """Choose the OpenGL format of the whole process. Call it before the application object is made."""
    QSurfaceFormat.setDefaultFormat(surface_format())


def surface_format() -> QSurfaceFormat:
    """OpenGL 3.2 core, as VTK needs it. No samples: VTK draws into buffers of its own."""
    wanted = QSurfaceFormat()
    wanted.setRenderableType(QSurfaceFormat.RenderableType.OpenGL)
    wanted.setVersion(3, 2)
    wanted.setProfile(QSurfaceFormat.OpenGLContextProfile.CoreProfile)
    wanted.setSwapBehavior(QSurfaceFormat.SwapBehavior.DoubleBuffer)
    wanted.setRedBufferSize(8)
    wanted.setGreenBufferSize(8)
    wanted.setBlueBufferSize(8)
    wanted.setDepthBufferSize(24)
    wanted.setStencilBufferSize(8)
    wanted.setAlphaBufferSize(0)
    wanted.setSamples(0)
    return wanted
