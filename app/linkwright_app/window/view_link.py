"""Joins the 3D view to the services: document, selection, time, runs and checks."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QMenu

from linkwright.document.base import GROUND
from linkwright.document.mechanism import Mechanism
from linkwright.elements import registry
from linkwright.errors import LinkwrightError
from linkwright_app.services.check_service import CheckService
from linkwright_app.services.document_store import Delta, DocumentStore
from linkwright_app.services.run_service import RunService
from linkwright_app.services.selection import Selection
from linkwright_app.services.time_cursor import TimeCursor
from linkwright_app.solve.run_card import run_card_text
from linkwright_app.viewport.cards import Crumb
from linkwright_app.viewport.viewport import Viewport
from linkwright_app.window import theme


class ViewLink(QObject):
    """Shows in the view what the services hold, and hands clicks in the view to them.

    Parameters
    ----------
    viewport : Viewport
        The 3D view.
    store, selection, run_service, time_cursor, checks
        The services.
    menu : QMenu
        Context menu of an element.
    show_properties : callable
        Brings the properties to the front.
    """

    def __init__(
        self,
        viewport: Viewport,
        store: DocumentStore,
        selection: Selection,
        run_service: RunService,
        time_cursor: TimeCursor,
        checks: CheckService,
        menu: QMenu,
        show_properties: Callable[[], None],
    ) -> None:
        super().__init__(viewport)
        self._view = viewport
        self._store = store
        self._selection = selection
        self._service = run_service
        self._cursor = time_cursor
        self._checks = checks
        self._menu = menu
        self._group_names = {
            "parameter": self.tr("Parameters"),
            "body": self.tr("Bodies"),
            "marker": self.tr("Markers"),
            "joint": self.tr("Joints"),
            "force": self.tr("Forces"),
        }
        viewport.picked.connect(self._on_picked)
        viewport.activated.connect(lambda one: show_properties() if one else None)
        viewport.context_requested.connect(self._on_context)
        viewport.breadcrumb.clicked.connect(lambda one: selection.set((one,)))
        store.changed.connect(self._on_document_changed)
        selection.changed.connect(self._on_selected)
        time_cursor.moved.connect(self._show_moment)
        run_service.current_changed.connect(self._show_moment)
        run_service.was_reset.connect(self._show_moment)
        run_service.plot_ticked.connect(self._show_card)
        run_service.state_changed.connect(self._on_run_state)
        run_service.failed.connect(self._on_failed)
        run_service.started.connect(lambda: viewport.set_fault(""))
        time_cursor.playing_changed.connect(self._show_motion)
        checks.changed.connect(self.show_facts)
        viewport.show_mechanism(store.evaluated)
        self._on_selected()
        self._show_moment()
        self._show_card()

    # ---------------------------------------------------------------- clicks
    def _on_picked(self, one: str, modifiers: Qt.KeyboardModifier) -> None:
        if modifiers & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier):
            if one:
                self._selection.toggle(one)
        else:
            self._selection.set((one,) if one else ())

    def _on_context(self, one: str, place: QPoint) -> None:
        if one and one not in self._selection.ids:
            self._selection.set((one,))
        self._menu.exec(place)

    # ---------------------------------------------------------------- document
    def _on_document_changed(self, delta: Delta) -> None:
        self._view.show_mechanism(self._store.evaluated, delta)
        if delta.everything:
            self._view.set_fault("")
        self._show_path()
        self.show_facts()

    def _on_selected(self) -> None:
        self._view.set_selection(self._selection.ids)
        self._show_path()

    def _show_path(self) -> None:
        """Write title, kind and name of the selected element into the upper left corner."""
        m = self._store.mechanism
        steps = [Crumb(m.title or self.tr("Mechanism"), icon="globe")]
        live = self._service.live
        if live is not None:
            text = self.tr("following run {run}") if self._cursor.following else self.tr("run {run}")
            steps.append(Crumb(text.format(run=live.label)))
        elif self._selection.ids:
            one = self._selection.ids[-1]
            if one == GROUND:
                steps.append(Crumb(self.tr("Ground"), GROUND))
            elif m.has(one):
                element = m.element(one)
                steps += [Crumb(self._group_names[element.kind]), Crumb(element.label, one)]
        self._view.breadcrumb.set_path(steps)

    # ---------------------------------------------------------------- time
    def _show_moment(self) -> None:
        """Show the bodies as they are at the time of the cursor."""
        entry = self._service.current
        poses = None if entry is None or not entry.history.n_frame else entry.history.poses_at(self._cursor.t)
        channels: dict[str, float] = {}
        if entry is not None and poses is not None:
            frame = entry.history.frame_index(self._cursor.t)
            for name in entry.history.channel_names:
                if name.endswith((".length", ".force")):
                    channels[name] = float(entry.history.channel(name, frame, frame + 1)[0])
        self._view.set_channels(channels)
        self._view.set_poses(poses)
        self.show_facts()

    def show_facts(self) -> None:
        """Write freedoms and counts, or time and step of a run, into the lower right corner."""
        entry = self._service.current
        if entry is not None:
            facts = [
                self.tr("t = {t} s").format(t=f"{self._cursor.t:.3f}"),
                self.tr("step {h} ms").format(h=f"{entry.h * 1e3:.4g}"),
                self.tr("{count} retries").format(count=entry.solves.retries),
            ]
        else:
            facts = self._model_facts(self._store.mechanism)
        self._view.set_status(facts)

    def _model_facts(self, m: Mechanism) -> list[str]:
        if not m.bodies:
            return []
        report = self._checks.report if self._checks.up_to_date else None
        facts = []
        if report is not None and report.dof_rank is not None:
            facts.append(self.tr("DOF {count}").format(count=report.dof_rank))
        facts.append(self.tr("{count} coordinates").format(count=7 * len(m.bodies)))
        joints = [joint for joint in m.joints if isinstance(joint, registry.JointType)]
        n_row = len(m.bodies) + sum(6 - joint.freedoms() for joint in joints)
        facts.append(self.tr("{count} equations").format(count=n_row))
        facts.append(self.tr("m · kg · s"))
        return facts

    # ---------------------------------------------------------------- runs
    def _show_motion(self) -> None:
        """Spare the view its refined pictures as long as the bodies move."""
        self._view.set_moving(self._cursor.playing or self._service.state in ("running", "stopping"))

    def _on_run_state(self) -> None:
        self._show_motion()
        self._show_path()
        self._show_card()

    def _show_card(self) -> None:
        card, entry = self._view.run_card, self._service.live
        card.setVisible(entry is not None)
        if entry is not None:
            text = run_card_text(entry)
            palette = theme.tokens().plot
            card.set_title(text.title, text.place, palette[entry.slot % len(palette)])
            card.set_progress(text.share)
            card.set_rows(text.rows)

    def _on_failed(self, error: LinkwrightError) -> None:
        self._view.set_fault(error.element or "")
