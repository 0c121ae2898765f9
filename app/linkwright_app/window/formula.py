"""Formulas in the window, set in STIX from a short notation and drawn as vectors."""

from __future__ import annotations

import re
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from linkwright_app.window import theme

_SCRIPT_SIZE = 0.68
_SUBSCRIPT_DROP = 0.22
_SUPERSCRIPT_RISE = 0.42
_PIECE = re.compile(
    r"(?P<mark>[_^])(?:\{(?P<group>[^}]*)\}|(?P<one>.))|\"(?P<upright>[^\"]*)\"|(?P<text>[^_^\"]+)"
)
_RUN = re.compile(r"[^\W\d_]+|[\W\d_]+")


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of a formula in one font: `level` is 0 on the line, -1 below it, 1 above it."""

    text: str
    italic: bool
    level: int


def runs(notation: str) -> list[Run]:
    """Split a notation such as ``f = k (ℓ − ℓ_0) = 2·10^{4} "N"`` into runs.

    ``_`` and ``^`` lower and raise the next character or the group in braces. Letters are slanted, except between
    quotation marks.
    """
    found = []
    for piece in _PIECE.finditer(notation):
        level = {"_": -1, "^": 1}.get(piece["mark"] or "", 0)
        if piece["upright"] is not None:
            found.append(Run(piece["upright"], False, 0))
            continue
        text = piece["text"] or piece["group"] or piece["one"] or ""
        found += [Run(part, part[0].isalpha(), level) for part in _RUN.findall(text)]
    return found


class FormulaLine(QWidget):
    """One line of a formula.

    Parameters
    ----------
    notation : str
        See `runs`.
    px : int
        Size of the letters in logical pixels.
    tone : str
        A colour of the theme.
    """

    def __init__(self, notation: str = "", *, px: int = 19, tone: str = "text") -> None:
        super().__init__()
        self._px = px
        self._tone = tone
        self._runs: list[Run] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_notation(notation)

    def set_notation(self, notation: str) -> None:
        """Show another formula."""
        self._runs = runs(notation)
        self.setAccessibleName(re.sub(r"[_^{}\"]", "", notation))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(round(sum(self._advance(run) for run in self._runs)) + 4, round(self._px * 1.5))

    def minimumSizeHint(self) -> QSize:
        return QSize(40, self.sizeHint().height())

    def _size(self, run: Run) -> int:
        return self._px if run.level == 0 else round(self._px * _SCRIPT_SIZE)

    def _advance(self, run: Run) -> float:
        font = theme.formula_font(self._size(run), italic=run.italic)
        return QFontMetricsF(font).horizontalAdvance(run.text)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
        painter.setPen(theme.color(self._tone))
        wanted = self.sizeHint().width()
        if wanted > self.width():  # a long line shrinks rather than losing its end
            share = self.width() / wanted
            painter.scale(share, share)
            painter.translate(0.0, self.height() * (1.0 / share - 1.0) / 2.0)
        x, base = 0.0, self.height() * 0.68
        for run in self._runs:
            painter.setFont(theme.formula_font(self._size(run), italic=run.italic))
            shift = {-1: _SUBSCRIPT_DROP, 0: 0.0, 1: -_SUPERSCRIPT_RISE}[run.level] * self._px
            painter.drawText(QPointF(x, base + shift), run.text)
            x += self._advance(run)
        painter.end()


def scientific(value: float) -> str:
    """Write a number for a formula: ``2·10^{4}`` where it is large or small, with a true minus sign."""
    text = f"{value:.4g}"
    mantissa, _, exponent = text.partition("e")
    if not exponent and value != 0 and float(value).is_integer() and abs(value) >= 1e4:
        mantissa, _, exponent = f"{value:.3e}".partition("e")
        mantissa = mantissa.rstrip("0").rstrip(".")
    mantissa = mantissa.replace("-", "−")
    if not exponent:
        return mantissa
    power = str(int(exponent)).replace("-", "−")
    return f"10^{{{power}}}" if mantissa == "1" else f"{mantissa}·10^{{{power}}}"
