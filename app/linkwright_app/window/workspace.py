"""The middle of the window: the 3D view with what lies over it, and the timeline beneath."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from linkwright_app.window import theme
from linkwright_app.window.widgets import rule


class ViewPlaceholder(QWidget):
    """Stands where the 3D view comes, in its colours, until it is there."""

    def __init__(self) -> None:
        super().__init__()
        self._text = self.tr("Preparing the 3D view…")

    def show_text(self, text: str) -> None:
        """Say why there is no view yet."""
        self._text = text
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        dark = theme.tokens().dark
        ground = QLinearGradient(0, 0, 0, self.height())
        ground.setColorAt(0, QColor("#2B3038" if dark else "#E9EDF3"))
        ground.setColorAt(1, QColor("#16181C" if dark else "#C9D2DE"))
        painter = QPainter(self)
        painter.fillRect(self.rect(), ground)
        painter.setFont(theme.font(12))
        painter.setPen(theme.color("dim"))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._text)
        painter.end()


class Workspace(QWidget):
    """View above, timeline below."""

    def __init__(self) -> None:
        super().__init__()
        self.view: QWidget = ViewPlaceholder()
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        self._layout.addWidget(self.view, 1)

    def set_view(self, view: QWidget) -> None:
        """Put the 3D view in the place of the placeholder."""
        old = self.view
        self._layout.replaceWidget(old, view)
        self._layout.setStretchFactor(view, 1)
        old.hide()
        old.deleteLater()
        self.view = view

    def set_timeline(self, timeline: QWidget) -> None:
        """Put the timeline under the view."""
        self._layout.addWidget(rule())
        self._layout.addWidget(timeline)
