"""Linkwright: build mechanisms and compute how they move.

>>> import linkwright as lw
>>> m = lw.load("slider-crank-sda")
>>> r = lw.simulate(m, jacobian="M1")
>>> r["energy.total"], r.iterations, r.t

Importing this package registers all element types and loads neither numba nor any window library.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from linkwright import elements
from linkwright.document.mechanism import Mechanism
from linkwright.errors import LinkwrightError

if TYPE_CHECKING:
    from linkwright.run.results import Results

__version__ = "0.1.0"

_LAZY = {"Results": "linkwright.run.results", "Runner": "linkwright.run.runner"}


def load(model: str | os.PathLike[str]) -> Mechanism:
    """Read a model file, or a sample by its id.

    Raises
    ------
    LinkwrightError
        When the file cannot be read or is not a valid model, or there is no such sample.
    """
    from linkwright.files import model_file
    from linkwright.samples import resolve

    return model_file.load(resolve(model))


def save(mechanism: Mechanism, path: str | os.PathLike[str]) -> None:
    """Write a model file; an older file of that name stays whole until the new one is complete.

    Raises
    ------
    FileError
        When it cannot be written.
    """
    from linkwright.files import model_file

    model_file.save(mechanism, path)


def simulate(
    mechanism: Mechanism,
    engine: str | None = None,
    parameters: Mapping[str, float] | None = None,
    **options: Any,
) -> Results:
    """Run a mechanism to its end and give everything that was recorded.

    Parameters
    ----------
    mechanism : Mechanism
        Its own settings hold where nothing else is said here.
    engine : str, optional
        For example ``"newmark"``.
    parameters : mapping, optional
        Values of parameters by id, for example ``{"k": 1e5}``.
    **options
        ``t_end``, ``h``, ``output_step`` [s] and options of the engine, for example ``jacobian="M1"``.

    Returns
    -------
    results : Results
        When a step fails, the good steps before it; ``results.ended`` is ``"failed"`` then and a warning says why.

    Raises
    ------
    LinkwrightError
        When the run cannot start; says why.
    """
    from linkwright.run.plan import with_parameter
    from linkwright.run.runner import Runner, run_to_end

    for parameter_id, value in (parameters or {}).items():
        mechanism = with_parameter(mechanism, parameter_id, value)
    results = run_to_end(Runner(mechanism, engine, **options))
    if results.ended == "failed":
        warnings.warn(results.message, RuntimeWarning, stacklevel=2)
    return results


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "LinkwrightError",
    "Mechanism",
    "Results",
    "Runner",
    "elements",
    "load",
    "save",
    "simulate",
]
