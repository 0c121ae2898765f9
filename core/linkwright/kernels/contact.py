"""Contact geometry: gaps, normals, tangents and common points, in space and in a plane.

Each kind of contact point (`lcp.layout`) gives the gap, the normal from body j to body i along which it opens, the
first tangent, and the point at which both bodies touch. All are in ground axes, planar ones in plane axes.
"""

from __future__ import annotations

import numpy as np

from linkwright.kernels.jit import inner_kernel, kernel
from linkwright.kernels.layout import Floats, Ints
from linkwright.kernels.lcp.boxes import box_box
from linkwright.kernels.lcp.layout import (
    A_AT,
    A_GAP,
    A_N,
    A_T,
    ANGLE,
    BALL_BOX,
    BALLS,
    BORE,
    BOX_BOX,
    FOLLOWER,
    P_I,
    P_J,
    P_KIND,
    P_N,
    P_N_I,
    P_RI,
    P_RJ,
    P_SIZE,
    P_SIZE_I,
    P_T,
    P_T_I,
    P_UI,
    P_UJ,
    PLANE,
    SOCKET,
    STRIP,
    X_COS,
    X_ROT,
    X_SIN,
)
from linkwright.kernels.lcp.planar import turn
from linkwright.kernels.rotation import Mat, Vec, add, cross, dot, mat, put_vec, scale, sub, times, vec

COINCIDE = 1e-12
"""Centres closer than this have no direction [m]."""

Geometry = tuple[float, Vec, Vec, Vec]
FlatGeometry = tuple[float, float, float, float, float, float, float]


@inner_kernel
def across(n: Vec, wish: Vec) -> Vec:
    """Unit vector perpendicular to n, as near as may be to the wish."""
    t = sub(wish, scale(dot(wish, n), n))
    size = np.sqrt(dot(t, t))
    if size > 1e-3:
        return scale(1.0 / size, t)
    # the axis that n is furthest from
    if abs(n[0]) <= abs(n[1]) and abs(n[0]) <= abs(n[2]):
        t = (0.0, n[2], -n[1])
    elif abs(n[1]) <= abs(n[2]):
        t = (-n[2], 0.0, n[0])
    else:
        t = (n[1], -n[0], 0.0)
    return scale(1.0 / np.sqrt(dot(t, t)), t)


@inner_kernel
def wrapped(angle: float, middle: float) -> float:
    """Give the angle within half a turn of the middle."""
    return float(middle + (angle - middle) - 2.0 * np.pi * np.floor((angle - middle) / (2.0 * np.pi) + 0.5))


