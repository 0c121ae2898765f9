"""Frozen base of every part of the document, the kinds of number it holds, and what a field tells its form."""

from __future__ import annotations

import difflib
import math
import unicodedata
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, GetCoreSchemaHandler, PlainValidator, Strict
from pydantic_core import CoreSchema, core_schema

from linkwright.errors import DocumentError

GROUND = "ground"
"""The id of the fixed frame; no element may take it."""

MAX_NAME_LENGTH = 200


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """What a field is, for its form, its help and its range check.

    Attributes
    ----------
    label : str
        Name shown beside the field.
    unit : str
        SI unit of the stored number, for example ``"N/m"``; empty for a pure number.
    group : str
        Heading of the group the field stands in.
    help : str
        One sentence.
    low, high : float or None
        Bounds of the value; `low` itself is refused when `open_low` is set.
    advanced : bool
        Shown only when the form is switched to advanced.
    editor : str
        Kind of editor where the type alone does not tell: ``"reference"``, ``"color"``, ``"text"``, ``"hidden"``.
    """

    label: str
    unit: str = ""
    group: str = ""
    help: str = ""
    low: float | None = None
    high: float | None = None
    open_low: bool = False
    advanced: bool = False
    editor: str = ""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Add the range check behind the type's own check."""
        inner = handler(source)
        if self.low is None and self.high is None:
            return inner
        return core_schema.no_info_after_validator_function(self._in_range, inner)

    def _in_range(self, value: Any) -> Any:
        numbers = value if isinstance(value, tuple) else (value,)
        for number in numbers:
            if isinstance(number, (int, float)) and not self._allows(number):
                raise ValueError(self.range_sentence())
        return value

    def _allows(self, number: float) -> bool:
        if self.low is not None and (number < self.low or (self.open_low and number == self.low)):
            return False
        return self.high is None or number <= self.high

    def range_sentence(self) -> str:
        """Say which values are allowed, for example ``Density needs a value above 0 kg/m^3.``."""
        unit = f" {self.unit}" if self.unit else ""
        bounds = []
        if self.low is not None:
            bounds.append(f"{'above' if self.open_low else 'of at least'} {self.low:g}{unit}")
        if self.high is not None:
            bounds.append(f"of at most {self.high:g}{unit}")
        return f"{self.label} needs a value {' and '.join(bounds)}."


def _finite(value: float) -> float:
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError("A finite number is needed here, not NaN or infinity.")
    return number


