"""Model files (``.lwk``): JSON with a format version, checked before anything is opened, written without risk."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

import linkwright.elements  # noqa: F401  every element type must be known before a file is read
from linkwright.document.base import TypedElement, unknown_word
from linkwright.document.mechanism import Mechanism
from linkwright.errors import DocumentError, FileError
from linkwright.files.atomic import write_atomically
from linkwright.files.json_text import from_text, to_text
from linkwright.files.migrations import VERSION, migrated

FORMAT = "linkwright"
SUFFIX = ".lwk"
MAX_BYTES = 200_000_000
SHOWN_ERRORS = 5


def load(path: str | os.PathLike[str]) -> Mechanism:
    """Read a model file.

    Parameters
    ----------
    path : path
        File of format ``.lwk``; UTF-8 with or without byte-order mark, any line ends.

    Raises
    ------
    FileError
        When the file cannot be read or is not a valid model; says where and why. Nothing is half-loaded.
    """
    place = Path(path)
    try:
        return loads(_read(place))
    except FileError as error:
        raise FileError(
            f"{place.name!r} was not opened. {error.message} Nothing was opened or changed.", error.element
        ) from error


def _read(path: Path) -> str:
    try:
        if path.is_dir():
            raise FileError("It is a folder, not a file.")
        if path.stat().st_size > MAX_BYTES:
            raise FileError(f"It is larger than {MAX_BYTES // 1_000_000} MB, too large for a model file.")
        content = path.read_bytes()
    except FileNotFoundError:
        raise FileError("There is no such file.") from None
    except (OSError, ValueError) as error:
        raise FileError(f"It cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(f"It is not UTF-8 text: byte {error.start + 1} does not fit.") from error


def loads(text: str) -> Mechanism:
    """Read a model from the text of a model file.

    Raises
    ------
    FileError
        When the text is not a valid model.
    """
    plain = from_text(text)
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        raise FileError(f'It is not a Linkwright model: a "format" of "{FORMAT}" is missing.')
    version = plain.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise FileError('Its "version" is missing or not a whole number from 1 on.')
    if version > VERSION:
        raise FileError(f"It needs format {version}, this program reads up to {VERSION}.")
    content = {key: value for key, value in plain.items() if key not in ("format", "version")}
    content = migrated(content, version)
    try:
        return Mechanism.model_validate(content)
    except ValidationError as error:
        raise FileError(_sentences(error, content)) from error
    except DocumentError as error:
        raise FileError(error.message, error.element) from error


def save(mechanism: Mechanism, path: str | os.PathLike[str]) -> None:
    """Write a model file; the old file stays whole until the new one is complete.

    Raises
    ------
    FileError
        When it cannot be written; the file on disk is as it was.
    """
    write_atomically(Path(path), dumps(mechanism).encode())


def dumps(mechanism: Mechanism) -> str:
    """Write a model as the text of a model file; fields at their defaults are left out."""
    return to_text({"format": FORMAT, "version": VERSION, **_plain(mechanism)})


def _plain(value: Any) -> Any:
    """Plain data of a model value: declaration order, defaults left out, ids and type tags always kept."""
    if isinstance(value, BaseModel):
        plain = {}
        for name, field in type(value).model_fields.items():
            item = getattr(value, name)
            if name in ("id", "type") or not _same(
                item, field.get_default()
            ):  # required ones have no default
                plain[name] = _plain(item)
        return {key: plain[key] for key in sorted(plain, key=lambda key: key != "type")}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def _same(value: Any, default: Any) -> bool:
    """Whether a value is its default to the bit: -0.0 equals 0.0 and is kept all the same."""
    return bool(value == default) and repr(value) == repr(default)


WORDS = {
    "tuple_type": "A list is needed here",
    "string_type": "Text is needed here",
    "bool_type": "true or false is needed here",
    "int_type": "A whole number is needed here",
    "int_from_float": "A whole number is needed here",
    "float_type": "A number is needed here",
    "model_type": "An object is needed here",
    "dict_type": "An object is needed here",
    "model_attributes_type": "An object is needed here",
    "union_tag_not_found": "The key 'type' is missing here",
}


def _sentences(error: ValidationError, content: dict[str, Any]) -> str:
    faults = sorted(error.errors(include_url=False), key=lambda fault: fault["type"] != "extra_forbidden")
    lines = [_sentence(dict(fault), content) for fault in faults[:SHOWN_ERRORS]]
    if len(faults) > SHOWN_ERRORS:
        lines.append(f"There are {len(faults) - SHOWN_ERRORS} more faults.")
    return " ".join(line if line.endswith((".", "?", "!")) else line + "." for line in lines)


def _sentence(fault: dict[str, Any], content: dict[str, Any]) -> str:
    kind, last = fault["type"], fault["loc"][-1] if fault["loc"] else ""
    path, model, value = _walk(fault["loc"], content)
    text = str(fault["msg"]).removeprefix("Value error, ")
    if kind == "extra_forbidden":
        text = unknown_word("key", str(last), list(model.model_fields) if model else [])
    elif kind == "missing":
        text = f"Item {last + 1} is missing." if isinstance(last, int) else f"The key {last!r} is missing."
    elif kind == "union_tag_invalid":
        context = fault["ctx"]
        known = [word.strip(" '") for word in str(context["expected_tags"]).split(",")]
        text = unknown_word("type", str(context["tag"]), known)
    elif kind in WORDS:
        text = WORDS[kind] if kind == "union_tag_not_found" else f"{WORDS[kind]}, not {_shown(value)}"
    return f"{path}: {text}" if path else text


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def _walk(loc: tuple[int | str, ...], content: dict[str, Any]) -> tuple[str, type[BaseModel] | None, Any]:
    """Turn pydantic's location into a path like ``bodies[2].mass``; find the model there and the value given."""
    path = ""
    value: Any = content
    model: type[BaseModel] | None = Mechanism
    annotation: Any = Mechanism
    for step in loc:
        if isinstance(step, int):
            if not isinstance(value, list) or step >= len(value):
                continue
            value = value[step]
            path += f"[{step}]"
        else:
            here = _model_of(annotation, value)
            if here is None or not (isinstance(value, dict) and (step in value or step in here.model_fields)):
                continue  # the tag of a union, not a key
            model = here
            field = here.model_fields.get(step)
            annotation = field.annotation if field else None
            value = value.get(step)
            path += f".{step}" if path else step
    return path, model, value


def _model_of(annotation: Any, value: Any) -> type[BaseModel] | None:
    """Model class that a plain object stands for, by its type tag where the field allows several."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        tag = value.get("type") if isinstance(value, dict) else None
        if issubclass(annotation, TypedElement) and isinstance(tag, str):
            return TypedElement.known.get((annotation.kind, tag), annotation)
        return annotation
    models = [m for inner in get_args(annotation) if (m := _model_of(inner, value)) is not None]
    tag = value.get("type") if isinstance(value, dict) else None
    tagged = [m for m in models if "type" in m.model_fields and m.model_fields["type"].default == tag]
    candidates = tagged or models
    return candidates[0] if candidates else None
