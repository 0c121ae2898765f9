"""Channels of a run: the list, one plot per unit, A and B, and the values at the cursor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTreeWidgetItem
from pytestqt.qtbot import QtBot

from linkwright_app.plots.channel_names import channel_title, quantity_title, unit_quantity
from linkwright_app.plots.channels import ChannelPanel, _children


@pytest.fixture
def panel(desk: Any, qtbot: QtBot) -> ChannelPanel:
    made = ChannelPanel(desk.runs, desk.cursor)
    qtbot.addWidget(made)
    made.resize(900, 370)
    made.show()
    qtbot.waitExposed(made)
    return made


def curves(panel: ChannelPanel) -> dict[tuple[str, str], Any]:
    return {(c.entry.label, c.channel): c.curve for plot in panel._plots for c in plot.curves}


def items(panel: ChannelPanel, group: str) -> list[QTreeWidgetItem]:
    return _children(panel._groups[group])


def test_list_holds_every_channel_by_element(panel: ChannelPanel, run_to_end: Callable[..., Any]) -> None:
    entry = run_to_end()
    assert list(panel._groups) == ["S1", "Energy", "Constraints"]
    n = sum(group.childCount() for group in panel._groups.values())
    assert n == len(entry.history.channel_names)


def test_begins_with_length_and_force_of_the_spring(
    panel: ChannelPanel, run_to_end: Callable[..., Any]
) -> None:
    run_to_end()
    assert panel.chosen == ("s1.length", "s1.force")
    assert [p.titles[1] for p in panel._plots] == [("length", "m"), ("force", "N")]
    # Only the lowest plot names the time axis they share.
    assert [p.titles[0] for p in panel._plots] == [("", ""), ("time", "s")]


def test_curves_are_the_channels_of_both_runs(panel: ChannelPanel, run_to_end: Callable[..., Any]) -> None:
    entries = {"A": run_to_end(), "B": run_to_end({"jacobian": "M1"}, "B")}
    for (label, channel), curve in curves(panel).items():
        want = entries[label].runner.script
        t, y = curve.drawn
        assert np.array_equal(y, want.channels[channel])
        assert np.array_equal(t, want.frame_t)
    assert len(curves(panel)) == 4


def test_ticking_adds_to_the_plot_of_its_unit(panel: ChannelPanel, run_to_end: Callable[..., Any]) -> None:
    run_to_end()
    item = next(item for item in items(panel, "S1") if item.text(0) == "spring force")
    item.setCheckState(0, Qt.CheckState.Checked)
    assert list(panel.chosen) == ["s1.length", "s1.force", "s1.spring_force"]
    assert [len(p.curves) for p in panel._plots] == [1, 2]
    item.setCheckState(0, Qt.CheckState.Unchecked)
    assert list(panel.chosen) == ["s1.length", "s1.force"]


def test_nothing_ticked_says_so(panel: ChannelPanel, run_to_end: Callable[..., Any]) -> None:
    run_to_end()
    panel.choose([])
    assert not panel._plots
    assert panel._empty.isVisible()
    assert "Tick" in panel._empty._empty.text()


def test_choice_outlives_the_next_run(panel: ChannelPanel, run_to_end: Callable[..., Any]) -> None:
    run_to_end()
    panel.choose(["energy.kinetic"])
    run_to_end()
    assert panel.chosen == ("energy.kinetic",)
    assert list(curves(panel)) == [("A", "energy.kinetic")]


def test_filter_hides_the_others(panel: ChannelPanel, run_to_end: Callable[..., Any]) -> None:
    run_to_end()
    panel._filter.setText("spring force")
    shown = [item.text(0) for group in panel._groups for item in items(panel, group) if not item.isHidden()]
    assert shown == ["spring force"]
    assert panel._groups["Energy"].isHidden()


def test_values_at_the_cursor(
    panel: ChannelPanel, desk: Any, qtbot: QtBot, run_to_end: Callable[..., Any]
) -> None:
    entry = run_to_end()
    desk.cursor.set_t(0.5)
    length = entry.runner.script.channels["s1.length"][50]
    qtbot.waitUntil(
        lambda: panel._plots[0].legend.rows_text == (("S1 length", f"{length:.5g} m"),), timeout=1000
    )
    assert panel._plots[1].cursor_line.value() == pytest.approx(0.5)
    panel._plots[0].pick(0.25)
    assert desk.cursor.t == pytest.approx(0.25)


def test_plots_share_their_time_axis(panel: ChannelPanel, run_to_end: Callable[..., Any]) -> None:
    run_to_end()
    first, second = panel._plots
    first.set_zoomed(True)
    first.getViewBox().setRange(xRange=(0.1, 0.2), padding=0.0)
    assert second.view_range[0] == pytest.approx((0.1, 0.2))
    second.reset_view()
    assert first.view_range[0] == pytest.approx((0.0, 1.0))


@pytest.mark.parametrize(
    ("values", "note"),
    [
        (np.full(101, np.nan), ""),
        (np.where(np.arange(101) == 50, 1e27, np.sin(np.arange(101.0))), "off scale: up to 1e27 m"),
        (np.where(np.arange(101) % 2 == 0, np.nan, 1.0), ""),
        (np.full(101, -np.inf), ""),
        (np.full(101, 1e27), ""),
    ],
)
def test_values_no_plot_likes(
    panel: ChannelPanel, desk: Any, run_to_end: Callable[..., Any], values: Any, note: str
) -> None:
    whole = desk.scripted.script

    def script(variant: str) -> Any:
        run = whole(variant)
        run.channels["s1.length"] = values
        return run

    desk.scripted.script = script
    run_to_end()
    panel.grab()
    assert panel._plots[0]._note.text() == note
    if note:
        (_, _), (low, high) = panel._plots[0].view_range
        assert -2.0 < low < high < 2.0


def test_names_for_people(desk: Any) -> None:
    mechanism = desk.store.mechanism
    assert channel_title(mechanism, "s1.spring_force") == "S1 spring force"
    assert channel_title(mechanism, "energy.damper_loss") == "Energy damper loss"
    assert quantity_title("x.something_new") == "something new"
    assert unit_quantity("N") == "force"
    assert unit_quantity("furlong") == "value"


def test_table_keeps_runs_apart(panel: ChannelPanel, run_to_end: Callable[..., Any]) -> None:
    run_to_end()
    run_to_end({"jacobian": "M1"}, "B")
    head = panel._plots[0].table_text().splitlines()[0]
    assert head == "A time [s],A s1.length [m],B time [s],B s1.length [m]"
