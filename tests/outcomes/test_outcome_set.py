"""Sets of models on the same questions, and suites of tasks: made, split, selected, pooled, with their costs."""

from __future__ import annotations

import copy
import pickle
import weakref

import numpy as np
import pytest

from helpers.written import inspect_eval, inspect_header, inspect_sample
from scorio import OutcomeMatrix, OutcomeSet, RewardMatrix, Suite, read
from scorio.errors import OutcomeError, ParameterError
from scorio.outcomes import SavedCounts, align

A = [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]
B = [[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]]
NAN = float("nan")


def tensor(shape=(3, 4, 5), categories=3, dtype="i8"):
    return np.random.default_rng(0).integers(0, categories, shape).astype(dtype)


def plain_counts(tensor, width):
    return [[[list(row).count(category) for category in range(width)] for row in model] for model in tensor]


def counts(models):
    return [matrix.counts.tolist() for matrix in models.values()]


def test_is_an_ordered_mapping():
    models = OutcomeSet({"b": A, "a": np.array(A)})
    assert list(models) == ["b", "a"]
    assert models.models == ("b", "a")
    assert (len(models), models.n_questions, models.n_categories, models.is_pass_fail) == (2, 2, 2, True)
    assert models["a"] == OutcomeMatrix(A)
    assert "c" not in models
    with pytest.raises(KeyError):
        models["c"]
    with pytest.raises(TypeError):
        models["a"] = 1
    with pytest.raises(AttributeError):
        models.models = ()


LAYOUTS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "models last": lambda x: np.ascontiguousarray(x.transpose(1, 2, 0)).transpose(2, 0, 1),
    "reversed": lambda x: x[::-1, ::-1, ::-1].copy()[::-1, ::-1, ::-1],
    "object": lambda x: x.astype(object),
    "list": lambda x: x.tolist(),
    "masked": np.ma.array,
    "foreign": lambda x: x.astype(x.dtype.newbyteorder()),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["i1", "i8", "f4", "f8"])
@pytest.mark.parametrize("shape", [(3, 4, 5), (1, 4, 5), (3, 1, 5), (3, 4, 1), (2, 70, 70)])
def test_tensors(layout, dtype, shape):
    values = LAYOUTS[layout](tensor(shape, dtype=dtype))
    models = OutcomeSet(values)
    assert models.models == tuple(f"model-{i}" for i in range(shape[0]))
    assert counts(models) == plain_counts(tensor(shape), 3)
    assert all(matrix.planned == shape[1] * shape[2] for matrix in models.values())


def test_missing_trials_of_a_tensor():
    values = tensor(dtype="f8")
    values[1, 2, 3] = NAN
    left_out, failed = (OutcomeSet(values, missing=missing)["model-1"] for missing in ("omit", "fail"))
    assert (left_out.trials.tolist(), left_out.completeness, failed.completeness) == ([5, 5, 4, 5], 19 / 20, 1.0)


def test_masked_tensors_and_models():
    hidden = np.ma.array(tensor(), mask=tensor() == 2)
    expected = plain_counts(tensor(), 3)
    assert counts(OutcomeSet(hidden)) == [[row[:2] for row in model] for model in expected]
    assert counts(OutcomeSet(list(hidden))) == [[row[:2] for row in model] for model in expected]


def test_matrices_are_aligned_as_in_a_set():
    rewards = OutcomeMatrix.from_rewards([[0.5, 1.0], [0.25, 0.0]], questions=["q2", "q1"])
    models = {"a": OutcomeMatrix([[0, 1], [1, 1]], questions=["q1", "q2"], clusters=["x", "y"]), "b": rewards}
    for each in (models, models | {"b": rewards.as_continuous()}, {"a": models["a"]}):
        assert align(each) == dict(OutcomeSet(each))
        assert all(matrix.clusters == ("x", "y") for matrix in align(each).values())


