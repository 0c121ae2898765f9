"""The command palette: every action of the window, found by typing a part of its name."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from linkwright_app.window import theme
from linkwright_app.window.actions import Actions
from linkwright_app.window.widgets import column, row, rule, shadow

WIDTH = 460
ROW = 28
MAX_ROWS = 12

Index = QModelIndex | QPersistentModelIndex
_ACTION = Qt.ItemDataRole.UserRole


def plain(action: QAction) -> str:
    """Text of an action without the mark of its menu letter."""
    return action.text().replace("&", "").rstrip("…")


def rank(query: str, text: str) -> int | None:
    """Tell how well a text fits a query: lower is better, None not at all.

    A word that begins with the query comes first, then a text that holds it, then one that holds its letters in order.
    """
    query, text = query.casefold().strip(), text.casefold()
    if not query:
        return 0
    if any(word.startswith(query) for word in text.split()) or text.startswith(query):
        return 1
    if query in text:
        return 2
    rest = iter(text)
    return 3 if all(letter in rest for letter in query if letter != " ") else None


class _ActionList(QAbstractListModel):
    def __init__(self, actions: Actions, parent: QObject) -> None:
        super().__init__(parent)
        self._all = actions
        self._found: list[QAction] = []

    def search(self, query: str) -> None:
        ranked = []
        for place, (name, action) in enumerate(self._all):
            fits = rank(query, plain(action))
            if fits is not None and action.isEnabled() and name != "palette":
                ranked.append((fits, place, action))
        self.beginResetModel()
        self._found = [action for _, _, action in sorted(ranked, key=lambda entry: entry[:2])]
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._found)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        action = self._found[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return plain(action)
        if role == Qt.ItemDataRole.DecorationRole:
            return action.icon()
        if role == _ACTION:
            return action
        return None


class _Row(QStyledItemDelegate):
    """Draws icon, name, help in dim, and the key at the right edge."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        tokens = theme.tokens()
        action: QAction = index.data(_ACTION)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box: QRect = option.rect
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("selected"))
            painter.drawRoundedRect(box.adjusted(4, 0, -4, 0), 4, 4)
        action.icon().paint(painter, QRect(box.x() + 14, box.y() + (box.height() - 16) // 2, 16, 16))
        painter.setFont(theme.font(12, 500))
        painter.setPen(tokens.text)
        name = plain(action)
        text_box = box.adjusted(42, 0, -14, 0)
        painter.drawText(text_box, Qt.AlignmentFlag.AlignVCenter, name)
        name_width = painter.fontMetrics().horizontalAdvance(name)
        key = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        painter.setFont(theme.font(10, 500, tabular=True))
        painter.setPen(tokens.dim)
        painter.drawText(text_box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, key)
        key_width = painter.fontMetrics().horizontalAdvance(key)
        painter.setFont(theme.font(11))
        room = text_box.adjusted(name_width + 12, 0, -key_width - 12, 0)
        help_ = painter.fontMetrics().elidedText(
            action.statusTip(), Qt.TextElideMode.ElideRight, room.width()
        )
        if room.width() > 40:
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, help_)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(WIDTH, ROW)


class CommandPalette(QFrame):
    """A card over the window with a search line and the commands that fit it.

    Parameters
    ----------
    window : QWidget
        The window it lies over.
    actions : Actions
        The commands.
    """

    def __init__(self, window: QWidget, actions: Actions) -> None:
        super().__init__(window)
        self._window = window
        self.setProperty("ground", "card")
        self._found = _ActionList(actions, self)
        self.line = QLineEdit()
        self.line.setProperty("kind", "palette")
        self.line.setPlaceholderText(self.tr("Type a part of a command's name"))
        self.line.setAccessibleName(self.tr("Search commands"))
        self.line.textChanged.connect(self._search)
        self.line.installEventFilter(self)
        self.list = QListView()
        self.list.setProperty("kind", "palette")
        self.list.setModel(self._found)
        self.list.setItemDelegate(_Row(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.clicked.connect(self._take)
        top = row(self.line, margins=(6, 2, 6, 2))
        self.setLayout(column(top, rule(), self.list, spacing=0, margins=(0, 0, 0, 6)))
        shadow(self, blur=32, offset=8)
        self.setFixedWidth(WIDTH)
        self.hide()

    def open(self, at: QPoint | None = None) -> None:
        """Show the palette with its upper right corner at a place of the window, or centred near its top."""
        self.line.clear()
        self._search("")
        if at is None:
            at = QPoint((self._window.width() + WIDTH) // 2, 72)
        self.move(max(at.x() - WIDTH, 8), at.y())
        self.show()
        self.raise_()
        self.line.setFocus()

    def dismiss(self) -> None:
        """Hide the palette and give the focus back."""
        self.hide()
        self._window.setFocus()

    def names(self) -> list[str]:
        """Names of the commands listed now."""
        return [str(self._found.index(i, 0).data()) for i in range(self._found.rowCount())]

    def _search(self, query: str) -> None:
        self._found.search(query)
        self.list.setFixedHeight(ROW * min(max(self._found.rowCount(), 1), MAX_ROWS) + 6)
        self.adjustSize()
        if self._found.rowCount():
            self.list.setCurrentIndex(self._found.index(0, 0))

    def _take(self, index: QModelIndex) -> None:
        action: QAction | None = index.data(_ACTION)
        self.dismiss()
        if action is not None:
            action.trigger()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusOut:
            self.hide()
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            key = event.key()
            if key == Qt.Key.Key_Escape:
                self.dismiss()
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._take(self.list.currentIndex())
                return True
            step = {
                Qt.Key.Key_Down: 1,
                Qt.Key.Key_Up: -1,
                Qt.Key.Key_PageDown: 10,
                Qt.Key.Key_PageUp: -10,
            }.get(Qt.Key(key))
            if step is not None and self._found.rowCount():
                last = self._found.rowCount() - 1
                place = min(max(self.list.currentIndex().row() + step, 0), last)
                self.list.setCurrentIndex(self._found.index(place, 0))
                return True
        return super().eventFilter(watched, event)
