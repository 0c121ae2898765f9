"""Motion of the slider-crank: the stored Newmark run, the exact one-freedom equation, order, energy, initial state."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.validation.mechanisms import reference, slider_crank
from tests.validation.study import Run, run

FACTS = reference("facts")["slider_crank"]
TRAJECTORIES = FACTS["trajectories_45deg"]
ROWS = TRAJECTORIES["rows"]
F = 1000.0
IDS = [f"k{row['k']:g}-c{row['c']:g}" for row in ROWS]


def exact(row: dict[str, Any]) -> Any:
    """Slider position over time from the one-freedom equation of theory section 8."""
    k, c = row["k"], row["c"]
    free = math.sqrt(2.0)

    def rates(_: float, y: np.ndarray) -> list[float]:
        th, w = y
        s, co = math.sin(th), math.cos(th)
        f = k * (2 * co - free) - 2 * c * s * w
        return [w, (2 * s * f - 4 * F * s - 416 * s * co * w * w) / (130 + 416 * s * s)]

    solution = solve_ivp(
        rates, (0.0, 1.0), [math.pi / 4, 0.0], method="DOP853", rtol=1e-12, atol=1e-13, dense_output=True
    )
    angle = solution.sol
    assert angle is not None
    return lambda t: 4 * np.cos(angle(t)[0])


def at_quarters(result: Run) -> np.ndarray:
    n = result.steps
    return result.pose("slider")[[n // 4 - 1, n // 2 - 1, 3 * n // 4 - 1, n - 1], 0]


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_stored_newmark_trajectory(row: dict[str, Any]) -> None:
    result = run(slider_crank(k=row["k"], c=row["c"]))
    wanted = list(row["x_newmark_dt001"].values())
    assert at_quarters(result) == pytest.approx(wanted, abs=TRAJECTORIES["tolerance_newmark"])


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_second_order_towards_the_exact_motion(row: dict[str, Any]) -> None:
    x = exact(row)
    times = np.array([0.25, 0.5, 0.75, 1.0])
    assert x(times) == pytest.approx(list(row["x_exact_1dof"].values()), abs=TRAJECTORIES["tolerance_exact"])
    errors = []
    for dt in (0.01, 0.005, 0.0025):
        result = run(slider_crank(k=row["k"], c=row["c"]), steps=round(1 / dt), h=dt)
        t = dt * np.arange(1, result.steps + 1)
        errors.append(np.abs(result.pose("slider")[:, 0] - x(t)).max())
    wanted = [row["max_error_dt"][str(dt)] for dt in (0.01, 0.005, 0.0025)]
    # stored with five digits
    assert errors == pytest.approx(wanted, rel=2e-4)
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert orders == pytest.approx(row["observed_order"], abs=2e-3)


@pytest.mark.parametrize("row", [r for r in ROWS if r["c"] == 0], ids=lambda r: f"k{r['k']:g}")
def test_energy_drift(row: dict[str, Any]) -> None:
    result = run(slider_crank(k=row["k"]))
    drift = np.abs(result.channel("energy.balance_error")).max()
    work = np.abs(result.channel("energy.force_work")).max()
    # printed with two digits
    assert drift / work == pytest.approx(row["largest_energy_drift_over_largest_work_of_force"], rel=0.03)


@pytest.mark.parametrize("theta", [45, 60])
def test_initial_acceleration_of_the_slider(theta: int) -> None:
    result = run(slider_crank(k=2e4, theta_deg=theta), steps=1, h=1e-9)
    wanted = FACTS["initial_slider_acceleration"][f"theta0_{theta}"]
    s = math.sin(math.radians(theta))
    # 11 digits are printed
    assert wanted == pytest.approx(16 * F * s * s / (130 + 416 * s * s), abs=1e-9)
    # after a step of 1 ns the acceleration is still the initial one
    assert result.state.a[14] == pytest.approx(wanted, rel=1e-9)


def test_same_run_twice_gives_the_same_bits() -> None:
    a, b = (run(slider_crank(k=2e4, c=100.0)) for _ in range(2))
    for name in ("steps", "residuals", "poses", "twists", "channels"):
        assert getattr(a.rows, name).tobytes() == getattr(b.rows, name).tobytes()


def test_frames_at_a_longer_interval_are_the_same() -> None:
    every, fifth = run(slider_crank(k=2e4)), run(slider_crank(k=2e4), stride=5)
    assert fifth.rows.count.tolist() == [100, every.rows.count[1], 20]
    assert np.array_equal(fifth.rows.frame_t[:20], every.rows.frame_t[4:100:5])
    assert np.array_equal(fifth.rows.poses[:20], every.rows.poses[4:100:5])
    assert np.array_equal(fifth.rows.channels[:20], every.rows.channels[4:100:5])


def test_tiny_step_converges() -> None:
    # constraint rows are divided by beta h^2 for the solve, so that a step of a microsecond is no harder
    result = run(slider_crank(k=2e4), steps=50, h=1e-6)
    assert result.steps == 50
    assert result.column("solves").max() <= 2
    assert result.column("pivots").max() == 0
