"""The recorder: blocks that never move, readers that see whole chunks at any time."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler.compile import compile_mechanism
from linkwright.engines.state import STEP_COLUMNS, Frame, RowBlock
from linkwright.run import recorder as module
from linkwright.run.recorder import FIRST_STEPS, Recorder

START, COUNT = STEP_COLUMNS.index("residual_start"), STEP_COLUMNS.index("residual_count")


def empty(stride: int = 1, max_history: int = 10) -> Recorder:
    return Recorder(compile_mechanism(lw.load("double-pendulum")), stride, max_history)


def write(recorder: Recorder, first: int, n: int, stride: int = 1) -> None:
    """Write n steps as an engine does: step k has t = k, k % 4 + 1 residuals of value k, and so its frame."""
    k = first
    while k < first + n:
        block = recorder.room()
        row, res, frame = (int(c) for c in block.count)
        length = k % 4 + 1
        block.steps[row] = k
        block.steps[row, START], block.steps[row, COUNT] = res, length
        block.residuals[res : res + length] = k
        if k % stride == 0:
            block.frame_t[frame] = k
            block.poses[frame], block.twists[frame], block.channels[frame] = k, k, k
            frame += 1
        block.count[:] = row + 1, res + length, frame
        k += 1


def test_nothing_is_seen_before_it_is_published() -> None:
    recorder = empty()
    assert recorder.counts() == (0, 0, 0)
    assert recorder.latest_frame() is None
    assert recorder.steps().shape == (0, len(STEP_COLUMNS))
    assert recorder.poses().shape == (0, 2, 7)
    write(recorder, 0, 5)
    assert recorder.counts() == (0, 0, 0)
    assert len(recorder.steps()) == 0
    recorder.publish()
    assert recorder.counts() == (5, 1 + 2 + 3 + 4 + 1, 5)


@pytest.mark.parametrize("stride", [1, 7])
def test_rows_run_on_over_the_ends_of_blocks(stride: int) -> None:
    n = 4 * FIRST_STEPS + 11
    recorder = empty(stride)
    write(recorder, 0, n, stride)
    recorder.publish()
    k = np.arange(n)
    frames = k[k % stride == 0]
    np.testing.assert_array_equal(recorder.steps()[:, 0], k)
    np.testing.assert_array_equal(recorder.frame_t(), frames)
    np.testing.assert_array_equal(recorder.poses()[:, 1, 6], frames)
    np.testing.assert_array_equal(recorder.twists()[:, 0, 0], frames)
    np.testing.assert_array_equal(recorder.channel("energy.total"), frames)
    np.testing.assert_array_equal(recorder.channels()[:, -1], frames)
    for start, stop in (
        (0, 3),
        (FIRST_STEPS - 2, FIRST_STEPS + 2),
        (FIRST_STEPS, 3 * FIRST_STEPS + 5),
        (n - 1, n),
    ):
        np.testing.assert_array_equal(recorder.steps(start, stop)[:, 0], k[start:stop])
    assert recorder.steps(n, n + 5).shape == (0, len(STEP_COLUMNS))
    assert recorder.latest_frame() is not None
    assert recorder.latest_frame()[0] == frames[-1]  # type: ignore[index]  # just seen not to be None


def test_residual_histories_belong_to_their_steps() -> None:
    n = 3 * FIRST_STEPS
    recorder = empty()
    write(recorder, 0, n)
    recorder.publish()
    packed, offsets = recorder.packed_residuals()
    for k in (0, 1, FIRST_STEPS - 1, FIRST_STEPS, FIRST_STEPS + 1, n - 1):
        expected = np.full(k % 4 + 1, float(k))
        np.testing.assert_array_equal(recorder.residuals_of(k), expected)
        np.testing.assert_array_equal(packed[offsets[k] : offsets[k + 1]], expected)
    with pytest.raises(IndexError):
        recorder.residuals_of(n)


def test_long_histories_begin_a_new_block_in_time() -> None:
    recorder = empty(max_history=1001)
    for _ in range(40):
        block = recorder.room()
        row, res, frame = (int(c) for c in block.count)
        assert len(block.residuals) - res >= 1001
        block.steps[row, START], block.steps[row, COUNT] = res, 1001
        block.count[:] = row + 1, res + 1001, frame
    recorder.publish()
    assert recorder.counts()[:2] == (40, 40 * 1001)
    assert len(recorder.residuals_of(39)) == 1001


def test_a_slice_stays_valid_and_cannot_be_written() -> None:
    recorder = empty()
    write(recorder, 0, 100)
    recorder.publish()
    early = recorder.poses(0, 100)
    kept = early.copy()
    write(recorder, 100, 5 * FIRST_STEPS)
    recorder.publish()
    np.testing.assert_array_equal(early, kept)
    with pytest.raises(ValueError, match="read-only"):
        early[0] = 1.0


def test_blocks_stay_small_for_large_mechanisms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_BLOCK_BYTES", 200_000)
    recorder = empty()
    write(recorder, 0, 5000)
    sizes = []
    real = RowBlock.allocate

    def noted(*args: int, **kwargs: int) -> RowBlock:
        block = real(*args, **kwargs)
        sizes.append(
            sum(a.nbytes for a in (block.steps, block.residuals, block.poses, block.twists, block.channels))
        )
        return block

    monkeypatch.setattr(RowBlock, "allocate", noted)
    write(recorder, 5000, 5000)
    recorder.publish()
    assert sizes
    assert max(sizes) < 1.3 * 200_000
    np.testing.assert_array_equal(recorder.steps()[:, 0], np.arange(10_000))


def test_a_reader_never_meets_a_half_written_row() -> None:
    recorder = empty()
    total, faults = 30_000, []

    def read() -> None:
        seen = 0
        while seen < total:
            n = recorder.counts()[0]
            rows = recorder.steps(seen, n)[:, 0]
            if not np.array_equal(rows, np.arange(seen, n)):
                faults.append(seen)
            if n and not np.array_equal(recorder.residuals_of(n - 1), np.full((n - 1) % 4 + 1, float(n - 1))):
                faults.append(n)
            seen = n

    reader = threading.Thread(target=read)
    reader.start()
    for first in range(0, total, 100):
        write(recorder, first, 100)
        recorder.publish()
    reader.join(60)
    assert not reader.is_alive()
    assert faults == []


def test_single_frames() -> None:
    recorder = empty()
    frame = Frame.empty(2, len(recorder.channel_names))
    frame.t = 0.25
    frame.poses[1, 0] = 3.0
    recorder.append_frame(frame)
    recorder.publish()
    latest = recorder.latest_frame()
    assert latest is not None
    assert latest[0] == 0.25
    assert latest[1][1, 0] == 3.0
