"""One step of a tree by any integrator, and a chunk of steps."""

from __future__ import annotations

import math

from linkwright.kernels.jit import kernel
from linkwright.kernels.layout import (
    CLOCK_BASE,
    CLOCK_STEPS,
    CLOCK_T,
    CLOCK_TOTAL,
    OUT_ELEMENT,
    OUT_STATUS,
    S_LENGTH,
    STEP_DONE,
    STEP_NO_LENGTH,
    Floats,
    Ints,
    Rows,
)
from linkwright.kernels.tree.chart import rates
from linkwright.kernels.tree.evaluate import close_loops, evaluate
from linkwright.kernels.tree.layout import (
    AT_BASE,
    AT_END,
    AT_NEW,
    AT_STATE,
    DORMAND_PRINCE,
    FIND_ACCELERATIONS,
    INNER_H,
    INNER_KNOWN,
    INNER_NEXT,
    INNER_READY,
    INNER_T,
    RUNGE_KUTTA,
    STEP_TOO_SMALL,
    STOERMER,
    TREE_H,
    TREE_INTEGRATOR,
    TREE_PROJECT,
    TREE_STRIDE,
    Coefficients,
    TreeModel,
    TreeMotion,
    TreeOptionTables,
    TreeRun,
    TreeScratch,
)
from linkwright.kernels.tree.multistep import (
    LOOK_BACK,
    add_sums_adams,
    add_sums_mean,
    keep_increment,
    predict_euler,
    predict_stoermer,
    remember,
)
from linkwright.kernels.tree.records import write_frame, write_step
from linkwright.kernels.tree.runge_kutta import (
    SAFETY,
    SHRINK,
    accept,
    add_sums,
    copy_motion,
    copy_sums,
    error_norm,
    first_stage,
    interpolate,
    longest_step,
    predict_stage,
)

CLOSING_ROUNDS = 5
"""Corrections of the loop rows after a step."""
SUBSTEPS = 4
"""Runge-Kutta substeps per step while the history of the method of Stoermer is filled."""
SMALLEST_STEP = 1e-14
"""An adaptive step below this part of the time, or of the output step, gives up."""


@kernel
def attempt(
    model: TreeModel,
    options: TreeOptionTables,
    numbers: Coefficients,
    method: int,
    h: float,
    run: TreeRun,
    s: TreeScratch,
) -> int:
    """Make one step of length h from `run.base` to `run.new`, with sums and their rates; returns a status."""
    tableau = numbers.rk4 if method == RUNGE_KUTTA else numbers.dp
    by_stages = method == RUNGE_KUTTA or method == DORMAND_PRINCE
    last = tableau.shape[0] - 1 if by_stages else 1
    if by_stages:
        first_stage(run)
    for j in range(1, last + 1):
        if by_stages:
            predict_stage(model, tableau, j, h, run)
        elif method == STOERMER:
            predict_stoermer(model, numbers, h, run)
        else:
            predict_euler(model, h, run)
        if j == last and s.phi.size > 0 and options.ints[TREE_PROJECT]:
            status = close_loops(model, options, run.new, s, CLOSING_ROUNDS)
            if status != STEP_DONE:
                return status
        status = evaluate(model, options, FIND_ACCELERATIONS, run.new, s)
        run.counts[0] += 1.0
        if status != STEP_DONE:
            return status
        for k in range(3):
            run.power[AT_NEW, k] = s.power[k]
        if by_stages:
            rates(model.scalars, model.balls, run.x, run.new.v, run.k_x[j])
            for k in range(run.x.size):
                run.k_v[j, k] = run.new.a[k]
            for k in range(3):
                run.k_w[j, k] = s.power[k]
    if by_stages:
        add_sums(tableau[last], h, run)
    elif method == STOERMER:
        add_sums_adams(numbers, h, run)
    else:
        add_sums_mean(h, run)
    return STEP_DONE


