"""The main window: puts the widgets together and carries the commands to the services.

It is built in steps, so that it can be painted before anything heavy is imported: the frame with the welcome page,
then the document with tree and form, then the 3D view, then the plots.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QPaintEvent, QStatusTipEvent
from PySide6.QtOpenGLWidgets import QOpenGLWidget
from PySide6.QtWidgets import QApplication, QMainWindow, QMessageBox, QStackedWidget, QWidget

from linkwright_app.settings import TEXT_SCALES, THEME_CHOICES, Settings
from linkwright_app.window import about, theme
from linkwright_app.window.actions import STAGES, Actions
from linkwright_app.window.layouts import BUILD, SOLVE, Layouts
from linkwright_app.window.log_panel import LogHandler
from linkwright_app.window.notices import Choice, Notice, Notices, with_title
from linkwright_app.window.pictures import PictureStore
from linkwright_app.window.status_bar import StatusBar
from linkwright_app.window.top_bar import TopBar
from linkwright_app.window.welcome import WelcomePage
from linkwright_app.window.workspace import Workspace

if TYPE_CHECKING:
    from linkwright.errors import LinkwrightError
    from linkwright_app.window.session import Session

_log = logging.getLogger(__name__)

DEFAULT_SIZE = (1480, 940)
SMALLEST_SIZE = (960, 600)
FOOT = 45
"""Height of the timeline, which notices leave free."""


class MainWindow(QMainWindow):
    """The window.

    Parameters
    ----------
    settings : Settings
        Preferences.
    log_handler : LogHandler
        Carries log records to the log panel.
    """

    first_painted = Signal()
    stage_changed = Signal(int)

    def __init__(self, settings: Settings, log_handler: LogHandler) -> None:
        super().__init__()
        self.settings = settings
        self.log_handler = log_handler
        self.session: Session | None = None
        self._painted = False
        self.setWindowTitle("Linkwright")
        if settings.direct_view and not settings.safe_graphics:
            # The first OpenGL widget of a window decides how the window is drawn. Were it the 3D view, which comes
            # after the first paint, the window would vanish and come back.
            QOpenGLWidget(self).hide()
        self.setMinimumSize(*SMALLEST_SIZE)
        self.actions_ = Actions(self)
        self.top_bar = TopBar(self.actions_)
        self.setMenuWidget(self.top_bar)
        self.pictures = PictureStore(self)
        self.welcome = WelcomePage(settings, self.pictures, about.version())
        self.workspace = Workspace()
        self.centre = QStackedWidget()
        self.centre.addWidget(self.welcome)
        self.centre.addWidget(self.workspace)
        self.setCentralWidget(self.centre)
        self.status = StatusBar()
        self.setStatusBar(self.status)
        self.layouts = Layouts(self, settings)
        self.notices = Notices(self.centre)
        self._connect_frame()
        self.resize(*DEFAULT_SIZE)
        geometry = settings.window_bytes("geometry")
        if not geometry.isEmpty():
            self.restoreGeometry(geometry)
        self._show_frame_of(welcome=True)
        theme.current().changed.connect(self._on_theme)

    # ---------------------------------------------------------------- the frame
    def _connect_frame(self) -> None:
        do = self.on
        for name in ("save", "save_as", "undo", "redo", "rename", "delete", "check"):
            self.actions_[name].setEnabled(False)
        for name in ("new", "open", "select_all", "select_none", "find", "hide", "isolate", "show_all"):
            self.actions_[name].setEnabled(False)
        for name in ("fit_all", "fit_selection", "view_front", "view_right", "view_top", "view_isometric"):
            self.actions_[name].setEnabled(False)
        for name in ("orthographic", "export_results", "log", "welcome", "side_properties", "side_jacobian"):
            self.actions_[name].setEnabled(False)
        do("quit", self.close)
        do("palette", self.open_palette)
        do("keys", self.show_keys)
        do("about", self.show_about)
        do("reset_layout", self.reset_layout)
        do("lock_layout", self.layouts.set_locked)
        self.actions_["lock_layout"].setChecked(self.settings.layout_locked)
        for choice in THEME_CHOICES:
            do(f"theme_{choice}", lambda choice=choice: self.choose_theme(choice))
        self.actions_[f"theme_{self.settings.theme}"].setChecked(True)
        for scale in TEXT_SCALES:
            do(f"scale_{scale}", lambda scale=scale: self.choose_text_scale(scale))
        self.actions_[f"scale_{self.settings.text_scale}"].setChecked(True)
        do("safe_graphics", self.choose_safe_graphics)
        self.actions_["safe_graphics"].setChecked(self.settings.safe_graphics)
        for stage, name in enumerate(STAGES):
            do(f"stage_{name}", lambda stage=stage: self.set_stage(stage))
            self.actions_[f"stage_{name}"].setEnabled(False)
        self.top_bar.stage_chosen.connect(self.set_stage)
        self.top_bar.search.wanted.connect(self._on_search)
        panels = self.actions_.menu("panels")
        panels.aboutToShow.connect(lambda: self.layouts.fill_menu(panels))
        recent = self.actions_.menu("recent")
        recent.aboutToShow.connect(self._fill_recent)
        self.welcome.keys_wanted.connect(self.show_keys)
        self.welcome.new_wanted.connect(self.actions_["new"].trigger)
        self.welcome.open_wanted.connect(self.actions_["open"].trigger)

    def on(self, name: str, work: Callable[..., object]) -> None:
        """Carry out an action; one that can be on and off hands over its state."""
        action = self.actions_[name]
        if action.isCheckable() and name in ("lock_layout", "safe_graphics", "orthographic"):
            action.triggered.connect(work)
        else:
            action.triggered.connect(lambda _=False: work())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._painted:
            self._painted = True
            QTimer.singleShot(0, self, self.first_painted.emit)

    def _show_frame_of(self, *, welcome: bool) -> None:
        self.centre.setCurrentWidget(self.welcome if welcome else self.workspace)
        self.top_bar.tool_row.setVisible(not welcome)
        self.notices.set_foot(0 if welcome else FOOT)
        if welcome:
            self.layouts.hide()
            self.top_bar.show_title(self.tr("Welcome"), "")
            self.status.show_hint(
                self.tr(
                    "Click a sample to open it, or press Ctrl+N for an empty mechanism.   "
                    "Ctrl+Shift+P finds every command."
                )
            )
            self.status.show_facts([self.tr("no network needed")])

    # ---------------------------------------------------------------- stages
    def attach(self, session: Session) -> None:
        """Take in the document with its services and widgets."""
        self.session = session
        for stage in range(len(STAGES)):
            self.actions_[f"stage_{STAGES[stage]}"].setEnabled(True)

    @property
    def on_welcome_page(self) -> bool:
        """Whether the welcome page is in front."""
        return self.centre.currentWidget() is self.welcome

    def show_welcome(self) -> None:
        """Bring the welcome page to the front; the document stays as it is."""
        self.welcome.refresh_recent()
        self._show_frame_of(welcome=True)

    def show_workspace(self, stage: int | None = None) -> None:
        """Bring the document to the front."""
        self._show_frame_of(welcome=False)
        self.set_stage(self.layouts.stage if stage is None else stage)

    def set_stage(self, stage: int) -> None:
        """Put the panels and the page of a stage in front."""
        if self.session is None:
            return
        if self.on_welcome_page:
            self._show_frame_of(welcome=False)
        self.top_bar.stages.set_current(stage)
        self.actions_[f"stage_{STAGES[stage]}"].setChecked(True)
        self.session.enter_stage(stage)
        self.layouts.show(stage)
        self.stage_changed.emit(stage)

    def reset_layout(self) -> None:
        """Put every panel back to its place."""
        self.layouts.reset()
        if self.session is not None and not self.on_welcome_page:
            self.session.enter_stage(self.layouts.stage)

    # ---------------------------------------------------------------- looks
    def choose_theme(self, choice: str) -> None:
        """Use a theme and remember it."""
        self.settings.theme = choice
        theme.current().choose(choice)

    def _on_theme(self) -> None:
        self.update()
        if self.session is not None:
            self.session.apply_theme()

    def choose_text_scale(self, scale: int) -> None:
        """Remember a size for the next start."""
        self.settings.text_scale = scale
        self.notices.tell(self.tr("Linkwright uses the new text size from its next start on."))

    def choose_safe_graphics(self, on: bool) -> None:
        """Remember the way of drawing for the next start."""
        self.settings.safe_graphics = on
        self.notices.tell(self.tr("The 3D view is drawn the other way from the next start on."))

    # ---------------------------------------------------------------- commands that need no document
    def open_palette(self, text: str = "") -> None:
        """Open the command palette under the search field."""
        from linkwright_app.window.command_palette import CommandPalette

        palette = self.findChild(CommandPalette) or CommandPalette(self, self.actions_)
        search = self.top_bar.search
        corner = search.mapTo(self, QPoint(search.width(), search.height() + 4))
        palette.open(corner)
        palette.line.setText(text)

    def _on_search(self, text: str) -> None:
        self.open_palette(text)

    def show_keys(self) -> None:
        """Show the help page."""
        from linkwright_app.window.help_page import HelpPage

        self._open_dialog(HelpPage(self, self.actions_))

    def show_about(self) -> None:
        """Show version and licences."""
        graphics = self.session.graphics if self.session is not None else ""
        self._open_dialog(about.AboutDialog(self, graphics))

    def _open_dialog(self, dialog: Any) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _fill_recent(self) -> None:
        menu = self.actions_.menu("recent")
        menu.clear()
        for entry in self.settings.recent_files:
            path = Path(entry)
            action = menu.addAction(path.name)
            action.setToolTip(entry)
            action.setEnabled(path.is_file() and self.session is not None)
            action.triggered.connect(lambda _=False, entry=entry: self.welcome.file_chosen.emit(entry))
        menu.addSeparator()
        clear = menu.addAction(self.tr("Clear the list"), self.settings.clear_recent)
        clear.setEnabled(bool(self.settings.recent_files))

    # ---------------------------------------------------------------- telling
    def tell(self, text: str, tone: str = "accent", choices: tuple[Choice, ...] = ()) -> Notice:
        """Show a notice; warnings and errors also go to the log."""
        if tone in ("warn", "bad"):
            _log.log(logging.ERROR if tone == "bad" else logging.WARNING, text.replace("\n", " "))
        return self.notices.tell(text, tone, choices)

    def tell_error(self, error: LinkwrightError, ways_out: Sequence[Choice] = ()) -> Notice:
        """Show an error with what may help, and a button that goes to its element."""
        from linkwright_app import translation

        choices = list(ways_out)
        element = error.element
        if element and self.session is not None and self.session.store.mechanism.has(element):
            name = self.session.store.mechanism.element(element).label
            selection = self.session.selection
            choices.append(
                (self.tr("Show {element}").format(element=name), lambda: selection.set((element,)))
            )
        message = translation.core(error.message)
        choices.append((self.tr("Copy"), lambda: QApplication.clipboard().setText(message)))
        return self.tell(with_title(message), "bad", tuple(choices))

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QStatusTipEvent):
            self.status.show_help(event.tip())
            return True
        return super().event(event)

    # ---------------------------------------------------------------- closing
    def closeEvent(self, event: QCloseEvent) -> None:
        if self.session is not None and not self.session.may_close():
            event.ignore()
            return
        self.settings.set_window_bytes("geometry", self.saveGeometry())
        self.layouts.save()
        self.settings.save()
        self.pictures.close()
        if self.session is not None:
            self.session.close()
        event.accept()


def ask_to_stop(parent: QWidget) -> bool:
    """Ask whether a run that has gone on for a while may be ended."""
    box = QMessageBox(parent)
    box.setWindowTitle("Linkwright")
    box.setText(f"<b>{parent.tr('A run is going on. Stop it and close?')}</b>")
    box.setInformativeText(parent.tr("What it has computed is lost."))
    stop = box.addButton(parent.tr("Stop and close"), QMessageBox.ButtonRole.DestructiveRole)
    keep = box.addButton(parent.tr("Keep running"), QMessageBox.ButtonRole.RejectRole)
    box.setDefaultButton(keep)
    box.setEscapeButton(keep)
    box.exec()
    return box.clickedButton() is stop


__all__ = ["BUILD", "SOLVE", "MainWindow", "ask_to_stop"]
