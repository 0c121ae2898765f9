"""Nonsmooth benchmarks with known answers: cases 1 to 18 of the contact reference, in its order."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.validation.contact_runs import FACE_UP, G, Run, given, mechanism, reference, simulate

from linkwright.document.mechanism import Mechanism
from linkwright.document.rotation import Quat, axis_angle, multiply
from linkwright.kernels.layout import STEP_RETRIES

IMPACT_1M = math.sqrt(2.0 / G)
"""Time of fall over 1 m [s]."""


def ball(e: float, height: float = 1.0, radius: float = 0.1, gravity: float = G) -> Mechanism:
    """A ball whose lowest point begins at the height above a floor, gravity along -y."""
    return mechanism(
        gravity=(0.0, -gravity, 0.0),
        bodies=[{"id": "ball", "position": (0.0, height + radius, 0.0), "mass": given(1.0, 0.4 * radius**2)}],
        markers=[{"id": "floor", "orientation": FACE_UP}],
        contacts=[
            {"type": "sphere-plane", "id": "C", "i": "ball", "j": "floor", "radius": radius, "restitution": e}
        ],
    )


# --- 1, 2: bouncing ball ----------------------------------------------------------------------------------------------


def test_01_bouncing_ball() -> None:
    data = reference("bouncing_ball")
    h = 1e-4
    run = simulate(ball(0.9), h, 9.0)
    times = data["reference"]["impact_times"]
    impacts = run.impacts("C")
    for k, (event, t) in enumerate(zip(impacts, times, strict=False)):
        # every hit is found up to a step late, and its lateness goes into the next flight
        assert event.t == pytest.approx(t, abs=2 * h * (k + 1))
        assert event.values["approach"] == pytest.approx(0.9**k * G * IMPACT_1M, abs=2 * G * h)
        assert event.values["departure"] == pytest.approx(0.9 * event.values["approach"], rel=1e-12)
    rest = data["reference"]["zeno_time"]
    assert rest == pytest.approx(IMPACT_1M * 1.9 / 0.1)
    height = run.poses("ball")[:, 1] - 0.1
    assert np.max(np.abs(height[run.t > rest + 0.05])) < 2e-4
    assert np.max(np.abs(run.twists("ball")[run.t > rest + 0.1, 1])) < 1e-9
    assert abs(run["energy.balance_error"][-1]) < 1e-10


def test_01_first_rows_of_the_published_record() -> None:
    """Siconos, step 5 ms: the first steps, first impulse at 0.455 s, under 0.01 m from 7.68 s on."""
    run = simulate(ball(0.9), 5e-3, 9.0)
    for t, height, speed in reference("bouncing_ball")["reference"]["moreau_first_rows"]:
        # the record starts from digits of its own: 1e-11
        assert run.at(run.poses("ball")[:, 1] - 0.1, t) == pytest.approx(height, abs=1e-10)
        assert run.at(run.twists("ball")[:, 1], t) == pytest.approx(speed, abs=1e-12)
    assert run.impacts("C")[0].t == pytest.approx(0.455, abs=5e-3 + 1e-12)
    height = run.poses("ball")[:, 1] - 0.1
    # the last bounces above 0.01 m: the published run lies 1.4e-2 m (mean) from the exact curve
    assert run.t[np.nonzero(height > 0.01)[0][-1]] == pytest.approx(7.68, abs=0.15)


def test_02_bouncing_ball_half() -> None:
    run = simulate(ball(0.5), 1e-4, 1.6)
    height = run.poses("ball")[:, 1] - 0.1
    hits = [e.t for e in run.impacts("C")]
    for n in range(1, 5):
        between = (run.t > hits[n - 1]) & (run.t < hits[n])
        assert np.max(height[between]) == pytest.approx(0.25**n, abs=5e-4)
    assert np.max(np.abs(height[run.t > 3.0 * IMPACT_1M + 0.02])) < 2e-4


# --- 3 to 6: rest, sliding, rolling -----------------------------------------------------------------------------------


def test_03_ball_at_rest() -> None:
    h = 1e-3
    run = simulate(ball(0.0, height=0.0), h, 2.0)
    np.testing.assert_allclose(run["C.normal_impulse"][2:], G * h, rtol=1e-12)
    assert np.max(np.abs(run.twists("ball")[2:])) < 1e-15
    assert np.max(np.abs(run.poses("ball")[:, 1] - 0.1)) < G * h**2


def block(
    slope: float,
    mu: float,
    v0: float = 0.0,
    belt: float = 0.0,
    static: float | None = None,
    size: float = 0.1,
) -> Mechanism:
    """A block of 1 kg on a plane that falls along x; x along the slope, y across, gravity turned with it."""
    half = 0.5 * size
    return mechanism(
        gravity=(G * math.sin(slope), -G * math.cos(slope), 0.0),
        bodies=[
            {
                "id": "block",
                "position": (0.0, half, 0.0),
                "velocity": (v0, 0.0, 0.0),
                "mass": given(1.0, size**2 / 6),
            }
        ],
        markers=[
            {"id": "box", "body": "block", "orientation": FACE_UP},
            {"id": "floor", "orientation": FACE_UP},
        ],
        contacts=[
            {
                "type": "box-plane",
                "id": "C",
                "i": "box",
                "j": "floor",
                "size": (size, size, size),
                "friction": mu,
                "static_friction": static,
                "surface_velocity": (belt, 0.0),
            }
        ],
    )


@pytest.mark.parametrize(("v0", "mu"), [(2.0, 0.3), (3.0, 0.3)])
@pytest.mark.parametrize("coordinates", ["planar", "spatial"])
def test_04_sliding_block(v0: float, mu: float, coordinates: str) -> None:
    h = 1e-3
    stop, path = v0 / (mu * G), v0**2 / (2.0 * mu * G)
    if v0 == 3.0:
        data = reference("coulomb_closed_forms")["reference"]["block"]
        assert (stop, path) == pytest.approx((data["stop_time"], data["stop_distance"]))
    run = simulate(block(0.0, mu, v0, size=0.02), h, stop + 0.5, coordinates=coordinates)
    x, v = run.poses("block")[:, 0], run.twists("block")[:, 0]
    # constant force: the midpoint rule is exact until the step in which it stops
    assert x[-1] == pytest.approx(path, abs=v0 * h)
    stopped = run.t[int(np.argmax(np.abs(v) < 1e-9))]
    assert stopped == pytest.approx(stop, abs=h)
    assert np.max(np.abs(x[run.t > stop + h] - x[-1])) < 1e-12
    moving = run.t < stop - h
    np.testing.assert_allclose(v[moving], v0 - mu * G * run.t[moving], atol=1e-9)


@pytest.mark.parametrize("mu", [0.5, 0.4, 0.5773, 0.57736, 0.6])
def test_05_block_on_an_incline(mu: float) -> None:
    slope = math.radians(30.0)
    run = simulate(block(slope, mu, size=0.02), 1e-3, 1.0)
    v = run.twists("block")[-1, 0]
    if mu > math.tan(slope):
        assert abs(v) < 1e-12
        assert abs(run.poses("block")[-1, 0]) < 1e-6
        assert run["C.state"][-1] == 1.0
    else:
        acceleration = G * (math.sin(slope) - mu * math.cos(slope))
        if mu == 0.5:
            assert acceleration == pytest.approx(0.657145, abs=1e-6)
        assert v == pytest.approx(acceleration, rel=1e-3, abs=1e-6)
        assert run["C.state"][-1] == 2.0


def test_05_time_down_the_incline() -> None:
    data = reference("coulomb_closed_forms")["reference"]["incline"]
    run = simulate(block(math.radians(30.0), 0.4, size=0.02), 1e-3, 1.8)
    x = run.poses("block")[:, 0]
    k = int(np.argmax(x >= 2.0))
    assert run.t[k] == pytest.approx(data["mu_0_4_time_for_2m"], abs=2e-3)


def roller(v0: float, mu: float, inertia: float, radius: float = 0.1, heading: float = 0.0) -> Mechanism:
    """A round body of 1 kg set on a floor without spin, gravity along -y."""
    return mechanism(
        gravity=(0.0, -G, 0.0),
        bodies=[
            {
                "id": "ball",
                "position": (0.0, radius, 0.0),
                "velocity": (v0 * math.cos(heading), 0.0, -v0 * math.sin(heading)),
                "mass": given(1.0, inertia * radius**2),
            }
        ],
        markers=[{"id": "floor", "orientation": FACE_UP}],
        contacts=[
            {"type": "sphere-plane", "id": "C", "i": "ball", "j": "floor", "radius": radius, "friction": mu}
        ],
    )


@pytest.mark.parametrize(("inertia", "part"), [(0.5, 3.0), (0.4, 3.5)])
@pytest.mark.parametrize("coordinates", ["planar", "spatial"])
def test_06_sliding_into_rolling(inertia: float, part: float, coordinates: str) -> None:
    """Disc: rolls from v0 / (3 mu g) with 2 v0 / 3; sphere: 2 v0 / (7 mu g) with 5 v0 / 7."""
    v0, mu, h = 3.0, 0.2, 1e-3
    start, speed = v0 / (part * mu * G), v0 * (1.0 - 1.0 / part)
    run = simulate(roller(v0, mu, inertia), h, start + 0.5, coordinates=coordinates)
    v = run.twists("ball")
    assert v[-1, 0] == pytest.approx(speed, rel=1e-9)
    assert v[-1, 5] == pytest.approx(-speed / 0.1, rel=1e-5)
    rolling = run.t[int(np.argmax(run["C.state"] == 1.0))]
    assert rolling == pytest.approx(start, abs=2 * h)


def test_06_published_sphere() -> None:
    case = reference("coulomb_closed_forms")
    v0, mu = case["definition"]["sphere"]["v0"], case["definition"]["sphere"]["mu"]
    told = case["reference"]["sphere"]
    run = simulate(roller(v0, mu, 0.4), 1e-3, 1.0)
    assert run.twists("ball")[-1, 0] == pytest.approx(told["speed_then"], rel=1e-9)
    assert -run.twists("ball")[-1, 5] == pytest.approx(told["spin_then"], rel=1e-5)
    assert run.at(run.poses("ball")[:, 0], told["rolling_starts_at"]) == pytest.approx(
        told["distance_then"], abs=1e-5
    )


# --- 7, 8: oblique impacts --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("inertia", "part"), [(0.5, 3.0), (0.4, 3.5)])
@pytest.mark.parametrize(("en", "et"), [(0.0, 0.0), (0.6, 0.0), (0.6, 0.5), (1.0, 1.0)])
@pytest.mark.parametrize("vt", [0.5, 2.0, 20.0, -2.0])
@pytest.mark.parametrize("coordinates", ["planar", "spatial"])
def test_07_oblique_impact(
    inertia: float, part: float, en: float, et: float, vt: float, coordinates: str
) -> None:
    m, mu, vn, r = 1.0, 0.3, -2.0, 0.1
    model = roller(0.0, mu, inertia, r).model_dump()
    model["gravity"] = (0.0, 0.0, 0.0)
    model["bodies"][0]["velocity"] = (vt, vn, 0.0)
    model["bodies"][0]["position"] = (0.0, r + 1e-9, 0.0)
    model["contacts"][0].update({"restitution": en, "tangential_restitution": et})
    run = simulate(mechanism(**model), 1e-6, 2e-6, coordinates=coordinates)
    before, after = run.twists("ball")[0], run.twists("ball")[-1]
    normal = m * (after[1] - before[1])
    tangential = m * (after[0] - before[0])
    assert normal == pytest.approx(m * (1.0 + en) * abs(vn), rel=1e-9)
    slip_after = after[0] + r * after[5]
    if (1.0 + et) * abs(vt) <= part * mu * (1.0 + en) * abs(vn):
        assert slip_after == pytest.approx(-et * vt, abs=1e-6)
        assert tangential == pytest.approx(-(1.0 + et) * m * vt / part, rel=1e-6)
    else:
        assert tangential == pytest.approx(-math.copysign(mu * normal, vt), rel=1e-9)


def rod(
    angle: float, mu: float, e: float, velocity: tuple[float, float], length: float = 1.0, spin: float = 0.0
) -> Mechanism:
    """A uniform rod of 1 kg whose lower end stands just above a floor, leaning by `angle` from it."""
    x, y = 0.5 * length * math.cos(angle), 0.5 * length * math.sin(angle)
    moment = length**2 / 12.0
    return mechanism(
        bodies=[
            {
                "id": "rod",
                "position": (x, y + 1e-12, 0.0),
                "orientation": axis_angle((0.0, 0.0, 1.0), angle),
                "velocity": (*velocity, 0.0),
                "angular_velocity": (0.0, 0.0, spin),
                "mass": given(1.0, 1e-3 * moment, moment, moment),
            }
        ],
        markers=[
            {"id": "tip", "body": "rod", "position": (-0.5 * length, 0.0, 0.0)},
            {"id": "floor", "orientation": FACE_UP},
        ],
        contacts=[
            {"type": "corner-plane", "id": "C", "i": "tip", "j": "floor", "friction": mu, "restitution": e}
        ],
    )


@pytest.mark.parametrize("angle", [0.0, 20.0, 45.0, 80.0, 90.0])
@pytest.mark.parametrize("e", [0.0, 0.7, 1.0])
def test_08_rod_end_hits_a_floor(angle: float, e: float) -> None:
    a, vn = math.radians(angle), -1.5
    run = simulate(rod(a, 0.0, e, (0.3, vn)), 1e-7, 3e-7)
    impulse = np.sum(run["C.normal_impulse"])
    assert impulse == pytest.approx((1.0 + e) * abs(vn) / (1.0 + 3.0 * math.cos(a) ** 2), rel=1e-5)
    if e == 1.0:
        assert run["energy.total"][-1] == pytest.approx(run["energy.total"][0], rel=1e-6)


# --- 9 to 11: rows of balls -------------------------------------------------------------------------------------------


def row_of_balls(masses: list[float], gaps: list[float], e: float, speed: float = 1.0) -> Mechanism:
    """Balls in a row along x; the first one moves."""
    r = 0.05
    places = list(itertools.accumulate([0.0, *(2.0 * r + gap for gap in gaps)]))
    bodies = [
        {
            "id": f"b{k}",
            "position": (x, 0.0, 0.0),
            "velocity": (speed if k == 0 else 0.0, 0.0, 0.0),
            "mass": given(m, 0.4 * m * r * r),
        }
        for k, (m, x) in enumerate(zip(masses, places, strict=True))
    ]
    contacts = [
        {
            "type": "sphere-sphere",
            "id": f"C{k}",
            "i": f"b{k + 1}",
            "j": f"b{k}",
            "radius": r,
            "radius_j": r,
            "restitution": e,
        }
        for k in range(len(masses) - 1)
    ]
    return mechanism(bodies=bodies, contacts=contacts)


def speeds(run: Run) -> list[float]:
    return [float(run.twists(b)[-1, 0]) for b in run.bodies]


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("coordinates", ["planar", "spatial"])
def test_09_three_touching_balls(e: float, coordinates: str) -> None:
    run = simulate(row_of_balls([1.0] * 3, [0.0, 0.0], e), 1e-6, 1e-6, coordinates=coordinates)
    assert speeds(run) == pytest.approx([(1 - 2 * e) / 3, (1 + e) / 3, (1 + e) / 3], abs=1e-9)
    if e == 1.0:
        assert run["energy.total"][-1] == pytest.approx(0.5, abs=1e-12)


def test_10_five_touching_balls_and_the_cradle() -> None:
    together = simulate(row_of_balls([1.0] * 5, [0.0] * 4, 1.0), 1e-6, 1e-6)
    assert speeds(together) == pytest.approx([-0.6, 0.4, 0.4, 0.4, 0.4], abs=1e-9)
    apart = simulate(row_of_balls([1.0] * 5, [1e-4] * 4, 1.0), 1e-6, 1e-3)
    assert speeds(apart) == pytest.approx([0.0, 0.0, 0.0, 0.0, 1.0], abs=1e-9)


@pytest.mark.parametrize(("m1", "m2", "e"), [(1.0, 2.0, 0.5), (3.0, 1.0, 1.0), (1.0, 1.0, 0.0)])
def test_11_two_balls(m1: float, m2: float, e: float) -> None:
    v = 2.0
    run = simulate(row_of_balls([m1, m2], [1e-4], e, v), 1e-6, 1e-3)
    assert speeds(run) == pytest.approx(
        [(m1 - e * m2) * v / (m1 + m2), (1 + e) * m1 * v / (m1 + m2)], abs=1e-9
    )


# --- 12, 13: oscillators with friction --------------------------------------------------------------------------------


def oscillator(
    k: float, x0: float, mu: float, static: float | None, normal: float, belt: float = 0.0
) -> Mechanism:
    """A block of 1 kg on a spring along x, pressed on a floor or belt; free length so that x = 0 is relaxed."""
    model = block(0.0, mu, 0.0, belt, static, size=0.02).model_dump()
    model["gravity"] = (0.0, -normal, 0.0)
    model["bodies"][0]["position"] = (x0, 0.01, 0.0)
    model["markers"] = [*model["markers"], {"id": "foot", "body": "block", "position": (0.0, 0.0, 0.0)}]
    # a long spring stays along x while the block moves
    model["markers"] += [{"id": "anchor", "position": (-10.0, 0.01, 0.0)}]
    model["forces"] = [
        {"type": "sda", "id": "S", "i": "anchor", "j": "foot", "stiffness": k, "free_length": 10.0}
    ]
    return mechanism(**model)


def test_12_spring_slider_with_coulomb_friction() -> None:
    """m = k = 1, F = 0.1, x0 = 1: turning points -0.8, 0.6, -0.4, 0.2 every pi, at rest at 0 from 5 pi on."""
    run = simulate(oscillator(1.0, 1.0, 0.01, None, 10.0), 1e-3, 6.0 * math.pi)
    x = run.poses("block")[:, 0]
    for n, turn in enumerate((1.0, -0.8, 0.6, -0.4, 0.2, 0.0)):
        assert run.at(x, n * math.pi) == pytest.approx(turn, abs=2e-3)
    assert np.max(np.abs(x[run.t > 5.0 * math.pi + 0.1] - x[-1])) < 1e-9
    assert abs(run["energy.balance_error"][-1]) < 1e-3


def test_13_stick_slip_on_a_belt() -> None:
    """m = k = 1, belt 0.2 m/s, 1 N static and 0.5 N sliding: slip 3.902605 s, stick 5 s."""
    k, belt, normal, d = 1.0, 0.2, 10.0, 0.5
    run = simulate(oscillator(k, 0.0, 0.05, 0.1, normal, belt), 1e-3, 40.0)
    slip = math.pi + 2.0 * math.atan(k * belt / (1.0 * d))
    assert slip == pytest.approx(3.902605, abs=1e-6)
    state = run["C.state"]
    changes = run.t[1:][np.diff(state) != 0.0]
    kinds = state[1:][np.diff(state) != 0.0]
    sticks = changes[kinds == 1.0]
    # the belt takes the block along from rest first
    begins = changes[(kinds == 2.0) & (changes > sticks[0])]
    sticks = sticks[1:]
    for a, b in zip(begins[:3], sticks[:3], strict=True):
        assert b - a == pytest.approx(slip, abs=0.02)
    for a, b in zip(sticks[:3], begins[1:4], strict=True):
        assert b - a == pytest.approx(2.0 * d / (k * belt), abs=0.02)
    # what the belt gives is lost in friction, but for what the spring holds
    gain = run["energy.force_work"][-1] - run["energy.friction_loss"][-1]
    assert gain == pytest.approx(run["energy.total"][-1] - run["energy.total"][0], abs=2e-3)


# --- 14, 15: between walls --------------------------------------------------------------------------------------------


def between_walls(
    gap: float, e: float, velocity: tuple[float, float], height: float | None = None
) -> Mechanism:
    """A ball between walls across x, and across y where a height is given; no gravity."""
    r = 0.05
    half = 0.5 * gap + r
    walls = [("left", (-half, 0.0, 0.0), (1.0, 0.0)), ("right", (half, 0.0, 0.0), (-1.0, 0.0))]
    if height is not None:
        up = 0.5 * height + r
        walls += [("low", (0.0, -up, 0.0), (0.0, 1.0)), ("high", (0.0, up, 0.0), (0.0, -1.0))]
    markers, contacts = [], []
    for name, at, (nx, ny) in walls:
        across: Quat = multiply(
            axis_angle((0.0, 0.0, 1.0), math.atan2(ny, nx)), axis_angle((0.0, 1.0, 0.0), math.pi / 2)
        )
        markers.append({"id": name, "position": at, "orientation": across})
        contacts.append(
            {"type": "sphere-plane", "id": f"C_{name}", "i": "ball", "j": name, "radius": r, "restitution": e}
        )
    return mechanism(
        bodies=[{"id": "ball", "velocity": (*velocity, 0.0), "mass": given(1.0, 0.4 * r * r)}],
        markers=markers,
        contacts=contacts,
    )


def test_14_ball_between_walls_folds_its_line() -> None:
    gap, height, h = 1.0, 0.6, 1e-4
    vx, vy = 1.3, 0.7
    run = simulate(between_walls(gap, 1.0, (vx, vy), height), h, 6.0)

    def folded(distance: np.ndarray, width: float) -> np.ndarray:
        return np.abs((distance + 0.5 * width - width) % (2.0 * width) - width) - 0.5 * width

    hits = 6.0 * vx / gap
    for axis, v, width in ((0, vx, gap), (1, vy, height)):
        # each hit is a step late at most
        np.testing.assert_allclose(
            run.poses("ball")[:, axis], folded(v * run.t, width), atol=2 * h * v * hits
        )
        np.testing.assert_allclose(np.abs(run.twists("ball")[:, axis]), v, rtol=1e-12)
    assert run["energy.total"][-1] == pytest.approx(run["energy.total"][0], rel=1e-12)


def test_15_ball_between_walls_slows_down() -> None:
    gap, e, v, h = 0.5, 0.8, 2.0, 1e-4
    run = simulate(between_walls(gap, e, (v, 0.0)), h, 3.0)
    hits = sorted((*run.impacts("C_left"), *run.impacts("C_right")), key=lambda event: event.t)
    assert len(hits) == 6
    for n, (a, b) in enumerate(itertools.pairwise(hits), 1):
        assert a.values["departure"] == pytest.approx(v * e**n, rel=1e-12)
        assert b.t - a.t == pytest.approx(gap / (v * e**n), abs=2 * h)


# --- 16: vibrating table ----------------------------------------------------------------------------------------------


def test_16_one_bounce_orbit_on_a_vibrating_table() -> None:
    """A table 1e6 times as heavy swings on a spring; the ball hits once a period at the phase of the orbit."""
    e, w, amplitude = 0.5, 20.0, 0.035
    period = 2.0 * math.pi / w
    assert amplitude * w * w >= math.pi * G * (1.0 - e) / (1.0 + e)
    phase = math.acos(math.pi * G * (1.0 - e) / (amplitude * w * w * (1.0 + e)))
    mass, r = 1e6, 0.02
    y0, v_table = amplitude * math.sin(phase), amplitude * w * math.cos(phase)
    leave = v_table + e * G * period / (1.0 + e)
    run = simulate(
        mechanism(
            gravity=(0.0, -G, 0.0),
            bodies=[
                {
                    "id": "table",
                    "position": (0.0, y0, 0.0),
                    "velocity": (0.0, v_table, 0.0),
                    "mass": given(mass, 1e5),
                },
                {
                    "id": "ball",
                    "position": (0.0, y0 + r, 0.0),
                    "velocity": (0.0, leave, 0.0),
                    "mass": given(1.0, 1e-4),
                },
            ],
            markers=[
                {"id": "top", "body": "table", "orientation": FACE_UP},
                {"id": "anchor", "position": (0.0, -10.0, 0.0)},
                {"id": "rail", "orientation": FACE_UP},
                {"id": "shoe", "body": "table", "orientation": FACE_UP},
            ],
            joints=[{"type": "prismatic", "id": "P", "i": "shoe", "j": "rail"}],
            forces=[
                # relaxed so that the table rests at y = 0
                {
                    "type": "sda",
                    "id": "S",
                    "i": "anchor",
                    "j": "table",
                    "stiffness": mass * w * w,
                    "free_length": 10.0 + G / (w * w),
                }
            ],
            contacts=[
                {"type": "sphere-plane", "id": "C", "i": "ball", "j": "top", "radius": r, "restitution": e}
            ],
        ),
        1e-4,
        12.5 * period,
    )
    hits = run.impacts("C", above=0.05)
    assert len(hits) == 12
    for n, hit in enumerate(hits, 1):
        assert hit.t == pytest.approx(n * period, abs=2e-3)
        assert hit.values["approach"] == pytest.approx(G * period / (1.0 + e), rel=0.01)


# --- 17: rocking block ------------------------------------------------------------------------------------------------


def rocking_block(
    tilt: float, b: float = 0.1, height: float = 0.4, e: float = 0.0, mu: float = 10.0
) -> Mechanism:
    """A rigid block of half width b and half height, turned by `tilt` about its right lower corner."""
    radius = math.hypot(b, height)
    inertia = radius**2 / 3.0
    # the right lower corner stays at (b, 0) while the block turns clockwise about it
    turn = -tilt
    rel = np.array(
        [math.cos(turn) * -b - math.sin(turn) * height, math.sin(turn) * -b + math.cos(turn) * height]
    )
    return mechanism(
        gravity=(0.0, -G, 0.0),
        bodies=[
            {
                "id": "block",
                "position": (b + float(rel[0]), float(rel[1]), 0.0),
                "orientation": axis_angle((0.0, 0.0, 1.0), turn),
                "mass": given(1.0, inertia),
            }
        ],
        markers=[
            {"id": "left", "body": "block", "position": (-b, -height, 0.0)},
            {"id": "right", "body": "block", "position": (b, -height, 0.0)},
            {"id": "floor", "orientation": FACE_UP},
        ],
        contacts=[
            {
                "type": "corner-plane",
                "id": f"C_{name}",
                "i": name,
                "j": "floor",
                "friction": mu,
                "restitution": e,
            }
            for name in ("left", "right")
        ],
    )


def test_17_rocking_block() -> None:
    b, height, h = 0.1, 0.4, 1e-5
    a = math.atan(b / height)
    r = 1.0 - 1.5 * math.sin(a) ** 2
    assert r == pytest.approx(0.911765, abs=1e-6)
    run = simulate(rocking_block(a / 2), h, 1.2)
    w = run.twists("block")[:, 5]
    hits = run.impacts("C_left", above=0.05)
    t1 = hits[0].t
    assert t1 == pytest.approx(0.312309, abs=3e-4)
    k = int(np.searchsorted(run.t, t1))
    before, after = w[k - 3], w[k + 3]
    assert abs(before) == pytest.approx(0.893414, abs=2e-3)
    assert after / before == pytest.approx(r, abs=2e-3)
    total = run["energy.total"]
    floor = G * height
    assert (total[k + 3] - floor) / (total[k - 3] - floor) == pytest.approx(r * r, abs=4e-3)
    assert np.all(run.step_column(STEP_RETRIES) < 10.0)


# --- 18: Painleve rod -------------------------------------------------------------------------------------------------


def painleve_limit(angle: float) -> float:
    """Friction above which the sliding rod has no or several accelerations."""
    return (1.0 + 3.0 * math.cos(angle) ** 2) / (3.0 * math.sin(angle) * math.cos(angle))


def test_18_painleve_limit_of_the_formula() -> None:
    angles = np.radians(np.linspace(1.0, 89.0, 100_000))
    limits = [painleve_limit(a) for a in angles]
    assert min(limits) == pytest.approx(4.0 / 3.0, abs=1e-6)
    assert math.degrees(angles[int(np.argmin(limits))]) == pytest.approx(63.4349, abs=1e-2)


@pytest.mark.parametrize("angle", [30.0, 55.0, 63.4349, 75.0])
@pytest.mark.parametrize("mu", [0.5, 1.3, 1.5, 2.5])
@pytest.mark.parametrize("slide", [-3.0, 3.0])
@pytest.mark.parametrize("e", [0.0, 0.5])
def test_18_painleve_rod_never_hangs(angle: float, mu: float, slide: float, e: float) -> None:
    """Sliding either way at any friction: every step is solved, by impact if need be, and nothing sinks or explodes."""
    a = math.radians(angle)
    model = rod(a, mu, e, (slide, 0.0)).model_dump()
    model["gravity"] = (0.0, -G, 0.0)
    h = 1e-4
    run = simulate(mechanism(**model), h, 0.3)
    assert np.all(np.isfinite(run["energy.total"]))
    assert np.min(run["C.gap"]) > -6.0 * h * 3.0
    assert np.mean(run.step_column(STEP_RETRIES) > 0.0) < 0.01
    if e == 0.0:
        assert np.max(np.diff(run["energy.total"])) < 1e-3


def test_18_below_the_limit_it_follows_the_equations() -> None:
    """Friction below the paradox: the sliding rod against its equations of motion, integrated here."""
    a0, mu, v0 = math.radians(60.0), 0.6, -3.0
    assert mu < painleve_limit(a0)
    model = rod(a0, mu, 0.0, (v0, 0.0)).model_dump()
    model["gravity"] = (0.0, -G, 0.0)
    h, t_end = 1e-5, 0.1
    run = simulate(mechanism(**model), h, t_end)

    def rates(_t: float, y: Any) -> list[float]:
        # lower end slides along -x, friction +mu N; y = angle, rate, centre velocity along x, centre x
        angle, w, vx, _ = y
        s, c = 0.5 * math.sin(angle), 0.5 * math.cos(angle)
        # centre height s: y'' = c w' - s w^2; N = g + y''; moment about the centre: -N c + mu N s = w' / 12
        k = 12.0 * (-c + mu * s)
        n = (G - s * w * w) / (1.0 - c * k)
        return [w, k * n, mu * n, vx]

    exact = solve_ivp(rates, (0.0, t_end), [a0, 0.0, v0, 0.0], rtol=1e-10, atol=1e-12)
    assert np.all(run.step_column(STEP_RETRIES) == 0.0)
    assert run.angle("rod")[-1] == pytest.approx(exact.y[0, -1], abs=2e-4)
    assert run.twists("rod")[-1, 0] == pytest.approx(exact.y[2, -1], abs=2e-3)
