"""Placing bodies and joint rows, in space or in a plane, and moving bodies back onto their joints."""

from __future__ import annotations

from linkwright.kernels.jit import inner_kernel, kernel
from linkwright.kernels.layout import Floats, Ints
from linkwright.kernels.lcp import planar, schur, spatial
from linkwright.kernels.lcp.layout import OUT_WORST, V_PHI, Bench, Machine


@kernel
def place_all(
    machine: Machine, q: Floats, u: Floats, h: float, out: Floats, placed: Floats, dim: tuple[int, ...]
) -> None:
    """Move all bodies for a time h with constant velocities and place them."""
    if len(dim) == 6:
        spatial.drift(machine.body, q, u, h, out, placed)
    else:
        planar.drift(machine.body, q, u, h, out, placed)


@inner_kernel
def residuals(machine: Machine, work: Bench, dim: tuple[int, ...]) -> float:
    """Write the residuals of the joint rows at the placed bodies; returns the largest."""
    if len(dim) == 6:
        return spatial.residuals(machine.prim_int, machine.prim_real, work.placed, work.vector[V_PHI])
    return planar.residuals(machine.prim_int, machine.prim_real, work.placed, work.vector[V_PHI])


@inner_kernel
def place_rows(machine: Machine, u: Floats, h: float, work: Bench, dim: tuple[int, ...]) -> int:
    """Write the joint rows and springs at the placed bodies; returns -1 - s at an SDA s without length."""
    if len(dim) == 6:
        return spatial.place_rows(
            machine.body, machine.prim_int, machine.prim_real, work.placed, u, h, work.rows, work.sda
        )
    return planar.place_rows(
        machine.body, machine.prim_int, machine.prim_real, work.placed, u, h, work.rows, work.sda
    )


@inner_kernel
def put_shift(machine: Machine, work: Bench, dim: tuple[int, ...]) -> None:
    """Move the bodies at `work.end` by the least movement in the mass metric that takes `V_PHI` away to first order."""
    phi = work.vector[V_PHI]
    for r in range(phi.size):
        phi[r] = -phi[r]
    schur.solve_rows(machine.row_int, work.matrix, work.vector, phi)
    # the free velocities are needed no more: their place holds the displacement
    shift = work.u_free
    for b in range(shift.shape[0]):
        for k in range(len(dim)):
            shift[b, k] = 0.0
    schur.add_rows(machine.row_int, work.rows, phi, shift, dim)
    place_all(machine, work.end, shift, 1.0, work.end, work.placed, dim)


@inner_kernel
def find_worst(phi: Floats, out: Ints) -> None:
    """Name the row with the largest residual."""
    out[OUT_WORST] = -1
    worst = 0.0
    for r in range(phi.size):
        if abs(phi[r]) > worst:
            worst = abs(phi[r])
            out[OUT_WORST] = r
