"""What kind of value a field of the document holds, read from its type and its `FieldSpec`."""

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from linkwright.document.base import FieldSpec


@dataclass(frozen=True, slots=True)
class FieldKind:
    """Kind of a field.

    Attributes
    ----------
    name : str
        ``"number"``, ``"whole"``, ``"vector"``, ``"orientation"``, ``"flag"``, ``"choice"``, ``"text"``,
        ``"reference"``, ``"color"``, ``"model"``, ``"models"`` (a tuple of models) or ``"other"``.
    formulas : bool
        Whether a number may be a formula.
    optional : bool
        Whether there may be no value.
    size : int
        Number of components of a vector.
    choices : tuple of str
        Words of a choice.
    models : tuple of type
        Classes of a model field with several forms.
    """

    name: str
    formulas: bool = False
    optional: bool = False
    size: int = 0
    choices: tuple[str, ...] = ()
    models: tuple[type[BaseModel], ...] = ()


def spec_of(field: FieldInfo) -> FieldSpec | None:
    """Give the form data of a field, if it has any."""
    return next((entry for entry in field.metadata if isinstance(entry, FieldSpec)), None)


def kind_of(field: FieldInfo) -> FieldKind:
    """Read the kind of a field."""
    spec = spec_of(field)
    parts = list(_alternatives(field.annotation))
    optional = type(None) in parts
    parts = [part for part in parts if part is not type(None)]
    if spec is not None and spec.editor in ("reference", "color", "text"):
        return FieldKind(spec.editor, optional=optional)
    words = tuple(str(word) for part in parts if get_origin(part) is Literal for word in get_args(part))
    if words:
        return FieldKind("choice", choices=words, optional=optional)
    classes = tuple(part for part in parts if isinstance(part, type) and issubclass(part, BaseModel))
    if classes:
        return FieldKind("model", models=classes, optional=optional)
    if len(parts) == 1 and get_origin(parts[0]) is tuple:
        return _tuple_kind(get_args(parts[0]))
    if bool in parts:
        return FieldKind("flag")
    if float in parts:
        return FieldKind("number", formulas=str in parts, optional=optional)
    if int in parts:
        return FieldKind("whole", optional=optional)
    return FieldKind("text", optional=optional) if str in parts else FieldKind("other")


def _tuple_kind(items: tuple[Any, ...]) -> FieldKind:
    first = list(_alternatives(items[0]))
    classes = tuple(part for part in first if isinstance(part, type) and issubclass(part, BaseModel))
    if classes:
        return FieldKind("models", models=classes)
    if float not in first or Ellipsis in items:
        return FieldKind("other")
    if len(items) == 4:
        return FieldKind("orientation")
    return FieldKind("vector", size=len(items), formulas=str in first)


def _alternatives(annotation: Any) -> Iterator[Any]:
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _alternatives(get_args(annotation)[0])
    elif origin in (Union, types.UnionType):
        for part in get_args(annotation):
            yield from _alternatives(part)
    else:
        yield annotation
