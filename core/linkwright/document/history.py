"""Undo and redo: a list of named document snapshots."""

from __future__ import annotations

from dataclasses import dataclass

from linkwright.document.commands import Command
from linkwright.document.mechanism import Mechanism


@dataclass(frozen=True, slots=True)
class Step:
    """One entry of the undo list: what was done, and the documents before and after."""

    label: str
    before: Mechanism
    after: Mechanism
    merge_key: str | None = None


class History:
    """The present document with its past and, after an undo, its future."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._start = mechanism
        self._done: list[Step] = []
        self._undone: list[Step] = []
        self._sealed = False

    @property
    def mechanism(self) -> Mechanism:
        """The present document."""
        return self._done[-1].after if self._done else self._start

    @property
    def undo_labels(self) -> tuple[str, ...]:
        """Steps that can be undone, latest first."""
        return tuple(step.label for step in reversed(self._done))

    @property
    def redo_labels(self) -> tuple[str, ...]:
        """Steps that can be done again, next first."""
        return tuple(step.label for step in reversed(self._undone))

    def do(self, command: Command) -> Mechanism:
        """Apply a command and remember it; one that changes nothing leaves no step.

        Raises
        ------
        DocumentError
            From the command; the history is unchanged then.
        """
        before = self.mechanism
        after = command.apply(before)
        if after == before:
            return before
        last = self._done[-1] if self._done and not self._sealed and not self._undone else None
        if last is not None and command.merge_key is not None and last.merge_key == command.merge_key:
            self._done[-1] = Step(command.label, last.before, after, command.merge_key)
        else:
            self._done.append(Step(command.label, before, after, command.merge_key))
        self._undone.clear()
        self._sealed = False
        return after

    def seal(self) -> None:
        """End merging: the next command starts a step of its own, for example after a drag or when a field is left."""
        self._sealed = True

    def undo(self) -> Mechanism:
        """Go back one step; without one, nothing changes."""
        if self._done:
            self._undone.append(self._done.pop())
        return self.mechanism

    def redo(self) -> Mechanism:
        """Go forward one undone step; without one, nothing changes."""
        if self._undone:
            self._done.append(self._undone.pop())
        return self.mechanism
