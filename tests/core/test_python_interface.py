"""What a notebook sees: `import linkwright as lw` and four functions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import FileError, OptionError


def test_the_lines_of_the_manual(tmp_path: Path) -> None:
    m = lw.load("slider-crank-sda")
    r = lw.simulate(m, engine="newmark", jacobian="M1+M2+M3")
    assert r["energy.total"].shape == r.t.shape == (101,)
    assert r.iterations.shape == (100,)
    np.testing.assert_array_equal(r.iterations, 3)
    lw.save(m, tmp_path / "m.lwk")
    assert lw.load(tmp_path / "m.lwk") == m
    assert isinstance(r, lw.Results)
    assert isinstance(m, lw.Mechanism)


def test_parameters_of_a_run() -> None:
    m = lw.load("slider-crank-sda")
    stiff = lw.simulate(m, parameters={"k": 1e5, "fa": 10.0}, t_end=0.05)
    stretch = stiff["S1.length"] - stiff["S1.length"][0]
    assert stiff["S1.force"] == pytest.approx(1e5 * stretch + 10.0, rel=1e-9)
    assert {p.id: p.value for p in m.parameters}["k"] == 2e4


def test_what_is_not_there_is_refused() -> None:
    m = lw.load("pendulum")
    with pytest.raises(OptionError):
        lw.simulate(m, engine="warp")
    with pytest.raises(OptionError):
        lw.simulate(m, jacobean="M1")
    with pytest.raises(OptionError):
        lw.simulate(m, parameters={"k": 1.0})
    with pytest.raises(FileError):
        lw.load("gone.lwk")
    with pytest.raises(AttributeError):
        _ = lw.nothing


def test_a_run_needs_no_window_library() -> None:
    """The whole way of a notebook, in a fresh interpreter that cannot import Qt, VTK or pyqtgraph."""
    code = """
import sys
for name in ("PySide6", "vtkmodules", "vtk", "pyqtgraph", "matplotlib", "linkwright_app"):
    sys.modules[name] = None
import linkwright as lw
assert "numba" not in sys.modules
r = lw.simulate(lw.load("pendulum"), t_end=0.05)
assert r.ended == "completed" and len(r.t) == 11, r.message
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
