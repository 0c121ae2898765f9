"""What a step leaves behind: energies, constraint errors, and the rows of the recorder."""

from __future__ import annotations

from linkwright.kernels import constraints
from linkwright.kernels.equations import evaluate
from linkwright.kernels.forces import force, gravity, sda, torque
from linkwright.kernels.inertia import inertia_times
from linkwright.kernels.jit import inner_kernel, kernel
from linkwright.kernels.layout import (
    B_E,
    B_ED,
    B_NORM,
    B_R,
    B_ROT,
    B_V,
    BODY_MASS,
    BODY_ORIGIN,
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
    CLOCK_T,
    LEDGER_ACTUATOR_WORK,
    LEDGER_DAMPER_LOSS,
    LEDGER_FORCE_WORK,
    LEDGER_START,
    OPT_H,
    OUT_EVALUATIONS,
    OUT_PIVOTS,
    OUT_SOLVES,
    OUT_WORST,
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
    Ledger,
    Motion,
    Pattern,
    Rows,
    Scratch,
    Tables,
)
from linkwright.kernels.rotation import add, cross, dot, dot4, mat, quat, scale, times, turn, turn_ground, vec


@inner_kernel
def kinetic_energy(body: Floats, bw: Floats) -> float:
    """Sum of m v.v / 2 + w.J w / 2 over placed bodies [J]."""
    total = 0.0
    for b in range(body.shape[0]):
        v = vec(bw, b, B_V)
        omega = scale(2.0, turn(quat(bw, b, B_E), quat(bw, b, B_ED)))
        total += 0.5 * (body[b, BODY_MASS] * dot(v, v) + dot(omega, inertia_times(body, b, omega)))
    return total


@inner_kernel
def account(tables: Tables, old: Motion, work: Scratch, ledger: Ledger) -> None:
    """Add the work of a found step to the sums; `old` is still the beginning of the step."""
    sums = ledger.sums
    sda.work(tables.sda_int, work.sda, ledger.sda, sums, LEDGER_DAMPER_LOSS, LEDGER_ACTUATOR_WORK)
    sums[LEDGER_FORCE_WORK] += force.work(tables.force_int, tables.force_real, work.body, ledger.force)
    sums[LEDGER_FORCE_WORK] += torque.work(tables.torque_int, tables.torque_real, old.q, work.body)


@inner_kernel
def open_ledger(tables: Tables, work: Scratch, ledger: Ledger) -> None:
    """Begin the ledger at an evaluated start."""
    sums = ledger.sums
    sda.work(tables.sda_int, work.sda, ledger.sda, sums, LEDGER_DAMPER_LOSS, LEDGER_ACTUATOR_WORK)
    force.work(tables.force_int, tables.force_real, work.body, ledger.force)
    for k in range(sums.size):
        sums[k] = 0.0
    sums[LEDGER_START] = (
        kinetic_energy(tables.body, work.body)
        + gravity.energy(tables.body, tables.gravity, work.body)
        + sda.energy(tables.sda_int, tables.sda_real, work.sda)
    )


@inner_kernel
def position_error(work: Scratch) -> float:
    """Largest residual of all rows, redundant ones and e . e = 1 included."""
    largest = 0.0
    for row in range(work.phi.size):
        largest = max(largest, abs(work.phi[row]))
    for b in range(work.body.shape[0] - 1):
        largest = max(largest, abs(work.body[b, B_NORM]))
    return largest


@inner_kernel
def velocity_error(work: Scratch) -> float:
    """Largest rate of all rows, e . e = 1 included; the rates stand in `work.phi_d`."""
    largest = 0.0
    for row in range(work.phi_d.size):
        largest = max(largest, abs(work.phi_d[row]))
    for b in range(work.body.shape[0] - 1):
        largest = max(largest, 2.0 * abs(dot4(quat(work.body, b, B_E), quat(work.body, b, B_ED))))
    return largest


@inner_kernel
def acceleration_error(a: Floats, work: Scratch) -> float:
    """Largest second rate of all rows, e . e = 1 included; the rates stand in `work.phi_dd`."""
    largest = 0.0
    for row in range(work.phi_dd.size):
        largest = max(largest, abs(work.phi_dd[row]))
    for b in range(work.body.shape[0] - 1):
        p = 7 * b + 3
        ed = quat(work.body, b, B_ED)
        s = dot4(quat(work.body, b, B_E), (a[p], a[p + 1], a[p + 2], a[p + 3])) + dot4(ed, ed)
        largest = max(largest, 2.0 * abs(s))
    return largest


