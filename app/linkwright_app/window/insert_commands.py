"""The Insert menu: new elements with sensible values, placed by what is selected, each as one step."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject

from linkwright.document import rotation
from linkwright.document.base import GROUND, Element, id_from_name
from linkwright.document.bodies import Body, Marker
from linkwright.document.commands import AddElement, Batch, Command
from linkwright.document.mechanism import Mechanism, Quat, Vector
from linkwright.document.parameters import Parameter
from linkwright.document.shapes import Link
from linkwright.elements import registry
from linkwright.elements.forces.loads import AppliedForce, AppliedTorque
from linkwright.elements.forces.sda import Sda
from linkwright_app import translation
from linkwright_app.properties.choice_editors import BODY_COLORS
from linkwright_app.services.document_store import DocumentStore
from linkwright_app.services.selection import Selection
from linkwright_app.window.actions import Actions

NEW_LINK = Link(length=1.0, start_radius=0.1, end_radius=0.1, thickness=0.06)
"""Shape of a new body."""
PUSH = 10.0
"""Size of a new force [N] or torque [N m]."""
STIFFNESS, DAMPING = 1000.0, 10.0
"""Stiffness [N/m] and damping [N s/m] of a new spring."""


def free_name(m: Mechanism, kind: str, prefix: str) -> str:
    """Give the first label of a kind that is not taken: ``J1``, ``J2``, ..."""
    taken = {element.label for element in m.elements() if element.kind == kind}
    taken |= {element.id for element in m.elements()}
    number = 1
    while f"{prefix}{number}" in taken or f"{prefix}{number}".lower() in taken:
        number += 1
    return f"{prefix}{number}"


def free_id(m: Mechanism, name: str) -> str:
    """Give an id for a new name."""
    return id_from_name(name, {element.id for element in m.elements()})


def place_in(m: Mechanism, body_id: str, frame: tuple[Vector, Quat]) -> tuple[Vector, Quat]:
    """Express a frame of the ground in a body as drawn (evaluated document)."""
    (x, y, z), turn = frame
    (bx, by, bz), body_turn = m.world_frame(body_id)
    back = rotation.conjugate(body_turn)
    return rotation.rotate(back, (x - bx, y - by, z - bz)), rotation.multiply(back, turn)


class InsertCommands(QObject):
    """Makes elements. A joint is placed at the first of the two ends; the other end gets a marker at the same place.

    Parameters
    ----------
    actions : Actions
        Takes the commands and shows them in its Insert menu.
    store : DocumentStore
        The document.
    selection : Selection
        What new elements are placed by; afterwards it holds the new one.
    do : callable
        Applies a command and tells whether it was accepted.
    """

    def __init__(
        self,
        actions: Actions,
        store: DocumentStore,
        selection: Selection,
        do: Callable[[Command], bool],
    ) -> None:
        super().__init__(actions)
        self._actions = actions
        self._store = store
        self._selection = selection
        self._do = do
        self._locked = False
        self._joints: list[str] = []
        self._add_actions()
        store.changed.connect(self.refresh)
        selection.changed.connect(self.refresh)
        self.refresh()

    def _add_actions(self) -> None:
        add, name = self._actions.add, translation.core
        body, marker = registry.ABOUT_BODY, registry.ABOUT_MARKER
        made = {
            "insert_body": add("insert_body", name(body.label), name(body.help), icon=body.icon),
            "insert_marker": add("insert_marker", name(marker.label), name(marker.help), icon=marker.icon),
        }
        for tag, cls in registry.joint_types().items():
            key = f"insert_joint_{tag}"
            about = cls.about
            made[key] = add(key, name(about.label), name(about.help), icon=about.icon)
            made[key].triggered.connect(lambda _=False, tag=tag: self.add_joint(tag))
            self._joints.append(key)
        for key, force in (("sda", Sda), ("force", AppliedForce), ("torque", AppliedTorque)):
            about = force.about
            made[f"insert_{key}"] = add(f"insert_{key}", name(about.label), name(about.help), icon=about.icon)
        parameter = registry.ABOUT_PARAMETER
        made["insert_parameter"] = add(
            "insert_parameter", name(parameter.label), name(parameter.help), icon=parameter.icon
        )
        works = {
            "insert_body": self.add_body,
            "insert_marker": self.add_marker,
            "insert_sda": self.add_spring,
            "insert_force": lambda: self.add_load(AppliedForce),
            "insert_torque": lambda: self.add_load(AppliedTorque),
            "insert_parameter": self.add_parameter,
        }
        for key, work in works.items():
            made[key].triggered.connect(lambda _=False, work=work: work())
        self._actions.fill_insert_menu(list(made))

    def set_locked(self, locked: bool) -> None:
        """Refuse changes of the structure while a run goes on."""
        self._locked = locked
        self.refresh()

    def refresh(self) -> None:
        """Enable what the selection allows."""
        free = not self._locked
        frames, moving = self._frames(), self._moving_frame()
        for key in ("insert_body", "insert_marker", "insert_parameter"):
            self._actions[key].setEnabled(free)
        for key in (*self._joints, "insert_sda"):
            self._actions[key].setEnabled(free and self._ends() is not None)
        for key in ("insert_force", "insert_torque"):
            self._actions[key].setEnabled(free and bool(frames) and moving is not None)

    # ---------------------------------------------------------------- what is selected
    def _frames(self) -> list[str]:
        """Selected bodies, markers and the ground, in order."""
        m = self._store.mechanism
        known = {GROUND, *(body.id for body in m.bodies), *(marker.id for marker in m.markers)}
        return [one for one in self._selection.ids if one in known]

    def _moving_frame(self) -> str | None:
        m = self._store.mechanism
        return next((one for one in reversed(self._frames()) if m.body_of(one) != GROUND), None)

    def _ends(self) -> tuple[str, str] | None:
        """Two frames on different bodies: the last two selected, or the last one and the ground."""
        m = self._store.mechanism
        frames = self._frames()
        if len(frames) >= 2 and m.body_of(frames[-1]) != m.body_of(frames[-2]):
            return frames[-2], frames[-1]
        moving = self._moving_frame()
        return (moving, GROUND) if moving is not None else None

    # ---------------------------------------------------------------- making
    def _insert(self, elements: Sequence[Element]) -> None:
        last = elements[-1]
        text = self.tr("Add {element}").format(element=last.label)
        if self._do(Batch(text, tuple(AddElement(element) for element in elements))):
            self._selection.set((last.id,))

    def add_body(self) -> None:
        """Add a link at the origin."""
        m = self._store.mechanism
        name = free_name(m, "body", self.tr("Body "))
        color = BODY_COLORS[len(m.bodies) % (len(BODY_COLORS) - 1)]
        self._insert([Body(id=free_id(m, name), name=name, shapes=(NEW_LINK,), color=color)])

    def add_marker(self) -> None:
        """Add a marker at the origin of the selected body, or on the ground."""
        m = self._store.mechanism
        frames = self._frames()
        owner = m.body_of(frames[-1]) if frames else GROUND
        name = free_name(m, "marker", registry.ABOUT_MARKER.short)
        self._insert([Marker(id=free_id(m, name), name=name, body=owner)])

    def add_joint(self, tag: str) -> None:
        """Add a joint between the two ends; the second end gets a marker where the first one is."""
        ends = self._ends()
        if ends is None:
            return
        m, drawn = self._store.mechanism, self._store.evaluated
        i, j = ends
        elements: list[Element] = []
        if drawn.world_frame(i) != drawn.world_frame(j):
            owner = m.body_of(j)
            position, orientation = place_in(drawn, owner, drawn.world_frame(i))
            name = free_name(m, "marker", registry.ABOUT_MARKER.short)
            made = Marker(
                id=free_id(m, name),
                name=name,
                body=owner,
                position=position,
                orientation=rotation.normalised(orientation),
            )
            elements.append(made)
            j = made.id
        cls = registry.joint_type(tag)
        name = free_name(m, "joint", cls.about.short)
        elements.append(cls(id=free_id(m, name), type=tag, name=name, i=i, j=j))
        self._insert(elements)

    def add_spring(self) -> None:
        """Add a spring between the two ends as they are."""
        ends = self._ends()
        if ends is None:
            return
        m = self._store.mechanism
        name = free_name(m, "force", Sda.about.short)
        i, j = ends
        self._insert([Sda(id=free_id(m, name), name=name, i=i, j=j, stiffness=STIFFNESS, damping=DAMPING)])

    def add_load(self, cls: type[AppliedForce] | type[AppliedTorque]) -> None:
        """Add a force or torque at the selected frame, along x of the ground."""
        at = self._moving_frame()
        if at is None:
            return
        m = self._store.mechanism
        name = free_name(m, "force", cls.about.short)
        self._insert([cls(id=free_id(m, name), name=name, at=at, vector=(PUSH, 0.0, 0.0))])

    def add_parameter(self) -> None:
        """Add a parameter."""
        m = self._store.mechanism
        name = free_name(m, "parameter", registry.ABOUT_PARAMETER.short)
        self._insert([Parameter(id=free_id(m, name), name=name, value=1.0)])
