"""Colours of a theme by name. Every widget draws with these names and none knows a colour of its own."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ThemeTokens:
    """Colours of one theme, each as ``"#RRGGBB"``.

    Parameters
    ----------
    dark : bool
        Whether light text stands on a dark ground.
    window, panel, card, field, button : str
        Grounds: the window, a panel, a floating card, an entry field, a push button.
    line, strong_line : str
        Dividers, and the stronger outline of buttons and axes.
    text, dim : str
        Text, and text of second rank.
    accent, on_accent : str
        The one colour of action, and text on it.
    good, warn, bad : str
        States.
    hover, selected : str
        Ground of the row under the mouse, and of the selected row.
    trough, thumb : str
        Ground of a segmented switch, and of its segment that is on.
    notice_warn, notice_bad : str
        Ground of an amber and of a red notice.
    joint, force, contact, driver, measure, body : str
        Category colours, the same for icons, labels and glyphs.
    plot : tuple of str
        Line colours in order of use (Okabe and Ito 2008, sky blue in place of blue on dark ground).
    """

    dark: bool
    window: str
    panel: str
    card: str
    field: str
    button: str
    line: str
    strong_line: str
    text: str
    dim: str
    accent: str
    on_accent: str
    good: str
    warn: str
    bad: str
    hover: str
    selected: str
    trough: str
    thumb: str
    notice_warn: str
    notice_bad: str
    joint: str
    force: str
    contact: str
    driver: str
    measure: str
    body: str
    plot: tuple[str, ...]


LIGHT = ThemeTokens(
    dark=False,
    window="#F6F7F9",
    panel="#FFFFFF",
    card="#FFFFFF",
    field="#FFFFFF",
    button="#FFFFFF",
    line="#DDE1E7",
    strong_line="#C9CFD8",
    text="#1B1F24",
    dim="#6B7280",
    accent="#2563EB",
    on_accent="#FFFFFF",
    good="#15803D",
    warn="#B45309",
    bad="#B91C1C",
    hover="#EEF1F5",
    selected="#E4ECFD",
    trough="#E6E9EE",
    thumb="#FFFFFF",
    notice_warn="#FEF6E7",
    notice_bad="#FDECEC",
    joint="#7C3AED",
    force="#C2410C",
    contact="#B45309",
    driver="#0F766E",
    measure="#2563EB",
    body="#475569",
    plot=("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9"),
)

DARK = ThemeTokens(
    dark=True,
    window="#1E2126",
    panel="#262A31",
    card="#2A2F37",
    field="#1E2126",
    button="#30353E",
    line="#363B44",
    strong_line="#464D58",
    text="#E6E9EE",
    dim="#98A1AE",
    accent="#5B93FF",
    on_accent="#0E1726",
    good="#4ADE80",
    warn="#FBBF24",
    bad="#F87171",
    hover="#30353E",
    selected="#2B3A57",
    trough="#15181C",
    thumb="#3A414C",
    notice_warn="#3A3222",
    notice_bad="#43292B",
    joint="#A78BFA",
    force="#FB923C",
    contact="#FBBF24",
    driver="#2DD4BF",
    measure="#5B93FF",
    body="#A7B1BF",
    plot=("#56B4E9", "#E69F00", "#2BB98C", "#D55E00", "#CC79A7", "#0072B2"),
)
