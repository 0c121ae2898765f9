"""The bar of the timeline: how much is recorded, where we are, and what happened when."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from linkwright_app.window import theme

HEIGHT = 36
_EDGE = 8.0
_GROOVE_Y = 15.0
_LABEL_ROOM = 56.0


@dataclass(frozen=True)
class EventTick:
    """A mark on the bar.

    Parameters
    ----------
    t : float
        Time [s].
    shape : str
        ``"flag"`` (a triangle) or ``"bar"``.
    tone : str
        Colour name of the theme.
    text : str
        Words shown when the mouse rests on it.
    """

    t: float
    shape: str
    tone: str
    text: str


def nice_step(span: float, n_most: int) -> float:
    """Step of 1, 2 or 5 times a power of ten that divides a span into at most `n_most` parts."""
    if not math.isfinite(span) or span <= 0.0 or n_most < 1:
        return 1.0
    raw = span / n_most
    decade: float = 10.0 ** math.floor(math.log10(raw))
    return next(m * decade for m in (1.0, 2.0, 5.0, 10.0) if m * decade >= raw * (1.0 - 1e-9))


class TimeSlider(QWidget):
    """A slider over time. Press or drag to move; with the focus, arrow keys step by frames."""

    dragged = Signal(float)
    stepped = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._t = 0.0
        self._t_last = 0.0
        self._t_end = 0.0
        self._events: tuple[EventTick, ...] = ()
        self.setFixedHeight(HEIGHT)
        self.setMinimumWidth(160)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Time"))
        self.setEnabled(False)

    def set_range(self, t_last: float, t_end: float) -> None:
        """Set the end of the recorded part and the end of the run [s]."""
        if (t_last, t_end) != (self._t_last, self._t_end):
            self._t_last, self._t_end = t_last, t_end
            self.setEnabled(t_end > 0.0)
            self.update()

    def set_t(self, t: float) -> None:
        """Show a time [s]."""
        if t != self._t:
            self._t = t
            self.update()

    def set_events(self, events: Sequence[EventTick]) -> None:
        """Show these marks."""
        if tuple(events) != self._events:
            self._events = tuple(events)
            self.update()

    @property
    def events(self) -> tuple[EventTick, ...]:
        """Marks shown."""
        return self._events

    # ------------------------------------------------------------------ geometry
    @property
    def _span(self) -> float:
        return self._t_end if self._t_end > 0.0 else 1.0

    def x_of(self, t: float) -> float:
        """Give the place of a time, in pixels from the left edge."""
        return _EDGE + (self.width() - 2 * _EDGE) * min(max(t / self._span, 0.0), 1.0)

    def t_at(self, x: float) -> float:
        """Give the time of a place, in pixels from the left edge."""
        return self._span * min(max((x - _EDGE) / max(self.width() - 2 * _EDGE, 1.0), 0.0), 1.0)

    def _event_near(self, x: float) -> EventTick | None:
        near = [e for e in self._events if abs(self.x_of(e.t) - x) <= 4.0]
        return min(near, key=lambda e: abs(self.x_of(e.t) - x), default=None)

    # ------------------------------------------------------------------ hands
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._t_end > 0.0:
            at = event.position()
            tick = self._event_near(at.x()) if at.y() < _GROOVE_Y - 3 else None
            self.dragged.emit(tick.t if tick else self.t_at(at.x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton and self._t_end > 0.0:
            self.dragged.emit(self.t_at(event.position().x()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        far = 10 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
        step = {Qt.Key.Key_Left: -far, Qt.Key.Key_Right: far}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self.stepped.emit(step)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            tick = self._event_near(float(event.pos().x()))
            if tick is not None:
                QToolTip.showText(event.globalPos(), tick.text, self)
                return True
        return super().event(event)

    # ------------------------------------------------------------------ looks
    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_groove(painter, tokens.line, self.width() - 2 * _EDGE)
        if self._t_end > 0.0:
            recorded = QColor(tokens.accent)
            recorded.setAlpha(80)
            self._paint_groove(painter, recorded, self.x_of(self._t_last) - _EDGE)
            self._paint_groove(painter, tokens.accent, self.x_of(self._t) - _EDGE)
            self._paint_labels(painter)
            for tick in self._events:
                self._paint_event(painter, tick)
            painter.setPen(QPen(QColor(tokens.panel), 2.0))
            painter.setBrush(QColor(tokens.accent))
            painter.drawEllipse(QPointF(self.x_of(self._t), _GROOVE_Y), 7.0, 7.0)
            if self.hasFocus():
                painter.setPen(QPen(QColor(tokens.accent), 1.2))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawEllipse(QPointF(self.x_of(self._t), _GROOVE_Y), 8.5, 8.5)
        painter.end()

    def _paint_groove(self, painter: QPainter, ink: QColor | str, width: float) -> None:
        if width > 0.0:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(ink))
            painter.drawRoundedRect(QRectF(_EDGE, _GROOVE_Y - 2.0, width, 4.0), 2.0, 2.0)

    def _paint_labels(self, painter: QPainter) -> None:
        tokens = theme.tokens()
        step = nice_step(self._t_end, min(10, max(int(self.width() / _LABEL_ROOM), 1)))
        decimals = max(0, -math.floor(math.log10(step) + 1e-9))
        painter.setFont(theme.font(9, tabular=True))
        n = math.floor(self._t_end / step + 1e-9)
        for i in range(n + 1):
            x = self.x_of(i * step)
            painter.setPen(QPen(QColor(tokens.strong_line), 1.0))
            painter.drawLine(QPointF(x, _GROOVE_Y + 5), QPointF(x, _GROOVE_Y + 8))
            painter.setPen(QColor(tokens.dim))
            box, align = QRectF(x - 24, _GROOVE_Y + 8, 48, 12), Qt.AlignmentFlag.AlignHCenter
            if i == 0:
                box, align = QRectF(x - 2, _GROOVE_Y + 8, 48, 12), Qt.AlignmentFlag.AlignLeft
            elif x > self.width() - 24:
                box, align = QRectF(x - 46, _GROOVE_Y + 8, 48, 12), Qt.AlignmentFlag.AlignRight
            painter.drawText(box, align | Qt.AlignmentFlag.AlignVCenter, f"{i * step:.{decimals}f}")

    def _paint_event(self, painter: QPainter, tick: EventTick) -> None:
        x, y = self.x_of(tick.t), _GROOVE_Y
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color(tick.tone))
        if tick.shape == "flag":
            painter.drawPolygon(
                QPolygonF([QPointF(x, y - 4), QPointF(x - 3.5, y - 10), QPointF(x + 3.5, y - 10)])
            )
        else:
            painter.drawRect(QRectF(x - 0.75, y - 10, 1.5, 6))
