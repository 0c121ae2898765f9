"""The one document of the window: the mechanism with its history and file, and what changed when it changes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from linkwright.document.base import Element
from linkwright.document.commands import Command
from linkwright.document.history import History
from linkwright.document.mechanism import LISTS, Mechanism
from linkwright.document.parameters import evaluated
from linkwright.files import model_file


@dataclass(frozen=True, slots=True)
class Delta:
    """What differs between two documents.

    Attributes
    ----------
    added, removed, changed : frozenset of str
        Ids of elements.
    fields : frozenset of str
        Fields of the mechanism itself that differ: ``title``, ``gravity``, ``settings``, ``ground``, ...
    everything : bool
        A different document altogether; the sets are empty.
    """

    added: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()
    changed: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()
    everything: bool = False


def difference(before: Mechanism, after: Mechanism) -> Delta:
    """Compare two documents; elements that are the same object count as unchanged without a look inside."""
    old = {element.id: element for element in before.elements()}
    new = {element.id: element for element in after.elements()}
    changed = (key for key in old.keys() & new.keys() if _differs(old[key], new[key]))
    plain = type(after).model_fields.keys() - LISTS.values()
    return Delta(
        added=frozenset(new.keys() - old.keys()),
        removed=frozenset(old.keys() - new.keys()),
        changed=frozenset(changed),
        fields=frozenset(name for name in plain if getattr(before, name) != getattr(after, name)),
    )


def _differs(a: Element, b: Element) -> bool:
    return a is not b and a != b


class DocumentStore(QObject):
    """Holds the mechanism. Everything that shows or edits it goes through here; nobody keeps a copy.

    Whatever the store holds can be saved and its formulas have numbers: a command that would break this is refused.
    """

    changed = Signal(object)
    path_changed = Signal()
    modified_changed = Signal(bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._history = History(Mechanism())
        self._saved = self._history.mechanism
        self._path: Path | None = None

    # ---------------------------------------------------------------- what there is
    @property
    def mechanism(self) -> Mechanism:
        """The document as drawn, formulas included."""
        return self._history.mechanism

    @property
    def evaluated(self) -> Mechanism:
        """The document with every formula replaced by its number."""
        return evaluated(self._history.mechanism)

    @property
    def history(self) -> History:
        """Steps that can be undone and done again."""
        return self._history

    @property
    def path(self) -> Path | None:
        """The file it came from or was last saved to; None for a new document and for a copy of a sample."""
        return self._path

    @property
    def modified(self) -> bool:
        """Whether there is something that is not in the file."""
        return self.mechanism is not self._saved and self.mechanism != self._saved

    # ---------------------------------------------------------------- edits
    def do(self, command: Command) -> None:
        """Apply a command as one step of the history.

        Raises
        ------
        DocumentError
            When the command or a formula it leads to is refused; the document is unchanged then.
        """
        before = self.mechanism
        evaluated(command.apply(before))
        self._history.do(command)
        self._announce(before)

    def undo(self) -> None:
        """Go back one step."""
        before = self.mechanism
        self._history.undo()
        self._announce(before)

    def redo(self) -> None:
        """Do the last undone step again."""
        before = self.mechanism
        self._history.redo()
        self._announce(before)

    def seal(self) -> None:
        """End merging: the next command is a step of its own even if it sets the same field."""
        self._history.seal()

    # ---------------------------------------------------------------- files
    def new(self) -> None:
        """Start with an empty mechanism."""
        self._replace(Mechanism(), None)

    def open(self, path: Path) -> None:
        """Load a model file in place of the document.

        Raises
        ------
        LinkwrightError
            When the file cannot be read or its formulas have no numbers; nothing is changed then.
        """
        mechanism = model_file.load(path)
        evaluated(mechanism)
        self._replace(mechanism, path)

    def open_copy(self, path: Path) -> None:
        """Load a model file as a new document without a file of its own, as samples are opened.

        Raises
        ------
        LinkwrightError
            As `open`.
        """
        self.open(path)
        self._path = None
        self.path_changed.emit()

    def save(self, path: Path) -> None:
        """Write the document; its file is `path` from now on.

        Raises
        ------
        LinkwrightError
            When the file cannot be written; an older file of that name is whole then.
        """
        model_file.save(self.mechanism, path)
        was_modified = self.modified
        self._saved = self.mechanism
        self.seal()
        if path != self._path:
            self._path = path
            self.path_changed.emit()
        if was_modified:
            self.modified_changed.emit(False)

    # ---------------------------------------------------------------- announcing
    def _replace(self, mechanism: Mechanism, path: Path | None) -> None:
        was_modified = self.modified
        self._history = History(mechanism)
        self._saved = mechanism
        self._path = path
        self.changed.emit(Delta(everything=True))
        self.path_changed.emit()
        if was_modified:
            self.modified_changed.emit(False)

    def _announce(self, before: Mechanism) -> None:
        now = self.mechanism
        if now is before:
            return
        self.changed.emit(difference(before, now))
        self.modified_changed.emit(self.modified)
