"""The tree engine against published histories and independent solutions."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.validation.tree_runs import ENGINE, benchmark, given, history, rod_chain, run, vec3

from linkwright.compiler.compile import compile_mechanism
from linkwright.document.bodies import Body, Marker
from linkwright.document.mechanism import Mechanism
from linkwright.document.rotation import Quat, axis_angle, multiply, rotate
from linkwright.document.settings import TreeOptions
from linkwright.elements.joints import Cylindrical, Prismatic, Revolute, Spherical, Universal
from linkwright.elements.registry import JointType
from linkwright.engines.base import start_frame
from linkwright.engines.tree import find_accelerations
from linkwright.kernels.layout import Floats
from linkwright.kernels.tree.layout import TreeMotion

TIGHT: dict[str, Any] = {"tolerance_abs": 1e-12, "tolerance_rel": 1e-12}


def angles_from_vertical(poses: Floats) -> Floats:
    """Angle of each rod from the downward vertical, positive towards +x; (frames, rods) in (-pi, pi]."""
    w, x, y, z = np.moveaxis(poses[..., 3:], -1, 0)
    return np.asarray(np.arctan2(1 - 2 * (y * y + z * z), -2 * (x * z - w * y)))


@pytest.mark.parametrize("n", [2, 3, 10, 40])
@pytest.mark.parametrize("solver", ["ltdl", "sweep"])
def test_chain_of_pendulums(n: int, solver: str) -> None:
    # the reference was found twice with other formulations, equal to 2e-11 and better
    reference = benchmark("n_pendulum_chain")["reference"][str(n)]
    result = run(rod_chain(n), reference["T"], reference["T"] / 50, solver=solver, **TIGHT)
    theta = angles_from_vertical(result.poses[-1])
    expected = np.array(reference["theta"])
    difference = (theta - expected + np.pi) % (2 * np.pi) - np.pi
    assert np.abs(difference).max() < 1e-9
    # rates about y: a rod that swings from +x down turns about +y, its angle from the vertical falls
    assert np.abs(result.twists[-1, :, 4] + np.array(reference["omega"])).max() < 1e-8


@pytest.mark.parametrize("n", [2, 3, 10, 40])
@pytest.mark.parametrize("solver", ["ltdl", "sweep"])
def test_first_accelerations_of_the_chain(n: int, solver: Literal["ltdl", "sweep"]) -> None:
    model = compile_mechanism(rod_chain(n))
    work = ENGINE.prepare(model, TreeOptions(solver=solver), 1e-3)
    state, _ = ENGINE.initialise(work, start_frame(model))
    find_accelerations(work, TreeMotion(state.q, state.v, state.a, state.lam))
    # joint accelerations are relative, and the rods turn about y against the angle of the reference
    expected = np.array(benchmark("n_pendulum_chain")["reference"][str(n)]["initial_angular_acceleration"])
    assert np.abs(np.cumsum(state.a) + expected).max() < 1e-10


def heavy_top() -> Mechanism:
    d = benchmark("heavy_top")["definition"]
    xx, yy, zz = d["I_com_diag"]
    wx, wy, wz = d["initial"]["Omega_body"]
    body = Body(
        id="top",
        position=(0.0, 1.0, 0.0),
        velocity=vec3(np.cross((wx, wy, wz), (0.0, 1.0, 0.0))),
        angular_velocity=(float(wx), float(wy), wz),
        mass=given(d["mass"], (xx, yy, zz)),
    )
    foot = Marker(id="foot", body="top", position=(0.0, -1.0, 0.0))
    return Mechanism(
        gravity=vec3(d["gravity"]),
        bodies=(body,),
        markers=(foot,),
        joints=(Spherical(id="ball", i="foot", j="ground"),),
    )


def test_heavy_top() -> None:
    # reference integrated with relative tolerance 1e-13 and printed with 12 digits
    reference = history("heavy_top")
    step = float(reference["t"][1])
    result = run(heavy_top(), float(reference["t"][-1]), step, **TIGHT)
    e = np.column_stack([reference[f"e{k}"] for k in range(4)])
    sign = np.sign(np.sum(e * result.poses[:, 0, 3:], axis=1))
    assert np.abs(result.poses[:, 0, 3:] - sign[:, None] * e).max() < 1e-7
    x = np.column_stack([reference[k] for k in "xyz"])
    assert np.abs(result.poses[:, 0, :3] - x).max() < 1e-7
    energy = result.channel("energy.total")
    assert np.ptp(energy) < 1e-9 * benchmark("heavy_top")["reference"]["E0"]


def test_heavy_top_third_party() -> None:
    # a published Runge-Kutta history with five printed digits
    reference = benchmark("heavy_top")["reference"]["third_party"]
    result = run(heavy_top(), 2.0, 2e-4, integrator="rk4")
    for row in reference:
        found = result.poses[round(row["t"] / 2e-4), 0, 3:]
        expected = np.array(row["e0e1e2e3"])
        sign = 1.0 if found @ expected > 0 else -1.0
        assert np.abs(sign * found - expected).max() < 1e-5


JOINT_OF: dict[str, type[JointType]] = {
    "revolute": Revolute,
    "spherical": Spherical,
    "cylindrical": Cylindrical,
    "prismatic": Prismatic,
    "universal": Universal,
}
CASES = {
    # positions [m], forces [N], torques [N m]: six printed digits of the largest numbers of each history
    "revolute_case01": (6e-6, 2e-3, 2e-3),
    "revolute_case02": (6e-6, 2e-3, 2e-3),
    "spherical_case02": (6e-6, 2e-3, 2e-3),
    "cylindrical_case03": (6e-5, 2e-3, 2e-3),
    "prismatic_case02": (6e-5, 1e-5, 2e-3),
    # the reference's own integration misses an exact one by 7.6e-4 m
    "universal_case03": (1e-3, 2e-2, 2e-2),
}


def single_joint(case: str) -> Mechanism:
    """Pendulum of adams_single_joint_cases.json; its body frame is the joint frame moved to the mass centre."""
    kind = case.split("_", maxsplit=1)[0]
    turn: Quat
    place, arm, inertia = (1.0, 2.0, 3.0), (2.0, 0.0, 0.0), (0.04, 0.1, 0.1)
    turn = axis_angle((1.0, 0.0, 0.0), -np.pi / 4)
    marker: Quat = (1.0, 0.0, 0.0, 0.0)
    if case == "revolute_case01":
        place, turn = (0.0, 0.0, 0.0), axis_angle((1.0, 0.0, 0.0), -np.pi / 2)
    if kind == "universal":
        place, turn = (0.0, 0.0, 0.0), axis_angle((1.0, -1.0, 0.0), np.pi / 2)
        arm, inertia = (0.0, 0.0, -2.0), (0.1, 0.1, 0.04)
        marker = axis_angle((1.0, 1.0, 1.0), 2 * np.pi / 3)  # z of the marker on x of the joint, x on y
    centre = vec3(np.add(place, rotate(turn, arm)))
    foot = vec3(np.negative(arm))
    return Mechanism(
        gravity=(0.0, 0.0, -9.80665),
        bodies=(Body(id="rod", position=centre, orientation=turn, mass=given(1.0, inertia)),),
        markers=(
            Marker(id="moving", body="rod", position=foot, orientation=marker),
            Marker(id="fixed", position=place, orientation=multiply(turn, marker)),
        ),
        joints=(JOINT_OF[kind](id="joint", type=kind, i="moving", j="fixed"),),
    )


@pytest.mark.parametrize("case", CASES)
def test_single_joints(case: str) -> None:
    reference = history(f"adams_{case}")
    mechanism = single_joint(case)
    result = run(mechanism, 5.0, 0.02, reactions=True, **TIGHT)
    near, force_near, torque_near = CASES[case]
    x = np.column_stack([reference[k] for k in "xyz"])
    assert np.abs(result.poses[:, 0, :3] - x).max() < near
    force = np.column_stack([reference[f"F{k}"] for k in "xyz"])
    torque = np.column_stack([reference[f"T{k}"] for k in "xyz"])
    # the reference tells what acts on the ground, about the fixed frame of the joint
    assert np.median(np.abs(-result.reactions[:, 0, :3] - force).max(axis=1)) < force_near
    foot, place = np.array(mechanism.frame("moving")[1]), np.array(mechanism.frame("fixed")[1])
    turns = Rotation.from_quat(result.poses[:, 0, 3:], scalar_first=True)
    lever = result.poses[:, 0, :3] + turns.apply(foot) - place
    about = result.reactions[:, 0, 3:] + np.cross(lever, result.reactions[:, 0, :3])
    assert np.median(np.abs(-about - torque).max(axis=1)) < torque_near
