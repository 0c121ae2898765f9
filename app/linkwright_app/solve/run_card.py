"""The card over the 3D view while a run goes on: how far, how fast, how long yet."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from linkwright_app.services.run_entry import RunEntry
from linkwright_app.services.run_service import RunService
from linkwright_app.window import theme
from linkwright_app.window.tokens import ThemeTokens

WIDTH = 236
_HEAD = 42
_ROW = 22


@dataclass(frozen=True)
class RunCardText:
    """What the card says.

    Parameters
    ----------
    title, place : str
        Upper line, left and right.
    share : float
        Part of the simulated time that is done, 0 to 1.
    rows : tuple of (str, str)
        Lines under the bar, left and right.
    """

    title: str
    place: str
    share: float
    rows: tuple[tuple[str, str], ...]


def _tr(text: str) -> str:
    return QCoreApplication.translate("RunCard", text)


def duration(seconds: float) -> str:
    """Write a time span as somebody waits for it: ``0.27 s``, ``12 s``, ``3 min 5 s``."""
    if not 0.0 <= seconds < 1e7:
        return "–"
    if seconds < 10.0:
        return _tr("{0} s").format(f"{seconds:.2f}")
    if seconds < 60.0:
        return _tr("{0} s").format(f"{seconds:.0f}")
    if seconds < 3600.0:
        return _tr("{0} min {1} s").format(int(seconds // 60), int(seconds % 60))
    return _tr("{0} h {1} min").format(int(seconds // 3600), int(seconds % 3600 // 60))


def _rate(value: float) -> str:
    return f"{value:.3g}" if value < 1000.0 else f"{value:,.0f}".replace(",", "\u202f")


def run_card_text(entry: RunEntry) -> RunCardText:
    """Put together what is to be said about a run that goes on."""
    progress = entry.runner.progress
    history = entry.history
    n = history.n_step
    last = int(history.step_column("solves", n - 1, n)[0]) if n else 0
    retries = entry.solves.retries
    variant = _tr("{0} only").format("M1") if entry.variant_now == "M1" else entry.variant_now
    title = _tr("Run {0}  ·  {1}").format(entry.label, variant)
    if entry.state == "paused":
        title = _tr("Run {0}  ·  paused").format(entry.label)
    rows = [
        (
            _tr("{0} steps/s").format(_rate(progress.steps_per_s)),
            _tr("real time ×{0}").format(_rate(progress.real_time_factor)),
        ),
        (_tr("time left"), duration(progress.time_left)),
        (_tr("iterations, last step"), str(last)),
    ]
    if retries:
        rows.append((_tr("retries"), str(retries)))
    return RunCardText(
        title=title,
        place=_tr("step {0} of {1}").format(_rate(n), _rate(entry.n_step_planned)),
        share=min(max(progress.t / progress.t_end, 0.0), 1.0) if progress.t_end > 0.0 else 0.0,
        rows=tuple(rows),
    )


class RunCard(QWidget):
    """The card as a see-through widget. It shows itself while a run goes on; its parent only places it.

    Parameters
    ----------
    run_service : RunService
        Source of the run.
    parent : QWidget or None
        The view it lies over.
    """

    def __init__(self, run_service: RunService, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._service = run_service
        self._text: RunCardText | None = None
        self._slot = 0
        self._tokens = theme.tokens()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFixedWidth(WIDTH + 1)
        self.hide()
        run_service.plot_ticked.connect(self.refresh)
        run_service.started.connect(self.refresh)
        run_service.state_changed.connect(self.refresh)

    @property
    def text(self) -> RunCardText | None:
        """What is shown; None while no run goes on."""
        return self._text

    def refresh(self) -> None:
        """Read the run again."""
        entry = self._service.live
        self._text = None if entry is None else run_card_text(entry)
        if entry is not None and self._text is not None:
            self._slot = entry.slot
            self.setFixedHeight(_HEAD + _ROW * len(self._text.rows) + 7)
        self.setVisible(self._text is not None)
        self.update()

    def set_theme(self, tokens: ThemeTokens) -> None:
        """Take the colours of a theme."""
        self._tokens = tokens
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(WIDTH + 1, _HEAD + _ROW * 3 + 7)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._text is None:
            return
        tokens, text = self._tokens, self._text
        left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = QColor(tokens.card)
        ground.setAlpha(228)
        painter.setPen(QPen(QColor(tokens.line), 1.0))
        painter.setBrush(ground)
        painter.drawRoundedRect(QRectF(0.5, 0.5, WIDTH, self.height() - 1.5), 8, 8)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.plot[self._slot % len(tokens.plot)]))
        painter.drawRoundedRect(QRectF(12, 12, 10, 10), 2, 2)
        painter.setFont(theme.font(12, 600))
        painter.setPen(QColor(tokens.text))
        painter.drawText(QRectF(30, 6, WIDTH - 42, 22), left, text.title)
        painter.setFont(theme.font(11, tabular=True))
        painter.setPen(QColor(tokens.dim))
        painter.drawText(QRectF(100, 6, WIDTH - 112, 22), right, text.place)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tokens.line))
        painter.drawRoundedRect(QRectF(12, 32, WIDTH - 24, 4), 2, 2)
        painter.setBrush(QColor(tokens.accent))
        painter.drawRoundedRect(QRectF(12, 32, (WIDTH - 24) * text.share, 4), 2, 2)
        for i, (name, value) in enumerate(text.rows):
            box = QRectF(12, _HEAD + i * _ROW, WIDTH - 24, _ROW)
            painter.setPen(QColor(tokens.text if i == 0 else tokens.dim))
            painter.drawText(box, left, name)
            painter.setPen(QColor(tokens.dim if i == 0 else tokens.text))
            painter.drawText(box, right, value)
        painter.end()
