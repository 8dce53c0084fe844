"""Tables whose rows are of several metrics or turns, that have rows of means, or that repeat another table's rows."""

import warnings

import pytest

from helpers.written import counts, refused, table, write_json, write_lines
from scorio import read
from scorio.errors import ParameterError, PoolingWarning

METRICS = [
    ("a", "q1", "exact", "1"),
    ("a", "q1", "fluent", "good"),
    ("a", "q2", "exact", "0"),
    ("a", "q2", "fluent", "poor"),
    ("b", "q1", "exact", "1"),
    ("b", "q1", "fluent", "poor"),
    ("b", "q2", "exact", "1"),
    ("b", "q2", "fluent", "good"),
]
EXACT = {"a": {"q1": [0, 1], "q2": [1, 0]}, "b": {"q1": [0, 1], "q2": [0, 1]}}
FLUENT = {"a": {"q1": [0, 1], "q2": [1, 0]}, "b": {"q1": [1, 0], "q2": [0, 1]}}
NAMES = [("metric", "score"), ("Metric Name", "score"), ("score_name", "outcome")]


def written(folder, names, form):
    heads = ("model", "question", *names)
    if form == "csv":
        return table(folder, "\n".join(",".join(row) for row in [heads, *METRICS]))
    records = [dict(zip(heads, row, strict=True)) for row in METRICS]
    return write_lines(folder / "m.jsonl", records) if form == "jsonl" else write_json(folder / "m.json", records)


@pytest.mark.parametrize("form", ["csv", "jsonl", "json"])
@pytest.mark.parametrize("names", NAMES)
def test_metrics_are_no_trials(names, form, tmp_path):
    path = written(tmp_path, names, form)
    assert counts(read(path, score="exact")) == EXACT  # values of the other metrics are not looked at
    apart = counts(read(path, score=names[1], levels={"good": 1, "poor": 0}))
    assert {name: apart[f"{name} [{names[0]}=exact]"] for name in EXACT} == EXACT
    assert {name: apart[f"{name} [{names[0]}=fluent]"] for name in FLUENT} == FLUENT


def test_turns_are_no_trials(tmp_path):
    trials = "model,question,turn,score\na,q1,1,1\na,q1,2,0\na,q2,1,1\na,q2,2,1\n"
    apart = read(table(tmp_path, trials))
    assert counts(apart) == {"a [turn=1]": {"q1": [0, 1], "q2": [0, 1]}, "a [turn=2]": {"q1": [1, 0], "q2": [0, 1]}}
    assert counts(read(tmp_path / "m.csv", pool="turn")) == {"a": {"q1": [1, 1], "q2": [0, 2]}}
    refused(tmp_path / "m.csv", "unknown condition 'turns'. Did you mean 'turn'", by=ParameterError, pool="turns")


REWARDS = "question,reward\nq1,1\nq2,0\nq3,1\nq4,1\nq5,0\nq6,1\nq7,0\nq8,1\n"  # of which 0.625, 5 or 62.5 says the mean
SHEET = "model,question,run_1,run_2\na,q1,1,0\na,q2,0,0\na,q3,1,1\n"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (SHEET + "a,Average,0.67,0.33\n", "Average"),
        (SHEET + "a, mean,0.6667,0.3333\n", "mean"),
        (SHEET + "a,TOTAL,2,1\n", "TOTAL"),
        ("model,question,correct\na,q1,1\na,q2,0\na,q3,1\na,Overall,0.667\n", "Overall"),
        ("model,question,n,c\na,q1,4,3\na,q2,4,1\na,total,8,4\n", "total"),
        (REWARDS + "Accuracy,62.5\n", "Accuracy"),
        (REWARDS + "TOTAL:,5\n", "TOTAL:"),
        (REWARDS + "macro avg,0.625\n", "macro avg"),
        (REWARDS + "Grand Total,5\n", "Grand Total"),
        (REWARDS + "Average score,0.625\n", "Average score"),
    ],
)
def test_a_row_of_means_or_sums_is_refused(text, name, tmp_path):
    refused(table(tmp_path, text), f"the row {name!r} is no question: it holds the means or sums")


@pytest.mark.parametrize("row", ["a,average,1,0", "a,Total,0,1", "a,mean,1,1"])
def test_a_question_may_be_called_average(row, tmp_path):
    name, *outcomes = row.split(",")[1:]
    assert counts(read(table(tmp_path, f"{SHEET}{row}\n")))["a"][name] == [outcomes.count("0"), outcomes.count("1")]


OLD = "model,question,correct\na,q1,1\na,q2,0\na,q2,1\n"


@pytest.mark.parametrize(
    ("new", "is_copy"),
    [
        (f"{OLD}a,q1,0\na,q2,1\n", True),
        ("model,question,correct\na,q3,1\na,q1,1\na,q2,0\na,q2,1\n", True),
        ("model,question,correct\na,q1,1\na,q2,0\na,q3,0\na,q2,1\n", True),  # rows that are all different
        ("model,question,correct\na,q1,1\na,q2,0\na,q3,0\na,q2,1\na,q3,0\n", False),  # which may be so by chance
        ("model,question,correct\na,q1,1\na,q2,1\na,q2,0\na,q1,0\n", False),
        ("model,question,correct\nb,q1,1\nb,q2,0\nb,q2,1\n", False),
    ],
)
def test_rows_that_another_file_holds_too(new, is_copy, tmp_path):
    table(tmp_path, OLD, "old.csv")
    table(tmp_path, new, "results.csv")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read(tmp_path)
    found = [str(each.message) for each in caught if each.category is PoolingWarning]
    assert len(found) == is_copy
    assert not found or f"all rows of {tmp_path}/old.csv are rows of {tmp_path}/results.csv" in found[0]
