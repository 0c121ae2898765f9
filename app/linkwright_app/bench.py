"""What the window costs: how steadily it answers while a run goes on at full speed, and how soon it is there."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtWidgets import QApplication

from linkwright_app.services.run_history import FloatArray

SAMPLE = "slider-crank-sda"
BEAT_MS = 5
GUI_SECONDS = 4.0
N_START = 5
_START_TIMEOUT = 60.0
#: A run that outlasts every measurement; the constants give the damping that long runs of index-3 equations need.
ENDLESS = {"t_end": 1e5, "h": 1e-3, "beta": 0.3025, "gamma": 0.6}

Row = dict[str, Any]


def _row(case: str, size: int, variant: str, value: float) -> Row:
    return {
        "case": case,
        "size": size,
        "variant": variant,
        "unit": "s",
        "value": value,
        "peer": None,
        "peer_value": None,
        "ratio": None,
    }


def _wait(milliseconds: float) -> None:
    loop = QEventLoop()
    QTimer.singleShot(int(milliseconds), loop.quit)
    loop.exec()


def beats_during(seconds: float) -> FloatArray:
    """Intervals at which a timer of 5 ms really came while the event loop ran : (n,) [s]."""
    times: list[float] = []
    timer = QTimer()
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.setInterval(BEAT_MS)
    timer.timeout.connect(lambda: times.append(time.perf_counter()))
    timer.start()
    _wait(seconds * 1e3)
    timer.stop()
    return np.diff(times)


def _window(folder: Path) -> Any:
    """Make the whole window with all panels, showing the sample in the Solve stage."""
    from linkwright_app.settings import Settings
    from linkwright_app.startup import Startup
    from linkwright_app.window import theme
    from linkwright_app.window.log_panel import start_logging
    from linkwright_app.window.main_window import MainWindow

    theme.current().start("dark")
    window = MainWindow(Settings(folder / "settings.ini"), start_logging())
    window.resize(1680, 1050)
    startup = Startup(window, SAMPLE)
    loop = QEventLoop()
    startup.done.connect(loop.quit)
    window.first_painted.connect(startup.begin)
    window.show()
    loop.exec()
    window.set_stage(1)
    return window


def _run_to_end(service: Any, overrides: dict[str, Any]) -> None:
    loop = QEventLoop()
    service.finished.connect(loop.quit)
    service.failed.connect(loop.quit)
    if service.start(overrides) is not None:
        loop.exec()
    service.finished.disconnect(loop.quit)
    service.failed.disconnect(loop.quit)


def gui_bench(seconds: float = GUI_SECONDS) -> list[Row]:
    """Measure the intervals of a 5 ms timer in the whole window during a run at full speed.

    Parameters
    ----------
    seconds : float
        How long to look [s].

    Returns
    -------
    rows : list of dict
        Percentiles of the intervals, and how long a stop took to be obeyed, in the form of `linkwright bench`.
    """
    application = QApplication.instance()
    if application is None:
        from linkwright_app.viewport.surface import set_surface_format

        set_surface_format()
        application = QApplication(sys.argv[:1])
    with tempfile.TemporaryDirectory(prefix="linkwright-bench-") as folder:
        window = _window(Path(folder))
        session = window.session
        service = session.run_service
        # A first short run, so that compiling kernels is not part of what is measured.
        _run_to_end(service, {})
        size = len(session.store.mechanism.bodies)
        service.start(ENDLESS)
        _wait(500)
        intervals = beats_during(seconds)
        speed = service.live.runner.progress.steps_per_s if service.live is not None else 0.0
        began = time.perf_counter()
        loop = QEventLoop()
        service.finished.connect(loop.quit)
        service.stop()
        if service.is_live:
            loop.exec()
        stopped = time.perf_counter() - began
        session.store.undo()
        window.close()
        _wait(50)
    rows = [
        _row(SAMPLE, size, f"gui-timer-p{percent}", float(np.percentile(intervals, percent)))
        for percent in (50, 95, 99)
    ]
    rows.append(_row(SAMPLE, size, "gui-timer-max", float(intervals.max())))
    rows.append(_row(SAMPLE, size, "stop", stopped))
    rows.append({**_row(SAMPLE, size, "gui-run", 1e6 / speed if speed else float("nan")), "unit": "us/step"})
    return rows


def start_bench(n: int = N_START) -> list[Row]:
    """Measure the time from the start of the program to its first painted window.

    Parameters
    ----------
    n : int
        Number of starts.

    Returns
    -------
    rows : list of dict
        The first start, which may find nothing in the file cache, and the median of the others.

    Raises
    ------
    RuntimeError
        When the program does not start; carries what it said.
    """
    seconds = []
    for _ in range(n):
        done = subprocess.run(
            [sys.executable, "-m", "linkwright_app.main", "--measure-first-paint"],
            capture_output=True,
            text=True,
            timeout=_START_TIMEOUT,
            check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(f"The window did not start: {done.stderr.strip()}")
        seconds.append(float(done.stdout.strip().splitlines()[-1]))
    return [
        _row("first-paint", 1, "first", seconds[0]),
        _row("first-paint", 1, "warm", float(np.median(seconds[1:] or seconds))),
    ]
