"""Units at the border: what a person types becomes SI, and nowhere else do units appear."""

from __future__ import annotations

import math
import re

from linkwright.errors import DocumentError

PREFIXES = {"G": 1e9, "M": 1e6, "k": 1e3, "c": 1e-2, "m": 1e-3, "u": 1e-6, "µ": 1e-6, "μ": 1e-6, "n": 1e-9}

# unit -> (factor to SI, exponents of kg, m, s, rad)
_BASE: dict[str, tuple[float, tuple[int, int, int, int]]] = {
    "m": (1.0, (0, 1, 0, 0)),
    "in": (0.0254, (0, 1, 0, 0)),
    "ft": (0.3048, (0, 1, 0, 0)),
    "kg": (1.0, (1, 0, 0, 0)),
    "g": (1e-3, (1, 0, 0, 0)),
    "t": (1e3, (1, 0, 0, 0)),
    "lb": (0.45359237, (1, 0, 0, 0)),
    "s": (1.0, (0, 0, 1, 0)),
    "min": (60.0, (0, 0, 1, 0)),
    "h": (3600.0, (0, 0, 1, 0)),
    "rad": (1.0, (0, 0, 0, 1)),
    "deg": (math.pi / 180.0, (0, 0, 0, 1)),
    "°": (math.pi / 180.0, (0, 0, 0, 1)),
    "rev": (2.0 * math.pi, (0, 0, 0, 1)),
    "rpm": (2.0 * math.pi / 60.0, (0, 0, -1, 1)),
    "Hz": (1.0, (0, 0, -1, 0)),
    "N": (1.0, (1, 1, -2, 0)),
    "lbf": (4.4482216152605, (1, 1, -2, 0)),
    "J": (1.0, (1, 2, -2, 0)),
    "W": (1.0, (1, 2, -3, 0)),
    "Pa": (1.0, (1, -1, -2, 0)),
}
_WITH_PREFIX = ("m", "g", "s", "N", "J", "W", "Pa", "Hz")

_NUMBER = re.compile(r"^\s*([+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][+-]?\d+)?)\s*(.*)$", re.DOTALL)
_FACTOR = re.compile(r"\s*([*/·]?)\s*([A-Za-zµμ°]+)(?:\^?(-?\d{1,2}(?!\d)|[²³]))?")
_POWERS = {"²": 2, "³": 3}

Dimension = tuple[int, int, int, int]


def unit_factor(unit: str) -> tuple[float, Dimension]:
    """Factor to SI and dimension (exponents of kg, m, s, rad) of a unit such as ``"N s/m"`` or ``"kg/m^3"``.

    Everything behind a slash is divided by, as in ``J/kg K``.

    Raises
    ------
    DocumentError
        For an unknown unit.
    """
    factor, exponents, at, divides = 1.0, [0, 0, 0, 0], 0, False
    text = unit.strip()
    while at < len(text):
        match = _FACTOR.match(text, at)
        if match is None:
            raise DocumentError(f"The unit {unit!r} cannot be read.")
        divides = divides or match.group(1) == "/"
        one, dimension = _single(match.group(2), unit)
        power = match.group(3)
        n = (_POWERS.get(power) or int(power)) if power else 1
        n = -n if divides else n
        try:
            factor *= one**n
        except OverflowError:
            raise DocumentError(f"The unit {unit!r} is out of all range.") from None
        exponents = [a + n * b for a, b in zip(exponents, dimension, strict=True)]
        at = match.end()
    return factor, (exponents[0], exponents[1], exponents[2], exponents[3])


def _single(word: str, unit: str) -> tuple[float, Dimension]:
    if word in _BASE:
        return _BASE[word]
    if len(word) > 1 and word[0] in PREFIXES and word[1:] in _WITH_PREFIX:
        factor, dimension = _BASE[word[1:]]
        return PREFIXES[word[0]] * factor, dimension
    raise DocumentError(f"The unit {word!r} in {unit!r} is not known. Known: {', '.join(_BASE)}.")


def parse_quantity(text: str, unit: str) -> float:
    """Read ``25 mm``, ``0,5`` or ``30 deg`` as a number in the SI unit `unit`, which is meant where none is typed.

    Decimal point and comma are both accepted.

    Raises
    ------
    DocumentError
        When the text is no number, or its unit does not measure what `unit` measures.
    """
    match = _NUMBER.match(text)
    if match is None:
        raise DocumentError(
            f"{text.strip()!r} is not a number. Type a number, with a unit if you like, or a formula '=...'."
        )
    value = float(match.group(1).replace(",", "."))
    given = match.group(2).strip()
    if not math.isfinite(value):
        raise DocumentError(f"{text.strip()!r} is too large a number.")
    if not given or given == unit:
        return value
    factor, dimension = unit_factor(given)
    wanted_factor, wanted = unit_factor(unit)
    if dimension[:3] != wanted[:3]:
        wants = f"a value in {unit}" if unit else "a number without unit"
        raise DocumentError(f"{given!r} does not fit here; this field needs {wants}.")
    quantity = value * factor / wanted_factor
    if not math.isfinite(quantity):
        raise DocumentError(f"{text.strip()!r} is too large a number.")
    return quantity


def format_number(value: float, digits: int = 6) -> str:
    """Write a number with up to `digits` significant digits, as it would be typed."""
    text = f"{value:.{digits}g}"
    mantissa, _, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}" if exponent else mantissa
