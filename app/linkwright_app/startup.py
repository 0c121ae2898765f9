"""What happens after the first paint: the parts of the window one by one, each in its own turn of the event loop."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication

if TYPE_CHECKING:
    from linkwright_app.window.main_window import MainWindow

_log = logging.getLogger(__name__)

SAMPLE_TO_WARM = "pendulum"


class Startup(QObject):
    """Builds the parts of a window that has been painted.

    Parameters
    ----------
    window : MainWindow
        The painted frame.
    model : str or None
        File or sample to open as soon as there is a document.
    """

    done = Signal()
    _warmed = Signal(str)

    def __init__(self, window: MainWindow, model: str | None = None) -> None:
        super().__init__(window)
        self._window = window
        self._model = model
        self._steps: list[Callable[[], None]] = [
            self._add_document,
            self._add_samples,
            self._add_view,
            self._add_plots,
            self._open_model,
            self._warm_kernels,
        ]
        self._warmed.connect(self._on_warmed)

    def begin(self) -> None:
        """Do the next step in the next turn of the event loop, until none is left."""
        if not self._steps:
            self.done.emit()
            return
        step = self._steps.pop(0)
        try:
            step()
        finally:
            QTimer.singleShot(0, self, self.begin)

    # ---------------------------------------------------------------- steps
    def _add_document(self) -> None:
        from linkwright_app.window.session import Session

        Session(self._window)
        if self._model:
            self._window.show_workspace()

    def _add_samples(self) -> None:
        from linkwright_app.window.sample_list import add_samples

        add_samples(self._window)

    def _add_view(self) -> None:
        session = self._window.session
        assert session is not None
        session.add_view()

    def _add_plots(self) -> None:
        session = self._window.session
        assert session is not None
        session.add_plots()

    def _open_model(self) -> None:
        if not self._model:
            return
        from linkwright import samples

        session = self._window.session
        assert session is not None
        if self._model in samples.sample_ids():
            session.open_sample(self._model)
        elif not session.documents.open_path(Path(self._model)):
            self._window.show_welcome()

    # ---------------------------------------------------------------- kernels
    def _warm_kernels(self) -> None:
        """Compile or load the kernels in the background, by a run of one step."""
        self._window.status.show_task(self.tr("preparing the solver…"))

        def work() -> None:
            try:
                import linkwright
                from linkwright import samples

                mechanism = linkwright.load(samples.path(SAMPLE_TO_WARM))
                linkwright.simulate(mechanism, t_end=mechanism.settings.h)
            except Exception as error:  # noqa: BLE001 - whatever it is, the window works on and says so
                _log.exception("kernels")
                self._warmed.emit(str(error))
            else:
                self._warmed.emit("")

        threading.Thread(target=work, name="kernels", daemon=True).start()

    def _on_warmed(self, error: str) -> None:
        self._window.status.show_task("")
        if error:
            self._window.tell(f"{self.tr('The solver could not be prepared.')}\n{error}", "bad")
        if self._window.session is not None:
            self._window.session.checks.start()
        self._window.pictures.enable()


class _Faults(QObject):
    """Brings a fault from any thread to the window."""

    arrived = Signal(str, str)


def install_hooks(window: MainWindow) -> None:
    """Let no exception end the program: it is logged, and told in the window with a way to copy it."""
    faults = _Faults(window)

    def tell(summary: str, details: str) -> None:
        title = QCoreApplication.translate("Startup", "Something went wrong inside the program.")
        rest = QCoreApplication.translate("Startup", "The document is as it was before.")
        choices = (
            (
                QCoreApplication.translate("Startup", "Copy details"),
                lambda: QApplication.clipboard().setText(details),
            ),
        )
        window.notices.tell(f"{title}\n{summary}\n{rest}", "bad", choices)

    faults.arrived.connect(tell)

    def report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        _log.error("%s", error, exc_info=(kind, error, trace))
        details = logging.Formatter().formatException((kind, error, trace))
        faults.arrived.emit(f"{kind.__name__}: {error}", details)

    def report_thread(arguments: threading.ExceptHookArgs) -> None:
        if arguments.exc_value is not None:
            report(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)

    sys.excepthook = report
    threading.excepthook = report_thread
