"""Formulas set from their short notation."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFontInfo
from pytestqt.qtbot import QtBot

from linkwright_app.window import theme
from linkwright_app.window.formula import FormulaLine, Run, runs, scientific


def test_letters_slant_and_marks_move() -> None:
    assert runs("f = k ℓ_0 + 10^{−4}") == [
        Run("f", True, 0),
        Run(" = ", False, 0),
        Run("k", True, 0),
        Run(" ", False, 0),
        Run("ℓ", True, 0),
        Run("0", False, -1),
        Run(" + 10", False, 0),
        Run("−4", False, 1),
    ]


def test_text_between_quotation_marks_stands_upright() -> None:
    assert runs('= 2 "N m"') == [Run("= 2 ", False, 0), Run("N m", False, 0)]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2e4, "2·10^{4}"),
        (1e4, "10^{4}"),
        (25000.0, "2.5·10^{4}"),
        (1000.0, "1000"),
        (0.0, "0"),
        (-0.5, "−0.5"),
        (1.5e-7, "1.5·10^{−7}"),
        (-3e12, "−3·10^{12}"),
    ],
)
def test_numbers_are_written_with_powers(value: float, text: str) -> None:
    assert scientific(value) == text


def test_line_is_as_wide_as_its_runs_and_drawn_in_stix(qtbot: QtBot) -> None:
    theme.current().start("light")
    short, long = FormulaLine("k"), FormulaLine("k + k + k")
    for line in (short, long):
        qtbot.addWidget(line)
    assert long.sizeHint().width() > 2 * short.sizeHint().width()
    assert QFontInfo(theme.formula_font(19, italic=True)).family() == theme.FORMULA_FAMILY
    assert QFontInfo(theme.formula_font(19, italic=True)).italic()
