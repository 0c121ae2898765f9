"""What the README and the guide say can be done as written."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command

from linkwright.cli import cli

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
GUIDE = [ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))]


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8"))
    local = [target for target in targets if "://" not in target]
    assert [target for target in local if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "docs" / "guide" / "python.md"], ids=name)
def test_python_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, name(page), "exec"), scope)


def test_results_have_the_names_the_guide_lists(tmp_path: Path) -> None:
    """Every `r.something` of the page exists on the results of the page's own run."""
    import linkwright as lw

    results = lw.simulate(lw.load("pendulum"), t_end=0.05)
    text = (ROOT / "docs" / "guide" / "python.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`r\.(\w+)", text))
    assert named
    assert {one for one in named if not hasattr(results, one)} == set()


@pytest.mark.parametrize("page", GUIDE, ids=name)
def test_commands_and_options_exist(page: Path) -> None:
    """Every `linkwright COMMAND --option` of a page is known to the command line."""
    root = get_command(cli)
    assert hasattr(root, "commands")
    said = re.findall(r"(?:^    |`)linkwright ((?!-)[^`\n]+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    for line in said:
        words = shlex.split(line.replace("\\", "").replace("[", " ").replace("]", " "))
        command = root.commands[words[0]]
        known = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= known, line


def test_guide_lists_every_command_and_option() -> None:
    root = get_command(cli)
    assert hasattr(root, "commands")
    text = (ROOT / "docs" / "guide" / "command_line.md").read_text(encoding="utf-8")
    assert {one for one in root.commands if f"`linkwright {one}" not in text} == set()
    options = {
        one for parameter in root.commands["run"].params for one in parameter.opts if one.startswith("--")
    }
    assert {one for one in options if f"`{one}" not in text} == set()
