"""One implicit step on the index-3 equations, and a chunk of steps.

Newmark 1959 with the unknowns q'' and lambda at the end of the step (theory section 8):

    q_1  = q_0 + h q'_0 + h^2 [(1/2 - beta) q''_0 + beta q''_1]
    q'_1 = q'_0 + h [(1 - gamma) q''_0 + gamma q''_1]
    residual [M q'' + Phi_q^T lambda - Qv - Q ; Phi] = 0

Newton-Raphson on the full equations, in a basis that makes them smaller without changing them: the step of the Euler
parameters is G(e)^T w + e s. The row of e . e = 1 gives s at once, its multiplier follows from the equation along e
after the solve, and 6 unknowns per body and one per constraint row remain. Constraint rows are divided by beta h^2.
"""

from __future__ import annotations

import math

import numpy as np

from linkwright.kernels import constraints, difference, inertia
from linkwright.kernels.equations import evaluate, residual_square, solve_system, worst_equation
from linkwright.kernels.forces import force, sda
from linkwright.kernels.jit import inner_kernel, kernel
from linkwright.kernels.layout import (
    B_DR,
    B_E,
    B_NORM,
    B_S,
    CLOCK_BASE,
    CLOCK_STEPS,
    CLOCK_T,
    CLOCK_TOTAL,
    OPT_BETA,
    OPT_GAMMA,
    OPT_H,
    OPT_MAX_SOLVES,
    OPT_PROJECT,
    OPT_STRIDE,
    OPT_TERMS,
    OPT_TOL_ABS,
    OPT_TOL_REL,
    OUT_ELEMENT,
    OUT_EVALUATIONS,
    OUT_PIVOTS,
    OUT_SOLVES,
    OUT_STATUS,
    OUT_WORST,
    STEP_DIVERGED,
    STEP_DONE,
    STEP_NO_LENGTH,
    STEP_NOT_CONVERGED,
    STEP_NOT_FINITE,
    STEP_SINGULAR,
    TERM_DIFFERENCE,
    TERM_REACTION,
    Floats,
    Ints,
    Ledger,
    Motion,
    Pattern,
    Rows,
    Scratch,
    Tables,
)
from linkwright.kernels.ledger import account, write_frame, write_step
from linkwright.kernels.rotation import dot4, quat
from linkwright.kernels.start import settle

DIVERGED = 1e15
"""A residual that grew by this factor over the first one of the step will not come back."""


@inner_kernel
def predict(old: Motion, new: Motion, h: float, beta: float, gamma: float) -> None:
    """Write the part of Newmark's formulas that is known, with the last accelerations and multipliers as guess."""
    c = h * h * 0.5
    for k in range(old.q.size):
        a = old.a[k]
        new.a[k] = a
        new.q[k] = old.q[k] + h * old.v[k] + c * a
        new.v[k] = old.v[k] + h * a
    for k in range(old.lam.size):
        new.lam[k] = old.lam[k]


@inner_kernel
def correct(new: Motion, work: Scratch, pattern: Pattern, c_q: float, c_v: float) -> None:
    """Add the Newton step of the accelerations to all unknowns."""
    bw = work.body
    n_row = pattern.row_adr.size
    for b in range(bw.shape[0] - 1):
        p = 7 * b
        for k in range(7):
            da = bw[b, B_DR + k]
            new.a[p + k] += da
            new.q[p + k] += c_q * da
            new.v[p + k] += c_v * da
        new.lam[n_row + b] += inertia.norm_step(bw, b)
    for row in range(n_row):
        adr = pattern.row_adr[row]
        if adr >= 0:
            new.lam[row] += work.rhs[adr]


