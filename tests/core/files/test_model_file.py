"""Model files: exact round trips, refusals that say where, and saving that never loses the old file."""

from __future__ import annotations

import json
import math
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkwright import samples
from linkwright.document.bodies import Body, Marker, MassGiven
from linkwright.document.mechanism import Mechanism
from linkwright.document.parameters import Parameter, evaluated
from linkwright.document.shapes import Link, Sphere
from linkwright.elements.forces import Sda
from linkwright.elements.joints import Revolute
from linkwright.errors import DocumentError, FileError, LinkwrightError
from linkwright.files.migrations import VERSION
from linkwright.files.model_file import dumps, load, loads, save

HEAD: dict[str, Any] = {"format": "linkwright", "version": VERSION}


def text(**content: Any) -> str:
    return json.dumps({**HEAD, **content})


def refusal(source: str) -> str:
    with pytest.raises(FileError) as caught:
        loads(source)
    return caught.value.message


def model(name: str = "Кривошип 曲柄") -> Mechanism:
    return Mechanism(
        title="Round trip",
        description='quotes " and\nlines',
        parameters=(Parameter(id="k", value=0.1 + 0.2, unit="N/m"),),
        bodies=(
            Body(
                id="a",
                name=name,
                position=(1e-300, -0.0, 1 / 3),
                mass=MassGiven(mass=2.0, inertia=(1.0, 2.0, 3.0, 0.0, 0.0, 0.0)),
                shapes=(
                    Sphere(radius=0.1),
                    Link(length=1.0, start_radius=0.1, end_radius=0.1, thickness=0.02),
                ),
            ),
        ),
        markers=(Marker(id="m", body="a"),),
        joints=(Revolute(id="J1", i="m", j="ground"),),
        forces=(Sda(id="S1", i="m", j="ground", stiffness="=2*k"),),
    )


def test_round_trip_is_exact(tmp_path: Path) -> None:
    path = tmp_path / "модель.lwk"
    save(model(), path)
    assert load(path) == model()
    assert dumps(load(path)) == path.read_text(encoding="utf-8")
    zero = load(path).bodies[0].position[1]
    assert math.copysign(1.0, float(zero)) == -1.0


def test_a_negative_zero_in_place_of_a_default_is_kept() -> None:
    still = Mechanism(bodies=(Body(id="a", velocity=(-0.0, 0.0, 0.0)),))
    assert math.copysign(1.0, float(loads(dumps(still)).bodies[0].velocity[0])) == -1.0


@pytest.mark.parametrize("sample", samples.sample_ids())
def test_samples_are_written_as_the_program_writes_them(sample: str) -> None:
    source = samples.path(sample).read_text(encoding="utf-8")
    assert dumps(loads(source)) == source


def test_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "m.lwk"
    path.write_bytes(b"\xef\xbb\xbf" + dumps(model()).replace("\n", "\r\n").encode())
    assert load(path) == model()


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"masss": 5}, "bodies[1].masss: There is no key 'masss'. Did you mean 'mass'?"),
        ({"mass": {"type": "given", "mass": float("nan"), "inertia": [1, 1, 1, 0, 0, 0]}}, "[1].mass.mass: A finite"),
        ({"position": [0, float("inf"), 0]}, "bodies[1].position[1]: A finite"),
        ({"position": [0, 10**400, 0]}, "bodies[1].position[1]: A finite"),
        ({"position": None}, "bodies[1].position: A list is needed here, not None."),
        ({"position": [0, 0]}, "bodies[1].position: Item 3 is missing."),
        ({"velocity": ["1.0", 0, 0]}, "bodies[1].velocity[0]: A number is needed"),
        ({"velocity": [True, 0, 0]}, "bodies[1].velocity[0]: A number is needed"),
        ({"visible": 1}, "bodies[1].visible: true or false"),
        ({"name": 7}, "bodies[1].name: Text is needed"),
        ({"shapes": [{"type": "boxx"}]}, "Did you mean 'box'?"),
        ({"shapes": [{"type": "sphere", "radius": -1}]}, "bodies[1].shapes[0].radius: Radius needs a value above 0 m."),
        ({"shapes": [{"type": "sphere", "radios": 1}]}, "Did you mean 'radius'?"),
        ({"shapes": [{}]}, "bodies[1].shapes[0]: The key 'type' is missing"),
        ({"mass": {"type": "from-shapes", "density": 0}}, "Density needs a value above 0"),
        ({"orientation": [2, 0, 0, 0]}, "bodies[1].orientation: An orientation needs"),
        ({"id": "a"}, "The id 'a' is used twice."),
        ({"id": "ground"}, "taken by the fixed frame"),
        ({"id": "1x"}, "bodies[1].id"),
        ({"name": "Alpha"}, "two elements"),
    ],
)  # fmt: skip
def test_a_bad_value_is_refused_with_its_path(body: dict[str, Any], words: str) -> None:
    source = text(bodies=[{"id": "a", "name": "Alpha"}, {"id": "b", **body}])
    assert words in refusal(source)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"bodys": []}, "Did you mean 'bodies'?"),
        (
            {"forces": [{"type": "sda", "id": "S", "i": "ground", "j": "ground", "stifness": 100}]},
            "'stiffness'",
        ),
        ({"forces": [{"type": "sda", "id": "S", "i": "gone", "j": "ground"}]}, "refers to 'gone'"),
        ({"markers": [{"id": "m", "body": "gone"}]}, "refers to body 'gone'"),
        (
            {"joints": [{"type": "revolut", "id": "J", "i": "ground", "j": "ground"}]},
            "Did you mean 'revolute'?",
        ),
        ({"settings": {"newmark": {"bета": 0.25}}}, "settings.newmark"),
        ({"settings": {"newmark": {"jacobian": "M4"}}}, "settings.newmark.jacobian"),
        (
            {"settings": {"newmark": {"max_iterations": 2.5}}},
            "settings.newmark.max_iterations: A whole number",
        ),
        ({"settings": {"t_end": -1}}, "End time needs a value above 0"),
        ({"settings": {"t_end": 1, "h": 2}}, "longer than the end time"),
        ({"parameters": [{"id": "k", "value": "3"}]}, "parameters[0].value: A number is needed"),
        ({"bodies": {}}, "bodies: A list is needed"),
    ],
)
def test_bad_content_is_refused_with_its_path(content: dict[str, Any], words: str) -> None:
    assert words in refusal(text(**content))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("", "not JSON"),
        ("{", "line 1"),
        ("[]", "not a Linkwright model"),
        ('{"version": 1}', "not a Linkwright model"),
        ('{"format": "linkwright"}', '"version"'),
        ('{"format": "linkwright", "version": true}', '"version"'),
        (f'{{"format": "linkwright", "version": {VERSION + 1}}}', f"reads up to {VERSION}"),
        ('{"a": 1, "a": 2}', "a: The key 'a' is given twice"),
        (
            '{"bodies": [{}, {"mass": {"mass": 1, "mass": 2}}]}',
            "bodies[1].mass.mass: The key 'mass' is given twice",
        ),
        ("[" * 100_000, "nested too deeply"),
        (text(title=None).replace("null", "[" * 900 + "]" * 900), "nested too deeply"),
        (text(title=None).replace("null", '{"a":' * 300 + "0" + "}" * 300), "nested too deeply"),
        ('{"format": "linkwright", "version": 1, "title": ' + "1" * 5000 + "}", "cannot be read"),
        ('{"format": "linkwright", "version": 1, "title": "\\ud800"}', "control characters"),
    ],
)
def test_a_file_that_is_no_model_is_refused(source: str, words: str) -> None:
    assert words in refusal(source)


