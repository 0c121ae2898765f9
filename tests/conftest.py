"""What every test shares: where windows go, whose settings are touched, how hypothesis draws."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

# Windows are drawn in memory where there is no display. `bootstrap.py test` brings a virtual one instead.
if sys.platform == "linux" and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

# Settings, recent files and logs of the tests stay apart from the user's own; compiled kernels are shared, because
# they are keyed by their source.
HOME = Path(tempfile.mkdtemp(prefix="linkwright-tests-"))
os.environ["LINKWRIGHT_HOME"] = str(HOME)

# Times differ from machine to machine, so no deadline; in CI the same examples are drawn each time.
settings.register_profile("desk", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "desk")


def pytest_unconfigure() -> None:
    shutil.rmtree(HOME, ignore_errors=True)


@pytest.fixture(scope="session")
def repository() -> Path:
    """Folder of the checkout."""
    return Path(__file__).resolve().parents[1]
