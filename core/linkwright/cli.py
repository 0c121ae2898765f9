"""The ``linkwright`` command: runs, checks, samples, benches and experiments from a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

import linkwright
from linkwright import samples
from linkwright.document.mechanism import Mechanism
from linkwright.errors import LinkwrightError, OptionError
from linkwright.units import format_number, parse_quantity

if TYPE_CHECKING:
    from linkwright.run.results import Results

DONE, FAILED, BAD_INPUT = 0, 1, 2

cli = typer.Typer(
    name="linkwright",
    help="Build mechanisms and compute how they move.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)
WIDE = 200
"""Columns of what is printed into a file or another program, which no terminal limits."""
out = Console(highlight=False, width=None if sys.stdout.isatty() else WIDE)
err = Console(stderr=True, highlight=False)

Model = Annotated[str, typer.Argument(help="A model file (.lwk) or the id of a sample.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command line; ends the process with 0 done, 1 the run failed, 2 bad input."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        cli(arguments, standalone_mode=True)
    except LinkwrightError as error:
        _refuse(error, "--json" in arguments)


def _refuse(error: LinkwrightError, as_json: bool) -> None:
    if as_json:
        _print_json({"error": error.message, "element": error.element})
    err.print(f"linkwright: {error.message}", markup=False, style="red", soft_wrap=True)
    raise SystemExit(BAD_INPUT)


def _print_json(value: Any) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n")
    sys.stdout.flush()


@contextmanager
def _progress(what: str, hidden: bool) -> Iterator[Callable[[float, float], None]]:
    """Progress bar on standard error; yields a function of (done, all), where 0 for all means: not known."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err, transient=True, disable=hidden or not err.is_terminal) as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda done, total: bar.update(task, completed=done, total=total or None)


@cli.callback(invoke_without_command=True)
def _version(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and end.", is_eager=True)
    ] = False,
) -> None:
    if version:
        out.print(f"linkwright {linkwright.__version__}")
        raise typer.Exit(DONE)


@cli.command()
def app(
    model: Annotated[str | None, typer.Argument(help="A model file or sample id to open.")] = None,
) -> None:
    """Open the window."""
    from linkwright.commands import window_command

    place = None if model is None else str(samples.resolve(model))
    raise typer.Exit(int(window_command("app")(place) or DONE))


@cli.command()
def picture(
    model: Model,
    out_file: Annotated[Path, typer.Option("--out", help="Picture file to write (.png).")],
    theme: Annotated[str, typer.Option(help="light or dark.")] = "light",
    size: Annotated[str, typer.Option(help="Width x height in pixels.")] = "1120x700",
    as_json: AsJson = False,
) -> None:
    """Draw a mechanism into a picture file, without a window."""
    from linkwright.commands import window_command

    mechanism = linkwright.load(model)
    width, _, height = size.partition("x")
    if not (
        width.isdecimal() and height.isdecimal() and 16 <= int(width) <= 8192 and 16 <= int(height) <= 8192
    ):
        raise OptionError(
            f"{size!r} is no size of a picture. Write it as 1120x700, each side from 16 to 8192."
        )
    if theme not in ("light", "dark"):
        raise OptionError(f"There is no theme {theme!r}. Known: light, dark.")
    window_command("picture")(mechanism, out_file, (int(width), int(height)), theme)
    if as_json:
        _print_json(
            {"model": model, "file": str(out_file), "size": [int(width), int(height)], "theme": theme}
        )
    else:
        out.print(f"Picture: {out_file}", markup=False)


@cli.command()
def run(
    model: Model,
    engine: Annotated[str | None, typer.Option(help="Engine in place of the model's own.")] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Value of a parameter, with a unit if you like."),
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", metavar="NAME=VALUE", help="Option of the engine.")
    ] = None,
    t_end: Annotated[str | None, typer.Option("--t-end", help="End time [s].")] = None,
    dt: Annotated[str | None, typer.Option("--dt", help="Step [s].")] = None,
    out_file: Annotated[Path | None, typer.Option("--out", help="Results file: .h5, .csv or .npz.")] = None,
    plot: Annotated[Path | None, typer.Option("--plot", help="Picture of convergence and energy.")] = None,
    as_json: AsJson = False,
) -> None:
    """Run a mechanism and print what came out."""
    from linkwright.run.runner import Runner, run_to_end

    mechanism = _with_values(linkwright.load(model), set_ or [])
    options = dict(_option(text) for text in option or [])
    for name, text in (("t_end", t_end), ("h", dt)):
        if text is not None:
            options[name] = parse_quantity(text, "s")
    _check_targets(out_file, plot)
    runner = Runner(mechanism, engine, model_name=str(model), **options)
    with _progress(f"Running {model}", as_json) as show:
        results = run_to_end(runner, lambda p: show(p.t, p.t_end))
    if out_file is not None:
        results.save(out_file)
    if plot is not None:
        from linkwright.run.figure import plot_run

        plot_run(results, plot)
    if as_json:
        _print_json(_finite(results.summary()))
    else:
        _print_run(results, [f for f in (out_file, plot) if f is not None])
    raise typer.Exit(FAILED if results.ended == "failed" else DONE)