def test_names():
    assert OutcomeSet(tensor(), models=["x", "y", "z"]).models == ("x", "y", "z")
    assert OutcomeSet([OutcomeMatrix(A), B], models=("x", "y"))["y"] == OutcomeMatrix(B)
    assert OutcomeSet([[[0, 1], [1]], [[1], [0]]])["model-0"].trials.tolist() == [2, 1]


def test_questions_are_put_in_one_order():
    a = OutcomeMatrix([[0, 0], [1, 1]], questions=["p", "q"], clusters=["x", "y"])
    b = OutcomeMatrix([[1, 1], [0, 1]], questions=["q", "p"])
    models = OutcomeSet({"a": a, "b": b, "c": [[0, 0], [1, 0]]})
    assert (models.questions, models.clusters) == (("p", "q"), ("x", "y"))
    assert [matrix.successes.tolist() for matrix in models.values()] == [[0, 2], [1, 2], [0, 1]]
    assert models["a"] is a
    assert all(matrix.questions == ("p", "q") for matrix in models.values())
    given = OutcomeSet({"a": a, "b": b}, questions=["q", "p"], clusters=["y", "x"])
    assert [matrix.successes.tolist() for matrix in given.values()] == [[2, 0], [2, 1]]
    assert OutcomeSet(tensor(), questions=["p", "q", "r", "s"]).questions == ("p", "q", "r", "s")


def test_putting_questions_in_order_takes_a_few_looks_at_each():
    looks = []

    class Label(str):
        __slots__ = ()

        def __hash__(self):
            looks.append(self)
            return super().__hash__()

    questions = [Label(i) for i in range(100)]
    a, b = (OutcomeMatrix([[0, 1]] * 100, questions=order) for order in (questions, questions[::-1]))
    assert OutcomeSet({"a": a, "b": b})["b"].questions == tuple(questions)
    assert len(looks) < 20 * len(questions)


def test_priors():
    shared = OutcomeSet(tensor((3, 2, 5), 2), prior=[[0, 1], [1, 1]])
    assert [matrix.prior_counts.tolist() for matrix in shared.values()] == [[[1, 1], [0, 2]]] * 3
    each = OutcomeSet(tensor((3, 2, 5), 2), prior=[[[0], [0]], [[0], [1]], [[1], [1]]])
    assert [matrix.prior_counts[:, 1].tolist() for matrix in each.values()] == [[0, 0], [0, 1], [1, 1]]
    ragged = OutcomeSet(tensor((3, 2, 5), 2), prior=[[0], [1, 1]])
    assert ragged["model-2"].prior_counts.tolist() == [[1, 0], [0, 2]]
    named = OutcomeSet({"a": OutcomeMatrix(A), "b": A}, prior={"a": [0, 1]})
    assert named["a"].prior_counts.tolist() == [[1, 0], [0, 1]]


def test_equal_hash_pickle_repr():
    models = OutcomeSet({"a": A, "b": B})
    same = OutcomeSet([A, B], models=["a", "b"])
    assert models == same
    assert hash(models) == hash(same)
    assert models != OutcomeSet({"b": B, "a": A})
    assert models != OutcomeSet({"a": A, "b": A})
    assert models != {"a": models["a"], "b": models["b"]}
    again = pickle.loads(pickle.dumps(models))
    assert again == models
    assert repr(models) == "OutcomeSet(2 models x 2 questions, 3 categories)"
    assert repr(OutcomeSet({"a": [[1]]})) == "OutcomeSet(1 model x 1 question, binary)"


@pytest.mark.parametrize(
    "held",
    [
        OutcomeMatrix([[0, 1]]),
        RewardMatrix([[0.25, 0.5]]),
        OutcomeSet({"a": [[0, 1]]}),
        Suite({"x": {"a": [[0, 1]]}}),
        SavedCounts(OutcomeSet({"a": [[0, 1]]})),
    ],
    ids=lambda held: type(held).__name__,
)
def test_a_cache_may_hold_outcomes_weakly(held):
    """Interval is a tuple, which Python cannot refer to weakly; its copies are equal, as those of outcomes are."""
    known = weakref.WeakKeyDictionary({held: "known"})
    assert known[held] == "known"
    for copied in (copy.copy(held), copy.deepcopy(held), pickle.loads(pickle.dumps(held))):
        assert copied == held
        assert weakref.ref(copied)() is copied


