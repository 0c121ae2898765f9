"""Reported troubles of comparable programs, as small models with the right answer (tests/data/contact/cases.json)."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from tests.validation.contact_runs import FACE_UP, SLIDE_X, G, Run, mechanism, reference, simulate

from linkwright.compiler.compile import compile_mechanism
from linkwright.document.mechanism import Mechanism
from linkwright.document.rotation import axis_angle, multiply
from linkwright.engines.lcp import LcpEngine
from linkwright.findings import Severity
from linkwright.kernels.layout import STEP_POSITION_ERROR, STEP_RETRIES

Z_UP = (0.0, 0.0, -G)
AXES = {"x": SLIDE_X, "y": FACE_UP, "z": (1.0, 0.0, 0.0, 0.0)}


def case(name: str) -> dict[str, Any]:
    return dict(reference("cases")["cases"][name])


def expected(name: str, quantity: str) -> tuple[Any, float]:
    """Value and tolerance of a quantity whose name begins so."""
    row = next(e for e in case(name)["expected"] if e["quantity"].startswith(quantity))
    return row["value"], row["tolerance"]


def bodies(name: str) -> list[dict[str, Any]]:
    """Bodies of a case; frames at their mass centres."""
    made = []
    for b in case(name)["model"]["bodies"]:
        xx, yy, zz, xy, xz, yz = b["inertia_com"]
        w = b["angular_velocity"]
        made.append(
            {
                "id": b["name"],
                "position": tuple(float(x) for x in b["com"]),
                "orientation": _unit(b["quaternion_wxyz"]),
                "velocity": tuple(float(x) for x in b["velocity"]),
                "angular_velocity": tuple(float(x) for x in w),
                "mass": {
                    "type": "given",
                    "mass": b["mass"],
                    "inertia": tuple(float(x) for x in (xx, yy, zz, xy, xz, yz)),
                },
            }
        )
    return made


def _unit(q: list[float]) -> tuple[float, float, float, float]:
    n = math.sqrt(sum(x * x for x in q))
    return (q[0] / n, q[1] / n, q[2] / n, q[3] / n)


def box_on_floor(
    name: str, floor: Any = None, gravity: Any = Z_UP, yaw: float = 0.0, times: int = 1
) -> Mechanism:
    model = case(name)["model"]
    made = bodies(name)
    made[0]["orientation"] = axis_angle((0.0, 0.0, 1.0), yaw)
    size = tuple(float(x) for x in model["bodies"][0]["shape"]["box"])
    return mechanism(
        gravity=gravity,
        bodies=made,
        markers=[{"id": "floor", **(floor or {})}],
        contacts=[
            {
                "type": "box-plane",
                "id": f"C{k}",
                "i": made[0]["id"],
                "j": "floor",
                "size": size,
                "friction": model["contact"]["friction"],
                "restitution": model["contact"]["restitution"],
            }
            for k in range(times)
        ],
    )


@pytest.mark.parametrize("coordinates", ["planar", "spatial"])
def test_k01_block_on_a_slope_does_not_creep(coordinates: str) -> None:
    slope = math.radians(case("K01")["model"]["plane"]["slope_deg"])
    run_data = case("K01")["model"]["run"]
    gravity = (G * math.sin(slope), 0.0, -G * math.cos(slope))
    half = 0.5 * case("K01")["model"]["bodies"][0]["shape"]["box"][2]
    model = box_on_floor("K01", {"position": (0.0, 0.0, -half)}, gravity)
    t_end = run_data["t_end"] if coordinates == "planar" else 10.0
    h = run_data["h"]
    run = simulate(model, h, t_end, stride=100, coordinates=coordinates)
    value, tolerance = expected("K01", "displacement")
    assert run.poses("block")[-1, 0] == pytest.approx(value, abs=tolerance)
    assert np.max(np.abs(run.poses("block")[:, :3])) < tolerance
    for name, channel in (("friction force", "tangential"), ("normal force", "normal")):
        value, tolerance = expected("K01", name)
        force = np.abs(run[f"C0.{channel}_impulse"][1:]) / (100 * h)
        np.testing.assert_allclose(force, value, atol=tolerance)
    assert np.all(run.step_column(STEP_RETRIES) == 0.0)


def test_k03_elastic_ball_keeps_its_height() -> None:
    data = case("K03")["model"]["run"]
    run = simulate(
        mechanism(
            gravity=Z_UP,
            bodies=bodies("K03"),
            contacts=[
                {
                    "type": "sphere-plane",
                    "id": "C",
                    "i": "ball",
                    "j": "ground",
                    "radius": 0.1,
                    "restitution": 1.0,
                }
            ],
        ),
        data["h"],
        data["t_end"],
    )
    height = run.poses("ball")[:, 2] - 0.1
    hits = [e.t for e in run.impacts("C")]
    value, tolerance = expected("K03", "time of first impact")
    assert hits[0] == pytest.approx(value, abs=tolerance)
    peaks = [np.max(height[(run.t > a) & (run.t < b)]) for a, b in itertools.pairwise(hits)]
    values, tolerance = expected("K03", "peak heights")
    # with the first flight, that begins at its peak
    np.testing.assert_allclose(peaks[: len(values) - 1], values[1:], atol=tolerance)
    assert np.ptp(peaks) < 0.02


@pytest.mark.parametrize("yaw", [0.0, 37.0])
@pytest.mark.parametrize("times", [1, 2])
def test_k05_cube_at_rest(yaw: float, times: int) -> None:
    """Four corners, and eight that fall on one another; planar and spatial coordinates by themselves."""
    data = case("K05")["model"]["run"]
    h = data["h"]
    t_end = data["t_end"] if yaw == 0.0 and times == 1 else 10.0
    run = simulate(box_on_floor("K05", yaw=math.radians(yaw), times=times), h, t_end, stride=10)
    value, tolerance = expected("K05", "sum of normal forces")
    total = sum(run[f"C{k}.normal_impulse"][1:] for k in range(times)) / (10 * h)
    np.testing.assert_allclose(total, value, atol=tolerance)
    shift, turn = expected("K05", "shift")[1], expected("K05", "turn")[1]
    start, end = run.poses("cube")[0], run.poses("cube")[-1]
    assert np.max(np.abs(end[:3] - start[:3])) < shift
    assert 2.0 * np.max(np.abs(end[3:] - start[3:])) < turn
    assert np.all(np.isfinite(run.poses("cube")))
    assert np.mean(run.step_column(STEP_RETRIES) > 0.0) < 0.01


@pytest.mark.parametrize("heavy", [1000.0, 1.0])
@pytest.mark.parametrize("yaw", [0.0, 30.0])
def test_k06_heavy_box_on_a_light_one(heavy: float, yaw: float) -> None:
    made = bodies("K06")
    made[1]["mass"]["mass"] = heavy
    made[1]["mass"]["inertia"] = tuple(heavy / 6.0 if k < 3 else 0.0 for k in range(6))
    made[1]["orientation"] = axis_angle((0.0, 0.0, 1.0), math.radians(yaw))
    cube = (1.0, 1.0, 1.0)
    h = 1e-3
    run = simulate(
        mechanism(
            gravity=Z_UP,
            bodies=made,
            contacts=[
                {"type": "box-plane", "id": "F", "i": "low", "j": "ground", "size": cube, "friction": 0.5},
                {
                    "type": "box-box",
                    "id": "B",
                    "i": "high",
                    "j": "low",
                    "size": cube,
                    "size_j": cube,
                    "friction": 0.5,
                },
            ],
        ),
        h,
        2.0,
    )
    assert np.min(run["B.gap"]) > -expected("K06", "overlap")[1]
    tolerance = expected("K06", "interface force")[1] * heavy / 1000.0
    np.testing.assert_allclose(run["B.normal_impulse"][1:] / h, heavy * G, atol=tolerance)
    np.testing.assert_allclose(run["F.normal_impulse"][1:] / h, (heavy + 1.0) * G, atol=tolerance)
    assert np.max(np.abs(run.twists("high")[-1])) < 1e-6
    assert np.all(run.step_column(STEP_RETRIES) < 10.0)


@pytest.mark.parametrize("h", [0.01, 0.001])
@pytest.mark.parametrize("coordinates", ["planar", "spatial"])
def test_k07_sliding_body_does_not_float(h: float, coordinates: str) -> None:
    run = simulate(box_on_floor("K07"), h, 1.0, coordinates=coordinates)
    z = run.poses("block")[:, 2]
    assert np.max(z) - z[0] < expected("K07", "max rise")[1]
    if h == 0.001:
        value, tolerance = expected("K07", "stop distance")
        assert run.poses("block")[-1, 0] == pytest.approx(value, abs=tolerance)
        value, tolerance = expected("K07", "stop time")
        still = run.t[int(np.argmax(np.abs(run.twists("block")[:, 0]) < 1e-9))]
        assert still == pytest.approx(value, abs=tolerance)


@pytest.mark.parametrize("heading", [0.0, 30.0])
@pytest.mark.parametrize("cone", ["circular", "polyhedral"])
def test_k09_ball_slides_then_rolls(heading: float, cone: str) -> None:
    made = bodies("K09")
    a = math.radians(heading)
    v0 = made[0]["velocity"][0]
    made[0]["velocity"] = (v0 * math.cos(a), v0 * math.sin(a), 0.0)
    model = case("K09")["model"]
    run = simulate(
        mechanism(
            gravity=Z_UP,
            bodies=made,
            contacts=[
                {
                    "type": "sphere-plane",
                    "id": "C",
                    "i": "ball",
                    "j": "ground",
                    "radius": 0.1,
                    "friction": model["contact"]["friction"],
                }
            ],
        ),
        1e-3,
        1.0,
        coordinates="spatial",
        cone=cone,
        sides=16,
    )
    end, twist = run.poses("ball")[-1], run.twists("ball")[-1]
    value, tolerance = expected("K09", "speed")
    assert math.hypot(twist[0], twist[1]) == pytest.approx(value, abs=tolerance)
    value, tolerance = expected("K09", "spin")
    assert math.hypot(twist[3], twist[4]) == pytest.approx(value, abs=tolerance)
    rolling = int(np.argmax(run["C.state"] == 1.0))
    value, tolerance = expected("K09", "distance when rolling starts")
    assert math.hypot(*run.poses("ball")[rolling, :2]) == pytest.approx(value, abs=tolerance + 2e-3)
    across = -end[0] * math.sin(a) + end[1] * math.cos(a)
    # a polygon of 16 sides pulls a little to its corner
    assert abs(across) < (1e-9 if cone == "circular" else 5e-3)
    assert np.max(run.poses("ball")[:, 2]) < 0.1 + 1e-4


# --- cases that concern all engines -----------------------------------------------------------------------------------


def test_i02_joint_beyond_its_limit() -> None:
    data = case("I02")["model"]
    low, high = (float(x) for x in data["joints"][0]["limits"])
    model = mechanism(
        bodies=bodies("I02"),
        markers=[
            {"id": "shoe", "body": "block", "orientation": SLIDE_X},
            {"id": "rail", "orientation": SLIDE_X},
        ],
        joints=[{"type": "prismatic", "id": "S", "i": "shoe", "j": "rail"}],
        contacts=[
            {"type": "joint-limit", "id": "L", "joint": "S", "motion": "slide", "lower": low, "upper": high}
        ],
    )
    findings = LcpEngine().check(compile_mechanism(model))
    assert [(f.severity, f.element) for f in findings] == [(Severity.WARNING, "L")]
    run = simulate(model, data["run"]["h"], data["run"]["t_end"])
    inside, _ = expected("I02", "block.x(1.0) within")
    x = run.poses("block")[-1, 0]
    assert inside[0] <= x <= inside[1]
    assert abs(run.twists("block")[-1, 0]) < 1e-3
    assert np.max(run["energy.kinetic"]) < 1e-2


def test_m04_massless_rod_with_a_heavy_bob() -> None:
    data = case("M04")["model"]
    made = bodies("M04")
    # the axis of the pivot is -y
    pivot = multiply(made[0]["orientation"], AXES["y"])
    h = data["run"]["h"]
    run = simulate(
        mechanism(
            gravity=Z_UP,
            bodies=made,
            markers=[
                {"id": "top", "body": "rod", "position": (0.0, 0.0, 0.5), "orientation": AXES["y"]},
                {"id": "end", "body": "rod", "position": (0.0, 0.0, -0.5)},
                {"id": "hook", "orientation": pivot},
                {"id": "seat", "body": "bob", "orientation": made[0]["orientation"]},
            ],
            joints=[
                {"type": "revolute", "id": "P", "i": "top", "j": "hook"},
                {"type": "fixed", "id": "W", "i": "seat", "j": "end"},
            ],
        ),
        h,
        data["run"]["t_end"],
    )
    value, tolerance = expected("M04", "period")
    assert period(run.t, run.poses("bob")[:, 0]) == pytest.approx(value, abs=tolerance)
    assert np.max(run.step_column(STEP_POSITION_ERROR)) < expected("M04", "max joint gap")[1]


def period(t: Any, x: Any) -> float:
    """Mean time from one downward zero crossing to the next."""
    k = np.nonzero((x[:-1] > 0.0) & (x[1:] <= 0.0))[0]
    crossings = t[k] + (t[k + 1] - t[k]) * x[k] / (x[k] - x[k + 1])
    return float(np.mean(np.diff(crossings)))


def test_r02_spin_about_the_intermediate_axis() -> None:
    data = case("R02")["model"]["run"]
    run = simulate(mechanism(bodies=bodies("R02")), data["h"], data["t_end"])
    spin = body_spin(run, "b")
    flips = run.t[1:][np.diff(np.sign(spin[:, 1])) != 0.0]
    values, tolerance = expected("R02", "first three sign changes")
    np.testing.assert_allclose(flips[:3], values, atol=tolerance)
    value, tolerance = expected("R02", "energy")
    np.testing.assert_allclose(run["energy.kinetic"], value, atol=1e-9)
    momentum = np.linalg.norm(spin * [1.0, 2.0, 3.0], axis=1)
    value, tolerance = expected("R02", "angular momentum norm")
    np.testing.assert_allclose(momentum, value, atol=tolerance)
    np.testing.assert_allclose(
        [np.interp(10.0, run.t, spin[:, k]) for k in range(3)], [-0.98673, -0.16360, 0.56992], atol=1e-3
    )


def body_spin(run: Run, body: str) -> Any:
    """Angular velocity in body axes."""
    from scipy.spatial.transform import Rotation

    pose = run.poses(body)
    return Rotation.from_quat(pose[:, [4, 5, 6, 3]]).inv().apply(run.twists(body)[:, 3:])


def test_s03_stiffness_ratio_of_a_million() -> None:
    data = case("S03")["model"]["run"]
    run = simulate(slides(bodies("S03"), [100.0, 1e8]), data["h"], data["t_end"])
    x = run.poses("m1")[:, 0]
    value, tolerance = expected("S03", "m1.x(1.0)")
    assert x[-1] == pytest.approx(value, abs=tolerance)
    assert np.max(np.abs(x)) < 0.1001


def slides(made: list[dict[str, Any]], stiffness: list[float]) -> Mechanism:
    """Bodies on rails along x, each on a spring to the one before: long springs, so that x is their only length."""
    markers, joints, forces = [], [], []
    for k, (body, stiff) in enumerate(zip(made, stiffness, strict=True)):
        before = made[k - 1]["id"] if k else "ground"
        markers += [
            {"id": f"shoe{k}", "body": body["id"], "orientation": SLIDE_X},
            {"id": f"rail{k}", "body": before, "orientation": SLIDE_X},
            {"id": f"anchor{k}", "body": before, "position": (-10.0, 0.0, 0.0)},
        ]
        joints.append({"type": "prismatic", "id": f"P{k}", "i": f"shoe{k}", "j": f"rail{k}"})
        forces.append(
            {
                "type": "sda",
                "id": f"S{k}",
                "i": f"anchor{k}",
                "j": body["id"],
                "stiffness": stiff,
                "free_length": 10.0,
            }
        )
    return mechanism(bodies=made, markers=markers, joints=joints, forces=forces)


def test_s04_undamped_oscillator_over_a_hundred_periods() -> None:
    data = case("S04")["model"]["run"]
    run = simulate(slides(bodies("S04"), [39.4784176]), data["h"], data["t_end"])
    x = run.poses("m")[:, 0]
    value, tolerance = expected("S04", "amplitude")
    assert np.max(np.abs(x[run.t > 99.0])) == pytest.approx(value, abs=tolerance)
    # the springs act by the trapezoidal rule: its lag is known
    value, tolerance = expected("S04", "trapezoidal x(100)")
    assert x[-1] == pytest.approx(value, abs=tolerance)
    np.testing.assert_allclose(run["energy.total"], run["energy.total"][0], rtol=1e-12)


@pytest.mark.parametrize("h", [0.001, 0.01, 0.05])
@pytest.mark.parametrize("coordinates", ["planar", "spatial"])
def test_t02_momentum_at_any_step(h: float, coordinates: str) -> None:
    made = bodies("T02")
    run = simulate(
        mechanism(
            bodies=made,
            markers=[
                {"id": "end_left", "body": "left", "position": (0.5, 0.0, 0.0)},
                {"id": "end_right", "body": "right", "position": (-0.5, 0.0, 0.0)},
            ],
            joints=[{"type": "revolute", "id": "H", "i": "end_left", "j": "end_right"}],
        ),
        h,
        10.0,
        coordinates=coordinates,
    )
    linear = sum(run.twists(b)[:, :3] for b in ("left", "right"))
    assert np.max(np.abs(linear)) < expected("T02", "linear momentum")[1]
    angular = sum(
        run.poses(b)[:, 0] * run.twists(b)[:, 1]
        - run.poses(b)[:, 1] * run.twists(b)[:, 0]
        + made[0]["mass"]["inertia"][2] * run.twists(b)[:, 5]
        for b in ("left", "right")
    )
    value, tolerance = expected("T02", "angular momentum z")
    np.testing.assert_allclose(angular, value, atol=tolerance)
    value, tolerance = expected("T02", "energy")
    assert np.max(run["energy.total"]) < value + tolerance
    if h < 0.05:
        np.testing.assert_allclose(run["energy.total"], value, atol=tolerance)


@pytest.mark.parametrize("h", [0.01, 0.001, 0.0001])
def test_t03_pendulum_at_any_step(h: float) -> None:
    made = bodies("T03")
    run = simulate(
        mechanism(
            gravity=(0.0, -G, 0.0),
            bodies=made,
            markers=[{"id": "top", "body": "rod", "position": (0.0, 0.5, 0.0)}],
            joints=[{"type": "revolute", "id": "P", "i": "top", "j": "ground"}],
        ),
        h,
        10.0,
    )
    angle = np.degrees(run.angle("rod"))
    value, tolerance = expected("T03", "period")
    assert period(run.t, angle) == pytest.approx(value, abs=tolerance)
    assert np.max(angle[run.t > 8.5]) == pytest.approx(30.0, abs=0.3)
    if h <= 1e-3:
        value, tolerance = expected("T03", "angle deg (10.0)")
        assert angle[-1] == pytest.approx(value, abs=tolerance)
