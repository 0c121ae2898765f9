"""Linear complementarity problems of any kind: y = A x + b, x >= 0, y >= 0, x . y = 0.

One interface (`solve`), one judge (`natural_map_error`), several methods behind it in a fixed order: block pivoting
from a guess, Lemke's method with scaling and lexicographic ties, the same on a shifted problem with refinement, and
projected Gauss-Seidel. Each has a bound on its work, so none can hang. Whatever the outcome, the best answer found is
returned with its error.

Contact problems have a structure of their own, see `kernels.lcp`; they come here when their own methods fail.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from linkwright.kernels.jit import inner_kernel, kernel
from linkwright.kernels.layout import Floats, Ints

# --- methods, in the order in which they are tried -------------------------------------------------------------------
BLOCK_PIVOTING: Final = 0
LEMKE: Final = 1
SHIFTED_LEMKE: Final = 2
GAUSS_SEIDEL: Final = 3
UNSOLVED: Final = 4

BLOCK_ROUNDS: Final = 8
"""Block pivoting may cycle on problems that are no P problems: it stops after so many rounds."""
SWEEPS: Final = 400
SHIFT: Final = 1e-8
"""Part of the diagonal that the shifted problem adds."""
PIVOT_SMALL: Final = 1e-10
"""Entries of a scaled column below this part of its largest are not pivots."""
TIE: Final = 1e-11
"""Ratios that differ by less than this part are a tie, broken lexicographically."""
SINGULAR: Final = 1e-13
"""A pivot below this part of its column is lost to rounding."""


class Room(NamedTuple):
    """Room for one problem of up to n unknowns.

    Attributes
    ----------
    tableau : (n, 2 n + 2) of Lemke's method
    system : (n, n) factors of a principal block
    vector : (5, n) scale, candidate, residual, right-hand side, best answer
    basis : (n,) variable of each row of the tableau
    block : (2, n) members of a principal block, row exchanges
    """

    tableau: Floats
    system: Floats
    vector: Floats
    basis: Ints
    block: Ints


V_SCALE: Final = 0
V_CANDIDATE: Final = 1
V_RESIDUAL: Final = 2
V_RHS: Final = 3
V_BEST: Final = 4


def room(n: int) -> Room:
    """Allocate the room for problems of up to n unknowns."""
    n = max(n, 1)
    return Room(
        np.zeros((n, 2 * n + 2)),
        np.zeros((n, n)),
        np.zeros((5, n)),
        np.zeros(n, np.int64),
        np.zeros((2, n), np.int64),
    )


@kernel
def diagonal_scale(matrix: Floats, n: int, scale: Floats) -> None:
    """Give s with s_i^2 a_ii = 1, the unit in which x_i is measured (largest of row and column for a_ii <= 0)."""
    for i in range(n):
        size = matrix[i, i]
        if not size > 0.0:
            size = 0.0
            for j in range(n):
                size = max(size, abs(matrix[i, j]), abs(matrix[j, i]))
        scale[i] = 1.0 / np.sqrt(size) if size > 0.0 else 1.0


@inner_kernel
def natural_map_error(matrix: Floats, rhs: Floats, n: int, scale: Floats, x: Floats) -> float:
    """Largest |min(x_i / s_i, s_i y_i)|: the one number that judges every answer, zero at a solution only."""
    error = 0.0
    for i in range(n):
        y = rhs[i]
        for j in range(n):
            y += matrix[i, j] * x[j]
        gap = min(x[i] / scale[i], y * scale[i])
        if not abs(x[i]) + abs(y) < np.inf:
            return np.inf
        error = max(error, abs(gap))
    return error


@inner_kernel
def factor(system: Floats, n: int, exchange: Ints, lost: float) -> bool:
    """Replace the leading n x n block by its factors with row exchange.

    Returns False at a pivot not above `lost` times the largest number its column ever held; the block is then spoilt.
    """
    for k in range(n):
        best = k
        largest = abs(system[k, k])
        for i in range(k + 1, n):
            if abs(system[i, k]) > largest:
                largest = abs(system[i, k])
                best = i
        size = largest
        for i in range(k):
            size = max(size, abs(system[i, k]))
        if not largest > lost * size or not largest < np.inf:
            return False
        exchange[k] = best
        if best != k:
            for j in range(n):
                system[k, j], system[best, j] = system[best, j], system[k, j]
        inverse = 1.0 / system[k, k]
        for i in range(k + 1, n):
            ratio = system[i, k] * inverse
            system[i, k] = ratio
            if ratio != 0.0:
                for j in range(k + 1, n):
                    system[i, j] -= ratio * system[k, j]
    return True


@inner_kernel
def back_solve(system: Floats, n: int, exchange: Ints, x: Floats) -> None:
    """Replace x by the solution, with the factors of `factor`."""
    for k in range(n):
        other = exchange[k]
        if other != k:
            x[k], x[other] = x[other], x[k]
    for k in range(n):
        for j in range(k):
            x[k] -= system[k, j] * x[j]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            x[k] -= system[k, j] * x[j]
        x[k] /= system[k, k]


@kernel
def solve_principal(matrix: Floats, rhs: Floats, n: int, shift: float, work: Room, x: Floats) -> bool:
    """Solve y_i = 0 for the members with x_i > 0 in `x`; the others become 0.

    The shift, relative to the scale of each unknown, makes a singular block regular; two refinements with the true
    matrix take its effect away wherever that has a solution, and leave the answer of least norm.
    """
    members = work.block[0]
    exchange = work.block[1]
    scale = work.vector[V_SCALE]
    residual = work.vector[V_RESIDUAL]
    m = 0
    for i in range(n):
        if x[i] > 0.0:
            members[m] = i
            m += 1
        x[i] = 0.0
    system = work.system
    for a in range(m):
        i = members[a]
        for b in range(m):
            j = members[b]
            system[a, b] = scale[i] * matrix[i, j] * scale[j]
        system[a, a] += shift
        residual[a] = -scale[i] * rhs[i]
    if not factor(system, m, exchange, SINGULAR):
        return False
    back_solve(system, m, exchange, residual)
    for a in range(m):
        i = members[a]
        x[i] = scale[i] * residual[a]
    for _ in range(2):
        for a in range(m):
            i = members[a]
            r = -rhs[i]
            for b in range(m):
                r -= matrix[i, members[b]] * x[members[b]]
            residual[a] = scale[i] * r
        back_solve(system, m, exchange, residual)
        for a in range(m):
            i = members[a]
            x[i] += scale[i] * residual[a]
    return True


@inner_kernel
def block_pivoting(
    matrix: Floats, rhs: Floats, n: int, shift: float, work: Room, x: Floats
) -> tuple[bool, int]:
    """Exchange all violating members of the guess x > 0 at once until none is left (Kostreva 1978); x is the answer.

    Returns whether it ended with no violation, and the number of exchanges.
    """
    scale = work.vector[V_SCALE]
    state = work.vector[V_RHS]
    size = 0.0
    for i in range(n):
        size = max(size, abs(rhs[i] * scale[i]))
        state[i] = 1.0 if x[i] > 0.0 else 0.0
    slack = 1e-12 * size
    exchanges = 0
    for _ in range(BLOCK_ROUNDS):
        for i in range(n):
            x[i] = state[i]
        if not solve_principal(matrix, rhs, n, shift, work, x):
            return False, exchanges
        violated = 0
        for i in range(n):
            if state[i] > 0.0:
                if x[i] / scale[i] < -slack:
                    state[i] = 0.0
                    violated += 1
            else:
                y = rhs[i]
                for j in range(n):
                    y += matrix[i, j] * x[j]
                if y * scale[i] < -slack:
                    state[i] = 1.0
                    violated += 1
        exchanges += violated
        if violated == 0:
            return True, exchanges
    return False, exchanges


@inner_kernel
def comes_first(tableau: Floats, n: int, a: int, b: int, column: int) -> bool:
    """Tell whether row a has the lexicographically smaller ratio than row b for the entering column."""
    pa = 1.0 / tableau[a, column]
    pb = 1.0 / tableau[b, column]
    ra = tableau[a, 2 * n + 1] * pa
    rb = tableau[b, 2 * n + 1] * pb
    if abs(ra - rb) > TIE * (abs(ra) + abs(rb)) + 1e-14:
        return bool(ra < rb)
    for k in range(n):
        ra = tableau[a, k] * pa
        rb = tableau[b, k] * pb
        if abs(ra - rb) > TIE * (abs(ra) + abs(rb)) + 1e-14:
            return bool(ra < rb)
    return False


@inner_kernel
def pivot(tableau: Floats, n: int, row: int, column: int) -> None:
    """Make the column a unit vector with its one in the row."""
    inverse = 1.0 / tableau[row, column]
    for j in range(2 * n + 2):
        tableau[row, j] *= inverse
    tableau[row, column] = 1.0
    for i in range(n):
        ratio = tableau[i, column]
        if i != row and ratio != 0.0:
            for j in range(2 * n + 2):
                tableau[i, j] -= ratio * tableau[row, j]
            tableau[i, column] = 0.0


@kernel
def lemke(
    matrix: Floats, rhs: Floats, n: int, shift: float, max_pivots: int, work: Room, x: Floats
) -> tuple[bool, int]:
    """Lemke's method (1965; Cottle, Pang, Stone 2009, algorithm 4.4.5) with scaling and lexicographic ties.

    The problem is scaled by `V_SCALE` on both sides and by its largest right-hand side; the covering vector is one
    everywhere. The first n columns of the tableau are the inverse of the basis, which the lexicographic rule needs.

    Returns whether the artificial variable left the basis, and the number of pivots; x is the last basis either way.
    """
    scale = work.vector[V_SCALE]
    tableau = work.tableau
    basis = work.basis
    last = 2 * n + 1
    size = 0.0
    for i in range(n):
        size = max(size, abs(scale[i] * rhs[i]))
        x[i] = 0.0
    if size == 0.0:
        return True, 0
    first = 0
    lowest = 0.0
    for i in range(n):
        for j in range(n):
            tableau[i, j] = 0.0
            tableau[i, n + j] = -scale[i] * matrix[i, j] * scale[j]
        tableau[i, i] = 1.0
        tableau[i, n + i] -= shift
        tableau[i, 2 * n] = -1.0
        tableau[i, last] = scale[i] * rhs[i] / size
        basis[i] = i
        lowest = min(lowest, tableau[i, last])
    if lowest >= 0.0:
        return True, 0
    # of equal rows the one whose 1 stands furthest right is lexicographically smallest
    for i in range(n):
        if tableau[i, last] <= lowest + TIE:
            first = i

    pivot(tableau, n, first, 2 * n)
    basis[first] = 2 * n
    entering = n + first
    pivots = 1
    ended = False
    while pivots < max_pivots:
        largest = 0.0
        for i in range(n):
            largest = max(largest, abs(tableau[i, entering]))
        small = PIVOT_SMALL * largest
        leaving = -1
        for i in range(n):
            if tableau[i, entering] > small and (
                leaving < 0 or comes_first(tableau, n, i, leaving, entering)
            ):
                leaving = i
        if leaving < 0:
            break
        # where the artificial variable ties it leaves, which ends the method
        least = tableau[leaving, last] / tableau[leaving, entering] + TIE
        for i in range(n):
            ties = tableau[i, entering] > small and tableau[i, last] / tableau[i, entering] <= least
            if ties and basis[i] == 2 * n:
                leaving = i
        out = basis[leaving]
        pivot(tableau, n, leaving, entering)
        basis[leaving] = entering
        pivots += 1
        if out == 2 * n:
            ended = True
            break
        entering = out + n if out < n else out - n
    for i in range(n):
        k = basis[i]
        if n <= k < 2 * n:
            x[k - n] = max(tableau[i, last], 0.0) * size * scale[k - n]
    return ended, pivots


@inner_kernel
def gauss_seidel(matrix: Floats, rhs: Floats, n: int, sweeps: int, x: Floats) -> bool:
    """Projected Gauss-Seidel from x; False where a diagonal entry is not positive and x stays as it is."""
    for i in range(n):
        if not matrix[i, i] > 0.0:
            return False
    for _ in range(sweeps):
        for i in range(n):
            y = rhs[i]
            for j in range(n):
                y += matrix[i, j] * x[j]
            x[i] = max(x[i] - y / matrix[i, i], 0.0)
    return True


@inner_kernel
def keep_better(matrix: Floats, rhs: Floats, n: int, work: Room, x: Floats, error: float) -> float:
    """Store x as the best answer where it beats `error`; returns the smaller error."""
    found = natural_map_error(matrix, rhs, n, work.vector[V_SCALE], x)
    if found < error:
        for i in range(n):
            work.vector[V_BEST, i] = x[i]
        return found
    return error


@inner_kernel
def polish(matrix: Floats, rhs: Floats, n: int, work: Room, x: Floats, error: float) -> float:
    """Judge x, then the exact solution over its members, then that with a shift; returns the smaller error."""
    error = keep_better(matrix, rhs, n, work, x, error)
    for attempt in range(2):
        for i in range(n):
            work.vector[V_CANDIDATE, i] = x[i]
        if solve_principal(matrix, rhs, n, attempt * SHIFT, work, work.vector[V_CANDIDATE]):
            error = keep_better(matrix, rhs, n, work, work.vector[V_CANDIDATE], error)
    return error


@kernel
def solve(
    matrix: Floats, rhs: Floats, n: int, tolerance: float, work: Room, x: Floats
) -> tuple[int, int, float]:
    """Solve y = A x + b, x >= 0, y >= 0, x . y = 0 by the first method that satisfies the judge.

    Parameters
    ----------
    matrix, rhs : (n, n), (n,)
        A and b; left as they are. They may be larger than n.
    n : int
        Number of unknowns.
    tolerance : float
        Bound of `natural_map_error` over the largest scaled right-hand side.
    work : Room
        Made by `room` for at least n unknowns.
    x : (n,)
        The guess (its positive members) on entry, the best answer found on return.

    Returns
    -------
    method, pivots, error : int, int, float
        Method whose answer was taken, or `UNSOLVED`; exchanges and pivots of all methods; error of the answer.
    """
    scale = work.vector[V_SCALE]
    # sums, because a maximum would pass over what is no number
    total = 0.0
    for i in range(n):
        total += abs(rhs[i])
        for j in range(n):
            total += abs(matrix[i, j])
    if not total < np.inf:
        for i in range(n):
            x[i] = 0.0
        return UNSOLVED, 0, np.inf
    diagonal_scale(matrix, n, scale)
    size = 0.0
    for i in range(n):
        size = max(size, abs(rhs[i] * scale[i]))
    bound = tolerance * size
    best = work.vector[V_BEST]
    for i in range(n):
        best[i] = 0.0
    error = natural_map_error(matrix, rhs, n, scale, best)
    method = BLOCK_PIVOTING
    _, pivots = block_pivoting(matrix, rhs, n, 0.0, work, x)
    error = keep_better(matrix, rhs, n, work, x, error)
    if error > bound:
        method = LEMKE
        _, more = lemke(matrix, rhs, n, 0.0, 50 + 20 * n, work, x)
        pivots += more
        error = polish(matrix, rhs, n, work, x, error)
    if error > bound:
        method = SHIFTED_LEMKE
        _, more = lemke(matrix, rhs, n, SHIFT, 50 + 20 * n, work, x)
        pivots += more
        error = polish(matrix, rhs, n, work, x, error)
    if error > bound:
        method = GAUSS_SEIDEL
        for i in range(n):
            x[i] = max(best[i], 0.0)
        if gauss_seidel(matrix, rhs, n, SWEEPS, x):
            error = polish(matrix, rhs, n, work, x, error)
    for i in range(n):
        x[i] = best[i]
    if not error <= bound:
        method = UNSOLVED
    return method, pivots, error
