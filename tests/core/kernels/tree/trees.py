"""Random trees for tests, and the whole evaluation of one by the kernels."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

import numpy as np
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation
from tests.core.kernels.tree.referee import Answer, solve

from linkwright.engines.tree_tables import GROUND_PARENT, Freedom, TreeBody, TreeTables, make_tables
from linkwright.kernels.layout import Floats
from linkwright.kernels.tree.layout import (
    BALL,
    SLIDE,
    T_ACCEL,
    T_ALPHA,
    T_DELTA,
    T_LOADED,
    T_OMEGA,
    T_ORIGIN,
    T_Q,
    T_ROT,
    T_V,
    T_VEL,
    TURN,
)
from linkwright.kernels.tree.outward import outward, place
from linkwright.kernels.tree.reactions import reactions, total

JOINTS: dict[str, tuple[Freedom, ...]] = {
    "fixed": (),
    "revolute": (Freedom(TURN),),
    "prismatic": (Freedom(SLIDE),),
    "helical": (Freedom(TURN, pitch=0.3),),
    "cylindrical": (Freedom(TURN), Freedom(SLIDE)),
    "universal": (Freedom(TURN, 2), Freedom(TURN, 0)),
    "spherical": (Freedom(BALL),),
    "planar": (Freedom(SLIDE, 0), Freedom(SLIDE, 1), Freedom(TURN)),
    "gimbal": (Freedom(TURN, 0), Freedom(TURN, 1), Freedom(TURN, 2)),
    "slide behind turn": (Freedom(TURN, 1), Freedom(SLIDE, 0)),
    "ball and slides": (Freedom(BALL), Freedom(SLIDE, 2), Freedom(SLIDE, 1)),
    "six": (Freedom(SLIDE, 0), Freedom(SLIDE, 1), Freedom(SLIDE, 2), Freedom(BALL)),
    "driven turn": (Freedom(TURN, driven=True),),
    "driven slide": (Freedom(SLIDE, 1, driven=True),),
    "driven screw and turn": (Freedom(TURN, pitch=-0.2, driven=True), Freedom(TURN, 1)),
    "free": (),
}


@dataclass
class Case:
    """A tree with a motion and loads."""

    bodies: list[TreeBody]
    tables: TreeTables
    q: Floats
    v: Floats
    driven: Floats
    gravity: Floats
    wrench: Floats

    @property
    def addresses(self) -> list[tuple[int, int]]:
        return [
            (int(self.tables.tree_int[r, T_Q]), int(self.tables.tree_int[r, T_V])) for r in self.tables.rows
        ]

    def referee(self) -> Answer:
        return solve(self.bodies, self.addresses, self.q, self.v, self.driven, self.gravity, self.wrench)

    def evaluate(self, solver: ModuleType) -> Answer:
        """Everything by the kernels, gathered in the order of the bodies."""
        return self.evaluate_with_work(solver)[0]

    def evaluate_with_work(self, solver: ModuleType) -> tuple[Answer, Floats]:
        """The same, and the work table as the kernels left it."""
        tables = self.tables
        work = tables.make_work(self.gravity)
        tree_int = tables.tree_int.copy()
        tree_int[0, T_LOADED] = 1
        rows = tables.rows
        a = self.driven.copy()
        outward(tree_int, tables.tree_real, self.q, self.v, a, work)
        place(tree_int, self.v, work)
        omega, vel = work[rows, T_OMEGA : T_OMEGA + 3].copy(), work[rows, T_VEL : T_VEL + 3].copy()
        work[rows, T_DELTA : T_DELTA + 6] = self.wrench
        solver.eliminate(tree_int, tables.tree_real, work)
        solver.answer(tree_int, work, a)
        total(tree_int, work)
        work[rows, T_DELTA : T_DELTA + 6] = self.wrench
        react = np.full((tables.n_body + 1, 6), np.nan)
        reactions(tree_int, tables.tree_real, work, react)
        answer = Answer(
            a=a,
            alpha=work[rows, T_ALPHA : T_ALPHA + 3],
            accel=work[rows, T_ACCEL : T_ACCEL + 3],
            torque=react[rows, :3],
            force=react[rows, 3:],
            rot=work[rows, T_ROT : T_ROT + 9].reshape(-1, 3, 3),
            origin=work[rows, T_ORIGIN : T_ORIGIN + 3],
            omega=omega,
            vel=vel,
        )
        return answer, work


def random_inertia(rng: np.random.Generator) -> tuple[float, Floats, Floats]:
    """Mass, moment and inertia about the origin of a real body: a cloud of eight points."""
    points = rng.normal(size=(8, 3)) * rng.uniform(0.05, 1.0, size=3) + rng.normal(size=3) * 0.5
    masses = rng.uniform(0.1, 1.0, size=8)
    inertia = sum(
        (m * (p @ p * np.eye(3) - np.outer(p, p)) for m, p in zip(masses, points, strict=True)),
        np.zeros((3, 3)),
    )
    return float(masses.sum()), masses @ points, inertia


def make_case(parents: list[int], joints: list[str], seed: int) -> Case:
    """A tree with random numbers; a free body or the first of a list hangs on the ground."""
    rng = np.random.default_rng(seed)
    bodies = []
    for parent, joint in zip(parents, joints, strict=True):
        mass, moment, inertia = random_inertia(rng)
        frame, base = Rotation.random(random_state=rng).as_matrix(), rng.normal(size=3)
        floating = joint == "free"
        if floating:
            parent, frame, base = GROUND_PARENT, np.eye(3), np.zeros(3)
        elif joint == "spherical" and rng.random() < 0.7:
            frame = np.eye(3)
        bodies.append(TreeBody(parent, JOINTS[joint], frame, base, mass, moment, inertia, floating))
    tables = make_tables(bodies)
    q = tables.make_q()
    v = rng.normal(size=tables.n_v) * 2.0
    _turn_at_random(tables, q, rng)
    return Case(
        bodies,
        tables,
        q,
        v,
        driven=rng.normal(size=tables.n_v) * 3.0,
        gravity=rng.normal(size=3) * 9.81,
        wrench=rng.normal(size=(len(bodies), 6)) * 5.0,
    )


def _turn_at_random(tables: TreeTables, q: Floats, rng: np.random.Generator) -> None:
    """Random coordinates; a one among zeros is the scalar part of a unit quaternion."""
    quaternions = np.flatnonzero(q == 1.0)
    free = np.ones(q.size, bool)
    for start in quaternions:
        free[start : start + 4] = False
        q[start : start + 4] = Rotation.random(random_state=rng).as_quat(scalar_first=True)
    q[free] = rng.normal(size=int(free.sum())) * 1.5


@st.composite
def cases(draw: st.DrawFn, joints: tuple[str, ...] = tuple(JOINTS), max_size: int = 8) -> Case:
    """Random topology, joint types, masses, poses and loads."""
    size = draw(st.integers(1, max_size))
    parents = [draw(st.integers(GROUND_PARENT, k - 1)) for k in range(size)]
    names = [draw(st.sampled_from(joints)) for _ in range(size)]
    return make_case(parents, names, draw(st.integers(0, 2**32 - 1)))
