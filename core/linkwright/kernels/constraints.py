"""Primitive constraints: residual, reactions, Jacobian, second derivatives with the multipliers, rates.

A joint is a list of primitives (`layout.POINT`, `DOT1`, `DOT2`, `DISTANCE`). With P = A_i u_i, Q = A_j u_j and
d = R_i + P - R_j - Q the rows are

    POINT     d = 0                        three rows
    DOT1      (A_i a) . (A_j b) = 0
    DOT2      (A_j b) . d = 0
    DISTANCE  (d . d - L^2) / (2 L) = 0

Derivatives follow theory section 7. For the homogeneous polynomial (A b) . (A u) = (e . e)^2 b . u, which gives the
second derivative of DOT2 by e_j its short form. The rows e . e = 1 are not here: every body has one (`inertia`).
"""

from __future__ import annotations

from linkwright.kernels.jit import inner_kernel
from linkwright.kernels.layout import (
    B_DE,
    B_DR,
    B_E,
    B_ED,
    B_EROW,
    B_R,
    B_RATE,
    B_RES,
    B_ROT,
    B_S,
    B_V,
    B_W,
    DISTANCE,
    DOT1,
    DOT2,
    P_A,
    P_AXIS,
    P_B,
    P_D,
    POINT,
    PRIM_AXIS,
    PRIM_CODE,
    PRIM_I,
    PRIM_J,
    PRIM_LENGTH,
    PRIM_ROW,
    PRIM_UI,
    PRIM_UJ,
    Floats,
    Ints,
)
from linkwright.kernels.linear import add_block_pair
from linkwright.kernels.pairs import (
    couple_turns,
    end_step,
    pair_stiffness,
    pull_ends,
    put_gradient,
    put_point,
    sub_from,
)
from linkwright.kernels.rotation import (
    Mat,
    Vec,
    add,
    add_outer,
    add_vec,
    arm,
    dot,
    dot4,
    mat,
    product,
    put_vec,
    quat,
    rotation,
    scale,
    sub,
    times,
    times_t,
    turned_by,
    vec,
)

X = 1.0, 0.0, 0.0
Y = 0.0, 1.0, 0.0
Z = 0.0, 0.0, 1.0


@inner_kernel
def residual(prim_int: Ints, prim_real: Floats, lam: Floats, phi: Floats, bw: Floats, pw: Floats) -> float:
    """Evaluate all rows and add their reactions Phi_q^T lambda to the bodies; returns the largest reaction."""
    largest = 0.0
    for p in range(prim_int.shape[0]):
        code = prim_int[p, PRIM_CODE]
        i = prim_int[p, PRIM_I]
        j = prim_int[p, PRIM_J]
        row = prim_int[p, PRIM_ROW]
        ui = vec(prim_real, p, PRIM_UI)
        uj = vec(prim_real, p, PRIM_UJ)
        a = times(mat(bw, i, B_ROT), ui)
        b = times(mat(bw, j, B_ROT), uj)
        put_vec(pw, p, P_A, a)
        put_vec(pw, p, P_B, b)
        if code == DOT1:
            phi[row] = dot(a, b)
            force = lam[row]
            largest = max(largest, abs(force))
            add_outer(bw, i, B_W, scale(force, b), ui)
            add_outer(bw, j, B_W, scale(force, a), uj)
            continue
        d = sub(add(vec(bw, i, B_R), a), add(vec(bw, j, B_R), b))
        put_vec(pw, p, P_D, d)
        pull = d
        if code == POINT:
            phi[row] = d[0]
            phi[row + 1] = d[1]
            phi[row + 2] = d[2]
            pull = lam[row], lam[row + 1], lam[row + 2]
        elif code == DOT2:
            axis = vec(prim_real, p, PRIM_AXIS)
            c = times(mat(bw, j, B_ROT), axis)
            put_vec(pw, p, P_AXIS, c)
            phi[row] = dot(c, d)
            pull = scale(lam[row], c)
            # by e_j: the gradient of (A b) . s - (e . e)^2 b . u with s = d + A u held
            add_outer(bw, j, B_W, scale(lam[row], add(d, b)), axis)
            e = quat(bw, j, B_E)
            own = 4.0 * lam[row] * dot(axis, uj) * dot4(e, e)
            for k in range(4):
                bw[j, B_RES + 3 + k] -= own * e[k]
        elif code == DISTANCE:
            length = prim_real[p, PRIM_LENGTH]
            phi[row] = (dot(d, d) - length * length) / (2.0 * length)
            pull = scale(lam[row] / length, d)
        largest = max(largest, abs(pull[0]), abs(pull[1]), abs(pull[2]))
        add_vec(bw, i, B_RES, pull)
        add_outer(bw, i, B_W, pull, ui)
        back = -pull[0], -pull[1], -pull[2]
        add_vec(bw, j, B_RES, back)
        if code != DOT2:
            add_outer(bw, j, B_W, back, uj)
    return largest


