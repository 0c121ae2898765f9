"""Every command of the window, once: text, icon, key and help. Menus, buttons and the palette show these actions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QActionGroup, QIcon, QKeySequence, QPixmap, QShortcut
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from linkwright_app.settings import TEXT_SCALES
from linkwright_app.window import icons

STAGES = ("build", "solve", "results")
SEPARATOR = "-"


class Actions(QObject):
    """The actions by name. Whoever carries a command out connects to ``actions["name"].triggered``.

    Parameters
    ----------
    window : QWidget
        Window whose keys reach the actions.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._actions: dict[str, QAction] = {}
        self._menus: dict[str, QMenu] = {}
        self._add_file()
        self._add_edit()
        self._add_view()
        self._add_model()
        self._add_tools_and_help()

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def __iter__(self) -> Iterator[tuple[str, QAction]]:
        return iter(self._actions.items())

    def menu(self, name: str) -> QMenu:
        """Give a menu that is filled from outside: ``"recent"``, ``"samples"``, ``"panels"``, ``"run"``, ..."""
        return self._menus[name]

    def add(
        self,
        name: str,
        text: str,
        tip: str,
        *,
        icon: str = "",
        keys: str | tuple[str, ...] = (),
        checkable: bool = False,
    ) -> QAction:
        """Make an action.

        Parameters
        ----------
        name : str
            Its name in the program.
        text : str
            Translated text, with ``&`` before the letter that picks it in a menu.
        tip : str
            Translated sentence.
        icon : str
            Name of an icon.
        keys : str or tuple of str
            Portable key sequences; the first is shown.
        checkable : bool
            Whether it can be on and off.
        """
        action = QAction(text, self)
        action.setObjectName(name)
        action.setCheckable(checkable)
        sequences = [QKeySequence(key) for key in ((keys,) if isinstance(keys, str) else keys)]
        action.setShortcuts(sequences)
        shown = sequences[0].toString(QKeySequence.SequenceFormat.NativeText) if sequences else ""
        title = text.replace("&", "").rstrip("….")
        action.setToolTip(f"<b>{title}</b>{f' &nbsp;{shown}' if shown else ''}<br>{tip}")
        action.setStatusTip(tip)
        if icon:
            icons.set_icon(action, icon)
        self._window.addAction(action)
        self._actions[name] = action
        return action

    def adopt(self, menu: str, actions: Mapping[str, QAction]) -> None:
        """Take in commands that a part of the window made itself, into a menu and the command search."""
        for name, action in actions.items():
            self._actions[name] = action
            self._add_to(self._menus[menu], action)

    def fill_insert_menu(self, names: Sequence[str]) -> None:
        """Put the commands that make elements into the Insert menu, joints into a menu of their own."""
        insert = self._menus["insert"]
        joints: QMenu | None = None
        for name in names:
            menu = insert
            if name.startswith("insert_joint_"):
                if joints is None:
                    joints = insert.addMenu(self.tr("&Joint"))
                    icons.set_icon(joints, "revolute")
                menu = joints
            self._add_to(menu, self._actions[name])

    def only_in(self, widget: QWidget, names: tuple[str, ...]) -> None:
        """Let the keys of some actions work only while a widget or one of its children has the focus."""
        for name in names:
            action = self._actions[name]
            self._window.removeAction(action)
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            widget.addAction(action)

    def group(self, *names: str) -> QActionGroup:
        """Make checkable actions exclude each other."""
        made = QActionGroup(self)
        for name in names:
            made.addAction(self._actions[name])
        return made

    # ---------------------------------------------------------------- the commands
    def _add_file(self) -> None:
        add = self.add
        add("new", self.tr("&New"), self.tr("Start an empty mechanism."), icon="file-plus", keys="Ctrl+N")
        add("open", self.tr("&Open…"), self.tr("Open a model file."), icon="folder-open", keys="Ctrl+O")
        add("welcome", self.tr("&Welcome page"), self.tr("Samples and recent files."), icon="house")
        add("save", self.tr("&Save"), self.tr("Write the model to its file."), icon="save", keys="Ctrl+S")
        add(
            "save_as",
            self.tr("Save &as…"),
            self.tr("Write the model to another file."),
            icon="save-all",
            keys="Ctrl+Shift+S",
        )
        add("quit", self.tr("&Quit"), self.tr("Close the window."), icon="log-out", keys="Ctrl+Q")

    def _add_edit(self) -> None:
        add = self.add
        add("undo", self.tr("&Undo"), self.tr("Take back the last change."), icon="undo-2", keys="Ctrl+Z")
        add(
            "redo",
            self.tr("&Redo"),
            self.tr("Do the change again that was taken back."),
            icon="redo-2",
            keys=("Ctrl+Shift+Z", "Ctrl+Y"),
        )
        add(
            "rename",
            self.tr("Re&name"),
            self.tr("Give the selected element another name."),
            icon="pencil",
            keys="F2",
        )
        add(
            "delete",
            self.tr("&Delete"),
            self.tr("Remove the selected elements and whatever depends on them."),
            icon="trash-2",
            keys="Del",
        )
        add(
            "select_all",
            self.tr("Select &all"),
            self.tr("Select every body, joint and force."),
            keys="Ctrl+A",
        )
        add("select_none", self.tr("Select n&one"), self.tr("Clear the selection."), keys="Ctrl+Shift+A")
        add(
            "find",
            self.tr("&Filter the tree"),
            self.tr("Show only elements whose name or note holds a text."),
            icon="search",
            keys="Ctrl+F",
        )

    def _add_view(self) -> None:
        add = self.add
        add(
            "stage_build",
            self.tr("&Build"),
            self.tr("Tree, properties and checks in front."),
            icon="pen-tool",
            keys="Ctrl+1",
            checkable=True,
        )
        add(
            "stage_solve",
            self.tr("&Solve"),
            self.tr("Iteration matrix and live plots in front."),
            icon="play",
            keys="Ctrl+2",
            checkable=True,
        )
        add(
            "stage_results",
            self.tr("&Results"),
            self.tr("Numbers and plots of the finished run in front."),
            icon="chart-line",
            keys="Ctrl+3",
            checkable=True,
        )
        self.group("stage_build", "stage_solve", "stage_results")
        add(
            "fit_all",
            self.tr("Fit &all"),
            self.tr("Show the whole mechanism."),
            icon="maximize",
            keys="Home",
        )
        add(
            "fit_selection",
            self.tr("&Fit selection"),
            self.tr("Show the selected elements."),
            icon="focus",
            keys="F",
        )
        add("view_front", self.tr("F&ront"), self.tr("Look along y."), keys="1")
        add("view_right", self.tr("Rig&ht"), self.tr("Look along −x."), keys="3")
        add("view_top", self.tr("&Top"), self.tr("Look along −z."), keys="7")
        add("view_isometric", self.tr("&Isometric"), self.tr("Look from a corner."), icon="box", keys="0")
        add(
            "orthographic",
            self.tr("&Orthographic"),
            self.tr("Draw parallel lines parallel."),
            keys="5",
            checkable=True,
        )
        add(
            "side_properties",
            self.tr("Show &properties"),
            self.tr("Properties and checks on the right."),
            icon="settings-2",
            keys="Alt+1",
            checkable=True,
        )
        add(
            "side_jacobian",
            self.tr("Show &Jacobian"),
            self.tr("Iteration matrix of runs A and B on the right."),
            icon="grid-3x3",
            keys="Alt+2",
            checkable=True,
        )
        self.group("side_properties", "side_jacobian")
        for choice, text in (
            ("system", self.tr("As the &system")),
            ("light", self.tr("&Light")),
            ("dark", self.tr("&Dark")),
        ):
            add(f"theme_{choice}", text, self.tr("Colours of the window."), checkable=True)
        self.group("theme_system", "theme_light", "theme_dark")
        for scale in TEXT_SCALES:
            tip = self.tr("Size of text, icons and fields; used from the next start on.")
            add(f"scale_{scale}", self.tr("{percent} %").format(percent=scale), tip, checkable=True)
        self.group(*(f"scale_{scale}" for scale in TEXT_SCALES))
        add(
            "reset_layout",
            self.tr("Rese&t layout"),
            self.tr("Put every panel back to its place and size."),
            icon="layout-dashboard",
        )
        add(
            "lock_layout",
            self.tr("&Lock layout"),
            self.tr("Keep the panels where they are."),
            icon="lock",
            checkable=True,
        )
        add(
            "safe_graphics",
            self.tr("Safe &graphics"),
            self.tr("Draw the 3D view without the graphics card's window; used from the next start on."),
            checkable=True,
        )

    def _add_model(self) -> None:
        add = self.add
        add(
            "check",
            self.tr("&Check model"),
            self.tr("Count freedoms and look for what is wrong."),
            icon="circle-check",
            keys="F7",
        )
        add("hide", self.tr("&Hide"), self.tr("Hide the selected bodies."), icon="eye-off", keys="H")
        add("isolate", self.tr("&Isolate"), self.tr("Hide every body that is not selected."), keys="Shift+H")
        add("show_all", self.tr("&Show all"), self.tr("Show every body."), icon="eye", keys="Alt+H")
        add(
            "export_results",
            self.tr("&Export results…"),
            self.tr("Write the shown run as HDF5, CSV or NPZ."),
            icon="download",
        )

    def _add_tools_and_help(self) -> None:
        add = self.add
        add(
            "palette",
            self.tr("Search &commands…"),
            self.tr("Find any command by its name."),
            icon="search",
            keys=("Ctrl+Shift+P", "F3"),
        )
        add("log", self.tr("Show the &log"), self.tr("Messages of this session."), icon="scroll-text")
        add(
            "keys",
            self.tr("&Keyboard and first steps"),
            self.tr("Keys, mouse and a short guide."),
            icon="keyboard",
            keys="F1",
        )
        add(
            "about",
            self.tr("&About Linkwright"),
            self.tr("Version, licences and this computer."),
            icon="info",
        )

    # ---------------------------------------------------------------- menus
    def fill_menu_bar(self, bar: QMenuBar) -> None:
        """Build the menus from the actions."""
        file = self._menu(bar, self.tr("&File"), "new open")
        self._menus["recent"] = file.addMenu(self.tr("Open &recent"))
        self._menus["samples"] = file.addMenu(self.tr("Open sa&mple"))
        self._extend(file, "welcome - save save_as - quit")
        self._menu(bar, self.tr("&Edit"), "undo redo - rename delete - select_all select_none find")
        view = self._menu(bar, self.tr("&View"), "stage_build stage_solve stage_results -")
        self._extend(view, "side_properties side_jacobian -")
        self._extend(
            view, "fit_all fit_selection view_front view_right view_top view_isometric orthographic -"
        )
        looks = view.addMenu(self.tr("&Theme"))
        self._extend(looks, "theme_system theme_light theme_dark")
        size = view.addMenu(self.tr("Text si&ze"))
        self._extend(size, " ".join(f"scale_{scale}" for scale in TEXT_SCALES))
        self._menus["panels"] = view.addMenu(self.tr("&Panels"))
        self._extend(view, "reset_layout lock_layout - safe_graphics")
        self._menus["insert"] = self._menu(bar, self.tr("&Insert"), "")
        self._menu(bar, self.tr("&Model"), "check - hide isolate show_all")
        self._menus["run"] = self._menu(bar, self.tr("&Run"), "")
        self._menus["results"] = self._menu(bar, self.tr("Re&sults"), "export_results -")
        self._menu(bar, self.tr("&Tools"), "palette log")
        self._menu(bar, self.tr("&Help"), "keys about")

    def _menu(self, bar: QMenuBar, title: str, names: str) -> QMenu:
        # Fusion would underline the marked letters all the time; the titles stay calm and the keys work all the same.
        menu = bar.addMenu(title.replace("&", ""))
        letter = title.partition("&")[2][:1]
        if letter:
            open_menu = QShortcut(QKeySequence(f"Alt+{letter}"), self._window)
            open_menu.activated.connect(lambda: bar.setActiveAction(menu.menuAction()))
        self._extend(menu, names)
        return menu

    def _extend(self, menu: QMenu, names: str) -> None:
        for name in names.split():
            if name == SEPARATOR:
                menu.addSeparator()
            else:
                self._add_to(menu, self._actions[name])

    @staticmethod
    def _add_to(menu: QMenu, action: QAction) -> None:
        if action.icon().isNull() and not action.isCheckable():
            # The style sets texts without an icon four pixels off those with one.
            blank = QPixmap(16, 16)
            blank.fill(Qt.GlobalColor.transparent)
            action.setIcon(QIcon(blank))
        menu.addAction(action)
