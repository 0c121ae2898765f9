"""A failed step in words: what happened, where, the likely cause, what to do."""

from __future__ import annotations

from linkwright.document.mechanism import Mechanism
from linkwright.document.settings import EngineOptions
from linkwright.engines.state import StepFailure
from linkwright.errors import RunError


def run_error(failure: StepFailure, mechanism: Mechanism, options: EngineOptions) -> RunError:
    """Describe a failed step to a person.

    Parameters
    ----------
    failure : StepFailure
        From the engine.
    mechanism : Mechanism
        For the labels of elements.
    options : EngineOptions
        As they were at the step.
    """
    sentences = [f"Step {failure.step} (t = {failure.t:.6g} s) {_what(failure, options)}."]
    if failure.element is not None:
        sentences.append(f"{_where(failure, mechanism)}.")
    sentences.append(_what_to_do(failure, options))
    return RunError(" ".join(sentences), failure.element, failure.step, failure.t)


def _what(failure: StepFailure, options: EngineOptions) -> str:
    match failure.reason:
        case "not_converged":
            return f"did not converge in {getattr(options, 'max_iterations', '?')} iterations"
        case "diverged":
            return "diverged: the residual grew without bound"
        case "not_finite":
            return "met a value that is not a finite number"
        case "singular":
            return "met a singular matrix"
        case "no_length":
            return "cannot go on: the two ends of a spring-damper-actuator coincide and its direction is undefined"
        case "step_too_small":
            return "needs a smaller step than the time can be told apart by"
        case "loop_open":
            return "cannot close a loop of the mechanism"
        case "contacts_not_solved":
            count = len(failure.words.split(", "))
            return (
                f"found no answer to the contact laws with {count} closed contact{'s' if count > 1 else ''}"
            )
    return f"failed ({failure.reason})"


def _where(failure: StepFailure, mechanism: Mechanism) -> str:
    element = failure.element or ""
    label = mechanism.element(element).label if mechanism.has(element) else element
    kind = mechanism.element(element).kind if mechanism.has(element) else "element"
    place = f"{kind} {label}"
    if failure.reason == "no_length":
        return f"It is {place}"
    if failure.reason == "contacts_not_solved":
        return f"Closed: {failure.words}"
    words = f", {failure.words}" if failure.words else ""
    size = f" ({failure.residuals[-1]:.3g})" if failure.residuals else ""
    return f"Largest residual: {place}{words}{size}"


def _what_to_do(failure: StepFailure, options: EngineOptions) -> str:
    jacobian = getattr(options, "jacobian", "")
    missing = [term for term in ("M2", "M3") if jacobian.startswith("M1") and term not in jacobian]
    if failure.reason in ("not_converged", "diverged") and missing:
        return f"The iteration matrix has {' and '.join(missing)} off: turn on M2 and M3, or take a smaller step."
    if failure.reason == "no_length":
        return "Give it a free length, move its ends apart, or stop the motion before they meet."
    if failure.reason == "contacts_not_solved":
        return "Take a smaller step, less restitution or less friction."
    if failure.reason == "singular":
        return "Look at the check of redundant joints and at bodies without mass or inertia, or take a smaller step."
    if failure.reason == "step_too_small":
        return "Look for forces without bound, or allow a larger tolerance."
    if failure.reason in ("loop_open", "not_finite") and not hasattr(options, "max_iterations"):
        return "Take a smaller step, or the engine 'newmark' where springs or dampers are stiff."
    return "Take a smaller step, or allow more iterations."
