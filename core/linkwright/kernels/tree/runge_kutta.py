"""Stages of explicit Runge-Kutta methods in the chart of the coordinates, and control of the step of Dormand-Prince.

The last row of a tableau is its weights, so that the last stage is the end of the step and its accelerations serve the
next step too. The sums of the energy ledger are integrated along with the motion.
"""

from __future__ import annotations

import math

from linkwright.kernels.jit import kernel
from linkwright.kernels.layout import Floats
from linkwright.kernels.tree.chart import move
from linkwright.kernels.tree.layout import (
    AT_BASE,
    AT_END,
    AT_NEW,
    INNER_H,
    INNER_NEXT,
    INNER_T,
    TREE_TOL_ABS,
    TREE_TOL_REL,
    TreeModel,
    TreeMotion,
    TreeOptionTables,
    TreeRun,
)

LARGEST_TURN = 1.0
"""A ball joint turns no further than this in one adaptive step [rad]; the chart ends at a whole turn."""
SHRINK = 0.2
GROW = 5.0
SAFETY = 0.9


@kernel
def copy_motion(source: TreeMotion, target: TreeMotion) -> None:
    """Copy coordinates, rates, accelerations and multipliers."""
    for k in range(source.q.size):
        target.q[k] = source.q[k]
    for k in range(source.v.size):
        target.v[k] = source.v[k]
        target.a[k] = source.a[k]
    for k in range(source.lam.size):
        target.lam[k] = source.lam[k]


@kernel
def copy_sums(run: TreeRun, source: int, target: int) -> None:
    """Copy the sums of the ledger and their rates."""
    for k in range(run.sums.shape[1]):
        run.sums[target, k] = run.sums[source, k]
    for k in range(run.power.shape[1]):
        run.power[target, k] = run.power[source, k]


@kernel
def first_stage(run: TreeRun) -> None:
    """Take the rates at the beginning of a step from `run.base`."""
    for k in range(run.x.size):
        run.k_x[0, k] = run.base.v[k]
        run.k_v[0, k] = run.base.a[k]
    for k in range(3):
        run.k_w[0, k] = run.power[AT_BASE, k]


@kernel
def predict_stage(model: TreeModel, tableau: Floats, j: int, h: float, run: TreeRun) -> None:
    """Fill coordinates and rates of `run.new` at stage j, the chart coordinates in `run.x`."""
    for k in range(run.x.size):
        x = 0.0
        v = 0.0
        for m in range(j):
            x += tableau[j, m] * run.k_x[m, k]
            v += tableau[j, m] * run.k_v[m, k]
        run.x[k] = h * x
        run.new.v[k] = run.base.v[k] + h * v
    move(model.scalars, model.balls, run.base.q, run.x, run.new.q)


@kernel
def add_sums(weights: Floats, h: float, run: TreeRun) -> None:
    """Sums of the ledger at the end of a step."""
    for k in range(3):
        w = 0.0
        for m in range(weights.size - 1):
            w += weights[m] * run.k_w[m, k]
        run.sums[AT_NEW, k] = run.sums[AT_BASE, k] + h * w
    run.sums[AT_NEW, 3] = run.sums[AT_BASE, 3]


@kernel
def error_norm(model: TreeModel, options: TreeOptionTables, weights: Floats, h: float, run: TreeRun) -> float:
    """Local error of the last step over its tolerance, as a mean square over coordinates and rates."""
    absolute = options.reals[TREE_TOL_ABS]
    relative = options.reals[TREE_TOL_REL]
    n_v = run.x.size
    total = 0.0
    for k in range(n_v):
        x = 0.0
        v = 0.0
        for m in range(weights.size):
            x += weights[m] * run.k_x[m, k]
            v += weights[m] * run.k_v[m, k]
        size = max(abs(run.base.v[k]), abs(run.new.v[k]))
        v *= h / (absolute + relative * size)
        total += v * v
        run.x[k] = h * x
    for k in range(model.scalars.shape[0]):
        n = model.scalars[k, 0]
        size = max(abs(run.base.q[n]), abs(run.new.q[n]))
        x = run.x[model.scalars[k, 1]] / (absolute + relative * size)
        total += x * x
    for k in range(model.balls.shape[0]):
        m = model.balls[k, 1]
        for c in range(3):
            x = run.x[m + c] / (absolute + relative)
            total += x * x
    return math.sqrt(total / max(1, 2 * n_v))


@kernel
def longest_step(model: TreeModel, v: Floats) -> float:
    """Step in which the fastest ball joint turns by `LARGEST_TURN`."""
    fastest = 0.0
    for k in range(model.balls.shape[0]):
        m = model.balls[k, 1]
        fastest = max(fastest, v[m] * v[m] + v[m + 1] * v[m + 1] + v[m + 2] * v[m + 2])
    return LARGEST_TURN / math.sqrt(fastest) if fastest > 0.0 else math.inf


@kernel
def accept(norm: float, h: float, again: bool, run: TreeRun) -> None:
    """Make the step from `run.base` to `run.new` the last adaptive step, and choose the next one."""
    grow = min(GROW, SAFETY * norm**-0.2) if norm > 0.0 else GROW
    run.clock[INNER_NEXT] = h * (min(1.0, grow) if again else grow)
    run.clock[INNER_T] += run.clock[INNER_H]
    run.clock[INNER_H] = h
    copy_motion(run.new, run.end)
    copy_sums(run, AT_NEW, AT_END)


@kernel
def interpolate(model: TreeModel, dense: Floats, part: float, run: TreeRun) -> None:
    """Fill `run.new` and its sums at a fraction of the last adaptive step."""
    h = run.clock[INNER_H]
    n_v = run.x.size
    for k in range(n_v):
        run.x[k] = 0.0
        run.new.v[k] = run.base.v[k]
        run.new.a[k] = 0.0
    for k in range(4):
        run.sums[AT_NEW, k] = run.sums[AT_BASE, k]
    for m in range(dense.shape[0]):
        weight = ((dense[m, 3] * part + dense[m, 2]) * part + dense[m, 1]) * part + dense[m, 0]
        slope = ((4.0 * dense[m, 3] * part + 3.0 * dense[m, 2]) * part + 2.0 * dense[m, 1]) * part + dense[
            m, 0
        ]
        weight *= h * part
        for k in range(n_v):
            run.x[k] += weight * run.k_x[m, k]
            run.new.v[k] += weight * run.k_v[m, k]
            run.new.a[k] += slope * run.k_v[m, k]
        for k in range(3):
            run.sums[AT_NEW, k] += weight * run.k_w[m, k]
    move(model.scalars, model.balls, run.base.q, run.x, run.new.q)
    for k in range(run.end.lam.size):
        run.new.lam[k] = run.end.lam[k]
