"""Gaps on the command line: sets of a file, of a number in the logs, and of two tasks."""

import csv
import json
from pathlib import Path

import pytest

from helpers.command import run
from helpers.written import write_table as table

DATA = Path(__file__).parents[2] / "examples" / "data"
SEEN, DATES = DATA / "seen.csv", DATA / "seen-dates.csv"


def answer(*arguments):
    return json.loads(run("gap", "-q", *arguments, "--format", "json").stdout)


def dates():
    with DATES.open() as file:
        return {row["question"]: row["date"] for row in csv.DictReader(file)}


def test_every_model_in_turn_has_one_error_rate():
    found = {row["model"]: row for row in answer(SEEN, "--sets", DATES, "--cut", "2024-06-01")["rows"]}
    assert [row["call"] for row in found.values()] == ["larger", "not told", "smaller", "not told"]
    p = sorted(row["p_value"] for row in found.values())
    assert found["dogwood"]["p_value"] < 0.05 < found["dogwood"]["p_corrected"] == pytest.approx(2 * p[2])
    assert "ask for it alone" in run("gap", "-q", SEEN, "--sets", DATES, "--cut", "2024-06-01").stdout


def test_a_file_that_does_not_fit(tmp_path):
    other = table(tmp_path / "other.csv", ["question", "set"], [("x1", "a"), ("x2", "b")])
    assert "names no question of the logs" in run("gap", "-q", SEEN, "--sets", other, code=2).stderr
    twice = table(tmp_path / "twice.csv", ["question", "set"], [("q01", "a"), ("q01", "b")])
    assert "names a question twice: 'q01'" in run("gap", "-q", SEEN, "--sets", twice, code=2).stderr
