"""What a run of the tree leaves behind: body frames, energies and the rows of the recorder."""

from __future__ import annotations

import math

from linkwright.kernels.forces import sda
from linkwright.kernels.jit import kernel
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
    S_FORCE,
    S_LENGTH,
    S_RATE,
    S_SPRING,
    STEP_ACCELERATION_ERROR,
    STEP_CONTACTS,
    STEP_EVALUATIONS,
    STEP_H,
    STEP_PIVOTS,
    STEP_POSITION_ERROR,
    STEP_RESIDUAL_COUNT,
    STEP_RESIDUAL_START,
    STEP_RETRIES,
    STEP_SOLVES,
    STEP_T,
    STEP_VELOCITY_ERROR,
    STEP_WORST_ROW,
    Floats,
    Rows,
)
from linkwright.kernels.rotation import Quat, add, cross, dot, mat, quat, times, vec
from linkwright.kernels.tree.blocks import packed, packed_times, turned
from linkwright.kernels.tree.chart import quat_product
from linkwright.kernels.tree.evaluate import largest, place_all
from linkwright.kernels.tree.layout import (
    BALL,
    COLUMNS,
    FREE,
    O_FRAME,
    O_POINT,
    O_TURN,
    REVOLUTE,
    SLIDE,
    SPHERICAL,
    T_AXIS,
    T_BODIES,
    T_COORDINATE,
    T_FIRST,
    T_FREEDOMS,
    T_INERTIA,
    T_JOINT,
    T_KIND,
    T_LOADED,
    T_MASS,
    T_MOMENT,
    T_OMEGA,
    T_ORIGIN,
    T_PARENT,
    T_Q,
    T_ROT,
    T_VEL,
    TreeModel,
    TreeMotion,
    TreeScratch,
)
from linkwright.kernels.tree.loads import apply_loads


@kernel
def kinetic_energy(model: TreeModel, work: Floats) -> float:
    """Kinetic energy of placed bodies [J]."""
    total = 0.0
    for i in range(1, model.tree_int[0, T_BODIES] + 1):
        rot = mat(work, i, T_ROT)
        omega = vec(work, i, T_OMEGA)
        v = vec(work, i, T_VEL)
        moment = times(rot, vec(model.tree_real, i, T_MOMENT))
        spin = packed_times(turned(rot, packed(model.tree_real, i, T_INERTIA)), omega)
        total += 0.5 * (model.tree_real[i, T_MASS] * dot(v, v) + dot(omega, spin)) + dot(
            v, cross(omega, moment)
        )
    return total


@kernel
def gravity_energy(model: TreeModel, work: Floats) -> float:
    """Potential energy -sum m g . r of placed bodies, zero at the origin of the ground [J]."""
    total = 0.0
    g = model.tables.gravity[0], model.tables.gravity[1], model.tables.gravity[2]
    for i in range(1, model.tree_int[0, T_BODIES] + 1):
        moment = times(mat(work, i, T_ROT), vec(model.tree_real, i, T_MOMENT))
        total -= dot(g, moment) + model.tree_real[i, T_MASS] * dot(g, vec(work, i, T_ORIGIN))
    return total


@kernel
def total_energy(model: TreeModel, s: TreeScratch) -> float:
    """Kinetic energy, gravity and springs of placed and loaded bodies [J]."""
    energy = kinetic_energy(model, s.work) + gravity_energy(model, s.work)
    return energy + sda.energy(model.tables.sda_int, model.tables.sda_real, s.sw)


@kernel
def half_turn(axis: int, angle: float) -> Quat:
    """Quaternion of a turn about an axis of the frame."""
    c = math.cos(0.5 * angle)
    s = math.sin(0.5 * angle)
    return c, s if axis == 0 else 0.0, s if axis == 1 else 0.0, s if axis == 2 else 0.0


@kernel
def orientations(model: TreeModel, q: Floats, quats: Floats) -> None:
    """Fill the orientations of all tree frames; they change sign nowhere along a motion."""
    tree_int = model.tree_int
    quats[0, 0] = 1.0
    for i in range(1, tree_int[0, T_BODIES] + 1):
        joint = tree_int[i, T_JOINT]
        n = tree_int[i, T_Q]
        e = quat(quats, tree_int[i, T_PARENT], 0)
        if joint == FREE:
            e = q[n + 3], q[n + 4], q[n + 5], q[n + 6]
        else:
            e = quat_product(e, quat(model.place_real, i, O_FRAME))
            if joint == REVOLUTE:
                e = quat_product(e, half_turn(2, q[n]))
            elif joint == SPHERICAL:
                e = quat_product(e, (q[n], q[n + 1], q[n + 2], q[n + 3]))
            elif joint == COLUMNS:
                first = tree_int[i, T_FIRST] + 1
                for f in range(first, first + tree_int[i, T_FREEDOMS]):
                    kind = tree_int[f, T_KIND]
                    axis = tree_int[f, T_AXIS]
                    c = tree_int[f, T_COORDINATE]
                    if kind == BALL:
                        if axis == 0:
                            e = quat_product(e, (q[c], q[c + 1], q[c + 2], q[c + 3]))
                    elif kind != SLIDE:
                        e = quat_product(e, half_turn(axis, q[c]))
        for k in range(4):
            quats[i, k] = e[k]


