"""The protocol of all engines, and the list of those there are."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from linkwright.compiler.model import CompiledModel
from linkwright.document.settings import EngineOptions
from linkwright.engines.state import Frame, RowBlock, State, StepFailure, StepReport
from linkwright.errors import OptionError
from linkwright.findings import Finding, Severity
from linkwright.kernels.layout import Ints


class Workspace(Protocol):
    """What an engine keeps for one run; everything is allocated by `Engine.prepare`.

    Attributes
    ----------
    model : CompiledModel
    options : EngineOptions
        As they are now, live changes included.
    flags : int64 array
        flags[0] = 1 makes `Engine.advance` return after the present step.
    failure : StepFailure or None
        Why the last `Engine.advance` ended early, None when it did not fail.
    events : list of StepEvent, only of engines that tell events
        What happened since the list was last emptied; whoever calls `Engine.advance` empties it.
    """

    model: CompiledModel
    options: EngineOptions
    flags: Ints
    failure: StepFailure | None


class Engine(Protocol):
    """Turns a state at t into a state at t + h.

    The life of a run is compile -> check -> prepare -> initialise -> (advance, observe), repeated.
    """

    @property
    def name(self) -> str:
        """Name in files and options, for example ``"newmark"``."""
        ...

    @property
    def options_type(self) -> type[EngineOptions]:
        """Options of the engine; the Solve form is made from its fields."""
        ...

    def check(self, model: CompiledModel) -> list[Finding]:
        """Findings about what the engine cannot treat or would ignore."""
        ...

    def prepare(self, model: CompiledModel, options: Any, h: float, stride: int = 1) -> Any:
        """Allocate everything a run needs.

        Parameters
        ----------
        model : CompiledModel
        options : EngineOptions
            Of the engine's `options_type`.
        h : float
            Step [s].
        stride : int
            Every so many steps a frame is recorded.
        """
        ...

    def initialise(self, work: Any, start: Frame) -> tuple[State, StepReport]:
        """Make a consistent state from poses and twists of the body frames.

        Raises
        ------
        RunError
            When the joints cannot be closed or the start is singular; names the element.
        """
        ...

    def advance(self, work: Any, state: State, rows: RowBlock, n: int) -> int:
        """Make up to n steps in one compiled call, each writing its report and frame into `rows`.

        Returns the number of steps done. It is less than n when a step failed (`work.failure` tells why; state and
        rows stay at the last good step), when `rows` is full, or when `work.flags[0]` was raised.
        """
        ...

    def observe(self, work: Any, state: State, out: Frame) -> None:
        """Write poses, twists and channels of a state."""
        ...

    def set_option(self, work: Any, name: str, value: Any) -> None:
        """Change an option between two calls of `advance`.

        Raises
        ------
        OptionError
            When the option is fixed for a run or the value is not allowed.
        """
        ...

    def set_step(self, work: Any, h: float, stride: int | None = None) -> None:
        """Change the step size [s] and, if given, the number of steps between two frames."""
        ...

    def update(self, work: Any, model: CompiledModel) -> None:
        """Let the run of the state made by `initialise` go on with other numbers in a model of the same structure.

        Raises
        ------
        OptionError
            When the structure differs; nothing has changed then.
        RunError
            When the mechanism cannot be assembled with the new numbers; nothing has changed then.
        """
        ...


def engines() -> dict[str, Engine]:
    """Engines by name, in the order they are offered."""
    from linkwright.engines.lcp import LcpEngine
    from linkwright.engines.newmark import NewmarkEngine
    from linkwright.engines.tree import TreeEngine

    found: tuple[Engine, ...] = (NewmarkEngine(), TreeEngine(), LcpEngine())
    return {one.name: one for one in found}


def engine(name: str) -> Engine:
    """Find an engine by its name.

    Raises
    ------
    OptionError
        When there is none.
    """
    known = engines()
    if name not in known:
        raise OptionError(f"There is no engine {name!r}. Known: {', '.join(known)}.")
    return known[name]


def contacts_refused(model: CompiledModel) -> list[Finding]:
    """Findings of an engine that knows no contacts: one error per contact."""
    contacts = dict.fromkeys(element for element, _ in model.contacts.strips)
    return [
        Finding(
            Severity.ERROR,
            f"Contact {element!r} needs the contact engine: this one would let the bodies pass through each other.",
            element,
        )
        for element in contacts
    ]


def start_frame(model: CompiledModel) -> Frame:
    """Drawn poses and velocities of a model."""
    frame = Frame.empty(model.n_body, len(model.channel_names))
    np.copyto(frame.poses, model.poses)
    np.copyto(frame.twists, model.twists)
    return frame
