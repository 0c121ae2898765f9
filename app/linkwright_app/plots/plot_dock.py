"""The strip of tabs under the 3D view: convergence, energy, channels, and whatever others add."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QMenu, QSplitter, QStackedWidget, QTabBar, QToolButton, QVBoxLayout, QWidget

from linkwright_app.plots.channels import ChannelPanel
from linkwright_app.plots.constraint_error import ConstraintErrorPlot
from linkwright_app.plots.convergence import ConvergencePanel
from linkwright_app.plots.energy import EnergyLedger
from linkwright_app.plots.run_panel import RunPanel
from linkwright_app.services.run_service import RunService
from linkwright_app.services.time_cursor import TimeCursor
from linkwright_app.window import icons, theme
from linkwright_app.window.tokens import ThemeTokens
from linkwright_app.window.widgets import framed, row, tool_button

STRIP_HEIGHT = 32
HEIGHT = 374
SMALLEST_PAGE = 200


class PlotDock(QWidget):
    """Tabs with plots; only the visible one draws.

    Parameters
    ----------
    run_service : RunService
        Source of the runs.
    time_cursor : TimeCursor
        The shared time.
    tokens : ThemeTokens or None
        Colours to begin with; the present theme when None.
    """

    collapsed_changed = Signal(bool)

    def __init__(
        self, run_service: RunService, time_cursor: TimeCursor, tokens: ThemeTokens | None = None
    ) -> None:
        super().__init__()
        self.setProperty("ground", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.tabs = QTabBar()
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setIconSize(QSize(16, 16))
        self.tabs.setFixedHeight(STRIP_HEIGHT)
        self.tabs.setAccessibleName(self.tr("Plots"))
        self.pages = QStackedWidget()
        self.pages.setMinimumHeight(SMALLEST_PAGE)
        self._icons: list[str] = []
        self._collapsed = False

        self.convergence = ConvergencePanel(run_service, time_cursor)
        self.ledger = EnergyLedger(run_service, time_cursor)
        self.energy = EnergyLedger(run_service, time_cursor)
        self.constraint_error = ConstraintErrorPlot(run_service, time_cursor)
        self.channels = ChannelPanel(run_service, time_cursor)
        self.add_tab(_beside(self.convergence, self.ledger, 62, 38), "chart-line", self.tr("Convergence"))
        self.add_tab(_beside(self.energy, self.constraint_error, 58, 42), "zap", self.tr("Energy"))
        self.add_tab(self.channels, "activity", self.tr("Channels"))

        self._export = tool_button(
            "download", self.tr("Copy or save what this tab shows"), size=24, icon_size=16
        )
        self._export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._export_menu = QMenu(self._export)
        self._export_menu.aboutToShow.connect(self._fill_export_menu)
        self._export.setMenu(self._export_menu)
        self._fold = tool_button("chevron-down", self.tr("Fold the plots away"), size=24, icon_size=16)
        self._fold.clicked.connect(lambda: self.set_collapsed(not self._collapsed))
        strip = framed(
            row(self.tabs, None, self._export, self._fold, spacing=4, margins=(8, 0, 8, 0)),
            "panel",
            height=STRIP_HEIGHT,
        )
        strip.setObjectName("plotStrip")
        self._strip = strip
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(strip)
        layout.addWidget(self.pages, 1)
        self.tabs.currentChanged.connect(self._on_tab)
        self.set_theme(tokens or theme.tokens())

    # ------------------------------------------------------------------ tabs
    def add_tab(self, page: QWidget, icon_name: str, title: str) -> int:
        """Add a tab behind the others.

        Parameters
        ----------
        page : QWidget
            What it shows.
        icon_name : str
            Name of an icon.
        title : str
            Translated title.

        Returns
        -------
        index : int
        """
        self._icons.append(icon_name)
        self.pages.addWidget(page)
        index = self.tabs.addTab(title)
        self._tint_tabs()
        return index

    def show_tab(self, index: int) -> None:
        """Bring a tab to the front, unfolding the strip."""
        self.set_collapsed(False)
        self.tabs.setCurrentIndex(index)

    def _on_tab(self, index: int) -> None:
        self.pages.setCurrentIndex(index)
        self._tint_tabs()

    def _tint_tabs(self) -> None:
        for index, name in enumerate(self._icons):
            on = index == self.tabs.currentIndex()
            self.tabs.setTabIcon(index, icons.icon(name, "accent" if on else "dim", size=16))

    @property
    def collapsed(self) -> bool:
        """Whether only the strip of tabs is left."""
        return self._collapsed

    def set_collapsed(self, on: bool) -> None:
        """Fold the pages away, or bring them back."""
        if on == self._collapsed:
            return
        self._collapsed = on
        self.pages.setVisible(not on)
        self.setMaximumHeight(STRIP_HEIGHT if on else 16777215)
        self._fold.setToolTip(self.tr("Show the plots") if on else self.tr("Fold the plots away"))
        icons.set_icon(self._fold, "chevron-up" if on else "chevron-down", size=16)
        self.collapsed_changed.emit(on)

    def sizeHint(self) -> QSize:
        return QSize(1300, STRIP_HEIGHT if self._collapsed else HEIGHT)

    # ------------------------------------------------------------------ export
    def _fill_export_menu(self) -> None:
        menu = self._export_menu
        menu.clear()
        for panel in self._panels(self.pages.currentWidget()):
            panel.fill_menu(menu.addMenu(self._panel_title(panel)))
        menu.setDisabled(menu.isEmpty())

    @staticmethod
    def _panels(page: QWidget | None) -> list[RunPanel]:
        parts = [page.widget(i) for i in range(page.count())] if isinstance(page, QSplitter) else [page]
        return [part for part in parts if isinstance(part, RunPanel)]

    def _panel_title(self, panel: RunPanel) -> str:
        if panel is self.convergence:
            return self.tr("Iterations per step")
        if panel in (self.ledger, self.energy):
            return self.tr("Energy ledger")
        return self.tr("Constraint error") if panel is self.constraint_error else self.tr("Channels")

    # ------------------------------------------------------------------ looks
    def set_theme(self, tokens: ThemeTokens) -> None:
        """Take the colours of a theme."""
        self._strip.setStyleSheet(
            f"QFrame#plotStrip {{ background: {tokens.panel}; border: 0; border-bottom: 1px solid {tokens.line}; }}"
        )
        self._tint_tabs()
        for panel in (self.convergence, self.ledger, self.energy, self.constraint_error, self.channels):
            panel.set_theme(tokens)


def _beside(left: QWidget, right: QWidget, left_share: int, right_share: int) -> QWidget:
    page = QSplitter(Qt.Orientation.Horizontal)
    page.setHandleWidth(1)
    page.setChildrenCollapsible(False)
    for widget, share in ((left, left_share), (right, right_share)):
        page.addWidget(widget)
        page.setStretchFactor(page.indexOf(widget), share)
    page.setSizes([left_share * 10, right_share * 10])
    return page
