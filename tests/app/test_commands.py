"""The commands of the command line that need the window's packages."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import linkwright as lw
from linkwright.bench.base import run_family
from linkwright.errors import LinkwrightError
from linkwright_app import bench, commands, main


def test_picture_of_a_mechanism(tmp_path: Path) -> None:
    commands.picture(lw.load("pendulum"), tmp_path / "p.png", (160, 100), "dark")
    assert (tmp_path / "p.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_the_window_opens_the_model_that_was_named(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    def opened(argv: list[str]) -> int:
        asked.append(argv)
        return 0

    monkeypatch.setattr(main, "main", opened)
    assert commands.app("--odd name.lwk") == 0
    assert commands.app(None) == 0
    assert asked == [["--", "--odd name.lwk"], []]


@pytest.mark.parametrize("command", [commands.bench_gui, commands.bench_start])
def test_benches_of_the_window_say_that_they_need_a_display(
    monkeypatch: pytest.MonkeyPatch, command: Any
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")  # other systems always have a display
    for variable in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(LinkwrightError, match="no display"):
        command()


def test_rows_of_the_window_are_rows_of_the_bench(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "_need_display", lambda: None)
    monkeypatch.setattr(bench, "start_bench", lambda: [bench._row("first-paint", 1, "warm", 0.5)])
    (row,) = run_family("start", peers=False)
    assert (row.case, row.unit, row.value, row.ratio) == ("first-paint", "s", 0.5, None)


def test_a_window_that_does_not_start_is_told_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing() -> list[Any]:
        raise RuntimeError("The window did not start: no platform")

    monkeypatch.setattr(commands, "_need_display", lambda: None)
    monkeypatch.setattr(bench, "start_bench", failing)
    with pytest.raises(LinkwrightError, match="did not start"):
        commands.bench_start()
