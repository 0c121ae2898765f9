"""Orientations as three angles."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from linkwright.document import rotation
from linkwright_app.properties.angles import angles_from_quaternion, quaternion_from_angles

ANGLE = st.floats(-math.pi, math.pi)


def product(a: float, b: float, c: float) -> NDArray[np.float64]:
    """Rx(a) Ry(b) Rz(c) written out."""
    ca, sa, cb, sb, cc, sc = (f(x) for x in (a, b, c) for f in (math.cos, math.sin))
    rx = np.array([[1, 0, 0], [0, ca, -sa], [0, sa, ca]])
    ry = np.array([[cb, 0, sb], [0, 1, 0], [-sb, 0, cb]])
    rz = np.array([[cc, -sc, 0], [sc, cc, 0], [0, 0, 1]])
    turned: NDArray[np.float64] = rx @ ry @ rz
    return turned


@given(ANGLE, ANGLE, ANGLE)
def test_quaternion_turns_like_the_product_of_the_three_turns(a: float, b: float, c: float) -> None:
    # both are sums of a few products of numbers up to 1, so they agree to some roundings
    turned = np.array(rotation.matrix(quaternion_from_angles(a, b, c)))
    assert np.abs(turned - product(a, b, c)).max() < 1e-14


@given(ANGLE, st.floats(-1.55, 1.55), ANGLE)
def test_angles_come_back(a: float, b: float, c: float) -> None:
    # near the lock the outer angles lose digits in proportion to 1/cos(b), here at most 50
    back = np.array(
        rotation.matrix(quaternion_from_angles(*angles_from_quaternion(quaternion_from_angles(a, b, c))))
    )
    assert np.abs(back - product(a, b, c)).max() < 1e-12


@pytest.mark.parametrize("b", [math.pi / 2, -math.pi / 2])
@pytest.mark.parametrize("a", [0.0, 0.4, -2.0])
def test_lock_gives_the_same_orientation(a: float, b: float) -> None:
    q = quaternion_from_angles(a, b, 0.3)
    angles = angles_from_quaternion(q)
    assert angles[2] == 0.0
    # the arc sine loses half the digits at its end
    assert np.abs(product(*angles) - np.array(rotation.matrix(q))).max() < 1e-7


def test_simple_turns() -> None:
    up = math.radians(45.0)
    q = rotation.axis_angle((0.0, 0.0, 1.0), up)
    assert angles_from_quaternion(q) == pytest.approx((0.0, 0.0, up), abs=1e-15)
    assert quaternion_from_angles(0.0, 0.0, up) == pytest.approx(q, abs=1e-15)
