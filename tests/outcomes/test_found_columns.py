"""Data frames whose columns are found by their names, hold one model each, or name runs; datasets and streams."""

import warnings

import numpy as np
import pytest

from helpers.frames import maker
from scorio import Leaderboard, OutcomeError, OutcomeMatrix, OutcomeSet, ParameterError, PassAtK, Suite, compare, eval
from scorio.errors import FilesWarning, PoolingWarning, QuestionsWarning

pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("narwhals")

ONE_EACH = {"question": ["q1", "q2", "q2"], "gpt": [1, 1, 0], "claude": [0, 1, 1]}
ROWS = {"model": ["a", "a", "b", "b"], "item": [1, 1, 1, 1], "run": [1, 2, 1, 2], "passed": [1, 0, 1, 1]}
TASKS = {"task": ["x", "y"], "model": ["a", "a"], "question": [1, 2], "correct": [1, 0]}
LONE = {"question": ["q1", "q2"], "is_right": [1, 0]}
NAMES = {"model": "model", "question": "question", "outcome": "correct"}


def joined(question, correct, model):
    """A table with another header in the middle."""
    return {"question": ["q1", question, "q2"], "correct": ["1", correct, "0"], "model": ["a", model, "a"]}


def as_set(*columns, **options):
    return lambda: OutcomeSet(pyarrow.table(*columns), **options)


def as_frame(*columns, **options):
    return lambda: OutcomeSet.from_frame(pyarrow.table(*columns), **options)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Leaderboard("pass@1", pyarrow.table(ONE_EACH)), r"OutcomeSet\(frame, models=\[..\]\)"),
        (as_set(ONE_EACH, models=["gbt"]), "unknown column 'gbt'. Did you mean 'gpt'"),
        (
            as_set({"model": ["a", "b"], "question": ["q1", "Q1"], "correct": [1, 1]}),
            "differ in capitals only: write one",
        ),
        (
            as_set({"engine": ["a"], "prompt_no": [1], "verdict": [1]}),
            r'from_frame\(frame, model="..", question="..", outcome=".."\)',
        ),
        (as_frame(ROWS | {"run": [1, 1, 1, 2]}), "trial 1 of question 1, model 'a' is there twice"),
        (
            as_frame({key: ROWS[key] for key in ("model", "item", "run")}),
            'no column of outcomes was found.*outcome="..."',
        ),
        (as_frame(ROWS | {"correct": [1, 0, 1, 1]}), "several columns may be the outcome"),
        (as_set(TASKS), r'Suite.from_frame\(frame, task="task"'),
        (as_frame(TASKS), r'Suite.from_frame\(frame, task="task"'),
        (as_frame(joined("question", "correct", "model"), **NAMES), "repeats the header: several tables"),
        (as_frame(joined("id", "score", "model"), **NAMES), "repeats the header: several tables"),
        *(  # also where a lone column beside the questions would be read as the outcome
            (as_frame(LONE, **{role: name}), f"column '{name}'")
            for role, name in (("outcome", "rihgt"), ("trial", "tryal"), ("cluster", "cluster 2"))
        ),
        (lambda: OutcomeMatrix([{"question": "q1", "n": 2, "c": 3}]), "record 0: there are 3 successes of 2 trials"),
    ],
)
def test_frames_that_are_refused(call, message):
    with pytest.raises(OutcomeError, match=message):
        call()


@pytest.mark.parametrize("library", ["pandas", "pyarrow"])
def test_one_column_per_model(library):
    make = maker(library)
    outcomes = OutcomeSet(make(ONE_EACH), models=["gpt", "claude"])
    assert outcomes.questions == ("q1", "q2")
    assert {name: outcomes[name].successes.tolist() for name in outcomes} == {"gpt": [1, 1], "claude": [0, 2]}
    assert outcomes["gpt"].trials.tolist() == [1, 2]
    unlabeled = OutcomeSet(make({"gpt": [1, 0], "claude": [0, 1]}), models=["claude", "gpt"])
    assert {name: unlabeled[name].successes.tolist() for name in unlabeled} == {"claude": [0, 1], "gpt": [1, 0]}


