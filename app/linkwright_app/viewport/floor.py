"""What the mechanism stands on: a grid that fades with the distance, and a soft shadow."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkImageData, vtkPolyData
from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper, vtkTexture

from linkwright_app.viewport.actors import line_actor
from linkwright_app.viewport.mesh import color_array, float_array, id_array, line_data
from linkwright_app.viewport.theme import ViewTheme, rgb

Array = NDArray[np.float64]

MAJOR = 4
"""Every so many lines a stronger one."""
MINOR_SHARE = 0.45
"""Opacity of the other lines over that of the strong ones."""
FADE = 0.9
"""Distance where the grid has faded away, over its half size."""
GRID_LINES = 14
"""Lines from the middle to the rim."""
SEGMENTS = 48

SHADOW_PIXELS = 256
TILES = 32
WIDE_BLUR, NARROW_BLUR = 0.021, 0.0075
"""Standard deviations of the two blurs over the size of the mechanism."""
WIDE_SHARE = 0.65
SHADOW_SINK = 0.0015
"""The shadow lies under the grid by this share of the size."""


def grid_step(size: float) -> float:
    """Give the line distance for a scene of that size [m]: 1, 2 or 5 times a power of ten, at most size / 6."""
    wanted = size / 6
    power = 10.0 ** math.floor(math.log10(wanted))
    return max(step * power for step in (1.0, 2.0, 5.0) if step * power <= wanted * (1 + 1e-9))


def grid_actor(theme: ViewTheme, basis: Array, centre: Array, step: float) -> vtkActor:
    """Make the grid.

    Parameters
    ----------
    theme : ViewTheme
        Colours.
    basis : (3, 3) array
        Rows right, depth, up of the turntable.
    centre : (3,) array
        Middle of the grid [m]; lines run through multiples of the step.
    step : float
        Distance of the lines [m].
    """
    half = GRID_LINES * step
    along = np.linspace(-half, half, SEGMENTS)
    ink = np.array(rgb(theme.grid)) * 255
    flat = basis @ centre
    middle = np.round(flat[:2] / (step * MAJOR)) * step * MAJOR
    lines, colors = [], []
    for k in range(-GRID_LINES, GRID_LINES + 1):
        strength = theme.grid_alpha * (1.0 if k % MAJOR == 0 else MINOR_SHARE)
        for across in (False, True):
            u, v = (np.full(SEGMENTS, k * step), along) if across else (along, np.full(SEGMENTS, k * step))
            fade = np.clip(1 - np.hypot(u, v) / (FADE * half), 0, 1) ** 1.2
            lines.append(np.column_stack((u + middle[0], v + middle[1], np.full(SEGMENTS, flat[2]))) @ basis)
            colors.append(np.column_stack((np.tile(ink, (SEGMENTS, 1)), 255 * strength * fade)))
    actor = line_actor(line_data(lines, np.concatenate(colors).astype(np.uint8), closed=False))
    actor.ForceTranslucentOn()
    return actor


class ContactShadow:
    """Textured tiles on the floor that darken where solid bodies stand between it and the sky.

    Only tiles with a shadow on them exist: with a software renderer every covered pixel costs.

    Attributes
    ----------
    actor : vtkActor
        The tiles.
    half : float
        Half edge of the square that the masks show [m].
    """

    def __init__(self, theme: ViewTheme) -> None:
        self.theme = theme
        self.half = 1.0
        self._blurs = (1.0, 1.0)
        self._mask: Array = np.zeros((SHADOW_PIXELS, SHADOW_PIXELS))
        self._image = vtkImageData()
        self._image.SetDimensions(SHADOW_PIXELS, SHADOW_PIXELS, 1)
        texture = vtkTexture()
        texture.SetInputData(self._image)
        texture.InterpolateOn()
        texture.EdgeClampOn()
        self._places = np.linspace(0.0, 1.0, TILES + 1)
        self._tiles = vtkPolyData()
        u, v = (x.ravel() for x in np.meshgrid(self._places, self._places))
        self._tiles.GetPointData().SetTCoords(float_array(np.column_stack((u, v))))
        mapper = vtkPolyDataMapper()
        mapper.SetInputData(self._tiles)
        self.actor = vtkActor()
        self.actor.SetMapper(mapper)
        self.actor.SetTexture(texture)
        self.actor.GetProperty().LightingOff()
        self.actor.ForceTranslucentOn()
        self.actor.UseBoundsOff()
        self.place(np.eye(3), np.zeros(3), 1.0, 1.0)

    def set_theme(self, theme: ViewTheme) -> None:
        """Take the colours of a theme."""
        self.theme = theme
        self.set_mask(self._mask)

    def place(self, basis: Array, centre: Array, half: float, size: float) -> None:
        """Lay the square.

        Parameters
        ----------
        basis : (3, 3) array
            Rows right, depth, up of the turntable.
        centre : (3,) array
            Its middle [m].
        half : float
            Half of its edge [m].
        size : float
            Of the mechanism [m]; the softness follows from it.
        """
        self.half = half
        steps = half * (2 * self._places - 1)
        right, depth = (x.ravel()[:, None] for x in np.meshgrid(steps, steps))
        corners = centre - SHADOW_SINK * size * basis[2] + right * basis[0] + depth * basis[1]
        points = vtkPoints()
        points.SetData(float_array(corners))
        self._tiles.SetPoints(points)
        pixel = 2 * half / SHADOW_PIXELS
        self._blurs = (WIDE_BLUR * size / pixel, NARROW_BLUR * size / pixel)
        self.set_mask(self._mask)

    def set_mask(self, covered: Array) -> None:
        """Set what stands above the floor: values from 0 to 1, rows along depth, columns along right."""
        self._mask = covered
        wide, narrow = self._blurs
        margin = int(3 * wide) + 2
        alpha = np.zeros((SHADOW_PIXELS, SHADOW_PIXELS), np.uint8)
        rows, columns = (np.flatnonzero(covered.any(axis=axis)) for axis in (1, 0))
        if len(rows):
            part = (
                slice(max(rows[0] - margin, 0), rows[-1] + margin + 1),
                slice(max(columns[0] - margin, 0), columns[-1] + margin + 1),
            )
            soft = WIDE_SHARE * gaussian_filter(covered[part], wide, truncate=3.0, mode="constant")
            soft += (1 - WIDE_SHARE) * gaussian_filter(covered[part], narrow, truncate=3.0, mode="constant")
            alpha[part] = np.clip(soft * RIM[part] * self.theme.shadow_strength * 255, 0, 255)
        rgba = np.empty((*alpha.shape, 4), np.uint8)
        rgba[..., :3] = np.round(np.array(rgb(self.theme.shadow)) * 255)
        rgba[..., 3] = alpha
        self._image.GetPointData().SetScalars(color_array(rgba.reshape(-1, 4)))
        self._image.Modified()
        self._set_tiles(alpha)

    def _set_tiles(self, alpha: NDArray[np.uint8]) -> None:
        edge = SHADOW_PIXELS // TILES
        shaded = alpha.reshape(TILES, edge, TILES, edge).max(axis=(1, 3)) > 0
        # A tile samples one pixel of its neighbours too.
        padded = np.pad(shaded, 1)
        shaded = (
            padded[1:-1, 1:-1] | padded[:-2, 1:-1] | padded[2:, 1:-1] | padded[1:-1, :-2] | padded[1:-1, 2:]
        )
        row, column = np.nonzero(shaded)
        first = row * (TILES + 1) + column
        corners = np.column_stack((first, first + 1, first + TILES + 2, first + TILES + 1))
        cells = vtkCellArray()
        cells.SetData(4, id_array(corners.ravel()))
        self._tiles.SetPolys(cells)
        self._tiles.Modified()


def _rim() -> Array:
    """Opacity that fades to nothing at the border, where a body may reach beyond the square."""
    ramp = np.clip((1 - np.abs(np.linspace(-1, 1, SHADOW_PIXELS))) / 0.08, 0, 1)
    return np.minimum(ramp[:, None], ramp[None, :])


RIM = _rim()
