"""Projected Gauss-Seidel on a dense contact problem: slow, but it needs no pivot and no regular matrix."""

from __future__ import annotations

import numpy as np

from linkwright.kernels.jit import inner_kernel
from linkwright.kernels.lcp.problem import DISC, FIRST, IMPULSE, LAW, MU, RHO, XI, Problem


@inner_kernel
def sweep(p: Problem, nc: int) -> None:
    """Solve each contact in turn for the present impulses of the others; `xi` belongs to `impulse` and follows it."""
    n = p.contact[nc, FIRST]
    for c in range(nc):
        r = p.contact[c, FIRST]
        blocked = 1e-9 * p.number[c, RHO]
        if p.g[r, r] > blocked:
            change = max(p.vector[IMPULSE, r] - p.vector[XI, r] / p.g[r, r], 0.0) - p.vector[IMPULSE, r]
            p.vector[IMPULSE, r] += change
            for k in range(n):
                p.vector[XI, k] += p.g[r, k] * change
        width = p.number[c, MU] * p.vector[IMPULSE, r]
        if p.contact[c, LAW] == DISC:
            # the step is one over the largest eigenvalue of the block, or a little less
            size = max(p.g[r + 1, r + 1], p.g[r + 2, r + 2]) + abs(p.g[r + 1, r + 2])
            if size > blocked:
                a = p.vector[IMPULSE, r + 1] - p.vector[XI, r + 1] / size
                b = p.vector[IMPULSE, r + 2] - p.vector[XI, r + 2] / size
                length = np.sqrt(a * a + b * b)
                if length > width:
                    a *= width / length
                    b *= width / length
                a -= p.vector[IMPULSE, r + 1]
                b -= p.vector[IMPULSE, r + 2]
                p.vector[IMPULSE, r + 1] += a
                p.vector[IMPULSE, r + 2] += b
                for k in range(n):
                    p.vector[XI, k] += p.g[r + 1, k] * a + p.g[r + 2, k] * b
        else:
            for t in range(r + 1, p.contact[c + 1, FIRST]):
                if p.g[t, t] > blocked:
                    change = (
                        min(max(p.vector[IMPULSE, t] - p.vector[XI, t] / p.g[t, t], -width), width)
                        - p.vector[IMPULSE, t]
                    )
                    p.vector[IMPULSE, t] += change
                    for k in range(n):
                        p.vector[XI, k] += p.g[t, k] * change
