"""Forces and torques in the joints of a tree, loop-closing joints included."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwright.engines.tree_mechanism import TreeMechanism
from linkwright.kernels.layout import STEP_DONE, Floats
from linkwright.kernels.tree import evaluate, reactions
from linkwright.kernels.tree.layout import (
    FIND_ACCELERATIONS,
    L_I,
    L_J,
    T_DELTA,
    T_LOADED,
    T_ORIGIN,
    T_ROT,
    TreeMotion,
    TreeOptionTables,
    TreeScratch,
)
from linkwright.kernels.tree.loads import apply_loads
from linkwright.kernels.tree.outward import place

if TYPE_CHECKING:
    from linkwright.engines.state import State
    from linkwright.engines.tree import TreeWorkspace


def joint_reactions(work: TreeWorkspace, state: State) -> Floats:
    """Give what every joint does to its body i, at the origin of end i.

    Returns
    -------
    react : (n_joint, 6)
        Force [N] and torque [N m], ground axes; not a number where the accelerations are not determined.
    """
    mechanism = work.mechanism
    motion = TreeMotion(state.q.copy(), state.v, state.a.copy(), state.lam.copy())
    scratch = work.scratch
    options = TreeOptionTables(work.reals, work.ints)
    out = np.full((len(mechanism.model.joints), 6), np.nan)
    status = evaluate.evaluate(work.tables, options, FIND_ACCELERATIONS, motion, scratch)
    if status != STEP_DONE:
        return out
    react = _outer_reactions(mechanism, motion, scratch)
    table = scratch.work
    rows = np.append(mechanism.tables.rows, 0)
    for b, carrier in enumerate(mechanism.carriers):
        if carrier.joint is None:
            continue
        row = int(rows[b])
        torque, force = react[row, :3], react[row, 3:]
        origin = table[row, T_ORIGIN : T_ORIGIN + 3]
        out[carrier.joint] = _at_end_i(
            mechanism, table, carrier.joint, carrier.own_end, torque, force, origin
        )
    for joint in mechanism.loops:
        link = mechanism.model.joints[joint]
        mine = (work.tables.loop_rows >= link.first) & (work.tables.loop_rows < link.stop)
        wrench = -motion.lam[mine] @ scratch.wrench[mine]
        row = int(rows[link.i])
        origin = table[row, T_ORIGIN : T_ORIGIN + 3]
        torque, force = wrench[L_I : L_I + 3], wrench[L_I + 3 : L_I + 6]
        out[joint] = _at_end_i(mechanism, table, joint, 0, torque, force, origin)
    return out


def _outer_reactions(mechanism: TreeMechanism, motion: TreeMotion, scratch: TreeScratch) -> Floats:
    """What each inboard joint does to its body: torque about the origin and force, by tree row."""
    model = mechanism.kernel_model
    table = scratch.work
    lam = motion.lam.copy()
    reactions.spread(model.tree_int, motion.a, table)
    reactions.total(model.tree_int, table)
    place(model.tree_int, motion.v, table)
    apply_loads(model.tree_int, model.tables, table, scratch.bw, scratch.sw)
    for row in range(lam.size):
        for side, place_of in ((0, L_I), (1, L_J)):
            b = int(scratch.bodies[row, side])
            if b > 0:
                table[b, T_DELTA : T_DELTA + 6] -= lam[row] * scratch.wrench[row, place_of : place_of + 6]
    tree_int = model.tree_int.copy()
    tree_int[0, T_LOADED] = 1
    react = np.zeros((mechanism.tables.n_body + 1, 6))
    reactions.reactions(tree_int, model.tree_real, table, react)
    table[0, T_DELTA : T_DELTA + 6] = 0.0
    return react


def _at_end_i(
    mechanism: TreeMechanism,
    table: Floats,
    joint: int,
    end: int,
    torque: Floats,
    force: Floats,
    origin: Floats,
) -> Floats:
    """Refer what a joint does to the body of one end, about `origin`, to body i and the origin of its end."""
    sign = 1.0 if end == 0 else -1.0
    b = mechanism.model.joints[joint].i
    row = 0 if b == mechanism.model.n_body else int(mechanism.tables.rows[b])
    point = mechanism.axes[b].T @ (mechanism.model.joint_frames[joint, 0, :3] - mechanism.origins[b])
    place_i = table[row, T_ORIGIN : T_ORIGIN + 3] + table[row, T_ROT : T_ROT + 9].reshape(3, 3) @ point
    return np.concatenate([sign * force, sign * (torque + np.cross(origin - place_i, force))])
