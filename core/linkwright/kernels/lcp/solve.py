"""One door to all solvers of dense contact problems, tried in a fixed order until the error function is satisfied."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from linkwright.kernels import lemke
from linkwright.kernels.jit import inner_kernel, kernel
from linkwright.kernels.layout import Floats
from linkwright.kernels.lcp.active_set import (
    SetRoom,
    block_pivoting,
    set_room,
    solve_fast,
    solve_states,
    states_from_impulses,
)
from linkwright.kernels.lcp.forms import (
    glocker_size,
    read_glocker,
    read_stewart,
    stewart_size,
    write_glocker,
    write_stewart,
)
from linkwright.kernels.lcp.gauss_seidel import sweep
from linkwright.kernels.lcp.problem import (
    BEST,
    DISC,
    FIRST,
    IMPULSE,
    LAW,
    SQUARE,
    STILL,
    Problem,
    natural_map_error,
    problem_room,
    scale_contacts,
    velocities,
)

# --- methods, in the order in which they are tried -------------------------------------------------------------------
ACTIVE_SET: Final = 0
LEMKE: Final = 1
STEWART_TRINKLE: Final = 2
SHIFTED: Final = 3
GAUSS_SEIDEL: Final = 4
SQUARE_START: Final = 5
UNSOLVED: Final = 6
METHODS: Final = 7

GAUSS_SEIDEL_ROUNDS: Final = 30
GAUSS_SEIDEL_SWEEPS: Final = 100
"""Sweeps between two attempts to finish from the states they lead to."""


class SolverRoom(NamedTuple):
    """Room of all solvers for one size of contact problem.

    Attributes
    ----------
    states : room of block pivoting
    pivoting : room of Lemke's method
    matrix, rhs, x : (m, m), (m,), (m,) standard LCP
    """

    states: SetRoom
    pivoting: lemke.Room
    matrix: Floats
    rhs: Floats
    x: Floats


def solver_room(n_contact: int, n_row: int) -> SolverRoom:
    """Allocate the room for problems of up to so many contacts and rows."""
    n = max(n_row, 1)
    m = max(3 * n_row - 2 * n_contact, 1)
    return SolverRoom(set_room(n), lemke.room(m), np.zeros((m, m)), np.zeros(m), np.zeros(max(m, n)))


def rooms(n_contact: int, n_row: int) -> tuple[Problem, SolverRoom]:
    """Allocate a problem and the room of its solvers."""
    return problem_room(n_contact, n_row), solver_room(n_contact, n_row)


@inner_kernel
def judge(p: Problem, nc: int, size: float, error: float, room: SolverRoom) -> float:
    """Judge the impulses in the problem, then the exact solution over their states; keep the best, return its error."""
    n = p.contact[nc, FIRST]
    velocities(p, nc)
    found = natural_map_error(p, nc)
    if found < error:
        error = found
        for r in range(n):
            p.vector[BEST, r] = p.vector[IMPULSE, r]
    states_from_impulses(p, nc, STILL * size)
    if solve_states(p, nc, room.states):
        found = natural_map_error(p, nc)
        if found < error:
            error = found
            for r in range(n):
                p.vector[BEST, r] = p.vector[IMPULSE, r]
    return error


@inner_kernel
def pivot_form(
    p: Problem, nc: int, method: int, size: float, error: float, room: SolverRoom
) -> tuple[float, int]:
    """Run Lemke's method on a standard form of the problem; returns the error of the best answer and the pivots."""
    if method == STEWART_TRINKLE:
        n = stewart_size(p, nc)
        write_stewart(p, nc, room.matrix, room.rhs)
    else:
        n = glocker_size(p, nc)
        write_glocker(p, nc, room.matrix, room.rhs)
    work = room.pivoting
    for i in range(n):
        # the form is in one unit already
        work.vector[lemke.V_SCALE, i] = 1.0
    shift = lemke.SHIFT if method == SHIFTED else 0.0
    _, pivots = lemke.lemke(room.matrix, room.rhs, n, shift, 50 + 20 * n, work, room.x)
    if method == STEWART_TRINKLE:
        read_stewart(p, nc, room.x)
    else:
        read_glocker(p, nc, room.x)
    return judge(p, nc, size, error, room), pivots


