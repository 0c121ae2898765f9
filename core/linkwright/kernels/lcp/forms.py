"""A contact problem with friction intervals written as a standard LCP, in two ways, and its answer read back.

All unknowns are velocities: impulses are multiplied by rho of their contact. Without that scaling pivoting methods fail
on thousands of ordinary steps.
"""

from __future__ import annotations

from linkwright.kernels.jit import kernel
from linkwright.kernels.layout import Floats
from linkwright.kernels.lcp.problem import Problem


@kernel
def glocker_size(p: Problem, nc: int) -> int:
    """Unknowns of the form of Glocker: one per contact and two per friction interval."""
    return int(2 * p.first[nc] - nc)


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
        for row in range(p.first[c], p.first[c + 1]):
            rhs[i] = p.free[row]
            j = 0
            for d in range(nc):
                first = p.first[d]
                unit = 1.0 / p.rho[d]
                value = p.g[row, first]
                for t in range(first + 1, p.first[d + 1]):
                    value -= p.mu[d] * p.g[row, t]
                    matrix[i, j + 2 * (t - first) - 1] = p.g[row, t] * unit
                matrix[i, j] = value * unit
                j += 2 * (p.first[d + 1] - first) - 1
            if row == p.first[c]:
                normal = i
                i += 1
            else:
                matrix[i, i + 1] = 1.0
                matrix[i + 1, normal] = 2.0 * p.mu[c]
                matrix[i + 1, i] = -1.0
                i += 2


@kernel
def read_glocker(p: Problem, nc: int, x: Floats) -> None:
    """Set the impulses from the unknowns of `write_glocker`."""
    i = 0
    for c in range(nc):
        first = p.first[c]
        unit = 1.0 / p.rho[c]
        normal = x[i] * unit
        p.impulse[first] = normal
        i += 1
        for t in range(first + 1, p.first[c + 1]):
            p.impulse[t] = x[i] * unit - p.mu[c] * normal
            i += 2


@kernel
def stewart_size(p: Problem, nc: int) -> int:
    """Unknowns of the form of Stewart and Trinkle: one per contact and three per friction interval."""
    return int(3 * p.first[nc] - 2 * nc)


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
        for row in range(p.first[c], p.first[c + 1]):
            tangent = row > p.first[c]
            rhs[i] = p.free[row]
            if tangent:
                rhs[i + 1] = -p.free[row]
            j = 0
            for d in range(nc):
                first = p.first[d]
                unit = 1.0 / p.rho[d]
                for s in range(first, p.first[d + 1]):
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
                matrix[i + 2, normal] = p.mu[c]
                matrix[i + 2, i] = -1.0
                matrix[i + 2, i + 1] = -1.0
                i += 3


@kernel
def read_stewart(p: Problem, nc: int, x: Floats) -> None:
    """Set the impulses from the unknowns of `write_stewart`."""
    i = 0
    for c in range(nc):
        first = p.first[c]
        unit = 1.0 / p.rho[c]
        p.impulse[first] = x[i] * unit
        i += 1
        for t in range(first + 1, p.first[c + 1]):
            p.impulse[t] = (x[i] - x[i + 1]) * unit
            i += 3
