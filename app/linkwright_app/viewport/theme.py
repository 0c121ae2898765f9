"""Colours and light of the 3D view in both themes."""

from __future__ import annotations

from dataclasses import dataclass

from linkwright_app.window.tokens import DARK, LIGHT, ThemeTokens

Rgb = tuple[float, float, float]
"""Red, green, blue, each from 0 to 1."""

EDGE_INK = "#0B1220"
EDGE_SHARE = 0.42
"""Edge lines are the colour of the body mixed with this share of `EDGE_INK`."""


@dataclass(frozen=True)
class Lamp:
    """One light tied to the camera: position about the focal point in units of nothing, intensity, colour."""

    position: tuple[float, float, float]
    intensity: float
    color: Rgb


LAMPS = (
    Lamp((-0.6, 1.0, 1.2), 0.84, (1.0, 0.985, 0.96)),
    Lamp((1.2, 0.25, 0.8), 0.38, (0.90, 0.95, 1.0)),
    Lamp((0.1, -0.7, 0.9), 0.14, (1.0, 1.0, 1.0)),
    Lamp((0.2, 0.9, -1.2), 0.34, (0.95, 0.97, 1.0)),
)
"""Key, fill, low and rim light."""


@dataclass(frozen=True)
class ViewTheme:
    """Colours of the 3D view.

    Attributes
    ----------
    tokens : ThemeTokens
        Colours of the window around it; category colours and accent come from here.
    sky, floor : str
        Top and bottom of the background gradient.
    ground : str
        Shapes of the ground that have no colour of their own.
    grid : str
        Grid lines; `grid_alpha` is the opacity of the strong ones.
    grid_alpha : float
        See `grid`.
    shadow : str
        Contact shadow; `shadow_strength` its opacity under a solid body.
    shadow_strength : float
        See `shadow`.
    steel, steel_dark, steel_light : str
        Spring wire, piston barrel and ball ends, piston rod.
    cable : str
        Cables.
    trace : str
        Path of a point.
    fault, fault_coil : str
        Outline of a failed element, and of its coil.
    """

    tokens: ThemeTokens
    sky: str
    floor: str
    ground: str
    grid: str
    grid_alpha: float
    shadow: str
    shadow_strength: float
    steel: str
    steel_dark: str
    steel_light: str
    cable: str
    trace: str = "#CC79A7"
    fault: str = "#DC2626"
    fault_coil: str = "#E4575A"

    @property
    def dark(self) -> bool:
        """Whether this is the dark theme."""
        return self.tokens.dark

    def category(self, kind: str) -> str:
        """Colour of the glyphs of an element kind."""
        colors = {
            "joint": self.tokens.joint,
            "force": self.tokens.force,
            "contact": self.tokens.contact,
            "driver": self.tokens.driver,
            "measure": self.tokens.measure,
            "body": self.tokens.body,
        }
        return colors.get(kind, self.tokens.text)


VIEW_LIGHT = ViewTheme(
    tokens=LIGHT,
    sky="#E9EDF3",
    floor="#C9D2DE",
    ground="#8D98A7",
    grid="#5B6B82",
    grid_alpha=0.30,
    shadow="#1E283C",
    shadow_strength=0.34,
    steel="#8B96A5",
    steel_dark="#525C69",
    steel_light="#C6CDD6",
    cable="#E08A00",
)

VIEW_DARK = ViewTheme(
    tokens=DARK,
    sky="#2B3038",
    floor="#16181C",
    ground="#5C6673",
    grid="#8FA0B8",
    grid_alpha=0.34,
    shadow="#080A0E",
    shadow_strength=0.50,
    steel="#9AA6B5",
    steel_dark="#525C69",
    steel_light="#C6CDD6",
    cable="#E69F00",
)


def view_theme(name: str) -> ViewTheme:
    """Give the theme of that name, ``"light"`` or ``"dark"``.

    Raises
    ------
    ValueError
        For any other name.
    """
    themes = {"light": VIEW_LIGHT, "dark": VIEW_DARK}
    if name not in themes:
        raise ValueError(f"There is no theme {name!r}; known: light, dark.")
    return themes[name]


def rgb(color: str) -> Rgb:
    """Split ``"#RRGGBB"`` into numbers from 0 to 1."""
    digits = color.removeprefix("#")
    red, green, blue = (int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4))
    return red, green, blue


def mixed(color: str, other: str, share: float) -> str:
    """Mix a colour with a share of another one."""
    parts = (round(255 * (a * (1 - share) + b * share)) for a, b in zip(rgb(color), rgb(other), strict=True))
    return "#{:02X}{:02X}{:02X}".format(*parts)
