"""Outcomes as people write them in tables: percentages, decimal commas, check marks, words that mark missing trials."""

import pytest

from helpers.command import run
from helpers.written import counts, refused, table
from scorio import read


def rewards(path, **options):
    """Return the only reward of each question."""
    matrix = read(path, **options)["m"]
    levels = matrix.levels or (0.0, 1.0)
    found = zip(matrix.questions, matrix.counts.tolist(), strict=True)
    return {question: levels[own.index(1)] if sum(own) else None for question, own in found}


def rows_of(*values, mark=","):
    return "\n".join([f"question{mark}score", *(f"q{i}{mark}{value}" for i, value in enumerate(values))])


@pytest.mark.parametrize(
    ("values", "mark", "expected"),
    [
        (("0%", "25%", "12.5 %", "100%"), ",", (0.0, 0.25, 0.125, 1.0)),
        (("0,0", "0,25", "1", "-1,5", "0.5"), ";", (0.0, 0.25, 1.0, -1.5, 0.5)),
        (("12,5%", "50%"), ";", (0.125, 0.5)),
        (("✓", "✗", "✔️", "❌", "☑", "N/A"), ",", (1.0, 0.0, 1.0, 0.0, 1.0, None)),
    ],
    ids=["percent", "comma", "both", "marks"],
)
def test_what_people_write(values, mark, expected, tmp_path):
    path = table(tmp_path, rows_of(*values, mark=mark))
    assert rewards(path) == {f"q{i}": value for i, value in enumerate(expected)}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (('"0,5"', "1"), r"line 2: '0,5' is not an outcome: it has a comma: write decimals with a point"),
        (("25%", "0.5"), r"line 3: outcomes are percentages and others at once, '25%' and '0.5'"),
        (("25%", "pass"), r"line 3: outcomes are percentages and others at once"),
        (("25%%", "1"), r"line 2: '25%%' is not an outcome"),
        (
            ("good", "1"),
            r"line 2: 'good' is not an outcome: levels=\{.good.: .\.\.\..\} gives a word a reward, and None",
        ),
    ],
)
def test_what_is_not_read(values, message, tmp_path):
    refused(table(tmp_path, rows_of(*values)), message)


@pytest.mark.parametrize("head", ["Correct?", "correct:", " (Correct) ", "*correct*"])
def test_punctuation_of_headers(head, tmp_path):
    assert counts(read(table(tmp_path, f"Question:,{head}\nq1,Yes\nq2,No\n"))) == {"m": {"q1": [0, 1], "q2": [1, 0]}}


def test_words_that_mark_missing_trials(tmp_path):
    path = table(tmp_path, rows_of("PASSED", "FAILED", "ERROR"))
    refused(path, "'ERROR' is not an outcome")
    expected = {"q0": 1.0, "q1": 0.0, "q2": None}
    assert rewards(path, levels={"ERROR": None}) == expected
    assert rewards(path, levels={"ERROR": None}, missing="fail") == expected | {"q2": 0.0}
    assert rewards(path, levels={"FAILED": None, "ERROR": 0.5}) == {"q0": 1.0, "q1": None, "q2": 0.5}
    assert "66.7%" in run("score", path, "--level", "ERROR=none", "--too-few", "omit").stdout
    assert "--level ERROR=... gives a word a reward" in run("score", path, code=2).stderr
    assert "must be a number, or none" in run("score", path, "--level", "ERROR=lost", code=2).stderr
