"""The implicit engine in absolute coordinates: Newmark on the index-3 equations with selectable Jacobian terms."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pydantic import ValidationError

from linkwright.compiler.coordinates import coordinates_of
from linkwright.compiler.model import CompiledModel
from linkwright.compiler.ordering import make_pattern
from linkwright.compiler.rank import rows_to_keep
from linkwright.compiler.workspace import make_ledger, make_motion, make_scratch
from linkwright.document.base import error_sentence
from linkwright.document.settings import NewmarkOptions
from linkwright.engines.base import contacts_refused
from linkwright.engines.state import STEP_COLUMNS, Frame, RowBlock, State, StepFailure, StepReport
from linkwright.errors import OptionError, RunError
from linkwright.findings import Finding, Severity
from linkwright.kernels.implicit import advance
from linkwright.kernels.layout import (
    BODY_J,
    BODY_MASS,
    CH_TOTAL,
    CLOCK_BASE,
    CLOCK_COLUMNS,
    CLOCK_STEPS,
    CLOCK_T,
    LEDGER_START,
    OPT_BETA,
    OPT_GAMMA,
    OPT_H,
    OPT_INT,
    OPT_MAX_SOLVES,
    OPT_PROJECT,
    OPT_REAL,
    OPT_STRIDE,
    OPT_TERMS,
    OPT_TOL_ABS,
    OPT_TOL_REL,
    OUT_ELEMENT,
    OUT_EVALUATIONS,
    OUT_PIVOTS,
    OUT_STATUS,
    OUT_WORST,
    STEP_DIVERGED,
    STEP_DONE,
    STEP_NO_LENGTH,
    STEP_NOT_CONVERGED,
    STEP_NOT_FINITE,
    STEP_RETRIES,
    STEP_SINGULAR,
    TERM_DIFFERENCE,
    TERM_SDA_Q,
    TERM_SDA_V,
    TERMS_M1,
    Floats,
    Ints,
    Ledger,
    Motion,
    Pattern,
    Rows,
    Scratch,
)
from linkwright.kernels.ledger import observe
from linkwright.kernels.start import settle

TERMS = {
    "M1": TERMS_M1,
    "M1+M2": TERMS_M1 | TERM_SDA_Q,
    "M1+M3": TERMS_M1 | TERM_SDA_V,
    "M1+M2+M3": TERMS_M1 | TERM_SDA_Q | TERM_SDA_V,
    "difference": TERM_DIFFERENCE,
}
"""Iteration matrices by name; they change the matrix only, never the force."""

REASONS = {
    STEP_NOT_CONVERGED: "not_converged",
    STEP_DIVERGED: "diverged",
    STEP_NOT_FINITE: "not_finite",
    STEP_SINGULAR: "singular",
    STEP_NO_LENGTH: "no_length",
}

FIXED_OPTIONS = frozenset({"integrator", "coordinates", "dae"})


@dataclass(slots=True)
class NewmarkWorkspace:
    """Everything a run of this engine needs; see `engines.base.Workspace`.

    Attributes
    ----------
    kept : (n_row,) bool
        Constraint rows in use; the others are redundant and have the multiplier zero.
    opt_real, opt_int : arrays
        Options as the kernels read them; `opt_int[OPT_TERMS]` holds the terms of the iteration matrix.
    """

    model: CompiledModel
    options: NewmarkOptions
    kept: np.ndarray
    pattern: Pattern
    scratch: Scratch
    new: Motion
    spare: Motion
    opt_real: Floats
    opt_int: Ints
    flags: Ints = field(default_factory=lambda: np.zeros(1, np.int64))
    failure: StepFailure | None = None
    state: State | None = None


class NewmarkEngine:
    """Index-3 equations in absolute coordinates, solved by Newton's method with exact derivatives."""

    name = "newmark"
    options_type = NewmarkOptions

    def check(self, model: CompiledModel) -> list[Finding]:
        """Bodies without mass or without inertia about an axis, and contacts, cannot be treated."""
        findings = contacts_refused(model)
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
        return findings

    def prepare(
        self, model: CompiledModel, options: NewmarkOptions, h: float, stride: int = 1
    ) -> NewmarkWorkspace:
        """Allocate everything; see `Engine.prepare`."""
        kept = np.ones(model.n_row, bool)
        pattern = make_pattern(model.tables, model.row_prim, kept)
        work = NewmarkWorkspace(
            model=model,
            options=options,
            kept=kept,
            pattern=pattern,
            scratch=make_scratch(model, pattern, options.max_iterations),
            new=make_motion(model),
            spare=make_motion(model),
            opt_real=np.zeros(OPT_REAL),
            opt_int=np.zeros(OPT_INT, np.int64),
        )
        work.opt_real[OPT_H] = h
        work.opt_int[OPT_STRIDE] = stride
        _write_options(work)
        return work

    def initialise(self, work: NewmarkWorkspace, start: Frame) -> tuple[State, StepReport]:
        """Close the joints, project the velocities, and find accelerations and multipliers.

        Raises
        ------
        RunError
            When the joints cannot be closed, the start is singular, or an SDA has no length.
        """
        model = work.model
        if not (np.all(np.isfinite(start.poses)) and np.all(np.isfinite(start.twists))):
            raise RunError("A start position or velocity is not a finite number.")
        q, v = coordinates_of(model, start.poses, start.twists)
        motion = make_motion(model)
        motion.q[:], motion.v[:] = q, v
        memory = make_ledger(model)
        status = STEP_SINGULAR
        # rows that depend on others in the drawn pose are found first, then once more where the joints are closed
        for _ in range(3):
            _use_rows(work, rows_to_keep(model, motion.q))
            status = settle(model.tables, work.pattern, motion, work.scratch, True)
            if status != STEP_DONE:
                break
            if np.array_equal(rows_to_keep(model, motion.q), work.kept):
                break
        if status != STEP_DONE:
            raise _start_error(work, status)
        clock = np.zeros(CLOCK_COLUMNS)
        clock[CLOCK_T] = clock[CLOCK_BASE] = start.t
        state = State(*motion, clock, *memory)
        work.state = state
        frame = Frame.empty(model.n_body, len(model.channel_names))
        _observe(work, state, frame, begin=True)
        position, velocity = frame.channels[8:10]
        report = StepReport(
            start.t, 0.0, 0, 0, (), position_error=float(position), velocity_error=float(velocity)
        )
        return state, report

    def advance(self, work: NewmarkWorkspace, state: State, rows: RowBlock, n: int) -> int:
        """Make up to n steps; see `Engine.advance`."""
        work.failure = None
        done = self._advance(work, state, rows, n)
        if work.scratch.out[OUT_STATUS] == STEP_SINGULAR and self._choose_rows_again(work, state):
            first = int(rows.count[0])
            done += self._advance(work, state, rows, n - done)
            if rows.count[0] > first:
                rows.steps[first, STEP_RETRIES] = 1.0
        elif work.scratch.out[OUT_STATUS] == STEP_DONE and work.scratch.out[OUT_PIVOTS] > 0:
            self._choose_rows_again(work, state)
        if work.scratch.out[OUT_STATUS] != STEP_DONE:
            work.failure = _failure(work, state)
        return done

    def _advance(self, work: NewmarkWorkspace, state: State, rows: RowBlock, n: int) -> int:
        done = advance(
            work.model.tables,
            work.pattern,
            work.opt_real,
            work.opt_int,
            Motion(state.q, state.v, state.a, state.lam),
            work.new,
            work.spare,
            state.clock,
            Ledger(state.sums, state.sda, state.force),
            work.scratch,
            work.flags,
            rows.arrays(),
            n,
        )
        return int(done)

    def _choose_rows_again(self, work: NewmarkWorkspace, state: State) -> bool:
        """Choose other independent rows where the pose has made the present choice a bad one.

        A pose where the rank itself has dropped is left alone: no choice of rows helps there.
        """
        kept = rows_to_keep(work.model, state.q)
        if kept.sum() != work.kept.sum() or np.array_equal(kept, work.kept):
            return False
        _use_rows(work, kept)
        # the multipliers of the rows that were dropped until now are not known
        motion = Motion(state.q.copy(), state.v.copy(), state.a.copy(), np.zeros_like(state.lam))
        if settle(work.model.tables, work.pattern, motion, work.scratch, False) != STEP_DONE:
            return False
        state.a[:], state.lam[:] = motion.a, motion.lam
        return True

    def observe(self, work: NewmarkWorkspace, state: State, out: Frame) -> None:
        """Write poses, twists and channels of a state."""
        _observe(work, state, out, begin=False)

    def set_option(self, work: NewmarkWorkspace, name: str, value: Any) -> None:
        """Change an option between two calls of `advance`; see `Engine.set_option`."""
        if name not in NewmarkOptions.model_fields:
            raise OptionError(f"The engine {self.name!r} has no option {name!r}.")
        if name in FIXED_OPTIONS:
            raise OptionError(f"The option {name!r} cannot change while a run goes on. Start a new run.")
        try:
            work.options = work.options.replaced(**{name: value})
        except ValidationError as error:
            raise OptionError(error_sentence(error)) from error
        _write_options(work)

    def set_step(self, work: NewmarkWorkspace, h: float, stride: int | None = None) -> None:
        """Change the step size and the frame interval; see `Engine.set_step`."""
        state = work.state
        if state is not None and h != work.opt_real[OPT_H]:
            state.clock[CLOCK_BASE] = state.clock[CLOCK_T]
            state.clock[CLOCK_STEPS] = 0.0
        work.opt_real[OPT_H] = h
        if stride is not None:
            work.opt_int[OPT_STRIDE] = stride

    def update(self, work: NewmarkWorkspace, model: CompiledModel) -> None:
        """Go on with other numbers; see `Engine.update`.

        The jump of the stored energy is work of the hand that changed the number: it does not count as balance error.
        """
        if not work.model.same_structure(model):
            raise OptionError(
                "The mechanism has other elements than the one that runs. Start a new run for the change."
            )
        state = work.state
        old = work.model
        if state is None or _same_numbers(old, model):
            work.model = model
            return
        before = Frame.empty(model.n_body, len(model.channel_names))
        self.observe(work, state, before)
        motion = Motion(state.q.copy(), state.v.copy(), state.a.copy(), state.lam.copy())
        moved = not all(
            np.array_equal(getattr(old.tables, name), getattr(model.tables, name))
            for name in ("prim_real", "body")
        )
        if moved:
            motion.q[:], motion.v[:] = coordinates_of(model, before.poses, before.twists)
        status = settle(model.tables, work.pattern, motion, work.scratch, moved)
        if status != STEP_DONE:
            raise _start_error(work, int(status))
        work.model = model
        for name in ("q", "v", "a", "lam"):
            getattr(state, name)[:] = getattr(motion, name)
        # the ledger takes the new forces as those of the last step, and keeps its sums
        sums = state.sums.copy()
        after = Frame.empty(model.n_body, len(model.channel_names))
        _observe(work, state, after, begin=True)
        state.sums[:] = sums
        state.sums[LEDGER_START] += after.channels[CH_TOTAL] - before.channels[CH_TOTAL]


