"""The contact engine: Moreau midpoint time stepping in Newton-Euler velocities with an LCP in each step."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pydantic import ValidationError

from linkwright.compiler.model import CompiledModel
from linkwright.compiler.plane import Placed, find_plane, place
from linkwright.compiler.stepper import (
    Stepper,
    contact_points,
    make_bench,
    make_stepper,
    make_touch,
    start_coordinates,
)
from linkwright.document.base import error_sentence
from linkwright.document.settings import LcpOptions
from linkwright.engines.state import STEP_COLUMNS, Frame, RowBlock, State, StepEvent, StepFailure, StepReport
from linkwright.errors import OptionError, RunError
from linkwright.findings import Finding, Severity
from linkwright.kernels import timestepping
from linkwright.kernels.contact import gap_of
from linkwright.kernels.layout import (
    BODY_J,
    BODY_MASS,
    CH_TOTAL,
    CLOCK_BASE,
    CLOCK_COLUMNS,
    CLOCK_STEPS,
    CLOCK_T,
    LEDGER_START,
    Floats,
    Ints,
    Rows,
)
from linkwright.kernels.lcp import delassus, layout, motion
from linkwright.kernels.lcp import solve as contact_solve
from linkwright.kernels.lcp import start as starting
from linkwright.kernels.lcp.layout import Bench, Points, Touch
from linkwright.kernels.lcp.problem import Problem
from linkwright.kernels.lcp.solve import SolverRoom, rooms

REASONS = {
    layout.NOT_SOLVED: "contacts_not_solved",
    layout.NOT_FINITE: "not_finite",
    layout.NO_LENGTH: "no_length",
}
KINDS = {layout.EVENT_IMPACT: "impact", layout.EVENT_STICK: "stick", layout.EVENT_SLIP: "slip"}

FIXED_OPTIONS = frozenset({"coordinates", "cone", "sides"})
EVENT_ROOM = 4096
NEAR = 1e-10
"""A gap up to this part of the mechanism's size counts as closed: more than rounding, less than anyone can see."""
INELASTIC = 10
"""Added to the retries of a step that could be solved without restitution only."""


@dataclass(slots=True)
class LcpWorkspace:
    """Everything a run of this engine needs; see `engines.base.Workspace`.

    Attributes
    ----------
    stepper, points : tables of the mechanism and its contacts
    bench, touch, problem, solver : room for a step
    events : list of StepEvent
        What happened since the list was last emptied; the one who runs the engine empties it.
    """

    model: CompiledModel
    options: LcpOptions
    stepper: Stepper
    points: Points
    bench: Bench
    touch: Touch
    problem: Problem
    solver: SolverRoom
    opt_real: Floats
    opt_int: Ints
    flags: Ints = field(default_factory=lambda: np.zeros(1, np.int64))
    out: Ints = field(default_factory=lambda: np.zeros(layout.OUT_COLUMNS, np.int64))
    out_real: Floats = field(default_factory=lambda: np.zeros(layout.OUT_REAL))
    failure: StepFailure | None = None
    events: list[StepEvent] = field(default_factory=list)
    state: State | None = None


