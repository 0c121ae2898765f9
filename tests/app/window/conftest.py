"""A window with scripted runs and without the 3D view, which has tests of its own."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import shiboken6
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from linkwright import samples
from linkwright_app.settings import Settings
from linkwright_app.window import theme
from linkwright_app.window.log_panel import LogHandler
from linkwright_app.window.main_window import MainWindow
from linkwright_app.window.session import Session


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "settings.ini")


@pytest.fixture
def log_handler() -> Iterator[LogHandler]:
    handler = LogHandler()
    root = logging.getLogger()
    level = root.level
    root.setLevel(logging.INFO)
    root.addHandler(handler)
    yield handler
    root.removeHandler(handler)
    root.setLevel(level)


@pytest.fixture
def make_window(
    qtbot: QtBot, qapp: QApplication, settings: Settings, log_handler: LogHandler
) -> Iterator[Callable[[], MainWindow]]:
    """Function that makes a frame as it is at the first paint; all are closed and destroyed at the end."""
    if not qapp.styleSheet():
        theme.current().start("light")
    made: list[MainWindow] = []

    def make() -> MainWindow:
        window = MainWindow(settings, log_handler)
        made.append(window)
        window.show()
        qtbot.waitExposed(window)
        return window

    yield make
    for window in made:
        destroy(window)
    theme.current().choose("light")


def destroy(window: MainWindow) -> None:
    """Close without questions, and delete now rather than in some later test."""
    if not shiboken6.isValid(window):
        return
    if window.session is not None:
        window.session.documents.ask = lambda parent, name: "discard"
        window.session.ask_to_stop = lambda parent: True
    window.close()
    window.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


@pytest.fixture
def frame(make_window: Callable[[], MainWindow]) -> MainWindow:
    """The frame as it is at the first paint."""
    return make_window()


@pytest.fixture
def add_session(scripted: Any) -> Callable[[MainWindow], Session]:
    """Function that adds document, panels and plots to a frame; runs are scripted."""

    def add(window: MainWindow) -> Session:
        session = Session(window)
        session.run_service._make_runner = scripted
        session.add_plots()
        return session

    return add


@pytest.fixture
def window(frame: MainWindow, add_session: Callable[[MainWindow], Session]) -> MainWindow:
    """The frame with document, panels and plots."""
    add_session(frame)
    return frame


@pytest.fixture
def session(window: MainWindow) -> Session:
    assert window.session is not None
    return window.session


@pytest.fixture
def opened(window: MainWindow, session: Session) -> MainWindow:
    """The window with the slider-crank sample."""
    session.open_sample("slider-crank-sda")
    return window


@pytest.fixture
def sample_file(tmp_path: Path) -> Path:
    """A copy of a sample in a folder of the user."""
    target = tmp_path / "my crank.lwk"
    target.write_bytes(samples.path("slider-crank-sda").read_bytes())
    return target
