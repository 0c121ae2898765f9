"""Euler parameter algebra against plain numpy and complex steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.validation.reference_equations import g_matrix, jacobian, rotate

from linkwright.document import rotation as document_rotation
from linkwright.kernels import rotation
from linkwright.kernels.jit import kernel

Array = NDArray[np.float64]
RNG = np.random.default_rng(5)
E, D = RNG.normal(size=4), RNG.normal(size=4)
U, F = RNG.normal(size=3), RNG.normal(size=3)
EPS = 1e-13
"""Rounding of a few dozen operations on numbers of size 10."""


@kernel
def everything(e: Any, d: Any, u: Any, f: Any, w: Any) -> Any:
    """Call the inner kernels that Python cannot call."""
    rot = rotation.rotation(e)
    return (
        rot,
        rotation.turned_by(e, d),
        rotation.arm(rot, u),
        rotation.turn(e, d),
        rotation.turn_t(e, u),
        rotation.turn_ground(e, d),
        rotation.turn_ground_t(e, u),
        rotation.point_gradient(e, u, f),
        rotation.hessian_times(w, d),
        rotation.product(rot, w),
        rotation.transposed_product(rot, w),
        rotation.plus_outer(w, 2.0, u, f),
        rotation.times(w, u),
        rotation.times_t(w, u),
        rotation.cross(u, f),
    )


W = RNG.normal(size=(3, 3))
NAMES = [
    *("rotation", "turned_by", "arm", "turn", "turn_t", "turn_ground", "turn_ground_t", "point_gradient"),
    *("hessian_times", "product", "transposed_product", "plus_outer", "times", "times_t", "cross"),
]
RESULTS = dict(
    zip(
        NAMES,
        everything(tuple(E), tuple(D), tuple(U), tuple(F), tuple(W.ravel())),
        strict=True,
    )
)


def got(name: str, *shape: int) -> Array:
    return np.array(RESULTS[name]).reshape(shape or (-1,))


def matrix_of(e: Array) -> Array:
    return np.array([rotate(e, axis) for axis in np.eye(3)]).T


def test_rotation() -> None:
    assert got("rotation", 3, 3) == pytest.approx(matrix_of(E), abs=EPS)
    unit = E / np.linalg.norm(E)
    w, x, y, z = (float(c) for c in unit)
    wanted = np.array(document_rotation.matrix((w, x, y, z)))
    assert matrix_of(unit) == pytest.approx(wanted, abs=EPS)


def test_derivative_of_the_rotation() -> None:
    by_e = np.array([jacobian(lambda e, a=axis: rotate(e, a), E) for axis in np.eye(3)])  # type: ignore[misc]  # default binds
    wanted = np.einsum("cre,e->rc", by_e, D)
    assert got("turned_by", 3, 3) == pytest.approx(wanted, abs=EPS)


def test_point_derivatives() -> None:
    c = jacobian(lambda e: rotate(e, U), E)
    assert got("point_gradient") == pytest.approx(c.T @ F, abs=EPS)
    assert got("arm", 3, 3) == pytest.approx(c @ g_matrix(E).T, abs=EPS)
    # along e itself a point moves by twice its vector: A is of degree two
    assert c @ E == pytest.approx(2 * rotate(E, U), abs=EPS)


def test_hessian() -> None:
    def gradient(e: NDArray[Any]) -> NDArray[Any]:
        c = np.array(
            [(rotate(e + s, axis) - rotate(e - s, axis)) / 2 for s in np.eye(4) for axis in np.eye(3)]
        )
        return np.asarray(np.einsum("src,cr->s", c.reshape(4, 3, 3).transpose(0, 2, 1), W.T))

    # the sum over force components r and point components c of W[r, c] dA[r, c]/de, its derivative along D
    assert got("hessian_times") == pytest.approx(jacobian(gradient, E) @ D, abs=EPS)


def test_angular_velocities() -> None:
    g = g_matrix(E)
    assert got("turn") == pytest.approx(g @ D, abs=EPS)
    assert got("turn_t") == pytest.approx(g.T @ U, abs=EPS)
    unit = E / np.linalg.norm(E)
    ground = matrix_of(unit) @ g_matrix(unit)
    assert got("turn_ground") / np.linalg.norm(E) == pytest.approx(ground @ D, abs=EPS)
    assert got("turn_ground_t") / np.linalg.norm(E) == pytest.approx(ground.T @ U, abs=EPS)


def test_small_matrices() -> None:
    rot = got("rotation", 3, 3)
    assert got("product", 3, 3) == pytest.approx(rot @ W, abs=EPS)
    assert got("transposed_product", 3, 3) == pytest.approx(rot.T @ W, abs=EPS)
    assert got("plus_outer", 3, 3) == pytest.approx(W + 2 * np.outer(U, F), abs=EPS)
    assert got("times") == pytest.approx(W @ U, abs=EPS)
    assert got("times_t") == pytest.approx(W.T @ U, abs=EPS)
    assert got("cross") == pytest.approx(np.cross(U, F), abs=EPS)
