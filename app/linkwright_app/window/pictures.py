"""Pictures of model files: drawn once by a worker process, then kept on disk."""

from __future__ import annotations

import hashlib
import logging
import sys
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, QTimer, Signal
from PySide6.QtGui import QPixmap

from linkwright_app import paths
from linkwright_app.window import theme

WIDTH, HEIGHT = 598, 452
"""Twice the size of a sample card, for screens of double density."""
FORMAT = 1
"""Raised when pictures of the same file look different than before."""

_log = logging.getLogger(__name__)


class PictureStore(QObject):
    """Gives the picture of a model file in the present theme, or orders it.

    Drawing needs VTK and takes a second a picture, so it never happens in the window's process.
    """

    ready = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pictures: dict[Path, QPixmap] = {}
        self._known: dict[Path, Path] = {}
        self._queue: list[tuple[Path, Path]] = []
        self._failed: set[Path] = set()
        self._worker: QProcess | None = None
        self._enabled = False
        theme.current().changed.connect(self._known.clear)

    def enable(self) -> None:
        """Start to draw what was ordered; called when the window has settled."""
        self._enabled = True
        self._next()

    def picture(self, path: Path) -> QPixmap | None:
        """Give the picture of a file; None until it is drawn."""
        target = self._target(path)
        if target is None:
            return None
        if target in self._pictures:
            return self._pictures[target]
        if target.is_file():
            picture = QPixmap(str(target))
            if not picture.isNull():
                self._pictures[target] = picture
                return picture
        self._order(path, target)
        return None

    def _target(self, path: Path) -> Path | None:
        """File of the picture, named by what it shows."""
        if path in self._known:
            return self._known[path]
        try:
            content = path.read_bytes()
        except OSError:
            return None
        name = "dark" if theme.tokens().dark else "light"
        key = hashlib.sha1(content + f"{FORMAT}{name}{WIDTH}x{HEIGHT}".encode()).hexdigest()[:20]
        target = paths.cache_folder() / "pictures" / f"{key}.png"
        self._known[path] = target
        return target

    def _order(self, path: Path, target: Path) -> None:
        if target in self._failed or any(waiting == target for _, waiting in self._queue):
            return
        self._queue.append((path, target))
        self._next()

    def _next(self) -> None:
        if not self._enabled or self._worker is not None or not self._queue:
            return
        path, target = self._queue[0]
        target.parent.mkdir(parents=True, exist_ok=True)
        name = "dark" if theme.tokens().dark else "light"
        worker = QProcess(self)
        worker.finished.connect(self._on_finished)
        worker.errorOccurred.connect(self._on_error)
        self._worker = worker
        program = [] if getattr(sys, "frozen", False) else ["-m", "linkwright_app.main"]
        size = f"{WIDTH}x{HEIGHT}"
        worker.start(sys.executable, [*program, "--draw-picture", str(path), str(target), name, size])

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._finish(1, "")

    def _on_finished(self, code: int) -> None:
        assert self._worker is not None
        text = bytes(self._worker.readAllStandardError().data()).decode(errors="replace").strip()
        self._finish(code, text)

    def _finish(self, code: int, text: str) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.deleteLater()
        if not self._queue:
            return
        path, target = self._queue.pop(0)
        if code != 0 or not target.is_file():
            self._failed.add(target)
            _log.warning(
                self.tr("The picture of {file} could not be drawn. {why}").format(file=path.name, why=text)
            )
        else:
            self.ready.emit(path)
        QTimer.singleShot(0, self, self._next)

    def close(self) -> None:
        """End the worker and forget what was ordered."""
        self._enabled = False
        self._queue.clear()
        if self._worker is not None:
            worker, self._worker = self._worker, None
            worker.blockSignals(True)
            worker.kill()
            worker.waitForFinished(1000)
