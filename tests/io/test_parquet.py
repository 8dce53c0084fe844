"""Parquet tables, counted by DuckDB."""

import os
import sys

import pytest

from helpers.written import counts, refused, write_rows
from scorio import read
from scorio.io import recognise


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