@inner_kernel
def tangent(
    prim_int: Ints,
    prim_real: Floats,
    lam: Floats,
    phi: Floats,
    phi_scale: float,
    c_q: float,
    bw: Floats,
    pw: Floats,
    body_adr: Ints,
    row_adr: Ints,
    offset: Ints,
    matrix: Floats,
    rhs: Floats,
) -> None:
    """Write the rows Phi_q with right-hand side -phi_scale phi, and add c_q d(Phi_q^T lambda)/dq between unknowns.

    The part of the second derivatives that is D of a force at a point is added with the bodies (`inertia.tangent`).
    """
    zero = 0.0, 0.0, 0.0
    for p in range(prim_int.shape[0]):
        code = prim_int[p, PRIM_CODE]
        i = prim_int[p, PRIM_I]
        j = prim_int[p, PRIM_J]
        row = prim_int[p, PRIM_ROW]
        a = vec(pw, p, P_A)
        b = vec(pw, p, P_B)
        rot_i = mat(bw, i, B_ROT)
        rot_j = mat(bw, j, B_ROT)
        ui = vec(prim_real, p, PRIM_UI)
        uj = vec(prim_real, p, PRIM_UJ)
        xi = arm(rot_i, ui)
        xj = arm(rot_j, uj)
        if code == POINT:
            put_point(
                matrix, offset, rhs, row_adr[row], body_adr, bw, i, j, phi_scale * phi[row], X, xi, xj, a, b
            )
            put_point(
                matrix,
                offset,
                rhs,
                row_adr[row + 1],
                body_adr,
                bw,
                i,
                j,
                phi_scale * phi[row + 1],
                Y,
                xi,
                xj,
                a,
                b,
            )
            put_point(
                matrix,
                offset,
                rhs,
                row_adr[row + 2],
                body_adr,
                bw,
                i,
                j,
                phi_scale * phi[row + 2],
                Z,
                xi,
                xj,
                a,
                b,
            )
            continue
        adr = row_adr[row]
        if adr < 0:
            continue
        rhs[adr] = -phi_scale * phi[row]
        force = c_q * lam[row]
        base_i = body_adr[i]
        base_j = body_adr[j]
        if code == DOT1:
            along = 2.0 * dot(a, b)
            put_gradient(matrix, offset, rhs, adr, body_adr, bw, i, zero, times_t(xi, b), along)
            put_gradient(matrix, offset, rhs, adr, body_adr, bw, j, zero, times_t(xj, a), along)
            couple_turns(matrix, offset, rhs, bw, i, j, base_i, base_j, force, xi, xj, a, b)
        elif code == DOT2:
            d = vec(pw, p, P_D)
            c = vec(pw, p, P_AXIS)
            axis = vec(prim_real, p, PRIM_AXIS)
            xc = arm(rot_j, axis)
            back = -c[0], -c[1], -c[2]
            put_gradient(matrix, offset, rhs, adr, body_adr, bw, i, c, times_t(xi, c), 2.0 * dot(a, c))
            put_gradient(
                matrix,
                offset,
                rhs,
                adr,
                body_adr,
                bw,
                j,
                back,
                times_t(xc, add(d, b)),
                2.0 * (dot(c, d) - dot(b, c)),
            )
            if base_j >= 0:
                # own block of e_j beside D(b, s): -4 (b . u) ((e . e) I + 2 e e^T); e has no part in the turns
                e = quat(bw, j, B_E)
                ee = dot4(e, e)
                s = -4.0 * force * dot(axis, uj) * ee * ee
                for k in range(3):
                    matrix[offset[base_j + 3 + k] + base_j + 3 + k] += s
                # R_j with the turn of j
                add_block_pair(matrix, offset, base_j, base_j + 3, -force, xc)
                sub_from(rhs, base_j, -2.0 * force * bw[j, B_S], c)
            if base_i >= 0 and base_j >= 0:
                add_block_pair(matrix, offset, base_i, base_j + 3, force, xc)
                sub_from(rhs, base_i, 2.0 * force * bw[j, B_S], c)
                couple_turns(matrix, offset, rhs, bw, i, j, base_i, base_j, force, xi, xc, a, c)
        elif code == DISTANCE:
            d = vec(pw, p, P_D)
            length = prim_real[p, PRIM_LENGTH]
            n = scale(1.0 / length, d)
            back = -n[0], -n[1], -n[2]
            put_gradient(matrix, offset, rhs, adr, body_adr, bw, i, n, times_t(xi, n), 2.0 * dot(n, a))
            put_gradient(
                matrix, offset, rhs, adr, body_adr, bw, j, back, times_t(xj, back), 2.0 * dot(back, b)
            )
            s = force / length
            stiff = s, 0.0, 0.0, 0.0, s, 0.0, 0.0, 0.0, s
            ki = product(stiff, xi)
            kj = product(stiff, xj)
            pair_stiffness(matrix, offset, base_i, base_j, xi, xj, stiff, ki, kj)
            pull_ends(rhs, base_i, base_j, xi, xj, scale(-s, end_step(bw, i, j, a, b)))


