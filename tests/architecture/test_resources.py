"""Fonts and icons: complete, legible to Qt and VTK, with their licences beside them."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from PySide6.QtGui import QFontDatabase, QRawFont
from PySide6.QtSvg import QSvgRenderer
from pytestqt.qtbot import QtBot

SCRIPTS = ["Crank R1 1.5e-3 N·m", "Шатун, Ползун", "曲柄滑块机构", "φ λ ≤ 2² →"]
RESOURCES = Path(__file__).resolve().parents[2] / "resources"
ICONS = sorted((RESOURCES / "icons").rglob("*.svg"))


@pytest.mark.parametrize("text", SCRIPTS)
def test_labels_font_has_the_scripts(qtbot: QtBot, text: str) -> None:
    """VTK draws a missing glyph as nothing, without a warning."""
    font = QRawFont(str(RESOURCES / "fonts" / "LinkwrightLabels-Regular.otf"), 16.0)
    assert font.isValid()
    assert [sign for sign in text if not font.supportsCharacter(ord(sign))] == []


@pytest.mark.parametrize("weight", ["Regular", "Medium", "SemiBold", "Bold"])
def test_text_font_loads(qtbot: QtBot, weight: str) -> None:
    number = QFontDatabase.addApplicationFont(str(RESOURCES / "fonts" / f"Inter-{weight}.otf"))
    assert number >= 0
    assert any(family.startswith("Inter") for family in QFontDatabase.applicationFontFamilies(number))


def test_licences_lie_beside_what_they_cover() -> None:
    fonts = RESOURCES / "fonts"
    assert "SIL OPEN FONT LICENSE" in (fonts / "LICENSE-Inter.txt").read_text(encoding="utf-8")
    assert "Reserved Font Name 'Source'" in (fonts / "LICENSE-NotoSansCJK.txt").read_text(encoding="utf-8")
    assert "ISC License" in (RESOURCES / "icons" / "lucide" / "LICENSE").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", ICONS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_icon_is_drawn_on_the_common_grid(path: Path) -> None:
    root = ET.fromstring(path.read_text(encoding="utf-8"))
    assert root.get("viewBox") == "0 0 24 24"
    assert "currentColor" in path.read_text(encoding="utf-8"), "icons are tinted by the theme"
    assert QSvgRenderer(str(path)).isValid()
