"""Relative poses of two frames and the coordinates of the joint between them."""

from __future__ import annotations

import numpy as np

from linkwright.elements.motion import FreeRotation, Motion, Rotation, Translation
from linkwright.kernels.layout import Floats

AXES = {"x": 0, "y": 1, "z": 2}


def quaternion_of(rot: Floats) -> Floats:
    """Unit quaternion (scalar first) of a rotation matrix, by its largest component (Shepperd 1978)."""
    squares = np.array(
        [
            1.0 + rot[0, 0] + rot[1, 1] + rot[2, 2],
            1.0 + rot[0, 0] - rot[1, 1] - rot[2, 2],
            1.0 - rot[0, 0] + rot[1, 1] - rot[2, 2],
            1.0 - rot[0, 0] - rot[1, 1] + rot[2, 2],
        ]
    )
    k = int(np.argmax(squares))
    x, y, z = rot[2, 1] - rot[1, 2], rot[0, 2] - rot[2, 0], rot[1, 0] - rot[0, 1]
    xy, xz, yz = rot[0, 1] + rot[1, 0], rot[0, 2] + rot[2, 0], rot[1, 2] + rot[2, 1]
    rows = [
        [squares[0], x, y, z],
        [x, squares[1], xy, xz],
        [y, xy, squares[2], yz],
        [z, xz, yz, squares[3]],
    ]
    e = np.array(rows[k])
    return np.asarray(e / np.linalg.norm(e))


def matrices_of(e: Floats) -> Floats:
    """Rotation matrices (n, 3, 3) of quaternions (n, 4) of any length but zero."""
    w, x, y, z = (e / np.linalg.norm(e, axis=1, keepdims=True)).T
    rows = [
        1 - 2 * (y * y + z * z),
        2 * (x * y - w * z),
        2 * (x * z + w * y),
        2 * (x * y + w * z),
        1 - 2 * (x * x + z * z),
        2 * (y * z - w * x),
        2 * (x * z - w * y),
        2 * (y * z + w * x),
        1 - 2 * (x * x + y * y),
    ]
    return np.stack(rows, axis=1).reshape(-1, 3, 3)


def joint_coordinates(motion: tuple[Motion, ...], rot: Floats, shift: Floats) -> Floats:
    """Coordinates of a recipe that come closest to a relative orientation and position.

    Parameters
    ----------
    motion : tuple of Motion
        At most two rotations about different axes, or one free rotation; any translations.
    rot : (3, 3)
        Outer axes in inner axes.
    shift : (3,)
        Outer origin in the inner frame [m].
    """
    turns = [AXES[part.axis] for part in motion if isinstance(part, Rotation)]
    angles: list[float] = []
    if len(turns) == 1:
        a = turns[0]
        b, c = (a + 1) % 3, (a + 2) % 3
        angles = [float(np.arctan2(rot[c, b] - rot[b, c], rot[b, b] + rot[c, c]))]
    elif len(turns) == 2:
        a, b = turns
        c = 3 - a - b
        sign = 1.0 if (a + 1) % 3 == b else -1.0
        angles = [
            float(np.arctan2(sign * rot[c, b], rot[b, b])),
            float(np.arctan2(sign * rot[a, c], rot[a, a])),
        ]
    elif len(turns) > 2:
        raise ValueError("no closed form for more than two rotations")
    values: list[Floats] = []
    reached = np.eye(3)
    slides: list[tuple[int, Floats]] = []
    waiting = iter(angles)
    for part in motion:
        match part:
            case Rotation():
                angle = next(waiting)
                reached = reached @ turn_about(AXES[part.axis], angle)
                values.append(np.array([angle]))
            case FreeRotation():
                reached = rot
                values.append(quaternion_of(rot))
            case Translation():
                slides.append((len(values), reached[:, AXES[part.axis]]))
                values.append(np.zeros(1))
    if slides:
        directions = np.column_stack([direction for _, direction in slides])
        lengths = np.linalg.lstsq(directions, shift, rcond=None)[0]
        for (place, _), length in zip(slides, lengths, strict=True):
            values[place] = np.array([length])
    return np.concatenate(values) if values else np.zeros(0)


def turn_about(axis: int, angle: float) -> Floats:
    """Rotation matrix about a coordinate axis."""
    b, c = (axis + 1) % 3, (axis + 2) % 3
    out = np.eye(3)
    out[b, b] = out[c, c] = np.cos(angle)
    out[c, b] = np.sin(angle)
    out[b, c] = -np.sin(angle)
    return out
