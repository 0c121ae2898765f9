"""Kinematics, from the ground outward: orientations, angular velocities, and accelerations while q'' = 0.

With r the arm from the origin of the parent k to that of body i, and u the angular velocity of i against k,

    w_i     = w_k + u
    alpha_i = alpha_k + w_k x u
    a_i     = a_k + alpha_k x r + w_k x (w_k x r) + 2 w_k x r'        (r' = slide of the joint)

which are true accelerations less what the unknown q'' add. The ground accelerates by -g, so gravity needs no force.
Linear velocities are not needed here; `place` finds them where forces or records ask for them.
"""

from __future__ import annotations

import math

from linkwright.kernels.jit import kernel
from linkwright.kernels.layout import Floats, Ints
from linkwright.kernels.rotation import (
    Mat,
    Quat,
    Vec,
    add,
    cross,
    dot,
    mat,
    product,
    put_vec,
    scale,
    sub,
    times,
    vec,
)
from linkwright.kernels.tree.blocks import put_mat, spun
from linkwright.kernels.tree.layout import (
    BALL,
    C_COLUMN,
    COLUMNS,
    FREE,
    PRISMATIC,
    REVOLUTE,
    SLIDE,
    SPHERICAL,
    T_ACCEL,
    T_ALPHA,
    T_ARM,
    T_AXIS,
    T_BASE,
    T_BODIES,
    T_COORDINATE,
    T_DRIVEN,
    T_FIRST,
    T_FRAME,
    T_FREEDOMS,
    T_JOINT,
    T_KIND,
    T_OMEGA,
    T_ORIGIN,
    T_PARENT,
    T_PITCH,
    T_Q,
    T_RATE,
    T_ROT,
    T_V,
    T_VEL,
)


@kernel
def unit_rotation(e: Quat) -> Mat:
    """Rotation matrix of a unit quaternion."""
    x = e[1] + e[1]
    y = e[2] + e[2]
    z = e[3] + e[3]
    xx = e[1] * x
    yy = e[2] * y
    zz = e[3] * z
    xy = e[1] * y
    xz = e[1] * z
    yz = e[2] * z
    wx = e[0] * x
    wy = e[0] * y
    wz = e[0] * z
    return 1.0 - yy - zz, xy - wz, xz + wy, xy + wz, 1.0 - xx - zz, yz - wx, xz - wy, yz + wx, 1.0 - xx - yy


@kernel
def turned_about_z(f: Mat, angle: float) -> Mat:
    """F turned by an angle about its own z axis."""
    c = math.cos(angle)
    s = math.sin(angle)
    return (
        f[0] * c + f[1] * s,
        f[1] * c - f[0] * s,
        f[2],
        f[3] * c + f[4] * s,
        f[4] * c - f[3] * s,
        f[5],
        f[6] * c + f[7] * s,
        f[7] * c - f[6] * s,
        f[8],
    )


@kernel
def axis_of(f: Mat, k: int) -> Vec:
    """Column k of a rotation matrix."""
    if k == 0:
        return f[0], f[3], f[6]
    if k == 1:
        return f[1], f[4], f[7]
    return f[2], f[5], f[8]


@kernel
def turned_about(f: Mat, k: int, angle: float) -> Mat:
    """F turned by an angle about its own axis k."""
    if k == 2:
        return turned_about_z(f, angle)
    x = axis_of(f, 0)
    y = axis_of(f, 1)
    z = axis_of(f, 2)
    if k == 0:  # the axes in the order y, z, x
        g = turned_about_z((y[0], z[0], x[0], y[1], z[1], x[1], y[2], z[2], x[2]), angle)
        return g[2], g[0], g[1], g[5], g[3], g[4], g[8], g[6], g[7]
    g = turned_about_z((z[0], x[0], y[0], z[1], x[1], y[1], z[2], x[2], y[2]), angle)
    return g[1], g[2], g[0], g[4], g[5], g[3], g[7], g[8], g[6]