@kernel
def advance(
    model: TreeModel,
    options: TreeOptionTables,
    numbers: Coefficients,
    state: TreeMotion,
    sums: Floats,
    clock: Floats,
    run: TreeRun,
    s: TreeScratch,
    flags: Ints,
    out: Ints,
    rows: Rows,
    n: int,
) -> int:
    """Advance up to n steps and write their rows; returns the number of steps done.

    Ends early at a failed step (`out` tells why; state, sums, clock and rows stay at the last good step), when `rows`
    is full, or when `flags[0]` is raised. Dormand-Prince makes inner steps of its own length, which run past the
    output time, and reads their interpolant there.
    """
    method = options.ints[TREE_INTEGRATOR]
    h = options.reals[TREE_H]
    n_step = rows.counts[0]
    n_frame = rows.counts[2]
    done = 0
    out[OUT_STATUS] = STEP_DONE
    out[OUT_ELEMENT] = -1
    while done < n and flags[0] == 0:
        due = (int(clock[CLOCK_TOTAL]) + 1) % options.ints[TREE_STRIDE] == 0
        if n_step >= rows.steps.shape[0] or (due and n_frame >= rows.frame_t.size):
            break
        run.counts[0] = 0.0
        run.counts[1] = 0.0
        t = clock[CLOCK_BASE] + (clock[CLOCK_STEPS] + 1.0) * h
        status = STEP_DONE
        if run.clock[INNER_READY] == 0.0:
            status = evaluate(model, options, FIND_ACCELERATIONS, state, s)
            forget(state, sums, clock[CLOCK_T], h, run, s)
            run.counts[0] += 1.0

        # inner steps up to the output time
        if method != DORMAND_PRINCE:
            copy_motion(state, run.base)
            copy_sums(run, AT_STATE, AT_BASE)
            if method == STOERMER:
                remember(run)
        starting = method == STOERMER and run.clock[INNER_KNOWN] < LOOK_BACK - 1
        inner = DORMAND_PRINCE if starting else method
        h_inner = h / SUBSTEPS if starting else h
        left = SUBSTEPS if starting else 1
        again = False
        tiny = SMALLEST_STEP * max(abs(t), h)
        while status == STEP_DONE:
            if method == DORMAND_PRINCE:
                if run.clock[INNER_T] + run.clock[INNER_H] >= t - tiny:
                    break
                if not again:
                    copy_motion(run.end, run.base)
                    copy_sums(run, AT_END, AT_BASE)
                    h_inner = min(run.clock[INNER_NEXT], longest_step(model, run.base.v))
            status = attempt(model, options, numbers, inner, h_inner, run, s)
            if method == DORMAND_PRINCE:
                norm = math.inf
                if status == STEP_DONE:
                    norm = error_norm(model, options, numbers.dp_error, h_inner, run)
                if norm <= 1.0:
                    accept(norm, h_inner, again, run)
                    again = False
                else:
                    run.counts[1] += 1.0
                    again = True
                    h_inner *= max(SHRINK, SAFETY * norm**-0.2) if math.isfinite(norm) else SHRINK
                    if h_inner > tiny:
                        status = STEP_DONE
                    elif status == STEP_DONE:
                        status = STEP_TOO_SMALL
            else:
                left -= 1
                if left == 0:
                    break
                copy_motion(run.new, run.base)
                copy_sums(run, AT_NEW, AT_BASE)
        if status == STEP_DONE and method == DORMAND_PRINCE:
            interpolate(model, numbers.dp_dense, (t - run.clock[INNER_T]) / run.clock[INNER_H], run)
            if s.phi.size > 0 and options.ints[TREE_PROJECT]:
                status = close_loops(model, options, run.new, s, CLOSING_ROUNDS)
        if status == STEP_DONE and method == STOERMER:
            keep_increment(model, run, state.q, not starting and s.phi.size == 0)
            run.clock[INNER_KNOWN] += 1.0

        out[OUT_STATUS] = status
        if status != STEP_DONE:
            run.clock[INNER_READY] = 0.0
            if status == STEP_NO_LENGTH:
                out[OUT_ELEMENT] = shortest(s.sw)
            break
        clock[CLOCK_STEPS] += 1.0
        clock[CLOCK_TOTAL] += 1.0
        clock[CLOCK_T] = t
        copy_motion(run.new, state)
        copy_sums(run, AT_NEW, AT_STATE)
        for k in range(sums.size):
            sums[k] = run.sums[AT_STATE, k]
        if method == DORMAND_PRINCE and s.phi.size > 0:
            # multipliers and residuals at the output time, between two inner steps
            evaluate(model, options, FIND_ACCELERATIONS, state, s)
        write_step(model, t, h, int(run.counts[0]), int(run.counts[1]), s, rows, n_step)
        n_step += 1
        if due:
            write_frame(model, t, state, sums, s, rows, n_frame)
            n_frame += 1
        done += 1
    rows.counts[0] = n_step
    rows.counts[2] = n_frame
    return done


@kernel
def forget(state: TreeMotion, sums: Floats, t: float, h: float, run: TreeRun, s: TreeScratch) -> None:
    """Begin anew at a state whose accelerations were just found, without any steps before it; h is tried first."""
    for k in range(3):
        run.power[AT_STATE, k] = s.power[k]
    for k in range(sums.size):
        run.sums[AT_STATE, k] = sums[k]
    copy_motion(state, run.end)
    copy_sums(run, AT_STATE, AT_END)
    run.clock[INNER_KNOWN] = 0.0
    run.clock[INNER_T] = t
    run.clock[INNER_H] = 0.0
    run.clock[INNER_NEXT] = h
    run.clock[INNER_READY] = 1.0


@kernel
def shortest(sw: Floats) -> int:
    """SDA with the least length."""
    best = 0
    for k in range(sw.shape[0]):
        if sw[k, S_LENGTH] < sw[best, S_LENGTH]:
            best = k
    return best
