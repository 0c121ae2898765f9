"""Grips: the dividers between panels are one pixel wide to the eye and seven to the mouse."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

WIDTH = 7
_Area = Qt.DockWidgetArea


class Grip(QWidget):
    """An invisible strip over the divider of a docked panel; dragging it resizes the panel.

    Parameters
    ----------
    window : QMainWindow
        The window.
    dock : QDockWidget
        The panel.
    """

    def __init__(self, window: QMainWindow, dock: QDockWidget) -> None:
        super().__init__(window)
        self._window = window
        self._dock = dock
        self._start = 0.0
        self._size = 0
        dock.installEventFilter(self)
        self.hide()

    def _area(self) -> Qt.DockWidgetArea:
        return self._window.dockWidgetArea(self._dock)

    def _upright(self) -> bool:
        return self._area() in (_Area.LeftDockWidgetArea, _Area.RightDockWidgetArea)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kinds = (
            QEvent.Type.Move,
            QEvent.Type.Resize,
            QEvent.Type.Show,
            QEvent.Type.Hide,
            QEvent.Type.ParentChange,
        )
        if event.type() in kinds:
            self.place()
        return False

    def place(self) -> None:
        """Lie over the divider, or hide when the panel is not docked in view."""
        dock = self._dock
        if dock.isFloating() or dock.isHidden():
            self.hide()
            return
        box, half = dock.geometry(), WIDTH // 2
        boxes = {
            _Area.LeftDockWidgetArea: QRect(box.right() + 1 - half, box.y(), WIDTH, box.height()),
            _Area.RightDockWidgetArea: QRect(box.x() - 1 - half, box.y(), WIDTH, box.height()),
            _Area.TopDockWidgetArea: QRect(box.x(), box.bottom() + 1 - half, box.width(), WIDTH),
            _Area.BottomDockWidgetArea: QRect(box.x(), box.y() - 1 - half, box.width(), WIDTH),
        }
        if self._area() not in boxes:
            self.hide()
            return
        self.setGeometry(boxes[self._area()])
        shape = Qt.CursorShape.SplitHCursor if self._upright() else Qt.CursorShape.SplitVCursor
        self.setCursor(shape)
        self.show()
        self.raise_()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = event.globalPosition()
        self._start = place.x() if self._upright() else place.y()
        self._size = self._dock.width() if self._upright() else self._dock.height()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = event.globalPosition()
        moved = (place.x() if self._upright() else place.y()) - self._start
        if self._area() in (_Area.RightDockWidgetArea, _Area.BottomDockWidgetArea):
            moved = -moved
        orientation = Qt.Orientation.Horizontal if self._upright() else Qt.Orientation.Vertical
        self._window.resizeDocks([self._dock], [max(round(self._size + moved), 40)], orientation)
