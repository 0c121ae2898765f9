"""From a drawn pose to a consistent start: positions, velocities, accelerations and multipliers.

All three solve the same system [M Phi_q^T; Phi_q 0] with different right-hand sides, so that a correction is the
smallest one in the metric of the masses.
"""

from __future__ import annotations

import numpy as np

from linkwright.kernels import constraints, inertia
from linkwright.kernels.equations import evaluate, solve_system
from linkwright.kernels.forces import sda
from linkwright.kernels.jit import kernel
from linkwright.kernels.layout import (
    B_DR,
    B_E,
    B_ED,
    B_NORM,
    B_S,
    STEP_DONE,
    STEP_NO_LENGTH,
    STEP_NOT_CONVERGED,
    STEP_SINGULAR,
    Floats,
    Ledger,
    Motion,
    Pattern,
    Scratch,
    Tables,
)
from linkwright.kernels.ledger import open_ledger
from linkwright.kernels.rotation import dot4, quat

CLOSED = 1e-12
"""Constraint residual of a closed mechanism, over its size: rows are lengths in metres or cosines."""
NEARLY_CLOSED = 1e-9
"""What is accepted when rounding forbids more."""
ROUNDS = 50


@kernel
def largest_violation(pattern: Pattern, phi: Floats, work: Scratch, column: int) -> float:
    """Largest entry over the rows that count and over a column of the bodies."""
    largest = 0.0
    for row in range(pattern.row_adr.size):
        if pattern.row_adr[row] >= 0:
            largest = max(largest, abs(phi[row]))
    for b in range(work.body.shape[0] - 1):
        largest = max(largest, abs(work.body[b, column]))
    return largest


@kernel
def close(tables: Tables, pattern: Pattern, motion: Motion, work: Scratch) -> int:
    """Move the bodies until all rows hold, by the least movement in the metric of the masses (Gauss-Newton).

    Returns a step status; `motion.q` is changed even when the joints cannot be closed.
    """
    bw = work.body
    for k in range(motion.a.size):
        motion.a[k] = 0.0
    for k in range(motion.lam.size):
        motion.lam[k] = 0.0
    size = 1.0
    for b in range(bw.shape[0] - 1):
        for k in range(3):
            size = max(size, abs(motion.q[7 * b + k]))
    for n in range(ROUNDS + 1):
        evaluate(tables, motion, pattern.row_adr.size, work)
        gap = largest_violation(pattern, work.phi, work, B_NORM)
        if gap < CLOSED * size or (n == ROUNDS and gap < NEARLY_CLOSED * size):
            return STEP_DONE
        if n == ROUNDS or not np.isfinite(gap):
            break
        for b in range(bw.shape[0] - 1):
            e = quat(bw, b, B_E)
            bw[b, B_S] = -bw[b, B_NORM] / (2.0 * dot4(e, e))
        pivoted = solve_system(tables, pattern, work, motion.a, motion.lam, work.phi, 1.0, 0.0, 0.0, 0, True)
        if pivoted < 0:
            return STEP_SINGULAR
        inertia.unpack_step(tables.body, bw, pattern.body_adr, work.rhs)
        for b in range(bw.shape[0] - 1):
            for k in range(7):
                motion.q[7 * b + k] += bw[b, B_DR + k]
    return STEP_NOT_CONVERGED


@kernel
def project_velocities(tables: Tables, pattern: Pattern, motion: Motion, work: Scratch) -> int:
    """Replace the velocities by the nearest ones that satisfy Phi_q q' = 0, and evaluate again.

    Expects the residual evaluated at this motion. Returns like `solve_system`.
    """
    bw = work.body
    constraints.rates(tables.prim_int, tables.prim_real, motion.a, bw, work.phi_d, work.phi_dd)
    for b in range(bw.shape[0] - 1):
        e = quat(bw, b, B_E)
        bw[b, B_S] = -dot4(e, quat(bw, b, B_ED)) / dot4(e, e)
    pivoted = solve_system(tables, pattern, work, motion.a, motion.lam, work.phi_d, 1.0, 0.0, 0.0, 0, True)
    if pivoted >= 0:
        inertia.unpack_step(tables.body, bw, pattern.body_adr, work.rhs)
        for b in range(bw.shape[0] - 1):
            for k in range(7):
                motion.v[7 * b + k] += bw[b, B_DR + k]
        evaluate(tables, motion, pattern.row_adr.size, work)
    return pivoted


@kernel
def accelerate(tables: Tables, pattern: Pattern, motion: Motion, work: Scratch) -> int:
    """Find accelerations and multipliers that satisfy the equations of motion and Phi'' = 0; returns a step status."""
    bw = work.body
    n_row = pattern.row_adr.size
    for k in range(motion.a.size):
        motion.a[k] = 0.0
    for k in range(motion.lam.size):
        motion.lam[k] = 0.0
    # the equations are linear in both unknowns; the second round removes rounding errors
    for _ in range(2):
        _, short = evaluate(tables, motion, n_row, work)
        if short >= 0:
            return STEP_NO_LENGTH
        constraints.rates(tables.prim_int, tables.prim_real, motion.a, bw, work.phi_d, work.phi_dd)
        for b in range(bw.shape[0] - 1):
            e = quat(bw, b, B_E)
            ed = quat(bw, b, B_ED)
            p = 7 * b + 3
            acc = motion.a[p], motion.a[p + 1], motion.a[p + 2], motion.a[p + 3]
            bw[b, B_S] = -(dot4(e, acc) + dot4(ed, ed)) / dot4(e, e)
        pivoted = solve_system(
            tables, pattern, work, motion.a, motion.lam, work.phi_dd, 1.0, 0.0, 0.0, 0, False
        )
        if pivoted < 0:
            return STEP_SINGULAR
        inertia.unpack_step(tables.body, bw, pattern.body_adr, work.rhs)
        constraints.collect_along(
            tables.prim_int, tables.prim_real, motion.lam, work.rhs, 0.0, pattern.row_adr, bw, work.prim
        )
        sda.collect_along(tables.sda_int, tables.sda_real, 0.0, 0.0, 0, bw, work.sda)
        for b in range(bw.shape[0] - 1):
            for k in range(7):
                motion.a[7 * b + k] += bw[b, B_DR + k]
            motion.lam[n_row + b] += inertia.norm_step(bw, b)
        for row in range(n_row):
            adr = pattern.row_adr[row]
            if adr >= 0:
                motion.lam[row] += work.rhs[adr]
    evaluate(tables, motion, n_row, work)
    return STEP_DONE


@kernel
def start(tables: Tables, pattern: Pattern, motion: Motion, ledger: Ledger, work: Scratch) -> int:
    """Make a whole consistent start from `motion.q` and `motion.v` and open the ledger; returns a step status."""
    status = close(tables, pattern, motion, work)
    if status != STEP_DONE:
        return status
    # the sizes of bodies and velocities differ: a second projection removes what rounding left
    for _ in range(2):
        if project_velocities(tables, pattern, motion, work) < 0:
            return STEP_SINGULAR
    status = accelerate(tables, pattern, motion, work)
    if status == STEP_DONE:
        open_ledger(tables, work, ledger)
    return status
