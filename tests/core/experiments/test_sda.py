"""The SDA experiments against the tables of the reference (facts.json, slider_crank)."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from linkwright.errors import OptionError
from linkwright.experiments.base import Outcome, Row, experiment, experiments
from linkwright.experiments.sda import sweep

FACTS = json.loads(Path(__file__).parents[2].joinpath("data/sda/facts.json").read_text(encoding="utf-8"))
SLIDER_CRANK = FACTS["slider_crank"]
TABLES = (
    ("sda-stiffness", "k", "k_sweep_c0_fa0"),
    ("sda-damping", "c", "c_sweep_k2e4_fa0"),
    ("sda-actuator-force", "fa", "fa_sweep_k2e4_c0"),
)


def allowed(mean: float, variant: str) -> float:
    """Tolerance of a mean number of solves as facts.json, tolerances, states it."""
    return 1.0 if variant != "M1+M2+M3" and mean > 10.0 else 0.15


def compare(rows: tuple[Row, ...], table: list[dict[str, Any]], parameter: str) -> int:
    compared = 0
    for row in rows:
        for fact in table:
            if fact.get("theta0_deg", 45) != 45 or fact[parameter] != row[parameter]:
                continue
            expected = fact.get(str(row["variant"]))
            if expected is None:
                continue
            assert row["steps"] == expected["steps_completed"] == 100
            mean, found = expected["mean_solves"], row["solves_mean"]
            assert isinstance(found, float)
            assert found == pytest.approx(mean, abs=allowed(mean, str(row["variant"])))
            compared += 1
    return compared


@pytest.mark.parametrize(("name", "parameter", "table"), TABLES)
def test_tables_of_the_reference(name: str, parameter: str, table: str, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    outcome: Outcome = experiment(name).run(on_progress=lambda done, total: seen.append((done, total)))
    facts = SLIDER_CRANK[table]
    at_45 = [fact for fact in facts if fact.get("theta0_deg", 45) == 45]
    variants = sum(len([v for v in fact if v.startswith("M1")]) for fact in at_45)
    assert {row[parameter] for row in outcome.rows} == {fact[parameter] for fact in at_45}
    assert compare(outcome.rows, facts, parameter) == variants
    total = len(outcome.rows)
    assert seen == [(k + 1, total) for k in range(total)]
    if parameter != "fa":
        assert all(row["solves_max"] == 2 for row in outcome.rows if row["variant"] == "M1+M2+M3")
    files = outcome.write(tmp_path, name)
    assert [f.name for f in files] == [f"{name}.csv", f"{name}.png", f"{name}.svg"]
    with files[0].open(encoding="utf-8", newline="") as file:
        written = list(csv.DictReader(file))
    assert [float(r["solves_mean"]) for r in written] == [row["solves_mean"] for row in outcome.rows]
    assert files[1].read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert "</svg>" in files[2].read_text(encoding="utf-8")


def test_the_off_centre_variant_depends_on_the_actuator_force() -> None:
    """There the part of M2 that turns with the force acts: facts.json, off_centre_variant."""
    table = SLIDER_CRANK["off_centre_variant"]["fa_sweep"]
    values = [fact["fa"] for fact in table]
    rows = sweep("fa", values, ("M1", "M1+M2+M3"), sample="slider-crank-sda-offset")
    assert compare(rows, table, "fa") == 2 * len(values)


def test_sixty_degrees() -> None:
    table = [fact for fact in SLIDER_CRANK["k_sweep_c0_fa0"] if fact["theta0_deg"] == 60]
    rows = sweep("k", [fact["k"] for fact in table], ("M1", "M1+M2+M3"), sample="slider-crank-sda-60")
    moved = [{**fact, "theta0_deg": 45} for fact in table]
    assert compare(rows, moved, "k") == 2 * len(table) > 0


def test_a_run_that_fails_is_a_row_without_a_mean() -> None:
    """facts.json, tensegrity.grid: k = 200, c = 10 diverges with M1."""
    (row,) = sweep("k", [200.0], ("M1",), sample="tensegrity")
    assert row["ended"] == "failed"
    assert row["solves_mean"] is None


def test_chosen_values_and_variants() -> None:
    outcome = experiment("sda-stiffness").run(values=[1e3], variants=("M1+M3",))
    assert [(row["k"], row["variant"]) for row in outcome.rows] == [(1e3, "M1+M3")]


def test_experiments_by_id() -> None:
    assert tuple(experiments())[:3] == ("sda-stiffness", "sda-damping", "sda-actuator-force")
    with pytest.raises(OptionError, match="Did you mean 'sda-damping'"):
        experiment("sda-dampin")