@kernel
def carried(alpha: Vec, omega: Vec, r: Vec) -> Vec:
    """Acceleration of a point of a body against its origin: alpha x r + w x (w x r)."""
    return add(cross(alpha, r), spun(omega, dot(omega, omega), r))


@kernel
def outward(tree_int: Ints, tree_real: Floats, q: Floats, v: Floats, a: Floats, work: Floats) -> None:
    """Fill orientation, arm, angular velocity and the accelerations at q'' = 0 of all bodies.

    `a` is read for driven freedoms alone. Row 0 of `work` must hold the ground (identity, acceleration -g).
    """
    for i in range(1, tree_int[0, T_BODIES] + 1):
        joint = tree_int[i, T_JOINT]
        if joint == COLUMNS:
            outward_columns(tree_int, tree_real, q, v, a, work, i)
            continue
        if joint == FREE:
            outward_free(tree_int, q, v, work, i)
            continue
        k = tree_int[i, T_PARENT]
        q_adr = tree_int[i, T_Q]
        v_adr = tree_int[i, T_V]
        above = mat(work, k, T_ROT)
        omega = vec(work, k, T_OMEGA)
        alpha = vec(work, k, T_ALPHA)
        arm = times(above, vec(tree_real, i, T_BASE))
        u = 0.0, 0.0, 0.0
        if joint == SPHERICAL:
            # the joint frame has the axes of the parent
            rot = product(above, unit_rotation((q[q_adr], q[q_adr + 1], q[q_adr + 2], q[q_adr + 3])))
            u = times(rot, (v[v_adr], v[v_adr + 1], v[v_adr + 2]))
            accel = carried(alpha, omega, arm)
        else:
            rot = product(above, mat(tree_real, i, T_FRAME))
            z = rot[2], rot[5], rot[8]
            if joint == REVOLUTE:
                rot = turned_about_z(rot, q[q_adr])
                u = scale(v[v_adr], z)
                accel = carried(alpha, omega, arm)
            elif joint == PRISMATIC:
                arm = add(arm, scale(q[q_adr], z))
                accel = add(carried(alpha, omega, arm), scale(2.0 * v[v_adr], cross(omega, z)))
            else:
                accel = carried(alpha, omega, arm)
        put_mat(work, i, T_ROT, rot)
        put_vec(work, i, T_ARM, arm)
        put_vec(work, i, T_OMEGA, add(omega, u))
        put_vec(work, i, T_ALPHA, add(alpha, cross(omega, u)))
        put_vec(work, i, T_ACCEL, add(vec(work, k, T_ACCEL), accel))


@kernel
def outward_free(tree_int: Ints, q: Floats, v: Floats, work: Floats, i: int) -> None:
    """Kinematics of a body that floats: nothing of the ground is carried along."""
    n = tree_int[i, T_Q]
    m = tree_int[i, T_V]
    rot = unit_rotation((q[n + 3], q[n + 4], q[n + 5], q[n + 6]))
    put_mat(work, i, T_ROT, rot)
    put_vec(work, i, T_ARM, (q[n], q[n + 1], q[n + 2]))
    put_vec(work, i, T_OMEGA, times(rot, (v[m + 3], v[m + 4], v[m + 5])))
    put_vec(work, i, T_ALPHA, (0.0, 0.0, 0.0))
    put_vec(work, i, T_ACCEL, vec(work, 0, T_ACCEL))


