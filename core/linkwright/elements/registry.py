"""What every element type tells about itself, and how to find the types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from linkwright.document.base import TypedElement, unknown_word
from linkwright.document.bodies import Body, Marker
from linkwright.document.parameters import Parameter
from linkwright.document.typed import Contact, Force, Joint
from linkwright.elements.glyph import GlyphPart
from linkwright.elements.motion import Motion
from linkwright.elements.rows import Row, row_count
from linkwright.errors import OptionError


@dataclass(frozen=True, slots=True)
class About:
    """What a person reads about an element type.

    Attributes
    ----------
    label : str
        Name of the type, for example ``"Revolute joint"``.
    icon : str
        Name of a file in ``resources/icons`` without its ending.
    help : str
        One sentence: what it does and when to use it.
    short : str
        Prefix of the names given to new elements, for example ``"J"``.
    """

    label: str
    icon: str
    help: str
    short: str


class JointType(Joint):
    """Base of the joint types: a description with its recipes of rows and of motion and its glyph."""

    about: ClassVar[About]
    rows: ClassVar[tuple[Row, ...]] = ()
    motion: ClassVar[tuple[Motion, ...] | None] = None
    glyph: ClassVar[tuple[GlyphPart, ...]] = ()

    @classmethod
    def constraint_rows(cls) -> tuple[Row, ...]:
        """Primitive rows that make up the joint."""
        return cls.rows

    @classmethod
    def tree_motion(cls) -> tuple[Motion, ...] | None:
        """Freedoms from the frame of j to that of i; None where the joint has no such spelling."""
        return cls.motion

    @classmethod
    def freedoms(cls) -> int:
        """Number of relative freedoms the joint leaves between two free bodies."""
        return 6 - row_count(cls.constraint_rows())


class ForceType(Force):
    """Base of the force types."""

    about: ClassVar[About]

    def glyph_parts(self) -> tuple[GlyphPart, ...]:
        """Glyph of this very element; it may depend on its fields."""
        raise NotImplementedError


class ContactType(Contact):
    """Base of the contact types; their laws are in `linkwright.elements.contacts.law`."""

    about: ClassVar[About]

    def groups(self) -> tuple[str, ...]:
        """Names of the strips it is recorded under, behind its id; one empty name where the contact is one strip."""
        return ("",)

    def glyph_parts(self) -> tuple[GlyphPart, ...]:
        """Glyph of this very element; it may depend on its fields."""
        raise NotImplementedError


ABOUT_BODY = About("Body", "bar", "A rigid body with shapes, mass and an initial state.", "B")
ABOUT_MARKER = About(
    "Marker", "marker", "A frame on a body or the ground; joints and forces are placed by it.", "M"
)
ABOUT_PARAMETER = About(
    "Parameter", "parameter", "A named value that formulas in other fields refer to.", "p"
)


def joint_types() -> dict[str, type[JointType]]:
    """Joint types by tag, in the order they are offered."""
    return {
        tag: cls
        for (kind, tag), cls in TypedElement.known.items()
        if kind == "joint" and issubclass(cls, JointType)
    }


def force_types() -> dict[str, type[ForceType]]:
    """Force types by tag, in the order they are offered."""
    return {
        tag: cls
        for (kind, tag), cls in TypedElement.known.items()
        if kind == "force" and issubclass(cls, ForceType)
    }


def contact_types() -> dict[str, type[ContactType]]:
    """Contact types by tag, in the order they are offered."""
    return {
        tag: cls
        for (kind, tag), cls in TypedElement.known.items()
        if kind == "contact" and issubclass(cls, ContactType)
    }


def joint_type(tag: str) -> type[JointType]:
    """Find a joint type by its tag.

    Raises
    ------
    OptionError
        When there is none.
    """
    types = joint_types()
    if tag not in types:
        raise OptionError(unknown_word("joint type", tag, list(types)))
    return types[tag]


def about(element: object) -> About:
    """What to say about an element of the document."""
    if isinstance(element, (JointType, ForceType, ContactType)):
        return element.about
    if isinstance(element, Body):
        return ABOUT_BODY
    if isinstance(element, Marker):
        return ABOUT_MARKER
    if isinstance(element, Parameter):
        return ABOUT_PARAMETER
    raise TypeError(f"nothing known about {type(element).__name__}")