@pytest.mark.parametrize("column", ["version", "agent"])
def test_levels_that_every_question_has_as_often_are_no_repeated_trials_without_a_word(column):
    cells = [(question, level, trial) for question in "pqr" for level in ("old", "new") for trial in range(2)]
    questions, levels, trials = map(list, zip(*cells, strict=True))
    frame = pyarrow.table({"question": questions, column: levels, "correct": [trial % 2 for trial in trials]})
    with pytest.warns(PoolingWarning, match=f"differ in '{column}' and are counted as repeated trials"):
        OutcomeMatrix(frame)
    alone = pyarrow.table({"question": questions, "note": list(map(str, range(12))), "correct": trials})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OutcomeMatrix(alone)


def test_frames_of_other_shapes():
    pandas = pytest.importorskip("pandas")
    cells = [(model, f"q{q}", t, (q + t) % 2) for model in ("m0", "m1") for q in range(3) for t in range(4)]
    rows = pandas.DataFrame(cells, columns=["model", "question", "trial", "correct"])
    expected, listed = OutcomeSet(rows), rows.groupby(["model", "question"]).correct.agg(list).reset_index()
    wide = rows.pivot(index=["question", "trial"], columns="model", values="correct").reset_index()
    trials = rows.pivot(index=["model", "question"], columns="trial", values="correct").reset_index()
    series, names = (
        rows.set_index(["model", "question", "trial"])["correct"],
        {"question": "question", "model": "model"},
    )
    for frame in (wide, trials, trials.rename_axis(columns=None), series, listed, pyarrow.table(listed)):
        assert OutcomeSet.from_frame(frame) == expected
    assert OutcomeSet.from_frame(listed, **names, outcome="correct") == expected
    first = rows[(rows.model == "m0") & (rows.trial == 0)].set_index("question")["correct"]
    assert OutcomeMatrix.from_frame(first).successes.tolist() == [0, 1, 0]
    for options in ({}, {"trial": "m*"}):
        with pytest.raises(OutcomeError, match=r"OutcomeSet\(frame, models=\['m0', 'm1'\]\)"):
            OutcomeSet.from_frame(wide.rename_axis(columns=None), **options)
    assert OutcomeSet(wide.rename_axis(columns=None), models=["m0", "m1"]) == expected
    labelled = wide[wide.trial == 0].drop(columns="trial").rename_axis(columns=None).set_index("question")
    with pytest.raises(OutcomeError, match=r"unknown column 'v\*'"):
        OutcomeSet.from_frame(labelled, trial="v*")
    assert OutcomeSet.from_frame(labelled, trial="m*").first.max_trials == 2


def test_from_frame_finds_the_columns_that_are_left_out():
    frame = pyarrow.table(ROWS)
    assert OutcomeSet.from_frame(frame) == OutcomeSet(frame)
    assert OutcomeSet.from_frame(frame, question="item")["b"].successes.tolist() == [2]
    wide = pyarrow.table({"question": ["q1", "q2"], "trial_1": [1, 0], "trial_2": [1, 1], "cost": [0.1, 0.2]})
    assert OutcomeSet.from_frame(wide)["model-0"].successes.tolist() == [2, 1]
    records = [{"item": "q1", "passed": True}, {"item": "q1", "passed": False}, {"item": "q2", "passed": True}]
    assert OutcomeSet.from_frame(records)["model-0"].counts.tolist() == [[1, 1], [0, 1]]
    counted = OutcomeMatrix.from_counts([3, 0], [5, 4], questions=["q1", "q2"])
    assert OutcomeMatrix(pyarrow.table({"question": ["q1", "q2"], "n": [5, 4], "c": [3, 0]})) == counted


def test_a_dataset_of_hugging_face_is_a_frame(monkeypatch):
    class Dataset:  # the parts of datasets.Dataset that are used; its indices select rows of the table
        column_names = ("model", "question", "correct")

        def __init__(self, table, rows):
            self.table, self.rows = table, rows

        def with_format(self, kind):
            assert kind == "arrow"
            return self

        def __getitem__(self, key):
            assert key == slice(None)
            return self.table.take(self.rows)

    Dataset.__module__ = "datasets.arrow_dataset"
    table = pyarrow.table({"model": ["a", "a", "b"], "question": [1, 1, 1], "correct": [1, 0, 1]})
    data = Dataset(table, [0, 2])
    assert OutcomeSet(data)["a"].successes.tolist() == [1]
    assert OutcomeSet.from_frame(data) == OutcomeSet(data)


