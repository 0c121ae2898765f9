"""Checks in the background."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from linkwright import samples
from linkwright.document.commands import SetField
from linkwright.document.mechanism import Mechanism
from linkwright.errors import CompileError
from linkwright.findings import Finding, Severity
from linkwright_app.services.check_service import DELAY_MS, CheckService
from linkwright_app.services.document_store import DocumentStore


class Checker:
    """Counts its calls, remembers threads, and can be held."""

    def __init__(self) -> None:
        self.seen: list[Mechanism] = []
        self.threads: set[int | None] = set()
        self.go = threading.Event()
        self.go.set()
        self.error: Exception | None = None

    def __call__(self, mechanism: Mechanism) -> Any:
        self.seen.append(mechanism)
        self.threads.add(threading.current_thread().ident)
        self.go.wait(5.0)
        if self.error is not None:
            raise self.error
        findings = (
            Finding(Severity.NOTE, "A note."),
            Finding(Severity.ERROR, "An error.", "link1"),
            Finding(Severity.WARNING, "A warning.", "link1"),
        )
        return SimpleNamespace(dof_count=1, dof_rank=1, redundant=(), findings=findings)


@pytest.fixture
def store() -> DocumentStore:
    made = DocumentStore()
    made.open_copy(samples.path("slider-crank-sda"))
    return made


@pytest.fixture
def checker() -> Checker:
    return Checker()


@pytest.fixture
def service(qtbot: QtBot, store: DocumentStore, checker: Checker) -> CheckService:
    return CheckService(store, checker)


def test_nothing_is_checked_before_start(
    qtbot: QtBot, store: DocumentStore, service: CheckService, checker: Checker
) -> None:
    store.do(SetField("link1", "visible", False))
    qtbot.wait(DELAY_MS + 100)
    assert checker.seen == []
    assert service.report is None


def test_report_comes_from_another_thread(qtbot: QtBot, service: CheckService, checker: Checker) -> None:
    with qtbot.waitSignal(service.changed, timeout=3000):
        service.start()
    assert service.up_to_date
    assert service.report.dof_rank == 1
    assert threading.current_thread().ident not in checker.threads


def test_findings_are_sorted_worst_first_and_found_by_element(qtbot: QtBot, service: CheckService) -> None:
    with qtbot.waitSignal(service.changed, timeout=3000):
        service.start()
    assert [one.severity for one in service.findings] == [Severity.ERROR, Severity.WARNING, Severity.NOTE]
    assert [one.text for one in service.findings_of("link1")] == ["An error.", "A warning."]


def test_several_edits_are_checked_once_after_the_last(
    qtbot: QtBot, store: DocumentStore, service: CheckService, checker: Checker
) -> None:
    with qtbot.waitSignal(service.changed, timeout=3000):
        service.start()
    checker.seen.clear()
    for value in (1.0, 2.0, 3.0):
        store.do(SetField("k", "value", value))
    assert not service.up_to_date
    with qtbot.waitSignal(service.changed, timeout=3000):
        pass
    assert checker.seen == [store.mechanism]


def test_result_for_an_older_document_is_dropped(
    qtbot: QtBot, store: DocumentStore, service: CheckService, checker: Checker
) -> None:
    checker.go.clear()
    service.start()
    store.do(SetField("k", "value", 1.0))
    with qtbot.waitSignal(service.changed, timeout=5000):
        checker.go.set()
    assert service.up_to_date
    assert checker.seen[-1] is store.mechanism


def test_compile_error_becomes_a_finding(qtbot: QtBot, service: CheckService, checker: Checker) -> None:
    checker.error = CompileError("The body has no mass.", "link1")
    with qtbot.waitSignal(service.changed, timeout=3000):
        service.start()
    (finding,) = service.findings
    assert (finding.severity, finding.text, finding.element) == (
        Severity.ERROR,
        "The body has no mass.",
        "link1",
    )
    assert service.report.dof_rank is None


def test_fault_in_a_check_ends_only_that_check(
    qtbot: QtBot, store: DocumentStore, service: CheckService, checker: Checker
) -> None:
    checker.error = RuntimeError("broken")
    with qtbot.waitSignal(service.changed, timeout=3000):
        service.start()
    assert service.report is None
    checker.error = None
    with qtbot.waitSignal(service.changed, timeout=3000):
        store.do(SetField("k", "value", 1.0))
    assert service.report is not None


def test_nothing_arrives_after_close(qtbot: QtBot, service: CheckService, checker: Checker) -> None:
    checker.go.clear()
    service.start()
    service.close()
    with qtbot.assertNotEmitted(service.changed, wait=200):
        checker.go.set()
        service.wait(2.0)