def test_a_file_that_cannot_be_read_is_refused_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "latin.lwk").write_bytes(b'{"title": "\xe9"}')
    for name, words in (
        ("gone.lwk", "no such file"),
        ("latin.lwk", "not UTF-8"),
        ("", "folder"),
        ("a\0b", "cannot be read"),
    ):
        with pytest.raises(FileError, match=words):
            load(tmp_path / name)


def test_saving_keeps_permissions_links_and_the_old_file_on_failure(tmp_path: Path, monkeypatch: Any) -> None:
    real, link = tmp_path / "real.lwk", tmp_path / "link.lwk"
    save(model(), real)
    real.chmod(0o640)
    link.symlink_to(real)
    save(model("Other"), link)
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    before = real.read_bytes()

    def no_room(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_room)
    with pytest.raises(FileError, match="No space left"):
        save(model(), real)
    assert real.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.lwk", "real.lwk"]


def test_saving_into_a_missing_folder_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="was not saved"):
        save(model(), tmp_path / "gone" / "m.lwk")


_plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**400, -(10**400), 2**63, "\ud800", "=k", "=1/0", "\x00"])
    | st.floats()
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)


def documented(source: str) -> None:
    """Only documented errors come out, and what opens can be saved and opened again."""
    try:
        mechanism = loads(source)
    except FileError as error:
        assert error.message
        return
    assert loads(dumps(mechanism)) == mechanism
    try:
        evaluated(mechanism)
    except DocumentError as error:
        assert error.message


@given(st.text(max_size=200))
def test_random_text(source: str) -> None:
    documented(source)


@given(st.dictionaries(st.sampled_from([*Mechanism.model_fields, "other"]), _plain, max_size=4))
def test_random_content(content: dict[str, Any]) -> None:
    documented(json.dumps({**HEAD, **content}))


@st.composite
def corrupted(draw: st.DrawFn) -> str:
    """A sample with one value somewhere inside replaced, removed or moved under another key."""
    plain = json.loads(samples.path(draw(st.sampled_from(samples.sample_ids()))).read_text(encoding="utf-8"))
    owner: Any = plain
    while True:
        keys = list(owner) if isinstance(owner, dict) else list(range(len(owner)))
        key = draw(st.sampled_from(keys))
        if isinstance(owner[key], (dict, list)) and owner[key] and draw(st.booleans()):
            owner = owner[key]
            continue
        break
    action = draw(st.sampled_from(["replace", "remove", "rename", "double"]))
    if action == "replace":
        owner[key] = draw(_plain)
    elif action == "remove":
        del owner[key]
    elif isinstance(owner, dict) and action == "rename":
        owner[draw(st.text(max_size=6))] = owner.pop(key)
    elif isinstance(owner, list):
        owner.append(owner[key])
    return json.dumps(plain)


@given(corrupted())
def test_corrupted_samples(source: str) -> None:
    documented(source)


@given(st.sampled_from(samples.sample_ids()), st.data())
def test_samples_with_broken_bytes(sample: str, data: st.DataObject) -> None:
    content = bytearray(samples.path(sample).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(content)))
    try:
        source = bytes(content[: cut or None]).decode()
    except UnicodeDecodeError:
        return
    documented(source)


def test_errors_are_all_of_one_family() -> None:
    assert issubclass(FileError, LinkwrightError)
