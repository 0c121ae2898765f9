"""About the program: version, licences and the computer it runs on, as text that can be copied into a report."""

from __future__ import annotations

import platform
import sys
from importlib import metadata

from PySide6.QtCore import QCoreApplication, Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QWidget

from linkwright_app import paths
from linkwright_app.window.widgets import column, icon_label, label, push_button, row, rule

PACKAGES = ("PySide6-Essentials", "vtk", "pyqtgraph", "numpy", "scipy", "numba", "pydantic", "h5py")


def version() -> str:
    """Version of the installed program."""
    return metadata.version("linkwright")


def environment(graphics: str = "") -> list[tuple[str, str]]:
    """What a report of a fault needs: versions and the computer.

    Parameters
    ----------
    graphics : str
        What draws the 3D view.
    """
    system = QCoreApplication.translate("About", "System")
    lines = [
        ("Linkwright", version()),
        ("Python", sys.version.split()[0]),
        ("Qt", f"{qVersion()}, {QGuiApplication.platformName()}"),
        (system, f"{platform.system()} {platform.release()}, {platform.machine()}"),
    ]
    for package in PACKAGES:
        try:
            lines.append((package, metadata.version(package)))
        except metadata.PackageNotFoundError:
            continue
    if graphics:
        lines.append(("OpenGL", graphics))
    return lines


class AboutDialog(QDialog):
    """The dialog.

    Parameters
    ----------
    parent : QWidget
        Window it belongs to.
    graphics : str
        What draws the 3D view.
    """

    def __init__(self, parent: QWidget, graphics: str = "") -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("About Linkwright"))
        self._text = "\n".join(f"{name}: {value}" for name, value in environment(graphics))
        facts = label(self._text, "note", tabular=True)
        facts.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        licences = label(
            self.tr(
                "Linkwright is free software under the BSD 3-Clause licence. Inter and Noto are under the SIL Open "
                "Font License, the STIX fonts under the STIX licence, Lucide icons under the ISC licence; the licence "
                "texts are in the folder of the resources."
            ),
            "small",
            wrap=True,
        )
        folder = label(str(paths.resources()), "note")
        folder.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        copy = push_button(self.tr("Copy"), "copy")
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._text))
        close = push_button(self.tr("Close"), kind="primary")
        close.clicked.connect(self.accept)
        close.setDefault(True)
        brand = row(
            icon_label("logo", "accent", 40),
            column(
                label("Linkwright", "brand"),
                label(self.tr("Build, solve and compare mechanisms"), "dim"),
                spacing=0,
            ),
            None,
            spacing=12,
        )
        self.setLayout(
            column(
                brand,
                rule(),
                facts,
                rule(),
                licences,
                folder,
                row(None, copy, close, spacing=8),
                spacing=12,
                margins=(24, 24, 24, 20),
            )
        )
        self.setFixedWidth(460)