LONG = {"model": ["a"] * 5 + ["b"] * 5, "q": ["x", "x", "y", "y", "y"] * 2, "passed": [1, 0, 1, 1, 0, 0, 0, 1, 0, 0]}
COUNTED = {
    "model": ["a", "a", "a", "a", "b", "b", "b"],
    "q": ["x", "x", "y", "y", "x", "y", "y"],
    "passed": [1, 0, 1, 0, 0, 1, 0],
    "n": [1, 1, 2, 1, 2, 1, 2],
}
COLUMNS = {"question": "q", "outcome": "passed", "model": "model"}


@pytest.fixture(params=["pyarrow", "pandas", "polars", "duckdb"])
def frame_of(request):
    return maker(request.param)


def test_counts_are_trials(frame_of):
    expected = OutcomeSet.from_frame(frame_of(LONG), **COLUMNS)
    assert OutcomeSet.from_frame(frame_of(COUNTED), **COLUMNS, times="n") == expected
    one = {name: values[:4] for name, values in COUNTED.items()}
    assert OutcomeMatrix.from_frame(frame_of(one), question="q", outcome="passed", times="n") == expected["a"]


def test_a_table_of_counts_is_not_taken_for_trials(frame_of):
    with pytest.raises(OutcomeError, match="column 'n' counts trials: times=\"n\" counts each row"):
        OutcomeSet.from_frame(frame_of(COUNTED), **COLUMNS)
    successes = {"model": ["a", "a"], "q": ["x", "y"], "c": [400, 1000], "n": [1000, 1000]}
    with pytest.raises(OutcomeError, match=r"column 'n' counts trials.*from_counts"):
        OutcomeSet.from_frame(frame_of(successes), question="q", outcome="c", model="model")
    ones = {**LONG, "n": [1] * 10}
    assert OutcomeSet.from_frame(frame_of(ones), **COLUMNS) == OutcomeSet.from_frame(frame_of(LONG), **COLUMNS)


def test_times_are_whole_numbers_of_rows_with_one_outcome(frame_of):
    for times in ([1, 1, 2, -1, 2, 1, 2], [1, 1, 2, None, 2, 1, 2], [1.0, 1.5, 2, 1, 2, 1, 2]):
        with pytest.raises(OutcomeError, match="column 'n': a whole number from 0"):
            OutcomeSet.from_frame(frame_of(COUNTED | {"n": times}), **COLUMNS, times="n")
    with pytest.raises(ParameterError, match="times cannot be combined with trial"):
        OutcomeSet.from_frame(frame_of(COUNTED), **COLUMNS, times="n", trial="q")
    frame = frame_of({"question": ["a", "b"], "trial_1": [1, 0], "trial_2": [1, 1], "n": [3, 4]})
    with pytest.raises(ParameterError, match="times cannot be combined with one column per trial, as 'trial_1', "):
        OutcomeSet.from_frame(frame, times="n")


@pytest.mark.parametrize("trial", [None, "try"])
def test_datasets_and_streams(tmp_path, monkeypatch, trial):
    parquet, dataset = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow.dataset")
    pytest.importorskip("duckdb")
    table = pyarrow.table(LONG | {"try": [0, 1, 0, 1, 2] * 2})
    parquet.write_table(table, tmp_path / "rows.parquet")
    expected = OutcomeSet.from_frame(table, **COLUMNS)
    assert OutcomeSet.from_frame(dataset.dataset(tmp_path), **COLUMNS, trial=trial) == expected
    stream = pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=3))
    assert OutcomeSet.from_frame(stream, **COLUMNS, trial=trial) == expected
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    assert OutcomeSet.from_frame(dataset.dataset(tmp_path), **COLUMNS, trial=trial) == expected


# Runs: named by the user, taken where columns are found by their names, else pointed to.


R = np.array([[1, 0, 1], [0, 0, 1], [1, 1, 1], [0, 1, 0]])
CELLS = [(row, run) for row in range(4) for run in range(3)]
SEEDED = {
    "question": [f"q{row}" for row, _ in CELLS],
    "seed": [11 + run for _, run in CELLS],
    "correct": [int(R[cell]) for cell in CELLS],
}
ASKED = {"question": "question", "outcome": "correct"}


def warned(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(each.message) for each in caught]


