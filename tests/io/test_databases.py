"""Tables and queries of SQLite files: what they give, what they may do, and which error says what to do."""

import gc
import itertools
import signal
import sqlite3
import sys
import threading
import time
from contextlib import closing

import pytest

from helpers.written import counts, refused
from scorio import OutcomeError, ParameterError, read
from scorio.errors import FilesWarning
from scorio.io import recognise

ROWS = [
    (model, question, trial, int(hash_ % 3 == 0))
    for hash_, (model, question, trial) in enumerate(itertools.product("ab", ["001", "1", "q"], range(4)))
]
TRUTH = {
    model: {
        q: [sum(r[:2] == (model, q) and r[3] == value for r in ROWS) for value in (0, 1)] for q in ("001", "1", "q")
    }
    for model in "ab"
}


def executed(path, *statements, rows=((),)):
    """Run statements in a database; the last is run for each of the rows."""
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements[:-1]:
            connection.execute(statement)
        for row in rows:
            connection.execute(statements[-1], row)
        connection.commit()
    return path


def written(folder, table="outcomes"):
    """A database with one table."""
    columns = "(model TEXT, question TEXT, trial INTEGER, correct INTEGER)"
    insert = f"INSERT INTO {table} VALUES (?, ?, ?, ?)"
    return executed(folder / "runs.sqlite", f"CREATE TABLE {table} {columns}", insert, rows=ROWS)


def test_the_only_table(tmp_path):
    path = written(tmp_path)
    before = path.read_bytes()
    found = recognise(path)
    assert counts(found.outcomes) == TRUTH
    assert str(found).startswith(f"{path}: database, model 'a', 12 trials (form long, ")
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_several_tables(tmp_path):
    path = written(tmp_path)
    executed(
        path, 'CREATE TABLE "my notes" (id INTEGER)', "CREATE VIEW good AS SELECT * FROM outcomes WHERE model = 'a'"
    )
    error = refused(path, "several tables, .*outcomes.*: table=.* chooses the first; query=")
    assert "my notes" in str(error) and "good" in str(error)
    assert counts(read(path, table="outcomes")) == TRUTH
    assert counts(read(path, table="good")) == {"a": TRUTH["a"]}
    refused(path, "unknown table 'outcome'.*outcomes", table="outcome")
    refused(path, "no column of (questions|outcomes) was found", table="my notes")


def test_queries(tmp_path):
    path = written(tmp_path)
    query = "SELECT 'm' || model AS model, question, trial, correct FROM outcomes -- all\nORDER BY trial; "
    assert counts(read(path, query=query)) == {f"m{model}": cells for model, cells in TRUTH.items()}
    totals = "SELECT model, question, count(*) AS n, sum(correct) AS c FROM outcomes GROUP BY model, question"
    assert counts(read(path, query=totals)) == TRUTH
    refused(path, "table cannot be combined with query", by=ParameterError, query=totals, table="outcomes")
    for bad in ("SELECT nothing FROM outcomes", "SELEC 1", "SELECT 1; SELECT 2", "DELETE FROM outcomes", ""):
        error = refused(path, "the database cannot be read", query=bad)
        assert str(path) in str(error)
    assert counts(read(path)) == TRUTH


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_csv('{other}')",
        "SELECT * FROM '{other}'",
        "SELECT *, readfile('{other}') AS text FROM outcomes",
        "SELECT *, load_extension('{other}') AS text FROM outcomes",
        "SELECT * FROM pragma_database_list",
        "SELECT 1); ATTACH '{other}' AS other; SELECT * FROM (SELECT 1",
        "SELECT 1); INSTALL httpfs; SELECT * FROM (SELECT 1",
        "SELECT 1); SET enable_external_access = true; SELECT * FROM (SELECT 1",
        "SELECT 1); COPY outcomes TO '{other}.made'; SELECT * FROM (SELECT 1",
        "SELECT 1); DROP TABLE outcomes; SELECT * FROM (SELECT 1",
    ],
)
def test_a_query_reaches_nothing_else(tmp_path, query):
    path = written(tmp_path)
    other = tmp_path / "secret.csv"
    other.write_text("model,question,correct\nsecret,q1,1\n")
    with pytest.raises(OutcomeError):
        read(path, query=query.replace("{other}", str(other)))
    assert sorted(each.name for each in tmp_path.iterdir()) == [path.name, "secret.csv"]
    assert counts(read(path)) == TRUTH


