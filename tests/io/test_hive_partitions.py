"""Parquet tables, and folders such as model=a/task=b, whose paths hold columns, whoever wrote them."""

import os
import sys
from urllib.parse import quote

import pytest

from helpers.written import counts, refused, write_rows
from scorio import Suite, read
from scorio.io import _collect, recognise

MODELS = ["gpt/x", "50% off = more", "ä", "007", "null"]
OTHERS = {"gpt/x": [[1, 0], [0, 0]], "50% off = more": [[0, 1], [1, 1]], "ä": [[1], [0]], "007": [[0], [0]], "null": []}


def rows_of(model, task):
    """Rows of two questions, whose outcomes are those above, turned around for the second task."""
    outcomes = OTHERS[model] or [[1, 1], [1, 1]]
    flip = task == "chess"
    return [
        {"question": f"q{q}", "trial": t, "correct": int(value) ^ flip}
        for q, values in enumerate(outcomes)
        for t, value in enumerate(values)
    ]


def tree(folder, suffix):
    """A folder of five models and two tasks."""
    for model in MODELS:
        for task in ("algebra", "chess"):
            write_rows(folder / f"model={quote(model, safe='')}" / f"task={task}" / f"0{suffix}", rows_of(model, task))
    return folder


def check(suite, tasks=("algebra", "chess")):
    assert isinstance(suite, Suite)
    assert list(suite) == list(tasks)
    for task, models in suite.items():
        assert sorted(models) == sorted(MODELS)
        for name, matrix in models.items():
            table = rows_of(name, task)
            for question, successes, trials in zip(matrix.questions, matrix.successes, matrix.trials, strict=True):
                own = [row["correct"] for row in table if row["question"] == question]
                assert (successes, trials) == (sum(own), len(own))


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_columns_of_paths(tmp_path, monkeypatch, suffix):
    folder = tree(tmp_path, suffix)
    found = recognise(folder)
    check(found.outcomes)
    monkeypatch.setattr(_collect, "tables_together", lambda *_: {})
    assert read(folder) == found.outcomes
    check(read(f"{folder}/model=*/task=*/*{suffix}"))
    check(Suite({"algebra": read(folder, task="algebra")}), ["algebra"])


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
@pytest.mark.parametrize("column", ["model", "trial", "correct", "question"])
def test_a_column_in_the_path_and_in_the_file(tmp_path, suffix, column):
    values = {"model": "it's", "question": "q1", "trial": "7", "correct": "1"}
    paths = [tmp_path / f"{column}={quote(values[column])}" / f"{i}{suffix}" for i in range(2)]
    for path, number in zip(paths, (7, 8), strict=True):
        write_rows(path, [values | ({"model": f"m{number}"} if column == "trial" else {"trial": str(number)})])
    assert sum(int(outcomes.trials.sum()) for outcomes in read(tmp_path).values()) == 2
    other = {"model": "b", "question": "q2", "trial": "9", "correct": "0"}[column]
    write_rows(paths[1], [values, values | {column: other}])
    message = f"column '{column}' is '{other}' in the file, and ({values[column]!r}|'it's') in its path: "
    error = refused(tmp_path, message + "skip_bad=True leaves out files that cannot be read; rename the folder")
    assert str(paths[1]) in str(error)


def test_equal_files_of_two_partitions_are_no_copies(tmp_path):
    row = {"model": "a", "question": "q1", "correct": 1}
    for day in (21, 22):
        write_rows(tmp_path / f"day=2026-11-{day}" / "0.csv", [row])
    assert counts(read(tmp_path)) == {"a": {"q1": [0, 2]}}
    write_rows(tmp_path / "day=2026-11-22" / "1.csv", [row])
    refused(tmp_path, "twice")


def test_names_that_are_no_columns(tmp_path):
    row = {"question": "q1", "correct": 1}
    write_rows(tmp_path / "model=a,seed=1" / "m.csv", [row])
    assert read(tmp_path).models == ("m",)
    path = write_rows(tmp_path / "model=a" / "model=b" / "m.csv", [row])
    refused(path, "its path has column 'model' twice, as 'a' and as 'b'")
    path = write_rows(tmp_path / "model=%FF" / "m.csv", [row])
    refused(path, "'%FF' is not UTF-8 text in percent encoding")