def _scalar(value: Any) -> float | str:
    if isinstance(value, str) and value.startswith("=") and value[1:].strip():
        return _text(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError("A number is needed here, or a formula that starts with '=', for example '=2*k'.")
    return _finite(value)


def _unit_quaternion(value: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    if abs(math.sqrt(sum(x * x for x in value)) - 1.0) > 1e-6:
        raise ValueError("An orientation needs four Euler parameters (w, x, y, z) whose squares add up to 1.")
    return value


def _identifier(value: str) -> str:
    if not value.isidentifier() or unicodedata.normalize("NFC", value) != value:
        raise ValueError(
            f"The id {value!r} may hold letters, digits and underscores only, and starts with a letter."
        )
    return value


def _element_id(value: str) -> str:
    if value == GROUND:
        raise ValueError("The id 'ground' is taken by the fixed frame.")
    return _identifier(value)


def _label(value: str) -> str:
    if value != value.strip():
        raise ValueError("A name may not begin or end with a space.")
    if len(value) > MAX_NAME_LENGTH:
        raise ValueError(f"A name may have at most {MAX_NAME_LENGTH} characters; this one has {len(value)}.")
    return _text(value)


def _text(value: str) -> str:
    for character in value:
        category = unicodedata.category(character)
        if category == "Cs" or (category == "Cc" and character not in "\n\t"):
            raise ValueError("Text may not hold control characters.")
    return value


Real = Annotated[float, Strict(), AfterValidator(_finite)]
Whole = Annotated[int, Strict()]
Flag = Annotated[bool, Strict()]
Scalar = Annotated[float | str, PlainValidator(_scalar)]
"""A number in SI units, or a formula over the parameters such as ``"=2*k"``."""
Vec2 = tuple[Scalar, Scalar]
Vec3 = tuple[Scalar, Scalar, Scalar]
Quaternion = Annotated[tuple[Real, Real, Real, Real], AfterValidator(_unit_quaternion)]
"""Euler parameters, scalar first; they turn vectors of the frame into those of its parent."""
Text = Annotated[str, AfterValidator(_text)]
Label = Annotated[str, AfterValidator(_label)]
Identifier = Annotated[str, AfterValidator(_element_id)]
Reference = Annotated[str, AfterValidator(_identifier)]
"""Id of a marker or a body, or ``"ground"``."""

IDENTITY: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)


class Frozen(BaseModel):
    """A value that is replaced, never changed. Unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, validate_default=False)

    def replaced(self, **changes: Any) -> Self:
        """Give a copy with some fields replaced, checked like a new one.

        Raises
        ------
        pydantic.ValidationError
            When a new value is not allowed.
        """
        fields = {name: getattr(self, name) for name in type(self).model_fields}
        return type(self)(**{**fields, **changes})


class Element(Frozen):
    """Anything in the mechanism with an identity.

    The id is made once and never changes, references use it; the name is a free label.
    """

    kind: ClassVar[str] = "element"

    id: Annotated[Identifier, FieldSpec("Id", editor="hidden")]
    name: Annotated[
        Label, FieldSpec("Name", group="Identity", help="Free label in any script.", editor="text")
    ] = ""

    @property
    def label(self) -> str:
        """Name shown to people: the name, or the id where there is none."""
        return self.name or self.id

    def references(self) -> tuple[str, ...]:
        """Ids of the elements this one cannot exist without."""
        return ()


class TypedElement(Element):
    """An element with a type tag. Every subclass that gives ``type`` a default is found by its kind and tag."""

    known: ClassVar[dict[tuple[str, str], type[TypedElement]]] = {}

    type: str

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Register the type under its kind and tag."""
        super().__pydantic_init_subclass__(**kwargs)
        tag = cls.model_fields["type"].default
        if isinstance(tag, str):
            TypedElement.known[cls.kind, tag] = cls

    @classmethod
    def from_tagged(cls, value: Any) -> Any:
        """Turn a dictionary with a ``type`` key into an element of the registered class of this kind.

        Anything else passes unchanged, for the caller's own check.
        """
        if not isinstance(value, dict):
            return value
        tags = sorted(tag for kind, tag in TypedElement.known if kind == cls.kind)
        tag = value.get("type")
        if not isinstance(tag, str) or tag not in tags:
            raise ValueError(unknown_word(f"{cls.kind} type", str(tag), tags))
        return TypedElement.known[cls.kind, tag].model_validate(value)


def unknown_word(what: str, word: str, known: list[str] | tuple[str, ...]) -> str:
    """Say that `word` is not a known `what`, with the nearest known one."""
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else f" Known: {', '.join(known)}." if known else ""
    shown = word if len(word) <= 60 else word[:57] + "..."
    return f"There is no {what} {shown!r}.{hint}"


def id_from_name(name: str, taken: set[str]) -> str:
    """Make an unused id from a label: ``Crank`` gives ``crank``, then ``crank_2``."""
    folded = unicodedata.normalize("NFC", name.strip().lower())
    stem = "".join(c if c == "_" or c.isalnum() else "_" for c in folded).strip("_")
    stem = unicodedata.normalize("NFC", stem)
    if not stem.isidentifier():
        stem = f"e_{stem}" if f"e_{stem}".isidentifier() else "element"
    unused, n = stem, 1
    while unused in taken or unused == GROUND:
        n += 1
        unused = f"{stem}_{n}"
    return unused


def error_sentence(error: Exception) -> str:
    """First sentence of a pydantic error without its technical frame."""
    details = getattr(error, "errors", None)
    if details is None:
        return str(error)
    first = details()[0]
    return str(first["msg"]).removeprefix("Value error, ")


__all__ = [
    "GROUND",
    "IDENTITY",
    "DocumentError",
    "Element",
    "FieldSpec",
    "Flag",
    "Frozen",
    "Identifier",
    "Label",
    "Quaternion",
    "Real",
    "Reference",
    "Scalar",
    "Text",
    "TypedElement",
    "Vec2",
    "Vec3",
    "Whole",
    "error_sentence",
    "id_from_name",
    "unknown_word",
]
