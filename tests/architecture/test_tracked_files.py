"""Nothing in the repository belongs to one machine, one network or one sitting."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

# Written in two parts, so that this file does not find itself.
MACHINE_PATHS = [
    "/" + "work/",
    "/" + "root/",
    "/" + "home/[a-z]",
    "C:" + r"\\+Users",
    "/" + "tmp/lw",
    "/" + "opt/pypi",
]
HOSTS = ["pypi" + r"\.org", "pythonhosted" + r"\.org", "registry" + r"\.npmjs", "deb" + r"\.debian\.org"]
SITTING = [
    "claude",
    "anthropic",
    "chatgpt",
    "copilot",
    "language " + "model",
    "sub" + "agent",
]
BINARY = {".png", ".otf", ".ttf", ".ico", ".icns", ".h5", ".npz"}


@pytest.fixture(scope="module")
def texts(repository: Path) -> dict[str, str]:
    """Every tracked text file by its name."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=repository, capture_output=True, text=True, check=True
    )
    names = [name for name in listed.stdout.split("\0") if name and Path(name).suffix.lower() not in BINARY]
    here = Path(__file__).resolve()
    paths = {name: repository / name for name in names}
    return {
        name: path.read_text(encoding="utf-8")
        for name, path in paths.items()
        if path.is_file() and path.resolve() != here
    }


def hits(texts: dict[str, str], words: list[str], *, within: str = "") -> list[str]:
    pattern = re.compile("|".join(words), re.IGNORECASE)
    return [
        f"{name}: {match.group()}"
        for name, text in texts.items()
        if name.startswith(within)
        for match in pattern.finditer(text)
    ]


def test_no_path_of_one_machine(texts: dict[str, str]) -> None:
    assert hits(texts, MACHINE_PATHS) == []


def test_no_registry_host(texts: dict[str, str]) -> None:
    assert hits(texts, HOSTS) == []


def test_no_word_about_how_it_was_written(texts: dict[str, str]) -> None:
    assert hits(texts, SITTING) == []


def test_sources_and_resources_are_found(texts: dict[str, str]) -> None:
    """The checks above look at something."""
    assert {"pyproject.toml", "LICENSE", "packaging/bootstrap.py", "core/linkwright/errors.py"} <= set(texts)


def test_text_files_end_lines_with_a_line_feed(texts: dict[str, str], repository: Path) -> None:
    own = [name for name in texts if not name.startswith("tests/data/")]
    assert [name for name in own if b"\r" in (repository / name).read_bytes()] == []