@kernel
def outward_columns(
    tree_int: Ints, tree_real: Floats, q: Floats, v: Floats, a: Floats, work: Floats, i: int
) -> None:
    """Kinematics of one body behind a chain of freedoms, with the motion of the body per rate as columns."""
    k = tree_int[i, T_PARENT]
    above = mat(work, k, T_ROT)
    rot = product(above, mat(tree_real, i, T_FRAME))
    omega = vec(work, k, T_OMEGA)
    alpha = vec(work, k, T_ALPHA)
    arm = times(above, vec(tree_real, i, T_BASE))
    accel = add(vec(work, k, T_ACCEL), carried(alpha, omega, arm))
    first = tree_int[i, T_FIRST] + 1
    stop = first + tree_int[i, T_FREEDOMS]
    for f in range(first, stop):
        kind = tree_int[f, T_KIND]
        k_axis = tree_int[f, T_AXIS]
        n = tree_int[f, T_COORDINATE]
        m = tree_int[f, T_RATE]
        if kind == BALL:
            if k_axis == 0:
                rot = product(rot, unit_rotation((q[n], q[n + 1], q[n + 2], q[n + 3])))
                u = times(rot, (v[m], v[m + 1], v[m + 2]))
                alpha = add(alpha, cross(omega, u))
                omega = add(omega, u)
            put_vec(work, f, C_COLUMN, axis_of(rot, k_axis))
            put_vec(work, f, C_COLUMN + 3, arm)
            continue
        axis = axis_of(rot, k_axis)
        travel = 1.0 if kind == SLIDE else tree_real[f, T_PITCH]
        step = scale(travel * q[n], axis)
        coriolis = scale(2.0 * travel * v[m], cross(omega, axis))
        arm = add(arm, step)
        accel = add(accel, add(carried(alpha, omega, step), coriolis))
        driven = a[m] if tree_int[f, T_DRIVEN] else 0.0
        accel = add(accel, scale(travel * driven, axis))
        if kind == SLIDE:
            put_vec(work, f, C_COLUMN, (0.0, 0.0, 0.0))
            put_vec(work, f, C_COLUMN + 3, axis)
        else:
            u = scale(v[m], axis)
            alpha = add(alpha, add(cross(omega, u), scale(driven, axis)))
            omega = add(omega, u)
            rot = turned_about(rot, k_axis, q[n])
            put_vec(work, f, C_COLUMN, axis)
            put_vec(work, f, C_COLUMN + 3, arm)
    # linear parts of the columns at the origin of the body, known only now
    for f in range(first, stop):
        kind = tree_int[f, T_KIND]
        if kind != SLIDE:
            axis = vec(work, f, C_COLUMN)
            lever = sub(arm, vec(work, f, C_COLUMN + 3))
            pitch = tree_real[f, T_PITCH]
            put_vec(work, f, C_COLUMN + 3, add(cross(axis, lever), scale(pitch, axis)))
    put_mat(work, i, T_ROT, rot)
    put_vec(work, i, T_ARM, arm)
    put_vec(work, i, T_OMEGA, omega)
    put_vec(work, i, T_ALPHA, alpha)
    put_vec(work, i, T_ACCEL, accel)


@kernel
def place(tree_int: Ints, v: Floats, work: Floats) -> None:
    """Fill origins and velocities of all bodies after `outward`; the velocities stand where the factor will.

    The driven freedoms carry their rates in `v` like all others.
    """
    for i in range(1, tree_int[0, T_BODIES] + 1):
        k = tree_int[i, T_PARENT]
        joint = tree_int[i, T_JOINT]
        m = tree_int[i, T_V]
        arm = vec(work, i, T_ARM)
        put_vec(work, i, T_ORIGIN, add(vec(work, k, T_ORIGIN), arm))
        if joint == FREE:
            put_vec(work, i, T_VEL, (v[m], v[m + 1], v[m + 2]))
            continue
        vel = add(vec(work, k, T_VEL), cross(vec(work, k, T_OMEGA), arm))
        if joint == PRISMATIC:
            vel = add(vel, scale(v[m], (work[i, T_ROT + 2], work[i, T_ROT + 5], work[i, T_ROT + 8])))
        elif joint == COLUMNS:
            first = tree_int[i, T_FIRST] + 1
            for f in range(first, first + tree_int[i, T_FREEDOMS]):
                vel = add(vel, scale(v[tree_int[f, T_RATE]], vec(work, f, C_COLUMN + 3)))
        put_vec(work, i, T_VEL, vel)