@inner_kernel
def measure(point_int: Ints, real: Floats, p: int, placed: Floats) -> Geometry:
    """Gap, normal, first tangent and common point of contact point p in space."""
    kind = point_int[p, P_KIND]
    i = point_int[p, P_I]
    j = point_int[p, P_J]
    rot_j = mat(placed, j, X_ROT)
    a = times(mat(placed, i, X_ROT), vec(real, p, P_UI))
    o = times(rot_j, vec(real, p, P_UJ))
    n = times(rot_j, vec(real, p, P_N))
    t = times(rot_j, vec(real, p, P_T))
    if kind == ANGLE:
        # a and o are the x axes of both sides; the gap is an angle, to the nearer limit
        low = real[p, P_SIZE]
        high = real[p, P_SIZE + 1]
        angle = wrapped(np.arctan2(dot(n, cross(o, a)), dot(o, a)), 0.5 * (low + high))
        if angle - low < high - angle:
            return angle - low, n, t, o
        return high - angle, scale(-1.0, n), t, o
    a = add(a, vec(placed, i, 0))
    o = add(o, vec(placed, j, 0))
    d = sub(a, o)
    ri = real[p, P_RI]
    if kind == PLANE:
        return dot(n, d) - ri, n, t, sub(a, scale(ri, n))
    if kind == STRIP:
        x = dot(t, d)
        z = dot(n, d)
        half = real[p, P_SIZE]
        if abs(x) <= half:
            # what is further behind has come from behind
            gap = z - ri if z - ri >= -real[p, P_SIZE + 1] else abs(z)
            return gap, n, t, sub(a, scale(ri, n))
        over = x - half if x > 0.0 else x + half
        size = np.sqrt(over * over + z * z)
        normal = scale(1.0 / size, add(scale(over, t), scale(z, n)))
        return size - ri, normal, across(normal, t), sub(a, scale(ri, normal))
    rj = real[p, P_RJ]
    if kind == BALLS or kind == SOCKET:
        size = np.sqrt(dot(d, d))
        normal = scale(1.0 / size, d) if size > COINCIDE else n
        if kind == BALLS:
            return size - ri - rj, normal, across(normal, t), sub(a, scale(ri, normal))
        normal = scale(-1.0, normal)
        return rj - ri - size, normal, across(normal, t), sub(a, scale(ri, normal))
    if kind == BORE:
        d = sub(d, scale(dot(n, d), n))
        size = np.sqrt(dot(d, d))
        normal = scale(-1.0 / size, d) if size > COINCIDE else t
        return rj - ri - size, normal, cross(n, normal), sub(a, scale(ri, normal))

    # ball against box: the nearest point of the box in its axes t, n x t, n
    s = cross(n, t)
    x = dot(t, d)
    y = dot(s, d)
    z = dot(n, d)
    hx = real[p, P_SIZE]
    hy = real[p, P_SIZE + 1]
    hz = real[p, P_SIZE + 2]
    ox = x - min(max(x, -hx), hx)
    oy = y - min(max(y, -hy), hy)
    oz = z - min(max(z, -hz), hz)
    size = np.sqrt(ox * ox + oy * oy + oz * oz)
    if size > COINCIDE:
        normal = scale(1.0 / size, add(add(scale(ox, t), scale(oy, s)), scale(oz, n)))
        return size - ri, normal, across(normal, t), sub(a, scale(ri, normal))
    # the centre is inside: out through the nearest face
    dx = hx - abs(x)
    dy = hy - abs(y)
    dz = hz - abs(z)
    if dx <= dy and dx <= dz:
        normal = t if x > 0.0 else scale(-1.0, t)
        return -dx - ri, normal, across(normal, s), sub(a, scale(ri, normal))
    if dy <= dz:
        normal = s if y > 0.0 else scale(-1.0, s)
        return -dy - ri, normal, across(normal, t), sub(a, scale(ri, normal))
    normal = n if z > 0.0 else scale(-1.0, n)
    return -dz - ri, normal, across(normal, t), sub(a, scale(ri, normal))


@inner_kernel
def box_axes(rot: Mat, real: Floats, p: int, k_n: int, k_t: int) -> Mat:
    """Axes t, n x t, n of a box as columns, ground axes."""
    n = times(rot, vec(real, p, k_n))
    t = times(rot, vec(real, p, k_t))
    s = cross(n, t)
    return t[0], s[0], n[0], t[1], s[1], n[1], t[2], s[2], n[2]


@inner_kernel
def measure_boxes(
    point_int: Ints, real: Floats, p: int, placed: Floats, found: Floats, clip: Floats
) -> tuple[int, float, Vec]:
    """Points, gap and normal of a pair of boxes, see `boxes.box_box`."""
    i = point_int[p, P_I]
    j = point_int[p, P_J]
    rot_i = mat(placed, i, X_ROT)
    rot_j = mat(placed, j, X_ROT)
    at_i = add(vec(placed, i, 0), times(rot_i, vec(real, p, P_UI)))
    at_j = add(vec(placed, j, 0), times(rot_j, vec(real, p, P_UJ)))
    axes_i = box_axes(rot_i, real, p, P_N_I, P_T_I)
    axes_j = box_axes(rot_j, real, p, P_N, P_T)
    return box_box(axes_i, at_i, vec(real, p, P_SIZE_I), axes_j, at_j, vec(real, p, P_SIZE), found, clip)


