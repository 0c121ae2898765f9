"""Smooth motion: the contact engine against the implicit one, within the order of its step."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.validation.contact_runs import simulate
from tests.validation.mechanisms import slider_crank, tensegrity

from linkwright.compiler.compile import compile_mechanism
from linkwright.document.mechanism import Mechanism
from linkwright.document.rotation import axis_angle
from linkwright.engines.base import start_frame
from linkwright.engines.newmark import NewmarkEngine
from linkwright.engines.state import RowBlock

Array = NDArray[np.float64]


def newmark_end(mechanism: Mechanism, h: float, t_end: float) -> Array:
    """Poses at the end of a run of the implicit engine."""
    it = NewmarkEngine()
    model = compile_mechanism(mechanism)
    work = it.prepare(model, mechanism.settings.newmark, h)
    state, _ = it.initialise(work, start_frame(model))
    n = round(t_end / h)
    rows = RowBlock.allocate(model.n_body, len(model.channel_names), n, residuals=40 * n)
    assert it.advance(work, state, rows, n) == n
    return np.asarray(rows.poses[n - 1])


def top() -> Mechanism:
    """Two heavy bodies on spherical joints, spinning: spatial motion with gyroscopic terms."""
    return Mechanism.model_validate(
        {
            "gravity": (0.0, 0.0, -9.81),
            "bodies": [
                {
                    "id": "a",
                    "orientation": axis_angle((0.0, 1.0, 0.0), 0.3),
                    "angular_velocity": (1.0, 2.0, 8.0),
                    "mass": {
                        "type": "given",
                        "mass": 1.0,
                        "centre": (0.4, 0.0, 0.1),
                        "inertia": (0.02, 0.05, 0.06, 0.002, 0.0, -0.003),
                    },
                },
                {
                    "id": "b",
                    "position": (0.8 * np.cos(0.3), 0.0, -0.8 * np.sin(0.3)),
                    "velocity": tuple(
                        float(x)
                        for x in np.cross([1.0, 2.0, 8.0], [0.8 * np.cos(0.3), 0.0, -0.8 * np.sin(0.3)])
                    ),
                    "angular_velocity": (0.5, -3.0, 5.0),
                    "mass": {
                        "type": "given",
                        "mass": 0.6,
                        "centre": (0.2, 0.1, 0.0),
                        "inertia": (0.01, 0.03, 0.02, 0.0, 0.001, 0.0),
                    },
                },
            ],
            "markers": [{"id": "end", "body": "a", "position": (0.8, 0.0, 0.0)}],
            "joints": [
                {"type": "spherical", "id": "A", "i": "a", "j": "ground"},
                {"type": "spherical", "id": "B", "i": "b", "j": "end"},
            ],
        }
    )


CASES = {
    "slider-crank": (slider_crank(2e4, 1e2), 0.3, 2e-3),
    "stiff slider-crank": (slider_crank(1e5, 1e4), 0.3, 2e-3),
    "tensegrity": (tensegrity(200.0, 10.0), 0.3, 2e-3),
    "top": (top(), 0.5, 1e-3),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("theta", [0.0, 0.9])
def test_agrees_with_the_implicit_engine(name: str, theta: float) -> None:
    """The difference to a fine implicit run falls with the step: at least first order, with theta 0.9 much smaller."""
    mechanism, t_end, h = CASES[name]
    exact = newmark_end(mechanism, h / 20.0, t_end)
    errors = []
    for step in (h, h / 2.0, h / 4.0):
        run = simulate(mechanism, step, t_end, theta=theta)
        end = run.rows.poses[run.rows.count[2] - 1]
        errors.append(float(np.max(np.abs(end[:, :3] - exact[:, :3]))))
    size = float(np.max(np.abs(exact[:, :3]))) + 1e-3
    bound = 0.1 if theta == 0.0 else 0.02
    assert errors[0] < bound * size
    # first order halves it, second order quarters it; a fraction of the implicit run's own error remains
    assert errors[2] < 0.35 * errors[0] + 2e-5 * size
