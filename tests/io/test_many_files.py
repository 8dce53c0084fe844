"""Tables of one layout are counted by one query: with the results and the errors of reading every file by itself."""

import csv
import itertools
import json
from collections import Counter

import numpy as np
import pytest

from helpers.written import refused
from scorio import OutcomeError
from scorio.io import _collect, read, recognise

duckdb = pytest.importorskip("duckdb")

NAMES = {
    "numbered": lambda i: i,
    "from one": lambda i: i + 1,
    "words": lambda i: f"seed {i}",
    "large": lambda i: 10**12 + 7 * i,
    "negative": lambda i: -i,
    "fractions": lambda i: i + 0.5,
    "padded": lambda i: f"{i:04}",
}


CASES = [("parquet", name) for name in NAMES]


@pytest.fixture
def one_by_one(monkeypatch):
    """A context in which every file is read by itself."""

    def reading(*arguments, **options):
        with monkeypatch.context() as patch:
            patch.setattr(_collect, "tables_together", lambda *_: {})
            return read(*arguments, **options)

    return reading


def written(folder, kind, number, table):
    path = folder / f"{number:02}.{kind}"
    if kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in table))
        return path
    text = folder / f".{number:02}.csv"
    with text.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(table[0]))
        writer.writeheader()
        writer.writerows(table)
    if kind == "csv":
        return text.rename(path)
    types = "types = {'question': 'VARCHAR', 'correct': 'VARCHAR'}"
    duckdb.sql(f"COPY (FROM read_csv('{text}', {types})) TO '{path}' (FORMAT parquet)")
    return path


def tables(name, files=4, *, lost=0.0, seed=0):
    """Rows of several files, some of which are lost: three models, five questions, two trials per file."""
    rng = np.random.default_rng(seed)
    cells = [*itertools.product("cab", ["q2", "001", "1", "q1", "q0"], range(2))]
    return [
        [
            {"model": model, "question": question, "trial": name(2 * file + i), "correct": int(rng.integers(2))}
            for model, question, i in cells
            if not (question != "q2" and rng.random() < lost)
        ]
        for file in range(files)
    ]


@pytest.mark.parametrize(("kind", "name"), CASES)
@pytest.mark.parametrize("lost", [0.0, 0.3])
def test_the_same_outcomes(tmp_path, one_by_one, kind, name, lost):
    every = tables(NAMES[name], lost=lost)
    for number, table in enumerate(every):
        written(tmp_path, kind, number, table)
    found = recognise(tmp_path)
    assert found.outcomes == one_by_one(tmp_path)
    assert len(found.sources) == 3  # counted together: one for each model
    assert [len(source.paths) for source in found.sources] == [4, 4, 4]
    assert found.runs == dict.fromkeys("cab", 1)
    assert str(found).startswith(f"{tmp_path / f'00.{kind}'} and 3 more files: table, model 'c', ")
    truth = Counter((row["model"], row["question"]) for table in every for row in table if row["correct"])
    for model, matrix in found.outcomes.items():
        assert {q: int(c) for q, c in zip(matrix.questions, matrix.successes, strict=True) if c} == {
            question: count for (of, question), count in truth.items() if of == model
        }


@pytest.mark.parametrize(("kind", "name"), CASES)
@pytest.mark.parametrize("where", ["the same file", "another file", "every question"])
def test_a_trial_twice(tmp_path, one_by_one, kind, name, where):
    every = tables(NAMES[name], lost=0.2, seed=3)
    if where == "every question":
        every.append(every[0])
    else:
        twice = every[1][3] | {"correct": 1 - every[1][3]["correct"]}
        every[1 if where == "the same file" else 3].append(twice)
    for number, table in enumerate(every):
        written(tmp_path, kind, number, table)
    together = refused(tmp_path, "twice")
    with pytest.raises(OutcomeError) as apart:
        one_by_one(tmp_path)
    assert str(together) == str(apart.value)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"trial": ""}, "trial is empty"),
        ({"question": ""}, "question is empty"),
        ({"correct": "maybe"}, "'maybe' is not an outcome"),
        ({"correct": "7"}, "not from 0 to 1"),
    ],
)
@pytest.mark.parametrize("kind", ["parquet"])
def test_faults_are_those_of_one_file(tmp_path, one_by_one, kind, row, message):
    every = tables(NAMES["words"])
    every[2][4] |= row
    paths = [written(tmp_path, kind, number, table) for number, table in enumerate(every)]
    together = refused(tmp_path, message)
    with pytest.raises(OutcomeError) as apart:
        one_by_one(tmp_path)
    assert str(together) == str(apart.value)
    assert str(paths[2]) in str(together)


@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl"])
def test_without_the_names_of_trials_every_file_is_a_run(tmp_path, one_by_one, kind):
    every = [[{k: v for k, v in row.items() if k != "trial"} for row in table] for table in tables(NAMES["words"])]
    every[1] = [row for row in every[1] if row["model"] != "a"]
    for number, table in enumerate(every):
        written(tmp_path, kind, number, table)
    found = recognise(tmp_path)
    assert found.outcomes == one_by_one(tmp_path)
    assert found.runs == {"c": 4, "a": 3, "b": 4}
    written(tmp_path, kind, 7, every[0])  # a copy
    refused(tmp_path, "of one run twice")
