#!/usr/bin/env python3
"""Set Linkwright up on a fresh machine and start it, or test it.

    python3 packaging/bootstrap.py run     the window on the slider-crank sample; headless where there is no display
    python3 packaging/bootstrap.py test    the whole test suite, on a virtual display where there is none

Only Python >= 3.11 and git are needed. Everything goes into `.venv` beside `pyproject.toml`, in the versions of the
lock files in `packaging/locks`. The first call takes some minutes, the next ones seconds.
This file uses the standard library only and runs on Linux, Windows and macOS.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree as ET

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
STAMP = VENV / "linkwright_setup.json"
LOCKS = ROOT / "packaging" / "locks"
RESULTS = ROOT / "results"
OLDEST, NEWEST = (3, 11), (3, 14)
SAMPLE = "slider-crank-sda"
ON_WINDOWS = os.name == "nt"


class SetupError(Exception):
    """A set-up step that cannot go on; the text says what to do."""


# ---------------------------------------------------------------------------------------------------------------------
# The right Python
# ---------------------------------------------------------------------------------------------------------------------


def fitting_python() -> str | None:
    """Another interpreter on this machine that the lock files hold for."""
    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        if ON_WINDOWS:
            probe = ["py", f"-3.{minor}", "-c", "import sys; print(sys.executable)"]
        else:
            probe = [f"python3.{minor}", "-c", "import sys; print(sys.executable)"]
        try:
            found = subprocess.run(probe, capture_output=True, text=True, timeout=30)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if found.returncode == 0 and found.stdout.strip():
            return found.stdout.strip()
    return None


def check_python() -> None:
    """Go on with a Python that fits; end with a sentence where there is none."""
    if OLDEST <= sys.version_info[:2] <= NEWEST:
        return
    here = ".".join(str(part) for part in sys.version_info[:3])
    other = fitting_python()
    if other is None:
        limits = " to ".join(".".join(str(part) for part in version) for version in (OLDEST, NEWEST))
        raise SetupError(
            f"This is Python {here}; Linkwright needs Python {limits}. Install one of them and call it by its name, "
            f"for example:  python3.12 packaging/bootstrap.py {' '.join(sys.argv[1:])}"
        )
    print(f"Python {here} does not fit; going on with {other}", flush=True)
    raise SystemExit(subprocess.run([other, *sys.argv]).returncode)


# ---------------------------------------------------------------------------------------------------------------------
# Environment and packages
# ---------------------------------------------------------------------------------------------------------------------


def venv_program(name: str) -> Path:
    """Path of a program inside the environment."""
    return VENV / "Scripts" / f"{name}.exe" if ON_WINDOWS else VENV / "bin" / name


def call(command: list[str | Path], failure: str, environment: dict[str, str] | None = None) -> None:
    """Run a step; where it fails, end with a sentence."""
    if subprocess.run([str(part) for part in command], cwd=ROOT, env=environment).returncode:
        raise SetupError(failure)


class ProgressLine:
    """One line that changes on a terminal; in a log, a new line every few seconds."""

    def __init__(self) -> None:
        self.begun = time.monotonic()
        self.told = 0.0

    def show(self, text: str) -> None:
        elapsed = time.monotonic() - self.begun
        if sys.stdout.isatty():
            print(f"\r  {f'{text}  {elapsed:.0f} s':<76.76}", end="", flush=True)
        elif elapsed - self.told >= 5.0:
            self.told = elapsed
            print(f"  {text}  {elapsed:.0f} s", flush=True)

    def end(self) -> None:
        if sys.stdout.isatty():
            print()


def package_named(said: str) -> str:
    """Name of the package in a line of pip: the first word with a version."""
    return next((word for word in said.split() if "==" in word), "")


def install_packages(pip: list[str | Path], lock: Path) -> None:
    """Install the versions of a lock file; pip's own words are shown only if it fails."""
    count = sum(1 for line in lock.read_text(encoding="utf-8").splitlines() if "==" in line)
    print(f"  installing {count} packages in the versions of packaging/locks/{lock.name}", flush=True)
    install: list[str | Path] = [
        "install",
        "--no-deps",
        "--only-binary",
        ":all:",
        "--progress-bar",
        "off",
        "-r",
        lock,
    ]
    command = [str(part) for part in pip + install]
    line, words, seen = ProgressLine(), [], 0
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=clean_environment(),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        for said in process.stdout or ():
            words.append(said)
            if said.startswith(("Collecting", "Requirement already satisfied")):
                seen += 1
                line.show(f"fetching {seen} of {count}: {package_named(said)}")
            elif said.startswith("Installing"):
                line.show("unpacking")
    line.end()
    if process.returncode:
        print("".join(words[-25:]))
        raise SetupError(
            "The packages could not be installed; pip's last words are above. The network or the package index may be "
            "out of reach, or this system too old for a package (Linux needs glibc 2.34: Debian 12, Ubuntu 22.04)."
        )


