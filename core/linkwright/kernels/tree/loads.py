"""Force elements on the bodies of a tree, by the same laws as in absolute coordinates.

The laws of `linkwright.kernels.forces` read placed bodies from a scratch table and leave sums of forces in it. Here the
table has one row per tree row, referred to the origin and the axes of the tree frame, and the sums become wrenches.
"""

from __future__ import annotations

from linkwright.kernels.forces import force, sda, torque
from linkwright.kernels.jit import kernel
from linkwright.kernels.layout import (
    B_R,
    B_RATE,
    B_RES,
    B_ROT,
    B_TAU,
    B_TAUB,
    B_V,
    B_W,
    B_WS,
    LEDGER_ACTUATOR_WORK,
    LEDGER_DAMPER_LOSS,
    LEDGER_FORCE_WORK,
    LOAD_BODY,
    LOAD_IN_BODY,
    LOAD_POINT,
    LOAD_VECTOR,
    S_ACTUATOR,
    S_DAMPER,
    S_RATE,
    Floats,
    Ints,
    Tables,
)
from linkwright.kernels.rotation import add, add_vec, dot, mat, put_vec, times, vec
from linkwright.kernels.tree.blocks import put_mat
from linkwright.kernels.tree.layout import T_BODIES, T_DELTA, T_OMEGA, T_ORIGIN, T_ROT, T_VEL


@kernel
def apply_loads(tree_int: Ints, tables: Tables, work: Floats, bw: Floats, sw: Floats) -> int:
    """Fill `T_DELTA` with the wrenches of all force elements on placed bodies.

    `tables` refer to tree rows and tree frames. Returns the first SDA without length, or -1.
    """
    n_body = tree_int[0, T_BODIES]
    for i in range(n_body + 1):
        rot = mat(work, i, T_ROT)
        x, y, z = vec(work, i, T_OMEGA)
        put_mat(bw, i, B_ROT, rot)
        rate = (
            y * rot[6] - z * rot[3],
            y * rot[7] - z * rot[4],
            y * rot[8] - z * rot[5],
            z * rot[0] - x * rot[6],
            z * rot[1] - x * rot[7],
            z * rot[2] - x * rot[8],
            x * rot[3] - y * rot[0],
            x * rot[4] - y * rot[1],
            x * rot[5] - y * rot[2],
        )
        put_mat(bw, i, B_RATE, rate)
        put_vec(bw, i, B_R, vec(work, i, T_ORIGIN))
        put_vec(bw, i, B_V, vec(work, i, T_VEL))
        for k in range(B_W, B_TAUB + 3):
            bw[i, k] = 0.0
    short = sda.place(tables.sda_int, tables.sda_real, bw, sw)
    sda.residual(tables.sda_int, tables.sda_real, bw, sw)
    force.residual(tables.force_int, tables.force_real, bw)
    torque.residual(tables.torque_int, tables.torque_real, bw)
    for i in range(1, n_body + 1):
        rot = mat(bw, i, B_ROT)
        # the sums hold -f u^T in body axes of u: X = -sum f (A u)^T, whose skew part is the torque
        w = mat(bw, i, B_W)
        s = mat(bw, i, B_WS)
        a = times(rot, (w[0] + s[0], w[1] + s[1], w[2] + s[2]))
        b = times(rot, (w[3] + s[3], w[4] + s[4], w[5] + s[5]))
        c = times(rot, (w[6] + s[6], w[7] + s[7], w[8] + s[8]))
        put_vec(work, i, T_DELTA, (b[2] - c[1], c[0] - a[2], a[1] - b[0]))
        add_vec(work, i, T_DELTA, vec(bw, i, B_TAU))
        add_vec(work, i, T_DELTA, times(rot, vec(bw, i, B_TAUB)))
        for k in range(3):
            work[i, T_DELTA + 3 + k] = -bw[i, B_RES + k]
    return short


@kernel
def powers(tables: Tables, work: Floats, bw: Floats, sw: Floats, out: Floats) -> None:
    """Rates of the sums of the energy ledger [W], after `apply_loads`: applied loads, damper loss, actuators."""
    damper = 0.0
    actuator = 0.0
    for s in range(tables.sda_int.shape[0]):
        damper += sw[s, S_DAMPER] * sw[s, S_RATE]
        actuator -= sw[s, S_ACTUATOR] * sw[s, S_RATE]
    applied = 0.0
    for n in range(tables.force_int.shape[0]):
        i = tables.force_int[n, LOAD_BODY]
        point = vec(tables.force_real, n, LOAD_POINT)
        speed = add(vec(bw, i, B_V), times(mat(bw, i, B_RATE), point))
        applied += dot(force.in_ground(tables.force_int, tables.force_real, n, bw), speed)
    for n in range(tables.torque_int.shape[0]):
        i = tables.torque_int[n, LOAD_BODY]
        tau = vec(tables.torque_real, n, LOAD_VECTOR)
        if tables.torque_int[n, LOAD_IN_BODY]:
            tau = times(mat(bw, i, B_ROT), tau)
        applied += dot(tau, vec(work, i, T_OMEGA))
    out[LEDGER_FORCE_WORK] = applied
    out[LEDGER_DAMPER_LOSS] = damper
    out[LEDGER_ACTUATOR_WORK] = actuator
