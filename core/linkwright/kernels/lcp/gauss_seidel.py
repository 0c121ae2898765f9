"""Projected Gauss-Seidel on a dense contact problem: slow, but it needs no pivot and no regular matrix."""

from __future__ import annotations

import numpy as np

from linkwright.kernels.jit import kernel
from linkwright.kernels.lcp.problem import DISC, Problem


@kernel
def sweep(p: Problem, nc: int) -> None:
    """Solve each contact in turn for the present impulses of the others; `xi` belongs to `impulse` and follows it."""
    n = p.first[nc]
    for c in range(nc):
        r = p.first[c]
        blocked = 1e-9 * p.rho[c]
        if p.g[r, r] > blocked:
            change = max(p.impulse[r] - p.xi[r] / p.g[r, r], 0.0) - p.impulse[r]
            p.impulse[r] += change
            for k in range(n):
                p.xi[k] += p.g[r, k] * change
        width = p.mu[c] * p.impulse[r]
        if p.law[c] == DISC:
            # the step is one over the largest eigenvalue of the block, or a little less
            size = max(p.g[r + 1, r + 1], p.g[r + 2, r + 2]) + abs(p.g[r + 1, r + 2])
            if size > blocked:
                a = p.impulse[r + 1] - p.xi[r + 1] / size
                b = p.impulse[r + 2] - p.xi[r + 2] / size
                length = np.sqrt(a * a + b * b)
                if length > width:
                    a *= width / length
                    b *= width / length
                a -= p.impulse[r + 1]
                b -= p.impulse[r + 2]
                p.impulse[r + 1] += a
                p.impulse[r + 2] += b
                for k in range(n):
                    p.xi[k] += p.g[r + 1, k] * a + p.g[r + 2, k] * b
        else:
            for t in range(r + 1, p.first[c + 1]):
                if p.g[t, t] > blocked:
                    change = min(max(p.impulse[t] - p.xi[t] / p.g[t, t], -width), width) - p.impulse[t]
                    p.impulse[t] += change
                    for k in range(n):
                        p.xi[k] += p.g[t, k] * change
