"""The document as a tree: ground, bodies with their markers, joints, forces, parameters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from linkwright.document.base import GROUND, Element
from linkwright.document.bodies import Body, Marker
from linkwright.document.commands import Rename
from linkwright.document.mechanism import Mechanism
from linkwright.document.parameters import Parameter
from linkwright.elements import registry
from linkwright.errors import DocumentError
from linkwright.findings import Severity
from linkwright.units import format_number
from linkwright_app import translation
from linkwright_app.services.check_service import CheckService
from linkwright_app.services.document_store import Delta, DocumentStore

Index = QModelIndex | QPersistentModelIndex

ICON = Qt.ItemDataRole.UserRole
TONE = Qt.ItemDataRole.UserRole + 1
NOTE = Qt.ItemDataRole.UserRole + 2
COUNT = Qt.ItemDataRole.UserRole + 3
ELEMENT_ID = Qt.ItemDataRole.UserRole + 4
VISIBLE = Qt.ItemDataRole.UserRole + 5
BADGE = Qt.ItemDataRole.UserRole + 6
KEY = Qt.ItemDataRole.UserRole + 7

SHAPE_ICONS = {"link": "bar", "box": "box", "cylinder": "cylinder", "sphere": "sphere", "plate": "plate"}


@dataclass(eq=False)
class Node:
    """One row: a group when `element_id` is empty, else an element or the ground."""

    key: str
    element_id: str = ""
    parent: Node | None = None
    row: int = 0
    children: list[Node] = field(default_factory=list)

    def add(self, child: Node) -> Node:
        """Append a child."""
        child.parent, child.row = self, len(self.children)
        self.children.append(child)
        return child


class TreeModel(QAbstractItemModel):
    """Rows over the document store; it reads the document when asked and keeps no copy of it.

    Parameters
    ----------
    store : DocumentStore
        The document.
    checks : CheckService
        Findings, shown as badges.
    """

    def __init__(self, store: DocumentStore, checks: CheckService, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._checks = checks
        self._filter = ""
        self._top = Node("top")
        self._nodes: dict[str, Node] = {}
        self._build()
        store.changed.connect(self._on_document_changed)
        checks.changed.connect(self._on_look_changed)

    # ---------------------------------------------------------------- structure
    def _build(self) -> None:
        m = self._store.mechanism
        top = Node("top")
        ground = top.add(Node(GROUND, GROUND))
        self._add_markers(ground, m, GROUND)
        bodies = top.add(Node("bodies"))
        for body in m.bodies:
            node = Node(body.id, body.id)
            self._add_markers(node, m, body.id)
            if node.children or self._matches(body):
                bodies.add(node)
        lists: tuple[tuple[str, Iterable[Element]], ...] = (
            ("joints", m.joints),
            ("forces", m.forces),
            ("parameters", m.parameters),
        )
        for key, elements in lists:
            group = top.add(Node(key))
            for element in elements:
                if self._matches(element):
                    group.add(Node(element.id, element.id))
        self._top = top
        self._nodes = {}
        self._index(top)

    def _add_markers(self, node: Node, m: Mechanism, body_id: str) -> None:
        for marker in m.markers:
            if marker.body == body_id and self._matches(marker):
                node.add(Node(marker.id, marker.id))

    def _index(self, node: Node) -> None:
        for child in node.children:
            self._nodes[child.key] = child
            self._index(child)

    def _matches(self, element: Element) -> bool:
        if not self._filter:
            return True
        return self._filter in f"{element.label} {self._note(element)}".casefold()

    def set_filter(self, text: str) -> None:
        """Show only elements whose name or note holds a text."""
        self._filter = text.strip().casefold()
        self._rebuild()

    @property
    def filtered(self) -> bool:
        """Whether a filter hides something."""
        return bool(self._filter)

    @property
    def empty(self) -> bool:
        """Whether the document has no elements at all."""
        return next(self._store.mechanism.elements(), None) is None

    def _rebuild(self) -> None:
        self.beginResetModel()
        self._build()
        self.endResetModel()

    def _on_document_changed(self, delta: Delta) -> None:
        moved = any(isinstance(self._element(one), Marker) for one in delta.changed)
        if delta.everything or delta.added or delta.removed or moved or self._filter:
            self._rebuild()
        else:
            self._on_look_changed()

    def _on_look_changed(self) -> None:
        """Names, notes and badges may depend on other elements, so all rows are asked anew."""
        for node in (self._top, *self._nodes.values()):
            if node.children:
                first, last = node.children[0], node.children[-1]
                self.dataChanged.emit(self._at(first), self._at(last))

    def _at(self, node: Node) -> QModelIndex:
        return QModelIndex() if node is self._top else self.createIndex(node.row, 0, node)

    def node(self, index: Index) -> Node:
        """Give the node behind an index."""
        if not index.isValid():
            return self._top
        found: Node = index.internalPointer()
        return found

    def index_of(self, key: str) -> QModelIndex:
        """Give the index of a group (``"bodies"``, ...) or an element; invalid when it is not shown."""
        return self._at(self._nodes[key]) if key in self._nodes else QModelIndex()

    def row_keys(self) -> list[str]:
        """Keys of all rows, groups and elements."""
        return list(self._nodes)

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008 - Qt's default
        children = self.node(parent).children
        return self._at(children[row]) if column == 0 and 0 <= row < len(children) else QModelIndex()

    def parent(self, index: Index) -> QModelIndex:  # type: ignore[override]  # QObject.parent() is another method
        owner = self.node(index).parent
        return QModelIndex() if owner is None else self._at(owner)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's default
        return len(self.node(parent).children)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's default
        return 1

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        node = self.node(index)
        if not node.element_id:
            return Qt.ItemFlag.ItemIsEnabled
        usual = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return usual if node.element_id == GROUND else usual | Qt.ItemFlag.ItemIsEditable

    # ---------------------------------------------------------------- what a row shows
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        node = self.node(index)
        element = self._element(node.element_id)
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return element.label if element else self._group_name(node.key)
            case Qt.ItemDataRole.ToolTipRole:
                return self._tip(element) if element else None
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{element.label}, {self._note(element)}" if element else self._group_name(node.key)
        match role:
            case v if v == ICON:
                return self._icon(element) if element else _GROUP_ICONS[node.key]
            case v if v == TONE:
                return self._tone(element) if element else "dim"
            case v if v == NOTE:
                return self._note(element) if element else ""
            case v if v == COUNT:
                return len(node.children) if not node.element_id else 0
            case v if v == ELEMENT_ID:
                return node.element_id
            case v if v == KEY:
                return node.key
            case v if v == VISIBLE:
                return element.visible if isinstance(element, Body) else None
            case v if v == BADGE:
                return self._badge(node.element_id)
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Rename through a command; a refused name leaves the old one and is told by the view."""
        element = self._element(self.node(index).element_id)
        name = str(value).strip()
        if element is None or name == element.label:
            return False
        self._store.do(Rename(element.id, name))
        return True

    def _element(self, element_id: str) -> Element | None:
        m = self._store.mechanism
        return m.element(element_id) if element_id and m.has(element_id) else None

    def _group_name(self, key: str) -> str:
        return {
            GROUND: self.tr("Ground"),
            "bodies": self.tr("Bodies"),
            "joints": self.tr("Joints"),
            "forces": self.tr("Forces"),
            "parameters": self.tr("Parameters"),
        }[key]

    @staticmethod
    def _icon(element: Element) -> str:
        if isinstance(element, Body):
            return SHAPE_ICONS.get(element.shapes[0].type, "bar") if element.shapes else "bar"
        return registry.about(element).icon

    @staticmethod
    def _tone(element: Element) -> str:
        if isinstance(element, Body):
            return element.color
        return {"joint": "joint", "force": "force"}.get(element.kind, "dim")

    def _label(self, reference: str) -> str:
        body = self._element(self._store.mechanism.body_of(reference))
        return body.label if body else self.tr("Ground")

    def _note(self, element: Element) -> str:
        if isinstance(element, Body):
            return self._mass(element)
        if isinstance(element, Parameter):
            return f"{_shown(element.value)} {element.unit}".strip()
        if isinstance(element, Marker):
            return ""
        ends = [self._label(reference) for reference in element.references()]
        if len(ends) == 1:
            return self.tr("on {body}").format(body=ends[0])
        return ", ".join(ends)

    def _mass(self, body: Body) -> str:
        try:
            numbers = self._store.evaluated.element(body.id)
            assert isinstance(numbers, Body)
            return self.tr("{mass} kg").format(mass=format_number(numbers.inertia().mass, 4))
        except DocumentError:
            return ""

    def _tip(self, element: Element) -> str:
        about = registry.about(element)
        lines = [
            f"<b>{element.label}</b> &nbsp;{translation.core(about.label)}",
            translation.core(about.help),
        ]
        lines += [translation.core(finding.text) for finding in self._checks.findings_of(element.id)]
        return "<br>".join(lines)

    def _badge(self, element_id: str) -> str:
        severities = (
            {finding.severity for finding in self._checks.findings_of(element_id)} if element_id else set()
        )
        if Severity.ERROR in severities:
            return "bad"
        return "warn" if Severity.WARNING in severities else ""


_GROUP_ICONS = {
    GROUND: "anchor",
    "bodies": "box",
    "joints": "revolute",
    "forces": "sda",
    "parameters": "parameter",
}


def _shown(value: float | str) -> str:
    return value if isinstance(value, str) else format_number(value)
