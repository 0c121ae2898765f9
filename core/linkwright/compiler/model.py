"""The compiled model: what the mechanism is, in numbers only, with the way back to its elements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwright.elements.motion import Motion
from linkwright.kernels.layout import CH_SDA, Floats, Ints, Tables

ENERGY_CHANNELS = (
    "energy.kinetic",
    "energy.gravity",
    "energy.springs",
    "energy.total",
    "energy.force_work",
    "energy.damper_loss",
    "energy.actuator_work",
    "energy.balance_error",
    "constraint.position",
    "constraint.velocity",
)
SDA_CHANNELS = (("length", "m"), ("rate", "m/s"), ("force", "N"), ("spring_force", "N"))


@dataclass(frozen=True, slots=True)
class RowLabel:
    """What one constraint row stands for.

    Attributes
    ----------
    element : str
        Id of the joint.
    direction : str
        What the row forbids, for example ``"translation along x"`` or ``"rotation about y"``.
    axes : str
        Whose axes are meant: ``"ground"``, or the id of the end frame ``j``.
    """

    element: str
    direction: str
    axes: str


@dataclass(frozen=True, slots=True)
class JointLink:
    """A joint as an edge of the body graph.

    Attributes
    ----------
    element : str
        Id of the joint.
    i, j : int
        Indices of its bodies; the ground is `n_body`.
    first, stop : int
        Its constraint rows are first, ..., stop - 1.
    motion : tuple of Motion or None
        Freedoms from the frame of j to that of i.
    """

    element: str
    i: int
    j: int
    first: int
    stop: int
    motion: tuple[Motion, ...] | None


@dataclass(frozen=True)
class CompiledModel:
    """Flat read-only arrays in SI units and index maps; made by `linkwright.compiler.compile.compile_mechanism`.

    Attributes
    ----------
    tables : Tables
        Bodies, primitives, force elements and gravity, see `linkwright.kernels.layout`.
    row_prim : (n_row,) int64
        Primitive of each constraint row.
    row_labels : tuple of RowLabel
        One per constraint row.
    joints : tuple of JointLink
        In document order.
    joint_frames : (n_joint, 2, 12)
        Frames of the ends i and j: origin seen from the mass centre (3), axes as a matrix by rows (9), body axes [m].
    body_ids, sda_ids, force_ids, torque_ids : tuple of str
        Element of each table row.
    poses : (n_body, 7)
        Drawn poses of the body frames: x y z w x y z, ground axes [m].
    twists : (n_body, 6)
        Drawn velocities of the frame origins and angular velocities, ground axes [m/s, rad/s].
    """

    tables: Tables
    row_prim: Ints
    row_labels: tuple[RowLabel, ...]
    joints: tuple[JointLink, ...]
    joint_frames: Floats
    body_ids: tuple[str, ...]
    sda_ids: tuple[str, ...]
    force_ids: tuple[str, ...]
    torque_ids: tuple[str, ...]
    poses: Floats
    twists: Floats

    @property
    def n_body(self) -> int:
        """Number of moving bodies."""
        return len(self.body_ids)

    @property
    def n_row(self) -> int:
        """Number of constraint rows, e . e = 1 of the bodies left out."""
        return int(self.row_prim.size)

    @property
    def channel_names(self) -> tuple[str, ...]:
        """Names of the recorded channels, in the order of the recorder's columns."""
        own = tuple(f"{element}.{name}" for element in self.sda_ids for name, _ in SDA_CHANNELS)
        assert len(ENERGY_CHANNELS) == CH_SDA
        return ENERGY_CHANNELS + own

    @property
    def channel_units(self) -> tuple[str, ...]:
        """SI units of the channels; constraint rows mix lengths and cosines and have none."""
        shared = ("J",) * 8 + ("", "1/s")
        return shared + tuple(unit for _ in self.sda_ids for _, unit in SDA_CHANNELS)

    def same_structure(self, other: CompiledModel) -> bool:
        """Tell whether `other` differs in numbers only, so that it can take the place of this model in a run."""
        return (
            self.body_ids == other.body_ids
            and self.row_labels == other.row_labels
            and self.joints == other.joints
            and self.sda_ids == other.sda_ids
            and self.force_ids == other.force_ids
            and self.torque_ids == other.torque_ids
            and all(
                np.array_equal(getattr(self.tables, name), getattr(other.tables, name))
                for name in ("prim_int", "sda_int", "force_int", "torque_int")
            )
        )

    def equation_element(self, index: int) -> str | None:
        """Element to blame for a large residual of an equation, see `kernels.equations.worst_equation`."""
        if index < self.n_row:
            return self.row_labels[index].element
        index -= self.n_row
        if index < self.n_body:
            return self.body_ids[index]
        return self.body_ids[(index - self.n_body) // 7]

    def equation_words(self, index: int) -> str:
        """Words for an equation, see `kernels.equations.worst_equation`."""
        if index < self.n_row:
            return self.row_labels[index].direction
        index -= self.n_row
        if index < self.n_body:
            return "unit length of the Euler parameters"
        k = (index - self.n_body) % 7
        return f"force balance along {'xyz'[k]}" if k < 3 else "torque balance"
