"""Runs made of given numbers, so that the window is tested without a solver.

`ScriptedRun` holds all rows of a run before it starts; `ScriptedRunner` publishes them from a thread of its own, at a
chosen speed, the way a solver does.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from pytestqt.qtbot import QtBot

from linkwright.document.bodies import Body, MassGiven
from linkwright.document.commands import Batch, SetField
from linkwright.document.mechanism import Mechanism
from linkwright.document.parameters import Parameter
from linkwright.document.settings import NewmarkOptions, Settings
from linkwright.elements.forces.loads import AppliedForce
from linkwright.elements.forces.sda import Sda
from linkwright.errors import RunError
from linkwright_app.services.document_store import DocumentStore
from linkwright_app.services.run_entry import RunEntry, RunnerLike
from linkwright_app.services.run_service import RunService
from linkwright_app.services.time_cursor import TimeCursor

FloatArray = NDArray[np.float64]

STEP_COLUMNS = ("t", "h", "evaluations", "solves", "retries")
ENERGIES = (
    "kinetic",
    "gravity",
    "springs",
    "total",
    "force_work",
    "damper_loss",
    "actuator_work",
    "balance_error",
)


def slider_crank() -> Mechanism:
    """Two links and a slider with a spring between the links, without joints: only names and settings matter."""
    mass = MassGiven(mass=50.0, inertia=(1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
    return Mechanism(
        title="Slider-crank with spring",
        gravity=(0.0, 0.0, 0.0),
        parameters=(Parameter(id="k", value=2e4, unit="N/m"), Parameter(id="c", value=1e3, unit="N s/m")),
        bodies=(
            Body(id="link1", name="Crank", mass=mass),
            Body(id="link2", name="Rod", mass=mass),
            Body(id="slider", name="Slider", mass=mass),
        ),
        forces=(
            Sda(id="s1", name="S1", i="link1", j="link2", stiffness="=k", damping="=c"),
            AppliedForce(id="f1", name="F1", at="slider", vector=(1000.0, 0.0, 0.0)),
        ),
        settings=Settings(
            t_end=1.0,
            h=0.01,
            newmark=NewmarkOptions(jacobian="M1+M2+M3", tolerance_abs=1e-7, tolerance_rel=0.0),
        ),
    )


@dataclass
class ScriptedRun:
    """All numbers of a run.

    `steps` is (n_step, 5) in the order of `STEP_COLUMNS`, `poses` (n_frame, n_body, 7), `twists` (n_frame, n_body, 6);
    frame 0 is the start, frame n the end of step n.
    """

    steps: FloatArray
    residuals: list[FloatArray]
    frame_t: FloatArray
    poses: FloatArray
    twists: FloatArray
    channels: dict[str, FloatArray]
    units: dict[str, str]
    body_ids: tuple[str, ...]
    failure: RunError | None = None


def spring_slider_crank(variant: str, n_step: int = 100, h: float = 0.01) -> ScriptedRun:
    """Motion of the slider-crank from its equation with one freedom, by Runge-Kutta steps of a tenth of `h`.

    (130 + 416 s^2) th'' + 416 s co th'^2 = 2 s f - 4 F s with s = sin th, co = cos th, f = k (l - l0) + c l',
    l = 2 co (derivation of the SDA reference, section 8). Iterations and residuals are made up: two per step with the
    whole matrix, seven that become five or six without.
    """
    k, c, push = 2e4, 1e3, 1000.0
    l0 = 2.0 * np.cos(np.pi / 4)

    def slope(y: FloatArray) -> FloatArray:
        th, w = y[0], y[1]
        s, co = np.sin(th), np.cos(th)
        f = k * (2 * co - l0) + c * (-2 * s * w)
        return np.array(
            [w, (2 * s * f - 4 * push * s - 416 * s * co * w**2) / (130 + 416 * s**2), c * (2 * s * w) ** 2]
        )

    y = np.array([np.pi / 4, 0.0, 0.0])
    rows = [y]
    small = h / 10
    for _ in range(n_step):
        for _ in range(10):
            k1 = slope(y)
            k2 = slope(y + small / 2 * k1)
            k3 = slope(y + small / 2 * k2)
            k4 = slope(y + small * k3)
            y = y + small / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        rows.append(y)
    th, w, loss = np.array(rows).T
    s, co = np.sin(th), np.cos(th)
    t: FloatArray = np.arange(n_step + 1, dtype=np.float64) * h
    poses = np.zeros((n_step + 1, 3, 7))
    poses[:, 0, 0], poses[:, 0, 1] = co, s
    poses[:, 1, 0], poses[:, 1, 1] = 3 * co, s
    poses[:, 2, 0] = 4 * co
    poses[:, 0, 3], poses[:, 0, 6] = np.cos(th / 2), np.sin(th / 2)
    poses[:, 1, 3], poses[:, 1, 6] = np.cos(th / 2), -np.sin(th / 2)
    poses[:, 2, 3] = 1.0
    twists = np.zeros((n_step + 1, 3, 6))
    twists[:, 0, 0], twists[:, 0, 1], twists[:, 0, 5] = -s * w, co * w, w
    twists[:, 1, 0], twists[:, 1, 1], twists[:, 1, 5] = -3 * s * w, co * w, -w
    twists[:, 2, 0] = -4 * s * w
    kinetic = 0.5 * (130 + 416 * s**2) * w**2
    springs = 0.5 * k * (2 * co - l0) ** 2
    work = push * 4 * (co - co[0])
    energy = {
        "kinetic": kinetic,
        "gravity": np.zeros_like(t),
        "springs": springs,
        "total": kinetic + springs,
        "force_work": work,
        "damper_loss": loss,
        "actuator_work": np.zeros_like(t),
        "balance_error": kinetic + springs + loss - work,
    }
    channels = {f"energy.{name}": energy[name] for name in ENERGIES}
    units = dict.fromkeys(channels, "J")
    channels |= {
        "constraint.position": 1e-14 * (1 + 0.5 * np.sin(40 * t)),
        "constraint.velocity": 1e-10 * (1 + 0.5 * np.cos(40 * t)),
        "s1.length": 2 * co,
        "s1.rate": -2 * s * w,
        "s1.force": k * (2 * co - l0) - 2 * c * s * w,
        "s1.spring_force": k * (2 * co - l0),
    }
    units |= {
        "constraint.position": "",
        "constraint.velocity": "",
        "s1.length": "m",
        "s1.rate": "m/s",
        "s1.force": "N",
        "s1.spring_force": "N",
    }
    full = variant == "M1+M2+M3"
    solves = np.full(n_step, 2) if full else np.where(np.arange(n_step) < n_step // 5, 7, 6)
    if not full:
        solves[int(0.25 * n_step)] = 5
    residuals = [
        np.array([40.0, 1e-4, 4e-12]) if full else 40.0 * 0.031 ** np.arange(n + 1.0) for n in solves
    ]
    steps = np.column_stack([t[1:], np.full(n_step, h), solves + 1, solves, np.zeros(n_step)])
    return ScriptedRun(steps, residuals, t, poses, twists, channels, units, ("link1", "link2", "slider"))


class ScriptedRecorder:
    """Publishes the rows of a `ScriptedRun` up to a number of steps."""

    def __init__(self, run: ScriptedRun) -> None:
        self.run = run
        self.n_step = 0
        self.step_columns = STEP_COLUMNS
        self.channel_names = tuple(run.channels)
        self.channel_units = tuple(run.units[name] for name in run.channels)
        self.body_ids = run.body_ids
        self._n_residual = np.cumsum([len(r) for r in run.residuals])

    def counts(self) -> tuple[int, int, int]:
        n = self.n_step
        return n, int(self._n_residual[n - 1]) if n else 0, n + 1

    def _part(self, rows: FloatArray, n: int, start: int, stop: int | None) -> FloatArray:
        return rows[start : n if stop is None else min(stop, n)]

    def steps(self, start: int = 0, stop: int | None = None) -> FloatArray:
        return self._part(self.run.steps, self.n_step, start, stop)

    def frame_t(self, start: int = 0, stop: int | None = None) -> FloatArray:
        return self._part(self.run.frame_t, self.n_step + 1, start, stop)

    def poses(self, start: int = 0, stop: int | None = None) -> FloatArray:
        return self._part(self.run.poses, self.n_step + 1, start, stop)

    def twists(self, start: int = 0, stop: int | None = None) -> FloatArray:
        return self._part(self.run.twists, self.n_step + 1, start, stop)

    def channel(self, name: str, start: int = 0, stop: int | None = None) -> FloatArray:
        return self._part(self.run.channels[name], self.n_step + 1, start, stop)

    def residuals_of(self, step: int) -> FloatArray:
        return self.run.residuals[step]


@dataclass
class ScriptedRunner:
    """Runs a script from a thread.

    Parameters
    ----------
    script : ScriptedRun
        What to publish.
    mechanism : Mechanism
        What it claims to have run.
    options : dict
        Options it was made with.
    steps_per_s : float
        Publishing speed; infinite publishes all at once.
    hold_at : int or None
        Number of steps at which it goes on living without publishing more.
    """

    script: ScriptedRun
    mechanism: Mechanism
    options: dict[str, Any]
    steps_per_s: float = np.inf
    hold_at: int | None = None
    state: str = "ready"
    failure: RunError | None = None
    events: list[SimpleNamespace] = field(default_factory=list)
    requests: list[tuple[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.recorder = ScriptedRecorder(self.script)
        self._go = threading.Event()
        self._stop = threading.Event()
        self._single = 0
        self._thread = threading.Thread(target=self._work, daemon=True)

    @property
    def progress(self) -> SimpleNamespace:
        n = self.recorder.n_step
        t = float(self.script.frame_t[n])
        t_end = float(self.script.frame_t[-1])
        speed = self.steps_per_s if np.isfinite(self.steps_per_s) else 1e5
        h = t_end / max(len(self.script.steps), 1)
        return SimpleNamespace(
            t=t,
            t_end=t_end,
            steps=n,
            wall_s=n / speed,
            steps_per_s=speed,
            real_time_factor=speed * h,
            time_left=(t_end - t) / (speed * h),
        )

    def _work(self) -> None:
        n_step = len(self.script.steps)
        while self.recorder.n_step < n_step and not self._stop.is_set():
            if not self._go.is_set() and self._single == 0:
                self.state = "paused"
                self._go.wait(0.005)
                continue
            self.state = "running" if self._go.is_set() else "paused"
            if self.hold_at is not None and self.recorder.n_step >= self.hold_at:
                self._stop.wait(0.005)
                continue
            if np.isfinite(self.steps_per_s):
                chunk = max(int(self.steps_per_s * 0.005), 1)
                time.sleep(chunk / self.steps_per_s)
            else:
                chunk = n_step
            if self._single and not self._go.is_set():
                chunk, self._single = 1, self._single - 1
            limit = n_step if self.hold_at is None else self.hold_at
            self.recorder.n_step = min(self.recorder.n_step + chunk, limit)
        if self._stop.is_set() and self.recorder.n_step < n_step:
            self.state = "stopped"
        elif self.script.failure is not None:
            self.failure = self.script.failure
            self.events.append(
                SimpleNamespace(t=self.failure.t, kind="failure", element=self.failure.element, values={})
            )
            self.state = "failed"
        else:
            self.state = "completed"

    def start(self) -> None:
        self.state = "running"
        self._go.set()
        self._thread.start()

    def pause(self) -> None:
        self._go.clear()

    def resume(self) -> None:
        self._go.set()

    def step_once(self) -> None:
        self._single += 1
        self._go.clear()
        if not self._thread.is_alive():
            self.state = "paused"
            self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if not self._thread.is_alive() and self.state == "ready":
            self.state = "stopped"

    def join(self, timeout: float | None = None) -> bool:
        if self._thread.is_alive():
            self._thread.join(timeout)
        return not self._thread.is_alive()

    def set_parameter(self, parameter_id: str, value: float) -> None:
        self.requests.append((parameter_id, value))
        t = float(self.script.frame_t[self.recorder.n_step])
        self.events.append(
            SimpleNamespace(t=t, kind="parameter", element=parameter_id, values={"value": value})
        )

    def set_option(self, name: str, value: Any) -> None:
        self.requests.append((name, value))
        t = float(self.script.frame_t[self.recorder.n_step])
        self.events.append(SimpleNamespace(t=t, kind="option", element=name, values={"value": value}))

    def result(self) -> SimpleNamespace:
        n = self.recorder.n_step
        return SimpleNamespace(
            solves=self.script.steps[:n, 3].astype(int),
            iterations=self.script.steps[:n, 2].astype(int),
            step_t=self.script.steps[:n, 0],
            poses=self.script.poses[: n + 1],
            ended=self.state,
        )


class ScriptedFactory:
    """Makes runners; what they publish and how fast can be set before each start."""

    def __init__(self) -> None:
        self.steps_per_s = np.inf
        self.hold_at: int | None = None
        self.script: Callable[[str], ScriptedRun] = spring_slider_crank
        self.made: list[ScriptedRunner] = []

    def __call__(self, mechanism: Mechanism, **options: Any) -> RunnerLike:
        variant = options.get("jacobian", mechanism.settings.newmark.jacobian)
        runner = ScriptedRunner(self.script(variant), mechanism, options, self.steps_per_s, self.hold_at)
        self.made.append(runner)
        return runner


@pytest.fixture
def scripted() -> Iterator[ScriptedFactory]:
    """Factory of scripted runs; whatever still runs at the end of the test is stopped."""
    factory = ScriptedFactory()
    yield factory
    for runner in factory.made:
        runner.stop()
        runner.join(2.0)


@pytest.fixture
def spring_model() -> Mechanism:
    """The slider-crank the scripted runs are about."""
    return slider_crank()


@dataclass
class Desk:
    """The services of a window, with scripted runs."""

    store: DocumentStore
    runs: RunService
    cursor: TimeCursor
    scripted: ScriptedFactory


@pytest.fixture
def desk(qtbot: QtBot, scripted: ScriptedFactory, spring_model: Mechanism) -> Iterator[Desk]:
    """Services around the spring model; runs still going at the end are closed."""
    store = DocumentStore()
    store.do(
        Batch(
            "start",
            tuple(SetField(None, f, getattr(spring_model, f)) for f in type(spring_model).model_fields),
        )
    )
    runs = RunService(store, scripted)
    yield Desk(store, runs, TimeCursor(runs), scripted)
    runs.close()


def finish(desk: Desk, qtbot: QtBot, overrides: dict[str, Any] | None = None, label: str = "A") -> RunEntry:
    """Run to the end."""
    with qtbot.waitSignal(desk.runs.finished, timeout=5000):
        entry = desk.runs.start(overrides, label)
    assert entry is not None
    return entry


@pytest.fixture
def run_to_end(desk: Desk, qtbot: QtBot) -> Callable[..., RunEntry]:
    """Function that runs to the end and gives the entry: ``run_to_end({"jacobian": "M1"}, "B")``."""

    def run(overrides: dict[str, Any] | None = None, label: str = "A") -> RunEntry:
        return finish(desk, qtbot, overrides, label)

    return run