@inner_kernel
def measure_flat(point_int: Ints, real: Floats, p: int, placed: Floats) -> FlatGeometry:
    """Gap, normal (2), first tangent (2) and common point (2) of contact point p in a plane."""
    kind = point_int[p, P_KIND]
    i = point_int[p, P_I]
    j = point_int[p, P_J]
    ci = placed[i, X_COS]
    si = placed[i, X_SIN]
    cj = placed[j, X_COS]
    sj = placed[j, X_SIN]
    ax, ay = turn(ci, si, real, p, P_UI)
    ox, oy = turn(cj, sj, real, p, P_UJ)
    if kind == ANGLE:
        low = real[p, P_SIZE]
        high = real[p, P_SIZE + 1]
        # the third component of the axis tells whether it points along the normal of the plane or against it
        side = real[p, P_N + 2]
        angle = wrapped(side * np.arctan2(ox * ay - oy * ax, ox * ax + oy * ay), 0.5 * (low + high))
        if angle - low < high - angle:
            return angle - low, side, 0.0, 0.0, 0.0, 0.0, 0.0
        return high - angle, -side, 0.0, 0.0, 0.0, 0.0, 0.0
    ax += placed[i, 0]
    ay += placed[i, 1]
    dx = ax - placed[j, 0] - ox
    dy = ay - placed[j, 1] - oy
    ri = real[p, P_RI]
    tx, ty = turn(cj, sj, real, p, P_T)
    if kind == PLANE:
        nx, ny = turn(cj, sj, real, p, P_N)
        return nx * dx + ny * dy - ri, nx, ny, tx, ty, ax - ri * nx, ay - ri * ny
    if kind == STRIP:
        nx, ny = turn(cj, sj, real, p, P_N)
        x = tx * dx + ty * dy
        z = nx * dx + ny * dy
        half = real[p, P_SIZE]
        if abs(x) <= half:
            gap = z - ri if z - ri >= -real[p, P_SIZE + 1] else abs(z)
            return gap, nx, ny, tx, ty, ax - ri * nx, ay - ri * ny
        over = x - half if x > 0.0 else x + half
        size = np.sqrt(over * over + z * z)
        # which way the tangent turns from the normal stays as it is on the face
        side = nx * ty - ny * tx
        mx = (over * tx + z * nx) / size
        my = (over * ty + z * ny) / size
        return size - ri, mx, my, -side * my, side * mx, ax - ri * mx, ay - ri * my
    rj = real[p, P_RJ]
    if kind == BALL_BOX:
        nx, ny = turn(cj, sj, real, p, P_N)
        x = tx * dx + ty * dy
        z = nx * dx + ny * dy
        hx = real[p, P_SIZE]
        hz = real[p, P_SIZE + 2]
        wx = x - min(max(x, -hx), hx)
        wz = z - min(max(z, -hz), hz)
        size = np.sqrt(wx * wx + wz * wz)
        if size > COINCIDE:
            gap = size - ri
            wx /= size
            wz /= size
        elif hx - abs(x) <= hz - abs(z):
            gap = abs(x) - hx - ri
            wx = 1.0 if x > 0.0 else -1.0
            wz = 0.0
        else:
            gap = abs(z) - hz - ri
            wx = 0.0
            wz = 1.0 if z > 0.0 else -1.0
        mx = wx * tx + wz * nx
        my = wx * ty + wz * ny
        return gap, mx, my, my, -mx, ax - ri * mx, ay - ri * my
    # balls, sockets and bores are circles
    size = np.sqrt(dx * dx + dy * dy)
    if size > COINCIDE:
        mx = dx / size
        my = dy / size
    else:
        mx = tx
        my = ty
    if kind == BALLS:
        return size - ri - rj, mx, my, my, -mx, ax - ri * mx, ay - ri * my
    return rj - ri - size, -mx, -my, -my, mx, ax + ri * mx, ay + ri * my


@kernel
def gap_of(
    point_int: Ints, real: Floats, p: int, placed: Floats, found: Floats, clip: Floats, dim: tuple[int, ...]
) -> float:
    """Gap of a contact point at the placed bodies; infinite for one that belongs to the pair before it."""
    if len(dim) == 6:
        if point_int[p, P_KIND] == BOX_BOX:
            return measure_boxes(point_int, real, p, placed, found, clip)[1]
        if point_int[p, P_KIND] == FOLLOWER:
            return np.inf
        return measure(point_int, real, p, placed)[0]
    return measure_flat(point_int, real, p, placed)[0]


@inner_kernel
def write_active(
    point_int: Ints,
    real: Floats,
    p: int,
    placed: Floats,
    touch: float,
    active: Floats,
    c: int,
    dim: tuple[int, ...],
) -> bool:
    """Write the geometry of point p as active contact c; False when its gap is wider than `touch`."""
    if len(dim) == 6:
        gap, n, t, at = measure(point_int, real, p, placed)
        if gap > touch:
            return False
        put_vec(active, c, A_N, n)
        put_vec(active, c, A_T, t)
        put_vec(active, c, A_AT, at)
    else:
        gap, nx, ny, tx, ty, x, y = measure_flat(point_int, real, p, placed)
        if gap > touch:
            return False
        active[c, A_N] = nx
        active[c, A_N + 1] = ny
        active[c, A_T] = tx
        active[c, A_T + 1] = ty
        active[c, A_AT] = x
        active[c, A_AT + 1] = y
    active[c, A_GAP] = gap
    return True
