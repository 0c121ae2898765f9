"""Woodpecker toy (Glocker, Pfeiffer, Moeller): its own small-angle matrices, stepped with the contact solver."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.validation.contact_runs import DATA, reference

from linkwright.kernels.lcp import solve as contact_solve
from linkwright.kernels.lcp.problem import FIRST, FREE, IMPULSE, MU

Array = NDArray[np.float64]

TOY = reference("woodpecker_toy")["definition"]
GEO = TOY["geometry"]
H = 2e-5


def matrices() -> tuple[Array, Array, Array]:
    """Mass matrix, stiffness and gravity of q = (y, phi_M, phi_S)."""
    m, s, lm, lg = TOY["mM"], TOY["mS"], GEO["lM"], GEO["lG"]
    mass = np.array(
        [
            [s + m, s * lm, s * lg],
            [s * lm, TOY["JM"] + s * lm**2, s * lm * lg],
            [s * lg, s * lm * lg, TOY["JS"] + s * lg**2],
        ]
    )
    c = TOY["c_phi"]
    stiffness = np.array([[0.0, 0.0, 0.0], [0.0, c, -c], [0.0, -c, c]])
    weight = -TOY["g"] * np.array([s + m, s * lm, s * lg])
    return mass, stiffness, weight


NORMALS = np.array([[0.0, 0.0, -GEO["hS"]], [0.0, GEO["hM"], 0.0], [0.0, -GEO["hM"], 0.0]])
TANGENTS = np.array([[1.0, GEO["lM"], GEO["lG"] - GEO["lS"]], [1.0, GEO["rM"], 0.0], [1.0, GEO["rM"], 0.0]])
OFFSETS = np.array(
    [GEO["lM"] + GEO["lG"] - GEO["lS"] - GEO["rO"], GEO["rM"] - GEO["rO"], GEO["rM"] - GEO["rO"]]
)
RESTITUTION = np.array([0.5, 0.0, 0.0])


def march(n: int) -> tuple[Array, list[int]]:
    """Moreau-Jean with theta = 1/2, as published; rows of t, y, vy, phi_M, omega_M, phi_S, omega_S, and the methods."""
    mass, stiffness, weight = matrices()
    inverse = np.linalg.inv(mass + 0.25 * H * H * stiffness)
    start = TOY["initial"]
    q = np.array([start["y"], start["phiM"], start["phiS"]])
    v = np.array([start["vy"], start["omegaM"], start["omegaS"]])
    p, room = contact_solve.rooms(3, 6)
    rows = np.zeros((n + 1, 7))
    rows[0] = [0.0, q[0], v[0], q[1], v[1], q[2], v[2]]
    methods = []
    for k in range(1, n + 1):
        free = v + inverse @ (H * weight - H * stiffness @ q - 0.5 * H * H * stiffness @ v)
        active = np.nonzero(OFFSETS + NORMALS @ q + 0.5 * H * NORMALS @ v <= 0.0)[0]
        end = free.copy()
        if active.size:
            w = np.concatenate([[NORMALS[c], TANGENTS[c]] for c in active])
            m = len(w)
            p.g[:m, :m] = w @ inverse @ w.T
            p.vector[FREE, :m] = w @ free
            p.vector[FREE, :m:2] += RESTITUTION[active] * (NORMALS[active] @ v)
            p.contact[: active.size + 1, FIRST] = 2 * np.arange(active.size + 1)
            p.number[:, MU] = TOY["mu"]
            p.state[:m] = 0
            method, _, _ = contact_solve.solve(p, int(active.size), 1e-12, room)
            methods.append(method)
            end = free + inverse @ w.T @ p.vector[IMPULSE, :m]
        q = q + 0.5 * H * (v + end)
        v = end
        rows[k] = [k * H, q[0], v[0], q[1], v[1], q[2], v[2]]
    return rows, methods


@pytest.fixture(scope="module")
def record() -> tuple[Array, list[int]]:
    return march(15_000)


def test_every_published_row(record: tuple[Array, list[int]]) -> None:
    """Every 30th of 15 000 published rows; an independent code reaches 8e-13 in the rates."""
    published = np.loadtxt(DATA / "woodpecker_siconos.csv", delimiter=",", skiprows=1)
    ours = record[0][np.round(published[:, 0] / H).astype(int)]
    np.testing.assert_allclose(ours[:, [1, 3, 5]], published[:, [1, 3, 5]], atol=1e-12)
    np.testing.assert_allclose(ours[:, [2, 4, 6]], published[:, [2, 4, 6]], atol=1e-10)


def test_last_row(record: tuple[Array, list[int]]) -> None:
    t, y, phi_m, phi_s, vy, w_m, w_s = reference("woodpecker_toy")["reference"]["last_row_t_0_29998"]
    row = record[0][round(t / H)]
    ours = sorted(row[1:])
    # the published order of the columns is not said: the same six numbers
    np.testing.assert_allclose(ours, sorted([y, phi_m, phi_s, vy, w_m, w_s]), atol=1e-10)


def test_solver_never_fails(record: tuple[Array, list[int]]) -> None:
    methods = np.array(record[1])
    assert methods.size > 1000
    assert np.all(methods != contact_solve.UNSOLVED)
    assert np.mean(methods != contact_solve.ACTIVE_SET) < 0.01


def test_events_of_both_cycles(record: tuple[Array, list[int]]) -> None:
    """Times of the beak hit and the lowest angle, and the ratio 0.5 of the beak's speeds (benchmark table)."""
    rows = record[0]
    t, phi, rate = rows[:, 0], rows[:, 5], rows[:, 6]
    hits = np.nonzero((rate[:-1] > 10.0) & (rate[1:] < 0.0))[0]
    np.testing.assert_allclose(t[hits + 1], [0.08104, 0.22710], atol=1e-4)
    np.testing.assert_allclose(rate[hits], [16.9375, 16.9261], atol=2e-3)
    np.testing.assert_allclose(rate[hits + 1] / rate[hits], -0.5, atol=1e-3)
    for (a, b), lowest, when in (((0.0, 0.08), -0.5302, 0.03282), ((0.15, 0.22), -0.5296, 0.17888)):
        part = (t > a) & (t < b)
        k = np.nonzero(part)[0][int(np.argmin(phi[part]))]
        assert phi[k] == pytest.approx(lowest, abs=2e-4)
        assert t[k] == pytest.approx(when, abs=1e-4)
    y = rows[:, 1]
    k1, k2 = hits
    assert y[k1] - y[k2] == pytest.approx(0.01947, abs=1e-4)
