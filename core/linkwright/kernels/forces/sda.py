"""Spring-damper-actuator between two points: force, its exact derivatives M2 and M3, energy.

Tension is positive, f = k (l - l0) + c l' + fa pulls the points together (theory sections 4 and 5). With tension only,
f = 0 where l <= l0 or where the sum would push. The part of M2 that is D of the force at its points is added with the
bodies (`inertia.tangent`); here are the parts of S^T dn and S^T n df.
"""

from __future__ import annotations

import math

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
    B_WS,
    S_ACTUATOR,
    S_DAMPER,
    S_FORCE,
    S_HD,
    S_LENGTH,
    S_N,
    S_PI,
    S_PJ,
    S_RATE,
    S_SLACK,
    S_SPRING,
    SDA_ACTUATOR,
    SDA_C,
    SDA_FREE,
    SDA_I,
    SDA_J,
    SDA_K,
    SDA_TENSION_ONLY,
    SDA_UI,
    SDA_UJ,
    TERM_SDA_Q,
    TERM_SDA_V,
    Floats,
    Ints,
)
from linkwright.kernels.pairs import end_step, pair_stiffness, pull_ends
from linkwright.kernels.rotation import (
    add,
    add_outer,
    add_vec,
    arm,
    dot,
    dot4,
    mat,
    plus_outer,
    point_gradient,
    product,
    put_vec,
    quat,
    scale,
    sub,
    times,
    times_t,
    turn,
    turned_by,
    vec,
)

NO_LENGTH = 1e-12
"""Below this length [m] rounding decides the direction of the force."""


@inner_kernel
def place(sda_int: Ints, sda_real: Floats, bw: Floats, sw: Floats) -> int:
    """Length, rate and forces of every SDA for placed bodies; returns the first one without length, or -1."""
    short = -1
    for s in range(sda_int.shape[0]):
        i = sda_int[s, SDA_I]
        j = sda_int[s, SDA_J]
        ui = vec(sda_real, s, SDA_UI)
        uj = vec(sda_real, s, SDA_UJ)
        pi = times(mat(bw, i, B_ROT), ui)
        pj = times(mat(bw, j, B_ROT), uj)
        h = sub(add(vec(bw, j, B_R), pj), add(vec(bw, i, B_R), pi))
        hd = sub(
            add(vec(bw, j, B_V), times(mat(bw, j, B_RATE), uj)),
            add(vec(bw, i, B_V), times(mat(bw, i, B_RATE), ui)),
        )
        length = math.sqrt(dot(h, h))
        if length < NO_LENGTH and short < 0:
            short = s
        # without a direction there is no force; whoever needs one is told by the result
        n = scale(1.0 / length if length >= NO_LENGTH else 0.0, h)
        rate = dot(n, hd)
        spring = sda_real[s, SDA_K] * (length - sda_real[s, SDA_FREE])
        damper = sda_real[s, SDA_C] * rate
        actuator = sda_real[s, SDA_ACTUATOR]
        force = spring + damper + actuator
        slack = 0.0
        if sda_int[s, SDA_TENSION_ONLY] and (length <= sda_real[s, SDA_FREE] or force <= 0.0):
            # a cable that goes slack while it is still longer than free loses its spring energy in the damper
            slack = 1.0
            force = 0.0
            actuator = 0.0
            spring = max(spring, 0.0)
            damper = -spring
        put_vec(sw, s, S_N, n)
        put_vec(sw, s, S_HD, hd)
        put_vec(sw, s, S_PI, pi)
        put_vec(sw, s, S_PJ, pj)
        sw[s, S_LENGTH] = length
        sw[s, S_RATE] = rate
        sw[s, S_FORCE] = force
        sw[s, S_SPRING] = spring
        sw[s, S_DAMPER] = damper
        sw[s, S_ACTUATOR] = actuator
        sw[s, S_SLACK] = slack
    return short


