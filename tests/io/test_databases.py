"""Databases and workbooks: which table or sheet is read, what a query may do, and which error says what to do."""

import gc
import itertools
import signal
import sqlite3
import sys
import threading
import time
import zipfile
from contextlib import closing

import pytest

from helpers.command import run
from helpers.written import counts, refused, write_workbook, write_zip
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


# Excel workbooks.


SHEET = [
    ["model", "question", "run", "correct"],
    ["a", "q1", 1, 1],
    ["a", "q1", 2, 0],
    ["a", "q2", 1, 1],
    ["b", "q1", 1, 0],
]
OF_SHEET = {"a": {"q1": [1, 1], "q2": [0, 1]}, "b": {"q1": [1, 0], "q2": [0, 0]}}


def test_a_sheet_is_a_table(tmp_path):
    path = write_workbook(tmp_path / "m.xlsx", {"Results": SHEET})
    reading = recognise(path)
    assert counts(reading.outcomes) == OF_SHEET
    assert "excel, model 'a', 3 trials (form long" in str(reading)
    assert "sheet 'Results'" in str(reading)
    assert counts(read(tmp_path)) == counts(read(path, format="excel")) == OF_SHEET
    assert "read 1 file: excel" in run("score", path, "--too-few", "omit").stderr


def test_the_sheet_with_values_is_read_and_others_are_chosen(tmp_path):
    sheets = {"Notes": [], "R & D": SHEET}
    path = write_workbook(tmp_path / "m.xlsx", sheets)
    assert counts(read(path)) == OF_SHEET
    write_workbook(path, sheets | {"Old": [["question", "correct"], ["q1", 0]]})
    refused(path, r"several sheets with values, 'R & D', 'Old': table=\"R & D\" chooses the first")
    assert counts(read(path, table="R & D")) == OF_SHEET
    assert counts(read(path, table="Old")) == {"m": {"q1": [1, 0]}}
    refused(path, r"unknown sheet 'old'. Did you mean 'Old'\?", table="old")


def test_kinds_of_cells(tmp_path):
    rows = [["question", "correct"], ["q1", True], [" q2", False], ["a\nb", 0], [7, 1.0], ["007", "1"], ["empty", None]]
    path = write_workbook(tmp_path / "m.xlsx", {"S": [[], *rows]})
    expected = {"q1": [0, 1], " q2": [1, 0], "a\nb": [1, 0], "7": [0, 1], "007": [0, 1], "empty": [0, 0]}
    assert counts(read(path)) == {"m": expected}


@pytest.mark.parametrize(
    ("rows", "merged", "message"),
    [
        (SHEET, ["A1:B1"], "the cells A1:B1 are merged: only the first of them has a value"),
        (SHEET, ["B2:B3"], "the cells B2:B3 are merged"),
        ([*SHEET[:2], ["a", "q2", 1, "=SUM(A1)"]], [], "row 3: cell D3 holds a formula without its"),
        ([*SHEET[:2], ["a", "q2", 1, "#DIV/0!"]], [], "row 3: '#DIV/0!' is not an outcome"),
        ([], [], "the workbook holds no values"),
        ([["question", "correct", "correct"], ["q1", 1, 0]], [], "two columns are called 'correct'"),
        ([["question", "correct"], ["q1", 1], ["question", "correct"]], [], "row 3 repeats the header"),
        ([["question", "correct"], ["q1", 1], [None, None], [None, 1]], [], "row 4: the question is empty"),
    ],
)
def test_faults_of_sheets(rows, merged, message, tmp_path):
    path = write_workbook(tmp_path / "m.xlsx", {"S": rows}, merged)
    with pytest.raises(OutcomeError) as caught:
        read(path)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    ("member", "content", "message"),
    [
        ("xl/worksheets/sheet1.xml", b"<worksheet><sheetData><row r='1'>", "the workbook cannot be read: "),
        ("xl/worksheets/sheet1.xml", b"<worksheet><x>", "the workbook cannot be read: "),
        ("xl/workbook.xml", b"<workbook/>", "the workbook"),
    ],
)
def test_damaged_workbooks(member, content, message, tmp_path):
    path = write_workbook(tmp_path / "m.xlsx", {"S": SHEET})
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    write_zip(path, members | {member: content})
    refused(path, message)


def test_merged_cells_beside_the_table_do_not_matter(tmp_path):
    rows = [["question", "correct"], ["q1", 1]]
    refused(write_workbook(tmp_path / "m.xlsx", {"S": rows}, ["D1:E2", "A4:B4"]), "the cells A4:B4 are merged")
    assert counts(read(write_workbook(tmp_path / "m.xlsx", {"S": rows}, ["D1:E2"]))) == {"m": {"q1": [0, 1]}}