@inner_kernel
def pivot_forms(
    p: Problem, nc: int, size: float, bound: float, error: float, room: SolverRoom
) -> tuple[int, float, int]:
    """Try Lemke's method on the standard forms in turn; returns method or `UNSOLVED`, error of the best, pivots."""
    pivots = 0
    for attempt in range(LEMKE, GAUSS_SEIDEL):
        error, more = pivot_form(p, nc, attempt, size, error, room)
        pivots += more
        if error <= bound:
            return attempt, error, pivots
    return UNSOLVED, error, pivots


@inner_kernel
def sweep_and_finish(
    p: Problem, nc: int, size: float, bound: float, error: float, room: SolverRoom
) -> tuple[float, int]:
    """Sweep from the impulses in the problem and try to finish from the states reached, until the bound is met.

    Returns the error of the best answer and the state changes.
    """
    n = p.contact[nc, FIRST]
    pivots = 0
    for _ in range(GAUSS_SEIDEL_ROUNDS):
        for _ in range(GAUSS_SEIDEL_SWEEPS):
            sweep(p, nc)
        for r in range(n):
            room.x[r] = p.vector[IMPULSE, r]
        error = judge(p, nc, size, error, room)
        if error > bound:
            error, more = block_pivoting(p, nc, size, bound, error, room.states)
            pivots += more
        if error <= bound:
            break
        for r in range(n):
            p.vector[IMPULSE, r] = room.x[r]
        velocities(p, nc)
    return error, pivots


@kernel
def fall_back(p: Problem, nc: int, tolerance: float, room: SolverRoom) -> tuple[int, int, float]:
    """Solve a contact problem that block pivoting could not; see `solve`."""
    n = p.contact[nc, FIRST]
    size = scale_contacts(p, nc)
    for r in range(n):
        p.vector[BEST, r] = 0.0
    if not size < np.inf:
        for r in range(n):
            p.vector[IMPULSE, r] = 0.0
        return UNSOLVED, 0, np.inf
    bound = tolerance * size
    error = np.inf
    pivots = 0
    intervals = True
    for c in range(nc):
        intervals = intervals and p.contact[c, LAW] != DISC
    method = UNSOLVED
    if intervals:
        method, error, pivots = pivot_forms(p, nc, size, bound, error, room)
    if method == UNSOLVED:
        # from zero it converges more often than from the wreck of another method
        for r in range(n):
            p.vector[IMPULSE, r] = 0.0
        velocities(p, nc)
        error, more = sweep_and_finish(p, nc, size, bound, error, room)
        pivots += more
        if error <= bound:
            method = GAUSS_SEIDEL
    if method == UNSOLVED and not intervals:
        # the cone with four sides, solved by pivoting, is a start as good as any
        for c in range(nc):
            if p.contact[c, LAW] == DISC:
                p.contact[c, LAW] = SQUARE
        _, _, more = pivot_forms(p, nc, size, bound, np.inf, room)
        pivots += more
        for c in range(nc):
            if p.contact[c, LAW] == SQUARE:
                p.contact[c, LAW] = DISC
        for r in range(n):
            p.vector[IMPULSE, r] = p.vector[BEST, r]
        error = judge(p, nc, size, np.inf, room)
        for r in range(n):
            p.vector[IMPULSE, r] = p.vector[BEST, r]
        velocities(p, nc)
        error, more = sweep_and_finish(p, nc, size, bound, error, room)
        pivots += more
        if error <= bound:
            method = SQUARE_START
    for r in range(n):
        p.vector[IMPULSE, r] = p.vector[BEST, r]
    velocities(p, nc)
    states_from_impulses(p, nc, STILL * size)
    return method, pivots, error


@kernel
def solve(p: Problem, nc: int, tolerance: float, room: SolverRoom) -> tuple[int, int, float]:
    """Solve the contact problem; `state` holds the guess on entry, impulses, `XI` and `state` the answer on return.

    Parameters
    ----------
    p : Problem
        With everything but impulses and scales filled.
    nc : int
        Number of contacts.
    tolerance : float
        Bound of the natural-map error over the largest velocity at zero impulses.
    room : SolverRoom
        For at least this size.

    Returns
    -------
    method, pivots, error : int, int, float
        Method whose answer was taken, or `UNSOLVED` (the best answer met is then in the problem); state changes and
        pivots of all methods; natural-map error of the answer [m/s].
    """
    solved, changes, error = solve_fast(p, nc, tolerance, room.states)
    if solved:
        return ACTIVE_SET, changes, error
    method, pivots, error = fall_back(p, nc, tolerance, room)
    return method, changes + pivots, error
