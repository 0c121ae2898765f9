"""The tree engine by itself: joints, coordinates, starts, failures, changes while it runs."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.validation.tree_runs import given, rod_chain, vec3

from linkwright.compiler.compile import compile_mechanism
from linkwright.compiler.model import CompiledModel
from linkwright.document.base import Quaternion
from linkwright.document.bodies import Body, Marker, MassGiven
from linkwright.document.mechanism import Mechanism
from linkwright.document.parameters import Parameter
from linkwright.document.settings import NewmarkOptions, TreeOptions
from linkwright.elements.forces import Sda
from linkwright.elements.joints import Revolute, Spherical
from linkwright.elements.motion import FreeRotation
from linkwright.elements.motion import Rotation as Turning
from linkwright.elements.registry import joint_type, joint_types
from linkwright.engines.base import Engine, start_frame
from linkwright.engines.newmark import NewmarkEngine
from linkwright.engines.state import Frame, RowBlock
from linkwright.engines.tree import TreeEngine
from linkwright.errors import OptionError, RunError
from linkwright.findings import Severity
from linkwright.kernels.layout import Floats

Integrator = Literal["dormand-prince", "rk4", "stoermer", "symplectic-euler"]

MOVABLE = [tag for tag, cls in joint_types().items() if cls.tree_motion() is not None]
ROWS_ONLY = [tag for tag in joint_types() if tag not in MOVABLE]


def quaternion(turn: Rotation) -> Quaternion:
    w, x, y, z = (float(c) for c in turn.as_quat(scalar_first=True))
    return w, x, y, z


def run(
    engine: Engine, mechanism: Mechanism, options: Any, h: float, n: int
) -> tuple[CompiledModel, Floats, Floats]:
    """Poses (n + 1, n_body, 7) and channels of a run."""
    model = compile_mechanism(mechanism)
    work = engine.prepare(model, options, h)
    state, _ = engine.initialise(work, start_frame(model))
    rows = RowBlock.allocate(model.n_body, len(model.channel_names), n, frames=n + 1)
    frame = start_frame(model)
    engine.observe(work, state, frame)
    rows.append_frame(frame)
    assert engine.advance(work, state, rows, n) == n, work.failure
    return model, rows.poses, rows.channels


def same_motion(
    mechanism: Mechanism, tolerance: float, h: float = 2e-4, n: int = 500, **options: Any
) -> None:
    """Compare poses and the shared channels of both engines; Newmark errs by the square of its step."""
    _, tree, energies = run(TreeEngine(), mechanism, TreeOptions(**options), h, n)
    _, newmark, expected = run(NewmarkEngine(), mechanism, NewmarkOptions(), h, n)
    assert np.abs(tree - newmark).max() < tolerance
    scale = np.abs(expected[:, 0]).max()
    assert np.abs(energies[:, 0] - expected[:, 0]).max() < 100 * tolerance * max(1.0, scale)


def displaced(tag: str, rng: np.random.Generator) -> tuple[Rotation, Floats]:
    """Some pose of end i against end j that the joint allows."""
    turn, shift = Rotation.identity(), np.zeros(3)
    if tag == "perpendicular":
        return Rotation.from_rotvec([0.0, np.pi / 2, 0.0]), rng.normal(size=3)
    for part in joint_type(tag).tree_motion() or ():
        if isinstance(part, FreeRotation):
            turn = turn * Rotation.random(random_state=rng)
            continue
        axis = np.eye(3)["xyz".index(part.axis)]
        if isinstance(part, Turning):
            turn = turn * Rotation.from_rotvec(float(rng.uniform(-2.5, 2.5)) * axis)
        else:
            shift = shift + turn.apply(rng.normal() * axis)
    return turn, shift


def two_rods(tag: str, *, swapped: bool, seed: int) -> Mechanism:
    """A rod on a ball joint carries a second one by a joint of the given type, drawn somewhere in its range."""
    rng = np.random.default_rng(seed)
    bodies = tuple(
        Body(
            id=name,
            position=vec3(rng.normal(size=3)),
            orientation=quaternion(Rotation.random(random_state=rng)),
            angular_velocity=vec3(rng.normal(size=3)),
            velocity=vec3(rng.normal(size=3)),
            mass=given(1.0 + k, (0.2, 0.3, 0.4)),
        )
        for k, name in enumerate(("inner", "outer"))
    )
    base = Mechanism(bodies=bodies)

    def marker(name: str, body: str, at: Floats, turn: Rotation) -> Marker:
        position, orientation = base.world_frame(body)
        back = Rotation.from_quat(orientation, scalar_first=True).inv()
        local = vec3(back.apply(at - np.array(position)))
        return Marker(id=name, body=body, position=local, orientation=quaternion(back * turn))

    pivot, place, turn = rng.normal(size=3), rng.normal(size=3), Rotation.random(random_state=rng)
    rel, shift = displaced(tag, rng)
    i, j = ("m_inner", "m_outer") if swapped else ("m_outer", "m_inner")
    return base.replaced(
        markers=(
            Marker(id="pivot", position=vec3(pivot)),
            marker("m_pivot", "inner", pivot, turn),
            marker(j, j.removeprefix("m_"), place, turn),
            marker(i, i.removeprefix("m_"), place + turn.apply(shift), turn * rel),
        ),
        joints=(
            Spherical(id="ball", i="m_pivot", j="pivot"),
            joint_type(tag)(id="joint", type=tag, i=i, j=j),
        ),
    )


@pytest.mark.parametrize("tag", [*MOVABLE, *ROWS_ONLY])
@pytest.mark.parametrize("swapped", [False, True])
def test_every_joint_moves_as_in_absolute_coordinates(tag: str, swapped: bool) -> None:
    same_motion(two_rods(tag, swapped=swapped, seed=len(tag)), 3e-6, tolerance_abs=1e-10, tolerance_rel=1e-10)


def test_joints_without_motion_close_loops() -> None:
    from linkwright.engines.tree_mechanism import lay_out

    laid_out = lay_out(compile_mechanism(two_rods("in-line", swapped=False, seed=1)))
    assert laid_out.n_loop == 2
    assert laid_out.carriers[1].joint is None


def test_branches_and_several_roots() -> None:
    # a floating body with two arms, and a pendulum apart from it, all coupled by springs
    hub = Body(
        id="hub", velocity=(0.1, 0.0, 0.0), angular_velocity=(0.0, 0.3, 1.0), mass=given(4.0, (1.0, 1.0, 2.0))
    )
    arms = tuple(
        Body(id=f"arm_{k}", position=(1.0 - 2.0 * k, 0.0, 0.0), mass=given(1.0, (0.1, 0.2, 0.2)))
        for k in range(2)
    )
    tip = Body(id="tip", position=(2.0, 0.0, 0.0), mass=given(0.5, (0.1, 0.1, 0.1)))
    bob = Body(id="bob", position=(0.0, 3.0, -1.0), mass=given(1.0, (0.1, 0.1, 0.1)))
    markers = (
        *(Marker(id=f"h_{k}", body="hub", position=(0.5 - k, 0.0, 0.0)) for k in range(2)),
        *(Marker(id=f"a_{k}", body=f"arm_{k}", position=(k - 0.5, 0.0, 0.0)) for k in range(2)),
        Marker(id="a_end", body="arm_0", position=(0.5, 0.0, 0.0)),
        Marker(id="t_in", body="tip", position=(-0.5, 0.0, 0.0)),
        Marker(id="b_in", body="bob", position=(0.0, 0.0, 1.0)),
        Marker(id="hook", position=(0.0, 3.0, 0.0)),
    )
    mechanism = Mechanism(
        bodies=(tip, hub, bob, *arms),
        markers=markers,
        joints=(
            Revolute(id="r0", i="a_0", j="h_0"),
            Revolute(id="r1", i="h_1", j="a_1"),
            Spherical(id="s0", i="t_in", j="a_end"),
            Spherical(id="s1", i="hook", j="b_in"),
        ),
        forces=(
            Sda(id="k1", i="tip", j="bob", stiffness=30.0, damping=1.0, free_length=1.0),
            Sda(id="k2", i="arm_1", j="ground", stiffness=40.0),
        ),
    )
    for solver in ("ltdl", "sweep"):
        same_motion(mechanism, 3e-6, solver=solver, tolerance_abs=1e-10, tolerance_rel=1e-10)


def test_lazily_drawn_velocities_become_consistent_as_in_absolute_coordinates() -> None:
    # only the first rod is said to move; both engines take the nearest consistent velocities
    mechanism = rod_chain(3)
    bodies = (mechanism.bodies[0].replaced(angular_velocity=(0.0, 2.0, 0.0)), *mechanism.bodies[1:])
    model = compile_mechanism(mechanism.replaced(bodies=bodies))
    frames = []
    pairs: list[tuple[Engine, Any]] = [(TreeEngine(), TreeOptions()), (NewmarkEngine(), NewmarkOptions())]
    for engine, options in pairs:
        frame = Frame.empty(model.n_body, len(model.channel_names))
        work = engine.prepare(model, options, 1e-3)
        state, _ = engine.initialise(work, start_frame(model))
        engine.observe(work, state, frame)
        frames.append(frame)
    assert np.abs(frames[0].twists - frames[1].twists).max() < 1e-9
    assert abs(frames[0].channels[0] - frames[1].channels[0]) < 1e-9


def test_drawn_pose_is_the_first_frame() -> None:
    for tag in MOVABLE:
        mechanism = two_rods(tag, swapped=False, seed=3)
        model, poses, _ = run(TreeEngine(), mechanism, TreeOptions(), 1e-3, 1)
        assert np.abs(poses[0] - model.poses).max() < 1e-12, tag


def test_gap_that_no_motion_closes_is_refused() -> None:
    # both ends of a chain of two rods of 1 m are pinned 5 m apart
    mechanism = rod_chain(2)
    mechanism = mechanism.replaced(
        markers=(*mechanism.markers, Marker(id="far", position=(5.0, 0.0, 0.0))),
        joints=(*mechanism.joints, Spherical(id="end", i="b_1", j="far")),
    )
    model = compile_mechanism(mechanism)
    work = TreeEngine().prepare(model, TreeOptions(), 1e-3)
    with pytest.raises(RunError) as caught:
        TreeEngine().initialise(work, start_frame(model))
    # the loop is cut in the middle: that joint stays open
    assert caught.value.element == "joint_1"


def test_freedoms_without_mass_are_named() -> None:
    mechanism = rod_chain(2, "spherical")
    thin = mechanism.bodies[1].replaced(
        mass=MassGiven(mass=1.0, inertia=(0.0, 1 / 12, 1 / 12, 0.0, 0.0, 0.0))
    )
    findings = TreeEngine().check(compile_mechanism(mechanism.replaced(bodies=(mechanism.bodies[0], thin))))
    assert [(f.severity, f.element) for f in findings] == [(Severity.ERROR, "rod_1")]
    # a hinge across the rod does not need the missing inertia
    hinged = rod_chain(2).replaced(bodies=(mechanism.bodies[0], thin))
    assert TreeEngine().check(compile_mechanism(hinged)) == []


def test_stop_flag_and_full_rows_end_a_chunk() -> None:
    model = compile_mechanism(rod_chain(2))
    engine = TreeEngine()
    work = engine.prepare(model, TreeOptions(integrator="rk4"), 1e-3)
    state, _ = engine.initialise(work, start_frame(model))
    rows = RowBlock.allocate(2, len(model.channel_names), 10)
    work.flags[0] = 1
    assert engine.advance(work, state, rows, 10) == 0
    work.flags[0] = 0
    assert engine.advance(work, state, rows, 20) == 10
    assert engine.advance(work, state, rows, 1) == 0
    assert work.failure is None
    assert abs(state.t - 0.01) < 1e-15


@pytest.mark.parametrize("integrator", ["dormand-prince", "rk4", "stoermer", "symplectic-euler"])
def test_failed_step_leaves_state_and_rows(integrator: Integrator) -> None:
    # a spring this stiff makes the explicit steps overflow after a while
    bob = Body(id="bob", position=(1.0, 0.0, 0.0), mass=given(1.0, (1.0, 1.0, 1.0)))
    stiff = Sda(id="stiff", i="bob", j="ground", stiffness=1e30, free_length=0.5)
    mechanism = Mechanism(bodies=(bob,), forces=(stiff,))
    model = compile_mechanism(mechanism)
    engine = TreeEngine()
    work = engine.prepare(model, TreeOptions(integrator=integrator), 0.25)
    state, _ = engine.initialise(work, start_frame(model))
    rows = RowBlock.allocate(1, len(model.channel_names), 1000)
    before = None
    while work.failure is None:
        before = state.q.copy(), state.v.copy(), state.clock.copy(), state.sums.copy(), rows.count.copy()
        engine.advance(work, state, rows, 1)
    assert before is not None
    assert work.failure.reason in ("not_finite", "step_too_small")
    for kept, now in zip(before, (state.q, state.v, state.clock, state.sums, rows.count), strict=True):
        assert np.array_equal(kept, now)
    assert np.all(np.isfinite(state.q))


def test_spring_without_length_is_named() -> None:
    mechanism = Mechanism(
        bodies=(Body(id="bob", mass=given(1.0, (1.0, 1.0, 1.0))),),
        forces=(Sda(id="spring", i="bob", j="ground", stiffness=1.0, free_length=1.0),),
    )
    model = compile_mechanism(mechanism)
    work = TreeEngine().prepare(model, TreeOptions(), 1e-3)
    with pytest.raises(RunError) as caught:
        TreeEngine().initialise(work, start_frame(model))
    assert caught.value.element == "spring"


def sprung(k: float) -> Mechanism:
    mechanism = rod_chain(2)
    return mechanism.replaced(
        parameters=(Parameter(id="k", value=k),),
        forces=(Sda(id="spring", i="b_1", j="ground", stiffness="=k", free_length=1.0),),
    )


@pytest.mark.parametrize("integrator", ["dormand-prince", "rk4", "stoermer"])
def test_parameter_changes_while_a_run_goes_on(integrator: Integrator) -> None:
    # a run whose stiffness changes midway goes on as one that starts there with the new stiffness
    engine, h, n = TreeEngine(), 1e-3, 50
    soft, hard = compile_mechanism(sprung(10.0)), compile_mechanism(sprung(40.0))
    options = TreeOptions(integrator=integrator, tolerance_abs=1e-11, tolerance_rel=1e-11)
    work = engine.prepare(soft, options, h)
    state, _ = engine.initialise(work, start_frame(soft))
    rows = RowBlock.allocate(2, len(soft.channel_names), 2 * n)
    engine.advance(work, state, rows, n)
    middle = Frame.empty(2, len(soft.channel_names))
    engine.observe(work, state, middle)
    engine.update(work, hard)
    engine.advance(work, state, rows, n)

    other = engine.prepare(hard, options, h)
    other_state, _ = engine.initialise(other, middle)
    other_rows = RowBlock.allocate(2, len(soft.channel_names), n)
    engine.advance(other, other_state, other_rows, n)
    assert np.abs(rows.poses[-1] - other_rows.poses[-1]).max() < 1e-10
    # the hand that stiffened the spring did the work, not the integrator
    assert abs(rows.channels[-1, 7]) < 1e-6


def test_geometry_changes_while_a_run_goes_on() -> None:
    engine = TreeEngine()
    model = compile_mechanism(rod_chain(2))
    work = engine.prepare(model, TreeOptions(), 1e-3)
    state, _ = engine.initialise(work, start_frame(model))
    rows = RowBlock.allocate(2, len(model.channel_names), 60)
    engine.advance(work, state, rows, 30)
    mechanism = rod_chain(2)
    heavier = mechanism.bodies[1].replaced(mass=given(3.0, (0.1, 0.2, 0.2)))
    engine.update(work, compile_mechanism(mechanism.replaced(bodies=(mechanism.bodies[0], heavier))))
    after = Frame.empty(2, len(model.channel_names))
    engine.observe(work, state, after)
    assert np.abs(after.poses - rows.poses[29]).max() < 1e-12
    assert engine.advance(work, state, rows, 30) == 30
    with pytest.raises(OptionError):
        engine.update(work, compile_mechanism(rod_chain(3)))


def test_options_change_while_a_run_goes_on() -> None:
    engine = TreeEngine()
    model = compile_mechanism(rod_chain(3, "spherical"))
    work = engine.prepare(model, TreeOptions(), 1e-3)
    state, _ = engine.initialise(work, start_frame(model))
    rows = RowBlock.allocate(3, len(model.channel_names), 100)
    changes = [
        ("solver", "sweep"),
        ("integrator", "rk4"),
        ("integrator", "stoermer"),
        ("tolerance_abs", 1e-6),
    ]
    for name, value in changes:
        assert engine.advance(work, state, rows, 20) == 20
        engine.set_option(work, name, value)
    engine.set_step(work, 5e-4)
    assert engine.advance(work, state, rows, 20) == 20
    assert abs(state.t - 0.09) < 1e-12
    _, poses, _ = run(engine, rod_chain(3, "spherical"), TreeOptions(tolerance_abs=1e-11), 1e-3, 90)
    assert np.abs(rows.poses[99] - poses[90]).max() < 1e-8
    for name, value in (("solver", "cholesky"), ("tolerance_abs", -1.0), ("beta", 0.5)):
        with pytest.raises(OptionError):
            engine.set_option(work, name, value)


def test_runs_repeat_bit_for_bit() -> None:
    results = [
        run(TreeEngine(), two_rods("universal", swapped=True, seed=4), TreeOptions(), 1e-3, 50)
        for _ in range(2)
    ]
    assert np.array_equal(results[0][1], results[1][1])
    assert np.array_equal(results[0][2], results[1][2])
