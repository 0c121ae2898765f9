"""Elimination by symmetric block LTDL factors, and the answers.

From the leaves inward the block of six equations M* of a body loses its own freedoms, V = A^T M* A = K K^T,

    U = M* A K^-T,    M*_k += C^T (M* - U U^T) C,    p*_k += C^T (p* - U K^-1 A^T p*)

with the shift C to the parent k (theory of the tree, section 4). Symmetric blocks are packed. A spherical joint passes
on only the 3x3 block B - H^T J^-1 H and a force. K is root-free (L D L^T), which spares three roots of a ball joint.
"""

from __future__ import annotations

from linkwright.kernels.jit import kernel
from linkwright.kernels.layout import Floats, Ints
from linkwright.kernels.rotation import (
    Mat,
    Vec,
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
from linkwright.kernels.tree.blocks import (
    Packed,
    add_mat,
    add_packed,
    bias_force,
    bias_torque,
    less_levered,
    less_levered_t,
    less_outer,
    levered,
    mat_less_outer,
    mat_sum,
    packed,
    packed_sum,
    packed_times,
    put_mat,
    put_packed,
    turned,
    with_mass,
    with_moment,
)
from linkwright.kernels.tree.layout import (
    C_COLUMN,
    C_GAIN,
    C_OWN,
    C_SCALE,
    COLUMNS,
    F_BALL,
    F_COUPLING,
    F_GAIN,
    F_LOWER,
    F_OWN,
    F_PIVOT,
    F_SCALE,
    FREE,
    HAND_GROUND,
    HAND_ON,
    K_ANGULAR,
    K_COUPLING,
    K_FORCE,
    K_LINEAR,
    K_TORQUE,
    PRISMATIC,
    REVOLUTE,
    SPHERICAL,
    T_ACCEL,
    T_ALPHA,
    T_ARM,
    T_BODIES,
    T_COLLECT,
    T_DELTA,
    T_DRIVEN,
    T_FIRST,
    T_FREEDOMS,
    T_HAND,
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
def factor3(s: Packed) -> tuple[Vec, Vec]:
    """L (l10, l20, l21) and 1 / D of S = L D L^T.

    Minors instead of quotients of quotients (Bareiss 1968), so that the three divisions do not wait for each other.
    """
    minor = s[0] * s[3] - s[1] * s[1]
    c = s[0] * s[4] - s[1] * s[2]
    corner = s[0] * s[5] - s[2] * s[2]
    d0 = 1.0 / s[0]
    m = 1.0 / minor
    d = 1.0 / (minor * corner - c * c)
    return (s[1] * d0, s[2] * d0, c * m), (d0, s[0] * m, s[0] * minor * d)


@kernel
def forward3(lower: Vec, x: Vec) -> Vec:
    """L^-1 x."""
    x1 = x[1] - lower[0] * x[0]
    return x[0], x1, x[2] - lower[1] * x[0] - lower[2] * x1


@kernel
def backward3(lower: Vec, x: Vec) -> Vec:
    """L^-T x."""
    x1 = x[1] - lower[2] * x[2]
    return x[0] - lower[0] * x1 - lower[1] * x[2], x1, x[2]


@kernel
def forward3_mat(lower: Vec, h: Mat) -> Mat:
    """L^-1 H."""
    a = h[3] - lower[0] * h[0]
    b = h[4] - lower[0] * h[1]
    c = h[5] - lower[0] * h[2]
    return (
        h[0],
        h[1],
        h[2],
        a,
        b,
        c,
        h[6] - lower[1] * h[0] - lower[2] * a,
        h[7] - lower[1] * h[1] - lower[2] * b,
        h[8] - lower[1] * h[2] - lower[2] * c,
    )


@kernel
def scaled_rows(d: Vec, h: Mat) -> Mat:
    """D H."""
    return (
        d[0] * h[0],
        d[0] * h[1],
        d[0] * h[2],
        d[1] * h[3],
        d[1] * h[4],
        d[1] * h[5],
        d[2] * h[6],
        d[2] * h[7],
        d[2] * h[8],
    )


@kernel
def less_product(b: Packed, w: Mat, e: Mat) -> Packed:
    """Upper triangle of B - W^T E, where that product is symmetric."""
    return (
        b[0] - w[0] * e[0] - w[3] * e[3] - w[6] * e[6],
        b[1] - w[0] * e[1] - w[3] * e[4] - w[6] * e[7],
        b[2] - w[0] * e[2] - w[3] * e[5] - w[6] * e[8],
        b[3] - w[1] * e[1] - w[4] * e[4] - w[7] * e[7],
        b[4] - w[1] * e[2] - w[4] * e[5] - w[7] * e[8],
        b[5] - w[2] * e[2] - w[5] * e[5] - w[8] * e[8],
    )


@kernel
def eliminate(tree_int: Ints, tree_real: Floats, work: Floats) -> None:
    """Factor the equations of all bodies, from the leaves inward, after `outward`.

    Where row 0 says so, wrenches on the bodies are taken from `T_DELTA`. Leaves the factor in `T_FACTOR`.
    """
    loaded = tree_int[0, T_LOADED] != 0
    # the block that row i + 1 hands to row i
    j = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    h = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    b = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    t = 0.0, 0.0, 0.0
    f = 0.0, 0.0, 0.0
    for i in range(tree_int[0, T_BODIES], 0, -1):
        # inertia and bias of the body itself
        rot = mat(work, i, T_ROT)
        mass = tree_real[i, T_MASS]
        moment = times(rot, vec(tree_real, i, T_MOMENT))
        own = turned(rot, packed(tree_real, i, T_INERTIA))
        omega = vec(work, i, T_OMEGA)
        alpha = vec(work, i, T_ALPHA)
        accel = vec(work, i, T_ACCEL)
        t = add(t, bias_torque(own, moment, omega, alpha, accel))
        f = add(f, bias_force(mass, moment, omega, alpha, accel))
        j = packed_sum(j, own)
        h = with_moment(h, moment)
        b = with_mass(b, mass)
        if loaded:
            t = sub(t, vec(work, i, T_DELTA))
            f = sub(f, vec(work, i, T_DELTA + 3))
        c = tree_int[i, T_COLLECT]
        if c > 0:
            j = packed_sum(j, packed(work, c, K_ANGULAR))
            h = mat_sum(h, mat(work, c, K_COUPLING))
            b = packed_sum(b, packed(work, c, K_LINEAR))
            t = add(t, vec(work, c, K_TORQUE))
            f = add(f, vec(work, c, K_FORCE))
            for k in range(K_FORCE + 3):
                work[c, k] = 0.0

        joint = tree_int[i, T_JOINT]
        hand = tree_int[i, T_HAND]
        arm = vec(work, i, T_ARM)
        if joint == SPHERICAL or joint == FREE:
            lower, pivot = factor3(j)
            w = forward3_mat(lower, h)
            e = scaled_rows(pivot, w)
            y = forward3(lower, t)
            b = less_product(b, w, e)
            f = sub(f, times_t(e, y))
            put_vec(work, i, F_LOWER, lower)
            put_vec(work, i, F_PIVOT, pivot)
            put_mat(work, i, F_COUPLING, e)
            put_vec(work, i, F_BALL, (y[0] * pivot[0], y[1] * pivot[1], y[2] * pivot[2]))
            if joint == FREE:
                r = tree_int[i, T_FIRST]
                lower, pivot = factor3(b)
                y = forward3(lower, f)
                put_vec(work, r, F_LOWER, lower)
                put_vec(work, r, F_PIVOT, pivot)
                put_vec(work, r, F_BALL, (y[0] * pivot[0], y[1] * pivot[1], y[2] * pivot[2]))
            # shift of a block without angular part
            h = levered(arm, b)
            j = less_levered((0.0, 0.0, 0.0, 0.0, 0.0, 0.0), h, arm)
            t = cross(arm, f)
        else:
            if joint == REVOLUTE or joint == PRISMATIC:
                z = rot[2], rot[5], rot[8]
                if joint == REVOLUTE:
                    g = packed_times(j, z)
                    p = times_t(h, z)
                    d = 1.0 / dot(g, z)
                    u = dot(t, z)
                else:
                    g = times(h, z)
                    p = packed_times(b, z)
                    d = 1.0 / dot(p, z)
                    u = dot(f, z)
                gd = scale(d, g)
                pd = scale(d, p)
                j = less_outer(j, g, gd)
                h = mat_less_outer(h, g, pd)
                b = less_outer(b, p, pd)
                t = sub(t, scale(u, gd))
                f = sub(f, scale(u, pd))
                put_vec(work, i, F_GAIN, gd)
                put_vec(work, i, F_GAIN + 3, pd)
                work[i, F_OWN] = u * d
                work[i, F_SCALE] = d
            elif joint == COLUMNS:
                r = tree_int[i, T_FIRST]
                put_packed(work, r, K_ANGULAR, j)
                put_mat(work, r, K_COUPLING, h)
                put_packed(work, r, K_LINEAR, b)
                put_vec(work, r, K_TORQUE, t)
                put_vec(work, r, K_FORCE, f)
                eliminate_columns(tree_int, work, i)
                j = packed(work, r, K_ANGULAR)
                h = mat(work, r, K_COUPLING)
                b = packed(work, r, K_LINEAR)
                t = vec(work, r, K_TORQUE)
                f = vec(work, r, K_FORCE)
            # shift: J - H [r]x - (H' [r]x)^T with H' = H + [r]x B
            j = less_levered(j, h, arm)
            h = mat_sum(h, levered(arm, b))
            j = less_levered_t(j, h, arm)
            t = add(t, cross(arm, f))
        if hand != HAND_ON:
            if hand != HAND_GROUND:
                add_packed(work, hand, K_ANGULAR, j)
                add_mat(work, hand, K_COUPLING, h)
                add_packed(work, hand, K_LINEAR, b)
                add_vec(work, hand, K_TORQUE, t)
                add_vec(work, hand, K_FORCE, f)
            j = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            h = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            b = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            t = 0.0, 0.0, 0.0
            f = 0.0, 0.0, 0.0


@kernel
def eliminate_columns(tree_int: Ints, work: Floats, i: int) -> None:
    """Eliminate the freedoms of one joint from its block row, the outermost first.

    One column after the other is the Cholesky factorisation of V from its last row upward.
    """
    r = tree_int[i, T_FIRST]
    for c in range(r + tree_int[i, T_FREEDOMS], r, -1):
        if tree_int[c, T_DRIVEN]:
            continue
        x = vec(work, c, C_COLUMN)
        y = vec(work, c, C_COLUMN + 3)
        j = packed(work, r, K_ANGULAR)
        h = mat(work, r, K_COUPLING)
        b = packed(work, r, K_LINEAR)
        t = vec(work, r, K_TORQUE)
        f = vec(work, r, K_FORCE)
        g = add(packed_times(j, x), times(h, y))
        p = add(times_t(h, x), packed_times(b, y))
        d = 1.0 / (dot(g, x) + dot(p, y))
        u = dot(t, x) + dot(f, y)
        gd = scale(d, g)
        pd = scale(d, p)
        put_packed(work, r, K_ANGULAR, less_outer(j, g, gd))
        put_mat(work, r, K_COUPLING, mat_less_outer(h, g, pd))
        put_packed(work, r, K_LINEAR, less_outer(b, p, pd))
        put_vec(work, r, K_TORQUE, sub(t, scale(u, gd)))
        put_vec(work, r, K_FORCE, sub(f, scale(u, pd)))
        put_vec(work, c, C_GAIN, gd)
        put_vec(work, c, C_GAIN + 3, pd)
        work[c, C_OWN] = u * d
        work[c, C_SCALE] = d


@kernel
def reload(tree_int: Ints, work: Floats) -> None:
    """Put other wrenches in the place of all loads and velocity terms; the factor stays.

    They are taken from `T_DELTA` and lost. `answer` then gives what they add to q''.
    """
    for i in range(tree_int[0, T_BODIES], 0, -1):
        joint = tree_int[i, T_JOINT]
        arm = vec(work, i, T_ARM)
        t = vec(work, i, T_DELTA)
        f = vec(work, i, T_DELTA + 3)
        if joint == SPHERICAL or joint == FREE:
            y = forward3(vec(work, i, F_LOWER), t)
            d = vec(work, i, F_PIVOT)
            put_vec(work, i, F_BALL, (-y[0] * d[0], -y[1] * d[1], -y[2] * d[2]))
            f = sub(f, times_t(mat(work, i, F_COUPLING), y))
            t = 0.0, 0.0, 0.0
            if joint == FREE:
                r = tree_int[i, T_FIRST]
                y = forward3(vec(work, r, F_LOWER), f)
                d = vec(work, r, F_PIVOT)
                put_vec(work, r, F_BALL, (-y[0] * d[0], -y[1] * d[1], -y[2] * d[2]))
                continue
        elif joint == REVOLUTE or joint == PRISMATIC:
            z = work[i, T_ROT + 2], work[i, T_ROT + 5], work[i, T_ROT + 8]
            u = dot(z, t) if joint == REVOLUTE else dot(z, f)
            work[i, F_OWN] = -u * work[i, F_SCALE]
            t = sub(t, scale(u, vec(work, i, F_GAIN)))
            f = sub(f, scale(u, vec(work, i, F_GAIN + 3)))
        elif joint == COLUMNS:
            r = tree_int[i, T_FIRST]
            for c in range(r + tree_int[i, T_FREEDOMS], r, -1):
                if tree_int[c, T_DRIVEN]:
                    continue
                u = dot(t, vec(work, c, C_COLUMN)) + dot(f, vec(work, c, C_COLUMN + 3))
                work[c, C_OWN] = -u * work[c, C_SCALE]
                t = sub(t, scale(u, vec(work, c, C_GAIN)))
                f = sub(f, scale(u, vec(work, c, C_GAIN + 3)))
        k = tree_int[i, T_PARENT]
        if k > 0:
            add_vec(work, k, T_DELTA, add(t, cross(arm, f)))
            add_vec(work, k, T_DELTA + 3, f)


@kernel
def answer(tree_int: Ints, work: Floats, a: Floats) -> None:
    """Find q'' from the ground outward, and what it adds to the accelerations of each body in `T_DELTA`.

    `a` is written but for its driven entries. Row 0 of `T_DELTA` must be zero.
    """
    for i in range(1, tree_int[0, T_BODIES] + 1):
        k = tree_int[i, T_PARENT]
        joint = tree_int[i, T_JOINT]
        m = tree_int[i, T_V]
        arm = vec(work, i, T_ARM)
        x = vec(work, k, T_DELTA)
        y = add(vec(work, k, T_DELTA + 3), cross(x, arm))
        if joint == SPHERICAL or joint == FREE:
            if joint == FREE:
                r = tree_int[i, T_FIRST]
                y = scale(-1.0, backward3(vec(work, r, F_LOWER), vec(work, r, F_BALL)))
                a[m] = y[0]
                a[m + 1] = y[1]
                a[m + 2] = y[2]
                m += 3
            w = add(vec(work, i, F_BALL), times(mat(work, i, F_COUPLING), y))
            whole = scale(-1.0, backward3(vec(work, i, F_LOWER), w))
            s = times_t(mat(work, i, T_ROT), sub(whole, x))
            a[m] = s[0]
            a[m + 1] = s[1]
            a[m + 2] = s[2]
            x = whole
        elif joint == REVOLUTE or joint == PRISMATIC:
            own = -(work[i, F_OWN] + dot(vec(work, i, F_GAIN), x) + dot(vec(work, i, F_GAIN + 3), y))
            a[m] = own
            z = work[i, T_ROT + 2], work[i, T_ROT + 5], work[i, T_ROT + 8]
            if joint == REVOLUTE:
                x = add(x, scale(own, z))
            else:
                y = add(y, scale(own, z))
        elif joint == COLUMNS:
            r = tree_int[i, T_FIRST]
            for c in range(r + 1, r + 1 + tree_int[i, T_FREEDOMS]):
                if tree_int[c, T_DRIVEN]:
                    continue
                own = -(work[c, C_OWN] + dot(vec(work, c, C_GAIN), x) + dot(vec(work, c, C_GAIN + 3), y))
                a[tree_int[c, T_RATE]] = own
                x = add(x, scale(own, vec(work, c, C_COLUMN)))
                y = add(y, scale(own, vec(work, c, C_COLUMN + 3)))
        put_vec(work, i, T_DELTA, x)
        put_vec(work, i, T_DELTA + 3, y)
