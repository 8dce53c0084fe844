"""Differences by question: exact tests against scipy and enumeration, the false-discovery rate by simulation."""

import itertools

import numpy as np
import pytest

from scorio import OutcomeMatrix, OutcomeSet, Suite, compare
from scorio.comparison import diff_questions


def matrix(counts, trials, labels=None):
    return OutcomeMatrix.from_counts(counts, trials, questions=labels or [f"q{i}" for i in range(len(counts))])


def test_the_overall_change_comes_first_and_what_single_questions_need():
    rng = np.random.default_rng(3)
    old, new = (matrix(rng.binomial(6, rate, 40), 6) for rate in (0.7, 0.5))
    diff = diff_questions(new, old)
    overall = compare("pass@1", new, old)
    assert diff.overall.difference == overall.difference
    assert overall.winner == "B"
    assert str(diff).startswith(f"overall worse by {overall.difference:.3f} (95% interval {overall.lo:.3f} to")
    assert f"from {diff.trials_needed} trials in each run, and there are at most 6" in str(diff)
    assert diff.to_dict()["overall"]["winner"] == "baseline"
    table = diff.tables()[0]
    assert not table.cells
    assert table.text() == str(diff)
    assert diff_questions(matrix([10] * 4, 10), matrix([0] * 4, 10)).improved
    lone = diff_questions(matrix([1, 0], [1, 0]), matrix([1, 1], 1))
    assert lone.overall is None
    suite = Suite({"x": {"m": matrix([6, 6], 6)}, "y": {"m": matrix([0] * 4, 6)}})
    other = Suite({"x": {"m": matrix([0, 0], 6)}, "y": {"m": matrix([0] * 4, 6)}})
    assert diff_questions(suite, other).overall.scores == pytest.approx((1 / 3, 0.0))


@pytest.mark.simulation
def test_false_discovery_rate():
    """Worlds of 60 questions, a third of them changed: the mean share of false calls is at most .2, with its error."""
    rng = np.random.default_rng(6)
    shares = []
    for _ in range(150):
        old = rng.beta(0.5, 0.5, 60)
        new = np.where(np.arange(60) < 20, rng.beta(0.5, 0.5, 60), old)
        diff = diff_questions(matrix(rng.binomial(8, new), 8), matrix(rng.binomial(8, old), 8), fdr=0.2)
        called = [int(row.question[1:]) for row in diff.improved + diff.worse]
        shares.append(np.mean(np.array(called) >= 20) if called else 0.0)
    assert np.mean(shares) <= 0.2 + 3 * np.std(shares) / np.sqrt(150)
    assert np.mean(shares) > 0.005  # it is not that nothing is called


def test_kinds():
    old = matrix([8, 0, 0, 8, 4, 1, 2, 8], [8, 8, 8, 8, 8, 1, 8, 8], list("abcdefgh"))
    new = matrix([0, 8, 0, 8, 5, 0, 2, 7], [8, 8, 8, 8, 8, 1, 8, 8], list("abcdefgh"))  # one failure in 8 is not flaky
    diff = diff_questions(new, old)
    kinds = ["worse", "improved", "same", "same", "flaky", "flipped", "flaky", "same"]
    assert [row.change for row in diff.rows] == kinds
    assert [row.question for row in diff.worse + diff.improved] == ["a", "b"]
    assert "; of 8 questions, 1 improved and 1 are worse (false-discovery rate 0.1); 2 flaky, 1 flipped" in str(diff)


def test_one_trial_tells_nothing_and_says_so():
    diff = diff_questions(matrix([0, 1, 1], 1), matrix([1, 0, 1], 1))
    assert [row.change for row in diff.rows] == ["flipped", "flipped", "same"]
    assert "trials in each run, and there are at most 1" in str(diff)


def test_rewards_against_all_permutations():
    values = [0.1, 0.2, 0.35, 0.6, 0.7, 0.8, 0.85, 0.9]
    old, new = (OutcomeMatrix.from_rewards([half, half], questions=["a", "b"]) for half in (values[:4], values[4:]))
    sums = [sum(values[i] for i in chosen) for chosen in itertools.combinations(range(8), 4)]
    middle = sum(values) / 2
    exact = np.mean([abs(each - middle) >= abs(sum(values[4:]) - middle) - 1e-12 for each in sums])
    row = diff_questions(new, old).rows[0]
    assert row.p_value == pytest.approx(exact)  # the smallest that is possible: 2 of 70
    assert row.change == "improved"


def test_questions_are_matched_by_label_and_tasks_by_name():
    old = matrix([8, 0, 8], 8, ["a", "b", "gone"])
    new = matrix([0, 0, 0], 8, ["new", "b", "a"])
    diff = diff_questions(new, old)
    assert [(row.question, row.old, row.new) for row in diff.rows] == [("a", 1.0, 0.0), ("b", 0.0, 0.0)]
    assert (diff.only_old, diff.only_new) == ((("", "gone"),), (("", "new"),))
    suites = [Suite({"s": {"m": each}, "t": {"m": each}}) for each in (new, old)]
    assert [(row.task, row.question) for row in diff_questions(*suites).worse] == [("s", "a"), ("t", "a")]
    both = OutcomeSet({"old": matrix([8, 0], 8), "new": matrix([0, 0], 8)})
    assert len(diff_questions(both, both, model=("new", "old")).worse) == 1
