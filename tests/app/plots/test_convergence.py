"""The convergence panel shows the numbers of the runs, and a click leads to the step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from linkwright.errors import RunError
from linkwright_app.plots.convergence import ConvergencePanel
from linkwright_app.plots.step_curve import StepCurve
from linkwright_app.window.tokens import DARK, LIGHT


@pytest.fixture
def panel(desk: Any, qtbot: QtBot) -> ConvergencePanel:
    made = ConvergencePanel(desk.runs, desk.cursor)
    qtbot.addWidget(made)
    made.resize(800, 370)
    made.show()
    qtbot.waitExposed(made)
    return made


def stairs(panel: ConvergencePanel) -> dict[str, StepCurve]:
    return {track.role: track.curve for track in panel._tracks}


def test_empty_panel_says_what_to_do(panel: ConvergencePanel) -> None:
    assert "F5" in panel.iterations._empty.text()
    assert panel.legend.texts == ()


def test_overlay_shows_the_numbers_of_both_results(
    panel: ConvergencePanel, desk: Any, run_to_end: Callable[..., Any]
) -> None:
    a, b = run_to_end(), run_to_end({"jacobian": "M1"}, "B")
    for role, entry in (("A", a), ("B", b)):
        edges, heights = stairs(panel)[role].drawn
        assert np.array_equal(heights, entry.results.solves)
        assert np.array_equal(edges, np.arange(101))
        text = panel.legend.texts["AB".index(role)]
        solves = entry.results.solves
        assert f"mean {solves.mean():.2f}" in text
        assert f"max {solves.max()}" in text
        assert f"total {solves.sum()}" in text
        assert "failed 0" in text
        assert entry.variant in text
    counts = dict(panel.histogram._table()[1:])
    assert np.array_equal(counts["steps of A"], np.bincount(a.results.solves))
    assert np.array_equal(counts["steps of B"], np.bincount(b.results.solves))


def test_evaluations_can_be_counted_instead(panel: ConvergencePanel, run_to_end: Callable[..., Any]) -> None:
    a = run_to_end()
    panel.set_column("evaluations")
    assert np.array_equal(stairs(panel)["A"].drawn[1], a.results.iterations)
    assert "mean 3.00" in panel.legend.texts[0]
    assert panel.iterations.titles[1][0] == "residual evaluations"
    menu = QMenu()
    panel.fill_menu(menu)
    assert [a.isChecked() for a in menu.actions()[:2]] == [False, True]


def test_previous_run_stays_grey_behind_the_new_one(
    panel: ConvergencePanel, desk: Any, run_to_end: Callable[..., Any]
) -> None:
    run_to_end()
    run_to_end()
    assert set(stairs(panel)) == {"A", "baseline"}
    assert "previous run" in panel.legend.texts[1]


def test_click_on_a_step_moves_the_time_there(
    panel: ConvergencePanel, desk: Any, run_to_end: Callable[..., Any]
) -> None:
    run_to_end()
    panel.iterations.pick(41.5)
    assert desk.cursor.t == pytest.approx(0.42)
    panel.iterations.pick(1e6)
    assert desk.cursor.t == pytest.approx(1.0)
    panel.iterations.pick(-3.0)
    assert desk.cursor.t == pytest.approx(0.01)


def test_cursor_shows_the_residual_of_its_step(
    panel: ConvergencePanel, desk: Any, qtbot: QtBot, run_to_end: Callable[..., Any]
) -> None:
    run_to_end()
    b = run_to_end({"jacobian": "M1"}, "B")
    desk.cursor.set_t(0.26)
    qtbot.waitUntil(lambda: panel._residual_title.text() == "Residual of step 26", timeout=1000)
    assert panel.iterations.cursor_line.value() == 25.5
    table = dict(panel.residual._table())
    assert np.array_equal(table["residual B, step 26"], b.history.residuals(25))
    assert panel.residual.note_of(0) == "quadratic"
    assert panel.residual.note_of(1) == "linear, ×0.031 per iteration"
    assert panel.residual._tolerance_words.textItem.toPlainText() == "tolerance 1e−7"


def test_picture_grows_while_the_run_goes_on(panel: ConvergencePanel, desk: Any, qtbot: QtBot) -> None:
    desk.scripted.hold_at = 30
    desk.runs.start()
    qtbot.waitUntil(lambda: len(stairs(panel)["A"].drawn[1]) == 30, timeout=2000)
    assert panel.iterations.view_range[0] == (0.0, 100.0)
    desk.scripted.made[-1].hold_at = 60
    qtbot.waitUntil(lambda: len(stairs(panel)["A"].drawn[1]) == 60, timeout=2000)


def test_hidden_panel_does_nothing_and_catches_up(
    panel: ConvergencePanel, desk: Any, run_to_end: Callable[..., Any]
) -> None:
    panel.hide()
    run_to_end()
    assert not panel._tracks
    panel.show()
    assert len(stairs(panel)["A"].samples) == 100


def test_failed_step_and_changes_on_the_way_are_marked(
    panel: ConvergencePanel, desk: Any, qtbot: QtBot
) -> None:
    whole = desk.scripted.script

    def script(variant: str) -> Any:
        run = whole(variant, 41)
        run.failure = RunError("Step 42 did not converge.", "s1", step=42, t=0.41)
        return run

    desk.scripted.script = script
    desk.scripted.hold_at = 20
    desk.runs.start()
    qtbot.waitUntil(lambda: desk.runs.current.history.n_step == 20, timeout=2000)
    desk.runs.set_parameter("c", 5e4)
    with qtbot.waitSignal(desk.runs.failed, timeout=3000):
        desk.scripted.made[-1].hold_at = None
    marks = [(m.value(), m.label.format) for m in panel._marks]
    assert marks == [(20.0, "c = 50000"), (41.0, "step 42 failed")]
    assert "failed 1" in panel.legend.texts[0]


def test_a_long_run_is_thinned_to_its_spikes(panel: ConvergencePanel, desk: Any, qtbot: QtBot) -> None:
    whole = desk.scripted.script

    def script(variant: str) -> Any:
        run = whole(variant, 20_000, 5e-5)
        run.steps[12_345, 3] = 19
        return run

    desk.scripted.script = script
    with qtbot.waitSignal(desk.runs.finished, timeout=20000):
        desk.runs.start({"h": 5e-5})
    x, y = stairs(panel)["A"].drawn
    assert len(x) <= 2000
    assert y.max() == 19
    assert x[np.argmax(y)] == 12_345.5


def test_residuals_no_log_can_show(panel: ConvergencePanel, desk: Any, qtbot: QtBot) -> None:
    whole = desk.scripted.script

    def script(variant: str) -> Any:
        run = whole(variant, 3, 1 / 3)
        run.residuals = [np.array([0.0]), np.array([1.0, np.inf, np.nan]), np.array([1e300, 0.0, 1e-300])]
        return run

    desk.scripted.script = script
    with qtbot.waitSignal(desk.runs.finished, timeout=5000):
        desk.runs.start()
    for t in (0.33, 0.66, 1.0):
        desk.cursor.set_t(t)
        qtbot.wait(20)
        panel.grab()


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_theme_reaches_every_plot(
    panel: ConvergencePanel, run_to_end: Callable[..., Any], tokens: Any
) -> None:
    run_to_end()
    panel.set_theme(tokens)
    for frame in (panel.iterations, panel.residual, panel.histogram):
        assert frame.backgroundBrush().color().name().upper() == tokens.panel


def test_table_lists_every_step(panel: ConvergencePanel, run_to_end: Callable[..., Any]) -> None:
    run_to_end()
    run_to_end({"jacobian": "M1"}, "B")
    lines = panel.iterations.table_text().splitlines()
    assert lines[0] == "step,iterations A,iterations B"
    assert lines[1] == "1.0,2.0,7.0"
    assert len(lines) == 101
