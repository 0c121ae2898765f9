"""Names and values beside the elements: what is written, and a free place for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetricsF, QPainter, QPainterPath, QPen

from linkwright.elements.forces import AppliedTorque
from linkwright_app import paths
from linkwright_app.viewport.actors import pose_frame
from linkwright_app.viewport.camera import Camera
from linkwright_app.viewport.glyphs import GLYPH_PIXELS
from linkwright_app.viewport.items import JointItem, LoadItem, RailItem, SpringItem
from linkwright_app.viewport.scene import Scene
from linkwright_app.viewport.theme import ViewTheme
from linkwright_app.window import icons, theme

Array = NDArray[np.float64]

LABEL_FILE = "LinkwrightLabels-Regular.otf"
TAG_PX, TAG_WEIGHT = 12, 600
HALO = 3.2
HALO_OPACITY = 0.85
PILL_HEIGHT, PILL_PX, PILL_ICON = 24.0, 11, 14
FEW_SPRINGS = 2
"""Up to so many springs show their values all the time; of more only the selected ones."""
MANY_JOINTS = 40
"""Above so many joints only the selected and the hovered one are named."""
CELL = 8.0
"""Raster of the map of occupied places [logical px]."""


@dataclass(frozen=True)
class Tag:
    """Text at an element.

    Attributes
    ----------
    id : str
        Element.
    text : str
        What is written.
    color : str
        Of the text; a pill has the text colour of the window.
    anchor : (3,) array
        Point it belongs to [m].
    gap : float
        Distance of the text from the anchor [logical px].
    icon : str
        Icon of a pill; empty for a bare name with a halo.
    sides : tuple of pairs
        Directions from the anchor to the middle of the text, best first; empty for the usual ones.
    reach : float
        Distance added to the gap that grows with the picture [m].
    """

    id: str
    text: str
    color: str
    anchor: Array
    gap: float
    icon: str = ""
    sides: tuple[tuple[float, float], ...] = ()
    reach: float = 0.0


SIDES = ((-1, 0), (1, 0), (0, -1), (0, 1), (-0.75, -0.75), (0.75, -0.75), (-0.75, 0.75), (0.75, 0.75))
"""Directions from the anchor to the middle of the text, best first; y down."""
RAIL_SIDES = ((0, 1), (0, -1), (-1, 0.4), (1, 0.4))
PILL_SIDES = ((0, 1), (0, -1), (-0.75, 0.75), (0.75, 0.75), (-0.75, -0.75), (0.75, -0.75), (-1, 0), (1, 0))


def number_text(value: float) -> str:
    """Write a number with four digits, as short as they allow: 1.414, 1954, 2.5e+06."""
    if abs(value) < 5e-13:
        return "0"
    text = f"{value:.4g}"
    return text.replace("-", "−") if text.startswith("-") else text


@cache
def _label_family() -> str:
    """Family of the bundled font for scripts that the text font lacks; loaded at the first use."""
    file = paths.resources() / "fonts" / LABEL_FILE
    families = QFontDatabase.applicationFontFamilies(QFontDatabase.addApplicationFont(str(file)))
    return families[0] if families else ""


def label_font(px: int, weight: int, *, tabular: bool = False) -> QFont:
    """Give the text font, with the bundled label font behind it for other scripts."""
    made = theme.font(px, weight, tabular=tabular)
    family = _label_family()
    if family:
        made.setFamilies([*made.families(), family])
    return made


def tags_of(
    scene: Scene,
    view_theme: ViewTheme,
    chosen: Iterable[str],
    channels: Mapping[str, float],
) -> list[Tag]:
    """Say what is written in the view.

    Parameters
    ----------
    scene : Scene
        Present poses.
    view_theme : ViewTheme
        Colours.
    chosen : iterable of str
        Ids of the selected and hovered elements.
    channels : mapping of name to value
        Values of a run at the moment shown, for example ``"S1.force"``.
    """
    wanted = set(chosen)
    few_springs = sum(isinstance(item, SpringItem) for item in scene.items.values()) <= FEW_SPRINGS
    few_joints = sum(isinstance(item, (JointItem, RailItem)) for item in scene.items.values()) <= MANY_JOINTS
    made = []
    for key, item in scene.items.items():
        label = item.element.label
        color = view_theme.category(item.category)
        if isinstance(item, SpringItem):
            if few_springs or key in wanted:
                made.append(_spring_tag(item, channels, view_theme))
        elif not item.visible:
            continue
        elif isinstance(item, LoadItem):
            unit = "N m" if isinstance(item.element, AppliedTorque) else "N"
            text = f"{label}  {number_text(item.magnitude)} {unit}"
            middle = item.centre if item.turning else (item.centre + item.tip) / 2
            made.append(Tag(key, text, color, middle, 34.0 if item.turning else 9.0))
        elif few_joints or key in wanted:
            if isinstance(item, RailItem):
                made.append(Tag(key, label, color, item.centre, 5.0, sides=RAIL_SIDES, reach=item.gap))
            else:
                made.append(Tag(key, label, color, item.centre, GLYPH_PIXELS / 2 + 5.0))
    return made


def _spring_tag(item: SpringItem, channels: Mapping[str, float], view_theme: ViewTheme) -> Tag:
    key = item.element.id
    length = channels.get(f"{key}.length", item.length)
    force = channels.get(f"{key}.force", item.static_force)
    text = f"{item.element.label}    l = {number_text(length)} m    f = {number_text(force)} N"
    return Tag(key, text, view_theme.tokens.text, item.centre, 14.0, icon="sda", reach=item.radius)


class TagLayout:
    """Finds a side for every tag that hides little, and keeps it while the view moves."""

    def __init__(self) -> None:
        self._sides: dict[str, tuple[float, float]] = {}

    def forget(self) -> None:
        """Choose all sides anew at the next call."""
        self._sides.clear()

    def rects(
        self,
        tags: Iterable[Tag],
        scene: Scene,
        camera: Camera,
        width: float,
        height: float,
        keep_out: list[QRectF],
    ) -> dict[str, QRectF]:
        """Place the tags; those whose anchor is behind the eye are left out.

        Parameters
        ----------
        tags : iterable of Tag
            What is written.
        scene, camera : Scene, Camera
            What is seen and from where.
        width, height : float
            Size of the view [logical px].
        keep_out : list of QRectF
            Places taken by other things.
        """
        tags = list(tags)
        if not tags:
            return {}
        anchors = np.array([tag.anchor for tag in tags])
        places = camera.project(anchors, width, height)
        gaps = np.array([tag.gap for tag in tags])
        gaps += np.array([tag.reach for tag in tags]) / camera.pixels(anchors, height)
        occupied: NDArray[np.bool_] | None = None
        taken = list(keep_out)
        rects: dict[str, QRectF] = {}
        order = sorted(range(len(tags)), key=lambda k: tags[k].icon == "")
        for k in order:
            tag, (x, y, depth) = tags[k], places[k]
            if depth <= 0 or not (-200 < x < width + 200 and -200 < y < height + 200):
                continue
            size = tag_size(tag)
            side = self._sides.get(tag.id)
            if side is None:
                if occupied is None:
                    occupied = occupancy(scene, camera, width, height)
                glyphs = joint_squares(scene, camera, width, height, but=tag.id)
                place = QPointF(x, y)
                side = self._best_side(tag, gaps[k], size, place, occupied, taken, glyphs, width, height)
                self._sides[tag.id] = side
            rect = _placed(side, gaps[k], size, QPointF(x, y))
            taken.append(rect)
            rects[tag.id] = rect
        return rects

    def _best_side(
        self, tag: Tag, gap: float, size: tuple[float, float], place: QPointF, occupied: NDArray[np.bool_],
        taken: list[QRectF], glyphs: list[QRectF], width: float, height: float,
    ) -> tuple[float, float]:  # fmt: skip
        view = QRectF(0, 0, width, height)

        def cost(k: int, side: tuple[float, float]) -> float:
            rect = _placed(side, gap, size, place)
            inside = rect.intersected(view)
            outside = 1 - inside.width() * inside.height() / (rect.width() * rect.height())
            overlap = sum(rect.intersects(other) for other in taken)
            hidden = sum(rect.intersects(glyph) for glyph in glyphs)
            return _covered(occupied, rect) + 0.06 * k + 4 * outside + 2 * overlap + hidden

        sides = tag.sides or (PILL_SIDES if tag.icon else SIDES)
        return min(enumerate(sides), key=lambda pair: cost(*pair))[1]


def joint_squares(scene: Scene, camera: Camera, width: float, height: float, but: str) -> list[QRectF]:
    """Squares around the glyphs of all joints but one, in the view."""
    items = [item for key, item in scene.items.items() if isinstance(item, JointItem) and key != but]
    if not items:
        return []
    places = camera.project(np.array([item.centre for item in items]), width, height)
    half = 0.45 * GLYPH_PIXELS
    return [QRectF(x - half, y - half, 2 * half, 2 * half) for x, y, depth in places if depth > 0]


def occupancy(scene: Scene, camera: Camera, width: float, height: float) -> NDArray[np.bool_]:
    """Raster of the view, (rows, columns) of `CELL` pixels, that is true where outlines of bodies or glyphs run."""
    rows, columns = max(int(height / CELL) + 1, 1), max(int(width / CELL) + 1, 1)
    grid = np.zeros((rows, columns), bool)
    lines = []
    for body in scene.bodies.values():
        if body.visible:
            rot, position = pose_frame(body.pose)
            lines += [edge @ rot.T + position for edge in body.edges]
    for item in scene.items.values():
        lines += [np.array([handle.start, handle.stop]) for handle in item.handles()]
    for line in lines:
        seen = camera.project(np.concatenate((line, line[:1])), width, height)
        if (seen[:, 2] <= 0).any():
            continue
        steps = np.linspace(0.0, 1.0, 12)[:, None, None]
        dense = (seen[:-1, :2] * (1 - steps) + seen[1:, :2] * steps).reshape(-1, 2)
        c, r = (dense / CELL).astype(int).T
        ok = (r >= 0) & (r < rows) & (c >= 0) & (c < columns)
        grid[r[ok], c[ok]] = True
    return grid


def _covered(occupied: NDArray[np.bool_], rect: QRectF) -> float:
    """Share of the cells of a rectangle that are occupied."""
    rows = slice(max(int(rect.top() / CELL), 0), max(int(rect.bottom() / CELL) + 1, 0))
    columns = slice(max(int(rect.left() / CELL), 0), max(int(rect.right() / CELL) + 1, 0))
    part = occupied[rows, columns]
    return float(part.mean()) if part.size else 0.0


def _placed(side: tuple[float, float], gap: float, size: tuple[float, float], place: QPointF) -> QRectF:
    width, height = size
    x = place.x() + side[0] * (gap + width / 2)
    y = place.y() + side[1] * (gap + height / 2)
    return QRectF(x - width / 2, y - height / 2, width, height)


def tag_size(tag: Tag) -> tuple[float, float]:
    """Width and height of a tag [logical px]."""
    if tag.icon:
        metrics = QFontMetricsF(label_font(PILL_PX, 500, tabular=True))
        return metrics.horizontalAdvance(tag.text) + 37.0, PILL_HEIGHT
    metrics = QFontMetricsF(label_font(TAG_PX, TAG_WEIGHT))
    return metrics.horizontalAdvance(tag.text), metrics.height()


def paint_tag(painter: QPainter, tag: Tag, rect: QRectF, view_theme: ViewTheme, ratio: float) -> None:
    """Draw a tag into its rectangle."""
    if tag.icon:
        _paint_pill(painter, tag, rect, view_theme, ratio)
        return
    path = _text_path(tag.text)
    path = path.translated(rect.left(), rect.top())
    halo = QColor(view_theme.floor if view_theme.dark else "#FFFFFF")
    halo.setAlphaF(HALO_OPACITY)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(
        QPen(halo, HALO, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
    )
    painter.drawPath(path)
    painter.fillPath(path, QColor(tag.color))


@cache
def _text_path(text: str) -> QPainterPath:
    """Outline of a name whose upper left corner is at the origin."""
    font = label_font(TAG_PX, TAG_WEIGHT)
    path = QPainterPath()
    path.addText(0.0, QFontMetricsF(font).ascent(), font, text)
    return path


def _paint_pill(painter: QPainter, tag: Tag, rect: QRectF, view_theme: ViewTheme, ratio: float) -> None:
    tokens = view_theme.tokens
    box = QRectF(round(rect.left()) + 0.5, round(rect.top()) + 0.5, rect.width(), rect.height())
    painter.setPen(QPen(QColor(tokens.strong_line), 1))
    painter.setBrush(QColor(tokens.card))
    painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
    mark = icons.pixmap(tag.icon, tag.color, PILL_ICON, ratio)
    painter.drawPixmap(QPointF(box.left() + 9, box.top() + (box.height() - PILL_ICON) / 2), mark)
    painter.setFont(label_font(PILL_PX, 500, tabular=True))
    painter.setPen(QColor(tokens.text))
    text = box.adjusted(28, 0, -4, 0)
    painter.drawText(text, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, tag.text)
