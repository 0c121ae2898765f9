"""Time of the accelerations of an open chain by both eliminations, beside other programs on the same chain."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from contextlib import ExitStack

import numpy as np

from linkwright.bench.base import BenchRow
from linkwright.bench.peer import Peer
from linkwright.engines.tree_measure import (
    COUNTED_BODIES,
    Contender,
    Times,
    operations_per_body,
)
from linkwright.errors import LinkwrightError
from linkwright.made_samples import ChainJoint, chain

SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
JOINTS: tuple[ChainJoint, ...] = ("spherical", "revolute")
SOLVERS = ("ltdl", "sweep")
ROUNDS = 10
SLICE_BODIES = 50_000
"""Bodies that one slice evaluates, all repetitions together; about 5 ms."""
PEERS = {
    "pinocchio": ("pinocchio", "linkwright.bench.pinocchio_peer"),
    "mujoco": ("mujoco", "linkwright.bench.mujoco_peer"),
}
"""Peers by name: the package that must be there, and the module that runs them."""
LARGEST_PEER = 100
"""Longest chain that the peers are asked for: their matrices grow with the square of it."""
FIT_FROM = 10
"""Shortest chain of the straight-line fit."""


def rows(
    peers: bool, joints: Sequence[ChainJoint] = JOINTS, sizes: Sequence[int] = SIZES, rounds: int = ROUNDS
) -> Iterator[BenchRow]:
    """Measure all chains.

    For every chain and elimination: time of all accelerations per body, with a peer in turn where it is installed.
    For every chain: T1/T2 of the eliminations, for the evaluation and for the solve alone, and the share of the solve
    in a whole step of Stoermer. For every series: the line fitted to the time of a step, and counted operations.
    """
    found = {name for name, (package, _) in PEERS.items() if importlib.util.find_spec(package) is not None}
    for joint in joints:
        case = f"chain-{joint}"
        steps: dict[str, list[float]] = {solver: [] for solver in SOLVERS}
        for n in sizes:
            asked = sorted(found) if peers and n <= LARGEST_PEER else []
            times, theirs, notes = measure(joint, n, asked, rounds)
            yield from _size_rows(case, n, times, theirs, notes)
            for solver in SOLVERS:
                steps[solver].append(times[solver].step)
        yield from _series_rows(case, joint, sizes, steps)


def measure(
    joint: ChainJoint, n: int, peers: Sequence[str] = (), rounds: int = ROUNDS
) -> tuple[dict[str, Times], dict[str, float], dict[str, str]]:
    """Time one chain by both eliminations and some peers, in turn; the least times count.

    Returns
    -------
    times : dict
        By elimination [s].
    theirs : dict
        Time of an evaluation by peer [s].
    notes : dict
        By peer, how far its accelerations are from the own ones.
    """
    contenders = {solver: Contender(chain(n, joint), solver) for solver in SOLVERS}
    best = {solver: np.full(3, np.inf) for solver in SOLVERS}
    theirs: dict[str, float] = {}
    notes: dict[str, str] = {}
    repeats = max(5, SLICE_BODIES // n)
    for contender in contenders.values():
        contender.timed(2)  # compiled now, not while the time is taken
    with ExitStack() as stack:
        running = {name: stack.enter_context(Peer(PEERS[name][1], joint, n)) for name in peers}
        own = contenders["ltdl"].accelerations()
        for name in list(running):
            try:
                there = np.array(running[name].ask("accelerations")["accelerations"])
            except LinkwrightError:
                notes[name] = f"{name} does not run this chain"
                del running[name]
                continue
            gap = float(np.abs(there - own).max() / np.abs(own).max())
            notes[name] = f"accelerations of {name} {'equal' if gap < 1e-8 else 'NOT EQUAL'}: {gap:.0e}"
        for _ in range(rounds):
            for solver, contender in contenders.items():
                t = contender.timed(repeats)
                best[solver] = np.minimum(best[solver], [t.evaluation, t.solve, t.step])
            for name, peer in running.items():
                seconds = float(peer.ask()["seconds"])
                theirs[name] = min(theirs.get(name, np.inf), seconds)
    times = {solver: Times(*(float(x) for x in best[solver])) for solver in SOLVERS}
    return times, theirs, notes


def _size_rows(
    case: str, n: int, times: dict[str, Times], theirs: dict[str, float], notes: dict[str, str]
) -> Iterator[BenchRow]:
    for solver in SOLVERS:
        value = times[solver].evaluation / n * 1e9
        if not notes:
            yield BenchRow(case, n, solver, "ns/body", value)
        for name, note in notes.items():
            if name in theirs:
                yield BenchRow(case, n, solver, "ns/body", value, name, theirs[name] / n * 1e9, note)
            else:
                yield BenchRow(case, n, solver, "ns/body", value, note=note)
    t1, t2 = times["sweep"], times["ltdl"]
    yield BenchRow(case, n, "T1/T2", "evaluation", t1.evaluation / t2.evaluation)
    yield BenchRow(case, n, "T1/T2", "solve", t1.solve / t2.solve)
    for solver in SOLVERS:
        t = times[solver]
        note = f"a step of Stoermer takes {t.step * 1e6:.3g} us"
        yield BenchRow(case, n, solver, "solve/step", t.solve / t.step, note=note)


def _series_rows(
    case: str, joint: ChainJoint, sizes: Sequence[int], steps: dict[str, list[float]]
) -> Iterator[BenchRow]:
    """Line of the time of a step over the number of bodies, and counted operations."""
    chosen = [k for k, n in enumerate(sizes) if n >= FIT_FROM]
    for solver in SOLVERS:
        if len(chosen) >= 3:
            slope, start, fit = fitted([sizes[k] for k in chosen], [steps[solver][k] for k in chosen])
            span = f"{sizes[chosen[0]]}..{sizes[chosen[-1]]}"
            note = f"step of Stoermer: {start * 1e6:.3g} us + N * {slope * 1e9:.4g} ns, R^2 = {fit:.6f}"
            yield BenchRow(case, span, solver, "ns/body", slope * 1e9, note=note)
        short, long = (chain(n, joint) for n in COUNTED_BODIES)
        parts = operations_per_body(short, long, solver)
        total = sum(sum(part.values()) for part in parts.values())
        note = "; ".join(
            f"{part}: {', '.join(f'{count} {kind}' for kind, count in kinds.items())}"
            for part, kinds in parts.items()
        )
        yield BenchRow(case, "per body", solver, "operations", total, note=note)


def fitted(sizes: Sequence[int], times: Sequence[float]) -> tuple[float, float, float]:
    """Slope, start and R^2 of the straight line of least squares through times over sizes."""
    x, y = np.array(sizes, float), np.array(times)
    slope, start = np.polyfit(x, y, 1)
    rest = y - (slope * x + start)
    r2 = 1.0 - float(rest @ rest) / float(np.sum((y - y.mean()) ** 2))
    return float(slope), float(start), r2
