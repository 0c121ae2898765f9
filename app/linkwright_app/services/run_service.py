"""Runs of this window: start, pause, stop, and the one timer at which the window reads what was recorded."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from linkwright.document.mechanism import Mechanism
from linkwright.document.parameters import parameter_values
from linkwright.errors import LinkwrightError
from linkwright_app.services.run_entry import RunEntry, RunnerLike

if TYPE_CHECKING:
    from linkwright_app.services.document_store import Delta, DocumentStore

#: Period of the display timer [ms]; the plots follow at every second tick.
TICK_MS = 33
#: Where drawing is slow, as without a graphics card, the period grows up to this [ms].
MAX_TICK_MS = 300
#: Part of the time that drawing a run may take; the rest belongs to whoever uses the window. A slow picture is thus
#: drawn less often, so that nineteen of twenty clicks find the window idle.
DRAWING_SHARE = 0.2
#: Period while the end of a stopped run is awaited [ms].
STOP_TICK_MS = 10
#: Runs kept before the oldest that is not shown is let go.
MAX_RUNS = 12
#: Longest wait for a run to stop when the window closes or a run is reset [s].
STOP_WAIT = 2.0

ENDED = ("completed", "stopped", "failed")


def _default_runner(mechanism: Mechanism, **options: Any) -> RunnerLike:
    from linkwright.run.runner import Runner

    runner: RunnerLike = Runner(mechanism, **options)
    return runner


class RunService(QObject):
    """Owns the runs and tells the widgets, at display rate, that there is something new to read.

    Nothing crosses from the solver step by step: each tick the widgets read the slice they have not seen.
    Exactly one of ``finished`` and ``failed`` ends each run that ``started``.

    Parameters
    ----------
    document_store : DocumentStore
        Source of the mechanism; its parameter edits reach a run that is going on.
    runner_factory : callable or None
        Makes the runner from a mechanism and options; the tests give their own.
    parent : QObject or None
        Owner.
    """

    started = Signal()
    ticked = Signal()
    plot_ticked = Signal()
    paused = Signal()
    resumed = Signal()
    finished = Signal()
    failed = Signal(object)
    refused = Signal(object)
    state_changed = Signal(str)
    runs_changed = Signal()
    current_changed = Signal()
    option_changed = Signal(str)
    was_reset = Signal()

    def __init__(
        self,
        document_store: DocumentStore,
        runner_factory: Callable[..., RunnerLike] | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store = document_store
        self._make_runner = runner_factory or _default_runner
        self._runs: list[RunEntry] = []
        self._current: RunEntry | None = None
        self._live: RunEntry | None = None
        self._waiting: list[tuple[str, Mapping[str, Any]]] = []
        self._state = "idle"
        self._n_run = 0
        self._n_tick = 0
        self._seen: tuple[int, ...] = ()
        self._known_mechanism = document_store.mechanism
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setSingleShot(True)
        self._period = float(TICK_MS)
        self._tick_began = 0.0
        self._tick_due = 0.0
        # Comes when everything is done that a tick has set off, painting included.
        self._done_timer = QTimer(self)
        self._done_timer.setSingleShot(True)
        self._done_timer.timeout.connect(self._wind_up)
        self._timer.timeout.connect(self._tick)
        document_store.changed.connect(self._on_document_changed)

    # ------------------------------------------------------------------ what there is
    @property
    def runs(self) -> Sequence[RunEntry]:
        """All runs kept, oldest first."""
        return tuple(self._runs)

    @property
    def current(self) -> RunEntry | None:
        """The run whose frames the 3D view and the time slider show."""
        return self._current

    @property
    def live(self) -> RunEntry | None:
        """The run that goes on or is paused."""
        return self._live

    @property
    def is_live(self) -> bool:
        """Whether a run goes on or is paused."""
        return self._live is not None

    @property
    def state(self) -> str:
        """``idle``, ``running``, ``paused``, or ``stopping`` between a stop and its end."""
        return self._state

    @property
    def waiting(self) -> tuple[str, ...]:
        """Labels of the runs that start when this one has completed."""
        return tuple(label for label, _ in self._waiting)

    @property
    def run_a(self) -> RunEntry | None:
        """Newest run on side A."""
        return self._newest("A")

    @property
    def run_b(self) -> RunEntry | None:
        """Newest run on side B, unless side A has since moved on to another model."""
        a, b = self._newest("A"), self._newest("B")
        if a is None or b is None or b.number > a.number or a.same_problem(b):
            return b
        return None

    @property
    def baseline(self) -> RunEntry | None:
        """The A run before the newest one, drawn grey behind it while there is no B to compare with."""
        a = self.run_a
        if a is None or self.run_b is not None:
            return None
        earlier = [e for e in self._runs if e.label == "A" and e is not a and e.history.n_step]
        return earlier[-1] if earlier else None

    def _newest(self, label: str) -> RunEntry | None:
        return next((e for e in reversed(self._runs) if e.label == label), None)

    def show_run(self, entry: RunEntry | None) -> None:
        """Let the 3D view and the time slider show a run of the list, or the drawn model when None."""
        if entry is not self._current:
            self._current = entry
            self.current_changed.emit()

    # ------------------------------------------------------------------ control
    def start(self, overrides: Mapping[str, Any] | None = None, label: str = "A") -> RunEntry | None:
        """Start a run of the present model.

        Parameters
        ----------
        overrides : mapping or None
            Engine options and settings in place of the model's own, for example ``{"jacobian": "M1"}``.
        label : str
            Side of the comparison, ``"A"`` or ``"B"``.

        Returns
        -------
        entry : RunEntry or None
            None when a run is going on already, or when this one was refused; ``failed`` says why.
        """
        entry = self._prepare(overrides or {}, label)
        if entry is not None:
            entry.runner.start()
            self._begin(entry, "running")
        return entry

    def start_both(self, overrides_a: Mapping[str, Any], overrides_b: Mapping[str, Any]) -> None:
        """Run side A and, when it has completed, side B."""
        if self.start(overrides_a, "A") is not None:
            self._waiting = [("B", overrides_b)]
            self.state_changed.emit(self._state)

    def _prepare(self, overrides: Mapping[str, Any], label: str) -> RunEntry | None:
        if self._live is not None:
            return None
        mechanism = self._store.mechanism
        settings = mechanism.settings
        options = dict(overrides)
        engine = str(options.get("engine", settings.engine))
        try:
            runner = self._make_runner(mechanism, model_name=self._model_name(), **options)
            own = settings.options(engine)
        except LinkwrightError as error:
            self._waiting.clear()
            self.failed.emit(error)
            return None
        self._n_run += 1
        return RunEntry(
            label=label,
            number=self._n_run,
            mechanism=mechanism,
            variant=str(options.get("jacobian", getattr(own, "jacobian", ""))),
            options=options,
            runner=runner,
            t_end=float(options.get("t_end", settings.t_end)),
            h=float(options.get("h", settings.h)),
        )

    def _model_name(self) -> str:
        path = self._store.path
        return path.name if path is not None else self._store.mechanism.title

    def _begin(self, entry: RunEntry, state: str) -> None:
        self._known_mechanism = entry.mechanism
        self._runs.append(entry)
        self._forget_old_runs()
        self._live = self._current = entry
        self._n_tick, self._seen = 0, ()
        self._state = state
        self._period = float(TICK_MS)
        self._tick_due = time.perf_counter() + TICK_MS * 1e-3
        self._timer.start(TICK_MS)
        self.runs_changed.emit()
        self.current_changed.emit()
        self.started.emit()
        self.state_changed.emit(state)

    def pause(self) -> None:
        """Hold the run after the chunk of steps it is in."""
        if self._live is not None and self._state == "running":
            self._live.runner.pause()

    def resume(self) -> None:
        """Let a paused run go on."""
        if self._live is not None and self._state == "paused":
            self._live.runner.resume()

    def step_once(self) -> None:
        """Compute one step and hold; without a run, start one that holds after its first step."""
        if self._live is not None:
            self._live.runner.step_once()
            return
        entry = self._prepare({}, "A")
        if entry is not None:
            entry.runner.step_once()
            self._begin(entry, "paused")

    def stop(self) -> None:
        """End the run and keep its steps; runs that wait for it are dropped."""
        self._waiting.clear()
        if self._live is not None and self._state != "stopping":
            self._live.runner.stop()
            self._set_state("stopping")
            self._timer.start(STOP_TICK_MS)

    def reset(self) -> None:
        """Stop a run that goes on and go back to the start."""
        self._stop_and_wait()
        self.was_reset.emit()

    def close(self) -> bool:
        """End everything before the window goes.

        Returns
        -------
        ended : bool
            False if the solver thread did not end in time; it is a daemon and ends with the process.
        """
        ended = self._stop_and_wait()
        self._timer.stop()
        return ended

    def _stop_and_wait(self) -> bool:
        self._waiting.clear()
        entry = self._live
        if entry is None:
            return True
        entry.runner.stop()
        entry.runner.join(STOP_WAIT)
        ended = entry.state in ENDED
        if ended:
            self._tick()
        return ended

    def set_option(self, name: str, value: Any) -> None:
        """Change an option of the run that goes on, for example the terms of the iteration matrix."""
        accepted = self._request(lambda runner: runner.set_option(name, value))
        if accepted and self._live is not None and name == "jacobian":
            self._live.variant_now = str(value)
        self.option_changed.emit(name)

    def set_parameter(self, parameter_id: str, value: float) -> None:
        """Change a parameter of the run that goes on, from its next chunk of steps."""
        self._request(lambda runner: runner.set_parameter(parameter_id, value))

    def _request(self, ask: Callable[[RunnerLike], None]) -> bool:
        """Ask the run that goes on for a change; False when there is none or it refused."""
        if self._live is None or self._live.state in ENDED:
            return False
        try:
            ask(self._live.runner)
        except LinkwrightError as error:
            self.refused.emit(error)
            return False
        return True

    def remove(self, entry: RunEntry) -> None:
        """Take an ended run off the list."""
        if entry is self._live or entry not in self._runs:
            return
        self._runs.remove(entry)
        if entry is self._current:
            self.show_run(None)
        self.runs_changed.emit()

    def _forget_old_runs(self) -> None:
        shown = (self.run_a, self.run_b, self.baseline, self._current)
        for entry in [e for e in self._runs if e not in shown][: max(len(self._runs) - MAX_RUNS, 0)]:
            self._runs.remove(entry)

    # ------------------------------------------------------------------ the timer
    def _tick(self) -> None:
        entry = self._live
        if entry is None:
            return
        self._tick_began = time.perf_counter()
        # The state first: whatever was recorded before it is then certain to be read below.
        state = entry.state
        self._n_tick += 1
        seen = tuple(int(n) for n in entry.runner.recorder.counts())
        fresh = seen != self._seen
        self._seen = seen
        if state in ENDED:
            self._end(entry, state)
            return
        if state in ("running", "paused") and self._state != "stopping":
            self._set_state(state)
        if fresh:
            self.ticked.emit()
        if self._n_tick % 2 == 0:
            self._tell_plots(entry)
        # Wound up as soon as the window has drawn all this; in any case the next tick comes.
        self._done_timer.start(0)
        self._timer.start(STOP_TICK_MS if self._state == "stopping" else MAX_TICK_MS)

    def _wind_up(self) -> None:
        """Set the timer again, later where the window needs long to draw what it reads.

        What a tick costs is the time until nothing waits any more behind it, and the time it came late because
        of what the tick before it had set off.
        """
        now = time.perf_counter()
        cost_ms = (now - min(self._tick_began, self._tick_due)) * 1e3
        wanted = min(max(cost_ms / DRAWING_SHARE, TICK_MS), MAX_TICK_MS)
        self._period += 0.5 * (wanted - self._period)
        if self._state == "stopping":
            self._period = STOP_TICK_MS
        rest = max(self._period - (now - self._tick_began) * 1e3, 1.0)
        self._tick_due = now + rest * 1e-3
        self._timer.start(round(rest))

    def _tell_plots(self, entry: RunEntry) -> None:
        entry.solves.update()
        entry.evaluations.update()
        self.plot_ticked.emit()

    def _set_state(self, state: str) -> None:
        if state == self._state:
            return
        before, self._state = self._state, state
        if state == "paused":
            self.paused.emit()
        elif state == "running" and before == "paused":
            self.resumed.emit()
        self.state_changed.emit(state)

    def _end(self, entry: RunEntry, state: str) -> None:
        self._timer.stop()
        self._done_timer.stop()
        self._live = None
        self._state = "idle"
        self.ticked.emit()
        self._tell_plots(entry)
        self.runs_changed.emit()
        if state == "failed":
            self._waiting.clear()
            self.failed.emit(entry.failure)
        else:
            self.finished.emit()
        self.state_changed.emit("idle")
        if self._waiting and state == "completed" and self._live is None:
            label, overrides = self._waiting.pop(0)
            self.start(overrides, label)

    # ------------------------------------------------------------------ edits of the document
    def _on_document_changed(self, delta: Delta) -> None:
        mechanism = self._store.mechanism
        before, self._known_mechanism = self._known_mechanism, mechanism
        if delta.everything:
            self._forget_all()
            return
        if self._live is not None:
            self._follow_edit(before, mechanism)
        elif self._current is not None and not _same_drawing(self._current.mechanism, mechanism):
            self.show_run(None)
        elif self._current is None and self._runs and self._runs[-1].mechanism is mechanism:
            # Undo has brought back exactly what the newest run was made from.
            self.show_run(self._runs[-1])

    def _forget_all(self) -> None:
        """Drop every run: they belong to a document that is no longer there."""
        self._stop_and_wait()
        self._runs.clear()
        self._current = None
        self.runs_changed.emit()
        self.current_changed.emit()

    def _follow_edit(self, before: Mechanism, now: Mechanism) -> None:
        if before.parameters is not now.parameters:
            old = {p.id: p.value for p in before.parameters}
            values = parameter_values(now.parameters)
            for parameter in now.parameters:
                if parameter.id in old and old[parameter.id] != parameter.value:
                    self.set_parameter(parameter.id, values[parameter.id])
        engine = now.settings.engine
        jacobian = getattr(now.settings.options(engine), "jacobian", None)
        if jacobian != getattr(before.settings.options(engine), "jacobian", None):
            assert self._live is not None
            if self._live.label == "A":
                self.set_option("jacobian", jacobian)


def _same_drawing(a: Mechanism, b: Mechanism) -> bool:
    """Whether frames recorded for one model still show the other: bodies, places and connections alike."""
    if a is b:
        return True
    if [e.id for e in (*a.bodies, *a.joints, *a.forces)] != [e.id for e in (*b.bodies, *b.joints, *b.forces)]:
        return False
    return a.markers == b.markers and all(
        (x.position, x.orientation, x.shapes) == (y.position, y.orientation, y.shapes)
        for x, y in zip(a.bodies, b.bodies, strict=True)
    )
