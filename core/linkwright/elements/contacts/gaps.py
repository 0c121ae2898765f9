"""Primitive gaps, the words a contact is spelled with, as joints are spelled with rows.

Each is a point or ball of body i against something of body j. Places and directions are given in the frames of the two
ends. The compiler turns each into a row of the contact table; `linkwright.kernels.contact` measures it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Vector = tuple[float, float, float]
Kind = Literal["plane", "strip", "balls", "socket", "bore", "angle", "ball-box", "box-box"]

X: Vector = (1.0, 0.0, 0.0)
Y: Vector = (0.0, 1.0, 0.0)
Z: Vector = (0.0, 0.0, 1.0)
ORIGIN: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Gap:
    """One place where two bodies may touch.

    Attributes
    ----------
    kind : str
        ``plane``: ball of i above a half space; ``strip``: above a face of finite length along `tangent`; ``balls``:
        ball of i outside a ball of j; ``socket``: ball of i inside a hollow ball; ``bore``: pin of i inside a bore
        along `normal`; ``angle``: turn of x of i from x of j about `normal`, between two limits; ``ball-box``: ball of
        i outside a box of j; ``box-box``: box of i along the axes of its frame outside a box of j.
    at : Vector
        Centre of the ball, pin or corner, frame of i [m].
    origin : Vector
        Point of the face, centre of the ball, bore or box, frame of j [m].
    normal, tangent : Vector
        Unit vectors in the frame of j: outward normal, or axis; first direction of slip.
    radius_i, radius_j : float
        Radii of ball or pin, and of ball, hollow ball or bore; 0 for a corner [m].
    size : Vector
        ``strip``: half length, depth behind the face up to which it counts, 0. ``angle``: lower and upper limit, 0
        [rad]. Boxes: half extents of that of j along `tangent`, `normal` x `tangent`, `normal` [m].
    size_i : Vector
        Half extents of the box of i along x, y, z of its frame [m].
    group : int
        Index of the name in `ContactType.groups` under which it is recorded.
    """

    kind: Kind
    at: Vector = ORIGIN
    origin: Vector = ORIGIN
    normal: Vector = Z
    tangent: Vector = X
    radius_i: float = 0.0
    radius_j: float = 0.0
    size: Vector = ORIGIN
    size_i: Vector = ORIGIN
    group: int = 0