def test_databases_beside_other_files(tmp_path):
    path = written(tmp_path)
    (tmp_path / "more.csv").write_text("model,question,trial,correct\nc,q,0,1\n")
    found = recognise(tmp_path)
    assert set(found.outcomes) == {"a", "b", "c"}
    executed(path, "CREATE TABLE notes (id INTEGER)")
    with pytest.warns(FilesWarning, match="several tables, 'notes', 'outcomes'|several tables, 'outcomes', 'notes'"):
        found = recognise(tmp_path)
    assert set(found.outcomes) == {"c"}
    assert "several tables, " in found.skipped[path]
    assert set(read(tmp_path, table="outcomes")) == {"a", "b", "c"}
    refused(tmp_path / "more.csv", "'table' cannot be chosen in files of table", by=ParameterError, table="outcomes")


@pytest.mark.parametrize(
    "checksum", [b"{\xff\0\0\0\0\0\0", b"[1,\0\0\0\0\0", b"PK\x03\x04\0\0\0\0", b"\x1f\x8b\0\0\0\0\0\0"]
)
def test_a_file_of_duckdb_is_refused_in_words(tmp_path, checksum):
    path = tmp_path / "m.duckdb"
    path.write_bytes(checksum + b"DUCK" + bytes(4084))  # a checksum may look like anything
    refused(path, "it is a file of DuckDB: write the table as Parquet")
    (tmp_path / "a.csv").write_text("question,correct\nq1,1\n")
    with pytest.warns(FilesWarning, match="m.duckdb: it is a file of DuckDB"):
        assert read(tmp_path).models == ("a",)


ENDLESS = (
    "CREATE VIEW endless AS WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r)"
    " SELECT 'c' AS model, 'q' || x AS question, 1 AS trial, 1 AS correct FROM r WHERE x < 0"
)


def test_views_are_read_only_if_they_are_named(tmp_path):
    path = executed(tmp_path / "m.sqlite", ENDLESS)
    refused(path, "it has no table, and only these views: .*endless.*: table=.* chooses the first")
    (tmp_path / "more.csv").write_text("model,question,trial,correct\nc,q,0,1\n")
    with pytest.warns(FilesWarning, match="it has no table, and only these views"):
        assert read(tmp_path).models == ("c",)
    path.unlink()
    path = executed(written(tmp_path), ENDLESS)
    assert counts(read(path)) == TRUTH
    executed(path, "CREATE VIEW good AS SELECT * FROM outcomes WHERE model = 'b'")
    assert counts(read(path, table="good")) == {"b": TRUTH["b"]}


def test_values_have_a_longest_length(tmp_path):
    path = written(tmp_path)
    for value in ("printf('%.*c', 100000000, 'x')", "randomblob(1000000000)"):
        refused(path, "string or blob too big|the question is empty", query=f"SELECT {value} AS question, 1 AS correct")
    with pytest.raises(OutcomeError, match=r"'question' must be a plain value; got b['\"].{1,200}\.\.$"):
        read(path, query="SELECT randomblob(10000000) AS question, 1 AS correct")


@pytest.mark.timing
@pytest.mark.skipif(sys.platform == "win32", reason="sends a signal")
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # a signal between opening a file and closing it leaves it open
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("skip_bad", [False, True])
def test_interruptions_of_what_has_no_end(tmp_path, skip_bad):
    path = executed(tmp_path / "m.sqlite", ENDLESS)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for moment in (0.05, 0.2, 0.6):
            timer = threading.Timer(moment, signal.raise_signal, [signal.SIGINT])
            timer.start()
            start = time.monotonic()
            with pytest.raises(KeyboardInterrupt):
                read(path, table="endless", skip_bad=skip_bad)
            assert time.monotonic() - start < moment + 2
            timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
        gc.collect()  # what was left open is said here, and not in a later test
