"""Many evaluations in one compiled call, for measurements: the call itself then costs nothing."""

from __future__ import annotations

from linkwright.kernels.jit import kernel
from linkwright.kernels.layout import Floats, Ints
from linkwright.kernels.tree import ltdl, sweep
from linkwright.kernels.tree.layout import SOLVER_LTDL
from linkwright.kernels.tree.outward import outward


@kernel
def evaluate_often(
    tree_int: Ints, tree_real: Floats, q: Floats, v: Floats, a: Floats, work: Floats, solver: int, n: int
) -> None:
    """Find all accelerations n times at the same state: kinematics, elimination, answers."""
    for _ in range(n):
        outward(tree_int, tree_real, q, v, a, work)
        if solver == SOLVER_LTDL:
            ltdl.eliminate(tree_int, tree_real, work)
            ltdl.answer(tree_int, work, a)
        else:
            sweep.eliminate(tree_int, tree_real, work)
            sweep.answer(tree_int, work, a)


@kernel
def solve_often(tree_int: Ints, tree_real: Floats, a: Floats, work: Floats, solver: int, n: int) -> None:
    """Eliminate and answer n times after one `outward`."""
    for _ in range(n):
        if solver == SOLVER_LTDL:
            ltdl.eliminate(tree_int, tree_real, work)
            ltdl.answer(tree_int, work, a)
        else:
            sweep.eliminate(tree_int, tree_real, work)
            sweep.answer(tree_int, work, a)
