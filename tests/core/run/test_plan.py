"""What a run will do: its steps, its frames, and which settings are refused with which words."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkwright as lw
from linkwright.document.settings import NewmarkOptions, Settings
from linkwright.errors import OptionError
from linkwright.run.plan import engine_names, engine_options, step_plan, with_parameter, with_settings


@pytest.mark.parametrize(
    ("t_end", "h", "n_full", "h_last"),
    [
        (1.0, 0.01, 100, 0.0),
        (0.3, 0.1, 3, 0.0),  # 0.3 / 0.1 is just below 3 in floating point
        (1.0, 1 / 3, 3, 0.0),
        (1.0, 0.3, 3, 0.1),
        (0.015, 0.01, 1, 0.005),
        (5.0, 1e-6, 5_000_000, 0.0),
    ],
)
def test_steps_end_on_time(t_end: float, h: float, n_full: int, h_last: float) -> None:
    plan = step_plan(Settings(t_end=t_end, h=h))
    assert plan.n_full == n_full
    assert plan.h_last == pytest.approx(h_last, abs=1e-12)
    assert plan.n_step == n_full + (h_last > 0)


@given(st.floats(1e-6, 1e4), st.integers(1, 100_000), st.floats(0.0, 1.0))
def test_steps_end_on_time_for_any_step(h: float, n: int, part: float) -> None:
    t_end = (n + part) * h
    plan = step_plan(Settings(t_end=t_end, h=h))
    assert plan.n_full * h + plan.h_last == pytest.approx(t_end, rel=1e-6)
    assert 0.0 <= plan.h_last < h * (1 + 1e-6)


def test_frames_at_the_output_step() -> None:
    assert step_plan(Settings(t_end=1.0, h=0.01, output_step=0.05)).stride == 5
    with pytest.raises(OptionError, match=r"Try 0\.02 s"):
        step_plan(Settings(t_end=1.0, h=0.01, output_step=0.025))


@pytest.mark.parametrize(
    ("engine", "changes", "words"),
    [
        ("newmrk", {}, "Did you mean 'newmark'"),
        (None, {"jacobien": "M1"}, "Did you mean 'jacobian'"),
        (None, {"jacobian": "M4"}, "jacobian"),
        (None, {"max_iterations": 2.5}, "max_iterations"),
        (None, {"beta": "0.25"}, "beta"),
        (None, {"beta": math.nan}, "beta"),
        (None, {"h": 0.0}, "h"),
        (None, {"t_end": -1.0}, "t_end"),
        (None, {"h": 2.0, "t_end": 1.0}, "longer than the end time"),
    ],
)
def test_settings_that_cannot_be_are_refused(engine: str | None, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        with_settings(lw.load("pendulum"), engine, changes)


def test_settings_of_a_run_leave_the_model_alone() -> None:
    model = lw.load("slider-crank-sda")
    before = model.settings
    changed = with_settings(model, "newmark", {"jacobian": "M1", "h": 0.02, "t_end": 4.0})
    assert changed.settings.newmark.jacobian == "M1"
    assert (changed.settings.h, changed.settings.t_end) == (0.02, 4.0)
    assert changed.settings.newmark.tolerance_abs == before.newmark.tolerance_abs
    assert model.settings is before
    assert with_settings(model, None, {}) is model


def test_end_time_and_step_change_together() -> None:
    """Neither alone is allowed with the other's old value: h = 2 s is longer than the old end time."""
    changed = with_settings(lw.load("slider-crank-sda"), None, {"h": 2.0, "t_end": 10.0})
    assert (changed.settings.h, changed.settings.t_end) == (2.0, 10.0)


def test_parameters() -> None:
    model = lw.load("slider-crank-sda")
    assert {p.id: p.value for p in with_parameter(model, "k", 1e5).parameters}["k"] == 1e5
    with pytest.raises(OptionError, match="parameter"):
        with_parameter(model, "kk", 1.0)
    with pytest.raises(OptionError, match="finite"):
        with_parameter(model, "k", math.nan)


def test_engines_that_exist_are_listed_with_their_options() -> None:
    assert "newmark" in engine_names()
    assert engine_options("newmark") is NewmarkOptions
    with pytest.raises(OptionError):
        engine_options("none")
