"""The blocks of one spring against the reference case, complex-step derivatives and a spring one can do by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from linkwright.analysis import sda_jacobian
from linkwright.analysis.sda_jacobian import SdaEnd, blocks_of_ends, sda_blocks
from linkwright.document.bodies import Body, Marker, MassGiven
from linkwright.document.mechanism import Mechanism
from linkwright.elements.forces.sda import Sda
from linkwright.errors import DocumentError

Array = NDArray[np.float64]


@pytest.fixture(scope="module")
def case(repository: Path) -> dict[str, object]:
    """Numbers of the reference (`jacobian_check` of the SDA study)."""
    facts = json.loads((repository / "tests" / "data" / "sda" / "facts.json").read_text(encoding="utf-8"))
    numbers: dict[str, object] = facts["jacobian_check"]["euler_parameter_case"]
    return numbers


def reference_ends(case: dict[str, object]) -> tuple[SdaEnd, SdaEnd]:
    ends = [
        SdaEnd(*(np.array(case[f"{name}_{side}"], float) for name in ("R", "Rdot", "e", "edot", "u")))
        for side in ("i", "j")
    ]
    return ends[0], ends[1]


def test_reference_case(case: dict[str, object]) -> None:
    i, j = reference_ends(case)
    k, c, fa, l0 = (float(case[name]) for name in ("k", "c", "fa", "l0"))  # type: ignore[arg-type]  # JSON numbers
    force, m2, m3, (length, rate, f) = blocks_of_ends(i, j, k, c, fa, l0)
    wanted = case["results"]["homogeneous"]  # type: ignore[index]  # a JSON object
    # The reference states 1e-11 for the stored digits.
    for got, name in ((force, "Qe"), (m2, "M2"), (m3, "M3")):
        target = np.array(wanted[name])
        assert np.abs(got - target).max() <= 1e-11 * np.abs(target).max()
    assert length == pytest.approx(case["length"], rel=1e-12)
    assert rate == pytest.approx(case["length_rate"], rel=1e-12)
    assert f == pytest.approx(case["force"], rel=1e-12)


def complex_force(q: NDArray[Any], v: NDArray[Any], ends: tuple[Array, Array]) -> NDArray[Any]:
    """Generalised force by virtual work of f n, for complex coordinates: an independent way to the derivatives."""
    k, c, fa, l0 = 700.0, 40.0, 3.0, 0.8
    places, speeds, jacobians = [], [], []
    for side in (0, 1):
        r, e = q[7 * side : 7 * side + 3], q[7 * side + 3 : 7 * side + 7]
        u = ends[side]
        w, x, y, z = e
        turn = np.array(
            [
                [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
            ]
        )
        by_e = np.array(
            [
                2 * np.array([[w, -z, y], [z, w, -x], [-y, x, w]]) @ u,
                2 * np.array([[x, y, z], [y, -x, -w], [z, w, -x]]) @ u,
                2 * np.array([[-y, x, w], [x, y, z], [-w, z, -y]]) @ u,
                2 * np.array([[-z, -w, x], [w, -z, y], [x, y, z]]) @ u,
            ]
        ).T
        places.append(r + turn @ u)
        jacobians.append(np.hstack([np.eye(3), by_e]))
        speeds.append(jacobians[-1] @ v[7 * side : 7 * side + 7])
    h, hd = places[1] - places[0], speeds[1] - speeds[0]
    length = np.sqrt(h @ h)
    n = h / length
    f = k * (length - l0) + c * (n @ hd) + fa
    return np.concatenate([f * n @ jacobians[0], -f * n @ jacobians[1]])


@pytest.mark.parametrize("seed", range(8))
def test_blocks_against_complex_steps(seed: int) -> None:
    rng = np.random.default_rng(seed)
    q, v = rng.normal(size=14), rng.normal(size=14)
    for side in (3, 10):
        q[side : side + 4] /= np.linalg.norm(q[side : side + 4])
    u = (rng.normal(size=3), rng.normal(size=3))
    ends = [SdaEnd(q[a : a + 3], v[a : a + 3], q[a + 3 : a + 7], v[a + 3 : a + 7], u[a // 7]) for a in (0, 7)]
    force, m2, m3, _ = blocks_of_ends(ends[0], ends[1], 700.0, 40.0, 3.0, 0.8)
    step = 1e-30
    steps = np.eye(14) * step * 1j
    by_q = np.array([complex_force(q + d, v + 0j, u).imag / step for d in steps]).T
    by_v = np.array([complex_force(q + 0j, v + d, u).imag / step for d in steps]).T
    # Both ways round in the last digits only.
    assert np.abs(m2 - by_q).max() <= 1e-12 * np.abs(by_q).max()
    assert np.abs(m3 - by_v).max() <= 1e-12 * np.abs(by_v).max()
    assert np.allclose(force, complex_force(q + 0j, v + 0j, u).real, rtol=1e-12, atol=1e-10)


def spring_between(i: str, j: str, **fields: object) -> Mechanism:
    mass = MassGiven(mass=1.0, inertia=(1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
    return Mechanism(
        bodies=(Body(id="a", mass=mass), Body(id="b", position=(2.0, 0.0, 0.0), mass=mass)),
        markers=(Marker(id="wall", body="ground", position=(5.0, 0.0, 0.0)),),
        forces=(
            Sda.model_validate({"id": "s", "i": i, "j": j, "stiffness": 100.0, "damping": 8.0, **fields}),
        ),
    )


POSES = np.array([[0.0, 0, 0, 1, 0, 0, 0], [2.5, 0, 0, 1, 0, 0, 0]])
TWISTS = np.array([[0.0] * 6, [1.0, 0, 0, 0, 0, 0]])


def test_stretched_along_x_by_hand() -> None:
    blocks = sda_blocks(spring_between("a", "b"), "s", ("a", "b"), POSES, TWISTS)
    assert blocks.bodies == ("a", "b")
    assert (blocks.length, blocks.rate, blocks.force) == (2.5, 1.0, 100.0 * 0.5 + 8.0)
    # Along the spring k, across it f / l; only positions matter for points at the mass centres. The damper adds c b,
    # and b vanishes here because the relative velocity is along the spring.
    assert blocks.m2[0, 0] == pytest.approx(-100.0)
    assert blocks.m2[0, 7] == pytest.approx(100.0)
    assert blocks.m2[1, 1] == pytest.approx(-58.0 / 2.5)
    assert blocks.m3[0, 0] == pytest.approx(-8.0)
    assert blocks.m3[7, 0] == pytest.approx(8.0)
    assert np.count_nonzero(np.abs(blocks.m3) > 1e-12) == 4
    assert blocks.coordinates[7] == "b.x"


def test_an_end_on_the_ground_has_no_rows() -> None:
    blocks = sda_blocks(spring_between("b", "wall"), "s", ("a", "b"), POSES, TWISTS)
    assert blocks.bodies == ("b",)
    assert blocks.m2.shape == blocks.m3.shape == (7, 7)
    # Shorter than drawn by 0.5 m and shortening at 1 m/s: pushes the body back along -x.
    assert blocks.force == pytest.approx(-100.0 * 0.5 - 8.0)
    assert blocks.m2[0, 0] == pytest.approx(-100.0)


def test_mass_centre_off_the_body_frame() -> None:
    mass = MassGiven(mass=1.0, centre=(0.3, 0.0, 0.0), inertia=(1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
    mechanism = spring_between("a", "b")
    bodies = tuple(b.replaced(mass=mass) for b in mechanism.bodies)
    moved = sda_blocks(mechanism.replaced(bodies=bodies), "s", ("a", "b"), POSES, TWISTS)
    still = sda_blocks(mechanism, "s", ("a", "b"), POSES, TWISTS)
    # Translations see the same spring; turning about another point does not.
    assert np.allclose(moved.m2[:3, :3], still.m2[:3, :3])
    assert moved.force == pytest.approx(still.force)
    assert np.abs(moved.m2[3:7, 3:7]).max() > 1.0


def test_slack_cable_contributes_nothing() -> None:
    mechanism = spring_between("a", "b", tension_only=True, free_length=3.0)
    blocks = sda_blocks(mechanism, "s", ("a", "b"), POSES, TWISTS)
    assert not blocks.m2.any()
    assert not blocks.m3.any()
    assert blocks.force == 0.0


def test_ends_at_one_place_are_refused() -> None:
    poses = POSES.copy()
    poses[1, 0] = 0.0
    with pytest.raises(DocumentError, match="same place"):
        sda_blocks(spring_between("a", "b"), "s", ("a", "b"), poses, TWISTS)


def test_something_else_is_refused() -> None:
    with pytest.raises(DocumentError, match="no spring-damper-actuator"):
        sda_blocks(spring_between("a", "b"), "a", ("a", "b"), POSES, TWISTS)


def test_rotation_matches_the_document() -> None:
    e = np.array([0.5, -0.5, 0.1, 0.7])
    e /= np.linalg.norm(e)
    u = np.array([0.3, -0.1, 0.2])
    from linkwright.document import rotation

    wanted = rotation.rotate((e[0], e[1], e[2], e[3]), (u[0], u[1], u[2]))
    assert np.allclose(sda_jacobian.rotated(e, u), wanted, atol=1e-15)
