"""Rows of a bench and the families of cases."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from linkwright.document.base import unknown_word
from linkwright.errors import OptionError

FAMILIES = ("newmark", "tree", "start", "gui")


@dataclass(frozen=True, slots=True)
class BenchRow:
    """One measured number.

    Attributes
    ----------
    case : str
        ``slider-crank-sda``, ``tensegrity``, ``first-paint``, ...
    size : str or int
        What varies within a case, for example the step.
    variant : str
        ``spatial`` or ``planar``, the solver, or ``T1/T2`` for the ratio of both solvers.
    unit : str
        ``us/step``, ``ns/body`` or ``s``; of a ratio what it compares, of a count ``operations``.
    value : float
    peer : str or None
        Name of the other program, measured in the same run.
    peer_value : float or None
        In the same unit.
    note : str
        What else belongs to the number, for example the end positions of both programs.
    """

    case: str
    size: str | int
    variant: str
    unit: str
    value: float
    peer: str | None = None
    peer_value: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Own value over the peer's."""
        return self.value / self.peer_value if self.peer_value else None

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        return {**asdict(self), "ratio": self.ratio}


def run_family(family: str, peers: bool) -> list[BenchRow]:
    """Measure one family of cases.

    Raises
    ------
    OptionError
        When there is no such family.
    MissingCommand
        When it needs the window and that is not installed.
    """
    if family == "newmark":
        from linkwright.bench import newmark

        return list(newmark.rows(peers))
    if family == "tree":
        from linkwright.bench import tree

        return list(tree.rows(peers))
    if family in ("start", "gui"):
        from linkwright.commands import window_command

        measured = window_command(f"bench-{family}")()
        return [BenchRow(**{key: row[key] for key in row if key != "ratio"}) for row in measured]
    raise OptionError(unknown_word("bench", family, FAMILIES))
