"""Engine, end time, step and the run buttons of the tool bar."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

from PySide6.QtCore import QCoreApplication, QSize, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QWidget

from linkwright.document.commands import SetField
from linkwright.document.settings import Settings
from linkwright.errors import LinkwrightError
from linkwright_app import translation
from linkwright_app.services.document_store import DocumentStore
from linkwright_app.services.run_service import RunService
from linkwright_app.window import icons, theme
from linkwright_app.window.fields import QuantityField
from linkwright_app.window.tokens import ThemeTokens
from linkwright_app.window.widgets import label, push_button, restyle, tool_button

#: Tool bar buttons of the main row keep one width, so that nothing jumps when Run becomes Continue.
_MAIN_BUTTON_WIDTH = 92


def engine_names() -> tuple[str, ...]:
    """Engines a document can ask for."""
    return tuple(str(name) for name in get_args(Settings.model_fields["engine"].annotation))


def engine_title(name: str) -> str:
    """Name of an engine for people."""
    known = {
        "newmark": QCoreApplication.translate("engines", "Newmark implicit"),
        "tree": QCoreApplication.translate("engines", "Recursive tree"),
        "lcp": QCoreApplication.translate("engines", "Contact LCP"),
    }
    return known.get(name, translation.core(name))


def engine_use(name: str) -> str:
    """Tell what an engine is for."""
    known = {
        "newmark": QCoreApplication.translate(
            "engines", "Closed chains and stiff springs: implicit steps with exact spring derivatives."
        ),
        "tree": QCoreApplication.translate(
            "engines", "Open chains: the cost of a step grows in proportion to the bodies."
        ),
        "lcp": QCoreApplication.translate("engines", "Contacts, impacts and dry friction."),
    }
    return known.get(name, "")


class RunBar(QWidget):
    """Row of run controls. Each command is an action of its own, to be put into menus and the command search.

    Parameters
    ----------
    document_store : DocumentStore
        Holds the settings the fields show and edit.
    run_service : RunService
        Does the work.
    tokens : ThemeTokens or None
        Colours to begin with; the present theme when None.
    """

    def __init__(
        self, document_store: DocumentStore, run_service: RunService, tokens: ThemeTokens | None = None
    ) -> None:
        super().__init__()
        self._store = document_store
        self._service = run_service
        self.command_actions: dict[str, QAction] = {}
        self._make_actions()

        self.engine = QComboBox()
        self.engine.setIconSize(QSize(16, 16))
        self.engine.setFixedWidth(170)
        self.engine.setAccessibleName(self.tr("Engine"))
        for name in engine_names():
            self.engine.addItem(engine_title(name), name)
            self.engine.setItemData(self.engine.count() - 1, engine_use(name), Qt.ItemDataRole.ToolTipRole)
        self.engine.activated.connect(lambda: self._set("engine", self.engine.currentData()))
        self.t_end = QuantityField("s", formulas=False)
        self.h = QuantityField("s", display_unit="ms", formulas=False)
        for field, name, width, text in (
            (self.t_end, "t_end", 72, self.tr("End time of the simulation")),
            (self.h, "h", 80, self.tr("Time step")),
        ):
            field.setFixedWidth(width)
            field.setAccessibleName(text)
            field.setToolTip(text)
            field.committed.connect(lambda value, field=field, name=name: self._set(name, value, field))
        self.main = push_button(self.tr("Run"), "play", kind="primary")
        self.main.setMinimumWidth(_MAIN_BUTTON_WIDTH)
        self.main.clicked.connect(self._on_main)
        self.stop = push_button(self.tr("Stop"), "square")
        self.stop.clicked.connect(self.command_actions["run.stop"].trigger)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        for caption, widget in (
            (self.tr("Engine"), self.engine),
            (self.tr("End"), self.t_end),
            (self.tr("Step"), self.h),
        ):
            words = label(caption, "dim")
            words.setBuddy(widget)
            layout.addWidget(words)
            layout.addWidget(widget)
            layout.addSpacing(4)
        layout.addWidget(self.main)
        layout.addWidget(self.stop)
        layout.addWidget(tool_button(action=self.command_actions["run.step"]))
        layout.addWidget(tool_button(action=self.command_actions["run.reset"]))

        document_store.changed.connect(self._show_settings)
        run_service.state_changed.connect(self._show_state)
        run_service.current_changed.connect(self._show_state)
        self._show_settings()
        self._show_state()
        self.set_theme(tokens or theme.tokens())

    # ------------------------------------------------------------------ commands
    def _make_actions(self) -> None:
        service = self._service
        self._action("run.start", self.tr("Run"), "play", "F5", service.start)
        self._action("run.pause", self.tr("Pause"), "pause", "F6", self._pause_or_continue)
        self._action("run.stop", self.tr("Stop and keep"), "square", "Shift+F5", service.stop)
        self._action("run.step", self.tr("Step once"), "step-forward", "F10", service.step_once)
        self._action("run.reset", self.tr("Reset to start"), "rotate-ccw", "Ctrl+Home", service.reset)

    def _action(self, name: str, text: str, icon: str, key: str, call: Callable[[], object]) -> None:
        action = QAction(text, self)
        action.setObjectName(name)
        action.setShortcut(QKeySequence(key))
        icons.set_icon(action, icon)
        action.setToolTip(f"{text}  ({action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)})")
        action.triggered.connect(lambda _checked=False: call())
        self.addAction(action)
        self.command_actions[name] = action

    def _pause_or_continue(self) -> None:
        if self._service.state == "paused":
            self._service.resume()
        else:
            self._service.pause()

    def _on_main(self) -> None:
        name = "run.pause" if self._service.is_live else "run.start"
        self.command_actions[name].trigger()

    def _set(self, name: str, value: object, field: QuantityField | None = None) -> None:
        try:
            self._store.do(SetField(None, f"settings.{name}", value))
        except LinkwrightError as error:
            if field is None:
                self._show_settings()
            else:
                field.refuse(translation.core(error.message))

    # ------------------------------------------------------------------ what is shown
    def _show_settings(self) -> None:
        settings = self._store.mechanism.settings
        self.engine.setCurrentIndex(max(self.engine.findData(settings.engine), 0))
        self.engine.setToolTip(engine_use(settings.engine))
        self.t_end.set_value(settings.t_end)
        self.h.set_value(settings.h)

    def _show_state(self) -> None:
        state = self._service.state
        live = state != "idle"
        faces = {
            "idle": (self.tr("Run"), "play", "primary"),
            "running": (self.tr("Pause"), "pause", ""),
            "paused": (self.tr("Continue"), "play", "primary"),
            "stopping": (self.tr("Stopping"), "square", ""),
        }
        text, icon, kind = faces[state]
        self.main.setText(text)
        restyle(self.main, kind=kind)
        icons.set_icon(self.main, icon, "on_accent" if kind else "text", size=16)
        self.main.setEnabled(state != "stopping")
        pause = self.command_actions["run.pause"]
        pause.setText(self.tr("Continue") if state == "paused" else self.tr("Pause"))
        icons.set_icon(pause, "play" if state == "paused" else "pause")
        pause.setEnabled(state in ("running", "paused"))
        start = self.command_actions["run.start"]
        start.setEnabled(not live)
        named = pause if live else start
        key = named.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        self.main.setToolTip(f"{named.text()}  ({key})")
        self._show_stop(state in ("running", "paused"))
        self.command_actions["run.step"].setEnabled(state in ("idle", "paused"))
        self.command_actions["run.reset"].setEnabled(live or self._service.current is not None)
        for widget in (self.engine, self.t_end, self.h):
            widget.setEnabled(not live)

    def _show_stop(self, on: bool) -> None:
        stop = self.command_actions["run.stop"]
        stop.setEnabled(on)
        self.stop.setEnabled(on)
        self.stop.setToolTip(stop.toolTip())
        restyle(self.stop, kind="danger" if on else "")
        icons.set_icon(self.stop, "square", "bad" if on else "strong_line", size=16)

    @property
    def buttons(self) -> tuple[QPushButton, QPushButton]:
        """Run (or Pause, or Continue) and Stop."""
        return self.main, self.stop

    def set_theme(self, tokens: ThemeTokens) -> None:
        """Take the colours of a theme."""
        restyle(self, dark=tokens.dark)
        for index in range(self.engine.count()):
            self.engine.setItemIcon(index, icons.icon("settings-2", "text", size=16))
        self._show_state()
