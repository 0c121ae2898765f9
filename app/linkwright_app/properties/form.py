"""The form of the selected elements, or of the mechanism's settings, built from the fields of their classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pydantic.fields import FieldInfo
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from linkwright.document.base import Element, FieldSpec, Frozen
from linkwright.document.bodies import Body, MassFromShapes, MassGiven
from linkwright.document.commands import Batch, Command, SetField
from linkwright.document.expressions import evaluate
from linkwright.document.inertia import RigidInertia
from linkwright.document.mechanism import Mechanism
from linkwright.document.parameters import Parameter, parameter_values
from linkwright.elements.forces.sda import Sda
from linkwright.errors import DocumentError, LinkwrightError
from linkwright.units import format_number
from linkwright_app import translation
from linkwright_app.properties import choice_editors, editors
from linkwright_app.properties.editors import Editor
from linkwright_app.properties.field_kinds import FieldKind, kind_of, spec_of
from linkwright_app.properties.field_row import REQUIRED, FieldRow, Place, Section, value_at
from linkwright_app.properties.sda_card import SdaCard
from linkwright_app.properties.words import word_text
from linkwright_app.services.document_store import DocumentStore
from linkwright_app.window.widgets import (
    LABEL_COLUMN,
    ROW,
    label,
    row,
    rule,
    set_ground,
)

AXES = {2: ("x", "y"), 3: ("x", "y", "z"), 6: ("xx", "yy", "zz", "xy", "xz", "yz")}


class Form(QWidget):
    """Rows for the given elements; every edit goes through a command.

    Parameters
    ----------
    store : DocumentStore
        The document.
    """

    refused = Signal(str)

    def __init__(self, store: DocumentStore) -> None:
        super().__init__()
        set_ground(self, "panel")
        self._store = store
        self._ids: tuple[str | None, ...] = ()
        self._shape: Any = None
        self._advanced = False
        self._locked = False
        self._search = ""
        self.rows: list[FieldRow] = []
        self._sections: list[Section] = []
        self._refreshers: list[Callable[[], None]] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)

    # ---------------------------------------------------------------- what is shown
    def show_elements(self, ids: Sequence[str]) -> None:
        """Show the fields of elements of one kind; none shows the settings of the mechanism."""
        self._ids = tuple(ids) or (None,)
        self.refresh()

    def set_advanced(self, advanced: bool) -> None:
        """Show or hide the fields marked as advanced."""
        self._advanced = advanced
        self.refresh()

    def set_locked(self, locked: bool) -> None:
        """Take no edits but those of parameters, which reach a run that goes on, and of looks."""
        self._locked = locked
        self._apply_lock()

    def _apply_lock(self) -> None:
        m = self._store.mechanism
        free = all(
            one is not None and isinstance(m.element(one), Parameter) for one in self._ids if self._has(one)
        )
        for one in self.rows:
            one.setEnabled(free or not self._locked or one.place.spec.group == "Looks")

    def _has(self, one: str | None) -> bool:
        return one is None or self._store.mechanism.has(one)

    def set_search(self, text: str) -> None:
        """Show only rows whose name, help or unit holds a text."""
        self._search = text.strip().casefold()
        self._apply_search()

    def row_of(self, path: str) -> FieldRow:
        """Find the row of a path.

        Raises
        ------
        KeyError
            When no row shows it.
        """
        for one in self.rows:
            if one.place.path == path:
                return one
        raise KeyError(path)

    def _owners(self) -> list[Any]:
        m = self._store.mechanism
        return [m if one is None else m.element(one) for one in self._ids if self._has(one)]

    def refresh(self) -> None:
        """Show the document as it is now; rows are only made anew when their set changes."""
        owners = self._owners()
        shape = (self._ids, self._advanced, [_shape_of(owner) for owner in owners])
        if shape != self._shape:
            self._shape = shape
            self._rebuild(owners)
        for refresher in self._refreshers:
            refresher()
        self._apply_lock()

    def _rebuild(self, owners: list[Any]) -> None:
        self._refreshers.clear()
        self.rows.clear()
        self._sections.clear()
        while (item := self._layout.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        if owners:
            self._add_owner(owners[0], len(owners) == 1)
        self._layout.addStretch(1)
        self._apply_search()

    def _apply_search(self) -> None:
        for one in self.rows:
            one.setVisible(not self._search or one.matches(self._search))
        for section in self._sections:
            shown = [one for one in self.rows if section.isAncestorOf(one) and not one.isHidden()]
            section.setVisible(bool(shown) or not self._search)

    # ---------------------------------------------------------------- building
    def _section(self, title: str) -> Section:
        for section in self._sections:
            if section.head.text() == title.upper():
                return section
        if self._sections:
            self._layout.addWidget(rule())
        made = Section(title)
        self._sections.append(made)
        self._layout.addWidget(made)
        return made

    def _add_owner(self, owner: Any, single: bool) -> None:
        if isinstance(owner, Mechanism):
            self._add_fields(owner, "", ("title", "description", "gravity"))
            self._add_fields(owner.settings, "settings.")
            self._add_fields(
                owner.settings.options(owner.settings.engine), f"settings.{owner.settings.engine}."
            )
            return
        if isinstance(owner, Body):
            self._add_mass(owner, single)
        self._add_fields(owner, "", skip=("name",))
        if isinstance(owner, Body) and single:
            for place, shape in enumerate(owner.shapes):
                title = self.tr("{shape} {number}").format(shape=word_text(shape.type), number=place + 1)
                self._add_fields(shape, f"shapes.{place}.", group=title)
        if isinstance(owner, Parameter) and single:
            self._add_slider(owner)
        if isinstance(owner, Sda) and single:
            self._add_sda_card(owner.id)

    def _add_fields(
        self, owner: Frozen, prefix: str, only: Sequence[str] = (), skip: Sequence[str] = (), group: str = ""
    ) -> None:
        fields = type(owner).model_fields
        for name in only or fields:
            field = fields[name]
            spec = spec_of(field)
            if (
                spec is None
                or spec.editor == "hidden"
                or name in skip
                or (spec.advanced and not self._advanced)
            ):
                continue
            kind = kind_of(field)
            if kind.name in ("model", "models", "other"):
                continue
            place = Place(prefix + name, spec, kind, _default(field))
            editor = self._editor(place, owner)
            section = self._section(group or translation.core(spec.group) or self.tr("General"))
            self._add_row(section, FieldRow(place, editor))

    def _add_row(self, section: Section, one: FieldRow) -> None:
        place, editor = one.place, one.editor
        editor.edited.connect(lambda part, value: self._edit(one, part, value))
        editor.left.connect(self._store.seal)
        one.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        one.customContextMenuRequested.connect(lambda at: self._row_menu(one, at))
        section.rows.addWidget(one)
        self.rows.append(one)

        def show_now() -> None:
            if isinstance(editor, choice_editors.ReferenceEditor):
                editor.offer(self._store.mechanism)
            one.show_values([value_at(owner, place.path) for owner in self._owners()])

        self._refreshers.append(show_now)

    def _editor(self, place: Place, owner: Frozen) -> Editor:
        spec, kind = place.spec, place.kind
        match kind.name:
            case "number" | "whole":
                unit = owner.unit if isinstance(owner, Parameter) else spec.unit
                return editors.NumberEditor(
                    unit,
                    formulas=kind.formulas,
                    optional=kind.optional,
                    whole=kind.name == "whole",
                    evaluate=self._number,
                )
            case "vector":
                return editors.VectorEditor(
                    spec.unit, AXES[kind.size], formulas=kind.formulas, evaluate=self._number
                )
            case "orientation":
                return editors.OrientationEditor()
            case "flag":
                return choice_editors.FlagEditor()
            case "choice":
                choices = [(word, word_text(word, place.path.rpartition(".")[2])) for word in kind.choices]
                return (
                    choice_editors.FixedWord(choices)
                    if len(choices) == 1
                    else choice_editors.ChoiceEditor(choices)
                )
            case "reference":
                return choice_editors.ReferenceEditor(markers=place.path != "body")
            case "color":
                return choice_editors.ColorEditor(optional=kind.optional)
        return (
            choice_editors.ParagraphEditor() if place.path == "description" else choice_editors.TextEditor()
        )

    def _number(self, formula: str) -> float | None:
        try:
            return evaluate(formula, parameter_values(self._store.mechanism.parameters))
        except LinkwrightError:
            return None

    # ---------------------------------------------------------------- parts that are more than rows
    def _add_mass(self, body: Body, single: bool) -> None:
        spec = FieldSpec("Mass from", group="Mass and inertia", help="From shapes and density, or as given.")
        place = Place("mass.type", spec, FieldKind("choice"), REQUIRED)
        combo = choice_editors.ChoiceEditor([(word, word_text(word)) for word in ("from-shapes", "given")])
        section = self._section(translation.core(spec.group))
        one = FieldRow(place, combo)
        combo.edited.connect(lambda part, word: self._set_mass_kind(one, word))
        section.rows.addWidget(one)
        self.rows.append(one)
        self._refreshers.append(
            lambda: one.show_values([value_at(owner, "mass.type") for owner in self._owners()])
        )
        if len({type(owner.mass) for owner in self._owners()}) > 1:
            return
        self._add_fields(body.mass, "mass.")
        if single and isinstance(body.mass, MassFromShapes):
            self._add_computed_inertia(section)

    def _set_mass_kind(self, one: FieldRow, word: str) -> None:
        commands: list[Command] = []
        for owner in self._owners():
            if owner.mass.type == word:
                continue
            mass: MassFromShapes | MassGiven = MassFromShapes()
            if word == "given":
                numbers = self._store.evaluated.element(owner.id)
                assert isinstance(numbers, Body)
                mass = _given(numbers.inertia())
            commands.append(SetField(owner.id, "mass", mass))
        self._do(one, commands, None)

    def _add_computed_inertia(self, section: Section) -> None:
        lines = {name: label("", "small", tabular=True) for name in ("mass", "centre", "inertia")}
        names = (self.tr("Mass"), self.tr("Centre of mass"), self.tr("Inertia"))
        for name, text in zip(names, lines.values(), strict=True):
            text.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            head = label(name, "dim")
            head.setFixedWidth(LABEL_COLUMN)
            line = QWidget()
            line.setFixedHeight(ROW)
            line.setLayout(row(head, text))
            section.rows.addWidget(line)

        def show_now() -> None:
            owners = self._owners()
            if not owners or not isinstance(owners[0], Body):
                return
            try:
                numbers = self._store.evaluated.element(owners[0].id)
                assert isinstance(numbers, Body)
                found = numbers.inertia()
            except DocumentError:
                return
            lines["mass"].setText(self.tr("{value} kg").format(value=format_number(found.mass)))
            centre = ", ".join(format_number(round(float(x), 9) + 0.0, 4) for x in found.centre)
            lines["centre"].setText(self.tr("{value} m").format(value=centre))
            moments = ", ".join(format_number(float(found.tensor[k, k]), 4) for k in range(3))
            lines["inertia"].setText(self.tr("{value} kg m²").format(value=moments))
            lines["inertia"].setToolTip(self.tr("xx, yy, zz about the centre of mass, body axes"))

        self._refreshers.append(show_now)

    def _add_slider(self, parameter: Parameter) -> None:
        if parameter.low is None or parameter.high is None or parameter.low >= parameter.high:
            return
        if not isinstance(parameter.value, float):
            return
        spec = FieldSpec("Slider", group="Value", help="Changes the value while a run goes on, too.")
        section = self._section(translation.core(spec.group))
        slider = choice_editors.RangeSlider(parameter.low, parameter.high)
        self._add_row(section, FieldRow(Place("value", spec, FieldKind("slider"), REQUIRED), slider))

    def _add_sda_card(self, element_id: str) -> None:
        card = SdaCard()
        self._section(translation.core("Law")).rows.addWidget(card)

        free = self.row_of("free_length").editor

        def show_now() -> None:
            if not self._store.mechanism.has(element_id):
                return
            drawn = card.show_element(self._store.evaluated, element_id)
            if isinstance(free, editors.NumberEditor):
                free.field.setPlaceholderText(self.tr("{length} drawn").format(length=format_number(drawn)))

        self._refreshers.append(show_now)

    # ---------------------------------------------------------------- edits
    def _edit(self, one: FieldRow, part: str, value: Any) -> None:
        path = f"{one.place.path}.{part}" if part else one.place.path
        commands: list[Command] = [
            SetField(owner.id if isinstance(owner, Element) else None, path, value)
            for owner in self._owners()
        ]
        self._do(one, commands, f"{self._ids}.{path}")

    def _do(self, one: FieldRow, commands: Sequence[Command], merge_key: str | None) -> None:
        if not commands:
            return
        owners = [owner for owner in self._owners() if isinstance(owner, Element)]
        name = one.name.text()
        if len(owners) == 1:
            text = self.tr("Set {field} of {element}").format(field=name, element=owners[0].label)
        elif owners:
            text = self.tr("Set {field} of {count} elements").format(field=name, count=len(owners))
        else:
            text = self.tr("Set {field}").format(field=name)
        try:
            self._store.do(Batch(text, tuple(commands), merge_key))
        except DocumentError as error:
            one.editor.refuse(translation.core(error.message))
            self.refused.emit(error.message)
        else:
            one.explain("")

    def _row_menu(self, one: FieldRow, at: QPoint) -> None:
        menu = QMenu(self)
        restore = menu.addAction(self.tr("Restore default"))
        restore.setEnabled(one.place.has_default)
        if menu.exec(one.mapToGlobal(at)) is restore:
            self.restore_default(one)
        menu.deleteLater()

    def restore_default(self, one: FieldRow) -> None:
        """Set the field of a row back to its default."""
        if one.place.has_default:
            one.editor.restore()
            self._edit(one, "", one.place.default)


def _given(found: RigidInertia) -> MassGiven:
    t = found.tensor
    x, y, z = (float(part) for part in found.centre)
    xx, yy, zz = (float(t[k, k]) for k in range(3))
    return MassGiven(
        mass=float(found.mass),
        centre=(x, y, z),
        inertia=(xx, yy, zz, float(t[0, 1]), float(t[0, 2]), float(t[1, 2])),
    )


def _default(field: FieldInfo) -> Any:
    return REQUIRED if field.is_required() else field.get_default(call_default_factory=False)


def _shape_of(owner: Any) -> Any:
    """What decides which rows there are: types of the owner and of the values inside it, not the values."""
    if isinstance(owner, Body):
        return (type(owner), owner.mass.type, tuple(shape.type for shape in owner.shapes))
    if isinstance(owner, Parameter):
        return (type(owner), owner.unit, owner.low, owner.high, isinstance(owner.value, str))
    if isinstance(owner, Mechanism):
        return (type(owner), owner.settings.engine)
    return type(owner)
