"""The tree panel: filter, rows drawn as in a table of contents, selection shared with every other view."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFontMetrics, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QAbstractItemView,
    QLineEdit,
    QMenu,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from linkwright.document.commands import SetField
from linkwright.errors import DocumentError
from linkwright_app.services.document_store import DocumentStore
from linkwright_app.services.selection import Selection
from linkwright_app.tree.tree_model import BADGE, COUNT, ELEMENT_ID, ICON, KEY, NOTE, TONE, VISIBLE, TreeModel
from linkwright_app.window import icons, theme
from linkwright_app.window.widgets import (
    ROW,
    column,
    framed,
    icon_label,
    label,
    row,
    search_field,
    set_ground,
    tool_button,
)

CHEVRON_X = 9
ICON_X = 28
TEXT_X = 51
MARKER_INDENT = 16
EYE_RIGHT = 12

Index = QModelIndex | QPersistentModelIndex


class _NameEditor(QStyledItemDelegate):
    """Edits the name in place; the rows themselves are drawn by the view."""

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        made = QLineEdit(parent)
        made.setMaxLength(200)
        return made

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        box: QRect = option.rect
        left = TEXT_X - 8 + (MARKER_INDENT if index.parent().parent().isValid() else 0)
        editor.setGeometry(left, box.y() + 1, box.right() - left - 8, ROW - 2)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(100, ROW)


class TreeView(QTreeView):
    """The rows.

    Parameters
    ----------
    model : TreeModel
        The document as a tree.
    store : DocumentStore
        Takes the commands.
    selection : Selection
        Shared selection.
    """

    refused = Signal(str, str)

    def __init__(self, model: TreeModel, store: DocumentStore, selection: Selection) -> None:
        super().__init__()
        self._model = model
        self._store = store
        self._selection = selection
        self._folded: set[str] = set()
        self._unfolded: set[str] = set()
        self._following = False
        self.context_menu = QMenu(self)
        self.setModel(model)
        self.setItemDelegate(_NameEditor(self))
        self.setHeaderHidden(True)
        self.setIndentation(0)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAccessibleName(self.tr("Model tree"))
        self.setExpandsOnDoubleClick(False)
        self._hovered = QPersistentModelIndex()
        model.modelReset.connect(self._restore)
        self.expanded.connect(lambda index: self._on_fold(index, False))
        self.collapsed.connect(lambda index: self._on_fold(index, True))
        self.selectionModel().selectionChanged.connect(self._on_rows_selected)
        selection.changed.connect(self._follow)
        theme.current().changed.connect(self._repaint)
        self._restore()

    # ---------------------------------------------------------------- folding
    def _on_fold(self, index: QModelIndex, folded: bool) -> None:
        key = str(index.data(KEY))
        (self._folded if folded else self._unfolded).add(key)
        (self._unfolded if folded else self._folded).discard(key)

    def _restore(self) -> None:
        """Open the groups again after the rows were built anew; bodies stay folded until they are opened."""
        for key in self._model.row_keys():
            index = self._model.index_of(key)
            is_group = not index.data(ELEMENT_ID)
            open_ = key in self._unfolded or (is_group and key not in self._folded) or self._model.filtered
            blocked = self.blockSignals(True)
            self.setExpanded(index, open_)
            self.blockSignals(blocked)
        self._follow()
        self._repaint()

    def fold_all(self, folded: bool) -> None:
        """Fold or unfold every row."""
        if folded:
            self.collapseAll()
        else:
            self.expandAll()

    # ---------------------------------------------------------------- selection
    def _on_rows_selected(self) -> None:
        if self._following:
            return
        indexes = self.selectionModel().selectedIndexes()
        current = self.currentIndex()
        ids = [str(index.data(ELEMENT_ID)) for index in indexes if index != current]
        if current in indexes:
            ids.append(str(current.data(ELEMENT_ID)))
        self._selection.set(ids)

    def _follow(self) -> None:
        """Show the shared selection."""
        self._following = True
        model, flags = self.selectionModel(), self.selectionModel().SelectionFlag
        model.clearSelection()
        for one in self._selection.ids:
            index = self._model.index_of(one)
            if index.isValid():
                self.expand(index.parent())
                model.select(index, flags.Select)
                model.setCurrentIndex(index, flags.NoUpdate)
        if self._selection.ids:
            self.scrollTo(self._model.index_of(self._selection.ids[-1]))
        self._following = False

    # ---------------------------------------------------------------- rename
    def rename_selected(self) -> None:
        """Open the name of the last selected element for editing."""
        if self._selection.ids:
            index = self._model.index_of(self._selection.ids[-1])
            if index.isValid() and index.flags() & Qt.ItemFlag.ItemIsEditable:
                self.setFocus()
                self.edit(index)

    def commitData(self, editor: QWidget) -> None:
        try:
            super().commitData(editor)
        except DocumentError as error:
            self.refused.emit(error.message, error.element or "")

    def closeEditor(self, editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        super().closeEditor(editor, hint)
        self.setFocus()

    # ---------------------------------------------------------------- mouse
    def _eye(self, row_box: QRect) -> QRect:
        return QRect(row_box.right() - EYE_RIGHT - 14, row_box.y() + (ROW - 14) // 2, 14, 14)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and index.isValid() and self._pressed(index, event):
            return
        super().mousePressEvent(event)

    def _pressed(self, index: QModelIndex, event: QMouseEvent) -> bool:
        """Handle a click on the eye or the fold mark; tell whether it was one."""
        place = event.position().toPoint()
        box = self.visualRect(index)
        visible = index.data(VISIBLE)
        if visible is not None and self._eye(box).adjusted(-4, -4, 4, 4).contains(place):
            self._store.seal()
            self._store.do(SetField(str(index.data(ELEMENT_ID)), "visible", not visible))
            return True
        is_group = not index.data(ELEMENT_ID)
        if self._model.rowCount(index) and (place.x() < ICON_X or is_group):
            self.setExpanded(index, not self.isExpanded(index))
            return True
        return False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hovered = QPersistentModelIndex(self.indexAt(event.position().toPoint()))
        self._repaint()
        super().mouseMoveEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = QPersistentModelIndex()
        self._repaint()
        super().leaveEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        index = self.indexAt(event.pos())
        one = str(index.data(ELEMENT_ID)) if index.isValid() else ""
        if one and one not in self._selection.ids:
            self._selection.set((one,))
        if one:
            self.context_menu.exec(event.globalPos())

    # ---------------------------------------------------------------- drawing
    def _repaint(self) -> None:
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        text = ""
        if self._model.empty:
            text = self.tr("No bodies yet. Insert one from the menu, or open a sample from the welcome page.")
        elif self._model.filtered and len(self._model.row_keys()) <= len(_GROUPS):
            text = self.tr("Nothing here fits the filter.")
        if text:
            painter = QPainter(self.viewport())
            painter.setFont(theme.font(11))
            painter.setPen(theme.color("dim"))
            top = ROW * len(_GROUPS) + 16
            box = self.viewport().rect().adjusted(16, top, -16, 0)
            painter.drawText(box, Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap, text)
            painter.end()

    def drawRow(self, painter: QPainter, options: QStyleOptionViewItem, index: Index) -> None:
        box = QRect(QPoint(0, options.rect.y()), QSize(self.viewport().width(), ROW))
        selected = self.selectionModel().isSelected(index)
        if selected or index == self._hovered:
            painter.fillRect(box, theme.color("selected" if selected else "hover"))
        indent = MARKER_INDENT if index.parent().isValid() and index.parent().data(ELEMENT_ID) else 0
        is_group = not index.data(ELEMENT_ID) or not index.parent().isValid()
        self._draw_mark(painter, box, index, is_group)
        hidden = index.data(VISIBLE) is False
        ratio = self.devicePixelRatioF()
        tone = "strong_line" if hidden else str(index.data(TONE))
        painter.drawPixmap(ICON_X + indent, box.y() + 4, icons.pixmap(str(index.data(ICON)), tone, 16, ratio))
        right = self._draw_right(painter, box, index, hidden)
        painter.setFont(theme.font(12, 600 if is_group else 500 if selected else 400))
        painter.setPen(theme.color("dim" if hidden else "text"))
        left = TEXT_X + indent
        metrics = QFontMetrics(painter.font())
        name = metrics.elidedText(str(index.data()), Qt.TextElideMode.ElideRight, right - left)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRect(left, box.y(), right - left, ROW), middle, name)
        left += metrics.horizontalAdvance(name) + 7
        note = str(index.data(NOTE))
        if note and right - left > 24:
            painter.setFont(theme.font(11, tabular=True))
            painter.setPen(theme.color("dim"))
            note = QFontMetrics(painter.font()).elidedText(note, Qt.TextElideMode.ElideRight, right - left)
            painter.drawText(QRect(left, box.y(), right - left, ROW), middle, note)
        if self.hasFocus() and index == self.currentIndex() and selected:
            painter.setPen(theme.color("accent"))
            painter.drawRect(box.adjusted(0, 0, -1, -1))

    def _draw_mark(self, painter: QPainter, box: QRect, index: Index, is_group: bool) -> None:
        has_children = self._model.rowCount(index) > 0
        if not (has_children or is_group):
            return
        name = "chevron-down" if has_children and self.isExpanded(index) else "chevron-right"
        tone = "dim" if has_children else "strong_line"
        painter.drawPixmap(CHEVRON_X, box.y() + 5, icons.pixmap(name, tone, 14, self.devicePixelRatioF()))

    def _draw_right(self, painter: QPainter, box: QRect, index: Index, hidden: bool) -> int:
        """Draw count, eye and badge from the right edge; give where the room for text ends."""
        ratio = self.devicePixelRatioF()
        count = int(index.data(COUNT))
        right = box.right() - EYE_RIGHT
        if count:
            painter.setFont(theme.font(11, tabular=True))
            painter.setPen(theme.color("dim"))
            place = QRect(right - 40, box.y(), 41, ROW)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, str(count))
            right -= 44
        if index.data(VISIBLE) is not None:
            eye = self._eye(box)
            painter.drawPixmap(eye.topLeft(), icons.pixmap("eye-off" if hidden else "eye", "dim", 14, ratio))
            right = eye.left() - 6
        badge = str(index.data(BADGE) or "")
        if badge:
            name = "triangle-alert" if badge == "warn" else "circle-alert"
            painter.drawPixmap(right - 14, box.y() + 5, icons.pixmap(name, badge, 14, ratio))
            right -= 20
        return right


_GROUPS = ("ground", "bodies", "joints", "forces", "parameters")


class TreePanel(QWidget):
    """Head, filter and rows.

    Parameters
    ----------
    model : TreeModel
        The document as a tree.
    store : DocumentStore
        Takes the commands.
    selection : Selection
        Shared selection.
    """

    def __init__(self, model: TreeModel, store: DocumentStore, selection: Selection) -> None:
        super().__init__()
        set_ground(self, "panel")
        self.view = TreeView(model, store, selection)
        self.filter = search_field(self.tr("Filter"))
        self.filter.textChanged.connect(model.set_filter)
        text = label(self.tr("structure locked while running"), "note")
        text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._locked = framed(row(icon_label("lock", "dim", 14), text, spacing=4))
        self._locked.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._locked.hide()
        fold = tool_button("chevrons-down-up", self.tr("Fold everything"), size=24, icon_size=16)
        fold.clicked.connect(lambda: self.view.fold_all(True))
        unfold = tool_button("chevrons-up-down", self.tr("Unfold everything"), size=24, icon_size=16)
        unfold.clicked.connect(lambda: self.view.fold_all(False))
        self._folding = framed(row(None, fold, unfold, spacing=4))
        title = label(self.tr("Model"), "strong")
        head = row(title, 4, self._locked, self._folding, spacing=4, margins=(12, 0, 8, 0))
        self.head = framed(head, "panel", height=36)
        filter_row = row(self.filter, margins=(8, 0, 8, 8))
        self.setLayout(column(self.head, filter_row, self.view, spacing=0))

    def set_locked(self, locked: bool) -> None:
        """Say that the structure cannot be edited while a run goes on."""
        self._locked.setVisible(locked)
        self._folding.setVisible(not locked)