def test_partitions_as_writers_write_them(tmp_path):
    """DuckDB and Arrow write these folders themselves."""
    duckdb = pytest.importorskip("duckdb")
    values = ", ".join(f"('{model}', '{task}', 'q1', 1)" for model in ("a/b", "c=d e", "ü%41") for task in ("x", "y"))
    table = f"(SELECT * FROM (VALUES {values}) AS t(model, task, question, correct))"
    form = "FORMAT parquet, PARTITION_BY (model, task)"
    duckdb.sql(f"COPY {table} TO '{tmp_path}/duck' ({form})")
    suite = read(tmp_path / "duck")
    assert sorted(suite["x"]) == ["a/b", "c=d e", "ü%41"]
    duckdb.sql(f"COPY {table} TO '{tmp_path}/both' ({form}, WRITE_PARTITION_COLUMNS true)")
    assert read(tmp_path / "both") == suite
    arrow, dataset = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.dataset")
    rows = [{"model": m, "task": t, "question": "q1", "correct": 1} for t in "xy" for m in ("a/b", "c=d e", "ü%41")]
    partitions = dataset.partitioning(arrow.schema([("model", "string"), ("task", "string")]), flavor="hive")
    table = arrow.Table.from_pylist(rows)
    dataset.write_dataset(table, tmp_path / "arrow", format="parquet", partitioning=partitions)
    assert {t: dict(m) for t, m in read(tmp_path / "arrow").items()} == {t: dict(m) for t, m in suite.items()}


# Parquet tables, counted by DuckDB.


def parquet(path, select):
    duckdb = pytest.importorskip("duckdb")
    duckdb.sql(f"COPY ({select}) TO '{path}' (FORMAT parquet)")
    return path


def test_faults_of_parquet_are_named(tmp_path):
    path = parquet(tmp_path / "m.parquet", "SELECT 'q' AS question, i % 2 AS trial, 1 AS correct FROM range(3) AS t(i)")
    refused(path, "row 1: trial '0' of question 'q' is there twice")
    rows = [{"question": "q", "trial": trial, "correct": 1} for trial in (1, 2, None)]
    refused(write_rows(tmp_path / "m.parquet", rows), "row 3: the trial is empty")
    strange = parquet(tmp_path / 'a "strange" name.parquet', 'SELECT \'q\' AS question, 1 AS "it\'s ""odd"""')
    assert counts(read(strange, score='it\'s "odd"', model="m")) == {"m": {"q": [0, 1]}}


@pytest.mark.parametrize("column", ["[1, 0] AS id, 1 AS correct", "1 AS correct, [1] AS model, 'q' AS question"])
def test_nested_columns_are_refused(tmp_path, column):
    path = parquet(tmp_path / "m.parquet", f"SELECT {column}")
    refused(path, r"'\w+' must be a column of plain values; it holds (INTEGER\[|STRUCT)")


def test_a_parquet_name_is_no_pattern(tmp_path):
    for name in ("m[1].parquet", "m1.parquet"):
        write_rows(tmp_path / name, [{"question": name, "correct": 1}])
    assert read(tmp_path / "m[1].parquet").questions == ("m[1].parquet",)


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes on Linux")
def test_a_path_that_is_not_utf_8(tmp_path):
    good = write_rows(tmp_path / "good.parquet", [{"question": "q", "correct": 1}])
    odd = tmp_path / os.fsdecode(b"odd\xff.parquet")
    odd.write_bytes(good.read_bytes())
    refused(odd, r"its path is not UTF-8 text, which DuckDB needs: rename the file")
    reading = recognise(tmp_path, skip_bad=True)
    assert (reading.bad, counts(reading.outcomes)) == ((odd,), {"good": {"q": [0, 1]}})
