"""The reference mechanisms of the SDA study, built with the document API from tests/data/sda."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

from linkwright.document.bodies import Body, Marker, MassGiven
from linkwright.document.mechanism import Mechanism
from linkwright.document.rotation import Quat, axis_angle
from linkwright.document.settings import NewmarkOptions, Settings
from linkwright.elements.forces import AppliedForce, Sda
from linkwright.elements.joints import InLine, Prismatic, Revolute

DATA = Path(__file__).parents[1] / "data" / "sda"
X_AXIS: Quat = axis_angle((0.0, 1.0, 0.0), math.pi / 2)
"""Turns the z axis of a marker onto x, the direction of the slide."""


@cache
def reference(name: str) -> Any:
    """One of the reference files."""
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


def study_options(**changes: Any) -> NewmarkOptions:
    """Convergence test and Newmark pair of the study."""
    return NewmarkOptions(**{"tolerance_abs": 1e-7, "tolerance_rel": 0.0, "projection": False, **changes})


def _given(mass: float, inertia: list[float]) -> MassGiven:
    xx, yy, zz = inertia
    return MassGiven(mass=mass, inertia=(xx, yy, zz, 0.0, 0.0, 0.0))


def slider_crank(
    k: float = 0.0,
    c: float = 0.0,
    fa: float = 0.0,
    *,
    theta_deg: float = 45.0,
    free_length: float | None = None,
    u1: tuple[float, float, float] = (0.0, 0.0, 0.0),
    u2: tuple[float, float, float] = (0.0, 0.0, 0.0),
    redundant: bool = False,
    force: float = 1000.0,
) -> Mechanism:
    """Slider-crank of slider_crank.json; `redundant` uses a full revolute at the slider."""
    th = math.radians(theta_deg)
    cos, sin = math.cos(th), math.sin(th)
    spec = {b["name"]: b for b in reference("slider_crank")["bodies"]}
    up, down = axis_angle((0.0, 0.0, 1.0), th), axis_angle((0.0, 0.0, 1.0), -th)

    def body(name: str, position: tuple[float, float, float], turn: Quat) -> Body:
        mass = _given(spec[name]["mass"], spec[name]["inertia_body_xyz"])
        return Body(id=name, position=position, orientation=turn, mass=mass)

    pin_type = Revolute if redundant else InLine
    return Mechanism(
        gravity=(0.0, 0.0, 0.0),
        bodies=(
            body("link1", (cos, sin, 0.0), up),
            body("link2", (3.0 * cos, sin, 0.0), down),
            body("slider", (4.0 * cos, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)),
        ),
        markers=(
            Marker(id="link1_a", body="link1", position=(-1.0, 0.0, 0.0)),
            Marker(id="link1_b", body="link1", position=(1.0, 0.0, 0.0)),
            Marker(id="link2_a", body="link2", position=(-1.0, 0.0, 0.0)),
            Marker(id="link2_b", body="link2", position=(1.0, 0.0, 0.0)),
            Marker(id="link1_s", body="link1", position=u1),
            Marker(id="link2_s", body="link2", position=u2),
            Marker(id="rail", body="ground", orientation=X_AXIS),
            Marker(id="shoe", body="slider", orientation=X_AXIS),
        ),
        joints=(
            Revolute(id="pin_o", i="link1_a", j="ground"),
            Revolute(id="pin_a", i="link1_b", j="link2_a"),
            pin_type(id="pin_b", i="link2_b", j="slider"),
            Prismatic(id="guide", i="shoe", j="rail"),
        ),
        forces=(
            Sda(
                id="spring",
                i="link1_s",
                j="link2_s",
                stiffness=k,
                damping=c,
                actuator_force=fa,
                free_length=free_length,
            ),
            AppliedForce(id="push", at="slider", vector=(force, 0.0, 0.0)),
        ),
        settings=Settings(t_end=1.0, h=0.01, newmark=study_options()),
    )


def tensegrity(k: float = 200.0, c: float = 10.0, *, tension_only: bool = False) -> Mechanism:
    """Two-stage tensegrity of tensegrity.json."""
    spec = reference("tensegrity")
    bodies, markers, forces = [], [], []
    for strut in spec["struts"]:
        name = f"strut{strut['id']}"
        bodies.append(
            Body(
                id=name,
                position=tuple(strut["position0"]),
                orientation=tuple(strut["euler_parameters0"]),
                mass=_given(strut["mass"], strut["inertia_body_xyz"]),
            )
        )
        for end in ("a", "b"):
            x, y, z = map(float, strut[f"point_{end}"])
            markers.append(Marker(id=strut[f"node_{end}"], body=name, position=(x, y, z)))
    for cable in spec["cables"]:
        forces.append(
            Sda(
                id=f"cable{cable['id']}",
                i=cable["node_a"],
                j=cable["node_b"],
                stiffness=float(k),
                damping=float(c),
                free_length=cable["rest_length"],
                tension_only=tension_only,
            )
        )
    options = study_options(beta=0.3, gamma=0.6, max_iterations=1000)
    return Mechanism(
        gravity=(0.0, 0.0, 0.0),
        bodies=tuple(bodies),
        markers=tuple(markers),
        forces=tuple(forces),
        settings=Settings(t_end=1.0, h=0.01, newmark=options),
    )


__all__ = ["reference", "slider_crank", "study_options", "tensegrity"]
