"""Constant torque on a body, in ground or in body axes.

Virtual work with the angular velocities 2 E(e) e' (ground) and 2 G(e) e' (body) gives the generalised forces 2 E^T tau
and 2 G^T tau, both linear in e. The residual and its derivative are formed with the bodies from the sums kept here.
"""

from __future__ import annotations

from linkwright.kernels.jit import inner_kernel
from linkwright.kernels.layout import B_E, B_TAU, B_TAUB, LOAD_BODY, LOAD_IN_BODY, LOAD_VECTOR, Floats, Ints
from linkwright.kernels.rotation import add_vec, dot, quat, turn, turn_ground, vec


@inner_kernel
def residual(torque_int: Ints, torque_real: Floats, bw: Floats) -> float:
    """Add the torques to the sums of their bodies; returns the largest component."""
    largest = 0.0
    for n in range(torque_int.shape[0]):
        tau = vec(torque_real, n, LOAD_VECTOR)
        column = B_TAUB if torque_int[n, LOAD_IN_BODY] else B_TAU
        add_vec(bw, torque_int[n, LOAD_BODY], column, tau)
        largest = max(largest, abs(tau[0]), abs(tau[1]), abs(tau[2]))
    return largest


@inner_kernel
def work(torque_int: Ints, torque_real: Floats, q_old: Floats, bw: Floats) -> float:
    """Work of all torques over a step: tau times the mean-value turn 2 E(e_mid) (e_new - e_old) [J]."""
    total = 0.0
    for n in range(torque_int.shape[0]):
        b = torque_int[n, LOAD_BODY]
        p = 7 * b + 3
        new = quat(bw, b, B_E)
        old = q_old[p], q_old[p + 1], q_old[p + 2], q_old[p + 3]
        mid = new[0] + old[0], new[1] + old[1], new[2] + old[2], new[3] + old[3]
        change = new[0] - old[0], new[1] - old[1], new[2] - old[2], new[3] - old[3]
        moved = turn(mid, change) if torque_int[n, LOAD_IN_BODY] else turn_ground(mid, change)
        total += dot(vec(torque_real, n, LOAD_VECTOR), moved)
    return total
