from __future__ import annotations

import math

import numpy as np
import pytest
from vtkmodules.vtkRenderingCore import vtkActor

from linkwright.document.bodies import Body
from linkwright.document.mechanism import Mechanism
from linkwright.document.rotation import axis_angle, matrix
from linkwright_app.viewport.actors import pose_elements
from linkwright_app.viewport.floor import grid_step
from linkwright_app.viewport.items import JointItem, LoadItem, RailItem, SpringItem
from linkwright_app.viewport.scene import Scene
from linkwright_app.viewport.stretched import HOOK, SIDES, WIRE, CoilSpring, coil_path
from linkwright_app.viewport.theme import VIEW_DARK, VIEW_LIGHT


@pytest.fixture
def scene(slider_crank: Mechanism) -> Scene:
    made = Scene(VIEW_LIGHT)
    made.show(slider_crank)
    return made


def crank_poses(angle: float) -> np.ndarray:
    """Poses of the slider-crank with equal links of 2 m at a crank angle [rad]."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array(
        [
            [c, s, 0, *axis_angle((0, 0, 1), angle)],
            [3 * c, s, 0, *axis_angle((0, 0, 1), -angle)],
            [4 * c, 0, 0, 1, 0, 0, 0],
        ]
    )


def actors_of(scene: Scene) -> list[vtkActor]:
    collection = scene.renderer.GetActors()
    collection.InitTraversal()
    return [collection.GetNextActor() for _ in range(collection.GetNumberOfItems())]


def matrix_of(actor: vtkActor) -> np.ndarray:
    user = actor.GetUserMatrix()
    return np.array([[user.GetElement(i, j) for j in range(4)] for i in range(4)])


def test_a_pose_becomes_the_rotation_matrix_of_the_document() -> None:
    turn = axis_angle((0.3, -0.5, 0.8), 1.1)
    elements = np.array(pose_elements((1.0, 2.0, 3.0, *turn))).reshape(4, 4)
    assert np.allclose(elements[:3, :3], matrix(turn), atol=1e-12)
    assert np.allclose(elements[:3, 3], (1, 2, 3))
    # A quaternion that has drifted off unit length by an integrator's error still gives a pure rotation.
    drifted = pose_elements((0.0, 0.0, 0.0, *(1.001 * q for q in turn)))
    assert np.allclose(np.array(drifted).reshape(4, 4)[:3, :3], matrix(turn), atol=1e-12)


def test_every_element_with_a_picture_has_actors(scene: Scene, slider_crank: Mechanism) -> None:
    kinds = {key: type(item) for key, item in scene.items.items()}
    assert kinds == {
        "J1": JointItem, "J2": JointItem, "J3": JointItem, "J4": RailItem, "S1": SpringItem, "F1": LoadItem,
    }  # fmt: skip
    assert set(scene.bodies) == {"ground", *(body.id for body in slider_crank.bodies)}
    assert all(item.actors for item in scene.items.values())


def test_replay_changes_matrices_and_spring_points_only(scene: Scene) -> None:
    before = actors_of(scene)
    spring = scene.items["S1"].actors[0]
    meshes = {id(actor): actor.GetMapper().GetInput().GetMTime() for actor in before if actor is not spring}
    for angle in np.linspace(0.6, 1.2, 20):
        scene.set_poses(crank_poses(angle))
    after = actors_of(scene)
    assert [id(a) for a in after] == [id(a) for a in before]
    assert {id(a): a.GetMapper().GetInput().GetMTime() for a in after if a is not spring} == meshes
    rod = scene.bodies["link2"].actors[0]
    c, s = math.cos(1.2), math.sin(1.2)
    assert np.allclose(matrix_of(rod)[:3, 3], (3 * c, s, 0))
    assert np.allclose(matrix_of(rod)[:2, :2], [[c, s], [-s, c]])


def test_the_drawn_pose_comes_back(scene: Scene) -> None:
    drawn = matrix_of(scene.bodies["link1"].actors[0])
    scene.set_poses(crank_poses(0.3))
    assert not np.allclose(matrix_of(scene.bodies["link1"].actors[0]), drawn)
    scene.set_poses(None)
    assert np.allclose(matrix_of(scene.bodies["link1"].actors[0]), drawn)


def test_poses_of_another_mechanism_are_refused(scene: Scene) -> None:
    with pytest.raises(ValueError, match=r"shape \(3, 7\)"):
        scene.set_poses(np.zeros((2, 7)))


def test_a_spring_reaches_from_end_to_end(scene: Scene) -> None:
    item = scene.items["S1"]
    assert isinstance(item, SpringItem)
    for angle in (0.4, math.pi / 4, 1.3):
        scene.set_poses(crank_poses(angle))
        assert item.length == pytest.approx(2 * math.cos(angle), rel=1e-6)
        low, high = item.actors[0].GetBounds()[:2]
        # Ball ends stick out by their radius, 0.34 of that of the coil.
        assert low == pytest.approx(math.cos(angle) - 0.34 * item.radius, abs=2e-3)
        assert high == pytest.approx(3 * math.cos(angle) + 0.34 * item.radius, abs=2e-3)


@pytest.mark.parametrize("length", [0.5, 1.0, 2.2])
def test_stretching_keeps_the_thickness_of_the_wire(length: float) -> None:
    spring = CoilSpring(VIEW_LIGHT, 0.1, 1.0)
    spring.stretch(np.zeros(3), np.array([0.0, 0.0, length]))
    path, _, _ = coil_path(length, 0.1, min(HOOK, 0.2 * length))
    rings = spring.points[: len(path) * SIDES].reshape(len(path), SIDES, 3)
    assert np.allclose(np.linalg.norm(rings - path[:, None], axis=2), WIRE * 0.1, atol=1e-6)
    assert np.allclose(np.linalg.norm(spring.normals, axis=1), 1.0, atol=1e-5)
    # The coil keeps its own radius as well, hooks left out.
    middle = path[len(path) // 4 : -len(path) // 4]
    assert np.allclose(np.hypot(middle[:, 0], middle[:, 1]), 0.1)


def test_a_spring_of_no_length_does_no_harm() -> None:
    spring = CoilSpring(VIEW_LIGHT, 0.1, 0.0)
    spring.stretch(np.ones(3), np.ones(3))
    assert np.isfinite(spring.points).all()


def test_a_coil_does_not_spin_while_its_axis_turns() -> None:
    spring = CoilSpring(VIEW_LIGHT, 0.1, 1.0)
    seen = []
    for angle in np.linspace(0, 2 * math.pi, 73):
        spring.stretch(np.zeros(3), np.array([math.cos(angle), math.sin(angle), 0.2]))
        seen.append(matrix_of(spring.actor)[:3, 0])
    turned = np.einsum("ij,ij->i", np.array(seen[1:]), np.array(seen[:-1]))
    assert turned.min() > math.cos(math.radians(6))


def test_glyphs_keep_their_size_on_the_screen(scene: Scene) -> None:
    camera = scene.default_camera().fitted(scene.points(), 1.5)
    for factor in (1.0, 0.4, 3.0):
        near = camera.zoomed(factor, np.zeros(3))
        scene.fit_screen(near, 900.0, 600.0)
        joint = scene.items["J2"]
        scale = np.linalg.norm(matrix_of(joint.actors[0])[:3, 0])
        assert scale / near.pixel(joint.centre, 600.0) == pytest.approx(23.0, rel=1e-6)
        rail = scene.items["J4"].actors[0]
        span = np.array(rail.GetMapper().GetInput().GetBounds())
        # Cones of 18 px stand on both ends of the rail, whatever the zoom.
        half = scene.items["J4"].handles()[0]
        length = np.linalg.norm(half.stop - half.start)
        pixel = near.pixel((scene.items["J4"].handles()[0].start + half.stop) / 2, 600.0)
        assert (span[5] - span[4] - length) / (36 * pixel) == pytest.approx(1.0, rel=0.05)


def test_bodies_that_did_not_change_keep_their_meshes(scene: Scene, slider_crank: Mechanism) -> None:
    kept = scene.bodies["link1"]
    changed = tuple(
        body.replaced(color="#FF0000") if body.id == "slider" else body for body in slider_crank.bodies
    )
    old = scene.bodies["slider"]
    scene.show(slider_crank.replaced(bodies=changed))
    assert scene.bodies["link1"] is kept
    assert scene.bodies["slider"] is not old
    moved = tuple(body.replaced(position=(0.0, 0.0, 5.0)) if body.id == "link1" else body for body in changed)
    scene.show(slider_crank.replaced(bodies=moved))
    assert scene.bodies["link1"] is kept
    assert np.allclose(matrix_of(kept.actors[0])[:3, 3], (0, 0, 5))


def test_removed_elements_leave_nothing_behind(scene: Scene) -> None:
    scene.show(Mechanism())
    # Sky, shadow and grid.
    assert len(actors_of(scene)) == 3


def test_hidden_bodies_are_not_drawn(scene: Scene, slider_crank: Mechanism) -> None:
    hidden = tuple(b.replaced(visible=b.id != "link1") for b in slider_crank.bodies)
    scene.show(slider_crank.replaced(bodies=hidden))
    assert not scene.bodies["link1"].visible
    assert scene.bodies["link2"].visible


def test_switches(scene: Scene) -> None:
    def seen() -> set[str]:
        return {key for key, item in scene.items.items() if item.visible}

    scene.set_shown("glyphs", False)
    assert seen() == {"S1"}
    scene.set_shown("glyphs", True)
    assert seen() == set(scene.items)
    with pytest.raises(ValueError, match="no switch"):
        scene.set_shown("fog", True)


def test_a_theme_keeps_poses_and_recolours_the_glyphs(scene: Scene) -> None:
    poses = crank_poses(0.5)
    scene.set_poses(poses)
    scene.set_theme(VIEW_DARK)
    assert scene.poses is not None
    assert np.allclose(scene.poses, poses)
    data = scene.items["J1"].actors[0].GetMapper().GetInput()
    colors = {data.GetPointData().GetScalars().GetTuple(i) for i in range(data.GetNumberOfPoints())}
    assert (0xA7, 0x8B, 0xFA) in colors


def test_ghosts_and_traces_come_and_go(scene: Scene) -> None:
    count = len(actors_of(scene))
    scene.add_ghost(crank_poses(0.3), 0.2)
    scene.add_trace(np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]))
    scene.add_trace(np.zeros((1, 3)))
    assert len(actors_of(scene)) > count
    scene.clear_ghosts()
    scene.clear_traces()
    assert len(actors_of(scene)) == count


@pytest.mark.parametrize(("size", "step"), [(4.0, 0.5), (1.9, 0.2), (0.03, 0.005), (700.0, 100.0)])
def test_the_grid_has_round_steps(size: float, step: float) -> None:
    assert grid_step(size) == pytest.approx(step)


def test_many_bodies_are_moved_quickly(benchmark_poses: tuple[Scene, np.ndarray]) -> None:
    scene, poses = benchmark_poses
    scene.set_poses(poses)
    assert np.allclose(matrix_of(scene.bodies["b199"].actors[0])[:3, 3], poses[199, :3])


@pytest.fixture
def benchmark_poses() -> tuple[Scene, np.ndarray]:
    from linkwright.document.shapes import Box

    shape = Box(size=(0.1, 0.1, 0.1))
    bodies = tuple(Body(id=f"b{k}", shapes=(shape,)) for k in range(200))
    scene = Scene(VIEW_LIGHT)
    scene.show(Mechanism(bodies=bodies))
    poses = np.zeros((200, 7))
    poses[:, 0] = np.arange(200) * 0.2
    poses[:, 3] = 1.0
    return scene, poses
