"""Where the panels stand: docks around the central view, one arrangement per stage, kept between sessions."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QMenu, QWidget

from linkwright_app.settings import Settings
from linkwright_app.window.grips import Grip

TREE_WIDTH = 244
RIGHT_WIDTH = 344
JACOBIAN_WIDTH = 336
RESULTS_WIDTH = 372
PLOT_HEIGHT = 372
STRIP_HEIGHT = 32
BUILD, SOLVE, RESULTS = 0, 1, 2
_RIGHT_WIDTHS = (RIGHT_WIDTH, JACOBIAN_WIDTH, RESULTS_WIDTH)
_LAYOUT_VERSION = 1


class Panel(QDockWidget):
    """A dock without a frame of its own; the head of the panel inside serves as its title bar."""

    def __init__(self, name: str, title: str, widget: QWidget) -> None:
        super().__init__(title)
        self.setObjectName(name)
        self._bare = QWidget()
        self._bare.setFixedHeight(0)
        self.setTitleBarWidget(self._bare)
        self.setWidget(widget)
        self.topLevelChanged.connect(self._on_floating)

    def _on_floating(self, floating: bool) -> None:
        """Give a floating panel the usual title bar, by which it is moved and put back."""
        self.setTitleBarWidget(None if floating else self._bare)  # type: ignore[arg-type]  # None is allowed by Qt

    def set_locked(self, locked: bool) -> None:
        """Let the panel be moved, or not."""
        feature = QDockWidget.DockWidgetFeature
        movable = feature.DockWidgetMovable | feature.DockWidgetFloatable | feature.DockWidgetClosable
        self.setFeatures(feature.NoDockWidgetFeatures if locked else movable)


class Layouts(QObject):
    """Builds and switches the arrangement of the panels.

    Parameters
    ----------
    window : QMainWindow
        The window.
    settings : Settings
        Keeps the arrangements.
    """

    def __init__(self, window: QMainWindow, settings: Settings) -> None:
        super().__init__(window)
        self._window = window
        self._settings = settings
        self._panels: dict[str, Panel] = {}
        self._stage = BUILD
        self._shown = False
        window.setDockOptions(
            QMainWindow.DockOption.AllowNestedDocks | QMainWindow.DockOption.AllowTabbedDocks
        )
        window.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)

    def add(self, name: str, title: str, widget: QWidget, area: Qt.DockWidgetArea) -> Panel:
        """Add a panel at a side of the window. It is shown at once when the others are, else by `show`."""
        panel = Panel(name, title, widget)
        panel.set_locked(self._settings.layout_locked)
        self._panels[name] = panel
        # A stored arrangement that was restored before this panel existed has kept its place free.
        if not (self._shown and self._window.restoreDockWidget(panel)):
            self._window.addDockWidget(area, panel)
            panel.setVisible(self._shown)
        Grip(self._window, panel)
        return panel

    def fill_menu(self, menu: QMenu) -> None:
        """List the panels with their show-and-hide actions, and a way to float each."""
        menu.clear()
        for panel in self._panels.values():
            menu.addAction(panel.toggleViewAction())
        menu.addSeparator()
        for panel in self._panels.values():
            text = self.tr("Float: {panel}").format(panel=panel.windowTitle())
            action = menu.addAction(text)
            action.setCheckable(True)
            action.setChecked(panel.isFloating())
            action.setEnabled(not self._settings.layout_locked)
            action.toggled.connect(panel.setFloating)

    @property
    def stage(self) -> int:
        """`BUILD`, `SOLVE` or `RESULTS`."""
        return self._stage

    def show(self, stage: int) -> None:
        """Show the panels as they stand in a stage."""
        if self._shown:
            if stage == self._stage:
                return
            self._keep()
        self._stage = stage
        self._shown = True
        stored = self._settings.window_bytes(f"stage{stage}")
        if stored.isEmpty() or not self._window.restoreState(stored, _LAYOUT_VERSION):
            self._arrange(stage)
        self._set_corner(stage)

    def hide(self) -> None:
        """Hide every panel, for the welcome page."""
        if self._shown:
            self._keep()
        self._shown = False
        for panel in self._panels.values():
            panel.hide()

    def reset(self) -> None:
        """Put every panel of every stage back."""
        self._settings.forget_layouts()
        if self._shown:
            self._arrange(self._stage)
            self._set_corner(self._stage)

    def save(self) -> None:
        """Keep the present arrangement for the next session."""
        if self._shown:
            self._keep()

    def set_locked(self, locked: bool) -> None:
        """Let the panels be moved, or not."""
        self._settings.layout_locked = locked
        for panel in self._panels.values():
            panel.set_locked(locked)

    def _keep(self) -> None:
        self._settings.set_window_bytes(f"stage{self._stage}", self._window.saveState(_LAYOUT_VERSION))

    def _set_corner(self, stage: int) -> None:
        left = (
            Qt.DockWidgetArea.LeftDockWidgetArea if stage == BUILD else Qt.DockWidgetArea.BottomDockWidgetArea
        )
        self._window.setCorner(Qt.Corner.BottomLeftCorner, left)

    def _arrange(self, stage: int) -> None:
        sides = {
            "tree": Qt.DockWidgetArea.LeftDockWidgetArea,
            "side": Qt.DockWidgetArea.RightDockWidgetArea,
            "plots": Qt.DockWidgetArea.BottomDockWidgetArea,
        }
        for name, panel in self._panels.items():
            panel.setFloating(False)
            self._window.addDockWidget(sides[name], panel)
            panel.show()
        across = [panel for name, panel in self._panels.items() if name != "plots"]
        widths = [TREE_WIDTH if panel.objectName() == "tree" else _RIGHT_WIDTHS[stage] for panel in across]
        self._window.resizeDocks(across, widths, Qt.Orientation.Horizontal)
        self.set_plot_height(STRIP_HEIGHT if stage == BUILD else PLOT_HEIGHT)

    def set_plot_height(self, height: int) -> None:
        """Give the plots a height, as far as there is room."""
        if "plots" in self._panels:
            self._window.resizeDocks([self._panels["plots"]], [height], Qt.Orientation.Vertical)
