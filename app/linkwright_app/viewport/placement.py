"""Where glyphs, springs and loads are drawn, so that the bodies around them do not hide them.

Joints and springs of a planar mechanism mostly have their frames in one plane, while the shapes lie in layers above
it. Everything here is about finding the free place next to the mathematical one, always along the axis the element
is blind to, so that the picture stays true in the plane of motion.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwright.document.base import GROUND
from linkwright.document.mechanism import Mechanism
from linkwright.document.rotation import matrix
from linkwright.document.typed import Joint
from linkwright.elements.forces import AppliedForce, AppliedTorque, Sda
from linkwright.elements.glyph import Cable
from linkwright.elements.joints import InLine, Prismatic, Revolute
from linkwright_app.viewport.actors import pose_frame
from linkwright_app.viewport.bodies import BodyActors

Array = NDArray[np.float64]

REACH = 0.06
"""Radius about an axis in which shapes push a glyph away, over the size of the mechanism."""
GLYPH_GAP = 0.014
"""Free space between the shapes and the middle of a joint glyph, over the size."""
FARTHEST = 0.2
"""A glyph is not moved farther along its axis than this, over the size."""
ARM_GAP = 0.03
"""A spring end this far off its body gets an arm, over the size."""
COVER = 0.01
"""A spring is hidden by what lies this far above its ends, over the size."""
COIL_RADIUS = 0.0885
"""Radius of a coil over its drawn length."""
COIL_LIMIT = 0.030
"""Largest radius of a coil over the size."""
COIL_CLEARANCE = 0.8
"""Height of the coil's axis above the shapes, over its radius."""
POST_RADIUS = 0.4
"""Radius of the post under a lifted spring, over that of the coil."""
RAIL_EXCESS = 0.05
"""Length of a rail glyph beyond the guide at either end, over the half length of the guide."""
RAIL_GAP = 1.5
"""Distance of a rail bar from the middle, over the half width of the guide."""
RAIL_LENGTH = 0.25
"""Half length of the rail where no guide is drawn, over the size."""
LOAD_GAP = 0.006
"""Free space between a body and the tail of its load arrow, over the size."""


@dataclass(frozen=True)
class Place:
    """A frame on a body: id of the body, rotation (3, 3) and position (3,) [m] in it."""

    body: str
    rot: Array
    position: Array


@dataclass(frozen=True)
class RailPlace:
    """Where a rail lies: its middle with z along the slide and x across; half length and half gap [m]."""

    place: Place
    half: float
    gap: float


@dataclass(frozen=True)
class Post:
    """A stand under the end of a lifted spring: body, foot and head in it [m], radius [m]."""

    body: str
    foot: Array
    head: Array
    radius: float


@dataclass(frozen=True)
class SpringPlace:
    """The two drawn ends of a spring on their bodies, the radius of its coil [m] and the posts under it."""

    i: Place
    j: Place
    radius: float
    posts: tuple[Post, ...]


def is_cable(sda: Sda) -> bool:
    """Whether a spring-damper-actuator is drawn as a rope."""
    return any(isinstance(part, Cable) for part in sda.glyph_parts())


