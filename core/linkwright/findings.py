"""A finding: one sentence about the model, the element it concerns and, where one exists, its cure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linkwright.document.commands import Command


class Severity(StrEnum):
    """How much a finding matters."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing worth knowing about a mechanism.

    Attributes
    ----------
    severity : Severity
        Notes inform, warnings ask for a look, errors prevent a run.
    text : str
        A full sentence naming the element by its label.
    element : str or None
        Id of the element.
    fix : Command or None
        A command that mends it when applied to the document.
    """

    severity: Severity
    text: str
    element: str | None = None
    fix: Command | None = None
