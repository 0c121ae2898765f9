"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from linkwright.errors import FileError


@contextmanager
def replacement(path: Path) -> Iterator[Path]:
    """Give a temporary file to fill; at the end it takes the place of the file at `path` in one step.

    Permissions and a link to the file are kept. It lies in the same folder, since only there the step is one.

    Raises
    ------
    FileError
        When it cannot be written; the file on disk is as it was.
    """
    temporary: Path | None = None
    try:
        target = Path(os.path.realpath(path))
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:40]}.", suffix=".part", dir=target.parent)
        os.close(handle)
        temporary = Path(name)
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        else:
            temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)
        temporary = None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FileError(f"{path.name!r} was not saved: {reason}. The file on disk is as it was.") from error
    finally:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink()


def write_atomically(path: Path, content: bytes) -> None:
    """Put `content` into the file at `path` in one step.

    Raises
    ------
    FileError
        When it cannot be written; the file on disk is as it was.
    """
    with replacement(path) as temporary:
        temporary.write_bytes(content)


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
