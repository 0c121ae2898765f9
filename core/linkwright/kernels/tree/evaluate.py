"""Accelerations of a tree at a state: kinematics, loads, elimination, answers, multipliers of closed loops.

One kernel does it all and also finds the corrections that close loops: machine code is made anew for every kernel and
everything below it, so layers of small kernels at the top would multiply the time to compile.
"""

from __future__ import annotations

import math

from linkwright.kernels.jit import kernel
from linkwright.kernels.layout import STEP_DONE, STEP_NO_LENGTH, STEP_NOT_FINITE, Floats
from linkwright.kernels.tree import ltdl, sweep
from linkwright.kernels.tree.chart import move
from linkwright.kernels.tree.layout import (
    CLOSE_POSITIONS,
    CLOSE_RATES,
    FIND_ACCELERATIONS,
    SOLVER_LTDL,
    STEP_OPEN,
    T_LOADED,
    TREE_ALPHA,
    TREE_BETA,
    TREE_SOLVER,
    TreeModel,
    TreeMotion,
    TreeOptionTables,
    TreeScratch,
)
from linkwright.kernels.tree.loads import apply_loads, powers
from linkwright.kernels.tree.loops import along_row, factor_pivoted, load_row, loop_rows, solve_pivoted
from linkwright.kernels.tree.outward import outward, place
from linkwright.kernels.tree.reactions import spread

CLOSED = 1e-12
"""Residual of a loop row [m, rad] that counts as closed."""
STILL = 1e-11
"""Rate of a loop row [m/s, rad/s] that counts as zero."""
OPEN = 1e-7
"""A loop row with more than this left after all corrections is open."""


@kernel
def largest(x: Floats) -> float:
    """Largest absolute value; not a number where one entry is none."""
    most = 0.0
    for k in range(x.size):
        if not abs(x[k]) <= most:
            most = abs(x[k])
    return most


@kernel
def place_all(model: TreeModel, motion: TreeMotion, s: TreeScratch) -> None:
    """Kinematics of all bodies with origins and velocities, and residuals of the loop rows."""
    outward(model.tree_int, model.tree_real, motion.q, motion.v, motion.a, s.work)
    place(model.tree_int, motion.v, s.work)
    if s.phi.size > 0:
        loop_rows(model.tables, s.work, s.phi, s.phi_d, s.phi_dd, s.wrench)


@kernel
def evaluate(
    model: TreeModel, options: TreeOptionTables, task: int, motion: TreeMotion, s: TreeScratch
) -> int:
    """Carry out one task at the coordinates and rates of a motion; returns a status of a step.

    `FIND_ACCELERATIONS` fills `motion.a` and `motion.lam`, and leaves rates of the ledger in `s.power`, placed bodies
    in `s.bw` and SDA in `s.sw`. `CLOSE_POSITIONS` makes one Newton correction of `motion.q`, `CLOSE_RATES` corrects
    `motion.v`, both with least movement in the metric of the masses and only where there is something to correct.
    """
    finding = task == FIND_ACCELERATIONS
    by_ltdl = options.ints[TREE_SOLVER] == SOLVER_LTDL
    loaded = finding and model.tree_int[0, T_LOADED] != 0
    n_loop = s.phi.size
    short = -1

    outward(model.tree_int, model.tree_real, motion.q, motion.v, motion.a, s.work)
    if loaded or n_loop > 0:
        place(model.tree_int, motion.v, s.work)
        loop_rows(model.tables, s.work, s.phi, s.phi_d, s.phi_dd, s.wrench)
        if task == CLOSE_POSITIONS and largest(s.phi) <= CLOSED:
            return STEP_DONE
        if task == CLOSE_RATES and largest(s.phi_d) <= STILL:
            return STEP_DONE
    if loaded:
        short = apply_loads(model.tree_int, model.tables, s.work, s.bw, s.sw)
        powers(model.tables, s.work, s.bw, s.sw, s.power)

    if by_ltdl:
        ltdl.eliminate(model.tree_int, model.tree_real, s.work)
    else:
        sweep.eliminate(model.tree_int, model.tree_real, s.work)
    if finding:
        if by_ltdl:
            ltdl.answer(model.tree_int, s.work, motion.a)
        else:
            sweep.answer(model.tree_int, s.work, motion.a)

    if n_loop > 0:
        # right-hand side of the multipliers
        alpha = options.reals[TREE_ALPHA]
        beta = options.reals[TREE_BETA]
        for row in range(n_loop):
            if finding:
                free = s.phi_dd[row] + along_row(s.wrench, s.bodies, row, s.work)
                motion.lam[row] = -(free + 2.0 * alpha * s.phi_d[row] + beta * beta * s.phi[row])
            else:
                motion.lam[row] = -s.phi[row] if task == CLOSE_POSITIONS else -s.phi_d[row]
        # accelerations per unit of each multiplier, and S = G M^-1 G^T
        for row in range(n_loop):
            load_row(s.wrench, s.bodies, row, s.work)
            if by_ltdl:
                ltdl.reload(model.tree_int, s.work)
                ltdl.answer(model.tree_int, s.work, s.response[row])
            else:
                sweep.reload(model.tree_int, s.work)
                sweep.answer(model.tree_int, s.work, s.response[row])
            for other in range(n_loop):
                s.schur[other, row] = along_row(s.wrench, s.bodies, other, s.work)
        rank = factor_pivoted(s.schur, s.pivots)
        solve_pivoted(s.schur, s.pivots, rank, motion.lam, s.spare)
        if task == CLOSE_RATES:
            combine(s, motion.lam, motion.v)
            return STEP_DONE
        if task == CLOSE_POSITIONS:
            for k in range(motion.a.size):
                motion.a[k] = 0.0
            combine(s, motion.lam, motion.a)
            move(model.scalars, model.balls, motion.q, motion.a, motion.q)
            return STEP_DONE
        combine(s, motion.lam, motion.a)
        # second rates as they are now; the multipliers get the sign of M q'' + G^T lam = Q
        spread(model.tree_int, motion.a, s.work)
        for row in range(n_loop):
            s.phi_dd[row] += along_row(s.wrench, s.bodies, row, s.work)
            motion.lam[row] = -motion.lam[row]

    if short >= 0:
        return STEP_NO_LENGTH
    for k in range(motion.a.size):
        if not math.isfinite(motion.a[k]):
            return STEP_NOT_FINITE
    return STEP_DONE


@kernel
def combine(s: TreeScratch, mu: Floats, out: Floats) -> None:
    """Add the responses to multipliers to rates or accelerations."""
    for row in range(mu.size):
        for k in range(out.size):
            out[k] += mu[row] * s.response[row, k]


@kernel
def close_loops(
    model: TreeModel, options: TreeOptionTables, motion: TreeMotion, s: TreeScratch, rounds: int
) -> int:
    """Bring coordinates, then rates of a motion back on the loop rows; returns a status of a step.

    `motion.a` and `motion.lam` are lost.
    """
    for task in (CLOSE_POSITIONS, CLOSE_RATES):
        for _ in range(rounds):
            evaluate(model, options, task, motion, s)
            left = largest(s.phi) if task == CLOSE_POSITIONS else largest(s.phi_d)
            if left <= (CLOSED if task == CLOSE_POSITIONS else STILL):
                break
        # the last correction has not been looked at yet
        place_all(model, motion, s)
        if not largest(s.phi) <= OPEN:
            return STEP_OPEN
    return STEP_DONE