@kernel
def write_frame(
    model: TreeModel, t: float, motion: TreeMotion, sums: Floats, s: TreeScratch, rows: Rows, n_frame: int
) -> None:
    """Write pose and twist of every body frame, and the channels. Uses the scratch anew; a factor in it is lost."""
    place_all(model, motion, s)
    if model.tree_int[0, T_LOADED] != 0:
        apply_loads(model.tree_int, model.tables, s.work, s.bw, s.sw)
    orientations(model, motion.q, s.quats)
    rows.frame_t[n_frame] = t
    for i in range(1, model.tree_int[0, T_BODIES] + 1):
        b = model.body_of[i]
        omega = vec(s.work, i, T_OMEGA)
        shift = times(mat(s.work, i, T_ROT), vec(model.place_real, i, O_POINT))
        r = add(vec(s.work, i, T_ORIGIN), shift)
        v = add(vec(s.work, i, T_VEL), cross(omega, shift))
        e = quat_product(quat(s.quats, i, 0), quat(model.place_real, i, O_TURN))
        size = (e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]) ** 0.5
        for k in range(3):
            rows.poses[n_frame, b, k] = r[k]
            rows.twists[n_frame, b, k] = v[k]
            rows.twists[n_frame, b, 3 + k] = omega[k]
        for k in range(4):
            rows.poses[n_frame, b, 3 + k] = e[k] / size
    write_channels(model, sums, s, rows.channels, n_frame)


@kernel
def write_channels(model: TreeModel, sums: Floats, s: TreeScratch, channels: Floats, row: int) -> None:
    """Write one row of channels for placed and loaded bodies, under the names all engines share."""
    kinetic = kinetic_energy(model, s.work)
    potential = gravity_energy(model, s.work)
    springs = sda.energy(model.tables.sda_int, model.tables.sda_real, s.sw)
    total = kinetic + potential + springs
    channels[row, CH_KINETIC] = kinetic
    channels[row, CH_GRAVITY] = potential
    channels[row, CH_SPRINGS] = springs
    channels[row, CH_TOTAL] = total
    channels[row, CH_FORCE_WORK] = sums[LEDGER_FORCE_WORK]
    channels[row, CH_DAMPER_LOSS] = sums[LEDGER_DAMPER_LOSS]
    channels[row, CH_ACTUATOR_WORK] = sums[LEDGER_ACTUATOR_WORK]
    gained = sums[LEDGER_FORCE_WORK] + sums[LEDGER_ACTUATOR_WORK] - sums[LEDGER_DAMPER_LOSS]
    channels[row, CH_BALANCE] = total - sums[LEDGER_START] - gained
    channels[row, CH_POSITION] = largest(s.phi)
    channels[row, CH_VELOCITY] = largest(s.phi_d)
    for k in range(model.tables.sda_int.shape[0]):
        c = CH_SDA + CH_PER_SDA * k
        channels[row, c] = s.sw[k, S_LENGTH]
        channels[row, c + 1] = s.sw[k, S_RATE]
        channels[row, c + 2] = s.sw[k, S_FORCE]
        channels[row, c + 3] = s.sw[k, S_SPRING]


@kernel
def write_step(
    model: TreeModel,
    t: float,
    h: float,
    evaluations: int,
    retries: int,
    s: TreeScratch,
    rows: Rows,
    n_step: int,
) -> None:
    """Write the report of a step; every evaluation solves one linear system and leaves no residual."""
    steps = rows.steps
    steps[n_step, STEP_T] = t
    steps[n_step, STEP_H] = h
    steps[n_step, STEP_EVALUATIONS] = evaluations
    steps[n_step, STEP_SOLVES] = evaluations
    steps[n_step, STEP_RESIDUAL_START] = rows.counts[1]
    steps[n_step, STEP_RESIDUAL_COUNT] = 0.0
    steps[n_step, STEP_RETRIES] = retries
    steps[n_step, STEP_POSITION_ERROR] = largest(s.phi)
    steps[n_step, STEP_VELOCITY_ERROR] = largest(s.phi_d)
    steps[n_step, STEP_ACCELERATION_ERROR] = largest(s.phi_dd)
    worst = -1
    most = -1.0
    for row in range(s.phi.size):
        if abs(s.phi[row]) > most:
            most = abs(s.phi[row])
            worst = model.loop_rows[row]
    steps[n_step, STEP_WORST_ROW] = worst
    steps[n_step, STEP_CONTACTS] = 0.0
    steps[n_step, STEP_PIVOTS] = 0.0
