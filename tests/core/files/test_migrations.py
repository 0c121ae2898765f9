"""Older files are brought up to date one version at a time."""

from __future__ import annotations

from typing import Any

import pytest

from linkwright.errors import FileError
from linkwright.files import migrations, model_file


def test_steps_follow_one_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrations, "VERSION", 3)
    monkeypatch.setattr(model_file, "VERSION", 3)

    def renamed(plain: dict[str, Any]) -> dict[str, Any]:
        return {("title" if key == "label" else key): value for key, value in plain.items()}

    def louder(plain: dict[str, Any]) -> dict[str, Any]:
        return {**plain, "title": plain["title"].upper()}

    monkeypatch.setattr(migrations, "STEPS", {1: renamed, 2: louder})
    assert model_file.loads('{"format": "linkwright", "version": 1, "label": "old"}').title == "OLD"
    assert model_file.loads('{"format": "linkwright", "version": 2, "title": "mid"}').title == "MID"
    assert model_file.loads('{"format": "linkwright", "version": 3, "title": "new"}').title == "new"
    with pytest.raises(FileError, match="reads up to 3"):
        model_file.loads('{"format": "linkwright", "version": 4}')


def test_every_version_before_the_present_has_its_step() -> None:
    assert sorted(migrations.STEPS) == list(range(1, migrations.VERSION))
