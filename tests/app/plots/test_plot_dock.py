"""The strip of tabs: what it holds, that hidden tabs rest, and that all follow theme and language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from linkwright_app.plots.plot_dock import STRIP_HEIGHT, PlotDock
from linkwright_app.window.tokens import DARK, LIGHT


@pytest.fixture
def dock(desk: Any, qtbot: QtBot) -> PlotDock:
    made = PlotDock(desk.runs, desk.cursor, DARK)
    qtbot.addWidget(made)
    made.resize(1300, 400)
    made.show()
    qtbot.waitExposed(made)
    return made


def test_tabs_in_their_order_and_room_for_more(dock: PlotDock) -> None:
    page = QLabel("log")
    index = dock.add_tab(page, "scroll-text", "Log")
    assert [dock.tabs.tabText(i) for i in range(dock.tabs.count())] == [
        "Convergence",
        "Energy",
        "Channels",
        "Log",
    ]
    dock.show_tab(index)
    assert page.isVisible()
    assert not dock.convergence.isVisible()


def test_only_the_visible_tab_draws(dock: PlotDock, run_to_end: Callable[..., Any]) -> None:
    run_to_end()
    assert dock.convergence._tracks
    assert dock.ledger._seen == 101
    assert dock.energy._seen == 0
    assert not dock.channels._plots
    dock.show_tab(1)
    assert dock.energy._seen == 101
    dock.show_tab(2)
    assert len(dock.channels._plots) == 2


def test_folds_to_the_strip_and_back(dock: PlotDock) -> None:
    dock.set_collapsed(True)
    assert dock.maximumHeight() == STRIP_HEIGHT
    assert not dock.pages.isVisible()
    dock.show_tab(1)
    assert not dock.collapsed
    assert dock.pages.isVisible()


def test_export_menu_offers_every_plot_of_the_tab(dock: PlotDock, run_to_end: Callable[..., Any]) -> None:
    run_to_end()
    dock._fill_export_menu()
    assert [a.text() for a in dock._export_menu.actions()] == ["Iterations per step", "Energy ledger"]
    dock.show_tab(2)
    dock._fill_export_menu()
    assert [a.text() for a in dock._export_menu.actions()] == ["Channels"]


def test_time_axes_line_up(dock: PlotDock, run_to_end: Callable[..., Any], qtbot: QtBot) -> None:
    run_to_end()
    qtbot.wait(50)
    lefts = [
        f.getViewBox().mapToScene(f.getViewBox().boundingRect().topLeft()).x()
        for f in (dock.ledger.energy, dock.ledger.balance)
    ]
    assert lefts[0] == pytest.approx(lefts[1], abs=0.5)
    lefts = [
        f.getViewBox().mapToScene(f.getViewBox().boundingRect().topLeft()).x()
        for f in (dock.convergence.iterations, dock.convergence.residual)
    ]
    assert lefts[0] == pytest.approx(lefts[1], abs=0.5)


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_theme_while_a_run_goes_on(dock: PlotDock, desk: Any, qtbot: QtBot, tokens: Any) -> None:
    desk.scripted.hold_at = 30
    desk.runs.start()
    qtbot.wait(80)
    dock.set_theme(tokens)
    assert dock.convergence.iterations.backgroundBrush().color().name().upper() == tokens.panel
    assert dock.energy.energy.backgroundBrush().color().name().upper() == tokens.panel


def test_lines_are_thin_while_a_run_goes_on_and_wider_afterwards(
    dock: PlotDock, desk: Any, qtbot: QtBot
) -> None:
    dock.show_tab(2)
    desk.scripted.hold_at = 30
    desk.runs.start()
    qtbot.waitUntil(lambda: bool(dock.channels._plots), timeout=2000)
    item = dock.channels._plots[0].curves[0].curve._item
    assert item.opts["pen"].widthF() == 1.0
    assert item.opts["antialias"] is False
    with qtbot.waitSignal(desk.runs.finished, timeout=3000):
        desk.scripted.made[-1].hold_at = None
    assert item.opts["pen"].widthF() > 1.5
    assert item.opts["antialias"] is True
