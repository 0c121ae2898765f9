"""Notices: short messages that rise over the lower right corner of the work area and never block it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from linkwright_app.window import widgets
from linkwright_app.window.widgets import column, icon_label, label, push_button, row, tool_button

WIDTH = 448
MARGIN = 16
GAP = 8
MAX_NOTICES = 4
SECONDS = {"good": 6.0, "accent": 6.0, "warn": 12.0, "bad": 0.0}
"""How long a notice of a tone stays; 0 until it is closed."""
_ICONS = {"good": "circle-check", "accent": "info", "warn": "triangle-alert", "bad": "circle-alert"}

Choice = tuple[str, Callable[[], object]]


def with_title(text: str) -> str:
    """Put a line break behind the first of several sentences, so that it stands out as the title."""
    if "\n" in text:
        return text
    head, space, rest = text.partition(". ")
    return f"{head}.\n{rest}" if space and rest[:1].isupper() else text


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

    dismissed = Signal()

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

    def fit(self) -> None:
        """Take the height the text needs."""
        layout = self.layout()
        if layout is not None:
            layout.activate()
            self.setFixedHeight(layout.totalHeightForWidth(WIDTH))

    def dismiss(self) -> None:
        """Take the notice away."""
        self.hide()
        self.dismissed.emit()
        self.deleteLater()


class Notices(QObject):
    """The stack of notices over a widget, newest below.

    Parameters
    ----------
    over : QWidget
        The widget whose lower right corner they use.
    """

    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self._over = over
        self._shown: list[Notice] = []
        self._foot = 0
        over.installEventFilter(self)

    @property
    def shown(self) -> list[Notice]:
        """Notices in view, oldest first."""
        return list(self._shown)

    def set_foot(self, height: int) -> None:
        """Keep a strip at the foot of the widget free [px]."""
        self._foot = height
        self._place()

    def tell(self, text: str, tone: str = "accent", choices: Sequence[Choice] = ()) -> Notice:
        """Show a message; one that is in view already is not shown twice."""
        for old in self.shown:
            if old.text == text:
                old.dismiss()
        while len(self._shown) >= MAX_NOTICES:
            self._shown[0].dismiss()
        notice = Notice(self._over, text, tone, choices)
        notice.dismissed.connect(lambda: self._forget(notice))
        self._shown.append(notice)
        notice.show()
        self._place()
        return notice

    def clear(self) -> None:
        """Take every notice away."""
        for notice in self.shown:
            notice.dismiss()

    def _forget(self, notice: Notice) -> None:
        if notice in self._shown:
            self._shown.remove(notice)
            self._place()

    def _place(self) -> None:
        bottom = self._over.height() - self._foot - MARGIN
        for notice in reversed(self._shown):
            notice.fit()
            bottom -= notice.height()
            notice.move(self._over.width() - MARGIN - notice.width(), bottom)
            notice.raise_()
            bottom -= GAP

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return False
