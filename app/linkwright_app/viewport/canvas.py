"""Surfaces a scene is drawn on: directly by OpenGL inside Qt, or off screen and copied into an image."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import vtkmodules.vtkRenderingOpenGL2  # noqa: F401 - registers the OpenGL classes
from PySide6.QtCore import QObject, QRect, Qt, QTimer, Signal
from PySide6.QtGui import (
    QGuiApplication,
    QImage,
    QOffscreenSurface,
    QOpenGLContext,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtOpenGLWidgets import QOpenGLWidget
from PySide6.QtWidgets import QWidget
from vtkmodules.vtkCommonCore import vtkCommand
from vtkmodules.vtkRenderingCore import vtkRenderWindow
from vtkmodules.vtkRenderingOpenGL2 import vtkGenericOpenGLRenderWindow

from linkwright_app.viewport.images import image_of
from linkwright_app.viewport.renderer import Pixels, SceneRenderer
from linkwright_app.viewport.scene import Scene
from linkwright_app.viewport.surface import surface_format

log = logging.getLogger(__name__)

SOFTWARE_NAMES = ("llvmpipe", "softpipe", "swrast", "swiftshader", "software", "gdi generic", "basic render")
WITHOUT_SCREEN = ("offscreen", "minimal", "vnc", "linuxfb")
"""Qt platforms on which a window has no OpenGL of its own."""

GL_RENDERER = 0x1F01
GL_COLOR_BUFFER_BIT = 0x4000
GL_NEAREST = 0x2600
GL_READ_FRAMEBUFFER, GL_DRAW_FRAMEBUFFER, GL_FRAMEBUFFER = 0x8CA8, 0x8CA9, 0x8D40

DrawFrame = Callable[[SceneRenderer], bool]
"""Draws one frame and tells whether to show it. The context is current and the window has its size."""


class Canvas(Protocol):
    """What the view needs of a surface."""

    failed: Any

    def widget(self) -> QWidget:
        """The widget to lay out."""
        ...

    def request(self) -> None:
        """Ask for a frame at the next turn of the event loop."""
        ...

    def ratio(self) -> float:
        """Device pixels per logical pixel."""
        ...

    def size_px(self) -> tuple[int, int]:
        """Size in device pixels."""
        ...

    def picture(self, size: tuple[int, int], draw: Callable[[SceneRenderer], Pixels]) -> QImage | None:
        """Draw at any size in device pixels, beside the normal frames; None when there is no context yet."""
        ...

    def release(self) -> None:
        """Let go of all graphics resources; no frame is drawn afterwards."""
        ...


@dataclass(frozen=True)
class GlReport:
    """What OpenGL can do here: whether a context can be made, and on what renderer."""

    works: bool
    renderer: str = ""

    @property
    def software(self) -> bool:
        """Whether the processor draws."""
        name = self.renderer.lower()
        return any(known in name for known in SOFTWARE_NAMES)


@cache
def gl_report() -> GlReport:
    """Try out OpenGL once. A context that cannot be made here would take the whole window with it."""
    if QGuiApplication.platformName() in WITHOUT_SCREEN:
        return GlReport(works=False)
    context = QOpenGLContext()
    context.setFormat(surface_format())
    surface = QOffscreenSurface()
    surface.setFormat(surface_format())
    surface.create()
    if not context.create() or not context.makeCurrent(surface):
        return GlReport(works=False)
    format_ = context.format()
    modern = (format_.majorVersion(), format_.minorVersion()) >= (3, 2) and not context.isOpenGLES()
    name = str(context.functions().glGetString(GL_RENDERER) or "") if modern else ""
    context.doneCurrent()
    return GlReport(works=modern, renderer=name)


def make_canvas(parent: QWidget, scene: Scene, draw: DrawFrame, kind: str = "auto") -> Canvas:
    """Make the best surface for this screen.

    Parameters
    ----------
    parent : QWidget
        The view.
    scene : Scene
        What is drawn.
    draw : callable
        Draws one frame.
    kind : str
        ``"gl"``, ``"image"``, or ``"auto"``: OpenGL where a graphics card draws, else an image, since copying a
        picture is cheaper than letting a software renderer put the window together.
    """
    if kind not in ("auto", "gl", "image"):
        raise ValueError(f"There is no canvas {kind!r}; known: auto, gl, image.")
    report = gl_report()
    if (kind == "gl" and report.works) or (kind == "auto" and report.works and not report.software):
        return GlCanvas(parent, scene, draw)
    return ImageCanvas(parent, scene, draw)


class GlCanvas(QOpenGLWidget):
    """VTK in Qt's own OpenGL context.

    VTK renders into its own frame buffer, which is copied into the one Qt gives the widget. Qt may destroy the
    context and make a new one (a dock that floats, a move to another screen), so everything on the card is released
    with the context and made again.
    """

    failed = Signal(str)

    def __init__(self, parent: QWidget, scene: Scene, draw: DrawFrame) -> None:
        super().__init__(parent)
        self.setFormat(surface_format())
        self._draw: DrawFrame | None = draw
        self._window = vtkGenericOpenGLRenderWindow()
        self._window.SetReadyForRendering(False)
        self._window.SetFrameBlitModeToNoBlit()
        self._window.SetMultiSamples(0)
        self._observers = [
            self._window.AddObserver(vtkCommand.WindowMakeCurrentEvent, self._on_make_current),
            self._window.AddObserver(vtkCommand.WindowIsCurrentEvent, self._on_is_current),
        ]
        self._renderer = SceneRenderer(self._window, scene, own_mask_window=False)
        self._context: QOpenGLContext | None = None

    def widget(self) -> QWidget:
        return self

    def request(self) -> None:
        self.update()

    def ratio(self) -> float:
        return self.devicePixelRatioF()

    def size_px(self) -> tuple[int, int]:
        return max(round(self.width() * self.ratio()), 1), max(round(self.height() * self.ratio()), 1)

    # ---------------------------------------------------------------- context
    def _on_make_current(self, *_: object) -> None:
        # Not self.makeCurrent(): that binds Qt's frame buffer behind VTK's back and everything stays black.
        if self._context is not None:
            self._context.makeCurrent(self._context.surface())

    def _on_is_current(self, *_: object) -> None:
        self._window.SetIsCurrent(
            self._context is not None and QOpenGLContext.currentContext() is self._context
        )

    def initializeGL(self) -> None:
        if self._draw is None:
            return
        self._context = self.context()
        self._context.aboutToBeDestroyed.connect(self._leave_context, Qt.ConnectionType.DirectConnection)
        self._window.SetReadyForRendering(True)
        self._window.SetOwnContext(False)
        self._window.SetIsCurrent(True)
        self._window.OpenGLInitContext()
        self._window.OpenGLInitState()

    def _leave_context(self) -> None:
        if self._context is None:
            return
        self.makeCurrent()
        self._window.SetReadyForRendering(True)
        self._window.Finalize()
        self._window.SetReadyForRendering(False)
        self.doneCurrent()
        self._context = None

    # ---------------------------------------------------------------- drawing
    def paintGL(self) -> None:
        if self._draw is None or self._context is None:
            return
        state = self._window.GetState()
        state.Reset()
        state.Push()
        try:
            self._window.SetSize(*self.size_px())
            self._draw(self._renderer)
            self._copy_frame()
        except Exception as error:
            log.exception("a frame of the 3D view could not be drawn")
            self.failed.emit(str(error))
        finally:
            state.Pop()
            self._context.functions().glBindFramebuffer(GL_FRAMEBUFFER, self.defaultFramebufferObject())

    def _copy_frame(self) -> None:
        assert self._context is not None
        functions, extra = self._context.functions(), self._context.extraFunctions()
        width, height = self.size_px()
        source = self._window.GetDisplayFramebuffer().GetFBOIndex()
        functions.glBindFramebuffer(GL_READ_FRAMEBUFFER, source)
        functions.glBindFramebuffer(GL_DRAW_FRAMEBUFFER, self.defaultFramebufferObject())
        extra.glBlitFramebuffer(0, 0, width, height, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST)
        # Wayland compositors mix the window with what is behind it by this alpha.
        functions.glBindFramebuffer(GL_FRAMEBUFFER, self.defaultFramebufferObject())
        functions.glColorMask(False, False, False, True)
        functions.glClearColor(0.0, 0.0, 0.0, 1.0)
        functions.glClear(GL_COLOR_BUFFER_BIT)
        functions.glColorMask(True, True, True, True)

    def picture(self, size: tuple[int, int], draw: Callable[[SceneRenderer], Pixels]) -> QImage | None:
        if self._draw is None or self._context is None:
            return None
        self.makeCurrent()
        state = self._window.GetState()
        state.Reset()
        state.Push()
        try:
            self._window.SetSize(*size)
            return image_of(draw(self._renderer))
        finally:
            self._window.SetSize(*self.size_px())
            state.Pop()
            self.doneCurrent()
            self.update()

    def release(self) -> None:
        if self._draw is None:
            return
        self._draw = None
        if self._context is not None:
            self.makeCurrent()
            self._renderer.release()
            self._leave_context()
        else:
            self._renderer.release()
        for tag in self._observers:
            self._window.RemoveObserver(tag)


class ImageCanvas(QWidget):
    """VTK off screen, its frames copied into an image: works with any graphics driver, and with none."""

    failed = Signal(str)

    def __init__(self, parent: QWidget, scene: Scene, draw: DrawFrame) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._draw: DrawFrame | None = draw
        self._window = vtkRenderWindow()
        self._window.SetOffScreenRendering(True)
        self._window.SetMultiSamples(0)
        self._renderer = SceneRenderer(self._window, scene)
        self._image = QImage()
        self._stale = True

    def widget(self) -> QWidget:
        return self

    def request(self) -> None:
        self._stale = True
        self.update()

    def ratio(self) -> float:
        return self.devicePixelRatioF()

    def size_px(self) -> tuple[int, int]:
        return max(math.ceil(self.width() * self.ratio()), 1), max(math.ceil(self.height() * self.ratio()), 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._stale = True
        super().resizeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        # Widgets over this one ask for repaints of their own; those must not draw the scene again.
        if self._draw is not None and (self._stale or self._image_size() != self.size_px()):
            self._stale = False
            try:
                self._window.SetSize(*self.size_px())
                if self._draw(self._renderer):
                    self._image = image_of(self._renderer.read())
                    self._image.setDevicePixelRatio(self.ratio())
            except Exception as error:
                log.exception("a frame of the 3D view could not be drawn")
                self.failed.emit(str(error))
        painter = QPainter(self)
        if self._image.isNull():
            painter.fillRect(QRect(0, 0, self.width(), self.height()), self.palette().window())
        else:
            painter.drawImage(0, 0, self._image)
        painter.end()

    def _image_size(self) -> tuple[int, int]:
        return self._image.width(), self._image.height()

    def picture(self, size: tuple[int, int], draw: Callable[[SceneRenderer], Pixels]) -> QImage | None:
        if self._draw is None:
            return None
        try:
            self._window.SetSize(*size)
            return image_of(draw(self._renderer))
        finally:
            self._window.SetSize(*self.size_px())
            self.request()

    def release(self) -> None:
        if self._draw is None:
            return
        self._draw = None
        self._renderer.release()
        self._window.Finalize()


class FallbackCanvas(QObject):
    """The canvas of a view: the best one at first, an image for good once OpenGL has failed.

    Parameters as for `make_canvas`. `replaced` tells that there is a new widget, which needs a frame.
    """

    replaced = Signal()

    def __init__(self, parent: QWidget, scene: Scene, draw: DrawFrame, kind: str) -> None:
        super().__init__(parent)
        self._owner, self._scene, self._draw = parent, scene, draw
        self._released = False
        self._canvas = make_canvas(parent, scene, draw, kind)
        self._canvas.failed.connect(self._on_failed)
        self._prepare()

    def _prepare(self) -> None:
        # The view handles the mouse for all that lies in it.
        self.widget().setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.widget().lower()

    def _on_failed(self) -> None:
        if isinstance(self._canvas, GlCanvas):
            QTimer.singleShot(0, self, self._use_image)

    def _use_image(self) -> None:
        if self._released or not isinstance(self._canvas, GlCanvas):
            return
        old = self._canvas
        geometry = old.geometry()
        old.release()
        old.deleteLater()
        self._canvas = ImageCanvas(self._owner, self._scene, self._draw)
        self._prepare()
        self.widget().setGeometry(geometry)
        self.widget().show()
        self.replaced.emit()

    def widget(self) -> QWidget:
        """The widget of the present canvas."""
        return self._canvas.widget()

    def request(self) -> None:
        """Ask for a frame at the next turn of the event loop."""
        self._canvas.request()

    def ratio(self) -> float:
        """Device pixels per logical pixel."""
        return self._canvas.ratio()

    def size_px(self) -> tuple[int, int]:
        """Size in device pixels."""
        return self._canvas.size_px()

    def picture(self, size: tuple[int, int], draw: Callable[[SceneRenderer], Pixels]) -> QImage | None:
        """See `Canvas.picture`."""
        return self._canvas.picture(size, draw)

    def release(self) -> None:
        """Let go of all graphics resources."""
        self._released = True
        self._canvas.release()
