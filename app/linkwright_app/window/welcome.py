"""The welcome page: new, open, recent files, and the samples with their pictures."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from linkwright_app.settings import Settings
from linkwright_app.window import icons, theme
from linkwright_app.window.model_cards import CardGrid, RecentRow, SampleCard
from linkwright_app.window.pictures import PictureStore
from linkwright_app.window.widgets import (
    column,
    framed,
    icon_label,
    label,
    push_button,
    row,
    rule,
    search_field,
    set_ground,
)

LEFT_WIDTH = 352


class BigButton(QAbstractButton):
    """A wide button with icon, text and key.

    Parameters
    ----------
    text, key : str
        Translated text, and its key sequence as text.
    icon_name : str
        Icon.
    primary : bool
        Whether it stands in the accent colour.
    """

    def __init__(self, text: str, key: str, icon_name: str, *, primary: bool = False) -> None:
        super().__init__()
        self._key = key
        self._icon_name = icon_name
        self._primary = primary
        self.setText(text)
        self.setFixedHeight(40)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def sizeHint(self) -> QSize:
        return QSize(300, 40)

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = tokens.accent if self._primary else tokens.panel
        if self.isDown() or self.underMouse():
            ground = QColor(ground).darker(108).name() if self._primary else tokens.hover
        edge = tokens.text if self.hasFocus() and self._primary else tokens.accent
        painter.setPen(QPen(QColor(edge if self._primary or self.hasFocus() else tokens.line), 1))
        painter.setBrush(QColor(ground))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        ink = "on_accent" if self._primary else "text"
        picture = icons.pixmap(self._icon_name, ink, 18, self.devicePixelRatioF())
        painter.drawPixmap(12, 11, picture)
        painter.setPen(theme.color(ink))
        painter.setFont(theme.font(13, 600))
        box = self.rect().adjusted(41, 0, -12, 0)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, self.text())
        soft = theme.color(ink if self._primary else "dim")
        soft.setAlphaF(0.78 if self._primary else 1.0)
        painter.setPen(soft)
        painter.setFont(theme.font(11, 500))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, self._key)
        painter.end()

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Enter, QEvent.Type.Leave):
            self.update()
        return super().event(event)


class WelcomePage(QWidget):
    """The page.

    Parameters
    ----------
    settings : Settings
        Recent files.
    pictures : PictureStore
        Pictures of models.
    version : str
        Version of the program.
    """

    new_wanted = Signal()
    open_wanted = Signal()
    file_chosen = Signal(str)
    sample_chosen = Signal(str)
    keys_wanted = Signal()

    def __init__(self, settings: Settings, pictures: PictureStore, version: str) -> None:
        super().__init__()
        set_ground(self, "window")
        self._settings = settings
        self._pictures = pictures
        self.new_button = BigButton(self.tr("New mechanism"), "Ctrl+N", "file-plus", primary=True)
        self.open_button = BigButton(self.tr("Open…"), "Ctrl+O", "folder-open")
        self.new_button.clicked.connect(self.new_wanted)
        self.open_button.clicked.connect(self.open_wanted)
        self.clear_button = push_button(self.tr("Clear"), kind="link", small=True)
        self.clear_button.clicked.connect(settings.clear_recent)
        self._recent = QVBoxLayout()
        self._recent.setSpacing(0)
        self._no_recent = label(self.tr("Files you open or save are listed here."), "note")
        self.grid = CardGrid()
        self.filter = search_field(self.tr("Filter samples"), 200)
        self.filter.textChanged.connect(self._on_filter)
        self._nothing = label(self.tr("No sample fits."), "dim")
        self._nothing.hide()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._left(version))
        layout.addWidget(rule(vertical=True))
        layout.addWidget(self._right(), 1)
        settings.recent_changed.connect(self.refresh_recent)
        self.refresh_recent()

    def _left(self, version: str) -> QWidget:
        brand = row(
            icon_label("logo", "accent", 40),
            column(
                label("Linkwright", "brand"),
                label(self.tr("Build, solve and compare mechanisms"), "dim"),
                spacing=0,
            ),
            None,
            spacing=12,
        )
        keys = push_button(self.tr("Keys and first steps"), "keyboard", kind="plain")
        keys.clicked.connect(self.keys_wanted)
        foot = row(keys, None, label(version, "note", tabular=True))
        layout = column(
            28,
            brand,
            24,
            self.new_button,
            8,
            self.open_button,
            28,
            row(label(self.tr("Recent"), "title"), None, self.clear_button),
            6,
            self._no_recent,
            self._recent,
            None,
            foot,
            12,
            spacing=0,
            margins=(28, 0, 24, 0),
        )
        return framed(layout, "panel", width=LEFT_WIDTH)

    def _right(self) -> QWidget:
        head = row(
            label(self.tr("Samples"), "page"),
            label(self.tr("open, press Run, change anything: samples are copies"), "dim"),
            None,
            self.filter,
            spacing=12,
        )
        inside = framed(
            column(30, head, 16, self._nothing, self.grid, None, spacing=0, margins=(36, 0, 38, 0)), "window"
        )
        area = QScrollArea()
        area.setWidget(inside)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        return area

    # ---------------------------------------------------------------- contents
    def add_sample(
        self, sample_id: str, title: str, note: str, tags: list[tuple[str, str]], path: Path
    ) -> None:
        """Add the card of a sample."""
        card = SampleCard(sample_id, title, note, tags, path, self._pictures)
        card.chosen.connect(self.sample_chosen)
        self.grid.add(card)

    @property
    def recent_rows(self) -> list[RecentRow]:
        """Rows of the recent files in view."""
        items = (self._recent.itemAt(i) for i in range(self._recent.count()))
        widgets = (item.widget() for item in items if item is not None)
        return [one for one in widgets if isinstance(one, RecentRow)]

    def refresh_recent(self) -> None:
        """Show the recent files that still exist."""
        for old in self.recent_rows:
            self._recent.removeWidget(old)
            old.hide()
            old.deleteLater()
        for entry in self._settings.recent_files:
            path = Path(entry)
            if not path.is_file() or len(self.recent_rows) >= 6:
                continue
            made = RecentRow(path, self._pictures)
            made.clicked.connect(lambda _=False, entry=entry: self.file_chosen.emit(entry))
            self._recent.addWidget(made)
        some = bool(self.recent_rows)
        self.clear_button.setVisible(some)
        self._no_recent.setVisible(not some)

    def _on_filter(self, text: str) -> None:
        self._nothing.setVisible(self.grid.set_filter(text) == 0)
