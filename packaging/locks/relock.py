"""Write the lock files again from the ranges of pyproject.toml: `python packaging/locks/relock.py` (needs uv).

run.txt is what `bootstrap.py run` installs, test.txt what `bootstrap.py test` installs. Both hold for Python 3.11 to
3.13 on Linux, Windows and macOS: a line that does not apply everywhere carries an environment marker. Versions that
are already locked stay as they are; `--upgrade` moves them to the newest the ranges allow.
"""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
HEAD = "# Made by packaging/locks/relock.py from pyproject.toml. Do not edit.\n"


def main() -> None:
    for name, extra in (("run", "app"), ("test", "test")):
        target = HERE / f"{name}.txt"
        command = ["uv", "pip", "compile", "--quiet", "--universal", "--python-version", "3.11"]
        command += ["--no-header", "--no-annotate", "--only-binary", ":all:", "--extra", extra]
        command += ["--constraint", str(HERE / "pins.in"), "--output-file", str(target)]
        if name == "test":
            command += ["--constraint", str(HERE / "run.txt")]
        subprocess.run(
            [*command, *sys.argv[1:], "pyproject.toml", str(HERE / "build.in")], cwd=ROOT, check=True
        )
        target.write_text(HEAD + target.read_text(encoding="utf-8"), encoding="utf-8")


if __name__ == "__main__":
    main()
