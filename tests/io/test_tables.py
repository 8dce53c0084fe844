"""Tables of outcomes in every form and file type."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.written import counts, refused, table, write_lines
from scorio import read
from scorio.io import recognise


def test_counts_of_sixteen_digits_are_exact(tmp_path):
    counted = table(tmp_path, "question,n,c\nq1,9007199254740991,9007199254740990\nq2,9007199254740992,1e3\n")
    assert counts(read(counted)) == {"m": {"q1": [1, 9007199254740990], "q2": [9007199254740992 - 1000, 1000]}}


@pytest.mark.parametrize("names", ["t1 t2", "run_1 run_2", "0 1", "Attempt #1|Attempt #2", "is_correct.0 is_correct.1"])
def test_a_series_of_trials_is_known_by_its_name(tmp_path, names):
    columns = names.split("|" if "|" in names else " ")
    path = table(tmp_path, f"question,{','.join(columns)},note_1\nq1,1,0,9\n")
    assert counts(read(path)) == {"m": {"q1": [1, 1]}}


def test_columns_of_trials_are_named_by_a_pattern(tmp_path):
    path = table(tmp_path, "question,correct,gpt4 a,gpt4 b,gpt5\nq1,1,1,0,0\n")
    reading = recognise(path, fields={"trial": "gpt4*"}, model="gpt4")
    assert counts(reading.outcomes) == {"gpt4": {"q1": [1, 1]}}
    assert "trials 'gpt4 a' to 'gpt4 b'" in str(reading)
    refused(path, r"unknown column 'claude\*'", fields={"trial": "claude*"})


def test_columns_are_recognised_shown_and_named(tmp_path):
    path = table(tmp_path, "Problem ID;Verdict;Attempt\np1;1;a\np1;0;b\n")
    refused(path, "no column of outcomes was found")
    reading = recognise(path, score="Verdict")
    assert counts(reading.outcomes) == {"m": {"p1": [1, 1]}}
    shown = "(form long, question 'Problem ID', trial 'Attempt', outcome 'Verdict', model from the file's name)"
    assert str(reading) == f"{path}: table, model 'm', 2 trials {shown}\n{reading.outcomes!r}"
    named = read(path, fields={"question": "Attempt", "outcome": "Verdict"})
    assert named.questions == ("a", "b")


def test_a_column_that_is_named_may_hold_any_reward(tmp_path):
    path = table(tmp_path, "question,correct,trial_1,trial_2\nq1,3,1,0\n")
    assert read(path, score="correct")["m"].levels == (0.0, 3.0)
    assert counts(read(path, fields={"trial": "trial_*"})) == {"m": {"q1": [1, 1]}}
    assert counts(read(table(tmp_path, "question,correct,total\nq1,3,5\n"), fields={"trials": "total"})) == {
        "m": {"q1": [2, 3]}
    }


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from([0, 1, None]), min_size=1, max_size=4), min_size=1, max_size=4))
def test_every_form_says_the_same(tmp_path_factory, rows):
    if all(value is None for row in rows for value in row):
        rows = [[1], *rows]
    folder = tmp_path_factory.mktemp("forms")
    width = max(map(len, rows))
    padded = [row + [None] * (width - len(row)) for row in rows]
    wide = "question," + ",".join(f"t{j}" for j in range(width)) + "\n"
    wide += "".join(
        f"q{i}," + ",".join("" if v is None else str(v) for v in row) + "\n" for i, row in enumerate(padded)
    )
    cells = [(f"q{i}", j, value) for i, row in enumerate(padded) for j, value in enumerate(row)]
    long = [{"question": question, "trial": trial, "correct": value} for question, trial, value in cells]
    counted = "question,n,c\n" + "".join(
        f"q{i},{sum(v is not None for v in row)},{sum(v == 1 for v in row)}\n" for i, row in enumerate(rows)
    )
    sources = [table(folder, wide, "wide.csv"), write_lines(folder / "long.jsonl", long)]
    first, second = (read(path, model="m") for path in sources)
    assert first == second
    assert counts(first) == counts(read(table(folder, counted, "counts.csv"), model="m"))