class Placement:
    """Finds places for the glyphs of one mechanism in its drawn pose.

    Parameters
    ----------
    mechanism : Mechanism
        Evaluated.
    bodies : mapping of id to BodyActors
        Every body and the ground, in the drawn pose.
    basis : (3, 3) array
        Rows right, depth, up of the turntable.

    Attributes
    ----------
    size : float
        Length of the diagonal of the box around everything drawn [m].
    normal : (3,) array or None
        Unit normal of the plane of motion towards the viewer; None for a spatial mechanism.
    """

    def __init__(self, mechanism: Mechanism, bodies: Mapping[str, BodyActors], basis: Array) -> None:
        self.mechanism = mechanism
        self.bodies = bodies
        self.basis = basis
        points = self.drawn_points()
        self.low, self.high = points.min(axis=0), points.max(axis=0)
        self.size = max(float(np.linalg.norm(self.high - self.low)), 1e-6)
        self.normal = self._plane_normal()

    def drawn_points(self) -> Array:
        """Points that enclose everything drawn: shapes, joint and force ends; never empty."""
        parts = [body.world_points() for body in self.bodies.values()]
        ends = [self._world(reference)[1] for reference in self._references()]
        points = np.concatenate([*parts, np.array(ends).reshape(-1, 3)])
        if len(points) == 0:
            return np.array([[-0.5, -0.5, -0.5], [0.5, 0.5, 0.5]])
        return points

    def _references(self) -> Iterable[str]:
        for element in (*self.mechanism.joints, *self.mechanism.forces):
            yield from element.references()
        yield from (body.id for body in self.mechanism.bodies)

    def _world(self, reference: str) -> tuple[Array, Array]:
        position, orientation = self.mechanism.world_frame(reference)
        return np.array(matrix(orientation)), np.array(position)

    def _plane_normal(self) -> Array | None:
        """Common axis of all turning joints, if every joint agrees that the motion stays in one plane."""
        axes = []
        for joint in self.mechanism.joints:
            if isinstance(joint, (Revolute, InLine)):
                axes.append(self._world(joint.j)[0][:, 2])
            elif not isinstance(joint, Prismatic) and joint.type != "fixed":
                return None
        if not axes:
            return None
        normal = axes[0]
        if any(np.linalg.norm(np.cross(normal, axis)) > 1e-6 for axis in axes[1:]):
            return None
        for joint in self.mechanism.joints:
            if isinstance(joint, Prismatic) and abs(self._world(joint.j)[0][:, 2] @ normal) > 1e-6:
                return None
        right, depth, up = self.basis
        facing = normal @ up if abs(normal @ up) > 0.5 else -normal @ depth + 1e-3 * normal @ right
        return np.asarray(normal if facing >= 0 else -normal)

    # ---------------------------------------------------------------- joints
    def joint(self, joint: Joint) -> Place:
        """Frame of a joint's glyph on side j; a turning joint's is moved along its axis onto the shapes."""
        rot, position = self._world(joint.j)
        if isinstance(joint, (Revolute, InLine)):
            axis = rot[:, 2]
            if self.normal is not None and axis @ self.normal < 0:
                axis = -axis
            sides = {self.mechanism.body_of(joint.i), self.mechanism.body_of(joint.j)}
            top = self._top(sides, position, axis, REACH * self.size)
            if top is not None and abs(top) < FARTHEST * self.size:
                position = position + axis * (top + GLYPH_GAP * self.size)
        return self._on_body(joint.j, rot, position)

    def _top(self, sides: Iterable[str], origin: Array, axis: Array, radius: float) -> float | None:
        """Height above `origin` along `axis` of the highest shape point within `radius` of the line [m]."""
        tops = []
        for side in sides:
            if not self.bodies[side].actors:
                continue
            arms = self.bodies[side].world_points() - origin
            heights = arms @ axis
            near = np.linalg.norm(arms - heights[:, None] * axis, axis=1) <= radius
            if near.any():
                tops.append(float(heights[near].max()))
            # A face without a hole has no points near the axis.
            reach = FARTHEST * self.size * axis
            share = self.bodies[side].hit(origin + reach, origin - reach)
            if share is not None:
                tops.append(FARTHEST * self.size * (1 - 2 * share))
        return max(tops, default=None)

    def rail(self, joint: Joint) -> RailPlace:
        """Place of a rail: along the guide drawn on side j, or about the present place of the slider."""
        rot, position = self._world(joint.j)
        axis = rot[:, 2]
        across = self._rail_side(axis)
        over = np.cross(axis, across)
        guide = self._guide(self.mechanism.body_of(joint.j), position, axis)
        if guide is None:
            _, slider = self._world(joint.i)
            centre = position + axis * (axis @ (slider - position))
            half, gap = RAIL_LENGTH * self.size, 0.04 * self.size
        else:
            frame = np.column_stack((across, over, axis))
            local = (guide - position) @ frame
            low, high = local.min(axis=0), local.max(axis=0)
            middle = (low + high) / 2
            centre = position + frame @ middle
            half = (high[2] - low[2]) / 2 * (1 + RAIL_EXCESS)
            gap = max(RAIL_GAP * (high[0] - low[0]) / 2, (high[0] - low[0]) / 2 + 0.01 * self.size)
        return RailPlace(self._on_body(joint.j, np.column_stack((across, over, axis)), centre), half, gap)

    def _rail_side(self, axis: Array) -> Array:
        facing = self.normal if self.normal is not None else self.basis[2]
        across = np.cross(facing, axis)
        if np.linalg.norm(across) < 1e-6:
            across = np.cross(self.basis[1], axis)
        return np.asarray(across / np.linalg.norm(across))

    def _guide(self, body_id: str, position: Array, axis: Array) -> Array | None:
        """Points of the shape that lies along the axis: the widest of the longest ones; None without any."""
        rot, origin = pose_frame(self.bodies[body_id].pose)
        found: list[tuple[float, float, Array]] = []
        for points in self.bodies[body_id].shape_points:
            world = points @ rot.T + origin
            along = (world - position) @ axis
            rest = world - position - np.outer(along, axis)
            length, width = float(np.ptp(along)), float(np.ptp(rest, axis=0).max())
            off_line = float(np.linalg.norm(_across(rest.mean(axis=0), self.normal)))
            if length > max(0.15 * self.size, 3 * width) and off_line < 0.1 * self.size:
                found.append((length, width, world))
        if not found:
            return None
        longest = max(length for length, _, _ in found)
        return max((g for g in found if g[0] > 0.9 * longest), key=lambda g: g[1])[2]

    # ---------------------------------------------------------------- forces
    def spring(self, sda: Sda) -> SpringPlace:
        """Ends of a spring, both lifted out of the shapes along the normal of a planar mechanism."""
        a, b = self._world(sda.i)[1], self._world(sda.j)[1]
        length = float(np.linalg.norm(b - a))
        radius = min(COIL_RADIUS * length, COIL_LIMIT * self.size) or 0.01 * self.size
        posts: list[Post] = []
        lift = 0.0 if self.normal is None or is_cable(sda) else self._lift(sda, (a, b), radius)
        if lift == 0:
            for reference, end in ((sda.i, a), (sda.j, b)):
                posts += self._arm(reference, end, 0.5 * POST_RADIUS * radius)
        if self.normal is not None and lift > 0:
            for reference, end in ((sda.i, a), (sda.j, b)):
                posts += self._posts(reference, end, lift, POST_RADIUS * radius)
            a, b = a + lift * self.normal, b + lift * self.normal
        eye = np.eye(3)
        return SpringPlace(self._on_body(sda.i, eye, a), self._on_body(sda.j, eye, b), radius, tuple(posts))

    def _lift(self, sda: Sda, ends: tuple[Array, Array], radius: float) -> float:
        assert self.normal is not None
        lift = 0.0
        for reference, end in zip((sda.i, sda.j), ends, strict=True):
            body = self.bodies[self.mechanism.body_of(reference)]
            if body.id != GROUND and self._covered(body, end, radius):
                top = float(((body.world_points() - end) @ self.normal).max())
                lift = max(lift, top + COIL_CLEARANCE * radius)
        return lift

    def _covered(self, body: BodyActors, end: Array, radius: float) -> bool:
        """Whether the body hides a point from a viewer on the side of the normal."""
        assert self.normal is not None
        right = np.cross(self.normal, self.basis[1] + 0.1 * self.basis[2])
        right = right / np.linalg.norm(right)
        other = np.cross(self.normal, right)
        far = end + 2 * self.size * self.normal
        steps = [
            0 * right,
            *(radius * (u * right + v * other) for u, v in ((1, 0), (-1, 0), (0, 1), (0, -1))),
        ]
        near = end + COVER * self.size * self.normal
        return any(body.hit(far + step, near + step) is not None for step in steps)

    def _posts(self, reference: str, end: Array, lift: float, radius: float) -> list[Post]:
        """Stand under a lifted end; where the body does not reach below it, with an arm to the nearest place."""
        assert self.normal is not None
        body = self.bodies[self.mechanism.body_of(reference)]
        if len(body.points) == 0:
            return []
        head = end + lift * self.normal
        far, deep = head + self.size * self.normal, end - self.size * self.normal
        share = body.hit(far, deep)
        if share is not None:
            foot = far + share * (deep - far) - 0.25 * radius * self.normal
            return [self._post(body, foot, head, radius)]
        layer = float(np.median((body.world_points() - end) @ self.normal))
        knee = end + layer * self.normal
        root = body.nearest(knee)
        inward = (root - knee) / max(float(np.linalg.norm(root - knee)), 1e-12)
        below = 0.8 * radius * self.normal
        return [
            self._post(body, root + 0.5 * radius * inward, knee, 0.8 * radius),
            self._post(body, knee - below, head, radius),
        ]

    def _arm(self, reference: str, end: Array, radius: float) -> list[Post]:
        """Thin arm from a body to an end that floats beside it."""
        body = self.bodies[self.mechanism.body_of(reference)]
        if body.id == GROUND or len(body.points) == 0:
            return []
        root = body.nearest(end)
        if np.linalg.norm(root - end) < ARM_GAP * self.size:
            return []
        return [self._post(body, root, end, radius)]

    def _post(self, body: BodyActors, foot: Array, head: Array, radius: float) -> Post:
        rot, origin = pose_frame(body.pose)
        return Post(body.id, rot.T @ (foot - origin), rot.T @ (head - origin), radius)

    def load(self, force: AppliedForce | AppliedTorque, direction: Array) -> Place:
        """Tail of a load arrow along the unit vector `direction`: where it leaves the body it acts on."""
        _, position = self._world(force.at)
        body = self.bodies[self.mechanism.body_of(force.at)]
        if body.visible and body.id != GROUND:
            if self.normal is not None:
                position = self._in_layer(body, position, direction)
            far = position + 2 * self.size * direction
            share = body.hit(far, position)
            if share is not None:
                position = far + share * (position - far) + LOAD_GAP * self.size * direction
        return self._on_body(force.at, np.eye(3), position)

    def _in_layer(self, body: BodyActors, position: Array, direction: Array) -> Array:
        """Move a point along the normal to the height where the body reaches farthest along `direction`."""
        assert self.normal is not None
        if abs(direction @ self.normal) > 0.5:
            return position
        arms = body.world_points() - position
        reach = arms @ direction
        heights = arms[reach > reach.max() - 0.01 * self.size] @ self.normal
        return np.asarray(position + self.normal * (heights.max() + heights.min()) / 2)

    def _on_body(self, reference: str, rot: Array, position: Array) -> Place:
        body_id = self.mechanism.body_of(reference)
        body_rot, origin = pose_frame(self.bodies[body_id].pose)
        return Place(body_id, body_rot.T @ rot, body_rot.T @ (position - origin))


def _across(vector: Array, normal: Array | None) -> Array:
    """Part of a vector in the plane of motion; all of it for a spatial mechanism."""
    return vector if normal is None else vector - normal * (normal @ vector)
