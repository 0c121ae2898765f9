"""What passes between an engine and the one who runs it: states, frames, reports and recorder blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.kernels.layout import Floats, Ints, Rows

STEP_COLUMNS = (
    "t",
    "h",
    "evaluations",
    "solves",
    "residual_start",
    "residual_count",
    "retries",
    "position_error",
    "velocity_error",
    "acceleration_error",
    "worst_row",
    "active_contacts",
    "pivots",
)
"""Columns of `RowBlock.steps`; `linkwright.kernels.layout` numbers them in this order."""


@dataclass(slots=True)
class State:
    """Motion in the engine's own coordinates; written by the solver thread only.

    Attributes
    ----------
    q, v, a : float arrays
        Coordinates, rates, accelerations.
    lam : float array
        Multipliers.
    clock : (4,) float
        Time, time at which the present step size began, steps since then, steps since the start.
    sums, sda, force : float arrays
        Memory of the energy ledger, see `linkwright.kernels.layout.Ledger`.
    """

    q: Floats
    v: Floats
    a: Floats
    lam: Floats
    clock: Floats
    sums: Floats
    sda: Floats
    force: Floats

    @property
    def t(self) -> float:
        """Time [s]."""
        return float(self.clock[0])

    @property
    def n_steps(self) -> int:
        """Steps since the start."""
        return int(self.clock[3])


@dataclass(slots=True)
class Frame:
    """One instant, the same for every engine.

    Attributes
    ----------
    t : float
        [s].
    poses : (n_body, 7)
        Body frame origin and Euler parameters, x y z w x y z, ground axes [m].
    twists : (n_body, 6)
        Velocity of the frame origin and angular velocity, ground axes [m/s, rad/s].
    channels : (n_channel,)
        See `CompiledModel.channel_names`.
    """

    t: float
    poses: Floats
    twists: Floats
    channels: Floats

    @classmethod
    def empty(cls, n_body: int, n_channel: int) -> Frame:
        """Frame to be written by `Engine.observe`."""
        return cls(0.0, np.zeros((n_body, 7)), np.zeros((n_body, 6)), np.zeros(n_channel))


@dataclass(frozen=True, slots=True)
class StepReport:
    """How a step went; the rows of `RowBlock.steps` hold the same numbers."""

    t: float
    h: float
    evaluations: int
    solves: int
    residuals: tuple[float, ...]
    retries: int = 0
    active_contacts: int = 0
    pivots: int = 0
    position_error: float = 0.0
    velocity_error: float = 0.0
    acceleration_error: float = 0.0
    worst_row: int = -1


@dataclass(frozen=True, slots=True)
class StepFailure:
    """Why a step could not be made; the state is still the last good one.

    Attributes
    ----------
    reason : str
        One of ``"not_converged"``, ``"diverged"``, ``"not_finite"``, ``"singular"``, ``"no_length"``,
        ``"step_too_small"``, ``"loop_open"``.
    t : float
        Time of the last good state [s].
    step : int
        Number of the failed step, counted from 1.
    element : str or None
        Id of the element with the largest residual.
    words : str
        The equation with the largest residual, for example ``"translation along x"``.
    residuals : tuple of float
        2-norms of the residual, one per evaluation.
    """

    reason: str
    t: float
    step: int
    element: str | None
    words: str
    residuals: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class StepEvent:
    """Something that happened in a step, such as an impact.

    Attributes
    ----------
    t : float
        [s].
    kind : str
        ``"impact"``, ``"stick"`` or ``"slip"``.
    element : str
        Id of the element.
    values : dict
        Numbers and words of the event.
    """

    t: float
    kind: str
    element: str
    values: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RowBlock:
    """Room for the rows of many steps: preallocated, contiguous, never moved, filled by one writer.

    Attributes
    ----------
    steps : (cap, len(STEP_COLUMNS))
        One report per step.
    residuals : (cap_residuals,)
        Packed histories of the 2-norm of the residual; a step's run of numbers begins at ``residual_start``.
    frame_t : (cap_frames,)
        Times of the frames [s].
    poses : (cap_frames, n_body, 7)
    twists : (cap_frames, n_body, 6)
    channels : (cap_frames, n_channel)
    count : (3,) int64
        Steps, residuals and frames written so far; raised by the writer after a chunk.
    """

    steps: Floats
    residuals: Floats
    frame_t: Floats
    poses: Floats
    twists: Floats
    channels: Floats
    count: Ints

    @classmethod
    def allocate(
        cls, n_body: int, n_channel: int, steps: int, frames: int | None = None, residuals: int | None = None
    ) -> RowBlock:
        """Make an empty block.

        Parameters
        ----------
        n_body, n_channel : int
            Sizes of the model.
        steps : int
            Room for so many steps.
        frames : int, optional
            Room for so many frames; as many as steps by default.
        residuals : int, optional
            Room for so many residuals; eight per step by default. A step with a longer history ends the block, so this
            has to be more than the iteration limit.
        """
        frames = steps if frames is None else frames
        residuals = 8 * steps if residuals is None else residuals
        return cls(
            steps=np.zeros((steps, len(STEP_COLUMNS))),
            residuals=np.zeros(residuals),
            frame_t=np.zeros(frames),
            poses=np.zeros((frames, n_body, 7)),
            twists=np.zeros((frames, n_body, 6)),
            channels=np.zeros((frames, n_channel)),
            count=np.zeros(3, np.int64),
        )

    def arrays(self) -> Rows:
        """Arrays as the kernels take them."""
        return Rows(
            self.steps, self.residuals, self.frame_t, self.poses, self.twists, self.channels, self.count
        )

    def append_frame(self, frame: Frame) -> bool:
        """Write one frame made by `Engine.observe`; False when there is no room."""
        n = int(self.count[2])
        if n >= self.frame_t.size:
            return False
        self.frame_t[n] = frame.t
        self.poses[n] = frame.poses
        self.twists[n] = frame.twists
        self.channels[n] = frame.channels
        self.count[2] = n + 1
        return True
