"""``scorio judge``: a sample for annotators, and the library's answers from their labels."""

import csv
import json
import sqlite3
from contextlib import closing

import pytest

from helpers.command import rows, run
from helpers.written import write_table as table

OUTCOMES = {f"q{i}": [int(j < i % 5) for j in (0, 2, 1, 3)] for i in range(20)}  # some are all 0, others are all 1
ROWS = [("m", name, trial, value) for name, values in OUTCOMES.items() for trial, value in enumerate(values)]
HEAD = ("model", "question", "trial", "correct")


def in_sqlite(folder):
    with closing(sqlite3.connect(path := folder / "runs.db")) as base, base:
        base.execute("CREATE TABLE runs (model TEXT, question TEXT, trial INTEGER, correct INTEGER)")
        base.executemany("INSERT INTO runs VALUES (?, ?, ?, ?)", ROWS)
    return path


def in_two_files(folder):
    (logs := folder / "logs").mkdir()
    table(logs / "a.csv", HEAD, ROWS[:40])
    table(logs / "b.csv", HEAD, ROWS[40:])
    return logs


def in_lists(folder):
    (path := folder / "runs.jsonl").write_text(
        "\n".join(json.dumps({"model": "m", "question": name, "correct": each}) for name, each in OUTCOMES.items())
    )
    return path


SOURCES = {  # how the trials of a question are called, in the order of their outcomes
    "long": (lambda at: table(at / "runs.csv", HEAD, ROWS), ["0", "1", "2", "3"]),
    "long, seeds": (
        lambda at: table(at / "runs.csv", (*HEAD[:2], "seed", "correct"), [(*r[:2], f"s{r[2]}", r[3]) for r in ROWS]),
        ["s0", "s1", "s2", "s3"],
    ),
    "two files": (in_two_files, ["0", "1", "2", "3"]),
    "database": (in_sqlite, ["0", "1", "2", "3"]),
    "wide": (
        lambda at: table(at / "w.csv", ("question", "t1", "t2", "t3", "t4"), [(q, *v) for q, v in OUTCOMES.items()]),
        ["t1", "t2", "t3", "t4"],
    ),
    "lists": (in_lists, ["0", "1", "2", "3"]),
    "no names": (lambda at: table(at / "n.csv", ("question", "correct"), [(r[1], r[3]) for r in ROWS]), None),
    "counts": (
        lambda at: table(at / "c.csv", ("question", "c", "n"), [(q, sum(v), 4) for q, v in OUTCOMES.items()]),
        None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", SOURCES)
def test_every_source_gives_a_true_file_for_labels(tmp_path, kind):
    make, names = SOURCES[kind]
    logs, path = make(tmp_path), tmp_path / "labels.csv"
    done = run("judge", logs, "-q", "--sample", 20, "--write", path)
    assert "20 of 20 questions to label, 80 labels" in done.stdout
    with path.open(newline="") as file:
        lines = list(csv.DictReader(file))
    asked = {}
    for line in lines:
        asked.setdefault(line["question"], []).append(line["trial"])
    expected = names or ["1", "2", "3", "4"]
    assert {question: sorted(each) for question, each in asked.items()} == dict.fromkeys(OUTCOMES, expected)
    for line in lines:
        line["label"] = OUTCOMES[line["question"]][expected.index(line["trial"])]
    table(path, list(lines[0]), [line.values() for line in lines])
    shown = run("judge", logs, "-q", "--labels", path)
    (row,) = rows("judge", logs, "-q", "--labels", path)
    assert row["mu"] == pytest.approx(row["predicted"])
    assert ("agreement of judge and people" in shown.stdout) == (names is not None)
    if names:  # each label is set beside the outcome of its own trial
        assert "1.000 [" in shown.stdout.split("trial by trial")[1]


def test_a_table_with_a_column_of_people_is_its_own_file_of_labels(tmp_path):
    lines = [(*row, 1 - row[3]) for row in ROWS]
    logs = table(tmp_path / "runs.csv", (*HEAD, "checked by Ann"), lines)
    (row,) = rows("judge", logs, "-q", "--labels", logs, "--field", "label=checked by Ann")
    assert row["mu"] == pytest.approx(1.0 - row["predicted"])  # people say the opposite of the judge
    assert row["n_labelled"] == len(OUTCOMES)
    error = run("judge", logs, "-q", "--labels", logs, code=2).stderr
    assert "--field label=... names the second" in error
