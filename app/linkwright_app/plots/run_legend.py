"""The line of legend entries in the head of a plot: sample, name and numbers of each run."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from linkwright_app.window import theme


class RunLegend(QWidget):
    """Entries side by side; the texts are cut, not the plot widened, when there is no room."""

    def __init__(self) -> None:
        super().__init__()
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(0, 0, 0, 0)
        self._line.setSpacing(6)
        self._labels: list[tuple[QLabel, QLabel]] = []
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)

    def set_entries(self, entries: Sequence[tuple[QPixmap, str]]) -> None:
        """Show these samples with their rich texts."""
        while len(self._labels) < len(entries):
            sample, text = QLabel(self), QLabel(self)
            text.setFont(theme.font(11, tabular=True))
            text.setTextFormat(Qt.TextFormat.RichText)
            text.setMinimumWidth(20)
            if self._labels:
                self._line.addSpacing(8)
            self._line.addWidget(sample)
            self._line.addWidget(text)
            self._labels.append((sample, text))
        for i, (sample, text) in enumerate(self._labels):
            used = i < len(entries)
            sample.setVisible(used)
            text.setVisible(used)
            if used:
                sample.setPixmap(entries[i][0])
                text.setText(entries[i][1])

    @property
    def texts(self) -> tuple[str, ...]:
        """Rich texts shown."""
        return tuple(text.text() for _, text in self._labels if not text.isHidden())
