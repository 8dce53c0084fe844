"""Suites: made, split from a set, selected, pooled and exported."""

import copy
import pickle

import numpy as np
import pytest

from scorio import OutcomeMatrix, OutcomeSet, RewardMatrix, Suite
from scorio.errors import OutcomeError, ParameterError

ALGEBRA = {"a": [[1, 1], [0, 1]], "b": [[0, 1], [0, 0]]}
CHESS = {"a": [[0, 1, 1]]}


@pytest.fixture
def suite():
    return Suite({"algebra": ALGEBRA, "chess": CHESS})


def test_a_suite_is_a_mapping_from_tasks_to_sets(suite):
    assert list(suite) == ["algebra", "chess"] == list(suite.tasks)
    assert suite["algebra"] == OutcomeSet(ALGEBRA)
    assert suite.models == ("a", "b")
    assert suite.n_questions == 3
    assert "go" not in suite


def test_equal_suites_have_equal_hashes_and_survive_copies(suite):
    for other in (Suite(dict(suite)), copy.deepcopy(suite), pickle.loads(pickle.dumps(suite))):
        assert other == suite
        assert hash(other) == hash(suite)
    assert suite != Suite({"chess": CHESS, "algebra": ALGEBRA})
    assert suite != dict(suite)


def test_missing_tasks_are_an_error_with_both_ways_out(suite):
    assert suite.missing == {"b": ("chess",)}
    with pytest.raises(OutcomeError) as error:
        suite.check_complete()
    text = str(error.value)
    assert "model 'b' has no outcomes of 1 task: 'chess'" in text
    for way in ("suite.select(models=['a'])", "suite.select(tasks=['algebra'])"):
        assert way in text
        assert eval(way, {"suite": suite}).missing == {}


def test_selection_keeps_order_and_conditions():
    first = OutcomeSet(ALGEBRA, conditions={"a": {"temperature": 0.5}})
    suite = Suite({"algebra": first, "chess": CHESS})
    assert suite.select(models=["b"]) == Suite({"algebra": {"b": ALGEBRA["b"]}})
    assert suite.select(tasks="chess").tasks == ("chess",)
    assert dict(suite.select(models="a")["algebra"].conditions["a"]) == {"temperature": 0.5}
    for unknown in ({"models": ["c"]}, {"tasks": ["algebr"]}):
        with pytest.raises(OutcomeError, match="unknown"):
            suite.select(**unknown)
    with pytest.raises(OutcomeError, match="no outcomes"):
        suite.select(tasks=["chess"], models=["b"])


@pytest.mark.parametrize(
    "by", [["x", "y", "x"], np.array(["x", "y", "x"]), {"q1": "x", "q2": "y", "q3": "x", "q4": "z"}]
)
def test_a_set_is_split_by_groups_of_questions(by):
    models = OutcomeSet({"a": [[0, 1], [1, 1], [0, 0]], "b": [[1, 1], [0, 0], [1, 1]]}, questions=["q1", "q2", "q3"])
    suite = models.split(by)
    assert suite.tasks == ("x", "y")
    assert suite["x"] == models.select(["q1", "q3"])
    assert suite["y"] == models.select(["q2"])


@pytest.mark.parametrize(
    ("by", "problem"),
    [
        (None, "no clusters"),
        ({"q1": "x"}, "no value"),
        (["x"], "1 labels for 2 questions"),
        (["x", None], "None"),
        (["1", 1], "same text"),
        ("xy", "by must be a sequence of labels; got 'xy'"),
    ],
)
def test_groups_are_checked(by, problem):
    models = OutcomeSet(ALGEBRA, questions=["q1", "q2"])
    with pytest.raises((OutcomeError, ParameterError), match=problem):
        models.split(by)


def test_a_suite_is_split_task_by_task():
    models = OutcomeSet({"a": [[0, 1], [1, 1], [0, 0]], "b": [[1, 1], [0, 0], [1, 1]]}, questions=["q1", "q2", "q3"])
    groups = {"q1": "x", "q2": "y", "q3": "x"}
    parts = Suite({"algebra": models, "chess": models.select(["q2"])}).split(groups)
    assert parts.tasks == ("algebra [x]", "algebra [y]", "chess [y]")
    assert parts["chess [y]"] == models.select(["q2"])
    with pytest.raises(OutcomeError, match=r"task algebra.*no value"):
        Suite({"algebra": models}).split({"q1": "x"})


def test_pooled_is_the_inverse_of_split():
    table = {"a": [[0, 1], [1, 1], [0, 0]], "b": [[1, 1], [0, 0], [1, 1]]}
    whole = OutcomeSet(table, questions=["q1", "q2", "q3"], clusters=["c", "d", "c"])
    pooled = whole.split(["x", "y", "x"]).pooled()
    assert pooled["b"].questions == ("x/q1", "x/q3", "y/q2")
    assert pooled["b"].clusters == ("x/c", "x/c", "y/d")
    assert pooled["b"].successes.tolist() == [2, 2, 0]


def test_continuous_rewards_are_pooled_with_their_trials():
    rewards = RewardMatrix([[0.1, 0.4, 0.2], [0.8, 0.6, 0.9]])
    pooled = Suite({"x": {"a": rewards}, "y": {"a": [[1, 0]]}}).pooled()["a"]
    assert np.allclose(pooled.means, [*rewards.means, 0.5])
    assert pooled.ordered.tolist() == [0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.0, 1.0]


def test_incomplete_suites_and_prior_outcomes_are_not_pooled(suite):
    with pytest.raises(OutcomeError, match="'b' has no outcomes"):
        suite.pooled()
    informed = OutcomeMatrix([[1, 0]], prior=[[1]])
    with pytest.raises(OutcomeError, match="prior outcomes"):
        Suite({"x": {"a": informed}, "y": {"a": informed}}).pooled()


def test_conditions_are_exported_and_do_not_decide_equality():
    models = OutcomeSet(ALGEBRA, conditions={"a": {"temperature": 0.5}})
    assert models == OutcomeSet(ALGEBRA)
    assert models.to_dict()["conditions"] == {"a": {"temperature": 0.5}}
    assert {name: dict(each) for name, each in models.conditions.items()} == {"a": {"temperature": 0.5}, "b": {}}
    for same in (pickle.loads(pickle.dumps(models)), models.select([0]), OutcomeSet(models)):
        assert same.conditions == models.conditions


@pytest.mark.parametrize(
    ("tasks", "problem"), [([None, "x"], "without a task"), ([1, "1"], "same text"), (["x", "y"], "task y: ")]
)
def test_columns_of_tasks_are_checked(tasks, problem):
    pytest.importorskip("narwhals")
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"task": tasks, "q": [1, 2], "passed": ["pass", "what"]})
    with pytest.raises(OutcomeError, match=problem):
        Suite.from_frame(frame, task="task", question="q", outcome="passed")


def test_a_suite_of_records_is_one_of_their_frame():
    pyarrow = pytest.importorskip("pyarrow")
    rows = [{"task": task, "model": "a", "question": 1, "correct": 1} for task in ("add", "add", "mul")]
    suite = Suite.from_frame(rows, task="task")
    assert suite == Suite.from_frame(pyarrow.Table.from_pylist(rows), task="task")
    assert {task: models["a"].trials.tolist() for task, models in suite.items()} == {"add": [2], "mul": [1]}
