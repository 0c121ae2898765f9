"""Formulas: a small safe language, read by a recursive-descent parser (never by eval).

Grammar: comparison, ``+ -``, ``* /``, unary sign, ``^`` (right to left, also written ``**``), calls, names, numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from linkwright.errors import ExpressionError

CONSTANTS = {"pi": math.pi, "deg": math.pi / 180.0}

MAX_DEPTH = 50
"""Deepest nesting of brackets and signs; far beyond any formula written by hand."""
MAX_LENGTH = 600
"""Longest formula in characters, so that a chain of sums cannot exhaust the call stack."""


@dataclass(frozen=True, slots=True)
class Number:
    """A literal."""

    value: float
    position: int


@dataclass(frozen=True, slots=True)
class Name:
    """A parameter or a constant."""

    name: str
    position: int


@dataclass(frozen=True, slots=True)
class Call:
    """A function or an operator with its arguments; operators go by their sign, ``neg`` is the unary minus."""

    function: str
    arguments: tuple[Node, ...]
    position: int


Node = Number | Name | Call


def step5(x: float, x0: float, y0: float, x1: float, y1: float) -> float:
    """Smooth step from y0 at x0 to y1 at x1: a polynomial of degree 5 with zero rate and acceleration at both ends."""
    if x1 <= x0:
        raise ValueError("step5 needs its second place after its first")
    s = min(max((x - x0) / (x1 - x0), 0.0), 1.0)
    return y0 + (y1 - y0) * s**3 * (10.0 - 15.0 * s + 6.0 * s * s)


_ANY = -1
FUNCTIONS: dict[str, tuple[int, Callable[..., float]]] = {
    "+": (2, lambda a, b: a + b),
    "-": (2, lambda a, b: a - b),
    "*": (2, lambda a, b: a * b),
    "/": (2, lambda a, b: a / b),
    "^": (2, math.pow),
    "neg": (1, lambda a: -a),
    "<": (2, lambda a, b: float(a < b)),
    ">": (2, lambda a, b: float(a > b)),
    "<=": (2, lambda a, b: float(a <= b)),
    ">=": (2, lambda a, b: float(a >= b)),
    "==": (2, lambda a, b: float(a == b)),
    "!=": (2, lambda a, b: float(a != b)),
    "sin": (1, math.sin),
    "cos": (1, math.cos),
    "tan": (1, math.tan),
    "asin": (1, math.asin),
    "acos": (1, math.acos),
    "atan": (1, math.atan),
    "atan2": (2, math.atan2),
    "sinh": (1, math.sinh),
    "cosh": (1, math.cosh),
    "tanh": (1, math.tanh),
    "sqrt": (1, math.sqrt),
    "exp": (1, math.exp),
    "log": (1, math.log),
    "log10": (1, math.log10),
    "abs": (1, abs),
    "sign": (1, lambda a: float((a > 0) - (a < 0))),
    "floor": (1, lambda a: float(math.floor(a))),
    "ceil": (1, lambda a: float(math.ceil(a))),
    "mod": (2, math.fmod),
    "min": (_ANY, min),
    "max": (_ANY, max),
    "if": (3, lambda c, a, b: a if c != 0 else b),
    "step5": (5, step5),
}

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[^\W\d]\w*)"
    r"|(?P<sign>\*\*|<=|>=|==|!=|[-+*/^(),<>])"
    r"|(?P<end>$)|(?P<bad>\S))"
)


def parse(text: str) -> Node:
    """Read a formula, with or without its leading ``=``.

    Raises
    ------
    ExpressionError
        At the first character that does not fit.
    """
    return _Parser(text).formula()


def names(node: Node) -> frozenset[str]:
    """Names a formula refers to, constants left out."""
    if isinstance(node, Name):
        return frozenset() if node.name in CONSTANTS else frozenset({node.name})
    if isinstance(node, Call):
        return frozenset().union(*(names(argument) for argument in node.arguments))
    return frozenset()


def evaluate(text: str, values: Mapping[str, float]) -> float:
    """Evaluate a formula with the given values of its names.

    Raises
    ------
    ExpressionError
        For text that cannot be read, a name without a value, or a result that is not a finite number.
    """
    return _value(parse(text), values, text)


def _value(node: Node, values: Mapping[str, float], text: str) -> float:
    if isinstance(node, Number):
        return node.value
    if isinstance(node, Name):
        if node.name in values:
            return values[node.name]
        if node.name in CONSTANTS:
            return CONSTANTS[node.name]
        raise ExpressionError(f"There is no parameter {node.name!r} in {text!r}.", text, node.position)
    arguments = [_value(argument, values, text) for argument in node.arguments]
    try:
        value = float(FUNCTIONS[node.function][1](*arguments))
    except (ValueError, ZeroDivisionError, OverflowError, TypeError):
        value = math.nan
    if not math.isfinite(value):
        shown = ", ".join(f"{a:g}" for a in arguments)
        raise ExpressionError(
            f"The formula {text!r} has no finite value: {node.function!r} of {shown}.", text, node.position
        )
    return value


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 1 if text.startswith("=") else 0
        self.depth = 0
        if len(text) > MAX_LENGTH:
            raise ExpressionError(f"A formula may have at most {MAX_LENGTH} characters.", text, MAX_LENGTH)
        self._advance()

    def _advance(self) -> None:
        match = _TOKEN.match(self.text, self.at)
        assert match is not None  # the pattern matches the empty end and any other character
        self.kind = match.lastgroup or "end"
        self.word = match.group(self.kind)
        self.start = match.start(self.kind)
        self.at = match.end()
        if self.kind == "bad":
            self._refuse(f"The character {self.word!r} does not belong in a formula")

    def _refuse(self, what: str) -> None:
        raise ExpressionError(
            f"{what}, at character {self.start + 1} of {self.text!r}.", self.text, self.start
        )

    def _take(self, *signs: str) -> str | None:
        if self.kind == "sign" and self.word in signs:
            word = self.word
            self._advance()
            return word
        return None

    def formula(self) -> Node:
        node = self._comparison()
        if self.kind != "end":
            self._refuse(f"{self.word!r} is not expected here")
        return node

    def _nested(self, rule: Callable[[], Node]) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self._refuse("The formula is nested too deeply")
        node = rule()
        self.depth -= 1
        return node

    def _left_to_right(self, rule: Callable[[], Node], *signs: str) -> Node:
        node = rule()
        while True:
            position = self.start
            sign = self._take(*signs)
            if sign is None:
                return node
            node = Call(sign, (node, rule()), position)

    def _comparison(self) -> Node:
        return self._left_to_right(self._sum, "<", ">", "<=", ">=", "==", "!=")

    def _sum(self) -> Node:
        return self._left_to_right(self._product, "+", "-")

    def _product(self) -> Node:
        return self._left_to_right(self._signed, "*", "/")

    def _signed(self) -> Node:
        position = self.start
        if self._take("-"):
            return Call("neg", (self._nested(self._signed),), position)
        if self._take("+"):
            return self._nested(self._signed)
        return self._power()

    def _power(self) -> Node:
        base = self._atom()
        position = self.start
        if self._take("^", "**"):
            return Call("^", (base, self._nested(self._signed)), position)
        return base

    def _atom(self) -> Node:
        position, word = self.start, self.word
        if self.kind == "number":
            self._advance()
            return Number(float(word), position)
        if self.kind == "name":
            self._advance()
            return self._call(word, position) if self._take("(") else Name(word, position)
        if self._take("("):
            node = self._nested(self._comparison)
            self._close()
            return node
        at_end = self.kind == "end"
        self._refuse(
            "A number, a name or '(' is expected here" if at_end else f"{word!r} is not expected here"
        )
        raise AssertionError

    def _close(self) -> None:
        if not self._take(")"):
            self._refuse("A closing bracket is missing")

    def _call(self, function: str, position: int) -> Node:
        count = FUNCTIONS[function][0] if function in FUNCTIONS else None
        if count is None:
            raise ExpressionError(f"There is no function {function!r} in {self.text!r}.", self.text, position)
        arguments = [self._nested(self._comparison)]
        while self._take(","):
            arguments.append(self._nested(self._comparison))
        self._close()
        if count not in (_ANY, len(arguments)):
            raise ExpressionError(
                f"{function} takes {count} values, not {len(arguments)}, in {self.text!r}.",
                self.text,
                position,
            )
        return Call(function, tuple(arguments), position)
