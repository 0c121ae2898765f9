"""Moreau's midpoint time stepping: one step of a mechanism with contacts, and a chunk of steps.

A step moves the bodies half way with the old velocities, lists the contacts that are closed there, finds the new
velocities from joints, springs and contacts together, moves the second half with the new velocities, and projects the
joints back into place (Moreau 1988; Glocker, Studer 2005; theory sections 2 to 6). Impacts need no event detection:
they happen in the step whose midpoint lies behind the surface.
"""

from __future__ import annotations

import numpy as np

from linkwright.kernels.jit import inner_kernel, kernel
from linkwright.kernels.layout import (
    CLOCK_BASE,
    CLOCK_STEPS,
    CLOCK_T,
    CLOCK_TOTAL,
    STEP_CONTACTS,
    STEP_EVALUATIONS,
    STEP_H,
    STEP_PIVOTS,
    STEP_POSITION_ERROR,
    STEP_RESIDUAL_COUNT,
    STEP_RESIDUAL_START,
    STEP_RETRIES,
    STEP_SOLVES,
    STEP_T,
    STEP_VELOCITY_ERROR,
    STEP_WORST_ROW,
    Floats,
    Ints,
    Rows,
)
from linkwright.kernels.lcp import delassus, groups, planar, record, schur, spatial
from linkwright.kernels.lcp.active_set import SetRoom, solve_fast
from linkwright.kernels.lcp.layout import (
    DONE,
    NO_LENGTH,
    NOT_FINITE,
    O_DIRECTIONS,
    O_H,
    O_IMPACT,
    O_NEAR,
    O_POSITION,
    O_ROUNDS,
    O_STRIDE,
    O_THETA,
    O_TOLERANCE,
    OUT_COLUMNS,
    OUT_CONTACTS,
    OUT_ELEMENT,
    OUT_ERROR,
    OUT_PIVOTS,
    OUT_POSITION,
    OUT_RETRIES,
    OUT_SOLVES,
    OUT_STATUS,
    OUT_VELOCITY,
    OUT_WORST,
    PENDING,
    Q_COLUMNS,
    S_DAMPING,
    S_PULL,
    S_ROW,
    V_COMPLIANCE,
    V_INVERSE,
    V_LAM,
    V_PHI,
    V_RHS,
    W_I,
    W_J,
    Bench,
    Machine,
    Points,
    Touch,
)
from linkwright.kernels.lcp.motion import find_worst, place_all, place_rows, put_shift, residuals
from linkwright.kernels.lcp.problem import Problem


@inner_kernel
def free_motion(
    machine: Machine, theta: float, h: float, u: Floats, work: Bench, dim: tuple[int, ...]
) -> None:
    """Find the velocities at the end of the step with joints and springs but without contacts.

    Joints ask W_E u+ = -theta W_E u-. A spring pulls with its explicit part; the part D l'+ of its impulse is a soft
    row: with the row scaled by sqrt(D) it asks W u+ + L = 0.
    """
    rows = work.rows
    row_int = machine.row_int
    vector = work.vector
    n_row = row_int.shape[0]
    for r in range(n_row):
        vector[V_COMPLIANCE, r] = 0.0
        vector[V_RHS, r] = -theta * schur.row_times(rows, r, row_int[r, W_I], row_int[r, W_J], u, dim)
    for s in range(machine.sda.size):
        r = int(work.sda[s, S_ROW])
        schur.add_row(rows, r, row_int[r, W_I], row_int[r, W_J], -h * work.sda[s, S_PULL], work.u_free, dim)
        for k in range(2 * len(dim)):
            rows[r, k] *= work.sda[s, S_DAMPING]
        vector[V_COMPLIANCE, r] = 1.0
        vector[V_RHS, r] = 0.0
    schur.factor(machine.coupling, row_int, rows, vector, work.matrix, dim)
    for r in range(n_row):
        vector[V_RHS, r] -= schur.row_times(rows, r, row_int[r, W_I], row_int[r, W_J], work.u_free, dim)
    schur.solve_rows(row_int, work.matrix, vector, vector[V_RHS])
    for r in range(n_row):
        vector[V_LAM, r] = vector[V_RHS, r]
    schur.add_rows(row_int, rows, vector[V_RHS], work.u_free, dim)


