"""The two rows at the top of the window: menus with title and command search; buttons, stages and run controls."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenuBar,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from linkwright_app.window.actions import Actions
from linkwright_app.window.widgets import (
    Segmented,
    framed,
    icon_label,
    label,
    push_button,
    row,
    rule,
    search_field,
    tool_button,
)

MENU_ROW = 36
TOOL_ROW = 48


class CommandSearch(QWidget):
    """Looks like a search field; a click or a key opens the command palette."""

    wanted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.field: QLineEdit = search_field(self.tr("Search commands"), 260)
        self.field.setReadOnly(True)
        self.field.setClearButtonEnabled(False)
        self.field.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.field.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.field)
        inside = QHBoxLayout(self.field)
        inside.setContentsMargins(0, 0, 8, 0)
        inside.addStretch(1)
        inside.addWidget(label("Ctrl+Shift+P", "key"))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.IBeamCursor)
        self.setAccessibleName(self.tr("Search commands"))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.wanted.emit("")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.text().isprintable() and event.text():
            self.wanted.emit(event.text())
        else:
            super().keyPressEvent(event)


class TopBar(QFrame):
    """Both rows.

    Parameters
    ----------
    actions : Actions
        The commands.
    """

    stage_chosen = Signal(int)

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self.setProperty("ground", "window")
        self.menu_bar = QMenuBar()
        self.menu_bar.setNativeMenuBar(False)
        self.menu_bar.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        actions.fill_menu_bar(self.menu_bar)
        self.title: QLabel = label("", "medium")
        self.note: QLabel = label("", "note")
        self.search = CommandSearch()
        menu_row = framed(
            row(
                icon_label("logo", "accent", 18),
                6,
                self.menu_bar,
                None,
                self.title,
                self.note,
                None,
                self.search,
                spacing=6,
                margins=(12, 0, 12, 0),
            ),
            height=MENU_ROW,
        )
        self.stages = Segmented([self.tr("Build"), self.tr("Solve"), self.tr("Results")], width=88, height=30)
        self.stages.chosen.connect(self.stage_chosen)
        self.check_button = push_button(self.tr("Check"), "circle-check")
        self.check_button.clicked.connect(actions["check"].trigger)
        self.check_button.setToolTip(actions["check"].toolTip())
        self._controls = QHBoxLayout()
        self._controls.setContentsMargins(0, 0, 0, 0)
        self.tool_row = framed(
            row(
                tool_button(action=actions["new"]),
                tool_button(action=actions["open"]),
                tool_button(action=actions["save"]),
                rule(vertical=True, length=20),
                tool_button(action=actions["undo"]),
                tool_button(action=actions["redo"]),
                rule(vertical=True, length=20),
                8,
                self.stages,
                None,
                self._controls,
                rule(vertical=True, length=20),
                self.check_button,
                spacing=6,
                margins=(12, 0, 12, 0),
            ),
            "bar",
            height=TOOL_ROW,
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(menu_row)
        layout.addWidget(self.tool_row)

    def set_controls(self, controls: QWidget) -> None:
        """Put the run controls into the tool row."""
        self._controls.addWidget(controls)

    def show_title(self, title: str, note: str) -> None:
        """Show the name of the document and, dim, when it was saved."""
        self.title.setText(title)
        self.note.setText(note)
