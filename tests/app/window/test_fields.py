"""The quantity field: units, comma and point, formulas, refusals."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from linkwright_app.window.fields import QuantityField


@pytest.fixture
def make(qtbot: QtBot) -> Any:
    def made(*arguments: Any, **options: Any) -> QuantityField:
        field = QuantityField(*arguments, **options)
        qtbot.addWidget(field)
        field.resize(150, 24)
        field.show()
        return field

    return made


def enter(field: QuantityField, text: str) -> list[object]:
    """Type a text, press Enter, give what was committed."""
    heard: list[object] = []
    field.committed.connect(heard.append)
    field.selectAll()
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Return)
    field.committed.disconnect(heard.append)
    return heard


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("25 mm", 0.025),
        ("0,5", 0.5),
        ("1.5", 1.5),
        ("2e-3 km", 2.0),
        ("-3", -3.0),
        ("  7 m ", 7.0),
        ("10 in", 0.254),
    ],
)
def test_reads_units_comma_and_point(make: Any, typed: str, value: float) -> None:
    (read,) = enter(make("m"), typed)
    assert read == pytest.approx(value, rel=1e-15)


def test_display_unit_is_meant_when_none_is_typed(make: Any) -> None:
    field = make("s", display_unit="ms")
    field.set_value(0.01)
    assert field.text() == "10"
    assert enter(field, "5") == [pytest.approx(0.005, rel=1e-15)]
    assert enter(field, "2 s") == [2.0]
    assert field.text() == "2000"


def test_formula_is_kept_as_text_and_its_number_shown(make: Any) -> None:
    field = make("N/m")
    field.set_evaluator({"=2*k": 4e4}.get)
    assert enter(field, "=2*k") == ["=2*k"]
    assert field.text() == "=2*k"
    assert field._suffix.text() == "4e4 N/m"


def test_formula_is_refused_where_only_numbers_are_allowed(make: Any) -> None:
    field = make("m", formulas=False)
    assert enter(field, "=k") == []
    assert field.has_error


@pytest.mark.parametrize("typed", ["abc", "5 kg", "1 2", "", "nan", "1e999"])
def test_refused_text_stays_and_the_value_too(make: Any, typed: str) -> None:
    field = make("m")
    field.set_value(2.0)
    told: list[str] = []
    field.refused.connect(told.append)
    field.setText(typed)
    field.setModified(True)
    field.editingFinished.emit()
    assert field.text() == typed
    assert field.value == 2.0
    assert field.property("state") == "error"
    assert told
    assert told[0].endswith(".")


def test_optional_field_takes_nothing_as_none(make: Any) -> None:
    field = make("m", optional=True)
    field.set_value(2.0)
    field.clear()
    field.setModified(True)
    field.editingFinished.emit()
    assert field.value is None
    assert not field.has_error


def test_escape_brings_the_value_back(make: Any) -> None:
    field = make("m")
    field.set_value(2.0)
    enter(field, "nonsense")
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert (field.text(), field.has_error) == ("2", False)


def test_refused_text_survives_a_refresh_with_the_same_value(make: Any) -> None:
    field = make("m")
    field.set_value(2.0)
    enter(field, "nonsense")
    field.set_value(2.0)
    assert field.text() == "nonsense"
    field.set_value(3.0)
    assert (field.text(), field.has_error) == ("3", False)


def test_value_refused_by_the_owner_does_not_count(make: Any) -> None:
    field = make("m")
    field.set_value(2.0)
    field.committed.connect(lambda value: field.refuse("Too small."))
    field.setText("-1")
    field.setModified(True)
    field.editingFinished.emit()
    assert (field.value, field.text(), field.toolTip()) == (2.0, "-1", "Too small.")


def test_leaving_without_typing_commits_nothing(make: Any) -> None:
    field = make("m")
    field.set_value(1.0 / 3.0)
    heard: list[object] = []
    field.committed.connect(heard.append)
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert heard == []
    assert field.value == 1.0 / 3.0


def test_full_digits_while_editing(make: Any, qtbot: QtBot) -> None:
    field = make("m")
    field.set_value(1.0 / 3.0)
    assert field.text() == "0.333333"
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    assert field.text() == "0.333333333333333"
    field.clearFocus()
    assert field.text() == "0.333333"


def test_unit_of_a_persons_own_making_is_only_shown(make: Any) -> None:
    field = make("Å/bucket")
    assert field._suffix.text() == "Å/bucket"
    assert enter(field, "3") == [3.0]
    assert enter(field, "3 m") == []


def test_mixed_values_show_a_word(make: Any) -> None:
    field = make("m")
    field.set_mixed()
    assert (field.text(), field.placeholderText()) == ("", "mixed")
    assert enter(field, "4") == [4.0]
