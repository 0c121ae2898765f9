"""The pyramid against a brute-force look at all samples: no peak and no gap may be lost."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from linkwright_app.plots.min_max_pyramid import MAX_POINTS, MinMaxPyramid


def filled(y: NDArray[np.float64], chunks: list[int] | None = None) -> MinMaxPyramid:
    pyramid = MinMaxPyramid()
    t = np.arange(len(y), dtype=float)
    start = 0
    for n in chunks or [len(y)]:
        pyramid.append(t[start : start + n], y[start : start + n])
        start += n
    pyramid.append(t[start:], y[start:])
    return pyramid


samples = st.integers(1, 900).flatmap(
    lambda n: arrays(
        np.float64,
        n,
        elements=st.one_of(
            st.floats(-1e30, 1e30),
            st.sampled_from([np.nan, np.inf, -np.inf, 0.0, 1e27]),
        ),
    )
)


@given(
    y=samples,
    chunks=st.lists(st.integers(1, 70), max_size=30),
    ends=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    max_points=st.integers(12, 120),
)
@settings(max_examples=300, deadline=None)
def test_view_keeps_every_extreme_and_every_gap(
    y: NDArray[np.float64], chunks: list[int], ends: tuple[float, float], max_points: int
) -> None:
    pyramid = filled(y, chunks)
    t_from, t_to = sorted(e * len(y) for e in ends)
    t_seen, y_seen = pyramid.view(t_from, t_to, max_points)

    # Only true samples, in order of time; NaN only where a sample is not finite or at the end of a block that has one.
    assert np.all(np.diff(t_seen) >= 0)
    finite = np.isfinite(y_seen)
    index = t_seen[finite].astype(int)
    assert np.array_equal(y[index], y_seen[finite])

    inside = np.arange(max(0, int(np.ceil(t_from))), min(len(y), int(np.floor(t_to)) + 1))
    values = y[inside]
    if np.isfinite(values).any():
        assert y_seen[finite].max() >= values[np.isfinite(values)].max()
        assert y_seen[finite].min() <= values[np.isfinite(values)].min()
    # Brute force: each sample lies between the lowest and highest point shown within one block of it.
    block = 8
    while 2 * (len(inside) / block + 2) > max_points and block < len(y):
        block *= 4
    if not np.isfinite(values).all():
        assert not finite.all()
    for i in inside:
        if np.isfinite(y[i]):
            near = np.abs(t_seen - i) <= 4 * 4 * block
            shown = y_seen[near & finite]
            assert shown.min() <= y[i] <= shown.max()


@given(y=samples, chunks=st.lists(st.integers(1, 40), max_size=40), max_points=st.integers(12, 60))
@settings(max_examples=150, deadline=None)
def test_growing_in_pieces_gives_the_same_as_all_at_once(
    y: NDArray[np.float64], chunks: list[int], max_points: int
) -> None:
    for a, b in zip(
        filled(y, chunks).view(max_points=max_points), filled(y).view(max_points=max_points), strict=True
    ):
        assert np.array_equal(a, b, equal_nan=True)


@given(y=samples, max_points=st.integers(12, 60), ends=st.tuples(st.floats(0, 1), st.floats(0, 1)))
@settings(max_examples=150, deadline=None)
def test_outline_lies_on_the_curve_and_keeps_the_highest_peak(
    y: NDArray[np.float64], max_points: int, ends: tuple[float, float]
) -> None:
    t_from, t_to = sorted(e * len(y) for e in ends)
    t_seen, y_seen = filled(y).peaks(t_from, t_to, max_points)
    assert np.array_equal(y[t_seen.astype(int)], y_seen)
    assert np.all(np.diff(t_seen) > 0)
    inside = y[max(0, int(np.ceil(t_from))) : min(len(y), int(np.floor(t_to)) + 1)]
    if np.isfinite(inside).any():
        assert y_seen.max() >= inside[np.isfinite(inside)].max()


def test_single_spike_in_a_million_is_drawn_at_its_time() -> None:
    y = np.zeros(1_000_000)
    y[654_321] = 3.0
    t_seen, y_seen = filled(y).view()
    assert len(t_seen) <= MAX_POINTS
    assert t_seen[np.argmax(y_seen)] == 654_321.0
    assert y_seen.max() == 3.0


def test_one_missing_sample_in_a_million_breaks_the_line() -> None:
    y = np.ones(1_000_000)
    y[123_456] = np.nan
    _, y_seen = filled(y).view()
    assert np.count_nonzero(np.isnan(y_seen)) == 1


def test_all_missing_draws_nothing_and_has_no_range() -> None:
    pyramid = filled(np.full(10_000, np.nan))
    _, y_seen = pyramid.view()
    assert np.isnan(y_seen).all()
    assert pyramid.range() is None
    assert MinMaxPyramid().range() is None


def test_few_samples_come_back_as_they_are() -> None:
    y = np.sin(np.arange(MAX_POINTS, dtype=float))
    t_seen, y_seen = filled(y).view()
    assert np.array_equal(y_seen, y)
    assert np.array_equal(t_seen, np.arange(MAX_POINTS))


def test_points_stay_few_at_every_zoom() -> None:
    pyramid = filled(np.sin(np.arange(300_000) * 0.01))
    for width in (10.0, 1e3, 1e4, 1e5, 3e5):
        t_seen, _ = pyramid.view(1000.0, 1000.0 + width)
        assert len(t_seen) <= MAX_POINTS


def test_lengths_must_agree() -> None:
    with pytest.raises(ValueError, match="3 times for 2 values"):
        MinMaxPyramid().append(np.zeros(3), np.zeros(2))


def test_view_of_a_long_run_does_not_depend_on_its_length() -> None:
    pyramid = filled(np.sin(np.arange(2_000_000) * 0.001))
    start = time.perf_counter()
    for _ in range(50):
        pyramid.view(0.0, 1.5e6)
    # About 0.1 ms each; a pass over all samples would take some 5 ms.
    assert (time.perf_counter() - start) / 50 < 2e-3
