"""What the card over the 3D view says while a run goes on: how far, how fast, how long yet."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from linkwright_app.services.run_entry import RunEntry


@dataclass(frozen=True)
class RunCardText:
    """What the card says.

    Parameters
    ----------
    title, place : str
        Upper line, left and right.
    share : float
        Part of the simulated time that is done, 0 to 1.
    rows : tuple of (str, str)
        Lines under the bar, left and right.
    """

    title: str
    place: str
    share: float
    rows: tuple[tuple[str, str], ...]


def _tr(text: str) -> str:
    return QCoreApplication.translate("RunCard", text)


def duration(seconds: float) -> str:
    """Write a time span as somebody waits for it: ``0.27 s``, ``12 s``, ``3 min 5 s``."""
    if not 0.0 <= seconds < 1e7:
        return "–"
    if seconds < 10.0:
        return _tr("{0} s").format(f"{seconds:.2f}")
    if seconds < 60.0:
        return _tr("{0} s").format(f"{seconds:.0f}")
    if seconds < 3600.0:
        return _tr("{0} min {1} s").format(int(seconds // 60), int(seconds % 60))
    return _tr("{0} h {1} min").format(int(seconds // 3600), int(seconds % 3600 // 60))


def _rate(value: float) -> str:
    return f"{value:.3g}" if value < 1000.0 else f"{value:,.0f}".replace(",", "\u202f")


def run_card_text(entry: RunEntry) -> RunCardText:
    """Put together what is to be said about a run that goes on."""
    progress = entry.runner.progress
    history = entry.history
    n = history.n_step
    last = int(history.step_column("solves", n - 1, n)[0]) if n else 0
    retries = entry.solves.retries
    variant = _tr("{0} only").format("M1") if entry.variant_now == "M1" else entry.variant_now
    title = _tr("Run {0}  ·  {1}").format(entry.label, variant)
    if entry.state == "paused":
        title = _tr("Run {0}  ·  paused").format(entry.label)
    rows = [
        (
            _tr("{0} steps/s").format(_rate(progress.steps_per_s)),
            _tr("real time ×{0}").format(_rate(progress.real_time_factor)),
        ),
        (_tr("time left"), duration(progress.time_left)),
        (_tr("iterations, last step"), str(last)),
    ]
    if retries:
        rows.append((_tr("retries"), str(retries)))
    return RunCardText(
        title=title,
        place=_tr("step {0} of {1}").format(_rate(n), _rate(entry.n_step_planned)),
        share=min(max(progress.t / progress.t_end, 0.0), 1.0) if progress.t_end > 0.0 else 0.0,
        rows=tuple(rows),
    )
