"""The two extra terms of the iteration matrix that one spring-damper-actuator contributes, written out to be looked at.

The engine never forms these blocks one by one; here they are computed from the closed forms in plain numpy, for the
pictures of the Jacobian panel and for notebooks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwright.document.base import GROUND
from linkwright.document.bodies import Body
from linkwright.document.mechanism import Mechanism
from linkwright.elements.forces.sda import Sda
from linkwright.errors import DocumentError

Array = NDArray[np.float64]
COORDINATES = ("x", "y", "z", "e0", "e1", "e2", "e3")
"""Coordinates of one body: mass centre in ground [m], Euler parameters scalar first."""


@dataclass(frozen=True)
class SdaEnd:
    """One end of a spring: a point of a body and how that body moves.

    Attributes
    ----------
    position, velocity : (3,)
        Mass centre in ground [m], [m/s].
    e, e_rate : (4,)
        Euler parameters, scalar first, and their rates [1/s].
    u : (3,)
        The point seen from the mass centre, body axes [m].
    """

    position: Array
    velocity: Array
    e: Array
    e_rate: Array
    u: Array


@dataclass(frozen=True)
class SdaBlocks:
    """What a spring contributes at one pose.

    Attributes
    ----------
    bodies : tuple of str
        Ids of the moving bodies, one or two.
    coordinates : tuple of str
        Names of the rows and columns, seven for each body.
    m2, m3 : (n, n)
        dQe/dq and dQe/dq' in SI units.
    length, rate, force : float
        [m], [m/s], [N], tension positive.
    """

    bodies: tuple[str, ...]
    coordinates: tuple[str, ...]
    m2: Array
    m3: Array
    length: float
    rate: float
    force: float


def skew(a: Array) -> Array:
    """Matrix [a]x with [a]x b = a x b : (3, 3)."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def rotated(e: Array, u: Array) -> Array:
    """A(e) u with the homogeneous polynomial : (3,) (SDA theory, section 2)."""
    l0, lv = e[0], e[1:]
    turned: Array = (l0 * l0 - lv @ lv) * u + 2.0 * lv * (lv @ u) + 2.0 * l0 * np.cross(lv, u)
    return turned


def point_jacobian(e: Array, u: Array) -> Array:
    """C(e, u) = d(A(e) u)/de : (3, 4) (SDA theory, section 2)."""
    l0, lv = e[0], e[1:]
    c = np.empty((3, 4))
    c[:, 0] = 2.0 * l0 * u + 2.0 * np.cross(lv, u)
    c[:, 1:] = (
        -2.0 * np.outer(u, lv) + 2.0 * np.outer(lv, u) + 2.0 * (lv @ u) * np.eye(3) - 2.0 * l0 * skew(u)
    )
    return c


def point_hessian(u: Array, f: Array) -> Array:
    """D(u, f), the Hessian of f . A(e) u by e : (4, 4) (SDA theory, section 2)."""
    d = np.empty((4, 4))
    d[0, 0] = 2.0 * (f @ u)
    d[0, 1:] = d[1:, 0] = 2.0 * np.cross(u, f)
    d[1:, 1:] = 2.0 * (np.outer(f, u) + np.outer(u, f)) - 2.0 * (f @ u) * np.eye(3)
    return d


def blocks_of_ends(
    i: SdaEnd, j: SdaEnd, k: float, c: float, fa: float, free_length: float, tension_only: bool = False
) -> tuple[Array, Array, Array, tuple[float, float, float]]:
    """Generalised force and its derivatives for two moving ends (SDA theory, sections 4 and 5).

    Parameters
    ----------
    i, j : SdaEnd
        Ends.
    k, c, fa : float
        Stiffness [N/m], damping [N s/m], actuator force [N].
    free_length : float
        [m]
    tension_only : bool
        A cable: slack when shorter than free or when its force would push.

    Returns
    -------
    force, m2, m3 : (14,), (14, 14), (14, 14)
        Qe, dQe/dq and dQe/dq' with q = [q_i; q_j].
    state : (float, float, float)
        Length [m], its rate [m/s] and the force [N].

    Raises
    ------
    DocumentError
        When both ends are at the same place, where the direction of the force is not defined.
    """
    b_i = np.hstack([np.eye(3), point_jacobian(i.e, i.u)])
    b_j = np.hstack([np.eye(3), point_jacobian(j.e, j.u)])
    b_i_rate = np.hstack([np.zeros((3, 3)), point_jacobian(i.e_rate, i.u)])
    b_j_rate = np.hstack([np.zeros((3, 3)), point_jacobian(j.e_rate, j.u)])
    s = np.hstack([-b_i, b_j])
    s_rate = np.hstack([-b_i_rate, b_j_rate])
    h = j.position + rotated(j.e, j.u) - i.position - rotated(i.e, i.u)
    h_rate = s @ np.concatenate([i.velocity, i.e_rate, j.velocity, j.e_rate])
    length = float(np.linalg.norm(h))
    if length == 0.0:
        raise DocumentError("Both ends of the spring are at the same place, so its force has no direction.")
    n = h / length
    rate = float(n @ h_rate)
    f = k * (length - free_length) + c * rate + fa
    if tension_only and (length <= free_length or f <= 0.0):
        return np.zeros(14), np.zeros((14, 14)), np.zeros((14, 14)), (length, rate, 0.0)
    across = np.eye(3) - np.outer(n, n)
    s_n = s.T @ n
    rate_by_q = (h_rate @ across @ s) / length + n @ s_rate
    curved = np.zeros((14, 14))
    curved[3:7, 3:7] = -f * point_hessian(i.u, n)
    curved[10:14, 10:14] = f * point_hessian(j.u, n)
    m2 = -np.outer(s_n, k * s_n + c * rate_by_q) - (f / length) * (s.T @ across @ s) - curved
    m3 = -c * np.outer(s_n, s_n)
    return -f * s_n, m2, m3, (length, rate, f)


