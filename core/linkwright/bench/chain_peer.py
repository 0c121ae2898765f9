"""What the peers of the tree bench share: a chain in plain numbers, and answers to the bench."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwright.engines.tree_measure import random_state
from linkwright.made_samples import LINK, chain

Array = NDArray[np.float64]
GRAVITY = (0.0, 0.0, -9.80665)


@dataclass(frozen=True, slots=True)
class PlainChain:
    """A chain as any program can be told it: link frames at the joints, axes along those of the ground.

    Attributes
    ----------
    joint : str
        ``"spherical"``, or ``"revolute"`` about y.
    n : int
    mass : float
    centre : (3,) array
        From the joint [m].
    tensor : (3, 3) array
        About the centre [kg m^2].
    q : (n, 4) or (n, 1) array
        Quaternion (scalar first) against the link before, or angle.
    v : (n, 3) or (n, 1) array
        Rates, in axes of the link.
    """

    joint: str
    n: int
    mass: float
    centre: Array
    tensor: Array
    q: Array
    v: Array


def plain_chain(joint: str, n: int) -> PlainChain:
    """Give the chain and the state that the bench times."""
    mechanism = chain(n, "spherical" if joint == "spherical" else "revolute")
    inertia = mechanism.bodies[0].inertia()
    n_q, n_v = (4, 3) if joint == "spherical" else (1, 1)
    balls = [(4 * k, 3 * k) for k in range(n)] if joint == "spherical" else []
    q, v = random_state(np.array(balls, np.int64).reshape(-1, 2), np.zeros(n_q * n), n_v * n, 1)
    centre = inertia.centre + np.array([LINK / 2, 0.0, 0.0])
    return PlainChain(joint, n, inertia.mass, centre, inertia.tensor, q.reshape(n, n_q), v.reshape(n, n_v))


def serve(repeat: Callable[[int], None], accelerations: Callable[[], Array], n: int) -> None:
    """Answer the bench until the input ends.

    Parameters
    ----------
    repeat : callable
        Finds all accelerations so many times in one call into the program.
    accelerations : callable
        Finds them once, in the order of the links.
    n : int
        Number of links, to choose how often one slice repeats.
    """
    count = max(8, 10_000 // n)
    repeat(count)
    for line in sys.stdin:
        if line.strip() == "slice":
            began = time.process_time()
            repeat(count)
            spent = (time.process_time() - began) / count
            answer: dict[str, object] = {"seconds": spent}
        else:
            answer = {"accelerations": [float(x) for x in accelerations()]}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
