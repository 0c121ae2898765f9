"""Edits as frozen objects: each has a label and gives a new mechanism. Scripts and the window use the same ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import ValidationError

from linkwright.document.base import Element, Frozen, error_sentence, unknown_word
from linkwright.document.mechanism import LISTS, Mechanism
from linkwright.errors import DocumentError


class Command(Protocol):
    """One named edit."""

    @property
    def label(self) -> str:
        """Name of the step in the undo list."""

    @property
    def merge_key(self) -> str | None:
        """Commands that follow each other with the same key become one step; None never merges."""

    def apply(self, mechanism: Mechanism) -> Mechanism:
        """Give the edited mechanism.

        Raises
        ------
        DocumentError
            When the result would not be valid; `mechanism` is unchanged in any case.
        """


def _checked(mechanism: Mechanism, element: str | None, **changes: Any) -> Mechanism:
    try:
        return mechanism.replaced(**changes)
    except ValidationError as error:
        raise DocumentError(error_sentence(error), element) from error


@dataclass(frozen=True, slots=True)
class AddElement:
    """Append an element to the list of its kind."""

    element: Element
    merge_key: str | None = None

    @property
    def label(self) -> str:
        """Name of the step."""
        return f"Add {self.element.kind} {self.element.label}"

    def apply(self, mechanism: Mechanism) -> Mechanism:
        """Give the mechanism with the element added."""
        field = LISTS[self.element.kind]
        return _checked(mechanism, self.element.id, **{field: (*getattr(mechanism, field), self.element)})


@dataclass(frozen=True, slots=True)
class RemoveElement:
    """Remove an element and everything that cannot exist without it."""

    element_id: str
    merge_key: str | None = None

    @property
    def label(self) -> str:
        """Name of the step."""
        return f"Delete {self.element_id}"

    def apply(self, mechanism: Mechanism) -> Mechanism:
        """Give the mechanism without the element and its dependants."""
        mechanism.element(self.element_id)
        gone = {self.element_id, *mechanism.dependants(self.element_id)}
        changes = {}
        for field in LISTS.values():
            old = getattr(mechanism, field)
            kept = tuple(element for element in old if element.id not in gone)
            if len(kept) != len(old):
                changes[field] = kept
        return _checked(mechanism, self.element_id, **changes)


@dataclass(frozen=True, slots=True)
class SetField:
    """Set one field of an element, or of the mechanism itself when `element_id` is None.

    `path` is a field name, or several joined by dots for a field inside a value, with numbers for places in a tuple:
    ``"stiffness"``, ``"mass.density"``, ``"shapes.0.length"``, ``"settings.newmark.beta"``.
    """

    element_id: str | None
    path: str
    value: Any

    @property
    def label(self) -> str:
        """Name of the step."""
        return f"Set {self.path} of {self.element_id}" if self.element_id else f"Set {self.path}"

    @property
    def merge_key(self) -> str | None:
        """One step for the typing in one field."""
        return f"{self.element_id}.{self.path}"

    def apply(self, mechanism: Mechanism) -> Mechanism:
        """Give the mechanism with the field set."""
        steps = self.path.split(".")
        try:
            if self.element_id is None:
                edited_whole: Mechanism = _with_field(mechanism, steps, self.value)
                return edited_whole
            element = mechanism.element(self.element_id)
            field = LISTS[element.kind]
            edited = _with_field(element, steps, self.value)
        except ValidationError as error:
            raise DocumentError(error_sentence(error), self.element_id) from error
        elements = tuple(edited if e is element else e for e in getattr(mechanism, field))
        return _checked(mechanism, self.element_id, **{field: elements})


def _with_field(owner: Any, steps: list[str], value: Any) -> Any:
    step, rest = steps[0], steps[1:]
    if isinstance(owner, tuple):
        if not step.isdecimal() or int(step) >= len(owner):
            raise DocumentError(f"There is no place {step!r} in a list of {len(owner)}.")
        place = int(step)
        item = _with_field(owner[place], rest, value) if rest else value
        return (*owner[:place], item, *owner[place + 1 :])
    if not isinstance(owner, Frozen) or step not in type(owner).model_fields:
        known = list(type(owner).model_fields) if isinstance(owner, Frozen) else []
        raise DocumentError(unknown_word("field", step, known))
    return owner.replaced(**{step: _with_field(getattr(owner, step), rest, value) if rest else value})


@dataclass(frozen=True, slots=True)
class Rename:
    """Give an element another label; its id and all references stay."""

    element_id: str
    name: str

    @property
    def label(self) -> str:
        """Name of the step."""
        return f"Rename {self.element_id} to {self.name}"

    @property
    def merge_key(self) -> str | None:
        """Never merged."""
        return None

    def apply(self, mechanism: Mechanism) -> Mechanism:
        """Give the mechanism with the new label."""
        if not self.name.strip():
            raise DocumentError("A name needs at least one character.", self.element_id)
        return SetField(self.element_id, "name", self.name).apply(mechanism)


@dataclass(frozen=True, slots=True)
class Batch:
    """Several commands as one step."""

    label: str
    commands: tuple[Command, ...]
    merge_key: str | None = None

    def apply(self, mechanism: Mechanism) -> Mechanism:
        """Give the mechanism after all commands; all or none take effect."""
        for command in self.commands:
            mechanism = command.apply(mechanism)
        return mechanism
