"""Sample mechanisms of any size, made instead of stored."""

from __future__ import annotations

import math
from typing import Literal

from linkwright.document.bodies import Body, Marker, MassFromShapes
from linkwright.document.mechanism import Mechanism
from linkwright.document.rotation import axis_angle
from linkwright.document.settings import Settings, TreeOptions
from linkwright.document.shapes import Link
from linkwright.elements.joints import Revolute, Spherical
from linkwright.errors import OptionError

ChainJoint = Literal["spherical", "revolute"]

LINK = 0.2
"""Distance between two joints of the chain [m]."""
ALONG_Y = axis_angle((1.0, 0.0, 0.0), -math.pi / 2)
"""Turns the z axis of a marker onto y, the axis of the hinges."""


def chain(n: int, joint: ChainJoint = "spherical") -> Mechanism:
    """Make an open chain of n equal links, held at one end and let go level.

    Parameters
    ----------
    n : int
        Number of links, from 1 on.
    joint : str
        ``"spherical"`` joints, and a push across that makes the motion spatial, or ``"revolute"`` hinges across the
        chain, all about y.

    Raises
    ------
    OptionError
        When n is below 1 or there is no such joint.
    """
    if n < 1:
        raise OptionError(f"A chain needs at least one link, not {n}.")
    if joint not in ("spherical", "revolute"):
        raise OptionError(f"A chain has 'spherical' or 'revolute' joints, not {joint!r}.")
    kind = Spherical if joint == "spherical" else Revolute
    shape = Link(length=LINK, start_radius=0.03, end_radius=0.03, thickness=0.02, orientation=ALONG_Y)
    bodies, markers, joints = [], [Marker(id="hook", orientation=ALONG_Y)], []
    for k in range(1, n + 1):
        across = 0.5 if joint == "spherical" else 0.0
        bodies.append(
            Body(
                id=f"link_{k}",
                position=((k - 0.5) * LINK, 0.0, 0.0),
                velocity=(0.0, across * (k - 0.5) * LINK, 0.0),
                angular_velocity=(0.0, 0.0, across),
                mass=MassFromShapes(),
                shapes=(shape,),
            )
        )
        for name, x in (("in", -LINK / 2), ("out", LINK / 2)):
            markers.append(
                Marker(id=f"{name}_{k}", body=f"link_{k}", position=(x, 0.0, 0.0), orientation=ALONG_Y)
            )
        outer = "hook" if k == 1 else f"out_{k - 1}"
        joints.append(kind(id=f"joint_{k}", i=f"in_{k}", j=outer))
    return Mechanism(
        title=f"Chain of {n} links",
        description=f"An open chain with {joint} joints, let go level: the cost of a step grows with its length alone.",
        bodies=tuple(bodies),
        markers=tuple(markers),
        joints=tuple(joints),
        settings=Settings(engine="tree", t_end=5.0, h=0.005, tree=TreeOptions()),
    )
