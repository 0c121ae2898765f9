"""Switches of the iteration matrix: what they set, what they leave alone, and what is said about A and B."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from linkwright.analysis.sda_jacobian import sda_blocks
from linkwright.document.commands import RemoveElement, SetField
from linkwright_app.services.selection import Selection
from linkwright_app.solve.heat_map import HeatMap
from linkwright_app.solve.jacobian_panel import JacobianPanel
from linkwright_app.solve.variant import variant_name, variant_terms
from linkwright_app.window.tokens import DARK, LIGHT


@pytest.fixture
def panel(desk: Any, qtbot: QtBot) -> JacobianPanel:
    made = JacobianPanel(desk.store, desk.runs, desk.cursor, selection=Selection(desk.store))
    qtbot.addWidget(made)
    made.show()
    qtbot.waitExposed(made)
    return made


def test_names_of_the_variants() -> None:
    names = [variant_name(m2, m3) for m2 in (False, True) for m3 in (False, True)]
    assert names == ["M1", "M1+M3", "M1+M2", "M1+M2+M3"]
    assert [variant_terms(n) for n in names] == [(False, False), (False, True), (True, False), (True, True)]
    assert variant_terms("difference") is None


def test_begins_with_the_whole_matrix_against_m1(panel: JacobianPanel) -> None:
    assert {name: box.isChecked() for name, box in panel.boxes.items()} == {
        "M2A": True,
        "M3A": True,
        "M2B": False,
        "M3B": False,
    }
    assert (panel.variant_a, panel.variant_b) == ("M1+M2+M3", "M1")


def test_side_a_is_the_setting_of_the_model(panel: JacobianPanel, desk: Any, qtbot: QtBot) -> None:
    panel.boxes["M3A"].click()
    assert desk.store.mechanism.settings.newmark.jacobian == "M1+M2"
    assert len(desk.store.history.undo_labels) == 2
    desk.store.undo()
    qtbot.waitUntil(panel.boxes["M3A"].isChecked, timeout=1000)


def test_side_b_leaves_the_model_alone(panel: JacobianPanel, desk: Any) -> None:
    before = desk.store.mechanism
    panel.boxes["M2B"].click()
    assert panel.variant_b == "M1+M2"
    assert desk.store.mechanism is before


def test_runs_take_their_variants(panel: JacobianPanel, desk: Any, qtbot: QtBot) -> None:
    panel.boxes["M2B"].click()
    panel.run_both.click()
    qtbot.waitUntil(lambda: len(desk.runs.runs) == 2 and not desk.runs.is_live, timeout=5000)
    a, b = desk.runs.runs
    assert (a.label, a.variant, a.options) == ("A", "M1+M2+M3", {})
    assert (b.label, b.variant, b.options) == ("B", "M1+M2", {"jacobian": "M1+M2"})
    qtbot.waitUntil(panel.run_b.isEnabled, timeout=1000)
    panel.run_b.click()
    qtbot.waitUntil(lambda: len(desk.runs.runs) == 3 and not desk.runs.is_live, timeout=5000)
    qtbot.waitUntil(panel.run_a.isEnabled, timeout=1000)
    panel.run_a.click()
    qtbot.waitUntil(lambda: len(desk.runs.runs) == 4 and not desk.runs.is_live, timeout=5000)
    assert [e.label for e in desk.runs.runs] == ["A", "B", "B", "A"]


def test_switches_act_on_the_run_that_goes_on(panel: JacobianPanel, desk: Any, qtbot: QtBot) -> None:
    desk.scripted.hold_at = 10
    panel.run_b.click()
    runner = desk.scripted.made[-1]
    panel.boxes["M3B"].click()
    panel.boxes["M2A"].click()
    assert runner.requests == [("jacobian", "M1+M3")]
    assert [e.words() for e in desk.runs.current.events] == ["M1+M3"]
    with qtbot.waitSignal(desk.runs.finished, timeout=2000):
        desk.runs.stop()
    qtbot.waitUntil(panel.run_a.isEnabled, timeout=1000)
    panel.run_a.click()
    panel.boxes["M2A"].click()
    assert desk.scripted.made[-1].requests == [("jacobian", "M1+M2+M3")]


def test_no_second_run_while_one_goes_on(panel: JacobianPanel, desk: Any, qtbot: QtBot) -> None:
    desk.scripted.hold_at = 10
    panel.run_both.click()
    qtbot.waitUntil(lambda: panel.state_text == "A running, B waiting", timeout=1000)
    assert not any(b.isEnabled() for b in (panel.run_a, panel.run_b, panel.run_both))
    desk.scripted.hold_at = None
    desk.scripted.made[-1].hold_at = None
    qtbot.waitUntil(lambda: panel.state_text == "A done, B done", timeout=5000)
    assert panel.run_a.isEnabled()


def test_matrix_by_differences_is_neither_on_nor_off(panel: JacobianPanel, desk: Any, qtbot: QtBot) -> None:
    desk.store.do(SetField(None, "settings.newmark.jacobian", "difference"))
    box = panel.boxes["M2A"]
    qtbot.waitUntil(lambda: box.checkState() == Qt.CheckState.PartiallyChecked, timeout=1000)
    box.click()
    assert desk.store.mechanism.settings.newmark.jacobian in ("M1", "M1+M2", "M1+M3", "M1+M2+M3")


def test_table_is_that_of_the_results(
    panel: JacobianPanel, desk: Any, qtbot: QtBot, run_to_end: Callable[..., Any]
) -> None:
    a, b = run_to_end(), run_to_end({"jacobian": "M1"}, "B")
    for side, entry in (("A", a), ("B", b)):
        solves = entry.results.solves
        assert panel.comparison.value("mean", side) == f"{solves.mean():.2f}"
        assert panel.comparison.value("max", side) == str(solves.max())
        assert panel.comparison.value("total", side) == str(solves.sum())
        assert panel.comparison.value("failed", side) == "0"
    assert panel.comparison.verdict == "A and B agree: largest difference 0 m, 0 rad"
    assert panel.comparison._verdict.property("verdict") == "good"


def test_table_counts_the_steps_both_have(
    panel: JacobianPanel, desk: Any, qtbot: QtBot, run_to_end: Callable[..., Any]
) -> None:
    a = run_to_end()
    desk.scripted.hold_at = 73
    desk.runs.start({"jacobian": "M1"}, "B")
    qtbot.waitUntil(lambda: panel.comparison._upto.text() == "to step 73", timeout=2000)
    assert panel.comparison.value("total", "A") == str(a.results.solves[:73].sum())
    assert panel.comparison.value("total", "B") == str(
        desk.scripted.made[-1].script.steps[:73, 3].astype(int).sum()
    )


def test_disagreement_is_amber_and_names_the_body(
    panel: JacobianPanel, desk: Any, run_to_end: Callable[..., Any]
) -> None:
    run_to_end()
    whole = desk.scripted.script

    def script(variant: str) -> Any:
        run = whole(variant)
        run.poses[50:, 2, 0] += 2e-3
        return run

    desk.scripted.script = script
    run_to_end({"jacobian": "M1"}, "B")
    assert panel.comparison.verdict.startswith("A and B differ by 2e−3 m at Slider")
    assert panel.comparison._verdict.property("verdict") == "warn"


def test_other_models_are_not_compared(
    panel: JacobianPanel, desk: Any, run_to_end: Callable[..., Any]
) -> None:
    run_to_end()
    desk.store.do(SetField("k", "value", 1.0))
    run_to_end({"jacobian": "M1"}, "B")
    assert "different models" in panel.comparison.verdict
    assert panel.comparison.comparison is None


def test_pictures_are_the_blocks_of_the_pose_under_the_cursor(
    panel: JacobianPanel, desk: Any, qtbot: QtBot, run_to_end: Callable[..., Any]
) -> None:
    entry = run_to_end({"jacobian": "M1"}, "B")
    desk.cursor.set_t(0.3)
    script = entry.runner.script
    want = sda_blocks(desk.store.evaluated, "s1", script.body_ids, script.poses[30], script.twists[30])
    qtbot.waitUntil(lambda: np.array_equal(panel.blocks.maps[0].matrix, want.m2), timeout=1000)
    assert np.array_equal(panel.blocks.maps[1].matrix, want.m3)
    assert panel.blocks._titles[0].text() == "M2 of S1, 14 × 14"
    # The damper of the slider-crank acts along the line between the mass centres, so M3 has four entries.
    assert np.count_nonzero(np.abs(want.m3) > 1e-9) == 4


def test_before_any_run_the_drawn_pose_counts(panel: JacobianPanel, desk: Any, qtbot: QtBot) -> None:
    # Both links are drawn at the origin: the spring has no length there, and the panel says so.
    qtbot.waitUntil(lambda: "same place" in panel.blocks._message.text(), timeout=1000)
    desk.store.do(SetField("link2", "position", (2.0, 0.0, 0.0)))
    qtbot.waitUntil(lambda: panel.blocks.blocks is not None, timeout=1000)
    assert panel.blocks.blocks is not None
    assert panel.blocks.blocks.m2[0, 0] == pytest.approx(-2e4)


def test_without_a_spring_there_are_no_blocks(panel: JacobianPanel, desk: Any, qtbot: QtBot) -> None:
    desk.store.do(RemoveElement("s1"))
    qtbot.waitUntil(lambda: "no spring" in panel.blocks._message.text(), timeout=1000)
    assert not panel.blocks.maps[0].isVisible()


def test_strength_of_a_cell_is_its_logarithm() -> None:
    matrix = np.array([[-1e6, 1e3], [1e-4, 0.0]])
    strengths = HeatMap.strengths(matrix)
    # Six decades from full to nothing, three of them give a half; a hint is left down to nine decades.
    assert strengths[0].tolist() == [1.0, 0.5]
    assert strengths[1].tolist() == [0.0, 0.0]
    assert HeatMap.strengths(np.array([[1.0, 1e-8]]))[0, 1] == 0.12
    assert not HeatMap.strengths(np.full((3, 3), np.nan)).any()


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_theme(panel: JacobianPanel, run_to_end: Callable[..., Any], tokens: Any) -> None:
    run_to_end()
    panel.set_theme(tokens)
    panel.grab()