def test_a_named_column_of_runs_is_that_of_an_array(frame_of):
    expected = OutcomeMatrix(R, questions=["q0", "q1", "q2", "q3"], runs=[11, 12, 13])
    for outcomes in (
        OutcomeMatrix.from_frame(frame_of(SEEDED), **ASKED, run="seed"),
        OutcomeMatrix.from_frame(frame_of(SEEDED), **ASKED, trial="seed", run="seed"),
        OutcomeSet.from_frame(frame_of(SEEDED), **ASKED, run="seed")["model-0"],
    ):
        assert outcomes == expected
        assert outcomes.runs == (11, 12, 13)
        assert repr(outcomes) == "OutcomeMatrix(4 questions x 3 trials, binary, 3 runs)"
        found = PassAtK(1).interval(outcomes, runs="random")
        assert found == PassAtK(1).interval(expected, runs="random")


@pytest.mark.parametrize("name", ["run", "Run-ID", "seed", "job", "jobId"])
def test_a_usual_name_is_pointed_to(frame_of, name):
    rows = {"question": SEEDED["question"], name: SEEDED["seed"], "correct": SEEDED["correct"]}
    calls = [
        lambda: OutcomeMatrix.from_frame(frame_of(rows), **ASKED),
        lambda: Suite.from_frame(frame_of(rows | {"task": ["t"] * 12}), task="task", **ASKED),
    ]
    for call in calls:
        [message] = warned(call)
        assert f"column {name!r} may name runs" in message
        assert f"run={name!r}" in message


