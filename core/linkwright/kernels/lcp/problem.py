"""The contact problem of one step in numbers, and the error function that judges every answer.

With impulses L and contact velocities xi = G L + c (restitution is part of c, theory section 2) each contact asks

    normal                0 <= L_N  perp  xi_N >= 0
    tangent, BOX          L_T in [-mu L_N, mu L_N],  xi_T > 0: L_T = -mu L_N,  xi_T < 0: L_T = +mu L_N
    tangents, DISC        |L_T| <= mu L_N,  xi_T != 0: L_T = -mu L_N xi_T / |xi_T|

A planar contact has one BOX row, a frictionless one none. In space DISC is the circular cone (two rows), and several
BOX rows along directions pi / m apart span a polyhedral cone of 2 m sides.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from linkwright.kernels.jit import inner_kernel, kernel
from linkwright.kernels.layout import Floats, Ints

BOX: Final = 0
DISC: Final = 1
SQUARE: Final = 2
"""A disc treated for a while as two intervals."""

# --- states of a normal row
OPEN: Final = 0
CLOSED: Final = 1
# --- states of a tangential row; for DISC only its first row has one, STICK or SLIP
STICK: Final = 0
SLIP: Final = 1
SLIP_BACK: Final = -1

STILL: Final = 1e-13
"""Part of the largest velocity below which a number is taken for rounding."""


# --- rows of `Problem.vector`
FREE: Final = 0  # contact velocity at zero impulses, restitution included [m/s]
IMPULSE: Final = 1  # [N s]
XI: Final = 2  # contact velocity of those impulses [m/s]
BEST: Final = 3  # best impulses met so far
BEFORE: Final = 4  # contact velocity before the step, for the one who poses the problem [m/s]
VECTORS: Final = 5

# --- columns of `Problem.contact` and `Problem.number`
FIRST: Final = 0  # first row of the contact; one entry behind the last contact ends the rows
LAW: Final = 1
MU: Final = 0  # half width of the friction interval, or radius of the disc, over the normal impulse
RHO: Final = 1  # largest diagonal entry of g over the rows of the contact: turns its impulses into velocities


class Problem(NamedTuple):
    """A contact problem; the rows of a contact stand together, normal first.

    Few arrays, because each costs every call that takes the problem.

    Attributes
    ----------
    g : (n, n) inverse inertia seen by the rows, joints eliminated [1/kg]
    vector : (VECTORS, n)
    state : (n,) states of the rows: the guess on entry, those of the answer on return
    contact : (nc + 1, 2) first row and law of each contact
    number : (nc, 2) friction and scale of each contact
    """

    g: Floats
    vector: Floats
    state: Ints
    contact: Ints
    number: Floats


def problem_room(n_contact: int, n_row: int) -> Problem:
    """Allocate a problem of up to so many contacts and rows."""
    n, nc = max(n_row, 1), max(n_contact, 1)
    return Problem(
        np.zeros((n, n)),
        np.zeros((VECTORS, n)),
        np.zeros(n, np.int64),
        np.zeros((nc + 1, 2), np.int64),
        np.zeros((nc, 2)),
    )


@kernel
def scale_contacts(p: Problem, nc: int) -> float:
    """Fill `rho`; returns the largest velocity at zero impulses, the measure of all errors."""
    top = 0.0
    size = 0.0
    total = 0.0
    for c in range(nc):
        rho = 0.0
        for r in range(p.contact[c, FIRST], p.contact[c + 1, FIRST]):
            rho = max(rho, p.g[r, r])
            size = max(size, abs(p.vector[FREE, r]))
            total += abs(p.vector[FREE, r]) + abs(p.g[r, r])
        p.number[c, RHO] = rho
        top = max(top, rho)
    for c in range(nc):
        # a contact that nothing can move: any scale serves
        p.number[c, RHO] = max(p.number[c, RHO], 1e-12 * top, 1e-300)
    # a maximum passes over what is no number, a sum does not
    return size if total < np.inf else np.inf


@inner_kernel
def velocities(p: Problem, nc: int) -> None:
    """Compute xi = G L + c."""
    n = p.contact[nc, FIRST]
    for r in range(n):
        p.vector[XI, r] = p.vector[FREE, r]
    for s in range(n):
        x = p.vector[IMPULSE, s]
        if x != 0.0:
            for r in range(n):
                p.vector[XI, r] += p.g[s, r] * x


@inner_kernel
def natural_map_error(p: Problem, nc: int) -> float:
    """Distance of the impulses from a fixed point of the natural map, as a velocity [m/s]; zero at a solution only.

    The map is L_N = max(L_N - xi_N / rho, 0), L_T = projection of L_T - xi_T / rho on the friction interval or disc
    of that L_N (Alart, Curnier 1991). `xi` must belong to `impulse`.
    """
    error = 0.0
    total = 0.0
    for c in range(nc):
        r = p.contact[c, FIRST]
        rho = p.number[c, RHO]
        normal = rho * p.vector[IMPULSE, r]
        total += abs(normal) + abs(p.vector[XI, r])
        error = max(error, abs(min(normal, p.vector[XI, r])))
        width = p.number[c, MU] * max(normal, 0.0)
        if p.contact[c, LAW] == DISC:
            a = rho * p.vector[IMPULSE, r + 1]
            b = rho * p.vector[IMPULSE, r + 2]
            ta = a - p.vector[XI, r + 1]
            tb = b - p.vector[XI, r + 2]
            size = np.sqrt(ta * ta + tb * tb)
            total += size
            part = width / size if size > width else 1.0
            error = max(error, abs(a - part * ta), abs(b - part * tb))
        else:
            for t in range(r + 1, p.contact[c + 1, FIRST]):
                a = rho * p.vector[IMPULSE, t]
                total += abs(a) + abs(p.vector[XI, t])
                error = max(error, abs(a - min(max(a - p.vector[XI, t], -width), width)))
    return error if total < np.inf else np.inf
