"""The style sheet: the template in ``resources/themes``, filled with the colours of a theme."""

from __future__ import annotations

import dataclasses
from string import Template

from linkwright_app import paths
from linkwright_app.window.tokens import ThemeTokens


def style_sheet(tokens: ThemeTokens, marks: dict[str, str]) -> str:
    """Write the sheet.

    Parameters
    ----------
    tokens : ThemeTokens
        Colours.
    marks : dict
        Paths of small pictures by name, for the parts of a widget that a style sheet takes from files.

    Raises
    ------
    KeyError
        When the template names a colour or picture that does not exist.
    """
    words = {name: value for name, value in dataclasses.asdict(tokens).items() if isinstance(value, str)}
    words["accent_hover"] = _shade(tokens)
    words.update({name.replace("-", "_"): path for name, path in marks.items()})
    template = (paths.resources() / "themes" / "window.qss").read_text(encoding="utf-8")
    return Template(template).substitute(words)


def _shade(tokens: ThemeTokens) -> str:
    """Give the accent under the mouse: a little darker on light ground, a little lighter on dark ground."""
    toward = 255 if tokens.dark else 0
    parts = (int(tokens.accent[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(part + (toward - part) * 0.12):02X}" for part in parts)