class LcpEngine:
    """Contacts, impacts and friction as a linear complementarity problem; smooth joints as eliminated rows."""

    name = "lcp"
    options_type = LcpOptions

    def check(self, model: CompiledModel) -> list[Finding]:
        """Bodies without mass or inertia cannot be treated; contacts that begin closed by force are told."""
        findings = []
        for b, element in enumerate(model.body_ids):
            row = model.tables.body[b]
            xx, yy, zz, xy, xz, yz = row[BODY_J : BODY_J + 6]
            smallest = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])[0]
            if row[BODY_MASS] <= 0.0:
                text = f"Body {element!r} has no mass. Give it a mass, or a shape with a density."
                findings.append(Finding(Severity.ERROR, text, element))
            elif smallest <= 0.0:
                text = f"Body {element!r} has no inertia about one of its axes. Give it a small one."
                findings.append(Finding(Severity.ERROR, text, element))
        if not findings:
            findings.extend(_penetrations(model))
        return findings

    def prepare(self, model: CompiledModel, options: LcpOptions, h: float, stride: int = 1) -> LcpWorkspace:
        """Allocate everything; see `Engine.prepare`."""
        placed = place(model, model.poses, model.twists)
        plane = None if options.coordinates == "spatial" else find_plane(model, placed)
        if plane is None and options.coordinates == "planar":
            raise OptionError(
                "The mechanism does not stay in one plane, so planar coordinates cannot describe it. "
                "Choose automatic coordinates."
            )
        stepper = make_stepper(model, placed, plane)
        points = contact_points(model, stepper.frames)
        directions = options.sides // 2 if options.cone == "polyhedral" else 0
        per_point = 1 + (1 if plane is not None else max(directions, 2))
        n_point = len(points.point_int)
        problem, solver = rooms(n_point, n_point * per_point)
        work = LcpWorkspace(
            model=model,
            options=options,
            stepper=stepper,
            points=points,
            bench=make_bench(stepper),
            touch=make_touch(stepper, points, len(model.contacts.strips), per_point, EVENT_ROOM),
            problem=problem,
            solver=solver,
            opt_real=np.zeros(layout.O_REAL),
            opt_int=np.zeros(layout.O_INT, np.int64),
        )
        work.opt_real[layout.O_H] = h
        work.opt_int[layout.O_STRIDE] = stride
        work.opt_int[layout.O_DIRECTIONS] = directions
        work.opt_real[layout.O_NEAR] = NEAR * _size(placed, points)
        _write_options(work)
        return work

    def initialise(self, work: LcpWorkspace, start: Frame) -> tuple[State, StepReport]:
        """Close the joints by the least movement, and make the velocities fit them.

        Raises
        ------
        RunError
            When the joints cannot be closed, or an SDA has no length.
        """
        if not (np.all(np.isfinite(start.poses)) and np.all(np.isfinite(start.twists))):
            raise RunError("A start position or velocity is not a finite number.")
        model = work.model
        placed = place(model, start.poses, start.twists)
        machine, frames = work.stepper.machine, work.stepper.frames
        q, u = start_coordinates(placed, machine.body, frames)
        status = starting.settle(machine, q, u, work.bench, work.out, work.out_real, frames.dim)
        if status != layout.DONE:
            raise _start_error(work, int(status))
        clock = np.zeros(CLOCK_COLUMNS)
        clock[CLOCK_T] = clock[CLOCK_BASE] = start.t
        work.touch.memory[:] = 0
        work.touch.group[:] = 0.0
        work.touch.n_event[0] = 0
        work.events.clear()
        empty = np.zeros(0)
        lam = work.bench.vector[layout.V_LAM]
        state = State(q, u, empty, lam, clock, np.zeros(layout.LEDGER_SIZE), empty, empty)
        work.state = state
        position, velocity = (float(x) for x in work.out_real[: layout.OUT_VELOCITY + 1])
        frame = Frame.empty(model.n_body, len(model.channel_names))
        self.observe(work, state, frame)
        state.sums[LEDGER_START] = frame.channels[CH_TOTAL]
        return state, StepReport(start.t, 0.0, 0, 0, (), position_error=position, velocity_error=velocity)

    def advance(self, work: LcpWorkspace, state: State, rows: RowBlock, n: int) -> int:
        """Make up to n steps; see `Engine.advance`."""
        work.failure = None
        done = 0
        resume = False
        while True:
            made = timestepping.advance(
                work.stepper.machine,
                work.points,
                work.opt_real,
                work.opt_int,
                state.q,
                state.v,
                state.clock,
                state.sums,
                work.bench,
                work.touch,
                work.problem,
                work.solver.states,
                work.flags,
                rows.arrays(),
                work.out,
                work.out_real,
                n - done,
                resume,
                work.stepper.frames.dim,
            )
            done += int(made)
            resume = work.out[layout.OUT_STATUS] == layout.PENDING and _fall_back(work, state)
            full = work.touch.n_event[0] + len(work.touch.group) > len(work.touch.events)
            _fetch_events(work)
            if not (full or resume) or done >= n:
                break
        if work.out[layout.OUT_STATUS] != layout.DONE:
            work.failure = _failure(work, state)
        return done

    def observe(self, work: LcpWorkspace, state: State, out: Frame) -> None:
        """Write poses, twists and channels of a state."""
        frame_t = np.zeros(1)
        rows = Rows(
            np.zeros((0, len(STEP_COLUMNS))),
            np.zeros(0),
            frame_t,
            out.poses.reshape(1, -1, 7),
            out.twists.reshape(1, -1, 6),
            out.channels.reshape(1, -1),
            np.zeros(3, np.int64),
        )
        starting.observe(
            work.stepper.machine,
            work.points,
            state.t,
            state.q,
            state.v,
            state.sums,
            work.bench,
            work.touch,
            rows,
            work.stepper.frames.dim,
        )
        out.t = float(frame_t[0])

    def set_option(self, work: LcpWorkspace, name: str, value: Any) -> None:
        """Change an option between two calls of `advance`; see `Engine.set_option`."""
        if name not in LcpOptions.model_fields:
            raise OptionError(f"The engine {self.name!r} has no option {name!r}.")
        if name in FIXED_OPTIONS:
            raise OptionError(f"The option {name!r} cannot change while a run goes on. Start a new run.")
        try:
            work.options = work.options.replaced(**{name: value})
        except ValidationError as error:
            raise OptionError(error_sentence(error)) from error
        _write_options(work)

    def set_step(self, work: LcpWorkspace, h: float, stride: int | None = None) -> None:
        """Change the step size and the frame interval; see `Engine.set_step`."""
        state = work.state
        if state is not None and h != work.opt_real[layout.O_H]:
            state.clock[CLOCK_BASE] = state.clock[CLOCK_T]
            state.clock[CLOCK_STEPS] = 0.0
        work.opt_real[layout.O_H] = h
        if stride is not None:
            work.opt_int[layout.O_STRIDE] = stride

    def update(self, work: LcpWorkspace, model: CompiledModel) -> None:
        """Go on with other numbers; see `Engine.update`.

        The jump of the stored energy is work of the hand that changed the number: it does not count as balance error.
        """
        if not work.model.same_structure(model):
            raise OptionError(
                "The mechanism has other elements than the one that runs. Start a new run for the change."
            )
        state = work.state
        if state is None:
            work.model = model
            return
        before = Frame.empty(model.n_body, len(model.channel_names))
        group = work.touch.group.copy()
        self.observe(work, state, before)
        placed = place(model, before.poses, before.twists)
        plane = work.stepper.frames.plane
        if plane is not None:
            found = find_plane(model, placed)
            if found is None or not np.allclose(found, plane, atol=1e-9):
                raise OptionError(
                    "With this change the mechanism leaves its plane, but the run has planar coordinates. "
                    "Start a new run, or one with spatial coordinates."
                )
        stepper = make_stepper(model, placed, plane)
        points = contact_points(model, stepper.frames)
        if len(points.point_int) != len(work.points.point_int):
            raise OptionError("With this change other contact points count. Start a new run for it.")
        q, u = start_coordinates(placed, stepper.machine.body, stepper.frames)
        bench = make_bench(stepper)
        status = starting.settle(stepper.machine, q, u, bench, work.out, work.out_real, stepper.frames.dim)
        if status != layout.DONE:
            raise _start_error(work, int(status))
        work.model, work.stepper, work.points, work.bench = model, stepper, points, bench
        state.q[:], state.v[:] = q, u
        state.lam = bench.vector[layout.V_LAM]
        after = Frame.empty(model.n_body, len(model.channel_names))
        self.observe(work, state, after)
        work.touch.group[:] = group
        state.sums[LEDGER_START] += after.channels[CH_TOTAL] - before.channels[CH_TOTAL]


