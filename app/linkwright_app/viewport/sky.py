"""The background gradient as a surface far behind everything.

The gradient a VTK renderer can draw by itself is lost as soon as ambient occlusion is on.
"""

from __future__ import annotations

import math

import numpy as np
from vtkmodules.vtkCommonCore import vtkFloatArray, vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData
from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper

from linkwright_app.viewport.camera import Camera
from linkwright_app.viewport.mesh import color_array
from linkwright_app.viewport.theme import ViewTheme, rgb

DEPTH = 0.97
"""Distance over that of the far clipping plane."""
OVERLAP = 1.02
"""Size over that of the picture, so that no rim shows when the picture is shifted by a part of a pixel."""


class Sky:
    """A quad that fills the picture, with the two colours of the theme."""

    def __init__(self) -> None:
        self._points = vtkPoints()
        self._places = vtkFloatArray()
        self._places.SetNumberOfComponents(3)
        self._places.SetNumberOfTuples(4)
        self._points.SetData(self._places)
        self._data = vtkPolyData()
        self._data.SetPoints(self._points)
        cells = vtkCellArray()
        cells.InsertNextCell(4, [0, 1, 2, 3])
        self._data.SetPolys(cells)
        mapper = vtkPolyDataMapper()
        mapper.SetInputData(self._data)
        mapper.ScalarVisibilityOn()
        self.actor = vtkActor()
        self.actor.SetMapper(mapper)
        self.actor.GetProperty().LightingOff()
        self.actor.PickableOff()
        self.actor.UseBoundsOff()

    def set_theme(self, theme: ViewTheme) -> None:
        """Take the colours of a theme."""
        low, high = (np.array(rgb(color)) * 255 for color in (theme.floor, theme.sky))
        self._data.GetPointData().SetScalars(color_array(np.round(np.array([low, low, high, high]))))
        self._data.Modified()

    def face(self, camera: Camera, far: float, aspect: float) -> None:
        """Stand across the line of sight, before the far clipping plane at distance `far` [m]."""
        right, up, towards = camera.rows()
        depth = DEPTH * far
        reach = depth if camera.perspective else camera.distance
        y = OVERLAP * reach * math.tan(camera.angle / 2)
        x = y * aspect
        centre = camera.position() - depth * towards
        for k, (u, v) in enumerate(((-x, -y), (x, -y), (x, y), (-x, y))):
            self._points.SetPoint(k, *(centre + u * right + v * up))
        self._points.Modified()
