"""What a tree needs before it runs: rates from drawn velocities, and whether every freedom moves some mass."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwright.compiler.model import CompiledModel
from linkwright.engines.state import Frame
from linkwright.engines.tree_mechanism import TreeMechanism, coordinates_of
from linkwright.engines.tree_pose import matrices_of
from linkwright.findings import Finding, Severity
from linkwright.kernels.layout import BODY_J, BODY_MASS, BODY_ORIGIN, Floats, Ints
from linkwright.kernels.tree import ltdl
from linkwright.kernels.tree.chart import quat_product
from linkwright.kernels.tree.layout import (
    C_COLUMN,
    COLUMNS,
    FREE,
    O_TURN,
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
)
from linkwright.kernels.tree.outward import outward
from linkwright.kernels.tree.records import orientations

WEIGHTLESS = 1e-12
"""A freedom moves no mass when its generalised mass is below this part of what the body has in other directions."""


def rates_of(mechanism: TreeMechanism, motion: TreeMotion, start: Frame) -> None:
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
    rows = tables.rows
    body = model.tables.body
    omega = start.twists[:, 3:]
    # velocities of the mass centres as drawn, then momenta about the tree origins in the assembled pose
    drawn = matrices_of(start.poses[:, 3:])
    to_centre = -np.einsum("nij,nj->ni", drawn, body[:, BODY_ORIGIN : BODY_ORIGIN + 3])
    speed = start.twists[:, :3] + np.cross(omega, to_centre)
    rot = work[rows, T_ROT : T_ROT + 9].reshape(-1, 3, 3)
    moment = np.einsum("nij,nj->ni", rot, tables.tree_real[rows, T_MOMENT : T_MOMENT + 3])
    turned = np.einsum("nij,nkj->nik", rot, mechanism.axes[:-1])
    spin = np.einsum("nij,njk,nlk,nl->ni", turned, inertia_tensors(body), turned, omega, optimize=True)
    work[rows, T_DELTA : T_DELTA + 3] = spin + np.cross(moment, speed)
    work[rows, T_DELTA + 3 : T_DELTA + 6] = body[:, BODY_MASS, None] * speed
    ltdl.eliminate(tree_int, tables.tree_real, work)
    ltdl.answer(tree_int, work, motion.v)


def inertia_tensors(body: Floats) -> Floats:
    """Tensors (n_body, 3, 3) about the mass centres from the rows of the body table."""
    xx, yy, zz, xy, xz, yz = body[:, BODY_J : BODY_J + 6].T
    return np.stack([xx, xy, xz, xy, yy, yz, xz, yz, zz], axis=1).reshape(-1, 3, 3)


def with_signs(mechanism: TreeMechanism, q: Floats, poses: Floats) -> TreeMechanism:
    """Give the mechanism with the signs of its recorded quaternions as in given poses (n_body, 7).

    A quaternion and its opposite turn alike; the records of a run go on from the drawn ones without a jump.
    """
    model = mechanism.kernel_model
    quats = np.zeros((mechanism.tables.n_body + 1, 4))
    orientations(model, q, quats)
    place = model.place_real.copy()
    for row in range(1, mechanism.tables.n_body + 1):
        recorded = quat_product(tuple(quats[row]), tuple(place[row, O_TURN : O_TURN + 4]))
        if float(np.dot(recorded, poses[model.body_of[row], 3:])) < 0.0:
            place[row, O_TURN : O_TURN + 4] *= -1.0
    place.setflags(write=False)
    return replace(mechanism, kernel_model=model._replace(place_real=place))


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


def _columns(tree_int: Ints, work: Floats, row: int) -> Floats:
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
