"""OutcomeMatrix: what it says, and that it stays as it is."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from scorio.outcomes import OutcomeMatrix

A = [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]
B = [[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]]
NAN = float("nan")


def test_categories():
    R = OutcomeMatrix(B)
    assert R.counts.tolist() == [[1, 2, 2], [1, 2, 2]]
    assert (R.n_categories, R.max_category, R.has_two_categories) == (3, 2, False)
    assert (R.min_trials, R.max_trials) == (5, 5)


def test_a_category_need_not_occur():
    R = OutcomeMatrix(A, categories=4)
    assert R.counts.tolist() == [[2, 3, 0, 0], [1, 4, 0, 0]]
    assert (R.n_categories, R.max_category, R.has_two_categories) == (4, 1, True)
    assert R.profile_rows.tolist() == [[2, 3, 0, 0], [1, 4, 0, 0]]
    assert OutcomeMatrix([[0, 0]]).counts.tolist() == [[2, 0]]


def test_prior():
    R = OutcomeMatrix(B, prior=[[0, 2], [1, 2]])
    assert R.prior_counts.tolist() == [[1, 0, 1], [0, 1, 1]]
    assert R.counts.tolist() == [[1, 2, 2], [1, 2, 2]]
    assert R.with_prior_counts.counts.tolist() == [[2, 2, 3], [1, 3, 3]]
    assert R.with_prior_counts.with_prior_counts is R.with_prior_counts
    assert R.with_prior_counts is R.with_prior_counts
    assert OutcomeMatrix(B, prior=[0, 2, 1, 2]) == R
    assert OutcomeMatrix(B, prior=[[0, 2], [1, 2, 2]]).prior_counts.tolist() == [[1, 0, 1], [0, 1, 2]]
    assert OutcomeMatrix(B, prior=[[], [1]]).prior_counts.tolist() == [[0, 0, 0], [0, 1, 0]]
    assert OutcomeMatrix(B, prior=np.zeros((2, 0))).with_prior_counts.counts.tolist() == R.counts.tolist()
    assert OutcomeMatrix([1, 0, 1], prior=[1, 1]).prior_counts.tolist() == [[0, 2]]


def test_prior_widens_the_categories():
    R = OutcomeMatrix(A, prior=[[3], [0]])
    assert (R.n_categories, R.max_category, R.has_two_categories) == (4, 3, False)
    R = OutcomeMatrix(B, prior=[[1], [0]])
    assert (R.n_categories, R.prior_counts.shape) == (3, (2, 3))


def test_labels():
    R = OutcomeMatrix(A, questions=["q1", ("q", 2)], clusters=np.array(["c", "c"]))
    assert (R.questions, R.clusters) == (("q1", ("q", 2)), ("c", "c"))


def test_immutable():
    R = OutcomeMatrix(A, prior=A, categories=3)
    for array in (
        R.counts,
        R.trials,
        R.successes,
        R.prior_counts,
        R.state_of_question,
        R.profile_rows,
        R.groups.multiplicity,
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    for array in (R.states.successes, R.states.trials, R.states.multiplicity):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    for name in ("counts", "trials", "successes", "questions", "levels", "planned", "states", "anything"):
        with pytest.raises(AttributeError, match=name):
            setattr(R, name, 1)


def test_equal_by_content():
    parts = {"questions": ["a", "b"], "clusters": [1, 2], "prior": [[0], [1]]}
    R = OutcomeMatrix(A, **parts)
    same = OutcomeMatrix(np.array(A, np.int8)[:, ::-1], **parts)
    assert R == same
    assert hash(R) == hash(same)
    others = [
        OutcomeMatrix(A),
        OutcomeMatrix(A[::-1], **parts),
        OutcomeMatrix(A, **parts | {"questions": ["a", "c"]}),
        OutcomeMatrix(A, **parts | {"clusters": None}),
        OutcomeMatrix(A, **parts | {"prior": [[0], [0]]}),
        OutcomeMatrix(A, categories=3, **parts),
        OutcomeMatrix([[*row, None] for row in A], missing="omit", **parts),
        OutcomeMatrix.from_counts(R.counts, planned=9, questions=["a", "b"], clusters=[1, 2]),
        OutcomeMatrix.from_counts(R.counts, levels=[0, 0.5], questions=["a", "b"], clusters=[1, 2]),
        A,
    ]
    assert all(R != other for other in others)
    assert OutcomeMatrix.from_counts([3, 4], 5) == OutcomeMatrix(A)


def test_pickles_and_copies():
    R = OutcomeMatrix(B, prior=[[0], [1]], questions=["a", "b"], clusters=[1, 2])
    assert R.groups.multiplicity.sum() == 2
    for again in (pickle.loads(pickle.dumps(R)), copy.copy(R), copy.deepcopy(R)):
        assert again == R
        assert not again.counts.flags.writeable
        assert again._cache.keys() <= {"hash", "max_category"}
        assert again.groups.multiplicity.tolist() == R.groups.multiplicity.tolist()


def test_repr():
    assert repr(OutcomeMatrix(A)) == "OutcomeMatrix(2 questions x 5 trials, binary)"
    assert repr(OutcomeMatrix([1])) == "OutcomeMatrix(1 question x 1 trial, binary)"
    gaps = OutcomeMatrix([[0, 1, 2], [0, 1, None]], missing="omit")
    assert repr(gaps) == "OutcomeMatrix(2 questions x 2..3 trials, 3 categories, completeness 0.833)"
