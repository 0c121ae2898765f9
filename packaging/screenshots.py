"""Make the pictures of the README from the real window: `.venv/bin/python packaging/screenshots.py`.

Each picture is the whole window at 1680 x 1050, taken after the sample is loaded, the run is finished and the 3D view
has drawn its still picture. Works on a display or, on Linux, on a virtual one that is started and ended here.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from virtual_display import VirtualDisplay, reachable_display

if TYPE_CHECKING:
    from linkwright_app.window.main_window import MainWindow
    from linkwright_app.window.session import Session

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "pictures"
SIZE = (1680, 1050)
PATIENCE = 180.0
"""Longest wait for one thing; the first run on a machine compiles the kernels [s]."""


class Photographer:
    """Drives one window and takes its pictures."""

    def __init__(self, folder: Path) -> None:
        from PySide6.QtGui import QCursor
        from PySide6.QtWidgets import QApplication

        from linkwright_app import translation
        from linkwright_app.settings import Settings
        from linkwright_app.startup import Startup
        from linkwright_app.viewport.surface import set_surface_format
        from linkwright_app.window import theme
        from linkwright_app.window.log_panel import start_logging
        from linkwright_app.window.main_window import MainWindow

        self.folder = folder
        set_surface_format()
        self.application = QApplication(["screenshots"])
        translation.install(self.application)
        settings = Settings()
        settings.theme = "light"
        theme.current().start("light")
        self.window: MainWindow = MainWindow(settings, start_logging())
        self.window.resize(*SIZE)
        startup = Startup(self.window)
        done: list[bool] = []
        startup.done.connect(lambda: done.append(True))
        self.window.first_painted.connect(startup.begin)
        self.window.show()
        QCursor.setPos(self.window.screen().geometry().bottomRight())  # nothing glows under it
        self.wait("start of the window", lambda: bool(done))
        self.session.documents.ask = lambda parent, name: "discard"

    @property
    def session(self) -> Session:
        assert self.window.session is not None
        return self.window.session

    def wait(self, what: str, condition: Callable[[], bool]) -> None:
        """Let the window work until something holds."""
        from PySide6.QtCore import QDeadlineTimer, QThread

        deadline = QDeadlineTimer(int(PATIENCE * 1000))
        while not condition():
            if deadline.hasExpired():
                raise SystemExit(f"Gave up waiting for: {what}.")
            self.application.processEvents()
            QThread.msleep(5)

    def settle(self, seconds: float = 1.5) -> None:
        """Let animations, timers and the still picture of the 3D view come to rest."""
        from PySide6.QtCore import QDeadlineTimer

        deadline = QDeadlineTimer(int(seconds * 1000))
        self.wait("rest", deadline.hasExpired)
        if self.session.viewport is not None and not self.window.on_welcome_page:
            self.session.viewport.finish_still()
            self.wait("rest", QDeadlineTimer(200).hasExpired)

    def shoot(self, name: str) -> None:
        self.settle()
        path = self.folder / f"{name}.png"
        if not self.window.grab().save(str(path)):
            raise SystemExit(f"{path} could not be written.")
        print(f"{path.name}: {path.stat().st_size / 1024:.0f} kB", flush=True)

    # What each picture shows -----------------------------------------------------------------------------------------

    def welcome(self) -> None:
        from linkwright import samples

        pictures = self.window.pictures
        paths = [samples.path(sample_id) for sample_id in samples.sample_ids()]
        self.window.show_welcome()
        self.wait(
            "pictures of the samples", lambda: all(pictures.picture(path) is not None for path in paths)
        )
        self.shoot("welcome_light")

    def build(self) -> None:
        from linkwright_app.window.layouts import BUILD

        self.session.open_sample("slider-crank-sda")
        self.window.show_workspace(BUILD)
        self.session.selection.set(("S1",))
        self.shoot("build_light")

    def solve(self) -> None:
        """Runs A (all terms) and B (M1 alone) of the damped slider-crank, as in the study."""
        from linkwright.document.commands import SetField
        from linkwright_app.window.layouts import SOLVE

        session = self.session
        self.window.choose_theme("dark")
        session.selection.clear()
        session.store.do(SetField("c", "value", 1000.0))
        session.store.do(SetField(None, "settings.t_end", 2.0))
        self.window.show_workspace(SOLVE)
        service = session.run_service
        service.start_both({}, {"jacobian": "M1"})
        self.wait("run A and run B", lambda: not service.is_live and service.run_b is not None)
        self.window.notices.clear()
        self.settle(0.5)
        session.time_cursor.set_t(0.4)
        self.shoot("solve_dark")

    def replay(self) -> None:
        """The tensegrity after its run, with the time slider at work."""
        from linkwright_app.window.layouts import SOLVE

        session = self.session
        self.window.choose_theme("light")
        session.open_sample("tensegrity")
        self.window.show_workspace(SOLVE)
        service = session.run_service
        service.start()
        self.wait("run of the tensegrity", lambda: not service.is_live)
        self.window.notices.clear()
        self.settle(0.5)
        session.time_cursor.set_t(0.3 * session.time_cursor.t_end)
        self.shoot("tensegrity_light")

    def close(self) -> None:
        self.window.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=TARGET, help="folder of the pictures (%(default)s)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    if not reachable_display():
        # In a process of its own, so that the window is gone before its display is.
        with VirtualDisplay(1920, 1200) as display:
            command = [sys.executable, str(Path(__file__).resolve()), "--out", str(folder)]
            return subprocess.run(command, env={**os.environ, **display.environment}).returncode
    # Nobody's settings and recent files: the pictures are the same on every machine.
    with tempfile.TemporaryDirectory(prefix="linkwright-") as home:
        os.environ["LINKWRIGHT_HOME"] = home
        photographer = Photographer(folder)
        for scene in (photographer.welcome, photographer.build, photographer.solve, photographer.replay):
            scene()
        photographer.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
