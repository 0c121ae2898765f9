"""Results: numbers against closed forms and the reference, and files that come back bit for bit."""

from __future__ import annotations

import csv
import json
import math
import stat
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from scipy.special import ellipk

import linkwright as lw
from linkwright.document.bodies import Body, MassGiven
from linkwright.document.mechanism import Mechanism
from linkwright.document.settings import NewmarkOptions, Settings
from linkwright.errors import FileError, OptionError
from linkwright.run import export
from linkwright.run.results import Event, Results
from linkwright.run.runner import Runner

G = 9.81


def falling() -> Mechanism:
    """A body thrown and spinning about a principal axis; its name and the model's are in another script."""
    return Mechanism(
        title="Бросок 抛体",
        gravity=(0.0, 0.0, -G),
        bodies=(
            Body(
                id="stone",
                name="Камень",
                position=(1.0, 2.0, 3.0),
                velocity=(0.5, -0.25, 4.0),
                angular_velocity=(0.0, 0.0, 2.0),
                mass=MassGiven(mass=2.0, inertia=(1.0, 2.0, 3.0, 0.0, 0.0, 0.0)),
            ),
        ),
        settings=Settings(t_end=1.0, h=0.01, newmark=NewmarkOptions(tolerance_abs=1e-10)),
    )


@pytest.fixture(scope="module")
def fall() -> Results:
    return lw.simulate(falling())


@pytest.fixture(scope="module")
def crank() -> Results:
    runner = Runner(lw.load("slider-crank-sda"), model_name="slider-crank-sda", t_end=0.2)
    runner.step_once()
    while runner.recorder.counts()[0] < 1:
        time.sleep(0.002)
    runner.set_option("jacobian", "M1")
    runner.resume()
    assert runner.join(60)
    return runner.result()


def test_free_fall(fall: Results) -> None:
    """The trapezoidal rule is exact for constant acceleration: only rounding and the Newton tolerance are left."""
    t = fall.t
    assert t == pytest.approx(np.arange(101) * 0.01, abs=1e-12)
    assert fall["stone.x"] == pytest.approx(1.0 + 0.5 * t, abs=1e-9)
    assert fall["stone.y"] == pytest.approx(2.0 - 0.25 * t, abs=1e-9)
    assert fall["stone.z"] == pytest.approx(3.0 + 4.0 * t - G / 2 * t**2, abs=1e-9)
    assert fall["stone.vz"] == pytest.approx(4.0 - G * t, abs=1e-8)
    assert fall["stone.wz"] == pytest.approx(
        np.full(101, 2.0), abs=1e-3
    )  # second order in h, (h w / 2)^2 = 1e-4
    assert fall["stone.qw"] == pytest.approx(np.cos(t), abs=1e-3)
    assert fall["energy.total"] == pytest.approx(np.full(101, fall["energy.total"][0]), rel=1e-3)
    kinetic = 0.5 * 2.0 * (0.5**2 + 0.25**2 + 4.0**2) + 0.5 * 3.0 * 2.0**2
    assert fall["energy.kinetic"][0] == pytest.approx(kinetic)
    assert fall["energy.total"][0] - fall["energy.gravity"][0] == pytest.approx(kinetic)


