"""JSON as a person and a version control system like it, and read without any of JSON's surprises."""

from __future__ import annotations

import json
from typing import Any

from linkwright.errors import FileError

MAX_DEPTH = 64
"""Lists and objects inside one another; a model has about ten."""
LINE = 100
"""A list or object without inner objects stays on one line up to this width."""


def to_text(value: Any) -> str:
    """Write plain data with a stable layout: short lists and objects on one line, the rest indented by two."""
    return _written(value, "") + "\n"


def _written(value: Any, indent: str) -> str:
    flat = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if not isinstance(value, (dict, list)) or not value:
        return flat
    items = value.values() if isinstance(value, dict) else value
    if len(indent) + len(flat) <= LINE and not any(isinstance(item, dict) and item for item in items):
        return flat
    inner = indent + "  "
    if isinstance(value, dict):
        lines = [f"{json.dumps(k, ensure_ascii=False)}: {_written(v, inner)}" for k, v in value.items()]
        return "{\n" + ",\n".join(inner + line for line in lines) + f"\n{indent}}}"
    return "[\n" + ",\n".join(inner + _written(item, inner) for item in value) + f"\n{indent}]"


def from_text(text: str) -> Any:
    """Read JSON; keys given twice and nesting without end are refused.

    NaN and Infinity come through as numbers, so that the check of the document can say where they stand.

    Raises
    ------
    FileError
        With line and column where JSON itself is broken, with the path where a key is given twice.
    """
    twice: list[tuple[dict[str, Any], str]] = []

    def collect(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        known = dict(pairs)
        if len(known) < len(pairs):
            keys = [key for key, _ in pairs]
            twice.append((known, next(key for key in known if keys.count(key) > 1)))
        return known

    try:
        value = json.loads(text, object_pairs_hook=collect)
    except json.JSONDecodeError as error:
        raise FileError(f"It is not JSON: {error.msg}, line {error.lineno}, column {error.colno}.") from error
    except RecursionError:
        raise FileError("Its lists and objects are nested too deeply.") from None
    except ValueError as error:  # an integer of more digits than Python converts
        raise FileError(f"A number in it cannot be read: {error}.") from error
    _check_depth(value)
    if twice:
        owner, key = twice[0]
        place = _path_to(value, owner)
        shown = f"{place}.{key}"[:100].removeprefix(".")
        raise FileError(f"{shown}: The key {key[:60]!r} is given twice in one object.")
    return value


def _children(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [(f".{key}", item) for key, item in value.items()]
    if isinstance(value, list):
        return [(f"[{k}]", item) for k, item in enumerate(value)]
    return []


def _check_depth(value: Any) -> None:
    """Refuse nesting that a model never has and that printing or checking it would not survive."""
    layer = [value]
    for _ in range(MAX_DEPTH):
        layer = [item for outer in layer for _, item in _children(outer)]
        if not layer:
            return
    raise FileError("Its lists and objects are nested too deeply.")


def _path_to(value: Any, target: Any) -> str:
    """Path of an inner object, empty for the outermost."""
    waiting = [("", value)]
    while waiting:
        path, here = waiting.pop()
        if here is target:
            return path.removeprefix(".")
        waiting.extend((path + step, item) for step, item in _children(here))
    return ""
