"""Box against box: the axis of largest separation, then a clipped face or the nearest points of two edges.

Separating axes are the three face normals of each box and the nine products of their edges (Gottschalk, Lin, Manocha
1996). Where a face separates best, the opposite face of the other box is cut to its sides (Sutherland, Hodgman 1974):
up to eight points. Where two edges do, there is one.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from linkwright.kernels.jit import inner_kernel, kernel
from linkwright.kernels.layout import Floats
from linkwright.kernels.rotation import Mat, Vec, add, cross, dot, scale, sub, times, times_t

CORNERS: Final = 8
"""Most points of one pair."""

# --- columns of the points found; the last row is used while clipping
B_GAP: Final = 0
B_AT: Final = 1
B_COLUMNS: Final = 4
# --- parts of the clip table: two polygons of up to eight corners, each x, y, height
CLIP_ROWS: Final = 2 * CORNERS

PARALLEL: Final = 1e-6
"""Two edges whose product is shorter have no axis of their own."""
FACE_FIRST: Final = 1e-4
"""An edge axis has to separate better than a face by this part of the size: at equal footing the face is steadier."""


@inner_kernel
def column(m: Mat, k: int) -> Vec:
    """Column k of a matrix: axis k of a body in ground axes."""
    if k == 0:
        return m[0], m[3], m[6]
    if k == 1:
        return m[1], m[4], m[7]
    return m[2], m[5], m[8]


@inner_kernel
def reach(m: Mat, half: Vec, n: Vec) -> float:
    """Half of the extent of a box along n."""
    x = times_t(m, n)
    return half[0] * abs(x[0]) + half[1] * abs(x[1]) + half[2] * abs(x[2])


@inner_kernel
def pick(v: Vec, k: int) -> float:
    """Component k of a vector."""
    if k == 0:
        return v[0]
    return v[1] if k == 1 else v[2]


@inner_kernel
def clip_side(clip: Floats, start: int, n: int, goal: int, axis: int, sign: float, half: float) -> int:
    """Cut the polygon of n corners from row `start` at sign x_axis = half, into rows from `goal`; count its corners."""
    m = 0
    for a in range(n):
        b = start + (a + 1) % n
        da = sign * clip[start + a, axis] - half
        db = sign * clip[b, axis] - half
        if da <= 0.0 and m < CORNERS:
            for k in range(3):
                clip[goal + m, k] = clip[start + a, k]
            m += 1
        if da * db < 0.0 and m < CORNERS:
            s = da / (da - db)
            for k in range(3):
                clip[goal + m, k] = clip[start + a, k] + s * (clip[b, k] - clip[start + a, k])
            m += 1
    return m


@inner_kernel
def clip_face(
    ref: Mat,
    ref_at: Vec,
    ref_half: Vec,
    axis: int,
    n: Vec,
    other: Mat,
    at: Vec,
    half: Vec,
    found: Floats,
    clip: Floats,
) -> int:
    """Points of the face of `other` that looks against n, cut to the sides of the reference face; returns their number.

    `n` is the outward normal of the reference face, along its axis number `axis`.
    """
    # the face of the other box that looks most against n
    own = times_t(other, n)
    k = 0
    if abs(own[1]) > abs(own[0]):
        k = 1
    if abs(own[2]) > abs(pick(own, k)):
        k = 2
    side = -1.0 if pick(own, k) > 0.0 else 1.0
    k1 = (k + 1) % 3
    k2 = (k + 2) % 3
    middle = add(at, scale(side * pick(half, k), column(other, k)))
    e1 = scale(pick(half, k1), column(other, k1))
    e2 = scale(pick(half, k2), column(other, k2))
    a1 = (axis + 1) % 3
    a2 = (axis + 2) % 3
    t1 = column(ref, a1)
    t2 = column(ref, a2)
    face = add(ref_at, scale(pick(ref_half, axis), n))
    for c in range(4):
        s1 = 1.0 if c == 0 or c == 3 else -1.0
        s2 = 1.0 if c < 2 else -1.0
        p = sub(add(middle, add(scale(s1, e1), scale(s2, e2))), face)
        clip[c, 0] = dot(p, t1)
        clip[c, 1] = dot(p, t2)
        clip[c, 2] = dot(p, n)
    m = clip_side(clip, 0, 4, CORNERS, 0, 1.0, pick(ref_half, a1))
    m = clip_side(clip, CORNERS, m, 0, 0, -1.0, pick(ref_half, a1))
    m = clip_side(clip, 0, m, CORNERS, 1, 1.0, pick(ref_half, a2))
    m = clip_side(clip, CORNERS, m, 0, 1, -1.0, pick(ref_half, a2))
    for c in range(m):
        p = add(face, add(add(scale(clip[c, 0], t1), scale(clip[c, 1], t2)), scale(clip[c, 2], n)))
        found[c, B_GAP] = clip[c, 2]
        found[c, B_AT] = p[0]
        found[c, B_AT + 1] = p[1]
        found[c, B_AT + 2] = p[2]
    return m


@inner_kernel
def edge_point(m: Mat, half: Vec, at: Vec, k: int, n: Vec) -> Vec:
    """Middle of the edge of a box along its axis k that lies furthest along n."""
    own = times_t(m, n)
    x = 0.0 if k == 0 else np.copysign(half[0], own[0])
    y = 0.0 if k == 1 else np.copysign(half[1], own[1])
    z = 0.0 if k == 2 else np.copysign(half[2], own[2])
    return add(at, times(m, (x, y, z)))


@kernel
def box_box(
    rot_i: Mat, at_i: Vec, half_i: Vec, rot_j: Mat, at_j: Vec, half_j: Vec, found: Floats, clip: Floats
) -> tuple[int, float, Vec]:
    """Find where two boxes touch or come nearest.

    Parameters
    ----------
    rot_i, at_i, half_i : orientation, centre and half extents of box i, ground axes [m]
    rot_j, at_j, half_j : of box j
    found : (CORNERS, B_COLUMNS)
        Receives gap and place of each point.
    clip : (CLIP_ROWS, 3)
        Room.

    Returns
    -------
    n, gap, normal : int, float, Vec
        Number of points; largest separation, negative when they overlap [m]; direction from j to i.
    """
    d = sub(at_i, at_j)
    best = -np.inf
    axis = 0
    on_i = True
    normal = d
    size = half_i[0] + half_i[1] + half_i[2] + half_j[0] + half_j[1] + half_j[2]
    for box in range(2):
        for k in range(3):
            n = column(rot_i if box == 0 else rot_j, k)
            x = dot(n, d)
            own = pick(half_i if box == 0 else half_j, k)
            gap = abs(x) - own - (reach(rot_j, half_j, n) if box == 0 else reach(rot_i, half_i, n))
            # a later face has to be clearly better, so that the choice does not flicker
            if gap > best + (1e-9 * size if best > -np.inf else 0.0):
                best = gap
                axis = k
                on_i = box == 0
                normal = n if x > 0.0 else scale(-1.0, n)
    edge_i = -1
    edge_j = -1
    edge_normal = normal
    edge_best = best + FACE_FIRST * size
    for a in range(3):
        for b in range(3):
            n = cross(column(rot_i, a), column(rot_j, b))
            length = np.sqrt(dot(n, n))
            if length > PARALLEL:
                n = scale(1.0 / length, n)
                x = dot(n, d)
                gap = abs(x) - reach(rot_i, half_i, n) - reach(rot_j, half_j, n)
                if gap > edge_best:
                    edge_best = gap
                    edge_i = a
                    edge_j = b
                    edge_normal = n if x > 0.0 else scale(-1.0, n)
    if edge_i >= 0:
        # the nearest points of the two edges that face each other
        p = edge_point(rot_i, half_i, at_i, edge_i, scale(-1.0, edge_normal))
        q = edge_point(rot_j, half_j, at_j, edge_j, edge_normal)
        u = column(rot_i, edge_i)
        v = column(rot_j, edge_j)
        w = sub(q, p)
        uv = dot(u, v)
        s = (dot(u, w) - uv * dot(v, w)) / (1.0 - uv * uv)
        t = (uv * dot(u, w) - dot(v, w)) / (1.0 - uv * uv)
        at = scale(0.5, add(add(p, scale(s, u)), add(q, scale(t, v))))
        found[0, B_GAP] = edge_best
        found[0, B_AT] = at[0]
        found[0, B_AT + 1] = at[1]
        found[0, B_AT + 2] = at[2]
        return 1, edge_best, edge_normal
    if on_i:
        # the face of i that looks to j
        m = clip_face(rot_i, at_i, half_i, axis, scale(-1.0, normal), rot_j, at_j, half_j, found, clip)
    else:
        m = clip_face(rot_j, at_j, half_j, axis, normal, rot_i, at_i, half_i, found, clip)
    return m, best, normal
