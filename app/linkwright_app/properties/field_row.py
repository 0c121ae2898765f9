"""A row of the form: label, editor, and the sentence why a value was refused; and the groups rows stand in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from linkwright.document.base import FieldSpec
from linkwright_app import translation
from linkwright_app.properties.choice_editors import ParagraphEditor
from linkwright_app.properties.editors import MIXED, Editor
from linkwright_app.properties.field_kinds import FieldKind
from linkwright_app.window.widgets import (
    LABEL_COLUMN,
    ROW,
    SectionHead,
    column,
    label,
    push_button,
    row,
)

REQUIRED = object()
"""Stands for the default of a field that has none."""


@dataclass(frozen=True)
class Place:
    """Where a value stands in the document.

    Attributes
    ----------
    path : str
        As `SetField` takes it.
    spec : FieldSpec
        Form data.
    kind : FieldKind
        Kind of value.
    default : object
        Default value, or a marker that there is none.
    """

    path: str
    spec: FieldSpec
    kind: FieldKind
    default: Any

    @property
    def has_default(self) -> bool:
        """Whether the field can be left out."""
        return self.default is not REQUIRED


def value_at(owner: Any, path: str) -> Any:
    """Follow a path of fields and places, as `SetField` does."""
    for step in path.split("."):
        owner = owner[int(step)] if isinstance(owner, tuple) else getattr(owner, step)
    return owner


class FieldRow(QWidget):
    """Label, editor and, when a value was refused, the sentence that says why."""

    def __init__(self, place: Place, editor: Editor) -> None:
        super().__init__()
        self.place = place
        self.editor = editor
        self._changed = False
        name = translation.core(place.spec.label)
        self.name = label(name, "dim")
        self.name.setBuddy(editor)
        self.name.setFixedWidth(LABEL_COLUMN)
        self.unit = label(place.spec.unit if place.kind.name == "vector" else "", "note")
        line = QHBoxLayout()
        line.setContentsMargins(0, 1, 0, 1)
        line.setSpacing(6)
        tall = (place.kind.name == "vector" and place.kind.size > 3) or isinstance(editor, ParagraphEditor)
        line.addWidget(self.name, 0, Qt.AlignmentFlag.AlignTop if tall else Qt.AlignmentFlag.AlignVCenter)
        line.addWidget(editor, 1)
        if self.unit.text():
            line.addWidget(self.unit)
        self.sentence = label("", "error", wrap=True)
        self.undo = push_button(self.tr("Restore"), kind="link", small=True)
        self.undo.clicked.connect(editor.restore)
        self._why = QWidget()
        self._why.setLayout(row(self.sentence, self.undo, spacing=6, margins=(LABEL_COLUMN + 6, 0, 0, 2)))
        self._why.hide()
        self.setLayout(column(spacing=0))
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.addLayout(line)
        layout.addWidget(self._why)
        editor.setMinimumHeight(max(ROW - 2, editor.sizeHint().height()))
        editor.refused.connect(self.explain)
        tip = self._tip(name)
        self.name.setToolTip(tip)
        editor.setAccessibleName(name)
        editor.setAccessibleDescription(translation.core(place.spec.help))

    def _tip(self, name: str) -> str:
        spec = self.place.spec
        lines = [f"<b>{name}</b>" + (f" &nbsp;[{spec.unit}]" if spec.unit else "")]
        if spec.help:
            lines.append(translation.core(spec.help))
        if spec.low is not None or spec.high is not None:
            lines.append(translation.core(spec.range_sentence()))
        return "<br>".join(lines)

    def explain(self, sentence: str) -> None:
        """Show why a value was refused; nothing takes the sentence away."""
        self.sentence.setText(sentence)
        self._why.setVisible(bool(sentence))

    def show_values(self, values: Sequence[Any]) -> None:
        """Show the common value of the elements, or that they differ."""
        common = values[0] if all(value == values[0] for value in values) else MIXED
        self.editor.show_value(common)
        place = self.place
        plain = place.kind.name in ("number", "whole", "flag", "choice")
        changed = plain and place.has_default and common is not MIXED and common != place.default
        self._changed = changed
        self.editor.mark_changed(changed)

    @property
    def changed(self) -> bool:
        """Whether the value is another than the default."""
        return self._changed

    def matches(self, text: str) -> bool:
        """Whether the name, help or unit holds a text."""
        spec = self.place.spec
        return text in f"{self.name.text()} {translation.core(spec.help)} {spec.unit}".casefold()


class Section(QWidget):
    """A group of rows under a head that folds it."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.body = QWidget()
        self.rows = QVBoxLayout(self.body)
        self.rows.setContentsMargins(0, 2, 0, 8)
        self.rows.setSpacing(2)
        self.head = SectionHead(title, self.body)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 4, 12, 0)
        layout.setSpacing(0)
        layout.addWidget(self.head)
        layout.addWidget(self.body)