@inner_kernel
def step(
    tables: Tables,
    pattern: Pattern,
    opt_real: Floats,
    opt_int: Ints,
    old: Motion,
    new: Motion,
    spare: Motion,
    work: Scratch,
) -> int:
    """Find the motion at the end of one step in `new`; `old` is only read. The outcome stands in `work.out`."""
    h = opt_real[OPT_H]
    c_q = opt_real[OPT_BETA] * h * h
    c_v = opt_real[OPT_GAMMA] * h
    terms = opt_int[OPT_TERMS]
    c_r = c_q if terms & TERM_REACTION else 0.0
    bw = work.body
    out = work.out
    out[OUT_ELEMENT] = -1
    pivots = 0
    solves = 0
    first = 0.0
    status = STEP_DONE
    predict(old, new, h, opt_real[OPT_BETA], opt_real[OPT_GAMMA])
    while True:
        largest, short = evaluate(tables, new, pattern.row_adr.size, work)
        if short >= 0:
            out[OUT_ELEMENT] = short
            status = STEP_NO_LENGTH
            break
        norm = math.sqrt(residual_square(pattern, work))
        work.history[solves] = norm
        if not np.isfinite(norm):
            status = STEP_NOT_FINITE if solves == 0 else STEP_DIVERGED
            break
        if norm < opt_real[OPT_TOL_ABS] + opt_real[OPT_TOL_REL] * largest:
            break
        if solves == 0:
            first = norm
        elif norm > DIVERGED * (first + 1.0):
            status = STEP_DIVERGED
            break
        if solves >= opt_int[OPT_MAX_SOLVES]:
            status = STEP_NOT_CONVERGED
            break
        if terms & TERM_DIFFERENCE:
            pivoted = difference.newton(tables, pattern, new, spare, work, c_q, c_v)
        else:
            for b in range(bw.shape[0] - 1):
                e = quat(bw, b, B_E)
                bw[b, B_S] = -bw[b, B_NORM] / (2.0 * c_q * dot4(e, e))
            pivoted = solve_system(
                tables, pattern, work, new.a, new.lam, work.phi, 1.0 / c_q, c_q, c_v, terms, False
            )
        if pivoted < 0:
            status = STEP_SINGULAR
            break
        if not terms & TERM_DIFFERENCE:
            inertia.unpack_step(tables.body, bw, pattern.body_adr, work.rhs)
            constraints.collect_along(
                tables.prim_int, tables.prim_real, new.lam, work.rhs, c_r, pattern.row_adr, bw, work.prim
            )
            sda.collect_along(tables.sda_int, tables.sda_real, c_q, c_v, terms, bw, work.sda)
            force.collect_along(tables.force_int, tables.force_real, c_r, bw)
            correct(new, work, pattern, c_q, c_v)
        pivots += pivoted
        solves += 1
    if status == STEP_DONE and opt_int[OPT_PROJECT]:
        status = settle(tables, pattern, new, work, False)
    out[OUT_STATUS] = status
    out[OUT_SOLVES] = solves
    out[OUT_EVALUATIONS] = solves + 1
    out[OUT_PIVOTS] = pivots
    out[OUT_WORST] = worst_equation(pattern, work)
    return status


@kernel
def advance(
    tables: Tables,
    pattern: Pattern,
    opt_real: Floats,
    opt_int: Ints,
    old: Motion,
    new: Motion,
    spare: Motion,
    clock: Floats,
    ledger: Ledger,
    work: Scratch,
    flags: Ints,
    rows: Rows,
    n: int,
) -> int:
    """Advance up to n steps and write their rows; returns the number of steps done.

    Ends early at a failed step (`work.out` tells why; motion, clock, ledger and rows stay at the last good step), when
    `rows` is full, or when `flags[0]` is raised.
    """
    n_step = rows.counts[0]
    n_residual = rows.counts[1]
    n_frame = rows.counts[2]
    done = 0
    work.out[OUT_STATUS] = STEP_DONE
    while done < n and flags[0] == 0:
        due = (int(clock[CLOCK_TOTAL]) + 1) % opt_int[OPT_STRIDE] == 0
        if n_step >= rows.steps.shape[0] or (due and n_frame >= rows.frame_t.size):
            break
        if step(tables, pattern, opt_real, opt_int, old, new, spare, work) != STEP_DONE:
            break
        count = work.out[OUT_EVALUATIONS]
        if n_residual + count > rows.residuals.size:
            break
        account(tables, old, work, ledger)
        clock[CLOCK_STEPS] += 1.0
        clock[CLOCK_TOTAL] += 1.0
        clock[CLOCK_T] = clock[CLOCK_BASE] + clock[CLOCK_STEPS] * opt_real[OPT_H]
        difference.copy(new, old)
        write_step(tables, pattern, clock, opt_real, old, work, rows, n_step, n_residual)
        n_step += 1
        n_residual += count
        if due:
            write_frame(tables, clock, old, ledger, work, rows, n_frame)
            n_frame += 1
        done += 1
    rows.counts[0] = n_step
    rows.counts[1] = n_residual
    rows.counts[2] = n_frame
    return done
