"""Mechanisms and views for the tests of the 3D view."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pytestqt.qtbot import QtBot

from linkwright import samples
from linkwright.document.bodies import Body, Ground
from linkwright.document.mechanism import Mechanism
from linkwright.document.parameters import evaluated
from linkwright.document.shapes import Box
from linkwright.files import model_file
from linkwright_app.viewport.viewport import Viewport

MakeView = Callable[..., Viewport]


@pytest.fixture
def slider_crank() -> Mechanism:
    return evaluated(model_file.load(samples.path("slider-crank-sda")))


@pytest.fixture
def tensegrity() -> Mechanism:
    return evaluated(model_file.load(samples.path("tensegrity")))


@pytest.fixture
def pendulum() -> Mechanism:
    return evaluated(model_file.load(samples.path("pendulum")))


@pytest.fixture
def lone_box() -> Mechanism:
    """A red block of 1.0 x 0.6 x 0.4 m about the origin, without gravity, ground shapes or joints."""
    shape = Box(size=(1.0, 0.6, 0.4))
    return Mechanism(
        gravity=(0.0, 0.0, 0.0), ground=Ground(), bodies=(Body(id="block", shapes=(shape,), color="#E00000"),)
    )


@pytest.fixture
def make_view(qtbot: QtBot) -> Iterator[MakeView]:
    """Make views that are released and closed after the test, in the reverse order."""
    made: list[Viewport] = []

    def make(mechanism: Mechanism | None = None, *, canvas: str = "image", show: bool = True) -> Viewport:
        view = Viewport(theme="light", canvas=canvas)
        qtbot.addWidget(view)
        made.append(view)
        view.resize(480, 360)
        if mechanism is not None:
            view.show_mechanism(mechanism)
        if show:
            with qtbot.waitExposed(view):
                view.show()
            view.repaint_now()
        return view

    yield make
    for view in reversed(made):
        view.release()
        view.close()
