"""OutcomeMatrix from counts and from rewards; merging, selecting and drawing."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

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


def test_from_rewards():
    R = OutcomeMatrix.from_rewards([[0.2, 1.0, 0.2], [0.75, 1.0, -3]], questions=["a", "b"], clusters=[0, 1])
    assert R.levels == (-3.0, 0.2, 0.75, 1.0)
    assert R.counts.tolist() == [[0, 2, 0, 1], [1, 0, 1, 1]]
    assert (R.questions, R.clusters, R.completeness) == (("a", "b"), (0, 1), 1.0)
    R = OutcomeMatrix.from_rewards([[0.5, -0.0, 0.0], [1]])
    assert (R.levels, R.counts.tolist()) == ((0.0, 0.5, 1.0), [[2, 1, 0], [0, 0, 1]])
    assert OutcomeMatrix.from_rewards([True, False]) == OutcomeMatrix([1, 0])
    assert OutcomeMatrix.from_rewards(np.array([[Fraction(1, 4), None]], object), missing="omit").levels == (0.0, 0.25)


def test_merge_by_label():
    mine = OutcomeMatrix([[0, 0], [1, 1]], questions=["a", "b"], clusters=[1, 2], prior=[[0], [1]])
    theirs = OutcomeMatrix([[1], [0]], questions=["b", "a"], clusters=[2, 1], prior=[[1], [0]])
    R = mine.merge(theirs)
    assert R.counts.tolist() == [[3, 0], [0, 3]]
    assert (R.questions, R.clusters, R.prior_counts.tolist()) == (("a", "b"), (1, 2), [[1, 0], [0, 1]])
    assert theirs.merge(mine) == R.select(["b", "a"])
    rewards = OutcomeMatrix.from_rewards([[0.5, 1]])
    assert rewards.merge(rewards).counts.tolist() == [[2, 2]]


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
