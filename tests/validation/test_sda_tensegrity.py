"""Two-stage tensegrity: iteration grids, energy split and tensions of the reference study, with its own tolerances.

Full matrix, k <= 200: mean within 0.3; k = 2000 and c <= 10 between 3 and 4.5. Incomplete matrix, k <= 200: within 1.2.
Cases marked as not converged must not complete their 100 steps; largest counts within 2 for k <= 200.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.validation.mechanisms import reference, tensegrity
from tests.validation.study import Run, check_counts, run

from linkwright.document.rotation import matrix
from linkwright.kernels.layout import TERM_INERTIA, TERM_REACTION, TERM_SDA_Q, TERM_SDA_V, TERM_VELOCITY

FACTS = reference("facts")["tensegrity"]
TOLERANCES = reference("facts")["tolerances"]
INCOMPLETE = ("M1", "M1+M2", "M1+M3")
FULL = "M1+M2+M3"
ALL_TERMS = TERM_VELOCITY | TERM_INERTIA | TERM_REACTION | TERM_SDA_Q | TERM_SDA_V
CABLES = reference("tensegrity")["cables"]


def case(row: dict[str, Any]) -> str:
    return f"k{row['k']}-c{row['c']}"


def check_grid(row: dict[str, Any], name: str, result: Run) -> None:
    wanted = row[name]
    if not wanted["converged"]:
        check_counts(result, wanted, 0.0)
    elif row["k"] <= 200:
        check_counts(result, wanted, 0.3 if name == FULL else 1.2, 2)
    elif row["k"] == 2000 and row["c"] <= 10 and name == FULL:
        assert result.steps == 100
        assert 3.0 <= result.column("solves").mean() <= 4.5
    # k = 2000, c = 100 and the incomplete matrices at k = 2000 are not portable between rotation polynomials


@pytest.mark.parametrize("name", [*INCOMPLETE, FULL])
@pytest.mark.parametrize("row", FACTS["grid"], ids=case)
def test_iteration_grid(row: dict[str, Any], name: str) -> None:
    check_grid(row, name, run(tensegrity(row["k"], row["c"]), jacobian=name))


@pytest.mark.parametrize("name", [*INCOMPLETE, FULL])
@pytest.mark.parametrize("row", FACTS["tension_only_grid"], ids=case)
def test_tension_only_grid(row: dict[str, Any], name: str) -> None:
    check_grid(row, name, run(tensegrity(row["k"], row["c"], tension_only=True), jacobian=name))


@pytest.mark.parametrize("row", [r for r in FACTS["grid"] if r["k"] == 2000 and r["c"] <= 10], ids=case)
def test_order_at_high_stiffness(row: dict[str, Any]) -> None:
    # portable are the divergence of M1 and the order; M1+M2 costs as much as the full matrix where nothing is damped
    model = tensegrity(row["k"], row["c"])
    assert run(model, jacobian="M1").steps < 100
    full, without_m3 = run(model, jacobian=FULL), run(model, jacobian="M1+M2")
    assert full.steps == 100
    if row["c"] == 0:
        assert np.array_equal(without_m3.column("solves"), full.column("solves"))
    else:
        assert without_m3.column("solves").mean() > full.column("solves").mean()


@pytest.mark.parametrize("row", FACTS["definition_of_M1"], ids=case)
@pytest.mark.parametrize(
    ("name", "left_out"),
    [
        ("exact", 0),
        ("without_dQv", TERM_VELOCITY),
        ("without_d_Mqdd", TERM_INERTIA),
        ("without_d_PhiqT_lambda", TERM_REACTION),
        ("only_M_and_Phiq", TERM_VELOCITY | TERM_INERTIA | TERM_REACTION),
    ],
)
def test_every_term_of_m1_counts(row: dict[str, Any], name: str, left_out: int) -> None:
    result = run(tensegrity(row["k"], row["c"]), terms=ALL_TERMS & ~left_out)
    check_counts(result, row[name], 0.3, 2)


def test_eighth_case() -> None:
    row = FACTS["eighth_case_smaller_step"]
    assert run(tensegrity(row["k"], row["c"])).steps < 100
    check_counts(run(tensegrity(row["k"], row["c"]), h=row["dt"]), row["full"], 0.3, 2)


def energies(dt: float, beta: float, gamma: float, times: list[float]) -> tuple[np.ndarray, ...]:
    result = run(tensegrity(), steps=round(max(times) / dt), h=dt, beta=beta, gamma=gamma)
    at = [round(t / dt) - 1 for t in times]
    assert result.start.channels[3] == pytest.approx(
        FACTS["energy_split_k200_c10"]["initial_energy"], abs=1e-6
    )
    names = ("energy.total", "energy.damper_loss", "energy.balance_error")
    total, loss, balance = (result.channel(name)[at] for name in names)
    return total, loss, -balance


@pytest.mark.parametrize(
    "row", FACTS["energy_split_k200_c10"]["newmark"], ids=lambda r: f"{r['dt']}-{r['alpha']}"
)
def test_energy_split(row: dict[str, Any]) -> None:
    residual, loss, algorithmic = energies(row["dt"], row["alpha"], row["delta"], row["times"])
    limits = TOLERANCES["energies_J"]
    wanted = row["force_times_dl"]
    assert residual == pytest.approx(row["residual_energy"], abs=limits["residual"])
    assert loss == pytest.approx(wanted["sda_dissipation"], abs=limits["sda_force_times_dl"])
    assert algorithmic == pytest.approx(wanted["algorithmic_dissipation"], abs=limits["algorithmic"])


@pytest.mark.slow
def test_energy_split_of_the_exact_motion() -> None:
    # both Newmark pairs, Richardson from two small steps: first order for (0.3, 0.6), second for (0.25, 0.5)
    exact = FACTS["energy_split_k200_c10"]["exact"]
    dt = 1.25e-4
    coarse = np.array(energies(2 * dt, 0.25, 0.5, exact["times"])[:2])
    fine = np.array(energies(dt, 0.25, 0.5, exact["times"])[:2])
    limit = TOLERANCES["energies_J"]["exact_solution"]
    residual, loss = fine + (fine - coarse) / 3
    assert residual == pytest.approx(exact["residual_energy"], abs=limit)
    assert loss == pytest.approx(exact["sda_dissipation"], abs=limit)


@pytest.fixture(scope="module")
def settled() -> Run:
    """20 s, 2000 steps, k = 200, c = 10."""
    return run(tensegrity(), steps=2000)


def by_group(result: Run, channel: str) -> dict[str, np.ndarray]:
    groups: dict[str, list[float]] = {}
    for cable in CABLES:
        tension = result.channel(f"cable{cable['id']}.{channel}")[-1]
        groups.setdefault(cable["group"], []).append(tension)
    return {name: np.array(values) for name, values in groups.items()}


def test_tensions_after_20_s(settled: Run) -> None:
    wanted = FACTS["tensions_k200"]
    assert settled.steps == 2000
    assert settled.column("solves").mean() == pytest.approx(wanted["mean_solves_2000_steps"], abs=0.3)
    spring = by_group(settled, "spring_force")
    for name, value in wanted["dynamic_20s_spring_part"].items():
        assert spring[name].mean() == pytest.approx(value, abs=TOLERANCES["tension_20s_spring_part_N"])
        assert np.ptp(spring[name]) < 1e-9
    # the published figure is 4.92 N for the upper side cables
    assert spring["upper_side"].mean() == pytest.approx(4.92, abs=0.05)
    # total forces depend on the rotation polynomial by 0.002 N and alternate by 0.03 N
    total = by_group(settled, "force")
    for name, value in wanted["dynamic_20s_total_force"].items():
        assert total[name].mean() == pytest.approx(value, abs=0.03)


def test_energies_and_drift_after_20_s(settled: Run) -> None:
    wanted = FACTS["tensions_k200"]
    assert settled.channel("energy.kinetic")[-1] == pytest.approx(
        wanted["dynamic_20s_kinetic_energy"], abs=1e-5
    )
    assert settled.channel("energy.springs")[-1] == pytest.approx(
        wanted["dynamic_20s_elastic_energy"], abs=1e-5
    )
    masses = settled.model.tables.body[:, 0]
    moved = settled.rows.poses[1999, :, :3] - settled.start.poses[:, :3]
    centre = masses @ moved / masses.sum()
    # no force from outside: rounding alone moves the centre of mass
    assert np.abs(centre).max() < 1e-13


def test_projection_removes_what_never_decays() -> None:
    # gamma = 2 beta: e . e' alternates for ever at about 8.6e-4 without projection (theory section 10)
    plain = run(tensegrity(), steps=30)
    projected = run(tensegrity(), steps=30, projection=True)
    assert plain.column("velocity_error")[-1] / 2 == pytest.approx(8.6e-4, rel=0.05)
    assert projected.column("velocity_error").max() < 1e-13
    # both are the same motion within the error of the step, 1.6e-4 m at 0.3 s
    difference = plain.rows.poses[29, :, :3] - projected.rows.poses[29, :, :3]
    assert np.abs(difference).max() < 5e-4


def test_larger_beta_lets_the_violation_die_out() -> None:
    # beta = (gamma + 1/2)^2 / 4 gives a double eigenvalue -0.818; what is left at 20 s is e . e' of 1e-7
    result = run(tensegrity(), steps=2000, beta=0.3025)
    assert result.column("velocity_error")[-1] < 1e-6


def test_strut_forces_after_20_s(settled: Run) -> None:
    # axial force of a strut: what the springs of the cables at its first node press on it
    spec = reference("tensegrity")
    nodes: dict[str, np.ndarray] = {}
    for strut in spec["struts"]:
        pose = settled.pose(f"strut{strut['id']}")[-1]
        axis = np.array(matrix(tuple(pose[3:])))[:, 0]
        nodes[strut["node_a"]], nodes[strut["node_b"]] = pose[:3] - axis, pose[:3] + axis
    pull = {name: np.zeros(3) for name in nodes}
    for cable in spec["cables"]:
        a, b = cable["node_a"], cable["node_b"]
        line = nodes[b] - nodes[a]
        tension = settled.channel(f"cable{cable['id']}.spring_force")[-1] * line / np.linalg.norm(line)
        pull[a] += tension
        pull[b] -= tension
    wanted = FACTS["tensions_k200"]["dynamic_20s_strut_force_spring_part"]
    for stage, value in wanted.items():
        forces = []
        for strut in (s for s in spec["struts"] if s["stage"] == stage):
            a, b = strut["node_a"], strut["node_b"]
            axis = (nodes[b] - nodes[a]) / np.linalg.norm(nodes[b] - nodes[a])
            forces.append(-pull[a] @ axis)
        assert np.mean(forces) == pytest.approx(value, abs=TOLERANCES["tension_20s_spring_part_N"])


@pytest.mark.parametrize(
    "row", FACTS["energy_split_k200_c10"]["newmark"], ids=lambda r: f"{r['dt']}-{r['alpha']}"
)
def test_damper_work_summed_in_other_ways(row: dict[str, Any]) -> None:
    # what the study warns of: the trapezoid of c l'^2 over time, and c (dl)^2 / dt, from the recorded channels
    dt, at, c = row["dt"], [round(t / row["dt"]) for t in row["times"]], 10.0
    result = run(tensegrity(), steps=at[-1], h=dt, beta=row["alpha"], gamma=row["delta"])
    power = np.zeros((2, at[-1] + 1))
    for cable in CABLES:
        name = f"cable{cable['id']}"
        start = result.start.channels[result.model.channel_names.index(f"{name}.length")]
        length = np.concatenate(([start], result.channel(f"{name}.length")))
        rate = np.concatenate(([0.0], result.channel(f"{name}.rate")))  # it starts at rest
        power[0, 1:] += c * dt * (rate[:-1] ** 2 + rate[1:] ** 2) / 2
        power[1, 1:] += c * np.diff(length) ** 2 / dt
    limit = TOLERANCES["energies_J"]["sda_force_times_dl"]
    for sums, name in zip(np.cumsum(power, axis=1), ("power_trapezoid", "secant"), strict=True):
        assert sums[at] == pytest.approx(row[name]["sda_dissipation"], abs=limit)
        initial = FACTS["energy_split_k200_c10"]["initial_energy"]
        algorithmic = initial - np.array(row["residual_energy"]) - sums[at]
        assert algorithmic == pytest.approx(row[name]["algorithmic_dissipation"], abs=limit)


def strut_positions(h: float, beta: float, gamma: float) -> np.ndarray:
    """Mass centres of all struts at 0.3 s, (6, 3)."""
    result = run(tensegrity(), steps=round(0.3 / h), h=h, beta=beta, gamma=gamma)
    return np.array([result.pose(f"strut{k}")[-1, :3] for k in range(1, 7)])


@pytest.mark.parametrize(
    ("pair", "beta", "gamma"), [("alpha03_delta06", 0.3, 0.6), ("alpha025_delta05", 0.25, 0.5)]
)
def test_position_error_at_03_s(pair: str, beta: float, gamma: float) -> None:
    # against a step of 1.25e-4 with the pair of second order, whose own error is 1e-8 m by the same law; the facts have
    # two digits, hence 5 %
    exact = strut_positions(1.25e-4, 0.25, 0.5)
    for h, wanted in FACTS["energy_split_k200_c10"]["max_position_error_at_03s"][pair].items():
        error = np.abs(strut_positions(float(h), beta, gamma) - exact).max()
        assert error == pytest.approx(wanted, rel=0.05)
