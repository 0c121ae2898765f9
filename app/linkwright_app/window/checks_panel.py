"""The checks panel: freedoms by rank and by count, redundant equations, and the findings in words."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from linkwright.findings import Finding, Severity
from linkwright_app import translation
from linkwright_app.services.check_service import CheckService
from linkwright_app.services.document_store import DocumentStore
from linkwright_app.window.widgets import (
    column,
    framed,
    icon_label,
    label,
    panel_head,
    pill,
    push_button,
    restyle,
    row,
    rule,
    set_ground,
    tool_button,
)

_LOOKS = {
    Severity.ERROR: ("circle-alert", "bad"),
    Severity.WARNING: ("triangle-alert", "warn"),
    Severity.NOTE: ("info", "accent"),
}


class BigNumber(QWidget):
    """A large figure with a caption beneath."""

    def __init__(self, caption: str) -> None:
        super().__init__()
        self.figure = label("–", "big", tabular=True)
        self.caption = label(caption, "note")
        self.setLayout(column(self.figure, self.caption, spacing=0))

    def show_number(self, number: int | None, tone: str = "") -> None:
        """Show a number, or a dash when it is not known."""
        self.figure.setText("–" if number is None else str(number).replace("-", "−"))
        restyle(self.figure, tone="dim" if number is None else tone)


class FindingLine(QWidget):
    """One finding: icon, sentence, and buttons to go to its element and to mend it."""

    chosen = Signal(str)
    mended = Signal(object)

    def __init__(self, finding: Finding, element_name: str) -> None:
        super().__init__()
        self.finding = finding
        icon_name, tone = _LOOKS[finding.severity]
        text = label(translation.core(finding.text), wrap=True)
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        words = column(text, spacing=6)
        buttons = row(spacing=6)
        if element_name:
            show = push_button(self.tr("Show {element}").format(element=element_name), small=True)
            show.clicked.connect(lambda: self.chosen.emit(finding.element))
            buttons.addWidget(show)
        if finding.fix is not None:
            fix = push_button(translation.core(finding.fix.label), small=True)
            fix.clicked.connect(lambda: self.mended.emit(finding.fix))
            buttons.addWidget(fix)
        if buttons.count():
            buttons.addStretch(1)
            words.addLayout(buttons)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        line.addWidget(icon_label(icon_name, tone, 16), 0, Qt.AlignmentFlag.AlignTop)
        line.addLayout(words, 1)


class ChecksPanel(QWidget):
    """Numbers and findings of the present document.

    Parameters
    ----------
    store : DocumentStore
        The document, for the names of elements.
    checks : CheckService
        The report.
    """

    element_chosen = Signal(str)
    mended = Signal(object)

    def __init__(self, store: DocumentStore, checks: CheckService) -> None:
        super().__init__()
        set_ground(self, "panel")
        self._store = store
        self._checks = checks
        self.state = pill("", "grey")
        self.again = tool_button("refresh-cw", self.tr("Check again"), size=24, icon_size=16)
        self.again.clicked.connect(checks.start)
        self.by_rank = BigNumber(self.tr("DOF by rank"))
        self.by_count = BigNumber(self.tr("by count"))
        self.redundant = BigNumber(self.tr("redundant"))
        numbers = row(self.by_rank, self.by_count, self.redundant, None, spacing=16, margins=(12, 0, 12, 8))
        self._list = QVBoxLayout()
        self._list.setContentsMargins(12, 10, 12, 8)
        self._list.setSpacing(10)
        inside = framed(self._list, "panel")
        area = QScrollArea()
        area.setWidget(inside)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setLayout(
            column(
                panel_head(self.tr("Checks"), self.state, self.again),
                framed(numbers),
                rule(),
                area,
                spacing=0,
            )
        )
        checks.changed.connect(self.refresh)
        checks.busy_changed.connect(self._show_state)
        self.refresh()

    @property
    def lines(self) -> list[FindingLine]:
        """Findings in view, worst first."""
        items = (self._list.itemAt(i) for i in range(self._list.count()))
        widgets = (item.widget() for item in items if item is not None)
        return [one for one in widgets if isinstance(one, FindingLine)]

    def _show_state(self) -> None:
        if self._checks.busy:
            self.state.setText(self.tr("checking"))
            restyle(self.state, pill="grey")
        elif self._checks.report is None:
            self.state.setText("")
        else:
            errors = sum(one.severity is Severity.ERROR for one in self._checks.findings)
            warnings = sum(one.severity is Severity.WARNING for one in self._checks.findings)
            if errors:
                self.state.setText(self.tr("{count} to mend").format(count=errors))
            elif warnings:
                self.state.setText(self.tr("{count} to look at").format(count=warnings))
            else:
                self.state.setText(self.tr("in order"))
            restyle(self.state, pill="bad" if errors else "warn" if warnings else "good")
        self.state.setVisible(bool(self.state.text()))

    def refresh(self) -> None:
        """Show the report as it is now."""
        report = self._checks.report
        n_redundant = self._checks.n_redundant
        rank = None if report is None else report.dof_rank
        self.by_rank.show_number(rank, "good" if rank is not None and rank > 0 else "")
        self.by_count.show_number(None if report is None else report.dof_count)
        self.redundant.show_number(n_redundant, "warn" if n_redundant else "")
        while (item := self._list.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for finding in self._checks.findings:
            line = FindingLine(finding, self._name(finding.element))
            line.chosen.connect(self.element_chosen)
            line.mended.connect(self.mended)
            self._list.addWidget(line)
        if report is not None and not self._checks.findings:
            self._list.addWidget(self._all_well())
        self._list.addStretch(1)
        self._show_state()

    def _all_well(self) -> QWidget:
        made = QWidget()
        text = label(self.tr("Nothing to mend."))
        made.setLayout(row(icon_label("circle-check", "good", 16), text, None, spacing=8))
        return made

    def _name(self, element_id: str | None) -> str:
        m = self._store.mechanism
        return m.element(element_id).label if element_id and m.has(element_id) else ""
