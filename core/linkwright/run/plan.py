"""What a run will do: its engine and options, its steps, its frames; checked before anything is computed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from linkwright.document.base import error_sentence, unknown_word
from linkwright.document.commands import SetField
from linkwright.document.mechanism import Mechanism
from linkwright.document.settings import EngineOptions, Settings
from linkwright.errors import DocumentError, OptionError

RUN_FIELDS = ("t_end", "h", "output_step")


@dataclass(frozen=True, slots=True)
class StepPlan:
    """Steps of a run.

    Attributes
    ----------
    h : float
        Step [s].
    n_full : int
        Steps of that size.
    h_last : float
        Size of one shorter last step that ends the run on time; 0 for none.
    stride : int
        Steps from one frame to the next.
    """

    h: float
    n_full: int
    h_last: float
    stride: int

    @property
    def n_step(self) -> int:
        """All steps."""
        return self.n_full + (1 if self.h_last > 0 else 0)


def step_plan(settings: Settings) -> StepPlan:
    """Divide the time of a run into steps and frames.

    Raises
    ------
    OptionError
        When the output step is not a multiple of the step.
    """
    h = settings.h
    n_full = math.floor(settings.t_end / h * (1 + 1e-12) + 1e-9)
    rest = settings.t_end - n_full * h
    h_last = rest if rest > 1e-6 * h else 0.0
    stride = 1
    if settings.output_step is not None:
        stride = round(settings.output_step / h)
        if abs(stride * h - settings.output_step) > 1e-6 * h:
            raise OptionError(
                f"The output step of {settings.output_step:g} s is not a multiple of the step of {h:g} s. "
                f"Try {stride * h:g} s."
            )
    return StepPlan(h, n_full, h_last, stride)


def with_settings(mechanism: Mechanism, engine: str | None, changes: dict[str, Any]) -> Mechanism:
    """Give the mechanism with the settings of a run: engine, end time and steps, and options of the engine.

    Parameters
    ----------
    mechanism : Mechanism
    engine : str or None
        None keeps the model's own.
    changes : dict
        ``t_end``, ``h``, ``output_step`` and options of the engine by name.

    Raises
    ------
    OptionError
        For an engine or option that does not exist or a value that is not allowed.
    """
    settings = mechanism.settings
    try:
        if engine is not None:
            settings = settings.replaced(engine=engine)
    except ValidationError:
        known = list(engine_names())
        raise OptionError(unknown_word("engine", str(engine), known)) from None
    options = settings.options(settings.engine)
    for name in changes:
        if name not in RUN_FIELDS and name not in type(options).model_fields:
            known = [*RUN_FIELDS, *type(options).model_fields]
            raise OptionError(unknown_word(f"option of the engine {settings.engine!r} called", name, known))
    times = {name: value for name, value in changes.items() if name in RUN_FIELDS}
    own = {name: value for name, value in changes.items() if name not in RUN_FIELDS}
    try:
        if own:
            settings = settings.replaced(**{settings.engine: options.replaced(**own)})
        if times:
            settings = settings.replaced(**times)
    except ValidationError as error:
        first = error.errors()[0]
        where = f"{first['loc'][0]}: " if first["loc"] else ""
        raise OptionError(f"{where}{error_sentence(error)}") from error
    if settings is mechanism.settings:
        return mechanism
    return mechanism.replaced(settings=settings)


def with_parameter(mechanism: Mechanism, parameter_id: str, value: float) -> Mechanism:
    """Give the mechanism with another value of a parameter.

    Raises
    ------
    OptionError
        When there is no such parameter or the value is not allowed.
    """
    known = [p.id for p in mechanism.parameters]
    if parameter_id not in known:
        raise OptionError(unknown_word("parameter", parameter_id, known))
    try:
        return SetField(parameter_id, "value", float(value)).apply(mechanism)
    except DocumentError as error:
        raise OptionError(f"{parameter_id}: {error.message}", parameter_id) from error


def engine_names() -> tuple[str, ...]:
    """Engines there are, in the order they are offered."""
    from linkwright.engines.base import engines

    return tuple(engines())


def engine_options(name: str) -> type[EngineOptions]:
    """Options of an engine; the Solve form is made from their fields.

    Raises
    ------
    OptionError
        When there is no such engine.
    """
    from linkwright.engines.base import engine

    return engine(name).options_type