# Suites of tasks.


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


# Costs per trial.


R = {"a": [[0, 1, 1], [1, 1, 0]], "b": [[0, 0, 1], [0, 1, 0]]}
COSTS = {"a": {"dollars": 0.5, "seconds": 2.0}}


@pytest.mark.parametrize(("name", "facts"), [("costs", COSTS), ("conditions", {"a": {"temperature": 0.5}})])
def test_facts_are_kept_by_selections_and_copies_and_do_not_decide_equality(name, facts):
    models = OutcomeSet(R, **{name: facts})
    assert models == OutcomeSet(R)
    assert {model: dict(told) for model, told in getattr(models, name).items()} == facts | {"b": {}}
    suite = models.split(["x", "y"])
    for other in (
        models.select([1]),
        pickle.loads(pickle.dumps(models)),
        OutcomeSet(models),
        suite["y"],
        suite.pooled(),
    ):
        assert getattr(other, name) == getattr(models, name)
    assert getattr(suite.select(models=["a"])["x"], name) == facts
    assert models.to_dict()[name] == facts
    assert name not in OutcomeSet(R).to_dict()


def test_saved_costs_are_sums_and_come_back_per_trial(tmp_path):
    OutcomeSet(R, costs=COSTS).save(tmp_path / "one.npz")
    saved = SavedCounts.load(tmp_path / "one.npz")
    for loaded in (saved.outcomes, OutcomeSet.load(tmp_path / "one.npz"), read(tmp_path / "one.npz")):
        assert loaded.costs == {"a": {"dollars": 0.5, "seconds": 2.0}, "b": {}}
    OutcomeSet({"a": [[1, 1], [1, 1]]}, costs={"a": {"dollars": 1.0}}).save(tmp_path / "two.npz")
    merged = saved.merge(tmp_path / "two.npz").outcomes
    assert merged.costs["a"] == {"dollars": pytest.approx((3.0 + 4.0) / 10)}
    assert read(tmp_path).costs["a"] == {"dollars": pytest.approx(0.7)}
    OutcomeSet({"a": [[1], [0]]}).save(tmp_path / "unknown.npz")
    assert read(tmp_path).costs["a"] == {}
    assert saved.merge(tmp_path / "unknown.npz").outcomes.costs["a"] == {}


def test_saved_suites_share_the_sum_by_trials(tmp_path):
    suite = OutcomeSet(R, costs=COSTS).split(["x", "y"])
    suite.save(tmp_path / "suite.npz")
    for loaded in (Suite.load(tmp_path / "suite.npz"), read(tmp_path)):
        assert loaded.costs["a"] == pytest.approx(COSTS["a"])
        assert loaded["x"].costs["a"] == pytest.approx(COSTS["a"])


def test_costs_of_logs_are_those_of_all_their_runs(tmp_path):
    for at, (model, tokens) in enumerate((("a", 60), ("a", 40), ("b", 30))):
        _write_inspect(tmp_path / f"{at}.eval", model, tokens, f"run-{at}")
    assert read(tmp_path).costs == {"a": {"input_tokens": 100 / 8}, "b": {"input_tokens": 30 / 4}}


def test_a_run_without_costs_hides_those_of_its_model(tmp_path):
    for at, (model, tokens) in enumerate((("a", 60), ("a", None), ("b", 30))):
        _write_inspect(tmp_path / f"{at}.eval", model, tokens, f"run-{at}")
    assert read(tmp_path).costs == {"a": {}, "b": {"input_tokens": 30 / 4}}


def _write_inspect(path, model, tokens, run):
    samples = [inspect_sample(name, epoch) for name in ("q1", "q2") for epoch in (1, 2)]
    stats = {} if tokens is None else {"model_usage": {"m": {"input_tokens": tokens}}}
    inspect_eval(path, samples, inspect_header(model=model, run=run, stats=stats))
