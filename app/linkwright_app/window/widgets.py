"""Small widgets that all panels share: labels by role, rules, heads, buttons, pills, the segmented switch."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QGraphicsDropShadowEffect,
    QHBoxLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from linkwright_app.window import icons, theme

ROW = 24
LABEL_COLUMN = 104

Item = QWidget | QLayout | int | None


def label(
    text: str = "", role: str = "", *, tone: str = "", tabular: bool = False, wrap: bool = False
) -> QLabel:
    """Give a label.

    Parameters
    ----------
    text : str
        Translated text.
    role : str
        A role of the style sheet: ``"dim"``, ``"note"``, ``"strong"``, ``"title"``, ``"head"``, ``"big"``, ...
    tone : str
        ``"accent"``, ``"good"``, ``"warn"``, ``"bad"`` or ``"dim"``.
    tabular : bool
        Figures of one width.
    wrap : bool
        Break into lines.
    """
    made = QLabel(text)
    if role:
        made.setProperty("role", role)
    if tone:
        made.setProperty("tone", tone)
    if tabular:
        made.setFont(theme.font(tabular=True))
    made.setWordWrap(wrap)
    return made


def restyle(widget: QWidget, **properties: object) -> None:
    """Set properties the style sheet looks at and let it look again."""
    for name, value in properties.items():
        widget.setProperty(name, value)
    style = widget.style()
    style.unpolish(widget)
    style.polish(widget)
    widget.update()


def set_ground(widget: QWidget, ground: str) -> None:
    """Give a widget a ground of the style sheet."""
    widget.setProperty("ground", ground)
    widget.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)


def icon_label(name: str, tone: str = "text", size: int = 16) -> QLabel:
    """Give a label that shows an icon in a colour of the theme."""
    made = QLabel()
    made.setFixedSize(size, size)
    icons.set_icon(made, name, tone, size=size)
    return made


def fill(layout: QHBoxLayout | QVBoxLayout, items: Sequence[Item]) -> None:
    """Add widgets, layouts, gaps (a number of pixels) and stretches (None) in order."""
    for item in items:
        if item is None:
            layout.addStretch(1)
        elif isinstance(item, int):
            layout.addSpacing(item)
        elif isinstance(item, QLayout):
            layout.addLayout(item)
        else:
            layout.addWidget(item)


def row(*items: Item, spacing: int = 6, margins: tuple[int, int, int, int] = (0, 0, 0, 0)) -> QHBoxLayout:
    """Give a horizontal layout of the items (see `fill`)."""
    made = QHBoxLayout()
    made.setContentsMargins(*margins)
    made.setSpacing(spacing)
    fill(made, items)
    return made


def column(*items: Item, spacing: int = 4, margins: tuple[int, int, int, int] = (0, 0, 0, 0)) -> QVBoxLayout:
    """Give a vertical layout of the items (see `fill`)."""
    made = QVBoxLayout()
    made.setContentsMargins(*margins)
    made.setSpacing(spacing)
    fill(made, items)
    return made


def framed(layout: QLayout, ground: str = "", *, height: int = 0, width: int = 0) -> QFrame:
    """Put a layout into a frame with a ground of the style sheet."""
    made = QFrame()
    if ground:
        made.setProperty("ground", ground)
    made.setLayout(layout)
    if height:
        made.setFixedHeight(height)
    if width:
        made.setFixedWidth(width)
    return made


def rule(*, vertical: bool = False, length: int = 0) -> QFrame:
    """Give a dividing line of one pixel."""
    made = QFrame()
    made.setProperty("ground", "rule")
    if vertical:
        made.setFixedWidth(1)
        if length:
            made.setFixedHeight(length)
    else:
        made.setFixedHeight(1)
    return made


def tool_button(
    icon_name: str = "",
    tip: str = "",
    *,
    action: QAction | None = None,
    tone: str = "text",
    size: int = 28,
    icon_size: int = 18,
) -> QToolButton:
    """Give a flat square button, for an action or of its own."""
    made = QToolButton()
    made.setFixedSize(size, size)
    made.setIconSize(QSize(icon_size, icon_size))
    made.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
    if action is not None:
        made.setDefaultAction(action)
    else:
        icons.set_icon(made, icon_name, tone, size=icon_size)
        made.setToolTip(tip)
        made.setAccessibleName(tip)
    return made


def push_button(
    text: str, icon_name: str = "", *, kind: str = "", small: bool = False, tone: str = ""
) -> QPushButton:
    """Give a push button; `kind` is ``""``, ``"primary"``, ``"danger"`` or ``"link"``."""
    made = QPushButton(text)
    if kind:
        made.setProperty("kind", kind)
    if small:
        made.setProperty("small", "true")
    if icon_name:
        inks = {"primary": "on_accent", "danger": "bad", "link": "accent"}
        edge = 14 if small or kind == "link" else 16
        made.setIconSize(
            QSize(edge + 4, edge)
        )  # the icon is centred, so this sets it a little apart from the text
        icons.set_icon(made, icon_name, tone or inks.get(kind, "text"), size=edge)
    made.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
    return made


def pill(text: str, tone: str = "accent") -> QLabel:
    """Give a small rounded tag: ``"accent"``, ``"grey"``, ``"good"``, ``"warn"`` or ``"bad"``."""
    made = QLabel(text)
    made.setProperty("pill", tone)
    made.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
    return made


def search_field(placeholder: str, width: int = 0) -> QLineEdit:
    """Give a field with a magnifier and a clear button."""
    made = QLineEdit()
    made.setProperty("kind", "search")
    made.setPlaceholderText(placeholder)
    made.setAccessibleName(placeholder)
    made.setClearButtonEnabled(True)
    magnifier = made.addAction(icons.icon("search", "dim", size=16), QLineEdit.ActionPosition.LeadingPosition)
    icons.set_icon(magnifier, "search", "dim", size=16)
    if width:
        made.setFixedWidth(width)
    return made


def panel_head(title: str, *right: Item) -> QFrame:
    """Give the 36 px head of a panel: its title, then buttons on the right."""
    made = framed(
        row(label(title, "strong"), None, *right, spacing=4, margins=(12, 0, 8, 0)), "panel", height=36
    )
    made.setProperty("panelHead", "true")
    return made


def shadow(widget: QWidget, *, blur: int = 24, offset: int = 6) -> None:
    """Lift a card off its ground."""
    effect = QGraphicsDropShadowEffect(widget)
    effect.setBlurRadius(blur)
    effect.setOffset(0, offset)
    effect.setColor(QColor(15, 23, 42, 120 if theme.tokens().dark else 40))
    widget.setGraphicsEffect(effect)


class SectionHead(QToolButton):
    """Head of a group of rows, in small capitals, that folds the group.

    Parameters
    ----------
    text : str
        Translated title.
    body : QWidget
        What it folds.
    """

    def __init__(self, text: str, body: QWidget) -> None:
        super().__init__()
        self._body = body
        self.setCheckable(True)
        self.setChecked(True)
        self.setProperty("role", "section")
        self.setText(text.upper())
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIconSize(QSize(14, 14))
        self.setFixedHeight(ROW)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.toggled.connect(self._fold)
        self._fold(True)

    def _fold(self, open_: bool) -> None:
        self._body.setVisible(open_)
        icons.set_icon(self, "chevron-down" if open_ else "chevron-right", "dim", size=14)


class Segmented(QWidget):
    """A switch between a few names, of which one is on. Arrow keys move it when it has the focus.

    Parameters
    ----------
    names : sequence of str
        Translated names.
    width : int
        Width of one segment in logical pixels; 0 fits the widest name.
    height : int
        Height of the whole.
    """

    chosen = Signal(int)

    def __init__(self, names: Sequence[str], *, width: int = 0, height: int = 30, px: int = 12) -> None:
        super().__init__()
        self._names = list(names)
        self._px = px
        widest = max(QFontMetricsF(theme.font(px, 600)).horizontalAdvance(name) for name in self._names)
        self._width = max(width, round(widest) + 20)
        self._current = 0
        self._hovered = -1
        self.setFixedSize(self._width * len(self._names) + 4, height)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setMouseTracking(True)
        self._describe()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the segments."""
        return tuple(self._names)

    @property
    def current(self) -> int:
        """Index of the segment that is on."""
        return self._current

    def set_current(self, index: int) -> None:
        """Turn a segment on without sending `chosen`."""
        self._current = index
        self._describe()
        self.update()

    def _describe(self) -> None:
        self.setAccessibleName(self._names[self._current])

    def _choose(self, index: int) -> None:
        if 0 <= index < len(self._names) and index != self._current:
            self.set_current(index)
            self.chosen.emit(index)

    def _at(self, event: QMouseEvent) -> int:
        return min(max(int((event.position().x() - 2) // self._width), 0), len(self._names) - 1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._choose(self._at(event))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hovered = self._at(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = -1
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self._choose(self._current + step)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.trough))
        painter.drawRoundedRect(QRectF(self.rect()), 6, 6)
        for index, name in enumerate(self._names):
            box = QRectF(2 + index * self._width, 2, self._width, self.height() - 4)
            on = index == self._current
            if on:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(0, 0, 0, 30))
                painter.drawRoundedRect(box.adjusted(0.5, 1, -0.5, 0.8), 4, 4)
                painter.setBrush(QColor(tokens.thumb))
                painter.drawRoundedRect(box.adjusted(0.5, 0, -0.5, 0), 4, 4)
                if self.hasFocus():
                    painter.setPen(QColor(tokens.accent))
                    painter.setBrush(Qt.BrushStyle.NoBrush)
                    painter.drawRoundedRect(box.adjusted(1, 0.5, -1, -0.5), 4, 4)
            painter.setFont(theme.font(self._px, 600 if on else 500))
            ink = tokens.accent if on else tokens.text if index == self._hovered else tokens.dim
            painter.setPen(QColor(ink))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, name)
        painter.end()