def _observe(work: NewmarkWorkspace, state: State, out: Frame, begin: bool) -> None:
    """Write the frame of a state; `begin` opens its energy ledger first."""
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
    observe(
        work.model.tables,
        state.clock,
        Motion(state.q, state.v, state.a, state.lam),
        Ledger(state.sums, state.sda, state.force),
        work.scratch,
        rows,
        begin,
    )
    out.t = float(frame_t[0])


def _same_numbers(a: CompiledModel, b: CompiledModel) -> bool:
    return all(np.array_equal(x, y) for x, y in zip(a.tables, b.tables, strict=True))


def _write_options(work: NewmarkWorkspace) -> None:
    """Put the options where the kernels read them."""
    o = work.options
    work.opt_real[OPT_BETA] = o.beta
    work.opt_real[OPT_GAMMA] = o.gamma
    work.opt_real[OPT_TOL_ABS] = o.tolerance_abs
    work.opt_real[OPT_TOL_REL] = o.tolerance_rel
    work.opt_int[OPT_MAX_SOLVES] = o.max_iterations
    work.opt_int[OPT_TERMS] = TERMS[o.jacobian]
    work.opt_int[OPT_PROJECT] = int(o.projection)
    if work.scratch.history.size != o.max_iterations + 1:
        work.scratch = work.scratch._replace(history=np.zeros(o.max_iterations + 1))


