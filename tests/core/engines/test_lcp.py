"""The contact engine: what it refuses, its options, live changes, events, channels, and failures in words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwright.elements  # noqa: F401  every element type must be known
from linkwright.compiler.compile import compile_mechanism
from linkwright.document.mechanism import Mechanism
from linkwright.document.settings import LcpOptions, Settings
from linkwright.engines.base import engine, start_frame
from linkwright.engines.lcp import LcpEngine, LcpWorkspace
from linkwright.engines.state import Frame, RowBlock, State
from linkwright.errors import CompileError, OptionError, RunError
from linkwright.findings import Severity
from linkwright.run.failure import run_error
from linkwright.run.runner import Runner

G = 9.81


def ball(height: float = 0.5, **changes: Any) -> Mechanism:
    """A ball above the ground, z up; side j of its contact is the ground frame."""
    contact = {
        "type": "sphere-plane",
        "id": "C",
        "i": "ball",
        "j": "ground",
        "radius": 0.1,
        "restitution": "=e",
    }
    plain = {
        "gravity": (0.0, 0.0, -G),
        "parameters": [{"id": "e", "value": 0.5}, {"id": "m", "value": 1.0}],
        "bodies": [
            {
                "id": "ball",
                "position": (0.0, 0.0, height + 0.1),
                "velocity": (1.0, 0.0, 0.0),
                "mass": {"type": "given", "mass": "=m", "inertia": (0.004, 0.004, 0.004, 0.0, 0.0, 0.0)},
            }
        ],
        "contacts": [{**contact, "friction": 0.05}],
    }
    return Mechanism.model_validate({**plain, **changes})


def prepared(mechanism: Mechanism, h: float = 1e-3, **options: Any) -> tuple[LcpEngine, LcpWorkspace, State]:
    it = LcpEngine()
    model = compile_mechanism(mechanism)
    work = it.prepare(model, LcpOptions(**options), h)
    state, _ = it.initialise(work, start_frame(model))
    return it, work, state


def rows_for(work: LcpWorkspace, n: int) -> RowBlock:
    return RowBlock.allocate(work.model.n_body, len(work.model.channel_names), n)


def test_it_is_offered() -> None:
    assert isinstance(engine("lcp"), LcpEngine)
    assert isinstance(Settings(engine="lcp").options("lcp"), LcpOptions)


@pytest.mark.parametrize("name", ["newmark", "tree"])
def test_other_engines_refuse_contacts(name: str) -> None:
    findings = engine(name).check(compile_mechanism(ball()))
    assert [(f.severity, f.element) for f in findings] == [(Severity.ERROR, "C")]
    with pytest.raises(RunError, match="contact engine"):
        Runner(ball(), engine=name, t_end=0.1)


# --- checks -----------------------------------------------------------------------------------------------------------


def test_bodies_without_mass_are_refused() -> None:
    plain = ball().model_dump()
    plain["bodies"][0]["mass"]["mass"] = 0.0
    found = LcpEngine().check(compile_mechanism(Mechanism.model_validate(plain)))
    assert [(f.severity, f.element) for f in found] == [(Severity.ERROR, "ball")]
    plain["bodies"][0]["mass"] = {"type": "given", "mass": 1.0, "inertia": (0.0, 0.1, 0.1, 0.0, 0.0, 0.0)}
    found = LcpEngine().check(compile_mechanism(Mechanism.model_validate(plain)))
    assert "inertia" in found[0].text


def test_penetration_as_drawn_is_told() -> None:
    assert LcpEngine().check(compile_mechanism(ball(0.0))) == []
    (finding,) = LcpEngine().check(compile_mechanism(ball(-0.02)))
    assert finding.severity == Severity.WARNING and finding.element == "C" and "0.02" in finding.text


def test_contact_of_a_body_with_itself_is_refused() -> None:
    plain = ball().model_dump()
    plain["markers"] = [{"id": "top", "body": "ball"}]
    plain["contacts"][0]["j"] = "top"
    with pytest.raises(CompileError) as error:
        compile_mechanism(Mechanism.model_validate(plain))
    assert error.value.element == "C"


def test_joints_that_cannot_be_closed_are_named() -> None:
    plain = ball().model_dump()
    plain["markers"] = [
        {"id": "arm", "body": "ball", "position": (0.5, 0.0, 0.0)},
        {"id": "far", "position": (9.0, 0.0, 0.0)},
    ]
    plain["joints"] = [
        {"type": "spherical", "id": "near_joint", "i": "ball", "j": "ground"},
        {"type": "spherical", "id": "far_joint", "i": "arm", "j": "far"},
    ]
    with pytest.raises(RunError, match="cannot be closed") as error:
        prepared(Mechanism.model_validate(plain))
    assert error.value.element in ("near_joint", "far_joint")


def test_start_closes_joints_and_projects_velocities() -> None:
    """A rod drawn 3 cm beside its pin, moving as it may not: closed to rounding by the least movement."""
    plain = ball().model_dump()
    plain["contacts"] = []
    plain["markers"] = [
        {"id": "end", "body": "ball", "position": (0.4, 0.0, 0.0)},
        {"id": "pin", "position": (0.43, 0.0, 0.6)},
    ]
    plain["joints"] = [{"type": "spherical", "id": "J", "i": "end", "j": "pin"}]
    _, work, state = prepared(Mechanism.model_validate(plain))
    frame = Frame.empty(1, len(work.model.channel_names))
    LcpEngine().observe(work, state, frame)
    end = frame.poses[0, :3] + [0.4, 0.0, 0.0]
    np.testing.assert_allclose(end, [0.43, 0.0, 0.6], atol=1e-9)
    assert frame.channels[8] < 1e-11 and frame.channels[9] < 1e-11


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_start_that_is_no_number_is_refused(bad: float) -> None:
    it = LcpEngine()
    model = compile_mechanism(ball())
    work = it.prepare(model, LcpOptions(), 1e-3)
    start = start_frame(model)
    start.twists[0, 0] = bad
    with pytest.raises(RunError, match="finite"):
        it.initialise(work, start)


# --- coordinates and options ------------------------------------------------------------------------------------------


def test_planar_coordinates_are_found_and_refused() -> None:
    assert len(prepared(ball())[1].stepper.frames.dim) == 3
    assert len(prepared(ball(), coordinates="spatial")[1].stepper.frames.dim) == 6
    plain = ball().model_dump()
    plain["bodies"][0]["angular_velocity"] = (1.0, 0.0, 0.0)
    spatial = Mechanism.model_validate(plain)
    assert len(prepared(spatial)[1].stepper.frames.dim) == 6
    with pytest.raises(OptionError, match="plane"):
        prepared(spatial, coordinates="planar")


def test_options_change_in_a_run_or_are_fixed() -> None:
    it, work, _ = prepared(ball())
    it.set_option(work, "theta", 0.5)
    assert work.options.theta == 0.5 and work.opt_real[1] == 0.5
    for name in ("coordinates", "cone", "sides"):
        with pytest.raises(OptionError, match="new run"):
            it.set_option(work, name, 4)
    with pytest.raises(OptionError, match="no option"):
        it.set_option(work, "beta", 0.3)
    with pytest.raises(OptionError):
        it.set_option(work, "theta", 1.5)
    with pytest.raises(ValueError, match="even number"):
        LcpOptions(sides=7)


def test_step_size_changes_in_a_run() -> None:
    it, work, state = prepared(ball(5.0))
    rows = rows_for(work, 20)
    it.advance(work, state, rows, 10)
    it.set_step(work, 5e-3, 1)
    it.advance(work, state, rows, 10)
    np.testing.assert_allclose(
        rows.steps[:20, 0], [*(1e-3 * np.arange(1, 11)), *(0.01 + 5e-3 * np.arange(1, 11))]
    )
    # free fall by the midpoint rule is exact at any step
    assert rows.poses[19, 0, 2] == pytest.approx(5.1 - 0.5 * G * 0.06**2, abs=1e-12)


# --- live changes -----------------------------------------------------------------------------------------------------


def changed(mechanism: Mechanism, **values: float) -> Mechanism:
    plain = mechanism.model_dump()
    for parameter in plain["parameters"]:
        parameter["value"] = values.get(parameter["id"], parameter["value"])
    return Mechanism.model_validate(plain)


@pytest.mark.parametrize("coordinates", ["planar", "spatial"])
def test_new_parameter_values_take_effect(coordinates: str) -> None:
    """Restitution 0.5 turned to 0.9 in flight: the next bounce leaves with 0.9, nothing else moves."""
    it, work, state = prepared(ball(), coordinates=coordinates)
    rows = rows_for(work, 1000)
    it.advance(work, state, rows, 100)
    place, speed = state.q.copy(), state.v.copy()
    it.update(work, compile_mechanism(changed(ball(), e=0.9)))
    frame = Frame.empty(1, len(work.model.channel_names))
    it.observe(work, state, frame)
    np.testing.assert_allclose(frame.poses[0], rows.poses[99, 0], atol=1e-12)
    np.testing.assert_allclose(frame.twists[0], rows.twists[99, 0], atol=1e-12)
    assert place.shape == state.q.shape and np.max(np.abs(speed - state.v)) < 1e-12
    it.advance(work, state, rows, 400)
    hit = work.events[0]
    assert hit.kind == "impact"
    assert hit.values["departure"] == pytest.approx(0.9 * hit.values["approach"], rel=1e-9)


def test_new_mass_is_no_balance_error() -> None:
    it, work, state = prepared(ball())
    rows = rows_for(work, 300)
    it.advance(work, state, rows, 100)
    it.update(work, compile_mechanism(changed(ball(), m=3.0)))
    it.advance(work, state, rows, 100)
    names = work.model.channel_names
    kinetic, balance = (rows.channels[:200, names.index(f"energy.{k}")] for k in ("kinetic", "balance_error"))
    assert kinetic[100] / kinetic[99] == pytest.approx(3.0, rel=0.05)
    assert np.max(np.abs(balance)) < 1e-10


def test_other_structure_is_refused() -> None:
    it, work, _ = prepared(ball())
    plain = ball().model_dump()
    plain["contacts"] = []
    with pytest.raises(OptionError, match="new run"):
        it.update(work, compile_mechanism(Mechanism.model_validate(plain)))
    with pytest.raises(OptionError, match="plane"):
        it.update(work, compile_mechanism(ball(gravity=(0.0, 1.0, -G))))


# --- channels and events ----------------------------------------------------------------------------------------------


def test_channels_are_named_by_strip() -> None:
    plain = ball().model_dump()
    plain["markers"] = [{"id": "shoe", "body": "ball"}]
    plain["contacts"] = (
        *plain["contacts"],
        {
            "type": "guide-clearance",
            "id": "G",
            "i": "shoe",
            "j": "ground",
            "length": 1.0,
            "height": 0.2,
            "clearance": 9.0,
        },
    )
    model = compile_mechanism(Mechanism.model_validate(plain))
    names = model.channel_names
    assert len(names) == len(model.channel_units) == len(set(names))
    assert names[10:12] == ("energy.impact_loss", "energy.friction_loss")
    assert [n for n in names if n.startswith("C.")] == [
        f"C.{k}" for k in ("gap", "normal_impulse", "tangential_impulse", "state", "slip")
    ]
    assert {n.split(".")[1] for n in names if n.startswith("G.")} == {f"corner_{k}" for k in (1, 2, 3, 4)}
    bare = Mechanism.model_validate({**plain, "contacts": []})
    assert not any("loss" in n and "damper" not in n for n in compile_mechanism(bare).channel_names)


def test_events_tell_impact_then_slip_then_stick() -> None:
    """A ball that is dropped sliding: it hits, bounces out, slips on and rolls."""
    runner = Runner(changed(ball(0.2), e=0.2), engine="lcp", t_end=2.0, h=1e-4)
    runner.start()
    runner.join(60.0)
    result = runner.result()
    kinds = [e.kind for e in result.events]
    impacts = [e for e in result.events if e.kind == "impact"]
    assert kinds[0] == "impact" and set(kinds) == {"impact", "slip", "stick"} and kinds[-1] == "stick"
    first = impacts[0]
    assert first.element == "C"
    assert first.t == pytest.approx(math.sqrt(0.4 / G), abs=3e-4)
    speed = math.sqrt(0.4 * G)
    assert first.values["approach"] == pytest.approx(speed, rel=1e-2)
    assert first.values["departure"] == pytest.approx(0.2 * speed, rel=1e-2)
    assert first.values["normal_impulse"] == pytest.approx(1.2 * speed, rel=1e-2)
    # friction 0.05 L_N against the slip of 1 m/s, and the energy of both
    assert first.values["tangential_impulse"] == pytest.approx(
        -0.05 * first.values["normal_impulse"], rel=1e-9
    )
    slip_after = 1.0 - 3.5 * 0.05 * first.values["normal_impulse"]
    lost = 0.5 * (1 - 0.2**2) * speed**2 + 0.5 * (1.0 + slip_after) * 0.05 * first.values["normal_impulse"]
    assert first.values["energy_lost"] == pytest.approx(lost, rel=1e-2)
    assert [e["kind"] for e in result.summary()["events"]] == kinds


def test_gap_and_state_channels() -> None:
    it, work, state = prepared(ball(0.01))
    rows = rows_for(work, 200)
    it.advance(work, state, rows, 200)
    names = work.model.channel_names
    gap, kind = (rows.channels[:200, names.index(f"C.{n}")] for n in ("gap", "state"))
    np.testing.assert_allclose(gap, rows.poses[:200, 0, 2] - 0.1, atol=1e-12)
    assert {0.0, 2.0, 3.0} <= set(kind) <= {0.0, 1.0, 2.0, 3.0}
    assert np.max(rows.steps[:200, 11]) == 1.0


# --- failures ---------------------------------------------------------------------------------------------------------


def test_unsolved_contacts_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """With all methods failing the step names the closed contacts and leaves the state."""
    from linkwright.kernels.lcp import layout
    from linkwright.kernels.lcp import solve as contact_solve

    it, work, state = prepared(ball(0.0))
    unsolved = (contact_solve.UNSOLVED, 0, 0.5)
    monkeypatch.setattr(contact_solve, "solve", lambda *_: unsolved)
    monkeypatch.setattr(contact_solve, "fall_back", lambda *_: unsolved)
    work.opt_real[layout.O_TOLERANCE] = -1.0
    before = state.q.copy(), state.v.copy(), state.clock.copy()
    assert it.advance(work, state, rows_for(work, 10), 10) == 0
    assert work.out[layout.OUT_STATUS] == layout.NOT_SOLVED
    assert (
        work.failure is not None
        and work.failure.reason == "contacts_not_solved"
        and work.failure.element == "C"
    )
    for old, new in zip(before, (state.q, state.v, state.clock), strict=True):
        np.testing.assert_array_equal(old, new)
    message = run_error(work.failure, ball(), LcpOptions()).message
    assert "1 closed contact" in message and "Closed: C" in message and "smaller step" in message


def test_jam_with_restitution_is_solved_without_it() -> None:
    """A wedge between two rough walls has no answer with restitution and one without: what the last resort rests on."""
    from linkwright.kernels.lcp import solve as contact_solve
    from linkwright.kernels.lcp.problem import FIRST, FREE, MU

    # two contacts whose friction cones hold each other: normals x and -x, tangents y
    w = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, 1.0]])
    w[0] += [0.0, 0.2]
    w[2] += [0.0, 0.2]
    before = np.array([0.0, -1.0])
    for e, solvable in ((0.5, False), (0.0, True)):
        p, room = contact_solve.rooms(2, 4)
        p.g[:] = w @ w.T
        p.vector[FREE] = w @ before
        p.vector[FREE, ::2] += e * (w @ before)[::2]
        p.contact[:, FIRST] = [0, 2, 4]
        p.number[:, MU] = 1.0
        method, _, _ = contact_solve.solve(p, 2, 1e-9, room)
        assert (method != contact_solve.UNSOLVED) == solvable
