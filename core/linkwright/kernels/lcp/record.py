"""What a step leaves behind: contact groups, events, energies and the rows of the recorder."""

from __future__ import annotations

import numpy as np

from linkwright.kernels.contact import gap_of
from linkwright.kernels.jit import inner_kernel
from linkwright.kernels.layout import (
    CH_ACTUATOR_WORK,
    CH_BALANCE,
    CH_DAMPER_LOSS,
    CH_FORCE_WORK,
    CH_GRAVITY,
    CH_KINETIC,
    CH_PER_SDA,
    CH_POSITION,
    CH_SDA,
    CH_SPRINGS,
    CH_TOTAL,
    CH_VELOCITY,
    LEDGER_ACTUATOR_WORK,
    LEDGER_DAMPER_LOSS,
    LEDGER_FORCE_WORK,
    LEDGER_START,
    Floats,
    Ints,
    Rows,
)
from linkwright.kernels.lcp import planar, spatial
from linkwright.kernels.lcp.layout import (
    CH_FRICTION_LOSS,
    CH_GROUPS,
    CH_IMPACT_LOSS,
    CH_PER_GROUP,
    K_ISJ,
    K_ISM,
    K_MASS,
    K_ORIGIN,
    K_REL,
    L_IMPACT,
    L_NORMAL,
    L_SLIP,
    L_STATE,
    L_TANGENT,
    LEDGER_FRICTION_LOSS,
    LEDGER_IMPACT_LOSS,
    P_GROUP,
    Q_ANGLE,
    Q_TURN,
    R_ACTUATOR,
    R_C,
    R_FREE,
    R_I,
    R_J,
    R_K,
    R_TENSION_ONLY,
    R_UI,
    R_UJ,
    S_ACTIVE,
    S_RATE,
    STATE_IMPACT,
    WORLD_GRAVITY,
    WORLD_PLANE,
    X_COS,
    X_ROT,
    X_SIN,
    Bench,
    Machine,
    Points,
    Touch,
)
from linkwright.kernels.rotation import Quat, add, cross, dot, mat, scale, sub, times, vec


