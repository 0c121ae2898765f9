"""Dependencies: the traps found in particular releases, and a page that says why each is there."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

NAMED = re.compile(r"^Packages: (.+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def project(repository: Path) -> dict[str, Any]:
    table: dict[str, Any] = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    return table


def direct(project: dict[str, Any]) -> dict[str, Requirement]:
    """Every package named in pyproject.toml by its canonical name, less the project's own extras."""
    lines = [
        *project["dependencies"],
        *(line for extra in project["optional-dependencies"].values() for line in extra),
    ]
    requirements = [Requirement(line) for line in lines]
    return {canonicalize_name(item.name): item for item in requirements if item.name != project["name"]}


def test_qt_keeps_its_references_to_none(qtbot: QtBot) -> None:
    """PySide6 6.12.0 on Python 3.11 drops one reference to None in each call that returns nothing, then aborts.

    Sound releases leave the count where it was or a little higher; 500 lets other threads come and go.
    """
    widget = QWidget()
    qtbot.addWidget(widget)
    orphan = QObject()
    before = sys.getrefcount(None)
    for _ in range(1000):
        widget.update()
        orphan.parent()
    assert sys.getrefcount(None) > before - 500


@pytest.mark.parametrize("release", ["6.11.0", "6.11.1", "6.12.0"])
def test_broken_qt_releases_are_refused(project: dict[str, Any], release: str) -> None:
    assert release not in direct(project)["pyside6-essentials"].specifier


def test_installed_versions_fit_the_ranges(project: dict[str, Any]) -> None:
    wrong = [
        name
        for name, item in direct(project).items()
        if name != "fonttools" and version(name) not in item.specifier
    ]
    assert not wrong


@pytest.mark.parametrize("lock", ["run", "test"])
def test_locked_versions_fit_the_ranges(repository: Path, project: dict[str, Any], lock: str) -> None:
    """Each line of a lock that names a direct dependency is inside its range, on every system."""
    text = (repository / "packaging" / "locks" / f"{lock}.txt").read_text(encoding="utf-8")
    locked = [Requirement(line) for line in text.splitlines() if line and not line.startswith("#")]
    ranges = direct(project)
    wrong = [
        str(item)
        for item in locked
        if (name := canonicalize_name(item.name)) in ranges
        for pinned in item.specifier
        if pinned.version not in ranges[name].specifier
    ]
    assert not wrong
    extra = "app" if lock == "run" else "test"
    named = {canonicalize_name(item.name) for item in locked}
    wanted = {
        canonicalize_name(Requirement(line).name)
        for line in [*project["dependencies"], *project["optional-dependencies"][extra]]
    }
    assert wanted - {project["name"]} <= named


def test_every_dependency_has_a_page(repository: Path, project: dict[str, Any]) -> None:
    pages = (repository / "docs" / "decisions").glob("*.md")
    explained = {
        canonicalize_name(name.strip(" `"))
        for page in pages
        for line in NAMED.findall(page.read_text(encoding="utf-8"))
        for name in line.split(",")
    }
    assert explained == set(direct(project)) | {"hatchling"}
