"""From a drawn pose to a consistent start of the contact engine, and the frame of a motion at rest between two runs."""

from __future__ import annotations

from typing import Final

from linkwright.kernels.jit import kernel
from linkwright.kernels.layout import Floats, Ints, Rows
from linkwright.kernels.lcp import record, schur
from linkwright.kernels.lcp.layout import (
    DONE,
    NO_LENGTH,
    NOT_CLOSED,
    OUT_COLUMNS,
    OUT_ELEMENT,
    OUT_POSITION,
    OUT_STATUS,
    OUT_VELOCITY,
    Q_COLUMNS,
    S_ROW,
    V_COMPLIANCE,
    V_LAM,
    V_PHI,
    V_RHS,
    W_I,
    W_J,
    Bench,
    Machine,
    Points,
    Touch,
)
from linkwright.kernels.lcp.motion import find_worst, place_all, place_rows, put_shift, residuals

SETTLED: Final = 1e-12
"""Joint residual of a closed mechanism at the start; rows are lengths in metres or cosines."""
NEARLY_SETTLED: Final = 1e-9
"""What is accepted when rounding forbids more."""
SETTLE_ROUNDS: Final = 50


@kernel
def settle(
    machine: Machine, q: Floats, u: Floats, work: Bench, out: Ints, out_real: Floats, dim: tuple[int, ...]
) -> int:
    """Close the joints from q by the least movement in the mass metric, and project u onto their velocities.

    Returns a status; q and u are changed even when the joints cannot be closed. Residual and row that is left largest
    stand in `out_real` and `out`.
    """
    row_int = machine.row_int
    vector = work.vector
    for k in range(OUT_COLUMNS):
        out[k] = 0
    n = 0
    while True:
        place_all(machine, q, u, 0.0, work.end, work.placed, dim)
        largest = residuals(machine, work, dim)
        out_real[OUT_POSITION] = largest
        found = place_rows(machine, u, 1.0, work, dim)
        if found < 0:
            out[OUT_STATUS] = NO_LENGTH
            out[OUT_ELEMENT] = -1 - found
            return NO_LENGTH
        for r in range(row_int.shape[0]):
            vector[V_COMPLIANCE, r] = 0.0
        for s in range(machine.sda.size):
            r = int(work.sda[s, S_ROW])
            vector[V_COMPLIANCE, r] = 1.0
            for k in range(2 * len(dim)):
                work.rows[r, k] = 0.0
        schur.factor(machine.coupling, row_int, work.rows, vector, work.matrix, dim)
        if not largest > SETTLED or n == SETTLE_ROUNDS:
            break
        n += 1
        put_shift(machine, work, dim)
        for b in range(q.shape[0] - 1):
            for k in range(Q_COLUMNS):
                q[b, k] = work.end[b, k]
    if not largest <= NEARLY_SETTLED:
        find_worst(vector[V_PHI], out)
        out[OUT_STATUS] = NOT_CLOSED
        return NOT_CLOSED

    for r in range(row_int.shape[0]):
        vector[V_LAM, r] = 0.0
        vector[V_RHS, r] = -schur.row_times(work.rows, r, row_int[r, W_I], row_int[r, W_J], u, dim)
    schur.solve_rows(row_int, work.matrix, vector, vector[V_RHS])
    schur.add_rows(row_int, work.rows, vector[V_RHS], u, dim)
    velocity = 0.0
    for r in range(row_int.shape[0]):
        rate = schur.row_times(work.rows, r, row_int[r, W_I], row_int[r, W_J], u, dim)
        velocity = max(velocity, abs(rate))
    out_real[OUT_VELOCITY] = velocity
    return DONE


@kernel
def observe(
    machine: Machine,
    points: Points,
    t: float,
    q: Floats,
    u: Floats,
    sums: Floats,
    work: Bench,
    touch: Touch,
    rows: Rows,
    dim: tuple[int, ...],
) -> None:
    """Write the frame of a motion that was not found by a step just before."""
    place_all(machine, q, u, 0.0, work.end, work.placed, dim)
    position = residuals(machine, work, dim)
    place_rows(machine, u, 1.0, work, dim)
    for s in range(machine.sda.size):
        for k in range(2 * len(dim)):
            work.rows[int(work.sda[s, S_ROW]), k] = 0.0
    velocity = 0.0
    for r in range(machine.row_int.shape[0]):
        rate = schur.row_times(work.rows, r, machine.row_int[r, W_I], machine.row_int[r, W_J], u, dim)
        velocity = max(velocity, abs(rate))
    record.write_frame(machine, points, t, q, u, sums, position, velocity, work.placed, touch, rows, 0, dim)