def clean_environment() -> dict[str, str]:
    """The caller's environment less what would mix another Python's packages into ours."""
    dropped = ("PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__")
    return {name: value for name, value in os.environ.items() if name not in dropped}


def read_stamp() -> dict[str, str]:
    """What the last set-up finished; empty where there was none or Python changed since."""
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    same = isinstance(stamp, dict) and stamp.get("root") == str(ROOT) and venv_program("python").exists()
    return stamp if same else {}


def write_stamp(stamp: dict[str, str]) -> None:
    STAMP.write_text(json.dumps({**stamp, "root": str(ROOT)}, indent=1) + "\n", encoding="utf-8")


def digest(*paths: Path) -> str:
    joined = hashlib.sha256()
    for path in paths:
        joined.update(path.name.encode() + b"\0" + path.read_bytes())
    return joined.hexdigest()


def environment_works() -> bool:
    """Whether `.venv` can be installed into: made for this folder, with pip, by a Python that fits."""
    if not venv_program("python").exists() or (STAMP.exists() and not read_stamp()):
        return False
    probe = f"import sys, pip; sys.exit(not {OLDEST} <= sys.version_info[:2] <= {NEWEST})"
    return subprocess.run([venv_program("python"), "-c", probe], capture_output=True).returncode == 0


def make_venv() -> None:
    """Make `.venv`."""
    if environment_works():
        return
    print("  making .venv", flush=True)
    try:
        import ensurepip  # noqa: F401  (only to see whether it is there)
        import venv  # noqa: F401
    except ImportError:
        raise SetupError(
            "This Python lacks the modules venv and ensurepip. Install its package (the command is above where this "
            "system has one), then call this again."
        ) from None
    call(
        [sys.executable, "-m", "venv", "--clear", VENV], "The environment .venv could not be made; see above."
    )


def set_up(command: str) -> None:
    """Environment, locked packages and the program itself; nothing is done twice."""
    lock = LOCKS / f"{command}.txt"
    wanted = {command: digest(lock), "project": digest(ROOT / "pyproject.toml")}
    if command == "test":
        wanted["run"] = digest(LOCKS / "run.txt")
    stamp = read_stamp()
    if all(stamp.get(key) == value for key, value in wanted.items()):
        print("  .venv is up to date")
        return
    make_venv()
    pip: list[str | Path] = [venv_program("python"), "-m", "pip", "--disable-pip-version-check", "--no-input"]
    if stamp.get(command) != wanted[command]:
        install_packages(pip, lock)
    print("  installing linkwright from this folder", flush=True)
    editable: list[str | Path] = [
        "install",
        "-qq",
        "--no-deps",
        "--no-build-isolation",
        "--editable",
        ROOT,
    ]
    call(
        pip + editable,
        "Linkwright itself could not be installed; pip's message is above.",
        clean_environment(),
    )
    write_stamp({**stamp, **wanted})


def warm_kernels() -> None:
    """Compile the kernels once, with a line of progress, so that the first run starts at once."""
    sources = sorted((ROOT / "core" / "linkwright" / "kernels").rglob("*.py"))
    key = digest(LOCKS / "run.txt", *sources)
    stamp = read_stamp()
    if stamp.get("kernels") == key:
        print("  kernels are compiled")
        return
    begun = time.monotonic()
    call(
        [venv_program("python"), ROOT / "packaging" / "warm_kernels.py"],
        "The compiled kernels could not be made; see above.",
        clean_environment(),
    )
    print(f"  kernels compiled in {time.monotonic() - begun:.0f} s")
    write_stamp({**stamp, "kernels": key})


def prepare(command: str) -> None:
    """Every set-up step of one of the two commands."""
    import system_packages

    begun = time.monotonic()
    print(f"Setting up Linkwright in {ROOT}", flush=True)
    lacking = system_packages.ensure(command)
    if lacking:
        print(f"  still missing: {' '.join(need.packages[-1] for need in lacking)}", flush=True)
    set_up(command)
    warm_kernels()
    print(f"Ready after {time.monotonic() - begun:.0f} s", flush=True)


