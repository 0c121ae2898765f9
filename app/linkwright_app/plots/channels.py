"""Any channels of a run over time: chosen from a list, one plot for each unit, all with the same time axis."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QHBoxLayout, QMenu, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from linkwright_app.plots import line_style
from linkwright_app.plots.axis import number
from linkwright_app.plots.channel_curve import ChannelCurve
from linkwright_app.plots.channel_names import channel_title, group_title, quantity_title, unit_quantity
from linkwright_app.plots.plot_frame import Columns, PlotFrame, padded, robust_range
from linkwright_app.plots.plot_legend import LegendRow, PlotLegend
from linkwright_app.plots.run_panel import RunPanel, entry_horizon
from linkwright_app.services.run_entry import RunEntry
from linkwright_app.services.run_history import FloatArray
from linkwright_app.services.run_service import RunService
from linkwright_app.services.time_cursor import TimeCursor
from linkwright_app.window.tokens import ThemeTokens
from linkwright_app.window.widgets import rule, search_field

LIST_WIDTH = 208
_NAME = Qt.ItemDataRole.UserRole
#: Tails of channels worth a first look, in order.
_FIRST_LOOK = (".length", ".force")


class _Curve:
    """One channel of one run in a plot."""

    def __init__(self, frame: PlotFrame, entry: RunEntry, channel: str, slot: int) -> None:
        self.entry = entry
        self.channel = channel
        self.slot = slot
        self.curve = ChannelCurve(frame, z=20 - entry.slot)

    def take_rows(self) -> None:
        seen, n = len(self.curve.samples), self.entry.history.n_frame
        if n > seen:
            times = self.entry.history.frame_times()[seen:n].copy()
            self.curve.append(times, self.entry.history.channel(self.channel, seen, n))


class _UnitPlot(PlotFrame):
    """All chosen channels of one unit."""

    def __init__(self, unit: str) -> None:
        super().__init__()
        self.unit = unit
        self.curves: list[_Curve] = []
        self.legend = PlotLegend(self)


class ChannelPanel(RunPanel):
    """A list of all channels on the left, plots of the ticked ones on the right.

    Parameters
    ----------
    run_service : RunService
        Source of the runs.
    time_cursor : TimeCursor
        The shared time.
    """

    def __init__(self, run_service: RunService, time_cursor: TimeCursor) -> None:
        super().__init__(run_service, time_cursor)
        self._entries: list[RunEntry] = []
        self._listed: tuple[str, ...] = ()
        self._groups: dict[str, QTreeWidgetItem] = {}
        self._chosen: list[str] | None = None
        self._plots: list[_UnitPlot] = []
        self._shown: tuple[object, ...] = ()

        self._filter = search_field(self.tr("Filter channels"))
        self._filter.textChanged.connect(self._apply_filter)
        self.list = QTreeWidget()
        self.list.setHeaderHidden(True)
        self.list.setIndentation(12)
        self.list.setRootIsDecorated(False)
        self.list.setAccessibleName(self.tr("Channels"))
        self.list.itemChanged.connect(self._on_ticked)
        side = QWidget()
        side.setFixedWidth(LIST_WIDTH)
        side_layout = QVBoxLayout(side)
        side_layout.setContentsMargins(8, 8, 0, 0)
        side_layout.setSpacing(6)
        side_layout.addWidget(self._filter)
        side_layout.addWidget(self.list, 1)
        self._right = QVBoxLayout()
        self._right.setSpacing(0)
        self._empty = PlotFrame()
        self._right.addWidget(self._empty, 1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(side)
        layout.addWidget(rule(vertical=True))
        layout.addLayout(self._right, 1)
        self.set_theme(self.tokens)

    def set_theme(self, tokens: ThemeTokens) -> None:
        for plot in (self._empty, *self._plots):
            plot.set_theme(tokens)
        for plot in self._plots:
            plot.legend.set_theme(tokens)
        super().set_theme(tokens)

    def fill_menu(self, menu: QMenu) -> None:
        """Add the commands of each plot to a menu."""
        for plot in self._plots:
            plot.fill_menu(
                menu.addMenu(f"{plot.titles[1][0]} [{plot.unit}]") if len(self._plots) > 1 else menu
            )

    # ------------------------------------------------------------------ which channels
    @property
    def chosen(self) -> tuple[str, ...]:
        """Channels plotted, in the order they were ticked."""
        return tuple(c for c in self._chosen or () if c in self._listed)

    def choose(self, channels: list[str]) -> None:
        """Plot these channels."""
        self._chosen = list(channels)
        self._tick_items()
        self.refresh()

    def _on_ticked(self, item: QTreeWidgetItem) -> None:
        channel = item.data(0, _NAME)
        if not channel:
            return
        chosen = list(self._chosen or [])
        on = item.checkState(0) == Qt.CheckState.Checked
        if on and channel not in chosen:
            chosen.append(channel)
        elif not on and channel in chosen:
            chosen.remove(channel)
        self._chosen = chosen
        self.refresh()

    def _apply_filter(self, text: str) -> None:
        wanted = text.casefold()
        for group in self._groups.values():
            any_shown = False
            for child in _children(group):
                shown = wanted in f"{group.text(0)} {child.text(0)} {child.data(0, _NAME)}".casefold()
                child.setHidden(not shown)
                any_shown = any_shown or shown
            group.setHidden(not any_shown)

    def _fill_list(self, entry: RunEntry) -> None:
        names = entry.history.channel_names
        if names == self._listed:
            return
        self._listed = names
        if self._chosen is None or not self.chosen:
            self._chosen = [c for tail in _FIRST_LOOK for c in names if c.endswith(tail)][:2] or list(
                names[:1]
            )
        self.list.blockSignals(True)
        self.list.clear()
        groups = self._groups = {}
        # Elements first: what somebody drew is looked for more often than sums over the whole mechanism.
        for name in sorted(names, key=lambda c: not entry.mechanism.has(c.partition(".")[0])):
            title = group_title(entry.mechanism, name)
            if title not in groups:
                groups[title] = QTreeWidgetItem(self.list, [title])
                groups[title].setExpanded(True)
                groups[title].setFlags(Qt.ItemFlag.ItemIsEnabled)
            item = QTreeWidgetItem(groups[title], [quantity_title(name)])
            item.setData(0, _NAME, name)
            item.setToolTip(0, f"{name} [{entry.history.unit(name)}]" if entry.history.unit(name) else name)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable)
        self.list.blockSignals(False)
        self._tick_items()
        self._apply_filter(self._filter.text())

    def _tick_items(self) -> None:
        self.list.blockSignals(True)
        for group in self._groups.values():
            for child in _children(group):
                on = child.data(0, _NAME) in (self._chosen or ())
                child.setCheckState(0, Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)
        self.list.blockSignals(False)

    # ------------------------------------------------------------------ runs and rows
    def sync_runs(self) -> None:
        service = self.run_service
        self._entries = [e for e in (service.run_a, service.run_b) if e is not None]
        if self._entries:
            self._fill_list(self._entries[-1])
        shown = (tuple(self._entries), self.chosen)
        if shown != self._shown:
            self._shown = shown
            self._build_plots()
        self._set_looks()

    def _build_plots(self) -> None:
        for plot in self._plots:
            self._right.removeWidget(plot)
            plot.hide()
            plot.deleteLater()
        self._plots = []
        by_unit: dict[str, _UnitPlot] = {}
        for slot, channel in enumerate(self.chosen):
            for entry in self._entries:
                if channel not in entry.history.channel_names:
                    continue
                unit = entry.history.unit(channel)
                if unit not in by_unit:
                    by_unit[unit] = self._new_plot(unit)
                by_unit[unit].curves.append(_Curve(by_unit[unit], entry, channel, slot))
        self._plots = list(by_unit.values())
        for plot in self._plots:
            last = plot is self._plots[-1]
            channels = {c.channel for c in plot.curves}
            what = quantity_title(next(iter(channels))) if len(channels) == 1 else unit_quantity(plot.unit)
            plot.set_titles((self.tr("time"), "s") if last else ("", ""), (what, plot.unit))
        self._empty.setVisible(not self._plots)
        self._empty.set_empty_text(
            self.tr("Tick a channel in the list.") if self._entries else self.tr("Press F5 to run.")
        )

    def _new_plot(self, unit: str) -> _UnitPlot:
        plot = _UnitPlot(unit)
        plot.picked.connect(self.time_cursor.set_t)
        plot.view_changed.connect(partial(self._on_view, plot))
        plot.set_source("channels", partial(self._table, plot))
        self._right.addWidget(plot, 1)
        return plot

    def _on_view(self, changed: _UnitPlot) -> None:
        (low, high), _ = changed.view_range
        for plot in self._plots:
            if plot is not changed and plot.view_range[0] != (low, high):
                plot.set_zoomed(changed.zoomed)
                plot.getViewBox().setRange(xRange=(low, high), padding=0.0)
        for curve in changed.curves:
            curve.curve.refresh()

    def _pen(self, curve: _Curve) -> QPen:
        pen = line_style.pen(self.tokens, curve.slot, live=curve.entry.is_live)
        if curve.entry.label == "B":
            # Over the line of A in the same colour, so that agreement shows as dots on a line.
            pen.setWidthF(max(pen.widthF(), 1.0))
            pen.setDashPattern([1.5, 3.0])
            pen.setColor(self.tokens.text)
        return pen

    def _set_looks(self) -> None:
        for plot in self._plots:
            for curve in plot.curves:
                curve.curve.set_pen(self._pen(curve), live=curve.entry.is_live)

    def take_rows(self) -> None:
        t_end = max((entry_horizon(e) for e in self._entries), default=1.0)
        for plot in self._plots:
            for curve in plot.curves:
                curve.take_rows()
            values = np.concatenate([c.curve.visible_values() for c in plot.curves])
            low, high, outside = robust_range(values) or (0.0, 1.0, None)
            plot.set_home(0.0, t_end, *padded(low, high))
            note = self.tr("off scale: up to {0}") + (f" {plot.unit}" if plot.unit else "")
            plot.set_note(PlotFrame.off_scale_note(note, outside))
            for curve in plot.curves:
                curve.curve.refresh()
        self._empty.set_home(0.0, t_end, 0.0, 1.0)

    # ------------------------------------------------------------------ cursor
    def draw_cursor(self) -> None:
        shown = self.run_service.current in self._entries
        t = self.time_cursor.t if shown else None
        ratio = self.devicePixelRatioF()
        for plot in self._plots:
            plot.set_cursor(t)
            rows = []
            for curve in plot.curves:
                pen = self._pen(curve)
                dash = tuple(pen.dashPattern()) if pen.style() == Qt.PenStyle.CustomDashLine else ()
                title = channel_title(curve.entry.mechanism, curve.channel)
                if len(self._entries) > 1:
                    title = f"{curve.entry.label}  {title}"
                value = "" if t is None else f"{number(curve.curve.value_at(t), 5)} {plot.unit}".strip()
                sample = line_style.swatch("line", pen.color().name(), ratio=ratio, dash=dash)
                rows.append(LegendRow(sample, title, value))
            plot.legend.set_rows(rows)

    def _table(self, plot: _UnitPlot) -> Columns:
        columns: list[tuple[str, FloatArray]] = []
        for entry in self._entries:
            of_entry = [c for c in plot.curves if c.entry is entry]
            if not of_entry:
                continue
            prefix = f"{entry.label} " if len(self._entries) > 1 else ""
            columns.append((prefix + self.tr("time [s]"), of_entry[0].curve.samples.t))
            columns += [(f"{prefix}{c.channel} [{plot.unit}]", c.curve.samples.y) for c in of_entry]
        return columns


def _children(group: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    items = (group.child(j) for j in range(group.childCount()))
    return [item for item in items if item is not None]
