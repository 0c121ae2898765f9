"""Steps from one format version of model files to the next; each takes and gives the plain JSON object."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

VERSION = 1
"""Format version this program writes, and the newest it reads."""

Plain = dict[str, Any]

STEPS: dict[int, Callable[[Plain], Plain]] = {}
"""``STEPS[n]`` turns version n into version n + 1."""


def migrated(plain: Plain, version: int) -> Plain:
    """Bring the content of an older file to the present version."""
    for step in range(version, VERSION):
        plain = STEPS[step](plain)
    return plain
