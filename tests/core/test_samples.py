"""Every sample loads, compiles and runs, and carries exactly the numbers of the reference."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright import samples
from linkwright.compiler.compile import compile_mechanism
from linkwright.document.bodies import MassFromShapes, MassGiven
from linkwright.document.parameters import evaluated
from linkwright.elements.forces import AppliedForce, Sda
from linkwright.engines.base import engine as find_engine
from linkwright.errors import OptionError, RunError
from linkwright.findings import Severity
from linkwright.run.plan import engine_names

DATA = Path(__file__).parents[1] / "data" / "sda"
STUDY = ("slider-crank-sda", "slider-crank-sda-60", "slider-crank-sda-offset", "tensegrity")


def reference(name: str) -> Any:
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


def test_the_samples_of_the_first_release_are_there_in_order() -> None:
    assert samples.sample_ids()[:6] == (*STUDY, "pendulum", "double-pendulum")


@pytest.mark.parametrize("sample", samples.sample_ids())
@pytest.mark.parametrize("engine", engine_names())
def test_every_sample_loads_compiles_and_runs_on_each_engine_that_accepts_it(
    sample: str, engine: str
) -> None:
    model = lw.load(sample)
    assert model.title
    assert model.description
    assert all(b.shapes for b in model.bodies)
    findings = find_engine(engine).check(compile_mechanism(model))
    refused = [f.text for f in findings if f.severity is Severity.ERROR]
    if refused:
        assert engine != model.settings.engine, "a sample runs on the engine it names"
        with pytest.raises(RunError) as caught:
            lw.simulate(model, engine)
        assert caught.value.message in refused
        return
    results = lw.simulate(model, engine, t_end=min(0.1, model.settings.t_end))
    assert results.ended == "completed"
    assert results.engine == engine
    assert np.all(np.isfinite(results.poses))
    assert np.all(np.isfinite(results.channels))
    # the tree closes loops by one correction from a step with a local error of 1e-8; the others solve for closed joints
    assert results.step_column("position_error").max() < (1e-7 if engine == "tree" else 1e-9)


@pytest.mark.parametrize("sample", samples.sample_ids())
def test_every_sample_has_its_entry_in_the_readme(sample: str) -> None:
    assert f"| `{sample}` |" in (samples.folder() / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("sample", "degrees"), [(STUDY[0], 45), (STUDY[1], 60), (STUDY[2], 45)])
def test_numbers_of_the_slider_crank(sample: str, degrees: int) -> None:
    spec = reference("slider_crank")
    model = lw.load(sample)
    q0 = spec[f"q0_{degrees}deg"]
    assert [b.id for b in model.bodies] == [b["name"] for b in spec["bodies"]]
    for k, (body, given) in enumerate(zip(model.bodies, spec["bodies"], strict=True)):
        assert (*body.position, *body.orientation) == pytest.approx(q0[7 * k : 7 * k + 7], abs=1e-15)
        assert isinstance(body.mass, MassGiven)
        assert body.mass.mass == given["mass"]
        assert body.mass.inertia == (*given["inertia_body_xyz"], 0.0, 0.0, 0.0)
        assert tuple(body.mass.centre) == (0.0, 0.0, 0.0)
        assert tuple(body.velocity) == tuple(body.angular_velocity) == (0.0, 0.0, 0.0)
    assert tuple(model.gravity) == (0.0, 0.0, 0.0)
    assert [j.type for j in model.joints] == ["revolute", "revolute", "in-line", "prismatic"]
    crank, middle, pin, slide = (
        [(model.body_of(end), model.world_frame(end)) for end in (j.i, j.j)] for j in model.joints
    )
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    for ends, bodies, place in (
        (crank, {"ground", "link1"}, (0.0, 0.0, 0.0)),
        (middle, {"link1", "link2"}, (2 * cos, 2 * sin, 0.0)),
        (pin, {"link2", "slider"}, (4 * cos, 0.0, 0.0)),
    ):
        assert {body for body, _ in ends} == bodies
        for _, (position, _) in ends:
            assert position == pytest.approx(place, abs=1e-12)
    assert pin[1][0] == "slider", "the line along z is fixed in the slider"
    assert {body for body, _ in slide} == {"ground", "slider"}
    values = {p.id: p.value for p in model.parameters}
    assert (values["k"], values["c"]) == ((0.0, 0.0) if sample.endswith("offset") else (2e4, 0.0))
    sda, push = model.forces
    assert isinstance(sda, Sda)
    assert (sda.stiffness, sda.damping, sda.actuator_force, sda.free_length) == ("=k", "=c", "=fa", None)
    assert isinstance(push, AppliedForce)
    assert (push.at, tuple(push.vector), push.axes) == (
        "slider",
        tuple(spec["bodies"][2]["force"]),
        "ground",
    )


@pytest.mark.parametrize(
    ("sample", "u1", "u2", "length"),
    [
        (STUDY[0], (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), math.sqrt(2.0)),
        (STUDY[1], (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 1.0),
        (STUDY[2], (0.5, 0.2, 0.1), (-0.3, 0.25, -0.1), 1.1884864324004716),
    ],
)
def test_attachment_and_drawn_length_of_the_spring(
    sample: str, u1: tuple[float, ...], u2: tuple[float, ...], length: float
) -> None:
    """Free length 2 cos(th), and l0 of off_centre_variant in facts.json."""
    model = lw.load(sample)
    sda = model.forces[0]
    assert isinstance(sda, Sda)
    for end, body, place in ((sda.i, "link1", u1), (sda.j, "link2", u2)):
        assert model.frame(end)[:2] == (body, place)
    gap = np.subtract(model.world_frame(sda.j)[0], model.world_frame(sda.i)[0])
    assert np.linalg.norm(gap) == pytest.approx(length, rel=1e-14)


@pytest.mark.parametrize("sample", STUDY)
def test_settings_of_the_study(sample: str) -> None:
    settings = lw.load(sample).settings
    spec = reference("tensegrity" if sample == "tensegrity" else "slider_crank")["integration"]
    newmark = settings.newmark
    assert settings.engine == "newmark"
    assert (settings.h, settings.t_end) == (spec["dt"], 1.0)
    assert (newmark.beta, newmark.gamma) == (spec["alpha"], spec["delta"])
    assert (newmark.tolerance_abs, newmark.tolerance_rel) == (spec["tolerance"], 0.0)
    assert newmark.jacobian == "M1+M2+M3"
    assert newmark.projection is False
    if sample == "tensegrity":
        assert newmark.max_iterations == spec["max_iterations"]


def test_numbers_of_the_tensegrity() -> None:
    spec = reference("tensegrity")
    model = lw.load("tensegrity")
    assert len(model.bodies) == 6
    assert len(model.forces) == 21
    assert model.joints == ()
    nodes: dict[str, np.ndarray] = {}
    for body, strut in zip(model.bodies, spec["struts"], strict=True):
        assert list(body.position) == strut["position0"]
        assert list(body.orientation) == pytest.approx(strut["euler_parameters0"], abs=2e-16)
        assert isinstance(body.mass, MassGiven)
        assert (body.mass.mass, list(body.mass.inertia[:3])) == (strut["mass"], strut["inertia_body_xyz"])
        for end in ("a", "b"):
            marker = strut[f"node_{end}"]
            assert model.frame(marker)[:2] == (body.id, tuple(strut[f"point_{end}"]))
            nodes[marker] = np.array(model.world_frame(marker)[0])
    for name, place in spec["nodes_initial"].items():
        assert nodes[name] == pytest.approx(place, abs=1e-12)
    for sda, cable in zip(model.forces, spec["cables"], strict=True):
        assert isinstance(sda, Sda)
        assert (sda.i, sda.j, sda.free_length) == (cable["node_a"], cable["node_b"], cable["rest_length"])
        assert (sda.stiffness, sda.damping, sda.actuator_force) == ("=k", "=c", 0.0)
        assert np.linalg.norm(nodes[sda.j] - nodes[sda.i]) == pytest.approx(cable["initial_length"], abs=1e-8)
    assert {p.id: p.value for p in model.parameters} == {"k": 200.0, "c": 10.0}
    changed = evaluated(model.replaced(parameters=tuple(p.replaced(value=3.0) for p in model.parameters)))
    assert all(isinstance(s, Sda) and s.stiffness == s.damping == 3.0 for s in changed.forces)


@pytest.mark.parametrize("sample", ["pendulum", "double-pendulum"])
def test_pendulums_have_gravity_and_mass_from_density(sample: str) -> None:
    model = lw.load(sample)
    assert tuple(model.gravity) == (0.0, 0.0, -9.81)
    for body in model.bodies:
        assert isinstance(body.mass, MassFromShapes)
        assert body.inertia().mass > 0.1
    results = lw.simulate(model, t_end=1.0)
    assert np.ptp(results["energy.total"]) < 1e-3 * np.ptp(results["energy.kinetic"])


def test_names_of_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert samples.resolve("pendulum") == samples.path("pendulum")
    with pytest.raises(OptionError, match="Did you mean 'pendulum'"):
        samples.resolve("pendulm")
    with pytest.raises(OptionError):
        samples.path("../samples/pendulum")
    monkeypatch.chdir(tmp_path)
    assert samples.resolve("other/pendulum") == Path("other/pendulum")
    assert samples.resolve("m.lwk") == Path("m.lwk")
    (tmp_path / "pendulum").write_text("a file of that name comes first")
    assert samples.resolve("pendulum") == Path("pendulum")