def sda_blocks(
    mechanism: Mechanism, sda_id: str, body_ids: tuple[str, ...], poses: Array, twists: Array
) -> SdaBlocks:
    """Blocks of one spring of a mechanism at given poses.

    Parameters
    ----------
    mechanism : Mechanism
        Evaluated, without formulas.
    sda_id : str
        Id of the spring.
    body_ids : tuple of str
        Bodies in the order of the rows of `poses` and `twists`.
    poses : (n_body, 7)
        Origin of the body frame in ground [m] and its Euler parameters: x y z w x y z.
    twists : (n_body, 6)
        Velocity of that origin and angular velocity, ground axes [m/s, rad/s].

    Returns
    -------
    blocks : SdaBlocks
        An end on the ground has no coordinates and is left out.

    Raises
    ------
    DocumentError
        When there is no such spring, or when its length is zero.
    """
    sda = mechanism.element(sda_id)
    if not isinstance(sda, Sda):
        raise DocumentError(f"Element {sda_id!r} is no spring-damper-actuator.", sda_id)
    rows = {body: k for k, body in enumerate(body_ids)}
    ends = [_end(mechanism, reference, rows, poses, twists) for reference in (sda.i, sda.j)]
    free = sda.free_length
    if free is None:
        drawn = [np.array(mechanism.world_frame(reference)[0]) for reference in (sda.i, sda.j)]
        free = float(np.linalg.norm(drawn[1] - drawn[0]))
    _, m2, m3, (length, rate, force) = blocks_of_ends(
        ends[0][1],
        ends[1][1],
        float(sda.stiffness),
        float(sda.damping),
        float(sda.actuator_force),
        float(free),
        sda.tension_only,
    )
    moving = [7 * side + np.arange(7) for side, (body, _) in enumerate(ends) if body != GROUND]
    keep = np.concatenate(moving) if moving else np.empty(0, np.int64)
    bodies = tuple(body for body, _ in ends if body != GROUND)
    return SdaBlocks(
        bodies=bodies,
        coordinates=tuple(f"{body}.{name}" for body in bodies for name in COORDINATES),
        m2=m2[np.ix_(keep, keep)],
        m3=m3[np.ix_(keep, keep)],
        length=length,
        rate=rate,
        force=force,
    )


def _end(
    mechanism: Mechanism, reference: str, rows: dict[str, int], poses: Array, twists: Array
) -> tuple[str, SdaEnd]:
    body_id, place, _ = mechanism.frame(reference)
    point = np.array(place, float)
    if body_id == GROUND:
        upright = np.array([1.0, 0.0, 0.0, 0.0])
        return GROUND, SdaEnd(np.zeros(3), np.zeros(3), upright, np.zeros(4), point)
    body = mechanism.element(body_id)
    assert isinstance(body, Body)
    centre = np.asarray(body.inertia().centre, float)
    pose, twist = poses[rows[body_id]], twists[rows[body_id]]
    e, omega = pose[3:], twist[3:]
    arm = rotated(e, centre)
    # e' = (0, omega) e / 2 with the angular velocity in ground axes
    e_rate = 0.5 * np.concatenate([[-(omega @ e[1:])], e[0] * omega + np.cross(omega, e[1:])])
    return body_id, SdaEnd(pose[:3] + arm, twist[:3] + np.cross(omega, arm), e, e_rate, point - centre)
