"""Large tables of text are counted by DuckDB: with the same result as row by row, and the same words for faults."""

import csv
import json
import re
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scorio
from scorio import OutcomeError
from scorio.io._files import LogFile
from scorio.io._tabular import duck, rows

pytest.importorskip("duckdb")

IDS = ["001", "01", "1", "NA", "null", "a,b", 'say "hi"', "two\nlines", "é", "true", "1e3", "1.50"]
ROWS = [
    {"model": model, "id": question, "trial": trial, "correct": (trial + len(question)) % 2}
    for trial in range(5)
    for question in reversed(IDS)
    for model in "ba"
]


@contextmanager
def size_from_which_a_table_is_large(size):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "LARGE", size)
        yield


def at_once(read, *arguments, **options):
    """What DuckDB finds, which nothing reads row by row."""
    with size_from_which_a_table_is_large(0), pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "_one_by_one", None)
        return read(*arguments, **options)


def one_by_one(read, *arguments, **options):
    """What is found without DuckDB."""
    with size_from_which_a_table_is_large(0), pytest.MonkeyPatch.context() as patch:
        patch.setattr(duck, "installed", lambda: False)
        return read(*arguments, **options)


def distinct(path, wanted, trial=None):
    found = rows.distinct(LogFile(path), wanted, trial)
    trials = [None] * len(found.times) if trial is None else [(each._bits, each._names) for each in found.trials]
    return [*zip(zip(*found.columns, strict=True), found.times, trials, strict=True)]


def written_csv(path, table, **dialect):
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(table[0]), **dialect)
        writer.writeheader()
        writer.writerows(table)
    return path


def written_json(path, table):
    path.write_text("".join(json.dumps(row) + "\n" for row in table), encoding="utf-8")
    return path


WRITERS = {"csv": written_csv, "jsonl": written_json}


@pytest.fixture(params=sorted(WRITERS))
def written(request, tmp_path):
    return lambda table: WRITERS[request.param](tmp_path / f"rows.{request.param}", table)


def test_the_same_rows_in_the_same_order(written):
    path = written(ROWS)
    for trial in (None, "trial"):
        found = at_once(distinct, path, ["model", "id", "correct"], trial)
        assert found == one_by_one(distinct, path, ["model", "id", "correct"], trial)
        assert sum(times for _, times, _ in found) == len(ROWS)
    assert at_once(scorio.io.read, path) == one_by_one(scorio.io.read, path)


def test_a_path_is_no_pattern(tmp_path):
    path = written_csv(tmp_path / "it's [1]*?.csv", ROWS)
    written_csv(tmp_path / "it's 1xx.csv", ROWS)
    assert at_once(scorio.io.read, path) == one_by_one(scorio.io.read, path)


CELLS = st.sampled_from(["", "1", "01", "NA", "a b", " x", "'", '"', ",", "x\ny", "null", "NaN", "[1]", "{}"])


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from(IDS), CELLS), min_size=1, max_size=20))
@settings(max_examples=25, deadline=None)
def test_any_text(cells):
    table = [{"id": question, "correct": outcome} for question, outcome in cells]
    with tempfile.TemporaryDirectory() as folder, size_from_which_a_table_is_large(0):
        for kind, writer in WRITERS.items():
            path = writer(Path(folder, f"rows.{kind}"), table)
            found, expected = distinct(path, ["id", "correct"]), one_by_one(distinct, path, ["id", "correct"])
            assert [((id_, outcome or ""), times) for (id_, outcome), times, _ in found] == [
                ((id_, outcome or ""), times) for (id_, outcome), times, _ in expected
            ]


@pytest.mark.parametrize(
    "content",
    [
        b"id,correct\n1,1\n2\n",
        b"id,correct\n1,1\n2,1,1\n",
        b'id,correct\n1,"1\n',
        b"id,correct\n1,\xff\n",
        b"id,correct\n, 1\n",
        b"id,correct\n1,maybe\n",
        b"id,trial,correct\n1,,1\n",
        b'{"id": 1, "correct": 1}\n{"id": 1, "correct": tru',
        b'{"id": 1, "correct": 1}\n{"id": 1}\n',
        b'{"id": 1, "correct": 1}\n{"id": [1], "correct": 1}\n',
        b'{"id": 1, "correct": 1}\n[1]\n',
    ],
)
def test_faults_are_told_as_in_small_files(tmp_path, content):
    path = tmp_path / "broken.txt"
    path.write_bytes(content)
    with pytest.raises(OutcomeError) as small:
        one_by_one(scorio.io.read, path)
    with size_from_which_a_table_is_large(0), pytest.raises(OutcomeError) as large:
        scorio.io.read(path)
    small, large = (re.sub(r"(line|row) \d+", "place", str(error.value)) for error in (small, large))
    assert large == small
    assert "\n" not in large


@pytest.mark.parametrize("outcome", [0, 1])
def test_a_trial_given_twice_is_refused(written, outcome):
    path = written([*ROWS, ROWS[0] | {"correct": outcome}])
    with pytest.raises(OutcomeError, match="twice"):
        at_once(scorio.io.read, path)


def test_nothing_is_left_behind(tmp_path, monkeypatch):
    path = written_csv(tmp_path / "rows.csv", ROWS)
    spill = tmp_path / "spill"
    spill.mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(spill))
    at_once(scorio.io.read, path)
    assert sorted(tmp_path.rglob("*")) == [path, spill]
