"""Tables of one layout are counted by one query, and files are read side by side: as if every file were read alone."""

import itertools
from collections import Counter

import numpy as np
import pytest

from helpers.written import refused, write_rows, write_table
from scorio import OutcomeError
from scorio.io import _collect, read, recognise

NAMES = {
    "numbered": lambda i: i,
    "from one": lambda i: i + 1,
    "words": lambda i: f"seed {i}",
    "large": lambda i: 10**12 + 7 * i,
    "negative": lambda i: -i,
    "fractions": lambda i: i + 0.5,
    "padded": lambda i: f"{i:04}",
}


@pytest.fixture
def one_by_one(monkeypatch):
    """A context in which every file is read by itself."""

    def reading(*arguments, **options):
        with monkeypatch.context() as patch:
            patch.setattr(_collect, "tables_together", lambda *_: {})
            return read(*arguments, **options)

    return reading


def written(folder, tables, kind="parquet"):
    """Write numbered files, whose questions and outcomes are texts."""
    for number, rows in enumerate(tables):
        texts = [row | {name: str(row[name]) for name in ("question", "correct")} for row in rows]
        write_rows(folder / f"{number:02}.{kind}", texts)


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


@pytest.fixture
def refused_alike(one_by_one):
    """A check that files together are refused as one by one."""

    def check(folder, message):
        together = refused(folder, message)
        with pytest.raises(OutcomeError) as apart:
            one_by_one(folder)
        assert str(together) == str(apart.value)
        return str(together)

    return check


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("lost", [0.0, 0.3])
def test_the_same_outcomes(tmp_path, one_by_one, name, lost):
    every = tables(NAMES[name], lost=lost)
    written(tmp_path, every)
    reading = recognise(tmp_path)
    assert reading.outcomes == one_by_one(tmp_path)
    assert len(reading.sources) == 3  # counted together: one for each model
    assert [len(source.paths) for source in reading.sources] == [4, 4, 4]
    assert reading.runs == dict.fromkeys("cab", 1)
    assert str(reading).startswith(f"{tmp_path / '00.parquet'} and 3 more files: table, model 'c', ")
    truth = Counter((row["model"], row["question"]) for table in every for row in table if row["correct"])
    for model, matrix in reading.outcomes.items():
        solved = {q: int(c) for q, c in zip(matrix.questions, matrix.successes, strict=True) if c}
        assert solved == {question: count for (of, question), count in truth.items() if of == model}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("where", ["the same file", "another file", "every question"])
def test_a_trial_twice(tmp_path, refused_alike, name, where):
    every = tables(NAMES[name], lost=0.2, seed=3)
    if where == "every question":
        every.append(every[0])
    else:
        twice = every[1][3] | {"correct": 1 - every[1][3]["correct"]}
        every[1 if where == "the same file" else 3].append(twice)
    written(tmp_path, every)
    refused_alike(tmp_path, "twice")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"trial": ""}, "trial is empty"),
        ({"question": ""}, "question is empty"),
        ({"correct": "maybe"}, "'maybe' is not an outcome"),
        ({"correct": "7"}, "not from 0 to 1"),
    ],
)
def test_faults_are_those_of_one_file(tmp_path, refused_alike, row, message):
    every = tables(NAMES["words"])
    every[2][4] |= row
    written(tmp_path, every)
    assert str(tmp_path / "02.parquet") in refused_alike(tmp_path, message)


@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl"])
def test_without_the_names_of_trials_every_file_is_a_run(tmp_path, one_by_one, kind):
    every = [[{k: v for k, v in row.items() if k != "trial"} for row in table] for table in tables(NAMES["words"])]
    every[1] = [row for row in every[1] if row["model"] != "a"]
    written(tmp_path, every, kind)
    reading = recognise(tmp_path)
    assert reading.outcomes == one_by_one(tmp_path)
    assert reading.runs == {"c": 4, "a": 3, "b": 4}
    written(tmp_path, [*every, every[0]], kind)  # the last one is a copy
    refused(tmp_path, "of one run twice")


# Files read side by side.


@pytest.fixture
def folder(tmp_path):
    """Five files of three models, and one that is something else."""
    pytest.importorskip("joblib")
    for shard in range(5):
        cells = [(f"m{model}", f"q{q}", shard, (model + q + shard) % 2) for model in range(3) for q in range(9)]
        write_table(tmp_path / f"{shard}.csv", ["model", "question", "trial", "correct"], cells)
    (tmp_path / "notes.txt").write_text("just words")
    return tmp_path


@pytest.mark.parametrize("n_jobs", [1, 2, 5, -1])
def test_any_number_of_jobs(folder, n_jobs):
    assert read(folder, n_jobs=n_jobs) == read(folder)
    assert str(recognise(folder, n_jobs=n_jobs)) == str(recognise(folder))


@pytest.mark.parametrize("backend", ["threading", "loky", "multiprocessing"])
def test_any_backend_of_joblib(folder, backend):
    alone = read(folder)
    with pytest.importorskip("joblib").parallel_config(backend=backend, n_jobs=2):
        assert read(folder) == alone


def test_errors_name_the_file(folder):
    (folder / "3.csv").write_text("model,question,trial,correct\nm1,q3,4,maybe\n")
    for n_jobs in (None, 3):
        with pytest.raises(OutcomeError, match=r"3\.csv: line 2: 'maybe' is not an outcome"):
            read(folder, n_jobs=n_jobs)


def test_tables_of_unknown_columns_are_told_as_alone(folder):
    (folder / "other.csv").write_text("a,b\n1,2\n")
    for source in (folder, [folder / "0.csv", folder / "other.csv"]):
        with pytest.raises(OutcomeError) as alone:
            read(source)
        with pytest.raises(OutcomeError) as together:
            read(source, n_jobs=2)
        assert str(together.value) == str(alone.value)
