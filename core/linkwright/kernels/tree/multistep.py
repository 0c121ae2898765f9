"""The method of Stoermer of order 6, and symplectic Euler: one evaluation of all accelerations per step.

Scalars follow Stoermer 1907,

    q_1 - 2 q_0 + q_-1 = h^2 sum s_j q''_-j,        h v_1 = q_1 - q_0 + h^2 sum c_j q''_-j

summed over the increments of q against rounding. For a quaternion there is no second difference: its angular velocity
follows from its accelerations by the method of Adams, and its step is the exponential of a Magnus series of order 6
(Blanes, Casas, Oteo, Ros 2009, section 5.4), so it stays on the unit sphere.
"""

from __future__ import annotations

import math

from linkwright.kernels.jit import kernel
from linkwright.kernels.layout import Floats
from linkwright.kernels.rotation import Vec, add, cross, scale, sub
from linkwright.kernels.tree.chart import move
from linkwright.kernels.tree.layout import AT_BASE, AT_NEW, Coefficients, TreeModel, TreeRun

LOOK_BACK = 6


@kernel
def magnus(h: float, a: Vec, b: Vec, c: Vec) -> Vec:
    """Rotation vector over a step for angular velocities in body axes at the three Gauss points."""
    x1 = scale(h, b)
    x2 = scale(h * math.sqrt(15.0) / 3.0, sub(c, a))
    x3 = scale(h * 10.0 / 3.0, add(c, sub(a, scale(2.0, b))))
    # in body axes the bracket is - a x b
    c1 = cross(x2, x1)
    c2 = scale(-1.0 / 60.0, cross(add(scale(2.0, x3), c1), x1))
    left = add(scale(-20.0, x1), sub(c1, x3))
    right = add(x2, c2)
    return add(x1, add(scale(1.0 / 12.0, x3), scale(1.0 / 240.0, cross(right, left))))


@kernel
def remember(run: TreeRun) -> None:
    """Put the accelerations of `run.base` in front of the history."""
    for j in range(LOOK_BACK - 1, 0, -1):
        for k in range(run.history.shape[1]):
            run.history[j, k] = run.history[j - 1, k]
        for k in range(3):
            run.history_w[j, k] = run.history_w[j - 1, k]
    for k in range(run.history.shape[1]):
        run.history[0, k] = run.base.a[k]
    for k in range(3):
        run.history_w[0, k] = run.power[AT_BASE, k]


@kernel
def weighted(weights: Floats, history: Floats, k: int) -> float:
    """Weighted sum of one column of the history."""
    total = 0.0
    for j in range(LOOK_BACK):
        total += weights[j] * history[j, k]
    return total


@kernel
def angular_velocity(weights: Floats, h: float, run: TreeRun, m: int) -> Vec:
    """Angular velocity of a ball joint some part of a step after the beginning."""
    v = run.base.v
    return (
        v[m] + h * weighted(weights, run.history, m),
        v[m + 1] + h * weighted(weights, run.history, m + 1),
        v[m + 2] + h * weighted(weights, run.history, m + 2),
    )


@kernel
def predict_stoermer(model: TreeModel, numbers: Coefficients, h: float, run: TreeRun) -> None:
    """Fill coordinates and rates of `run.new`; the increments stand in `run.x`."""
    for k in range(model.scalars.shape[0]):
        m = model.scalars[k, 1]
        run.x[m] = run.increment[m] + h * h * weighted(numbers.stoermer, run.history, m)
        run.new.v[m] = run.x[m] / h + h * weighted(numbers.velocity, run.history, m)
    for k in range(model.balls.shape[0]):
        m = model.balls[k, 1]
        x = magnus(
            h,
            angular_velocity(numbers.nodes[0], h, run, m),
            angular_velocity(numbers.nodes[1], h, run, m),
            angular_velocity(numbers.nodes[2], h, run, m),
        )
        w = angular_velocity(numbers.adams, h, run, m)
        for c in range(3):
            run.x[m + c] = x[c]
            run.new.v[m + c] = w[c]
    move(model.scalars, model.balls, run.base.q, run.x, run.new.q)


@kernel
def keep_increment(model: TreeModel, run: TreeRun, start: Floats, exact: bool) -> None:
    """Keep the increments of a step that began at the coordinates `start`.

    They are those predicted in `run.x`, or the differences of the coordinates where these were corrected since.
    """
    for k in range(model.scalars.shape[0]):
        n = model.scalars[k, 0]
        m = model.scalars[k, 1]
        run.increment[m] = run.x[m] if exact else run.new.q[n] - start[n]


@kernel
def add_sums_adams(numbers: Coefficients, h: float, run: TreeRun) -> None:
    """Sums of the ledger at the end of a step by the method of Adams and Moulton."""
    weights = numbers.adams_moulton
    for k in range(3):
        w = weights[0] * run.power[AT_NEW, k]
        for j in range(1, LOOK_BACK):
            w += weights[j] * run.history_w[j - 1, k]
        run.sums[AT_NEW, k] = run.sums[AT_BASE, k] + h * w
    run.sums[AT_NEW, 3] = run.sums[AT_BASE, 3]


@kernel
def predict_euler(model: TreeModel, h: float, run: TreeRun) -> None:
    """Symplectic Euler: v_1 = v_0 + h q''_0, then q_1 = q_0 (+) h v_1."""
    for k in range(run.x.size):
        run.new.v[k] = run.base.v[k] + h * run.base.a[k]
        run.x[k] = h * run.new.v[k]
    move(model.scalars, model.balls, run.base.q, run.x, run.new.q)


@kernel
def add_sums_mean(h: float, run: TreeRun) -> None:
    """Sums of the ledger at the end of a step by the mean of both rates."""
    for k in range(3):
        mean = 0.5 * (run.power[AT_BASE, k] + run.power[AT_NEW, k])
        run.sums[AT_NEW, k] = run.sums[AT_BASE, k] + h * mean
    run.sums[AT_NEW, 3] = run.sums[AT_BASE, 3]
