"""The import rules of the architecture page, section 4, and the start-up budget of section 11."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


def imported_names(path: Path) -> Iterator[str]:
    """Dotted names a file imports anywhere: `from a import b` gives `a` and `a.b`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def loaded_modules(statement: str) -> set[str]:
    """Top-level names in `sys.modules` after a statement in a fresh interpreter."""
    code = f"import json, sys; {statement}; print(json.dumps(sorted({{name.split('.')[0] for name in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


@pytest.mark.slow
def test_import_contracts(repository: Path) -> None:
    code = "import sys; from importlinter.cli import lint_imports_command; sys.argv[1:] = []; lint_imports_command()"
    done = subprocess.run([sys.executable, "-c", code], cwd=repository, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_core_loads_neither_kernels_nor_window_libraries() -> None:
    heavy = {
        "numba",
        "llvmlite",
        "PySide6",
        "shiboken6",
        "vtk",
        "vtkmodules",
        "pyqtgraph",
        "matplotlib",
        "linkwright_app",
    }
    assert not loaded_modules("import linkwright") & heavy


def test_core_registers_all_element_types(repository: Path) -> None:
    code = (
        "import linkwright, json; from linkwright.elements import registry;"
        "print(json.dumps([len(registry.joint_types()), len(registry.force_types())]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    joints, forces = json.loads(done.stdout)
    folder = repository / "core" / "linkwright" / "elements"
    assert joints == sum(1 for path in (folder / "joints").glob("*.py") if path.stem != "__init__")
    assert forces >= sum(1 for path in (folder / "forces").glob("*.py") if path.stem != "__init__")


def test_window_entry_loads_no_heavy_library_before_the_first_paint() -> None:
    assert not loaded_modules("import linkwright_app.main") & {
        "numba",
        "llvmlite",
        "vtkmodules",
        "vtk",
        "pyqtgraph",
    }


def test_services_know_no_widgets(repository: Path) -> None:
    found = [
        f"{path.name}: {name}"
        for path in (repository / "app" / "linkwright_app" / "services").rglob("*.py")
        for name in imported_names(path)
        if name.startswith("PySide6.QtWidgets")
    ]
    assert not found


def test_vtk_is_imported_module_by_module(repository: Path) -> None:
    """`import vtk` loads every VTK library: about a second at the start."""
    found = [
        f"{path.name}: {name}"
        for path in (repository / "app").rglob("*.py")
        for name in imported_names(path)
        if name in ("vtk", "vtkmodules.all") or name.startswith("vtk.")
    ]
    assert not found


def test_pyqtgraph_is_used_by_the_plots_only(repository: Path) -> None:
    app = repository / "app" / "linkwright_app"
    users = {
        path.relative_to(app).parts[0]
        for path in app.rglob("*.py")
        for name in imported_names(path)
        if name.split(".")[0] == "pyqtgraph"
    }
    assert users <= {"plots"}