def _size(placed: Placed, points: Points) -> float:
    """Largest distance from the origin of a mass centre, or of a contact point from its centre [m]."""
    arms = points.point_real[:, layout.P_UI : layout.P_UI + 3]
    return float(max(np.max(np.abs(placed.centre), initial=0.0), np.max(np.abs(arms), initial=0.0)))


def _fall_back(work: LcpWorkspace, state: State) -> bool:
    """Solve the waiting contact problem by the other methods, at last without restitution; False when none can.

    It is met once in a thousand steps, so these methods are compiled apart from the hot loop.
    """
    nc = int(work.out[layout.OUT_CONTACTS])
    frames = work.stepper.frames
    for attempt in range(2):
        if attempt == 1:
            delassus.load_contacts(
                work.points.point_real,
                state.v,
                work.bench.u_free,
                nc,
                0.0,
                work.touch.active,
                work.touch.active_int,
                work.touch.rows,
                work.problem,
                frames.dim,
            )
            delassus.guess_states(nc, work.touch.memory, work.touch.active_int, work.problem)
        solver = contact_solve.solve if attempt == 1 else contact_solve.fall_back
        method, pivots, error = solver(work.problem, nc, work.options.tolerance, work.solver)
        work.out[layout.OUT_PIVOTS] += pivots
        work.out[layout.OUT_SOLVES] += 1
        work.out[layout.OUT_RETRIES] = method + INELASTIC * attempt
        work.out_real[layout.OUT_ERROR] = error
        if method != contact_solve.UNSOLVED:
            return True
    work.out[layout.OUT_STATUS] = layout.NOT_SOLVED
    return False


