"""Linter, formatter and type checker find nothing, and no file asks to be split."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

MAX_LINES = 500


def run_tool(repository: Path, *arguments: str) -> None:
    done = subprocess.run([sys.executable, "-m", *arguments], cwd=repository, capture_output=True, text=True)
    assert done.returncode == 0, f"\n{done.stdout}{done.stderr}"


def test_ruff_check(repository: Path) -> None:
    run_tool(repository, "ruff", "check", ".")


def test_ruff_format(repository: Path) -> None:
    run_tool(repository, "ruff", "format", "--check", ".")


@pytest.mark.slow
def test_mypy(repository: Path) -> None:
    run_tool(repository, "mypy")


def test_no_file_is_too_long(repository: Path) -> None:
    lengths = {
        str(path.relative_to(repository)): len(path.read_text(encoding="utf-8").splitlines())
        for root in ("core", "app", "packaging")
        for path in (repository / root).rglob("*.py")
    }
    assert {name: length for name, length in lengths.items() if length > MAX_LINES} == {}


def test_no_test_is_switched_off(repository: Path) -> None:
    pattern = re.compile(r"\b(mark\.skip|mark\.skipif|mark\.xfail|pytest\.skip|pytest\.xfail|importorskip)\b")
    found = [
        f"{path.relative_to(repository)}: {match.group()}"
        for path in (repository / "tests").rglob("*.py")
        if path.resolve() != Path(__file__).resolve()
        for match in pattern.finditer(path.read_text(encoding="utf-8"))
    ]
    assert not found
