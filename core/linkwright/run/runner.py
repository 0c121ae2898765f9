"""The solver thread: runs an engine in chunks of steps, obeys requests between them, keeps every good step."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from linkwright.compiler.compile import compile_mechanism
from linkwright.document.mechanism import Mechanism
from linkwright.document.settings import EngineOptions
from linkwright.engines.base import engine as find_engine
from linkwright.engines.base import start_frame
from linkwright.engines.state import Frame
from linkwright.errors import LinkwrightError, OptionError, RunError
from linkwright.findings import Severity
from linkwright.run.failure import run_error
from linkwright.run.plan import RUN_FIELDS, StepPlan, step_plan, with_parameter, with_settings
from linkwright.run.recorder import Recorder
from linkwright.run.results import Event, Results

log = logging.getLogger(__name__)

CHUNK_SECONDS = 0.015
"""Time one compiled call should take: short enough to obey a stop, long enough to cost nothing."""
MAX_CHUNK = 20_000
ENDED = ("completed", "stopped", "failed")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is.

    Attributes
    ----------
    t, t_end : float
        [s].
    steps : int
    wall_s : float
        Time spent computing [s].
    steps_per_s : float
    real_time_factor : float
        Simulated time over time spent.
    time_left : float
        Estimate [s]; infinite before the first step.
    """

    t: float
    t_end: float
    steps: int
    wall_s: float
    steps_per_s: float
    real_time_factor: float
    time_left: float


@dataclass(frozen=True, slots=True)
class _Change:
    """A change asked for by a person or a script, carried out by the solver thread between two chunks."""

    kind: str
    name: str
    value: Any

    def applied(self, mechanism: Mechanism) -> Mechanism:
        """Give the mechanism with the change in it.

        Raises
        ------
        OptionError
            When there is no such parameter or option, or the value is not allowed.
        """
        if self.kind == "parameter":
            return with_parameter(mechanism, self.name, self.value)
        return with_settings(mechanism, None, {self.name: self.value})


