"""Closed loops on the tree engine against the implicit engine in absolute coordinates, and against statics."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.validation.mechanisms import slider_crank
from tests.validation.tree_runs import ENGINE, TreeRun, given, run, vec3

from linkwright.compiler.compile import compile_mechanism
from linkwright.document.bodies import Body, Marker
from linkwright.document.mechanism import Mechanism
from linkwright.document.settings import NewmarkOptions, TreeOptions
from linkwright.elements.joints import Revolute, Spherical, Universal
from linkwright.elements.registry import JointType
from linkwright.engines.base import start_frame
from linkwright.engines.newmark import NewmarkEngine
from linkwright.engines.state import RowBlock, State
from linkwright.engines.tree_reactions import joint_reactions
from linkwright.kernels.layout import POINT, Floats

H, N = 1e-4, 2000


def newmark(mechanism: Mechanism, h: float = H, n: int = N) -> tuple[RowBlock, State]:
    engine, model = NewmarkEngine(), compile_mechanism(mechanism)
    work = engine.prepare(model, NewmarkOptions(), h)
    state, _ = engine.initialise(work, start_frame(model))
    rows = RowBlock.allocate(model.n_body, len(model.channel_names), n)
    assert engine.advance(work, state, rows, n) == n
    return rows, state


def closed(result: TreeRun) -> None:
    """All loop rows hold at position, velocity and acceleration level after every step."""
    assert result.steps[:, 7].max() < 1e-10
    assert result.steps[:, 8].max() < 1e-8
    assert result.steps[:, 9].max() < 1e-6


@pytest.mark.parametrize("redundant", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {"integrator": "dormand-prince", "tolerance_abs": 1e-10, "tolerance_rel": 1e-10},
        {"integrator": "rk4"},
        {"integrator": "rk4", "solver": "sweep"},
        {"integrator": "stoermer"},
        {"integrator": "rk4", "loops": "baumgarte"},
    ],
    ids=lambda options: "-".join(str(v) for v in options.values()),
)
def test_slider_crank(redundant: bool, options: dict[str, Any]) -> None:
    # Newmark with h = 1e-4 errs by about 3e-8 m here, as halving its step shows
    mechanism = slider_crank(k=2e4, c=50.0, fa=10.0, redundant=redundant)
    expected, _ = newmark(mechanism)
    result = run(mechanism, N * H, H, **options)
    assert np.abs(result.poses[1:] - expected.poses).max() < 1e-7
    total = result.channel("energy.total")[1:]
    assert np.abs(total - expected.channels[:, 3]).max() < 1e-6 * np.abs(total).max()
    assert np.abs(result.channel("energy.balance_error")).max() < 1e-6
    closed(result)


def test_accuracy_with_closed_loops() -> None:
    # positions and rates are projected after every step; the order of the methods stays
    mechanism = slider_crank(k=2e4, c=50.0)
    exact = run(mechanism, 0.2, 0.02, tolerance_abs=1e-13, tolerance_rel=1e-13).poses[-1]

    def error(integrator: str, n: int) -> float:
        return float(np.abs(run(mechanism, 0.2, 0.2 / n, integrator=integrator).poses[-1] - exact).max())

    assert abs(math.log2(error("rk4", 100) / error("rk4", 200)) - 4.0) < 0.3
    # order 6: from here to the rounding of the projection, 1e-12, is one doubling
    assert error("stoermer", 50) < 2e-10
    assert error("stoermer", 100) < 1e-11


def loop_of(kinds: tuple[type[JointType], ...]) -> Mechanism:
    """Spatial closed chain of four bars: corners of a skew quadrangle, one joint of the given type at each."""
    corners = np.array([[0.0, 0.0, 0.0], [0.2, 0.1, 1.0], [1.5, 0.6, 1.2], [1.4, 0.0, 0.0]])
    bodies, markers = (
        [],
        [Marker(id="g_0", position=vec3(corners[0])), Marker(id="g_3", position=vec3(corners[3]))],
    )
    for k in range(3):
        middle = 0.5 * (corners[k] + corners[k + 1])
        bodies.append(
            Body(
                id=f"bar_{k}",
                position=vec3(middle),
                angular_velocity=(0.0, 1.0, 0.0) if k == 0 else (0.0, 0.0, 0.0),
                mass=given(1.0 + k, (0.1, 0.12, 0.08)),
            )
        )
        markers.append(Marker(id=f"a_{k}", body=f"bar_{k}", position=vec3(corners[k] - middle)))
        markers.append(Marker(id=f"b_{k}", body=f"bar_{k}", position=vec3(corners[k + 1] - middle)))
    ends = [("a_0", "g_0"), ("a_1", "b_0"), ("a_2", "b_1"), ("b_2", "g_3")]
    joints = tuple(
        kind(id=f"j_{k}", type=kind.model_fields["type"].default, i=i, j=j)
        for k, (kind, (i, j)) in enumerate(zip(kinds, ends, strict=True))
    )
    return Mechanism(bodies=tuple(bodies), markers=tuple(markers), joints=joints)


@pytest.mark.parametrize(
    "kinds",
    [
        (Universal, Spherical, Spherical, Universal),
        (Spherical, Spherical, Spherical, Spherical),
        (Revolute, Universal, Spherical, Revolute),
    ],
)
def test_spatial_loops(kinds: tuple[type[JointType], ...]) -> None:
    mechanism = loop_of(kinds)
    expected, _ = newmark(mechanism, n=1000)
    result = run(mechanism, 1000 * H, H, tolerance_abs=1e-11, tolerance_rel=1e-11)
    assert np.abs(result.poses[1:] - expected.poses).max() < 1e-6
    closed(result)


def test_reactions_with_and_without_loops() -> None:
    # multipliers of the rows r_i - r_j are the forces of the implicit engine with the opposite sign
    mechanism = slider_crank(k=2e4, c=50.0)
    n = 200
    _, state = newmark(mechanism, 1e-5, n)
    model = compile_mechanism(mechanism)
    result = run(mechanism, n * 1e-5, 1e-5, integrator="rk4")
    react = joint_reactions(result.work, result.state)
    compared = 0
    for k, link in enumerate(model.joints):
        first = model.tables.prim_int[model.row_prim[link.first]]
        if first[0] == POINT:
            force = -state.lam[link.first : link.first + 3]
            assert np.abs(react[k, :3] - force).max() < 1e-4 * np.abs(force).max()
            compared += 1
    assert compared >= 2


def test_reactions_carry_the_weight() -> None:
    # a closed loop at rest in statics: what the ground gives equals the weight, also in the cut joint
    mechanism = loop_of((Universal, Spherical, Spherical, Universal))
    still = mechanism.replaced(
        bodies=tuple(b.replaced(angular_velocity=(0.0, 0.0, 0.0)) for b in mechanism.bodies)
    )
    model = compile_mechanism(still)
    work = ENGINE.prepare(model, TreeOptions(integrator="rk4"), 1e-4)
    state, _ = ENGINE.initialise(work, start_frame(model))
    react = joint_reactions(work, state)
    accelerations = centre_accelerations(model.n_body, work, state)
    masses = model.tables.body[:, 0]
    momentum = (masses[:, None] * accelerations).sum(axis=0)
    weight = masses.sum() * model.tables.gravity
    assert np.abs(react[0, :3] + react[3, :3] + weight - momentum).max() < 1e-6


def centre_accelerations(n_body: int, work: Any, state: State) -> Floats:
    """Accelerations of the mass centres from rest, by the velocities a microsecond later."""
    model, h = work.model, 1e-6
    ENGINE.set_step(work, h)
    rows = RowBlock.allocate(n_body, len(model.channel_names), 1)
    assert ENGINE.advance(work, state, rows, 1) == 1
    return np.asarray(rows.twists[0, :, :3] / h)
