"""The whole mechanism: all elements, parameters and settings, with every reference checked."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Annotated

from pydantic import BeforeValidator, SerializeAsAny, model_validator

from linkwright.document import rotation
from linkwright.document.base import (
    GROUND,
    IDENTITY,
    Element,
    FieldSpec,
    Frozen,
    Label,
    Text,
    Vec3,
)
from linkwright.document.bodies import Body, Ground, Marker
from linkwright.document.parameters import Parameter
from linkwright.document.settings import Settings
from linkwright.document.typed import Contact, Force, Joint
from linkwright.errors import DocumentError

Quat = rotation.Quat
Vector = rotation.Vector

AnyJoint = Annotated[SerializeAsAny[Joint], BeforeValidator(Joint.from_tagged)]
AnyForce = Annotated[SerializeAsAny[Force], BeforeValidator(Force.from_tagged)]
AnyContact = Annotated[SerializeAsAny[Contact], BeforeValidator(Contact.from_tagged)]


class Mechanism(Frozen):
    """What the user drew. Replaced, never changed; elements that stay the same are the same objects."""

    title: Annotated[Label, FieldSpec("Title", group="Mechanism", editor="text")] = ""
    description: Annotated[Text, FieldSpec("Description", group="Mechanism", editor="text")] = ""
    gravity: Annotated[
        Vec3,
        FieldSpec("Gravity", unit="m/s^2", group="Mechanism", help="Acceleration of free fall, ground axes."),
    ] = (0.0, 0.0, -9.80665)
    parameters: tuple[Parameter, ...] = ()
    ground: Ground = Ground()
    bodies: tuple[Body, ...] = ()
    markers: tuple[Marker, ...] = ()
    joints: tuple[AnyJoint, ...] = ()
    forces: tuple[AnyForce, ...] = ()
    contacts: tuple[AnyContact, ...] = ()
    settings: Settings = Settings()

    @model_validator(mode="after")
    def _whole(self) -> Mechanism:
        seen: set[str] = set()
        labels: set[tuple[str, str]] = set()
        for element in self.elements():
            if element.id in seen:
                raise ValueError(f"The id {element.id!r} is used twice.")
            seen.add(element.id)
            if (element.kind, element.label) in labels:
                raise ValueError(f"There are two elements of kind {element.kind} called {element.label!r}.")
            labels.add((element.kind, element.label))
        self._check_references()
        return self

    def _check_references(self) -> None:
        frames = {GROUND, *(b.id for b in self.bodies), *(m.id for m in self.markers)}
        bodies = {GROUND, *(b.id for b in self.bodies)}
        for marker in self.markers:
            if marker.body not in bodies:
                raise ValueError(
                    f"Marker {marker.label!r} refers to body {marker.body!r}, which does not exist."
                )
        for element in (*self.joints, *self.forces):
            for reference in element.references():
                if reference not in frames:
                    raise ValueError(
                        f"{element.kind.capitalize()} {element.label!r} refers to {reference!r}, which does not exist."
                    )
        for joint in self.joints:
            if self.body_of(joint.i) == self.body_of(joint.j):
                raise ValueError(f"Joint {joint.label!r} connects {self.body_of(joint.i)!r} with itself.")
        joints = {joint.id for joint in self.joints}
        for contact in self.contacts:
            for reference in contact.references():
                if reference not in frames and reference not in joints:
                    raise ValueError(
                        f"Contact {contact.label!r} refers to {reference!r}, which does not exist."
                    )

    def elements(self) -> Iterator[Element]:
        """All elements: parameters, bodies, markers, joints, forces, contacts."""
        yield from self.parameters
        yield from self.bodies
        yield from self.markers
        yield from self.joints
        yield from self.forces
        yield from self.contacts

    @cached_property
    def _by_id(self) -> dict[str, Element]:
        return {element.id: element for element in self.elements()}

    def element(self, element_id: str) -> Element:
        """Find an element by its id.

        Raises
        ------
        DocumentError
            When there is none.
        """
        try:
            return self._by_id[element_id]
        except KeyError:
            raise DocumentError(f"There is no element {element_id!r}.", element_id) from None

    def has(self, element_id: str) -> bool:
        """Tell whether an element of that id exists."""
        return element_id in self._by_id

    def body_of(self, reference: str) -> str:
        """Id of the body (or ``"ground"``) that a marker, body or ground reference belongs to."""
        element = self._by_id.get(reference)
        return element.body if isinstance(element, Marker) else reference

    def frame(self, reference: str) -> tuple[str, Vector, Quat]:
        """Body, position [m] and orientation in it of a marker, body or ground reference (evaluated document)."""
        element = self._by_id.get(reference)
        if isinstance(element, Marker):
            x, y, z = (float(c) for c in element.position)
            return element.body, (x, y, z), rotation.normalised(element.orientation)
        return reference, (0.0, 0.0, 0.0), IDENTITY

    def world_frame(self, reference: str) -> tuple[Vector, Quat]:
        """Position [m] and orientation in ground, as drawn, of a reference (evaluated document)."""
        body_id, position, orientation = self.frame(reference)
        if body_id == GROUND:
            return position, orientation
        body = self.element(body_id)
        assert isinstance(body, Body)
        turn = rotation.normalised(body.orientation)
        x, y, z = rotation.rotate(turn, position)
        bx, by, bz = (float(c) for c in body.position)
        return (bx + x, by + y, bz + z), rotation.multiply(turn, orientation)

    def dependants(self, element_id: str) -> tuple[str, ...]:
        """Ids of all elements that cannot exist without this one, in document order, itself left out."""
        gone = {element_id}
        grown = True
        while grown:
            grown = False
            for element in self.elements():
                if element.id not in gone and gone.intersection(element.references()):
                    gone.add(element.id)
                    grown = True
        return tuple(e.id for e in self.elements() if e.id in gone and e.id != element_id)

    def list_of(self, kind: str) -> str:
        """Name of the field that holds elements of a kind, for example ``bodies`` for ``body``."""
        return LISTS[kind]


LISTS = {
    "parameter": "parameters",
    "body": "bodies",
    "marker": "markers",
    "joint": "joints",
    "force": "forces",
    "contact": "contacts",
}
