"""Between the poses and twists of body frames and the coordinates of the mass centres."""

from __future__ import annotations

import numpy as np

from linkwright.compiler.model import CompiledModel
from linkwright.document.rotation import matrix, normalised
from linkwright.kernels.layout import BODY_ORIGIN, Floats


def coordinates_of(model: CompiledModel, poses: Floats, twists: Floats) -> tuple[Floats, Floats]:
    """Coordinates q and rates v, both (7 n_body,), of given body frames (see `engines.state.Frame`)."""
    q = np.zeros(7 * model.n_body)
    v = np.zeros(7 * model.n_body)
    for b in range(model.n_body):
        x, y, z, w = (float(c) for c in poses[b, 3:])
        e = normalised((x, y, z, w))
        to_centre = -np.array(matrix(e)) @ model.tables.body[b, BODY_ORIGIN : BODY_ORIGIN + 3]
        omega = twists[b, 3:]
        at = slice(7 * b, 7 * b + 3)
        q[at] = poses[b, :3] + to_centre
        v[at] = twists[b, :3] + np.cross(omega, to_centre)
        q[7 * b + 3 : 7 * b + 7] = e
        # e' = E(e)^T omega / 2 with omega in ground axes
        s, u = e[0], np.array(e[1:])
        v[7 * b + 3] = -0.5 * float(u @ omega)
        v[7 * b + 4 : 7 * b + 7] = 0.5 * (s * omega - np.cross(u, omega))
    return q, v
