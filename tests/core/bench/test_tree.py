"""The bench of the tree: what is timed is the right thing; the numbers themselves are never part of a test."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from tests.core.kernels.tree.referee import solve

from linkwright.bench import tree
from linkwright.bench.chain_peer import plain_chain
from linkwright.bench.peer import Peer
from linkwright.bench.tree import PEERS, fitted, rows
from linkwright.engines.tree_measure import Contender, operations_per_body
from linkwright.engines.tree_tables import Freedom, TreeBody
from linkwright.kernels.tree.layout import BALL, TURN
from linkwright.made_samples import LINK, ChainJoint, chain


@pytest.mark.parametrize("joint", ["spherical", "revolute"])
def test_peers_are_told_the_chain_that_is_timed(joint: ChainJoint) -> None:
    # the plain description, solved by the dense referee, has the accelerations of what is timed
    n = 6
    told = plain_chain(joint, n)
    about_origin = told.tensor + told.mass * (
        told.centre @ told.centre * np.eye(3) - np.outer(told.centre, told.centre)
    )
    freedom = Freedom(BALL) if joint == "spherical" else Freedom(TURN, 1)
    bodies = [
        TreeBody(
            k - 1,
            (freedom,),
            np.eye(3),
            np.array([LINK if k else 0.0, 0.0, 0.0]),
            told.mass,
            told.mass * told.centre,
            about_origin,
        )
        for k in range(n)
    ]
    addresses = [(k * told.q.shape[1], k * told.v.shape[1]) for k in range(n)]
    q, v = told.q.ravel(), told.v.ravel()
    expected = solve(
        bodies, addresses, q, v, np.zeros(v.size), np.array([0.0, 0.0, -9.80665]), np.zeros((n, 6))
    ).a
    for solver in ("ltdl", "sweep"):
        found = Contender(chain(n, joint), solver).accelerations()
        assert np.abs(found - expected).max() < 1e-9 * np.abs(expected).max()


def test_rows() -> None:
    measured = list(rows(False, joints=("revolute",), sizes=(1, 10, 20, 40), rounds=1))
    plain = [(r.case, r.size, r.variant, r.unit) for r in measured]
    assert len(set(plain)) == len(plain)
    for n in (1, 10, 20, 40):
        for solver in ("ltdl", "sweep"):
            assert ("chain-revolute", n, solver, "ns/body") in plain
            assert ("chain-revolute", n, solver, "solve/step") in plain
        assert ("chain-revolute", n, "T1/T2", "solve") in plain
    assert ("chain-revolute", "10..40", "ltdl", "ns/body") in plain
    assert ("chain-revolute", "per body", "sweep", "operations") in plain
    assert all(r.value > 0.0 for r in measured)
    for row in measured:
        if row.unit == "solve/step" or (row.unit == "ns/body" and row.size == 40):
            assert row.value < 1e5


def test_peers_that_are_not_there_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "PEERS", {"nobody": ("no_such_package", "no.such.module")})
    measured = list(rows(True, joints=("spherical",), sizes=(2,), rounds=1))
    assert all(row.peer is None for row in measured)


def test_fit() -> None:
    slope, start, r2 = fitted([10, 20, 40], [1.5e-6, 2.5e-6, 4.5e-6])
    assert slope == pytest.approx(1e-7)
    assert start == pytest.approx(5e-7)
    assert r2 == pytest.approx(1.0)
    # points (0, 0), (1, 1), (2, 0): the best line is level, it explains nothing
    assert fitted([0, 1, 2], [0.0, 1.0, 0.0])[2] == pytest.approx(0.0, abs=1e-12)


def test_counted_operations_by_hand() -> None:
    # 3x3 matrix times vector: 9 products, 6 sums; times matrix: 27 and 18; cross product: 6 and 3
    from linkwright.kernels.rotation import cross, product, times
    from linkwright.kernels.tree import operations

    def counted(kernel: object, *sizes: int) -> tuple[int, int]:
        arguments = [tuple(operations.Counted(1.0 + k) for k in range(size)) for size in sizes]
        operations.reset()
        operations.as_python(kernel)(*arguments)  # type: ignore[arg-type]  # a kernel is a function to mypy
        return operations.COUNTS["multiply"], operations.COUNTS["add"]

    assert counted(times, 9, 3) == (9, 6)
    assert counted(product, 9, 9) == (27, 18)
    assert counted(cross, 3, 3) == (6, 3)


@pytest.mark.parametrize("joint", ["spherical", "revolute"])
def test_operations_per_body(joint: ChainJoint) -> None:
    # the count does not depend on the length of the chain it is taken from
    for solver in ("ltdl", "sweep"):
        here = operations_per_body(chain(3, joint), chain(4, joint), solver)
        there = operations_per_body(chain(5, joint), chain(6, joint), solver)
        assert here == there
        # the inertia of a body turned to ground axes alone takes 45 products and 30 sums
        assert here["solve"]["multiply"] > 45
        assert here["solve"]["divide"] == (3 if (joint, solver) == ("spherical", "ltdl") else 1)


@pytest.mark.parametrize("name", sorted(PEERS))
def test_an_installed_peer_answers(name: str) -> None:
    package, module = PEERS[name]
    if importlib.util.find_spec(package) is None:
        # peers are never dependencies; where one is missing its module still has to be there
        assert importlib.util.find_spec(module) is not None
        return
    with Peer(module, "revolute", 3) as peer:
        there = np.array(peer.ask("accelerations")["accelerations"])
        assert float(peer.ask()["seconds"]) > 0.0
    own = Contender(chain(3, "revolute"), "ltdl").accelerations()
    assert np.abs(there - own).max() < 1e-9 * np.abs(own).max()
