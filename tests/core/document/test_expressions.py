"""The formula language: values against Python's own arithmetic, errors at the character that is wrong."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkwright.document.expressions import MAX_LENGTH, evaluate, names, parse, step5
from linkwright.errors import ExpressionError


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("=1+2*3", 7.0),
        ("(1+2)*3", 9.0),
        ("-2^2", -4.0),
        ("2^-1", 0.5),
        ("2^3^2", 512.0),
        ("2**3", 8.0),
        ("6/3/2", 1.0),
        ("1-2-3", -4.0),
        ("--3", 3.0),
        ("1.5e2 + .5", 150.5),
        ("30*deg", math.pi / 6),
        ("sin(pi/2)", 1.0),
        ("if(2 > 1, 10, 20)", 10.0),
        ("min(3, 1, 2) + max(3, 1, 2)", 4.0),
        ("k*L/2", 15.0),
        ("жёсткость^2", 9.0),
        ("1 < 2", 1.0),
        ("1 == 2", 0.0),
        ("step5(0.5, 0, 0, 1, 2)", 1.0),
    ],
)
def test_values(text: str, value: float) -> None:
    assert evaluate(text, {"k": 10.0, "L": 3.0, "жёсткость": 3.0}) == pytest.approx(value, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("1 + ", 4),
        ("2 $ 3", 2),
        ("(1+2", 4),
        ("1 2", 2),
        ("nothing + 1", 0),
        ("cosinus(1)", 0),
        ("sin(1, 2)", 0),
        ("1/0", 1),
        ("sqrt(-1)", 0),
        ("10^400", 2),
        ("__import__('os')", 11),
        ("__import__(1)", 0),
        ("k.real", 1),
    ],
)
def test_errors_point_at_the_character(text: str, position: int) -> None:
    with pytest.raises(ExpressionError) as caught:
        evaluate(text, {"k": 1.0})
    assert caught.value.position == position


def test_nesting_and_length_are_bounded() -> None:
    for text in ("(" * 200 + "1" + ")" * 200, "-" * 300 + "1", "1" + "+1" * 10000, "2" + "^2" * 200):
        with pytest.raises(ExpressionError):
            evaluate(text, {})
    assert evaluate("1" + "+1" * (MAX_LENGTH // 2 - 1), {}) == MAX_LENGTH // 2


def test_names_leave_constants_out() -> None:
    assert names(parse("=a*sin(b)+pi*deg")) == {"a", "b"}


def test_step5_is_smooth_at_both_ends() -> None:
    h = 1e-4  # the polynomial starts with 10 s^3, so the difference quotient at the ends is of order h^2
    assert step5(-1, 0, 3, 1, 5) == 3 and step5(2, 0, 3, 1, 5) == 5
    assert (step5(h, 0, 3, 1, 5) - 3) / h < 1e-6
    assert (5 - step5(1 - h, 0, 3, 1, 5)) / h < 1e-6


@given(
    st.recursive(
        st.floats(min_value=0.1, max_value=10).map(repr),
        lambda inner: st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda p: f"({p[0]}{p[1]}{p[2]})"),
        max_leaves=12,
    )
)
def test_arithmetic_equals_pythons(text: str) -> None:
    assert evaluate(text, {}) == pytest.approx(eval(text), rel=1e-14)


@given(st.text(max_size=60))
def test_any_text_gives_a_number_or_an_expression_error(text: str) -> None:
    try:
        assert math.isfinite(evaluate(text, {}))
    except ExpressionError as error:
        assert 0 <= error.position <= len(text)
