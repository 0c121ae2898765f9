"""The command line: exit codes, JSON and nothing else, sentences on standard error."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import linkwright as lw
from linkwright import cli, commands, samples
from linkwright.bench import base as bench_base
from linkwright.bench.base import BenchRow
from linkwright.run.results import Results

Capture = pytest.CaptureFixture[str]


def call(*arguments: str) -> int:
    """Exit code of the command."""
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    return int(ended.value.code or 0)


def answer(capsys: Capture, *arguments: str, code: int = 0) -> Any:
    """The one JSON value that a command prints with --json."""
    assert call(*arguments, "--json") == code
    text = capsys.readouterr().out
    assert text.endswith("\n")
    assert text.count("\n") == 1
    return json.loads(text)


def refusal(capsys: Capture, *arguments: str) -> str:
    """What a command says on standard error when its input is bad; nothing goes to standard output."""
    assert call(*arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err
    return " ".join(captured.err.split())


def test_run_prints_a_summary(capsys: Capture) -> None:
    assert call("run", "slider-crank-sda") == 0
    text = capsys.readouterr().out
    for words in (
        "Slider-crank with spring",
        "newmark",
        "100 steps",
        "mean 3.00",
        "mean 2.00",
        "slider at the end",
    ):
        assert words in text


def test_run_prints_one_json_object(capsys: Capture) -> None:
    s = answer(capsys, "run", "slider-crank-sda")
    assert (s["model"], s["engine"], s["ended"], s["steps"]) == (
        "slider-crank-sda",
        "newmark",
        "completed",
        100,
    )
    assert s["iterations"] == {"mean": 3.0, "min": 3, "max": 3, "total": 300}
    assert s["solves"] == {"mean": 2.0, "min": 2, "max": 2, "total": 200}
    # facts.json, trajectories_45deg, k = 2e4, c = 0, t = 1 s
    assert s["final"]["bodies"]["slider"]["position"][0] == pytest.approx(3.131604911, abs=1e-7)


def test_mean_iterations_grow_with_the_stiffness_when_m2_and_m3_are_off(capsys: Capture) -> None:
    """facts.json, k_sweep: 2.18 solves at k = 1e2, 5.85 at 1e5 with M1; at most 2 in any step with the full matrix."""
    means = []
    for k in ("1e2", "1e3", "1e4", "1e5"):
        s = answer(capsys, "run", "slider-crank-sda", "--set", f"k={k}", "--option", "jacobian=M1")
        means.append(s["solves"]["mean"])
        assert answer(capsys, "run", "slider-crank-sda", "--set", f"k={k}")["solves"]["max"] <= 2
    assert means == sorted(means)
    assert means[0] == pytest.approx(2.18, abs=0.15)
    assert means[-1] == pytest.approx(5.85, abs=0.15)


def test_run_takes_parameters_options_and_times(capsys: Capture) -> None:
    s = answer(
        capsys, "run", "slider-crank-sda", "--engine", "newmark", "--set", "k=1e5", "--set", "c = 10 N s/m",
        "--option", "beta=0.3025", "--option", "gamma=0.6", "--option", "max_iterations=50",
        "--option", "projection=true", "--option", "tolerance_abs=1e-9", "--t-end", "200 ms", "--dt", "5e-3",
    )  # fmt: skip
    assert (s["t"], s["steps"]) == (pytest.approx(0.2), 40)
    gap = s["final"]["channels"]["S1.length"] - 2.0**0.5
    force = 1e5 * gap + 10.0 * s["final"]["channels"]["S1.rate"]
    assert s["final"]["channels"]["S1.force"] == pytest.approx(force, rel=1e-9)


@pytest.mark.parametrize("name", ["r.h5", "r.csv", "r.npz"])
def test_run_writes_results_and_a_picture(capsys: Capture, tmp_path: Path, name: str) -> None:
    plot = tmp_path / "plot.png"
    assert call("run", "tensegrity", "--out", str(tmp_path / name), "--plot", str(plot)) == 0
    assert str(plot) in capsys.readouterr().out.replace("\n", "")
    assert plot.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert plot.stat().st_size > 20_000
    assert (tmp_path / name).stat().st_size > 1000
    if name == "r.h5":
        assert Results.load(tmp_path / name).model_name == "tensegrity"


def test_run_of_a_file_with_a_name_in_another_script(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "кривошип 曲柄.lwk"
    lw.save(lw.load("pendulum"), path)
    s = answer(capsys, "run", str(path), "--t-end", "0.05")
    assert s["model"] == str(path)


def test_a_failed_run_ends_with_one_and_keeps_its_steps(capsys: Capture, tmp_path: Path) -> None:
    """facts.json, tensegrity.grid: k = 200, c = 10 diverges with M1."""
    out, plot = tmp_path / "r.h5", tmp_path / "p.png"
    arguments = ("run", "tensegrity", "--option", "jacobian=M1", "--out", str(out), "--plot", str(plot))
    s = answer(capsys, *arguments, code=1)
    assert s["ended"] == "failed"
    assert "M2 and M3" in s["message"]
    assert s["events"][-1]["kind"] == "failure"
    assert Results.load(out).ended == "failed"
    assert plot.exists()
    assert call(*arguments[:4]) == 1
    assert "M2 and M3" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "gone.lwk"), "no such file"),
        (("run", "pendulm"), "Did you mean 'pendulum'?"),
        (("run", "pendulum", "--engine", "warp"), "engine"),
        (("run", "pendulum", "--set", "k=1"), "parameter"),
        (("run", "slider-crank-sda", "--set", "k"), "NAME=VALUE"),
        (("run", "slider-crank-sda", "--set", "k=stiff"), "stiff"),
        (("run", "slider-crank-sda", "--set", "k=5 m"), "m"),
        (("run", "slider-crank-sda", "--set", "k=nan"), "linkwright:"),
        (("run", "slider-crank-sda", "--option", "jacobian=M9"), "jacobian"),
        (("run", "slider-crank-sda", "--option", "jacobean=M1"), "Did you mean 'jacobian'?"),
        (("run", "slider-crank-sda", "--option", "max_iterations=2.5"), "max_iterations"),
        (("run", "slider-crank-sda", "--option", "beta=NaN"), "beta"),
        (("run", "slider-crank-sda", "--t-end", "-1"), "t_end"),
        (("run", "slider-crank-sda", "--t-end", "soon"), "soon"),
        (("run", "slider-crank-sda", "--dt", "0"), "h"),
        (("run", "slider-crank-sda", "--dt", "5"), "longer"),
        (("run", "pendulum", "--out", "r.xlsx"), ".h5, .csv or .npz"),
        (("run", "pendulum", "--out", "gone/r.h5"), "no folder"),
        (("run", "pendulum", "--plot", "p.docx"), "no picture file"),
        (("run", "pendulum", "--plot", "gone/p.png"), "no folder"),
        (("run",), "Missing argument"),
        (("fly",), "No such command"),
        (("check", "gone.lwk"), "no such file"),
        (("bench", "speed"), "bench"),
        (("experiment", "sda-stifness"), "Did you mean 'sda-stiffness'?"),
        (("picture", "pendulum", "--out", "p.png", "--size", "big"), "no size"),
        (("picture", "pendulum", "--out", "p.png", "--theme", "blue"), "no theme"),
    ],
)
def test_bad_input_ends_with_two_and_a_sentence(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert words in refusal(capsys, *arguments)
    assert list(tmp_path.iterdir()) == []


def test_bad_input_with_json_prints_one_object(capsys: Capture) -> None:
    plain = answer(capsys, "run", "pendulm", code=2)
    assert "pendulum" in plain["error"]


def test_a_broken_file_is_named_with_the_place_of_the_fault(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "bad.lwk"
    path.write_text(
        '{"format": "linkwright", "version": 1, "bodies": [{"id": "a", "velocity": [0, "1.0", 0]}]}'
    )
    assert "'bad.lwk' was not opened. bodies[0].velocity[1]: A number is needed" in refusal(
        capsys, "run", str(path)
    )


def test_check(capsys: Capture) -> None:
    """slider_crank.json: one freedom, 20 independent conditions on 3 bodies."""
    plain = answer(capsys, "check", "slider-crank-sda")
    assert set(plain) == {"dof_count", "dof_rank", "redundant", "findings"}
    assert (plain["dof_count"], plain["dof_rank"], plain["redundant"]) == (1, 1, [])
    for finding in plain["findings"]:
        assert set(finding) == {"severity", "element", "text", "fix"}
    assert call("check", "slider-crank-sda") == 0
    assert "Freedoms by count 1, by rank 1." in capsys.readouterr().out


def test_samples(capsys: Capture) -> None:
    listed = answer(capsys, "samples")
    assert [s["id"] for s in listed] == list(samples.sample_ids())
    assert all(s["title"] and Path(s["path"]).is_file() for s in listed)
    assert call("samples") == 0
    text = capsys.readouterr().out
    assert all(s in text for s in samples.sample_ids())


def test_experiments_are_listed(capsys: Capture) -> None:
    listed = answer(capsys, "experiment")
    assert [e["id"] for e in listed][:3] == ["sda-stiffness", "sda-damping", "sda-actuator-force"]
    assert all(set(e) == {"id", "title"} for e in listed)
    assert call("experiment") == 0
    assert "sda-damping" in capsys.readouterr().out


def test_an_experiment_writes_its_table_and_figure(capsys: Capture, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "figures"
    plain = answer(capsys, "experiment", "sda-damping", "--out", str(folder))
    assert plain["id"] == "sda-damping"
    assert sorted(f.name for f in folder.iterdir()) == [
        "sda-damping.csv",
        "sda-damping.png",
        "sda-damping.svg",
    ]
    with (folder / "sda-damping.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(plain["rows"]) == 16
    assert [r["variant"] for r in rows[:4]] == ["M1", "M1+M2", "M1+M3", "M1+M2+M3"]
    (tmp_path / "file").write_text("in the way")
    assert "cannot be made" in refusal(capsys, "experiment", "sda-damping", "--out", str(tmp_path / "file"))


def test_bench_prints_rows(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    row = BenchRow("slider-crank-sda", "h=0.01", "spatial", "us/step", 10.0, "exudyn-3d", 40.0, "agree")
    monkeypatch.setattr(bench_base, "run_family", lambda family, peers: [row])
    plain = answer(capsys, "bench", "newmark", "--peers")
    assert plain == [
        {
            "case": "slider-crank-sda", "size": "h=0.01", "variant": "spatial", "unit": "us/step", "value": 10.0,
            "peer": "exudyn-3d", "peer_value": 40.0, "note": "agree", "ratio": 0.25,
        }
    ]  # fmt: skip
    assert call("bench", "newmark") == 0
    assert "0.250" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [("app",), ("bench", "gui"), ("bench", "start"), ("picture", "pendulum", "--out", "p.png")],
)
def test_commands_of_the_window_say_how_to_install_it(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setattr(commands, "entry_points", lambda group: ())
    assert "pip install 'linkwright[app]'" in refusal(capsys, *arguments)


@pytest.mark.parametrize("name", ["app", "bench-gui", "bench-start", "picture"])
def test_commands_of_the_window_are_found(name: str) -> None:
    assert callable(commands.window_command(name))


def test_plots_without_matplotlib_say_how_to_install_it(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for module in ("matplotlib.backends.backend_agg", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, module, None)
    plot = str(tmp_path / "p.png")
    assert "pip install 'linkwright[plot]'" in refusal(capsys, "run", "pendulum", "--plot", plot)


def test_version(capsys: Capture) -> None:
    assert call("--version") == 0
    assert capsys.readouterr().out == f"linkwright {lw.__version__}\n"


def test_the_program_itself_in_a_process_of_its_own(tmp_path: Path) -> None:
    """Standard output holds the JSON object alone, also where a progress bar would be drawn."""
    command = [sys.executable, "-m", "linkwright.cli", "run", "pendulum", "--t-end", "0.1", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=240)
    assert done.returncode == 0
    assert json.loads(done.stdout)["ended"] == "completed"
    assert done.stderr == ""
