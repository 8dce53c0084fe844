"""Costs of trials in columns of tables, whatever reads the table."""

import numpy as np
import pytest

from helpers.written import refused, write_rows
from scorio import ParameterError, read
from scorio.io import recognise

ROWS = [
    {"model": model, "question": f"q{q}", "trial": t, "correct": (q + t) % 2, "usd": usd * (q + t), "latency_s": 0.5}
    for model, usd in (("big", 0.25), ("small", 0.0625))
    for q in range(3)
    for t in range(1, 5)
]


def check_costs(outcomes, rows=ROWS, name="dollars", column="usd"):
    """The costs of each question have the mean and the variance of those in its rows."""
    for model in ("big", "small"):
        cost = outcomes.costs[model][name]
        told = [
            [row[column] for row in rows if (row["model"], row["question"]) == (model, q)] for q in ("q0", "q1", "q2")
        ]
        assert cost == pytest.approx(np.mean(told))
        np.testing.assert_allclose(cost.trials.means, np.mean(told, axis=1))
        np.testing.assert_allclose(cost.trials.variances, np.var(told, axis=1, ddof=1))


@pytest.mark.parametrize("kind", ["csv", "jsonl", "json", "sqlite", "parquet"])
@pytest.mark.parametrize("named", [True, False])
def test_usual_names_are_found_in_every_kind_of_table(tmp_path, kind, named):
    rows = ROWS if named else [{key: value for key, value in row.items() if key != "trial"} for row in ROWS]
    reading = recognise(write_rows(tmp_path / f"runs.{kind}", rows))
    check_costs(reading.outcomes, rows)
    check_costs(reading.outcomes, rows, "seconds", "latency_s")
    assert "costs 'usd', 'latency_s'" in str(reading)


def test_columns_are_named(tmp_path):
    kept = ("model", "question", "correct")
    rows = [{key: row[key] for key in kept} | {"spent": row["usd"], "usd": 1} for row in ROWS]
    path = write_rows(tmp_path / "m.csv", rows)
    assert read(path).costs["big"] == {"dollars": 1.0}
    outcomes = read(path, fields={"cost": "spent"})
    assert [*outcomes.costs["big"]] == ["spent"]
    check_costs(outcomes, rows, "spent", "spent")
    assert [*read(path, fields={"cost": ["spent", "usd"]}).costs["big"]] == ["spent", "dollars"]
    assert read(path, fields={"cost": None}).costs.get("big", {}) == {}
    refused(path, "unknown column 'spend'. Did you mean 'spent'", fields={"cost": "spend"})
    refused(path, r"or to None \(models and cost: to several\)", by=ParameterError, fields={"cost": ["usd", "usd"]})


@pytest.mark.parametrize("cell", ["", "cheap", "-1", "nan", "inf"])
def test_a_trial_that_does_not_tell_its_cost(tmp_path, cell):
    rows = [dict(row) for row in ROWS]
    rows[5]["usd"] = cell
    path = write_rows(tmp_path / "m.csv", rows)
    assert [*read(path).costs["big"]] == ["seconds"]
    assert [*read(path).costs["small"]] == ["dollars", "seconds"]
    refused(path, "question 'q1' has a trial whose cost in column 'usd' is not known", fields={"cost": "usd"})
    rows[5]["correct"] = ""
    assert "dollars" in read(write_rows(path, rows), fields={"cost": "usd"}).costs["big"]
