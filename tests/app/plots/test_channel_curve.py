"""A growing curve: what reaches the painter, also for values no painter likes."""

from __future__ import annotations

import time

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from linkwright_app.plots import line_style
from linkwright_app.plots.channel_curve import ChannelCurve
from linkwright_app.plots.min_max_pyramid import MAX_POINTS
from linkwright_app.plots.plot_frame import PlotFrame
from linkwright_app.window.tokens import LIGHT


@pytest.fixture
def frame(qtbot: QtBot) -> PlotFrame:
    made = PlotFrame()
    qtbot.addWidget(made)
    made.resize(600, 300)
    made.show()
    qtbot.waitExposed(made)
    return made


def test_draws_what_is_in_view_and_no_more(frame: PlotFrame) -> None:
    curve = ChannelCurve(frame)
    t = np.arange(100_000.0, dtype=np.float64) * np.float64(1e-3)
    curve.append(t, np.sin(t))
    frame.set_home(0.0, 100.0, -1.0, 1.0)
    curve.refresh()
    assert len(curve.drawn[0]) <= MAX_POINTS
    frame.set_home(10.0, 10.5, -1.0, 1.0)
    curve.refresh()
    x, y = curve.drawn
    assert x[0] <= 10.0
    assert x[-1] >= 10.5
    assert len(x) < 510
    assert np.array_equal(y, np.sin(x))


def test_factor_and_offset(frame: PlotFrame) -> None:
    curve = ChannelCurve(frame)
    curve.append(np.array([0.0, 1.0]), np.array([2.0, 4.0]))
    curve.factor, curve.offset = 10.0, 1.0
    frame.set_home(0.0, 1.0, 0.0, 50.0)
    curve.refresh()
    assert curve.drawn[1].tolist() == [21.0, 41.0]
    assert curve.value_at(0.5) == 21.0
    assert np.isnan(curve.value_at(-0.1))


@pytest.mark.parametrize(
    "values",
    [
        [np.nan] * 50,
        [np.inf] * 50,
        [1e27] * 50,
        [1.0, np.nan] * 25,
        [0.0, 1e308, -1e308, np.inf, -np.inf] * 10,
        [5e-324] * 50,
    ],
)
def test_no_value_harms_the_painter(frame: PlotFrame, qtbot: QtBot, values: list[float]) -> None:
    curve = ChannelCurve(frame)
    curve.append(np.arange(50.0), np.array(values))
    frame.set_home(0.0, 50.0, -1.0, 1.0)
    begin = time.perf_counter()
    curve.refresh()
    frame.grab()
    assert time.perf_counter() - begin < 1.0
    _, y = curve.drawn
    assert not np.isinf(y).any()
    assert np.abs(y[np.isfinite(y)]).max(initial=0.0) <= 100.0


def test_a_gap_stays_a_gap(frame: PlotFrame) -> None:
    curve = ChannelCurve(frame)
    y = np.ones(40_000)
    y[20_000] = np.nan
    curve.append(np.arange(40_000.0), y)
    frame.set_home(0.0, 40_000.0, 0.0, 2.0)
    curve.refresh()
    assert np.isnan(curve.drawn[1]).sum() == 1


def test_twenty_long_curves_are_redrawn_quickly(frame: PlotFrame) -> None:
    t = np.arange(100_000.0, dtype=np.float64) * np.float64(1e-3)
    curves = [ChannelCurve(frame) for _ in range(20)]
    for k, curve in enumerate(curves):
        curve.append(t, np.sin(t * (1 + k)) + k)
    frame.set_home(0.0, 100.0, -1.0, 21.0)
    begin = time.perf_counter()
    for curve in curves:
        curve.refresh()
    # Thinning all twenty takes about 5 ms here; a pass over 2e6 samples would take 50.
    assert time.perf_counter() - begin < 0.2
    assert sum(len(curve.drawn[0]) for curve in curves) <= 20 * MAX_POINTS


def test_dense_curves_take_the_plain_pen(frame: PlotFrame) -> None:
    t = np.linspace(0.0, 1.0, 5000)
    frame.set_home(0.0, 1.0, -1.0, 1.0)
    wide = line_style.pen(LIGHT, 1)
    for y, width in ((np.sin(6.0 * t), wide.widthF()), (np.sin(3000.0 * t), 1.0)):
        curve = ChannelCurve(frame)
        curve.set_pen(wide)
        curve.append(t, y)
        curve.refresh()
        assert curve._item.opts["pen"].widthF() == width
        assert curve._item.opts["antialias"] is (width != 1.0)
        assert (curve._item.opts["pen"].dashPattern() == wide.dashPattern()) is (width != 1.0)


def test_a_dense_curve_is_painted_at_once(frame: PlotFrame) -> None:
    t = np.linspace(0.0, 1.0, 100_000)
    curves = [ChannelCurve(frame) for _ in range(4)]
    frame.set_home(0.0, 1.0, -1.0, 1.0)
    for slot, curve in enumerate(curves):
        curve.set_pen(line_style.pen(LIGHT, slot))
        curve.append(t, np.sin(1e5 * (slot + 1) * t))
        curve.refresh()
    begin = time.perf_counter()
    frame.grab()
    # About 15 ms on a free machine; with wide dashed pens it would be seconds.
    assert time.perf_counter() - begin < 0.5
