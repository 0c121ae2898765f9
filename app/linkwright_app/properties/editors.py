"""Editors, one per kind of value. Each shows a value, sends a new one by `edited` and can be told no."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QWidget,
)

from linkwright.units import format_number
from linkwright_app.properties.angles import angles_from_quaternion, quaternion_from_angles
from linkwright_app.window import theme
from linkwright_app.window.fields import QuantityField
from linkwright_app.window.widgets import restyle, tool_button

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
