"""A file is written whole or the old one stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from linkwright.errors import FileError
from linkwright.files.atomic import replacement, write_atomically


def test_the_old_file_is_there_until_the_new_one_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")
    with replacement(path) as temporary:
        temporary.write_bytes(b"half")
        assert path.read_bytes() == b"old"
        assert temporary.parent == path.parent
    assert path.read_bytes() == b"half"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "fault", [OSError(28, "No space left on device"), KeyboardInterrupt(), RuntimeError()]
)
def test_whatever_interrupts_the_writing_leaves_the_old_file(tmp_path: Path, fault: BaseException) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"old")

    def interrupted() -> None:
        with replacement(path) as temporary:
            temporary.write_bytes(b"half")
            raise fault

    with pytest.raises(FileError if isinstance(fault, OSError) else type(fault)):
        interrupted()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_has_the_permissions_of_any_other(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(b"")
    write_atomically(tmp_path / "new", b"")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize("name", ["gone/f", "f\0g", "x" * 300])
def test_a_place_that_cannot_be_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileError, match="was not saved"):
        write_atomically(tmp_path / name, b"new")
    assert list(tmp_path.iterdir()) == []
