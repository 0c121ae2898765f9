"""One step against a dense system in numpy with Jacobians of another engine's kernels, and the rules of a chunk."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import linkwright.elements  # noqa: F401  every element type must be known
from linkwright.compiler.compile import compile_mechanism
from linkwright.compiler.coordinates import coordinates_of
from linkwright.compiler.model import CompiledModel
from linkwright.compiler.rank import constraint_matrix
from linkwright.document.mechanism import Mechanism
from linkwright.document.rotation import Quat, axis_angle, matrix, multiply, normalised
from linkwright.document.settings import LcpOptions
from linkwright.engines.base import start_frame
from linkwright.engines.lcp import LcpEngine, LcpWorkspace
from linkwright.engines.state import Frame, RowBlock, State
from linkwright.kernels.layout import BODY_J, BODY_MASS, BODY_ORIGIN
from linkwright.kernels.lcp import layout

Array = NDArray[np.float64]
H = 1e-3


def run(
    mechanism: Mechanism, n: int, h: float = H, **options: Any
) -> tuple[CompiledModel, LcpWorkspace, State, RowBlock]:
    model = compile_mechanism(mechanism)
    engine = LcpEngine()
    work = engine.prepare(model, LcpOptions(**options), h)
    state, _ = engine.initialise(work, start_frame(model))
    rows = RowBlock.allocate(model.n_body, len(model.channel_names), n + 1)
    engine.advance(work, state, rows, n)
    return model, work, state, rows


def hanging_chain(flat: bool) -> Mechanism:
    """Two bars on the ground, a spring across, a force and a torque; in space the joints leave the plane."""
    tilt: Quat = (1.0, 0.0, 0.0, 0.0) if flat else normalised((0.8, 0.3, 0.4, 0.1))
    first = multiply(
        axis_angle((0.0, 0.0, 1.0), 0.4), (1.0, 0.0, 0.0, 0.0) if flat else normalised((0.9, 0.2, -0.1, 0.1))
    )
    second = multiply(axis_angle((0.0, 0.0, 1.0), -0.7), tilt)
    end = np.array(matrix(first)) @ [1.0, 0.0, 0.0]
    x, y, z = (float(c) for c in end)
    spin = (
        {"a": (0.0, 0.0, 0.8), "b": (0.0, 0.0, -1.1)}
        if flat
        else {"a": (0.3, -0.2, 0.8), "b": (0.5, 0.9, -1.1)}
    )
    vx, vy, vz = (float(c) for c in np.cross(spin["a"], end))
    inertia = (0.02, 0.09, 0.1, 0.0, 0.0, 0.0) if flat else (0.02, 0.09, 0.1, 0.004, -0.003, 0.002)
    centre = (0.45, 0.05, 0.0) if flat else (0.45, 0.05, -0.03)
    joint = "revolute" if flat else "universal"
    return Mechanism.model_validate(
        {
            "gravity": (0.3, -9.81, 0.0 if flat else 0.7),
            "bodies": [
                {
                    "id": "a",
                    "orientation": first,
                    "angular_velocity": spin["a"],
                    "mass": {"type": "given", "mass": 1.2, "centre": centre, "inertia": inertia},
                },
                {
                    "id": "b",
                    "position": (x, y, z),
                    "orientation": second,
                    "velocity": (vx, vy, vz),
                    "angular_velocity": spin["b"],
                    "mass": {"type": "given", "mass": 0.7, "centre": centre, "inertia": inertia},
                },
            ],
            "markers": [
                {"id": "a_end", "body": "a", "position": (1.0, 0.0, 0.0)},
                {"id": "b_end", "body": "b", "position": (1.0, 0.1, 0.0)},
                {"id": "hook", "position": (0.5, 1.5, 0.0 if flat else 0.2)},
            ],
            "joints": [
                {"type": joint if flat else "spherical", "id": "A", "i": "a", "j": "ground"},
                {"type": "revolute" if flat else "spherical", "id": "B", "i": "b", "j": "a_end"},
            ],
            "forces": [
                {
                    "type": "sda",
                    "id": "S",
                    "i": "hook",
                    "j": "b_end",
                    "stiffness": 350.0,
                    "damping": 4.0,
                    "free_length": 1.1,
                    "actuator_force": 2.5,
                },
                {"type": "force", "id": "F", "at": "b_end", "vector": (1.5, -0.5, 0.0), "axes": "body"},
                {"type": "torque", "id": "T", "at": "a", "vector": (0.0, 0.0, 0.3)},
            ],
        }
    )


def turn_by(rot: Array, vector: Array) -> Array:
    """Rotation matrix turned by a rotation vector in body axes."""
    angle = float(np.linalg.norm(vector))
    if angle == 0.0:
        return rot
    return np.asarray(rot @ np.array(matrix(axis_angle(tuple(vector), angle))))


def quaternion(rot: Array) -> Array:
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(rot).as_quat()
    return np.array([w, x, y, z])


@pytest.mark.parametrize("flat", [True, False])
@pytest.mark.parametrize("theta", [0.0, 0.9])
def test_one_step_solves_the_dense_system(flat: bool, theta: float) -> None:
    """M (v+ - v) = h f + Phi_q^T L, Phi_q v+ = -theta Phi_q v, spring by the trapezoidal rule, at the midpoint."""
    mechanism = hanging_chain(flat)
    model = compile_mechanism(mechanism)
    tables, n = model.tables, model.n_body
    start = start_frame(model)
    rot = [np.array(matrix(normalised(tuple(p[3:])))) for p in start.poses]
    centre = np.array(
        [start.poses[b, :3] - rot[b] @ tables.body[b, BODY_ORIGIN : BODY_ORIGIN + 3] for b in range(n)]
    )
    v = np.zeros((n, 6))
    for b in range(n):
        v[b, :3] = start.twists[b, :3] + np.cross(start.twists[b, 3:], centre[b] - start.poses[b, :3])
        v[b, 3:] = rot[b].T @ start.twists[b, 3:]
    mass = np.zeros((6 * n, 6 * n))
    tensors = []
    for b in range(n):
        xx, yy, zz, xy, xz, yz = tables.body[b, BODY_J : BODY_J + 6]
        tensors.append(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
        mass[6 * b : 6 * b + 3, 6 * b : 6 * b + 3] = tables.body[b, BODY_MASS] * np.eye(3)
        mass[6 * b + 3 : 6 * b + 6, 6 * b + 3 : 6 * b + 6] = tensors[b]

    # the midpoint, and the joint rows there by the kernels of the implicit engine: turns in body axes
    mid_rot = [turn_by(rot[b], 0.5 * H * v[b, 3:]) for b in range(n)]
    mid = centre + 0.5 * H * v[:, :3]
    frame = Frame.empty(n, len(model.channel_names))
    for b in range(n):
        frame.poses[b, :3] = mid[b] + mid_rot[b] @ tables.body[b, BODY_ORIGIN : BODY_ORIGIN + 3]
        frame.poses[b, 3:] = quaternion(mid_rot[b])
    q, _ = coordinates_of(model, frame.poses, frame.twists)
    rows = constraint_matrix(model, q).rows
    # one row with turns in body axes is the rate of the row for body rates (finite differences, to be independent)
    step = 1e-6
    for b in range(n):
        for k in range(6):
            change = []
            for s in (step, -step):
                poses = frame.poses.copy()
                if k < 3:
                    poses[b, k] += s
                else:
                    moved = turn_by(mid_rot[b], s * np.eye(3)[k - 3])
                    poses[b, :3] = mid[b] + moved @ tables.body[b, BODY_ORIGIN : BODY_ORIGIN + 3]
                    poses[b, 3:] = quaternion(moved)
                change.append(constraint_matrix(model, coordinates_of(model, poses, frame.twists)[0]).phi)
            rows[:, 6 * b + k] = (change[0] - change[1]) / (2.0 * step)

    force = np.zeros((n, 6))
    for b in range(n):
        force[b, :3] = tables.body[b, BODY_MASS] * tables.gravity
    ends = {}
    for name, body in (("b_end", 1), ("hook", None)):
        marker = next(m for m in mechanism.markers if m.id == name)
        at = np.array(marker.position, float)
        ends[name] = at if body is None else frame.poses[body, :3] + mid_rot[body] @ at
    arm = ends["b_end"] - mid[1]
    pull = mid_rot[1] @ np.array([1.5, -0.5, 0.0])
    force[1, :3] += pull
    force[1, 3:] += mid_rot[1].T @ np.cross(arm, pull)
    force[0, 3:] += mid_rot[0].T @ np.array([0.0, 0.0, 0.3])
    u = (ends["b_end"] - ends["hook"]) / np.linalg.norm(ends["b_end"] - ends["hook"])
    length = float(np.linalg.norm(ends["b_end"] - ends["hook"]))
    line = np.zeros(6 * n)
    line[6:9] = u
    line[9:12] = mid_rot[1].T @ np.cross(arm, u)

    old = v.ravel()
    stiffness, damping = 350.0, 4.0
    rate = float(line @ old)
    pull_now = stiffness * (length - 1.1) + 2.5 + (0.5 * damping - 0.25 * H * stiffness) * rate
    soft = H * (0.25 * H * stiffness + 0.5 * damping)
    gyro = np.zeros(6 * n)
    if not flat:
        from scipy.optimize import fsolve

        for b in range(n):
            w, j = v[b, 3:], tensors[b]

            def midpoint(new: Array, w: Array = w, j: Array = j) -> Array:
                m = 0.5 * (w + new)
                return np.asarray(j @ (new - w) + H * np.cross(m, j @ m))

            gyro[6 * b + 3 : 6 * b + 6] = tensors[b] @ (fsolve(midpoint, w, xtol=1e-14) - w)
    free = mass @ old + H * force.ravel() + gyro - H * pull_now * line
    stiff = mass + soft * np.outer(line, line)
    m = len(rows)
    keep = rows if not flat else rows[np.max(np.abs(rows), axis=1) > 1e-8]
    m = len(keep)
    kkt = np.block([[stiff, -keep.T], [keep, np.zeros((m, m))]])
    solution = np.linalg.lstsq(kkt, np.concatenate([free, -theta * keep @ old]), rcond=1e-13)[0]
    expected = solution[: 6 * n].reshape(n, 6)

    _, work, _, block = run(mechanism, 1, theta=theta, projection_rounds=0)
    assert len(work.stepper.frames.dim) == (3 if flat else 6)
    for b in range(n):
        omega_body = expected[b, 3:]
        end_rot = turn_by(mid_rot[b], 0.5 * H * omega_body)
        omega = end_rot @ omega_body
        origin = end_rot @ tables.body[b, BODY_ORIGIN : BODY_ORIGIN + 3]
        np.testing.assert_allclose(block.twists[0, b, 3:], omega, atol=2e-7)
        np.testing.assert_allclose(
            block.twists[0, b, :3], expected[b, :3] + np.cross(omega, origin), atol=2e-7
        )
        place = mid[b] + 0.5 * H * expected[b, :3] + origin
        np.testing.assert_allclose(block.poses[0, b, :3], place, atol=1e-9)


def test_redundant_rows_are_dropped() -> None:
    """A planar four-bar of full revolutes in space: three rows too many, and yet the motion of the planar run."""

    def four_bar() -> Mechanism:
        ends = {"A": (0.0, 0.0), "B": (0.3, 0.4), "C": (1.1, 0.7), "D": (1.0, 0.0)}

        def bar(name: str, p: str, q: str) -> dict[str, Any]:
            (x0, y0), (x1, y1) = ends[p], ends[q]
            return {
                "id": name,
                "position": (x0, y0, 0.0),
                "orientation": axis_angle((0.0, 0.0, 1.0), math.atan2(y1 - y0, x1 - x0)),
                "mass": {
                    "type": "given",
                    "mass": 1.0,
                    "centre": (0.5 * math.hypot(x1 - x0, y1 - y0), 0.0, 0.0),
                    "inertia": (0.001, 0.05, 0.05, 0.0, 0.0, 0.0),
                },
            }

        def end(name: str, body: str, p: str, q: str) -> dict[str, Any]:
            (x0, y0), (x1, y1) = ends[p], ends[q]
            return {"id": name, "body": body, "position": (math.hypot(x1 - x0, y1 - y0), 0.0, 0.0)}

        return Mechanism.model_validate(
            {
                "gravity": (0.0, -9.81, 0.0),
                "bodies": [bar("ab", "A", "B"), bar("bc", "B", "C"), bar("dc", "D", "C")],
                "markers": [
                    end("b", "ab", "A", "B"),
                    end("c", "bc", "B", "C"),
                    end("c2", "dc", "D", "C"),
                    {"id": "d", "position": (1.0, 0.0, 0.0)},
                ],
                "joints": [
                    {"type": "revolute", "id": "A", "i": "ab", "j": "ground"},
                    {"type": "revolute", "id": "B", "i": "bc", "j": "b"},
                    {"type": "revolute", "id": "C", "i": "c2", "j": "c"},
                    {"type": "revolute", "id": "D", "i": "dc", "j": "d"},
                ],
            }
        )

    _, flat_work, _, flat = run(four_bar(), 500, coordinates="planar")
    _, work, _, solid = run(four_bar(), 500, coordinates="spatial")
    assert len(work.stepper.machine.row_int) - np.count_nonzero(work.bench.vector[layout.V_INVERSE]) == 3
    assert np.all(flat_work.bench.vector[layout.V_INVERSE] > 0.0)
    np.testing.assert_allclose(solid.poses[:500], flat.poses[:500], atol=1e-7)
    assert np.max(solid.steps[:500, 7]) < 1e-8


# --- rules of a chunk -------------------------------------------------------------------------------------------------


def ball(**contact: Any) -> Mechanism:
    return Mechanism.model_validate(
        {
            "bodies": [
                {
                    "id": "ball",
                    "position": (0.0, 0.0, 0.3),
                    "mass": {"type": "given", "mass": 1.0, "inertia": (0.01, 0.01, 0.01, 0.0, 0.0, 0.0)},
                }
            ],
            "contacts": [
                {
                    "type": "sphere-plane",
                    "id": "C",
                    "i": "ball",
                    "j": "ground",
                    "radius": 0.1,
                    "restitution": 0.5,
                    **contact,
                }
            ],
        }
    )


def test_chunks_do_not_change_the_run() -> None:
    """One chunk, chunks of 7 and single steps: bit for bit the same rows and events."""
    model = compile_mechanism(ball(friction=0.2))
    engine = LcpEngine()
    ends = []
    for size in (400, 7, 1):
        work = engine.prepare(model, LcpOptions(), H)
        state, _ = engine.initialise(work, start_frame(model))
        rows = RowBlock.allocate(model.n_body, len(model.channel_names), 400)
        left = 400
        while left:
            left -= engine.advance(work, state, rows, min(size, left))
        ends.append(
            (
                rows.poses.tobytes(),
                rows.channels.tobytes(),
                rows.steps.tobytes(),
                tuple(map(str, work.events)),
            )
        )
    assert ends[0] == ends[1] == ends[2]


def test_full_rows_and_raised_flag_end_a_chunk() -> None:
    model = compile_mechanism(ball())
    engine = LcpEngine()
    work = engine.prepare(model, LcpOptions(), H, 4)
    state, _ = engine.initialise(work, start_frame(model))
    rows = RowBlock.allocate(model.n_body, len(model.channel_names), 100, 10)
    work.flags[0] = 1
    assert engine.advance(work, state, rows, 50) == 0
    work.flags[0] = 0
    # ten frames, one every four steps, and three more steps before the eleventh is due
    assert engine.advance(work, state, rows, 100) == 43
    assert work.failure is None and tuple(rows.count) == (43, 43, 10)
    np.testing.assert_allclose(rows.frame_t, 4 * H * np.arange(1, 11))


def test_impulses_add_up_between_frames() -> None:
    """With frames every 50 steps the impulse of a hit is not lost, and the state says impact."""
    every = run(ball(), 400)[3]
    model = compile_mechanism(ball())
    engine = LcpEngine()
    work = engine.prepare(model, LcpOptions(), H, 50)
    state, _ = engine.initialise(work, start_frame(model))
    rows = RowBlock.allocate(model.n_body, len(model.channel_names), 400, 8)
    engine.advance(work, state, rows, 400)
    impulse, kind = (model.channel_names.index(f"C.{name}") for name in ("normal_impulse", "state"))
    np.testing.assert_allclose(
        rows.channels[:, impulse], every.channels[:400, impulse].reshape(8, 50).sum(axis=1), rtol=1e-12
    )
    hit = np.any(every.channels[:400, kind].reshape(8, 50) == layout.STATE_IMPACT, axis=1)
    np.testing.assert_array_equal(rows.channels[:, kind] == layout.STATE_IMPACT, hit)


def test_failed_step_leaves_everything_as_it_was() -> None:
    """A force that overflows: named, and state, memory and rows are those of the last good step."""
    plain = ball().model_dump()
    plain["forces"] = [{"type": "force", "id": "F", "at": "ball", "vector": (1e308, 1e308, 1e308)}]
    model = compile_mechanism(Mechanism.model_validate(plain))
    engine = LcpEngine()
    work = engine.prepare(model, LcpOptions(), 10.0)
    state, _ = engine.initialise(work, start_frame(model))
    before = [x.copy() for x in (state.q, state.v, state.clock, state.sums, work.touch.memory)]
    rows = RowBlock.allocate(model.n_body, len(model.channel_names), 10)
    assert engine.advance(work, state, rows, 5) == 0
    assert work.failure is not None and work.failure.reason == "not_finite" and work.failure.step == 1
    for old, new in zip(before, (state.q, state.v, state.clock, state.sums, work.touch.memory), strict=True):
        np.testing.assert_array_equal(old, new)
    assert tuple(rows.count) == (0, 0, 0)


def test_spring_without_length_is_named() -> None:
    plain = ball().model_dump()
    plain["gravity"] = (0.0, 0.0, 0.0)
    plain["bodies"][0]["velocity"] = (0.0, 0.0, -2.0)
    plain["markers"] = [{"id": "hook", "position": (0.0, 0.0, 0.299)}]
    plain["forces"] = [
        {"type": "sda", "id": "S", "i": "hook", "j": "ball", "stiffness": 0.0, "free_length": 0.1}
    ]
    _, work, _, rows = run(Mechanism.model_validate(plain), 5)
    assert work.failure is not None and work.failure.reason == "no_length" and work.failure.element == "S"
    assert rows.count[0] == 0


def test_other_methods_take_over_and_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """With no rounds of block pivoting left every contact step goes the long way, to the same motion."""
    usual = run(ball(friction=0.3), 400)[3]
    model = compile_mechanism(ball(friction=0.3))
    engine = LcpEngine()
    work = engine.prepare(model, LcpOptions(), H)
    state, _ = engine.initialise(work, start_frame(model))
    rows = RowBlock.allocate(model.n_body, len(model.channel_names), 400)
    for _ in range(400):
        # a wrong guess of a contact that slips backwards is healed by block pivoting; a spoilt tolerance is not
        work.opt_real[layout.O_TOLERANCE] = -1.0
        engine.advance(work, state, rows, 1)
        assert work.failure is None
    contacts = rows.steps[:, 11] > 0.0
    assert np.any(contacts)
    np.testing.assert_array_equal(rows.steps[:, 6] > 0.0, contacts)
    np.testing.assert_allclose(rows.poses[:400], usual.poses[:400], atol=1e-9)


def test_event_list_never_overflows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A list of two entries: the chunk is cut where it may be full, and every event is still told."""
    import linkwright.engines.lcp as engine_module

    many = [str(e) for e in run(ball(), 1500)[1].events]
    monkeypatch.setattr(engine_module, "EVENT_ROOM", 1)
    few = [str(e) for e in run(ball(), 1500)[1].events]
    assert len(many) > 4 and few == many
