"""Another program in a process of its own, asked for one slice of work at a time."""

from __future__ import annotations

import json
import subprocess
import sys
from types import TracebackType
from typing import Any, Self

from linkwright.errors import LinkwrightError


class Peer:
    """A module run by this Python that answers each line on its input by one line of JSON on its output.

    Some programs crash in one another's company, so each has a process of its own.

    Parameters
    ----------
    module : str
        Run with ``python -m``.
    *arguments
        Handed to it as text.
    """

    def __init__(self, module: str, *arguments: Any) -> None:
        self._command = [sys.executable, "-m", module, *(str(a) for a in arguments)]
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        """Start the process."""
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def ask(self, what: str = "slice") -> dict[str, Any]:
        """Send a request and wait for the answer.

        Raises
        ------
        LinkwrightError
            When the process has ended.
        """
        assert self._process is not None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(what + "\n")
            self._process.stdin.flush()
        except OSError:
            raise LinkwrightError(f"The peer {self._command[2]} ended before it answered.") from None
        for line in self._process.stdout:
            if line.startswith("{"):  # whatever else the program prints is passed over
                answer: dict[str, Any] = json.loads(line)
                return answer
        raise LinkwrightError(f"The peer {self._command[2]} ended without an answer.")
