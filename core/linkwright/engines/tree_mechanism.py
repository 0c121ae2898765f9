"""A compiled mechanism as a tree: which joints carry bodies, which close loops, joint coordinates of a pose."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from linkwright.compiler.model import CompiledModel
from linkwright.elements.motion import FreeRotation, Motion, Rotation, Translation
from linkwright.engines.tree_pose import AXES, joint_coordinates, matrices_of, quaternion_of
from linkwright.engines.tree_tables import GROUND_PARENT, Freedom, TreeBody, TreeTables, make_tables
from linkwright.kernels.layout import (
    BODY_J,
    BODY_MASS,
    BODY_ORIGIN,
    DOT1,
    LOAD_BODY,
    LOAD_IN_BODY,
    LOAD_POINT,
    LOAD_VECTOR,
    PRIM_AXIS,
    PRIM_CODE,
    PRIM_I,
    PRIM_J,
    PRIM_ROW,
    PRIM_UI,
    PRIM_UJ,
    SDA_I,
    SDA_J,
    SDA_UI,
    SDA_UJ,
    Floats,
    Ints,
    Tables,
)
from linkwright.kernels.tree.layout import (
    BALL,
    O_COLUMNS,
    O_FRAME,
    O_POINT,
    O_TURN,
    SLIDE,
    T_LOADED,
    T_Q,
    T_V,
    TURN,
    TreeModel,
)

AnyArray = TypeVar("AnyArray", Floats, Ints)


@dataclass(frozen=True, slots=True)
class Carrier:
    """How a body hangs on its parent.

    Attributes
    ----------
    parent : int
        Body index, or `GROUND_PARENT`.
    joint : int or None
        Index of the inboard joint; None for a body that floats.
    motion : tuple of Motion
        From the parent outward.
    parent_end, own_end : int
        End of the joint (0 for i, 1 for j) on the parent and on the body.
    """

    parent: int
    joint: int | None
    motion: tuple[Motion, ...]
    parent_end: int
    own_end: int


@dataclass(frozen=True)
class TreeMechanism:
    """A mechanism laid out for the tree kernels.

    Attributes
    ----------
    model : CompiledModel
    carriers : tuple of Carrier
        One per body.
    order : tuple of int
        Bodies, parents first.
    loops : tuple of int
        Indices of the joints that close loops.
    axes, origins : (n_body + 1, 3, 3), (n_body + 1, 3)
        Tree frames in body axes: axes as columns, origin seen from the mass centre; the ground comes last.
    tables : TreeTables
    kernel_model : TreeModel
    """

    model: CompiledModel
    carriers: tuple[Carrier, ...]
    order: tuple[int, ...]
    loops: tuple[int, ...]
    axes: Floats
    origins: Floats
    tables: TreeTables
    kernel_model: TreeModel

    @property
    def n_loop(self) -> int:
        """Number of loop rows."""
        return int(self.kernel_model.loop_rows.size)


def span(model: CompiledModel) -> tuple[tuple[Carrier, ...], tuple[int, ...], tuple[int, ...]]:
    """Choose the joints of the tree, breadth first from the ground and in document order.

    Joints without a motion of their own, and those whose bodies hang together already, are left to close loops. Bodies
    that no joint of the tree reaches float.

    Returns
    -------
    carriers, order, loops
        As in `TreeMechanism`.
    """
    ground = model.n_body
    touching: list[list[int]] = [[] for _ in range(ground + 1)]
    for index, link in enumerate(model.joints):
        if link.motion is not None:
            touching[link.i].append(index)
            touching[link.j].append(index)
    carriers: list[Carrier | None] = [None] * ground
    order: list[int] = []
    used: set[int] = set()
    for root in (ground, *range(ground)):
        if root != ground:
            if carriers[root] is not None:
                continue
            carriers[root] = Carrier(GROUND_PARENT, None, (), 0, 0)
            order.append(root)
        front = deque([root])
        while front:
            body = front.popleft()
            for index in touching[body]:
                link = model.joints[index]
                other = link.j if link.i == body else link.i
                if other == ground or carriers[other] is not None:
                    continue
                motion = link.motion or ()
                parent = GROUND_PARENT if body == ground else body
                # the recipe leads from j to i
                if link.i == other:
                    carriers[other] = Carrier(parent, index, motion, 1, 0)
                else:
                    carriers[other] = Carrier(parent, index, motion[::-1], 0, 1)
                used.add(index)
                order.append(other)
                front.append(other)
    loops = tuple(index for index in range(len(model.joints)) if index not in used)
    return tuple(c for c in carriers if c is not None), tuple(order), loops


def freedom_of(part: Motion) -> Freedom:
    """Kernel description of one part of a recipe."""
    match part:
        case Rotation():
            return Freedom(TURN, AXES[part.axis])
        case Translation():
            return Freedom(SLIDE, AXES[part.axis])
        case FreeRotation():
            return Freedom(BALL)


def is_ball(carrier: Carrier) -> bool:
    """Tell whether a joint is a plain spherical one, whose joint frame can have the axes of the parent."""
    return len(carrier.motion) == 1 and isinstance(carrier.motion[0], FreeRotation)


def lay_out(model: CompiledModel) -> TreeMechanism:
    """Lay a compiled mechanism out as a tree."""
    carriers, order, loops = span(model)
    n_body = model.n_body
    axes = np.tile(np.eye(3), (n_body + 1, 1, 1))
    origins = np.zeros((n_body + 1, 3))
    frames = np.tile(np.eye(3), (n_body, 1, 1))
    bases = np.zeros((n_body, 3))
    for b in order:
        carrier = carriers[b]
        if carrier.joint is None:
            continue
        parent = n_body if carrier.parent == GROUND_PARENT else carrier.parent
        base, base_axes = _end(model, carrier.joint, carrier.parent_end)
        own, own_axes = _end(model, carrier.joint, carrier.own_end)
        frame = axes[parent].T @ base_axes
        bases[b] = axes[parent].T @ (base - origins[parent])
        origins[b] = own
        if is_ball(carrier):
            axes[b] = own_axes @ frame.T
        else:
            frames[b] = frame
            axes[b] = own_axes
    bodies = [
        _tree_body(model, b, carriers[b], frames[b], bases[b], axes[b], origins[b]) for b in range(n_body)
    ]
    tables = make_tables(bodies)
    kernel_model = _kernel_model(model, carriers, loops, tables, frames, axes, origins)
    return TreeMechanism(model, carriers, order, loops, axes, origins, tables, kernel_model)


def _end(model: CompiledModel, joint: int, end: int) -> tuple[Floats, Floats]:
    """Origin from the mass centre and axes as columns of one end of a joint, body axes."""
    row = model.joint_frames[joint, end]
    return row[:3], row[3:].reshape(3, 3)


def _tree_body(
    model: CompiledModel,
    b: int,
    carrier: Carrier,
    frame: Floats,
    base: Floats,
    axes: Floats,
    origin: Floats,
) -> TreeBody:
    row = model.tables.body[b]
    mass = float(row[BODY_MASS])
    xx, yy, zz, xy, xz, yz = row[BODY_J : BODY_J + 6]
    about_centre = axes.T @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ axes
    centre = -axes.T @ origin
    inertia = about_centre + mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    return TreeBody(
        parent=carrier.parent,
        freedoms=tuple(freedom_of(part) for part in carrier.motion),
        frame=frame,
        base=base,
        mass=mass,
        moment=mass * centre,
        inertia=inertia,
        floating=carrier.joint is None,
    )


def _kernel_model(
    model: CompiledModel,
    carriers: tuple[Carrier, ...],
    loops: tuple[int, ...],
    tables: TreeTables,
    frames: Floats,
    axes: Floats,
    origins: Floats,
) -> TreeModel:
    n_body = model.n_body
    place = np.zeros((n_body + 1, O_COLUMNS))
    body_of = np.full(n_body + 1, -1, np.int64)
    scalars: list[tuple[int, int]] = []
    balls: list[tuple[int, int]] = []
    for b in range(n_body):
        row = int(tables.rows[b])
        body_of[row] = b
        place[row, O_FRAME : O_FRAME + 4] = quaternion_of(frames[b])
        to_origin = model.tables.body[b, BODY_ORIGIN : BODY_ORIGIN + 3] - origins[b]
        place[row, O_POINT : O_POINT + 3] = axes[b].T @ to_origin
        place[row, O_TURN : O_TURN + 4] = quaternion_of(axes[b].T)
        n, m = int(tables.tree_int[row, T_Q]), int(tables.tree_int[row, T_V])
        motion: tuple[Motion, ...] = carriers[b].motion
        if carriers[b].joint is None:
            motion = (*(Translation(name) for name in ("x", "y", "z")), FreeRotation())
        for part in motion:
            (balls if isinstance(part, FreeRotation) else scalars).append((n, m))
            n, m = (n + 4, m + 3) if isinstance(part, FreeRotation) else (n + 1, m + 1)
    loop_tables, loop_rows = _tables_in_tree_frames(model, loops, tables, axes, origins)
    loaded = any(t.shape[0] > 0 for t in (loop_tables.sda_int, loop_tables.force_int, loop_tables.torque_int))
    tree_int = tables.tree_int.copy()
    tree_int[0, T_LOADED] = int(loaded)
    return TreeModel(
        tree_int=_read_only(tree_int),
        tree_real=tables.tree_real,
        place_real=_read_only(place),
        body_of=_read_only(body_of),
        scalars=_read_only(np.array(scalars, np.int64).reshape(-1, 2)),
        balls=_read_only(np.array(balls, np.int64).reshape(-1, 2)),
        loop_rows=_read_only(loop_rows),
        tables=loop_tables,
    )


def _tables_in_tree_frames(
    model: CompiledModel, loops: tuple[int, ...], tables: TreeTables, axes: Floats, origins: Floats
) -> tuple[Tables, Ints]:
    """Force elements and loop primitives with tree rows for bodies, points and vectors in tree frames.

    Also gives the constraint row of the mechanism behind each loop row.
    """
    t = model.tables
    row_of = np.append(tables.rows, 0)

    def point(b: int, u: Floats) -> Floats:
        return np.asarray(axes[b].T @ (u - origins[b]))

    def vector(b: int, u: Floats) -> Floats:
        return np.asarray(axes[b].T @ u)

    def columns(k: int) -> slice:
        return slice(k, k + 3)

    sda_int, sda_real = t.sda_int.copy(), t.sda_real.copy()
    for n in range(len(sda_int)):
        for end, place in ((SDA_I, SDA_UI), (SDA_J, SDA_UJ)):
            b = int(t.sda_int[n, end])
            sda_int[n, end] = row_of[b]
            sda_real[n, columns(place)] = point(b, t.sda_real[n, columns(place)])
    loads = []
    for ints, reals in ((t.force_int, t.force_real), (t.torque_int, t.torque_real)):
        new_int, new_real = ints.copy(), reals.copy()
        for n in range(len(ints)):
            b = int(ints[n, LOAD_BODY])
            new_int[n, LOAD_BODY] = row_of[b]
            new_real[n, columns(LOAD_POINT)] = point(b, reals[n, columns(LOAD_POINT)])
            if ints[n, LOAD_IN_BODY]:
                new_real[n, columns(LOAD_VECTOR)] = vector(b, reals[n, columns(LOAD_VECTOR)])
        loads.append((new_int, new_real))
    chosen: list[int] = []
    loop_rows: list[int] = []
    firsts: list[int] = []
    for joint in loops:
        link = model.joints[joint]
        for p in np.unique(model.row_prim[link.first : link.stop]):
            rows = np.flatnonzero(model.row_prim == p)
            chosen.append(int(p))
            firsts.append(len(loop_rows))
            loop_rows.extend(int(row) for row in rows)
    prim_int, prim_real = t.prim_int[chosen].copy(), t.prim_real[chosen].copy()
    for n in range(len(chosen)):
        i, j = int(prim_int[n, PRIM_I]), int(prim_int[n, PRIM_J])
        is_axis = prim_int[n, PRIM_CODE] == DOT1
        for b, place in ((i, PRIM_UI), (j, PRIM_UJ)):
            u = prim_real[n, columns(place)].copy()
            prim_real[n, columns(place)] = vector(b, u) if is_axis else point(b, u)
        prim_real[n, columns(PRIM_AXIS)] = vector(j, prim_real[n, columns(PRIM_AXIS)].copy())
        prim_int[n, PRIM_I], prim_int[n, PRIM_J] = row_of[i], row_of[j]
        prim_int[n, PRIM_ROW] = firsts[n]
    out = t._replace(
        prim_int=_read_only(prim_int),
        prim_real=_read_only(prim_real),
        sda_int=_read_only(sda_int),
        sda_real=_read_only(sda_real),
        force_int=_read_only(loads[0][0]),
        force_real=_read_only(loads[0][1]),
        torque_int=_read_only(loads[1][0]),
        torque_real=_read_only(loads[1][1]),
    )
    return out, np.array(loop_rows, np.int64)


def _read_only(array: AnyArray) -> AnyArray:
    array.setflags(write=False)
    return array


def coordinates_of(mechanism: TreeMechanism, poses: Floats) -> Floats:
    """Joint coordinates q of given poses (n_body, 7) of the body frames, see `engines.state.Frame`.

    What the joints do not allow is left out: where the drawn ends of a joint do not meet, the outer body moves.
    """
    model = mechanism.model
    n_body = model.n_body
    rots = np.tile(np.eye(3), (n_body + 1, 1, 1))
    points = np.zeros((n_body + 1, 3))
    turns = matrices_of(poses[:, 3:])
    rots[:-1] = turns @ mechanism.axes[:-1]
    to_origin = mechanism.origins[:-1] - model.tables.body[:, BODY_ORIGIN : BODY_ORIGIN + 3]
    points[:-1] = poses[:, :3] + np.einsum("nij,nj->ni", turns, to_origin)
    q = mechanism.tables.make_q()
    for b, carrier in enumerate(mechanism.carriers):
        n = int(mechanism.tables.tree_int[mechanism.tables.rows[b], T_Q])
        if carrier.joint is None:
            q[n : n + 3] = points[b]
            q[n + 3 : n + 7] = quaternion_of(rots[b])
            continue
        parent = n_body if carrier.parent == GROUND_PARENT else carrier.parent
        base, base_axes = _end(model, carrier.joint, carrier.parent_end)
        frame = mechanism.axes[parent].T @ base_axes
        foot = points[parent] + rots[parent] @ (mechanism.axes[parent].T @ (base - mechanism.origins[parent]))
        if is_ball(carrier):
            frame = np.eye(3)
        above = rots[parent] @ frame
        values = joint_coordinates(carrier.motion, above.T @ rots[b], above.T @ (points[b] - foot))
        q[n : n + values.size] = values
    return q
