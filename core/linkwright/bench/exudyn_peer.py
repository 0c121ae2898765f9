"""Exudyn on a sample, run as ``python -m linkwright.bench.exudyn_peer SAMPLE H T BODY`` by the bench.

Bodies in Euler parameters and joints as the sample has them. Each slice runs all settings (dense or sparse, full or
modified Newton, trapezoidal rule or generalized alpha) over a short and a long time; the time of a step is the
difference of the two, so that start-up does not count, and the fastest settings that give the right motion win.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from typing import Any

import exudyn as exu
import numpy as np
from exudyn.utilities import RigidBodyInertia

import linkwright
from linkwright.document.base import GROUND
from linkwright.document.mechanism import Mechanism
from linkwright.document.parameters import evaluated
from linkwright.document.rotation import matrix
from linkwright.elements.forces import AppliedForce, Sda
from linkwright.elements.joints import InLine, Prismatic, Revolute

SHORT, LONG = 100, 500
SETTINGS = tuple(
    itertools.product(("dense", "sparse"), ("full", "modified"), ("trapezoidal", "generalized-alpha"))
)
SAME_MOTION = 0.02
"""Settings whose motion is farther than this from the first ones' are left out [m]."""


def build(mechanism: Mechanism) -> tuple[Any, dict[str, Any]]:
    """Make the mechanism in Exudyn; gives the system and its body numbers."""
    system = exu.SystemContainer().AddSystem()
    numbers = {GROUND: system.CreateGround()}
    for body in mechanism.bodies:
        inertia = body.inertia()
        numbers[body.id] = system.CreateRigidBody(
            inertia=RigidBodyInertia(mass=inertia.mass, inertiaTensor=inertia.tensor, com=inertia.centre),
            nodeType=exu.NodeType.RotationEulerParameters,
            referencePosition=list(body.position),
            referenceRotationMatrix=np.array(matrix(body.orientation)),
            gravity=list(mechanism.gravity),
        )
    for joint in mechanism.joints:
        (place, turn), rot = mechanism.world_frame(joint.j), None
        rot = np.array(matrix(turn))
        pair = [numbers[mechanism.body_of(joint.i)], numbers[mechanism.body_of(joint.j)]]
        if isinstance(joint, Revolute):
            system.CreateRevoluteJoint(bodyNumbers=pair, position=list(place), axis=list(rot[:, 2]))
        elif isinstance(joint, Prismatic):
            system.CreatePrismaticJoint(bodyNumbers=pair, position=list(place), axis=list(rot[:, 2]))
        elif isinstance(joint, InLine):
            system.CreateGenericJoint(
                bodyNumbers=pair,
                position=list(place),
                rotationMatrixAxes=rot,
                constrainedAxes=[1, 1, 0, 0, 0, 0],
            )
        else:
            raise TypeError(f"no peer for a joint of type {joint.type}")
    for force in mechanism.forces:
        if isinstance(force, Sda):
            ends = [mechanism.frame(force.i), mechanism.frame(force.j)]
            drawn = np.subtract(mechanism.world_frame(force.j)[0], mechanism.world_frame(force.i)[0])
            free = float(np.linalg.norm(drawn)) if force.free_length is None else float(force.free_length)
            system.CreateSpringDamper(
                bodyNumbers=[numbers[end[0]] for end in ends],
                localPosition0=list(ends[0][1]),
                localPosition1=list(ends[1][1]),
                referenceLength=free,
                stiffness=float(force.stiffness),
                damping=float(force.damping),
                force=float(force.actuator_force),
            )
        elif isinstance(force, AppliedForce):
            owner, at, _ = mechanism.frame(force.at)
            system.CreateForce(
                bodyNumber=numbers[owner], loadVector=list(force.vector), localPosition=list(at)
            )
    system.Assemble()
    return system, numbers


def options(h: float, n: int, solver: str, newton: str, rule: str) -> Any:
    """Settings of Exudyn for n steps of size h."""
    settings = exu.SimulationSettings()
    settings.timeIntegration.numberOfSteps = n
    settings.timeIntegration.endTime = n * h
    settings.timeIntegration.verboseMode = 0
    settings.timeIntegration.newton.useModifiedNewton = newton == "modified"
    settings.timeIntegration.newton.relativeTolerance = 1e-8
    settings.timeIntegration.newton.absoluteTolerance = 1e-7
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.9
    if rule == "trapezoidal":
        settings.timeIntegration.generalizedAlpha.useNewmark = True
        settings.timeIntegration.generalizedAlpha.useIndex2Constraints = True
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = n * h
    kind = exu.LinearSolverType.EXUdense if solver == "dense" else exu.LinearSolverType.EigenSparse
    settings.linearSolverType = kind
    return settings


def run(
    mechanism: Mechanism, body: str, h: float, n: int, setting: tuple[str, str, str]
) -> tuple[float, list[float]]:
    """Processor time of a run [s] and the end position of a body [m]."""
    system, numbers = build(mechanism)
    chosen = options(h, n, *setting)
    began = time.process_time()
    ok = system.SolveDynamic(chosen, updateInitialValues=False)
    spent = time.process_time() - began
    if ok is False:
        raise RuntimeError("Exudyn did not finish")
    place = system.GetObjectOutputBody(numbers[body], exu.OutputVariableType.Position, [0, 0, 0])
    return spent, [float(x) for x in place]


def usable(
    mechanism: Mechanism, body: str, h: float, n: int
) -> tuple[list[tuple[str, str, str]], list[float]]:
    """Settings that finish and agree with the first of them, and the position they agree on."""
    found: list[tuple[str, str, str]] = []
    reference: list[float] = []
    for setting in SETTINGS:
        try:
            _, place = run(mechanism, body, h, n, setting)
        except Exception:  # noqa: BLE001  whatever Exudyn raises means: these settings do not work here
            continue
        if not np.all(np.isfinite(place)):
            continue
        if not found:
            reference = place
        if np.linalg.norm(np.subtract(place, reference)) < SAME_MOTION:
            found.append(setting)
    return found, reference


def main() -> None:
    """Answer requests until the input ends."""
    sample, h, t, body = sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
    mechanism = evaluated(linkwright.load(sample))
    exu.SetWriteToConsole(False)
    settings, place = usable(mechanism, body, h, round(t / h))
    for line in sys.stdin:
        answer: dict[str, Any] = {"position": place}
        if line.strip() == "slice":
            best = (float("inf"), "none of the settings works")
            for setting in settings:
                short = min(run(mechanism, body, h, SHORT, setting)[0] for _ in range(2))
                long = min(run(mechanism, body, h, LONG, setting)[0] for _ in range(2))
                best = min(best, ((long - short) / (LONG - SHORT) * 1e6, ", ".join(setting)))
            answer = {"us_per_step": best[0], "settings": best[1]}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
