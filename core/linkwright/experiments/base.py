"""What an experiment is, and the list of those there are."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from linkwright.document.base import unknown_word
from linkwright.errors import FileError, OptionError
from linkwright.files.atomic import write_atomically

Row = dict[str, float | int | str | None]
OnProgress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an experiment found.

    Attributes
    ----------
    rows : tuple of dict
        The numbers, one dictionary per line of the table.
    draw : callable
        Draws the figure into a picture file.
    """

    rows: tuple[Row, ...]
    draw: Callable[[Path], None]

    def write(self, folder: Path, name: str) -> list[Path]:
        """Write table and figure into a folder; gives the files.

        Raises
        ------
        FileError
            When they cannot be written.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(
                f"The folder {str(folder)!r} cannot be made: {error.strerror or error}."
            ) from error
        table = folder / f"{name}.csv"
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, list(self.rows[0]))
        writer.writeheader()
        writer.writerows(self.rows)
        write_atomically(table, text.getvalue().encode())
        files = [table]
        for ending in (".png", ".svg"):
            self.draw(folder / f"{name}{ending}")
            files.append(folder / f"{name}{ending}")
        return files


@dataclass(frozen=True, slots=True)
class Experiment:
    """A series of runs behind one figure.

    Attributes
    ----------
    id, title : str
    help : str
        One sentence.
    run : callable
        Computes it; takes a callback for (done, all) and options of its own.
    """

    id: str
    title: str
    help: str
    run: Callable[..., Outcome]


def experiments() -> dict[str, Experiment]:
    """All experiments by id, in the order they are offered."""
    from linkwright.experiments import sda, tree

    return {e.id: e for e in (*sda.EXPERIMENTS, *tree.EXPERIMENTS)}


def experiment(name: str) -> Experiment:
    """Find an experiment by its id.

    Raises
    ------
    OptionError
        When there is none.
    """
    known = experiments()
    if name not in known:
        raise OptionError(unknown_word("experiment", name, list(known)))
    return known[name]


def quiet(done: int, total: int) -> None:
    """Take progress and say nothing."""


def series(rows: Sequence[Row], x: str, y: str, **where: Any) -> tuple[list[float], list[float]]:
    """Pick two columns of the rows that match, rows without a value left out."""
    chosen = [r for r in rows if all(r[k] == v for k, v in where.items()) and r[y] is not None]
    return [float(r[x] or 0.0) for r in chosen], [float(r[y] or 0.0) for r in chosen]
