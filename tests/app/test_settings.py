"""Preferences in a readable file."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray

from linkwright_app.settings import MAX_RECENT, Settings


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "linkwright.ini"


def test_everything_comes_back_from_the_file(file: Path) -> None:
    first = Settings(file)
    first.theme = "dark"
    first.text_scale = 150
    first.safe_graphics = True
    first.direct_view = True
    first.layout_locked = True
    first.advanced_fields = True
    first.set_window_bytes("geometry", QByteArray(b"\x00\xffabc"))
    first.save()
    again = Settings(file)
    assert (again.theme, again.text_scale) == ("dark", 150)
    assert again.safe_graphics
    assert again.direct_view
    assert again.layout_locked
    assert again.advanced_fields
    assert again.window_bytes("geometry") == QByteArray(b"\x00\xffabc")
    assert "theme=dark" in file.read_text(encoding="utf-8")


def test_defaults(file: Path) -> None:
    fresh = Settings(file)
    assert (fresh.theme, fresh.text_scale, fresh.safe_graphics) == ("system", 100, False)
    assert fresh.recent_files == []
    assert fresh.window_bytes("geometry").isEmpty()


@pytest.mark.parametrize(
    "text",
    [
        "[look]\ntheme=purple\ntext_scale=banana\nsafe_graphics=maybe\n",
        "[look]\ntheme=@Invalid()\ntext_scale=-5\n[files]\nrecent=@Variant(nonsense)\n[window]\ngeometry=7\n",
        "\x00\x01 not an ini file",
        "",
    ],
)
def test_damaged_file_gives_defaults(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")
    damaged = Settings(file)
    assert (damaged.theme, damaged.text_scale, damaged.safe_graphics) == ("system", 100, False)
    assert damaged.window_bytes("geometry").isEmpty()
    damaged.add_recent(file)
    assert damaged.recent_files == [str(file)]


def test_recent_files_are_newest_first_without_doubles(file: Path, tmp_path: Path) -> None:
    made = Settings(file)
    heard: list[int] = []
    made.recent_changed.connect(lambda: heard.append(1))
    paths = [tmp_path / f"модель {number}, a.lwk" for number in range(MAX_RECENT + 2)]
    for path in paths:
        made.add_recent(path)
    made.add_recent(paths[5])
    assert made.recent_files[0] == str(paths[5])
    assert len(made.recent_files) == MAX_RECENT
    assert len(set(made.recent_files)) == MAX_RECENT
    assert len(heard) == MAX_RECENT + 3
    made.save()
    assert Settings(file).recent_files == made.recent_files
    made.remove_recent(str(paths[5]))
    assert str(paths[5]) not in made.recent_files
    made.clear_recent()
    assert made.recent_files == []


def test_one_recent_file_comes_back_as_a_list(file: Path, tmp_path: Path) -> None:
    made = Settings(file)
    made.add_recent(tmp_path / "one.lwk")
    made.save()
    assert Settings(file).recent_files == [str(tmp_path / "one.lwk")]


def test_reset_forgets_everything(file: Path, tmp_path: Path) -> None:
    made = Settings(file)
    made.theme = "dark"
    made.add_recent(tmp_path / "one.lwk")
    made.reset()
    assert (made.theme, made.recent_files) == ("system", [])


def test_forgotten_layouts_leave_the_rest(file: Path) -> None:
    made = Settings(file)
    made.theme = "dark"
    made.set_window_bytes("stage0", QByteArray(b"abc"))
    made.forget_layouts()
    assert made.window_bytes("stage0").isEmpty()
    assert made.theme == "dark"
