"""Formulas of the document turned into postfix programs for `kernels.expression`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from linkwright.document.expressions import CONSTANTS, FUNCTIONS, Call, Name, Node, Number, parse
from linkwright.errors import ExpressionError
from linkwright.kernels import expression as codes

NAMED = tuple(name for name in FUNCTIONS if name.isidentifier() and name != "neg")
OPERATIONS = {
    "+": codes.ADD,
    "-": codes.SUB,
    "*": codes.MUL,
    "/": codes.DIV,
    "^": codes.POW,
    "neg": codes.NEG,
    "<": codes.LT,
    ">": codes.GT,
    "<=": codes.LE,
    ">=": codes.GE,
    "==": codes.EQ,
    "!=": codes.NE,
    **{name: getattr(codes, name.upper()) for name in NAMED},
}


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled formula.

    Attributes
    ----------
    ops : (n,) int64
        Operation codes of `kernels.expression`.
    numbers : (n,) float64
        Constants and indices of variables.
    depth : int
        Entries of the stack it needs.
    """

    ops: NDArray[np.int64]
    numbers: NDArray[np.float64]
    depth: int


def compile_formula(text: str, variables: Mapping[str, int], constants: Mapping[str, float]) -> Program:
    """Compile a formula.

    Parameters
    ----------
    text : str
        The formula, with or without its leading ``=``.
    variables : mapping
        Index of each variable of time and state, for example ``{"t": 2, "l": 0, "v": 1}``.
    constants : mapping
        Numbers of the parameters; a variable of the same name goes first.

    Raises
    ------
    ExpressionError
        For text that cannot be read and names that are neither variables nor parameters.
    """
    steps: list[tuple[int, float]] = []
    depth = _emit(parse(text), variables, constants, steps, text)
    return Program(np.array([op for op, _ in steps], np.int64), np.array([x for _, x in steps], float), depth)


def _emit(
    node: Node,
    variables: Mapping[str, int],
    constants: Mapping[str, float],
    steps: list[tuple[int, float]],
    text: str,
) -> int:
    """Append the operations of a node; give the depth of stack they need."""
    if isinstance(node, Number):
        steps.append((codes.CONST, node.value))
        return 1
    if isinstance(node, Name):
        if node.name in variables:
            steps.append((codes.VAR, float(variables[node.name])))
        elif node.name in constants or node.name in CONSTANTS:
            steps.append((codes.CONST, constants.get(node.name, CONSTANTS.get(node.name, 0.0))))
        else:
            known = ", ".join((*variables, *constants))
            raise ExpressionError(
                f"There is no variable or parameter {node.name!r} in {text!r}. Known: {known}.",
                text,
                node.position,
            )
        return 1
    return _emit_call(node, variables, constants, steps, text)


def _emit_call(
    node: Call,
    variables: Mapping[str, int],
    constants: Mapping[str, float],
    steps: list[tuple[int, float]],
    text: str,
) -> int:
    operation = OPERATIONS[node.function]
    depth = 1
    for place, argument in enumerate(node.arguments):
        if node.function in (
            "min",
            "max",
        ):  # two at a time, so that any number of arguments keeps the stack at two
            depth = max(depth, min(place, 1) + _emit(argument, variables, constants, steps, text))
            if place:
                steps.append((operation, 0.0))
        else:
            depth = max(depth, place + _emit(argument, variables, constants, steps, text))
    if node.function not in ("min", "max"):
        steps.append((operation, 0.0))
    return depth
