"""Which kind of convergence a residual history shows, on sequences whose kind is known."""

from __future__ import annotations

import numpy as np
import pytest

from linkwright_app.plots.convergence_rate import convergence_rate


@pytest.mark.parametrize("factor", [0.9, 0.5, 0.031, 1e-3])
def test_geometric_sequences_are_linear(factor: float) -> None:
    found = convergence_rate(50.0 * factor ** np.arange(8.0))
    assert found is not None
    assert found.kind == "linear"
    assert found.factor == pytest.approx(factor)


def test_the_first_ratio_does_not_count() -> None:
    # A poor guess is often corrected by much in the first iteration.
    found = convergence_rate(np.array([1e3, 1.0, 0.1, 0.01, 0.001]))
    assert found is not None
    assert (found.kind, round(found.factor, 12)) == ("linear", 0.1)


@pytest.mark.parametrize("constant", [1e-4, 1e-2, 0.5])
def test_squaring_sequences_are_quadratic(constant: float) -> None:
    r = [1.0]
    while r[-1] > 1e-13 and len(r) < 12:
        r.append(constant * r[-1] ** 2)
    found = convergence_rate(np.array(r[:5]))
    assert found is not None
    assert found.kind == "quadratic"


def test_rounding_at_the_end_does_not_spoil_it() -> None:
    found = convergence_rate(np.array([1e2, 1e-1, 1e-7, 3e-10]))
    assert found is not None
    assert found.kind == "quadratic"


def test_growing_residuals() -> None:
    found = convergence_rate(1e4 * 1.4 ** np.arange(25.0))
    assert found is not None
    assert found.kind == "growing"
    assert found.factor == pytest.approx(1.4)


@pytest.mark.parametrize(
    "residuals", [[], [1.0], [1.0, 1e-9], [1.0, np.nan, np.inf], [0.0, 0.0, 0.0, 1.0], [np.nan] * 5]
)
def test_too_few_numbers_show_nothing(residuals: list[float]) -> None:
    assert convergence_rate(np.array(residuals)) is None


def test_a_wobble_of_a_slow_iteration_is_not_quadratic() -> None:
    found = convergence_rate(np.array([1.0, 0.99, 0.9, 0.88, 0.8, 0.79]))
    assert found is not None
    assert found.kind == "linear"