@inner_kernel
def collect_along(
    prim_int: Ints,
    prim_real: Floats,
    lam: Floats,
    x: Floats,
    c_q: float,
    row_adr: Ints,
    bw: Floats,
    pw: Floats,
) -> None:
    """After the solve: add the rows' part of the equations along e (Phi_q^T dlambda, second derivatives)."""
    for p in range(prim_int.shape[0]):
        code = prim_int[p, PRIM_CODE]
        i = prim_int[p, PRIM_I]
        j = prim_int[p, PRIM_J]
        row = prim_int[p, PRIM_ROW]
        a = vec(pw, p, P_A)
        b = vec(pw, p, P_B)
        if code == POINT:
            f0 = x[row_adr[row]] if row_adr[row] >= 0 else 0.0
            f1 = x[row_adr[row + 1]] if row_adr[row + 1] >= 0 else 0.0
            f2 = x[row_adr[row + 2]] if row_adr[row + 2] >= 0 else 0.0
            bw[i, B_EROW] += 2.0 * dot(a, (f0, f1, f2))
            bw[j, B_EROW] -= 2.0 * dot(b, (f0, f1, f2))
            continue
        adr = row_adr[row]
        if adr < 0:
            continue
        step = x[adr]
        force = c_q * lam[row]
        de_i = quat(bw, i, B_DE)
        de_j = quat(bw, j, B_DE)
        ui = vec(prim_real, p, PRIM_UI)
        uj = vec(prim_real, p, PRIM_UJ)
        da = times(turned_by(quat(bw, i, B_E), de_i), ui)
        turn_j = turned_by(quat(bw, j, B_E), de_j)
        db = times(turn_j, uj)
        if code == DOT1:
            bw[i, B_EROW] += 2.0 * (step * dot(a, b) + force * dot(a, db))
            bw[j, B_EROW] += 2.0 * (step * dot(a, b) + force * dot(b, da))
        elif code == DOT2:
            d = vec(pw, p, P_D)
            c = vec(pw, p, P_AXIS)
            axis = vec(prim_real, p, PRIM_AXIS)
            dc = times(turn_j, axis)
            bw[i, B_EROW] += 2.0 * (step * dot(a, c) + force * dot(a, dc))
            moved = sub(add(vec(bw, i, B_DR), da), vec(bw, j, B_DR))
            e = quat(bw, j, B_E)
            own = 12.0 * dot(axis, uj) * dot4(e, e) * dot4(e, de_j)
            bw[j, B_EROW] += 2.0 * step * (dot(c, d) - dot(b, c)) + force * (2.0 * dot(c, moved) - own)
        elif code == DISTANCE:
            d = vec(pw, p, P_D)
            length = prim_real[p, PRIM_LENGTH]
            moved = sub(add(vec(bw, i, B_DR), da), add(vec(bw, j, B_DR), db))
            f = add(scale(step / length, d), scale(force / length, moved))
            bw[i, B_EROW] += 2.0 * dot(a, f)
            bw[j, B_EROW] -= 2.0 * dot(b, f)


