"""M2 and M3 of the kernels against the stored case and complex steps; the other rotations by the plain reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.validation.mechanisms import reference, slider_crank
from tests.validation.random_models import make_model
from tests.validation.reference_equations import POLYNOMIALS, Reference, g_matrix, jacobian

from linkwright.compiler.compile import compile_mechanism
from linkwright.compiler.model import CompiledModel
from linkwright.compiler.ordering import make_pattern
from linkwright.compiler.workspace import make_motion, make_scratch
from linkwright.kernels import inertia
from linkwright.kernels.equations import evaluate
from linkwright.kernels.forces import sda
from linkwright.kernels.jit import kernel
from linkwright.kernels.layout import (
    B_DE,
    B_DR,
    B_EROW,
    B_RES,
    B_S,
    B_TE,
    TERM_SDA_Q,
    TERM_SDA_V,
    Motion,
    Pattern,
    Scratch,
    Tables,
)
from linkwright.kernels.rotation import dot4, quat

Array = NDArray[np.float64]
CHECK = reference("facts")["jacobian_check"]
CASE = CHECK["euler_parameter_case"]
CARDAN = CHECK["cardan_case"]


@kernel
def fill(
    tables: Tables, pattern: Pattern, motion: Motion, work: Scratch, c_q: float, c_v: float, terms: int
) -> None:
    """Evaluate, and fill the part of the matrix that bodies and SDA bring; the steps along e are given."""
    evaluate(tables, motion, 0, work)
    for k in range(work.matrix.size):
        work.matrix[k] = 0.0
    for k in range(work.rhs.size):
        work.rhs[k] = 0.0
    adr, offset, bw = pattern.body_adr, pattern.offset, work.body
    inertia.tangent(
        tables.body, motion.a, motion.lam, 0, c_q, c_v, terms, bw, adr, offset, work.matrix, work.rhs
    )
    sda.tangent(
        tables.sda_int, tables.sda_real, c_q, c_v, terms, bw, work.sda, adr, offset, work.matrix, work.rhs
    )


@kernel
def collect(tables: Tables, work: Scratch, c_q: float, c_v: float, terms: int) -> None:
    """Equations along e for given steps."""
    bw = work.body
    for b in range(tables.body.shape[0]):
        bw[b, B_EROW] = dot4(quat(bw, b, B_TE), quat(bw, b, B_DE))
    sda.collect_along(tables.sda_int, tables.sda_real, c_q, c_v, terms, bw, work.sda)


def basis(e: Array) -> Array:
    """[G^T, e], the basis in which the kernels write the block of the Euler parameters."""
    return np.hstack([g_matrix(e).T, e[:, None]])


def written(model: CompiledModel, motion: Motion, c_q: float, c_v: float, terms: int) -> Array:
    """Whole matrix of two bodies in natural coordinates, from the parts the kernels keep apart."""
    n = model.n_body
    pattern = make_pattern(model.tables, model.row_prim, np.ones(0, bool))
    work = make_scratch(model, pattern, 1)
    matrix = np.zeros((7 * n, 7 * n))

    def rows_of(values: Array) -> Array:
        return np.concatenate([values[pattern.body_adr[b] :][:6] for b in range(n)])

    places = np.concatenate([7 * b + np.arange(6) for b in range(n)])
    fill(model.tables, pattern, motion, work, c_q, c_v, terms)
    plain = rows_of(work.rhs)
    dense = np.zeros((work.rhs.size, work.rhs.size))
    for r, (first, stop, _) in enumerate(pattern.band.astype(np.int64)):
        start = int(pattern.offset[r] + first)
        dense[r, first:stop] = work.matrix[start : start + stop - first]
    at = np.concatenate([pattern.body_adr[b] + np.arange(6) for b in range(n)])
    matrix[np.ix_(places, places)] = dense[np.ix_(at, at)]
    for b in range(n):
        # a known step along e of one body goes to the right-hand side
        work.body[b, B_S] = 1.0
        fill(model.tables, pattern, motion, work, c_q, c_v, terms)
        matrix[places, 7 * b + 6] = plain - rows_of(work.rhs)
        work.body[b, B_S] = 0.0
    turns = np.eye(7 * n)
    for b in range(n):
        turns[7 * b + 3 : 7 * b + 7, 7 * b + 3 : 7 * b + 7] = basis(motion.q[7 * b + 3 : 7 * b + 7])
    for column in range(7 * n):
        work.body[:, B_DR : B_DR + 7] = 0.0
        step = turns[:, column]
        for b in range(n):
            work.body[b, B_DR : B_DR + 3] = step[7 * b : 7 * b + 3]
            work.body[b, B_DE : B_DE + 4] = step[7 * b + 3 : 7 * b + 7]
        collect(model.tables, work, c_q, c_v, terms)
        matrix[6::7, column] = work.body[:n, B_EROW]
    inverse = np.linalg.inv(turns)
    return np.asarray(inverse.T @ matrix @ inverse)


def kernel_terms(model: CompiledModel, motion: Motion) -> tuple[Array, Array]:
    """M2 and M3 as the kernels write them."""
    mass = written(model, motion, 0.0, 0.0, 0)
    m2 = mass - written(model, motion, 1.0, 0.0, TERM_SDA_Q)
    m3 = mass - written(model, motion, 0.0, 1.0, TERM_SDA_V)
    return m2, m3


def pair(k: float, c: float, fa: float, free: float, ui: list[float], uj: list[float]) -> CompiledModel:
    """Two bodies joined by one SDA."""
    light = [1e-3, 1e-3, 1e-3, 1e-3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    return make_model([light, light], [], [([0, 1, 0], [*ui, *uj, k, c, free, fa])], gravity=(0.0, 0.0, 0.0))


def stored_case() -> tuple[CompiledModel, Motion]:
    model = pair(*(CASE[name] for name in ("k", "c", "fa", "l0", "u_i", "u_j")))
    motion = make_motion(model)
    motion.q[:] = [*CASE["R_i"], *CASE["e_i"], *CASE["R_j"], *CASE["e_j"]]
    motion.v[:] = [*CASE["Rdot_i"], *CASE["edot_i"], *CASE["Rdot_j"], *CASE["edot_j"]]
    return model, motion


def close_to(got: Array, wanted: Any, relative: float) -> bool:
    wanted = np.array(wanted)
    return bool(np.abs(got - wanted).max() <= relative * np.abs(wanted).max())


def test_kernel_gives_the_stored_case() -> None:
    model, motion = stored_case()
    wanted = CASE["results"]["homogeneous"]
    tolerance = CHECK["case_tolerance_relative"]
    m2, m3 = kernel_terms(model, motion)
    assert close_to(m2, wanted["M2"], tolerance)
    assert close_to(m3, wanted["M3"], tolerance)
    assert np.linalg.norm(m2) == pytest.approx(wanted["M2_frobenius"], rel=tolerance)
    assert np.linalg.norm(m3) == pytest.approx(wanted["M3_frobenius"], rel=1e-3)
    asymmetry = wanted["M2_asymmetry_frobenius"]
    assert np.linalg.norm(m2 - m2.T) == pytest.approx(asymmetry, rel=1e-9)


def test_kernel_gives_the_stored_force() -> None:
    model, motion = stored_case()
    pattern = make_pattern(model.tables, model.row_prim, np.ones(0, bool))
    work = make_scratch(model, pattern, 1)
    still = Motion(motion.q, motion.v, motion.a, motion.lam)
    fill(model.tables, pattern, still, work, 0.0, 0.0, 0)
    # what the SDA adds to the residual is minus its generalised force; the inertia of the light bodies is subtracted
    inertial = Reference(model, np.ones(0, bool)).inertial(motion.q, motion.v, motion.a)
    force = inertial - work.body[:2, B_RES : B_RES + 7].ravel()
    assert close_to(force, CASE["results"]["homogeneous"]["Qe"], CHECK["case_tolerance_relative"])


@settings(max_examples=100, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6))
def test_kernel_against_complex_steps(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k, c, fa = 10 ** rng.uniform(1, 5), 10 ** rng.uniform(0, 4), 1e3 * rng.normal()
    ui, uj = (list(rng.uniform(-0.5, 0.5, 3)) for _ in range(2))
    model = pair(float(k), float(c), float(fa), float(rng.uniform(0.3, 2.0)), ui, uj)
    motion = make_motion(model)
    motion.q[:] = rng.normal(size=14)
    motion.v[:] = rng.normal(size=14)
    for p in (3, 10):
        motion.q[p : p + 4] /= np.linalg.norm(motion.q[p : p + 4])
    ref = Reference(model, np.ones(0, bool))
    gap = ref.point(motion.q, 1, np.array(uj)) - ref.point(motion.q, 0, np.array(ui))
    assume(np.linalg.norm(gap) > 0.2)  # nearly coincident ends lose digits in the direction itself
    m2, _ = kernel_terms(model, motion)
    # M3 knows nothing of k, fa and the free length; without them no large force stands beside it in the sums it is
    # read from, which would cost it digits
    _, m3 = kernel_terms(pair(0.0, float(c), 0.0, 1.0, ui, uj), motion)
    # the reference asks for 1e-9; rounding in the change of basis and against the inertia leaves 1e-12
    assert close_to(m2, jacobian(lambda q: ref.sda_force(q, motion.v, 0)[0], motion.q), 1e-12)
    assert close_to(m3, jacobian(lambda v: ref.sda_force(motion.q, v, 0)[0], motion.v), 1e-12)


@pytest.mark.parametrize("polynomial", POLYNOMIALS)
def test_reference_gives_the_stored_case(polynomial: str) -> None:
    model, motion = stored_case()
    ref = Reference(model, np.ones(0, bool), polynomial)
    wanted = CASE["results"][polynomial]
    tolerance = CHECK["case_tolerance_relative"]
    assert close_to(ref.sda_force(motion.q, motion.v, 0)[0], wanted["Qe"], tolerance)
    assert close_to(jacobian(lambda q: ref.sda_force(q, motion.v, 0)[0], motion.q), wanted["M2"], tolerance)
    assert close_to(jacobian(lambda v: ref.sda_force(motion.q, v, 0)[0], motion.v), wanted["M3"], tolerance)


def elementary(axis: int, t: Any) -> NDArray[Any]:
    """Rotation about a coordinate axis; complex angles allowed."""
    c, s = np.cos(t), np.sin(t)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    m = np.zeros((3, 3), dtype=np.result_type(t, float))
    m[axis, axis] = 1.0
    m[i, i] = m[j, j] = c
    m[i, j], m[j, i] = -s, s
    return m


def elementary_rate(axis: int, t: Any) -> NDArray[Any]:
    """Derivative of `elementary` by its angle."""
    m = elementary(axis, t + np.pi / 2)
    m[axis, axis] = 0.0
    return m


def cardan_force(q: NDArray[Any], v: NDArray[Any]) -> NDArray[Any]:
    """Generalised force with x-y-z angles, A = Rx Ry Rz (theory section 6)."""
    places, jacobians, speeds = [], [], []
    for side, name in enumerate("ij"):
        r, angles = q[6 * side : 6 * side + 3], q[6 * side + 3 : 6 * side + 6]
        u = np.array(CASE[f"u_{name}"])
        factors = [elementary(axis, angles[axis]) for axis in range(3)]
        columns = []
        for axis in range(3):
            changed = list(factors)
            changed[axis] = elementary_rate(axis, angles[axis])
            columns.append(changed[0] @ changed[1] @ changed[2] @ u)
        places.append(r + factors[0] @ factors[1] @ factors[2] @ u)
        jacobians.append(np.hstack([np.eye(3), np.array(columns).T]))
        speeds.append(jacobians[-1] @ v[6 * side : 6 * side + 6])
    h, hd = places[1] - places[0], speeds[1] - speeds[0]
    length = np.sqrt(h @ h)
    n = h / length
    f = CASE["k"] * (length - CASE["l0"]) + CASE["c"] * (n @ hd) + CASE["fa"]
    return np.concatenate([f * jacobians[0].T @ n, -f * jacobians[1].T @ n])


def test_reference_gives_the_stored_cardan_case() -> None:
    q = np.array([*CASE["R_i"], *CARDAN["angles_i"], *CASE["R_j"], *CARDAN["angles_j"]])
    v = np.array([*CASE["Rdot_i"], *CARDAN["angle_rates_i"], *CASE["Rdot_j"], *CARDAN["angle_rates_j"]])
    tolerance = CHECK["case_tolerance_relative"]
    assert close_to(cardan_force(q, v), CARDAN["Qe"], tolerance)
    assert close_to(jacobian(lambda x: cardan_force(x, v), q), CARDAN["M2"], tolerance)
    assert close_to(jacobian(lambda x: cardan_force(q, x), v), CARDAN["M3"], tolerance)


def test_full_residual_against_central_differences() -> None:
    # dR/dq and dR/dq' of the slider-crank at a random state, h = 1e-5: the reference finds 4e-11 relative

    model = compile_mechanism(slider_crank(k=2e4, c=1e3, fa=500.0, u1=(0.5, 0.2, 0.1), u2=(-0.3, 0.25, -0.1)))
    rng = np.random.default_rng(3)
    q, v, a = (rng.normal(size=21) for _ in range(3))
    lam = rng.normal(size=20)
    ref = Reference(model, np.ones(17, bool))
    for by, at in ((0, q), (1, v)):

        def shifted(x: NDArray[Any], by: int = by) -> NDArray[Any]:
            return ref.residual(x, v, a, lam) if by == 0 else ref.residual(q, x, a, lam)

        exact = jacobian(shifted, at)
        h = 1e-5
        central = np.array([(shifted(at + d) - shifted(at - d)) / (2 * h) for d in h * np.eye(21)]).T
        assert close_to(central, exact, CHECK["tolerance_relative"])


def test_slack_cable_has_no_terms() -> None:
    _, motion = stored_case()
    body = [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    reals = [*CASE["u_i"], *CASE["u_j"], CASE["k"], CASE["c"], 5.0, 0.0]
    m2, m3 = kernel_terms(make_model([body, body], [], [([0, 1, 1], reals)]), motion)
    assert np.abs(m2).max() == 0.0
    assert np.abs(m3).max() == 0.0
