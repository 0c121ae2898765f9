"""Notices: short messages that rise over the lower right corner of the work area and never block it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from linkwright_app.window import widgets
from linkwright_app.window.widgets import column, icon_label, label, push_button, row, tool_button

WIDTH = 400
MARGIN = 16
MAX_NOTICES = 4
SECONDS = {"good": 6.0, "accent": 6.0, "warn": 12.0, "bad": 0.0}
"""How long a notice of a tone stays; 0 until it is closed."""
_ICONS = {"good": "circle-check", "accent": "info", "warn": "triangle-alert", "bad": "circle-alert"}

Choice = tuple[str, Callable[[], object]]


class Notice(QFrame):
    """One message with its buttons.

    Parameters
    ----------
    text : str
        Translated sentences; the first line is the title when there are several.
    tone : str
        ``"good"``, ``"accent"``, ``"warn"`` or ``"bad"``.
    choices : sequence of (str, callable)
        Buttons; each closes the notice after its work.
    """

    def __init__(self, parent: QWidget, text: str, tone: str, choices: Sequence[Choice] = ()) -> None:
        super().__init__(parent)
        self.text = text
        self.tone = tone
        self.setProperty("ground", "card")
        self.setFixedWidth(WIDTH)
        title, _, rest = text.partition("\n")
        lines = column(label(title, "strong" if rest else "", wrap=True), spacing=4)
        if rest:
            lines.addWidget(label(rest, wrap=True))
        self.buttons: list[QPushButton] = []
        if choices:
            bar = row(spacing=8, margins=(0, 4, 0, 0))
            for name, work in choices:
                button = push_button(name, small=True)
                button.clicked.connect(lambda _=False, work=work: self._choose(work))
                bar.addWidget(button)
                self.buttons.append(button)
            bar.addStretch(1)
            lines.addLayout(bar)
        close = tool_button("x", self.tr("Close"), tone="dim", size=20, icon_size=14)
        close.clicked.connect(self.dismiss)
        whole = row(spacing=10, margins=(12, 12, 8, 12))
        whole.addWidget(icon_label(_ICONS[tone], tone, 18), 0, Qt.AlignmentFlag.AlignTop)
        whole.addLayout(lines, 1)
        whole.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        self.setLayout(whole)
        self.setAccessibleName(text)
        widgets.shadow(self)
        if SECONDS[tone] > 0:
            QTimer.singleShot(round(SECONDS[tone] * 1000), self, self.dismiss)

    def _choose(self, work: Callable[[], object]) -> None:
        self.dismiss()
        work()

    def dismiss(self) -> None:
        """Take the notice away."""
        self.setParent(None)
        self.deleteLater()


class Notices(QWidget):
    """The stack of notices over a widget, newest below.

    Parameters
    ----------
    over : QWidget
        The widget whose lower right corner they use.
    """

    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self._over = over
        self._stack = QVBoxLayout(self)
        self._stack.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        self._stack.setSpacing(8)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Minimum)
        over.installEventFilter(self)
        self.hide()

    @property
    def shown(self) -> list[Notice]:
        """Notices in view, oldest first."""
        items = (self._stack.itemAt(i) for i in range(self._stack.count()))
        found = (item.widget() for item in items if item is not None)
        return [one for one in found if isinstance(one, Notice)]

    def tell(self, text: str, tone: str = "accent", choices: Sequence[Choice] = ()) -> Notice:
        """Show a message; one that is in view already is not shown twice."""
        for old in self.shown:
            if old.text == text:
                old.dismiss()
        while len(self.shown) >= MAX_NOTICES:
            self.shown[0].dismiss()
        notice = Notice(self, text, tone, choices)
        self._stack.addWidget(notice, 0, Qt.AlignmentFlag.AlignRight)
        notice.destroyed.connect(self._place_later)
        self._place()
        return notice

    def clear(self) -> None:
        """Take every notice away."""
        for notice in self.shown:
            notice.dismiss()

    def _place_later(self) -> None:
        QTimer.singleShot(0, self, self._place)

    def _place(self) -> None:
        if not self.shown:
            self.hide()
            return
        self.show()
        self.raise_()
        self._stack.activate()
        size = self.sizeHint().boundedTo(self._over.size())
        self.setGeometry(
            self._over.width() - size.width(),
            self._over.height() - size.height(),
            size.width(),
            size.height(),
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return False
