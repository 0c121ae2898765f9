"""Recipes of motion against the constraint rows of the same joints."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Turn

from linkwright.elements.motion import FreeRotation, Motion, Rotation, freedom_count
from linkwright.elements.registry import joint_types
from linkwright.elements.rows import Dot1, Dot2, Point

AXES = dict(zip("xyz", np.eye(3), strict=True))
MOVABLE = {tag: cls for tag, cls in joint_types().items() if cls.tree_motion() is not None}


def moved(motion: tuple[Motion, ...], rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Axes and origin of end i in the frame of end j for random coordinates."""
    axes, origin = np.eye(3), np.zeros(3)
    for part in motion:
        if isinstance(part, FreeRotation):
            axes = axes @ Turn.random(random_state=rng).as_matrix()
        elif isinstance(part, Rotation):
            axes = axes @ Turn.from_rotvec(rng.normal() * 2.0 * AXES[part.axis]).as_matrix()
        else:
            origin = origin + axes @ (rng.normal() * AXES[part.axis])
    return axes, origin


@pytest.mark.parametrize("tag", MOVABLE)
def test_motion_stays_on_the_rows(tag: str) -> None:
    cls = MOVABLE[tag]
    motion = cls.tree_motion()
    assert motion is not None
    rng = np.random.default_rng(5)
    for _ in range(20):
        axes, origin = moved(motion, rng)
        for row in cls.constraint_rows():
            match row:
                case Point():
                    residual = np.abs(origin).max()
                case Dot1():
                    residual = (axes @ AXES[row.a]) @ AXES[row.b]
                case Dot2():
                    residual = AXES[row.b] @ origin
            assert abs(residual) < 1e-12, row


@pytest.mark.parametrize("tag", MOVABLE)
def test_motion_has_the_freedoms_that_the_rows_leave(tag: str) -> None:
    cls = MOVABLE[tag]
    motion = cls.tree_motion()
    assert motion is not None
    assert freedom_count(motion) == cls.freedoms()


def test_joints_of_single_rows_have_no_motion() -> None:
    assert {tag for tag in joint_types() if tag not in MOVABLE} >= {
        "in-line",
        "in-plane",
        "parallel",
        "perpendicular",
    }
