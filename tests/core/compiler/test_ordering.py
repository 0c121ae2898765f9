"""Order of the unknowns: every row behind its bodies, everything inside the envelope, narrow for chains."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.validation.mechanisms import slider_crank, tensegrity
from tests.validation.random_models import make_model, random_model

from linkwright.compiler.compile import compile_mechanism
from linkwright.compiler.model import CompiledModel
from linkwright.compiler.ordering import GROUP, envelope_size, make_pattern
from linkwright.kernels import layout
from linkwright.kernels.layout import BAND_FIRST, BAND_STOP, PRIM_I, PRIM_J, SDA_I, SDA_J

BODY = [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]


def check(model: CompiledModel, kept: np.ndarray) -> None:
    pattern = make_pattern(model.tables, model.row_prim, kept)
    n = pattern.offset.size
    assert n % GROUP == 0
    first, stop = (pattern.band[:, column].astype(np.int64) for column in (BAND_FIRST, BAND_STOP))
    used = np.concatenate(
        [
            *(adr + np.arange(6) for adr in pattern.body_adr[:-1]),
            pattern.row_adr[pattern.row_adr >= 0],
            pattern.idle,
        ]
    )
    assert sorted(used.tolist()) == list(range(n))
    assert pattern.body_adr[-1] == -1
    assert np.array_equal(pattern.row_adr >= 0, kept)
    for row in np.flatnonzero(kept):
        ends = model.tables.prim_int[model.row_prim[row], [PRIM_I, PRIM_J]]
        for b in ends[ends < model.n_body]:
            assert pattern.row_adr[row] > pattern.body_adr[b] + 5
            assert first[pattern.row_adr[row]] <= pattern.body_adr[b]
            assert stop[pattern.body_adr[b]] > pattern.row_adr[row]
    pairs = [*model.tables.prim_int[:, [PRIM_I, PRIM_J]], *model.tables.sda_int[:, [SDA_I, SDA_J]]]
    for i, j in pairs:
        if max(i, j) < model.n_body:
            for a, b in ((i, j), (j, i)):
                block = pattern.body_adr[a] + np.arange(6)
                assert (first[block] <= pattern.body_adr[b]).all()
                assert (stop[block] >= pattern.body_adr[b] + 6).all()
    # fill-in stays inside: both ends of the rows grow with the row, and the pattern is symmetric
    assert (np.diff(stop) >= 0).all()
    assert (first <= np.arange(n)).all()
    for r in range(n):
        assert (stop[first[r] : r + 1] > r).all()
    places = np.concatenate([pattern.offset[r] + np.arange(first[r], stop[r]) for r in range(n)])
    assert np.array_equal(places, np.arange(envelope_size(pattern)))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6), data=st.data())
def test_random_models(seed: int, data: st.DataObject) -> None:
    model = random_model(seed)
    kept = data.draw(st.lists(st.booleans(), min_size=model.n_row, max_size=model.n_row))
    check(model, np.array(kept))


@pytest.mark.parametrize("model", [compile_mechanism(slider_crank()), compile_mechanism(tensegrity())])
def test_study_mechanisms(model: CompiledModel) -> None:
    check(model, np.ones(model.n_row, bool))


def test_no_bodies() -> None:
    model = make_model([], [], [])
    pattern = make_pattern(model.tables, model.row_prim, np.zeros(0, bool))
    assert pattern.offset.size == 0


def chain(n: int) -> CompiledModel:
    # drawn in an order that is bad on purpose: even bodies first
    order = [*range(0, n, 2), *range(1, n, 2)]
    real = [0.0] * 10
    prims = [(layout.POINT, order[k], order[k + 1], real) for k in range(n - 1)]
    return make_model([BODY] * n, [(layout.POINT, n, order[0], real), *prims], [])


def test_envelope_of_a_chain_grows_linearly() -> None:
    sizes = []
    for n in (50, 100, 200):
        model = chain(n)
        sizes.append(envelope_size(make_pattern(model.tables, model.row_prim, np.ones(model.n_row, bool))))
    assert (sizes[2] - sizes[1]) / (sizes[1] - sizes[0]) == pytest.approx(2.0, rel=0.02)
    # 9 unknowns per link, each row reaches over a link and its neighbour
    assert sizes[2] < 200 * 9 * 40
