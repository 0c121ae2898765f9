"""Elimination by Vereshchagin's sweep with explicit inverses, and the answers.

From the leaves inward the block M* of a body loses its own freedoms through the inverse of V = A^T M* A,

    Y = V^-1 A^T M*,    M*_k += C^T (M* - M* A Y) C,    p*_k += C^T (p* - Y^T A^T p*)

(Vereshchagin 1974; theory of the tree, section 3). Blocks are kept whole and their symmetry is not used: that and the
inverse are what sets the method apart from `ltdl`. Zero blocks are skipped in both alike.
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
    product,
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
    bias_force,
    bias_torque,
    mat_less_outer,
    mat_sum,
    packed,
    packed_times,
    put_mat,
    turned,
    with_moment,
)
from linkwright.kernels.tree.layout import (
    C_COLUMN,
    C_GAIN,
    C_INVERSE,
    C_LOAD,
    C_MOMENTUM,
    C_OWN,
    C_ROW,
    COLUMNS,
    F_BALL,
    F_COUPLING,
    F_GAIN,
    F_INVERSE,
    F_OWN,
    F_SCALE,
    FREE,
    HAND_GROUND,
    HAND_ON,
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
    W_ANGULAR,
    W_FORCE,
    W_LINEAR,
    W_LOWER,
    W_TORQUE,
    W_UPPER,
)


@kernel
def inverse3(m: Mat) -> Mat:
    """Inverse of a 3x3 matrix by its adjugate."""
    a = m[4] * m[8] - m[5] * m[7]
    b = m[5] * m[6] - m[3] * m[8]
    c = m[3] * m[7] - m[4] * m[6]
    d = 1.0 / (m[0] * a + m[1] * b + m[2] * c)
    return (
        a * d,
        (m[2] * m[7] - m[1] * m[8]) * d,
        (m[1] * m[5] - m[2] * m[4]) * d,
        b * d,
        (m[0] * m[8] - m[2] * m[6]) * d,
        (m[2] * m[3] - m[0] * m[5]) * d,
        c * d,
        (m[1] * m[6] - m[0] * m[7]) * d,
        (m[0] * m[4] - m[1] * m[3]) * d,
    )


@kernel
def mat_difference(a: Mat, b: Mat) -> Mat:
    """Difference of two 3x3 matrices."""
    return (
        a[0] - b[0],
        a[1] - b[1],
        a[2] - b[2],
        a[3] - b[3],
        a[4] - b[4],
        a[5] - b[5],
        a[6] - b[6],
        a[7] - b[7],
        a[8] - b[8],
    )


@kernel
def unpacked(s: Packed) -> Mat:
    """Nine numbers of a packed symmetric matrix."""
    return s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5]


@kernel
def lever_times(r: Vec, m: Mat) -> Mat:
    """[r]x M."""
    x, y, z = r
    return (
        y * m[6] - z * m[3],
        y * m[7] - z * m[4],
        y * m[8] - z * m[5],
        z * m[0] - x * m[6],
        z * m[1] - x * m[7],
        z * m[2] - x * m[8],
        x * m[3] - y * m[0],
        x * m[4] - y * m[1],
        x * m[5] - y * m[2],
    )


@kernel
def times_lever(m: Mat, r: Vec) -> Mat:
    """M [r]x."""
    x, y, z = r
    return (
        m[1] * z - m[2] * y,
        m[2] * x - m[0] * z,
        m[0] * y - m[1] * x,
        m[4] * z - m[5] * y,
        m[5] * x - m[3] * z,
        m[3] * y - m[4] * x,
        m[7] * z - m[8] * y,
        m[8] * x - m[6] * z,
        m[6] * y - m[7] * x,
    )


@kernel
def eliminate(tree_int: Ints, tree_real: Floats, work: Floats) -> None:
    """Eliminate the freedoms of all bodies, from the leaves inward, after `outward`.

    Where row 0 says so, wrenches on the bodies are taken from `T_DELTA`. Leaves the gains in `T_FACTOR`.
    """
    loaded = tree_int[0, T_LOADED] != 0
    # the block that row i + 1 hands to row i: torque = j x + h y, force = g x + b y
    zero = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    j = zero
    h = zero
    g = zero
    b = zero
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
        j = mat_sum(j, unpacked(own))
        h = with_moment(h, moment)
        g = with_moment(g, (-moment[0], -moment[1], -moment[2]))
        b = b[0] + mass, b[1], b[2], b[3], b[4] + mass, b[5], b[6], b[7], b[8] + mass
        if loaded:
            t = sub(t, vec(work, i, T_DELTA))
            f = sub(f, vec(work, i, T_DELTA + 3))
        c = tree_int[i, T_COLLECT]
        if c > 0:
            j = mat_sum(j, mat(work, c, W_ANGULAR))
            h = mat_sum(h, mat(work, c, W_UPPER))
            g = mat_sum(g, mat(work, c, W_LOWER))
            b = mat_sum(b, mat(work, c, W_LINEAR))
            t = add(t, vec(work, c, W_TORQUE))
            f = add(f, vec(work, c, W_FORCE))
            for k in range(W_FORCE + 3):
                work[c, k] = 0.0

        joint = tree_int[i, T_JOINT]
        hand = tree_int[i, T_HAND]
        arm = vec(work, i, T_ARM)
        if joint == SPHERICAL or joint == FREE:
            inverse = inverse3(j)
            gain = product(inverse, h)
            y = times(inverse, t)
            b = mat_difference(b, product(g, gain))
            f = sub(f, times(g, y))
            put_inverse(work, i, inverse)
            put_mat(work, i, F_COUPLING, gain)
            put_vec(work, i, F_BALL, y)
            if joint == FREE:
                r = tree_int[i, T_FIRST]
                inverse = inverse3(b)
                put_inverse(work, r, inverse)
                put_vec(work, r, F_BALL, times(inverse, f))
            # shift of a block without angular part
            h = lever_times(arm, b)
            g = times_lever((-b[0], -b[1], -b[2], -b[3], -b[4], -b[5], -b[6], -b[7], -b[8]), arm)
            j = lever_times(arm, g)
            t = cross(arm, f)
        else:
            if joint == REVOLUTE or joint == PRISMATIC:
                z = rot[2], rot[5], rot[8]
                if joint == REVOLUTE:
                    up = times(j, z)  # columns of M* A
                    low = times(g, z)
                    across = times_t(j, z)  # rows of A^T M*
                    along = times_t(h, z)
                    d = 1.0 / dot(up, z)
                    u = dot(t, z)
                else:
                    up = times(h, z)
                    low = times(b, z)
                    across = times_t(g, z)
                    along = times_t(b, z)
                    d = 1.0 / dot(low, z)
                    u = dot(f, z)
                across = scale(d, across)
                along = scale(d, along)
                j = mat_less_outer(j, up, across)
                h = mat_less_outer(h, up, along)
                g = mat_less_outer(g, low, across)
                b = mat_less_outer(b, low, along)
                own_term = u * d
                t = sub(t, scale(own_term, up))
                f = sub(f, scale(own_term, low))
                put_vec(work, i, F_GAIN, across)
                put_vec(work, i, F_GAIN + 3, along)
                work[i, F_OWN] = own_term
                work[i, F_SCALE] = d
            elif joint == COLUMNS:
                r = tree_int[i, T_FIRST]
                put_mat(work, r, W_ANGULAR, j)
                put_mat(work, r, W_UPPER, h)
                put_mat(work, r, W_LOWER, g)
                put_mat(work, r, W_LINEAR, b)
                put_vec(work, r, W_TORQUE, t)
                put_vec(work, r, W_FORCE, f)
                eliminate_columns(tree_int, work, i)
                j = mat(work, r, W_ANGULAR)
                h = mat(work, r, W_UPPER)
                g = mat(work, r, W_LOWER)
                b = mat(work, r, W_LINEAR)
                t = vec(work, r, W_TORQUE)
                f = vec(work, r, W_FORCE)
            # shift: C^T [j h; g b] C
            g = mat_difference(g, times_lever(b, arm))
            j = mat_sum(mat_difference(j, times_lever(h, arm)), lever_times(arm, g))
            h = mat_sum(h, lever_times(arm, b))
            t = add(t, cross(arm, f))
        if hand != HAND_ON:
            if hand != HAND_GROUND:
                add_mat(work, hand, W_ANGULAR, j)
                add_mat(work, hand, W_UPPER, h)
                add_mat(work, hand, W_LOWER, g)
                add_mat(work, hand, W_LINEAR, b)
                add_vec(work, hand, W_TORQUE, t)
                add_vec(work, hand, W_FORCE, f)
            j = zero
            h = zero
            g = zero
            b = zero
            t = 0.0, 0.0, 0.0
            f = 0.0, 0.0, 0.0


@kernel
def put_inverse(work: Floats, i: int, m: Mat) -> None:
    """Keep the inverse of an angular block for further right-hand sides."""
    work[i, F_INVERSE] = m[0]
    work[i, F_INVERSE + 1] = m[1]
    work[i, F_INVERSE + 2] = m[2]
    work[i, F_INVERSE + 3] = m[4]
    work[i, F_INVERSE + 4] = m[5]
    work[i, F_INVERSE + 5] = m[8]


@kernel
def eliminate_columns(tree_int: Ints, work: Floats, i: int) -> None:
    """Eliminate all freedoms of one joint from its block row at once, by the inverse of V."""
    r = tree_int[i, T_FIRST]
    n = tree_int[i, T_FREEDOMS]
    j = mat(work, r, W_ANGULAR)
    h = mat(work, r, W_UPPER)
    g = mat(work, r, W_LOWER)
    b = mat(work, r, W_LINEAR)
    t = vec(work, r, W_TORQUE)
    f = vec(work, r, W_FORCE)
    # M* A, A^T M* and A^T p*; a driven freedom stands as a row of the identity
    for c in range(r + 1, r + 1 + n):
        x = vec(work, c, C_COLUMN)
        y = vec(work, c, C_COLUMN + 3)
        if tree_int[c, T_DRIVEN]:
            x = 0.0, 0.0, 0.0
            y = 0.0, 0.0, 0.0
        put_vec(work, c, C_MOMENTUM, add(times(j, x), times(h, y)))
        put_vec(work, c, C_MOMENTUM + 3, add(times(g, x), times(b, y)))
        put_vec(work, c, C_ROW, add(times_t(j, x), times_t(g, y)))
        put_vec(work, c, C_ROW + 3, add(times_t(h, x), times_t(b, y)))
        work[c, C_LOAD] = dot(x, t) + dot(y, f)
    for c in range(n):
        x = vec(work, r + 1 + c, C_COLUMN)
        y = vec(work, r + 1 + c, C_COLUMN + 3)
        given = tree_int[r + 1 + c, T_DRIVEN] != 0
        for d in range(n):
            m = r + 1 + d
            entry = dot(x, vec(work, m, C_MOMENTUM)) + dot(y, vec(work, m, C_MOMENTUM + 3))
            if given:
                entry = 1.0 if c == d else 0.0
            work[r + 1 + c, C_INVERSE + d] = entry
    invert(work, r + 1, n)
    for c in range(n):
        for k in range(6):
            total = 0.0
            for d in range(n):
                total += work[r + 1 + c, C_INVERSE + d] * work[r + 1 + d, C_ROW + k]
            work[r + 1 + c, C_GAIN + k] = total
        total = 0.0
        for d in range(n):
            total += work[r + 1 + c, C_INVERSE + d] * work[r + 1 + d, C_LOAD]
        work[r + 1 + c, C_OWN] = total
    for c in range(r + 1, r + 1 + n):
        up = vec(work, c, C_MOMENTUM)
        low = vec(work, c, C_MOMENTUM + 3)
        across = vec(work, c, C_GAIN)
        along = vec(work, c, C_GAIN + 3)
        j = mat_less_outer(j, up, across)
        h = mat_less_outer(h, up, along)
        g = mat_less_outer(g, low, across)
        b = mat_less_outer(b, low, along)
        t = sub(t, scale(work[c, C_OWN], up))
        f = sub(f, scale(work[c, C_OWN], low))
    put_mat(work, r, W_ANGULAR, j)
    put_mat(work, r, W_UPPER, h)
    put_mat(work, r, W_LOWER, g)
    put_mat(work, r, W_LINEAR, b)
    put_vec(work, r, W_TORQUE, t)
    put_vec(work, r, W_FORCE, f)


@kernel
def invert(work: Floats, r: int, n: int) -> None:
    """Replace the n x n matrix in rows r, r + 1, ... from column `C_INVERSE` by its inverse (Gauss-Jordan)."""
    for p in range(n):
        d = 1.0 / work[r + p, C_INVERSE + p]
        work[r + p, C_INVERSE + p] = 1.0
        for k in range(n):
            work[r + p, C_INVERSE + k] *= d
        for m in range(n):
            if m != p:
                s = work[r + m, C_INVERSE + p]
                work[r + m, C_INVERSE + p] = 0.0
                for k in range(n):
                    work[r + m, C_INVERSE + k] -= s * work[r + p, C_INVERSE + k]


@kernel
def reload(tree_int: Ints, work: Floats) -> None:
    """Put other wrenches in the place of all loads and velocity terms; inverses and gains stay.

    They are taken from `T_DELTA` and lost. `answer` then gives what they add to q''.
    """
    for i in range(tree_int[0, T_BODIES], 0, -1):
        joint = tree_int[i, T_JOINT]
        arm = vec(work, i, T_ARM)
        t = vec(work, i, T_DELTA)
        f = vec(work, i, T_DELTA + 3)
        if joint == SPHERICAL or joint == FREE:
            y = packed_times(packed(work, i, F_INVERSE), t)
            put_vec(work, i, F_BALL, scale(-1.0, y))
            f = sub(f, times_t(mat(work, i, F_COUPLING), t))
            t = 0.0, 0.0, 0.0
            if joint == FREE:
                r = tree_int[i, T_FIRST]
                put_vec(work, r, F_BALL, scale(-1.0, packed_times(packed(work, r, F_INVERSE), f)))
                continue
        elif joint == REVOLUTE or joint == PRISMATIC:
            z = work[i, T_ROT + 2], work[i, T_ROT + 5], work[i, T_ROT + 8]
            u = dot(z, t) if joint == REVOLUTE else dot(z, f)
            work[i, F_OWN] = -u * work[i, F_SCALE]
            t = sub(t, scale(u, vec(work, i, F_GAIN)))
            f = sub(f, scale(u, vec(work, i, F_GAIN + 3)))
        elif joint == COLUMNS:
            t, f = reload_columns(tree_int, work, i, t, f)
        k = tree_int[i, T_PARENT]
        if k > 0:
            add_vec(work, k, T_DELTA, add(t, cross(arm, f)))
            add_vec(work, k, T_DELTA + 3, f)


@kernel
def reload_columns(tree_int: Ints, work: Floats, i: int, t: Vec, f: Vec) -> tuple[Vec, Vec]:
    """Own terms V^-1 A^T p of one joint for a wrench, and what of the wrench is handed on."""
    r = tree_int[i, T_FIRST]
    n = tree_int[i, T_FREEDOMS]
    rest_t = t
    rest_f = f
    for c in range(r + 1, r + 1 + n):
        u = 0.0
        if not tree_int[c, T_DRIVEN]:
            u = dot(t, vec(work, c, C_COLUMN)) + dot(f, vec(work, c, C_COLUMN + 3))
        work[c, C_LOAD] = u
        rest_t = sub(rest_t, scale(u, vec(work, c, C_GAIN)))
        rest_f = sub(rest_f, scale(u, vec(work, c, C_GAIN + 3)))
    for c in range(n):
        own = 0.0
        for d in range(n):
            own -= work[r + 1 + c, C_INVERSE + d] * work[r + 1 + d, C_LOAD]
        work[r + 1 + c, C_OWN] = own
    return rest_t, rest_f


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
                y = scale(-1.0, vec(work, tree_int[i, T_FIRST], F_BALL))
                a[m] = y[0]
                a[m + 1] = y[1]
                a[m + 2] = y[2]
                m += 3
            whole = scale(-1.0, add(vec(work, i, F_BALL), times(mat(work, i, F_COUPLING), y)))
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
            above_x = x
            above_y = y
            r = tree_int[i, T_FIRST]
            for c in range(r + 1, r + 1 + tree_int[i, T_FREEDOMS]):
                if tree_int[c, T_DRIVEN]:
                    continue
                gain_x = dot(vec(work, c, C_GAIN), above_x)
                gain_y = dot(vec(work, c, C_GAIN + 3), above_y)
                own = -(work[c, C_OWN] + gain_x + gain_y)
                a[tree_int[c, T_RATE]] = own
                x = add(x, scale(own, vec(work, c, C_COLUMN)))
                y = add(y, scale(own, vec(work, c, C_COLUMN + 3)))
        put_vec(work, i, T_DELTA, x)
        put_vec(work, i, T_DELTA + 3, y)
