"""Compiled formulas: values against the document's own evaluator, slopes against finite differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from linkwright.compiler.postfix import OPERATIONS, compile_formula
from linkwright.document.expressions import FUNCTIONS, evaluate
from linkwright.errors import ExpressionError
from linkwright.kernels.expression import evaluate as run_program

VARIABLES = {"x": 0, "y": 1, "t": 2}


def run(text: str, x: float, y: float, t: float = 0.0) -> tuple[float, np.ndarray]:
    """Value and slopes by x, y and t of a compiled formula."""
    program = compile_formula(text, VARIABLES, {"k": 3.0})
    values, slopes = np.empty(program.depth), np.empty((program.depth, 3))
    run_program(program.ops, program.numbers, 0, len(program.ops), np.array([x, y, t]), 3, values, slopes)
    return values[0], slopes[0].copy()


def difference(text: str, x: float, y: float) -> list[float]:
    """Central differences of the document's evaluator."""
    h = 1e-6

    def f(a: float, b: float) -> float:
        return evaluate(text, {"x": a, "y": b, "t": 0.0, "k": 3.0})

    return [(f(x + h, y) - f(x - h, y)) / (2 * h), (f(x, y + h) - f(x, y - h)) / (2 * h)]


def test_every_function_of_the_language_compiles() -> None:
    assert set(OPERATIONS) == set(FUNCTIONS)


@pytest.mark.parametrize(
    "text",
    [
        "x + 2*y - k", "x*y/k", "-x^2", "x^y", "2^x", "x^-2", "sin(x)*cos(y)", "tan(x)", "asin(x/4)", "acos(y/4)",
        "atan(x*y)", "atan2(x, y)", "sinh(x)", "cosh(y)", "tanh(x)", "sqrt(x + y)", "exp(-x)", "log(x)", "log10(y)",
        "abs(x - y)", "abs(y - x)", "sign(x)*y", "floor(x)*y", "ceil(y)*x", "mod(x, 0.37)", "mod(x + y, y)",
        "min(x, y, k)", "max(x, y, 0.1)", "if(x > y, x^2, y^3)", "if(x <= y, x^2, y^3)", "if(x == y, 1, x)",
        "if(x != y, y, x)", "if(x < y, 1, x)", "if(x >= y, 1, y)", "step5(x, 0, y, 2, k)", "step5(y, x/9, x, k, y)",
        "step5(x, 3, y, 4, k)", "k*(x - 1) + 10*(x - 1)^3 + 2*y",
    ],
)  # fmt: skip
def test_value_and_slopes(text: str) -> None:
    # central differences with h = 1e-6 are good to about 1e-9 of values of order one
    for x, y in ((1.3, 0.7), (0.45, 1.9)):
        value, slopes = run(text, x, y)
        assert value == pytest.approx(evaluate(text, {"x": x, "y": y, "t": 0.0, "k": 3.0}), rel=1e-14)
        assert slopes[:2] == pytest.approx(difference(text, x, y), rel=1e-7, abs=1e-8)
        assert slopes[2] == 0.0


def test_a_constant_zero_under_a_root_has_slope_zero() -> None:
    value, slopes = run("sqrt(0)*x + x", 2.0, 0.0)
    assert value == 2.0
    assert slopes[0] == 1.0


@pytest.mark.parametrize("text", ["sqrt(-x)", "log(-x)", "asin(2*x)", "step5(x, 1, 0, 1, 2)", "(-x)^0.5"])
def test_outside_the_domain_is_nan(text: str) -> None:
    assert math.isnan(run(text, 1.0, 1.0)[0])


def test_unknown_names_point_at_the_character() -> None:
    with pytest.raises(ExpressionError, match="no variable or parameter 'z'") as caught:
        compile_formula("=x + z", VARIABLES, {})
    assert caught.value.position == 5


_leaf = st.sampled_from(["x", "y", "k", "0.5", "2"])
_tree = st.recursive(
    _leaf,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
        inner.map(lambda a: f"sin({a})"),
        inner.map(lambda a: f"atan({a})"),
        st.tuples(inner, inner).map(lambda p: f"step5({p[0]}, -3, {p[1]}, 3, 1)"),
    ),
    max_leaves=8,
)


@given(_tree, st.floats(0.2, 1.5), st.floats(0.2, 1.5))
def test_random_formulas(text: str, x: float, y: float) -> None:
    expected = evaluate(text, {"x": x, "y": y, "t": 0.0, "k": 3.0})
    assume(abs(expected) < 1e3)
    value, slopes = run(text, x, y)
    assert value == pytest.approx(expected, rel=1e-13, abs=1e-13)
    # products of up to eight leaves: curvature up to about 1e3, so the difference is good to 1e-6 relative
    assert slopes[:2] == pytest.approx(difference(text, x, y), rel=1e-5, abs=1e-6)
