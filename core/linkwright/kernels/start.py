"""Consistent motions: positions that close the joints, velocities and accelerations that keep them closed.

All three solve the same system [M Phi_q^T; Phi_q 0] with different right-hand sides, so that a correction is the
smallest one in the metric of the masses. The parts along the Euler parameters are known and applied beforehand.
"""

from __future__ import annotations

import numpy as np

from linkwright.kernels import constraints, inertia
from linkwright.kernels.equations import evaluate, solve_system
from linkwright.kernels.jit import inner_kernel, kernel
from linkwright.kernels.layout import (
    B_DR,
    B_E,
    B_RES,
    B_S,
    STEP_DONE,
    STEP_NO_LENGTH,
    STEP_NOT_CONVERGED,
    STEP_SINGULAR,
    Floats,
    Motion,
    Pattern,
    Scratch,
    Tables,
)
from linkwright.kernels.linear import substitute
from linkwright.kernels.rotation import dot4, quat, turn

CLOSED = 1e-12
"""Constraint residual of a closed mechanism, over its size: rows are lengths in metres or cosines."""
NEARLY_CLOSED = 1e-9
"""What is accepted when rounding forbids more."""
MAX_ROUNDS = 50


@inner_kernel
def largest_gap(pattern: Pattern, work: Scratch) -> float:
    """Largest residual of the rows that count."""
    largest = 0.0
    for row in range(pattern.row_adr.size):
        if pattern.row_adr[row] >= 0:
            largest = max(largest, abs(work.phi[row]))
    return largest


@inner_kernel
def clear(motion: Motion) -> None:
    """Set accelerations and multipliers to zero."""
    for k in range(motion.a.size):
        motion.a[k] = 0.0
    for k in range(motion.lam.size):
        motion.lam[k] = 0.0


@inner_kernel
def normalise(q: Floats) -> None:
    """Scale the Euler parameters to unit length."""
    for p in range(3, q.size, 7):
        size = (q[p] * q[p] + q[p + 1] * q[p + 1] + q[p + 2] * q[p + 2] + q[p + 3] * q[p + 3]) ** 0.5
        for k in range(p, p + 4):
            q[k] /= size


@inner_kernel
def straighten_rates(motion: Motion) -> None:
    """Take the part of e' along e away."""
    for p in range(3, motion.q.size, 7):
        e = motion.q[p], motion.q[p + 1], motion.q[p + 2], motion.q[p + 3]
        ed = motion.v[p], motion.v[p + 1], motion.v[p + 2], motion.v[p + 3]
        s = dot4(e, ed) / dot4(e, e)
        for k in range(4):
            motion.v[p + k] -= s * e[k]


@inner_kernel
def straighten_accelerations(motion: Motion) -> None:
    """Make e . e'' + e' . e' zero by a change of e'' along e."""
    for p in range(3, motion.q.size, 7):
        e = motion.q[p], motion.q[p + 1], motion.q[p + 2], motion.q[p + 3]
        ed = motion.v[p], motion.v[p + 1], motion.v[p + 2], motion.v[p + 3]
        a = motion.a[p], motion.a[p + 1], motion.a[p + 2], motion.a[p + 3]
        s = (dot4(e, a) + dot4(ed, ed)) / dot4(e, e)
        for k in range(4):
            motion.a[p + k] -= s * e[k]


@inner_kernel
def fill_rhs(pattern: Pattern, work: Scratch, phi: Floats, quiet: bool) -> None:
    """Write the right-hand side for factors that are already there; `quiet` puts zero in place of the residual."""
    bw = work.body
    rhs = work.rhs
    for b in range(bw.shape[0] - 1):
        adr = pattern.body_adr[b]
        turned = turn(quat(bw, b, B_E), quat(bw, b, B_RES + 3))
        for k in range(3):
            rhs[adr + k] = 0.0 if quiet else -bw[b, B_RES + k]
            rhs[adr + 3 + k] = 0.0 if quiet else -turned[k]
    for row in range(phi.size):
        if pattern.row_adr[row] >= 0:
            rhs[pattern.row_adr[row]] = -phi[row]
    for k in range(pattern.idle.size):
        rhs[pattern.idle[k]] = 0.0


