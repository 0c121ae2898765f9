"""The look of the window: palette, one style sheet and fonts made from the tokens of a theme."""

from __future__ import annotations

import hashlib

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QPalette
from PySide6.QtWidgets import QApplication

from linkwright_app import paths
from linkwright_app.window.style_sheet import style_sheet
from linkwright_app.window.tokens import DARK, LIGHT, ThemeTokens

FAMILY = "Inter"
FORMULA_FAMILY = "STIXGeneral"
_TABULAR = QFont.Tag("tnum")


class Theme(QObject):
    """The one theme of the program. `changed` is sent after palette, style sheet and icons have changed."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._choice = "system"
        self._tokens = LIGHT

    @property
    def tokens(self) -> ThemeTokens:
        """Colours in use."""
        return self._tokens

    @property
    def choice(self) -> str:
        """What the user chose: ``"system"``, ``"light"`` or ``"dark"``."""
        return self._choice

    def start(self, choice: str) -> None:
        """Load the fonts, set the style and follow the system's scheme. A second call only chooses."""
        application = _application()
        first = not application.styleSheet()
        if first:
            folder = paths.resources() / "fonts"
            for pattern in (f"{FAMILY}-*.otf", f"{FORMULA_FAMILY}*.ttf"):
                for file in sorted(folder.glob(pattern)):
                    QFontDatabase.addApplicationFont(str(file))
            application.setStyle("Fusion")
            application.setFont(font())
            application.styleHints().colorSchemeChanged.connect(self._on_system_scheme)
        self.choose(choice, force=first)

    def choose(self, choice: str, *, force: bool = False) -> None:
        """Use the light or the dark theme, or follow the system."""
        self._choice = choice
        hints = _application().styleHints()
        schemes = {"light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}
        hints.setColorScheme(schemes.get(choice, Qt.ColorScheme.Unknown))
        self._apply(self._wanted(), force=force)

    def _wanted(self) -> ThemeTokens:
        if self._choice == "system":
            return DARK if _application().styleHints().colorScheme() == Qt.ColorScheme.Dark else LIGHT
        return DARK if self._choice == "dark" else LIGHT

    def _on_system_scheme(self) -> None:
        self._apply(self._wanted(), force=False)

    def _apply(self, tokens: ThemeTokens, *, force: bool) -> None:
        if tokens is self._tokens and not force:
            return
        from linkwright_app.window import icons

        self._tokens = tokens
        application = _application()
        application.setPalette(_palette(tokens))
        application.setStyleSheet(style_sheet(tokens, _marks(tokens)))
        icons.retint()
        self.changed.emit()


_theme: Theme | None = None


def current() -> Theme:
    """Give the program's theme."""
    global _theme  # noqa: PLW0603 - one theme per program, as there is one QApplication
    if _theme is None:
        _theme = Theme()
    return _theme


def tokens() -> ThemeTokens:
    """Colours in use."""
    return current().tokens


def color(tone: str) -> QColor:
    """Give a colour of the theme by its name, or the colour written as ``"#RRGGBB"``."""
    return QColor(tone if tone.startswith("#") else getattr(current().tokens, tone))


def font(px: int = 12, weight: int = 400, *, tabular: bool = False, italic: bool = False) -> QFont:
    """Give the text font.

    Parameters
    ----------
    px : int
        Size in logical pixels.
    weight : int
        400 regular, 500 medium, 600 semi-bold, 700 bold.
    tabular : bool
        Figures of one width, for numbers that change or stand in columns.
    italic : bool
        Slanted.
    """
    made = QFont(FAMILY)
    made.setPixelSize(px)
    made.setWeight(QFont.Weight(weight))
    made.setItalic(italic)
    made.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    made.setStyleStrategy(QFont.StyleStrategy.PreferAntialias)
    if tabular:
        made.setFeature(_TABULAR, 1)
    return made


def formula_font(px: int, *, italic: bool) -> QFont:
    """Give the bundled font of formulas."""
    made = QFont(FORMULA_FAMILY)
    made.setStyleHint(QFont.StyleHint.Serif)
    made.setPixelSize(px)
    made.setItalic(italic)
    made.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return made


def uses_bundled_font() -> bool:
    """Whether text is really drawn with the bundled family."""
    return QFontInfo(font()).family() == FAMILY


def _application() -> QApplication:
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    return application


def _palette(tokens: ThemeTokens) -> QPalette:
    role = QPalette.ColorRole
    colors = {
        role.Window: tokens.window,
        role.Base: tokens.field,
        role.AlternateBase: tokens.hover,
        role.Button: tokens.button,
        role.Text: tokens.text,
        role.WindowText: tokens.text,
        role.ButtonText: tokens.text,
        role.BrightText: tokens.bad,
        role.Highlight: tokens.accent,
        role.HighlightedText: tokens.on_accent,
        role.Accent: tokens.accent,
        role.Link: tokens.accent,
        role.LinkVisited: tokens.accent,
        role.ToolTipBase: tokens.card,
        role.ToolTipText: tokens.text,
        role.PlaceholderText: tokens.dim,
        role.Light: tokens.panel,
        role.Midlight: tokens.hover,
        role.Mid: tokens.line,
        role.Dark: tokens.strong_line,
    }
    palette = QPalette()
    for name, value in colors.items():
        palette.setColor(name, QColor(value))
    for name in (role.Text, role.WindowText, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, name, QColor(tokens.dim))
    return palette


def _marks(tokens: ThemeTokens) -> dict[str, str]:
    """Write the small pictures a style sheet can only take from files; give their paths by name."""
    from linkwright_app.window import icons

    drawings = {
        "chevron-down": (tokens.dim, 2.2),
        "chevron-up": (tokens.dim, 2.2),
        "chevron-right": (tokens.dim, 2.2),
        "check": (tokens.on_accent, 3.4),
        "minus": (tokens.on_accent, 3.4),
    }
    folder = paths.cache_folder() / "marks"
    folder.mkdir(parents=True, exist_ok=True)
    files = {}
    for name, (ink, stroke) in drawings.items():
        text = (
            icons.source(name)
            .replace("currentColor", ink)
            .replace('stroke-width="2"', f'stroke-width="{stroke}"')
        )
        file = folder / f"{name}-{hashlib.sha1(text.encode()).hexdigest()[:12]}.svg"
        if not file.exists():
            file.write_text(text, encoding="utf-8")
        files[name] = file.as_posix()
    return files
