"""OutcomeMatrix from counts and from rewards; merging, selecting and drawing."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from scorio.errors import OutcomeError, ParameterError
from scorio.outcomes import OutcomeMatrix

A = [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]
B = [[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]]
NAN = float("nan")


def test_from_counts():
    assert OutcomeMatrix.from_counts([3, 4], 5) == OutcomeMatrix(A)
    assert OutcomeMatrix.from_counts([3.0, 4.0], [5, 5]) == OutcomeMatrix(A)
    assert OutcomeMatrix.from_counts(np.array([3, 4], ">i2"), np.uint8(5)) == OutcomeMatrix(A)
    assert OutcomeMatrix.from_counts([[1, 2, 2], [1, 2, 2]]) == OutcomeMatrix(B)
    assert OutcomeMatrix.from_counts([[1, 2, 2], [1, 2, 2]], [5, 5]) == OutcomeMatrix(B)
    R = OutcomeMatrix.from_counts([3, 0], [4, 0], questions=["ab", "c"], clusters=[1, 1])
    assert (R.trials.tolist(), R.questions, R.clusters, R.completeness) == ([4, 0], ("ab", "c"), (1, 1), 1.0)
    R = OutcomeMatrix.from_counts([3], 4, prior_counts=[[0, 1, 2]])
    assert (R.counts.tolist(), R.prior_counts.tolist()) == ([[1, 3, 0]], [[0, 1, 2]])
    assert OutcomeMatrix.from_counts([1], 2, levels=[-0.5, 2]).levels == (-0.5, 2.0)
    big = OutcomeMatrix.from_counts([10**12], 2**53)
    assert (big.states.successes.tolist(), big.states.trials.tolist()) == ([10**12], [2**53])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([3, 6], 5), r"counts\[1\] is 6: more successes than its 5 trials"),
        (([3, 4],), "successes need trials: pass trials"),
        (([3, -1], 5), r"counts\[1\] is -1: counts are whole numbers"),
        (([3, 2.5], 5), r"counts\[1\] is 2.5: counts are whole numbers"),
        (([3, NAN], 5), r"counts\[1\] is nan: counts are whole numbers"),
        (([3, 2**60], 2**60), r"counts\[1\] is .*: counts are whole numbers from 0 to 2\*\*53"),
        (([3, 2], [5, 5, 5]), r"trials must be one number, or one for each of 2 questions; got \(3,\)"),
        (([3, 2], -5), "trials is -5: counts are whole numbers"),
        (([3, 2], "5"), "trials must be whole numbers; got <U1"),
        (([True, False], 5), "counts must be whole numbers; got bool"),
        ((["3"], 5), "counts must be whole numbers; got <U1"),
        (([3 + 0j], 5), "counts must be whole numbers; got complex128"),
        (([[1, 2], [3]],), "counts must have rows of one length"),
        (([[1], [3]], 3), r"counts must be successes \(M,\) or counts by category"),
        ((3, 5), r"counts must be successes \(M,\) or counts by category"),
        (([], 5), r"counts must be successes \(M,\) or counts by category"),
        (([[1, 2], [3, 1]], 3), r"counts\[1\] adds up to 4 trials, which trials contradicts"),
        (([[2**53, 2**53]],), r"counts\[0\] adds up to more than 2\*\*53 trials"),
        (([0, 0], 0), "counts hold no trial"),
    ],
)
def test_from_counts_errors(arguments, message):
    with pytest.raises(OutcomeError, match=message):
        OutcomeMatrix.from_counts(*arguments)


def test_from_counts_option_errors():
    for options, message in [
        ({"planned": [5, 4]}, r"planned\[1\] is below the trials that are present"),
        ({"prior_counts": [[1, 2]]}, "prior_counts has 1 questions, counts has 2"),
        ({"prior_counts": [[1, 2], [0, -1]]}, r"prior_counts\[1, 1\] is -1"),
        ({"levels": [1, 0]}, "levels must be 2 ascending rewards"),
        ({"levels": [0, 1, 2]}, "levels must be 2 ascending rewards"),
        ({"levels": [0, np.inf]}, "levels must be 2 ascending rewards"),
        ({"questions": ["a"]}, "questions has 1 labels for 2 questions"),
    ]:
        with pytest.raises(OutcomeError, match=message):
            OutcomeMatrix.from_counts([3, 4], 5, **options)


def test_from_rewards():
    R = OutcomeMatrix.from_rewards([[0.2, 1.0, 0.2], [0.75, 1.0, -3]], questions=["a", "b"], clusters=[0, 1])
    assert R.levels == (-3.0, 0.2, 0.75, 1.0)
    assert R.counts.tolist() == [[0, 2, 0, 1], [1, 0, 1, 1]]
    assert (R.questions, R.clusters, R.completeness) == (("a", "b"), (0, 1), 1.0)
    R = OutcomeMatrix.from_rewards([[0.5, -0.0, 0.0], [1]])
    assert (R.levels, R.counts.tolist()) == ((0.0, 0.5, 1.0), [[2, 1, 0], [0, 0, 1]])
    assert OutcomeMatrix.from_rewards([True, False]) == OutcomeMatrix([1, 0])
    assert OutcomeMatrix.from_rewards(np.array([[Fraction(1, 4), None]], object), missing="omit").levels == (0.0, 0.25)


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ([[0.5, NAN]], {}, r"values\[0, 1\] is NaN, a trial without an outcome: missing="),
        ([[0.5, 1], [0.5, np.inf]], {}, r"values\[1, 1\] is not a finite number"),
        ([[0.5], [1, 0, -np.inf]], {"missing": "omit"}, r"values\[1, 2\] is not a finite number"),
        (np.array([["a", 1]], object), {}, r"values\[0, 0\]: 'a' is not an outcome: outcomes are numbers, or words"),
        (np.array([[object, 1]], object), {}, r"values\[0, 0\] is not a finite number"),
        ([["a"]], {}, r"values\[0, 0\]: 'a' is not an outcome"),
        ([[1j]], {}, "values holds complex numbers"),
        ([[]], {}, "values needs at least one reward for every question"),
        ([[0.5], []], {}, "values needs at least one reward for every question"),
        ([[NAN]], {"missing": "omit"}, "values has no outcome: every one is missing"),
        (
            np.arange(70_000) / 7,
            {"max_levels": 70_000},
            "values has 70000 distinct rewards; round them to at most 65536 levels",
        ),
    ],
)
def test_from_rewards_errors(values, options, message):
    with pytest.raises(OutcomeError, match=message):
        OutcomeMatrix.from_rewards(values, **options)
    with pytest.raises(ParameterError, match="missing must be"):
        OutcomeMatrix.from_rewards([[1]], missing="ignore")


def test_merge_by_label():
    mine = OutcomeMatrix([[0, 0], [1, 1]], questions=["a", "b"], clusters=[1, 2], prior=[[0], [1]])
    theirs = OutcomeMatrix([[1], [0]], questions=["b", "a"], clusters=[2, 1], prior=[[1], [0]])
    R = mine.merge(theirs)
    assert R.counts.tolist() == [[3, 0], [0, 3]]
    assert (R.questions, R.clusters, R.prior_counts.tolist()) == (("a", "b"), (1, 2), [[1, 0], [0, 1]])
    assert theirs.merge(mine) == R.select(["b", "a"])


def test_merge_errors():
    labelled = OutcomeMatrix(A, questions=["a", "b"], clusters=["x", "y"], prior=[[0], [1]])
    for other, message in [
        ([[1]], "the other matrix has 1 question where the first has 2"),
        (OutcomeMatrix(A, questions=["a", "c"]), "the other matrix has no trial of question 'b'"),
        (OutcomeMatrix([*A, [1]], questions=["a", "b", "c"]), "the first has no trial of question 'c', which"),
        (OutcomeMatrix(A, clusters=["x", "z"]), "clusters differ: the other matrix has question 1 in 'z', .* in 'y'"),
        (OutcomeMatrix(A, prior=[[1], [1]]), "different prior outcomes"),
        (OutcomeMatrix.from_rewards([[0.5, 1], [1, 1]]), r"mean different rewards: None and \(0.5, 1.0\)"),
    ]:
        with pytest.raises(OutcomeError, match=message):
            labelled.merge(other)
    R = OutcomeMatrix.from_rewards([[0.5, 1]])
    assert R.merge(R).counts.tolist() == [[2, 2]]


def test_select_by_index():
    R = OutcomeMatrix([[0], [1], [2]], clusters=["x", "y", "z"], prior=[[0], [0], [1]])
    chosen = R.select([2, 0])
    assert chosen.counts.tolist() == [[0, 0, 1], [1, 0, 0]]
    assert (chosen.clusters, chosen.prior_counts.tolist()) == (("z", "x"), [[0, 1, 0], [1, 0, 0]])
    assert R.select(-1) == R.select([2]) == R.select(slice(2, None)) == R.select([False, False, True])
    assert R.select(np.array([True, False, True])) == R.select(slice(None, None, 2)) == R.select((0, 2))
    assert R.select([1, 1]).n_questions == 2


def test_select_by_label():
    R = OutcomeMatrix([[0, NAN], [1, 1], [1, 0]], questions=["a", ("b", 1), 7], missing="omit")
    assert R.select([7, "a"]).successes.tolist() == [1, 0]
    assert R.select("a") == R.select(["a"]) == R.select(slice(0, 1)) == R.select(np.array([True, False, False]))
    assert R.select([("b", 1)]) == R.select(("b", 1)) == R.select([False, True, False])
    assert R.select(7).questions == (7,)
    assert (R.select("a").planned, R.select("a").completeness) == (2, 0.5)
    assert OutcomeMatrix(A, questions=[10, 20]).select(np.array([20])).successes.tolist() == [4]


@pytest.mark.parametrize(
    ("labels", "questions", "message"),
    [
        (None, [3], "no question 3: there are 2"),
        (None, [-3], "no question -3: there are 2"),
        (None, ["a"], "questions have no labels: select them by integer indices"),
        (None, [0.0], "questions have no labels: select them by integer indices"),
        (None, [], "the selection has no question"),
        (None, [False, False], "the selection has no question"),
        (None, [True], "a mask needs one entry for each of 2 questions"),
        (["a", "b"], ["c"], "no question is labeled 'c'"),
        (["a", "b"], "c", "no question is labeled 'c'"),
        (["a", "b"], 0, "no question is labeled 0"),
        (["a", "b"], [[]], "labels must be hashable"),
        (["a", "b"], ["a", "a"], "questions must be unique"),
        (["a", "b"], [], "the selection has no question"),
        ([True, False], [True, True], "questions must be unique"),
    ],
)
def test_select_errors(labels, questions, message):
    with pytest.raises(OutcomeError, match=message):
        OutcomeMatrix(A, questions=labels).select(questions)
