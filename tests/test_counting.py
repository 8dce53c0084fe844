"""Counting the rows of files by DuckDB: against plain Python, and what goes wrong."""

import csv
import json
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorio import OutcomeError
from scorio.io.counting import count_table

duckdb = pytest.importorskip("duckdb")

IDS = ["001", "01", "1", "NA", "null", " x", "a,b", 'say "hi"', "two\nlines", "é", "true", "1e3"]
ROWS = [{"model": model, "q.id": question, "ok": ok} for model in "ab" for question in IDS for ok in ("1", "0", "1")]
COUNTS = Counter((row["model"], row["q.id"], row["ok"]) for row in ROWS)
KEYS = ["model", "q.id"]


def written_csv(path, rows, **dialect):
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), **dialect)
        writer.writeheader()
        writer.writerows(rows)
    return path


def written_json(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def written_parquet(path, rows):
    pyarrow = pytest.importorskip("pyarrow")
    importlib_parquet = pytest.importorskip("pyarrow.parquet")
    importlib_parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    return path


WRITERS = {"csv": written_csv, "jsonl": written_json, "parquet": written_parquet}


@pytest.fixture(params=sorted(WRITERS))
def written(request, tmp_path):
    return lambda rows, stem="rows": WRITERS[request.param](tmp_path / f"{stem}.{request.param}", rows)


def test_labels_are_text_as_they_are_written(written):
    assert count_table([written(ROWS)], KEYS, "ok") == COUNTS


def test_counts_add_over_files_of_any_kind(tmp_path):
    paths = [writer(tmp_path / f"rows.{kind}", ROWS) for kind, writer in WRITERS.items()]
    assert count_table(paths, KEYS, "ok") == {row: 3 * times for row, times in COUNTS.items()}


def test_columns_may_stand_in_any_order_and_be_called_anything(written):
    rows = [{"times": "a", "outcome": "1", "trial": "9", "key0": "z", "select": "s"}] * 2
    turned = [dict(reversed(row.items())) for row in rows]
    found = count_table([written(rows, "one"), written(turned, "two")], ["key0", "select", "times"], "outcome")
    assert found == {("z", "s", "a", "1"): 4}


def test_typed_columns_become_text(tmp_path):
    rows = [{"q": 1, "ok": True, "x": 0.5}, {"q": 1, "ok": None, "x": 1.0}, {"q": 20, "ok": False, "x": None}]
    parquet, lines = written_parquet(tmp_path / "a.parquet", rows), written_json(tmp_path / "a.jsonl", rows)
    for path in (parquet, lines):
        assert count_table([path], ["q"], "ok") == {("1", "true"): 1, ("1", None): 1, ("20", "false"): 1}
        assert count_table([path], ["q"], "x") == {("1", "0.5"): 1, ("1", "1.0"): 1, ("20", None): 1}


def test_a_path_is_no_pattern(tmp_path):
    path = written_csv(tmp_path / "it's [1]*?.csv", ROWS)
    written_csv(tmp_path / "it's 1xx.csv", ROWS)
    assert count_table([path], KEYS, "ok") == COUNTS


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_other_delimiters(tmp_path, delimiter):
    path = written_csv(tmp_path / "rows.csv", ROWS, delimiter=delimiter)
    assert count_table([path], KEYS, "ok", delimiter=delimiter) == COUNTS


def test_a_byte_order_mark_and_windows_lines(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes(b"\xef\xbb\xbfid,ok\r\n001,1\r\n001,0\r\n")
    assert count_table([path], ["id"], "ok") == {("001", "1"): 1, ("001", "0"): 1}


TRIALS = {
    "small numbers": [0, 1, 2, 1023],
    "large numbers": [0, 1, 1024, -1],
    "text": ["a", "b", "1", "01"],
    "numbers as text": ["0", "1", "10", "+1"],
}


@pytest.mark.parametrize("trials", TRIALS.values(), ids=TRIALS)
def test_a_trial_given_twice_is_refused(written, trials):
    rows = [{"q": question, "t": trial, "ok": 1} for question in "xy" for trial in trials]
    assert count_table([written(rows, "good")], ["q"], "ok", trial="t") == {("x", "1"): 4, ("y", "1"): 4}
    for twice in trials:
        bad = [*rows, {"q": "y", "t": twice, "ok": 0}]
        with pytest.raises(OutcomeError, match=r"column 't' is null, or the same twice, for q 'y'"):
            count_table([written(bad, "bad")], ["q"], "ok", trial="t")


@pytest.mark.parametrize("trials", TRIALS.values(), ids=TRIALS)
def test_a_trial_without_a_name_is_refused(written, trials):
    rows = [{"q": "x", "t": trial, "ok": 1} for trial in [*trials[:-1], None]]
    with pytest.raises(OutcomeError, match="column 't' is null"):
        count_table([written(rows)], ["q"], "ok", trial="t")


def test_a_trial_in_two_files_is_refused(tmp_path):
    first = written_csv(tmp_path / "a.csv", [{"q": "x", "t": 1, "ok": 1}, {"q": "x", "t": 2, "ok": 1}])
    other = written_json(tmp_path / "b.jsonl", [{"q": "x", "t": "3", "ok": 0}])
    again = written_parquet(tmp_path / "c.parquet", [{"q": "x", "t": 2, "ok": 0}])
    apart = written_parquet(tmp_path / "d.parquet", [{"q": "y", "t": 2, "ok": 0}])
    assert count_table([first, other, apart], ["q"], "ok", trial="t").total() == 4
    with pytest.raises(OutcomeError, match=r"a\.csv and 2 more: column 't' is null, or the same twice, for q 'x'"):
        count_table([first, other, again], ["q"], "ok", trial="t")


CELLS = st.sampled_from(["", "1", "01", "NA", "a b", "'", '"', ",", "x\ny", "null", "NaN", "None"])


@given(st.lists(st.tuples(st.sampled_from(IDS), CELLS), min_size=1, max_size=20))
@settings(max_examples=25, deadline=None)
def test_counts_are_those_of_plain_counting(cells):
    rows = [{"q": question, "ok": outcome} for question, outcome in cells]
    with tempfile.TemporaryDirectory() as folder:
        lines = written_json(Path(folder, "rows.jsonl"), rows)
        table = written_csv(Path(folder, "rows.csv"), rows)
        assert count_table([lines], ["q"], "ok") == Counter(cells)
        assert count_table([table], ["q"], "ok") == Counter((question, outcome or None) for question, outcome in cells)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"id,ok\n1,1\n2\n", "line 3: Expected Number of Columns: 2 Found: 1"),
        (b"id,ok\n1,1\n2,1,1\n", "line 3: Expected Number of Columns: 2 Found: 3"),
        (b'id,ok\n1,"1\n', "line 2: Value with unterminated quote found"),
        (b"id,ok\n1,\xff\n", "line 2: Invalid unicode"),
        (b"\xff\xfeid,ok\n", "the first line is not UTF-8 text"),
        (b"id,o\n1,1\n", "there is no column 'ok'; the columns are 'id', 'o'"),
        (b"id,ok,ok\n1,1,1\n", "there is several columns 'ok'"),
        (b"", "there is no column 'id'; the columns are none"),
        (b'{"id": 1, "ok": tru', "Malformed|malformed|unexpected"),
        (b'{"id": 1, "ok": 1}\n[1]\n', "Expected OBJECT, but got ARRAY"),
        (b"PAR1 and then nothing", "too small to be a Parquet file|No magic bytes"),
    ],
)
def test_a_broken_file_is_named_with_the_reason(tmp_path, content, reason):
    path = tmp_path / "broken"
    path.write_bytes(content)
    with pytest.raises(OutcomeError, match=f"broken: .*({reason})") as caught:
        count_table([path], ["id"], "ok")
    assert "\n" not in str(caught.value)


def test_no_file(tmp_path):
    with pytest.raises(OutcomeError, match=r"none\.csv: it cannot be read: No such file"):
        count_table([tmp_path / "none.csv"], ["id"], "ok")


def test_without_duckdb(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(OutcomeError, match=r'pip install "scorio\[tables\]"'):
        count_table([written_csv(tmp_path / "rows.csv", ROWS)], KEYS, "ok")


def test_nothing_is_left_behind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "spill"))
    (tmp_path / "spill").mkdir()
    count_table([written_csv(tmp_path / "rows.csv", ROWS)], KEYS, "ok")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["rows.csv", "spill"]


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_side_by_side_is_the_same(tmp_path, n_jobs):
    pytest.importorskip("joblib")
    shuffled = random.Random(0).sample(ROWS, len(ROWS))
    paths = [written_csv(tmp_path / f"{i}.csv", shuffled[i::5]) for i in range(5)]
    assert list(count_table(paths, KEYS, "ok", n_jobs=n_jobs).items()) == list(count_table(paths, KEYS, "ok").items())