@inner_kernel
def write_step(
    tables: Tables,
    pattern: Pattern,
    clock: Floats,
    opt_real: Floats,
    motion: Motion,
    work: Scratch,
    rows: Rows,
    n_step: int,
    n_residual: int,
) -> None:
    """Write the report of a found step."""
    constraints.rates(tables.prim_int, tables.prim_real, motion.a, work.body, work.phi_d, work.phi_dd)
    count = work.out[OUT_EVALUATIONS]
    for k in range(count):
        rows.residuals[n_residual + k] = work.history[k]
    steps = rows.steps
    steps[n_step, STEP_T] = clock[CLOCK_T]
    steps[n_step, STEP_H] = opt_real[OPT_H]
    steps[n_step, STEP_EVALUATIONS] = count
    steps[n_step, STEP_SOLVES] = work.out[OUT_SOLVES]
    steps[n_step, STEP_RESIDUAL_START] = n_residual
    steps[n_step, STEP_RESIDUAL_COUNT] = count
    steps[n_step, STEP_RETRIES] = 0.0
    steps[n_step, STEP_POSITION_ERROR] = position_error(work)
    steps[n_step, STEP_VELOCITY_ERROR] = velocity_error(work)
    steps[n_step, STEP_ACCELERATION_ERROR] = acceleration_error(motion.a, work)
    steps[n_step, STEP_WORST_ROW] = work.out[OUT_WORST]
    steps[n_step, STEP_CONTACTS] = 0.0
    steps[n_step, STEP_PIVOTS] = work.out[OUT_PIVOTS]


@inner_kernel
def write_channels(tables: Tables, ledger: Ledger, work: Scratch, channels: Floats, row: int) -> None:
    """Write one row of channels for an evaluated motion whose constraint rates are known."""
    kinetic = kinetic_energy(tables.body, work.body)
    potential = gravity.energy(tables.body, tables.gravity, work.body)
    springs = sda.energy(tables.sda_int, tables.sda_real, work.sda)
    total = kinetic + potential + springs
    sums = ledger.sums
    channels[row, CH_KINETIC] = kinetic
    channels[row, CH_GRAVITY] = potential
    channels[row, CH_SPRINGS] = springs
    channels[row, CH_TOTAL] = total
    channels[row, CH_FORCE_WORK] = sums[LEDGER_FORCE_WORK]
    channels[row, CH_DAMPER_LOSS] = sums[LEDGER_DAMPER_LOSS]
    channels[row, CH_ACTUATOR_WORK] = sums[LEDGER_ACTUATOR_WORK]
    channels[row, CH_BALANCE] = (
        total
        - sums[LEDGER_START]
        - sums[LEDGER_FORCE_WORK]
        - sums[LEDGER_ACTUATOR_WORK]
        + sums[LEDGER_DAMPER_LOSS]
    )
    channels[row, CH_POSITION] = position_error(work)
    channels[row, CH_VELOCITY] = velocity_error(work)
    for s in range(tables.sda_int.shape[0]):
        c = CH_SDA + CH_PER_SDA * s
        channels[row, c] = work.sda[s, S_LENGTH]
        channels[row, c + 1] = work.sda[s, S_RATE]
        channels[row, c + 2] = work.sda[s, S_FORCE]
        channels[row, c + 3] = work.sda[s, S_SPRING]


@inner_kernel
def write_frame(
    tables: Tables, clock: Floats, motion: Motion, ledger: Ledger, work: Scratch, rows: Rows, n_frame: int
) -> None:
    """Write pose and twist of every body frame, and the channels; constraint rates are known from the step."""
    bw = work.body
    body = tables.body
    rows.frame_t[n_frame] = clock[CLOCK_T]
    for b in range(body.shape[0]):
        e = quat(bw, b, B_E)
        size = dot4(e, e) ** 0.5
        omega = scale(2.0, turn_ground(e, quat(bw, b, B_ED)))
        shift = times(mat(bw, b, B_ROT), vec(body, b, BODY_ORIGIN))
        r = add(vec(bw, b, B_R), shift)
        v = add(vec(bw, b, B_V), cross(omega, shift))
        for k in range(3):
            rows.poses[n_frame, b, k] = r[k]
            rows.twists[n_frame, b, k] = v[k]
            rows.twists[n_frame, b, 3 + k] = omega[k]
        for k in range(4):
            rows.poses[n_frame, b, 3 + k] = e[k] / size
    write_channels(tables, ledger, work, rows.channels, n_frame)


@kernel
def observe(
    tables: Tables, clock: Floats, motion: Motion, ledger: Ledger, work: Scratch, rows: Rows, begin: bool
) -> None:
    """Write the frame of a motion that was not found by a step just before; `begin` opens the ledger first."""
    evaluate(tables, motion, work.phi.size, work)
    constraints.rates(tables.prim_int, tables.prim_real, motion.a, work.body, work.phi_d, work.phi_dd)
    if begin:
        open_ledger(tables, work, ledger)
    write_frame(tables, clock, motion, ledger, work, rows, 0)
