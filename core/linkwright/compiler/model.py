"""The compiled model: what the mechanism is, in numbers only, with the way back to its elements."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from linkwright.elements.motion import Motion
from linkwright.kernels.layout import CH_SDA, Floats, Ints, Tables
from linkwright.kernels.lcp.layout import CH_GROUPS, CH_PER_GROUP, P_INT, P_REAL

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
LOSS_CHANNELS = (("energy.impact_loss", "J"), ("energy.friction_loss", "J"))
"""Recorded where there are contacts."""
CONTACT_CHANNELS = (
    ("gap", "m"),
    ("normal_impulse", "N s"),
    ("tangential_impulse", "N s"),
    ("state", ""),
    ("slip", "m/s"),
)


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


@dataclass(frozen=True, slots=True)
class ContactTables:
    """Contact points and the strips they are recorded under; columns as in `linkwright.kernels.lcp.layout`.

    Attributes
    ----------
    strips : tuple of (str, str)
        Id of the contact, and name of the strip within it (empty where the contact is one strip).
    point_int : (n_point, P_INT) int64
    point_real : (n_point, P_REAL)
        Places in body axes, from the mass centre.
    """

    strips: tuple[tuple[str, str], ...] = ()
    point_int: Ints = field(default_factory=lambda: np.zeros((0, P_INT), np.int64))
    point_real: Floats = field(default_factory=lambda: np.zeros((0, P_REAL)))

    def names(self) -> tuple[str, ...]:
        """Channel prefix of each strip, for example ``"guide.corner_1"``."""
        return tuple(f"{element}.{strip}" if strip else element for element, strip in self.strips)


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
    contacts : ContactTables
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
    contacts: ContactTables = field(default_factory=ContactTables)

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
        return ENERGY_CHANNELS + own + tuple(name for name, _ in self._contact_channels())

    def _contact_channels(self) -> list[tuple[str, str]]:
        """Names and units of the channels of contacts."""
        if not self.contacts.strips:
            return []
        assert len(LOSS_CHANNELS) == CH_GROUPS
        assert len(CONTACT_CHANNELS) == CH_PER_GROUP
        own = [
            (f"{strip}.{name}", unit) for strip in self.contacts.names() for name, unit in CONTACT_CHANNELS
        ]
        return [*LOSS_CHANNELS, *own]

    @property
    def channel_units(self) -> tuple[str, ...]:
        """SI units of the channels; constraint rows mix lengths and cosines and have none."""
        shared = ("J",) * 8 + ("", "1/s")
        own = tuple(unit for _ in self.sda_ids for _, unit in SDA_CHANNELS)
        return shared + own + tuple(unit for _, unit in self._contact_channels())

    def same_structure(self, other: CompiledModel) -> bool:
        """Tell whether `other` differs in numbers only, so that it can take the place of this model in a run."""
        return (
            self.body_ids == other.body_ids
            and self.row_labels == other.row_labels
            and self.joints == other.joints
            and self.sda_ids == other.sda_ids
            and self.force_ids == other.force_ids
            and self.torque_ids == other.torque_ids
            and self.contacts.strips == other.contacts.strips
            and np.array_equal(self.contacts.point_int, other.contacts.point_int)
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
