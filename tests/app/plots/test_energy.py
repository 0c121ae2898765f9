"""The energy ledger: what is stacked, what it is held against, and how absurd energies are borne."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from linkwright_app.plots.constraint_error import FLOOR, ConstraintErrorPlot
from linkwright_app.plots.energy import BALANCE_TOLERANCE, EnergyLedger


@pytest.fixture
def ledger(desk: Any, qtbot: QtBot) -> EnergyLedger:
    made = EnergyLedger(desk.runs, desk.cursor)
    qtbot.addWidget(made)
    made.resize(500, 370)
    made.show()
    qtbot.waitExposed(made)
    return made


def changed(desk: Any, **channels: Any) -> None:
    """Let the next runs have other values in some energy channels."""
    whole = desk.scripted.script

    def script(variant: str) -> Any:
        run = whole(variant)
        for name, values in channels.items():
            run.channels[f"energy.{name}"] = np.broadcast_to(values, run.frame_t.shape).astype(float).copy()
        return run

    desk.scripted.script = script


def test_stack_is_the_sum_of_the_parts_and_meets_the_work(
    ledger: EnergyLedger, run_to_end: Callable[..., Any]
) -> None:
    entry = run_to_end()
    ch = entry.runner.script.channels
    top = ledger._edges[-1].visible_values()
    parts = ch["energy.kinetic"] + ch["energy.springs"] + ch["energy.damper_loss"] + ch["energy.gravity"]
    assert np.allclose(top, parts, atol=1e-12)
    # The scripted motion is exact to 3e-8 J, so the stack must end at the work of the force.
    assert np.allclose(top, ledger._work.visible_values(), atol=1e-6)
    assert ledger._unit == "J"


def test_legend_names_what_there_is(ledger: EnergyLedger, run_to_end: Callable[..., Any]) -> None:
    run_to_end()
    assert [name for name, _ in ledger.legend.rows_text] == [
        "work of F1",
        "damper loss",
        "springs",
        "kinetic",
    ]
    assert ledger._areas.n_layer == 3


def test_gravity_counts_from_its_lowest_point(
    ledger: EnergyLedger, desk: Any, run_to_end: Callable[..., Any]
) -> None:
    # A pendulum let go: gravity falls from 5 J to -5 J and back while the kinetic energy rises from 0 to 10 J.
    phase = np.linspace(0, 2 * np.pi, 101)
    changed(
        desk,
        gravity=5 * np.cos(phase),
        kinetic=5 - 5 * np.cos(phase),
        springs=0.0,
        damper_loss=0.0,
        force_work=0.0,
    )
    run_to_end()
    assert np.allclose(ledger._edges[-1].visible_values(), 10.0, atol=1e-9)
    assert np.allclose(ledger._work.visible_values(), 10.0, atol=1e-9)
    assert [name for name, _ in ledger.legend.rows_text] == ["start + work of F1", "gravity", "kinetic"]


def test_balance_band_is_a_share_of_the_largest_energy(
    ledger: EnergyLedger, desk: Any, run_to_end: Callable[..., Any]
) -> None:
    run_to_end()
    largest = desk.scripted.made[-1].script.channels["energy.force_work"].max()
    low, high = ledger._band.getRegion()
    factor = 1.0 / ledger._error.factor
    assert high * factor == pytest.approx(BALANCE_TOLERANCE * largest, rel=1e-6)
    assert low == -high
    assert ledger.balance.titles[1] == ("error", "mJ")
    (_, _), (y_low, y_high) = ledger.balance.view_range
    assert y_low < low
    assert y_high > high


def test_a_large_balance_error_is_in_view(
    ledger: EnergyLedger, desk: Any, run_to_end: Callable[..., Any]
) -> None:
    changed(desk, balance_error=np.linspace(0, 40, 101))
    run_to_end()
    (_, _), (_, y_high) = ledger.balance.view_range
    assert y_high / ledger._error.factor >= 40.0


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e27])
def test_absurd_energies_are_borne(
    ledger: EnergyLedger, desk: Any, run_to_end: Callable[..., Any], value: float
) -> None:
    kinetic = np.ones(101)
    kinetic[60] = value
    changed(desk, kinetic=kinetic, springs=1.0, damper_loss=0.0, force_work=2.0)
    run_to_end()
    ledger.grab()
    (_, _), (_, y_high) = ledger.energy.view_range
    assert y_high < 10.0
    assert ("1e27" in ledger.energy._note.text()) == (value == 1e27)


def test_all_energies_missing(ledger: EnergyLedger, desk: Any, run_to_end: Callable[..., Any]) -> None:
    nothing = dict.fromkeys(
        ("kinetic", "gravity", "springs", "damper_loss", "force_work", "balance_error"), np.nan
    )
    changed(desk, **nothing)
    run_to_end()
    ledger.grab()
    assert ledger._areas.n_layer == 0


def test_shows_the_run_that_is_shown_in_the_view(
    ledger: EnergyLedger, desk: Any, run_to_end: Callable[..., Any]
) -> None:
    a = run_to_end()
    run_to_end({"jacobian": "M1"}, "B")
    assert ledger._run_name.text() == "run B"
    desk.runs.show_run(a)
    assert ledger._run_name.text() == "run A"
    ledger.energy.pick(0.4)
    assert desk.cursor.t == pytest.approx(0.4)


def test_zoom_takes_the_balance_along(ledger: EnergyLedger, run_to_end: Callable[..., Any]) -> None:
    run_to_end()
    ledger.energy.set_zoomed(True)
    ledger.energy.getViewBox().setRange(xRange=(0.2, 0.4), padding=0.0)
    assert ledger.balance.view_range[0] == pytest.approx((0.2, 0.4))
    ledger.energy.reset_view()
    assert ledger.balance.view_range[0] == pytest.approx((0.0, 1.0))


def test_table_has_units(ledger: EnergyLedger, run_to_end: Callable[..., Any]) -> None:
    run_to_end()
    head = ledger.energy.table_text().splitlines()[0].split(",")
    assert head[0] == "time [s]"
    assert "energy.damper_loss [J]" in head


def test_constraint_errors_on_a_log_axis(desk: Any, qtbot: QtBot, run_to_end: Callable[..., Any]) -> None:
    plot = ConstraintErrorPlot(desk.runs, desk.cursor)
    qtbot.addWidget(plot)
    plot.resize(400, 300)
    plot.show()
    whole = desk.scripted.script

    def script(variant: str) -> Any:
        run = whole(variant)
        run.channels["constraint.position"][:50] = 0.0
        run.channels["constraint.velocity"][20] = np.nan
        return run

    desk.scripted.script = script
    entry = run_to_end()
    position = plot._curves[0].visible_values()
    assert position[0] == np.log10(FLOOR)
    assert position[-1] == pytest.approx(np.log10(entry.runner.script.channels["constraint.position"][-1]))
    assert np.isnan(plot._curves[1].visible_values()[20])
    plot.grab()
    assert plot.plot.table_text().splitlines()[0] == "time [s],constraint.position [],constraint.velocity []"
