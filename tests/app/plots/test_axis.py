"""Numbers on axes: signs, prefixes, powers, and steps that leave room for their labels."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from linkwright_app.plots.axis import PlotAxis, number, prefix_for


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-10.0, "−10"),
        (0.25, "0.25"),
        (1e-8, "1e−8"),
        (2.5e20, "2.5e20"),
        (np.nan, "–"),
        (np.inf, "–"),
    ],
)
def test_number(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("largest", "unit", "shown", "factor"),
    [
        (285.0, "J", "J", 1.0),
        (0.008, "J", "mJ", 1e-3),
        (2e-7, "J", "nJ", 1e-9),
        (5e4, "J", "kJ", 1e3),
        (3.0, "m", "m", 1.0),
        (0.02, "m", "mm", 1e-3),
        (1e9, "m", "m", 1.0),
        (1e-5, "rad/s", "rad/s", 1.0),
        (0.0, "J", "J", 1.0),
        (np.inf, "J", "J", 1.0),
    ],
)
def test_prefix(largest: float, unit: str, shown: str, factor: float) -> None:
    assert prefix_for(largest, unit) == (factor, shown)


def test_power_axis_marks_whole_powers_only(qtbot: QtBot) -> None:
    axis = PlotAxis("left", power=True)
    ((step, offset),) = axis.tickSpacing(-13.0, 4.6, 70.0)
    assert (step, offset) == (6.0, 0.0)
    assert axis.tickStrings([-12.0, -6.0, 0.0, 1.0, 6.0], 1.0, 6.0) == ["1e−12", "1e−6", "1", "10", "1e6"]


def test_whole_axis_marks_no_fractions(qtbot: QtBot) -> None:
    axis = PlotAxis("bottom", whole=True)
    assert axis.tickSpacing(0.0, 2.0, 800.0) == [(1.0, 0.0)]
    assert axis.tickSpacing(0.0, 100.0, 640.0) == [(10.0, 0.0)]
    assert axis.tickSpacing(0.0, 1e6, 640.0)[0][0] in (1e5, 2e5)
    assert axis.tickStrings([0.0, 10.0], 1.0, 10.0) == ["0", "10"]


def test_labels_of_neighbours_differ(qtbot: QtBot) -> None:
    axis = PlotAxis("left")
    assert axis.tickStrings([0.1, 0.2, 0.30000000000000004], 1.0, 0.1) == ["0.1", "0.2", "0.3"]
    assert axis.tickStrings([1000.0, 1500.0, 2000.0], 1.0, 500.0) == ["1000", "1500", "2000"]
    labels = axis.tickStrings([1.41420, 1.41421, 1.41422], 1.0, 1e-5)
    assert len(set(labels)) == 3
    assert axis.tickStrings([-2e7, 0.0, 2e7], 1.0, 2e7) == ["−2e7", "0", "2e7"]


def test_title_carries_the_unit_dimly(qtbot: QtBot) -> None:
    axis = PlotAxis("left")
    axis.set_title("energy", "J")
    assert axis.title == ("energy", "J")
    assert axis.label.toPlainText().strip() == "energy [J]"
    axis.set_title("")
    assert not axis.label.isVisible()
