"""Checks of the model: run anew a moment after an edit, in a thread of their own."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from linkwright.document.mechanism import Mechanism
from linkwright.errors import LinkwrightError
from linkwright.findings import Finding, Severity
from linkwright_app.services.document_store import DocumentStore

DELAY_MS = 300
"""Wait after the last edit."""

_log = logging.getLogger(__name__)

CheckFunction = Callable[[Mechanism], Any]


def _analyse(mechanism: Mechanism) -> Any:
    from linkwright.analysis import checks

    return checks.check(mechanism)


class CheckService(QObject):
    """Keeps the report on the present document up to date.

    Nothing is computed before `start`, so that the window can open first.

    Parameters
    ----------
    store : DocumentStore
        The document.
    check : callable or None
        Gives the report of a mechanism: ``dof_count``, ``dof_rank`` and ``findings``; the tests give their own.
    """

    changed = Signal()
    busy_changed = Signal(bool)
    _done = Signal(object, object)

    def __init__(
        self, store: DocumentStore, check: CheckFunction | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._check = check or _analyse
        self._report: Any = None
        self._checked: Mechanism | None = None
        self._thread: threading.Thread | None = None
        self._started = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DELAY_MS)
        self._timer.timeout.connect(self._launch)
        self._done.connect(self._take)
        store.changed.connect(self._on_document_changed)

    @property
    def report(self) -> Any:
        """Report on the document as it was last checked; None before the first one."""
        return self._report

    @property
    def up_to_date(self) -> bool:
        """Whether the report is about the present document."""
        return self._report is not None and self._checked is self._store.mechanism

    @property
    def busy(self) -> bool:
        """Whether a check is going on or about to."""
        return self._thread is not None or self._timer.isActive()

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings of the last report, worst first."""
        found: tuple[Finding, ...] = tuple(self._report.findings) if self._report is not None else ()
        order = (Severity.ERROR, Severity.WARNING, Severity.NOTE)
        return tuple(sorted(found, key=lambda finding: order.index(finding.severity)))

    @property
    def n_redundant(self) -> int | None:
        """Conditions that repeat others: freedoms by rank less freedoms by count; None when not known."""
        report = self._report
        if report is None or report.dof_rank is None or report.dof_count is None:
            return None
        return int(report.dof_rank - report.dof_count)

    def findings_of(self, element_id: str) -> tuple[Finding, ...]:
        """Findings about one element."""
        return tuple(finding for finding in self.findings if finding.element == element_id)

    def start(self) -> None:
        """Check now, and from now on after every edit."""
        self._started = True
        self._launch()

    def close(self) -> None:
        """Take no more results; a check that is going on ends by itself."""
        self._started = False
        self._timer.stop()

    def wait(self, seconds: float) -> bool:
        """Wait for the check that is going on; tell whether it has ended."""
        if self._thread is not None:
            self._thread.join(seconds)
            return not self._thread.is_alive()
        return True

    def _on_document_changed(self) -> None:
        if self._report is not None and not any(self._store.mechanism.elements()):
            self._report = None
            self.changed.emit()
        if self._started:
            self._timer.start()
            self.busy_changed.emit(True)

    def _launch(self) -> None:
        if self._thread is not None:
            return  # the result of the older document starts the next check
        mechanism = self._store.mechanism
        self._checked = mechanism

        def work() -> None:
            try:
                report = self._check(mechanism)
            except LinkwrightError as error:
                report = FailedCheck(error)
            except Exception:  # noqa: BLE001 - a fault in a check must not reach past this thread
                _log.exception("check")
                report = None
            self._done.emit(mechanism, report)

        self._thread = threading.Thread(target=work, name="checks", daemon=True)
        self._thread.start()
        self.busy_changed.emit(True)

    def _take(self, mechanism: Mechanism, report: Any) -> None:
        self._thread = None
        if not self._started:
            return
        if mechanism is not self._store.mechanism:
            if not self._timer.isActive():
                self._launch()
            return
        self._report = report
        self.changed.emit()
        self.busy_changed.emit(False)


class FailedCheck:
    """Stands for a report when the model cannot be turned into numbers: one finding says why.

    Parameters
    ----------
    error : LinkwrightError
        What the compiler said.
    """

    def __init__(self, error: LinkwrightError) -> None:
        self.dof_count: int | None = None
        self.dof_rank: int | None = None
        self.findings = (Finding(Severity.ERROR, error.message, error.element),)