def _write_options(work: LcpWorkspace) -> None:
    """Put the options where the kernels read them."""
    o = work.options
    work.opt_real[layout.O_THETA] = o.theta
    work.opt_real[layout.O_POSITION] = o.position_tolerance
    work.opt_real[layout.O_TOLERANCE] = o.tolerance
    work.opt_real[layout.O_IMPACT] = o.impact_speed
    work.opt_int[layout.O_ROUNDS] = o.projection_rounds


def _fetch_events(work: LcpWorkspace) -> None:
    """Turn the events of a chunk into words and empty their table."""
    names = work.model.contacts.strips
    for row in work.touch.events[: int(work.touch.n_event[0])]:
        element, strip = names[int(row[layout.E_GROUP])]
        values: dict[str, Any] = {"strip": strip} if strip else {}
        if int(row[layout.E_KIND]) == layout.EVENT_IMPACT:
            values |= {
                "approach": float(row[layout.E_APPROACH]),
                "departure": float(row[layout.E_DEPART]),
                "normal_impulse": float(row[layout.E_NORMAL]),
                "tangential_impulse": float(row[layout.E_TANGENT]),
                "energy_lost": float(row[layout.E_LOST]),
            }
        values["slip"] = float(row[layout.E_SLIP])
        work.events.append(StepEvent(float(row[layout.E_T]), KINDS[int(row[layout.E_KIND])], element, values))
    work.touch.n_event[0] = 0


def _penetrations(model: CompiledModel) -> list[Finding]:
    """Contacts whose bodies overlap as drawn."""
    placed = place(model, model.poses, model.twists)
    stepper = make_stepper(model, placed, None)
    points = contact_points(model, stepper.frames)
    bench = make_bench(stepper)
    touch = make_touch(stepper, points, 0, 0, 0)
    q, u = start_coordinates(placed, stepper.machine.body, stepper.frames)
    motion.place_all(stepper.machine, q, u, 0.0, bench.end, bench.placed, stepper.frames.dim)
    deepest: dict[int, float] = {}
    for p, row in enumerate(points.point_int):
        gap = float(
            gap_of(
                points.point_int,
                points.point_real,
                p,
                bench.placed,
                touch.found,
                touch.clip,
                stepper.frames.dim,
            )
        )
        group = int(row[layout.P_GROUP])
        deepest[group] = min(deepest.get(group, 0.0), gap)
    size = 1.0 + float(np.max(np.abs(placed.centre), initial=0.0))
    findings = []
    for group, gap in sorted(deepest.items()):
        if gap < -1e-9 * size:
            element, strip = model.contacts.strips[group]
            where = f"{element!r} ({strip})" if strip else f"{element!r}"
            text = f"Contact {where} begins {-gap:.3g} too deep and will stay so. Move the bodies apart."
            findings.append(Finding(Severity.WARNING, text, element))
    return findings


def _failure(work: LcpWorkspace, state: State) -> StepFailure:
    out = work.out
    status = int(out[layout.OUT_STATUS])
    element: str | None = None
    words = ""
    residuals: tuple[float, ...] = ()
    if status == layout.NO_LENGTH:
        element = work.model.sda_ids[int(out[layout.OUT_ELEMENT])]
    elif status == layout.NOT_SOLVED:
        count = int(out[layout.OUT_CONTACTS])
        points = work.touch.active_int[:count, layout.T_POINT]
        closed = [int(work.points.point_int[p, layout.P_GROUP]) for p in points]
        names = dict.fromkeys(work.model.contacts.strips[g] for g in closed)
        element = next(iter(names))[0]
        words = ", ".join(f"{e} {s}".strip() for e, s in names)
        residuals = (float(work.out_real[layout.OUT_ERROR]),)
    return StepFailure(REASONS[status], state.t, state.n_steps + 1, element, words, residuals)


def _start_error(work: LcpWorkspace, status: int) -> RunError:
    model = work.model
    if status == layout.NO_LENGTH:
        element = model.sda_ids[int(work.out[layout.OUT_ELEMENT])]
        return RunError(
            f"Both ends of {element!r} are at the same place, so that its force has no direction. Move one end.",
            element,
        )
    row = int(work.stepper.row_source[int(work.out[layout.OUT_WORST])])
    label = model.row_labels[row]
    return RunError(
        f"The joints cannot be closed from the drawn pose: joint {label.element!r} keeps a gap of "
        f"{work.out_real[layout.OUT_POSITION]:.3g} ({label.direction}). "
        "Move the bodies so that the ends of its joints meet.",
        label.element,
    )
