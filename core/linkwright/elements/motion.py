"""Freedoms a joint leaves, the words its motion is spelled with for engines that use joint coordinates.

A joint moves the frame of end i against that of end j: starting from j, each freedom in turn acts in the frame that the
ones before it have reached. Not every joint has such a spelling; one that only holds single rows has none.
"""

from __future__ import annotations

from dataclasses import dataclass

from linkwright.elements.rows import AxisName


@dataclass(frozen=True, slots=True)
class Rotation:
    """One freedom: rotation about an axis."""

    axis: AxisName


@dataclass(frozen=True, slots=True)
class Translation:
    """One freedom: translation along an axis."""

    axis: AxisName


@dataclass(frozen=True, slots=True)
class FreeRotation:
    """Three freedoms: all rotations about the origin of the frame."""


Motion = Rotation | Translation | FreeRotation


def freedom_count(motion: tuple[Motion, ...]) -> int:
    """Number of scalar freedoms of a recipe."""
    return sum(3 if isinstance(part, FreeRotation) else 1 for part in motion)