# ---------------------------------------------------------------------------------------------------------------------
# The two commands
# ---------------------------------------------------------------------------------------------------------------------


def run(model: str, headless: bool) -> int:
    """Open the window on a model, or compute the model without one."""
    from virtual_display import reachable_display

    prepare("run")
    linkwright = str(venv_program("linkwright"))
    if not headless and reachable_display():
        print(f"Opening the window on {model}", flush=True)
        return subprocess.run([linkwright, "app", model], env=clean_environment()).returncode
    reason = (
        "As asked, no window is opened"
        if headless
        else "There is no display here, so no window can be opened"
    )
    folder = RESULTS / Path(model).stem
    folder.mkdir(parents=True, exist_ok=True)
    print(f"{reason}: {model} is computed instead, results in {folder}", flush=True)
    files = {name: folder / name for name in ("run.h5", "convergence.png", "mechanism.png")}
    compute = [
        linkwright,
        "run",
        model,
        "--out",
        str(files["run.h5"]),
        "--plot",
        str(files["convergence.png"]),
    ]
    picture = [linkwright, "picture", model, "--out", str(files["mechanism.png"])]
    worst = 0
    for step in (compute, picture):
        worst = max(worst, abs(subprocess.run(step, env=clean_environment()).returncode))
    for name, path in files.items():
        print(f"  {name:16} {path}" if path.exists() else f"  {name:16} was not made")
    return worst


def test() -> int:
    """Run the whole suite: the core on two workers, then the window's tests alone in one process."""
    from virtual_display import VirtualDisplay, reachable_display

    prepare("test")
    # One thread each: two test workers with threaded linear algebra would fight for the same processors.
    environment = {**clean_environment(), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "CI": "true"}
    reports = RESULTS / "tests"
    reports.mkdir(parents=True, exist_ok=True)
    if reachable_display():
        return test_parts(environment, reports)
    with VirtualDisplay(1920, 1200) as display:
        print(
            f"No display here: the window tests use a virtual one, {display.environment['DISPLAY']}",
            flush=True,
        )
        environment.pop("WAYLAND_DISPLAY", None)
        return test_parts({**environment, **display.environment}, reports)


def test_parts(environment: dict[str, str], reports: Path) -> int:
    """Both parts run even when the first is red; the exit code is 0 only if both are green."""
    window = ROOT / "tests" / "app"
    parts = {
        "core": ["tests", f"--ignore={window.relative_to(ROOT)}", "-n", "2"],
        "window": [str(window.relative_to(ROOT)), "-p", "no:xdist"],
    }
    worst, counts = 0, {"passed": 0, "failed": 0, "skipped": 0}
    for name, arguments in parts.items():
        report = reports / f"{name}.xml"
        report.unlink(missing_ok=True)
        print(f"Tests of the {name}", flush=True)
        begun = time.monotonic()
        pytest = [
            str(venv_program("python")),
            "-m",
            "pytest",
            "-q",
            f"--junitxml={report}",
            "--durations=10",
            *arguments,
        ]
        code = subprocess.run(pytest, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL).returncode
        print(f"Tests of the {name} took {time.monotonic() - begun:.0f} s, exit code {code}", flush=True)
        worst = max(worst, abs(code))
        count_tests(report, counts)
    # A part that died, or found no test, leaves no failed test behind: the line below must not look green.
    counts["failed"] = max(counts["failed"], 1) if worst else counts["failed"]
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped", flush=True)
    return worst


def count_tests(report: Path, counts: dict[str, int]) -> None:
    """Add up one pytest report."""
    if not report.exists():
        return
    for suite in ET.parse(report).getroot().iter("testsuite"):
        total, skipped = int(suite.get("tests", 0)), int(suite.get("skipped", 0))
        failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        counts["failed"] += failed
        counts["skipped"] += skipped
        counts["passed"] += total - failed - skipped


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    run_command = commands.add_parser("run", help="set up and start the program on a model")
    run_command.add_argument("model", nargs="?", default=SAMPLE, help="sample id or model file (%(default)s)")
    run_command.add_argument(
        "--headless", action="store_true", help="open no window even where there is a display"
    )
    commands.add_parser("test", help="set up and run the whole test suite")
    arguments = parser.parse_args()
    try:
        check_python()
        return run(arguments.model, arguments.headless) if arguments.command == "run" else test()
    except SetupError as problem:
        print(f"\n{problem}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    raise SystemExit(main())
