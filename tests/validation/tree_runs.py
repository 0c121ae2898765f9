"""Runs of the tree engine for tests, and mechanisms they share."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.compiler.compile import compile_mechanism
from linkwright.compiler.model import CompiledModel
from linkwright.document.bodies import Body, Marker, MassGiven
from linkwright.document.mechanism import Mechanism
from linkwright.document.rotation import Quat, axis_angle
from linkwright.document.settings import TreeOptions
from linkwright.elements.registry import JointType, joint_type
from linkwright.engines.base import start_frame
from linkwright.engines.state import RowBlock, State
from linkwright.engines.tree import TreeEngine, TreeWorkspace
from linkwright.engines.tree_reactions import joint_reactions
from linkwright.kernels.layout import Floats

DATA = Path(__file__).parents[1] / "data" / "benchmarks"
ENGINE = TreeEngine()
ABOUT_Y: Quat = axis_angle((1.0, 0.0, 0.0), -np.pi / 2)
"""Turns the z axis of a marker onto y."""


@cache
def benchmark(name: str) -> Any:
    """One of the benchmark files."""
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


@cache
def history(name: str) -> dict[str, Floats]:
    """Columns of one of the benchmark histories."""
    with (DATA / "data" / f"{name}.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {key: np.array([float(row[key]) for row in rows]) for key in rows[0]}


@dataclass
class TreeRun:
    """A finished run."""

    model: CompiledModel
    work: TreeWorkspace
    state: State
    rows: RowBlock
    reactions: Floats

    @property
    def n(self) -> int:
        return int(self.rows.count[2])

    @property
    def t(self) -> Floats:
        return self.rows.frame_t[: self.n]

    @property
    def poses(self) -> Floats:
        return self.rows.poses[: self.n]

    @property
    def twists(self) -> Floats:
        return self.rows.twists[: self.n]

    @property
    def steps(self) -> Floats:
        return self.rows.steps[: int(self.rows.count[0])]

    def channel(self, name: str) -> Floats:
        return self.rows.channels[: self.n, self.model.channel_names.index(name)]


def run(
    mechanism: Mechanism, t_end: float, h: float, *, every: int = 1, reactions: bool = False, **options: Any
) -> TreeRun:
    """Run a mechanism; the first frame is the start. `every` steps a frame and, if asked for, reactions are kept."""
    model = compile_mechanism(mechanism)
    assert ENGINE.check(model) == []
    work = ENGINE.prepare(model, TreeOptions(**options), h, every)
    state, _ = ENGINE.initialise(work, start_frame(model))
    n = round(t_end / h)
    rows = RowBlock.allocate(model.n_body, len(model.channel_names), n, frames=n // every + 1)
    first = start_frame(model)
    ENGINE.observe(work, state, first)
    rows.append_frame(first)
    kept = [joint_reactions(work, state)] if reactions else []
    done = 0
    while done < n:
        part = ENGINE.advance(work, state, rows, every if reactions else n)
        assert work.failure is None, work.failure
        assert part > 0
        done += part
        if reactions:
            kept.append(joint_reactions(work, state))
    return TreeRun(model, work, state, rows, np.array(kept))


def vec3(values: Any) -> tuple[float, float, float]:
    x, y, z = (float(v) for v in values)
    return x, y, z


def given(mass: float, inertia: tuple[float, float, float]) -> MassGiven:
    return MassGiven(mass=mass, inertia=(*inertia, 0.0, 0.0, 0.0))


ROD = (1e-3, 1 / 12, 1 / 12)
"""Inertia of a rod of 1 m and 1 kg along x about its centre [kg m^2]."""


def rod_chain(n: int, joint: str = "revolute") -> Mechanism:
    """Horizontal chain of rods of 1 m and 1 kg along x, hinges about y, first pivot at the origin, at rest."""
    cls: type[JointType] = joint_type(joint)
    bodies, markers, joints = [], [Marker(id="base", orientation=ABOUT_Y)], []
    for k in range(n):
        bodies.append(Body(id=f"rod_{k}", position=(k + 0.5, 0.0, 0.0), mass=given(1.0, ROD)))
        for name, x in (("a", -0.5), ("b", 0.5)):
            markers.append(
                Marker(id=f"{name}_{k}", body=f"rod_{k}", position=(x, 0.0, 0.0), orientation=ABOUT_Y)
            )
        joints.append(cls(id=f"joint_{k}", type=joint, i=f"a_{k}", j=f"b_{k - 1}" if k else "base"))
    return Mechanism(
        gravity=(0.0, 0.0, -9.81), bodies=tuple(bodies), markers=tuple(markers), joints=tuple(joints)
    )
