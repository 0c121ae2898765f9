"""Samples of any size."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import OptionError
from linkwright.files.model_file import dumps, loads
from linkwright.made_samples import LINK, ChainJoint, chain


@pytest.mark.parametrize("joint", ["spherical", "revolute"])
def test_chain(joint: ChainJoint) -> None:
    mechanism = chain(5, joint)
    assert [b.id for b in mechanism.bodies] == [f"link_{k}" for k in range(1, 6)]
    assert {j.type for j in mechanism.joints} == {joint}
    for element in mechanism.joints:
        # drawn closed
        i, j = (np.array(mechanism.world_frame(end)[0]) for end in (element.i, element.j))
        assert np.abs(i - j).max() < 1e-12
    assert mechanism.world_frame("out_5")[0] == pytest.approx((5 * LINK, 0.0, 0.0))
    assert loads(dumps(mechanism)) == mechanism


def test_chain_runs_and_keeps_its_energy() -> None:
    result = lw.simulate(chain(8), t_end=0.5, h=0.01)
    assert result.engine == "tree"
    assert result.ended == "completed"
    energy = result["energy.total"]
    assert np.ptp(energy) < 1e-6 * result["energy.kinetic"].max()


def test_refusals() -> None:
    with pytest.raises(OptionError, match="at least one"):
        chain(0)
    with pytest.raises(OptionError, match="planar"):
        chain(2, "planar")  # type: ignore[arg-type]  # what a person might type
