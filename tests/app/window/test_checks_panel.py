"""The checks panel."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from linkwright import samples
from linkwright.document.commands import SetField
from linkwright.findings import Finding, Severity
from linkwright_app.services.check_service import CheckService
from linkwright_app.services.document_store import DocumentStore
from linkwright_app.window import theme
from linkwright_app.window.checks_panel import ChecksPanel


@pytest.fixture
def store() -> DocumentStore:
    made = DocumentStore()
    made.open_copy(samples.path("slider-crank-sda"))
    return made


@pytest.fixture
def checks(store: DocumentStore) -> CheckService:
    return CheckService(store, lambda m: None)


@pytest.fixture
def panel(qtbot: QtBot, store: DocumentStore, checks: CheckService) -> ChecksPanel:
    theme.current().start("light")
    made = ChecksPanel(store, checks)
    qtbot.addWidget(made)
    return made


def report(
    checks: CheckService, rank: int | None, count: int | None, *findings: Finding, **more: Any
) -> None:
    """Pretend that a check gave this."""
    checks._report = SimpleNamespace(dof_rank=rank, dof_count=count, findings=findings)
    checks.changed.emit()


def numbers(panel: ChecksPanel) -> list[str]:
    return [big.figure.text() for big in (panel.by_rank, panel.by_count, panel.redundant)]


def test_nothing_is_known_at_first(panel: ChecksPanel) -> None:
    assert numbers(panel) == ["–", "–", "–"]
    assert panel.lines == []
    assert panel.state.isHidden()


def test_numbers_and_state(panel: ChecksPanel, checks: CheckService) -> None:
    report(checks, 1, -2)
    assert numbers(panel) == ["1", "−2", "3"]
    assert panel.state.text() == "in order"
    report(checks, 1, 1, Finding(Severity.WARNING, "Look."))
    assert (numbers(panel)[2], panel.state.text()) == ("0", "1 to look at")
    report(checks, None, None, Finding(Severity.ERROR, "Mend."), Finding(Severity.WARNING, "Look."))
    assert (numbers(panel), panel.state.text()) == (["–", "–", "–"], "1 to mend")


def test_line_goes_to_its_element_and_mends(panel: ChecksPanel, checks: CheckService, qtbot: QtBot) -> None:
    fix = SetField("link1", "visible", True)
    report(checks, 1, 1, Finding(Severity.WARNING, "The crank is hidden.", "link1", fix))
    show, mend = (button for button in panel.lines[0].findChildren(_button()) if button.text())
    assert show.text() == "Show Crank"
    with qtbot.waitSignal(panel.element_chosen) as chosen:
        show.click()
    assert chosen.args == ["link1"]
    with qtbot.waitSignal(panel.mended) as mended:
        mend.click()
    assert mended.args == [fix]


def _button() -> Any:
    from PySide6.QtWidgets import QPushButton

    return QPushButton


def test_old_lines_go(panel: ChecksPanel, checks: CheckService) -> None:
    report(checks, 1, 1, Finding(Severity.NOTE, "One."), Finding(Severity.NOTE, "Two."))
    report(checks, 1, 1, Finding(Severity.NOTE, "Three."))
    assert [line.finding.text for line in panel.lines] == ["Three."]
