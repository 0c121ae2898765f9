"""Translucent copies of the bodies in other poses: earlier moments, another run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from vtkmodules.vtkCommonMath import vtkMatrix4x4
from vtkmodules.vtkRenderingCore import vtkActor

from linkwright_app.viewport.actors import set_pose
from linkwright_app.viewport.bodies import BodyActors

Array = NDArray[np.float64]


class Ghost:
    """All bodies once more, sharing their meshes.

    Parameters
    ----------
    bodies : sequence of BodyActors
        Whose shapes are shown.
    poses : (n_body, 7) array
        [x y z w x y z] of each.
    opacity : float
        From 0 to 1.
    """

    def __init__(self, bodies: Sequence[BodyActors], poses: Array, opacity: float) -> None:
        self.actors: list[vtkActor] = []
        for body, pose in zip(bodies, poses, strict=True):
            matrix = vtkMatrix4x4()
            set_pose(matrix, pose)
            for original in body.actors:
                twin = vtkActor()
                twin.SetMapper(original.GetMapper())
                twin.GetProperty().DeepCopy(original.GetProperty())
                twin.GetProperty().SetOpacity(opacity)
                if original in body.solids:
                    # One layer of colour only: the far side must not shine through the near one.
                    twin.GetProperty().BackfaceCullingOn()
                twin.SetUserMatrix(matrix)
                twin.UseBoundsOff()
                self.actors.append(twin)
