"""Pinocchio on a chain, run as ``python -m linkwright.bench.pinocchio_peer JOINT N`` by the bench.

Its articulated-body algorithm runs over a batch of equal states inside one call of the library, on one thread, so that
neither Python nor its call costs anything.
"""

from __future__ import annotations

import sys

import numpy as np
import pinocchio as pin

from linkwright.bench.chain_peer import GRAVITY, Array, plain_chain, serve
from linkwright.made_samples import LINK


def main() -> None:
    """Build the chain and answer requests."""
    chain = plain_chain(sys.argv[1], int(sys.argv[2]))
    model = pin.Model()
    model.gravity.linear = np.array(GRAVITY)
    parent = 0
    for k in range(chain.n):
        place = pin.SE3(np.eye(3), np.array([LINK if k else 0.0, 0.0, 0.0]))
        joint = pin.JointModelSpherical() if chain.joint == "spherical" else pin.JointModelRY()
        parent = model.addJoint(parent, joint, place, f"joint_{k}")
        model.appendBodyToJoint(
            parent, pin.Inertia(chain.mass, chain.centre, chain.tensor), pin.SE3.Identity()
        )
    q = chain.q[:, [1, 2, 3, 0]] if chain.joint == "spherical" else chain.q
    q, v, tau = q.ravel(), chain.v.ravel(), np.zeros(model.nv)
    pool = pin.ModelPool(model, 1)

    def repeat(count: int) -> None:
        columns = [np.asfortranarray(np.tile(x[:, None], (1, count))) for x in (q, v, tau)]
        pin.abaInParallel(1, pool, *columns)

    data = model.createData()

    def accelerations() -> Array:
        return np.asarray(pin.aba(model, data, q, v, tau))

    serve(repeat, accelerations, chain.n)


if __name__ == "__main__":
    main()
