"""Results on disk: HDF5 with everything, CSV and NPZ for other programs."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np

from linkwright import __version__
from linkwright.errors import FileError
from linkwright.files.atomic import replacement, write_atomically
from linkwright.files.model_file import dumps, loads
from linkwright.run.results import BODY_SERIES, Event, Results

FORMAT = "linkwright-results"
VERSION = 1

STEP_UNITS = {"t": "s", "h": "s", "velocity_error": "1/s", "acceleration_error": "1/s^2"}
"""Units of the columns of the step reports; the others are counts, or mix lengths and direction cosines."""


def table(results: Results) -> tuple[list[str], np.ndarray]:
    """Headers with units and the columns of all series over the frames : (n_frame, n_series + 1)."""
    names = results.names()
    headers = ["t [s]"]
    for name in names:
        unit = results.unit(name)
        headers.append(f"{name} [{unit}]" if unit else name)
    columns = [results.t, *(results[name] for name in names)]
    return headers, np.column_stack(columns)


def write_csv(results: Results, path: Path) -> None:
    """Write all series over the frames: comma-separated, decimal point, one header row with SI units in brackets.

    Raises
    ------
    FileError
        When the file cannot be written.
    """
    headers, values = table(results)
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(headers)
    writer.writerows([repr(x) for x in row] for row in values.tolist())
    write_atomically(path, text.getvalue().encode())


def write_npz(results: Results, path: Path) -> None:
    """Write the arrays under the names of `Results`, with the names of columns and channels beside them.

    Raises
    ------
    FileError
        When the file cannot be written.
    """
    content = io.BytesIO()
    np.savez_compressed(
        content,
        t=results.t,
        poses=results.poses,
        twists=results.twists,
        channels=results.channels,
        channel_names=np.array(results.channel_names),
        channel_units=np.array(results.channel_units),
        body_ids=np.array(results.body_ids),
        steps=results.steps,
        step_columns=np.array(results.step_columns),
        residuals=results.packed_residuals,
        residual_offsets=results.residual_offsets,
        model=np.array(dumps(results.mechanism)),
    )
    write_atomically(path, content.getvalue())


def write_hdf5(results: Results, path: Path) -> None:
    """Write everything, with units, settings and the model inside; `read_hdf5` gives it back bit for bit.

    Raises
    ------
    FileError
        When the file cannot be written; an older file of that name stays whole.
    """
    import h5py

    with replacement(path) as temporary, h5py.File(temporary, "w") as file:
        _fill(file, results)


def _fill(file: Any, results: Results) -> None:
    import h5py

    file.attrs["format"] = FORMAT
    file.attrs["version"] = VERSION
    file.attrs["program"] = f"linkwright {__version__}"
    for name in ("model_name", "engine", "ended", "message", "wall_s"):
        file.attrs[name] = getattr(results, name)
    file["model"] = dumps(results.mechanism)
    file["settings"] = results.mechanism.settings.model_dump_json()
    file["events"] = json.dumps([event.plain() for event in results.events])

    steps = file.create_group("steps")
    steps["table"] = results.steps
    steps["table"].attrs["columns"] = list(results.step_columns)
    steps["table"].attrs["units"] = [STEP_UNITS.get(name, "") for name in results.step_columns]
    steps["residuals"] = results.packed_residuals
    steps["residual_offsets"] = results.residual_offsets

    frames = file.create_group("frames")
    frames["t"] = results.t
    frames["t"].attrs["unit"] = "s"
    frames["poses"] = results.poses
    frames["poses"].attrs["columns"] = list(BODY_SERIES)[:7]
    frames["poses"].attrs["units"] = [unit for _, unit in BODY_SERIES.values()][:7]
    frames["twists"] = results.twists
    frames["twists"].attrs["columns"] = list(BODY_SERIES)[7:]
    frames["twists"].attrs["units"] = [unit for _, unit in BODY_SERIES.values()][7:]
    frames["channels"] = results.channels
    # as data sets, since all attributes of one object together may hold no more than 64 KB
    for name in ("body_ids", "channel_names", "channel_units"):
        frames[name] = np.array(getattr(results, name), h5py.string_dtype())


def read_hdf5(path: Path) -> Results:
    """Read what `write_hdf5` wrote.

    Raises
    ------
    FileError
        When it is no results file of this program.
    """
    import h5py

    try:
        with h5py.File(path, "r") as file:
            if file.attrs.get("format") != FORMAT:
                raise FileError(f"{path.name!r} is not a results file of Linkwright.")
            if int(file.attrs["version"]) > VERSION:
                raise FileError(f"{path.name!r} needs a newer version of Linkwright.")
            return _results(file)
    except (OSError, KeyError, ValueError, TypeError, AttributeError) as error:
        raise FileError(f"{path.name!r} cannot be read as results: {error}.") from error


def _results(file: Any) -> Results:
    steps, frames = file["steps"], file["frames"]
    events = [Event(**event) for event in json.loads(file["events"][()].decode())]
    return Results(
        mechanism=loads(file["model"][()].decode()),
        model_name=str(file.attrs["model_name"]),
        engine=str(file.attrs["engine"]),
        ended=str(file.attrs["ended"]),
        message=str(file.attrs["message"]),
        wall_s=float(file.attrs["wall_s"]),
        step_columns=tuple(str(c) for c in steps["table"].attrs["columns"]),
        steps=steps["table"][()],
        packed_residuals=steps["residuals"][()],
        residual_offsets=steps["residual_offsets"][()],
        t=frames["t"][()],
        poses=frames["poses"][()],
        twists=frames["twists"][()],
        channel_names=tuple(frames["channel_names"].asstr()[()]),
        channel_units=tuple(frames["channel_units"].asstr()[()]),
        channels=frames["channels"][()],
        events=tuple(events),
    )
