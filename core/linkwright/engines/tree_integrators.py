"""Coefficients of the integrators of the tree, from their defining equations where those are short."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np

from linkwright.kernels.layout import Floats
from linkwright.kernels.tree.layout import Coefficients

HISTORY = 6
"""Accelerations that the method of Stoermer looks back on; its order."""

Polynomial = list[Fraction]
"""Coefficients of 1, s, s^2, ..."""


def _product(a: Polynomial, b: Polynomial) -> Polynomial:
    out = [Fraction(0)] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for k, y in enumerate(b):
            out[i + k] += x * y
    return out


def _lagrange(nodes: list[int], k: int) -> Polynomial:
    """Polynomial that is 1 at node k and 0 at the others."""
    out = [Fraction(1)]
    for j, node in enumerate(nodes):
        if j != k:
            scale = Fraction(1, nodes[k] - node)
            out = _product(out, [-node * scale, scale])
    return out


def _integral(p: Polynomial, stop: Fraction) -> Fraction:
    """Integral from 0 to `stop`."""
    return sum((c * stop ** (n + 1) / (n + 1) for n, c in enumerate(p)), Fraction(0))


def _mirrored(p: Polynomial) -> Polynomial:
    return [c * (-1) ** n for n, c in enumerate(p)]


def stoermer_weights() -> Floats:
    """Weights of f_0, f_-1, ... in q_1 - 2 q_0 + q_-1 = h^2 sum (Hairer, Norsett, Wanner 1993, section III.10).

    The left side is the integral of (1 - s) (f(s) + f(-s)) from 0 to 1.
    """
    nodes = [-k for k in range(HISTORY)]
    tent = [Fraction(1), Fraction(-1)]
    weights = []
    for k in range(HISTORY):
        p = _lagrange(nodes, k)
        both = [a + b for a, b in zip(p, _mirrored(p), strict=True)]
        weights.append(float(_integral(_product(tent, both), Fraction(1))))
    return np.array(weights)


def velocity_weights() -> Floats:
    """Weights in h v_1 = q_1 - q_0 + h^2 sum: the integral of s f(s) from 0 to 1."""
    nodes = [-k for k in range(HISTORY)]
    ramp = [Fraction(0), Fraction(1)]
    return np.array(
        [float(_integral(_product(ramp, _lagrange(nodes, k)), Fraction(1))) for k in range(HISTORY)]
    )


def adams_weights(first: int = 0, stop: float = 1.0) -> Floats:
    """Weights of the integral of f from 0 to `stop` by values at the nodes first, first - 1, ..."""
    nodes = [first - k for k in range(HISTORY)]
    exact = Fraction(stop)
    return np.array([float(_integral(_lagrange(nodes, k), exact)) for k in range(HISTORY)])


def _lower(rows: list[list[float]]) -> Floats:
    out = np.zeros((len(rows), len(rows)))
    for k, row in enumerate(rows):
        out[k, : len(row)] = row
    return out


@cache
def coefficients() -> Coefficients:
    """All coefficients, as the kernels take them."""
    weights = [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]
    fourth = [5179 / 57600, 0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40]
    dp = [
        [],
        [1 / 5],
        [3 / 40, 9 / 40],
        [44 / 45, -56 / 15, 32 / 9],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
        weights,
    ]
    # Shampine 1986, as given by Hairer, Norsett, Wanner 1993, section II.6
    dense = [
        [1, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432],
        [0, 0, 0, 0],
        [0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799],
        [0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072],
        [0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632],
        [0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844],
        [0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423],
    ]
    gauss = 0.5 * np.sqrt(0.6)
    return Coefficients(
        rk4=_lower([[], [1 / 2], [0, 1 / 2], [0, 0, 1], [1 / 6, 1 / 3, 1 / 3, 1 / 6]]),
        dp=_lower(dp),
        dp_error=np.array([*weights, 0.0]) - np.array(fourth),
        dp_dense=np.array(dense, np.float64),
        stoermer=stoermer_weights(),
        velocity=velocity_weights(),
        adams=adams_weights(),
        adams_moulton=adams_weights(first=1),
        nodes=np.array(
            [adams_weights(stop=0.5 - gauss), adams_weights(stop=0.5), adams_weights(stop=0.5 + gauss)]
        ),
    )
