"""Whole accelerations, joint reactions and inverse dynamics, by the recursion of Newton and Euler.

Reactions follow from the accelerations alone, whichever elimination found q''. R_i is what the
joint does to body i: torque about its origin and force, ground axes (theory of the tree, section 5).
"""

from __future__ import annotations

from linkwright.kernels.jit import kernel
from linkwright.kernels.layout import Floats, Ints
from linkwright.kernels.rotation import (
    add,
    add_vec,
    cross,
    dot,
    mat,
    put_vec,
    scale,
    sub,
    times,
    times_t,
    vec,
)
from linkwright.kernels.tree.blocks import bias_force, bias_torque, packed, turned
from linkwright.kernels.tree.layout import (
    C_COLUMN,
    COLUMNS,
    FREE,
    PRISMATIC,
    REVOLUTE,
    SPHERICAL,
    T_ACCEL,
    T_ALPHA,
    T_ARM,
    T_BODIES,
    T_DELTA,
    T_DRIVEN,
    T_FIRST,
    T_FREEDOMS,
    T_INERTIA,
    T_JOINT,
    T_LOADED,
    T_MASS,
    T_MOMENT,
    T_OMEGA,
    T_PARENT,
    T_RATE,
    T_ROT,
    T_V,
)


@kernel
def spread(tree_int: Ints, a: Floats, work: Floats) -> None:
    """Fill `T_DELTA` with what given accelerations q'' of the freedoms add; driven ones count already."""
    for i in range(1, tree_int[0, T_BODIES] + 1):
        k = tree_int[i, T_PARENT]
        joint = tree_int[i, T_JOINT]
        m = tree_int[i, T_V]
        rot = mat(work, i, T_ROT)
        x = vec(work, k, T_DELTA)
        y = add(vec(work, k, T_DELTA + 3), cross(x, vec(work, i, T_ARM)))
        if joint == REVOLUTE:
            x = add(x, scale(a[m], (rot[2], rot[5], rot[8])))
        elif joint == PRISMATIC:
            y = add(y, scale(a[m], (rot[2], rot[5], rot[8])))
        elif joint == SPHERICAL:
            x = add(x, times(rot, (a[m], a[m + 1], a[m + 2])))
        elif joint == FREE:
            x = times(rot, (a[m + 3], a[m + 4], a[m + 5]))
            y = a[m], a[m + 1], a[m + 2]
        elif joint == COLUMNS:
            r = tree_int[i, T_FIRST]
            for c in range(r + 1, r + 1 + tree_int[i, T_FREEDOMS]):
                if not tree_int[c, T_DRIVEN]:
                    own = a[tree_int[c, T_RATE]]
                    x = add(x, scale(own, vec(work, c, C_COLUMN)))
                    y = add(y, scale(own, vec(work, c, C_COLUMN + 3)))
        put_vec(work, i, T_DELTA, x)
        put_vec(work, i, T_DELTA + 3, y)


@kernel
def total(tree_int: Ints, work: Floats) -> None:
    """Add the answer to the accelerations of all bodies and leave `T_DELTA` empty."""
    for i in range(1, tree_int[0, T_BODIES] + 1):
        for k in range(6):
            work[i, T_ALPHA + k] += work[i, T_DELTA + k]
            work[i, T_DELTA + k] = 0.0


@kernel
def reactions(tree_int: Ints, tree_real: Floats, work: Floats, react: Floats) -> None:
    """Fill the reactions `react` (rows, 6) from the whole accelerations after `total`, from the leaves inward.

    Where row 0 of `tree_int` says so, wrenches on the bodies are taken from `T_DELTA`. Row 0 of `react` receives what
    all children of the ground do to it, with the opposite sign.
    """
    loaded = tree_int[0, T_LOADED] != 0
    n_body = tree_int[0, T_BODIES]
    for i in range(n_body + 1):
        for k in range(6):
            react[i, k] = 0.0
    for i in range(n_body, 0, -1):
        rot = mat(work, i, T_ROT)
        moment = times(rot, vec(tree_real, i, T_MOMENT))
        own = turned(rot, packed(tree_real, i, T_INERTIA))
        omega = vec(work, i, T_OMEGA)
        alpha = vec(work, i, T_ALPHA)
        accel = vec(work, i, T_ACCEL)
        t = add(vec(react, i, 0), bias_torque(own, moment, omega, alpha, accel))
        f = add(vec(react, i, 3), bias_force(tree_real[i, T_MASS], moment, omega, alpha, accel))
        if loaded:
            t = sub(t, vec(work, i, T_DELTA))
            f = sub(f, vec(work, i, T_DELTA + 3))
        put_vec(react, i, 0, t)
        put_vec(react, i, 3, f)
        k = tree_int[i, T_PARENT]
        add_vec(react, k, 0, add(t, cross(vec(work, i, T_ARM), f)))
        add_vec(react, k, 3, f)


@kernel
def along_freedoms(tree_int: Ints, work: Floats, react: Floats, u: Floats) -> None:
    """Project the reactions on the freedoms, u = A^T R: what has to push each freedom for the given motion."""
    for i in range(1, tree_int[0, T_BODIES] + 1):
        joint = tree_int[i, T_JOINT]
        m = tree_int[i, T_V]
        rot = mat(work, i, T_ROT)
        t = vec(react, i, 0)
        f = vec(react, i, 3)
        if joint == REVOLUTE:
            u[m] = dot((rot[2], rot[5], rot[8]), t)
        elif joint == PRISMATIC:
            u[m] = dot((rot[2], rot[5], rot[8]), f)
        elif joint == SPHERICAL or joint == FREE:
            if joint == FREE:
                u[m] = f[0]
                u[m + 1] = f[1]
                u[m + 2] = f[2]
                m += 3
            s = times_t(rot, t)
            u[m] = s[0]
            u[m + 1] = s[1]
            u[m + 2] = s[2]
        elif joint == COLUMNS:
            r = tree_int[i, T_FIRST]
            for c in range(r + 1, r + 1 + tree_int[i, T_FREEDOMS]):
                x = dot(vec(work, c, C_COLUMN), t)
                u[tree_int[c, T_RATE]] = x + dot(vec(work, c, C_COLUMN + 3), f)