def test_period_of_the_pendulum() -> None:
    """Released from rest at 60 degrees: T = 4 sqrt(J / (m g s)) K(sin^2(30 deg)), counted over seven swings.

    Newmark with beta 1/4 lengthens a period by (w h)^2 / 12: 8e-6 of it at w = 3.2 1/s and h = 0.003 s.
    """
    model = lw.load("pendulum")
    inertia = model.bodies[0].inertia()
    arm = np.asarray(inertia.centre)
    s = float(np.hypot(arm[0], arm[1]))  # the axis is z of the body frame
    about_axis = inertia.tensor[2][2] + inertia.mass * s**2
    period = 4.0 * math.sqrt(about_axis / (inertia.mass * G * s)) * float(ellipk(math.sin(math.pi / 6) ** 2))
    assert period / (2 * math.pi * math.sqrt(about_axis / (inertia.mass * G * s))) == pytest.approx(
        1.073, abs=5e-4
    )
    results = lw.simulate(model, t_end=7.2 * period, h=0.003)
    angle_rate = results["arm.wy"]
    falls = np.flatnonzero((angle_rate[:-1] > 0) & (angle_rate[1:] <= 0))
    share = angle_rate[falls] / (angle_rate[falls] - angle_rate[falls + 1])
    turning = results.t[falls] + share * 0.003
    found = (turning[-1] - turning[0]) / (len(turning) - 1)
    assert len(turning) >= 7
    assert found == pytest.approx(period, rel=3e-5)
    assert np.ptp(results["energy.total"]) < 1e-3 * np.ptp(results["energy.gravity"])


def test_motion_of_the_slider_crank() -> None:
    """facts.json, trajectories_45deg: the position of the slider at a quarter, half and the whole second."""
    facts = json.loads(Path(__file__).parents[2].joinpath("data/sda/facts.json").read_text(encoding="utf-8"))
    rows = facts["slider_crank"]["trajectories_45deg"]["rows"]
    assert len(rows) == 5
    for row in rows:
        results = lw.simulate(lw.load("slider-crank-sda"), parameters={"k": row["k"], "c": row["c"]})
        for label, x in row["x_newmark_dt001"].items():
            frame = round(float(label.removeprefix("t=")) / 0.01)
            assert results["slider.x"][frame] == pytest.approx(x, abs=1e-7)


def test_series_by_name(crank: Results) -> None:
    n = len(crank.t)
    for name in crank.names():
        assert crank[name].shape == (n,)
        assert isinstance(crank.unit(name), str)
    assert {"energy.total", "energy.balance_error", "constraint.position", "S1.length", "S1.force"} <= set(
        crank.channel_names
    )
    assert crank.unit("S1.length") == "m"
    assert crank.unit("slider.wz") == "rad/s"
    with pytest.raises(KeyError, match=r"Did you mean 'energy\.total'"):
        crank["energy.totl"]


def test_steps(crank: Results) -> None:
    assert crank.step_t == pytest.approx(crank.t[1:])
    np.testing.assert_array_equal(crank.iterations, crank.solves + 1)
    for k, count in enumerate(crank.iterations):
        history = crank.residuals(k)
        assert len(history) == count
        assert history[-1] < 1e-7
        assert np.all(history[:-1] >= 1e-7)


def test_summary_is_plain_and_complete(crank: Results) -> None:
    s = json.loads(json.dumps(crank.summary(), allow_nan=False))
    assert list(s) == [
        "model", "engine", "ended", "message", "t", "steps", "wall_s", "us_per_step", "iterations", "solves",
        "energy", "constraint_error", "final", "events",
    ]  # fmt: skip
    assert (s["model"], s["engine"], s["ended"], s["steps"]) == (
        "slider-crank-sda",
        "newmark",
        "completed",
        20,
    )
    assert s["t"] == pytest.approx(0.2)
    total = int(crank.iterations.sum())
    assert s["iterations"] == {
        "mean": total / 20,
        "min": int(crank.iterations.min()),
        "max": int(crank.iterations.max()),
        "total": total,
    }
    assert s["solves"]["total"] == total - 20
    assert s["energy"]["initial"] == 0.0
    assert s["energy"]["final"] == crank["energy.total"][-1]
    assert s["energy"]["balance_error_max"] == np.abs(crank["energy.balance_error"]).max()
    assert s["constraint_error"]["position_max"] < 1e-9
    assert list(s["final"]["bodies"]) == ["link1", "link2", "slider"]
    slider = s["final"]["bodies"]["slider"]
    assert slider["position"][0] == crank["slider.x"][-1]
    assert slider["velocity"][0] == crank["slider.vx"][-1]
    link = s["final"]["bodies"]["link1"]
    assert link["angular_velocity"][2] == crank["link1.wz"][-1]
    # w first: link 1 turns about z from 45 degrees, so that w = cos(th / 2) and z = sin(th / 2), x = y = 0
    w, x, y, z = link["orientation"]
    theta = math.acos(slider["position"][0] / 4.0)
    assert (w, x, y, z) == pytest.approx((math.cos(theta / 2), 0.0, 0.0, math.sin(theta / 2)), abs=1e-9)
    assert s["final"]["channels"]["S1.length"] == pytest.approx(slider["position"][0] / 2.0)
    assert s["events"] == [{"t": 0.01, "kind": "option", "element": "jacobian", "values": {"value": "M1"}}]


