"""The one decorator of all kernels, and its cache.

A kernel calls kernels of other files, so a cache keyed by one file would serve stale code after an edit next door.
Here the compiled code of a file lies in a folder named after its source and that of every kernel file it imports,
directly or through others: an edit anywhere below starts a new folder, and one elsewhere costs nothing.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Self, TypeVar, cast

from numba import njit
from numba.core import caching

F = TypeVar("F", bound=Callable[..., Any])

CACHE_VARIABLE = "LINKWRIGHT_CACHE_DIR"
"""Environment variable that moves the cache elsewhere; empty switches the cache off."""
KEEP_DAYS = 30
"""Folders of other versions are deleted when they were not used for so long."""

PACKAGE = Path(__file__).resolve().parent
ROOT = "linkwright.kernels"


@cache
def imported_kernels(path: Path) -> tuple[Path, ...]:
    """Kernel files that a kernel file imports directly."""
    found: set[Path] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            if name == ROOT or name.startswith(f"{ROOT}."):
                place = PACKAGE.joinpath(*name.removeprefix(ROOT).strip(".").split("."))
                found.update(
                    file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()
                )
    return tuple(sorted(found))


@cache
def source_key(path: Path) -> str:
    """Hash of the source of a kernel file and of all kernel files it imports, directly or through others."""
    seen: set[Path] = set()
    waiting = [path]
    while waiting:
        file = waiting.pop()
        if file not in seen:
            seen.add(file)
            waiting.extend(imported_kernels(file))
    digest = hashlib.sha256()
    for file in sorted(seen):
        place = file.relative_to(PACKAGE) if file.is_relative_to(PACKAGE) else file
        digest.update(place.as_posix().encode())
        digest.update(b"\0")
        digest.update(file.read_bytes())
        digest.update(b"\0")
    return digest.hexdigest()


def user_cache() -> Path | None:
    """Folder of the user for files that can be made again; None where the cache is switched off."""
    if CACHE_VARIABLE in os.environ:
        chosen = os.environ[CACHE_VARIABLE]
        return Path(chosen) if chosen else None
    if sys.platform == "win32":
        root = os.environ.get("LOCALAPPDATA")
        return (Path(root) if root else Path.home() / "AppData" / "Local") / "Linkwright" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "linkwright"
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "linkwright"


@cache
def cache_folder(path: Path) -> Path | None:
    """Folder of the compiled kernels of a file, made when missing; None where none can be written."""
    try:
        root = user_cache()
        if root is None:
            return None
        folder = root / "kernels" / f"{path.stem}-{source_key(path)[:20]}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "used").touch()
    except (OSError, RuntimeError):
        return None
    _forget_old(folder)
    return folder


def _forget_old(folder: Path) -> None:
    """Delete the folders of versions that were not used for a long time."""
    limit = time.time() - KEEP_DAYS * 86400.0
    with contextlib.suppress(OSError):
        for other in folder.parent.iterdir():
            mark = other / "used"
            if other != folder and mark.exists() and mark.stat().st_mtime < limit:
                shutil.rmtree(other, ignore_errors=True)


class _PackageLocator(caching._CacheLocator):
    """Tells numba where the compiled code of a kernel lies and what it was made from."""

    def __init__(self, py_func: Callable[..., Any], py_file: str, folder: Path) -> None:
        self._py_file = py_file
        self._folder = folder
        place = f"{py_func.__module__}:{py_func.__code__.co_firstlineno}"
        self._place = hashlib.sha256(place.encode()).hexdigest()[:12]

    def ensure_cache_path(self) -> None:
        """Make the folder again if someone emptied the cache."""
        self._folder.mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        """Folder of the compiled code."""
        return str(self._folder)

    def get_source_stamp(self) -> str:
        """Hash of everything the compiled code was made from."""
        return source_key(Path(self._py_file))

    def get_disambiguator(self) -> str:
        """Tell kernels of the same name in different files apart."""
        return self._place

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> Self | None:
        """Locator of a kernel, or None where nothing can be written."""
        folder = cache_folder(Path(py_file))
        return None if folder is None else cls(py_func, py_file, folder)


class _PackageCacheImpl(caching.CompileResultCacheImpl):
    _locator_classes: list[Any] = [_PackageLocator]  # noqa: RUF012 (the name is numba's)


class _PackageCache(caching.FunctionCache):
    _impl_class = _PackageCacheImpl


def kernel(function: F) -> F:
    """Compile a function on its first call, without the interpreter lock, and keep the machine code on disk.

    Division by zero gives infinity, indices are not checked, products and sums may be contracted to one operation.
    Kernels allocate nothing (no new arrays, no slice assignments), so that arrays need no reference counts, whose
    atomic updates took a third of a step. Where the cache cannot be written the kernel works all the same and is
    compiled anew in each process.
    """
    return _compiled(function, from_python=True)


def inner_kernel(function: F) -> F:
    """Compile a kernel that only kernels call.

    Leaving out the gate for calls from Python saves a third of the compile time of a kernel with many arguments.
    """
    return _compiled(function, from_python=False)


def _compiled(function: F, from_python: bool) -> F:
    # the last three are options of numba that its own annotations leave out
    options: dict[str, Any] = {
        "nogil": True,
        "error_model": "numpy",
        "boundscheck": False,
        "fastmath": {"contract"},
        "_nrt": False,
        "no_cpython_wrapper": not from_python,
        "no_cfunc_wrapper": True,
    }
    compiled: Any = njit(**options)(function)
    if cache_folder(Path(function.__code__.co_filename)) is not None:
        with contextlib.suppress(RuntimeError, OSError):
            make_cache: Any = _PackageCache
            compiled._cache = make_cache(function)
    return cast(F, compiled)
