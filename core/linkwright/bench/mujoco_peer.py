"""MuJoCo on a chain, run as ``python -m linkwright.bench.mujoco_peer JOINT N`` by the bench.

It steps so many times inside one call of the library, with a time step so short that the chain hardly moves; contacts
and constraints are off, so that a step is little more than the accelerations.
"""

from __future__ import annotations

import sys

import mujoco
import numpy as np

from linkwright.bench.chain_peer import GRAVITY, Array, PlainChain, plain_chain, serve
from linkwright.made_samples import LINK


def model_of(chain: PlainChain) -> mujoco.MjModel:
    """Build the chain."""
    spec = mujoco.MjSpec()
    spec.option.timestep = 1e-9
    spec.option.gravity = list(GRAVITY)
    off = mujoco.mjtDisableBit
    spec.option.disableflags = off.mjDSBL_CONTACT | off.mjDSBL_CONSTRAINT | off.mjDSBL_EULERDAMP
    body = spec.worldbody
    t = chain.tensor
    for k in range(chain.n):
        body = body.add_body(pos=[LINK if k else 0.0, 0.0, 0.0])
        body.mass = chain.mass
        body.ipos = list(chain.centre)
        body.fullinertia = [t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2]]
        body.explicitinertial = True
        if chain.joint == "spherical":
            body.add_joint(type=mujoco.mjtJoint.mjJNT_BALL)
        else:
            body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0.0, 1.0, 0.0])
    return spec.compile()


def main() -> None:
    """Build the chain and answer requests."""
    chain = plain_chain(sys.argv[1], int(sys.argv[2]))
    model = model_of(chain)
    data = mujoco.MjData(model)

    def place() -> None:
        data.qpos[:] = chain.q.ravel()
        data.qvel[:] = chain.v.ravel()

    def repeat(count: int) -> None:
        place()
        mujoco.mj_step(model, data, count)

    def accelerations() -> Array:
        place()
        mujoco.mj_forward(model, data)
        return np.array(data.qacc)

    serve(repeat, accelerations, chain.n)


if __name__ == "__main__":
    main()
