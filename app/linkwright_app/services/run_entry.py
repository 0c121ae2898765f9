"""One run as the window keeps it: what was run, how, and what came out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from PySide6.QtCore import QCoreApplication

from linkwright.document.mechanism import Mechanism
from linkwright.errors import RunError
from linkwright_app import translation
from linkwright_app.services.iteration_tally import IterationTally
from linkwright_app.services.run_history import RecorderLike, RunHistory


class ProgressLike(Protocol):
    """How far a run is; times in seconds."""

    @property
    def t(self) -> float: ...
    @property
    def t_end(self) -> float: ...
    @property
    def steps(self) -> int: ...
    @property
    def wall_s(self) -> float: ...
    @property
    def steps_per_s(self) -> float: ...
    @property
    def real_time_factor(self) -> float: ...
    @property
    def time_left(self) -> float: ...


class RunnerLike(Protocol):
    """The side of `linkwright.run.runner.Runner` that the window uses."""

    @property
    def recorder(self) -> RecorderLike: ...
    @property
    def state(self) -> str: ...
    @property
    def progress(self) -> ProgressLike: ...
    @property
    def failure(self) -> RunError | None: ...
    @property
    def events(self) -> Sequence[Any]: ...
    def start(self) -> None: ...
    def pause(self) -> None: ...
    def resume(self) -> None: ...
    def step_once(self) -> None: ...
    def stop(self) -> None: ...
    def join(self, timeout: float | None = None) -> bool: ...
    def set_parameter(self, parameter_id: str, value: float, /) -> None: ...
    def set_option(self, name: str, value: Any, /) -> None: ...
    def result(self) -> Any: ...


@dataclass(frozen=True)
class RunEvent:
    """Something that happened during a run.

    Parameters
    ----------
    t : float
        Time [s].
    kind : str
        ``impact``, ``stick``, ``slip``, ``option``, ``parameter`` or ``failure``.
    element : str or None
        Id of the element it happened to, or the name of the option.
    values : mapping
        Numbers and words of the event.
    """

    t: float
    kind: str
    element: str | None
    values: Mapping[str, Any]

    def words(self) -> str:
        """Say what happened, short enough to stand in a plot."""
        if "refused" in self.values:
            return QCoreApplication.translate("RunEvent", "change refused")
        value = self.values.get("value")
        if self.kind == "parameter":
            shown = f"{value:.6g}".replace("-", "−") if isinstance(value, (int, float)) else str(value)
            return QCoreApplication.translate("RunEvent", "{0} = {1}").format(self.element, shown)
        if self.kind == "option":
            return str(value)
        known = {
            "failure": QCoreApplication.translate("RunEvent", "step failed"),
            "impact": QCoreApplication.translate("RunEvent", "impact"),
            "stick": QCoreApplication.translate("RunEvent", "sticks"),
            "slip": QCoreApplication.translate("RunEvent", "slips"),
        }
        return known.get(self.kind, translation.core(self.kind))


@dataclass(eq=False)
class RunEntry:
    """A run of the list.

    Parameters
    ----------
    label : str
        ``"A"`` or ``"B"``: the side of the comparison it stands on.
    number : int
        Counted from 1 in this session.
    mechanism : Mechanism
        The model it was started from.
    variant : str
        Terms of the iteration matrix at the start, for example ``"M1+M2"``.
    options : mapping
        What was set apart from the model's own settings.
    runner : RunnerLike
        The thread behind it.
    t_end, h : float
        End time and step [s].
    variant_now : str
        Terms of the iteration matrix in use; differs from `variant` once they were switched on the way.
    """

    label: str
    number: int
    mechanism: Mechanism
    variant: str
    options: Mapping[str, Any]
    runner: RunnerLike
    t_end: float
    h: float
    variant_now: str = ""
    history: RunHistory = field(init=False)
    solves: IterationTally = field(init=False)
    evaluations: IterationTally = field(init=False)

    _results: Any = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.variant_now = self.variant
        self.history = RunHistory(self.runner.recorder)
        self.solves = IterationTally(self.history, "solves")
        self.evaluations = IterationTally(self.history, "evaluations")

    @property
    def slot(self) -> int:
        """Place in the plot palette: 0 for A, 1 for B."""
        return ord(self.label) - ord("A")

    @property
    def state(self) -> str:
        """``ready``, ``running``, ``paused``, ``completed``, ``stopped`` or ``failed``."""
        return self.runner.state

    @property
    def results(self) -> Any:
        """The finished run as `linkwright.run.results.Results`; None while it goes on.

        It is put together when it is first asked for, since that copies all rows.
        """
        if self._results is None and not self.is_live:
            self._results = self.runner.result()
        return self._results

    @property
    def is_live(self) -> bool:
        """Whether the run can still go on."""
        return self.state in ("ready", "running", "paused")

    @property
    def failure(self) -> RunError | None:
        """Why the run ended early, if it failed."""
        return self.runner.failure

    @property
    def events(self) -> tuple[RunEvent, ...]:
        """Events so far, in order of time."""
        return tuple(RunEvent(e.t, e.kind, e.element, e.values) for e in self.runner.events)

    @property
    def failed_steps(self) -> int:
        """Steps that did not converge at the first try, the one that ended the run included."""
        return self.solves.retries + (1 if self.failure is not None else 0)

    @property
    def n_step_planned(self) -> int:
        """Steps a run to the end takes."""
        return max(math.ceil(self.t_end / self.h - 1e-6), 1)

    def same_problem(self, other: RunEntry) -> bool:
        """Whether two runs differ in nothing but the iteration matrix, so that their motions must agree."""
        if self.mechanism is not other.mechanism:
            a, b = self.mechanism, other.mechanism
            fields = type(a).model_fields.keys() - {"settings", "title", "description"}
            if any(getattr(a, name) != getattr(b, name) for name in fields):
                return False
            settings_a, settings_b = a.settings, b.settings
            if _without_jacobian(settings_a) != _without_jacobian(settings_b):
                return False
        return _without(self.options) == _without(other.options) and not (
            self._changed_on_the_way() or other._changed_on_the_way()
        )

    def _changed_on_the_way(self) -> bool:
        return any(e.kind == "parameter" for e in self.events)


def _without(options: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in options.items() if k != "jacobian"}


def _without_jacobian(settings: Any) -> dict[str, Any]:
    fields: dict[str, Any] = settings.model_dump()
    fields["newmark"].pop("jacobian")
    return fields
