"""Small widgets that float over the 3D view: where one is, what the model counts, how a run is getting on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from linkwright_app.viewport.labels import label_font
from linkwright_app.viewport.theme import ViewTheme
from linkwright_app.window import icons

CARD_OPACITY = 228


@dataclass(frozen=True)
class Crumb:
    """One step of the path: text, id of the element to select at a click, and an icon."""

    text: str
    id: str = ""
    icon: str = ""


class ThemedWidget(QWidget):
    """Base: a painted widget that knows the theme and lets the view shine through."""

    def __init__(self, parent: QWidget, theme: ViewTheme) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self._theme = theme

    def set_theme(self, theme: ViewTheme) -> None:
        """Change the colours."""
        self._theme = theme
        self.update()

    def _begin(self) -> QPainter:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        return painter

    def _paint_card(self, painter: QPainter, rect: QRectF, radius: float, *, line: bool) -> None:
        fill = QColor(self._theme.tokens.card)
        fill.setAlpha(CARD_OPACITY)
        painter.setPen(QPen(QColor(self._theme.tokens.line), 1) if line else Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        painter.drawRoundedRect(rect, radius, radius)


class Breadcrumb(ThemedWidget):
    """Path to the selected element. `clicked` gives the id of a step."""

    clicked = Signal(str)

    def __init__(self, parent: QWidget, theme: ViewTheme) -> None:
        super().__init__(parent, theme)
        self.setMouseTracking(True)
        self._steps: tuple[Crumb, ...] = ()
        self._hovered = -1

    def set_path(self, steps: Sequence[Crumb]) -> None:
        """Show a path; the last step stands out."""
        if tuple(steps) != self._steps:
            self._steps = tuple(steps)
            self.resize(self.sizeHint())
            self.update()

    def sizeHint(self) -> QSize:
        spans = self._spans()
        return QSize(int(spans[-1][1]) + 4 if spans else 0, 24)

    def _spans(self) -> list[tuple[float, float]]:
        """Left and right end of every step."""
        x, spans = 0.0, []
        for k, step in enumerate(self._steps):
            last = k == len(self._steps) - 1
            width = QFontMetricsF(label_font(12, 600 if last else 400)).horizontalAdvance(step.text)
            end = x + (20 if step.icon else 0) + width
            spans.append((x, end))
            x = end + 24
        return spans

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = self._begin()
        tokens, ratio = self._theme.tokens, self.devicePixelRatioF()
        for k, (step, (x, end)) in enumerate(zip(self._steps, self._spans(), strict=True)):
            last = k == len(self._steps) - 1
            if step.icon:
                painter.drawPixmap(QPointF(x, 4), icons.pixmap(step.icon, tokens.dim, 16, ratio))
                x += 20
            painter.setFont(label_font(12, 600 if last else 400))
            strong = last or (k == self._hovered and step.id)
            painter.setPen(QColor(tokens.text if strong else tokens.dim))
            painter.drawText(QRectF(x, 0, end - x + 4, 24), Qt.AlignmentFlag.AlignVCenter, step.text)
            if not last:
                painter.drawPixmap(QPointF(end + 5, 5), icons.pixmap("chevron-right", tokens.dim, 14, ratio))
        painter.end()

    def _step_at(self, x: float) -> int:
        return next((k for k, (left, right) in enumerate(self._spans()) if left <= x <= right), -1)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self._step_at(event.position().x()))

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(-1)

    def _hover(self, step: int) -> None:
        if step != self._hovered:
            self._hovered = step
            clickable = step >= 0 and bool(self._steps[step].id)
            self.setCursor(Qt.CursorShape.PointingHandCursor if clickable else Qt.CursorShape.ArrowCursor)
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        step = self._step_at(event.position().x())
        if step >= 0 and self._steps[step].id:
            self.clicked.emit(self._steps[step].id)
        else:
            event.ignore()


class StatusPill(ThemedWidget):
    """Short facts in the lower right corner, the first one stronger."""

    def __init__(self, parent: QWidget, theme: ViewTheme) -> None:
        super().__init__(parent, theme)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._parts: tuple[str, ...] = ()
        self.hide()

    def set_parts(self, parts: Sequence[str]) -> None:
        """Show the facts; none hides the pill."""
        if tuple(parts) != self._parts:
            self._parts = tuple(parts)
            self.resize(self.sizeHint())
            self.setVisible(bool(self._parts))
            self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetricsF(label_font(11, 500, tabular=True))
        widths = [metrics.horizontalAdvance(part) for part in self._parts]
        return QSize(int(sum(widths) + 24 * len(widths)) + 1, 24)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = self._begin()
        self._paint_card(painter, QRectF(0, 0, self.width(), self.height()), 6, line=False)
        tokens = self._theme.tokens
        font = label_font(11, 500, tabular=True)
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        x = 12.0
        for k, part in enumerate(self._parts):
            width = metrics.horizontalAdvance(part)
            painter.setPen(QColor(tokens.dim if k else tokens.text))
            painter.drawText(QRectF(x, 0, width + 4, 24), Qt.AlignmentFlag.AlignVCenter, part)
            x += width + 12
            if k < len(self._parts) - 1:
                painter.setPen(QColor(tokens.strong_line))
                painter.drawLine(QPointF(x, 6), QPointF(x, 18))
                x += 12
        painter.end()


class RunCard(ThemedWidget):
    """Progress of a run in the upper left corner: title, bar, rows of two texts."""

    WIDTH = 236

    def __init__(self, parent: QWidget, theme: ViewTheme) -> None:
        super().__init__(parent, theme)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._color = ""
        self._title = ""
        self._note = ""
        self._progress = 0.0
        self._rows: tuple[tuple[str, str], ...] = ()
        self.hide()

    def set_title(self, title: str, note: str = "", color: str = "") -> None:
        """Set the title, a note at its right, and the colour of the run as ``"#RRGGBB"``."""
        self._title, self._note, self._color = title, note, color
        self.update()

    def set_progress(self, share: float) -> None:
        """Set how much is done, from 0 to 1."""
        self._progress = min(max(share, 0.0), 1.0)
        self.update()

    def set_rows(self, rows: Sequence[tuple[str, str]]) -> None:
        """Set the rows: left and right text; the first row stands out."""
        self._rows = tuple(rows)
        self.resize(self.sizeHint())
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self.WIDTH + 1, 42 + 22 * len(self._rows) + 7)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = self._begin()
        tokens = self._theme.tokens
        self._paint_card(painter, QRectF(0.5, 0.5, self.width() - 1, self.height() - 1), 8, line=True)
        left, right = 12.0, self.width() - 12.0
        painter.setPen(Qt.PenStyle.NoPen)
        x = left
        if self._color:
            painter.setBrush(QColor(self._color))
            painter.drawRoundedRect(QRectF(left, 12, 10, 10), 2, 2)
            x += 18
        middle, end = Qt.AlignmentFlag.AlignVCenter, Qt.AlignmentFlag.AlignRight
        painter.setFont(label_font(11, 400, tabular=True))
        painter.setPen(QColor(tokens.dim))
        painter.drawText(QRectF(x, 6, right - x, 22), middle | end, self._note)
        room = right - x - QFontMetricsF(painter.font()).horizontalAdvance(self._note) - 8
        painter.setFont(label_font(12, 600))
        painter.setPen(QColor(tokens.text))
        title = QFontMetricsF(painter.font()).elidedText(self._title, Qt.TextElideMode.ElideRight, room)
        painter.drawText(QRectF(x, 6, room + 4, 22), middle, title)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.line))
        painter.drawRoundedRect(QRectF(left, 32, right - left, 4), 2, 2)
        painter.setBrush(QColor(tokens.accent))
        painter.drawRoundedRect(QRectF(left, 32, (right - left) * self._progress, 4), 2, 2)
        painter.setFont(label_font(11, 400, tabular=True))
        for k, (name, value) in enumerate(self._rows):
            row = QRectF(left, 42 + 22 * k, right - left, 22)
            painter.setPen(QColor(tokens.dim if k else tokens.text))
            painter.drawText(row, middle, name)
            painter.setPen(QColor(tokens.text if k else tokens.dim))
            painter.drawText(row, middle | end, value)
        painter.end()