@inner_kernel
def residual(sda_int: Ints, sda_real: Floats, bw: Floats, sw: Floats) -> float:
    """Subtract the forces of placed SDA from the residual; returns the largest tension or thrust."""
    largest = 0.0
    for s in range(sda_int.shape[0]):
        i = sda_int[s, SDA_I]
        j = sda_int[s, SDA_J]
        force = sw[s, S_FORCE]
        f = scale(force, vec(sw, s, S_N))
        back = -f[0], -f[1], -f[2]
        add_vec(bw, i, B_RES, back)
        add_outer(bw, i, B_WS, back, vec(sda_real, s, SDA_UI))
        add_vec(bw, j, B_RES, f)
        add_outer(bw, j, B_WS, f, vec(sda_real, s, SDA_UJ))
        largest = max(largest, abs(force))
    return largest


@inner_kernel
def tangent(
    sda_int: Ints,
    sda_real: Floats,
    c_q: float,
    c_v: float,
    terms: int,
    bw: Floats,
    sw: Floats,
    body_adr: Ints,
    offset: Ints,
    matrix: Floats,
    rhs: Floats,
) -> None:
    """Add -c_q M2 - c_v M3, the D part of M2 left out; which of the two is chosen by `terms`."""
    with_q = 1.0 if terms & TERM_SDA_Q else 0.0
    with_v = 1.0 if terms & TERM_SDA_V else 0.0
    if with_q + with_v == 0.0:
        return
    for s in range(sda_int.shape[0]):
        if sw[s, S_SLACK] != 0.0:
            continue
        i = sda_int[s, SDA_I]
        j = sda_int[s, SDA_J]
        n = vec(sw, s, S_N)
        c = sda_real[s, SDA_C]
        # K = along n n^T + across (I - n n^T)
        along = with_q * c_q * sda_real[s, SDA_K] + with_v * c_v * c
        across = with_q * c_q * sw[s, S_FORCE] / sw[s, S_LENGTH]
        r = along - across
        k00 = across + r * n[0] * n[0]
        k11 = across + r * n[1] * n[1]
        k22 = across + r * n[2] * n[2]
        k01 = r * n[0] * n[1]
        k02 = r * n[0] * n[2]
        k12 = r * n[1] * n[2]
        k = k00, k01, k02, k01, k11, k12, k02, k12, k22
        base_i = body_adr[i]
        base_j = body_adr[j]
        ui = vec(sda_real, s, SDA_UI)
        uj = vec(sda_real, s, SDA_UJ)
        xi = arm(mat(bw, i, B_ROT), ui)
        xj = arm(mat(bw, j, B_ROT), uj)
        ki = product(k, xi)
        kj = product(k, xj)
        # known steps along e move the ends by 2 s A u; end_step is r_i - r_j, the pull on i is K times the stretch
        moved = end_step(bw, i, j, vec(sw, s, S_PI), vec(sw, s, S_PJ))
        pull = times(k, (-moved[0], -moved[1], -moved[2]))
        nu = with_q * c_q * c
        if nu != 0.0:
            # rate of the length by q: b = h'^T P S / l + n^T S'
            m = scale(1.0 / sw[s, S_LENGTH], sub(vec(sw, s, S_HD), scale(sw[s, S_RATE], n)))
            gi = point_gradient(quat(bw, i, B_ED), ui, n)
            gj = point_gradient(quat(bw, j, B_ED), uj, n)
            e_i = quat(bw, i, B_E)
            e_j = quat(bw, j, B_E)
            wi = add(times_t(xi, m), turn(e_i, gi))
            wj = add(times_t(xj, m), turn(e_j, gj))
            known = bw[j, B_S] * dot4(gj, e_j) - bw[i, B_S] * dot4(gi, e_i) - dot(m, moved)
            pull = add(pull, scale(nu * known, n))
            k = plus_outer(k, nu, n, m)
            ki = plus_outer(ki, nu, n, wi)
            kj = plus_outer(kj, nu, n, wj)
        pair_stiffness(matrix, offset, base_i, base_j, xi, xj, k, ki, kj)
        pull_ends(rhs, base_i, base_j, xi, xj, pull)


