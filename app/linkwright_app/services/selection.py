"""The one selection that tree, 3D view, form and plots share."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from linkwright.document.base import GROUND
from linkwright_app.services.document_store import Delta, DocumentStore


class Selection(QObject):
    """Ids of the selected elements, or ``"ground"``, in the order they were selected.

    Elements that leave the document leave the selection.
    """

    changed = Signal()

    def __init__(self, store: DocumentStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._ids: tuple[str, ...] = ()
        store.changed.connect(self._on_document_changed)

    @property
    def ids(self) -> tuple[str, ...]:
        """What is selected; the last one is the one a form shows."""
        return self._ids

    def set(self, ids: Iterable[str]) -> None:
        """Select exactly these; unknown ids are left out."""
        known = tuple(dict.fromkeys(one for one in ids if self._exists(one)))
        if known != self._ids:
            self._ids = known
            self.changed.emit()

    def toggle(self, one: str) -> None:
        """Add one to the selection, or take it out."""
        self.set(tuple(i for i in self._ids if i != one) if one in self._ids else (*self._ids, one))

    def clear(self) -> None:
        """Select nothing."""
        self.set(())

    def _exists(self, one: str) -> bool:
        return one == GROUND or self._store.mechanism.has(one)

    def _on_document_changed(self, delta: Delta) -> None:
        if delta.everything:
            self.clear()
        elif delta.removed:
            self.set(self._ids)