def test_the_largest_balance_error_counts_in_both_directions(crank: Results) -> None:
    turned = replace(crank, channels=-crank.channels)
    largest = crank.summary()["energy"]["balance_error_max"]
    assert turned.summary()["energy"]["balance_error_max"] == largest > 0.0


def test_summary_of_nothing() -> None:
    runner = Runner(lw.load("pendulum"), model_name="pendulum")
    s = runner.result().summary()
    assert s["steps"] == 0
    assert s["iterations"] == {"mean": None, "min": None, "max": None, "total": 0}
    assert s["final"] == {"bodies": {}, "channels": {}}
    json.dumps(s, allow_nan=False)


ARRAYS = ("steps", "packed_residuals", "residual_offsets", "t", "poses", "twists", "channels")
WORDS = (
    "mechanism", "model_name", "engine", "ended", "message", "wall_s", "step_columns", "channel_names",
    "channel_units", "events",
)  # fmt: skip


@pytest.mark.parametrize("which", ["fall", "crank"])
def test_hdf5_comes_back_bit_for_bit(which: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    results: Results = request.getfixturevalue(which)
    path = tmp_path / "Ergebnis 结果.h5"
    results.save(path)
    again = Results.load(path)
    for name in ARRAYS:
        was, now = getattr(results, name), getattr(again, name)
        assert was.dtype == now.dtype
        assert was.shape == now.shape
        assert was.tobytes() == now.tobytes(), name
    for name in WORDS:
        assert getattr(again, name) == getattr(results, name), name
    assert again.summary() == results.summary()


def test_hdf5_holds_units_settings_and_the_model(crank: Results, tmp_path: Path) -> None:
    crank.save(tmp_path / "r.h5")
    with h5py.File(tmp_path / "r.h5") as file:
        assert file["frames/t"].attrs["unit"] == "s"
        assert list(file["frames/poses"].attrs["columns"]) == ["x", "y", "z", "qw", "qx", "qy", "qz"]
        assert list(file["frames/twists"].attrs["units"]) == ["m/s"] * 3 + ["rad/s"] * 3
        names, units = file["frames/channel_names"].asstr()[()], file["frames/channel_units"].asstr()[()]
        assert dict(zip(names, units, strict=True))["energy.total"] == "J"
        assert len(file["steps/table"].attrs["units"]) == len(file["steps/table"].attrs["columns"])
        assert json.loads(file["settings"][()])["h"] == 0.01
        assert json.loads(file["model"][()])["format"] == "linkwright"


def test_a_failed_run_is_kept_like_any_other(tmp_path: Path) -> None:
    with pytest.warns(RuntimeWarning):
        results = lw.simulate(lw.load("tensegrity"), jacobian="M1")
    for name in ("r.h5", "r.csv", "r.npz"):
        results.save(tmp_path / name)
    again = Results.load(tmp_path / "r.h5")
    assert again.ended == "failed"
    assert again.events == results.events


def test_csv_states_units_and_keeps_every_digit(crank: Results, tmp_path: Path) -> None:
    crank.save(tmp_path / "r.csv")
    with (tmp_path / "r.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header[0] == "t [s]"
    assert "energy.total [J]" in header
    assert "slider.vx [m/s]" in header
    assert "slider.qw" in header
    values = np.array(rows, float)
    assert values.shape == (len(crank.t), len(header))
    np.testing.assert_array_equal(values[:, 0], crank.t)
    np.testing.assert_array_equal(values[:, header.index("slider.x [m]")], crank["slider.x"])
    np.testing.assert_array_equal(values[:, header.index("energy.total [J]")], crank["energy.total"])


def test_npz_opens_without_pickle(crank: Results, tmp_path: Path) -> None:
    crank.save(tmp_path / "r.npz")
    with np.load(tmp_path / "r.npz", allow_pickle=False) as file:
        for name in ("t", "poses", "twists", "channels", "steps"):
            np.testing.assert_array_equal(file[name], getattr(crank, name))
        assert tuple(file["channel_names"]) == crank.channel_names
        assert tuple(file["body_ids"]) == ("link1", "link2", "slider")
        assert str(file["model"]).startswith("{")


def test_files_that_cannot_be_written_or_read(
    crank: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(OptionError, match=r"\.h5, \.csv or \.npz"):
        crank.save(tmp_path / "r.xlsx")
    for name in ("r.h5", "r.csv", "r.npz"):
        with pytest.raises(FileError, match="not saved"):
            crank.save(tmp_path / "gone" / name)
    (tmp_path / "text.h5").write_text("no HDF5")
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["a"] = 1
    for name in ("text.h5", "other.h5", "gone.h5", ""):
        with pytest.raises(FileError):
            Results.load(tmp_path / name)
    crank.save(tmp_path / "newer.h5")
    with h5py.File(tmp_path / "newer.h5", "a") as file:
        file.attrs["version"] = 99
    with pytest.raises(FileError, match="newer"):
        Results.load(tmp_path / "newer.h5")

    path = tmp_path / "kept.h5"
    crank.save(path)
    path.chmod(0o600)
    before = path.read_bytes()

    def no_room(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(export, "_fill", no_room)
    with pytest.raises(FileError, match="No space left"):
        crank.save(path)
    assert path.read_bytes() == before
    assert not list(tmp_path.glob("*.part"))
    monkeypatch.undo()
    crank.save(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("cut", [0.1, 0.5, 0.9])
def test_a_torn_results_file_is_refused(crank: Results, tmp_path: Path, cut: float) -> None:
    crank.save(tmp_path / "r.h5")
    content = (tmp_path / "r.h5").read_bytes()
    (tmp_path / "r.h5").write_bytes(content[: int(cut * len(content))])
    with pytest.raises(FileError):
        Results.load(tmp_path / "r.h5")


def test_an_event_is_plain_data() -> None:
    assert Event(0.5, "impact", "C1", {"impulse": 2.0}).plain() == {
        "t": 0.5,
        "kind": "impact",
        "element": "C1",
        "values": {"impulse": 2.0},
    }


def test_a_run_with_very_many_channels_is_saved(crank: Results, tmp_path: Path) -> None:
    n = 5000
    many = replace(
        crank,
        channel_names=tuple(f"a_rather_long_name_of_a_channel_{k}.length" for k in range(n)),
        channel_units=("m",) * n,
        channels=np.arange(float(len(crank.t) * n)).reshape(len(crank.t), n),
    )
    many.save(tmp_path / "many.h5")
    read = Results.load(tmp_path / "many.h5")
    assert read.channel_names == many.channel_names
    assert np.array_equal(read.channels, many.channels)


@pytest.mark.parametrize("name", ["model", "events", "frames/channel_names"])
def test_foreign_content_is_refused_in_words(crank: Results, tmp_path: Path, name: str) -> None:
    path = tmp_path / "foreign.h5"
    crank.save(path)
    with h5py.File(path, "r+") as file:
        del file[name]
        file[name] = 3.5
    with pytest.raises(FileError, match="cannot be read as results"):
        Results.load(path)
