"""Tables of the tree kernels from a list of bodies, each behind one joint of up to six freedoms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from linkwright.kernels.layout import Floats, Ints
from linkwright.kernels.tree.layout import (
    BALL,
    COLUMNS,
    FIXED,
    FREE,
    HAND_GROUND,
    HAND_ON,
    PRISMATIC,
    REVOLUTE,
    SLIDE,
    SPHERICAL,
    T_ACCEL,
    T_AXIS,
    T_BASE,
    T_BODIES,
    T_COLLECT,
    T_COORDINATE,
    T_DRIVEN,
    T_FIRST,
    T_FRAME,
    T_FREEDOMS,
    T_HAND,
    T_INERTIA,
    T_INT,
    T_JOINT,
    T_KIND,
    T_LOADED,
    T_MASS,
    T_MOMENT,
    T_PARENT,
    T_PITCH,
    T_Q,
    T_RATE,
    T_REAL,
    T_ROT,
    T_V,
    T_WORK,
    TURN,
)

GROUND_PARENT = -1


@dataclass(frozen=True, slots=True)
class Freedom:
    """One freedom of a joint, or the three of a ball.

    Attributes
    ----------
    kind : int
        `TURN`, `SLIDE` or `BALL` of `linkwright.kernels.tree.layout`.
    axis : int
        0, 1 or 2: axis of the frame reached by the freedoms before.
    pitch : float
        Travel along the axis per radian of a turn [m/rad].
    driven : bool
        Coordinate, rate and acceleration are given.
    """

    kind: int
    axis: int = 2
    pitch: float = 0.0
    driven: bool = False


@dataclass(frozen=True, slots=True)
class TreeBody:
    """A body and its inboard joint. Its tree frame is the frame that the joint moves.

    Attributes
    ----------
    parent : int
        Index in the list of bodies, or `GROUND_PARENT`; a parent may stand behind its child.
    freedoms : tuple of Freedom
        From the parent outward; empty for a weld.
    frame : (3, 3)
        Joint frame in axes of the tree frame of the parent.
    base : (3,)
        Origin of the joint frame in the tree frame of the parent [m].
    mass : float
        [kg].
    moment : (3,)
        Mass times mass centre, tree frame [kg m].
    inertia : (3, 3)
        About the origin of the tree frame, its axes [kg m^2].
    floating : bool
        A body that no joint holds: position and quaternion against the ground; `freedoms` is ignored.
    """

    parent: int
    freedoms: tuple[Freedom, ...]
    frame: Floats
    base: Floats
    mass: float
    moment: Floats
    inertia: Floats
    floating: bool = False


@dataclass(frozen=True, slots=True)
class TreeTables:
    """Tables of the tree kernels, see `linkwright.kernels.tree.layout`.

    Attributes
    ----------
    tree_int, tree_real : arrays
        One row per body behind the row of the ground, then the rows that some bodies own.
    rows : (n_body,) int64
        Row of each body of the list.
    n_q, n_v : int
        Numbers of coordinates and of rates.
    """

    tree_int: Ints
    tree_real: Floats
    rows: Ints
    n_q: int
    n_v: int

    @property
    def n_body(self) -> int:
        """Number of bodies."""
        return int(self.rows.size)

    def make_work(self, gravity: Floats) -> Floats:
        """Work table, zero but for the row of the ground, which accelerates by -g."""
        work = np.zeros((self.tree_int.shape[0], T_WORK))
        work[0, T_ROT : T_ROT + 9] = np.eye(3).ravel()
        work[0, T_ACCEL : T_ACCEL + 3] = -np.asarray(gravity)
        return work

    def make_q(self) -> Floats:
        """Coordinates of the pose in which every joint stands at zero."""
        q = np.zeros(self.n_q)
        for row in range(1, self.n_body + 1):
            joint = self.tree_int[row, T_JOINT]
            if joint in (SPHERICAL, FREE):
                q[self.tree_int[row, T_Q] + (3 if joint == FREE else 0)] = 1.0
        for row in range(self.n_body + 1, self.tree_int.shape[0]):
            if self.tree_int[row, T_KIND] == BALL and self.tree_int[row, T_AXIS] == 0:
                q[self.tree_int[row, T_COORDINATE]] = 1.0
        return q


def joint_code(body: TreeBody) -> int:
    """Kernel code of a joint: one of the fast ones where it fits, else `COLUMNS`."""
    if body.floating:
        return FREE
    if not body.freedoms:
        return FIXED
    if len(body.freedoms) == 1 and not body.freedoms[0].driven:
        freedom = body.freedoms[0]
        if freedom.kind == BALL and np.array_equal(body.frame, np.eye(3)):
            return SPHERICAL
        if freedom.kind == TURN and freedom.axis == 2 and freedom.pitch == 0.0:
            return REVOLUTE
        if freedom.kind == SLIDE and freedom.axis == 2:
            return PRISMATIC
    return COLUMNS


def make_tables(bodies: Sequence[TreeBody]) -> TreeTables:
    """Number the bodies depth first, so that most of them hand their block to the row before, and fill the tables.

    Raises
    ------
    ValueError
        When the parents do not form a tree, or a driven ball is asked for.
    """
    order = _depth_first(bodies)
    n_body = len(bodies)
    rows = np.zeros(n_body, np.int64)
    rows[order] = np.arange(1, n_body + 1)
    ints: list[list[int]] = [[0] * T_INT for _ in range(n_body + 1)]
    reals: list[list[float]] = [[0.0] * T_REAL for _ in range(n_body + 1)]
    ints[0][T_BODIES] = n_body
    n_q = n_v = 0
    for index in order:
        body = bodies[index]
        row = int(rows[index])
        parent = 0 if body.parent == GROUND_PARENT else int(rows[body.parent])
        code = joint_code(body)
        entry = ints[row]
        entry[T_PARENT], entry[T_JOINT], entry[T_Q], entry[T_V] = parent, code, n_q, n_v
        _fill_constants(reals[row], body)
        if parent == 0:
            entry[T_HAND] = HAND_GROUND
        elif parent == row - 1:
            entry[T_HAND] = HAND_ON
        else:
            if ints[parent][T_COLLECT] == 0:
                ints[parent][T_COLLECT] = len(ints)
                ints.append([0] * T_INT)
                reals.append([0.0] * T_REAL)
            entry[T_HAND] = ints[parent][T_COLLECT]
        if code == FREE:
            entry[T_FIRST] = len(ints)
            entry[T_FREEDOMS] = 6
            ints.append([0] * T_INT)
            reals.append([0.0] * T_REAL)
            n_q, n_v = n_q + 7, n_v + 6
            continue
        freedom_rows, freedom_reals, n_q, n_v = _freedom_rows(body, n_q, n_v)
        entry[T_FREEDOMS] = len(freedom_rows)
        if code == COLUMNS:
            entry[T_FIRST] = len(ints)
            ints.extend([[0] * T_INT, *freedom_rows])
            reals.extend([[0.0] * T_REAL, *freedom_reals])
    tree_int = np.array(ints, np.int64).reshape(-1, T_INT)
    tree_real = np.array(reals, np.float64).reshape(-1, T_REAL)
    tree_real.setflags(write=False)
    return TreeTables(tree_int, tree_real, rows, n_q, n_v)


def _depth_first(bodies: Sequence[TreeBody]) -> list[int]:
    """Indices of the bodies, parents first and every first child right behind its parent."""
    children: list[list[int]] = [[] for _ in range(len(bodies) + 1)]
    for index, body in enumerate(bodies):
        children[body.parent].append(index)
    order: list[int] = []
    waiting = children[GROUND_PARENT][::-1]
    while waiting:
        index = waiting.pop()
        order.append(index)
        waiting.extend(reversed(children[index]))
    if len(order) != len(bodies):
        raise ValueError("the parents of the bodies do not form a tree")
    return order


def _fill_constants(real: list[float], body: TreeBody) -> None:
    real[T_FRAME : T_FRAME + 9] = [float(x) for x in np.ravel(body.frame)]
    real[T_BASE : T_BASE + 3] = [float(x) for x in body.base]
    real[T_MASS] = float(body.mass)
    real[T_MOMENT : T_MOMENT + 3] = [float(x) for x in body.moment]
    j = body.inertia
    packed = (j[0, 0], j[0, 1], j[0, 2], j[1, 1], j[1, 2], j[2, 2])
    real[T_INERTIA : T_INERTIA + 6] = [float(x) for x in packed]


def _freedom_rows(body: TreeBody, n_q: int, n_v: int) -> tuple[list[list[int]], list[list[float]], int, int]:
    """Rows of the rates of a joint; a ball takes three rows and four coordinates."""
    ints, reals = [], []
    for freedom in body.freedoms:
        if freedom.kind == BALL and freedom.driven:
            raise ValueError("a ball joint cannot be driven")
        for k in range(3 if freedom.kind == BALL else 1):
            entry = [0] * T_INT
            entry[T_KIND] = freedom.kind
            entry[T_AXIS] = k if freedom.kind == BALL else freedom.axis
            entry[T_COORDINATE] = n_q
            entry[T_RATE] = n_v + k
            entry[T_DRIVEN] = int(freedom.driven)
            real = [0.0] * T_REAL
            real[T_PITCH] = freedom.pitch if freedom.kind == TURN else 0.0
            ints.append(entry)
            reals.append(real)
        n_q += 4 if freedom.kind == BALL else 1
        n_v += 3 if freedom.kind == BALL else 1
    return ints, reals, n_q, n_v


__all__ = ["GROUND_PARENT", "T_LOADED", "Freedom", "TreeBody", "TreeTables", "joint_code", "make_tables"]
