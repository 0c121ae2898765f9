"""Named values that fields refer to by formulas, and the mechanism with every formula replaced by its number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import BaseModel, ValidationError

from linkwright.document.base import Element, FieldSpec, Real, Scalar, Text, error_sentence
from linkwright.document.expressions import evaluate, names, parse
from linkwright.errors import DocumentError, ExpressionError

if TYPE_CHECKING:
    from linkwright.document.mechanism import Mechanism


class Parameter(Element):
    """A named value; formulas use its id. It may itself be a formula over other parameters."""

    kind: ClassVar[str] = "parameter"

    value: Annotated[Scalar, FieldSpec("Value", group="Value")]
    unit: Annotated[Text, FieldSpec("Unit", group="Value", help="Shown beside the value.", editor="text")] = (
        ""
    )
    low: Annotated[Real | None, FieldSpec("Slider from", group="Range", advanced=True)] = None
    high: Annotated[Real | None, FieldSpec("Slider to", group="Range", advanced=True)] = None


def parameter_values(parameters: tuple[Parameter, ...]) -> dict[str, float]:
    """Give the number of every parameter.

    Raises
    ------
    DocumentError
        For a formula that cannot be evaluated or parameters that refer to each other in a circle.
    """
    values: dict[str, float] = {}
    waiting = {p.id: p for p in parameters}
    while waiting:
        ready = [p for p in waiting.values() if not (_needs(p) & waiting.keys())]
        if not ready:
            circle = ", ".join(waiting)
            raise DocumentError(
                f"The parameters {circle} refer to each other in a circle.", next(iter(waiting))
            )
        for parameter in ready:
            values[parameter.id] = number(parameter.value, values, parameter)
            del waiting[parameter.id]
    return values


def _needs(parameter: Parameter) -> frozenset[str]:
    if not isinstance(parameter.value, str):
        return frozenset()
    try:
        return names(parse(parameter.value))
    except ExpressionError as error:
        raise DocumentError(f"Parameter {parameter.label}: {error.message}", parameter.id) from error


def number(value: float | str, values: Mapping[str, float], owner: Element) -> float:
    """Give the number a field stands for.

    Raises
    ------
    DocumentError
        Naming `owner` when its formula cannot be evaluated.
    """
    if not isinstance(value, str):
        return value
    try:
        return evaluate(value, values)
    except ExpressionError as error:
        raise DocumentError(f"{owner.label}: {error.message}", owner.id) from error


_recent: list[tuple[Mechanism, Mechanism]] = []
_RECENT_SIZE = 4


def evaluated(mechanism: Mechanism) -> Mechanism:
    """Give the mechanism with every formula replaced by its number; elements without formulas stay the same objects.

    Raises
    ------
    DocumentError
        When a formula cannot be evaluated or its number is out of range; names the element.
    """
    for source, result in list(_recent):
        if source is mechanism:
            return result
    values = parameter_values(mechanism.parameters)
    changes: dict[str, Any] = {}
    for field in type(mechanism).model_fields:
        old = getattr(mechanism, field)
        if isinstance(old, tuple) and old and isinstance(old[0], Element):
            new = tuple(_with_numbers(element, values, element) for element in old)
            if any(a is not b for a, b in zip(old, new, strict=True)):
                changes[field] = new
    for field in ("ground", "gravity"):
        owner = Element.model_construct(id=field, name=field.capitalize())
        new_value = _with_numbers(getattr(mechanism, field), values, owner)
        if new_value is not getattr(mechanism, field):
            changes[field] = new_value
    result = mechanism.replaced(**changes) if changes else mechanism
    _recent.append((mechanism, result))
    del _recent[:-_RECENT_SIZE]
    return result


def _with_numbers(value: Any, values: Mapping[str, float], owner: Element) -> Any:
    """Replace formulas inside a field value; whatever holds none comes back as the same object."""
    if isinstance(value, str):
        return number(value, values, owner) if value.startswith("=") else value
    if isinstance(value, tuple):
        new = tuple(_with_numbers(item, values, owner) for item in value)
        return new if any(a is not b for a, b in zip(value, new, strict=True)) else value
    if isinstance(value, BaseModel):
        changes = {}
        for field in type(value).model_fields:
            old = getattr(value, field)
            if field in ("name", "title", "description", "unit"):
                continue
            new_item = _with_numbers(old, values, owner)
            if new_item is not old:
                changes[field] = new_item
        if not changes:
            return value
        try:
            return value.replaced(**changes)  # type: ignore[attr-defined]  # every model here is a Frozen
        except ValidationError as error:
            raise DocumentError(f"{owner.label}: {error_sentence(error)}", owner.id) from error
    return value
