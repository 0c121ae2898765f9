"""The form: every field of every element, edits through commands, refusals in place."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from linkwright import samples
from linkwright.document.base import Element, Frozen
from linkwright.document.bodies import Body, MassFromShapes, MassGiven
from linkwright.document.commands import AddElement, RemoveElement, SetField
from linkwright.document.mechanism import Mechanism
from linkwright.document.parameters import Parameter
from linkwright.document.shapes import Box, Cylinder, Link, Plate, Sphere
from linkwright.elements import registry
from linkwright_app.properties.field_kinds import kind_of, spec_of
from linkwright_app.properties.field_row import FieldRow, value_at
from linkwright_app.properties.form import Form
from linkwright_app.properties.properties_panel import PropertiesPanel
from linkwright_app.properties.sda_card import SdaCard, drawn_length, drawn_rate, nice_ticks
from linkwright_app.properties.words import word_text
from linkwright_app.services.document_store import DocumentStore
from linkwright_app.services.selection import Selection
from linkwright_app.window import theme


@pytest.fixture
def store() -> DocumentStore:
    made = DocumentStore()
    made.open_copy(samples.path("slider-crank-sda"))
    return made


@pytest.fixture
def selection(store: DocumentStore) -> Selection:
    return Selection(store)


@pytest.fixture
def panel(qtbot: QtBot, store: DocumentStore, selection: Selection) -> PropertiesPanel:
    theme.current().start("light")
    made = PropertiesPanel(store, selection)
    qtbot.addWidget(made)
    made.resize(344, 900)
    made.show()
    qtbot.waitExposed(made)
    return made


@pytest.fixture
def form(panel: PropertiesPanel) -> Form:
    return panel.form


def spring_id(store: DocumentStore) -> str:
    return next(force.id for force in store.mechanism.forces if force.type == "sda")


def field(form: Form, path: str, place: int = 0) -> Any:
    """Entry field of a number, or of one component of a vector."""
    editor: Any = form.row_of(path).editor
    return editor.fields[place] if hasattr(editor, "fields") else editor.field


def enter(entry: Any, text: str) -> None:
    entry.setFocus()
    entry.selectAll()
    QTest.keyClicks(entry, text)
    QTest.keyClick(entry, Qt.Key.Key_Return)


def shown_paths(form: Form) -> set[str]:
    return {row.place.path for row in form.rows}


# ---------------------------------------------------------------- every field appears
@pytest.mark.parametrize("advanced", [False, True])
def test_every_field_of_every_type_has_a_row(
    store: DocumentStore, selection: Selection, panel: PropertiesPanel, advanced: bool
) -> None:
    panel.advanced_button.setChecked(advanced)
    a, b = store.mechanism.bodies[0].id, store.mechanism.bodies[1].id
    made: list[Element] = [Body(id="body_x"), Parameter(id="p_x", value=1.0)]
    for number, cls in enumerate((*registry.joint_types().values(), *registry.force_types().values())):
        ends = {name: value for name, value in (("i", a), ("j", b), ("at", a)) if name in cls.model_fields}
        made.append(cls(id=f"x{number}", **ends))
    for element in made:
        store.do(AddElement(element))
        selection.set((element.id,))
        for name, info in type(element).model_fields.items():
            spec = spec_of(info)
            wanted = spec is not None and spec.editor != "hidden" and name != "name"
            if wanted and kind_of(info).name not in ("model", "models", "other"):
                assert spec is not None
                assert (name in shown_paths(panel.form)) == (advanced or not spec.advanced), (element, name)


@pytest.mark.parametrize(
    "shape",
    [
        Link(length=1.0, start_radius=0.1, end_radius=0.1, thickness=0.1),
        Box(size=(1.0, 1.0, 1.0)),
        Cylinder(radius=0.5, length=1.0),
        Sphere(radius=1.0),
        Plate(corners=((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)), thickness=0.1),
    ],
    ids=lambda shape: shape.type,
)
def test_sizes_of_every_shape_can_be_edited(
    store: DocumentStore, selection: Selection, form: Form, shape: Any
) -> None:
    store.do(AddElement(Body(id="x", shapes=(shape,))))
    selection.set(("x",))
    sizes = [name for name, info in type(shape).model_fields.items() if kind_of(info).name == "number"]
    assert {f"shapes.0.{name}" for name in sizes} <= shown_paths(form)
    for name in sizes:
        if name in ("hole", "inner_radius"):
            continue
        enter(field(form, f"shapes.0.{name}"), "2.5")
        assert value_at(store.mechanism.element("x"), f"shapes.0.{name}") == 2.5


def test_nothing_selected_shows_the_settings(form: Form, store: DocumentStore) -> None:
    assert {"title", "gravity", "settings.t_end", "settings.h", "settings.newmark.beta"} <= shown_paths(form)
    enter(field(form, "settings.t_end"), "2500 ms")
    assert store.mechanism.settings.t_end == 2.5
    enter(field(form, "gravity", 2), "-9,81")
    assert store.mechanism.gravity[2] == -9.81


def test_advanced_fields_come_on_demand(panel: PropertiesPanel, store: DocumentStore) -> None:
    path = "settings.newmark.max_iterations"
    assert path not in shown_paths(panel.form)
    panel.advanced_button.click()
    enter(field(panel.form, path), "40")
    assert store.mechanism.settings.newmark.max_iterations == 40
    enter(field(panel.form, path), "2.5")
    assert field(panel.form, path).has_error
    assert store.mechanism.settings.newmark.max_iterations == 40


def frozen_classes(base: Any) -> Iterator[Any]:
    for cls in base.__subclasses__():
        yield cls
        yield from frozen_classes(cls)


def test_every_word_of_a_choice_has_a_text() -> None:
    symbol = re.compile(r"M1(\+M2)?(\+M3)?")
    without = {
        (cls.__name__, name, word)
        for cls in frozen_classes(Frozen)
        for name, info in cls.model_fields.items()
        if name != "type"
        for word in kind_of(info).choices
        if word_text(word, name) == word and not symbol.fullmatch(word)
    }
    assert without == set()


# ---------------------------------------------------------------- edits
def test_edit_is_one_named_command(form: Form, selection: Selection, store: DocumentStore) -> None:
    selection.set((spring_id(store),))
    enter(field(form, "stiffness"), "5 kN/m")
    assert value_at(store.mechanism.element(spring_id(store)), "stiffness") == 5000.0
    assert store.history.undo_labels == ("Set Stiffness k of S1",)
    store.undo()
    assert field(form, "stiffness").text() == "=k"
    store.redo()
    assert field(form, "stiffness").value == 5000.0


def test_formula_shows_its_number(form: Form, selection: Selection, store: DocumentStore) -> None:
    selection.set((spring_id(store),))
    enter(field(form, "stiffness"), "=k/4")
    assert field(form, "stiffness")._suffix.text() == "5000 N/m"
    store.do(SetField("k", "value", 100.0))
    assert field(form, "stiffness")._suffix.text() == "25 N/m"


def test_refused_number_stays_with_a_sentence_and_can_be_restored(
    form: Form, selection: Selection, store: DocumentStore
) -> None:
    selection.set((spring_id(store),))
    before = store.mechanism
    row, entry = form.row_of("stiffness"), field(form, "stiffness")
    enter(entry, "-1")
    assert store.mechanism is before
    assert (entry.text(), entry.property("state")) == ("-1", "error")
    assert row.sentence.text() == "Stiffness k needs a value of at least 0 N/m."
    assert row.sentence.isVisible()
    row.undo.click()
    assert (entry.text(), row.sentence.isVisible()) == ("=k", False)
    enter(entry, "-1")
    enter(entry, "7")
    assert not row.sentence.isVisible()
    assert value_at(store.mechanism.element(spring_id(store)), "stiffness") == 7.0


def test_unknown_name_in_a_formula_is_told(form: Form, selection: Selection, store: DocumentStore) -> None:
    selection.set((spring_id(store),))
    enter(field(form, "stiffness"), "=nonsense")
    assert "nonsense" in form.row_of("stiffness").sentence.text()
    assert value_at(store.mechanism.element(spring_id(store)), "stiffness") == "=k"


def test_refused_text_survives_edits_of_other_fields(
    form: Form, selection: Selection, store: DocumentStore
) -> None:
    selection.set((spring_id(store),))
    enter(field(form, "stiffness"), "-1")
    enter(field(form, "damping"), "3")
    assert field(form, "stiffness").text() == "-1"


def test_vector_component_is_its_own_field(form: Form, selection: Selection, store: DocumentStore) -> None:
    selection.set(("link1",))
    before = value_at(store.mechanism.element("link1"), "velocity")
    enter(field(form, "velocity", 1), "36 m/s")
    assert value_at(store.mechanism.element("link1"), "velocity") == (before[0], 36.0, before[2])


def test_orientation_by_angles_and_by_parameters(
    form: Form, selection: Selection, store: DocumentStore
) -> None:
    selection.set(("link1",))
    editor: Any = form.row_of("orientation").editor
    assert editor.angles[2].text() == "45"
    enter(editor.angles[2], "90")
    half = math.sqrt(0.5)
    assert value_at(store.mechanism.element("link1"), "orientation") == pytest.approx(
        (half, 0, 0, half), abs=1e-15
    )
    editor.switch.click()
    assert editor.parameters.isVisible()
    editor.parameters.selectAll()
    QTest.keyClicks(editor.parameters, "2; 0; 0; 0")
    QTest.keyClick(editor.parameters, Qt.Key.Key_Return)
    assert value_at(store.mechanism.element("link1"), "orientation") == (1.0, 0.0, 0.0, 0.0)
    assert editor.angles[2].text() == "0"
    editor.parameters.selectAll()
    QTest.keyClicks(editor.parameters, "0 0 0")
    QTest.keyClick(editor.parameters, Qt.Key.Key_Return)
    assert editor.parameters.property("state") == "error"
    assert form.row_of("orientation").sentence.text()
    editor.restore()
    assert editor.parameters.text() == "1, 0, 0, 0"


def test_reference_offers_every_frame(form: Form, selection: Selection, store: DocumentStore) -> None:
    selection.set((spring_id(store),))
    editor: Any = form.row_of("i").editor
    m = store.mechanism
    offered = {editor.combo.itemData(row) for row in range(editor.combo.count())}
    assert offered == {"ground", *(body.id for body in m.bodies), *(marker.id for marker in m.markers)}
    editor.combo.setCurrentIndex(editor.combo.findData("slider"))
    editor.combo.activated.emit(editor.combo.currentIndex())
    assert value_at(store.mechanism.element(spring_id(store)), "i") == "slider"


def test_marker_offers_bodies_only(form: Form, selection: Selection, store: DocumentStore) -> None:
    selection.set((store.mechanism.markers[0].id,))
    editor: Any = form.row_of("body").editor
    offered = {editor.combo.itemData(row) for row in range(editor.combo.count())}
    assert offered == {"ground", *(body.id for body in store.mechanism.bodies)}


def test_joint_that_would_join_a_body_with_itself_is_refused(
    form: Form, selection: Selection, store: DocumentStore
) -> None:
    joint: Any = store.mechanism.joints[1]
    selection.set((joint.id,))
    editor: Any = form.row_of("i").editor
    same = store.mechanism.body_of(joint.j)
    editor.combo.setCurrentIndex(editor.combo.findData(same))
    editor.combo.activated.emit(editor.combo.currentIndex())
    assert "itself" in form.row_of("i").sentence.text()
    assert value_at(store.mechanism.element(joint.id), "i") == joint.i


def test_flag_choice_color_and_text(form: Form, selection: Selection, store: DocumentStore) -> None:
    flag: Any = form.row_of("settings.newmark.jacobian").editor
    flag.combo.setCurrentIndex(flag.combo.findData("M1"))
    flag.combo.activated.emit(0)
    assert store.mechanism.settings.newmark.jacobian == "M1"
    title: Any = form.row_of("title").editor
    title.field.selectAll()
    title.field.insert("Crank 曲柄")
    QTest.keyClick(title.field, Qt.Key.Key_Return)
    assert store.mechanism.title == "Crank 曲柄"
    selection.set((spring_id(store),))
    box: Any = form.row_of("tension_only").editor
    box.box.click()
    assert value_at(store.mechanism.element(spring_id(store)), "tension_only") is True
    selection.set(("link1",))
    color: Any = form.row_of("color").editor
    color.menu.actions()[2].trigger()
    assert value_at(store.mechanism.element("link1"), "color") == "#009E73"
    assert color.button.text() == "#009E73"


def test_mass_by_shapes_or_as_given(form: Form, selection: Selection, store: DocumentStore) -> None:
    store.do(
        AddElement(Body(id="cube", shapes=(Box(size=(0.1, 0.2, 0.3)),), mass=MassFromShapes(density=1000.0)))
    )
    selection.set(("cube",))
    kind: Any = form.row_of("mass.type").editor
    enter(field(form, "mass.density"), "2000")
    kind.combo.setCurrentIndex(kind.combo.findData("given"))
    kind.combo.activated.emit(0)
    mass = value_at(store.mechanism.element("cube"), "mass")
    assert isinstance(mass, MassGiven)
    assert mass.mass == pytest.approx(12.0, rel=1e-12)  # 0.1 * 0.2 * 0.3 * 2000
    # a block: m (b^2 + c^2) / 12
    assert mass.inertia[:3] == pytest.approx((0.13, 0.10, 0.05), rel=1e-12)
    assert field(form, "mass.mass").text() == "12"
    assert "mass.density" not in shown_paths(form)
    store.undo()
    assert "mass.density" in shown_paths(form)


def test_changed_from_default_is_bold_and_can_be_restored(
    form: Form, selection: Selection, store: DocumentStore
) -> None:
    beta = field(form, "settings.newmark.beta")
    assert beta.property("state") != "changed"
    enter(beta, "0.3")
    assert beta.property("state") == "changed"
    assert form.row_of("settings.newmark.beta").changed
    form.restore_default(form.row_of("settings.newmark.beta"))
    assert store.mechanism.settings.newmark.beta == 0.25
    assert beta.property("state") != "changed"


def test_required_field_has_no_default(form: Form, selection: Selection, store: DocumentStore) -> None:
    selection.set((spring_id(store),))
    row = form.row_of("i")
    assert not row.place.has_default
    before = store.mechanism
    form.restore_default(row)
    assert store.mechanism is before


def test_free_length_is_optional_and_tells_the_drawn_one(
    form: Form, selection: Selection, store: DocumentStore
) -> None:
    selection.set((spring_id(store),))
    entry = field(form, "free_length")
    assert (entry.text(), entry.placeholderText()) == ("", "1.41421 drawn")
    enter(entry, "1.2")
    assert value_at(store.mechanism.element(spring_id(store)), "free_length") == 1.2
    entry.clear()
    entry.setModified(True)
    entry.editingFinished.emit()
    assert value_at(store.mechanism.element(spring_id(store)), "free_length") is None


def test_several_elements_are_edited_at_once(form: Form, selection: Selection, store: DocumentStore) -> None:
    selection.set(("link1", "slider"))
    x = field(form, "position", 0)
    assert x.placeholderText() == "mixed"
    enter(field(form, "velocity", 0), "4")
    assert value_at(store.mechanism.element("link1"), "velocity.0") == 4.0
    assert value_at(store.mechanism.element("slider"), "velocity.0") == 4.0
    assert len(store.history.undo_labels) == 1
    assert "2 elements" in store.history.undo_labels[0]


def test_typing_twice_in_a_field_is_two_steps_once_it_was_left(
    form: Form, selection: Selection, store: DocumentStore
) -> None:
    selection.set(("k",))
    enter(field(form, "value"), "1")
    enter(field(form, "value"), "2")
    assert len(store.history.undo_labels) == 2


def test_slider_of_a_parameter(form: Form, selection: Selection, store: DocumentStore) -> None:
    selection.set(("k",))
    slider: Any = next(row.editor for row in form.rows if row.place.kind.name == "slider")
    low, high = (value_at(store.mechanism.element("k"), name) for name in ("low", "high"))
    for place in (100, 200, 500):
        slider.slider.setValue(place)
    assert value_at(store.mechanism.element("k"), "value") == pytest.approx(low + (high - low) * 0.5)
    assert len(store.history.undo_labels) == 1


# ---------------------------------------------------------------- what is shown is the document
def shown_values(row: FieldRow) -> Any:
    editor: Any = row.editor
    if hasattr(editor, "fields"):
        return tuple(entry.value for entry in editor.fields)
    if hasattr(editor, "angles"):
        return editor._value
    if hasattr(editor, "box"):
        return editor.box.isChecked()
    if hasattr(editor, "combo"):
        return editor.combo.currentData()
    if hasattr(editor, "button"):
        return editor._color
    if hasattr(editor, "field"):
        value = getattr(editor.field, "value", None)
        if hasattr(editor.field, "toPlainText"):
            return editor.field.toPlainText()
        return editor.field.text() if value is None and not hasattr(editor.field, "set_value") else value
    return None


def check_against_document(form: Form, m: Mechanism, element_id: str | None) -> None:
    owner = m if element_id is None else m.element(element_id)
    for row in form.rows:
        if row.place.kind.name in ("slider",) or type(row.editor).__name__ == "FixedWord":
            continue
        assert shown_values(row) == value_at(owner, row.place.path), row.place.path


def test_form_shows_the_document_after_every_edit(
    panel: PropertiesPanel, selection: Selection, store: DocumentStore
) -> None:
    panel.advanced_button.setChecked(True)
    spring = spring_id(store)
    edits = {
        spring: [("stiffness", 1.0), ("damping", "=2*c"), ("free_length", 1.0), ("tension_only", True)],
        "link1": [("position", (1.0, 2.0, 3.0)), ("color", "#123456"), ("visible", False)],
        "k": [("value", 3.0), ("unit", "N/mm"), ("low", 1.0)],
        None: [
            ("title", "T"),
            ("gravity", (0.0, "=c", 1.0)),
            ("settings.newmark.jacobian", "M1"),
            ("settings.h", 0.002),
        ],
    }
    for element_id, changes in edits.items():
        selection.set(() if element_id is None else (element_id,))
        check_against_document(panel.form, store.mechanism, element_id)
        for path, value in changes:
            store.do(SetField(element_id, path, value))
            check_against_document(panel.form, store.mechanism, element_id)
        for _ in changes:
            store.undo()
            check_against_document(panel.form, store.mechanism, element_id)


def test_removed_element_leaves_the_form(
    panel: PropertiesPanel, selection: Selection, store: DocumentStore
) -> None:
    selection.set((spring_id(store),))
    store.do(RemoveElement(spring_id(store)))
    assert panel.shown == ()
    assert "settings.t_end" in shown_paths(panel.form)


def test_head_names_and_renames(panel: PropertiesPanel, selection: Selection, store: DocumentStore) -> None:
    selection.set(("link1",))
    assert (panel.name.text(), panel._type.text()) == ("Crank", "body")
    panel.name.selectAll()
    QTest.keyClicks(panel.name, "Kurbel")
    QTest.keyClick(panel.name, Qt.Key.Key_Return)
    assert store.mechanism.element("link1").label == "Kurbel"
    panel.name.selectAll()
    QTest.keyClicks(panel.name, "Rod")
    QTest.keyClick(panel.name, Qt.Key.Key_Return)
    assert panel.name.property("state") == "error"
    assert store.mechanism.element("link1").label == "Kurbel"
    store.undo()
    panel.name.clearFocus()
    assert store.mechanism.element("link1").label == "Crank"


def test_ground_has_no_fields(panel: PropertiesPanel, selection: Selection) -> None:
    selection.set(("ground",))
    assert not panel.form.isVisible()
    assert panel._fixed_name.text() == "Ground"


def test_search_narrows_the_rows(panel: PropertiesPanel, selection: Selection, store: DocumentStore) -> None:
    selection.set((spring_id(store),))
    panel.search_button.click()
    QTest.keyClicks(panel.search, "stiff")
    assert {row.place.path for row in panel.form.rows if row.isVisible()} == {"stiffness"}
    panel.search_button.click()
    assert all(row.isVisible() for row in panel.form.rows)


# ---------------------------------------------------------------- the card of the SDA
def test_drawn_length_and_rate(store: DocumentStore) -> None:
    spring: Any = store.evaluated.element(spring_id(store))
    # the spring joins the middles of two links of 2 m at 45 degrees: sqrt(2)
    assert drawn_length(store.evaluated, spring) == pytest.approx(math.sqrt(2.0), rel=1e-12)
    assert drawn_rate(store.evaluated, spring) == 0.0
    store.do(SetField("link2", "velocity", (3.0, 0.0, 0.0)))
    assert drawn_rate(store.evaluated, spring) == pytest.approx(3.0, rel=1e-12)


def test_card_shows_law_and_numbers(form: Form, selection: Selection, store: DocumentStore) -> None:
    store.do(SetField(spring_id(store), "free_length", 1.0))
    store.do(SetField(spring_id(store), "tension_only", True))
    selection.set((spring_id(store),))
    card: Any = form.findChild(SdaCard)
    assert card.plot.force(1.5) == pytest.approx(1e4)
    assert card.plot.force(0.5) == 0.0
    assert card.numbers.accessibleName() == "= 2·104 (1.414 − 1) + 0 (0) + 0 = 8284 N"
    picture = card.plot.grab().toImage()
    store.do(SetField("k", "value", 10.0))
    assert card.plot.grab().toImage() != picture


@pytest.mark.parametrize(
    ("low", "high", "most", "ticks"),
    [
        (0.0, 1.0, 5, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (1.19, 1.64, 5, [1.2, 1.3, 1.4, 1.5, 1.6]),
        (-5200.0, 5200.0, 4, [-5000.0, 0.0, 5000.0]),
        (3.0, 3.0, 5, [3.0]),
    ],
)
def test_ticks_are_round(low: float, high: float, most: int, ticks: list[float]) -> None:
    assert nice_ticks(low, high, most) == pytest.approx(ticks, abs=1e-12)
