"""Operations of the tree kernels, counted by running their own source on numbers that count.

A kernel is run as plain Python: its functions are rebuilt so that they call each other's source instead of machine
code, and its tables hold `Counted` in place of floats. Nothing is estimated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
from numba.core.registry import CPUDispatcher
from numpy.typing import NDArray

from linkwright.kernels.layout import Floats

COUNTS: Counter[str] = Counter()
"""Operations since the last `reset`: add, multiply, divide, root, trig. Changes of sign and copies do not count."""


class Counted:
    """A number that counts what is done with it."""

    __slots__ = ("value",)

    def __init__(self, value: float) -> None:
        self.value = value

    def _make(self, kind: str, value: float) -> Counted:
        COUNTS[kind] += 1
        return Counted(value)

    def __add__(self, other: Any) -> Counted:
        return self._make("add", self.value + _plain(other))

    def __sub__(self, other: Any) -> Counted:
        return self._make("add", self.value - _plain(other))

    def __rsub__(self, other: Any) -> Counted:
        return self._make("add", _plain(other) - self.value)

    def __mul__(self, other: Any) -> Counted:
        return self._make("multiply", self.value * _plain(other))

    def __truediv__(self, other: Any) -> Counted:
        return self._make("divide", self.value / _plain(other))

    def __rtruediv__(self, other: Any) -> Counted:
        return self._make("divide", _plain(other) / self.value)

    def __neg__(self) -> Counted:
        return Counted(-self.value)

    __radd__ = __add__
    __rmul__ = __mul__

    def __float__(self) -> float:
        # mathematical functions take floats: the only ones here are sine and cosine
        COUNTS["trig"] += 1
        return self.value


def _plain(x: Any) -> float:
    return x.value if isinstance(x, Counted) else float(x)


def reset() -> None:
    """Forget what was counted."""
    COUNTS.clear()


def counting(table: Floats) -> NDArray[Any]:
    """Copy of a table whose numbers count."""
    out = np.empty(table.shape, object)
    for index, value in np.ndenumerate(table):
        out[index] = Counted(float(value))
    return out


def as_python(kernel: Callable[..., Any], known: dict[Any, Any] | None = None) -> Callable[..., Any]:
    """Give a kernel as a plain function whose calls of other kernels are plain too."""
    known = {} if known is None else known
    if kernel in known:
        function: Callable[..., Any] = known[kernel]
        return function
    source = kernel.py_func  # type: ignore[attr-defined]  # a kernel is a numba dispatcher
    scope = dict(source.__globals__)
    plain = FunctionType(source.__code__, scope, source.__name__, source.__defaults__)
    known[kernel] = plain
    for name in source.__code__.co_names:
        value = scope.get(name)
        if isinstance(value, CPUDispatcher):
            scope[name] = as_python(value, known)
        elif isinstance(value, ModuleType):
            scope[name] = _PlainModule(value, known)
    return plain


class _PlainModule:
    """A module whose kernels are plain functions."""

    def __init__(self, module: ModuleType, known: dict[Any, Any]) -> None:
        self._module = module
        self._known = known

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._module, name)
        return as_python(value, self._known) if isinstance(value, CPUDispatcher) else value
