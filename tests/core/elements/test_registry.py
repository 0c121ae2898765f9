"""Contract of every element type: it is found, described, drawn, and survives the way through JSON."""

from __future__ import annotations

import json

import pytest

from linkwright.document.bodies import Body
from linkwright.document.mechanism import Mechanism
from linkwright.document.typed import Force, Joint
from linkwright.elements.registry import about, force_types, joint_type, joint_types
from linkwright.elements.rows import row_count
from linkwright.errors import OptionError

FREEDOMS = {
    "revolute": 1,
    "prismatic": 1,
    "cylindrical": 2,
    "universal": 2,
    "spherical": 3,
    "planar": 3,
    "fixed": 0,
    "in-line": 4,
    "in-plane": 5,
    "parallel": 4,
    "perpendicular": 5,
}


def _joint(tag: str) -> Joint:
    return joint_types()[tag].model_validate({"id": "J1", "i": "a", "j": "ground"})


def _force(tag: str) -> Force:
    ends = {"sda": {"i": "a", "j": "ground"}}.get(tag, {"at": "a"})
    return force_types()[tag].model_validate({"id": "F1", **ends})


def test_all_types_are_listed() -> None:
    assert list(joint_types()) == list(FREEDOMS)
    assert list(force_types()) == ["sda", "force", "torque"]


@pytest.mark.parametrize("tag", FREEDOMS)
def test_freedoms_are_those_of_the_textbook(tag: str) -> None:
    cls = joint_type(tag)
    assert cls.freedoms() == FREEDOMS[tag] == 6 - row_count(cls.constraint_rows())


@pytest.mark.parametrize(
    "element", [_joint(t) for t in FREEDOMS] + [_force(t) for t in ("sda", "force", "torque")]
)
def test_element_is_described_drawn_and_survives_json(element: Joint | Force) -> None:
    told = about(element)
    assert told.label and told.icon and told.help.endswith(".") and told.short
    assert element.glyph_parts() if isinstance(element, Force) else element.glyph  # type: ignore[attr-defined]  # on every registered type
    for name, field in type(element).model_fields.items():
        if name != "type":
            assert any(getattr(m, "label", "") for m in field.metadata), f"{name} has no label"
    bodies = (Body(id="a"),)
    if isinstance(element, Joint):
        mechanism = Mechanism(bodies=bodies, joints=(element,))
    else:
        mechanism = Mechanism(bodies=bodies, forces=(element,))
    assert Mechanism.model_validate(json.loads(mechanism.model_dump_json())) == mechanism


def test_unknown_types_name_the_nearest() -> None:
    with pytest.raises(OptionError, match="'revolute'"):
        joint_type("revolut")
    with pytest.raises(ValueError, match="Did you mean 'sda'"):
        Mechanism.model_validate({"forces": [{"type": "sad", "id": "S1"}]})
