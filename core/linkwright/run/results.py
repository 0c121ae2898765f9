"""A finished run: the mechanism it came from, how it was computed, and everything that was recorded."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkwright.document.base import unknown_word
from linkwright.document.mechanism import Mechanism
from linkwright.errors import OptionError

if TYPE_CHECKING:
    from linkwright.run.recorder import Recorder

Floats = NDArray[np.float64]

BODY_SERIES = {
    "x": (0, "m"),
    "y": (1, "m"),
    "z": (2, "m"),
    "qw": (3, ""),
    "qx": (4, ""),
    "qy": (5, ""),
    "qz": (6, ""),
    "vx": (7, "m/s"),
    "vy": (8, "m/s"),
    "vz": (9, "m/s"),
    "wx": (10, "rad/s"),
    "wy": (11, "rad/s"),
    "wz": (12, "rad/s"),
}
"""Series of every body behind its id, as in ``r["slider.x"]``: column in pose and twist, and unit."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened during a run.

    Attributes
    ----------
    t : float
        [s].
    kind : str
        ``option``, ``parameter``, ``failure``, ``impact``, ``stick`` or ``slip``.
    element : str or None
        Id of the element, or name of the option.
    values : mapping
        Numbers and words of the event.
    """

    t: float
    kind: str
    element: str | None
    values: Mapping[str, Any] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        return {"t": self.t, "kind": self.kind, "element": self.element, "values": dict(self.values)}


@dataclass(frozen=True, eq=False)
class Results:
    """Everything a run left behind; immutable.

    ``r["energy.total"]`` gives a channel over the frame times `t`, ``r["slider.x"]`` a coordinate of a body.

    Attributes
    ----------
    mechanism : Mechanism
        Snapshot the run was started from, its settings being those of the run.
    model_name : str
        File or sample the mechanism came from; empty when it came from elsewhere.
    engine : str
    ended : str
        ``completed``, ``stopped`` or ``failed``.
    message : str
        Sentences about the end.
    wall_s : float
        Time spent computing [s].
    step_columns : tuple of str
        Columns of `steps`.
    steps : (n_step, n_column)
        One report per step.
    packed_residuals, residual_offsets : (n,), (n_step + 1,)
        2-norms of the residual of all steps one after the other, and where each step's begin.
    t : (n_frame,)
        Times of the frames [s].
    poses : (n_frame, n_body, 7)
        x y z w x y z of the body frames in ground [m].
    twists : (n_frame, n_body, 6)
        Velocity of the frame origin and angular velocity, ground axes [m/s, rad/s].
    channel_names, channel_units : tuple of str
    channels : (n_frame, n_channel)
    events : tuple of Event
    """

    mechanism: Mechanism
    model_name: str
    engine: str
    ended: str
    message: str
    wall_s: float
    step_columns: tuple[str, ...]
    steps: Floats
    packed_residuals: Floats
    residual_offsets: NDArray[np.int64]
    t: Floats
    poses: Floats
    twists: Floats
    channel_names: tuple[str, ...]
    channel_units: tuple[str, ...]
    channels: Floats
    events: tuple[Event, ...] = ()

    @classmethod
    def of_recorder(
        cls,
        recorder: Recorder,
        mechanism: Mechanism,
        *,
        model_name: str,
        engine: str,
        ended: str,
        message: str,
        wall_s: float,
        events: Sequence[Event],
    ) -> Results:
        """Take over what a recorder has published."""
        n_step, _, n_frame = (
            recorder.counts()
        )  # once, so that a run that goes on cannot grow between two arrays
        residuals, offsets = recorder.packed_residuals(n_step)
        return cls(
            mechanism=mechanism,
            model_name=model_name,
            engine=engine,
            ended=ended,
            message=message,
            wall_s=wall_s,
            step_columns=recorder.step_columns,
            steps=recorder.steps(0, n_step),
            packed_residuals=residuals,
            residual_offsets=offsets,
            t=recorder.frame_t(0, n_frame),
            poses=recorder.poses(0, n_frame),
            twists=recorder.twists(0, n_frame),
            channel_names=recorder.channel_names,
            channel_units=recorder.channel_units,
            channels=recorder.channels(0, n_frame),
            events=tuple(events),
        )

    # ------------------------------------------------------------------ series
    @property
    def body_ids(self) -> tuple[str, ...]:
        """Bodies in the order of the poses."""
        return tuple(body.id for body in self.mechanism.bodies)

    def names(self) -> tuple[str, ...]:
        """Every name that ``r[name]`` takes."""
        own = tuple(f"{body}.{series}" for body in self.body_ids for series in BODY_SERIES)
        return self.channel_names + own

    def unit(self, name: str) -> str:
        """SI unit of a series; empty for a pure number."""
        if name in self.channel_names:
            return self.channel_units[self.channel_names.index(name)]
        return BODY_SERIES[name.rpartition(".")[2]][1]

    def __getitem__(self, name: str) -> Floats:
        """Series of that name over the frame times : (n_frame,).

        Raises
        ------
        KeyError
            Naming the nearest known series.
        """
        if name in self.channel_names:
            return self.channels[:, self.channel_names.index(name)]
        body, _, series = name.rpartition(".")
        if body in self.body_ids and series in BODY_SERIES:
            column = BODY_SERIES[series][0]
            k = self.body_ids.index(body)
            return self.poses[:, k, column] if column < 7 else self.twists[:, k, column - 7]
        raise KeyError(unknown_word("channel", name, self.names()))

    def step_column(self, name: str) -> Floats:
        """One column of the step reports : (n_step,)."""
        return self.steps[:, self.step_columns.index(name)]

    @property
    def step_t(self) -> Floats:
        """Times at the ends of the steps : (n_step,) [s]."""
        return self.step_column("t")

    @property
    def iterations(self) -> NDArray[np.int64]:
        """Residual evaluations of each step : (n_step,)."""
        return self.step_column("evaluations").astype(np.int64)

    @property
    def solves(self) -> NDArray[np.int64]:
        """Linear systems solved in each step : (n_step,)."""
        return self.step_column("solves").astype(np.int64)

    def residuals(self, step: int) -> Floats:
        """2-norms of the residual of a step, counted from 0 : (n_evaluation,)."""
        return self.packed_residuals[self.residual_offsets[step] : self.residual_offsets[step + 1]]

    # ------------------------------------------------------------------ summary
    def summary(self) -> dict[str, Any]:
        """Plain data of the run, as ``linkwright run --json`` prints it."""
        n_step = len(self.steps)
        return {
            "model": self.model_name,
            "engine": self.engine,
            "ended": self.ended,
            "message": self.message,
            "t": float(self.step_t[-1]) if n_step else (float(self.t[-1]) if len(self.t) else 0.0),
            "steps": n_step,
            "wall_s": self.wall_s,
            "us_per_step": self.wall_s / n_step * 1e6 if n_step else None,
            "iterations": _spread(self.iterations),
            "solves": _spread(self.solves),
            "energy": self._energy(),
            "constraint_error": {
                "position_max": _largest(self.step_column("position_error")),
                "velocity_max": _largest(self.step_column("velocity_error")),
            },
            "final": self.final(),
            "events": [event.plain() for event in self.events],
        }

    def _energy(self) -> dict[str, float | None]:
        if "energy.total" not in self.channel_names or len(self.t) == 0:
            return {"initial": None, "final": None, "balance_error_max": None}
        total = self["energy.total"]
        return {
            "initial": float(total[0]),
            "final": float(total[-1]),
            "balance_error_max": _largest(np.abs(self["energy.balance_error"])),
        }

    def final(self) -> dict[str, Any]:
        """Last frame as plain data: bodies by id, channels by name."""
        if len(self.t) == 0:
            return {"bodies": {}, "channels": {}}
        bodies = {}
        for k, body in enumerate(self.body_ids):
            pose, twist = self.poses[-1, k].tolist(), self.twists[-1, k].tolist()
            bodies[body] = {
                "position": pose[:3],
                "orientation": pose[3:],
                "velocity": twist[:3],
                "angular_velocity": twist[3:],
            }
        values = self.channels[-1].tolist()
        return {"bodies": bodies, "channels": dict(zip(self.channel_names, values, strict=True))}

    # ------------------------------------------------------------------ files
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write ``.h5`` (everything, with units, settings and the model), ``.csv`` or ``.npz`` by the file's ending.

        Raises
        ------
        OptionError
            For another ending.
        FileError
            When the file cannot be written.
        """
        from linkwright.run import export

        place = Path(path)
        ending = place.suffix.lower()
        writers = {
            ".h5": export.write_hdf5,
            ".hdf5": export.write_hdf5,
            ".csv": export.write_csv,
            ".npz": export.write_npz,
        }
        if ending not in writers:
            shown = repr(place.suffix) if ending else "a file without ending"
            raise OptionError(f"Results are written as .h5, .csv or .npz, not as {shown}.")
        writers[ending](self, place)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Results:
        """Read a run from its ``.h5`` file, bit for bit.

        Raises
        ------
        FileError
            When it is no results file of this program.
        """
        from linkwright.run import export

        return export.read_hdf5(Path(path))


def _spread(counts: NDArray[np.int64]) -> dict[str, float | int | None]:
    if len(counts) == 0:
        return {"mean": None, "min": None, "max": None, "total": 0}
    return {
        "mean": float(counts.mean()),
        "min": int(counts.min()),
        "max": int(counts.max()),
        "total": int(counts.sum()),
    }


def _largest(values: Floats) -> float | None:
    finite = values[np.isfinite(values)]
    largest = float(finite.max()) if len(finite) else math.nan
    return None if math.isnan(largest) else largest
