"""Uniform gravity at the mass centres."""

from __future__ import annotations

from linkwright.kernels.jit import inner_kernel
from linkwright.kernels.layout import B_R, B_RES, BODY_MASS, Floats


@inner_kernel
def residual(body: Floats, gravity: Floats, bw: Floats) -> float:
    """Add -m g to the residual; returns the largest weight."""
    largest = 0.0
    for b in range(body.shape[0]):
        for k in range(3):
            f = body[b, BODY_MASS] * gravity[k]
            bw[b, B_RES + k] -= f
            largest = max(largest, abs(f))
    return largest


@inner_kernel
def energy(body: Floats, gravity: Floats, bw: Floats) -> float:
    """Potential energy -sum m g . R, zero at the origin of the ground [J]."""
    total = 0.0
    for b in range(body.shape[0]):
        for k in range(3):
            total -= body[b, BODY_MASS] * gravity[k] * bw[b, B_R + k]
    return total
