"""Commands on the document and the selection: undo, rename, delete, hide, select."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject

from linkwright.document.base import GROUND
from linkwright.document.commands import Batch, Command, RemoveElement, SetField
from linkwright.errors import DocumentError, LinkwrightError
from linkwright_app import translation
from linkwright_app.services.document_store import DocumentStore
from linkwright_app.services.selection import Selection
from linkwright_app.window.actions import Actions


class EditCommands(QObject):
    """Carries them out and keeps their actions enabled as long as they make sense.

    Parameters
    ----------
    actions : Actions
        The commands.
    store : DocumentStore
        The document.
    selection : Selection
        The shared selection.
    tell_error : callable
        Where refusals go.
    """

    def __init__(
        self,
        actions: Actions,
        store: DocumentStore,
        selection: Selection,
        tell_error: Callable[[LinkwrightError], object],
    ) -> None:
        super().__init__(actions)
        self._actions = actions
        self._store = store
        self._selection = selection
        self._tell_error = tell_error
        self._locked = False
        works: dict[str, Callable[[], object]] = {
            "undo": store.undo,
            "redo": store.redo,
            "delete": self.delete,
            "select_all": self.select_all,
            "select_none": selection.clear,
            "hide": lambda: self.set_visible(self._selected_bodies(), False),
            "isolate": self.isolate,
            "show_all": lambda: self.set_visible([body.id for body in store.mechanism.bodies], True),
        }
        for name, work in works.items():
            actions[name].triggered.connect(lambda _=False, work=work: work())
        store.changed.connect(self.refresh)
        selection.changed.connect(self.refresh)
        self.refresh()

    def set_locked(self, locked: bool) -> None:
        """Refuse changes of the structure while a run goes on."""
        self._locked = locked
        self.refresh()

    def refresh(self) -> None:
        """Enable what makes sense now; undo and redo say what they would do."""
        history, actions = self._store.history, self._actions
        undo, redo = history.undo_labels, history.redo_labels
        actions["undo"].setEnabled(bool(undo) and not self._locked)
        actions["redo"].setEnabled(bool(redo) and not self._locked)
        actions["undo"].setText(
            self.tr("&Undo {step}").format(step=_step(undo)) if undo else self.tr("&Undo")
        )
        actions["redo"].setText(
            self.tr("&Redo {step}").format(step=_step(redo)) if redo else self.tr("&Redo")
        )
        elements = [one for one in self._selection.ids if one != GROUND]
        actions["delete"].setEnabled(bool(elements) and not self._locked)
        actions["rename"].setEnabled(bool(elements) and not self._locked)
        bodies = bool(self._selected_bodies())
        actions["hide"].setEnabled(bodies)
        actions["isolate"].setEnabled(bodies)
        hidden = any(not body.visible for body in self._store.mechanism.bodies)
        actions["show_all"].setEnabled(hidden)
        anything = any(True for _ in self._store.mechanism.elements())
        actions["select_all"].setEnabled(anything)
        actions["select_none"].setEnabled(bool(self._selection.ids))
        actions["find"].setEnabled(True)

    def do(self, command: Command) -> bool:
        """Apply a command; a refused one is told."""
        try:
            self._store.do(command)
        except DocumentError as error:
            self._tell_error(error)
            return False
        return True

    def _selected_bodies(self) -> list[str]:
        bodies = {body.id for body in self._store.mechanism.bodies}
        return [one for one in self._selection.ids if one in bodies]

    def delete(self) -> None:
        """Remove the selected elements with everything that depends on them, as one step."""
        m = self._store.mechanism
        wanted = [one for one in self._selection.ids if one != GROUND]
        if not wanted:
            return
        gone: set[str] = set()
        commands: list[Command] = []
        for one in wanted:
            if one not in gone:
                commands.append(RemoveElement(one))
                gone |= {one, *m.dependants(one)}
        if len(gone) == 1:
            text = self.tr("Delete {element}").format(element=m.element(wanted[0]).label)
        else:
            text = self.tr("Delete {count} elements").format(count=len(gone))
        self.do(Batch(text, tuple(commands)))

    def select_all(self) -> None:
        """Select every body, joint and force."""
        m = self._store.mechanism
        self._selection.set(element.id for element in (*m.bodies, *m.joints, *m.forces))

    def set_visible(self, body_ids: Sequence[str], visible: bool) -> None:
        """Show or hide bodies as one step."""
        m = self._store.mechanism
        known = {body.id: body for body in m.bodies}
        changes = [SetField(one, "visible", visible) for one in body_ids if known[one].visible is not visible]
        if changes:
            text = self.tr("Show bodies") if visible else self.tr("Hide bodies")
            self.do(Batch(text, tuple(changes)))

    def isolate(self) -> None:
        """Hide every body that is not selected."""
        chosen = self._selected_bodies()
        m = self._store.mechanism
        changes: list[Command] = [
            SetField(body.id, "visible", body.id in chosen)
            for body in m.bodies
            if body.visible is not (body.id in chosen)
        ]
        if chosen and changes:
            self.do(Batch(self.tr("Isolate bodies"), tuple(changes)))


def _step(labels: Sequence[str]) -> str:
    # A label may hold the name of an element; a menu must not take its "&" for a key.
    return translation.core(labels[0]).replace("&", "&&")