@inner_kernel
def begin(
    machine: Machine,
    points: Points,
    opt_real: Floats,
    opt_int: Ints,
    q: Floats,
    u: Floats,
    work: Bench,
    touch: Touch,
    problem: Problem,
    states: SetRoom,
    out: Ints,
    out_real: Floats,
    dim: tuple[int, ...],
) -> int:
    """Make a step up to its contact problem and solve that from the guessed states; returns a status.

    At `PENDING` the problem stands ready for the other methods; `finish` goes on once it is solved.
    """
    h = opt_real[O_H]
    for k in range(OUT_COLUMNS):
        out[k] = 0
    # first half with the old velocities, then everything is evaluated there
    place_all(machine, q, u, 0.5 * h, work.mid, work.placed, dim)
    if len(dim) == 6:
        spatial.load_all(
            machine.body, machine.world, machine.load_int, machine.load_real, work.placed, u, h, work.u_free
        )
    else:
        planar.load_all(
            machine.body, machine.world, machine.load_int, machine.load_real, work.placed, u, h, work.u_free
        )
    found = place_rows(machine, u, h, work, dim)
    if found < 0:
        out[OUT_ELEMENT] = -1 - found
        return NO_LENGTH
    free_motion(machine, opt_real[O_THETA], h, u, work, dim)
    total = 0.0
    for b in range(u.shape[0] - 1):
        for k in range(len(dim)):
            total += abs(work.u_free[b, k])
    if not total < np.inf:
        return NOT_FINITE

    nc = delassus.collect(
        machine.body,
        points.point_int,
        points.point_real,
        work.placed,
        opt_int[O_DIRECTIONS],
        opt_real[O_NEAR],
        touch,
        problem,
        dim,
    )
    out[OUT_CONTACTS] = nc
    out_real[OUT_ERROR] = 0.0
    if nc > 0:
        delassus.eliminate(
            machine.row_int,
            machine.near_start,
            machine.near,
            work.rows,
            work.matrix,
            work.vector[V_INVERSE],
            nc,
            touch.active_int,
            touch.rows,
            touch.lift,
            problem.contact,
            problem.g,
            dim,
        )
        delassus.load_contacts(
            points.point_real,
            u,
            work.u_free,
            nc,
            1.0,
            touch.active,
            touch.active_int,
            touch.rows,
            problem,
            dim,
        )
        delassus.guess_states(nc, touch.memory, touch.active_int, problem)
        solved, changes, error = solve_fast(problem, nc, opt_real[O_TOLERANCE], states)
        out[OUT_PIVOTS] = changes
        out[OUT_SOLVES] = 1
        out_real[OUT_ERROR] = error
        if not solved:
            return PENDING
    return DONE


@inner_kernel
def finish(
    machine: Machine,
    points: Points,
    opt_real: Floats,
    opt_int: Ints,
    u: Floats,
    sums: Floats,
    work: Bench,
    touch: Touch,
    problem: Problem,
    out: Ints,
    out_real: Floats,
    dim: tuple[int, ...],
) -> None:
    """Complete a step whose contact problem is solved, into `work.end` and `work.u_end`.

    Joints are projected back into place with the factor of the midpoint, one or two rounds as a rule.
    """
    h = opt_real[O_H]
    nc = out[OUT_CONTACTS]
    for b in range(u.shape[0] - 1):
        for k in range(len(dim)):
            work.u_end[b, k] = work.u_free[b, k]
    if nc > 0:
        delassus.apply(machine, work, nc, touch, problem, dim)
    delassus.remember_states(nc, touch.memory, touch.active_int, problem)
    record.account(machine, h, u, work, sums, dim)
    groups.gather(
        points.point_int,
        points.point_real,
        nc,
        touch.active,
        touch.active_int,
        touch.memory,
        touch.group,
        problem,
        sums,
    )
    velocity = 0.0
    row_int = machine.row_int
    for r in range(row_int.shape[0]):
        if work.vector[V_COMPLIANCE, r] == 0.0:
            rate = schur.row_times(work.rows, r, row_int[r, W_I], row_int[r, W_J], work.u_end, dim)
            velocity = max(velocity, abs(rate))
    out_real[OUT_VELOCITY] = velocity

    # second half with the new velocities, then back onto the joints
    place_all(machine, work.mid, work.u_end, 0.5 * h, work.end, work.placed, dim)
    largest = residuals(machine, work, dim)
    rounds = 0
    while rounds < opt_int[O_ROUNDS] and largest > opt_real[O_POSITION]:
        rounds += 1
        put_shift(machine, work, dim)
        largest = residuals(machine, work, dim)
    out_real[OUT_POSITION] = largest
    find_worst(work.vector[V_PHI], out)