@inner_kernel
def quat_times(a: Quat, b: Quat) -> Quat:
    """Product of two quaternions."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@inner_kernel
def kinetic_energy(body: Floats, u: Floats, dim: tuple[int, ...]) -> float:
    """Half of u . u [J]."""
    total = 0.0
    for b in range(body.shape[0] - 1):
        for k in range(len(dim)):
            total += u[b, k] * u[b, k]
    return 0.5 * total


@inner_kernel
def gravity_energy(body: Floats, world: Floats, placed: Floats, dim: tuple[int, ...]) -> float:
    """Potential energy of all mass centres, zero at the origin [J]."""
    total = 0.0
    for b in range(body.shape[0] - 1):
        s = world[WORLD_GRAVITY] * placed[b, 0] + world[WORLD_GRAVITY + 1] * placed[b, 1]
        if len(dim) == 6:
            s += world[WORLD_GRAVITY + 2] * placed[b, 2]
        total -= body[b, K_MASS] * s
    return total


@inner_kernel
def measure_spring(
    body: Floats, prim_int: Ints, real: Floats, p: int, placed: Floats, u: Floats, dim: tuple[int, ...]
) -> tuple[float, float]:
    """Length and rate of the SDA that is primitive p, at the placed bodies."""
    i = prim_int[p, R_I]
    j = prim_int[p, R_J]
    rate = 0.0
    if len(dim) == 6:
        ui = vec(real, p, R_UI)
        uj = vec(real, p, R_UJ)
        a = times(mat(placed, i, X_ROT), ui)
        b = times(mat(placed, j, X_ROT), uj)
        d = sub(add(vec(placed, j, 0), b), add(vec(placed, i, 0), a))
        wi = body[i, K_ISJ] * u[i, 3], body[i, K_ISJ + 1] * u[i, 4], body[i, K_ISJ + 2] * u[i, 5]
        wj = body[j, K_ISJ] * u[j, 3], body[j, K_ISJ + 1] * u[j, 4], body[j, K_ISJ + 2] * u[j, 5]
        vi = times(mat(placed, i, X_ROT), cross(wi, ui))
        vj = times(mat(placed, j, X_ROT), cross(wj, uj))
        for k in range(3):
            rate += d[k] * (body[j, K_ISM] * u[j, k] + vj[k] - body[i, K_ISM] * u[i, k] - vi[k])
        length = np.sqrt(dot(d, d))
    else:
        ax, ay = planar.turn(placed[i, X_COS], placed[i, X_SIN], real, p, R_UI)
        bx, by = planar.turn(placed[j, X_COS], placed[j, X_SIN], real, p, R_UJ)
        dx = placed[j, 0] + bx - placed[i, 0] - ax
        dy = placed[j, 1] + by - placed[i, 1] - ay
        turn_i = body[i, K_ISJ] * u[i, 2]
        turn_j = body[j, K_ISJ] * u[j, 2]
        vx = body[j, K_ISM] * u[j, 0] - turn_j * by - body[i, K_ISM] * u[i, 0] + turn_i * ay
        vy = body[j, K_ISM] * u[j, 1] + turn_j * bx - body[i, K_ISM] * u[i, 1] - turn_i * ax
        rate = dx * vx + dy * vy
        length = np.sqrt(dx * dx + dy * dy)
    return length, rate / length if length > 0.0 else 0.0


@inner_kernel
def account(machine: Machine, h: float, u: Floats, work: Bench, sums: Floats, dim: tuple[int, ...]) -> None:
    """Add the work of loads, dampers and actuators over the step; bodies are still placed at the midpoint."""
    body = machine.body
    real = machine.prim_real
    if machine.load_int.shape[0] > 0:
        if len(dim) == 6:
            sums[LEDGER_FORCE_WORK] += spatial.load_work(
                body, machine.load_int, machine.load_real, work.placed, u, work.u_end, h
            )
        else:
            sums[LEDGER_FORCE_WORK] += planar.load_work(
                body, machine.load_int, machine.load_real, work.placed, u, work.u_end, h
            )
    for s in range(machine.sda.size):
        p = machine.sda[s]
        if work.sda[s, S_ACTIVE] == 0.0:
            continue
        _, end = measure_spring(body, machine.prim_int, real, p, work.placed, work.u_end, dim)
        rate = 0.5 * (work.sda[s, S_RATE] + end)
        sums[LEDGER_DAMPER_LOSS] += h * real[p, R_C] * rate * rate
        sums[LEDGER_ACTUATOR_WORK] -= h * real[p, R_ACTUATOR] * rate


@inner_kernel
def write_springs(
    machine: Machine, placed: Floats, u: Floats, channels: Floats, f: int, dim: tuple[int, ...]
) -> float:
    """Write the channels of all SDA into row f; returns the energy of their springs, none in a slack cable [J]."""
    real = machine.prim_real
    total = 0.0
    for s in range(machine.sda.size):
        p = machine.sda[s]
        length, rate = measure_spring(machine.body, machine.prim_int, real, p, placed, u, dim)
        x = length - real[p, R_FREE]
        pull = real[p, R_K] * x
        force = pull + real[p, R_C] * rate + real[p, R_ACTUATOR]
        if real[p, R_TENSION_ONLY] != 0.0:
            if x <= 0.0 or force <= 0.0:
                force = 0.0
            x = max(x, 0.0)
            pull = max(pull, 0.0)
        total += 0.5 * real[p, R_K] * x * x
        k = CH_SDA + CH_PER_SDA * s
        channels[f, k] = length
        channels[f, k + 1] = rate
        channels[f, k + 2] = force
        channels[f, k + 3] = pull
    return total


@inner_kernel
def write_bodies(
    body: Floats,
    world: Floats,
    q: Floats,
    u: Floats,
    placed: Floats,
    poses: Floats,
    twists: Floats,
    f: int,
    dim: tuple[int, ...],
) -> None:
    """Write poses and twists of the body frames into frame f, for bodies placed at q."""
    for b in range(body.shape[0] - 1):
        rel = body[b, K_REL], body[b, K_REL + 1], body[b, K_REL + 2], body[b, K_REL + 3]
        if len(dim) == 6:
            rot = mat(placed, b, X_ROT)
            shift = times(rot, vec(body, b, K_ORIGIN))
            own = body[b, K_ISJ] * u[b, 3], body[b, K_ISJ + 1] * u[b, 4], body[b, K_ISJ + 2] * u[b, 5]
            w = times(rot, own)
            x = add(vec(q, b, 0), shift)
            v = add(scale(body[b, K_ISM], vec(u, b, 0)), cross(w, shift))
            e = quat_times((q[b, Q_TURN], q[b, Q_TURN + 1], q[b, Q_TURN + 2], q[b, Q_TURN + 3]), rel)
        else:
            e1 = world[WORLD_PLANE], world[WORLD_PLANE + 1], world[WORLD_PLANE + 2]
            e2 = world[WORLD_PLANE + 3], world[WORLD_PLANE + 4], world[WORLD_PLANE + 5]
            n = world[WORLD_PLANE + 6], world[WORLD_PLANE + 7], world[WORLD_PLANE + 8]
            ox, oy = planar.turn(placed[b, X_COS], placed[b, X_SIN], body, b, K_ORIGIN)
            rate = body[b, K_ISJ] * u[b, 2]
            level = scale(body[b, K_ORIGIN + 2], n)
            x = add(add(scale(q[b, 0] + ox, e1), scale(q[b, 1] + oy, e2)), level)
            vx = body[b, K_ISM] * u[b, 0] - rate * oy
            vy = body[b, K_ISM] * u[b, 1] + rate * ox
            v = add(scale(vx, e1), scale(vy, e2))
            w = scale(rate, n)
            half = 0.5 * q[b, Q_ANGLE]
            axis = scale(np.sin(half), n)
            e = quat_times((np.cos(half), axis[0], axis[1], axis[2]), rel)
        poses[f, b, 0] = x[0]
        poses[f, b, 1] = x[1]
        poses[f, b, 2] = x[2]
        poses[f, b, 3] = e[0]
        poses[f, b, 4] = e[1]
        poses[f, b, 5] = e[2]
        poses[f, b, 6] = e[3]
        twists[f, b, 0] = v[0]
        twists[f, b, 1] = v[1]
        twists[f, b, 2] = v[2]
        twists[f, b, 3] = w[0]
        twists[f, b, 4] = w[1]
        twists[f, b, 5] = w[2]


@inner_kernel
def write_groups(
    point_int: Ints,
    real: Floats,
    placed: Floats,
    touch: Touch,
    channels: Floats,
    f: int,
    k: int,
    dim: tuple[int, ...],
) -> None:
    """Write the channels of all groups into row f from column k, and begin their sums anew."""
    group = touch.group
    for g in range(group.shape[0]):
        at = k + CH_PER_GROUP * g
        channels[f, at] = np.inf
        channels[f, at + 1] = group[g, L_NORMAL]
        channels[f, at + 2] = group[g, L_TANGENT]
        channels[f, at + 3] = STATE_IMPACT if group[g, L_IMPACT] != 0.0 else group[g, L_STATE]
        channels[f, at + 4] = group[g, L_SLIP]
        group[g, L_NORMAL] = 0.0
        group[g, L_TANGENT] = 0.0
        group[g, L_IMPACT] = 0.0
    for p in range(point_int.shape[0]):
        at = k + CH_PER_GROUP * point_int[p, P_GROUP]
        channels[f, at] = min(
            channels[f, at], gap_of(point_int, real, p, placed, touch.found, touch.clip, dim)
        )


@inner_kernel
def write_frame(
    machine: Machine,
    points: Points,
    t: float,
    q: Floats,
    u: Floats,
    sums: Floats,
    position: float,
    velocity: float,
    placed: Floats,
    touch: Touch,
    rows: Rows,
    f: int,
    dim: tuple[int, ...],
) -> None:
    """Write frame f for bodies placed at q: poses, twists and channels."""
    rows.frame_t[f] = t
    write_bodies(machine.body, machine.world, q, u, placed, rows.poses, rows.twists, f, dim)
    channels = rows.channels
    kinetic = kinetic_energy(machine.body, u, dim)
    potential = gravity_energy(machine.body, machine.world, placed, dim)
    springs = write_springs(machine, placed, u, channels, f, dim)
    total = kinetic + potential + springs
    channels[f, CH_KINETIC] = kinetic
    channels[f, CH_GRAVITY] = potential
    channels[f, CH_SPRINGS] = springs
    channels[f, CH_TOTAL] = total
    channels[f, CH_FORCE_WORK] = sums[LEDGER_FORCE_WORK]
    channels[f, CH_DAMPER_LOSS] = sums[LEDGER_DAMPER_LOSS]
    channels[f, CH_ACTUATOR_WORK] = sums[LEDGER_ACTUATOR_WORK]
    channels[f, CH_BALANCE] = (
        total
        - sums[LEDGER_START]
        - sums[LEDGER_FORCE_WORK]
        - sums[LEDGER_ACTUATOR_WORK]
        + sums[LEDGER_DAMPER_LOSS]
        + sums[LEDGER_IMPACT_LOSS]
        + sums[LEDGER_FRICTION_LOSS]
    )
    channels[f, CH_POSITION] = position
    channels[f, CH_VELOCITY] = velocity
    if touch.group.shape[0] > 0:
        k = CH_SDA + CH_PER_SDA * machine.sda.size
        channels[f, k + CH_IMPACT_LOSS] = sums[LEDGER_IMPACT_LOSS]
        channels[f, k + CH_FRICTION_LOSS] = sums[LEDGER_FRICTION_LOSS]
        write_groups(points.point_int, points.point_real, placed, touch, channels, f, k + CH_GROUPS, dim)
