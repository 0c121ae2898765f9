"""The log: messages of this session with a level filter, a search and a copy button."""

from __future__ import annotations

import logging
from datetime import datetime
from logging.handlers import RotatingFileHandler
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from linkwright_app import paths
from linkwright_app.window import theme
from linkwright_app.window.widgets import (
    Segmented,
    column,
    framed,
    row,
    search_field,
    set_ground,
    tool_button,
)

MAX_ENTRIES = 5000
LEVELS = (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR)
FILE_SIZE = 1_000_000

Index = QModelIndex | QPersistentModelIndex


class LogBridge(QObject):
    """Carries records from any thread to the window."""

    arrived = Signal(object)


class LogHandler(logging.Handler):
    """Logging handler that sends every record through a signal."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.bridge = LogBridge()

    def emit(self, record: logging.LogRecord) -> None:
        try:
            text = record.getMessage()
            if record.exc_info:
                text += "\n" + logging.Formatter().formatException(record.exc_info)
            self.bridge.arrived.emit((record.created, record.levelno, record.name, text))
        except RuntimeError:
            # The window is gone while the last messages are still written.
            return


def start_logging() -> LogHandler:
    """Send the messages of the program to the window and to the log file."""
    root = logging.getLogger()
    root.setLevel(logging.INFO)
    handler = LogHandler()
    root.addHandler(handler)
    try:
        file = RotatingFileHandler(paths.log_file(), maxBytes=FILE_SIZE, backupCount=1, encoding="utf-8")
    except OSError as error:
        logging.getLogger(__name__).warning("%s", error)
    else:
        file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        root.addHandler(file)
    return handler


def level_name(level: int) -> str:
    """Translated name of a level."""
    if level >= logging.ERROR:
        return QCoreApplication.translate("Log", "Error")
    if level >= logging.WARNING:
        return QCoreApplication.translate("Log", "Warning")
    if level >= logging.INFO:
        return QCoreApplication.translate("Log", "Info")
    return QCoreApplication.translate("Log", "Detail")


class LogModel(QAbstractTableModel):
    """Records as rows: time, level, message. The oldest go when there are too many."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: list[tuple[float, int, str, str]] = []

    def add(self, entry: tuple[float, int, str, str]) -> None:
        """Append a record: time stamp, level, logger, text."""
        if len(self._entries) >= MAX_ENTRIES:
            self.beginRemoveRows(QModelIndex(), 0, 0)
            del self._entries[0]
            self.endRemoveRows()
        n = len(self._entries)
        self.beginInsertRows(QModelIndex(), n, n)
        self._entries.append(entry)
        self.endInsertRows()

    def clear(self) -> None:
        """Forget the records (the log file keeps them)."""
        self.beginResetModel()
        self._entries.clear()
        self.endResetModel()

    def level(self, row_: int) -> int:
        """Level of a row."""
        return self._entries[row_][1]

    def line(self, row_: int) -> str:
        """A row as a line of text."""
        created, level, name, text = self._entries[row_]
        return f"{datetime.fromtimestamp(created):%H:%M:%S} {logging.getLevelName(level)} {name}: {text}"

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._entries)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else 3

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        created, level, _, text = self._entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            first = text.partition("\n")[0]
            return (f"{datetime.fromtimestamp(created):%H:%M:%S}", level_name(level), first)[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return text
        if role == Qt.ItemDataRole.ForegroundRole:
            if index.column() == 0:
                return theme.color("dim")
            if index.column() == 1:
                tones = {logging.ERROR: "bad", logging.WARNING: "warn"}
                return theme.color(tones.get(min(level, logging.ERROR), "dim"))
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if role != Qt.ItemDataRole.DisplayRole or orientation != Qt.Orientation.Horizontal:
            return None
        return (self.tr("Time"), self.tr("Level"), self.tr("Message"))[section]


class _LogFilter(QSortFilterProxyModel):
    def __init__(self, model: LogModel) -> None:
        super().__init__()
        self._model = model
        self._level = logging.INFO
        self._text = ""
        self.setSourceModel(model)

    def set_level(self, level: int) -> None:
        self._level = level
        self.invalidate()

    def set_text(self, text: str) -> None:
        self._text = text.casefold()
        self.invalidate()

    def filterAcceptsRow(self, source_row: int, source_parent: Index) -> bool:
        if self._model.level(source_row) < self._level:
            return False
        return not self._text or self._text in self._model.line(source_row).casefold()


class LogPanel(QWidget):
    """The log with its filter row."""

    def __init__(self, handler: LogHandler) -> None:
        super().__init__()
        set_ground(self, "panel")
        self.model = LogModel(self)
        self.shown = _LogFilter(self.model)
        handler.bridge.arrived.connect(self._add)
        self.level = Segmented(
            [self.tr("All"), self.tr("Warnings"), self.tr("Errors")], width=72, height=26, px=11
        )
        self.level.chosen.connect(self._on_level)
        self.search = search_field(self.tr("Search the log"), 220)
        self.search.textChanged.connect(self.shown.set_text)
        copy = tool_button("copy", self.tr("Copy what is shown"), size=26, icon_size=16)
        copy.clicked.connect(self.copy)
        clear = tool_button(
            "brush-cleaning", self.tr("Clear the list; the log file stays"), size=26, icon_size=16
        )
        clear.clicked.connect(self.model.clear)
        self.table = QTableView()
        self.table.setModel(self.shown)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setFont(theme.font(11, tabular=True))
        vertical, horizontal = self.table.verticalHeader(), self.table.horizontalHeader()
        vertical.hide()
        vertical.setDefaultSectionSize(22)
        horizontal.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        horizontal.setSectionResizeMode(2, QHeaderView.ResizeMode.Stretch)
        horizontal.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.table.setColumnWidth(0, 72)
        self.table.setColumnWidth(1, 80)
        head = framed(
            row(self.level, self.search, None, copy, clear, spacing=8, margins=(12, 4, 8, 4)),
            "panel",
            height=36,
        )
        self.setLayout(column(head, self.table, spacing=0))

    def _add(self, entry: tuple[float, int, str, str]) -> None:
        bar = self.table.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() - 2
        self.model.add(entry)
        if at_end:
            self.table.scrollToBottom()

    def _on_level(self, index: int) -> None:
        self.shown.set_level((logging.DEBUG, logging.WARNING, logging.ERROR)[index])

    def copy(self) -> None:
        """Put the shown rows on the clipboard as text."""
        rows = (self.shown.mapToSource(self.shown.index(i, 0)).row() for i in range(self.shown.rowCount()))
        QGuiApplication.clipboard().setText("\n".join(self.model.line(row_) for row_ in rows))
