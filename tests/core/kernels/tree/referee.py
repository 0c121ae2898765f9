"""An independent answer for tree dynamics: the dense augmented system in body axes.

Every joint of several freedoms is taken apart into joints of one freedom (or a ball) with massless bodies between whose
columns A are constant in the axes of their own body. Unknown are the spatial accelerations w and reactions R of all
bodies and q'' (12 N + n numbers):

    w_i - C_i w_k - A_i q'' = nu_i x (A_i q'),   M_i w_i - R_i + sum C_j^T R_j = F_i,   A_i^T R_i = 0

with twists (angular, linear) of the body origin in body axes (Featherstone 2008, chapters 2 and 5). None of this is
shared with the kernels: rotations come from scipy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import lu_factor, lu_solve
from scipy.spatial.transform import Rotation

from linkwright.engines.tree_tables import GROUND_PARENT, Freedom, TreeBody
from linkwright.kernels.layout import Floats
from linkwright.kernels.tree.layout import BALL, SLIDE


def skew(a: Floats) -> Floats:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def crossed(nu: Floats) -> Floats:
    """Spatial cross product operator on motions."""
    return np.block([[skew(nu[:3]), np.zeros((3, 3))], [skew(nu[3:]), skew(nu[:3])]])


@dataclass
class Link:
    """One body of the taken-apart tree: relative pose and constant columns of its joint."""

    parent: int
    rot: Floats  # own axes to parent axes
    arm: Floats  # origin in the parent
    columns: Floats  # (6, n) in own axes
    rates: Floats
    given: Floats | None  # accelerations of driven freedoms
    v_adr: int
    mass: Floats  # (6, 6)
    moment: Floats


@dataclass
class Answer:
    """What the referee found, in the order of the bodies given; ground axes."""

    a: Floats
    alpha: Floats  # (n_body, 3)
    accel: Floats  # of the origins, gravity taken off
    torque: Floats
    force: Floats
    rot: Floats
    origin: Floats
    omega: Floats
    vel: Floats


def solve(
    bodies: Sequence[TreeBody],
    addresses: Sequence[tuple[int, int]],
    q: Floats,
    v: Floats,
    driven: Floats,
    gravity: Floats,
    wrench: Floats,
) -> Answer:
    """Solve the augmented system.

    `addresses` holds the first coordinate and the first rate of each body; `wrench` (n_body, 6) torque about the origin
    and force, ground axes; `driven` accelerations of driven freedoms by rate.
    """
    links: list[Link] = []
    last = [0] * len(bodies)  # link that is the body itself
    order = sorted(range(len(bodies)), key=lambda k: depth(bodies, k))
    for index in order:
        body = bodies[index]
        parent = -1 if body.parent == GROUND_PARENT else last[body.parent]
        q_adr, v_adr = addresses[index]
        freedoms = body.freedoms
        if body.floating:
            freedoms = (*(Freedom(SLIDE, k) for k in range(3)), Freedom(BALL))
        rot, arm = np.asarray(body.frame, float), np.asarray(body.base, float)
        if not freedoms:
            links.append(
                Link(
                    parent,
                    rot,
                    arm,
                    np.zeros((6, 0)),
                    np.zeros(0),
                    None,
                    v_adr,
                    np.zeros((6, 6)),
                    np.zeros(3),
                )
            )
            parent = len(links) - 1
        for freedom in freedoms:
            n_q, n_v = (4, 3) if freedom.kind == BALL else (1, 1)
            value, rate = q[q_adr : q_adr + n_q], v[v_adr : v_adr + n_v]
            columns = np.zeros((6, n_v))
            if freedom.kind == BALL:
                turn = Rotation.from_quat(value, scalar_first=True).as_matrix()
                move = np.zeros(3)
                columns[:3] = np.eye(3)
            else:
                axis = np.eye(3)[freedom.axis]
                travel = 1.0 if freedom.kind == SLIDE else freedom.pitch
                move = travel * value[0] * axis
                turn = np.eye(3)
                if freedom.kind != SLIDE:
                    turn = Rotation.from_rotvec(value[0] * axis).as_matrix()
                    columns[:3, 0] = axis
                columns[3:, 0] = travel * axis
            given = driven[v_adr : v_adr + n_v] if freedom.driven else None
            links.append(
                Link(
                    parent,
                    rot @ turn,
                    arm + rot @ move,
                    columns,
                    rate,
                    given,
                    v_adr,
                    np.zeros((6, 6)),
                    np.zeros(3),
                )
            )
            parent = len(links) - 1
            rot, arm = np.eye(3), np.zeros(3)
            q_adr, v_adr = q_adr + n_q, v_adr + n_v
        own = links[-1]
        own.mass = np.block([[body.inertia, skew(body.moment)], [-skew(body.moment), body.mass * np.eye(3)]])
        own.moment = np.asarray(body.moment, float)
        last[index] = len(links) - 1
    return _augmented(links, last, v.size, driven, gravity, wrench)


def depth(bodies: Sequence[TreeBody], index: int) -> int:
    count = 0
    while index != GROUND_PARENT:
        index = bodies[index].parent
        count += 1
    return count


def _augmented(
    links: list[Link], last: list[int], n_v: int, driven: Floats, gravity: Floats, wrench: Floats
) -> Answer:
    n = len(links)
    rots: list[Floats] = []
    origins: list[Floats] = []
    twists: list[Floats] = []
    shifts: list[Floats] = []
    for link in links:
        above = (np.eye(3), np.zeros(3), np.zeros(6))
        if link.parent >= 0:
            above = rots[link.parent], origins[link.parent], twists[link.parent]
        rots.append(above[0] @ link.rot)
        origins.append(above[1] + above[0] @ link.arm)
        # motion transform from the parent: (omega, v) at the parent's origin to own axes and origin
        e = link.rot.T
        shift = np.block([[e, np.zeros((3, 3))], [-e @ skew(link.arm), e]])
        shifts.append(shift)
        twists.append(shift @ above[2] + link.columns @ link.rates)
    unknown = [link.v_adr + k for link in links if link.given is None for k in range(link.columns.shape[1])]
    place = {v_adr: k for k, v_adr in enumerate(unknown)}
    size = 12 * n + len(unknown)
    matrix, rhs = np.zeros((size, size)), np.zeros(size)
    of_body = {link: k for k, link in enumerate(last)}
    ground = np.concatenate([np.zeros(3), -np.asarray(gravity)])
    row = 12 * n
    for i, link in enumerate(links):
        w, r = slice(6 * i, 6 * i + 6), slice(6 * n + 6 * i, 6 * n + 6 * i + 6)
        nu = twists[i]
        matrix[w, w] = np.eye(6)
        rhs[w] = crossed(nu) @ (link.columns @ link.rates)
        if link.given is not None:
            rhs[w] += link.columns @ link.given
        if link.parent >= 0:
            matrix[w, 6 * link.parent : 6 * link.parent + 6] = -shifts[i]
            matrix[6 * n + 6 * link.parent : 6 * n + 6 * link.parent + 6, r] += shifts[i].T
        else:
            rhs[w] += shifts[i] @ ground
        matrix[r, w] += link.mass
        matrix[r, r] -= np.eye(6)
        rhs[r] += crossed(nu).T @ (link.mass @ nu)
        if i in of_body:
            turn = rots[i].T
            k = of_body[i]
            rhs[r] += np.concatenate([turn @ wrench[k, :3], turn @ wrench[k, 3:]])
        if link.given is None:
            for k in range(link.columns.shape[1]):
                matrix[w, 12 * n + place[link.v_adr + k]] -= link.columns[:, k]
                matrix[row, r] = link.columns[:, k]
                row += 1
    factors = lu_factor(matrix)
    x = lu_solve(factors, rhs)
    x += lu_solve(factors, rhs - matrix @ x)  # one refinement
    a = np.array(driven, float)
    a[unknown] = x[12 * n :]
    rot = np.array([rots[k] for k in last])
    w_all, r_all = x[: 6 * n].reshape(n, 6)[last], x[6 * n : 12 * n].reshape(n, 6)[last]
    nu_all = np.array(twists)[last]

    def to_ground(vectors: Floats) -> Floats:
        return np.asarray(np.einsum("nij,nj->ni", rot, vectors))

    classical = w_all[:, 3:] + np.cross(nu_all[:, :3], nu_all[:, 3:])
    return Answer(
        a=a,
        alpha=to_ground(w_all[:, :3]),
        accel=to_ground(classical),
        torque=to_ground(r_all[:, :3]),
        force=to_ground(r_all[:, 3:]),
        rot=rot,
        origin=np.array(origins)[last],
        omega=to_ground(nu_all[:, :3]),
        vel=to_ground(nu_all[:, 3:]),
    )
