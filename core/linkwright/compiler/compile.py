"""From a mechanism to its compiled model: frames moved to the mass centres, joints spelled out in primitives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from linkwright.compiler.contacts import contact_tables
from linkwright.compiler.model import CompiledModel, JointLink, RowLabel
from linkwright.document import rotation
from linkwright.document.base import GROUND
from linkwright.document.mechanism import Mechanism
from linkwright.document.parameters import evaluated
from linkwright.document.typed import Joint
from linkwright.elements.forces import AppliedForce, AppliedTorque, Sda
from linkwright.elements.registry import JointType
from linkwright.elements.rows import Dot1, Dot2, Point, Row
from linkwright.errors import CompileError
from linkwright.kernels.layout import (
    BODY_REAL,
    DOT1,
    DOT2,
    LOAD_INT,
    LOAD_REAL,
    POINT,
    PRIM_INT,
    PRIM_REAL,
    SDA_INT,
    SDA_REAL,
    Floats,
    Ints,
    Tables,
)

AnyArray = TypeVar("AnyArray", Floats, Ints)

AXES = {"x": 0, "y": 1, "z": 2}


@dataclass(frozen=True, slots=True)
class End:
    """One end of an element: body index, point seen from the mass centre, axes of the frame as columns, body axes."""

    body: int
    point: Floats
    axes: Floats


@dataclass(slots=True)
class _Builder:
    """Grows the tables element by element."""

    mechanism: Mechanism
    body_index: dict[str, int]
    centres: Floats
    prim_int: list[list[int]] = field(default_factory=list)
    prim_real: list[list[float]] = field(default_factory=list)
    row_prim: list[int] = field(default_factory=list)
    row_labels: list[RowLabel] = field(default_factory=list)

    def end(self, reference: str) -> End:
        """Frame of a reference, in its body and from the mass centre."""
        body_id, position, orientation = self.mechanism.frame(reference)
        b = self.body_index[body_id]
        axes = np.array(rotation.matrix(rotation.normalised(orientation)))
        return End(b, np.array(position, float) - self.centres[b], axes)

    def add_row(self, row: Row, joint: Joint, i: End, j: End) -> None:
        """Append one primitive of a joint."""
        real = np.zeros(PRIM_REAL)
        first = len(self.row_prim)
        match row:
            case Point():
                code = POINT
                real[0:3], real[3:6] = i.point, j.point
                labels = [RowLabel(joint.id, f"translation along {name}", GROUND) for name in AXES]
            case Dot1():
                code = DOT1
                real[0:3], real[3:6] = i.axes[:, AXES[row.a]], j.axes[:, AXES[row.b]]
                about = next(name for name in "zyx" if name not in (row.a, row.b))
                labels = [RowLabel(joint.id, f"rotation about {about}", joint.j)]
            case Dot2():
                code = DOT2
                real[0:3], real[3:6], real[6:9] = i.point, j.point, j.axes[:, AXES[row.b]]
                labels = [RowLabel(joint.id, f"translation along {row.b}", joint.j)]
        self.row_prim.extend([len(self.prim_int)] * len(labels))
        self.row_labels.extend(labels)
        self.prim_int.append([code, i.body, j.body, first])
        self.prim_real.append(real.tolist())


def compile_mechanism(mechanism: Mechanism) -> CompiledModel:
    """Turn a mechanism into flat tables; formulas are replaced by their numbers first.

    Parameters
    ----------
    mechanism : Mechanism
        Any valid mechanism, with or without formulas.

    Raises
    ------
    CompileError
        When an element has no meaning in numbers; names it.
    DocumentError
        When a formula cannot be evaluated.
    """
    mechanism = evaluated(mechanism)
    body_ids = tuple(b.id for b in mechanism.bodies)
    body_index = {body_id: k for k, body_id in enumerate(body_ids)}
    body_index[GROUND] = len(body_ids)
    body, centres = _body_table(mechanism)
    builder = _Builder(mechanism, body_index, centres)
    joints = []
    frames = []
    for joint in mechanism.joints:
        assert isinstance(joint, JointType)
        i, j = builder.end(joint.i), builder.end(joint.j)
        first = len(builder.row_prim)
        for row in joint.constraint_rows():
            builder.add_row(row, joint, i, j)
        stop = len(builder.row_prim)
        joints.append(JointLink(joint.id, i.body, j.body, first, stop, joint.tree_motion()))
        frames.append([[*end.point.tolist(), *end.axes.ravel().tolist()] for end in (i, j)])

    sda_ids, sda_int, sda_real = _sda_table(mechanism, builder)
    force_ids, force_int, force_real = _load_table(mechanism, builder, AppliedForce)
    torque_ids, torque_int, torque_real = _load_table(mechanism, builder, AppliedTorque)
    tables = Tables(
        body=_frozen_floats(body, BODY_REAL),
        prim_int=_frozen_ints(builder.prim_int, PRIM_INT),
        prim_real=_frozen_floats(builder.prim_real, PRIM_REAL),
        sda_int=_frozen_ints(sda_int, SDA_INT),
        sda_real=_frozen_floats(sda_real, SDA_REAL),
        force_int=_frozen_ints(force_int, LOAD_INT),
        force_real=_frozen_floats(force_real, LOAD_REAL),
        torque_int=_frozen_ints(torque_int, LOAD_INT),
        torque_real=_frozen_floats(torque_real, LOAD_REAL),
        gravity=_read_only(np.array(mechanism.gravity, float)),
    )
    poses = [[*(float(x) for x in b.position), *rotation.normalised(b.orientation)] for b in mechanism.bodies]
    twists = [[float(x) for x in (*b.velocity, *b.angular_velocity)] for b in mechanism.bodies]
    return CompiledModel(
        tables=tables,
        row_prim=_read_only(np.array(builder.row_prim, np.int64)),
        row_labels=tuple(builder.row_labels),
        joints=tuple(joints),
        joint_frames=_read_only(np.array(frames, np.float64).reshape(len(frames), 2, 12)),
        body_ids=body_ids,
        sda_ids=sda_ids,
        force_ids=force_ids,
        torque_ids=torque_ids,
        poses=_frozen_floats(poses, 7),
        twists=_frozen_floats(twists, 6),
        contacts=contact_tables(mechanism, builder.end),
    )


def _body_table(mechanism: Mechanism) -> tuple[list[list[float]], Floats]:
    """Rows of the body table, and the mass centres with one row of zeros for the ground."""
    rows = []
    centres = np.zeros((len(mechanism.bodies) + 1, 3))
    for k, body in enumerate(mechanism.bodies):
        inertia = body.inertia()
        t = inertia.tensor
        numbers = [inertia.mass, t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2], *(-inertia.centre)]
        if not np.all(np.isfinite(numbers)):
            raise CompileError(
                f"The mass or inertia of body {body.label!r} is not a finite number. Check its sizes and its density.",
                body.id,
            )
        centres[k] = inertia.centre
        rows.append([float(x) for x in numbers])
    return rows, centres


def _sda_table(
    mechanism: Mechanism, builder: _Builder
) -> tuple[tuple[str, ...], list[list[int]], list[list[float]]]:
    ids, ints, reals = [], [], []
    for element in mechanism.forces:
        if isinstance(element, Sda):
            i, j = builder.end(element.i), builder.end(element.j)
            if i.body == j.body:
                raise CompileError(
                    f"Both ends of {element.label!r} are on the same body, so that its length never changes. "
                    "Put one end on another body.",
                    element.id,
                )
            free = element.free_length
            if free is None:
                ri, rj = (np.array(mechanism.world_frame(ref)[0]) for ref in (element.i, element.j))
                free = float(np.linalg.norm(rj - ri))
            ids.append(element.id)
            ints.append([i.body, j.body, int(element.tension_only)])
            numbers = (element.stiffness, element.damping, free, element.actuator_force)
            reals.append([*i.point.tolist(), *j.point.tolist(), *(float(x) for x in numbers)])
    return tuple(ids), ints, reals


def _load_table(
    mechanism: Mechanism, builder: _Builder, kind: type[AppliedForce] | type[AppliedTorque]
) -> tuple[tuple[str, ...], list[list[int]], list[list[float]]]:
    """Rows of the forces or of the torques; a load on the ground moves nothing and is left out."""
    ids, ints, reals = [], [], []
    ground = builder.body_index[GROUND]
    for element in mechanism.forces:
        if isinstance(element, kind):
            end = builder.end(element.at)
            if end.body != ground:
                ids.append(element.id)
                ints.append([end.body, int(element.axes == "body")])
                reals.append([*(float(x) for x in element.vector), *end.point.tolist()])
    return tuple(ids), ints, reals


def _read_only(array: AnyArray) -> AnyArray:
    array.setflags(write=False)
    return array


def _frozen_floats(rows: list[list[float]], columns: int) -> Floats:
    return _read_only(np.array(rows, np.float64).reshape(len(rows), columns))


def _frozen_ints(rows: list[list[int]], columns: int) -> Ints:
    return _read_only(np.array(rows, np.int64).reshape(len(rows), columns))
