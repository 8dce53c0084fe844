"""Equal schemas of Parquet files: exactly where DuckDB lists the same columns of the same types."""

import itertools

import pytest

from scorio import OutcomeError, read
from scorio.io._tabular import sql

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
}


def listed(path):
    """The columns of a file, as DuckDB lists them."""
    return duckdb.sql(f"SELECT * EXCLUDE file_name FROM parquet_schema('{path}')").fetchall()


@pytest.fixture
def paths(tmp_path):
    """Files of every table, twice, with names that would be patterns."""
    made = []
    for number, query in enumerate(TABLES.values()):
        for copy in range(2):
            made.append(tmp_path / f"[{number}]-it's {copy}.parquet")
            name = str(made[-1]).replace("'", "''")
            duckdb.sql(f"COPY ({query}) TO '{name}' (FORMAT parquet)")
    return made


def test_equal_numbers_are_equal_schemas(paths, tmp_path):
    links = {path: tmp_path / f"{i}.parquet" for i, path in enumerate(paths)}
    for path, link in links.items():
        link.symlink_to(path)
    found = sql.schemas(paths)
    assert set(found) == set(paths)
    for one, other in itertools.combinations(paths, 2):
        assert (found[one] == found[other]) == (listed(links[one]) == listed(links[other])), (one, other)


def test_relative_paths(paths, monkeypatch):
    monkeypatch.chdir(paths[0].parent.parent)
    relative = [path.relative_to(paths[0].parent.parent) for path in paths]
    assert set(sql.schemas(relative)) == set(relative)


@pytest.mark.parametrize("damage", ["cut off", "overwritten", "empty"])
def test_damaged_files_are_left_out(paths, damage):
    damaged = paths[5]
    content = damaged.read_bytes()
    size = int.from_bytes(content[-8:-4], "little")
    changed = content[: -8 - size] + b"\xff" * size + content[-8:]
    damaged.write_bytes({"cut off": content[:-10], "overwritten": changed, "empty": b"PAR1"}[damage])
    assert set(sql.schemas(paths)) == {*paths} - {damaged}
    with pytest.raises(OutcomeError, match="it cannot be read as Parquet"):
        read(damaged)
