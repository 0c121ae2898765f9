"""Commands of the ``linkwright`` command line that need the window's packages; found there by entry point."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from linkwright.errors import LinkwrightError

if TYPE_CHECKING:
    from linkwright.document.mechanism import Mechanism


def app(model: str | None) -> int:
    """Open the window on a model file; gives the exit code."""
    from linkwright_app.main import main

    return main([] if model is None else ["--", model])


def picture(mechanism: Mechanism, file: Path, size: tuple[int, int], theme: str) -> None:
    """Draw a mechanism into a picture file, without a window.

    Raises
    ------
    FileError
        When the file cannot be written.
    """
    from linkwright_app.viewport.picture import save_picture

    save_picture(mechanism, file, size, theme, glyphs=True)


def bench_gui() -> list[dict[str, Any]]:
    """Measure how steadily the window answers during a run at full speed.

    Raises
    ------
    LinkwrightError
        When there is no display to open a window on.
    """
    from linkwright_app.bench import gui_bench

    _need_display()
    return gui_bench()


def bench_start() -> list[dict[str, Any]]:
    """Measure the time until the first window is painted.

    Raises
    ------
    LinkwrightError
        When the window does not start.
    """
    from linkwright_app.bench import start_bench

    _need_display()
    try:
        return start_bench()
    except RuntimeError as error:
        raise LinkwrightError(str(error)) from error


def _need_display() -> None:
    from linkwright_app.main import no_display

    refusal = no_display()
    if refusal:
        raise LinkwrightError(refusal)