def _use_rows(work: NewmarkWorkspace, kept: np.ndarray) -> None:
    """Leave the other rows out."""
    work.kept = kept
    work.pattern = make_pattern(work.model.tables, work.model.row_prim, kept)
    work.scratch = make_scratch(work.model, work.pattern, work.options.max_iterations)


def _failure(work: NewmarkWorkspace, state: State) -> StepFailure:
    out = work.scratch.out
    worst = int(out[OUT_WORST])
    element = work.model.equation_element(worst)
    if out[OUT_STATUS] == STEP_NO_LENGTH:
        element = work.model.sda_ids[int(out[OUT_ELEMENT])]
    return StepFailure(
        reason=REASONS[int(out[OUT_STATUS])],
        t=state.t,
        step=state.n_steps + 1,
        element=element,
        words=work.model.equation_words(worst),
        residuals=tuple(float(x) for x in work.scratch.history[: int(out[OUT_EVALUATIONS])]),
    )


def _start_error(work: NewmarkWorkspace, status: int) -> RunError:
    model = work.model
    if status == STEP_NOT_CONVERGED:
        gaps = np.where(work.kept, np.abs(work.scratch.phi), 0.0)
        label = model.row_labels[int(np.argmax(gaps))]
        return RunError(
            f"The joints cannot be closed from the drawn pose: joint {label.element!r} keeps a gap of "
            f"{gaps.max():.3g} ({label.direction}). Move the bodies so that the ends of its joints meet.",
            label.element,
        )
    if status == STEP_NO_LENGTH:
        lengths = work.scratch.sda[:, 3]
        element = model.sda_ids[int(np.argmin(lengths))]
        return RunError(
            f"Both ends of {element!r} are at the same place, so that its force has no direction. Move one end.",
            element,
        )
    return RunError(
        "The mechanism is singular in the drawn pose: its accelerations are not determined. "
        "Draw it in another pose, or give every body mass and inertia."
    )
