"""JSON as a person and a version control system like it, and read without any of JSON's surprises."""

from __future__ import annotations

import json
from typing import Any

from linkwright.errors import FileError

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
        With line and column where JSON itself is broken.
    """
    try:
        return json.loads(text, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise FileError(f"It is not JSON: {error.msg}, line {error.lineno}, column {error.colno}.") from error
    except RecursionError:
        raise FileError("Its lists and objects are nested too deeply.") from None
    except ValueError as error:  # an integer of more digits than Python converts
        raise FileError(f"A number in it cannot be read: {error}.") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    known: dict[str, Any] = {}
    for key, value in pairs:
        if key in known:
            raise FileError(f"The key {key[:60]!r} is given twice in one object.")
        known[key] = value
    return known
