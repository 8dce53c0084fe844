"""OutcomeSet: models on the same questions."""

from __future__ import annotations

import copy
import pickle
import weakref

import numpy as np
import pytest

from scorio.errors import OutcomeError
from scorio.outcomes import OutcomeMatrix, OutcomeSet, RewardMatrix, SavedCounts, Suite, align

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
    "trials first": lambda x: np.ascontiguousarray(x.transpose(2, 0, 1)).transpose(1, 2, 0),
    "every second model": lambda x: x.repeat(2, axis=0)[::2],
    "every second trial": lambda x: x.repeat(2, axis=2)[:, :, ::2],
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
    models = OutcomeSet(values, categories=3)
    assert models.models == tuple(f"model-{i}" for i in range(shape[0]))
    assert counts(models) == plain_counts(tensor(shape), 3)
    assert all(matrix.planned == shape[1] * shape[2] for matrix in models.values())


def test_missing_trials_of_a_tensor():
    values = tensor(dtype="f8")
    values[1, 2, 3] = NAN
    with pytest.raises(OutcomeError, match=r"^model-1: R\[2, 3\] is NaN"):
        OutcomeSet(values)
    assert OutcomeSet(values, missing="omit")["model-1"].trials.tolist() == [5, 5, 4, 5]
    assert OutcomeSet(values, missing="omit")["model-1"].completeness == 19 / 20
    assert OutcomeSet(values, missing="fail")["model-1"].completeness == 1.0
    values[1] = NAN
    with pytest.raises(OutcomeError, match=r"^model-1: R has no trial: every one is missing"):
        OutcomeSet(values, missing="omit")


def test_masked_tensors_and_models():
    hidden = np.ma.array(tensor(), mask=tensor() == 2)
    expected = plain_counts(tensor(), 3)
    assert counts(OutcomeSet(hidden, categories=2)) == [[row[:2] for row in model] for model in expected]
    assert counts(OutcomeSet(list(hidden), categories=2)) == [[row[:2] for row in model] for model in expected]


def test_matrices_are_aligned_as_in_a_set():
    rewards = OutcomeMatrix.from_rewards([[0.5, 1.0], [0.25, 0.0]], questions=["q2", "q1"])
    models = {"a": OutcomeMatrix([[0, 1], [1, 1]], questions=["q1", "q2"], clusters=["x", "y"]), "b": rewards}
    for each in (models, models | {"b": rewards.as_continuous()}, {"a": models["a"]}):
        assert align(each) == dict(OutcomeSet(each))
        assert all(matrix.clusters == ("x", "y") for matrix in align(each).values())
    assert align({"a": OutcomeMatrix(A)}, categories=4)["a"].n_categories == 4


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
