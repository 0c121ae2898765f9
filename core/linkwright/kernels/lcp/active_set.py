"""Block pivoting over contact states, which for circular cones is Newton's method on the natural map.

Guessed states (open, stick, slip) make the problem linear. All contacts whose answer contradicts their state change at
once, until none does. It is the fast road: from the states of the last step one round is nearly always enough.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from linkwright.kernels.jit import inner_kernel
from linkwright.kernels.layout import Floats, Ints
from linkwright.kernels.lcp.problem import (
    BEST,
    CLOSED,
    DISC,
    FIRST,
    FREE,
    IMPULSE,
    LAW,
    MU,
    OPEN,
    RHO,
    SLIP,
    SLIP_BACK,
    STICK,
    STILL,
    XI,
    Problem,
    natural_map_error,
    scale_contacts,
    velocities,
)
from linkwright.kernels.lemke import back_solve, factor

ROUNDS: Final = 8
"""Rounds for intervals; the method may cycle on long chains of contacts."""
ROUNDS_DISC: Final = 30
SHIFT: Final = 1e-8
"""Part of rho added to the diagonal of a singular system, so that redundant contacts share evenly."""
LOST: Final = 1e-9
"""A pivot below this part of the sum it came from counts as lost; the system is solved again with the shift."""


# --- parts of `SetRoom`
SYSTEM: Final = 0
FACTORS: Final = 1
RHS: Final = 0
ANSWER: Final = 1
ROW: Final = 0
CONTACT: Final = 1
EXCHANGE: Final = 2


class SetRoom(NamedTuple):
    """Room for the linear system of a guess.

    Attributes
    ----------
    matrix : (2, n, n) the system and its factors
    vector : (2, n) right-hand side and answer
    places : (3, n) row of the problem that each unknown belongs to, its contact, and row exchanges
    """

    matrix: Floats
    vector: Floats
    places: Ints


def set_room(n_row: int) -> SetRoom:
    """Allocate the room for problems of up to so many rows."""
    n = max(n_row, 1)
    return SetRoom(np.zeros((2, n, n)), np.zeros((2, n)), np.zeros((3, n), np.int64))


@inner_kernel
def list_members(p: Problem, nc: int, room: SetRoom) -> int:
    """List the rows whose impulse is unknown under the present states; returns their number."""
    m = 0
    for c in range(nc):
        r = p.contact[c, FIRST]
        if p.state[r] == OPEN:
            continue
        room.places[ROW, m] = r
        room.places[CONTACT, m] = c
        m += 1
        for t in range(r + 1, p.contact[c + 1, FIRST]):
            if p.contact[c, LAW] == DISC or p.state[t] == STICK:
                room.places[ROW, m] = t
                room.places[CONTACT, m] = c
                m += 1
    return m


@inner_kernel
def response(p: Problem, row: int, c: int, col: int) -> float:
    """Velocity of a row for a unit impulse of a member; a normal impulse brings the slip friction of its contact."""
    value = p.g[row, col]
    first = p.contact[c, FIRST]
    if col == first and p.contact[c, LAW] != DISC:
        for t in range(first + 1, p.contact[c + 1, FIRST]):
            if p.state[t] != STICK:
                value -= p.state[t] * p.number[c, MU] * p.g[row, t]
    return float(value)


@inner_kernel
def slip_direction(p: Problem, c: int) -> tuple[float, float, float]:
    """Unit vector n of tau = rho L_T - xi_T, and mu rho L_N / |tau|, of a slipping DISC contact."""
    r = p.contact[c, FIRST]
    rho = p.number[c, RHO]
    a = rho * p.vector[IMPULSE, r + 1] - p.vector[XI, r + 1]
    b = rho * p.vector[IMPULSE, r + 2] - p.vector[XI, r + 2]
    size = np.sqrt(a * a + b * b)
    if not size > 0.0:
        return 1.0, 0.0, 0.0
    width = p.number[c, MU] * rho * max(p.vector[IMPULSE, r], 0.0)
    return a / size, b / size, min(width / size, 1.0)


@inner_kernel
def assemble(p: Problem, m: int, room: SetRoom) -> None:
    """Write the linear system of the present states for its m members.

    Closed and sticking rows ask xi = 0. The friction law of a slipping disc, F = rho L_T - mu rho L_N n(tau) = 0, is
    homogeneous of degree one, so Newton's step is F'(z) z = 0 with z = (rho L, G L + c).
    """
    for a in range(m):
        c = room.places[CONTACT, a]
        row = room.places[ROW, a]
        first = p.contact[c, FIRST]
        if p.contact[c, LAW] == DISC and row > first and p.state[first + 1] == SLIP:
            n1, n2, part = slip_direction(p, c)
            own, other = (n1, n2) if row == first + 1 else (n2, n1)
            twin = first + 2 if row == first + 1 else first + 1
            rho = p.number[c, RHO]
            m_own = part * (1.0 - own * own)
            m_twin = -part * own * other
            for b in range(m):
                col = room.places[ROW, b]
                value = m_own * p.g[row, col] + m_twin * p.g[twin, col]
                if room.places[CONTACT, b] != c:
                    cb = room.places[CONTACT, b]
                    if col == p.contact[cb, FIRST]:
                        value = m_own * response(p, row, cb, col) + m_twin * response(p, twin, cb, col)
                elif col == row:
                    value += rho * (1.0 - m_own)
                elif col == twin:
                    value -= rho * m_twin
                else:
                    value -= p.number[c, MU] * own * rho
                room.matrix[SYSTEM, a, b] = value
            room.vector[RHS, a] = -(m_own * p.vector[FREE, row] + m_twin * p.vector[FREE, twin])
        else:
            for b in range(m):
                room.matrix[SYSTEM, a, b] = response(p, row, room.places[CONTACT, b], room.places[ROW, b])
            room.vector[RHS, a] = -p.vector[FREE, row]


@inner_kernel
def solve_states(p: Problem, nc: int, room: SetRoom) -> bool:
    """Solve the linear problem of the present states; `impulse` and `xi` are the answer. False when not finite."""
    m = list_members(p, nc, room)
    assemble(p, m, room)
    factors = room.matrix[FACTORS]
    rhs = room.vector[RHS]
    x = room.vector[ANSWER]
    for a in range(m):
        for b in range(m):
            factors[a, b] = room.matrix[SYSTEM, a, b]
        x[a] = rhs[a]
    shifted = not factor(factors, m, room.places[EXCHANGE], LOST)
    if shifted:
        for a in range(m):
            for b in range(m):
                factors[a, b] = room.matrix[SYSTEM, a, b]
            factors[a, a] += SHIFT * p.number[room.places[CONTACT, a], RHO]
        # what the shift cannot save shows in the error function
        if not factor(factors, m, room.places[EXCHANGE], 0.0):
            return False
    back_solve(factors, m, room.places[EXCHANGE], x)

    n = p.contact[nc, FIRST]
    for r in range(n):
        p.vector[IMPULSE, r] = 0.0
    for a in range(m):
        if not abs(x[a]) < np.inf:
            velocities(p, nc)
            return False
        p.vector[IMPULSE, room.places[ROW, a]] = x[a]
    if shifted:
        # refinement with the true system takes the effect of the shift away wherever that has a solution
        for _ in range(3):
            for a in range(m):
                r = rhs[a]
                for b in range(m):
                    r -= room.matrix[SYSTEM, a, b] * p.vector[IMPULSE, room.places[ROW, b]]
                x[a] = r
            back_solve(factors, m, room.places[EXCHANGE], x)
            for a in range(m):
                p.vector[IMPULSE, room.places[ROW, a]] += x[a]
    for c in range(nc):
        first = p.contact[c, FIRST]
        if p.contact[c, LAW] != DISC and p.state[first] == CLOSED:
            for t in range(first + 1, p.contact[c + 1, FIRST]):
                if p.state[t] != STICK:
                    p.vector[IMPULSE, t] = -p.state[t] * p.number[c, MU] * p.vector[IMPULSE, first]
    velocities(p, nc)
    return True


@inner_kernel
def guess_friction(p: Problem, c: int, slack: float) -> None:
    """Let a contact that closes slip the way it moves, or stick where it does not move."""
    r = p.contact[c, FIRST]
    if p.contact[c, LAW] == DISC:
        moves = abs(p.vector[XI, r + 1]) > slack or abs(p.vector[XI, r + 2]) > slack
        p.state[r + 1] = SLIP if moves else STICK
    else:
        for t in range(r + 1, p.contact[c + 1, FIRST]):
            p.state[t] = (
                SLIP if p.vector[XI, t] > slack else (SLIP_BACK if p.vector[XI, t] < -slack else STICK)
            )


@inner_kernel
def change_states(p: Problem, nc: int, slack: float) -> int:
    """Change the state of every row that contradicts it by more than the slack; returns how many did."""
    changed = 0
    for c in range(nc):
        r = p.contact[c, FIRST]
        rho = p.number[c, RHO]
        if p.state[r] == OPEN:
            if p.vector[XI, r] < -slack:
                p.state[r] = CLOSED
                guess_friction(p, c, slack)
                changed += 1
            continue
        normal = rho * p.vector[IMPULSE, r]
        if normal < -slack:
            p.state[r] = OPEN
            changed += 1
            continue
        width = p.number[c, MU] * normal
        if p.contact[c, LAW] == DISC:
            a = rho * p.vector[IMPULSE, r + 1]
            b = rho * p.vector[IMPULSE, r + 2]
            if p.state[r + 1] == STICK:
                if a * a + b * b > (width + slack) ** 2:
                    p.state[r + 1] = SLIP
                    changed += 1
            else:
                a -= p.vector[XI, r + 1]
                b -= p.vector[XI, r + 2]
                if a * a + b * b < max(width - slack, 0.0) ** 2:
                    p.state[r + 1] = STICK
                    changed += 1
        else:
            for t in range(r + 1, p.contact[c + 1, FIRST]):
                if p.state[t] == STICK:
                    x = rho * p.vector[IMPULSE, t]
                    if abs(x) > width + slack:
                        p.state[t] = SLIP_BACK if x > 0.0 else SLIP
                        changed += 1
                elif p.state[t] * p.vector[XI, t] < -slack:
                    p.state[t] = STICK
                    changed += 1
    return changed


@inner_kernel
def states_from_impulses(p: Problem, nc: int, slack: float) -> None:
    """Read the states off an approximate answer (`impulse` with its `xi`)."""
    for c in range(nc):
        r = p.contact[c, FIRST]
        rho = p.number[c, RHO]
        normal = rho * p.vector[IMPULSE, r]
        p.state[r] = CLOSED if normal > slack and normal > p.vector[XI, r] else OPEN
        width = p.number[c, MU] * max(normal, 0.0)
        if p.contact[c, LAW] == DISC:
            a = rho * p.vector[IMPULSE, r + 1] - p.vector[XI, r + 1]
            b = rho * p.vector[IMPULSE, r + 2] - p.vector[XI, r + 2]
            p.state[r + 1] = SLIP if a * a + b * b > width * width else STICK
        else:
            for t in range(r + 1, p.contact[c + 1, FIRST]):
                a = rho * p.vector[IMPULSE, t] - p.vector[XI, t]
                p.state[t] = SLIP_BACK if a > width else (SLIP if a < -width else STICK)


@inner_kernel
def block_pivoting(
    p: Problem, nc: int, size: float, bound: float, error: float, room: SetRoom
) -> tuple[float, int]:
    """Solve from the states in the problem; impulses with a smaller error than `error` become the best met.

    Returns
    -------
    error, changes : float, int
        Natural-map error of the best impulses, and the number of state changes.
    """
    slack = STILL * size
    discs = False
    for c in range(nc):
        discs = discs or p.contact[c, LAW] == DISC
    rounds = ROUNDS_DISC if discs else ROUNDS
    changes = 0
    n = p.contact[nc, FIRST]
    for _ in range(rounds):
        if not solve_states(p, nc, room):
            break
        found = natural_map_error(p, nc)
        if found < error:
            error = found
            for r in range(n):
                p.vector[BEST, r] = p.vector[IMPULSE, r]
            if error <= bound:
                break
        changed = change_states(p, nc, slack)
        changes += changed
        if changed == 0 and not discs:
            break
    return error, changes


@inner_kernel
def solve_fast(p: Problem, nc: int, tolerance: float, room: SetRoom) -> tuple[bool, int, float]:
    """Solve the contact problem from guessed states alone, see `solve.solve`; it serves nearly every step.

    Returns whether the error is within the tolerance, the state changes, and the error.
    """
    size = scale_contacts(p, nc)
    if not size < np.inf:
        return False, 0, np.inf
    error, changes = block_pivoting(p, nc, size, tolerance * size, np.inf, room)
    return error <= tolerance * size, changes, error