@kernel
def advance(
    machine: Machine,
    points: Points,
    opt_real: Floats,
    opt_int: Ints,
    q: Floats,
    u: Floats,
    clock: Floats,
    sums: Floats,
    work: Bench,
    touch: Touch,
    problem: Problem,
    states: SetRoom,
    flags: Ints,
    rows: Rows,
    out: Ints,
    out_real: Floats,
    n: int,
    resume: bool,
    dim: tuple[int, ...],
) -> int:
    """Make up to n steps and write their rows; returns the number of steps done.

    Ends early at a failed step (`out` tells why; motion, clock, sums and rows stay at the last good step), at a contact
    problem that the guessed states could not solve (`PENDING`; call again with `resume` once it is solved, to complete
    that step), when `rows` or the list of events may overflow, or when `flags[0]` is raised.
    """
    n_step = rows.counts[0]
    n_residual = rows.counts[1]
    n_frame = rows.counts[2]
    n_group = touch.group.shape[0]
    steps = rows.steps
    done = 0
    out[OUT_STATUS] = DONE
    while done < n and flags[0] == 0:
        due = (int(clock[CLOCK_TOTAL]) + 1) % opt_int[O_STRIDE] == 0
        if (
            n_step >= steps.shape[0]
            or (due and n_frame >= rows.frame_t.size)
            or n_residual >= rows.residuals.size
        ):
            break
        if touch.n_event[0] + n_group > touch.events.shape[0]:
            break
        if not resume:
            status = begin(
                machine, points, opt_real, opt_int, q, u, work, touch, problem, states, out, out_real, dim
            )
            if status != DONE:
                out[OUT_STATUS] = status
                break
        resume = False
        finish(machine, points, opt_real, opt_int, u, sums, work, touch, problem, out, out_real, dim)
        for b in range(q.shape[0] - 1):
            for k in range(Q_COLUMNS):
                q[b, k] = work.end[b, k]
            for k in range(len(dim)):
                u[b, k] = work.u_end[b, k]
        clock[CLOCK_STEPS] += 1.0
        clock[CLOCK_TOTAL] += 1.0
        clock[CLOCK_T] = clock[CLOCK_BASE] + clock[CLOCK_STEPS] * opt_real[O_H]
        t = clock[CLOCK_T]
        groups.judge_groups(t, opt_real[O_IMPACT], touch.group, touch.events, touch.n_event)

        rows.residuals[n_residual] = out_real[OUT_ERROR]
        steps[n_step, STEP_T] = t
        steps[n_step, STEP_H] = opt_real[O_H]
        steps[n_step, STEP_EVALUATIONS] = 1.0
        steps[n_step, STEP_SOLVES] = 1.0 + out[OUT_SOLVES]
        steps[n_step, STEP_RESIDUAL_START] = n_residual
        steps[n_step, STEP_RESIDUAL_COUNT] = 1.0
        steps[n_step, STEP_RETRIES] = out[OUT_RETRIES]
        steps[n_step, STEP_POSITION_ERROR] = out_real[OUT_POSITION]
        steps[n_step, STEP_VELOCITY_ERROR] = out_real[OUT_VELOCITY]
        steps[n_step, STEP_WORST_ROW] = out[OUT_WORST]
        steps[n_step, STEP_CONTACTS] = out[OUT_CONTACTS]
        steps[n_step, STEP_PIVOTS] = out[OUT_PIVOTS]
        n_step += 1
        n_residual += 1
        if due:
            position = out_real[OUT_POSITION]
            velocity = out_real[OUT_VELOCITY]
            record.write_frame(
                machine, points, t, q, u, sums, position, velocity, work.placed, touch, rows, n_frame, dim
            )
            n_frame += 1
        done += 1
    rows.counts[0] = n_step
    rows.counts[1] = n_residual
    rows.counts[2] = n_frame
    return done
