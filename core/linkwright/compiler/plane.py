"""Whether a mechanism moves in one plane for ever, so that three coordinates per body are enough."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwright.compiler.model import CompiledModel
from linkwright.document.rotation import matrix, normalised
from linkwright.kernels.layout import (
    BODY_J,
    BODY_ORIGIN,
    DISTANCE,
    DOT1,
    DOT2,
    LOAD_BODY,
    LOAD_POINT,
    LOAD_VECTOR,
    POINT,
    PRIM_AXIS,
    PRIM_CODE,
    PRIM_I,
    PRIM_J,
    PRIM_UI,
    PRIM_UJ,
    SDA_I,
    SDA_J,
    SDA_UI,
    SDA_UJ,
    Floats,
)
from linkwright.kernels.lcp.layout import (
    ANGLE,
    BALL_BOX,
    BALLS,
    BORE,
    P_BELT,
    P_I,
    P_J,
    P_KIND,
    P_N,
    P_SIZE,
    P_T,
    P_UI,
    P_UJ,
    PLANE,
    SOCKET,
    STRIP,
)

FLAT = 1e-9
"""Part of a length by which something may stand out of the plane."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Bodies of a model at a pose, the ground behind them.

    Attributes
    ----------
    centre : (n_body + 1, 3)
        Mass centres, ground axes [m].
    rot : (n_body + 1, 3, 3)
        Body frame to ground.
    velocity, omega : (n_body + 1, 3)
        Of the mass centres and bodies, ground axes [m/s, rad/s].
    """

    centre: Floats
    rot: Floats
    velocity: Floats
    omega: Floats

    def point(self, body: int, u: Floats) -> Floats:
        """Place a body point in ground axes."""
        return np.asarray(self.centre[body] + self.rot[body] @ u)


def place(model: CompiledModel, poses: Floats, twists: Floats) -> Placed:
    """Place the bodies of a frame (`engines.state.Frame`)."""
    n = model.n_body
    placed = Placed(
        np.zeros((n + 1, 3)), np.tile(np.eye(3), (n + 1, 1, 1)), np.zeros((n + 1, 3)), np.zeros((n + 1, 3))
    )
    for b in range(n):
        w, x, y, z = (float(c) for c in poses[b, 3:])
        rot = np.array(matrix(normalised((w, x, y, z))))
        to_centre = -rot @ model.tables.body[b, BODY_ORIGIN : BODY_ORIGIN + 3]
        placed.rot[b] = rot
        placed.centre[b] = poses[b, :3] + to_centre
        placed.omega[b] = twists[b, 3:]
        placed.velocity[b] = twists[b, :3] + np.cross(twists[b, 3:], to_centre)
    return placed


def plane_axes(normal: Floats) -> Floats:
    """Rows e1, e2, n of a right-handed frame with the given normal; ground axes wherever the normal is one of them."""
    n = normal / np.linalg.norm(normal)
    k = int(np.argmax(np.abs(n)))
    if np.abs(n[k]) > 1.0 - 1e-12:
        n = np.eye(3)[k]
        e1 = np.eye(3)[(k + 1) % 3]
    else:
        e1 = np.cross(n, np.eye(3)[int(np.argmin(np.abs(n)))])
        e1 /= np.linalg.norm(e1)
    return np.array([e1, np.cross(n, e1), n])


def find_plane(model: CompiledModel, placed: Placed) -> Floats | None:
    """Find axes e1, e2, n (rows) of the plane in which the mechanism moves; None where there is none.

    Candidates are the ground axes and the directions that constrained axes have in the drawn pose.
    """
    candidates = [np.eye(3)[k] for k in (2, 1, 0)]
    for p, row in enumerate(model.tables.prim_int):
        if row[PRIM_CODE] == DOT1:
            for body, column in ((row[PRIM_I], PRIM_UI), (row[PRIM_J], PRIM_UJ)):
                candidates.append(placed.rot[body] @ model.tables.prim_real[p, column : column + 3])
    tried: list[Floats] = []
    for n in candidates:
        if any(abs(abs(float(n @ other)) - 1.0) < 1e-12 for other in tried):
            continue
        tried.append(n)
        axes = plane_axes(n)
        if _moves_in(model, placed, axes[2]):
            return axes
    return None


def _moves_in(model: CompiledModel, placed: Placed, n: Floats) -> bool:
    """Tell whether start, joints, loads and contacts keep every body in planes with the normal n."""
    tables = model.tables
    size = 1.0 + float(np.max(np.abs(placed.centre), initial=0.0))

    def level(a: Floats, b: Floats) -> bool:
        return abs(float(n @ (a - b))) <= FLAT * size

    def inside(v: Floats) -> bool:
        return abs(float(n @ v)) <= FLAT * (float(np.linalg.norm(v)) + 1e-12)

    def along(v: Floats) -> bool:
        return float(np.linalg.norm(np.cross(n, v))) <= FLAT * (float(np.linalg.norm(v)) + 1e-12)

    if not inside(tables.gravity):
        return False
    held = _held(model, placed, n)
    for b in range(model.n_body):
        if not (inside(placed.velocity[b]) and along(placed.omega[b])):
            return False
        xx, yy, zz, xy, xz, yz = tables.body[b, BODY_J : BODY_J + 6]
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        axis = placed.rot[b].T @ n
        turned = tensor @ axis
        if not held[b] and np.linalg.norm(turned - (axis @ turned) * axis) > FLAT * np.trace(tensor):
            return False
    for row, real in zip(tables.prim_int, tables.prim_real, strict=True):
        i, j, code = int(row[PRIM_I]), int(row[PRIM_J]), int(row[PRIM_CODE])
        a, b = real[PRIM_UI : PRIM_UI + 3], real[PRIM_UJ : PRIM_UJ + 3]
        if code == DOT1:
            x, y = placed.rot[i] @ a, placed.rot[j] @ b
            if (
                not (inside(x) and inside(y))
                and not (along(x) and inside(y))
                and not (inside(x) and along(y))
            ):
                return False
        elif code in (POINT, DISTANCE):
            if not level(placed.point(i, a), placed.point(j, b)):
                return False
        elif code == DOT2:
            axis = placed.rot[j] @ real[PRIM_AXIS : PRIM_AXIS + 3]
            if not inside(axis) and not (along(axis) and level(placed.point(i, a), placed.point(j, b))):
                return False
        else:
            return False
    for row, real in zip(tables.sda_int, tables.sda_real, strict=True):
        i, j = int(row[SDA_I]), int(row[SDA_J])
        ends = placed.point(i, real[SDA_UI : SDA_UI + 3]), placed.point(j, real[SDA_UJ : SDA_UJ + 3])
        at_centre = level(ends[0], placed.centre[i]) or held[i], level(ends[1], placed.centre[j]) or held[j]
        if not (level(*ends) and all(at_centre)):
            return False
    for row, real in zip(tables.force_int, tables.force_real, strict=True):
        b = int(row[LOAD_BODY])
        vector = real[LOAD_VECTOR : LOAD_VECTOR + 3]
        at = placed.point(b, real[LOAD_POINT : LOAD_POINT + 3])
        if not inside(placed.rot[b] @ vector if row[1] else vector) or not (
            held[b] or level(at, placed.centre[b])
        ):
            return False
    for row, real in zip(tables.torque_int, tables.torque_real, strict=True):
        b = int(row[LOAD_BODY])
        vector = real[LOAD_VECTOR : LOAD_VECTOR + 3]
        if not (held[b] or along(placed.rot[b] @ vector if row[1] else vector)):
            return False
    return _touches_in(model, placed, n, held, size)


def _touches_in(model: CompiledModel, placed: Placed, n: Floats, held: list[bool], size: float) -> bool:
    """Tell whether the contacts push bodies in the plane only, and do not tilt those that no joint holds."""
    heights: dict[tuple[float, ...], Floats] = {}
    for row, real in zip(model.contacts.point_int, model.contacts.point_real, strict=True):
        kind, i, j = int(row[P_KIND]), int(row[P_I]), int(row[P_J])
        normal = placed.rot[j] @ real[P_N : P_N + 3]
        tangent = placed.rot[j] @ real[P_T : P_T + 3]
        second = np.cross(normal, tangent)
        belt = real[P_BELT] * tangent + real[P_BELT + 1] * second
        if abs(n @ belt) > FLAT * np.linalg.norm(belt):
            return False
        if kind == ANGLE:
            if abs(n @ normal) < 1.0 - FLAT:
                return False
            continue
        at, origin = placed.point(i, real[P_UI : P_UI + 3]), placed.point(j, real[P_UJ : P_UJ + 3])
        if kind in (PLANE, STRIP):
            flat = abs(n @ normal) <= FLAT and (kind == PLANE or abs(n @ tangent) <= FLAT)
        elif kind == BORE:
            flat = abs(n @ normal) >= 1.0 - FLAT
        elif kind == BALL_BOX:
            inner = [k for k, axis in enumerate((tangent, second, normal)) if abs(n @ axis) >= 1.0 - FLAT]
            flat = bool(inner) and abs(n @ (at - origin)) < real[P_SIZE + inner[0]]
        elif kind in (BALLS, SOCKET):
            flat = abs(n @ (at - origin)) <= FLAT * size
        else:
            return False
        if not flat:
            return False
        # points that fall on one another in the plane share their load: their mean height counts
        place = at - (n @ at) * n
        key = (i, j, kind, *(float(x) for x in np.round((*place, *normal), 9)))
        level = [0.0 if held[b] else float(n @ (at - placed.centre[b])) for b in (i, j)]
        heights[key] = heights.get(key, np.zeros(2)) + level
    return all(float(np.max(np.abs(total))) <= FLAT * size for total in heights.values())


def _held(model: CompiledModel, placed: Placed, n: Floats) -> list[bool]:
    """Tell of each body whether joints keep it from leaving its plane and from tilting; the ground is held."""
    tables = model.tables
    ground = model.n_body
    holds: list[tuple[int, int]] = []
    for link in model.joints:
        tilt, leave = set(), False
        for p in sorted({int(k) for k in model.row_prim[link.first : link.stop]}):
            row, real = tables.prim_int[p], tables.prim_real[p]
            i, j, code = int(row[PRIM_I]), int(row[PRIM_J]), int(row[PRIM_CODE])
            if code == DOT1:
                x = placed.rot[i] @ real[PRIM_UI : PRIM_UI + 3]
                y = placed.rot[j] @ real[PRIM_UJ : PRIM_UJ + 3]
                if min(abs(n @ x), abs(n @ y)) < 1e-6 < 0.9 < max(abs(n @ x), abs(n @ y)):
                    tilt.add(p)
            elif code == POINT or (
                code == DOT2 and abs(n @ (placed.rot[j] @ real[PRIM_AXIS : PRIM_AXIS + 3])) > 1.0 - FLAT
            ):
                leave = True
        if len(tilt) >= 2 and leave:
            holds.append((link.i, link.j))
    held = [False] * ground + [True]
    grown = True
    while grown:
        grown = False
        for i, j in holds:
            if held[i] != held[j]:
                held[i] = held[j] = True
                grown = True
    return held
