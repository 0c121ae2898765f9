"""Shapes: what a body looks like and, with a density, what it weighs. Sizes in metres, in the frame of the shape."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from linkwright.document.base import IDENTITY, FieldSpec, Flag, Frozen, Quaternion, Scalar, Text, Vec2, Vec3

Color = Annotated[Text, Field(pattern=r"^#[0-9A-Fa-f]{6}$")]
"""``#rrggbb``."""


def _length(label: str, help: str = "", low: float = 0.0, open_low: bool = True) -> FieldSpec:
    return FieldSpec(label, unit="m", group="Shape", help=help, low=low, open_low=open_low)


class ShapeBase(Frozen):
    """Placement and colour that all shapes share.

    `position` and `orientation` place the shape in the frame of its body.
    """

    position: Annotated[Vec3, FieldSpec("Position", unit="m", group="Shape")] = (0.0, 0.0, 0.0)
    orientation: Annotated[Quaternion, FieldSpec("Orientation", group="Shape")] = IDENTITY
    color: Annotated[
        Color | None,
        FieldSpec("Colour", group="Looks", help="Empty takes the colour of the body.", editor="color"),
    ] = None


class Link(ShapeBase):
    """A flat bar with round ends along x, thick along z, its two end centres at x = -length/2 and +length/2."""

    type: Literal["link"] = "link"
    length: Annotated[Scalar, _length("Length", "Distance of the two end centres.")]
    start_radius: Annotated[Scalar, _length("Start radius", "Radius of the end at -x.")]
    end_radius: Annotated[Scalar, _length("End radius", "Radius of the end at +x.")]
    thickness: Annotated[Scalar, _length("Thickness", "Extent along z.")]
    hole: Annotated[
        Scalar,
        FieldSpec(
            "Hole", group="Shape", help="Radius of the end holes over the end radius.", low=0.0, high=0.9
        ),
    ] = 0.0
    pocket: Annotated[
        Flag, FieldSpec("Pocket", group="Shape", help="Recess of a quarter of the thickness on both faces.")
    ] = False


class Box(ShapeBase):
    """A block centred at its position."""

    type: Literal["box"] = "box"
    size: Annotated[Vec3, _length("Size", "Extents along x, y, z.")]


class Cylinder(ShapeBase):
    """A cylinder along z centred at its position, solid or a tube."""

    type: Literal["cylinder"] = "cylinder"
    radius: Annotated[Scalar, _length("Radius")]
    length: Annotated[Scalar, _length("Length", "Extent along z.")]
    inner_radius: Annotated[Scalar, _length("Inner radius", "0 for a solid cylinder.", open_low=False)] = 0.0


class Sphere(ShapeBase):
    """A ball centred at its position."""

    type: Literal["sphere"] = "sphere"
    radius: Annotated[Scalar, _length("Radius")]


class Plate(ShapeBase):
    """A flat polygon in the x-y plane, thick along z and centred there; corners in order, no crossing edges."""

    type: Literal["plate"] = "plate"
    corners: Annotated[
        tuple[Vec2, ...], Field(min_length=3), FieldSpec("Corners", unit="m", group="Shape", editor="hidden")
    ]
    thickness: Annotated[Scalar, _length("Thickness", "Extent along z.")]


Shape = Annotated[Link | Box | Cylinder | Sphere | Plate, Field(discriminator="type")]
