"""The right side of the window: properties and checks, the iteration matrix, or the numbers of the run."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QStackedWidget, QWidget

from linkwright_app.window.widgets import set_ground

SHARES = (5, 3)
"""Room of the upper and the lower part of a page."""


class SidePanel(QStackedWidget):
    """A stack of pages by name; the stage of the window chooses one, the View menu another."""

    def __init__(self) -> None:
        super().__init__()
        set_ground(self, "panel")
        self._pages: dict[str, QWidget] = {}
        self.setMinimumWidth(260)

    def set_page(self, name: str, *widgets: QWidget) -> None:
        """Give a page one widget, or several above each other with a divider that can be moved."""
        page = widgets[0]
        if len(widgets) > 1:
            page = QSplitter(Qt.Orientation.Vertical)
            page.setHandleWidth(1)
            page.setChildrenCollapsible(False)
            for place, widget in enumerate(widgets):
                page.addWidget(widget)
                page.setStretchFactor(place, SHARES[min(place, 1)])
            page.setSizes([share * 100 for share in SHARES])
        self._pages[name] = page
        self.addWidget(page)

    def show_page(self, name: str) -> None:
        """Bring a page to the front; without it, the properties."""
        self.setCurrentWidget(self._pages.get(name, self._pages["properties"]))

    @property
    def page(self) -> str:
        """Name of the page in front."""
        return next((name for name, widget in self._pages.items() if widget is self.currentWidget()), "")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the pages there are."""
        return tuple(self._pages)
