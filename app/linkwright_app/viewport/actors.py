"""VTK actors in the look of the program: surfaces, lines and frames that several actors share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import vtkmodules.vtkRenderingOpenGL2  # noqa: F401 - without it actors have no shaders and crash
from numpy.typing import NDArray
from vtkmodules.vtkCommonDataModel import vtkPolyData
from vtkmodules.vtkCommonMath import vtkMatrix4x4
from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper

from linkwright_app.viewport.theme import rgb

Array = NDArray[np.float64]

AMBIENT, GLYPH_AMBIENT = 0.25, 0.34
DIFFUSE = 0.93
SPECULAR, METAL_SPECULAR = 0.24, 0.5
SPECULAR_POWER, METAL_POWER = 26.0, 40.0
EDGE_OFFSET = -1.5
"""Polygon offset that lifts edge lines off the surface they lie on."""


def surface_actor(
    data: vtkPolyData,
    color: str | None = None,
    *,
    ambient: float = AMBIENT,
    specular: float = SPECULAR,
    power: float = SPECULAR_POWER,
    opacity: float = 1.0,
) -> vtkActor:
    """Make a lit surface; with `color` None the data brings the colour of every point."""
    mapper = vtkPolyDataMapper()
    mapper.SetInputData(data)
    actor = vtkActor()
    actor.SetMapper(mapper)
    look = actor.GetProperty()
    if color is None:
        mapper.ScalarVisibilityOn()
    else:
        mapper.ScalarVisibilityOff()
        look.SetColor(*rgb(color))
    look.SetAmbient(ambient)
    look.SetDiffuse(DIFFUSE)
    look.SetSpecular(specular)
    look.SetSpecularPower(power)
    look.SetInterpolationToPhong()
    look.SetOpacity(opacity)
    return actor


def line_actor(
    data: vtkPolyData, color: str | None = None, width: float = 1.0, opacity: float = 1.0
) -> vtkActor:
    """Make unlit lines that lie on a surface without fighting it for depth."""
    mapper = vtkPolyDataMapper()
    mapper.SetInputData(data)
    mapper.SetResolveCoincidentTopologyToPolygonOffset()
    mapper.SetRelativeCoincidentTopologyLineOffsetParameters(0.0, EDGE_OFFSET)
    actor = vtkActor()
    actor.SetMapper(mapper)
    look = actor.GetProperty()
    if color is None:
        mapper.ScalarVisibilityOn()
    else:
        mapper.ScalarVisibilityOff()
        look.SetColor(*rgb(color))
    look.LightingOff()
    look.SetLineWidth(width)
    look.SetOpacity(opacity)
    return actor


def unlit_actor(data: vtkPolyData, color: str, opacity: float = 1.0) -> vtkActor:
    """Make a surface of one flat colour."""
    actor = surface_actor(data, color, opacity=opacity)
    actor.GetProperty().LightingOff()
    return actor


def mask_actor(actor: vtkActor) -> vtkActor:
    """Make a flat white twin of an actor that moves with it, for masks."""
    mapper = vtkPolyDataMapper()
    mapper.SetInputData(actor.GetMapper().GetInput())
    mapper.ScalarVisibilityOff()
    twin = vtkActor()
    twin.SetMapper(mapper)
    twin.SetUserMatrix(actor.GetUserMatrix())
    look = twin.GetProperty()
    look.LightingOff()
    look.SetColor(1.0, 1.0, 1.0)
    look.SetLineWidth(actor.GetProperty().GetLineWidth())
    return twin


def set_pose(matrix: vtkMatrix4x4, pose: Sequence[float] | Array, scale: float = 1.0) -> None:
    """Write a pose [x y z w x y z] into a VTK matrix."""
    matrix.DeepCopy(pose_elements(pose, scale))


def pose_elements(pose: Sequence[float] | Array, scale: float = 1.0) -> tuple[float, ...]:
    """The 16 numbers, row by row, of a pose [x y z w x y z] with a uniform scale."""
    px, py, pz, w, x, y, z = (float(c) for c in pose)
    n = w * w + x * x + y * y + z * z
    s = 2.0 * scale / n
    return (
        scale - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y), px,
        s * (x * y + w * z), scale - s * (x * x + z * z), s * (y * z - w * x), py,
        s * (x * z - w * y), s * (y * z + w * x), scale - s * (x * x + y * y), pz,
        0.0, 0.0, 0.0, 1.0,
    )  # fmt: skip


def set_frame(matrix: vtkMatrix4x4, rot: Array, position: Array, scale: Array | float = 1.0) -> None:
    """Write a frame into a VTK matrix: columns of `rot`, (3, 3), times `scale`, and a position, (3,) [m]."""
    columns = rot * scale
    matrix.DeepCopy(
        (*columns[0], position[0], *columns[1], position[1], *columns[2], position[2], 0.0, 0.0, 0.0, 1.0)
    )


def pose_frame(pose: Sequence[float] | Array) -> tuple[Array, Array]:
    """Rotation matrix (3, 3) and position (3,) [m] of a pose [x y z w x y z]."""
    elements = np.array(pose_elements(pose)).reshape(4, 4)
    return elements[:3, :3], elements[:3, 3]
