"""The document side of the window: its services, its panels, and what happens between them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtOpenGLWidgets import QOpenGLWidget
from PySide6.QtWidgets import QFileDialog, QWidget

from linkwright.document.commands import SetField
from linkwright.errors import LinkwrightError, RunError
from linkwright_app import translation
from linkwright_app.properties.properties_panel import PropertiesPanel
from linkwright_app.services.check_service import CheckService
from linkwright_app.services.document_store import Delta, DocumentStore
from linkwright_app.services.run_history import RunHistory
from linkwright_app.services.run_service import RunService
from linkwright_app.services.selection import Selection
from linkwright_app.services.time_cursor import TimeCursor
from linkwright_app.tree.tree_model import TreeModel
from linkwright_app.tree.tree_view import TreePanel
from linkwright_app.window import theme
from linkwright_app.window.checks_panel import ChecksPanel
from linkwright_app.window.documents import Documents
from linkwright_app.window.edit_commands import EditCommands
from linkwright_app.window.insert_commands import InsertCommands
from linkwright_app.window.layouts import BUILD, PLOT_HEIGHT, SOLVE
from linkwright_app.window.log_panel import LogPanel
from linkwright_app.window.main_window import ask_to_stop
from linkwright_app.window.notices import Choice
from linkwright_app.window.side_panel import SidePanel

if TYPE_CHECKING:
    from linkwright_app.plots.plot_dock import PlotDock
    from linkwright_app.results.timeline import Timeline
    from linkwright_app.solve.jacobian_panel import JacobianPanel
    from linkwright_app.solve.run_bar import RunBar
    from linkwright_app.viewport.viewport import Viewport
    from linkwright_app.window.main_window import MainWindow

_log = logging.getLogger(__name__)

ASK_AFTER = 10.0
"""A run that took longer than this is not ended by closing the window without a question [s]."""


class Session(QObject):
    """Services and panels of one window.

    Parameters
    ----------
    window : MainWindow
        The frame they stand in.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.window = window
        self.store = DocumentStore(self)
        self.selection = Selection(self.store, self)
        self.checks = CheckService(self.store, parent=self)
        self.run_service = RunService(self.store, parent=self)
        self.time_cursor = TimeCursor(self.run_service, self)
        self.documents = Documents(window, self.store, window.settings, window.notices)
        self.documents.before_replace = self._may_end_run
        self.ask_to_stop: Callable[[QWidget], bool] = ask_to_stop
        self.edits = EditCommands(window.actions_, self.store, self.selection, window.tell_error)
        self.inserts = InsertCommands(window.actions_, self.store, self.selection, self.edits.do)

        self.tree_model = TreeModel(self.store, self.checks, self)
        self.tree = TreePanel(self.tree_model, self.store, self.selection)
        self.properties = PropertiesPanel(
            self.store, self.selection, advanced=window.settings.advanced_fields
        )
        self.checks_panel = ChecksPanel(self.store, self.checks)
        self.log_panel = LogPanel(window.log_handler)
        self.side = SidePanel()
        self.side.set_page("properties", self.properties, self.checks_panel)
        self._folded: dict[int, bool] = {}
        self._entering = False
        self.viewport: Viewport | None = None
        self.plots: PlotDock | None = None
        self.timeline: Timeline | None = None
        self.run_bar: RunBar | None = None
        self.jacobian: JacobianPanel | None = None

        areas = Qt.DockWidgetArea
        window.layouts.add("tree", self.tr("Model"), self.tree, areas.LeftDockWidgetArea)
        window.layouts.add("side", self.tr("Properties"), self.side, areas.RightDockWidgetArea)
        self._connect()
        window.attach(self)

    def _connect(self) -> None:
        window, actions, documents = self.window, self.window.actions_, self.documents
        window.on("new", documents.new)
        window.on("open", documents.open)
        window.on("save", documents.save)
        window.on("save_as", documents.save_as)
        window.on("welcome", window.show_welcome)
        window.on("rename", self.tree.view.rename_selected)
        window.on("check", self.show_checks)
        window.on("find", self._find)
        window.on("side_properties", lambda: self.show_side("properties"))
        for name in ("new", "open", "save", "save_as", "welcome", "check", "find", "side_properties"):
            actions[name].setEnabled(True)
        window.welcome.file_chosen.connect(lambda path: documents.open_path(Path(path)))
        window.welcome.sample_chosen.connect(self.open_sample)
        documents.opened.connect(self._on_opened)
        for name in ("rename", "delete"):
            self.tree.view.context_menu.addAction(actions[name])
        self.tree.view.context_menu.addSeparator()
        for name in ("hide", "isolate", "show_all", "fit_selection"):
            self.tree.view.context_menu.addAction(actions[name])
        self.tree.view.refused.connect(
            lambda text, one: window.tell_error(LinkwrightError(text, one or None))
        )
        self.properties.advanced_changed.connect(lambda on: setattr(window.settings, "advanced_fields", on))
        self.checks_panel.element_chosen.connect(lambda one: self.selection.set((one,)))
        self.checks_panel.mended.connect(self.edits.do)
        self.store.changed.connect(self._on_document_changed)
        self.store.path_changed.connect(self.show_title)
        self.store.modified_changed.connect(self.show_title)
        documents.written.connect(self.show_title)
        self.selection.changed.connect(self.show_status)
        service = self.run_service
        service.state_changed.connect(self._on_run_state)
        service.started.connect(self._on_started)
        service.finished.connect(self._on_finished)
        service.failed.connect(self._on_failed)
        service.refused.connect(window.tell_error)
        service.plot_ticked.connect(self.show_status)

    # ---------------------------------------------------------------- later parts
    def add_view(self) -> None:
        """Import VTK and put the 3D view into its place."""
        from linkwright_app.viewport.viewport import Viewport
        from linkwright_app.window.view_link import ViewLink

        window, actions = self.window, self.window.actions_
        canvas = "image" if window.settings.safe_graphics else "auto"
        viewport = Viewport(theme="dark" if theme.tokens().dark else "light", canvas=canvas)
        self.viewport = viewport
        window.workspace.set_view(viewport)
        window.settings.direct_view = bool(viewport.findChildren(QOpenGLWidget))
        ViewLink(
            viewport,
            self.store,
            self.selection,
            self.run_service,
            self.time_cursor,
            self.checks,
            self.tree.view.context_menu,
            lambda: self.show_side("properties"),
        )
        views = {"view_front": "front", "view_right": "right", "view_top": "top", "view_isometric": "iso"}
        for name, view in views.items():
            window.on(name, lambda view=view: viewport.standard_view(view))
        window.on("fit_all", viewport.fit)
        window.on("fit_selection", viewport.fit_selection)
        window.on("orthographic", lambda on: viewport.set_projection(not on))
        names = (*views, "fit_all", "fit_selection", "orthographic")
        for name in names:
            actions[name].setEnabled(True)
        actions.only_in(viewport, (*names, "hide", "isolate", "show_all"))

    def add_plots(self) -> None:
        """Import pyqtgraph and put plots, timeline, run controls and the iteration matrix into their places."""
        from linkwright_app.plots.plot_dock import PlotDock
        from linkwright_app.results.timeline import Timeline
        from linkwright_app.solve.jacobian_panel import JacobianPanel
        from linkwright_app.solve.run_bar import RunBar

        window = self.window
        actions = window.actions_
        self.run_bar = RunBar(self.store, self.run_service)
        window.top_bar.set_controls(self.run_bar)
        actions.adopt("run", self.run_bar.command_actions)
        for action in self.run_bar.command_actions.values():
            window.addAction(action)
        self.timeline = Timeline(self.run_service, self.time_cursor)
        window.workspace.set_timeline(self.timeline)
        actions.adopt("results", self.timeline.command_actions)
        if self.viewport is not None:
            # Home and End fit the view there; the timeline keeps them for the ends of the run.
            ends = ("replay.first", "replay.last")
            replay = self.timeline.command_actions
            self.viewport.addActions([action for name, action in replay.items() if name not in ends])
        self.jacobian = JacobianPanel(
            self.store, self.run_service, self.time_cursor, selection=self.selection
        )
        self.side.set_page("jacobian", self.jacobian)
        window.on("side_jacobian", lambda: self.show_side("jacobian"))
        actions["side_jacobian"].setEnabled(True)
        self.plots = PlotDock(self.run_service, self.time_cursor)
        self._log_tab = self.plots.add_tab(self.log_panel, "scroll-text", self.tr("Log"))
        window.layouts.add("plots", self.tr("Plots"), self.plots, Qt.DockWidgetArea.BottomDockWidgetArea)
        window.on("log", self.show_log)
        actions["log"].setEnabled(True)
        window.on("export_results", self.export_results)
        self.run_service.current_changed.connect(self._refresh_export)
        self.run_service.state_changed.connect(self._refresh_export)
        self.plots.collapsed_changed.connect(self._on_plots_folded)
        if not window.on_welcome_page:
            self.enter_stage(window.layouts.stage)

    @property
    def graphics(self) -> str:
        """What draws the 3D view; empty before it is there."""
        if self.viewport is None:
            return ""
        from linkwright_app.viewport.canvas import gl_report

        report = gl_report()
        return report.renderer if report.works else self.tr("none; drawn off screen")

    # ---------------------------------------------------------------- documents
    def open_sample(self, sample_id: str) -> None:
        """Open a copy of a sample."""
        from linkwright import samples

        self.documents.open_sample(samples.path(sample_id))

    def _on_opened(self) -> None:
        self.selection.clear()
        self.run_service.reset()
        self.window.notices.clear()
        self.window.show_workspace(BUILD)
        self.show_title()

    def _on_document_changed(self, delta: Delta) -> None:
        self.show_title()
        self.show_status()

    def show_title(self) -> None:
        """Show the name of the document and whether it is saved."""
        window, documents = self.window, self.documents
        window.setWindowTitle(f"{documents.name}[*] – Linkwright")
        window.setWindowModified(self.store.modified)
        window.actions_["save"].setEnabled(self.store.modified or self.store.path is None)
        if window.on_welcome_page:
            return
        if self.store.modified:
            note = self.tr("changed")
        elif documents.saved_at is not None:
            note = self.tr("saved {time}").format(time=f"{documents.saved_at:%H:%M}")
        else:
            note = self.tr("not saved yet") if self.store.path is None else ""
        window.top_bar.show_title(documents.name, note)

    # ---------------------------------------------------------------- what is in front
    def enter_stage(self, stage: int) -> None:
        """Put the pages of a stage in front."""
        self.show_side("jacobian" if stage == SOLVE else "properties")
        if self.plots is not None:
            self._entering = True
            self.plots.set_collapsed(self._folded.get(stage, stage == BUILD))
            self._entering = False
        self.show_title()
        self.show_status()

    def _on_plots_folded(self, folded: bool) -> None:
        """Remember for this stage what the user did with the plots, and give them room again."""
        if self._entering:
            return
        self._folded[self.window.layouts.stage] = folded
        if not folded:
            QTimer.singleShot(0, self, lambda: self.window.layouts.set_plot_height(PLOT_HEIGHT))

    def show_side(self, page: str) -> None:
        """Put a page of the right side in front."""
        self.side.show_page(page)
        name = f"side_{self.side.page}"
        if name in dict(self.window.actions_):
            self.window.actions_[name].setChecked(True)

    def show_checks(self) -> None:
        """Check now and show what is found."""
        if self.window.on_welcome_page:
            self.window.show_workspace(BUILD)
        self.show_side("properties")
        self.checks.start()

    def show_log(self) -> None:
        """Show the log."""
        if self.plots is not None:
            if self.window.on_welcome_page:
                self.window.show_workspace()
            self.plots.show_tab(self._log_tab)

    def _find(self) -> None:
        self.tree.filter.setFocus()
        self.tree.filter.selectAll()

    def apply_theme(self) -> None:
        """Hand the colours of the theme to the parts that draw with their own."""
        tokens = theme.tokens()
        for part in (self.plots, self.timeline, self.run_bar, self.jacobian):
            if part is not None:
                part.set_theme(tokens)
        if self.viewport is not None:
            self.viewport.set_theme("dark" if tokens.dark else "light")

    # ---------------------------------------------------------------- status row
    def show_status(self) -> None:
        """Show the next step and the facts of the moment."""
        if self.window.on_welcome_page:
            return
        status, m = self.window.status, self.store.mechanism
        status.show_hint(*self._hint())
        names = [m.element(one).label if m.has(one) else self.tr("Ground") for one in self.selection.ids]
        facts = []
        if len(names) == 1:
            facts.append(self.tr("selected: {name}").format(name=names[0]))
        elif names:
            facts.append(self.tr("selected: {count}").format(count=len(names)))
        entry = self.run_service.current
        if entry is not None:
            facts.append(self.tr("frames: {count}").format(count=entry.history.n_frame))
        facts.append(self.tr("units m · kg · s"))
        status.show_facts(facts)

    def _hint(self) -> tuple[str, str, str]:
        service = self.run_service
        entry = service.live
        if entry is not None:
            step, planned = entry.history.n_step, entry.n_step_planned
            if service.state == "paused":
                text = self.tr(
                    "Run {run} holds at step {step} of {all}.   F6 lets it go on, Shift+F5 ends it."
                )
            else:
                text = self.tr(
                    "Running {run}: step {step} of {all}.   F6 pauses, Shift+F5 stops and keeps the results."
                )
            return text.format(run=entry.label, step=step, all=planned), "activity", "accent"
        if not any(True for _ in self.store.mechanism.elements()):
            return (
                self.tr("The mechanism is empty.   Ctrl+O opens a file; samples are on the welcome page."),
                "lightbulb",
                "accent",
            )
        if service.current is not None:
            return (
                self.tr("Drag the time slider, or press Space in the view to replay.   F5 runs again."),
                "lightbulb",
                "accent",
            )
        return (
            self.tr("Click an element in the view or the tree to see its numbers.   F5 runs the mechanism."),
            "mouse-pointer-2",
            "accent",
        )

    # ---------------------------------------------------------------- runs
    def _on_run_state(self, state: str) -> None:
        locked = self.run_service.is_live
        self.tree.set_locked(locked)
        self.properties.set_locked(locked)
        self.edits.set_locked(locked)
        self.inserts.set_locked(locked)
        self.show_status()

    def _on_started(self) -> None:
        window = self.window
        if window.on_welcome_page or window.layouts.stage == BUILD:
            window.show_workspace(SOLVE)

    def _on_finished(self) -> None:
        entry = self.run_service.current
        if entry is None:
            return
        history = entry.history
        if entry.state == "stopped":
            text = self.tr("Run {run} was stopped at {t} s; its results are kept.")
            self.window.tell(text.format(run=entry.label, t=f"{history.t_last:.4g}"), "accent")
            return
        title = self.tr("Run {run} is complete.").format(run=entry.label)
        text = self.tr(
            "{steps} steps in {wall} s, {mean} iterations a step on average, "
            "energy balance within {energy} J, constraints within {gap}."
        )
        numbers = {
            "steps": history.n_step,
            "wall": f"{entry.runner.progress.wall_s:.3g}",
            "mean": f"{entry.solves.mean:.2f}",
            "energy": _largest(history, "energy.balance_error"),
            "gap": _largest(history, "constraint.position"),
        }
        message = text.format(**numbers)
        _log.info("%s %s", title, message)
        self.window.tell(f"{title}\n{message}", "good")
        if not self.run_service.waiting and entry.runner.progress.wall_s < entry.t_end:
            self.time_cursor.play()  # the run was over sooner than it could be watched

    def _on_failed(self, error: LinkwrightError) -> None:
        if error.element and self.store.mechanism.has(error.element):
            self.selection.set((error.element,))
        if isinstance(error, RunError):
            self.time_cursor.set_t(error.t)
        self.window.tell_error(error, self._ways_out(error))

    def _ways_out(self, error: LinkwrightError) -> list[Choice]:
        """Give what may help after a step did not converge; each is a change of the settings and another run."""
        entry = self.run_service.current
        if not isinstance(error, RunError) or entry is None:
            return []
        settings = self.store.mechanism.settings
        ways: list[Choice] = []
        if entry.label == "A" and entry.variant_now in ("M1", "M1+M2", "M1+M3"):
            path = f"settings.{settings.engine}.jacobian"
            ways.append((self.tr("Turn on M2 and M3"), lambda: self._run_with(path, "M1+M2+M3")))
        half = settings.h / 2.0
        text = self.tr("Step {h} ms").format(h=f"{half * 1e3:.4g}")
        ways.append((text, lambda: self._run_with("settings.h", half)))
        return ways

    def _run_with(self, path: str, value: object) -> None:
        if self.edits.do(SetField(None, path, value)):
            self.run_service.start()

    def _refresh_export(self) -> None:
        entry = self.run_service.current
        self.window.actions_["export_results"].setEnabled(entry is not None and not entry.is_live)

    def export_results(self) -> None:
        """Ask for a file and write the shown run to it."""
        entry = self.run_service.current
        if entry is None or entry.is_live:
            return
        kinds = self.tr("HDF5 with units and model (*.h5);;Table (*.csv);;NumPy arrays (*.npz)")
        stem = Path(self.documents.name).stem
        chosen, _ = QFileDialog.getSaveFileName(self.window, self.tr("Export results"), f"{stem}.h5", kinds)
        if not chosen:
            return
        try:
            entry.results.save(Path(chosen))
        except (LinkwrightError, OSError) as error:
            self.window.tell(
                f"{self.tr('The results were not written.')}\n{translation.core(str(error))}", "bad"
            )
        else:
            self.window.tell(self.tr("Results written to {file}").format(file=chosen), "good")

    # ---------------------------------------------------------------- closing
    def _may_end_run(self) -> bool:
        entry = self.run_service.live
        if entry is None:
            return True
        if entry.runner.progress.wall_s > ASK_AFTER and not self.ask_to_stop(self.window):
            return False
        self.run_service.reset()
        return True

    def may_close(self) -> bool:
        """Ask what has to be asked before the window goes."""
        return self.documents.may_leave() and self._may_end_run()

    def close(self) -> None:
        """End threads and timers, and let go of the graphics."""
        self.checks.close()
        if not self.run_service.close():
            _log.warning(self.tr("The solver did not stop in time."))
        self.time_cursor.pause()
        if self.viewport is not None:
            self.viewport.release()


def _largest(history: RunHistory, channel: str) -> str:
    """Largest size of a channel over a run, written short; a dash when the run has no such channel."""
    if channel not in history.channel_names or not history.n_frame:
        return "–"
    return f"{float(np.abs(history.channel(channel)).max()):.2g}"
