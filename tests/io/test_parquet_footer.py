"""Equal schemas in the footers of Parquet files: exactly where DuckDB lists the same columns of the same types."""

import itertools

import pytest

from scorio import OutcomeError, read
from scorio.io import LogFile
from scorio.io._tabular import parquet_footer

duckdb = pytest.importorskip("duckdb")

TABLES = {
    "text": "SELECT 'a' AS model, 1 AS question, 1 AS correct",
    "more rows": "SELECT 'b' || r AS model, r::INTEGER AS question, 0 AS correct FROM range(70000) t(r)",
    "other type": "SELECT 'a' AS model, 1::BIGINT AS question, 1 AS correct",
    "other name": "SELECT 'a' AS model, 1 AS questions, 1 AS correct",
    "other order": "SELECT 1 AS question, 'a' AS model, 1 AS correct",
    "nested": "SELECT {'a': 1, 'b': [1.5]} AS model, MAP {'x': 2} AS question, 1::DECIMAL(9, 3) AS correct",
    "other scale": "SELECT {'a': 1, 'b': [1.5]} AS model, MAP {'x': 2} AS question, 1::DECIMAL(9, 2) AS correct",
    "many columns": f"SELECT {', '.join(f'{i} AS c{i}' for i in range(40))}",
    "times": "SELECT now()::TIMESTAMP AS model, uuid() AS question, true AS correct",
}


def listed(path):
    """The columns of a file, as DuckDB lists them."""
    columns = "name, type, type_length, repetition_type, num_children, converted_type, scale, precision, logical_type"
    return duckdb.sql(f"SELECT {columns} FROM parquet_schema('{path}')").fetchall()


@pytest.fixture
def files(tmp_path):
    """Files of every table, twice, by DuckDB and by other libraries as far as they are installed."""
    paths = []
    for number, query in enumerate(TABLES.values()):
        for copy in range(2):
            paths.append(tmp_path / f"{number}-{copy}.parquet")
            duckdb.sql(f"COPY ({query}) TO '{paths[-1]}' (FORMAT parquet)")
    return [LogFile(path) for path in paths]


def check(files):
    found = parquet_footer.schemas(files)
    assert len(found) == len(files)
    for one, other in itertools.combinations(files, 2):
        assert (found[one] == found[other]) == (listed(one.path) == listed(other.path)), (one.path, other.path)


def test_equal_bytes_are_equal_schemas(files):
    check(files)


def test_files_of_other_writers(files, tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    for number, version in enumerate(["1.0", "2.6", "2.6"]):
        table = arrow.table({"model": ["a"], "question": [number], "correct": [1.5], "tags": [["x", "y"]]})
        path = tmp_path / f"arrow {number}.parquet"
        parquet.write_table(table, path, version=version)
        files.append(LogFile(path))
    found = parquet_footer.schemas(files)
    assert len(found) == len(files)
    assert found[files[-1]] == found[files[-2]] not in [found[file] for file in files[:-3]]


def test_damaged_footers_are_left_out(files):
    file = files[0]
    content = parquet_footer.footer(file)
    end = len(parquet_footer.schema_of(content))
    for cut in range(end):
        with pytest.raises((IndexError, OutcomeError)):
            parquet_footer.schema_of(content[:cut])
    damaged = bytearray(file.path.read_bytes())
    place = bytes(damaged).rindex(content)
    damaged[place : place + len(content)] = b"\xff" * len(content)
    file.path.write_bytes(damaged)
    assert file not in parquet_footer.schemas(files)
    with pytest.raises(OutcomeError, match="it cannot be read as Parquet"):
        read(file.path)
