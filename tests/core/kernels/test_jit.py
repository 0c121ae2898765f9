"""The kernel cache: an edit in a called file is never served from an old cache, an edit elsewhere costs nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from linkwright.kernels import jit

CALLEE = """from linkwright.kernels.jit import kernel


@kernel
def factor():
    return {value}
"""
CALLER = """from linkwright.kernels.jit import kernel
from linkwright.kernels.trial_callee import factor


@kernel
def twice(x):
    return 2.0 * factor() * x
"""
ASK = "from linkwright.kernels.trial_caller import twice; print(twice(1.0), len(twice.stats.cache_hits))"


def ask(root: Path, cache: Path | str) -> tuple[float, int]:
    """Result of the caller in a fresh process, and how many times its cache was hit."""
    environment = {**os.environ, "PYTHONPATH": str(root), jit.CACHE_VARIABLE: str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", ASK], env=environment, capture_output=True, text=True, check=True
    )
    value, hits = done.stdout.split()
    return float(value), int(hits)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the decorator with two little kernels of its own."""
    kernels = tmp_path / "linkwright" / "kernels"
    kernels.mkdir(parents=True)
    (tmp_path / "linkwright" / "__init__.py").touch()
    (kernels / "__init__.py").touch()
    shutil.copy(jit.PACKAGE / "jit.py", kernels)
    (kernels / "trial_callee.py").write_text(CALLEE.format(value=3.0))
    (kernels / "trial_caller.py").write_text(CALLER)
    return tmp_path


def test_an_edited_callee_is_never_stale(package: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert ask(package, cache) == (6.0, 0)
    assert ask(package, cache) == (6.0, 1)
    (package / "linkwright" / "kernels" / "trial_callee.py").write_text(CALLEE.format(value=5.0))
    assert ask(package, cache) == (10.0, 0)


def test_an_edit_elsewhere_keeps_the_cache(package: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    ask(package, cache)
    (package / "linkwright" / "kernels" / "other.py").write_text("X = 1\n")
    assert ask(package, cache) == (6.0, 1)


def test_without_a_cache_kernels_work_all_the_same(package: Path) -> None:
    assert ask(package, "") == (6.0, 0)
    assert ask(package, "/dev/null/nowhere") == (6.0, 0)


def test_imports_are_followed_through_other_files() -> None:
    implicit = jit.PACKAGE / "implicit.py"
    assert jit.PACKAGE / "equations.py" in jit.imported_kernels(implicit)
    assert jit.PACKAGE / "forces" / "sda.py" in jit.imported_kernels(implicit)
    assert jit.source_key(implicit) != jit.source_key(jit.PACKAGE / "equations.py")
