"""Everything worth saying about a mechanism before it runs; never blocks editing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from linkwright.analysis.mobility import Mobility, enumerated, mobility
from linkwright.compiler.compile import compile_mechanism
from linkwright.compiler.model import CompiledModel
from linkwright.document.bodies import Body
from linkwright.document.mechanism import Mechanism
from linkwright.document.parameters import evaluated
from linkwright.elements.forces import Sda
from linkwright.engines.base import engine
from linkwright.findings import Finding, Severity
from linkwright.units import format_number

GAP = 1e-6
"""Distance [m] and angle [rad] above which a joint counts as open."""
TRIANGLE = 1e-9
"""Share of the largest principal moment by which the triangle rule may be missed."""


@dataclass(frozen=True, slots=True)
class Report:
    """What the checks found.

    Attributes
    ----------
    dof_count, dof_rank : int
        Freedoms by count and by rank.
    redundant : tuple of str
        Redundant conditions in words, one sentence each.
    findings : tuple of Finding
    """

    dof_count: int
    dof_rank: int
    redundant: tuple[str, ...]
    findings: tuple[Finding, ...]


def check(mechanism: Mechanism) -> Report:
    """Check a mechanism as drawn.

    Raises
    ------
    LinkwrightError
        When it cannot be turned into numbers at all; names the element.
    """
    mechanism = evaluated(mechanism)
    model = compile_mechanism(mechanism)
    found = mobility(mechanism, model)
    findings = [
        *_masses(mechanism),
        *_connections(mechanism),
        *_springs(mechanism),
        *_gaps(mechanism, model, found),
        *_redundancy(mechanism, found),
        *_freedoms(mechanism, found),
    ]
    known = {finding.element for finding in findings if finding.severity is Severity.ERROR}
    findings.extend(f for f in engine(mechanism.settings.engine).check(model) if f.element not in known)
    sentences = tuple(found.sentence(redundancy, mechanism) for redundancy in found.redundant)
    return Report(found.dof_count, found.dof_rank, sentences, tuple(findings))


def _masses(mechanism: Mechanism) -> Iterator[Finding]:
    """Bodies without mass or inertia, and tensors that belong to no rigid body."""
    for body in mechanism.bodies:
        inertia = body.inertia()
        moments = inertia.principal_moments()
        a, b, c = (float(m) for m in moments)
        shown = ", ".join(format_number(m, 4) for m in (a, b, c))
        if inertia.mass <= 0.0:
            text = f"Body {body.label} has no mass. Give it a mass, or a shape with a density."
            yield Finding(Severity.ERROR, text, body.id)
        elif a <= 0.0:
            text = (
                f"Body {body.label} has no inertia about one of its axes (principal moments {shown} kg m^2)."
            )
            yield Finding(Severity.ERROR, f"{text} Give it a small one.", body.id)
        elif a + b < c * (1.0 - TRIANGLE):
            text = (
                f"The inertia of body {body.label} belongs to no rigid body: of its principal moments {shown} kg m^2 "
                "the two smaller ones add up to less than the largest. Check the numbers and their axes."
            )
            yield Finding(Severity.WARNING, text, body.id)


def _connections(mechanism: Mechanism) -> Iterator[Finding]:
    """Bodies that nothing holds."""
    held = {mechanism.body_of(end) for joint in mechanism.joints for end in (joint.i, joint.j)}
    for force in mechanism.forces:
        if isinstance(force, Sda):
            held.update(mechanism.body_of(end) for end in (force.i, force.j))
    for body in mechanism.bodies:
        if body.id not in held:
            text = f"Body {body.label} has no joint and no spring: it moves freely. Join it if that is not meant."
            yield Finding(Severity.NOTE, text, body.id)


def _springs(mechanism: Mechanism) -> Iterator[Finding]:
    """Springs between points that coincide, or without a free length."""
    for force in mechanism.forces:
        if not isinstance(force, Sda):
            continue
        ends = [np.array(mechanism.world_frame(end)[0]) for end in (force.i, force.j)]
        length = float(np.linalg.norm(ends[1] - ends[0]))
        if length == 0.0:
            text = f"The two ends of {force.label} coincide, so that its direction is undefined. Move one of them."
            yield Finding(Severity.ERROR, text, force.id)
        elif force.free_length == 0.0 and force.stiffness != 0.0:
            text = f"The free length of {force.label} is 0: it pulls with k times its whole length of {length:.4g} m."
            yield Finding(Severity.NOTE, text, force.id)


def _gaps(mechanism: Mechanism, model: CompiledModel, found: Mobility) -> Iterator[Finding]:
    """Joints whose places do not meet as drawn."""
    for link in model.joints:
        rows = range(link.first, link.stop)
        shifts = [found.phi[r] for r in rows if model.row_labels[r].direction.startswith("translation")]
        turns = [found.phi[r] for r in rows if model.row_labels[r].direction.startswith("rotation")]
        gap, angle = float(np.linalg.norm(shifts)), float(np.linalg.norm(turns))
        if gap > GAP or angle > GAP:
            open_by = [f"{format_number(gap * 1e3, 4)} mm"] if gap > GAP else []
            open_by += [f"{format_number(float(np.degrees(angle)), 4)} degrees"] if angle > GAP else []
            label = mechanism.element(link.element).label
            text = (
                f"Joint {label} is open by {' and '.join(open_by)} as drawn. A run closes it first, "
                "moving the bodies as little as it can."
            )
            yield Finding(Severity.WARNING, text, link.element)


def _redundancy(mechanism: Mechanism, found: Mobility) -> Iterator[Finding]:
    """Joints that repeat conditions of others."""
    by_joint: dict[str, list[int]] = {}
    for k, redundancy in enumerate(found.redundant):
        by_joint.setdefault(redundancy.row.element, []).append(k)
    for joint, places in by_joint.items():
        rows = [found.redundant[k] for k in places]
        directions = enumerated([row.row.direction for row in rows])
        others = sorted({other for row in rows for other in row.imposed_by})
        already = (
            f", already blocked by {enumerated([mechanism.element(o).label for o in others])}"
            if others
            else ""
        )
        label = mechanism.element(joint).label
        count = "1 condition" if len(rows) == 1 else f"{len(rows)} conditions"
        text = (
            f"{label} repeats {count}: it also blocks {directions}{already}. "
            "The motion is right; the reactions of these joints are not unique."
        )
        yield Finding(Severity.WARNING, text, joint)


def _freedoms(mechanism: Mechanism, found: Mobility) -> Iterator[Finding]:
    """Mechanisms that cannot move."""
    moving: tuple[Body, ...] = mechanism.bodies
    if moving and found.dof_rank == 0:
        text = "The mechanism cannot move in the drawn pose: its joints leave no freedom."
        yield Finding(Severity.WARNING, text, None)
