"""Translation of what the user reads.

Text written in the app is translated where it stands, by ``self.tr`` or `QCoreApplication.translate`; text that comes
from the core (labels, help, findings, errors) passes through `core`.
"""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale, QTranslator

from linkwright_app import paths

CORE = "core"
"""Translation context of text that comes from the core."""


def core(text: str) -> str:
    """Translate a text of the core."""
    return QCoreApplication.translate(CORE, text) if text else text


def available() -> list[str]:
    """Languages there is a translation file for, as locale names; English needs none."""
    folder = paths.resources() / "translations"
    return sorted(file.stem.removeprefix("linkwright_") for file in folder.glob("linkwright_*.qm"))


def install(application: QCoreApplication, locale: QLocale | None = None) -> QTranslator | None:
    """Install the translation for a locale, the system's unless one is given.

    Returns
    -------
    translator : QTranslator or None
        None when there is no file for the locale; the program then speaks English.
    """
    translator = QTranslator(application)
    folder = str(paths.resources() / "translations")
    if not translator.load(locale or QLocale.system(), "linkwright", "_", folder, ".qm"):
        return None
    application.installTranslator(translator)
    return translator
