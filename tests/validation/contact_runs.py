"""Runs of the contact engine for the validation tests, and the mechanisms they share."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linkwright.elements  # noqa: F401  every element type must be known
from linkwright.compiler.compile import compile_mechanism
from linkwright.document.mechanism import Mechanism
from linkwright.document.rotation import axis_angle
from linkwright.document.settings import LcpOptions
from linkwright.engines.base import start_frame
from linkwright.engines.lcp import LcpEngine, LcpWorkspace
from linkwright.engines.state import RowBlock, State, StepEvent

Array = NDArray[np.float64]

DATA = Path(__file__).parents[1] / "data" / "contact"
SLIDE_X = axis_angle((0.0, 1.0, 0.0), math.pi / 2)
"""Turns z of a marker onto x, and leaves y: the direction of a slide along x with faces above and below."""
FACE_UP = axis_angle((1.0, 0.0, 0.0), -math.pi / 2)
"""Turns z of a marker onto y and leaves x: a floor of a mechanism in the x-y plane."""
G = 9.81


@cache
def reference(name: str) -> Any:
    """One of the reference files."""
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


@dataclass
class Run:
    """What a run left."""

    work: LcpWorkspace
    state: State
    rows: RowBlock
    names: tuple[str, ...]
    bodies: tuple[str, ...]
    events: list[StepEvent]

    @property
    def steps(self) -> int:
        return int(self.rows.count[0])

    @property
    def t(self) -> Array:
        return self.rows.frame_t[: self.rows.count[2]]

    def __getitem__(self, name: str) -> Array:
        return self.rows.channels[: self.rows.count[2], self.names.index(name)]

    def poses(self, body: str) -> Array:
        return self.rows.poses[: self.rows.count[2], self.bodies.index(body)]

    def twists(self, body: str) -> Array:
        return self.rows.twists[: self.rows.count[2], self.bodies.index(body)]

    def angle(self, body: str) -> Array:
        """Angle about z [rad], unwrapped."""
        pose = self.poses(body)
        return np.unwrap(2.0 * np.arctan2(pose[:, 6], pose[:, 3]), period=2.0 * math.pi)

    def step_column(self, column: int) -> Array:
        return self.rows.steps[: self.steps, column]

    def impacts(self, element: str, strip: str = "", above: float = 0.0) -> list[StepEvent]:
        return [
            e
            for e in self.events
            if e.kind == "impact"
            and e.element == element
            and e.values.get("strip", "") == strip
            and e.values["approach"] > above
        ]

    def at(self, values: Array, t: float) -> float:
        """Linear interpolation in time."""
        return float(np.interp(t, self.t, values))


def simulate(mechanism: Mechanism, h: float, t_end: float, stride: int = 1, **options: Any) -> Run:
    """Run the engine to the end; the first frame is the start."""
    model = compile_mechanism(mechanism)
    engine = LcpEngine()
    work = engine.prepare(model, LcpOptions(**options), h, stride)
    start = start_frame(model)
    state, _ = engine.initialise(work, start)
    n = round(t_end / h)
    rows = RowBlock.allocate(model.n_body, len(model.channel_names), n, n // stride + 1, n + 1)
    engine.observe(work, state, start)
    rows.append_frame(start)
    done = engine.advance(work, state, rows, n)
    assert done == n, work.failure
    assert work.failure is None
    return Run(work, state, rows, model.channel_names, model.body_ids, list(work.events))


def mechanism(**parts: Any) -> Mechanism:
    """A mechanism from plain data, as a file would give it; no gravity unless said."""
    return Mechanism.model_validate({"gravity": (0.0, 0.0, 0.0), **parts})


def given(
    mass: float, *inertia: float, centre: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> dict[str, Any]:
    """Mass and principal moments about the centre; one moment counts for all three axes."""
    xx, yy, zz = inertia if len(inertia) == 3 else (inertia[0],) * 3
    return {"type": "given", "mass": mass, "centre": centre, "inertia": (xx, yy, zz, 0.0, 0.0, 0.0)}


def slider_crank(
    restitution: float | None = None,
    friction: float | None = None,
    clearance: float | None = None,
    tilt_rate: float = 0.0,
) -> Mechanism:
    """The slider-crank with a clearance guide of slider_crank_parameters.json, in the x-y plane."""
    base = reference("slider_crank_parameters")["base_case"]

    def number(group: str, name: str) -> float:
        return float(base[group][name]["value"])

    l1, l2 = number("geometry", "crank_length_l1"), number("geometry", "rod_length_l2")
    m1, m2, m3 = (number("inertia", f"{b}_mass_m{k}") for k, b in enumerate(("crank", "rod", "slider"), 1))
    j1, j2, j3 = (number("inertia", f"{b}_inertia_J{k}") for k, b in enumerate(("crank", "rod", "slider"), 1))
    w1, w2 = number("start", "omega1"), number("start", "omega2")
    e = number("contact", "normal_restitution_eN") if restitution is None else restitution
    mu = number("contact", "friction_mu") if friction is None else friction
    c = number("geometry", "clearance_c") if clearance is None else clearance
    return mechanism(
        gravity=(0.0, -float(base["gravity"]["value"]), 0.0),
        bodies=[
            {
                "id": "crank",
                "angular_velocity": (0.0, 0.0, w1),
                "mass": given(m1, 0.1 * j1, j1, j1, centre=(l1 / 2, 0.0, 0.0)),
            },
            {
                "id": "rod",
                "position": (l1, 0.0, 0.0),
                "velocity": (0.0, w1 * l1, 0.0),
                "angular_velocity": (0.0, 0.0, w2),
                "mass": given(m2, 0.1 * j2, j2, j2, centre=(l2 / 2, 0.0, 0.0)),
            },
            {
                "id": "slider",
                "position": (l1 + l2, 0.0, 0.0),
                "angular_velocity": (0.0, 0.0, tilt_rate),
                "mass": given(m3, j3, 1.1 * j3, j3),
            },
        ],
        markers=[
            {"id": "crank_end", "body": "crank", "position": (l1, 0.0, 0.0)},
            {"id": "rod_end", "body": "rod", "position": (l2, 0.0, 0.0)},
            {"id": "slide", "body": "slider", "orientation": SLIDE_X},
            {"id": "guide_frame", "orientation": SLIDE_X},
        ],
        joints=[
            {"type": "revolute", "id": "J1", "i": "crank", "j": "ground"},
            {"type": "revolute", "id": "J2", "i": "rod", "j": "crank_end"},
            {"type": "revolute", "id": "J3", "i": "slider", "j": "rod_end"},
        ],
        contacts=[
            {
                "type": "guide-clearance",
                "id": "guide",
                "i": "slide",
                "j": "guide_frame",
                "length": 2.0 * number("geometry", "slider_half_length_a"),
                "height": 2.0 * number("geometry", "slider_half_height_b"),
                "clearance": c,
                "restitution": e,
                "friction": mu,
            }
        ],
    )
