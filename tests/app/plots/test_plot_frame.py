"""One plot: its view, its cursor, and what its menu copies and saves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from linkwright_app.plots.plot_frame import PlotFrame, horizon, padded, robust_range
from linkwright_app.window.tokens import DARK, LIGHT, ThemeTokens

NO_KEYS = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def frame(qtbot: QtBot) -> PlotFrame:
    made = PlotFrame()
    qtbot.addWidget(made)
    made.resize(500, 260)
    made.show()
    qtbot.waitExposed(made)
    made.set_home(0.0, 10.0, -1.0, 1.0)
    return made


def test_range_of_ordinary_values_is_theirs() -> None:
    y = np.sin(np.linspace(0, 10, 500))
    assert robust_range(y) == (y.min(), y.max(), None)


def test_a_sharp_peak_stays_in_view() -> None:
    y = np.zeros(500)
    y[1::2] = 1.0
    y[100] = 1e5
    assert robust_range(y) == (0.0, 1e5, None)


def test_a_transient_before_a_long_rest_stays_in_view() -> None:
    t = np.linspace(0.0, 100.0, 2000)
    y = 1.0 + np.exp(-20.0 * t)
    assert robust_range(y) == (y.min(), y.max(), None)
    y = np.exp(-20.0 * t) * np.cos(30.0 * t)
    assert robust_range(y) == (y.min(), y.max(), None)


def test_a_single_impulse_in_rest_stays_in_view() -> None:
    y = np.zeros(2000)
    y[300] = 5e4
    assert robust_range(y) == (0.0, 5e4, None)
    y[300] = 1e27
    assert robust_range(y) == (0.0, 0.0, 1e27)


@pytest.mark.parametrize(
    ("last", "planned", "live", "end"),
    [
        (0.0, 10.0, True, 10.0),
        (3.0, 10.0, True, 10.0),
        (1.0, 100.0, True, 2.0),
        (1.9, 100.0, True, 5.0),
        (9.5, 100.0, True, 20.0),
        (104.0, 3000.0, True, 200.0),
        (104.0, 3000.0, False, 104.0),
        (0.0, 3.0, False, 3.0),
    ],
)
def test_end_of_the_time_axis(last: float, planned: float, live: bool, end: float) -> None:
    assert horizon(last, planned, live=live) == pytest.approx(end)


@pytest.mark.parametrize("wild", [1e27, -1e27])
def test_a_few_absurd_values_do_not_hide_the_curve(wild: float) -> None:
    y = np.sin(np.linspace(0, 10, 500))
    y[[7, 8, 9]] = wild
    found = robust_range(y)
    assert found is not None
    assert found[0] == pytest.approx(-1.0, abs=1e-4)
    assert found[1] == pytest.approx(1.0, abs=1e-4)
    assert found[2] == wild


def test_values_that_are_not_finite_do_not_count() -> None:
    assert robust_range(np.array([np.nan, 2.0, np.inf, 3.0, -np.inf])) == (2.0, 3.0, None)
    assert robust_range(np.full(20, np.nan)) is None
    assert robust_range(np.empty(0)) is None


def test_flat_line_stands_in_the_middle() -> None:
    for value in (0.0, 5.0, -1e-9, 1e27):
        low, high = padded(value, value)
        assert low < value < high
        assert value - low == pytest.approx(high - value)


def test_view_follows_the_data_until_somebody_zooms(frame: PlotFrame) -> None:
    assert frame.view_range == ((0.0, 10.0), (-1.0, 1.0))
    frame.set_zoomed(True)
    frame.getViewBox().setRange(xRange=(2.0, 3.0), padding=0.0)
    frame.set_home(0.0, 20.0, -2.0, 2.0)
    assert frame.view_range[0] == (2.0, 3.0)
    frame.reset_view()
    assert frame.view_range == ((0.0, 20.0), (-2.0, 2.0))


def test_click_and_drag_point_at_a_time(frame: PlotFrame, qtbot: QtBot) -> None:
    picked: list[float] = []
    frame.picked.connect(picked.append)
    box = frame.getViewBox().sceneBoundingRect()
    at = QPoint(int(box.left() + 0.25 * box.width()), int(box.center().y()))
    QTest.mouseClick(frame.viewport(), Qt.MouseButton.LeftButton, NO_KEYS, at)
    assert picked[-1] == pytest.approx(2.5, abs=0.05)
    assert frame.view_range[0] == (0.0, 10.0)
    QTest.mousePress(frame.viewport(), Qt.MouseButton.LeftButton, NO_KEYS, at)
    for share in (0.3, 0.5, 0.75):
        QTest.mouseMove(frame.viewport(), QPoint(int(box.left() + share * box.width()), at.y()))
        qtbot.wait(30)
    QTest.mouseRelease(
        frame.viewport(),
        Qt.MouseButton.LeftButton,
        NO_KEYS,
        QPoint(int(box.left() + 0.75 * box.width()), at.y()),
    )
    assert frame.view_range[0] == (0.0, 10.0)
    assert picked[-1] == pytest.approx(7.5, abs=0.1)


def test_huge_values_are_brought_near_the_view(frame: PlotFrame) -> None:
    y = frame.drawable(np.array([1e300, 0.5, -1e300, np.nan]))
    assert y[1] == 0.5
    assert 1.0 < y[0] <= 100.0
    assert -100.0 <= y[2] < -1.0
    assert np.isnan(y[3])


def test_table_holds_all_columns_and_every_digit(frame: PlotFrame, tmp_path: Path) -> None:
    t = np.array([0.0, 0.1, 0.30000000000000004])
    frame.set_source("test", lambda: [("time [s]", t), ("a, b", np.array([1.0, np.nan]))])
    frame.save_csv(tmp_path / "table.csv")
    text = (tmp_path / "table.csv").read_text(encoding="utf-8")
    assert text.splitlines() == ['time [s],"a, b"', "0.0,1.0", "0.1,nan", "0.30000000000000004,"]
    frame.copy_data()
    assert QGuiApplication.clipboard().text().splitlines()[1] == "0.0\t1.0"


def test_picture_is_twice_the_size_and_not_empty(frame: PlotFrame) -> None:
    frame.set_titles(("time", "s"), ("force", "N"))
    image = frame.picture().toImage().convertToFormat(QImage.Format.Format_RGB32)
    assert (image.width(), image.height()) == (1000, 520)
    colors = {image.pixel(x, y) for x in range(0, 1000, 3) for y in range(0, 520, 3)}
    assert len(colors) > 5


def test_menu_lists_what_can_be_done(frame: PlotFrame) -> None:
    menu = QMenu()
    frame.fill_menu(menu)
    texts = [a.text() for a in menu.actions() if a.text()]
    assert texts == ["Copy data", "Copy picture", "Save data as CSV…", "Save picture as PNG…", "Reset view"]


def test_unwritable_file_is_told(frame: PlotFrame, tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"No such file|cannot find"):
        frame.save_csv(tmp_path / "missing" / "table.csv")


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_takes_the_colours_of_a_theme(frame: PlotFrame, tokens: ThemeTokens) -> None:
    frame.set_theme(tokens)
    assert frame.backgroundBrush().color().name().upper() == tokens.panel
    assert frame.cursor_line.pen.color().name().upper() == tokens.accent