@inner_kernel
def rates(
    prim_int: Ints,
    prim_real: Floats,
    a: Floats,
    bw: Floats,
    phi_d: Floats,
    phi_dd: Floats,
) -> None:
    """Give first and second time derivatives of all rows for placed bodies and the accelerations `a`.

    With a = 0 the second one is (Phi_q q')_q q', minus the right-hand side of the acceleration equations.
    """
    n_body = a.size // 7
    still = 0.0, 0.0, 0.0
    for p in range(prim_int.shape[0]):
        code = prim_int[p, PRIM_CODE]
        i = prim_int[p, PRIM_I]
        j = prim_int[p, PRIM_J]
        row = prim_int[p, PRIM_ROW]
        ui = vec(prim_real, p, PRIM_UI)
        uj = vec(prim_real, p, PRIM_UJ)
        acc_i = second_rate(bw, i, a, n_body)
        acc_j = second_rate(bw, j, a, n_body)
        x = times(mat(bw, i, B_ROT), ui)
        y = times(mat(bw, j, B_ROT), uj)
        xd = times(mat(bw, i, B_RATE), ui)
        yd = times(mat(bw, j, B_RATE), uj)
        xdd = times(acc_i, ui)
        ydd = times(acc_j, uj)
        if code == DOT1:
            phi_d[row] = dot(xd, y) + dot(x, yd)
            phi_dd[row] = dot(xdd, y) + 2.0 * dot(xd, yd) + dot(x, ydd)
            continue
        ai = (a[7 * i], a[7 * i + 1], a[7 * i + 2]) if i < n_body else still
        aj = (a[7 * j], a[7 * j + 1], a[7 * j + 2]) if j < n_body else still
        d = sub(add(vec(bw, i, B_R), x), add(vec(bw, j, B_R), y))
        dd = sub(add(vec(bw, i, B_V), xd), add(vec(bw, j, B_V), yd))
        ddd = sub(add(ai, xdd), add(aj, ydd))
        if code == POINT:
            put_three(phi_d, row, dd)
            put_three(phi_dd, row, ddd)
        elif code == DOT2:
            axis = vec(prim_real, p, PRIM_AXIS)
            c = times(mat(bw, j, B_ROT), axis)
            cd = times(mat(bw, j, B_RATE), axis)
            cdd = times(acc_j, axis)
            phi_d[row] = dot(cd, d) + dot(c, dd)
            phi_dd[row] = dot(cdd, d) + 2.0 * dot(cd, dd) + dot(c, ddd)
        elif code == DISTANCE:
            length = prim_real[p, PRIM_LENGTH]
            phi_d[row] = dot(d, dd) / length
            phi_dd[row] = (dot(dd, dd) + dot(d, ddd)) / length


@inner_kernel
def put_three(array: Floats, k: int, x: Vec) -> None:
    """Write three neighbouring numbers."""
    array[k] = x[0]
    array[k + 1] = x[1]
    array[k + 2] = x[2]


@inner_kernel
def second_rate(bw: Floats, b: int, a: Floats, n_body: int) -> Mat:
    """d2A/dt2 = (dA/de) e'' + 2 A(e')."""
    if b == n_body:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    p = 7 * b + 3
    m = turned_by(quat(bw, b, B_E), (a[p], a[p + 1], a[p + 2], a[p + 3]))
    r = rotation(quat(bw, b, B_ED))
    return (
        m[0] + 2.0 * r[0],
        m[1] + 2.0 * r[1],
        m[2] + 2.0 * r[2],
        m[3] + 2.0 * r[3],
        m[4] + 2.0 * r[4],
        m[5] + 2.0 * r[5],
        m[6] + 2.0 * r[6],
        m[7] + 2.0 * r[7],
        m[8] + 2.0 * r[8],
    )
