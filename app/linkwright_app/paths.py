"""Where the program's own files are (checkout, installed wheel, frozen bundle), and where the user's are."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path

from PySide6.QtCore import QStandardPaths

HOME_VARIABLE = "LINKWRIGHT_HOME"
"""Environment variable that moves settings, caches and logs into one folder (portable use, tests)."""


@cache
def resources() -> Path:
    """Folder with icons, fonts and texts.

    Raises
    ------
    FileNotFoundError
        When the installation is incomplete.
    """
    here = Path(__file__).resolve().parent
    candidates = [here / "resources", here.parents[1] / "resources"]
    bundle = getattr(sys, "_MEIPASS", None)
    if bundle:
        candidates[:0] = [Path(bundle) / "linkwright_app" / "resources", Path(bundle) / "resources"]
    for candidate in candidates:
        if (candidate / "icons").is_dir():
            return candidate
    raise FileNotFoundError(f"The folder 'resources' of Linkwright is missing; looked in {candidates}.")


def settings_file() -> Path:
    """Readable file of the user's preferences."""
    return _user_folder(QStandardPaths.StandardLocation.AppConfigLocation, "settings") / "linkwright.ini"


def cache_folder() -> Path:
    """Folder for files that can be made again: pictures of samples, tinted marks of the style sheet."""
    return _user_folder(QStandardPaths.StandardLocation.CacheLocation, "cache")


def log_file() -> Path:
    """File the log is also written to."""
    return _user_folder(QStandardPaths.StandardLocation.AppLocalDataLocation, "log") / "linkwright.log"


def _user_folder(location: QStandardPaths.StandardLocation, portable_name: str) -> Path:
    home = os.environ.get(HOME_VARIABLE)
    folder = Path(home) / portable_name if home else Path(QStandardPaths.writableLocation(location))
    folder.mkdir(parents=True, exist_ok=True)
    return folder