@inner_kernel
def add_multipliers(tables: Tables, pattern: Pattern, motion: Motion, work: Scratch) -> None:
    """Add the multipliers' part of a solution."""
    n_row = pattern.row_adr.size
    bw = work.body
    constraints.collect_along(
        tables.prim_int, tables.prim_real, motion.lam, work.rhs, 0.0, pattern.row_adr, bw, work.prim
    )
    for b in range(bw.shape[0] - 1):
        motion.lam[n_row + b] += inertia.norm_step(bw, b)
    for row in range(n_row):
        adr = pattern.row_adr[row]
        if adr >= 0:
            motion.lam[row] += work.rhs[adr]


POSITIONS = 0
VELOCITIES = 1
ACCELERATIONS = 2
SETTLED = 3


@kernel
def settle(tables: Tables, pattern: Pattern, motion: Motion, work: Scratch, begin: bool) -> int:
    """Make a motion consistent; everything is evaluated at it afterwards. Returns a step status.

    After a step (`begin` False) what violates the constraints is taken out of velocities and accelerations, by the
    least change in the metric of the masses. At a start the joints are closed first (Gauss-Newton), and accelerations
    and multipliers are found from the equations of motion alone; `motion.q` is changed even when that fails.
    """
    bw = work.body
    for b in range(bw.shape[0]):
        bw[b, B_S] = 0.0
    size = 1.0
    if begin:
        clear(motion)
        normalise(motion.q)
        for p in range(0, motion.q.size, 7):
            size = max(size, abs(motion.q[p]), abs(motion.q[p + 1]), abs(motion.q[p + 2]))
    # sizes of bodies and velocities differ: at a start a second round removes what rounding left
    rounds = 2 if begin else 1
    phase = POSITIONS if begin else VELOCITIES
    done = 0
    factored = False
    while True:
        if phase == VELOCITIES:
            straighten_rates(motion)
        elif phase == ACCELERATIONS:
            straighten_accelerations(motion)
        _, short = evaluate(tables, motion, pattern.row_adr.size, work)
        constraints.rates(tables.prim_int, tables.prim_real, motion.a, bw, work.phi_d, work.phi_dd)
        if phase == SETTLED:
            return STEP_DONE
        phi = work.phi
        target = motion.q
        if phase == POSITIONS:
            gap = largest_gap(pattern, work)
            if gap < CLOSED * size or (done == MAX_ROUNDS and gap < NEARLY_CLOSED * size):
                phase = VELOCITIES
                done = 0
                continue
            if done == MAX_ROUNDS or not np.isfinite(gap):
                return STEP_NOT_CONVERGED
        elif phase == VELOCITIES:
            phi = work.phi_d
            target = motion.v
        else:
            if short >= 0:
                return STEP_NO_LENGTH
            phi = work.phi_dd
            target = motion.a

        quiet = phase != ACCELERATIONS
        if factored:
            fill_rhs(pattern, work, phi, quiet)
            substitute(work.matrix, pattern.band, work.pivot, work.rhs)
        else:
            outcome = solve_system(tables, pattern, work, motion.a, motion.lam, phi, 1.0, 0.0, 0.0, 0, quiet)
            if outcome < 0:
                return STEP_SINGULAR
            # the factors hold as long as the positions stay
            factored = outcome == 0 and phase != POSITIONS
        inertia.unpack_step(tables.body, bw, pattern.body_adr, work.rhs)
        for b in range(bw.shape[0] - 1):
            for k in range(7):
                target[7 * b + k] += bw[b, B_DR + k]
        done += 1
        if phase == POSITIONS:
            normalise(motion.q)
            continue
        if phase == ACCELERATIONS:
            # the equations of motion are linear in accelerations and multipliers
            add_multipliers(tables, pattern, motion, work)
        if done == rounds:
            phase += 1
            done = 0
