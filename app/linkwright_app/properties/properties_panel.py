"""The properties panel: which element, its name and type, and its form."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QScrollArea, QWidget

from linkwright.document.base import GROUND, Element
from linkwright.document.bodies import Body
from linkwright.document.commands import Rename
from linkwright.elements import registry
from linkwright.errors import DocumentError
from linkwright_app import translation
from linkwright_app.properties.choice_editors import NameEditor
from linkwright_app.properties.form import Form
from linkwright_app.services.document_store import Delta, DocumentStore
from linkwright_app.services.selection import Selection
from linkwright_app.window import icons
from linkwright_app.window.widgets import (
    column,
    framed,
    icon_label,
    label,
    panel_head,
    pill,
    row,
    search_field,
    set_ground,
    tool_button,
)

GROUND_ICON = "anchor"
SETTINGS_ICON = "settings-2"


class PropertiesPanel(QWidget):
    """Head, title row, search and form.

    Parameters
    ----------
    store : DocumentStore
        The document.
    selection : Selection
        Shared selection: its last element decides the kind shown; others of that kind are edited with it.
    advanced : bool
        Whether advanced fields are shown at first.
    """

    advanced_changed = Signal(bool)

    def __init__(self, store: DocumentStore, selection: Selection, *, advanced: bool = False) -> None:
        super().__init__()
        set_ground(self, "panel")
        self._store = store
        self._selection = selection
        self.form = Form(store)
        self.form.set_advanced(advanced)
        self.search_button = tool_button("search", self.tr("Search the fields"), size=24, icon_size=16)
        self.search_button.setCheckable(True)
        self.advanced_button = tool_button(
            "settings-2", self.tr("Show advanced fields"), size=24, icon_size=16
        )
        self.advanced_button.setCheckable(True)
        self.advanced_button.setChecked(advanced)
        self.search = search_field(self.tr("Search the fields"))
        self._search_row = framed(row(self.search, margins=(8, 0, 8, 8)))
        self._search_row.hide()
        self._icon = icon_label(SETTINGS_ICON, "dim", 20)
        self.name = NameEditor()
        self._fixed_name = label("", "title")
        self._fixed_name.setContentsMargins(5, 0, 0, 0)
        self._type = label("", "dim")
        self._tag = pill(self.tr("selected"))
        title = row(
            self._icon, self.name, self._fixed_name, self._type, None, self._tag, margins=(12, 0, 12, 0)
        )
        self._ground_note = label(
            self.tr("The fixed frame of the mechanism. Joints and forces may refer to it."), "dim", wrap=True
        )
        self._ground_note.setContentsMargins(12, 8, 12, 8)
        area = QScrollArea()
        area.setWidget(self.form)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.viewport().setProperty("ground", "panel")
        self.setLayout(
            column(
                panel_head(self.tr("Properties"), self.search_button, self.advanced_button),
                self._search_row,
                framed(title, height=28),
                self._ground_note,
                area,
                spacing=0,
            )
        )
        self.search_button.toggled.connect(self._on_search)
        self.search.textChanged.connect(self.form.set_search)
        self.advanced_button.toggled.connect(self._on_advanced)
        self.name.renamed.connect(self._rename)
        store.changed.connect(self._on_document_changed)
        selection.changed.connect(self._on_selected)
        self._shown: tuple[str, ...] = ()
        self._on_selected()

    @property
    def shown(self) -> tuple[str, ...]:
        """Ids of the elements in the form; none for the settings."""
        return self._shown

    def set_locked(self, locked: bool) -> None:
        """Refuse edits of the structure while a run goes on; parameters stay free, they reach the run."""
        self.form.set_locked(locked)
        self.name.setReadOnly(locked)

    def _on_search(self, on: bool) -> None:
        self._search_row.setVisible(on)
        if on:
            self.search.setFocus()
        else:
            self.search.clear()

    def _on_advanced(self, on: bool) -> None:
        self.form.set_advanced(on)
        self.advanced_changed.emit(on)

    def _on_selected(self) -> None:
        self._store.seal()
        m = self._store.mechanism
        elements = [m.element(one) for one in self._selection.ids if one != GROUND]
        last = self._selection.ids[-1] if self._selection.ids else None
        if last == GROUND:
            elements = []
        elif elements:
            elements = [one for one in elements if type(one) is type(elements[-1])]
        self._shown = tuple(element.id for element in elements)
        self._ground_note.setVisible(last == GROUND)
        self.form.setVisible(last != GROUND)
        self.form.show_elements(self._shown)
        self._show_title()

    def _on_document_changed(self, delta: Delta) -> None:
        if delta.removed or delta.everything:
            self._on_selected()
        else:
            self.form.refresh()
            self._show_title()

    def _show_title(self) -> None:
        m = self._store.mechanism
        elements: list[Element] = [m.element(one) for one in self._shown if m.has(one)]
        one = elements[-1] if elements else None
        on_ground = self._selection.ids[-1:] == (GROUND,)
        self.name.setVisible(len(elements) == 1)
        self._fixed_name.setVisible(len(elements) != 1)
        self._tag.setVisible(bool(elements) or on_ground)
        if one is None:
            icon_name, tone = (GROUND_ICON, "dim") if on_ground else (SETTINGS_ICON, "dim")
            self._fixed_name.setText(self.tr("Ground") if on_ground else self.tr("Mechanism"))
            self._type.setText(
                self.tr("fixed frame") if on_ground else self.tr("title, gravity and settings")
            )
        else:
            about = registry.about(one)
            icon_name = about.icon
            tone = (
                one.color
                if isinstance(one, Body)
                else {"joint": "joint", "force": "force"}.get(one.kind, "dim")
            )
            kind = translation.core(about.label)
            self._type.setText(kind[:1].lower() + kind[1:])
            self._fixed_name.setText(self.tr("{count} elements").format(count=len(elements)))
            if self.name.text() != one.label and not self.name.hasFocus():
                self.name.show_name(one.label)
        icons.set_icon(self._icon, icon_name, tone, size=20)

    def _rename(self, name: str) -> None:
        if len(self._shown) != 1:
            return
        try:
            self._store.do(Rename(self._shown[0], name))
        except DocumentError as error:
            self.name.refuse(translation.core(error.message))
        else:
            self.name.show_name(self._store.mechanism.element(self._shown[0]).label)
