"""The timeline: replay buttons, speed, loop, the slider, and the time in figures."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QFontMetricsF, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from linkwright_app.results.time_slider import EventTick, TimeSlider
from linkwright_app.services.run_service import RunService
from linkwright_app.services.time_cursor import SPEEDS, TimeCursor
from linkwright_app.window import icons, theme
from linkwright_app.window.tokens import ThemeTokens
from linkwright_app.window.widgets import label, restyle, rule, tool_button

HEIGHT = 44
_TONES = {"impact": "bad", "failure": "bad", "stick": "warn", "slip": "warn"}


def speed_text(speed: float) -> str:
    """Write a replay speed: ``×1``, ``×1/4``, ``×8``."""
    return f"×{speed:g}" if speed >= 1.0 else f"×1/{1.0 / speed:g}"


def time_decimals(t_end: float) -> int:
    """Digits behind the point that tell about 5000 places of a run apart, at least three."""
    decimals = 3
    while t_end > 0.0 and t_end * 10.0**decimals < 500.0 and decimals < 9:
        decimals += 1
    return decimals


class Timeline(QWidget):
    """Replay of the shown run. Every command is an action of its own, to be put into menus and the command search.

    Parameters
    ----------
    run_service : RunService
        Source of the shown run.
    time_cursor : TimeCursor
        The shared time.
    tokens : ThemeTokens or None
        Colours to begin with; the present theme when None.
    """

    def __init__(
        self, run_service: RunService, time_cursor: TimeCursor, tokens: ThemeTokens | None = None
    ) -> None:
        super().__init__()
        self._run_service = run_service
        self._cursor = time_cursor
        self.setProperty("ground", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(HEIGHT)
        self.command_actions: dict[str, QAction] = {}
        self._make_actions()

        self._play = self._button("replay.play", 18)
        self._speed = QToolButton()
        self._speed.setFixedHeight(28)
        self._speed.setMinimumWidth(34)
        self._speed.setFont(theme.font(12, 500, tabular=True))
        self._speed.setToolTip(self.tr("Replay speed  [ halves, ] doubles"))
        self._speed.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self._speed)
        for speed in SPEEDS:
            menu.addAction(speed_text(speed), partial(time_cursor.set_speed, speed))
        self._speed.setMenu(menu)
        self.slider = TimeSlider()
        self.slider.dragged.connect(time_cursor.set_t)
        self.slider.stepped.connect(time_cursor.step)
        self._now = label("", "title")
        self._now.setFont(theme.font(13, 600, tabular=True))
        self._end = label("", "dim")
        self._end.setFont(theme.font(12, tabular=True))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 0, 12, 0)
        layout.setSpacing(4)
        for item in (
            self._button("replay.first", 16),
            self._button("replay.previous", 16),
            self._play,
            self._button("replay.next", 16),
            self._button("replay.last", 16),
            rule(vertical=True, length=20),
            self._speed,
            self._button("replay.loop", 16),
        ):
            layout.addWidget(item)
        layout.addSpacing(4)
        layout.addWidget(self.slider, 1)
        layout.addSpacing(4)
        layout.addWidget(self._now)
        layout.addWidget(self._end)

        time_cursor.moved.connect(self._show_time)
        time_cursor.range_changed.connect(self._show_range)
        time_cursor.playing_changed.connect(self._show_state)
        time_cursor.following_changed.connect(self._show_state)
        time_cursor.speed_changed.connect(self._show_state)
        time_cursor.loop_changed.connect(self._show_state)
        run_service.current_changed.connect(self._show_range)
        run_service.plot_ticked.connect(self._show_events)
        run_service.runs_changed.connect(self._show_events)
        run_service.state_changed.connect(self._show_state)
        self._show_range()
        self._show_state()
        self.set_theme(tokens or theme.tokens())

    # ------------------------------------------------------------------ commands
    def _make_actions(self) -> None:
        cursor = self._cursor
        key = Qt.Key
        self._action("replay.first", self.tr("Go to start"), "skip-back", [key.Key_Home], cursor.to_start)
        self._action(
            "replay.previous", self.tr("Previous frame"), "step-back", [key.Key_Left], lambda: cursor.step(-1)
        )
        self._action("replay.play", self.tr("Play"), "play", [key.Key_Space], cursor.toggle)
        self._action(
            "replay.next", self.tr("Next frame"), "step-forward", [key.Key_Right], lambda: cursor.step(1)
        )
        self._action("replay.last", self.tr("Go to end"), "skip-forward", [key.Key_End], cursor.to_end)
        self._action(
            "replay.back-ten", self.tr("Ten frames back"), "", ["Shift+Left"], lambda: cursor.step(-10)
        )
        self._action("replay.on-ten", self.tr("Ten frames on"), "", ["Shift+Right"], lambda: cursor.step(10))
        self._action(
            "replay.previous-event", self.tr("Previous event"), "", ["Ctrl+Left"], lambda: cursor.to_event(-1)
        )
        self._action(
            "replay.next-event", self.tr("Next event"), "", ["Ctrl+Right"], lambda: cursor.to_event(1)
        )
        self._action("replay.slower", self.tr("Half speed"), "", [key.Key_BracketLeft], cursor.slower)
        self._action("replay.faster", self.tr("Double speed"), "", [key.Key_BracketRight], cursor.faster)
        self._action("replay.follow", self.tr("Follow the run"), "", [], cursor.follow)
        loop = self._action(
            "replay.loop", self.tr("Loop"), "repeat", [key.Key_L], lambda: cursor.set_loop(not cursor.loop)
        )
        loop.setCheckable(True)

    def _action(
        self, name: str, text: str, icon: str, keys: list[Qt.Key | str], call: Callable[[], None]
    ) -> QAction:
        action = QAction(text, self)
        action.setObjectName(name)
        action.setShortcuts([QKeySequence(k) for k in keys])
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        if icon:
            tone, on_tone = ("accent", "") if name == "replay.play" else ("text", "")
            if name == "replay.loop":
                tone, on_tone = "dim", "accent"
            icons.set_icon(action, icon, tone, on_tone)
        if keys:
            shown = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            action.setToolTip(f"{text}  ({shown})")
        action.triggered.connect(lambda _checked=False: call())
        self.addAction(action)
        self.command_actions[name] = action
        return action

    def _button(self, name: str, icon_size: int) -> QToolButton:
        button = tool_button(action=self.command_actions[name], icon_size=icon_size)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button

    # ------------------------------------------------------------------ what is shown
    def _show_time(self) -> None:
        decimals = time_decimals(self._cursor.t_end)
        self._now.setText(self.tr("t = {0} s").format(f"{self._cursor.t:.{decimals}f}"))
        self.slider.set_t(self._cursor.t)

    def _show_range(self) -> None:
        cursor = self._cursor
        there = cursor.t_end > 0.0
        self.slider.set_range(cursor.t_last, cursor.t_end)
        decimals = time_decimals(cursor.t_end)
        self._end.setText(self.tr("/ {0} s").format(f"{cursor.t_end:.{decimals}f}") if there else "")
        widest = QFontMetricsF(self._now.font()).horizontalAdvance(
            self.tr("t = {0} s").format(f"{cursor.t_end:.{decimals}f}")
        )
        self._now.setMinimumWidth(int(widest) + 2)
        for name, action in self.command_actions.items():
            if name not in ("replay.loop", "replay.slower", "replay.faster"):
                action.setEnabled(there)
        self._show_time()
        self._show_events()

    def _show_events(self) -> None:
        entry = self._run_service.current
        ticks = []
        for event in () if entry is None else entry.events:
            shape = "flag" if event.kind in ("impact", "failure") else "bar"
            ticks.append(EventTick(event.t, shape, _TONES.get(event.kind, "accent"), event.words()))
        self.slider.set_events(ticks)

    def _show_state(self) -> None:
        cursor = self._cursor
        moving = cursor.playing or (cursor.following and self._run_service.state == "running")
        play = self.command_actions["replay.play"]
        text = self.tr("Pause") if moving else self.tr("Play")
        if play.text() != text or not play.icon().isNull():
            play.setText(text)
            play.setToolTip(f"{text}  ({play.shortcut().toString(QKeySequence.SequenceFormat.NativeText)})")
            icons.set_icon(play, "pause" if moving else "play", "accent")
        self._speed.setText(speed_text(cursor.speed))
        self.command_actions["replay.loop"].setChecked(cursor.loop)
        self.command_actions["replay.follow"].setEnabled(self._run_service.is_live and not cursor.following)

    def set_theme(self, tokens: ThemeTokens) -> None:
        """Take the colours of a theme."""
        restyle(self, dark=tokens.dark)
        self._show_state()
        self.slider.update()
