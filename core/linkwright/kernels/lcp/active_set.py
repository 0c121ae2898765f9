"""Block pivoting over contact states, which for circular cones is Newton's method on the natural map.

Guessed states (open, stick, slip) make the problem linear. All contacts whose answer contradicts their state change at
once, until none does. It is the fast road: from the states of the last step one round is nearly always enough.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from linkwright.kernels.jit import kernel
from linkwright.kernels.layout import Floats, Ints
from linkwright.kernels.lcp.problem import (
    CLOSED,
    DISC,
    OPEN,
    SLIP,
    SLIP_BACK,
    STICK,
    STILL,
    Problem,
    natural_map_error,
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


class SetRoom(NamedTuple):
    """Room for the linear system of a guess.

    Attributes
    ----------
    system, factors : (n, n) the system and its factors
    vector : (2, n) right-hand side and solution
    row : (n,) row of the problem that each unknown belongs to
    contact : (n,) its contact
    exchange : (n,) row exchanges
    """

    system: Floats
    factors: Floats
    vector: Floats
    row: Ints
    contact: Ints
    exchange: Ints


def set_room(n_row: int) -> SetRoom:
    """Allocate the room for problems of up to so many rows."""
    n = max(n_row, 1)
    return SetRoom(
        np.zeros((n, n)),
        np.zeros((n, n)),
        np.zeros((2, n)),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
        np.zeros(n, np.int64),
    )


@kernel
def list_members(p: Problem, nc: int, room: SetRoom) -> int:
    """List the rows whose impulse is unknown under the present states; returns their number."""
    m = 0
    for c in range(nc):
        r = p.first[c]
        if p.state[r] == OPEN:
            continue
        room.row[m] = r
        room.contact[m] = c
        m += 1
        for t in range(r + 1, p.first[c + 1]):
            if p.law[c] == DISC or p.state[t] == STICK:
                room.row[m] = t
                room.contact[m] = c
                m += 1
    return m


@kernel
def response(p: Problem, row: int, c: int, col: int) -> float:
    """Velocity of a row for a unit impulse of a member; a normal impulse brings the slip friction of its contact."""
    value = p.g[row, col]
    first = p.first[c]
    if col == first and p.law[c] != DISC:
        for t in range(first + 1, p.first[c + 1]):
            if p.state[t] != STICK:
                value -= p.state[t] * p.mu[c] * p.g[row, t]
    return float(value)


@kernel
def slip_direction(p: Problem, c: int) -> tuple[float, float, float]:
    """Unit vector n of tau = rho L_T - xi_T, and mu rho L_N / |tau|, of a slipping DISC contact."""
    r = p.first[c]
    rho = p.rho[c]
    a = rho * p.impulse[r + 1] - p.xi[r + 1]
    b = rho * p.impulse[r + 2] - p.xi[r + 2]
    size = np.sqrt(a * a + b * b)
    if not size > 0.0:
        return 1.0, 0.0, 0.0
    width = p.mu[c] * rho * max(p.impulse[r], 0.0)
    return a / size, b / size, min(width / size, 1.0)


@kernel
def assemble(p: Problem, m: int, room: SetRoom) -> None:
    """Write the linear system of the present states for its m members.

    Closed and sticking rows ask xi = 0. The friction law of a slipping disc, F = rho L_T - mu rho L_N n(tau) = 0, is
    homogeneous of degree one, so Newton's step is F'(z) z = 0 with z = (rho L, G L + c).
    """
    for a in range(m):
        c = room.contact[a]
        row = room.row[a]
        first = p.first[c]
        if p.law[c] == DISC and row > first and p.state[first + 1] == SLIP:
            n1, n2, part = slip_direction(p, c)
            own, other = (n1, n2) if row == first + 1 else (n2, n1)
            twin = first + 2 if row == first + 1 else first + 1
            rho = p.rho[c]
            m_own = part * (1.0 - own * own)
            m_twin = -part * own * other
            for b in range(m):
                col = room.row[b]
                value = m_own * p.g[row, col] + m_twin * p.g[twin, col]
                if room.contact[b] != c:
                    if col == p.first[room.contact[b]]:
                        cb = room.contact[b]
                        value = m_own * response(p, row, cb, col) + m_twin * response(p, twin, cb, col)
                elif col == row:
                    value += rho * (1.0 - m_own)
                elif col == twin:
                    value -= rho * m_twin
                else:
                    value -= p.mu[c] * own * rho
                room.system[a, b] = value
            room.vector[0, a] = -(m_own * p.free[row] + m_twin * p.free[twin])
        else:
            for b in range(m):
                room.system[a, b] = response(p, row, room.contact[b], room.row[b])
            room.vector[0, a] = -p.free[row]


@kernel
def solve_states(p: Problem, nc: int, room: SetRoom) -> bool:
    """Solve the linear problem of the present states; `impulse` and `xi` are the answer. False when not finite."""
    m = list_members(p, nc, room)
    assemble(p, m, room)
    factors = room.factors
    rhs = room.vector[0]
    x = room.vector[1]
    for a in range(m):
        for b in range(m):
            factors[a, b] = room.system[a, b]
        x[a] = rhs[a]
    shifted = not factor(factors, m, room.exchange, LOST)
    if shifted:
        for a in range(m):
            for b in range(m):
                factors[a, b] = room.system[a, b]
            factors[a, a] += SHIFT * p.rho[room.contact[a]]
        # what the shift cannot save shows in the error function
        if not factor(factors, m, room.exchange, 0.0):
            return False
    back_solve(factors, m, room.exchange, x)

    n = p.first[nc]
    for r in range(n):
        p.impulse[r] = 0.0
    for a in range(m):
        if not abs(x[a]) < np.inf:
            velocities(p, nc)
            return False
        p.impulse[room.row[a]] = x[a]
    if shifted:
        # refinement with the true system takes the effect of the shift away wherever that has a solution
        for _ in range(3):
            for a in range(m):
                r = rhs[a]
                for b in range(m):
                    r -= room.system[a, b] * p.impulse[room.row[b]]
                x[a] = r
            back_solve(factors, m, room.exchange, x)
            for a in range(m):
                p.impulse[room.row[a]] += x[a]
    for c in range(nc):
        first = p.first[c]
        if p.law[c] != DISC and p.state[first] == CLOSED:
            for t in range(first + 1, p.first[c + 1]):
                if p.state[t] != STICK:
                    p.impulse[t] = -p.state[t] * p.mu[c] * p.impulse[first]
    velocities(p, nc)
    return True


@kernel
def guess_friction(p: Problem, c: int, slack: float) -> None:
    """Let a contact that closes slip the way it moves, or stick where it does not move."""
    r = p.first[c]
    if p.law[c] == DISC:
        moves = abs(p.xi[r + 1]) > slack or abs(p.xi[r + 2]) > slack
        p.state[r + 1] = SLIP if moves else STICK
    else:
        for t in range(r + 1, p.first[c + 1]):
            p.state[t] = SLIP if p.xi[t] > slack else (SLIP_BACK if p.xi[t] < -slack else STICK)


@kernel
def change_states(p: Problem, nc: int, slack: float) -> int:
    """Change the state of every row that contradicts it by more than the slack; returns how many did."""
    changed = 0
    for c in range(nc):
        r = p.first[c]
        rho = p.rho[c]
        if p.state[r] == OPEN:
            if p.xi[r] < -slack:
                p.state[r] = CLOSED
                guess_friction(p, c, slack)
                changed += 1
            continue
        normal = rho * p.impulse[r]
        if normal < -slack:
            p.state[r] = OPEN
            changed += 1
            continue
        width = p.mu[c] * normal
        if p.law[c] == DISC:
            a = rho * p.impulse[r + 1]
            b = rho * p.impulse[r + 2]
            if p.state[r + 1] == STICK:
                if a * a + b * b > (width + slack) ** 2:
                    p.state[r + 1] = SLIP
                    changed += 1
            else:
                a -= p.xi[r + 1]
                b -= p.xi[r + 2]
                if a * a + b * b < max(width - slack, 0.0) ** 2:
                    p.state[r + 1] = STICK
                    changed += 1
        else:
            for t in range(r + 1, p.first[c + 1]):
                if p.state[t] == STICK:
                    x = rho * p.impulse[t]
                    if abs(x) > width + slack:
                        p.state[t] = SLIP_BACK if x > 0.0 else SLIP
                        changed += 1
                elif p.state[t] * p.xi[t] < -slack:
                    p.state[t] = STICK
                    changed += 1
    return changed


@kernel
def states_from_impulses(p: Problem, nc: int, slack: float) -> None:
    """Read the states off an approximate answer (`impulse` with its `xi`)."""
    for c in range(nc):
        r = p.first[c]
        rho = p.rho[c]
        normal = rho * p.impulse[r]
        p.state[r] = CLOSED if normal > slack and normal > p.xi[r] else OPEN
        width = p.mu[c] * max(normal, 0.0)
        if p.law[c] == DISC:
            a = rho * p.impulse[r + 1] - p.xi[r + 1]
            b = rho * p.impulse[r + 2] - p.xi[r + 2]
            p.state[r + 1] = SLIP if a * a + b * b > width * width else STICK
        else:
            for t in range(r + 1, p.first[c + 1]):
                a = rho * p.impulse[t] - p.xi[t]
                p.state[t] = SLIP_BACK if a > width else (SLIP if a < -width else STICK)


@kernel
def block_pivoting(
    p: Problem, nc: int, size: float, bound: float, room: SetRoom, best: Floats
) -> tuple[float, int]:
    """Solve from the states in the problem; `best` receives the best impulses met.

    Returns
    -------
    error, changes : float, int
        Natural-map error of `best`, and the number of state changes.
    """
    slack = STILL * size
    discs = False
    for c in range(nc):
        discs = discs or p.law[c] == DISC
    rounds = ROUNDS_DISC if discs else ROUNDS
    error = np.inf
    changes = 0
    n = p.first[nc]
    for _ in range(rounds):
        if not solve_states(p, nc, room):
            break
        found = natural_map_error(p, nc)
        if found < error:
            error = found
            for r in range(n):
                best[r] = p.impulse[r]
            if error <= bound:
                break
        changed = change_states(p, nc, slack)
        changes += changed
        if changed == 0 and not discs:
            break
    return error, changes
