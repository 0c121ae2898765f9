"""Theme: fonts, colours, icons, the style sheet."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QAction, QColor, QIcon
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from linkwright.elements import registry
from linkwright_app import paths
from linkwright_app.properties.words import word_text
from linkwright_app.tree import tree_model
from linkwright_app.window import icons, theme
from linkwright_app.window.style_sheet import style_sheet
from linkwright_app.window.tokens import DARK, LIGHT
from linkwright_app.window.widgets import label, push_button, restyle, tool_button


@pytest.fixture(autouse=True)
def light(qapp: QApplication) -> None:
    theme.current().start("light")


def ink(icon: QIcon, size: int) -> str:
    """Which of the known inks the most opaque pixel of an icon has; lines are too thin for a fully opaque one."""
    picture = icon.pixmap(QSize(size, size)).toImage()
    pixels = [picture.pixelColor(x, y) for x in range(picture.width()) for y in range(picture.height())]
    strongest = max(pixels, key=lambda pixel: pixel.alpha())
    known = (LIGHT.text, DARK.text, LIGHT.accent, DARK.accent)

    def distance(name: str) -> int:
        other = QColor(name)
        pairs = zip(strongest.getRgb()[:3], other.getRgb()[:3], strict=True)  # type: ignore[index]  # a tuple of four
        return sum(abs(a - b) for a, b in pairs)

    return min(known, key=distance)


def test_bundled_fonts_are_used() -> None:
    assert theme.uses_bundled_font()


def test_tabular_figures_have_one_width() -> None:
    from PySide6.QtGui import QFontMetricsF

    metrics = QFontMetricsF(theme.font(12, tabular=True))
    assert len({metrics.horizontalAdvance(digit) for digit in "0123456789"}) == 1
    proportional = QFontMetricsF(theme.font(12))
    assert len({proportional.horizontalAdvance(digit) for digit in "0123456789"}) > 1


def test_style_sheet_leaves_no_word_open() -> None:
    sheet = style_sheet(LIGHT, theme._marks(LIGHT))
    assert "$" not in sheet
    assert sheet.count("{") == sheet.count("}")
    for file in re.findall(r"url\(([^)]+)\)", sheet):
        assert Path(file).is_file()


def test_unknown_word_in_the_template_is_an_error() -> None:
    with pytest.raises(KeyError):
        style_sheet(LIGHT, {})


def test_choice_light_dark_and_back(qtbot: QtBot) -> None:
    heard: list[bool] = []
    theme.current().changed.connect(lambda: heard.append(theme.tokens().dark))
    theme.current().choose("dark")
    theme.current().choose("dark")
    theme.current().choose("light")
    assert heard == [True, False]


def test_icons_follow_the_theme(qtbot: QtBot) -> None:
    button = QToolButton()
    qtbot.addWidget(button)
    icons.set_icon(button, "square", "text", size=16)
    assert ink(button.icon(), 16) == LIGHT.text
    theme.current().choose("dark")
    assert ink(button.icon(), 16) == DARK.text
    theme.current().choose("light")


def test_icon_of_an_action_is_tinted_when_it_belongs_to_a_window(qtbot: QtBot) -> None:
    owner = QLabel()
    qtbot.addWidget(owner)
    action = QAction(owner)
    icons.set_icon(action, "square", "accent")
    theme.current().choose("dark")
    assert ink(action.icon(), 18) == DARK.accent
    theme.current().choose("light")


def test_unknown_icon_is_an_error() -> None:
    assert not icons.exists("no-such-icon")
    with pytest.raises(KeyError, match="no-such-icon"):
        icons.pixmap("no-such-icon")


def test_every_element_type_has_its_icon() -> None:
    wanted = {cls.about.icon for cls in registry.joint_types().values()}
    wanted |= {cls.about.icon for cls in registry.force_types().values()}
    wanted |= {about.icon for about in (registry.ABOUT_BODY, registry.ABOUT_MARKER, registry.ABOUT_PARAMETER)}
    wanted |= set(tree_model.SHAPE_ICONS.values()) | set(tree_model._GROUP_ICONS.values())
    assert {name for name in wanted if not icons.exists(name)} == set()


def test_every_icon_named_in_the_program_exists() -> None:
    pattern = re.compile(
        r"""(?:icon=|icon_label\(|set_icon\([\w.\[\]"]+, |icons\.pixmap\(|icons\.icon\(|tool_button\()"([a-z0-9-]+)\""""
    )
    folder = Path(theme.__file__).parents[1]
    named = {
        name for file in folder.rglob("*.py") for name in pattern.findall(file.read_text(encoding="utf-8"))
    }
    assert len(named) > 30
    assert {name for name in named if not icons.exists(name)} == set()


def test_own_icons_stand_on_the_common_grid() -> None:
    for file in (paths.resources() / "icons" / "own").glob("*.svg"):
        text = file.read_text(encoding="utf-8")
        assert 'viewBox="0 0 24 24"' in text, file.name
        assert 'stroke-width="2"' in text, file.name
        assert 'stroke="currentColor"' in text, file.name


def test_label_roles_have_the_sizes_of_the_design(qtbot: QtBot) -> None:
    sizes = {"": 12, "note": 11, "head": 11, "title": 13, "page": 18, "brand": 22, "big": 20, "key": 10}
    for role, px in sizes.items():
        made = label("x", role)
        qtbot.addWidget(made)
        made.ensurePolished()
        assert made.font().pixelSize() == px, role


def test_heights_of_buttons_and_fields(qtbot: QtBot) -> None:
    from linkwright_app.window.fields import QuantityField

    heights = {}
    for name, widget in (
        ("button", push_button("Run", "play", kind="primary")),
        ("small", push_button("Show", small=True)),
        ("field", QuantityField("m")),
        ("tool", tool_button("save", "Save")),
    ):
        qtbot.addWidget(widget)
        widget.ensurePolished()
        heights[name] = widget.sizeHint().height() if name != "tool" else widget.height()
    assert heights == {"button": 28, "small": 22, "field": 22, "tool": 28}


def test_restyle_takes_effect_at_once(qtbot: QtBot) -> None:
    made = QPushButton("x")
    qtbot.addWidget(made)
    made.ensurePolished()
    restyle(made, small="true")
    assert made.font().pixelSize() == 11


def test_words_that_are_symbols_stay() -> None:
    assert word_text("M1+M2") == "M1+M2"
    assert word_text("newmark") == "Newmark implicit"
    assert word_text("newmark", "integrator") == "Newmark"
