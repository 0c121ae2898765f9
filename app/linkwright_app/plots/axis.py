"""Axes with true minus signs, powers of ten, and the width that keeps plots of a column in line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtGui import QColor

from linkwright_app.window import theme
from linkwright_app.window.tokens import ThemeTokens

LEFT_WIDTH = 52
BOTTOM_HEIGHT = 36
BARE_BOTTOM_HEIGHT = 20
_PREFIXES = ((1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n"))
_NICE_POWERS = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0)
_LARGE_PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


def number(value: float, digits: int = 6) -> str:
    """Write a number the short way, with a true minus sign: ``1e−8``, ``0.25``, ``−10``."""
    if not math.isfinite(value):
        return "–"
    text = f"{value:.{digits}g}"
    mantissa, _, exponent = text.partition("e")
    if exponent:
        text = f"{mantissa}e{int(exponent)}"
    return text.replace("-", "−")


def prefix_for(largest: float, unit: str) -> tuple[float, str]:
    """Choose a decimal prefix so that numbers up to `largest` are written with one to three digits.

    Returns
    -------
    factor, unit : float and str
        Stored value = shown value x factor; the unit with its prefix. Units made of several, and mass and pure
        numbers, keep their unit.
    """
    if unit not in ("m", "s", "N", "J", "W", "m/s", "N m") or not math.isfinite(largest) or largest <= 0.0:
        return 1.0, unit
    if unit in ("N", "J", "W", "N m"):
        for factor, prefix in _LARGE_PREFIXES:
            if largest >= 10.0 * factor:
                return factor, prefix + unit
    for factor, prefix in _PREFIXES:
        if largest >= 0.5 * factor:
            return factor, prefix + unit
    return _PREFIXES[-1][0], _PREFIXES[-1][1] + unit


class PlotAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no type information
    """A left or bottom axis in the style of the window.

    Parameters
    ----------
    orientation : str
        ``"left"`` or ``"bottom"``.
    whole : bool
        Only whole numbers are marked.
    power : bool
        The coordinate is the exponent of ten of what is shown.
    """

    def __init__(self, orientation: str, *, whole: bool = False, power: bool = False) -> None:
        super().__init__(orientation)
        self._whole = whole
        self._power = power
        self._title = ("", "")
        self.enableAutoSIPrefix(False)
        self.setStyle(
            tickFont=theme.font(10, tabular=True),
            tickLength=-4,
            tickTextOffset=5,
            autoExpandTextSpace=False,
            hideOverlappingLabels=True,
        )
        if orientation == "left":
            self.setWidth(LEFT_WIDTH)
        else:
            self.setHeight(BARE_BOTTOM_HEIGHT)

    def set_title(self, text: str, unit: str = "") -> None:
        """Name the axis; the unit follows in brackets in a dimmer tone."""
        self._title = (text, unit)
        if self.orientation == "bottom":
            self.setHeight(BOTTOM_HEIGHT if text else BARE_BOTTOM_HEIGHT)
        self._write_title(theme.tokens())

    @property
    def title(self) -> tuple[str, str]:
        """Text and unit."""
        return self._title

    def _write_title(self, tokens: ThemeTokens) -> None:
        text, unit = self._title
        if not text:
            self.showLabel(False)
            return
        shown = f'{text} <span style="color:{tokens.dim}">[{unit}]</span>' if unit else text
        self.setLabel(shown, **{"font-size": "11px", "color": tokens.text})
        self.label.setFont(theme.font(11))
        # The place of the title follows from its width, which has just changed.
        self.resizeEvent(None)

    def set_theme(self, tokens: ThemeTokens) -> None:
        """Take the colours of a theme."""
        self.setPen(pg.mkPen(tokens.strong_line, width=1))
        self.setTickPen(pg.mkPen(tokens.text, width=1))
        self.setTextPen(QColor(tokens.dim))
        self.setGrid(30 if tokens.dark else 26)
        self._write_title(tokens)

    def tickSpacing(self, minVal: float, maxVal: float, size: float) -> Any:
        if self._power:
            # Whole powers only, few enough that their labels do not touch.
            n_label = max(int(size / (20 if self.orientation == "left" else 44)), 1)
            at_least = float(max(math.ceil((maxVal - minVal) / n_label), 1))
            step = next((nice for nice in _NICE_POWERS if nice >= at_least), at_least)
            return [(step, 0.0)]
        if self._whole:
            digits = len(str(round(maxVal)))
            room = max(size / (24 if self.orientation == "left" else 16 + 9 * digits), 1.0)
            return [(float(_nice_whole((maxVal - minVal) / room)), 0.0)]
        return super().tickSpacing(minVal, maxVal, size)[:2]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        if self._power:
            return [_power_of_ten(round(v)) for v in values]
        if self._whole:
            return [number(round(v)) for v in values]
        # Digits follow the spacing, so that neighbours differ and 0.1 + 0.2 is written 0.3.
        rounded = [round(v / spacing) * spacing if spacing else v for v in values]
        largest = max((abs(v) for v in rounded), default=0.0)
        if largest == 0.0 or spacing <= 0.0:
            return [number(v) for v in rounded]
        digits = max(math.ceil(math.log10(largest / spacing)) + 2, 1)
        if 1.0 <= largest < 1e5:
            # Whole numbers up to five digits are written out: 2500, not 2.5e3.
            digits = max(digits, math.floor(math.log10(largest)) + 1)
        return [number(v, min(digits, 15)) for v in rounded]


def _nice_whole(at_least: float) -> int:
    """Smallest of 1, 2, 5, 10, 20, 50, ... that is not below a number."""
    decade = 1
    while True:
        for nice in (1, 2, 5):
            if nice * decade >= at_least:
                return nice * decade
        decade *= 10


def _power_of_ten(exponent: int) -> str:
    if exponent in (0, 1, 2):
        return str(10**exponent)
    return f"1e{exponent}".replace("-", "−")
