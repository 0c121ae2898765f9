"""A failed step in words: what happened, where, and what to do about it."""

from __future__ import annotations

import pytest

import linkwright as lw
from linkwright.document.settings import NewmarkOptions
from linkwright.engines.state import StepFailure
from linkwright.run.failure import run_error


@pytest.mark.parametrize(
    ("reason", "jacobian", "element", "sentences"),
    [
        (
            "not_converged",
            "M1",
            "S1",
            (
                "Step 413 (t = 0.412 s) did not converge in 25 iterations. Largest residual: force S1, along the "
                "spring (1.2e+03). The iteration matrix has M2 and M3 off: turn on M2 and M3, or take a smaller step."
            ),
        ),
        ("diverged", "M1+M2", "S1", "The iteration matrix has M3 off"),
        ("diverged", "M1+M2+M3", "S1", "Take a smaller step, or allow more iterations."),
        ("not_finite", "M1", "link1", "not a finite number. Largest residual: body Crank, along the spring"),
        ("singular", "M1+M2+M3", None, "met a singular matrix. Look at the check of redundant joints"),
        ("no_length", "M1+M2+M3", "S1", "coincide and its direction is undefined. It is force S1."),
    ],
)
def test_sentences(reason: str, jacobian: str, element: str | None, sentences: str) -> None:
    failure = StepFailure(reason, 0.412, 413, element, "along the spring", (5.0, 1200.0))
    options = NewmarkOptions.model_validate({"jacobian": jacobian})
    error = run_error(failure, lw.load("slider-crank-sda"), options)
    assert sentences in error.message
    assert (error.element, error.step, error.t) == (element, 413, 0.412)
