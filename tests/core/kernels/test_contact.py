"""Contact geometry: gaps by hand, and rows against finite differences of gaps and of point velocities."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import linkwright.elements  # noqa: F401  every element type must be known
from linkwright.compiler.compile import compile_mechanism
from linkwright.document.mechanism import Mechanism
from linkwright.document.rotation import axis_angle, multiply, normalised
from linkwright.document.settings import LcpOptions
from linkwright.engines.base import start_frame
from linkwright.engines.lcp import LcpEngine, LcpWorkspace
from linkwright.kernels.contact import gap_of
from linkwright.kernels.jit import kernel
from linkwright.kernels.layout import Floats
from linkwright.kernels.lcp import delassus, layout
from linkwright.kernels.lcp.boxes import B_COLUMNS, CLIP_ROWS, CORNERS, box_box
from linkwright.kernels.lcp.motion import place_all
from linkwright.kernels.lcp.problem import FIRST

Array = NDArray[np.float64]
seeds = st.integers(0, 2**32 - 1)

FACE = {
    "id": "face",
    "body": "b",
    "position": (0.1, -0.2, 0.05),
    "orientation": normalised((0.9, 0.1, -0.3, 0.2)),
}
KINDS: dict[str, dict[str, Any]] = {
    "corner-plane": {"i": "corner", "j": "face"},
    "corner-segment": {"i": "corner", "j": "face", "length": 0.7, "depth": 10.0},
    "sphere-plane": {"i": "corner", "j": "face", "radius": 0.15},
    "sphere-sphere": {"i": "corner", "j": "face", "radius": 0.15, "radius_j": 0.2},
    "socket": {
        "type": "sphere-sphere",
        "i": "corner",
        "j": "face",
        "radius": 0.15,
        "radius_j": 0.9,
        "inside": True,
    },
    "sphere-box": {"i": "corner", "j": "face", "radius": 0.15, "size": (0.3, 0.5, 0.4)},
    "box-plane": {"i": "corner", "j": "face", "size": (0.3, 0.2, 0.5)},
    "box-box": {"i": "corner", "j": "face", "size": (0.3, 0.2, 0.5), "size_j": (0.4, 0.6, 0.3)},
    "guide-clearance": {
        "i": "corner",
        "j": "face",
        "length": 0.4,
        "height": 0.2,
        "clearance": 0.01,
        "faces": "xy",
    },
    "pin-clearance": {"i": "corner", "j": "face", "radius": 0.3, "clearance": 0.05, "length": 0.2},
}


@kernel
def all_rows(
    body: Floats,
    points: layout.Points,
    placed: Floats,
    directions: int,
    touch: layout.Touch,
    problem: Any,
    dim: tuple[int, ...],
) -> int:
    """Rows of all contact points, however wide their gaps."""
    return delassus.collect(
        body, points.point_int, points.point_real, placed, directions, 1e9, touch, problem, dim
    )


def two_bodies(
    rng: np.random.Generator, contact: dict[str, Any], flat: bool, friction: float = 0.3
) -> Mechanism:
    """Bodies a and b at random places and speeds, in the x-y plane or in space."""

    def turn() -> tuple[float, float, float, float]:
        if flat:
            return axis_angle((0.0, 0.0, 1.0), float(rng.uniform(-3.0, 3.0)))
        return normalised(tuple(float(x) for x in rng.normal(size=4)))  # type: ignore[arg-type]  # four numbers

    def vector(size: float) -> tuple[float, float, float]:
        x, y, z = (float(c) for c in rng.normal(size=3) * size)
        return (x, y, 0.0 if flat else z)

    face = dict(FACE)
    corner = {"id": "corner", "body": "a", "position": vector(0.2), "orientation": turn()}
    if flat:
        face |= {"position": (0.1, -0.2, 0.0)}
        level = axis_angle((1.0, 0.0, 0.0), -math.pi / 2)
        turned = axis_angle((0.0, 0.0, 1.0), 0.7)
        along = contact["type"] in ("pin-clearance", "sphere-sphere")
        face["orientation"] = turned if along else multiply(turned, level)
        corner["orientation"] = turned if along else multiply(turned, level)
    bodies = [
        {
            "id": name,
            "position": vector(0.6),
            "orientation": turn(),
            "velocity": vector(1.0),
            "angular_velocity": (0.0, 0.0, float(rng.normal())) if flat else vector(1.0),
            "mass": {
                "type": "given",
                "mass": float(rng.uniform(0.5, 2.0)),
                "inertia": (0.1, 0.2, 0.25, 0.0, 0.0, 0.0),
            },
        }
        for name in ("a", "b")
    ]
    if not flat:
        for body in bodies:
            body["mass"]["centre"] = vector(0.1)  # type: ignore[index]  # a mass
    return Mechanism.model_validate(
        {
            "gravity": (0.0, 0.0, 0.0),
            "bodies": bodies,
            "markers": [face, corner],
            "contacts": [{"id": "C", "friction": friction, **contact}],
        }
    )


def prepared(mechanism: Mechanism, **options: Any) -> tuple[LcpWorkspace, Array, Array]:
    model = compile_mechanism(mechanism)
    engine = LcpEngine()
    work = engine.prepare(model, LcpOptions(**options), 1e-3)
    state, _ = engine.initialise(work, start_frame(model))
    return work, state.q, state.v


def gaps(work: LcpWorkspace, q: Array, u: Array, h: float) -> Array:
    """Gap of every point after a drift of h."""
    dim = work.stepper.frames.dim
    place_all(work.stepper.machine, q, u, h, work.bench.end, work.bench.placed, dim)
    return np.array(
        [
            gap_of(
                work.points.point_int,
                work.points.point_real,
                p,
                work.bench.placed,
                work.touch.found,
                work.touch.clip,
                dim,
            )
            for p in range(len(work.points.point_int))
        ]
    )


def rates(work: LcpWorkspace, q: Array, u: Array) -> tuple[Any, Array, Array]:
    """Points, and normal and first tangential velocity of every active contact, by its rows."""
    dim = work.stepper.frames.dim
    nv = len(dim)
    place_all(work.stepper.machine, q, u, 0.0, work.bench.end, work.bench.placed, dim)
    nc = all_rows(
        work.stepper.machine.body,
        work.points,
        work.bench.placed,
        int(work.opt_int[layout.O_DIRECTIONS]),
        work.touch,
        work.problem,
        dim,
    )
    first = work.problem.contact[: nc + 1, FIRST]
    ends = work.touch.active_int[:nc, layout.T_I : layout.T_J + 1]

    def velocity(c: int, r: int) -> float:
        row = work.touch.rows[r]
        return float(row[:nv] @ u[ends[c, 0]] + row[nv:] @ u[ends[c, 1]])

    normal = np.array([velocity(c, int(first[c])) for c in range(nc)])
    slip = np.array([velocity(c, int(first[c]) + 1) for c in range(nc)])
    return np.asarray(work.touch.active_int[:nc, layout.T_POINT]), normal, slip


@pytest.mark.parametrize("kind", KINDS)
@given(seed=seeds)
@settings(max_examples=25, deadline=None)
def test_normal_rows_are_the_rates_of_the_gaps(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    contact = {"type": kind, **KINDS[kind]}
    check_rates(prepared(two_bodies(rng, contact, False), coordinates="spatial"), kind)


@pytest.mark.parametrize("kind", [k for k in KINDS if k not in ("box-plane", "box-box", "guide-clearance")])
@given(seed=seeds)
@settings(max_examples=25, deadline=None)
def test_normal_rows_in_a_plane(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    contact = {"type": kind, **KINDS[kind]}
    if kind == "pin-clearance":
        contact["length"] = 0.0
    check_rates(prepared(two_bodies(rng, contact, True), coordinates="planar"), kind)


def check_rates(found: tuple[LcpWorkspace, Array, Array], kind: str) -> None:
    work, q, u = found
    points, normal, slip = rates(work, q, u)
    step = 1e-6
    difference = (gaps(work, q, u, step) - gaps(work, q, u, -step)) / (2.0 * step)
    second = (gaps(work, q, u, step) - 2.0 * gaps(work, q, u, 0.0) + gaps(work, q, u, -step)) / step**2
    if kind == "box-box":
        # only a point at the very depth of the pair moves with its gap; clipping may have cut it off, and the pair may
        # change its axis within the step
        gap = gaps(work, q, u, 0.0)[0]
        deepest = int(np.argmin(work.touch.found[: len(points), 0])) if len(points) else 0
        if len(points) and abs(second[0]) < 1e3 and abs(work.touch.found[deepest, 0] - gap) < 1e-9:
            assert normal[deepest] == pytest.approx(difference[0], abs=1e-5)
        return
    smooth = np.abs(second) < 1e3
    np.testing.assert_allclose(normal[smooth[points]], difference[points][smooth[points]], atol=1e-7)
    assert np.all(np.isfinite(slip))


@given(seed=seeds)
@settings(max_examples=40, deadline=None)
def test_tangential_rows_are_velocities_of_the_common_point(seed: int) -> None:
    """Normal and both tangents against the velocity difference of the two body points, from poses and twists."""
    rng = np.random.default_rng(seed)
    mechanism = two_bodies(rng, {"type": "sphere-sphere", **KINDS["sphere-sphere"]}, False)
    work, q, u = prepared(mechanism, coordinates="spatial")
    rates(work, q, u)
    active = work.touch.active[0]
    at = active[layout.A_AT : layout.A_AT + 3]
    n, t1 = active[layout.A_N : layout.A_N + 3], active[layout.A_T : layout.A_T + 3]
    axes = np.array([n, t1, np.cross(n, t1)])
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    velocity = []
    for body in mechanism.bodies:
        v, w = np.array(body.velocity, float), np.array(body.angular_velocity, float)
        velocity.append(v + np.cross(w, at - np.array(body.position, float)))
    expected = axes @ (velocity[0] - velocity[1])
    rows = work.touch.rows[:3]
    found = rows[:, :6] @ u[0] + rows[:, 6:] @ u[1]
    np.testing.assert_allclose(found, expected, atol=1e-10)


@given(seed=seeds)
@settings(max_examples=25, deadline=None)
def test_polyhedral_directions_are_evenly_apart(seed: int) -> None:
    rng = np.random.default_rng(seed)
    work, q, u = prepared(
        two_bodies(rng, {"type": "sphere-plane", **KINDS["sphere-plane"]}, False),
        coordinates="spatial",
        cone="polyhedral",
        sides=8,
    )
    rates(work, q, u)
    body = work.stepper.machine.body[0]
    directions = work.touch.rows[1:5, :3] / body[layout.K_ISM]
    for k in range(4):
        assert directions[0] @ directions[k] == pytest.approx(math.cos(math.pi * k / 4), abs=1e-12)


# --- gaps by hand -----------------------------------------------------------------------------------------------------


def gap_at(contact: dict[str, Any], x: float, y: float, z: float, turn: Any = (1.0, 0.0, 0.0, 0.0)) -> float:
    """Smallest gap of a contact of body a, placed at a point, with the ground frame."""
    mechanism = Mechanism.model_validate(
        {
            "bodies": [
                {
                    "id": "a",
                    "position": (x, y, z),
                    "orientation": turn,
                    "mass": {"type": "given", "mass": 1.0, "inertia": (1.0, 2.0, 3.0, 0.0, 0.0, 0.0)},
                }
            ],
            "contacts": [{"id": "C", "i": "a", "j": "ground", **contact}],
        }
    )
    work, q, u = prepared(mechanism, coordinates="spatial")
    return float(np.min(gaps(work, q, u, 0.0)))


def test_gaps_of_planes_and_strips() -> None:
    assert gap_at({"type": "corner-plane"}, 3.0, 4.0, 0.25) == pytest.approx(0.25)
    assert gap_at({"type": "sphere-plane", "radius": 0.1}, 3.0, 4.0, 0.25) == pytest.approx(0.15)
    strip = {"type": "corner-segment", "length": 2.0, "depth": 0.3}
    assert gap_at(strip, 0.9, 5.0, 0.25) == pytest.approx(0.25)
    assert gap_at(strip, 0.9, 5.0, -0.25) == pytest.approx(-0.25)
    # beyond the end: distance to the edge, here 3-4-5
    assert gap_at(strip, 1.3, 0.0, 0.4) == pytest.approx(0.5)
    assert gap_at(strip, -1.3, 0.0, -0.4) == pytest.approx(0.5)
    # far behind: it came from behind and is free
    assert gap_at(strip, 0.0, 0.0, -0.5) == pytest.approx(0.5)


def test_gaps_of_balls() -> None:
    pair = {"type": "sphere-sphere", "radius": 0.1, "radius_j": 0.5}
    assert gap_at(pair, 0.6, 0.0, 0.8) == pytest.approx(0.4)
    assert gap_at({**pair, "inside": True}, 0.0, 0.3, 0.0) == pytest.approx(0.1)
    pin = {"type": "pin-clearance", "radius": 0.5, "clearance": 0.1}
    assert gap_at(pin, 0.03, 0.04, 7.0) == pytest.approx(0.05)
    assert gap_at({**pin, "length": 1.0}, 0.0, 0.0, 0.0, axis_angle((1.0, 0.0, 0.0), 0.2)) == pytest.approx(
        0.1 - 0.5 * math.sin(0.2)
    )


@pytest.mark.parametrize(
    ("at", "gap"),
    [
        ((1.5, 0.0, 0.0), 0.4),  # face
        ((1.3, 2.4, 0.0), 0.4),  # edge, 3-4-5 from the corner line
        ((1.2, 2.1, 3.2), 0.2),  # corner, 2-1-2 over 10
        ((0.8, 0.0, 0.0), -0.3),  # centre inside, 0.2 from the nearest face
        ((0.0, 1.9, 0.0), -0.2),
        ((0.0, 0.0, -2.95), -0.15),
    ],
)
def test_gaps_of_a_ball_and_a_box(at: tuple[float, float, float], gap: float) -> None:
    assert gap_at({"type": "sphere-box", "radius": 0.1, "size": (2.0, 4.0, 6.0)}, *at) == pytest.approx(gap)


def test_gaps_of_a_guide() -> None:
    """Slider of 0.1 x 0.05 m in a guide with 1 mm: the corner formula of the reference."""
    guide = {"type": "guide-clearance", "length": 0.1, "height": 0.05, "clearance": 1e-3}
    tilt, y, z = 0.01, 3e-4, 0.2
    # the guide runs along z and tilts about x: y of a corner is y + z' sin + y' cos
    corner = max(y + s * 0.025 * math.cos(tilt) - e * 0.05 * math.sin(tilt) for s in (1, -1) for e in (1, -1))
    assert gap_at(guide, 0.0, y, z, axis_angle((1.0, 0.0, 0.0), tilt)) == pytest.approx(0.026 - corner)
    assert gap_at({**guide, "faces": "x"}, 4e-4, 0.3, z) == pytest.approx(6e-4)
    assert gap_at({**guide, "faces": "xy"}, 4e-4, -8e-4, z) == pytest.approx(2e-4)


# --- boxes ------------------------------------------------------------------------------------------------------------

Pair = tuple[int, float, Array, Array]


def boxes(rot_i: Array, at_i: Array, half_i: Array, rot_j: Array, at_j: Array, half_j: Array) -> Pair:
    found, clip = np.zeros((CORNERS, B_COLUMNS)), np.zeros((CLIP_ROWS, 3))
    numbers: list[Any] = [
        tuple(float(x) for x in np.ravel(a)) for a in (rot_i, at_i, half_i, rot_j, at_j, half_j)
    ]
    one, at_one, half_one, other, at_other, half_other = numbers
    n, gap, normal = box_box(one, at_one, half_one, other, at_other, half_other, found, clip)
    return n, gap, np.array(normal), found[:n]


def test_stacked_boxes_touch_with_four_corners() -> None:
    half = np.array([0.5, 0.5, 0.5])
    n, gap, normal, found = boxes(np.eye(3), np.array([0.2, 0.1, 1.0]), half, np.eye(3), np.zeros(3), half)
    assert n == 4 and gap == pytest.approx(0.0, abs=1e-15)
    np.testing.assert_allclose(normal, [0.0, 0.0, 1.0])
    corners = sorted(tuple(np.round(p, 12)) for p in found[:, 1:])
    assert corners == [(-0.3, -0.4, 0.5), (-0.3, 0.5, 0.5), (0.5, -0.4, 0.5), (0.5, 0.5, 0.5)]


def test_turned_box_on_a_box_gives_an_octagon() -> None:
    half = np.array([0.5, 0.5, 0.5])
    c = math.cos(math.pi / 4)
    turn = np.array([[c, -c, 0.0], [c, c, 0.0], [0.0, 0.0, 1.0]])
    n, gap, _, found = boxes(turn, np.array([0.0, 0.0, 0.99]), half, np.eye(3), np.zeros(3), half)
    assert n == 8 and gap == pytest.approx(-0.01)
    radius = np.hypot(found[:, 1], found[:, 2])
    # corners of the octagon that two equal squares leave: 0.5 / cos(22.5 deg)
    np.testing.assert_allclose(radius, 0.5 / math.cos(math.pi / 8), rtol=1e-12)


def test_crossed_edges_touch_at_one_point() -> None:
    """Two bars lying on their edges, at right angles: the ridge of one meets the ridge of the other."""
    half = np.array([1.0, 0.1, 0.1])
    c = math.cos(math.pi / 4)
    ridge_x = np.array([[1.0, 0.0, 0.0], [0.0, c, -c], [0.0, c, c]])
    quarter = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    top = 0.1 * math.sqrt(2.0)
    at = np.array([0.05, 0.02, 2.0 * top + 0.003])
    n, gap, normal, found = boxes(quarter @ ridge_x, at, half, ridge_x, np.zeros(3), half)
    assert n == 1 and gap == pytest.approx(0.003, abs=1e-12)
    np.testing.assert_allclose(normal, [0.0, 0.0, 1.0], atol=1e-12)
    np.testing.assert_allclose(found[0, 1:], [0.05, 0.0, top + 0.0015], atol=1e-12)


@given(seed=seeds)
@settings(max_examples=300, deadline=None)
def test_boxes_agree_with_their_corners_and_with_each_other(seed: int) -> None:
    """The gap is the same from either side, and no corner of one box lies deeper in the other than the gap says."""
    from scipy.spatial.transform import Rotation

    rng = np.random.default_rng(seed)
    rot = Rotation.random(2, random_state=seed).as_matrix()
    half = rng.uniform(0.1, 1.0, (2, 3))
    at = rng.normal(size=(2, 3))
    n, gap, normal, found = boxes(rot[0], at[0], half[0], rot[1], at[1], half[1])
    _, back, reverse, _ = boxes(rot[1], at[1], half[1], rot[0], at[0], half[0])
    assert gap == pytest.approx(back, abs=1e-9)
    assert np.linalg.norm(normal) == pytest.approx(1.0)
    if abs(gap - back) < 1e-12 and normal @ reverse < -1.0 + 1e-9:
        np.testing.assert_allclose(normal, -reverse, atol=1e-6)
    signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, 8).T
    corners = [at[k] + (signs * half[k]) @ rot[k].T for k in (0, 1)]
    # along the separating normal the boxes are exactly `gap` apart
    assert np.min(corners[0] @ normal) - np.max(corners[1] @ normal) == pytest.approx(gap, abs=1e-9)
    if gap < 0.0 and n > 1:
        assert np.min(found[:, 0]) >= gap - 1e-9
        # every point lies on or in both boxes along the normal, and inside the reference face
        inside = [np.max(np.abs((found[:, 1:] - at[k]) @ rot[k]) - half[k], axis=1) for k in (0, 1)]
        assert np.all(np.minimum(*inside) < 1e-9)


def test_point_ratios_of_a_turning_limit() -> None:
    """The gap of a turn limit is the angle to the nearer stop, over several turns of the drawn angle."""
    markers = [{"id": "hinge"}]
    for angle, gap in ((0.3, 0.2), (-0.9, 0.1), (0.6, -0.1), (0.1, 0.4)):
        mechanism = Mechanism.model_validate(
            {
                "gravity": (0.0, 0.0, 0.0),
                "bodies": [
                    {
                        "id": "a",
                        "orientation": axis_angle((0.0, 0.0, 1.0), angle),
                        "mass": {"type": "given", "mass": 1.0, "inertia": (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)},
                    }
                ],
                "markers": markers,
                "joints": [{"type": "revolute", "id": "J", "i": "a", "j": "hinge"}],
                "contacts": [
                    {
                        "type": "joint-limit",
                        "id": "L",
                        "joint": "J",
                        "motion": "turn",
                        "lower": -1.0,
                        "upper": 0.5,
                    }
                ],
            }
        )
        for coordinates in ("planar", "spatial"):
            work, q, u = prepared(mechanism, coordinates=coordinates)
            assert float(np.min(gaps(work, q, u, 0.0))) == pytest.approx(gap, abs=1e-12)
