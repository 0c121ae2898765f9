"""The models that come with the program."""

from __future__ import annotations

import os
from pathlib import Path

from linkwright.document.base import unknown_word
from linkwright.errors import OptionError

ORDER = (
    "slider-crank-sda",
    "slider-crank-sda-60",
    "slider-crank-sda-offset",
    "tensegrity",
    "pendulum",
    "double-pendulum",
)
"""Samples that are shown first, in this order; others follow by name."""


def folder() -> Path:
    """Folder of the sample files, in a checkout, a wheel or a frozen bundle.

    Raises
    ------
    OptionError
        When the installation holds none.
    """
    package = Path(__file__).resolve().parent
    for place in (package / "sample_models", package.parents[1] / "sample_models"):
        if place.is_dir():
            return place
    raise OptionError("The sample models are missing from this installation. Install Linkwright again.")


def sample_ids() -> tuple[str, ...]:
    """Ids of all samples, in the order they are shown."""
    found = {path.stem for path in folder().glob("*.lwk")}
    return (*(s for s in ORDER if s in found), *sorted(found - set(ORDER)))


def path(sample_id: str) -> Path:
    """File of a sample.

    Raises
    ------
    OptionError
        When there is no sample of that id.
    """
    if sample_id not in sample_ids():
        raise OptionError(unknown_word("sample", sample_id, list(sample_ids())))
    return folder() / f"{sample_id}.lwk"


def resolve(model: str | os.PathLike[str]) -> Path:
    """Path of a model named on a command line or in a script: a file, or the id of a sample.

    Raises
    ------
    OptionError
        When it is neither; names the nearest sample.
    """
    place = Path(model)
    if place.exists() or place.suffix or len(place.parts) != 1:
        return place
    return path(str(model))
