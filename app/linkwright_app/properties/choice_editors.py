"""Editors of everything that is not a number: flags, choices, references, colours, names and texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QFontMetrics, QIcon, QKeyEvent, QPainter, QPixmap
from PySide6.QtWidgets import (
    QCheckBox,
    QColorDialog,
    QComboBox,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QSizePolicy,
    QSlider,
    QToolButton,
)

from linkwright.document.base import GROUND
from linkwright.document.bodies import Marker
from linkwright.document.mechanism import Mechanism
from linkwright_app.properties.editors import MIXED, Editor
from linkwright_app.window import icons, theme
from linkwright_app.window.widgets import label, restyle

BODY_COLORS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#8D98A7")
"""Colours of Okabe and Ito (2008) for bodies, and the grey of the ground."""


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
