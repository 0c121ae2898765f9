"""The switches of the iteration matrix for variants A and B, the blocks they stand for, and the comparison."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QCheckBox, QFrame, QGridLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from linkwright.document.commands import SetField
from linkwright.errors import LinkwrightError
from linkwright_app.services.document_store import DocumentStore
from linkwright_app.services.run_service import RunService
from linkwright_app.services.selection import Selection
from linkwright_app.services.time_cursor import TimeCursor
from linkwright_app.solve.block_view import BlockView
from linkwright_app.solve.comparison import ComparisonTable
from linkwright_app.solve.variant import variant_name, variant_terms
from linkwright_app.window import theme
from linkwright_app.window.tokens import ThemeTokens
from linkwright_app.window.widgets import (
    Item,
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
)

WIDTH = 338
_SIDE_COLUMN = 58


class JacobianPanel(QWidget):
    """Which terms the iteration matrix of run A and run B has.

    Side A is the model's own setting, so its switches can be undone and are saved with the model; side B is a second
    opinion of this window. Switches of a side that runs act at once.

    Parameters
    ----------
    document_store : DocumentStore
        Holds the setting of side A.
    run_service : RunService
        Does the runs.
    time_cursor : TimeCursor
        Time at which the blocks are shown.
    tokens : ThemeTokens or None
        Colours to begin with; the present theme when None.
    selection : Selection or None
        Chooses the spring whose blocks are shown; without it, the first one of the model.
    """

    def __init__(
        self,
        document_store: DocumentStore,
        run_service: RunService,
        time_cursor: TimeCursor,
        tokens: ThemeTokens | None = None,
        selection: Selection | None = None,
    ) -> None:
        super().__init__()
        self._store = document_store
        self._service = run_service
        self._variant_b = "M1"
        self.setProperty("ground", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(WIDTH)

        self._state = pill("")
        self.boxes: dict[str, QCheckBox] = {}
        self._swatches: list[QLabel] = []
        self.run_a = push_button(self.tr("Run A"))
        self.run_b = push_button(self.tr("Run B"))
        self.run_both = push_button(self.tr("Run A and B"))
        self.run_a.clicked.connect(lambda: run_service.start({}, "A"))
        self.run_b.clicked.connect(lambda: run_service.start({"jacobian": self._variant_b}, "B"))
        self.run_both.clicked.connect(lambda: run_service.start_both({}, {"jacobian": self._variant_b}))
        self.blocks = BlockView(document_store, run_service, time_cursor, selection)
        self.comparison = ComparisonTable(run_service)
        self._build()

        # Several changes at once are shown once.
        self._due = QTimer(self)
        self._due.setSingleShot(True)
        self._due.setInterval(1)
        self._due.timeout.connect(self.refresh)
        document_store.changed.connect(self._on_document)
        run_service.state_changed.connect(self._due.start)
        run_service.runs_changed.connect(self._due.start)
        run_service.option_changed.connect(self._due.start)
        run_service.plot_ticked.connect(self._on_plot_tick)
        self.set_theme(tokens or theme.tokens())
        self.refresh()

    # ------------------------------------------------------------------ layout
    def _build(self) -> None:
        note = label(
            self.tr(
                "The switches change the matrix only. The spring force is the same in A and B, so both must give "
                "the same motion."
            ),
            "note",
            wrap=True,
        )
        info = icon_label("info", "accent")
        note_row = row(info, note, spacing=8, margins=(10, 8, 10, 8))
        note_row.setAlignment(info, Qt.AlignmentFlag.AlignVCenter)
        note_row.setStretch(1, 1)
        content = QWidget()
        content.setProperty("ground", "panel")
        layout = QVBoxLayout(content)
        layout.setContentsMargins(0, 0, 0, 12)
        layout.setSpacing(0)
        parts: Sequence[Item] = (
            self._switches(),
            8,
            row(self.run_a, self.run_b, self.run_both, None, margins=(12, 0, 12, 0)),
            8,
            row(framed(note_row, "equation"), margins=(12, 0, 12, 0)),
            10,
            row(self.blocks, margins=(12, 0, 12, 0)),
            10,
            rule(),
            self.comparison,
        )
        for part in parts:
            if isinstance(part, int):
                layout.addSpacing(part)
            elif isinstance(part, QWidget):
                layout.addWidget(part)
            elif part is not None:
                layout.addLayout(part)
        layout.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(content)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(panel_head(self.tr("Jacobian"), self._state))
        outer.addWidget(scroll, 1)

    def _switches(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setContentsMargins(12, 0, 12, 0)
        grid.setHorizontalSpacing(0)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(0, 1)
        grid.addWidget(label(self.tr("Iteration matrix"), "note"), 0, 0)
        for column_, side in enumerate("AB", start=1):
            mark = QLabel()
            mark.setFixedSize(10, 10)
            self._swatches.append(mark)
            grid.addWidget(_cell(6, mark, label(side, "strong"), None), 0, column_)
        terms = (
            (
                "M1",
                self.tr("base: mass, constraints"),
                self.tr("M1: everything but the springs. It cannot be left out."),
            ),
            (
                "M2",
                self.tr("SDA force by position"),
                self.tr("M2 = ∂Qe/∂q: how the spring-damper-actuator forces change with the positions."),
            ),
            (
                "M3",
                self.tr("SDA force by velocity"),
                self.tr("M3 = ∂Qe/∂q′: how the damper forces change with the velocities."),
            ),
        )
        for line, (term, text, tip) in enumerate(terms, start=1):
            words = QWidget()
            words.setLayout(column(label(term, "strong"), label(text, "note"), spacing=0))
            words.setToolTip(tip)
            grid.addWidget(words, line, 0)
            for column_, side in enumerate("AB", start=1):
                box = QCheckBox()
                box.setAccessibleName(self.tr("{0} in variant {1}").format(term, side))
                box.setToolTip(tip)
                box.setFixedSize(18, 18)
                if term == "M1":
                    box.setChecked(True)
                    box.setEnabled(False)
                    grid.addWidget(_cell(6, box, icon_label("lock", "dim", 12), None), line, column_)
                else:
                    self.boxes[term + side] = box
                    box.clicked.connect(self._switch_a if side == "A" else self._switch_b)
                    grid.addWidget(_cell(6, box, None), line, column_)
        return grid

    # ------------------------------------------------------------------ variants
    @property
    def variant_a(self) -> str:
        """Variant of side A: the setting of the model."""
        settings = self._store.mechanism.settings
        return str(getattr(settings.options(settings.engine), "jacobian", ""))

    @property
    def variant_b(self) -> str:
        """Variant of side B."""
        return self._variant_b

    def set_variant_b(self, name: str) -> None:
        """Set the variant of side B; a B run that goes on takes it over at once."""
        self._variant_b = name
        live = self._service.live
        if live is not None and live.label == "B" and live.variant_now != name:
            self._service.set_option("jacobian", name)
        self.refresh()

    def _chosen(self, side: str) -> str:
        return variant_name(self.boxes["M2" + side].isChecked(), self.boxes["M3" + side].isChecked())

    def _switch_a(self) -> None:
        engine = self._store.mechanism.settings.engine
        try:
            self._store.do(SetField(None, f"settings.{engine}.jacobian", self._chosen("A")))
        except LinkwrightError:
            # The switches show what is in force.
            self.refresh()

    def _switch_b(self) -> None:
        self.set_variant_b(self._chosen("B"))

    # ------------------------------------------------------------------ what is shown
    def refresh(self) -> None:
        """Show what is in force now."""
        self._show_variants()
        self._show_state()
        if self.isVisible():
            self.comparison.refresh()

    def _show_variants(self) -> None:
        for side, name in (("A", self.variant_a), ("B", self._variant_b)):
            terms = variant_terms(name)
            for term, place in (("M2", 0), ("M3", 1)):
                box = self.boxes[term + side]
                box.setTristate(terms is None)
                if terms is None:
                    box.setCheckState(Qt.CheckState.PartiallyChecked)
                else:
                    box.setChecked(terms[place])

    def _show_state(self) -> None:
        service = self._service
        live = service.is_live
        for button in (self.run_a, self.run_b, self.run_both):
            button.setEnabled(not live)
        words = {
            "running": self.tr("{0} running"),
            "paused": self.tr("{0} paused"),
            "stopping": self.tr("{0} stopping"),
            "completed": self.tr("{0} done"),
            "stopped": self.tr("{0} stopped"),
            "failed": self.tr("{0} failed"),
        }
        entries = [e for e in (service.run_a, service.run_b) if e is not None]
        # A run that has just ended counts as going on until the service has taken it in.
        texts = [words[service.state if e is service.live else e.state].format(e.label) for e in entries]
        texts += [self.tr("{0} waiting").format(name) for name in service.waiting]
        self._state.setText(self.tr(", ").join(texts))
        failed = any(e.state == "failed" for e in entries)
        restyle(self._state, pill="bad" if failed else "warn" if live else "grey")
        self._state.setVisible(bool(texts))

    @property
    def state_text(self) -> str:
        """What the tag in the head says."""
        return self._state.text()

    def _on_document(self) -> None:
        self._due.start()

    def _on_plot_tick(self) -> None:
        if self.isVisible():
            self.comparison.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 640)

    def set_theme(self, tokens: ThemeTokens) -> None:
        """Take the colours of a theme."""
        for mark, ink in zip(self._swatches, tokens.plot, strict=False):
            mark.setStyleSheet(f"background: {ink}; border-radius: 2px;")
        self.comparison.set_theme(tokens)
        self.blocks.set_theme(tokens)


def _cell(spacing: int, *items: Item) -> QWidget:
    """Put the parts of one place in the columns A and B side by side."""
    made = QWidget()
    made.setFixedWidth(_SIDE_COLUMN)
    made.setLayout(row(*items, spacing=spacing, margins=(6, 0, 0, 0)))
    return made
