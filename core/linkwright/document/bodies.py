"""Bodies, what they weigh, the ground they stand on, and markers: frames fixed on a body or on the ground."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field, model_validator

from linkwright.document.base import (
    GROUND,
    IDENTITY,
    Element,
    FieldSpec,
    Flag,
    Frozen,
    Quaternion,
    Reference,
    Scalar,
    Vec3,
)
from linkwright.document.inertia import RigidInertia, combined, shape_inertia
from linkwright.document.shapes import Color, Cylinder, Link, Shape

STEEL = 7850.0
"""Default density [kg/m^3]."""


class MassFromShapes(Frozen):
    """Mass, centre and inertia follow from the shapes and one density."""

    type: Literal["from-shapes"] = "from-shapes"
    density: Annotated[
        Scalar, FieldSpec("Density", unit="kg/m^3", group="Mass and inertia", low=0.0, open_low=True)
    ] = STEEL


class MassGiven(Frozen):
    """Mass, centre and inertia as given, whatever the shapes.

    `inertia` holds xx, yy, zz, xy, xz, yz about the centre of mass in body axes, off-diagonal entries as they stand
    in the matrix.
    """

    type: Literal["given"] = "given"
    mass: Annotated[Scalar, FieldSpec("Mass", unit="kg", group="Mass and inertia", low=0.0)]
    centre: Annotated[
        Vec3, FieldSpec("Centre of mass", unit="m", group="Mass and inertia", help="In the body frame.")
    ] = (0.0, 0.0, 0.0)
    inertia: Annotated[
        tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar],
        FieldSpec(
            "Inertia",
            unit="kg m^2",
            group="Mass and inertia",
            help="xx, yy, zz, xy, xz, yz about the centre of mass.",
        ),
    ]


Mass = Annotated[MassFromShapes | MassGiven, Field(discriminator="type")]


class Body(Element):
    """A rigid body. Its frame is drawn anywhere; position, orientation and velocities are those at t = 0."""

    kind: ClassVar[str] = "body"

    position: Annotated[
        Vec3,
        FieldSpec("Position", unit="m", group="Initial state", help="Origin of the body frame in ground."),
    ] = (0.0, 0.0, 0.0)
    orientation: Annotated[
        Quaternion, FieldSpec("Orientation", group="Initial state", help="Euler parameters w, x, y, z.")
    ] = IDENTITY
    velocity: Annotated[
        Vec3,
        FieldSpec("Velocity", unit="m/s", group="Initial state", help="Of the frame origin, ground axes."),
    ] = (0.0, 0.0, 0.0)
    angular_velocity: Annotated[
        Vec3, FieldSpec("Angular velocity", unit="rad/s", group="Initial state", help="In ground axes.")
    ] = (0.0, 0.0, 0.0)
    mass: Annotated[Mass, FieldSpec("Mass", group="Mass and inertia")] = MassFromShapes()
    shapes: Annotated[tuple[Shape, ...], FieldSpec("Shapes", group="Shape")] = ()
    color: Annotated[Color, FieldSpec("Colour", group="Looks", editor="color")] = "#0072B2"
    visible: Annotated[Flag, FieldSpec("Visible", group="Looks")] = True

    def inertia(self) -> RigidInertia:
        """Mass, centre and tensor of an evaluated body (see `parameters.evaluated`), in the body frame."""
        if isinstance(self.mass, MassGiven):
            xx, yy, zz, xy, xz, yz = (float(x) for x in self.mass.inertia)
            tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            return RigidInertia(float(self.mass.mass), np.array(self.mass.centre, float), tensor)
        density = float(self.mass.density)
        return combined([shape_inertia(shape, density) for shape in self.shapes])

    @model_validator(mode="after")
    def _sizes_fit(self) -> Body:
        for shape in self.shapes:
            check_shape(shape)
        return self


def check_shape(shape: Shape) -> None:
    """Refuse sizes that contradict each other, as far as they are numbers and not formulas.

    Raises
    ------
    ValueError
        With a sentence for the person.
    """
    match shape:
        case Cylinder(radius=float(r), inner_radius=float(inner)) if inner >= r:
            raise ValueError(f"A tube needs an inner radius below its radius of {r:g} m, not {inner:g} m.")
        case Link(length=float(length), start_radius=float(a), end_radius=float(b)) if abs(a - b) >= length:
            raise ValueError(
                f"One end of a link of {length:g} m swallows the other: radii {a:g} m and {b:g} m."
            )


class Ground(Frozen):
    """The fixed frame, with shapes to look at."""

    shapes: tuple[Shape, ...] = ()

    @model_validator(mode="after")
    def _sizes_fit(self) -> Ground:
        for shape in self.shapes:
            check_shape(shape)
        return self


class Marker(Element):
    """A frame fixed on a body or on the ground; joints, forces and measures are placed by markers."""

    kind: ClassVar[str] = "marker"

    body: Annotated[Reference, FieldSpec("Body", group="Place", editor="reference")] = GROUND
    position: Annotated[
        Vec3, FieldSpec("Position", unit="m", group="Place", help="In the frame of its body.")
    ] = (0.0, 0.0, 0.0)
    orientation: Annotated[
        Quaternion, FieldSpec("Orientation", group="Place", help="Euler parameters w, x, y, z in its body.")
    ] = IDENTITY

    def references(self) -> tuple[str, ...]:
        """Its body."""
        return (self.body,)
