"""A display for programs on a machine that has none: Xvfb with the openbox window manager, ended afterwards."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType


def reachable_display() -> str | None:
    """Name of the display that a window would open on, or None where no window can be shown."""
    if sys.platform != "linux":
        return "desktop"
    wayland = os.environ.get("WAYLAND_DISPLAY", "")
    if wayland and (Path(os.environ.get("XDG_RUNTIME_DIR", "/nonexistent")) / wayland).is_socket():
        return wayland
    display = os.environ.get("DISPLAY", "")
    return display if display and x_answers(display) else None


def x_answers(display: str) -> bool:
    """Whether a server listens at an X display name such as `:0` or `host:10.0`."""
    host, _, rest = display.rpartition(":")
    number = rest.split(".")[0]
    if not number.isdigit():
        return False
    # "unix:0" and a path are other spellings of a local display; the abstract socket has a zero byte before its name.
    places: list[tuple[socket.AddressFamily, str | tuple[str, int]]] = []
    if host in ("", "unix") or host.startswith("/"):
        path = f"/tmp/.X11-unix/X{number}"
        places += [(socket.AF_UNIX, path), (socket.AF_UNIX, "\0" + path)]
    else:
        places.append((socket.AF_INET, (host, 6000 + int(number))))
    for family, address in places:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.settimeout(2.0)
            try:
                probe.connect(address)
            except OSError:
                continue
            return True
    return False


class VirtualDisplay:
    """Xvfb on a free display number, with openbox, for the life of a `with` block.

    `environment` holds what a program needs to open its windows there.
    """

    def __init__(self, width: int = 1920, height: int = 1200) -> None:
        self.size = f"{width}x{height}x24"
        self.environment: dict[str, str] = {}
        self._processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> VirtualDisplay:
        if shutil.which("Xvfb") is None:
            raise RuntimeError("Xvfb is not installed, so there is no virtual display (Debian package xvfb).")
        readable, writable = os.pipe()
        command = [
            "Xvfb",
            "-displayfd",
            str(writable),
            "-screen",
            "0",
            self.size,
            "-nolisten",
            "tcp",
            "-noreset",
        ]
        server = subprocess.Popen(
            command,
            pass_fds=(writable,),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._processes.append(server)
        os.close(writable)
        # Xvfb picks a free number and writes it when it is ready; the pipe closes without one if it dies.
        with os.fdopen(readable) as answer:
            number = answer.readline().strip()
        if not number:
            self._end()
            raise RuntimeError("Xvfb ended at once; try `Xvfb :77` by hand to see why.")
        self.environment = {"DISPLAY": f":{number}", "QT_QPA_PLATFORM": "xcb"}
        if shutil.which("openbox"):
            inherited = {name: value for name, value in os.environ.items() if name != "WAYLAND_DISPLAY"}
            manager = subprocess.Popen(
                ["openbox", "--sm-disable"],
                env={**inherited, **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            self._processes.append(manager)
            time.sleep(0.5)  # openbox has no sign of being ready
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def _end(self) -> None:
        for process in reversed(self._processes):
            process.terminate()
        for process in reversed(self._processes):
            try:
                process.wait(timeout=5.0)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._processes.clear()
