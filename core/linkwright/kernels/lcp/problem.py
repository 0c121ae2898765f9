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

from linkwright.kernels.jit import kernel
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


class Problem(NamedTuple):
    """A contact problem; the rows of a contact stand together, normal first.

    Attributes
    ----------
    g : (n, n) inverse inertia seen by the rows, joints eliminated [1/kg]
    free : (n,) contact velocity at zero impulses, restitution included [m/s]
    impulse : (n,) [N s]; guess on entry, answer on return
    xi : (n,) contact velocity [m/s]
    state : (n,) states of the rows
    first : (nc + 1,) first row of each contact
    law : (nc,) BOX or DISC
    mu : (nc,) half width of the friction interval, or radius of the disc, over the normal impulse
    rho : (nc,) largest diagonal entry of g over the rows of a contact: turns its impulses into velocities
    """

    g: Floats
    free: Floats
    impulse: Floats
    xi: Floats
    state: Ints
    first: Ints
    law: Ints
    mu: Floats
    rho: Floats


def problem_room(n_contact: int, n_row: int) -> Problem:
    """Allocate a problem of up to so many contacts and rows."""
    n, nc = max(n_row, 1), max(n_contact, 1)
    return Problem(
        np.zeros((n, n)),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n, np.int64),
        np.zeros(nc + 1, np.int64),
        np.zeros(nc, np.int64),
        np.zeros(nc),
        np.zeros(nc),
    )


@kernel
def scale_contacts(p: Problem, nc: int) -> float:
    """Fill `rho`; returns the largest velocity at zero impulses, the measure of all errors."""
    top = 0.0
    size = 0.0
    total = 0.0
    for c in range(nc):
        rho = 0.0
        for r in range(p.first[c], p.first[c + 1]):
            rho = max(rho, p.g[r, r])
            size = max(size, abs(p.free[r]))
            total += abs(p.free[r]) + abs(p.g[r, r])
        p.rho[c] = rho
        top = max(top, rho)
    for c in range(nc):
        # a contact that nothing can move: any scale serves
        p.rho[c] = max(p.rho[c], 1e-12 * top, 1e-300)
    # a maximum passes over what is no number, a sum does not
    return size if total < np.inf else np.inf


@kernel
def velocities(p: Problem, nc: int) -> None:
    """Compute xi = G L + c."""
    n = p.first[nc]
    for r in range(n):
        p.xi[r] = p.free[r]
    for s in range(n):
        x = p.impulse[s]
        if x != 0.0:
            for r in range(n):
                p.xi[r] += p.g[s, r] * x


@kernel
def natural_map_error(p: Problem, nc: int) -> float:
    """Distance of the impulses from a fixed point of the natural map, as a velocity [m/s]; zero at a solution only.

    The map is L_N = max(L_N - xi_N / rho, 0), L_T = projection of L_T - xi_T / rho on the friction interval or disc
    of that L_N (Alart, Curnier 1991). `xi` must belong to `impulse`.
    """
    error = 0.0
    total = 0.0
    for c in range(nc):
        r = p.first[c]
        rho = p.rho[c]
        normal = rho * p.impulse[r]
        total += abs(normal) + abs(p.xi[r])
        error = max(error, abs(min(normal, p.xi[r])))
        width = p.mu[c] * max(normal, 0.0)
        if p.law[c] == DISC:
            a = rho * p.impulse[r + 1]
            b = rho * p.impulse[r + 2]
            ta = a - p.xi[r + 1]
            tb = b - p.xi[r + 2]
            size = np.sqrt(ta * ta + tb * tb)
            total += size
            part = width / size if size > width else 1.0
            error = max(error, abs(a - part * ta), abs(b - part * tb))
        else:
            for t in range(r + 1, p.first[c + 1]):
                a = rho * p.impulse[t]
                total += abs(a) + abs(p.xi[t])
                error = max(error, abs(a - min(max(a - p.xi[t], -width), width)))
    return error if total < np.inf else np.inf
