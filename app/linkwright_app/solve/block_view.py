"""The blocks M2 and M3 of one spring at the pose under the time cursor."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout

from linkwright.analysis.sda_jacobian import SdaBlocks, sda_blocks
from linkwright.document.mechanism import Mechanism
from linkwright.elements.forces.sda import Sda
from linkwright.errors import LinkwrightError
from linkwright_app import translation
from linkwright_app.services.document_store import DocumentStore
from linkwright_app.services.run_history import FloatArray
from linkwright_app.services.run_service import RunService
from linkwright_app.services.selection import Selection
from linkwright_app.services.time_cursor import TimeCursor
from linkwright_app.solve.heat_map import HeatMap
from linkwright_app.window.formula import FormulaLine
from linkwright_app.window.tokens import ThemeTokens
from linkwright_app.window.widgets import column, label, row


class BlockView(QFrame):
    """Formula, two heat maps and their key. Without a spring in the model it says so.

    Parameters
    ----------
    document_store : DocumentStore
        Source of the spring's numbers.
    run_service : RunService
        Source of the pose.
    time_cursor : TimeCursor
        Which pose.
    selection : Selection or None
        A selected spring is shown; else the first one.
    """

    def __init__(
        self,
        document_store: DocumentStore,
        run_service: RunService,
        time_cursor: TimeCursor,
        selection: Selection | None = None,
    ) -> None:
        super().__init__()
        self._store = document_store
        self._service = run_service
        self._cursor = time_cursor
        self._selection = selection
        self._blocks: SdaBlocks | None = None
        self.setProperty("ground", "equation")

        self._titles = (label("", "note"), label("", "note"))
        self.maps = (HeatMap(), HeatMap())
        self._message = label("", "note", wrap=True)
        formulas = row(
            FormulaLine("M_2 = ∂Q_e/∂q", px=15), FormulaLine("M_3 = ∂Q_e/∂q^{′}", px=15), spacing=24
        )
        self._swatches = (QLabel(), QLabel())
        for mark in self._swatches:
            mark.setFixedSize(10, 10)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 10, 8, 10)
        layout.setSpacing(8)
        layout.addLayout(formulas)
        layout.addWidget(self._message)
        pair = row(
            *(column(title, heat, spacing=4) for title, heat in zip(self._titles, self.maps, strict=True)),
            spacing=4,
        )
        pair.insertStretch(1, 1)
        layout.addLayout(pair)
        layout.addLayout(
            row(
                self._swatches[0],
                label(self.tr("negative"), "note"),
                8,
                self._swatches[1],
                label(self.tr("positive, log scale"), "note"),
                None,
            )
        )
        self._due = QTimer(self)
        self._due.setSingleShot(True)
        self._due.setInterval(1)
        self._due.timeout.connect(self.refresh)
        document_store.changed.connect(self._due.start)
        run_service.current_changed.connect(self._due.start)
        run_service.plot_ticked.connect(self._on_plot_tick)
        time_cursor.moved.connect(self._on_moved)
        if selection is not None:
            selection.changed.connect(self._due.start)

    @property
    def blocks(self) -> SdaBlocks | None:
        """What is shown."""
        return self._blocks

    def _spring(self, mechanism: Mechanism) -> Sda | None:
        springs = [f for f in mechanism.forces if isinstance(f, Sda)]
        chosen = () if self._selection is None else self._selection.ids
        return next((s for s in springs if s.id in chosen), springs[0] if springs else None)

    def _pose(self, mechanism: Mechanism) -> tuple[tuple[str, ...], FloatArray, FloatArray]:
        """Bodies, poses and twists under the cursor; as drawn when no run is shown."""
        entry = self._service.current
        if entry is not None and entry.history.n_frame:
            i = entry.history.frame_index(self._cursor.t)
            history = entry.history
            return history.body_ids, history.poses(i, i + 1)[0], history.twists(i, i + 1)[0]
        bodies = mechanism.bodies
        poses = np.array([[*b.position, *b.orientation] for b in bodies], float).reshape(-1, 7)
        twists = np.array([[*b.velocity, *b.angular_velocity] for b in bodies], float).reshape(-1, 6)
        return tuple(b.id for b in bodies), poses, twists

    def refresh(self) -> None:
        """Compute the blocks for the pose under the cursor."""
        if not self.isVisible():
            return
        mechanism = self._store.evaluated
        spring = self._spring(mechanism)
        self._blocks = None
        message = (
            "" if spring else self.tr("The model has no spring-damper-actuator, so M2 and M3 are empty.")
        )
        if spring is not None:
            try:
                bodies, poses, twists = self._pose(mechanism)
                self._blocks = sda_blocks(mechanism, spring.id, bodies, poses, twists)
            except (LinkwrightError, KeyError) as error:
                words = translation.core(error.message) if isinstance(error, LinkwrightError) else ""
                message = words or self.tr("The shown run has other bodies than the model.")
        self._show(mechanism, spring, message)

    def _show(self, mechanism: Mechanism, spring: Sda | None, message: str) -> None:
        blocks = self._blocks
        self._message.setText(message)
        self._message.setVisible(bool(message))
        for parts in (self._titles, self.maps):
            for part in parts:
                part.setVisible(blocks is not None)
        if blocks is None or spring is None:
            return
        n = len(blocks.m2)
        self._titles[0].setText(self.tr("M2 of {0}, {1} × {2}").format(spring.label, n, n))
        self._titles[1].setText(self.tr("M3 of {0}").format(spring.label))
        names = tuple(mechanism.element(body).label for body in blocks.bodies)
        for heat, matrix in zip(self.maps, (blocks.m2, blocks.m3), strict=True):
            heat.set_matrix(matrix, names, blocks.coordinates)

    def _on_moved(self) -> None:
        if not self._cursor.following:
            self._due.start()

    def _on_plot_tick(self) -> None:
        if self._cursor.following:
            self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._due.start()

    def set_theme(self, tokens: ThemeTokens) -> None:
        """Take the colours of a theme."""
        for mark, ink in zip(self._swatches, tokens.plot, strict=False):
            mark.setStyleSheet(f"background: {ink}; border-radius: 2px;")
        for heat in self.maps:
            heat.update()
