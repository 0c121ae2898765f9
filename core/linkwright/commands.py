"""Commands that need the window's packages, found by entry point and never imported by the core itself."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

from linkwright.errors import LinkwrightError

GROUP = "linkwright.commands"
INSTALL = "pip install 'linkwright[app]'"


class MissingCommand(LinkwrightError):
    """The part of the program that holds a command is not installed."""


def window_command(name: str) -> Callable[..., Any]:
    """Find a command of the window's package by name.

    Raises
    ------
    MissingCommand
        With the command that installs it.
    """
    for entry in entry_points(group=GROUP):
        if entry.name == name:
            try:
                command: Callable[..., Any] = entry.load()
            except ImportError as error:
                raise MissingCommand(
                    f"'linkwright {name.replace('-', ' ')}' needs the window, which cannot be loaded ({error}). "
                    f"Install it with: {INSTALL}"
                ) from error
            return command
    raise MissingCommand(
        f"'linkwright {name.replace('-', ' ')}' needs the window. Install it with: {INSTALL}"
    )
