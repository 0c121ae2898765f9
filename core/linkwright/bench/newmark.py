"""Time of one implicit step, recorded as a normal run records it, beside other programs on the same mechanisms."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import linkwright
from linkwright.bench.base import BenchRow
from linkwright.bench.peer import Peer
from linkwright.compiler.compile import compile_mechanism
from linkwright.document.mechanism import Mechanism
from linkwright.engines.base import engine, start_frame
from linkwright.engines.state import RowBlock
from linkwright.run.plan import with_settings

ROUNDS = 12
STEPS = 400
"""Steps of one slice; about 5 ms."""


@dataclass(frozen=True, slots=True)
class Case:
    """A mechanism to be timed.

    Attributes
    ----------
    sample : str
        Also the id of the case.
    body : str
        Its end position is compared with the peer's.
    h : float
        Step [s].
    t_compare : float
        Time at which the positions are compared [s].
    """

    sample: str
    body: str
    h: float
    t_compare: float


CASES = (
    Case("slider-crank-sda", "slider", 0.01, 1.0),
    Case("slider-crank-sda", "slider", 0.001, 1.0),
    Case("tensegrity", "strut1", 0.01, 0.3),
    Case("tensegrity", "strut1", 0.001, 0.3),
)
STEP_ERRORS = 3.0
"""The programs agree when their positions differ by no more than so many times the own error of the step."""


class Contender:
    """Linkwright on a case, started anew for every slice."""

    def __init__(self, mechanism: Mechanism, h: float) -> None:
        settings = with_settings(mechanism, "newmark", {"h": h}).settings
        self._engine = engine("newmark")
        self._model = compile_mechanism(mechanism)
        self._work = self._engine.prepare(self._model, settings.newmark, h)
        self._rows = RowBlock.allocate(self._model.n_body, len(self._model.channel_names), STEPS)
        self.h = h

    def timed(self) -> float:
        """Processor time of one step of `advance` alone [s]."""
        state, _ = self._engine.initialise(self._work, start_frame(self._model))
        self._rows.count[:] = 0
        began = time.process_time()
        done = self._engine.advance(self._work, state, self._rows, STEPS)
        return (time.process_time() - began) / max(done, 1)

    def position(self, body: str, t: float) -> list[float]:
        """Position of a body at a time [m]."""
        state, _ = self._engine.initialise(self._work, start_frame(self._model))
        n = round(t / self.h)
        rows = RowBlock.allocate(self._model.n_body, len(self._model.channel_names), n)
        self._engine.advance(self._work, state, rows, n)
        place = rows.poses[n - 1, self._model.body_ids.index(body), :3]
        return [float(x) for x in place]


def rows(peers: bool) -> Iterator[BenchRow]:
    """Measure all cases; with `peers`, beside each peer that is installed, in turn within the same run."""
    use_exudyn = peers and importlib.util.find_spec("exudyn") is not None
    for case in CASES:
        own = Contender(linkwright.load(case.sample), case.h)
        own.timed()  # compiled now, not while the time is taken
        if not use_exudyn:
            best = min(own.timed() for _ in range(3 * ROUNDS))
            yield BenchRow(case.sample, f"h={case.h:g}", "spatial", "us/step", best * 1e6)
            continue
        with Peer("linkwright.bench.exudyn_peer", case.sample, case.h, case.t_compare, case.body) as peer:
            yield _beside(case, own, peer)


def step_error(case: Case, own: Contender) -> float:
    """Error of the position at the time of comparison, estimated from a run with a quarter of the step [m]."""
    finer = Contender(linkwright.load(case.sample), case.h / 4)
    here, there = (c.position(case.body, case.t_compare) for c in (own, finer))
    return float(np.linalg.norm(np.subtract(here, there)))


def _beside(case: Case, own: Contender, peer: Peer) -> BenchRow:
    best, theirs, settings = np.inf, np.inf, ""
    for _ in range(ROUNDS):
        best = min(best, own.timed(), own.timed(), own.timed())
        answer = peer.ask()
        if answer["us_per_step"] < theirs:
            theirs, settings = answer["us_per_step"], answer["settings"]
    here, there = own.position(case.body, case.t_compare), _place(peer)
    gap = float(np.linalg.norm(np.subtract(here, there)))
    error = step_error(case, own)
    agree = "equal" if gap <= STEP_ERRORS * error else "NOT EQUAL"
    shown = [", ".join(f"{x:.6f}" for x in place) for place in (here, there)]
    note = (
        f"{settings}; {case.body} at {case.t_compare:g} s: ({shown[0]}) and ({shown[1]}) m, "
        f"{agree} within the step error: {gap:.1e} against {error:.1e} m"
    )
    return BenchRow(case.sample, f"h={case.h:g}", "spatial", "us/step", best * 1e6, "exudyn-3d", theirs, note)


def _place(peer: Peer) -> list[Any]:
    place: list[Any] = peer.ask("position")["position"]
    return place