class Runner:
    """One run in a thread of its own; notebooks and the window use the same class.

    Parameters
    ----------
    mechanism : Mechanism
        With its settings; formulas are evaluated here.
    engine : str, optional
        In place of the model's own.
    model_name : str
        Name kept in the results.
    **options
        ``t_end``, ``h``, ``output_step`` [s] and options of the engine, in place of the model's own.

    Raises
    ------
    LinkwrightError
        When an option does not exist, a value is not allowed, or the engine cannot treat the mechanism; says why.
    """

    def __init__(
        self, mechanism: Mechanism, engine: str | None = None, *, model_name: str = "", **options: Any
    ) -> None:
        self.mechanism = with_settings(mechanism, engine, options)
        settings = self.mechanism.settings
        self.engine = find_engine(settings.engine)
        self.options = settings.options(settings.engine)
        self.plan: StepPlan = step_plan(settings)
        self.model_name = model_name
        self._accepted = self.mechanism
        self._model = compile_mechanism(self.mechanism)
        self._refuse_faults()
        self.recorder = Recorder(self._model, self.plan.stride, _longest_history(self.options))
        self.events: tuple[Event, ...] = ()
        self.failure: RunError | None = None
        self._work: Any = None
        self._state = "ready"
        self._changes: deque[_Change] = deque()
        self._wake = threading.Condition()
        self._paused = False
        self._stopping = False
        self._single_steps = 0
        self._thread: threading.Thread | None = None
        self._wall_s = 0.0
        self._t = 0.0

    def _refuse_faults(self) -> None:
        for finding in self.engine.check(self._model):
            if finding.severity is Severity.ERROR:
                raise RunError(finding.text, finding.element)

    # ------------------------------------------------------------------ asked from any thread
    @property
    def state(self) -> str:
        """``ready``, ``running``, ``paused``, ``completed``, ``stopped`` or ``failed``."""
        return self._state

    @property
    def progress(self) -> Progress:
        """How far the run is now."""
        steps, wall, t = self.recorder.counts()[0], self._wall_s, self._t
        t_end = self.mechanism.settings.t_end
        rate = steps / wall if wall > 0 else 0.0
        factor = t / wall if wall > 0 else 0.0
        left = (t_end - t) / factor if factor > 0 else float("inf")
        return Progress(t, t_end, steps, wall, rate, factor, max(left, 0.0) if t < t_end else 0.0)

    def start(self) -> None:
        """Begin computing; a run starts once."""
        self._launch()

    def _launch(self) -> None:
        with self._wake:
            if self._thread is not None:
                return
            self._thread = threading.Thread(target=self._run, name="linkwright-run", daemon=True)
            self._state = "paused" if self._paused else "running"
            self._thread.start()

    def pause(self) -> None:
        """Hold after the present chunk of steps."""
        with self._wake:
            self._paused = True
            self._interrupt()

    def resume(self) -> None:
        """Go on after a pause."""
        with self._wake:
            self._paused = False
            self._wake.notify_all()

    def step_once(self) -> None:
        """Make one step and hold; starts a run that was not started."""
        with self._wake:
            self._paused = True
            self._single_steps += 1
            self._interrupt()
        self._launch()

    def stop(self) -> None:
        """End the run; everything computed so far is kept."""
        with self._wake:
            self._stopping = True
            self._interrupt()
            if self._thread is None:
                self._state = "stopped"

    def _interrupt(self) -> None:
        """Let the compiled call return after its present step, and wake the thread; the lock is held."""
        if self._work is not None:
            self._work.flags[0] = 1
        self._wake.notify_all()

    def join(self, timeout: float | None = None) -> bool:
        """Wait for the end; False when it did not come within `timeout` seconds."""
        if self._thread is None:
            return self._state in ENDED
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def set_parameter(self, parameter_id: str, value: float) -> None:
        """Change a parameter: before the start in the model itself, else from the next chunk of steps on.

        An event marks a change on the way.

        Raises
        ------
        LinkwrightError
            When there is no such parameter, the mechanism has no meaning with that value, or the run has ended;
            nothing changes then.
        """
        self._ask(_Change("parameter", parameter_id, float(value)))

    def set_option(self, name: str, value: Any) -> None:
        """Change an option of the engine: before the start in the model itself, else from the next chunk of steps on.

        An event marks a change on the way.

        Raises
        ------
        LinkwrightError
            When there is no such option, the value is not allowed, or the run has ended; nothing changes then.
        """
        if name in RUN_FIELDS:
            raise OptionError(f"The option {name!r} cannot change while a run goes on. Start a new run.")
        self._ask(_Change("option", name, value))

    def _ask(self, change: _Change) -> None:
        """Queue a change that has a meaning on top of those that wait already."""
        with self._wake:
            if self._state in ENDED:
                raise OptionError("The run has ended: nothing can change in it any more. Start a new run.")
            wanted = self._accepted
            for waiting in (*self._changes, change):
                wanted = waiting.applied(wanted)
            if change.kind == "parameter":
                compile_mechanism(wanted)
            self._changes.append(change)
            self._interrupt()

    def result(self) -> Results:
        """What was recorded up to now; of a run that has ended, all of it."""
        ended = self._state if self._state in ENDED else "stopped"
        return Results.of_recorder(
            self.recorder,
            self.mechanism,
            model_name=self.model_name,
            engine=self.engine.name,
            ended=ended,
            message=self._message(ended),
            wall_s=self._wall_s,
            events=self.events,
        )

    def _message(self, ended: str) -> str:
        if self.failure is not None:
            return self.failure.message
        steps = self.recorder.counts()[0]
        if ended == "completed":
            return f"Completed {steps} steps in {self._wall_s:.3g} s."
        return f"Stopped at t = {self._t:.6g} s after {steps} steps."

    # ------------------------------------------------------------------ the solver thread
    def _run(self) -> None:
        try:
            ended = self._compute()
        except LinkwrightError as error:
            step = self.recorder.counts()[0] + 1
            failure = (
                error
                if isinstance(error, RunError)
                else RunError(error.message, error.element, step, self._t)
            )
            ended = self._fail(failure)
        except Exception as error:  # whatever goes wrong ends this run, never the program
            log.exception("A run ended by a fault of the program")
            text = f"The run ended by a fault of the program ({type(error).__name__}: {error}). The log tells more."
            ended = self._fail(RunError(text, None, self.recorder.counts()[0] + 1, self._t))
        self.recorder.publish()
        self._state = ended

    def _fail(self, failure: RunError) -> str:
        self.failure = failure
        self._note("failure", failure.element, {"step": failure.step, "message": failure.message})
        return "failed"

    def _note(self, kind: str, element: str | None, values: dict[str, Any]) -> None:
        self.events = (*self.events, Event(self._t, kind, element, values))

    def _begin_with_changes(self) -> None:
        """Take what was changed before the start into the model, so that the first frame and the results show it."""
        with self._wake:
            changes = tuple(self._changes)
            self._changes.clear()
            for change in changes:
                self._accepted = change.applied(self._accepted)
        if not changes:
            return
        self.mechanism = self._accepted
        self._model = compile_mechanism(self.mechanism)
        self._refuse_faults()
        settings = self.mechanism.settings
        self._take_options(settings.options(settings.engine))

    def _compute(self) -> str:
        self._begin_with_changes()
        work = self.engine.prepare(self._model, self.options, self.plan.h, self.plan.stride)
        with self._wake:
            self._work = work
        state, _ = self.engine.initialise(work, start_frame(self._model))
        frame = Frame.empty(self._model.n_body, len(self.recorder.channel_names))
        self.engine.observe(work, state, frame)
        self.recorder.append_frame(frame)
        self.recorder.publish()
        # a call for no steps loads the compiled code, so that the time of a step is the time of a step
        self.engine.advance(work, state, self.recorder.room(), 0)
        chunk = 1
        while self._n_left() > 0:
            n, single = self._obey(min(chunk, self._n_left()))
            if n == 0:
                self._last_frame(work, state, frame)
                return "stopped"
            began = time.perf_counter()
            done = self._advance(work, state, n)
            spent = time.perf_counter() - began
            self._wall_s += spent
            if single and done > 0:
                with self._wake:
                    self._single_steps = max(self._single_steps - 1, 0)
            elif done == n >= chunk:
                chunk = _next_chunk(chunk, spent)
        self._last_frame(work, state, frame)
        return "completed"

    def _n_left(self) -> int:
        return self.plan.n_step - self.recorder.counts()[0]

    def _advance(self, work: Any, state: Any, n: int) -> int:
        """Make up to n steps; gives the number done.

        Raises
        ------
        RunError
            When a step failed.
        """
        n_before_last = self.plan.n_full - self.recorder.counts()[0]
        if n_before_last == 0:
            self.engine.set_step(work, self.plan.h_last)
        else:
            n = min(n, n_before_last)
        done = self.engine.advance(work, state, self.recorder.room(), n)
        self._t = float(state.t)
        self.recorder.publish()
        self._take_events(work)
        if work.failure is not None:
            frame = Frame.empty(self._model.n_body, len(self.recorder.channel_names))
            self._last_frame(work, state, frame)
            raise run_error(work.failure, self.mechanism, self.options)
        if done == 0 and n > 0 and work.flags[0] == 0:
            raise RuntimeError("the engine made no step and gave no reason")
        return done

    def _take_events(self, work: Any) -> None:
        """Keep what the engine tells of the steps just made, for example impacts."""
        told = getattr(work, "events", None)
        if told:
            found = tuple(Event(e.t, e.kind, e.element, e.values) for e in told)
            self.events = (*self.events, *found)
            told.clear()

    def _last_frame(self, work: Any, state: Any, frame: Frame) -> None:
        """Record the last state even where no frame was due."""
        latest = self.recorder.latest_frame()
        if latest is None or latest[0] < state.t:
            self.engine.observe(work, state, frame)
            self.recorder.append_frame(frame)
            self.recorder.publish()

    def _obey(self, n: int) -> tuple[int, bool]:
        """Carry out requests, wait while paused; gives the steps to make, 0 to stop, and if it is a single one."""
        while True:
            with self._wake:
                self._work.flags[0] = 0
                if self._stopping:
                    return 0, False
                change = self._changes.popleft() if self._changes else None
                if change is None and (not self._paused or self._single_steps > 0):
                    if self._paused:
                        return 1, True
                    self._state = "running"
                    self._single_steps = 0
                    return n, False
                if change is None:
                    self._state = "paused"
                    self._wake.wait()
                    continue
            self._carry_out(change)

    def _carry_out(self, change: _Change) -> None:
        """Apply a change that was asked for; one the engine refuses is noted and leaves nothing behind."""
        values = {"value": change.value}
        try:
            mechanism = change.applied(self._accepted)
            if change.kind == "parameter":
                self.engine.update(self._work, compile_mechanism(mechanism))
            else:
                self.engine.set_option(self._work, change.name, change.value)
                self._take_options(self._work.options)
            with self._wake:
                self._accepted = mechanism
        except LinkwrightError as error:
            log.warning("A change during the run was refused: %s", error.message)
            values["refused"] = error.message
        self._note(change.kind, change.name, values)

    def _take_options(self, options: EngineOptions) -> None:
        self.options = options
        self.recorder.max_history = _longest_history(options)


def _longest_history(options: EngineOptions) -> int:
    """Number of residuals a step can report."""
    return int(getattr(options, "max_iterations", 1)) + 1


def _next_chunk(chunk: int, spent: float) -> int:
    """Steps for the next call, from the time the last one took; grows by at most four times."""
    fitting = chunk * CHUNK_SECONDS / max(spent, 1e-9)
    return max(1, min(int(fitting), 4 * chunk, MAX_CHUNK))


def run_to_end(runner: Runner, on_progress: Callable[[Progress], None] | None = None) -> Results:
    """Start a run and wait for its end; an interrupt from the keyboard stops it and keeps its steps."""
    runner.start()
    try:
        while not runner.join(0.1):
            if on_progress is not None:
                on_progress(runner.progress)
    except KeyboardInterrupt:
        runner.stop()
        runner.join()
    return runner.result()
