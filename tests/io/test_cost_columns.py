"""Costs of trials in columns of tables, whatever reads the table."""

import csv
import io
import json
import sqlite3

import numpy as np
import pytest

pytest.importorskip("click")

from helpers.written import refused, table, write_lines
from scorio import ParameterError, read
from scorio.io import recognise

ROWS = [
    {
        "model": model,
        "question": f"q{q}",
        "trial": trial,
        "correct": (q + trial) % 2,
        "usd": usd * (q + trial),
        "latency_s": 0.5,
    }
    for model, usd in (("big", 0.25), ("small", 0.0625))
    for q in range(3)
    for trial in range(1, 5)
]


def as_csv(table_rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, list(table_rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(table_rows)
    return text.getvalue()


def costs_by_hand(made, column="usd"):
    costs = {}
    for row in made:
        costs.setdefault(row["model"], {}).setdefault(row["question"], []).append(row[column])
    return {
        model: (
            np.mean([cost for each in own.values() for cost in each]),
            [np.mean(each) for each in own.values()],
            [np.var(each, ddof=1) for each in own.values()],
        )
        for model, own in costs.items()
    }


def check_costs(outcomes, made=ROWS, name="dollars", column="usd"):
    for model, (mean, means, variances) in costs_by_hand(made, column).items():
        cost = outcomes.costs[model][name]
        assert cost == pytest.approx(mean)
        np.testing.assert_allclose(cost.trials.means, means)
        np.testing.assert_allclose(cost.trials.variances, variances)


def in_sqlite(path, made):
    with sqlite3.connect(path) as connection:
        connection.execute(f"CREATE TABLE runs ({', '.join(made[0])})")
        connection.executemany(
            f"INSERT INTO runs VALUES ({', '.join('?' * len(made[0]))})", [[*row.values()] for row in made]
        )
    connection.close()
    return path


def in_parquet(path, made):
    duckdb = pytest.importorskip("duckdb")
    source = write_lines(path.with_suffix(".jsonl"), made)
    duckdb.sql(f"COPY (SELECT * FROM '{source}') TO '{path}'")
    source.unlink()
    return path


WRITERS = {
    "csv": lambda path, made: table(path.parent, as_csv(made), "runs.csv"),
    "jsonl": lambda path, made: write_lines(path.with_suffix(".jsonl"), made),
    "json": lambda path, made: table(path.parent, json.dumps(made), "runs.json"),
    "sqlite": lambda path, made: in_sqlite(path.with_suffix(".sqlite"), made),
    "parquet": lambda path, made: in_parquet(path.with_suffix(".parquet"), made),
}


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("named", [True, False])
def test_usual_names_are_found_in_every_kind_of_table(tmp_path, kind, named):
    made = ROWS if named else [{key: value for key, value in row.items() if key != "trial"} for row in ROWS]
    reading = recognise(WRITERS[kind](tmp_path / "runs", made))
    check_costs(reading.outcomes, made)
    check_costs(reading.outcomes, made, "seconds", "latency_s")
    assert "costs 'usd', 'latency_s'" in str(reading)


def test_columns_are_named(tmp_path):
    made = [
        {**{key: row[key] for key in ("model", "question", "correct")}, "spent": row["usd"], "usd": 1} for row in ROWS
    ]
    path = table(tmp_path, as_csv(made))
    assert read(path).costs["big"] == {"dollars": 1.0}
    outcomes = read(path, fields={"cost": "spent"})
    assert [*outcomes.costs["big"]] == ["spent"]
    check_costs(outcomes, made, "spent", "spent")
    assert [*read(path, fields={"cost": ["spent", "usd"]}).costs["big"]] == ["spent", "dollars"]
    assert read(path, fields={"cost": None}).costs.get("big", {}) == {}
    refused(path, "unknown column 'spend'. Did you mean 'spent'", fields={"cost": "spend"})
    refused(path, r"or to None \(models and cost: to several\)", by=ParameterError, fields={"cost": ["usd", "usd"]})


@pytest.mark.parametrize("cell", ["", "cheap", "-1", "nan", "inf"])
def test_a_trial_that_does_not_tell_its_cost(tmp_path, cell):
    made = [dict(row) for row in ROWS]
    made[5]["usd"] = cell
    path = table(tmp_path, as_csv(made))
    assert [*read(path).costs["big"]] == ["seconds"]
    assert [*read(path).costs["small"]] == ["dollars", "seconds"]
    refused(path, "question 'q1' has a trial whose cost in column 'usd' is not known", fields={"cost": "usd"})
    made[5]["correct"] = ""
    assert "dollars" in read(table(tmp_path, as_csv(made)), fields={"cost": "usd"}).costs["big"]
