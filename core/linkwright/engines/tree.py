"""The recursive engine in joint coordinates: cost linear in the number of bodies, by two eliminations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pydantic import ValidationError

from linkwright.compiler.model import CompiledModel
from linkwright.document.base import error_sentence
from linkwright.document.settings import TreeOptions
from linkwright.engines.base import contacts_refused
from linkwright.engines.state import Frame, RowBlock, State, StepFailure, StepReport
from linkwright.engines.tree_integrators import HISTORY, coefficients
from linkwright.engines.tree_mechanism import TreeMechanism, coordinates_of, lay_out
from linkwright.engines.tree_start import rates_of, weightless, with_signs
from linkwright.errors import OptionError, RunError
from linkwright.findings import Finding
from linkwright.kernels.layout import (
    B_COLUMNS,
    CH_POSITION,
    CH_TOTAL,
    CH_VELOCITY,
    CLOCK_BASE,
    CLOCK_COLUMNS,
    CLOCK_STEPS,
    CLOCK_T,
    LEDGER_COLUMNS,
    LEDGER_START,
    OUT_COLUMNS,
    OUT_ELEMENT,
    OUT_STATUS,
    S_COLUMNS,
    STEP_DONE,
    STEP_NO_LENGTH,
    STEP_NOT_FINITE,
    Floats,
    Ints,
    Rows,
)
from linkwright.kernels.tree import evaluate, records
from linkwright.kernels.tree import step as stepping
from linkwright.kernels.tree.layout import (
    DORMAND_PRINCE,
    FIND_ACCELERATIONS,
    INNER_COLUMNS,
    INNER_READY,
    L_COLUMNS,
    RUNGE_KUTTA,
    SOLVER_LTDL,
    SOLVER_SWEEP,
    STEP_OPEN,
    STEP_TOO_SMALL,
    STOERMER,
    SYMPLECTIC_EULER,
    TREE_ALPHA,
    TREE_BETA,
    TREE_H,
    TREE_INT,
    TREE_INTEGRATOR,
    TREE_PROJECT,
    TREE_REAL,
    TREE_SOLVER,
    TREE_STRIDE,
    TREE_TOL_ABS,
    TREE_TOL_REL,
    TreeModel,
    TreeMotion,
    TreeOptionTables,
    TreeRun,
    TreeScratch,
)
from linkwright.kernels.tree.loops import row_bodies

SOLVERS = {"ltdl": SOLVER_LTDL, "sweep": SOLVER_SWEEP}
INTEGRATORS = {
    "stoermer": STOERMER,
    "rk4": RUNGE_KUTTA,
    "dormand-prince": DORMAND_PRINCE,
    "symplectic-euler": SYMPLECTIC_EULER,
}

REASONS = {
    STEP_TOO_SMALL: "step_too_small",
    STEP_OPEN: "loop_open",
    STEP_NOT_FINITE: "not_finite",
    STEP_NO_LENGTH: "no_length",
}

ASSEMBLY_ROUNDS = 50
"""Corrections of the loop rows at the start of a run."""


@dataclass(slots=True)
class TreeWorkspace:
    """Everything a run of this engine needs; see `engines.base.Workspace`.

    Attributes
    ----------
    mechanism : TreeMechanism
        The tree, its tables and its loops.
    reals, ints : arrays
        Options as the kernels read them.
    """

    model: CompiledModel
    options: TreeOptions
    mechanism: TreeMechanism
    scratch: TreeScratch
    run: TreeRun
    reals: Floats
    ints: Ints
    out: Ints
    flags: Ints = field(default_factory=lambda: np.zeros(1, np.int64))
    failure: StepFailure | None = None
    state: State | None = None

    @property
    def tables(self) -> TreeModel:
        """The mechanism as the kernels take it."""
        return self.mechanism.kernel_model

    @property
    def option_tables(self) -> TreeOptionTables:
        """Options as the kernels take them."""
        return TreeOptionTables(self.reals, self.ints)


class TreeEngine:
    """Joint coordinates, O(N) elimination, explicit integrators; loops are closed by multipliers."""

    name = "tree"
    options_type = TreeOptions

    def check(self, model: CompiledModel) -> list[Finding]:
        """Freedoms that move no mass, and contacts, cannot be treated."""
        return contacts_refused(model) + weightless(model, lay_out(model))

    def prepare(self, model: CompiledModel, options: TreeOptions, h: float, stride: int = 1) -> TreeWorkspace:
        """Allocate everything; see `Engine.prepare`."""
        mechanism = lay_out(model)
        work = TreeWorkspace(
            model=model,
            options=options,
            mechanism=mechanism,
            scratch=make_scratch(mechanism),
            run=make_run(mechanism),
            reals=np.zeros(TREE_REAL),
            ints=np.zeros(TREE_INT, np.int64),
            out=np.zeros(OUT_COLUMNS, np.int64),
        )
        work.reals[TREE_H] = h
        work.ints[TREE_STRIDE] = stride
        _write_options(work)
        return work

    def initialise(self, work: TreeWorkspace, start: Frame) -> tuple[State, StepReport]:
        """Take joint coordinates from the poses, close the loops, and find rates and accelerations.

        Raises
        ------
        RunError
            When the loops cannot be closed, the start is singular, or an SDA has no length.
        """
        if not (np.all(np.isfinite(start.poses)) and np.all(np.isfinite(start.twists))):
            raise RunError("A start position or velocity is not a finite number.")
        motion = make_motion(work.mechanism)
        sums = np.zeros(LEDGER_COLUMNS)
        self._set_motion(work, motion, start)
        sums[LEDGER_START] = self._energy(work, motion)
        clock = np.zeros(CLOCK_COLUMNS)
        clock[CLOCK_T] = clock[CLOCK_BASE] = start.t
        state = State(*motion, clock, sums, np.zeros((0, 3)), np.zeros((0, 6)))
        work.state = state
        frame = Frame.empty(work.model.n_body, len(work.model.channel_names))
        self.observe(work, state, frame)
        report = StepReport(
            start.t,
            0.0,
            1,
            1,
            (),
            position_error=float(frame.channels[CH_POSITION]),
            velocity_error=float(frame.channels[CH_VELOCITY]),
        )
        return state, report

    def _set_motion(self, work: TreeWorkspace, motion: TreeMotion, start: Frame) -> None:
        """Fill a motion from poses and twists of the body frames."""
        closing = work.tables, work.option_tables, motion, work.scratch, ASSEMBLY_ROUNDS
        motion.q[:] = coordinates_of(work.mechanism, start.poses)
        motion.v[:] = 0.0
        if work.mechanism.n_loop > 0:
            status = evaluate.close_loops(*closing)
            if status != STEP_DONE:
                raise self._start_error(work, int(status))
        rates_of(work.mechanism, motion, start)
        if work.mechanism.n_loop > 0:
            evaluate.close_loops(*closing)
        work.mechanism = with_signs(work.mechanism, motion.q, start.poses)
        status = find_accelerations(work, motion)
        if status != STEP_DONE:
            raise self._start_error(work, status)

    def _energy(self, work: TreeWorkspace, motion: TreeMotion) -> float:
        evaluate.place_all(work.tables, motion, work.scratch)
        return float(records.total_energy(work.tables, work.scratch))

    def advance(self, work: TreeWorkspace, state: State, rows: RowBlock, n: int) -> int:
        """Make up to n steps; see `Engine.advance`."""
        work.failure = None
        done = stepping.advance(
            work.tables,
            work.option_tables,
            coefficients(),
            TreeMotion(state.q, state.v, state.a, state.lam),
            state.sums,
            state.clock,
            work.run,
            work.scratch,
            work.flags,
            work.out,
            rows.arrays(),
            n,
        )
        if work.out[OUT_STATUS] != STEP_DONE:
            work.failure = self._failure(work, state)
        return int(done)

    def observe(self, work: TreeWorkspace, state: State, out: Frame) -> None:
        """Write poses, twists and channels of a state."""
        rows = Rows(
            np.zeros((0, 13)),
            np.zeros(0),
            np.zeros(1),
            out.poses.reshape(1, -1, 7),
            out.twists.reshape(1, -1, 6),
            out.channels.reshape(1, -1),
            np.zeros(3, np.int64),
        )
        motion = TreeMotion(state.q, state.v, state.a, state.lam)
        records.write_frame(work.tables, state.t, motion, state.sums, work.scratch, rows, 0)
        out.t = state.t

    def set_option(self, work: TreeWorkspace, name: str, value: Any) -> None:
        """Change an option between two calls of `advance`; see `Engine.set_option`."""
        if name not in TreeOptions.model_fields:
            raise OptionError(f"The engine {self.name!r} has no option {name!r}.")
        try:
            work.options = work.options.replaced(**{name: value})
        except ValidationError as error:
            raise OptionError(error_sentence(error)) from error
        _write_options(work)
        work.run.clock[INNER_READY] = 0.0

    def set_step(self, work: TreeWorkspace, h: float, stride: int | None = None) -> None:
        """Change the step size and the frame interval; see `Engine.set_step`."""
        state = work.state
        if h != work.reals[TREE_H]:
            if state is not None:
                state.clock[CLOCK_BASE] = state.clock[CLOCK_T]
                state.clock[CLOCK_STEPS] = 0.0
            if work.ints[TREE_INTEGRATOR] == STOERMER:
                work.run.clock[INNER_READY] = 0.0
        work.reals[TREE_H] = h
        if stride is not None:
            work.ints[TREE_STRIDE] = stride

    def update(self, work: TreeWorkspace, model: CompiledModel) -> None:
        """Go on with other numbers; see `Engine.update`.

        The jump of the stored energy is work of the hand that changed the number: it does not count as balance error.
        """
        if not work.model.same_structure(model):
            raise OptionError(
                "The mechanism has other elements than the one that runs. Start a new run for the change."
            )
        state = work.state
        if state is None:
            work.model, work.mechanism = model, lay_out(model)
            return
        before = Frame.empty(model.n_body, len(model.channel_names))
        self.observe(work, state, before)
        old = work.model, work.mechanism, work.scratch
        geometry = _geometry_differs(work.model, model)
        motion = TreeMotion(state.q.copy(), state.v.copy(), state.a.copy(), state.lam.copy())
        work.model, work.mechanism = model, lay_out(model)
        work.scratch = make_scratch(work.mechanism)
        try:
            if geometry:
                self._set_motion(work, motion, before)
            else:
                work.mechanism = with_signs(work.mechanism, motion.q, before.poses)
                status = find_accelerations(work, motion)
                if status != STEP_DONE:
                    raise self._start_error(work, status)
        except RunError:
            work.model, work.mechanism, work.scratch = old
            work.run.clock[INNER_READY] = 0.0
            raise
        for name in ("q", "v", "a", "lam"):
            getattr(state, name)[:] = getattr(motion, name)
        after = Frame.empty(model.n_body, len(model.channel_names))
        self.observe(work, state, after)
        state.sums[LEDGER_START] += after.channels[CH_TOTAL] - before.channels[CH_TOTAL]

    def _failure(self, work: TreeWorkspace, state: State) -> StepFailure:
        status = int(work.out[OUT_STATUS])
        element, words = _worst(work)
        if status == STEP_NO_LENGTH:
            element, words = work.model.sda_ids[int(work.out[OUT_ELEMENT])], ""
        return StepFailure(
            reason=REASONS[status],
            t=state.t,
            step=state.n_steps + 1,
            element=element,
            words=words,
            residuals=(),
        )

    def _start_error(self, work: TreeWorkspace, status: int) -> RunError:
        if status == STEP_OPEN:
            element, words = _worst(work)
            gap = float(np.abs(work.scratch.phi).max())
            return RunError(
                f"The joints cannot be closed from the drawn pose: joint {element!r} keeps a gap of {gap:.3g} "
                f"({words}). Move the bodies so that the ends of its joints meet.",
                element,
            )
        if status == STEP_NO_LENGTH:
            element = work.model.sda_ids[int(np.argmin(work.scratch.sw[:, 3]))]
            return RunError(
                f"Both ends of {element!r} are at the same place, so that its force has no direction. Move one end.",
                element,
            )
        return RunError(
            "The mechanism is singular in the drawn pose: its accelerations are not determined. "
            "Draw it in another pose, or give every body mass and inertia."
        )


def find_accelerations(work: TreeWorkspace, motion: TreeMotion) -> int:
    """Fill `motion.a` and `motion.lam`, and let the integrators begin anew; returns a status of a step."""
    work.run.clock[INNER_READY] = 0.0
    status = evaluate.evaluate(work.tables, work.option_tables, FIND_ACCELERATIONS, motion, work.scratch)
    return int(status)


def make_motion(mechanism: TreeMechanism) -> TreeMotion:
    """Motion at rest with all joints at zero."""
    tables = mechanism.tables
    return TreeMotion(tables.make_q(), np.zeros(tables.n_v), np.zeros(tables.n_v), np.zeros(mechanism.n_loop))


def make_scratch(mechanism: TreeMechanism) -> TreeScratch:
    """Room for one evaluation."""
    n_loop, n_v = mechanism.n_loop, mechanism.tables.n_v
    n_row = mechanism.tables.n_body + 1
    model = mechanism.kernel_model
    bodies = np.zeros((n_loop, 2), np.int64)
    row_bodies(model.tables, bodies)
    return TreeScratch(
        work=mechanism.tables.make_work(model.tables.gravity),
        bw=np.zeros((n_row, B_COLUMNS)),
        sw=np.zeros((model.tables.sda_int.shape[0], S_COLUMNS)),
        power=np.zeros(3),
        phi=np.zeros(n_loop),
        phi_d=np.zeros(n_loop),
        phi_dd=np.zeros(n_loop),
        wrench=np.zeros((n_loop, L_COLUMNS)),
        bodies=bodies,
        response=np.zeros((n_loop, n_v)),
        schur=np.zeros((n_loop, n_loop)),
        pivots=np.zeros(n_loop, np.int64),
        spare=np.zeros(n_loop),
        quats=np.zeros((n_row, 4)),
    )


def make_run(mechanism: TreeMechanism) -> TreeRun:
    """Memory of the integrators."""
    n_v = mechanism.tables.n_v
    return TreeRun(
        new=make_motion(mechanism),
        base=make_motion(mechanism),
        end=make_motion(mechanism),
        x=np.zeros(n_v),
        k_x=np.zeros((7, n_v)),
        k_v=np.zeros((7, n_v)),
        k_w=np.zeros((7, 3)),
        power=np.zeros((4, 3)),
        sums=np.zeros((4, LEDGER_COLUMNS)),
        history=np.zeros((HISTORY, n_v)),
        history_w=np.zeros((HISTORY, 3)),
        increment=np.zeros(n_v),
        clock=np.zeros(INNER_COLUMNS),
        counts=np.zeros(2),
    )


def _write_options(work: TreeWorkspace) -> None:
    """Put the options where the kernels read them."""
    o = work.options
    projects = o.loops == "projection"
    work.reals[TREE_TOL_ABS] = o.tolerance_abs
    work.reals[TREE_TOL_REL] = o.tolerance_rel
    work.reals[TREE_ALPHA] = 0.0 if projects else o.baumgarte_alpha
    work.reals[TREE_BETA] = 0.0 if projects else o.baumgarte_beta
    work.ints[TREE_SOLVER] = SOLVERS[o.solver]
    work.ints[TREE_INTEGRATOR] = INTEGRATORS[o.integrator]
    work.ints[TREE_PROJECT] = int(projects)


def _geometry_differs(old: CompiledModel, new: CompiledModel) -> bool:
    """Tell whether points, frames or masses differ, so that joint coordinates have another meaning."""
    same = np.array_equal(old.joint_frames, new.joint_frames) and all(
        np.array_equal(getattr(old.tables, name), getattr(new.tables, name)) for name in ("prim_real", "body")
    )
    return not same


def _worst(work: TreeWorkspace) -> tuple[str | None, str]:
    """Joint and words of the loop row with the largest residual."""
    if work.mechanism.n_loop == 0:
        return None, ""
    row = int(work.tables.loop_rows[int(np.argmax(np.abs(work.scratch.phi)))])
    label = work.model.row_labels[row]
    return label.element, label.direction