@pytest.mark.parametrize("name", ["run", "Run-ID", "seed", "job", "jobId"])
def test_a_usual_name_is_taken_where_columns_are_found_as_in_files(frame_of, name):
    rows = frame_of({"question": SEEDED["question"], name: SEEDED["seed"], "correct": SEEDED["correct"]})
    expected = OutcomeMatrix.from_frame(rows, **ASKED, run=name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for outcomes in (OutcomeMatrix(rows), OutcomeSet.from_frame(rows)["model-0"]):
            assert outcomes == expected
            assert outcomes.runs == expected.runs == (11, 12, 13)
        one = OutcomeMatrix([{"question": q, "seed": 1, "correct": 1} for q in "ab"])
        assert one.runs is None
        failed = OutcomeMatrix(
            [{"question": "q", "seed": s, "correct": min(s, 1) or None} for s in range(3)], missing="fail"
        )
        assert failed.runs is None


@pytest.mark.parametrize(
    "labels",
    [[7] * 12, list(range(12)), [f"{row}-{run}" for row, run in CELLS]],
    ids=["one", "all different", "of one question each"],
)
def test_labels_that_questions_do_not_share_are_no_runs(frame_of, labels):
    rows = frame_of(SEEDED | {"seed": labels})
    assert warned(lambda: OutcomeMatrix.from_frame(rows, **ASKED)) == []


@pytest.mark.parametrize("role", ["run", "trial", "factors"])
def test_a_column_with_a_role_is_not_pointed_to(frame_of, role):
    assert warned(lambda: OutcomeSet.from_frame(frame_of(SEEDED), **ASKED, **{role: "seed"})) == []


def test_continuous_rewards_are_no_exception(frame_of):
    rewards = np.random.default_rng(3).random(240).tolist()
    rows = {"question": [i // 4 for i in range(240)], "seed": [i % 4 for i in range(240)], "reward": rewards}
    [message] = warned(lambda: OutcomeMatrix.from_frame(frame_of(rows), question="question", outcome="reward"))
    assert "column 'seed' may name runs" in message
    rows |= {"prompt": [i % 2 for i in range(240)]}
    [pooled] = warned(
        lambda: OutcomeMatrix.from_frame(frame_of(rows), question="question", outcome="reward", run="seed")
    )
    assert "differ in 'prompt'" in pooled
    del rows["prompt"]
    known = OutcomeMatrix.from_frame(frame_of(rows), question="question", outcome="reward", run="seed")
    assert known.runs == (0, 1, 2, 3)
    assert known.is_continuous


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("model", "OutcomeSet.from_frame(frame, model='model', ..)"),
        ("task", "Suite.from_frame(frame, task='task', ..)"),
    ],
)
def test_models_and_tasks_are_not_pooled_in_silence(frame_of, name, call):
    rows = {key: values * 2 for key, values in SEEDED.items() if key != "seed"} | {name: ["a"] * 12 + ["b"] * 12}
    for read in (OutcomeMatrix.from_frame, OutcomeSet.from_frame):
        [message] = warned(lambda read=read: read(frame_of(rows), **ASKED))
        assert f"differ in {name!r}" in message
        assert call in message
    [] = warned(lambda: OutcomeSet.from_frame(frame_of(rows), **ASKED, factors=[name]))
    apart = {**rows, "question": [f"{label}-{q}" for label, q in zip(rows[name], rows["question"], strict=True)]}
    assert warned(lambda: OutcomeMatrix.from_frame(frame_of(apart), **ASKED)) == []


# Arrays of JAX and data sets of Hugging Face, with these libraries.


OF_JAX = [[0, 1], [1, 1]]
RECORDS = [
    {"model": model, "question": f"q{question}", "trial": trial, "correct": (question + trial) % 2}
    for model in "ab"
    for question in range(3)
    for trial in range(2)
]


@pytest.mark.parametrize("dtype", ["bool", "int32", "float16", "bfloat16", "float32"])
def test_arrays_of_jax(dtype):
    numpy = pytest.importorskip("jax.numpy")
    array = numpy.array(OF_JAX).astype(dtype)
    assert OutcomeMatrix(array) == OutcomeMatrix(OF_JAX)
    assert OutcomeMatrix(list(array)) == OutcomeMatrix(OF_JAX)
    assert OutcomeMatrix([list(row) for row in array]) == OutcomeMatrix(OF_JAX)
    assert PassAtK(2).score(array) == PassAtK(2).score(OF_JAX)
    assert compare("pass@1", array, array).difference == 0
    assert OutcomeSet(array[None])["model-0"] == OutcomeMatrix(OF_JAX)
    assert eval.pass_at_k(numpy.array([2, 2]), numpy.array([1, 2]), 2) == 1.0


def test_data_sets_of_hugging_face():
    datasets, pandas = pytest.importorskip("datasets"), pytest.importorskip("pandas")
    data, frame = datasets.Dataset.from_list(RECORDS), pandas.DataFrame(RECORDS)
    assert OutcomeSet(data) == OutcomeSet(frame)
    assert str(Leaderboard("pass@1", data)) == str(Leaderboard("pass@1", frame))
    some = data.shuffle(seed=1).select(range(8))
    names = {"model": "model", "question": "question", "outcome": "correct", "trial": "trial", "missing": "omit"}
    assert OutcomeSet.from_frame(some, **names) == OutcomeSet.from_frame(some.to_pandas(), **names)
    one = data.select(range(6))
    assert PassAtK(2).score(one) == PassAtK(2).score(frame[:6])
    stream = data.to_iterable_dataset()
    assert OutcomeSet(stream) == OutcomeSet(frame)
    assert OutcomeSet(stream.take(6)) == OutcomeSet(frame[:6])


@pytest.mark.parametrize("code", [-1, 999])
def test_codes_of_errors_are_warned_of(code):
    frame = pyarrow.table({"question": list("abcde"), "score": [0, 1, 1, 0, code]})
    with pytest.warns(FilesWarning, match=f'a score of {code} is there 1 time .*: levels={{"{code}": None}} leaves'):
        OutcomeMatrix(frame)
    floats = frame.set_column(1, "score", frame["score"].cast("float64"))
    for table in (frame, floats):
        options = {"levels": {str(code): None}, "missing": "omit"}
        assert OutcomeMatrix.from_frame(table, question="question", outcome="score", **options).trials.sum() == 4


@pytest.mark.parametrize("other", ["alpha ", "ALPHA"])
def test_models_that_look_alike_are_warned_of(other):
    frame = pyarrow.table({"model": ["alpha", other], "question": ["q", "q"], "correct": [0, 1]})
    with pytest.warns(QuestionsWarning, match="two models look alike"):
        assert len(OutcomeSet(frame)) == 2


COUNTS = {"question": ["a", "b"], "num_correct": [4, 5], "num_samples": [6, 6]}


def test_numbers_of_successes_are_no_outcomes():
    frame = pyarrow.table(COUNTS)
    assert OutcomeMatrix(frame).counts.tolist() == [[2, 4], [1, 5]]
    with pytest.raises(OutcomeError, match="'num_correct' has numbers of successes, 'num_samples' those of the trials"):
        OutcomeMatrix.from_frame(frame, question="question", outcome="num_correct", times="num_samples")
    passed = pyarrow.table({"question": ["a", "b"], "passed": [4, 5], "total": [6, 6]})
    with pytest.raises(OutcomeError, match="'total' counts trials: pass numbers of successes") as raised:
        OutcomeMatrix(passed)
    assert "times=" not in str(raised.value)
