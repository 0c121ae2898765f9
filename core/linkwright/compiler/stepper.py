"""Tables of the contact stepper from a compiled model: principal axes, elimination order, and the planar reduction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from linkwright.compiler.model import CompiledModel
from linkwright.compiler.plane import FLAT, Placed
from linkwright.document.rotation import Quat, multiply, normalised
from linkwright.kernels import layout as base
from linkwright.kernels.layout import Floats, Ints
from linkwright.kernels.lcp import boxes, layout
from linkwright.kernels.lcp.layout import Bench, Machine, Points, Touch


@dataclass(frozen=True, slots=True)
class BodyFrames:
    """How body tables and contact points are turned into the axes of the stepper.

    Attributes
    ----------
    plane : (3, 3) rows e1, e2, n, or None for a spatial run
    turn : (n_body + 1, 3, 3) body axes to stepper axes: principal axes, or plane axes at angle 0
    """

    plane: Floats | None
    turn: Floats

    @property
    def dim(self) -> tuple[int, ...]:
        """Velocities per body, as the kernels take it."""
        return layout.SPATIAL if self.plane is None else layout.PLANAR


def quaternion_of(rot: Floats) -> Quat:
    """Unit quaternion of a rotation matrix (Shepperd 1978)."""
    trace = float(np.trace(rot))
    squares = np.array([trace, rot[0, 0], rot[1, 1], rot[2, 2]])
    k = int(np.argmax(squares))
    if k == 0:
        w = (1.0 + trace, rot[2, 1] - rot[1, 2], rot[0, 2] - rot[2, 0], rot[1, 0] - rot[0, 1])
    elif k == 1:
        w = (
            rot[2, 1] - rot[1, 2],
            1.0 + 2.0 * rot[0, 0] - trace,
            rot[0, 1] + rot[1, 0],
            rot[0, 2] + rot[2, 0],
        )
    elif k == 2:
        w = (
            rot[0, 2] - rot[2, 0],
            rot[0, 1] + rot[1, 0],
            1.0 + 2.0 * rot[1, 1] - trace,
            rot[1, 2] + rot[2, 1],
        )
    else:
        w = (
            rot[1, 0] - rot[0, 1],
            rot[0, 2] + rot[2, 0],
            rot[1, 2] + rot[2, 1],
            1.0 + 2.0 * rot[2, 2] - trace,
        )
    return normalised((float(w[0]), float(w[1]), float(w[2]), float(w[3])))


def principal_axes(tensor: Floats) -> tuple[Floats, Floats]:
    """Principal moments, and the axes as columns; a diagonal tensor keeps its axes."""
    off = np.max(np.abs(tensor - np.diag(np.diag(tensor))))
    if off <= 1e-14 * np.trace(tensor):
        return np.diag(tensor).copy(), np.eye(3)
    moments, axes = np.linalg.eigh(tensor)
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] = -axes[:, 2]
    return moments, axes


def body_frames(model: CompiledModel, placed: Placed, plane: Floats | None) -> BodyFrames:
    """Choose the axes in which each body is described; those of the ground are the ground axes or the plane axes."""
    turn = np.tile(np.eye(3), (model.n_body + 1, 1, 1))
    for b in range(model.n_body):
        if plane is None:
            turn[b] = principal_axes(_tensor(model, b))[1].T
        else:
            turn[b] = plane @ placed.rot[b]
    if plane is not None:
        turn[model.n_body] = plane
    return BodyFrames(plane, turn)


def _tensor(model: CompiledModel, b: int) -> Floats:
    xx, yy, zz, xy, xz, yz = model.tables.body[b, base.BODY_J : base.BODY_J + 6]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def body_table(model: CompiledModel, placed: Placed, frames: BodyFrames) -> Floats:
    """Rows of `layout.K_COLUMNS` for the bodies and the ground."""
    table = np.zeros((model.n_body + 1, layout.K_COLUMNS))
    for b in range(model.n_body):
        mass = model.tables.body[b, base.BODY_MASS]
        origin = frames.turn[b] @ model.tables.body[b, base.BODY_ORIGIN : base.BODY_ORIGIN + 3]
        row = table[b]
        row[layout.K_MASS] = mass
        row[layout.K_ISM] = 1.0 / np.sqrt(mass)
        if frames.plane is None:
            moments, axes = principal_axes(_tensor(model, b))
            row[layout.K_J : layout.K_J + 3] = moments
            row[layout.K_ISJ : layout.K_ISJ + 3] = 1.0 / np.sqrt(moments)
            row[layout.K_REL : layout.K_REL + 4] = quaternion_of(axes.T)
            row[layout.K_GYRO] = float(np.ptp(moments) > 1e-12 * np.max(moments))
            row[layout.K_ORIGIN : layout.K_ORIGIN + 3] = origin
        else:
            n = frames.turn[b].T[:, 2]
            row[layout.K_J] = n @ _tensor(model, b) @ n
            row[layout.K_ISJ] = 1.0 / np.sqrt(row[layout.K_J])
            row[layout.K_REL : layout.K_REL + 4] = quaternion_of(placed.rot[b])
            row[layout.K_ORIGIN : layout.K_ORIGIN + 2] = origin[:2]
            row[layout.K_ORIGIN + 2] = frames.plane[2] @ placed.centre[b] + origin[2]
    return table


def start_coordinates(placed: Placed, body: Floats, frames: BodyFrames) -> tuple[Floats, Floats]:
    """Coordinates q (n_body + 1, Q_COLUMNS) and velocities u (n_body + 1, nv) of placed bodies."""
    n = body.shape[0] - 1
    nv = len(frames.dim)
    q, u = np.zeros((n + 1, layout.Q_COLUMNS)), np.zeros((n + 1, nv))
    q[n, layout.Q_TURN if frames.plane is None else layout.Q_COS] = 1.0
    for b in range(n):
        if frames.plane is None:
            q[b, :3] = placed.centre[b]
            to_body = quaternion_of(placed.rot[b])
            to_principal = quaternion_of(frames.turn[b].T)
            q[b, layout.Q_TURN :] = normalised(multiply(to_body, to_principal))
            u[b, :3] = placed.velocity[b] / body[b, layout.K_ISM]
            own = frames.turn[b] @ placed.rot[b].T @ placed.omega[b]
            u[b, 3:] = own / body[b, layout.K_ISJ : layout.K_ISJ + 3]
        else:
            q[b, :2] = frames.plane[:2] @ placed.centre[b]
            q[b, layout.Q_COS] = 1.0
            u[b, :2] = frames.plane[:2] @ placed.velocity[b] / body[b, layout.K_ISM]
            u[b, 2] = frames.plane[2] @ placed.omega[b] / body[b, layout.K_ISJ]
    return q, u


@dataclass(frozen=True, slots=True)
class _Primitive:
    """A joint primitive or SDA in stepper axes."""

    code: int
    i: int
    j: int
    source: int
    real: Floats
    rows: tuple[int, ...]


def _primitives(model: CompiledModel, frames: BodyFrames) -> list[_Primitive]:
    """All primitives and SDA; in a plane without the rows that hold there by themselves.

    `rows` are the constraint rows of the compiled model that the rows of the stepper stand for, none for an SDA.
    """
    found = []
    tables = model.tables
    flat = frames.plane is not None
    codes = {
        base.POINT: layout.POINT,
        base.DOT1: layout.DOT1,
        base.DOT2: layout.DOT2,
        base.DISTANCE: layout.DISTANCE,
    }
    for p, (row, source) in enumerate(zip(tables.prim_int, tables.prim_real, strict=True)):
        code, i, j, first = (int(x) for x in row)
        real = np.zeros(layout.R_REAL)
        ui = frames.turn[i] @ source[base.PRIM_UI : base.PRIM_UI + 3]
        uj = frames.turn[j] @ source[base.PRIM_UJ : base.PRIM_UJ + 3]
        axis = frames.turn[j] @ source[base.PRIM_AXIS : base.PRIM_AXIS + 3]
        rows: tuple[int, ...] = (first, first + 1, first + 2) if code == base.POINT else (first,)
        if flat:
            if code == base.DOT1 and max(abs(ui[2]), abs(uj[2])) > FLAT:
                continue
            if code == base.DOT2 and abs(axis[2]) > FLAT:
                continue
            if code == base.POINT:
                rows = rows[:2]
        real[layout.R_UI : layout.R_UI + 3] = ui
        real[layout.R_UJ : layout.R_UJ + 3] = uj
        real[layout.R_AXIS : layout.R_AXIS + 3] = axis
        real[layout.R_LENGTH] = source[base.PRIM_LENGTH]
        found.append(_Primitive(codes[code], i, j, p, real, rows))
    for s, (row, source) in enumerate(zip(tables.sda_int, tables.sda_real, strict=True)):
        i, j = int(row[base.SDA_I]), int(row[base.SDA_J])
        real = np.zeros(layout.R_REAL)
        real[layout.R_UI : layout.R_UI + 3] = frames.turn[i] @ source[base.SDA_UI : base.SDA_UI + 3]
        real[layout.R_UJ : layout.R_UJ + 3] = frames.turn[j] @ source[base.SDA_UJ : base.SDA_UJ + 3]
        real[layout.R_K] = source[base.SDA_K]
        real[layout.R_C] = source[base.SDA_C]
        real[layout.R_FREE] = source[base.SDA_FREE]
        real[layout.R_ACTUATOR] = source[base.SDA_ACTUATOR]
        real[layout.R_TENSION_ONLY] = float(row[base.SDA_TENSION_ONLY])
        found.append(_Primitive(layout.SDA, i, j, s, real, ()))
    return found


def _elimination_order(primitives: list[_Primitive], n_body: int) -> list[int]:
    """Order of the primitives that keeps those on one body close together (reverse Cuthill-McKee)."""
    on_body: dict[int, list[int]] = {}
    for p, primitive in enumerate(primitives):
        for b in {primitive.i, primitive.j} - {n_body}:
            on_body.setdefault(b, []).append(p)
    rows: list[int] = []
    cols: list[int] = []
    for together in on_body.values():
        for a in together:
            rows.extend([a] * len(together))
            cols.extend(together)
    n = len(primitives)
    graph = csr_array((np.ones(len(rows)), (rows, cols)), shape=(n, n))
    return [int(p) for p in reverse_cuthill_mckee(graph.tocsr(), symmetric_mode=True)] if n else []


@dataclass(frozen=True, slots=True)
class Stepper:
    """Everything about a mechanism that the contact stepper reads.

    Attributes
    ----------
    frames : BodyFrames
    machine : Machine
    row_source : (n_row,) constraint row of the compiled model that each row stands for, -1 for a spring
    """

    frames: BodyFrames
    machine: Machine
    row_source: Ints


def make_stepper(model: CompiledModel, placed: Placed, plane: Floats | None) -> Stepper:
    """Turn a compiled model into the tables of the stepper; `plane` as `plane.find_plane` gives it."""
    frames = body_frames(model, placed, plane)
    nv = len(frames.dim)
    n_body = model.n_body
    primitives = _primitives(model, frames)
    primitives = [primitives[p] for p in _elimination_order(primitives, n_body)]
    prim_int = np.zeros((len(primitives), layout.R_INT), np.int64)
    prim_real = np.zeros((len(primitives), layout.R_REAL))
    sda = np.zeros(len(model.sda_ids), np.int64)
    row_body: list[tuple[int, int]] = []
    row_source: list[int] = []
    for p, primitive in enumerate(primitives):
        prim_int[p] = primitive.code, primitive.i, primitive.j, len(row_body), primitive.source
        prim_real[p] = primitive.real
        if primitive.code == layout.SDA:
            sda[primitive.source] = p
        for source in primitive.rows or (-1,):
            row_body.append((primitive.i, primitive.j))
            row_source.append(source)

    coupling, first, offset = _couplings(row_body, n_body, nv)
    row_int = np.zeros((len(row_body), layout.W_INT), np.int64)
    row_int[:, : layout.W_J + 1] = np.array(row_body, np.int64).reshape(-1, 2)
    row_int[:, layout.W_FIRST] = first
    row_int[:, layout.W_OFFSET] = offset
    near_start, near = _near(row_body, n_body, nv)
    load_int, load_real = _loads(model, frames)
    gravity = model.tables.gravity if plane is None else plane @ model.tables.gravity
    machine = Machine(
        body=body_table(model, placed, frames),
        world=np.concatenate((gravity, (np.eye(3) if plane is None else plane).ravel())),
        prim_int=prim_int,
        prim_real=prim_real,
        sda=sda,
        row_int=row_int,
        coupling=coupling,
        near_start=near_start,
        near=near,
        load_int=load_int,
        load_real=load_real,
    )
    for array in machine:
        array.setflags(write=False)
    return Stepper(frames, machine, np.array(row_source, np.int64))


def _couplings(row_body: list[tuple[int, int]], n_body: int, nv: int) -> tuple[Ints, Ints, Ints]:
    """Pairs of rows that share a body, and the envelope of the factor."""
    n = len(row_body)
    rows_of: dict[int, list[tuple[int, int]]] = {}
    pairs: list[tuple[int, int, int, int]] = []
    first = np.arange(n, dtype=np.int64)
    for a, ends in enumerate(row_body):
        for side, b in enumerate(ends):
            if b == n_body:
                continue
            rows_of.setdefault(b, []).append((a, side))
            for other, other_side in rows_of[b]:
                pairs.append((a, other, (2 * a + side) * nv, (2 * other + other_side) * nv))
                first[a] = min(first[a], other)
    width = np.arange(n) - first + 1
    offset = (np.concatenate(([0], np.cumsum(width)[:-1])) - first if n else np.zeros(0)).astype(np.int64)
    coupling = np.array([(offset[a] + c, i, j) for a, c, i, j in pairs], np.int64).reshape(-1, layout.C_INT)
    return coupling, first, offset


def _near(row_body: list[tuple[int, int]], n_body: int, nv: int) -> tuple[Ints, Ints]:
    """Rows of each body; the ground has none, it does not couple."""
    lists: list[list[tuple[int, int]]] = [[] for _ in range(n_body + 1)]
    for a, ends in enumerate(row_body):
        for side, b in enumerate(ends):
            if b != n_body:
                lists[b].append((a, (2 * a + side) * nv))
    start = np.concatenate(([0], np.cumsum([len(x) for x in lists]))).astype(np.int64)
    near = np.array([pair for x in lists for pair in x], np.int64).reshape(-1, 2)
    return start, near


def _loads(model: CompiledModel, frames: BodyFrames) -> tuple[Ints, Floats]:
    """Forces and torques in one table."""
    tables = model.tables
    ints, reals = [], []
    for table, numbers, torque in (
        (tables.force_int, tables.force_real, 0),
        (tables.torque_int, tables.torque_real, 1),
    ):
        for row, real in zip(table, numbers, strict=True):
            b, in_body = int(row[base.LOAD_BODY]), int(row[base.LOAD_IN_BODY])
            to_axes = frames.turn[b] if in_body else (np.eye(3) if frames.plane is None else frames.plane)
            ints.append((b, in_body, torque))
            vector = to_axes @ real[base.LOAD_VECTOR : base.LOAD_VECTOR + 3]
            point = np.zeros(3) if torque else frames.turn[b] @ real[base.LOAD_POINT : base.LOAD_POINT + 3]
            reals.append([*vector, *point])
    return np.array(ints, np.int64).reshape(-1, layout.F_INT), np.array(reals, float).reshape(
        -1, layout.F_REAL
    )


def make_bench(stepper: Stepper) -> Bench:
    """Allocate the room for one step."""
    machine = stepper.machine
    n, nv = machine.body.shape[0], len(stepper.frames.dim)
    n_row = len(machine.row_int)
    size = int(np.sum(np.arange(n_row) - machine.row_int[:, layout.W_FIRST] + 1))
    placed = np.zeros((n, layout.X_COLUMNS))
    if stepper.frames.plane is None:
        placed[-1, layout.X_ROT :] = np.eye(3).ravel()
    else:
        placed[-1, layout.X_COS] = 1.0
    return Bench(
        mid=np.zeros((n, layout.Q_COLUMNS)),
        end=np.zeros((n, layout.Q_COLUMNS)),
        placed=placed,
        u_free=np.zeros((n, nv)),
        u_end=np.zeros((n, nv)),
        rows=np.zeros((n_row, 2 * nv)),
        vector=np.zeros((layout.V_ROWS, n_row)),
        matrix=np.zeros(size),
        sda=np.zeros((machine.sda.size, layout.S_COLUMNS)),
    )


def contact_points(model: CompiledModel, frames: BodyFrames) -> Points:
    """Contact points in stepper axes; in a plane, points that fall on one another become one."""
    point_int = model.contacts.point_int
    real = np.array(model.contacts.point_real)
    for p, row in enumerate(point_int):
        for column, body in (
            (layout.P_UI, row[layout.P_I]),
            (layout.P_UJ, row[layout.P_J]),
            (layout.P_N, row[layout.P_J]),
            (layout.P_T, row[layout.P_J]),
            (layout.P_N_I, row[layout.P_I]),
            (layout.P_T_I, row[layout.P_I]),
        ):
            real[p, column : column + 3] = frames.turn[body] @ real[p, column : column + 3]
    if frames.plane is not None:
        keep = _distinct(point_int, real)
        point_int, real = point_int[keep], real[keep]
        _lay_flat(point_int, real)
    point_int = np.ascontiguousarray(point_int)
    for array in (point_int, real):
        array.setflags(write=False)
    return Points(point_int, real)


def _distinct(point_int: Ints, real: Floats) -> list[int]:
    """Points that differ in the plane from all before them."""
    seen: set[tuple[float, ...]] = set()
    keep = []
    for p in range(len(point_int)):
        flat = np.delete(real[p], [layout.P_UI + 2, layout.P_UJ + 2])
        key = (*(float(x) for x in point_int[p]), *(float(x) for x in np.round(flat, 12)))
        if key not in seen:
            seen.add(key)
            keep.append(p)
    return keep


def _lay_flat(point_int: Ints, real: Floats) -> None:
    """Let the tangent, and for a box the other axis in use, lie in the plane; sizes and surface velocity follow."""
    for kind, row in zip(point_int[:, layout.P_KIND], real, strict=True):
        n, t = row[layout.P_N : layout.P_N + 3].copy(), row[layout.P_T : layout.P_T + 3].copy()
        second = np.cross(n, t)
        if abs(t[2]) > 0.5:
            row[layout.P_T : layout.P_T + 3] = second
            row[layout.P_SIZE] = row[layout.P_SIZE + 1] if kind == layout.BALL_BOX else row[layout.P_SIZE]
            row[layout.P_BELT] = row[layout.P_BELT + 1]
        elif abs(n[2]) > 0.5 and kind == layout.BALL_BOX:
            row[layout.P_N : layout.P_N + 3] = second
            row[layout.P_SIZE + 2] = row[layout.P_SIZE + 1]


def make_touch(stepper: Stepper, points: Points, n_strip: int, per_point: int, n_event: int) -> Touch:
    """Allocate the memory of the contacts and the room for those of one step, up to `per_point` rows each."""
    n_point = len(points.point_int)
    n = n_point * per_point
    n_row, nv = len(stepper.machine.row_int), len(stepper.frames.dim)
    return Touch(
        memory=np.zeros((n_point, layout.M_COLUMNS), np.int64),
        group=np.zeros((n_strip, layout.G_COLUMNS)),
        events=np.zeros((max(n_event, 2 * n_strip), layout.E_COLUMNS)),
        n_event=np.zeros(1, np.int64),
        active=np.zeros((n_point + 1, layout.A_COLUMNS)),
        active_int=np.zeros((n_point, layout.T_INT), np.int64),
        rows=np.zeros((n, 2 * nv)),
        lift=np.zeros((n, n_row)),
        found=np.zeros((boxes.CORNERS, boxes.B_COLUMNS)),
        clip=np.zeros((boxes.CLIP_ROWS, 3)),
    )
