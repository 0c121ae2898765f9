"""Formulas of time and state: postfix programs evaluated with exact first derivatives (forward mode).

A program is two parallel arrays: operation codes, and one number each (the constant of CONST, the index of VAR, unused
otherwise). It works on a stack of values with one row of derivatives per entry. Values outside a function's domain
become NaN, which the step reports as a failure with the element's name.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from linkwright.kernels.jit import kernel

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]

CONST, VAR = 0, 1
ADD, SUB, MUL, DIV, POW, NEG = 2, 3, 4, 5, 6, 7
LT, GT, LE, GE, EQ, NE = 8, 9, 10, 11, 12, 13
SIN, COS, TAN, ASIN, ACOS, ATAN, ATAN2 = 14, 15, 16, 17, 18, 19, 20
SINH, COSH, TANH, SQRT, EXP, LOG, LOG10 = 21, 22, 23, 24, 25, 26, 27
ABS, SIGN, FLOOR, CEIL, MOD, MIN, MAX, IF, STEP5 = 28, 29, 30, 31, 32, 33, 34, 35, 36

LN10 = math.log(10.0)


@kernel
def _unary(op: int, x: float) -> tuple[float, float]:
    """Value and slope of a function of one number."""
    if op == NEG:
        return -x, -1.0
    if op == SIN:
        return math.sin(x), math.cos(x)
    if op == COS:
        return math.cos(x), -math.sin(x)
    if op == TAN:
        y = math.tan(x)
        return y, 1.0 + y * y
    if op in (ASIN, ACOS):
        if abs(x) > 1.0:
            return math.nan, math.nan
        slope = 1.0 / math.sqrt(1.0 - x * x)
        return (math.asin(x), slope) if op == ASIN else (math.acos(x), -slope)
    if op == ATAN:
        return math.atan(x), 1.0 / (1.0 + x * x)
    if op == SINH:
        return math.sinh(x), math.cosh(x)
    if op == COSH:
        return math.cosh(x), math.sinh(x)
    if op == TANH:
        y = math.tanh(x)
        return y, 1.0 - y * y
    if op == SQRT:
        if x < 0.0:
            return math.nan, math.nan
        y = math.sqrt(x)
        return y, 0.5 / y
    if op == EXP:
        y = math.exp(x)
        return y, y
    if op in (LOG, LOG10):
        if x <= 0.0:
            return math.nan, math.nan
        return (math.log(x), 1.0 / x) if op == LOG else (math.log10(x), 1.0 / (x * LN10))
    if op == ABS:
        return abs(x), math.copysign(1.0, x) if x != 0.0 else 0.0
    if op == SIGN:
        return (math.copysign(1.0, x) if x != 0.0 else 0.0), 0.0
    if op == FLOOR:
        return math.floor(x) + 0.0, 0.0
    if op == CEIL:
        return math.ceil(x) + 0.0, 0.0
    return math.nan, math.nan


@kernel
def _binary(op: int, x: float, y: float) -> tuple[float, float, float]:
    """Value and both slopes of a function of two numbers."""
    if op == ADD:
        return x + y, 1.0, 1.0
    if op == SUB:
        return x - y, 1.0, -1.0
    if op == MUL:
        return x * y, y, x
    if op == DIV:
        q = x / y
        return q, 1.0 / y, -q / y
    if op == POW:
        value = x**y
        by_base = y * x ** (y - 1.0) if y != 0.0 else 0.0
        by_exponent = value * math.log(x) if x > 0.0 else (0.0 if x == 0.0 and y > 0.0 else math.nan)
        return value, by_base, by_exponent
    if op == ATAN2:
        square = x * x + y * y
        return math.atan2(x, y), y / square, -x / square
    if op == MOD:
        return np.fmod(x, y), 1.0, -np.trunc(x / y)
    if op == MIN:
        return (x, 1.0, 0.0) if x <= y else (y, 0.0, 1.0)
    if op == MAX:
        return (x, 1.0, 0.0) if x >= y else (y, 0.0, 1.0)
    holds = (
        (op == LT and x < y)
        or (op == GT and x > y)
        or (op == LE and x <= y)
        or (op == GE and x >= y)
        or (op == EQ and x == y)
        or (op == NE and x != y)
    )
    return (1.0 if holds else 0.0), 0.0, 0.0


@kernel
def _step5(
    x: float, x0: float, y0: float, x1: float, y1: float
) -> tuple[float, float, float, float, float, float]:
    """Value and slopes by x, x0, y0, x1, y1 of the smooth step (see `document.expressions.step5`)."""
    width = x1 - x0
    if width <= 0.0:
        return math.nan, math.nan, math.nan, math.nan, math.nan, math.nan
    s = min(max((x - x0) / width, 0.0), 1.0)
    p = s * s * s * (10.0 - 15.0 * s + 6.0 * s * s)
    rate = (y1 - y0) * 30.0 * s * s * (1.0 - s) * (1.0 - s) / width
    return y0 + (y1 - y0) * p, rate, -rate * (1.0 - s), 1.0 - p, -rate * s, p


@kernel
def evaluate(
    ops: Integers,
    numbers: Numbers,
    start: int,
    stop: int,
    variables: Numbers,
    n_slope: int,
    values: Numbers,
    slopes: Numbers,
) -> None:
    """Run the program ``ops[start:stop]``; the result is left in ``values[0]`` and ``slopes[0, :n_slope]``.

    Parameters
    ----------
    ops : (n,) int64
        Operation codes of this file.
    numbers : (n,) float64
        Constants and indices of variables.
    start, stop : int
        Range of the program in the tables.
    variables : (n_var,) float64
        Values of the variables; the first `n_slope` are those the result is differentiated by.
    n_slope : int
        Number of derivatives.
    values : (depth,) float64
        Stack; overwritten.
    slopes : (depth, n_slope) float64
        Derivatives of the stack; overwritten.
    """
    top = -1
    for i in range(start, stop):
        op = ops[i]
        if op == CONST:
            top += 1
            values[top] = numbers[i]
            for k in range(n_slope):
                slopes[top, k] = 0.0
        elif op == VAR:
            top += 1
            which = int(numbers[i])
            values[top] = variables[which]
            for k in range(n_slope):
                slopes[top, k] = 1.0 if k == which else 0.0
        elif op == IF:
            top -= 2
            chosen = top + 1 if values[top] != 0.0 else top + 2
            values[top] = values[chosen]
            for k in range(n_slope):
                slopes[top, k] = slopes[chosen, k]
        elif op == STEP5:
            top -= 4
            value, s0, s1, s2, s3, s4 = _step5(
                values[top], values[top + 1], values[top + 2], values[top + 3], values[top + 4]
            )
            values[top] = value
            for k in range(n_slope):
                slopes[top, k] = (
                    s0 * slopes[top, k]
                    + s1 * slopes[top + 1, k]
                    + s2 * slopes[top + 2, k]
                    + s3 * slopes[top + 3, k]
                    + s4 * slopes[top + 4, k]
                )
        elif op == NEG or (op >= SIN and op <= ATAN) or (op >= SINH and op <= CEIL):
            value, slope = _unary(op, values[top])
            values[top] = value
            for k in range(n_slope):
                # a slope of zero stays zero where the function's own is infinite, as for sqrt(0) of a constant
                slopes[top, k] = slope * slopes[top, k] if slopes[top, k] != 0.0 else 0.0
        else:
            top -= 1
            value, left, right = _binary(op, values[top], values[top + 1])
            values[top] = value
            for k in range(n_slope):
                a = left * slopes[top, k] if slopes[top, k] != 0.0 else 0.0
                b = right * slopes[top + 1, k] if slopes[top + 1, k] != 0.0 else 0.0
                slopes[top, k] = a + b
    if top != 0:
        values[0] = np.nan
