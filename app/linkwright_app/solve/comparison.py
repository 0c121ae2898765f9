"""The table that holds run A against run B, and the line that says whether their motions agree."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from linkwright_app.services.iteration_tally import IterationTally
from linkwright_app.services.run_comparison import RunComparison
from linkwright_app.services.run_entry import RunEntry
from linkwright_app.services.run_service import RunService
from linkwright_app.window import icons, theme
from linkwright_app.window.tokens import ThemeTokens
from linkwright_app.window.widgets import icon_label, label, panel_head, row

_COLUMN = 64


def small(value: float) -> str:
    """Write a small number with one digit: ``6e−12``."""
    text = f"{value:.0e}"
    mantissa, _, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}".replace("-", "−") if value else "0"


class ComparisonTable(QWidget):
    """Iterations of A and B over the steps both have, and the largest difference of their motions.

    Parameters
    ----------
    run_service : RunService
        Source of the runs.
    """

    def __init__(self, run_service: RunService) -> None:
        super().__init__()
        self._service = run_service
        self._pair: tuple[RunEntry | None, RunEntry | None] = (None, None)
        self._n_event = 0
        self._tallies: dict[str, IterationTally] = {}
        self._comparison: RunComparison | None = None
        self._values: dict[tuple[str, str], QLabel] = {}

        self._upto = label("", "note")
        grid = QGridLayout()
        grid.setContentsMargins(12, 0, 12, 0)
        grid.setHorizontalSpacing(0)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(0, 1)
        self._swatches: list[QLabel] = []
        for column, side in enumerate("AB", start=1):
            mark = QLabel()
            mark.setFixedSize(10, 10)
            self._swatches.append(mark)
            name = label(side, "strong")
            head = QWidget()
            head.setFixedWidth(_COLUMN)
            head.setLayout(row(None, mark, name))
            grid.addWidget(head, 0, column)
        for line, (key, text) in enumerate(
            (
                ("mean", self.tr("Mean iterations")),
                ("max", self.tr("Max")),
                ("total", self.tr("Total")),
                ("failed", self.tr("Failed steps")),
            ),
            start=1,
        ):
            grid.addWidget(label(text, "dim"), line, 0)
            for column, side in enumerate("AB", start=1):
                value = label("–")
                value.setFont(theme.font(12, 600, tabular=True))
                value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                value.setFixedWidth(_COLUMN)
                grid.addWidget(value, line, column)
                self._values[key, side] = value
        self._verdict_icon = icon_label("info", "accent")
        self._verdict = label("", wrap=True)
        self._verdict_row = QWidget()
        verdict = row(self._verdict_icon, self._verdict, spacing=8, margins=(12, 0, 12, 0))
        verdict.setAlignment(self._verdict_icon, Qt.AlignmentFlag.AlignTop)
        verdict.setStretch(1, 1)
        self._verdict_row.setLayout(verdict)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(panel_head(self.tr("Comparison"), self._upto))
        layout.addLayout(grid)
        layout.addSpacing(10)
        layout.addWidget(self._verdict_row)

    @property
    def comparison(self) -> RunComparison | None:
        """Differences of the motions; None unless both sides ran the same problem."""
        return self._comparison

    @property
    def verdict(self) -> str:
        """The line under the table."""
        return self._verdict.text()

    def value(self, key: str, side: str) -> str:
        """Text of a cell: ``mean``, ``max``, ``total`` or ``failed`` of ``A`` or ``B``."""
        return self._values[key, side].text()

    def refresh(self) -> None:
        """Read the runs again."""
        pair = (self._service.run_a, self._service.run_b)
        # A parameter changed on the way makes the two runs different problems from then on.
        n_event = sum(len(entry.events) for entry in pair if entry is not None)
        if (pair, n_event) != (self._pair, self._n_event):
            self._pair, self._n_event = pair, n_event
            self._tallies = {
                side: IterationTally(entry.history, "solves")
                for side, entry in zip("AB", pair, strict=True)
                if entry is not None
            }
            a, b = pair
            same = a is not None and b is not None and a.same_problem(b)
            self._comparison = RunComparison(a, b) if a is not None and b is not None and same else None
        self._fill()
        self._judge()

    def _fill(self) -> None:
        a, b = self._pair
        lengths = [entry.history.n_step for entry in (a, b) if entry is not None]
        n = min(lengths, default=0)
        self._upto.setText(self.tr("to step {0}").format(n) if len(lengths) == 2 and n else "")
        for side, entry in zip("AB", self._pair, strict=True):
            tally = self._tallies.get(side)
            if entry is None or tally is None:
                texts = ("–", "–", "–", "–")
            else:
                tally.update(n)
                mean = f"{tally.mean:.2f}" if tally.n_step else "–"
                texts = (mean, str(tally.largest), str(tally.total), str(entry.failed_steps))
            for key, text in zip(("mean", "max", "total", "failed"), texts, strict=True):
                self._values[key, side].setText(text)

    def _judge(self) -> None:
        a, b = self._pair
        comparison = self._comparison
        icon, tone, text = "info", "accent", ""
        if a is None or b is None:
            text = self.tr("Run A and B to see whether their motions agree.")
        elif comparison is None:
            text = self.tr("A and B were run on different models or settings; their motions need not agree.")
        else:
            comparison.update()
            if not comparison.comparable:
                text = self.tr("A and B have no frames at the same times yet.")
            elif comparison.agree:
                icon, tone = "circle-check", "good"
                text = self.tr("A and B agree: largest difference {0} m, {1} rad").format(
                    small(comparison.position), small(comparison.orientation)
                )
            else:
                icon, tone = "triangle-alert", "warn"
                name = a.mechanism.element(comparison.body).label if comparison.body else ""
                text = self.tr(
                    "A and B differ by {0} m at {1}, {2} rad; the tolerance is {3} m, {4} rad."
                ).format(
                    small(comparison.position),
                    name,
                    small(comparison.orientation),
                    small(comparison.position_tolerance),
                    small(comparison.orientation_tolerance),
                )
        if text != self._verdict.text():
            self._verdict.setText(text)
            icons.set_icon(self._verdict_icon, icon, tone, size=16)
        self._verdict.setProperty("verdict", tone)

    def set_theme(self, tokens: ThemeTokens) -> None:
        """Take the colours of a theme."""
        for mark, ink in zip(self._swatches, tokens.plot, strict=False):
            mark.setStyleSheet(f"background: {ink}; border-radius: 2px;")
