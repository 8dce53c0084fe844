"""Runs in data frames: named by the user, taken where columns are found by their names, else pointed to."""

import warnings

import numpy as np
import pytest

from helpers.frames import maker
from scorio import OutcomeMatrix, OutcomeSet, PassAtK, Suite

pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("narwhals")

R = np.array([[1, 0, 1], [0, 0, 1], [1, 1, 1], [0, 1, 0]])
CELLS = [(row, run) for row in range(4) for run in range(3)]
ROWS = {
    "question": [f"q{row}" for row, _ in CELLS],
    "seed": [11 + run for _, run in CELLS],
    "correct": [int(R[cell]) for cell in CELLS],
}
NAMES = {"question": "question", "outcome": "correct"}


@pytest.fixture(params=["pyarrow", "pandas", "polars", "duckdb"])
def frame_of(request):
    return maker(request.param)


def warned(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(each.message) for each in caught]


def test_a_named_column_of_runs_is_that_of_an_array(frame_of):
    expected = OutcomeMatrix(R, questions=["q0", "q1", "q2", "q3"], runs=[11, 12, 13])
    for outcomes in (
        OutcomeMatrix.from_frame(frame_of(ROWS), **NAMES, run="seed"),
        OutcomeMatrix.from_frame(frame_of(ROWS), **NAMES, trial="seed", run="seed"),
        OutcomeSet.from_frame(frame_of(ROWS), **NAMES, run="seed")["model-0"],
    ):
        assert outcomes == expected
        assert outcomes.runs == (11, 12, 13)
        assert repr(outcomes) == "OutcomeMatrix(4 questions x 3 trials, binary, 3 runs)"
        found = PassAtK(1).interval(outcomes, runs="random")
        assert found == PassAtK(1).interval(expected, runs="random")


@pytest.mark.parametrize("name", ["run", "Run-ID", "seed", "job", "jobId"])
def test_a_usual_name_is_pointed_to(frame_of, name):
    rows = {"question": ROWS["question"], name: ROWS["seed"], "correct": ROWS["correct"]}
    calls = [
        lambda: OutcomeMatrix.from_frame(frame_of(rows), **NAMES),
        lambda: Suite.from_frame(frame_of(rows | {"task": ["t"] * 12}), task="task", **NAMES),
    ]
    for call in calls:
        [message] = warned(call)
        assert f"column {name!r} may name runs" in message
        assert f"run={name!r}" in message


@pytest.mark.parametrize("name", ["run", "Run-ID", "seed", "job", "jobId"])
def test_a_usual_name_is_taken_where_columns_are_found_as_in_files(frame_of, name):
    rows = frame_of({"question": ROWS["question"], name: ROWS["seed"], "correct": ROWS["correct"]})
    expected = OutcomeMatrix.from_frame(rows, **NAMES, run=name)
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
    rows = frame_of(ROWS | {"seed": labels})
    assert warned(lambda: OutcomeMatrix.from_frame(rows, **NAMES)) == []


@pytest.mark.parametrize("role", ["run", "trial", "factors"])
def test_a_column_with_a_role_is_not_pointed_to(frame_of, role):
    assert warned(lambda: OutcomeSet.from_frame(frame_of(ROWS), **NAMES, **{role: "seed"})) == []


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
    rows = {key: values * 2 for key, values in ROWS.items() if key != "seed"} | {name: ["a"] * 12 + ["b"] * 12}
    for read in (OutcomeMatrix.from_frame, OutcomeSet.from_frame):
        [message] = warned(lambda read=read: read(frame_of(rows), **NAMES))
        assert f"differ in {name!r}" in message
        assert call in message
    [] = warned(lambda: OutcomeSet.from_frame(frame_of(rows), **NAMES, factors=[name]))
    apart = {**rows, "question": [f"{label}-{q}" for label, q in zip(rows[name], rows["question"], strict=True)]}
    assert warned(lambda: OutcomeMatrix.from_frame(frame_of(apart), **NAMES)) == []
