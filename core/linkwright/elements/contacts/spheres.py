"""Spheres on planes, on each other and on boxes."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from linkwright.document.base import FieldSpec, Flag, Scalar, Vec3
from linkwright.elements.contacts.corner_plane import SurfaceVelocity
from linkwright.elements.contacts.gaps import Gap
from linkwright.elements.contacts.law import PairContact
from linkwright.elements.registry import About

Radius = Annotated[
    Scalar,
    FieldSpec("Radius", unit="m", group="Surface", help="Of the sphere of side i.", low=0.0, open_low=True),
]


class SpherePlane(PairContact):
    """A sphere about the origin of i stays above the plane through j; z of j points out of the material."""

    type: Literal["sphere-plane"] = "sphere-plane"
    about: ClassVar[About] = About(
        "Sphere on plane",
        "sphere-plane",
        "A sphere, or a disc in a planar mechanism, may touch a plane.",
        "C",
    )

    radius: Radius
    surface_velocity: SurfaceVelocity = (0.0, 0.0)

    def gaps(self) -> tuple[Gap, ...]:
        """One ball above one half space."""
        return (Gap("plane", radius_i=float(self.radius)),)

    def belt(self) -> tuple[float, float]:
        """Give the surface velocity."""
        return float(self.surface_velocity[0]), float(self.surface_velocity[1])


class SphereSphere(PairContact):
    """Spheres about the origins of i and j stay out of each other, or i stays inside a hollow j."""

    type: Literal["sphere-sphere"] = "sphere-sphere"
    about: ClassVar[About] = About(
        "Sphere on sphere",
        "sphere-sphere",
        "Two spheres may touch, from outside or one inside the other.",
        "C",
    )

    radius: Radius
    radius_j: Annotated[
        Scalar,
        FieldSpec(
            "Radius j", unit="m", group="Surface", help="Of the sphere of side j.", low=0.0, open_low=True
        ),
    ]
    inside: Annotated[
        Flag, FieldSpec("Inside", group="Surface", help="The sphere of i is inside a hollow sphere of j.")
    ] = False

    def gaps(self) -> tuple[Gap, ...]:
        """One ball against a ball or in a socket."""
        kind: Literal["socket", "balls"] = "socket" if self.inside else "balls"
        return (Gap(kind, radius_i=float(self.radius), radius_j=float(self.radius_j)),)


class SphereBox(PairContact):
    """A sphere about the origin of i stays out of a box centred at j."""

    type: Literal["sphere-box"] = "sphere-box"
    about: ClassVar[About] = About(
        "Sphere on box", "sphere-box", "A sphere may touch faces, edges and corners of a box.", "C"
    )

    radius: Radius
    size: Annotated[
        Vec3,
        FieldSpec(
            "Size of the box",
            unit="m",
            group="Surface",
            help="Extents along x, y, z of side j.",
            low=0.0,
            open_low=True,
        ),
    ]

    def gaps(self) -> tuple[Gap, ...]:
        """One ball against one box."""
        x, y, z = (0.5 * float(c) for c in self.size)
        return (Gap("ball-box", radius_i=float(self.radius), size=(x, y, z)),)
