"""Editors, one per kind of value. Each shows a value, sends a new one by `edited` and can be told no."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFontMetrics, QIcon, QKeyEvent, QPainter, QPixmap
from PySide6.QtWidgets import (
    QCheckBox,
    QColorDialog,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QSizePolicy,
    QSlider,
    QToolButton,
    QWidget,
)

from linkwright.document.base import GROUND
from linkwright.document.bodies import Marker
from linkwright.document.mechanism import Mechanism
from linkwright.units import format_number
from linkwright_app.properties.angles import angles_from_quaternion, quaternion_from_angles
from linkwright_app.window import icons, theme
from linkwright_app.window.fields import QuantityField
from linkwright_app.window.widgets import label, restyle, tool_button

BODY_COLORS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#8D98A7")
"""Colours of Okabe and Ito (2008) for bodies, and the grey of the ground."""

COLUMNS = 3
"""Components of a vector in one line."""

MIXED = object()
"""Stands for the value of several elements that differ."""


class Editor(QWidget):
    """Base of the editors.

    `edited` carries the place inside the value (empty for the whole, else a component number) and the new value.
    """

    edited = Signal(str, object)
    refused = Signal(str)
    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(0, 0, 0, 0)
        self._line.setSpacing(4)

    def show_value(self, value: Any) -> None:
        """Show a value, or that several elements differ (`MIXED`)."""
        raise NotImplementedError

    def refuse(self, sentence: str) -> None:
        """Keep what was typed and mark it as refused."""
        self.refused.emit(sentence)

    def restore(self) -> None:
        """Drop what was refused."""

    def mark_changed(self, changed: bool) -> None:
        """Mark the value as another than the default."""


class NumberEditor(Editor):
    """One number with its unit.

    Parameters
    ----------
    unit : str
        SI unit.
    formulas, optional : bool
        Whether a formula or no value is allowed.
    whole : bool
        Whether only whole numbers are allowed.
    evaluate : callable
        Tells the number of a formula.
    """

    def __init__(
        self,
        unit: str,
        *,
        formulas: bool,
        optional: bool,
        whole: bool = False,
        evaluate: Callable[[str], float | None],
    ) -> None:
        super().__init__()
        self.field = QuantityField(unit, formulas=formulas, optional=optional)
        self.field.set_evaluator(evaluate)
        self._whole = whole
        self._line.addWidget(self.field)
        self.setFocusProxy(self.field)
        self.field.committed.connect(self._commit)
        self.field.refused.connect(self.refused)
        self.field.restored.connect(lambda: self.refused.emit(""))
        self.field.editingFinished.connect(self.left)

    def _commit(self, value: object) -> None:
        if self._whole and isinstance(value, float):
            if not value.is_integer():
                self.field.refuse(self.tr("A whole number is needed here."))
                return
            value = int(value)
        self.edited.emit("", value)

    def show_value(self, value: Any) -> None:
        if value is MIXED:
            self.field.set_mixed()
        else:
            self.field.set_value(float(value) if isinstance(value, int) else value)

    def refuse(self, sentence: str) -> None:
        self.field.refuse(sentence)

    def restore(self) -> None:
        self.field.restore()

    def mark_changed(self, changed: bool) -> None:
        self.field.set_state("changed" if changed else "")


class VectorEditor(Editor):
    """Components side by side; `edited` tells which one.

    Parameters
    ----------
    unit : str
        SI unit, shown once behind the last component by the form's label.
    names : sequence of str
        Letters of the components.
    formulas : bool
        Whether a component may be a formula.
    evaluate : callable
        Tells the number of a formula.
    """

    def __init__(
        self, unit: str, names: Sequence[str], *, formulas: bool, evaluate: Callable[[str], float | None]
    ) -> None:
        super().__init__()
        self.fields: list[QuantityField] = []
        self._bad: QuantityField | None = None
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(4)
        self._line.addLayout(grid)
        for place, name in enumerate(names):
            field = QuantityField(unit, formulas=formulas)
            field.set_evaluator(evaluate)
            field.show_unit(False)
            field.setAccessibleName(name)
            field.committed.connect(lambda value, place=place: self._commit(place, value))
            field.refused.connect(self.refused)
            field.restored.connect(lambda: self.refused.emit(""))
            field.editingFinished.connect(self.left)
            field.setToolTip(name)
            self.fields.append(field)
            grid.addWidget(field, place // COLUMNS, place % COLUMNS)
        self.setFocusProxy(self.fields[0])

    def _commit(self, place: int, value: object) -> None:
        self._bad = self.fields[place]
        self.edited.emit(str(place), value)

    def show_value(self, value: Any) -> None:
        for place, field in enumerate(self.fields):
            if value is MIXED:
                field.set_mixed()
            else:
                field.set_value(value[place])

    def refuse(self, sentence: str) -> None:
        (self._bad or self.fields[0]).refuse(sentence)

    def restore(self) -> None:
        for field in self.fields:
            if field.has_error:
                field.restore()


class OrientationEditor(Editor):
    """Three angles in degrees, or the four Euler parameters as text."""

    def __init__(self) -> None:
        super().__init__()
        self._value: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
        self.angles: list[QuantityField] = []
        for name in (self.tr("Turn about x"), self.tr("then about y"), self.tr("then about z")):
            field = QuantityField("rad", display_unit="deg", formulas=False)
            field.show_unit(False)
            field.setToolTip(name)
            field.setAccessibleName(name)
            field.committed.connect(self._commit_angles)
            field.refused.connect(self.refused)
            field.restored.connect(lambda: self.refused.emit(""))
            field.editingFinished.connect(self.left)
            self.angles.append(field)
            self._line.addWidget(field)
        self.parameters = QLineEdit()
        self.parameters.setFont(theme.font(tabular=True))
        self.parameters.setToolTip(self.tr("Euler parameters w, x, y, z; scaled to unit length"))
        self.parameters.editingFinished.connect(self._commit_parameters)
        self.parameters.hide()
        self._line.addWidget(self.parameters)
        self.switch = tool_button("rotate-3d", self.tr("Angles or Euler parameters"), size=22, icon_size=14)
        self.switch.setCheckable(True)
        self.switch.toggled.connect(self._on_switch)
        self._line.addWidget(self.switch)

    def _on_switch(self, parameters: bool) -> None:
        for field in self.angles:
            field.setVisible(not parameters)
        self.parameters.setVisible(parameters)

    def show_value(self, value: Any) -> None:
        if value is MIXED:
            for field in self.angles:
                field.set_mixed()
            self.parameters.clear()
            return
        w, x, y, z = (float(part) for part in value)
        self._value = (w, x, y, z)
        # Angles of a stored quaternion carry rounding of some 1e-16; it is not worth showing.
        for field, angle in zip(self.angles, angles_from_quaternion(self._value), strict=True):
            field.set_value(round(angle, 13) + 0.0)
        if not self.parameters.isModified() or not self.parameters.hasFocus():
            self.parameters.setText(", ".join(format_number(part, 8) for part in self._value))
            self.parameters.setModified(False)

    def _commit_angles(self) -> None:
        numbers = [field.value for field in self.angles]
        if all(isinstance(number, float) for number in numbers):
            self.edited.emit("", quaternion_from_angles(*(float(number or 0.0) for number in numbers)))

    def _commit_parameters(self) -> None:
        if not self.parameters.isModified():
            return
        words = [word for word in re.split(r"[;\s]+|,\s+", self.parameters.text().strip(" ()[]")) if word]
        try:
            numbers = [float(word.strip(",").replace(",", ".")) for word in words]
            length = math.sqrt(sum(number * number for number in numbers))
            if len(numbers) != 4 or not 0.0 < length < math.inf:
                raise ValueError(words)
        except ValueError:
            self.refuse(self.tr("Four numbers w, x, y, z are needed here, not all zero."))
            return
        self.parameters.setModified(False)
        restyle(self.parameters, state="")
        self.refused.emit("")
        w, x, y, z = (number / length for number in numbers)
        self.edited.emit("", (w, x, y, z))

    def refuse(self, sentence: str) -> None:
        if self.switch.isChecked():
            restyle(self.parameters, state="error")
            self.refused.emit(sentence)
        else:
            self.angles[0].refuse(sentence)

    def restore(self) -> None:
        restyle(self.parameters, state="")
        self.parameters.setModified(False)
        for field in self.angles:
            if field.has_error:
                field.restore()
        self.show_value(self._value)


class FlagEditor(Editor):
    """A check box."""

    def __init__(self) -> None:
        super().__init__()
        self.box = QCheckBox()
        self.box.clicked.connect(self._on_clicked)
        self._line.addWidget(self.box)
        self._line.addStretch(1)
        self.setFocusProxy(self.box)

    def _on_clicked(self, on: bool) -> None:
        self.box.setTristate(False)
        self.edited.emit("", on)

    def show_value(self, value: Any) -> None:
        if value is MIXED:
            self.box.setCheckState(Qt.CheckState.PartiallyChecked)
        else:
            self.box.setTristate(False)
            self.box.setChecked(bool(value))


class _CalmCombo(QComboBox):
    """A combo box that leaves the wheel to the form unless it has the focus."""

    def __init__(self) -> None:
        super().__init__()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(6)
        self.setIconSize(QSize(16, 16))
        self.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Wheel and not self.hasFocus():
            event.ignore()
            return True
        return super().eventFilter(watched, event)


class ChoiceEditor(Editor):
    """One of a few words.

    Parameters
    ----------
    choices : sequence of (str, str)
        Stored word and translated text.
    """

    def __init__(self, choices: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self.combo = _CalmCombo()
        for word, text in choices:
            self.combo.addItem(text, word)
        self.combo.activated.connect(lambda: self.edited.emit("", self.combo.currentData()))
        self._line.addWidget(self.combo)
        self.setFocusProxy(self.combo)

    def show_value(self, value: Any) -> None:
        self.combo.setCurrentIndex(-1 if value is MIXED else self.combo.findData(value))


class FixedWord(Editor):
    """A choice of one: shown, not offered."""

    def __init__(self, choices: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._texts = dict(choices)
        self.text = label(tone="dim")
        self._line.addWidget(self.text)
        self._line.addStretch(1)

    def show_value(self, value: Any) -> None:
        self.text.setText(self._texts.get(str(value), ""))


class ReferenceEditor(Editor):
    """The end of a joint or force: a marker, a body or the ground.

    Parameters
    ----------
    markers : bool
        Whether markers may be chosen.
    """

    def __init__(self, *, markers: bool) -> None:
        super().__init__()
        self._markers = markers
        self.combo = _CalmCombo()
        self.combo.activated.connect(lambda: self.edited.emit("", self.combo.currentData()))
        self._line.addWidget(self.combo)
        self.setFocusProxy(self.combo)

    def offer(self, m: Mechanism) -> None:
        """List what can be chosen in a document."""
        present = self.combo.currentData()
        self.combo.clear()
        groups = [(GROUND, self.tr("Ground"), "anchor", "dim")]
        groups += [(body.id, body.label, "bar", body.color) for body in m.bodies]
        for body_id, name, icon_name, tone in groups:
            self.combo.addItem(icons.icon(icon_name, tone, size=16), name, body_id)
            for marker in m.markers:
                if self._markers and marker.body == body_id:
                    self.combo.addItem(icons.icon("marker", tone, size=16), _placed(marker, name), marker.id)
        self.combo.setCurrentIndex(self.combo.findData(present))

    def show_value(self, value: Any) -> None:
        self.combo.setCurrentIndex(-1 if value is MIXED else self.combo.findData(value))
        self.combo.setToolTip(self.combo.currentText())


def _placed(marker: Marker, body: str) -> str:
    return f"{body} · {marker.label}"


class ColorEditor(Editor):
    """A swatch with the body colours and, behind *Other*, any colour.

    Parameters
    ----------
    optional : bool
        Whether there may be no colour of its own.
    """

    def __init__(self, *, optional: bool) -> None:
        super().__init__()
        self._color: str | None = BODY_COLORS[0]
        self.button = QToolButton()
        self.button.setFixedHeight(22)
        self.button.setIconSize(QSize(36, 14))
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu = QMenu(self.button)
        for color in BODY_COLORS:
            self.menu.addAction(
                _swatch(color), color.upper(), lambda color=color: self.edited.emit("", color)
            )
        self.menu.addSeparator()
        self.menu.addAction(self.tr("Other…"), self._ask)
        if optional:
            self.menu.addAction(self.tr("As the body"), lambda: self.edited.emit("", None))
        self.button.setMenu(self.menu)
        self._line.addWidget(self.button)
        self._line.addStretch(1)
        self.setFocusProxy(self.button)

    def _ask(self) -> None:
        start = QColor(self._color or BODY_COLORS[0])
        chosen = QColorDialog.getColor(start, self, self.tr("Colour"))
        if chosen.isValid():
            self.edited.emit("", chosen.name())

    def show_value(self, value: Any) -> None:
        if value is MIXED:
            self.button.setIcon(QIcon())
            self.button.setText(self.tr("mixed"))
            return
        self._color = value
        self.button.setIcon(_swatch(value) if value else QIcon())
        self.button.setText(value.upper() if value else self.tr("As the body"))


def _swatch(color: str) -> QIcon:
    picture = QPixmap(72, 28)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(QColor(color))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.drawRoundedRect(QRectF(0, 0, 60, 28), 6, 6)  # the rest sets the text apart
    painter.end()
    picture.setDevicePixelRatio(2.0)
    return QIcon(picture)


class TextEditor(Editor):
    """A line of text."""

    def __init__(self) -> None:
        super().__init__()
        self.field = QLineEdit()
        self._value = ""
        self.field.editingFinished.connect(self._commit)
        self._line.addWidget(self.field)
        self.setFocusProxy(self.field)

    def _commit(self) -> None:
        if self.field.isModified():
            self.field.setModified(False)
            restyle(self.field, state="")
            self.refused.emit("")
            self.edited.emit("", self.field.text().strip())
        self.left.emit()

    def show_value(self, value: Any) -> None:
        text = "" if value is MIXED else str(value)
        if text == self._value and (self.field.property("state") == "error" or self.field.isModified()):
            return
        self._value = text
        restyle(self.field, state="")
        self.field.setText(text)
        self.field.setPlaceholderText(self.tr("mixed") if value is MIXED else "")

    def refuse(self, sentence: str) -> None:
        restyle(self.field, state="error")
        self.refused.emit(sentence)

    def restore(self) -> None:
        restyle(self.field, state="")
        self.field.setText(self._value)
        self.refused.emit("")


class _Paragraph(QPlainTextEdit):
    """A small text field that tells when it is left; Tab moves on."""

    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "field")
        self.setTabChangesFocus(True)
        self.setFixedHeight(76)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.left.emit()


class ParagraphEditor(Editor):
    """Several lines of text."""

    def __init__(self) -> None:
        super().__init__()
        self.field = _Paragraph()
        self._value = ""
        self.field.left.connect(self._commit)
        self._line.addWidget(self.field)
        self.setFocusProxy(self.field)

    def _commit(self) -> None:
        text = self.field.toPlainText()
        if text != self._value:
            self._value = text
            self.edited.emit("", text)
        self.left.emit()

    def show_value(self, value: Any) -> None:
        text = "" if value is MIXED else str(value)
        if text != self.field.toPlainText() and (text != self._value or not self.field.hasFocus()):
            self.field.setPlainText(text)
        self._value = text


class RangeSlider(Editor):
    """A slider for a parameter that has a range.

    Parameters
    ----------
    low, high : float
        The range.
    """

    STEPS = 1000

    def __init__(self, low: float, high: float) -> None:
        super().__init__()
        self._low, self._high = low, high
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setRange(0, self.STEPS)
        self.slider.setFixedHeight(22)
        self.slider.valueChanged.connect(self._on_moved)
        self.slider.sliderReleased.connect(self.left)
        self._line.addWidget(self.slider)

    def _on_moved(self, place: int) -> None:
        value = self._low + (self._high - self._low) * place / self.STEPS
        self.edited.emit("", float(f"{value:.6g}"))

    def show_value(self, value: Any) -> None:
        if isinstance(value, float):
            share = (value - self._low) / (self._high - self._low)
            blocked = self.slider.blockSignals(True)
            self.slider.setValue(round(self.STEPS * min(max(share, 0.0), 1.0)))
            self.slider.blockSignals(blocked)


class NameEditor(QLineEdit):
    """The name of the shown element, in the head of the form; looks like a title until it is edited."""

    renamed = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "name")
        self.setMaxLength(200)
        self._name = ""
        self.setAccessibleName(self.tr("Name"))
        self.editingFinished.connect(self._commit)

    def show_name(self, name: str) -> None:
        """Show a name."""
        self._name = name
        restyle(self, state="")
        self.setToolTip(name)
        self.setText(name)
        self.setCursorPosition(0)
        self._fit()

    def refuse(self, sentence: str) -> None:
        """Keep the refused name and tell why."""
        restyle(self, state="error")
        self.setToolTip(sentence)

    def _fit(self) -> None:
        metrics = QFontMetrics(theme.font(13, 600))
        self.setFixedWidth(min(metrics.horizontalAdvance(self._name) + 14, 150))

    def _commit(self) -> None:
        name = self.text().strip()
        if name != self._name:
            self.renamed.emit(name)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.show_name(self._name)
            return
        super().keyPressEvent(event)
