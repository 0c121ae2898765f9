"""A field for a number with a unit: takes units, a decimal point or comma, and formulas over the parameters."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QLineEdit

from linkwright.errors import LinkwrightError
from linkwright.units import format_number, parse_quantity, unit_factor
from linkwright_app import translation
from linkwright_app.window import theme
from linkwright_app.window.widgets import restyle

SHOWN_DIGITS = 6
NARROW_DIGITS = 5
FULL_DIGITS = 15


class QuantityField(QLineEdit):
    """Shows a number in SI units, or a formula, in a display unit that always stands inside the field.

    What cannot be read stays in the field with a red frame and is told by `refused`; the old value stays in force.

    Parameters
    ----------
    unit : str
        SI unit of the value; empty for a pure number.
    display_unit : str
        Unit shown and meant when none is typed; empty for the SI unit.
    formulas : bool
        Whether text that begins with ``=`` is taken as a formula.
    optional : bool
        Whether an empty field means no value.
    """

    committed = Signal(object)
    refused = Signal(str)
    restored = Signal()

    def __init__(
        self, unit: str = "", *, display_unit: str = "", formulas: bool = True, optional: bool = False
    ) -> None:
        super().__init__()
        self._unit = unit
        self._display_unit = display_unit or unit
        self._typed_unit, self._factor = _reading(self._display_unit, unit)
        self._formulas = formulas
        self._optional = optional
        self._value: float | str | None = 0.0
        self._evaluate: Callable[[str], float | None] = lambda formula: None
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFont(theme.font(tabular=True))
        self._suffix = QLabel(self)
        self._suffix.setProperty("role", "note")
        self._suffix.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._unit_shown = True
        self._digits = SHOWN_DIGITS
        self._set_suffix(self._display_unit)
        self.editingFinished.connect(self._commit)

    # ---------------------------------------------------------------- value
    @property
    def value(self) -> float | str | None:
        """The value in force: a number in SI units, a formula, or None."""
        return self._value

    @property
    def has_error(self) -> bool:
        """Whether the text in the field is not the value in force."""
        return bool(self.property("state") == "error")

    def set_evaluator(self, evaluate: Callable[[str], float | None]) -> None:
        """Give the function that tells the present number of a formula, shown dim beside it."""
        self._evaluate = evaluate

    def set_value(self, value: float | str | None) -> None:
        """Show a value. Text being typed or refused is only replaced when the value itself is another one."""
        same = value == self._value and type(value) is type(self._value)
        self._value = value
        if same and (self.has_error or (self.hasFocus() and self.isModified())):
            self._show_suffix()
            return
        self._clear_error()
        self._show(FULL_DIGITS if self.hasFocus() else self._digits)

    def show_unit(self, shown: bool) -> None:
        """Tell whether the unit stands inside the field; a vector shows it once beside its name."""
        self._unit_shown = shown
        self._digits = SHOWN_DIGITS if shown else NARROW_DIGITS
        restyle(self, narrow=not shown)
        self._show_suffix()

    def set_mixed(self) -> None:
        """Show that several elements have different values here."""
        self._value = None
        self._clear_error()
        self.clear()
        self.setPlaceholderText(self.tr("mixed"))

    def restore(self) -> None:
        """Drop what was typed and show the value in force."""
        self._clear_error()
        self._show(FULL_DIGITS if self.hasFocus() else self._digits)
        self.restored.emit()

    def refuse(self, sentence: str) -> None:
        """Keep the text, frame it red and tell why."""
        restyle(self, state="error")
        self.setToolTip(sentence)
        self.refused.emit(sentence)

    def set_state(self, state: str) -> None:
        """Mark the field ``"changed"`` from its default or ``"suspect"``; an error outranks both."""
        if not self.has_error and self.property("state") != state:
            restyle(self, state=state)

    def _clear_error(self) -> None:
        if self.has_error:
            restyle(self, state="")
            self.setToolTip("")

    def _show(self, digits: int) -> None:
        value = self._value
        if value is None:
            text = ""
        elif isinstance(value, str):
            text = value
        else:
            text = format_number(value / self._factor, digits)
        if text != self.text():
            self.setText(text)
            self.setCursorPosition(0)
        self.setModified(False)
        self._show_suffix()

    def _show_suffix(self) -> None:
        unit = self._display_unit if self._unit_shown else ""
        if isinstance(self._value, str):
            number = self._evaluate(self._value)
            shown = "" if number is None else format_number(number / self._factor, 4)
            self._set_suffix(f"{shown} {unit}".strip())
        else:
            self._set_suffix(unit)

    # ---------------------------------------------------------------- what is typed
    def read(self, text: str) -> float | str | None:
        """Turn text into a value.

        Raises
        ------
        LinkwrightError
            When it is no number in a fitting unit and no formula.
        """
        stripped = text.strip()
        if not stripped and self._optional:
            return None
        if stripped.startswith("=") and self._formulas:
            return stripped
        return parse_quantity(stripped, self._typed_unit) * self._factor

    def _commit(self) -> None:
        if not self.isModified():
            return
        try:
            value = self.read(self.text())
        except LinkwrightError as error:
            self.refuse(translation.core(error.message))
            return
        self.setModified(False)
        self._clear_error()
        if value != self._value:
            before = self._value
            self._value = value
            self.committed.emit(value)
            if self.has_error:  # the owner refused it: the old value is still the one in force
                self._value = before
                return
        self._show(FULL_DIGITS if self.hasFocus() else self._digits)

    # ---------------------------------------------------------------- looks
    def _set_suffix(self, text: str) -> None:
        self._suffix.setText(text)
        self._suffix.adjustSize()
        room = self._suffix.width() + 6 if text else 0
        self.setTextMargins(0, 0, room, 0)
        self._place_suffix()

    def _place_suffix(self) -> None:
        self._suffix.move(
            self.width() - self._suffix.width() - 7, (self.height() - self._suffix.height()) // 2
        )

    def minimumSizeHint(self) -> QSize:
        return QSize(32, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_suffix()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if not self.has_error:
            self._show(FULL_DIGITS)
            if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
                self.selectAll()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if not self.has_error and not self.isModified():
            self._show(self._digits)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and (self.isModified() or self.has_error):
            self.restore()
            return
        super().keyPressEvent(event)


def _reading(display_unit: str, unit: str) -> tuple[str, float]:
    """Give the unit typed numbers are read in, and its factor to the stored unit.

    A unit of the user's own making, as parameters may have, is only shown.
    """
    try:
        return display_unit, unit_factor(display_unit)[0] / unit_factor(unit)[0]
    except LinkwrightError:
        return "", 1.0
