"""Entry of the desktop program: the window is painted first, then everything heavy is imported, a turn at a time."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from linkwright_app.settings import Settings

_IMPORTED = time.perf_counter()

EXIT_BAD_INPUT = 2


def _process_age() -> float:
    """Seconds since the process began; since this module was imported where the system does not tell."""
    try:
        started = float(Path("/proc/self/stat").read_text(encoding="ascii").rpartition(")")[2].split()[19])
        up = float(Path("/proc/uptime").read_text(encoding="ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return time.perf_counter() - _IMPORTED
    return up - started / os.sysconf("SC_CLK_TCK")


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="linkwright-app", description="The Linkwright window.")
    parser.add_argument("model", nargs="?", help="model file or id of a sample to open")
    parser.add_argument(
        "--reset", action="store_true", help="forget all preferences, layouts and recent files first"
    )
    parser.add_argument(
        "--safe-graphics",
        action="store_true",
        help="draw the 3D view off screen, for drivers that fail otherwise",
    )
    parser.add_argument(
        "--measure-first-paint", action="store_true", help="print the seconds until the first paint, and end"
    )
    parser.add_argument(
        "--draw-picture", nargs=4, metavar=("MODEL", "PNG", "THEME", "SIZE"), help=argparse.SUPPRESS
    )
    return parser.parse_args(argv)


def refused_pair(qt_version: str, python: tuple[int, int]) -> str:
    """Say why this Qt binding cannot be used with this Python; empty when it can.

    PySide6 6.12.0 drops a reference to None at every call that returns None; Python 3.11 aborts after some thousands.
    """
    if qt_version == "6.12.0" and python == (3, 11):
        return (
            "Linkwright cannot run with PySide6 6.12.0 on Python 3.11: the window would abort after a short while. "
            "Install another version with: python -m pip install 'PySide6-Essentials!=6.12.0'"
        )
    return ""


def no_display() -> str:
    """Say that there is no screen to open a window on; empty when there is one."""
    if not sys.platform.startswith("linux") or os.environ.get("QT_QPA_PLATFORM"):
        return ""
    if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        return ""
    return "There is no display to open a window on. 'linkwright run MODEL' computes without one."


def _apply_text_scale(settings: Settings) -> None:
    """Scale the whole interface; Qt reads the factor when the application is made."""
    given = float(os.environ.get("QT_SCALE_FACTOR") or 1.0)
    if settings.text_scale != 100:
        os.environ["QT_SCALE_FACTOR"] = str(given * settings.text_scale / 100.0)


def main(argv: Sequence[str] | None = None) -> int:
    """Open the window and stay until it is closed.

    Parameters
    ----------
    argv : sequence of str or None
        Arguments without the program's name; None takes those of the process.

    Returns
    -------
    code : int
        Exit code: 0 done, 1 failed, 2 the window cannot be opened here.
    """
    options = _arguments(argv)
    import PySide6

    refusal = refused_pair(PySide6.__version__, sys.version_info[:2]) or no_display()
    if refusal:
        sys.stderr.write(refusal + "\n")
        return EXIT_BAD_INPUT
    if options.draw_picture:
        return _draw_picture(*options.draw_picture)

    from PySide6.QtCore import QCoreApplication
    from PySide6.QtWidgets import QApplication

    from linkwright_app.settings import Settings

    QCoreApplication.setOrganizationName("Linkwright")
    QCoreApplication.setApplicationName("Linkwright")
    settings = Settings()
    if options.reset:
        settings.reset()
    if options.safe_graphics:
        settings.safe_graphics = True
    _apply_text_scale(settings)

    from linkwright_app.viewport.surface import set_surface_format

    set_surface_format()
    application = QApplication(sys.argv[:1])
    application.setApplicationDisplayName("Linkwright")

    from linkwright_app import translation
    from linkwright_app.window import icons, theme
    from linkwright_app.window.log_panel import start_logging
    from linkwright_app.window.main_window import MainWindow

    translation.install(application)
    theme.current().start(settings.theme)
    application.setWindowIcon(icons.icon("logo", "accent", size=64))
    window = MainWindow(settings, start_logging())
    if options.measure_first_paint:
        window.first_painted.connect(lambda: _report_first_paint(application))
    else:
        from linkwright_app.startup import Startup, install_hooks

        install_hooks(window)
        startup = Startup(window, options.model)
        window.first_painted.connect(startup.begin)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    window.show()
    return application.exec()


def _report_first_paint(application: object) -> None:
    from PySide6.QtCore import QCoreApplication

    sys.stdout.write(f"{_process_age():.3f}\n")
    sys.stdout.flush()
    QCoreApplication.quit()


def _draw_picture(model: str, target: str, theme_name: str, size: str) -> int:
    """Draw the picture of a model file, for the welcome page of another process."""
    width, height = (int(part) for part in size.split("x"))
    from linkwright.errors import LinkwrightError
    from linkwright.files import model_file
    from linkwright_app.viewport.picture import save_picture

    try:
        save_picture(model_file.load(Path(model)), Path(target), size=(width, height), theme=theme_name)
    except LinkwrightError as error:
        sys.stderr.write(error.message + "\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
