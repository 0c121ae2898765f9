from __future__ import annotations

import numpy as np
import pytest

from linkwright.elements import registry
from linkwright.elements.glyph import Arrow, Ball, Block, Plane, Rail, Ring, Rod
from linkwright_app.viewport.glyphs import arc_arrow_mesh, arrow_mesh, glyph_mesh, rail_mesh
from linkwright_app.viewport.theme import VIEW_DARK, VIEW_LIGHT

PURPLE = VIEW_LIGHT.tokens.joint


@pytest.mark.parametrize("tag", sorted(registry.joint_types()))
@pytest.mark.parametrize("theme", [VIEW_LIGHT, VIEW_DARK], ids=["light", "dark"])
def test_every_joint_type_has_a_picture_of_the_right_size(tag: str, theme: object) -> None:
    parts = registry.joint_type(tag).glyph
    assert parts
    made = glyph_mesh(parts, PURPLE, theme is VIEW_DARK)
    if made is None:
        assert any(isinstance(part, Rail) for part in parts)
        return
    assert made.colors.shape == made.mesh.points.shape
    # R is half the size on the screen; caps, cones and corners may stick out.
    reach = np.abs(made.mesh.points).max()
    assert 0.5 <= reach <= 1.7


def test_parts_have_the_sizes_they_ask_for() -> None:
    ring = glyph_mesh((Ring(radius=0.84, tube=0.155),), PURPLE, False)
    assert ring is not None
    assert np.allclose(ring.mesh.points.max(axis=0), (0.995, 0.995, 0.155), atol=2e-3)
    rod = glyph_mesh((Rod((0.0, 0.0, -1.0), (0.0, 0.0, 1.0), radius=0.15, cap=0.27),), PURPLE, False)
    assert rod is not None
    assert np.allclose(rod.mesh.points.max(axis=0), (0.27, 0.27, 1.09), atol=2e-3)
    ball = glyph_mesh((Ball(0.34, centre=(1.0, 0.0, 0.0)),), PURPLE, False)
    assert ball is not None
    assert ball.mesh.points[:, 0].max() == pytest.approx(1.34, abs=1e-6)
    block = glyph_mesh((Block((1.3, 0.9, 0.9)),), PURPLE, False)
    assert block is not None
    assert np.allclose(np.ptp(block.mesh.points, axis=0), (1.3, 0.9, 0.9), atol=1e-6)
    arrow = glyph_mesh((Arrow((0.0, 1.2, 0.0), start=(0.0, -0.2, 0.0)),), PURPLE, False)
    assert arrow is not None
    assert arrow.mesh.points[:, 1].min() == pytest.approx(-0.2, abs=1e-6)
    assert arrow.mesh.points[:, 1].max() == pytest.approx(1.0, abs=1e-6)
    plane = glyph_mesh((Plane(normal=(1.0, 0.0, 0.0), half=0.8),), PURPLE, False)
    assert plane is not None
    assert np.allclose(np.ptp(plane.mesh.points, axis=0)[1:], 1.6, atol=1e-6)


def test_an_open_ring_gets_its_head_at_the_end_of_its_sweep() -> None:
    made = glyph_mesh((Ring(sweep=0.25, arrow=True),), PURPLE, False)
    assert made is not None
    # The head is a cone of 5 tube radii along the tangent at the end of the quarter turn.
    reach = np.linalg.norm(made.mesh.points, axis=1)
    tips = made.mesh.points[np.isclose(reach, np.hypot(0.84, 5 * 0.155), rtol=1e-9)]
    assert np.abs(tips[:, 2]).min() < 1e-9
    whole = glyph_mesh((Ring(),), PURPLE, False)
    assert whole is not None
    assert len(made.mesh.points) < len(whole.mesh.points)


def test_a_category_colours_its_glyph() -> None:
    made = glyph_mesh((Ring(),), "#123456", False)
    assert made is not None
    assert (made.colors == (0x12, 0x34, 0x56)).all()


def test_load_arrows_have_the_length_they_are_given() -> None:
    assert arrow_mesh(76.0, 1.0).points[:, 2].max() == pytest.approx(76.0)
    arc = arc_arrow_mesh(26.0, 1.0).points
    assert np.hypot(arc[:, 0], arc[:, 1]).max() < 36.0


def test_points_of_a_rail_depend_linearly_on_the_size_of_a_pixel() -> None:
    one, two, three = (rail_mesh(1.0, 0.1, px, 5).points for px in (0.002, 0.004, 0.006))
    assert np.allclose(three - two, two - one, atol=1e-12)
    assert np.abs(one[:, 2]).max() == pytest.approx(1.0 + 18 * 0.002)