def _check_targets(out_file: Path | None, plot: Path | None) -> None:
    """Refuse files that could not be written before anything is computed."""
    if out_file is not None and out_file.suffix.lower() not in (".h5", ".hdf5", ".csv", ".npz"):
        raise OptionError(f"Results are written as .h5, .csv or .npz, not as {out_file.name!r}.")
    for file in (out_file, plot):
        if file is not None and not file.resolve().parent.is_dir():
            raise OptionError(f"There is no folder {str(file.parent)!r} to write {file.name!r} into.")
    if plot is not None:
        from linkwright.run.figure import matplotlib_figure

        known = matplotlib_figure(1, 1).canvas.get_supported_filetypes()
        if plot.suffix.lstrip(".").lower() not in known:
            raise OptionError(f"{plot.name!r} is no picture file. Use one of: {', '.join(sorted(known))}.")


def _with_values(mechanism: Mechanism, settings: Sequence[str]) -> Mechanism:
    from linkwright.run.plan import with_parameter

    units = {p.id: p.unit for p in mechanism.parameters}
    for text in settings:
        name, value = _pair(text, "--set")
        mechanism = with_parameter(mechanism, name, parse_quantity(value, units.get(name, "")))
    return mechanism


def _pair(text: str, flag: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise OptionError(f"{flag} needs NAME=VALUE, not {text!r}.")
    return name.strip(), value.strip()


def _option(text: str) -> tuple[str, Any]:
    """Name and value of an option: a number, true, false, or a word."""
    name, value = _pair(text, "--option")
    try:
        return name, json.loads(value)
    except (ValueError, RecursionError):  # not JSON, or a number of more digits than Python converts
        return name, value


def _finite(value: Any) -> Any:
    """Plain data with None in place of what JSON has no word for: NaN and infinity."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return None
    return value


def _print_run(results: Results, files: Sequence[Path]) -> None:
    s = results.summary()
    out.print(f"{results.mechanism.title or s['model']}  [{s['engine']}]", markup=False, style="bold")
    out.print(s["message"], markup=False, style="red" if s["ended"] == "failed" else None)
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for label, counts in (("iterations per step", s["iterations"]), ("linear solves per step", s["solves"])):
        if counts["mean"] is not None:
            line = f"mean {counts['mean']:.2f}, min {counts['min']}, max {counts['max']}, total {counts['total']}"
            table.add_row(label, line)
    energy, gaps = s["energy"], s["constraint_error"]
    for label, value, unit in (
        ("energy at the start", energy["initial"], "J"),
        ("energy at the end", energy["final"], "J"),
        ("largest balance error", energy["balance_error_max"], "J"),
        ("largest constraint error, position", gaps["position_max"], ""),
        ("largest constraint error, velocity", gaps["velocity_max"], "1/s"),
        ("time per step", s["us_per_step"], "us"),
    ):
        if value is not None:
            table.add_row(label, f"{format_number(value)} {unit}".strip())
    for body, state in s["final"]["bodies"].items():
        at = ", ".join(format_number(x) for x in state["position"])
        table.add_row(f"{body} at the end", f"({at}) m")
    out.print(table)
    for file in files:
        out.print(f"Written: {file}", markup=False)


@cli.command()
def check(model: Model, as_json: AsJson = False) -> None:
    """Check a mechanism: freedoms by count and by rank, redundant conditions, anything suspicious."""
    mechanism = linkwright.load(model)
    from linkwright.analysis import checks

    report = checks.check(mechanism)
    plain = {
        "dof_count": report.dof_count,
        "dof_rank": report.dof_rank,
        "redundant": list(report.redundant),
        "findings": [
            {
                "severity": str(f.severity),
                "element": f.element,
                "text": f.text,
                "fix": None if f.fix is None else f.fix.label,
            }
            for f in report.findings
        ],
    }
    if as_json:
        _print_json(plain)
        return
    out.print(f"Freedoms by count {report.dof_count}, by rank {report.dof_rank}.", markup=False)
    for text in report.redundant:
        out.print(f"redundant: {text}", markup=False, style="yellow")
    colours = {"error": "red", "warning": "yellow", "note": None}
    for finding in report.findings:
        out.print(f"{finding.severity}: {finding.text}", markup=False, style=colours[str(finding.severity)])
    if not report.findings:
        out.print("Nothing to note.")


@cli.command("samples")
def list_samples(as_json: AsJson = False) -> None:
    """List the models that come with the program."""
    listed = [
        {"id": s, "title": m.title, "description": m.description, "path": str(samples.path(s))}
        for s in samples.sample_ids()
        for m in (linkwright.load(s),)
    ]
    if as_json:
        _print_json(listed)
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("id", no_wrap=True)
    table.add_column("title")
    table.add_column("what it shows")
    for sample in listed:
        table.add_row(sample["id"], sample["title"], sample["description"])
    out.print(table)


@cli.command()
def bench(
    family: Annotated[
        str | None, typer.Argument(help="newmark, tree, start or gui; all of them when left out.")
    ] = None,
    peers: Annotated[
        bool,
        typer.Option("--peers", help="Measure other programs in the same run, where they are installed."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Measure speed on this machine."""
    from linkwright.bench.base import FAMILIES, run_family

    rows = []
    families = FAMILIES if family is None else (family,)
    for name in families:
        with _progress(f"Measuring {name}", as_json) as show:
            show(0, 0)
            rows.extend(run_family(name, peers))
    if as_json:
        _print_json([_finite(row.plain()) for row in rows])
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("case", "size", "variant", "unit", "value", "peer", "peer value", "ratio", "note"):
        table.add_column(heading, justify="right" if heading in ("value", "peer value", "ratio") else "left")
    for row in rows:
        peer_value = "" if row.peer_value is None else f"{row.peer_value:.3g}"
        ratio = "" if row.ratio is None else f"{row.ratio:.3f}"
        cells = (
            row.case,
            str(row.size),
            row.variant,
            row.unit,
            f"{row.value:.3g}",
            row.peer or "",
            peer_value,
            ratio,
        )
        table.add_row(*cells, row.note)
    out.print(table)


@cli.command()
def experiment(
    name: Annotated[str | None, typer.Argument(help="Id of an experiment; lists them when left out.")] = None,
    out_folder: Annotated[
        Path | None, typer.Option("--out", help="Folder for the table and the figure.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compute a figure of the sources anew; without a name, list the experiments."""
    from linkwright.experiments import base

    if name is None:
        _list_experiments(as_json)
        return
    chosen = base.experiment(name)
    with _progress(chosen.title, as_json) as show:
        outcome = chosen.run(on_progress=show)
    files = outcome.write(out_folder, chosen.id) if out_folder is not None else []
    if as_json:
        _print_json(
            {
                "id": chosen.id,
                "title": chosen.title,
                "rows": _finite(list(outcome.rows)),
                "files": [str(f) for f in files],
            }
        )
        return
    table = Table(box=None, padding=(0, 2, 0, 0), title=chosen.title, title_justify="left")
    for heading in outcome.rows[0]:
        words = heading.replace("_", " ")
        table.add_column(words, justify="left" if heading in ("variant", "ended") else "right")
    for row in outcome.rows:
        table.add_row(
            *(f"{v:.4g}" if isinstance(v, float) else "" if v is None else str(v) for v in row.values())
        )
    out.print(table)
    for file in files:
        out.print(f"Written: {file}", markup=False)


def _list_experiments(as_json: bool) -> None:
    from linkwright.experiments import base

    if as_json:
        _print_json([{"id": e.id, "title": e.title} for e in base.experiments().values()])
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("id", "title", "what it shows"):
        table.add_column(heading, no_wrap=heading != "what it shows")
    for e in base.experiments().values():
        table.add_row(e.id, e.title, e.help)
    out.print(table)


if __name__ == "__main__":
    main()
