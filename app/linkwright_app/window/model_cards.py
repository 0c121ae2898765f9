"""Model files as pictures to click: cards of samples in a grid, and rows of recent files."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

from PySide6.QtCore import QDate, QEvent, QLocale, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractButton, QGraphicsDropShadowEffect, QGridLayout, QWidget

from linkwright_app.window import icons, theme
from linkwright_app.window.pictures import PictureStore
from linkwright_app.window.widgets import pill, push_button, row

CARD_PICTURE = QSize(299, 226)
CARD = QSize(301, 304)
GAP = 16
THUMB = QSize(72, 41)


def when_text(moment: datetime, today: date, locale: QLocale) -> tuple[str, str]:
    """Say when something was: the word for the day (``"today"``, ``"yesterday"`` or empty) and the time or date."""
    if moment.date() == today:
        return "today", moment.strftime("%H:%M")
    if (today - moment.date()).days == 1:
        return "yesterday", ""
    pattern = "d MMM" if moment.year == today.year else "d MMM yyyy"
    return "", locale.toString(QDate(moment.year, moment.month, moment.day), pattern)


class RecentRow(QAbstractButton):
    """One recent file: picture, name, folder and time."""

    def __init__(self, path: Path, pictures: PictureStore) -> None:
        super().__init__()
        self.path = path
        self._pictures = pictures
        self.setText(path.stem)
        self.setToolTip(str(path))
        self.setFixedHeight(52)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        pictures.ready.connect(self._on_picture)
        self._when = self._when_text()

    def _on_picture(self, path: Path) -> None:
        if path == self.path:
            self.update()

    def _when_text(self) -> str:
        moment = datetime.fromtimestamp(self.path.stat().st_mtime)
        day, rest = when_text(moment, date.today(), self.locale())
        if day == "today":
            return self.tr("today {time}").format(time=rest)
        return self.tr("yesterday") if day == "yesterday" else rest

    def sizeHint(self) -> QSize:
        return QSize(300, 52)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.underMouse() or self.hasFocus():
            painter.setPen(QPen(QColor(tokens.accent), 1) if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(QColor(tokens.hover))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(-0.5, 1.5, -0.5, -1.5), 6, 6)
        picture = self._pictures.picture(self.path)
        _draw_picture(painter, picture, QRectF(0, 5, THUMB.width(), THUMB.height()), 4, whole=True)
        left = THUMB.width() + 10
        painter.setFont(theme.font(11, tabular=True))
        width = painter.fontMetrics().horizontalAdvance(self._when)
        painter.setPen(theme.color("dim"))
        box = self.rect().adjusted(left, 0, -2, 0)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, self._when)
        room = box.width() - width - 10
        folder = QFontMetrics(painter.font()).elidedText(
            self.path.parent.name, Qt.TextElideMode.ElideMiddle, room
        )
        painter.drawText(box.adjusted(0, 27, 0, 0), Qt.AlignmentFlag.AlignTop, folder)
        painter.setFont(theme.font(12, 600))
        painter.setPen(theme.color("text"))
        name = QFontMetrics(painter.font()).elidedText(self.text(), Qt.TextElideMode.ElideRight, room)
        painter.drawText(box.adjusted(0, 9, 0, 0), Qt.AlignmentFlag.AlignTop, name)
        painter.end()

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Enter, QEvent.Type.Leave):
            self.update()
        return super().event(event)


def _draw_picture(
    painter: QPainter, picture: QPixmap | None, box: QRectF, radius: float, *, whole: bool
) -> None:
    """Draw a picture with rounded corners (all four, or the upper two), or a calm ground until there is one."""
    path = QPainterPath()
    path.addRoundedRect(box if whole else box.adjusted(0, 0, 0, 2 * radius), radius, radius)
    painter.save()
    painter.setClipRect(box)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.fillPath(path, theme.color("trough"))
    if picture is None:
        mark = icons.pixmap(
            "logo", "strong_line", 40 if box.height() > 80 else 20, painter.device().devicePixelRatioF()
        )
        size = mark.deviceIndependentSize()
        painter.drawPixmap(
            round(box.center().x() - size.width() / 2), round(box.center().y() - size.height() / 2), mark
        )
    else:
        painter.setClipPath(path, Qt.ClipOperation.IntersectClip)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawPixmap(box, picture, _cover(picture, box))
    painter.restore()


def _cover(picture: QPixmap, box: QRectF) -> QRectF:
    """Part of the picture that fills the box without distortion."""
    width, height = float(picture.width()), float(picture.height())
    scale = min(width / box.width(), height / box.height())
    w, h = box.width() * scale, box.height() * scale
    return QRectF((width - w) / 2, (height - h) / 2, w, h)


class SampleCard(QWidget):
    """A sample: its picture, title, one line and tags. A click or Enter opens a copy.

    Parameters
    ----------
    sample_id : str
        Id of the sample.
    title, note : str
        What it is.
    tags : list of (str, str)
        Text and tone of the pills.
    path : Path
        Its file.
    pictures : PictureStore
        Gives the picture.
    """

    chosen = Signal(str)

    def __init__(
        self,
        sample_id: str,
        title: str,
        note: str,
        tags: list[tuple[str, str]],
        path: Path,
        pictures: PictureStore,
    ) -> None:
        super().__init__()
        self.sample_id = sample_id
        self.title = title
        self.note = note
        self.path = path
        self._pictures = pictures
        self.setFixedSize(CARD)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(title)
        self.setToolTip(note)
        line = QWidget(self)
        line.setLayout(row(*(pill(text, tone) for text, tone in tags), None, spacing=6))
        line.setGeometry(13, CARD_PICTURE.height() + 51, CARD.width() - 26, 20)
        self._open = push_button(self.tr("Open"), "folder-open", kind="primary")
        self._open.setParent(self)
        self._open.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._open.adjustSize()
        self._open.move(CARD.width() - self._open.sizeHint().width() - 12, 12)
        self._open.clicked.connect(lambda: self.chosen.emit(self.sample_id))
        self._open.hide()
        self._shadow = QGraphicsDropShadowEffect(self)
        self.setGraphicsEffect(self._shadow)
        self._light(False)
        pictures.ready.connect(self._on_picture)

    def _on_picture(self, path: Path) -> None:
        if path == self.path:
            self.update()

    def _light(self, on: bool) -> None:
        self._open.setVisible(on)
        self._shadow.setBlurRadius(26 if on else 12)
        self._shadow.setOffset(0, 5 if on else 2)
        alpha = 52 if on else 22
        self._shadow.setColor(QColor(15, 23, 42, alpha * 2 if theme.tokens().dark else alpha))
        self.update()

    def matches(self, text: str) -> bool:
        """Whether title, note or id holds a text."""
        return text in f"{self.title} {self.note} {self.sample_id}".casefold()

    def enterEvent(self, event: QEnterEvent) -> None:
        self._light(True)

    def leaveEvent(self, event: QEvent) -> None:
        self._light(self.hasFocus())

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusIn:
            self._light(True)
        elif event.type() == QEvent.Type.FocusOut:
            self._light(self.underMouse())
        return super().event(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.chosen.emit(self.sample_id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.chosen.emit(self.sample_id)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme.tokens()
        lit = not self._open.isHidden()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inset = 1.0 if lit else 0.5
        painter.setPen(QPen(QColor(tokens.accent if lit else tokens.line), 2 if lit else 1))
        painter.setBrush(QColor(tokens.panel))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(inset, inset, -inset, -inset), 8, 8)
        box = QRectF(1, 1, CARD_PICTURE.width(), CARD_PICTURE.height())
        if lit:
            box.adjust(1, 1, -1, 0)
        _draw_picture(painter, self._pictures.picture(self.path), box, 7, whole=False)
        room = CARD.width() - 26
        for size, weight, ink, top, text in (
            (13, 600, "text", CARD_PICTURE.height() + 10, self.title),
            (11, 400, "dim", CARD_PICTURE.height() + 31, self.note),
        ):
            painter.setFont(theme.font(size, weight))
            painter.setPen(theme.color(ink))
            shown = QFontMetrics(painter.font()).elidedText(text, Qt.TextElideMode.ElideRight, room)
            painter.drawText(QRectF(13, top, room, 18), Qt.AlignmentFlag.AlignVCenter, shown)
        painter.end()


class CardGrid(QWidget):
    """Cards in as many columns as fit."""

    def __init__(self) -> None:
        super().__init__()
        self.cards: list[SampleCard] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 12)
        self._grid.setSpacing(GAP)
        self._grid.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self._columns = 0
        self._filter = ""
        self.setMinimumWidth(CARD.width())

    def add(self, card: SampleCard) -> None:
        """Append a card."""
        self.cards.append(card)
        self._columns = 0
        self._arrange()

    def set_filter(self, text: str) -> int:
        """Show only cards that hold a text; give their number."""
        self._filter = text.strip().casefold()
        self._columns = 0
        self._arrange()
        return sum(not card.isHidden() for card in self.cards)

    def _arrange(self) -> None:
        columns = max((self.width() + GAP) // (CARD.width() + GAP), 1)
        if columns == self._columns:
            return
        self._columns = columns
        shown = 0
        for card in self.cards:
            self._grid.removeWidget(card)
            fits = not self._filter or card.matches(self._filter)
            card.setVisible(fits)
            if fits:
                self._grid.addWidget(card, shown // columns, shown % columns)
                shown += 1

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()
