"""What a tree needs before it runs: rates from drawn velocities, and whether every freedom moves some mass."""

from __future__ import annotations

import numpy as np

from linkwright.compiler.model import CompiledModel
from linkwright.engines.state import Frame
from linkwright.engines.tree_mechanism import TreeMechanism, coordinates_of
from linkwright.engines.tree_pose import matrix_of
from linkwright.findings import Finding, Severity
from linkwright.kernels.layout import BODY_J, BODY_MASS, BODY_ORIGIN, Floats
from linkwright.kernels.tree import ltdl
from linkwright.kernels.tree.layout import (
    C_COLUMN,
    COLUMNS,
    FREE,
    PRISMATIC,
    REVOLUTE,
    SPHERICAL,
    T_ARM,
    T_DELTA,
    T_FIRST,
    T_FREEDOMS,
    T_INERTIA,
    T_JOINT,
    T_LOADED,
    T_MASS,
    T_MOMENT,
    T_PARENT,
    T_ROT,
    TreeMotion,
    TreeScratch,
)
from linkwright.kernels.tree.outward import outward

WEIGHTLESS = 1e-12
"""A freedom moves no mass when its generalised mass is below this part of what the body has in other directions."""


def rates_of(mechanism: TreeMechanism, motion: TreeMotion, start: Frame, scratch: TreeScratch) -> None:
    """Fill `motion.v` with the rates whose twists are nearest to drawn ones in the metric of the masses.

    They carry the momentum of the drawn twists: M v = sum J^T M nu, which is one elimination at rest with the momenta
    for wrenches.
    """
    tables, model = mechanism.tables, mechanism.model
    work = tables.make_work(np.zeros(3))
    motion.v[:] = 0.0
    tree_int = mechanism.kernel_model.tree_int.copy()
    tree_int[0, T_LOADED] = 1
    still = np.zeros(tables.n_v)
    outward(tree_int, tables.tree_real, motion.q, motion.v, still, work)
    for b in range(model.n_body):
        row = int(tables.rows[b])
        rot = work[row, T_ROT : T_ROT + 9].reshape(3, 3)
        # from the drawn body frame to the mass centre, as drawn
        drawn = matrix_of(start.poses[b, 3:])
        omega = start.twists[b, 3:]
        speed = start.twists[b, :3] - np.cross(
            omega, drawn @ model.tables.body[b, BODY_ORIGIN : BODY_ORIGIN + 3]
        )
        moment = rot @ tables.tree_real[row, T_MOMENT : T_MOMENT + 3]
        momentum = model.tables.body[b, BODY_MASS] * speed
        axes = rot @ mechanism.axes[b].T
        xx, yy, zz, xy, xz, yz = model.tables.body[b, BODY_J : BODY_J + 6]
        spin = axes @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ axes.T @ omega
        work[row, T_DELTA : T_DELTA + 3] = spin + np.cross(moment, speed)
        work[row, T_DELTA + 3 : T_DELTA + 6] = momentum
    ltdl.eliminate(tree_int, tables.tree_real, work)
    ltdl.answer(tree_int, work, motion.v)


def weightless(model: CompiledModel, mechanism: TreeMechanism) -> list[Finding]:
    """Find freedoms that nothing with mass hangs on, at the drawn pose.

    For every joint the composite inertia of all that it carries must resist each of its freedoms.
    """
    tables = mechanism.tables
    work = tables.make_work(np.zeros(3))
    still = np.zeros(tables.n_v)
    outward(
        mechanism.kernel_model.tree_int,
        tables.tree_real,
        coordinates_of(mechanism, model.poses),
        still,
        still.copy(),
        work,
    )
    n_row = tables.n_body + 1
    composite = np.zeros((n_row, 6, 6))
    findings = []
    body_of = mechanism.kernel_model.body_of
    for row in range(n_row - 1, 0, -1):
        rot = work[row, T_ROT : T_ROT + 9].reshape(3, 3)
        composite[row] += _own_mass(tables.tree_real[row], rot)
        arm = _cross(work[row, T_ARM : T_ARM + 3])
        shift = np.block([[np.eye(3), np.zeros((3, 3))], [-arm, np.eye(3)]])
        composite[tables.tree_int[row, T_PARENT]] += shift.T @ composite[row] @ shift
        columns = _columns(tables.tree_int, work, row)
        angular = float(np.abs(np.diag(composite[row])[:3]).max())
        size = (
            np.sum(columns[:3] ** 2, axis=0) * angular
            + np.sum(columns[3:] ** 2, axis=0) * composite[row, 3, 3]
        )
        if columns.size == 0:
            continue
        scale = 1.0 / np.sqrt(np.where(size > 0.0, size, 1.0))
        block = scale[:, None] * (columns.T @ composite[row] @ columns) * scale
        if np.linalg.eigvalsh(block)[0] <= WEIGHTLESS:
            findings.append(_weightless_finding(model, mechanism, int(body_of[row])))
    return findings[::-1]


def _weightless_finding(model: CompiledModel, mechanism: TreeMechanism, b: int) -> Finding:
    body = model.body_ids[b]
    joint = mechanism.carriers[b].joint
    if joint is None:
        text = f"Body {body!r} floats and has no mass, or no inertia about one of its axes. Give it some."
    else:
        text = (
            f"Joint {model.joints[joint].element!r} can move without moving any mass. "
            f"Give body {body!r} mass and inertia."
        )
    return Finding(Severity.ERROR, text, body)


def _own_mass(real: Floats, rot: Floats) -> Floats:
    """Block of six equations of one body, ground axes."""
    xx, xy, xz, yy, yz, zz = real[T_INERTIA : T_INERTIA + 6]
    inertia = rot @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ rot.T
    moment = _cross(rot @ real[T_MOMENT : T_MOMENT + 3])
    return np.block([[inertia, moment], [-moment, real[T_MASS] * np.eye(3)]])


def _columns(tree_int: Floats, work: Floats, row: int) -> Floats:
    """Motion of a body per rate of its joint, (6, n)."""
    rot = work[row, T_ROT : T_ROT + 9].reshape(3, 3)
    zero = np.zeros((3, 3))
    joint = tree_int[row, T_JOINT]
    if joint == REVOLUTE:
        return np.vstack([rot[:, 2:], zero[:, 2:]])
    if joint == PRISMATIC:
        return np.vstack([zero[:, 2:], rot[:, 2:]])
    if joint == SPHERICAL:
        return np.vstack([rot, zero])
    if joint == FREE:
        return np.eye(6)
    if joint == COLUMNS:
        first = int(tree_int[row, T_FIRST]) + 1
        return np.asarray(work[first : first + int(tree_int[row, T_FREEDOMS]), C_COLUMN : C_COLUMN + 6].T)
    return np.zeros((6, 0))


def _cross(a: Floats) -> Floats:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