@inner_kernel
def collect_along(
    sda_int: Ints, sda_real: Floats, c_q: float, c_v: float, terms: int, bw: Floats, sw: Floats
) -> None:
    """After the solve: share of the SDA in the equations along e, from the change of each force."""
    with_q = 1.0 if terms & TERM_SDA_Q else 0.0
    with_v = 1.0 if terms & TERM_SDA_V else 0.0
    if with_q + with_v == 0.0:
        return
    for s in range(sda_int.shape[0]):
        if sw[s, S_SLACK] != 0.0:
            continue
        i = sda_int[s, SDA_I]
        j = sda_int[s, SDA_J]
        ui = vec(sda_real, s, SDA_UI)
        uj = vec(sda_real, s, SDA_UJ)
        de_i = quat(bw, i, B_DE)
        de_j = quat(bw, j, B_DE)
        n = vec(sw, s, S_N)
        c = sda_real[s, SDA_C]
        stretch = sub(
            add(vec(bw, j, B_DR), times(turned_by(quat(bw, j, B_E), de_j), uj)),
            add(vec(bw, i, B_DR), times(turned_by(quat(bw, i, B_E), de_i), ui)),
        )
        along = dot(n, stretch)
        force = (with_q * c_q * sda_real[s, SDA_K] + with_v * c_v * c) * along
        nu = with_q * c_q * c
        if nu != 0.0:
            across_rate = dot(vec(sw, s, S_HD), stretch) - sw[s, S_RATE] * along
            turning = dot(n, times(turned_by(quat(bw, j, B_ED), de_j), uj)) - dot(
                n, times(turned_by(quat(bw, i, B_ED), de_i), ui)
            )
            force += nu * (across_rate / sw[s, S_LENGTH] + turning)
        across = with_q * c_q * sw[s, S_FORCE] / sw[s, S_LENGTH]
        df = add(scale(force, n), scale(across, sub(stretch, scale(along, n))))
        bw[i, B_EROW] -= 2.0 * dot(vec(sw, s, S_PI), df)
        bw[j, B_EROW] += 2.0 * dot(vec(sw, s, S_PJ), df)


@inner_kernel
def energy(sda_int: Ints, sda_real: Floats, sw: Floats) -> float:
    """Energy stored in the springs, k (l - l0)^2 / 2; none in a slack cable shorter than free [J]."""
    total = 0.0
    for s in range(sda_int.shape[0]):
        stretch = sw[s, S_LENGTH] - sda_real[s, SDA_FREE]
        if stretch > 0.0 or not sda_int[s, SDA_TENSION_ONLY]:
            total += 0.5 * sda_real[s, SDA_K] * stretch * stretch
    return total


@inner_kernel
def work(sda_int: Ints, sw: Floats, memory: Floats, sums: Floats, k_damper: int, k_actuator: int) -> None:
    """Add damper loss and actuator work of a step to the sums: mean force times change of length.

    `memory` holds length, damper force and actuator force of the last good step and is overwritten. The actuator
    shortens the element when it pulls, so its work is -fa dl. A time trapezoid of c l'^2 does not close
    (theory section 9).
    """
    for s in range(sda_int.shape[0]):
        change = sw[s, S_LENGTH] - memory[s, 0]
        sums[k_damper] += 0.5 * (sw[s, S_DAMPER] + memory[s, 1]) * change
        sums[k_actuator] -= 0.5 * (sw[s, S_ACTUATOR] + memory[s, 2]) * change
        memory[s, 0] = sw[s, S_LENGTH]
        memory[s, 1] = sw[s, S_DAMPER]
        memory[s, 2] = sw[s, S_ACTUATOR]
