"""The user's preferences, kept in one readable ini file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QByteArray, QObject, QSettings, Signal

from linkwright_app import paths

MAX_RECENT = 12
TEXT_SCALES = (80, 90, 100, 110, 125, 150, 175, 200)
THEME_CHOICES = ("system", "light", "dark")


class Settings(QObject):
    """Preferences by name. What cannot be read falls back to the default: a damaged file never stops the start.

    Parameters
    ----------
    file : Path or None
        The ini file; None takes the user's own.
    """

    recent_changed = Signal()

    def __init__(self, file: Path | None = None) -> None:
        super().__init__()
        self.file = file or paths.settings_file()
        self._store = QSettings(str(self.file), QSettings.Format.IniFormat)

    def reset(self) -> None:
        """Forget every preference (the command line's ``--reset``)."""
        self._store.clear()
        self._store.sync()
        self.recent_changed.emit()

    def save(self) -> None:
        """Write the file now."""
        self._store.sync()

    # ---------------------------------------------------------------- looks
    @property
    def theme(self) -> str:
        """One of `THEME_CHOICES`."""
        value = self._text("look/theme", "system")
        return value if value in THEME_CHOICES else "system"

    @theme.setter
    def theme(self, value: str) -> None:
        self._store.setValue("look/theme", value)

    @property
    def text_scale(self) -> int:
        """Size of the whole interface in per cent, one of `TEXT_SCALES`; read once at start."""
        value = self._number("look/text_scale", 100)
        return value if value in TEXT_SCALES else 100

    @text_scale.setter
    def text_scale(self, value: int) -> None:
        self._store.setValue("look/text_scale", value)

    @property
    def safe_graphics(self) -> bool:
        """Draw the 3D view off screen and copy it, for graphics drivers that fail with the direct way."""
        return self._flag("look/safe_graphics", False)

    @safe_graphics.setter
    def safe_graphics(self, value: bool) -> None:
        self._store.setValue("look/safe_graphics", value)

    @property
    def direct_view(self) -> bool:
        """Whether the last session drew the 3D view by OpenGL inside the window."""
        return self._flag("look/direct_view", False)

    @direct_view.setter
    def direct_view(self, value: bool) -> None:
        self._store.setValue("look/direct_view", value)

    @property
    def layout_locked(self) -> bool:
        """Whether panels can be moved."""
        return self._flag("window/locked", False)

    @layout_locked.setter
    def layout_locked(self, value: bool) -> None:
        self._store.setValue("window/locked", value)

    @property
    def advanced_fields(self) -> bool:
        """Whether forms show the fields marked as advanced."""
        return self._flag("properties/advanced", False)

    @advanced_fields.setter
    def advanced_fields(self, value: bool) -> None:
        self._store.setValue("properties/advanced", value)

    # ---------------------------------------------------------------- window
    def window_bytes(self, name: str) -> QByteArray:
        """Stored geometry or layout of that name; empty when there is none."""
        value = self._store.value(f"window/{name}")
        return value if isinstance(value, QByteArray) else QByteArray()

    def set_window_bytes(self, name: str, value: QByteArray) -> None:
        """Store a geometry or layout."""
        self._store.setValue(f"window/{name}", value)

    def forget_layouts(self) -> None:
        """Drop every stored layout."""
        self._store.remove("window")

    # ---------------------------------------------------------------- files
    @property
    def recent_files(self) -> list[str]:
        """Paths opened or saved before, newest first."""
        value: Any = self._store.value("files/recent")
        if isinstance(value, str):
            return [value] if value else []
        return [str(entry) for entry in value][:MAX_RECENT] if isinstance(value, list) else []

    def add_recent(self, path: Path) -> None:
        """Put a file at the head of the list."""
        entry = str(path.resolve())
        kept = [known for known in self.recent_files if known != entry]
        self._set_recent([entry, *kept][:MAX_RECENT])

    def remove_recent(self, path: str) -> None:
        """Take one file off the list."""
        self._set_recent([known for known in self.recent_files if known != path])

    def clear_recent(self) -> None:
        """Empty the list."""
        self._set_recent([])

    def _set_recent(self, entries: list[str]) -> None:
        self._store.setValue("files/recent", entries)
        self.recent_changed.emit()

    # ---------------------------------------------------------------- reading with a fall-back
    def _text(self, key: str, default: str) -> str:
        value = self._store.value(key, default)
        return value if isinstance(value, str) else default

    def _flag(self, key: str, default: bool) -> bool:
        value = self._store.value(key, default)
        return value if isinstance(value, bool) else str(value).lower() == "true"

    def _number(self, key: str, default: int) -> int:
        try:
            return int(str(self._store.value(key, default)))
        except ValueError:
            return default
