"""The implicit engine: starts, failures, live changes, rows, and motions with closed solutions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ellipj, ellipk
from tests.validation.mechanisms import slider_crank, study_options, tensegrity
from tests.validation.study import run

from linkwright.compiler.compile import compile_mechanism
from linkwright.document.bodies import Body, Marker, MassGiven
from linkwright.document.mechanism import Mechanism
from linkwright.document.rotation import axis_angle
from linkwright.document.settings import NewmarkOptions
from linkwright.elements.forces import Sda
from linkwright.elements.joints import Fixed, Revolute, Spherical
from linkwright.engines.base import Engine, engine, start_frame
from linkwright.engines.newmark import NewmarkEngine, NewmarkWorkspace
from linkwright.engines.state import STEP_COLUMNS, Frame, RowBlock, State, StepReport
from linkwright.errors import OptionError, RunError
from linkwright.findings import Severity

GRAVITY = 9.81


def pendulum(angle: float, omega: float = 0.0, **changes: object) -> Mechanism:
    """A rod of 1 m and 2 kg that swings about y at the origin; the angle is from hanging."""
    turn = axis_angle((0.0, 1.0, 0.0), -angle)
    position = (0.5 * math.sin(angle), 0.0, -0.5 * math.cos(angle))
    inertia = 2.0 / 12.0
    rod = Body(
        id="rod",
        position=position,
        orientation=turn,
        velocity=(0.5 * omega * math.cos(angle), 0.0, 0.5 * omega * math.sin(angle)),
        angular_velocity=(0.0, -omega, 0.0),
        mass=MassGiven(mass=2.0, inertia=(inertia, inertia, 1e-3, 0.0, 0.0, 0.0)),
    )
    y_axis = axis_angle((1.0, 0.0, 0.0), -math.pi / 2)
    return Mechanism.model_validate(
        {
            "gravity": (0.0, 0.0, -GRAVITY),
            "bodies": (rod,),
            "markers": (
                Marker(id="top", body="rod", position=(0.0, 0.0, 0.5), orientation=y_axis),
                Marker(id="pivot", body="ground", orientation=y_axis),
            ),
            "joints": (Revolute(id="pin", i="top", j="pivot"),),
            **changes,
        }
    )


def prepared(
    mechanism: Mechanism, h: float = 0.01, **options: object
) -> tuple[NewmarkEngine, NewmarkWorkspace, State, StepReport]:
    it = NewmarkEngine()
    model = compile_mechanism(mechanism)
    work = it.prepare(model, mechanism.settings.newmark.replaced(**options), h)
    state, report = it.initialise(work, start_frame(model))
    return it, work, state, report


def block_for(work: NewmarkWorkspace, steps: int = 100) -> RowBlock:
    return RowBlock.allocate(
        work.model.n_body, len(work.model.channel_names), steps, residuals=20 * steps + 30
    )


def column(rows: RowBlock, name: str) -> np.ndarray:
    return rows.steps[: rows.count[0], STEP_COLUMNS.index(name)]


# ------------------------------------------------------------------------------------------------ closed solutions
@pytest.mark.parametrize("projection", [False, True])
def test_large_swing_of_a_pendulum(projection: bool) -> None:
    # theta = 2 asin(k sn(K - w t)), w^2 = m g s / J with J about the pivot
    angle = 2.0
    w = math.sqrt(2.0 * GRAVITY * 0.5 / (2.0 / 3.0))
    m = math.sin(angle / 2) ** 2
    errors = []
    for h in (4e-3, 2e-3):
        result = run(pendulum(angle), steps=round(2.0 / h), h=h, projection=projection)
        t = result.rows.frame_t
        exact = 2 * np.arcsin(math.sqrt(m) * ellipj(ellipk(m) - w * t, m)[0])
        pose = result.pose("rod")
        errors.append(np.abs(np.arctan2(pose[:, 0], -pose[:, 2]) - exact).max())
        assert np.abs(result.channel("energy.balance_error")).max() < 2e-2 * (h / 4e-3) ** 2 * 20
    # second order: the error at 4 ms is 2e-3 rad, and four times less at 2 ms
    assert errors[0] < 4e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)


def test_long_run_with_projection_keeps_the_constraints() -> None:
    result = run(pendulum(2.0), steps=20000, h=5e-3, projection=True, stride=100)
    assert result.steps == 20000
    assert column(result.rows, "velocity_error").max() < 1e-12
    assert column(result.rows, "acceleration_error").max() < 1e-9
    assert column(result.rows, "position_error").max() < 1e-9
    assert column(result.rows, "solves").max() <= 3


def test_free_body_keeps_its_angular_momentum() -> None:
    mass = MassGiven(mass=1.0, inertia=(1.0, 2.0, 3.0, 0.1, -0.2, 0.3))
    body = Body(id="b", mass=mass, angular_velocity=(0.3, 2.0, 0.1))
    result = run(Mechanism(gravity=(0.0, 0.0, 0.0), bodies=(body,)), steps=2000, h=2e-3)
    tensor = np.array([[1.0, 0.1, -0.2], [0.1, 2.0, 0.3], [-0.2, 0.3, 3.0]])
    momenta = []
    for pose, twist in zip(result.pose("b"), result.rows.twists[:, 0], strict=True):
        s, u = pose[3], pose[4:]
        cross = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
        rot = np.eye(3) + 2 * s * cross + 2 * cross @ cross
        momenta.append(rot @ tensor @ rot.T @ twist[3:])
    start = tensor @ [0.3, 2.0, 0.1]
    # the method is of second order: (omega h)^2 = 2e-5
    assert np.abs(np.array(momenta) - start).max() < 1e-4
    assert np.abs(result.channel("energy.balance_error")).max() < 1e-4


# ------------------------------------------------------------------------------------------------ starts
def test_start_report_and_frame() -> None:
    it, work, state, report = prepared(pendulum(0.5, omega=1.0))
    assert (report.t, report.h, report.evaluations) == (0.0, 0.0, 0)
    assert report.position_error < 1e-14
    assert report.velocity_error < 1e-14
    frame = Frame.empty(1, len(work.model.channel_names))
    it.observe(work, state, frame)
    start = start_frame(work.model)
    assert frame.poses == pytest.approx(start.poses, abs=1e-14)
    assert frame.twists == pytest.approx(start.twists, abs=1e-14)
    energy = 0.5 * (2.0 / 3.0) * 1.0 - 2.0 * GRAVITY * 0.5 * math.cos(0.5)
    assert frame.channels[3] == pytest.approx(energy, rel=1e-13)


def test_gap_is_closed_and_velocity_projected() -> None:
    drawn = pendulum(0.5)
    moved = drawn.replaced(
        bodies=(drawn.bodies[0].replaced(position=(0.3, 0.01, -0.45), velocity=(1.0, 1.0, 0.0)),)
    )
    _, _, state, report = prepared(moved)
    assert report.position_error < 1e-12
    assert report.velocity_error < 1e-12
    assert abs(state.v[1]) < 1e-12


def test_open_joint_that_cannot_close_is_named() -> None:
    far = Marker(id="far", body="ground", position=(5.0, 0.0, 0.0))
    other = Marker(id="low", body="rod", position=(0.0, 0.0, -0.5))
    drawn = pendulum(0.5)
    broken = drawn.replaced(
        markers=(*drawn.markers, far, other), joints=(*drawn.joints, Spherical(id="ball", i="low", j="far"))
    )
    with pytest.raises(RunError, match=r"cannot be closed|singular") as caught:
        prepared(broken)
    assert caught.value.element in ("pin", "ball", None)


def test_spring_without_length_is_named() -> None:
    spring = Sda(id="spring", i="top", j="pivot", stiffness=10.0, free_length=0.1)
    with pytest.raises(RunError, match="same place") as caught:
        prepared(pendulum(0.5, forces=(spring,)))
    assert caught.value.element == "spring"


def test_start_that_is_not_finite_is_refused() -> None:
    it = NewmarkEngine()
    model = compile_mechanism(pendulum(0.5))
    work = it.prepare(model, NewmarkOptions(), 0.01)
    frame = start_frame(model)
    frame.twists[0, 0] = math.nan
    with pytest.raises(RunError, match="not a finite number"):
        it.initialise(work, frame)


def test_body_without_mass_is_found_and_refused() -> None:
    drawn = pendulum(0.5)
    massless = MassGiven(mass=0.0, inertia=(0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    bodies = (drawn.bodies[0].replaced(mass=massless),)
    findings = NewmarkEngine().check(compile_mechanism(drawn.replaced(bodies=bodies)))
    assert [(f.severity, f.element) for f in findings] == [(Severity.ERROR, "rod")]
    with pytest.raises(RunError, match="singular"):
        prepared(drawn.replaced(bodies=bodies))
    assert NewmarkEngine().check(compile_mechanism(drawn)) == []


def test_body_without_inertia_about_one_axis_is_found() -> None:
    drawn = pendulum(0.5)
    thin = MassGiven(mass=1.0, inertia=(1.0, 1.0, 0.0, 0.0, 0.0, 0.0))
    findings = NewmarkEngine().check(
        compile_mechanism(drawn.replaced(bodies=(drawn.bodies[0].replaced(mass=thin),)))
    )
    assert [(f.severity, f.element) for f in findings] == [(Severity.ERROR, "rod")]


def test_mechanism_without_freedom_stays() -> None:
    drawn = pendulum(0.5, joints=(Fixed(id="weld", i="top", j="pivot"),))
    turned = drawn.replaced(
        markers=(drawn.markers[0], drawn.markers[1].replaced(orientation=_pivot_at(drawn)))
    )
    result = run(turned, steps=50)
    assert result.steps == 50
    assert np.abs(result.pose("rod") - result.pose("rod")[0]).max() < 1e-9


def _pivot_at(drawn: Mechanism) -> tuple[float, float, float, float]:
    return drawn.world_frame("top")[1]


def test_mechanism_without_bodies_runs() -> None:
    result = run(Mechanism(), steps=3)
    assert result.steps == 3
    assert result.column("evaluations").tolist() == [1.0, 1.0, 1.0]


# ------------------------------------------------------------------------------------------------ failures
def test_failed_step_leaves_everything() -> None:
    mechanism = slider_crank(k=2e4, c=1e4)
    it, work, state, _ = prepared(mechanism, jacobian="M1")
    rows = block_for(work)
    assert it.advance(work, state, rows, 5) == 5
    before = [
        np.array(getattr(state, name)) for name in ("q", "v", "a", "lam", "clock", "sums", "sda", "force")
    ]
    stored = rows.steps.copy(), rows.poses.copy(), rows.count.copy()
    it.set_option(work, "max_iterations", 3)
    assert it.advance(work, state, rows, 5) == 0
    failure = work.failure
    assert failure is not None
    assert (failure.reason, failure.step) == ("not_converged", 6)
    assert failure.t == pytest.approx(0.05)
    assert failure.element in work.model.body_ids + tuple(j.element for j in work.model.joints)
    assert failure.words
    assert len(failure.residuals) == 4
    after = [
        np.array(getattr(state, name)) for name in ("q", "v", "a", "lam", "clock", "sums", "sda", "force")
    ]
    assert all(np.array_equal(x, y) for x, y in zip(before, after, strict=True))
    assert all(
        np.array_equal(x, y) for x, y in zip(stored, (rows.steps, rows.poses, rows.count), strict=True)
    )
    # with the full matrix the very same step succeeds, and the failure is forgotten
    it.set_option(work, "jacobian", "M1+M2+M3")
    assert it.advance(work, state, rows, 5) == 5
    assert work.failure is None


def test_divergence_is_told_from_too_few_iterations() -> None:
    result = run(tensegrity(2000, 0), jacobian="M1")
    assert result.failure is not None
    assert result.failure.reason in ("diverged", "not_converged")
    residuals = result.failure.residuals
    assert residuals[-1] > residuals[0] or not math.isfinite(residuals[-1])


def test_infinite_acceleration_ends_with_a_name() -> None:
    it, work, state, _ = prepared(pendulum(0.5))
    state.a[0] = math.inf
    assert it.advance(work, state, block_for(work), 1) == 0
    assert work.failure is not None
    assert work.failure.reason == "not_finite"
    assert work.failure.element in ("rod", "pin")


# ------------------------------------------------------------------------------------------------ rows and chunks
def test_chunks_make_no_difference() -> None:
    whole = run(slider_crank(k=2e4, c=100.0))
    it, work, state, _ = prepared(slider_crank(k=2e4, c=100.0))
    rows = block_for(work)
    done = 0
    for n in (1, 2, 7, 30, 60):
        done += it.advance(work, state, rows, n)
    assert done == 100
    assert rows.poses.tobytes() == whole.rows.poses.tobytes()
    assert rows.residuals[: rows.count[1]].tobytes() == whole.rows.residuals[: whole.rows.count[1]].tobytes()
    assert state.n_steps == 100
    assert state.t == pytest.approx(1.0, abs=1e-15)


def test_full_block_ends_the_call_without_loss() -> None:
    whole = run(slider_crank(k=2e4))
    it, work, state, _ = prepared(slider_crank(k=2e4))
    poses = []
    for _ in range(40):
        # three residuals per step: room for four steps, or for two frames
        rows = RowBlock.allocate(3, len(work.model.channel_names), 5, frames=4, residuals=10)
        done = it.advance(work, state, rows, 100 - state.n_steps)
        assert work.failure is None
        poses.append(rows.poses[: rows.count[2]].copy())
        if state.n_steps == 100:
            break
        assert done == 3
    assert np.array_equal(np.concatenate(poses), whole.rows.poses[:100])


def test_raised_flag_stops() -> None:
    it, work, state, _ = prepared(pendulum(0.5))
    work.flags[0] = 1
    assert it.advance(work, state, block_for(work), 10) == 0
    assert work.failure is None
    work.flags[0] = 0
    assert it.advance(work, state, block_for(work), 10) == 10


def test_step_size_can_change() -> None:
    it, work, state, _ = prepared(pendulum(0.5), h=0.01)
    rows = block_for(work)
    it.advance(work, state, rows, 10)
    it.set_step(work, 0.0025)
    it.advance(work, state, rows, 2)
    assert column(rows, "t")[-3:] == pytest.approx([0.1, 0.1025, 0.105], abs=1e-15)
    assert column(rows, "h")[-3:].tolist() == [0.01, 0.0025, 0.0025]


# ------------------------------------------------------------------------------------------------ live changes
def test_options_change_between_chunks() -> None:
    it, work, state, _ = prepared(slider_crank(k=2e4))
    rows = block_for(work)
    it.advance(work, state, rows, 10)
    it.set_option(work, "jacobian", "M1")
    it.advance(work, state, rows, 10)
    solves = column(rows, "solves")
    assert solves[:10].max() == 2
    assert solves[10:].min() == 4
    assert work.options.jacobian == "M1"


@pytest.mark.parametrize(
    ("name", "value"),
    [("jacobian", "M4"), ("max_iterations", 0), ("colour", 1), ("coordinates", "cardan"), ("beta", -0.1)],
)
def test_wrong_options_are_refused(name: str, value: object) -> None:
    it, work, _, _ = prepared(pendulum(0.5))
    before = work.options
    with pytest.raises(OptionError):
        it.set_option(work, name, value)
    assert work.options == before


def test_parameter_change_while_running() -> None:
    it, work, state, _ = prepared(slider_crank(k=2e4))
    rows = block_for(work)
    it.advance(work, state, rows, 30)
    motion = state.q.copy(), state.v.copy()
    it.update(work, compile_mechanism(slider_crank(k=5e4, c=200.0)))
    assert np.array_equal(state.q, motion[0])
    # the new start is a consistent one: its velocities are projected
    assert state.v == pytest.approx(motion[1], abs=1e-5)
    balance = work.model.channel_names.index("energy.balance_error")
    frame = Frame.empty(3, len(work.model.channel_names))
    it.observe(work, state, frame)
    # the hand that turned the knob put the energy in; that is no error of the integration
    assert frame.channels[balance] == pytest.approx(rows.channels[29, balance], abs=1e-8)
    assert it.advance(work, state, rows, 30) == 30
    assert abs(rows.channels[59, balance]) < 0.5


def test_same_numbers_change_nothing() -> None:
    it, work, state, _ = prepared(slider_crank(k=2e4))
    rows = block_for(work)
    it.advance(work, state, rows, 30)
    before = [x.copy() for x in (state.q, state.v, state.a, state.lam)]
    it.update(work, compile_mechanism(slider_crank(k=2e4)))
    assert all(
        np.array_equal(x, y) for x, y in zip(before, (state.q, state.v, state.a, state.lam), strict=True)
    )


def test_moved_mass_centre_keeps_the_pose() -> None:
    it, work, state, _ = prepared(pendulum(0.5, omega=1.0))
    rows = block_for(work)
    it.advance(work, state, rows, 20)
    drawn = pendulum(0.5, omega=1.0)
    mass = MassGiven(mass=2.0, centre=(0.0, 0.0, -0.1), inertia=(0.2, 0.2, 1e-3, 0.0, 0.0, 0.0))
    it.update(work, compile_mechanism(drawn.replaced(bodies=(drawn.bodies[0].replaced(mass=mass),))))
    frame = Frame.empty(1, len(work.model.channel_names))
    it.observe(work, state, frame)
    assert frame.poses == pytest.approx(rows.poses[19], abs=1e-9)
    assert frame.twists == pytest.approx(rows.twists[19], abs=1e-6)


def test_other_structure_is_refused() -> None:
    it, work, _, _ = prepared(slider_crank())
    with pytest.raises(OptionError, match="other elements"):
        it.update(work, compile_mechanism(slider_crank(redundant=True)))


# ------------------------------------------------------------------------------------------------ the list of engines
def test_engine_is_listed() -> None:
    it: Engine = engine("newmark")
    assert it.name == "newmark"
    assert it.options_type is NewmarkOptions
    with pytest.raises(OptionError, match="no engine 'newton'"):
        engine("newton")


def test_study_options_are_those_of_the_study() -> None:
    options = study_options()
    assert (options.beta, options.gamma, options.tolerance_abs, options.tolerance_rel) == (
        0.25,
        0.5,
        1e-7,
        0.0,
    )
