"""A contact problem with friction intervals written as a standard LCP, in two ways, and its answer read back.

All unknowns are velocities: impulses are multiplied by rho of their contact. Without that scaling pivoting methods fail
on thousands of ordinary steps.
"""

from __future__ import annotations

from linkwright.kernels.jit import kernel
from linkwright.kernels.layout import Floats
from linkwright.kernels.lcp.problem import FIRST, FREE, IMPULSE, MU, RHO, Problem


@kernel
def glocker_size(p: Problem, nc: int) -> int:
    """Unknowns of the form of Glocker: one per contact and two per friction interval."""
    return int(2 * p.contact[nc, FIRST] - nc)


@kernel
def write_glocker(p: Problem, nc: int, matrix: Floats, rhs: Floats) -> None:
    """Write y = A x + b with y = (xi_N, xi_R, L_L), x = (L_N, L_R, xi_L) (Glocker, Studer 2005; theory section 3).

    L_R = mu L_N + L_T, L_L = mu L_N - L_T, xi_T = xi_R - xi_L. The rows of a contact stand together: its normal, then
    for each interval a pair (xi_R, L_L).
    """
    n = glocker_size(p, nc)
    for i in range(n):
        rhs[i] = 0.0
        for j in range(n):
            matrix[i, j] = 0.0
    i = 0
    for c in range(nc):
        for row in range(p.contact[c, FIRST], p.contact[c + 1, FIRST]):
            rhs[i] = p.vector[FREE, row]
            j = 0
            for d in range(nc):
                first = p.contact[d, FIRST]
                unit = 1.0 / p.number[d, RHO]
                value = p.g[row, first]
                for t in range(first + 1, p.contact[d + 1, FIRST]):
                    value -= p.number[d, MU] * p.g[row, t]
                    matrix[i, j + 2 * (t - first) - 1] = p.g[row, t] * unit
                matrix[i, j] = value * unit
                j += 2 * (p.contact[d + 1, FIRST] - first) - 1
            if row == p.contact[c, FIRST]:
                normal = i
                i += 1
            else:
                matrix[i, i + 1] = 1.0
                matrix[i + 1, normal] = 2.0 * p.number[c, MU]
                matrix[i + 1, i] = -1.0
                i += 2


@kernel
def read_glocker(p: Problem, nc: int, x: Floats) -> None:
    """Set the impulses from the unknowns of `write_glocker`."""
    i = 0
    for c in range(nc):
        first = p.contact[c, FIRST]
        unit = 1.0 / p.number[c, RHO]
        normal = x[i] * unit
        p.vector[IMPULSE, first] = normal
        i += 1
        for t in range(first + 1, p.contact[c + 1, FIRST]):
            p.vector[IMPULSE, t] = x[i] * unit - p.number[c, MU] * normal
            i += 2


@kernel
def stewart_size(p: Problem, nc: int) -> int:
    """Unknowns of the form of Stewart and Trinkle: one per contact and three per friction interval."""
    return int(3 * p.contact[nc, FIRST] - 2 * nc)


@kernel
def write_stewart(p: Problem, nc: int, matrix: Floats, rhs: Floats) -> None:
    """Write the form of Stewart and Trinkle (1996), x = (L_N, L_+, L_-, lambda) with L_T = L_+ - L_-.

    Its matrix is copositive, so Lemke's method ends with an answer where the other form may end on a ray. Rows of an
    interval are lambda + xi_T, lambda - xi_T and mu L_N - L_+ - L_-.
    """
    n = stewart_size(p, nc)
    for i in range(n):
        rhs[i] = 0.0
        for j in range(n):
            matrix[i, j] = 0.0
    i = 0
    for c in range(nc):
        for row in range(p.contact[c, FIRST], p.contact[c + 1, FIRST]):
            tangent = row > p.contact[c, FIRST]
            rhs[i] = p.vector[FREE, row]
            if tangent:
                rhs[i + 1] = -p.vector[FREE, row]
            j = 0
            for d in range(nc):
                first = p.contact[d, FIRST]
                unit = 1.0 / p.number[d, RHO]
                for s in range(first, p.contact[d + 1, FIRST]):
                    value = p.g[row, s] * unit
                    matrix[i, j] = value
                    if tangent:
                        matrix[i + 1, j] = -value
                    if s > first:
                        matrix[i, j + 1] = -value
                        if tangent:
                            matrix[i + 1, j + 1] = value
                        j += 3
                    else:
                        j += 1
            if not tangent:
                normal = i
                i += 1
            else:
                matrix[i, i + 2] = 1.0
                matrix[i + 1, i + 2] = 1.0
                matrix[i + 2, normal] = p.number[c, MU]
                matrix[i + 2, i] = -1.0
                matrix[i + 2, i + 1] = -1.0
                i += 3


@kernel
def read_stewart(p: Problem, nc: int, x: Floats) -> None:
    """Set the impulses from the unknowns of `write_stewart`."""
    i = 0
    for c in range(nc):
        first = p.contact[c, FIRST]
        unit = 1.0 / p.number[c, RHO]
        p.vector[IMPULSE, first] = x[i] * unit
        i += 1
        for t in range(first + 1, p.contact[c + 1, FIRST]):
            p.vector[IMPULSE, t] = (x[i] - x[i + 1]) * unit
            i += 3
