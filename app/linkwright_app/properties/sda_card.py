"""What a spring-damper-actuator does, in its form: force over length, and the law with its present numbers."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from linkwright.document import rotation
from linkwright.document.base import GROUND
from linkwright.document.bodies import Body
from linkwright.document.mechanism import Mechanism
from linkwright.elements.forces.sda import Sda
from linkwright.units import format_number
from linkwright_app.window import theme
from linkwright_app.window.formula import FormulaLine, scientific
from linkwright_app.window.widgets import column, framed, label

Placing = Callable[[float, float], QPointF]

PLOT_HEIGHT = 132
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 8, 36


def drawn_length(mechanism: Mechanism, element: Sda) -> float:
    """Distance of the two ends as drawn [m] (evaluated document)."""
    a, _ = mechanism.world_frame(element.i)
    b, _ = mechanism.world_frame(element.j)
    return math.dist(a, b)


def drawn_rate(mechanism: Mechanism, element: Sda) -> float:
    """Rate of the distance of the two ends at t = 0 [m/s] (evaluated document)."""
    length = drawn_length(mechanism, element)
    if length == 0.0:
        return 0.0
    (a, va), (b, vb) = (_point(mechanism, end) for end in (element.i, element.j))
    return sum((q - p) * (w - v) for p, q, v, w in zip(a, b, va, vb, strict=True)) / length


def _point(mechanism: Mechanism, reference: str) -> tuple[rotation.Vector, rotation.Vector]:
    """Place and velocity of a reference at t = 0, in ground axes."""
    place, _ = mechanism.world_frame(reference)
    body_id = mechanism.body_of(reference)
    if body_id == GROUND:
        return place, (0.0, 0.0, 0.0)
    body = mechanism.element(body_id)
    assert isinstance(body, Body)
    rx, ry, rz = (p - float(o) for p, o in zip(place, body.position, strict=True))
    wx, wy, wz = (float(x) for x in body.angular_velocity)
    vx, vy, vz = (float(x) for x in body.velocity)
    return place, (vx + wy * rz - wz * ry, vy + wz * rx - wx * rz, vz + wx * ry - wy * rx)


def nice_ticks(low: float, high: float, most: int) -> list[float]:
    """Give at most `most` round numbers inside a range, one step apart."""
    span = high - low
    if not span > 0.0 or most < 2:
        return [low]
    raw = span / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1.0, 2.0, 2.5, 5.0, 10.0) if factor * power >= raw)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [place * step for place in range(first, last + 1)]


class ForcePlot(QWidget):
    """Static force over length, with the free length and the drawn state marked."""

    def __init__(self) -> None:
        super().__init__()
        self._k = self._free = self._drawn = self._actuator = 0.0
        self._tension_only = False
        self.setFixedHeight(PLOT_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Force over length"))
        theme.current().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(280, PLOT_HEIGHT)

    def show_law(self, element: Sda, free: float, drawn: float) -> None:
        """Show the law of an element with numbers only.

        Parameters
        ----------
        element : Sda
            Evaluated element.
        free, drawn : float
            Free length and drawn length [m].
        """
        self._k, self._actuator = float(element.stiffness), float(element.actuator_force)
        self._free, self._drawn = free, drawn
        self._tension_only = element.tension_only
        self.update()

    def force(self, length: float) -> float:
        """Force at rest at a length [N]."""
        value = self._k * (length - self._free) + self._actuator
        return max(value, 0.0) if self._tension_only else value

    def _ranges(self) -> tuple[float, float, float, float]:
        centre = self._free or self._drawn or 1.0
        reach = max(0.16 * centre, 1.3 * abs(self._drawn - self._free))
        low, high = max(centre - reach, 0.0), centre + reach
        peak = max(abs(self.force(low)), abs(self.force(high)), abs(self._actuator), 1e-12) * 1.15
        return low, high, (-0.08 * peak if self._tension_only else -peak), peak

    def paintEvent(self, event: QPaintEvent) -> None:
        x0, x1, y0, y1 = self._ranges()
        tokens = theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(LEFT, TOP, self.width() - LEFT - RIGHT, self.height() - TOP - BOTTOM)

        def place(x: float, y: float) -> QPointF:
            return QPointF(
                area.left() + (x - x0) / (x1 - x0) * area.width(),
                area.bottom() - (y - y0) / (y1 - y0) * area.height(),
            )

        scale, unit = (1e3, "kN") if y1 >= 2e3 else (1.0, "N")
        grid = theme.color("text")
        grid.setAlphaF(0.11)
        painter.setFont(theme.font(10, tabular=True))
        metrics = QFontMetricsF(painter.font())
        for x in nice_ticks(x0, x1, 5):
            at = place(x, y0)
            painter.setPen(QPen(grid, 1))
            painter.drawLine(QPointF(at.x(), area.top()), at)
            painter.setPen(theme.color("dim"))
            text = format_number(x, 4)
            painter.drawText(QPointF(at.x() - metrics.horizontalAdvance(text) / 2, area.bottom() + 14), text)
        for y in nice_ticks(y0, y1, 4):
            at = place(x0, y)
            painter.setPen(QPen(grid, 1))
            painter.drawLine(at, QPointF(area.right(), at.y()))
            painter.setPen(theme.color("dim"))
            text = format_number(y / scale, 4).replace("-", "−")
            painter.drawText(QPointF(LEFT - 6 - metrics.horizontalAdvance(text), at.y() + 3.5), text)
        painter.setPen(QPen(theme.color("strong_line"), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.drawLine(area.bottomLeft(), area.topLeft())
        self._titles(painter, area, unit)
        self._curve(painter, place, x0, x1, y1)
        painter.setPen(QPen(theme.color("force"), 2))
        painter.setBrush(theme.color(tokens.panel))
        painter.drawEllipse(place(self._drawn, self.force(self._drawn)), 4, 4)
        painter.end()

    def _curve(self, painter: QPainter, place: Placing, x0: float, x1: float, y1: float) -> None:
        dashed = QPen(theme.color("dim"), 1, Qt.PenStyle.DashLine)
        painter.setPen(dashed)
        bottom, top = place(self._free, y1), place(self._free, -y1)
        painter.drawLine(QPointF(bottom.x(), TOP), QPointF(top.x(), self.height() - BOTTOM))
        painter.setFont(theme.formula_font(13, italic=True))
        painter.setPen(theme.color("dim"))
        painter.drawText(QPointF(bottom.x() + 5, TOP + 10), "ℓ")
        painter.setFont(theme.formula_font(9, italic=False))
        painter.drawText(QPointF(bottom.x() + 11, TOP + 13), "0")
        knee = [self._free - self._actuator / self._k] if self._tension_only and self._k > 0.0 else []
        xs = sorted({x0, x1, *(x for x in knee if x0 < x < x1)})
        painter.setPen(QPen(theme.color("force"), 2))
        painter.drawPolyline(QPolygonF([place(x, self.force(x)) for x in xs]))

    def _titles(self, painter: QPainter, area: QRectF, unit: str) -> None:
        painter.setFont(theme.font(11))
        metrics = QFontMetricsF(painter.font())
        for name, unit_, turned in ((self.tr("length"), "m", False), (self.tr("force"), unit, True)):
            tail = f" [{unit_}]"
            width = metrics.horizontalAdvance(name + tail)
            painter.save()
            if turned:
                painter.translate(11, area.center().y() + width / 2)
                painter.rotate(-90)
            else:
                painter.translate(area.center().x() - width / 2, self.height() - 5)
            painter.setPen(theme.color("text"))
            painter.drawText(QPointF(0, 0), name)
            painter.setPen(theme.color("dim"))
            painter.drawText(QPointF(metrics.horizontalAdvance(name), 0), tail)
            painter.restore()


class SdaCard(QWidget):
    """Force plot and equation card of one element."""

    def __init__(self) -> None:
        super().__init__()
        self.plot = ForcePlot()
        self.law = FormulaLine("f = k (ℓ − ℓ_0) + c ℓ′ + f_a", px=19)
        self.numbers = FormulaLine(px=13, tone="dim")
        card = framed(
            column(
                self.law,
                self.numbers,
                label(self.tr("Tension is positive"), "note"),
                spacing=2,
                margins=(12, 8, 12, 8),
            ),
            "equation",
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 8)
        layout.setSpacing(6)
        layout.addWidget(self.plot)
        layout.addWidget(card)

    def show_element(self, evaluated: Mechanism, element_id: str) -> float:
        """Show an element of the evaluated document; give its drawn length [m]."""
        element = evaluated.element(element_id)
        assert isinstance(element, Sda)
        drawn = drawn_length(evaluated, element)
        free = drawn if element.free_length is None else float(element.free_length)
        self.plot.show_law(element, free, drawn)
        k, c, f = float(element.stiffness), float(element.damping), float(element.actuator_force)
        rate = round(drawn_rate(evaluated, element), 12) + 0.0
        force = k * (drawn - free) + c * rate + f
        if element.tension_only:
            force = max(force, 0.0)
        self.numbers.set_notation(
            f"= {scientific(k)} ({drawn:.4g} − {free:.4g}) + {scientific(c)} ({scientific(rate)}) + {scientific(f)}"
            f' = {scientific(round(force, 9) + 0.0)} "N"'
        )
        return drawn
