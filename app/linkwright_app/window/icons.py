"""Icons: SVG files on the 24 px grid, tinted with a colour of the theme when they are drawn."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QObject, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QGuiApplication, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QMenu, QPushButton

from linkwright_app import paths
from linkwright_app.window import theme

_NAME = "iconName"
_TONE = "iconTone"
_SIZE = "iconEdge"
_SIZES = (16, 18)
PUSH_GAP = 3
"""Room behind the icon of a push button, besides the little that the style leaves [px]."""
STROKE = 1.75
"""Width of the lines on the 24 px grid."""


@cache
def source(name: str) -> str:
    """Text of the icon's SVG file.

    Raises
    ------
    KeyError
        When no icon has that name.
    """
    folder = paths.resources() / "icons"
    for file in (folder / "own" / f"{name}.svg", folder / "lucide" / f"{name}.svg"):
        if file.is_file():
            return file.read_text(encoding="utf-8")
    raise KeyError(f"There is no icon {name!r} in {folder}.")


def exists(name: str) -> bool:
    """Whether an icon has that name."""
    try:
        source(name)
    except KeyError:
        return False
    return True


def tinted(name: str, color: str, stroke: float) -> str:
    """Give the icon's SVG text in one colour, with lines of one width on the 24 px grid."""
    text = source(name).replace("currentColor", color)
    return text.replace('stroke-width="2"', f'stroke-width="{stroke:.3f}"')


def pixmap(
    name: str, tone: str = "text", size: int = 18, ratio: float = 1.0, stroke: float = STROKE
) -> QPixmap:
    """Draw an icon.

    Parameters
    ----------
    name : str
        Name of the file without its ending.
    tone : str
        A colour name of the theme, or ``"#RRGGBB"``.
    size : int
        Edge length in logical pixels.
    ratio : float
        Device pixels per logical pixel.
    stroke : float
        Width of the lines on the 24 px grid.
    """
    return _drawn(name, theme.color(tone).name(), size, ratio, stroke)


@cache
def _drawn(name: str, color: str, size: int, ratio: float, stroke: float) -> QPixmap:
    # A small icon keeps a little more of its line width, so that it does not fade.
    width = stroke * 24.0 / 22.0 if size < 20 else stroke
    text = (
        source(name).replace('stroke-width="2"', f'stroke-width="{width:.3f}"').replace("currentColor", color)
    )
    picture = QPixmap(QSize(round(size * ratio), round(size * ratio)))
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    QSvgRenderer(QByteArray(text.encode())).render(painter, QRectF(0, 0, picture.width(), picture.height()))
    painter.end()
    picture.setDevicePixelRatio(ratio)
    return picture


def icon(name: str, tone: str = "text", on_tone: str = "", size: int = 0, gap: int = 0) -> QIcon:
    """Give an icon in the colours of the present theme, for every state.

    Parameters
    ----------
    name : str
        Name of the file without its ending.
    tone : str
        A colour name of the theme, or ``"#RRGGBB"``.
    on_tone : str
        Colour when the button is checked; empty for the same.
    size : int
        Edge length in logical pixels; 0 for the sizes of menus (16) and tool buttons (18).
    gap : int
        Empty room on the right in logical pixels.
    """
    made = QIcon()
    ratio = max((screen.devicePixelRatio() for screen in QGuiApplication.screens()), default=1.0)
    for edge in (size,) if size else _SIZES:
        normal = _with_gap(pixmap(name, tone, edge, ratio), gap)
        disabled = _with_gap(pixmap(name, "strong_line", edge, ratio), gap)
        made.addPixmap(normal, QIcon.Mode.Normal, QIcon.State.Off)
        made.addPixmap(disabled, QIcon.Mode.Disabled, QIcon.State.Off)
        if on_tone:
            made.addPixmap(pixmap(name, on_tone, edge, ratio), QIcon.Mode.Normal, QIcon.State.On)
    return made


def _with_gap(picture: QPixmap, gap: int) -> QPixmap:
    if not gap:
        return picture
    ratio = picture.devicePixelRatio()
    wide = QPixmap(picture.width() + round(gap * ratio), picture.height())
    wide.setDevicePixelRatio(ratio)
    wide.fill(Qt.GlobalColor.transparent)
    painter = QPainter(wide)
    painter.drawPixmap(0, 0, picture)
    painter.end()
    return wide


def set_icon(target: QObject, name: str, tone: str = "text", on_tone: str = "", size: int = 0) -> None:
    """Give an action, a button or a label an icon that follows the theme from now on."""
    target.setProperty(_NAME, name)
    target.setProperty(_TONE, f"{tone} {on_tone}".strip())
    target.setProperty(_SIZE, size)
    _tint(target)


def retint() -> None:
    """Draw every icon given by `set_icon` anew, after the theme changed."""
    for top in QApplication.topLevelWidgets():
        for target in [top, *top.findChildren(QObject)]:
            if target.property(_NAME):
                _tint(target)


def _tint(target: QObject) -> None:
    tone, _, on_tone = str(target.property(_TONE)).partition(" ")
    name, size = str(target.property(_NAME)), int(target.property(_SIZE) or 0)
    if isinstance(target, QLabel):
        target.setPixmap(pixmap(name, tone, size or 16, target.devicePixelRatioF()))
    elif isinstance(target, (QAction, QAbstractButton, QMenu)):
        gap = PUSH_GAP if isinstance(target, QPushButton) and target.text() else 0
        target.setIcon(icon(name, tone, on_tone, size, gap))
