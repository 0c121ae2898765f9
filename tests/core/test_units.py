"""Units: exact definitions, and everything that must be refused."""

from __future__ import annotations

import math

import pytest

from linkwright.errors import DocumentError
from linkwright.units import format_number, parse_quantity, unit_factor


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("25 mm", "m", 0.025),
        ("25mm", "m", 0.025),
        ("0,5", "m", 0.5),
        ("0.5", "m", 0.5),
        ("1 in", "m", 0.0254),
        ("180 deg", "rad", math.pi),
        ("180°", "rad", math.pi),
        ("60 rpm", "rad/s", 2 * math.pi),
        ("20 kN/m", "N/m", 2e4),
        ("7.85 g/cm^3", "kg/m^3", 7850.0),
        ("7.85 g/cm³", "kg/m^3", 7850.0),
        ("1 t", "kg", 1000.0),
        ("3 ms", "s", 0.003),
        ("-1e3", "N", -1000.0),
        ("2", "", 2.0),
    ],
)
def test_quantities(text: str, unit: str, value: float) -> None:
    assert parse_quantity(text, unit) == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("abc", "m"),
        ("", "m"),
        ("5 kg", "m"),
        ("5 xyz", "m"),
        ("5 mm", ""),
        ("1e999", "m"),
        ("5 deg", "m"),
        ("1 mm^-999", "m"),
        ("1 m^" + "9" * 5000, "m"),
        ("1e308 km", "m"),
    ],
)
def test_refusals(text: str, unit: str) -> None:
    with pytest.raises(DocumentError):
        parse_quantity(text, unit)


def test_equal_dimensions() -> None:
    assert unit_factor("N s/m")[1] == unit_factor("kg/s")[1]
    assert unit_factor("N m")[1] == unit_factor("J")[1]


@pytest.mark.parametrize("value", [0.0, 1.0, -2.5, 20000.0, 1e-7, 1.4142135, 3e20])
def test_written_numbers_read_back(value: float) -> None:
    assert float(format_number(value, 8)) == pytest.approx(value, rel=1e-7)
