"""New, open, save: the commands on model files, with the questions they ask."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, Signal
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from linkwright.errors import LinkwrightError
from linkwright.files.model_file import SUFFIX
from linkwright_app import translation
from linkwright_app.services.document_store import DocumentStore
from linkwright_app.settings import Settings
from linkwright_app.window.notices import Notices

_log = logging.getLogger(__name__)

SAVE, DISCARD, CANCEL = "save", "discard", "cancel"


def ask_about_changes(parent: QWidget, name: str) -> str:
    """Ask what to do with changes that are not in a file; give `SAVE`, `DISCARD` or `CANCEL`."""
    box = QMessageBox(parent)
    box.setIcon(QMessageBox.Icon.NoIcon)
    box.setWindowTitle("Linkwright")
    question = QCoreApplication.translate("Documents", "Save the changes to {name}?").format(name=name)
    box.setText(f"<b>{question}</b>")
    box.setInformativeText(QCoreApplication.translate("Documents", "They are lost otherwise."))
    role = QMessageBox.ButtonRole
    save = box.addButton(QCoreApplication.translate("Documents", "Save"), role.AcceptRole)
    discard = box.addButton(QCoreApplication.translate("Documents", "Do not save"), role.DestructiveRole)
    cancel = box.addButton(QCoreApplication.translate("Documents", "Cancel"), role.RejectRole)
    box.setDefaultButton(save)
    box.setEscapeButton(cancel)
    box.exec()
    return SAVE if box.clickedButton() is save else DISCARD if box.clickedButton() is discard else CANCEL


class Documents(QObject):
    """Carries out the file commands.

    Parameters
    ----------
    window : QWidget
        Parent of dialogs.
    store : DocumentStore
        The document.
    settings : Settings
        Recent files.
    notices : Notices
        Where refusals are told.
    """

    opened = Signal()
    written = Signal()

    def __init__(self, window: QWidget, store: DocumentStore, settings: Settings, notices: Notices) -> None:
        super().__init__(window)
        self._window = window
        self._store = store
        self._settings = settings
        self._notices = notices
        self._sample = ""
        self.saved_at: datetime | None = None
        self.ask: Callable[[QWidget, str], str] = ask_about_changes
        self.ask_open_path: Callable[[], str] = self._open_dialog
        self.ask_save_path: Callable[[str], str] = self._save_dialog
        self.before_replace: Callable[[], bool] = lambda: True

    @property
    def name(self) -> str:
        """File name, name of the sample, or what a new document is called."""
        if self._store.path is not None:
            return self._store.path.name
        return self._sample or self.tr("untitled")

    # ---------------------------------------------------------------- questions
    def may_leave(self) -> bool:
        """Ask about changes that are not saved; tell whether the document may go."""
        if not self._store.modified:
            return True
        answer = self.ask(self._window, self.name)
        if answer == SAVE:
            return self.save()
        return answer == DISCARD

    def _may_replace(self) -> bool:
        return self.may_leave() and self.before_replace()

    def _open_dialog(self) -> str:
        folder = str(self._store.path.parent) if self._store.path else ""
        kinds = self.tr("Models (*{ending})").format(ending=SUFFIX) + ";;" + self.tr("All files (*)")
        return QFileDialog.getOpenFileName(self._window, self.tr("Open a model"), folder, kinds)[0]

    def _save_dialog(self, proposed: str) -> str:
        kinds = self.tr("Models (*{ending})").format(ending=SUFFIX)
        return QFileDialog.getSaveFileName(self._window, self.tr("Save the model"), proposed, kinds)[0]

    # ---------------------------------------------------------------- commands
    def new(self) -> bool:
        """Start an empty document."""
        if not self._may_replace():
            return False
        self._sample = ""
        self.saved_at = None
        self._store.new()
        self.opened.emit()
        return True

    def open(self) -> bool:
        """Ask for a file and open it."""
        chosen = self.ask_open_path()
        return bool(chosen) and self.open_path(Path(chosen))

    def open_path(self, path: Path) -> bool:
        """Open a file; what is wrong with it is told and the present document stays."""
        if not self._may_replace():
            return False
        try:
            self._store.open(path)
        except LinkwrightError as error:
            self._refuse(self.tr("{file} was not opened.").format(file=path.name), error)
            if not path.exists():
                self._settings.remove_recent(str(path))
            return False
        self._sample = ""
        self.saved_at = datetime.fromtimestamp(path.stat().st_mtime)
        self._settings.add_recent(path)
        _log.info(self.tr("Opened {file}").format(file=path))
        self.opened.emit()
        return True

    def open_sample(self, path: Path) -> bool:
        """Open a copy of a sample."""
        if not self._may_replace():
            return False
        try:
            self._store.open_copy(path)
        except LinkwrightError as error:
            self._refuse(self.tr("{file} was not opened.").format(file=path.name), error)
            return False
        self._sample = path.name
        self.saved_at = None
        _log.info(self.tr("Opened a copy of the sample {file}").format(file=path.stem))
        self.opened.emit()
        return True

    def save(self) -> bool:
        """Write to the file of the document, or ask for one."""
        return self._write(self._store.path) if self._store.path is not None else self.save_as()

    def save_as(self) -> bool:
        """Ask for a file and write to it."""
        proposed = (
            str(self._store.path) if self._store.path else (self._sample or self.tr("untitled") + SUFFIX)
        )
        chosen = self.ask_save_path(proposed)
        if not chosen:
            return False
        path = Path(chosen)
        return self._write(path if path.suffix else path.with_suffix(SUFFIX))

    def _write(self, path: Path) -> bool:
        try:
            self._store.save(path)
        except LinkwrightError as error:
            self._refuse(self.tr("{file} was not saved.").format(file=path.name), error)
            return False
        self._sample = ""
        self.saved_at = datetime.now()
        self.written.emit()
        self._settings.add_recent(path)
        _log.info(self.tr("Saved {file}").format(file=path))
        return True

    def _refuse(self, what: str, error: LinkwrightError) -> None:
        message = translation.core(error.message)
        _log.error("%s %s", what, message)
        self._notices.tell(f"{what}\n{message}", "bad")
