"""The row at the foot of the window: what to do next on the left, facts on the right."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QStatusBar, QWidget

from linkwright_app.window import icons
from linkwright_app.window.widgets import icon_label, label, rule

HEIGHT = 26


class StatusBar(QStatusBar):
    """Hint and facts. Help of the menu entry under the mouse takes the place of the hint as long as it is there."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizeGripEnabled(False)
        self.setFixedHeight(HEIGHT)
        self._icon = icon_label("lightbulb", "accent", 14)
        self.hint: QLabel = label("", "hint")
        self._hint_text = ""
        self._facts: list[QLabel] = []
        self._line = QHBoxLayout()
        self._line.setContentsMargins(12, 0, 12, 0)
        self._line.setSpacing(8)
        self._line.addWidget(self._icon)
        self._line.addWidget(self.hint, 1)
        self.task: QLabel = label("", "note", tone="accent")
        self.task.hide()
        self._line.addWidget(self.task)
        inside = QWidget()
        inside.setLayout(self._line)
        self.addWidget(inside, 1)
        self.setContentsMargins(0, 0, 0, 0)

    def show_hint(self, text: str, icon_name: str = "lightbulb", tone: str = "accent") -> None:
        """Show what can be done next."""
        self._hint_text = text
        self.hint.setText(text)
        icons.set_icon(self._icon, icon_name, tone, size=14)

    def show_help(self, text: str) -> None:
        """Show the help of what is under the mouse; nothing brings the hint back."""
        self.hint.setText(text or self._hint_text)

    def show_task(self, text: str) -> None:
        """Show work that goes on in the background; nothing when it has ended."""
        self.task.setText(text)
        self.task.setVisible(bool(text))

    def show_facts(self, facts: list[str]) -> None:
        """Show facts from left to right."""
        if len(facts) != len(self._facts):
            while self._line.count() > 3:
                item = self._line.takeAt(3)
                widget = item.widget() if item is not None else None
                if widget is not None:
                    widget.hide()
                    widget.deleteLater()
            self._facts = []
            for place in range(len(facts)):
                if place:
                    self._line.addWidget(rule(vertical=True, length=12))
                made = label("", "note", tabular=True)
                self._line.addWidget(made)
                self._facts.append(made)
        for shown, text in zip(self._facts, facts, strict=True):
            shown.setText(text)

    @property
    def facts(self) -> list[str]:
        """Facts shown now."""
        return [shown.text() for shown in self._facts]
