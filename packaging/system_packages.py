"""Libraries and programs that the operating system has to bring: which are missing, and how to get them.

The list with the reason for each is `system_packages.txt`. Only Linux needs any; on Debian and Ubuntu they are
installed where this is allowed, elsewhere the names are printed.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

LIST = Path(__file__).resolve().with_name("system_packages.txt")


class Need(NamedTuple):
    """One line of the list."""

    command: str
    probe: str
    packages: tuple[str, ...]
    reason: str

    def is_met(self) -> bool:
        kind, _, name = self.probe.partition(":")
        if kind == "program":
            return shutil.which(name) is not None
        if kind == "module":
            return importlib.util.find_spec(name) is not None
        try:
            ctypes.CDLL(name)
        except OSError:
            return False
        return True


def needs(command: str) -> list[Need]:
    """What `run` or `test` needs on Linux; `test` includes all of `run`."""
    found = []
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    for line in LIST.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            who, probe, packages, reason = (part.strip() for part in line.split("|"))
            if who == "run" or command == "test":
                found.append(Need(who, probe, tuple(packages.format(python=version).split()), reason))
    return found


def missing(command: str) -> list[Need]:
    """The needs that this machine does not meet yet."""
    return [need for need in needs(command) if not need.is_met()] if sys.platform == "linux" else []


def apt_prefix() -> list[str] | None:
    """How apt-get may be called here without asking for a password, or None."""
    if shutil.which("apt-get") is None:
        return None
    setting = ["env", "DEBIAN_FRONTEND=noninteractive"]
    if os.geteuid() == 0:
        return setting
    if shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0:
        return ["sudo", "-n", *setting]
    return None


def known_name(packages: tuple[str, ...]) -> str:
    """The first of the names that this release of Debian or Ubuntu knows."""
    for name in packages[:-1]:
        shown = subprocess.run(
            ["apt-cache", "show", "--no-all-versions", name], capture_output=True, text=True
        )
        if shown.returncode == 0 and f"Package: {name}\n" in shown.stdout:
            return name
    return packages[-1]


def apt_install(alternatives: list[tuple[str, ...]]) -> bool:
    """Install packages by apt-get; each is given as its possible names. Say the command where it may not be run."""
    prefix = apt_prefix()
    if prefix is None:
        names = " ".join(known_name(names) for names in alternatives)
        print(f"  Please run:  sudo apt-get update && sudo apt-get install --no-install-recommends {names}")
        return False
    # A failed update is not the end: the lists at hand may do. The install says what is wrong if they do not.
    subprocess.run([*prefix, "apt-get", "update", "-qq"], stdin=subprocess.DEVNULL)
    names_here = [known_name(names) for names in alternatives]
    print("  apt-get install " + " ".join(names_here), flush=True)
    command = [*prefix, "apt-get", "install", "-y", "-qq", "--no-install-recommends", *names_here]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        print(done.stdout)
        print(f"  The installation of system packages failed. By hand:  {' '.join(command)}")
    return done.returncode == 0


def ensure(command: str) -> list[Need]:
    """Bring what is missing, where that is allowed; the needs that stay unmet come back."""
    lacking = missing(command)
    if not lacking:
        return []
    print(f"  {len(lacking)} system packages are missing:")
    for need in lacking:
        print(f"    {need.packages[-1]:24} {need.reason}")
    if shutil.which("apt-get"):
        apt_install([need.packages for need in lacking])
        return missing(command)
    print("  Please install them with this system's package manager. The loader does not find:")
    print("    " + " ".join(need.probe.partition(":")[2] for need in lacking))
    return lacking
