from __future__ import annotations

import math

import numpy as np
import pytest

from linkwright.document.bodies import Body, Ground, Marker, MassGiven
from linkwright.document.mechanism import Mechanism
from linkwright.document.rotation import axis_angle
from linkwright.document.shapes import Box, Link
from linkwright.elements.forces import AppliedForce, AppliedTorque, Sda
from linkwright.elements.joints import Prismatic, Revolute, Spherical
from linkwright_app.viewport.placement import GLYPH_GAP, Placement
from linkwright_app.viewport.scene import Scene
from linkwright_app.viewport.theme import VIEW_LIGHT

MASS = MassGiven(mass=1.0, inertia=(1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
ALONG_X = axis_angle((0, 1, 0), math.pi / 2)


def arm(x: float = 0.0) -> Body:
    """A link of 2 m about (x, 0), 0.1 m thick, its layer 0.2 m above the plane of motion."""
    shape = Link(length=2.0, start_radius=0.2, end_radius=0.2, thickness=0.1, position=(0.0, 0.0, 0.2))
    return Body(id="arm", mass=MASS, shapes=(shape,), position=(x, 0.0, 0.0))


def placement_of(mechanism: Mechanism) -> Placement:
    scene = Scene(VIEW_LIGHT)
    scene.show(mechanism)
    return Placement(mechanism, scene.bodies, scene.basis)


def normal_of(mechanism: Mechanism) -> np.ndarray:
    normal = placement_of(mechanism).normal
    assert normal is not None
    return normal


def hinge() -> Mechanism:
    return Mechanism(
        gravity=(0.0, 0.0, 0.0),
        bodies=(arm(1.0),),
        markers=(Marker(id="end", body="arm", position=(-1.0, 0.0, 0.0)),),
        joints=(Revolute(id="J1", i="end", j="ground"),),
    )


def test_a_planar_mechanism_is_recognised_and_faces_the_viewer() -> None:
    assert np.allclose(normal_of(hinge()), (0, 0, 1))
    upright = axis_angle((1, 0, 0), math.pi / 2)
    standing = hinge().replaced(
        gravity=(0.0, 0.0, -9.81),
        markers=(
            Marker(id="end", body="arm", position=(-1.0, 0.0, 0.0), orientation=upright),
            Marker(id="base", orientation=upright),
        ),
        joints=(Revolute(id="J1", i="end", j="base"),),
    )
    assert np.allclose(normal_of(standing), (0, -1, 0))


def test_a_spherical_joint_makes_it_spatial() -> None:
    spatial = hinge().replaced(joints=(Spherical(id="J1", i="end", j="ground"),))
    assert placement_of(spatial).normal is None


def test_a_hinge_glyph_is_above_the_link_it_turns() -> None:
    mechanism = hinge()
    placement = placement_of(mechanism)
    place = placement.joint(mechanism.joints[0])
    assert np.allclose(place.position, (0, 0, 0.25 + GLYPH_GAP * placement.size), atol=1e-6)


def test_a_glyph_without_shapes_stays_at_its_joint() -> None:
    bare = hinge().replaced(bodies=(Body(id="arm", mass=MASS, position=(1.0, 0.0, 0.0)),))
    assert np.allclose(placement_of(bare).joint(bare.joints[0]).position, 0.0)


def slider(guide: Box | None) -> Mechanism:
    return Mechanism(
        gravity=(0.0, 0.0, 0.0),
        ground=Ground(shapes=() if guide is None else (guide,)),
        bodies=(Body(id="shoe", mass=MASS, position=(2.0, 0.0, 0.0), shapes=(Box(size=(0.3, 0.3, 0.1)),)),),
        markers=(
            Marker(id="rail", orientation=ALONG_X),
            Marker(id="foot", body="shoe", orientation=ALONG_X),
        ),
        joints=(Prismatic(id="J1", i="foot", j="rail"),),
    )


def test_a_rail_lies_along_the_guide() -> None:
    mechanism = slider(Box(size=(3.0, 0.2, 0.1), position=(1.5, 0.0, -0.2)))
    rail = placement_of(mechanism).rail(mechanism.joints[0])
    assert np.allclose(rail.place.position, (1.5, 0.0, -0.2), atol=1e-6)
    assert np.allclose(np.abs(rail.place.rot[:, 2]), (1, 0, 0), atol=1e-9)
    assert 1.5 < rail.half < 1.7
    assert 0.1 < rail.gap < 0.2


def test_a_rail_without_a_guide_lies_about_the_slider() -> None:
    mechanism = slider(None)
    rail = placement_of(mechanism).rail(mechanism.joints[0])
    assert np.allclose(rail.place.position, (2.0, 0.0, 0.0), atol=1e-6)
    assert rail.half > 0


def spring(**ends: tuple[float, float, float]) -> Mechanism:
    first = arm()
    second = first.replaced(id="arm_2", position=(0.0, 1.5, 0.0))
    return Mechanism(
        gravity=(0.0, 0.0, 0.0),
        bodies=(first, second),
        markers=(
            Marker(id="a", body="arm", position=ends["a"]),
            Marker(id="b", body="arm_2", position=ends["b"]),
            Marker(id="end", body="arm", position=(-1.0, 0.0, 0.0)),
        ),
        joints=(Revolute(id="J1", i="end", j="ground"),),
        forces=(Sda(id="S1", i="a", j="b", stiffness=1.0),),
    )


def test_a_hidden_spring_is_lifted_straight_up_onto_posts() -> None:
    mechanism = spring(a=(0.0, 0.0, 0.0), b=(0.0, 0.0, 0.0))
    force = mechanism.forces[0]
    assert isinstance(force, Sda)
    place = placement_of(mechanism).spring(force)
    assert np.allclose(place.i.position, (0, 0, 0.25 + 0.8 * place.radius), atol=1e-6)
    assert place.j.position[2] == pytest.approx(place.i.position[2])
    assert [post.body for post in place.posts] == ["arm", "arm_2"]
    for post in place.posts:
        assert post.foot[2] < 0.25 < post.head[2]
        assert np.allclose(post.foot[:2], 0.0, atol=1e-9)


def test_a_spring_that_lies_open_stays_where_it_is() -> None:
    mechanism = spring(a=(0.0, 0.0, 0.25), b=(0.0, 0.0, 0.25))
    force = mechanism.forces[0]
    assert isinstance(force, Sda)
    place = placement_of(mechanism).spring(force)
    assert np.allclose(place.i.position, (0, 0, 0.25))
    assert place.posts == ()


def test_a_spring_end_beside_its_body_gets_an_arm() -> None:
    mechanism = spring(a=(0.0, 0.6, 0.2), b=(0.0, 0.0, 0.25))
    force = mechanism.forces[0]
    assert isinstance(force, Sda)
    place = placement_of(mechanism).spring(force)
    assert len(place.posts) == 1
    assert np.allclose(place.posts[0].head, (0.0, 0.6, 0.2), atol=1e-6)
    # The edge of the link is 0.2 m from its middle line.
    assert place.posts[0].foot[1] == pytest.approx(0.2, abs=0.02)


def test_a_load_starts_where_it_leaves_the_body() -> None:
    block = Body(id="block", mass=MASS, shapes=(Box(size=(1.0, 0.4, 0.2), position=(0.0, 0.0, 0.5)),))
    mechanism = hinge().replaced(
        bodies=(arm(), block),
        forces=(
            AppliedForce(id="F1", at="block", vector=(10.0, 0.0, 0.0)),
            AppliedTorque(id="T1", at="block"),
        ),
    )
    placement = placement_of(mechanism)
    force = mechanism.forces[0]
    assert isinstance(force, AppliedForce)
    tail = placement.load(force, np.array([1.0, 0.0, 0.0])).position
    assert tail[0] == pytest.approx(0.5, abs=0.03)
    assert tail[2] == pytest.approx(0.5, abs=1e-6)


def test_an_empty_mechanism_has_a_size_and_no_plane() -> None:
    placement = placement_of(Mechanism())
    assert placement.size > 0
    assert placement.normal is None
