"""Differences by question: exact tests against scipy and enumeration, the false-discovery rate by simulation."""

import csv
import io
import itertools
import json

import numpy as np
import pytest
from scipy.stats import beta, fisher_exact

from scorio import OutcomeError, OutcomeMatrix, OutcomeSet, Suite, question_diff
from scorio.comparison._exact_change import discrete_q_values, fisher_tests


def matrix(counts, trials, labels=None):
    return OutcomeMatrix.from_counts(counts, trials, questions=labels or [f"q{i}" for i in range(len(counts))])


def test_fishers_test_is_that_of_scipy():
    cells = np.array(list(itertools.product(range(5), range(8))))
    p = fisher_tests(cells[:, 0], np.full(len(cells), 4), cells[:, 1], np.full(len(cells), 7)).p
    expected = [fisher_exact([[a, 4 - a], [b, 7 - b]])[1] for a, b in cells]
    assert p == pytest.approx(expected, abs=1e-12)


def test_attainable_p_values_have_their_own_probability():
    """Under no change, P(p <= t) is the largest attainable p-value up to t: by all ways to divide the trials."""
    outcomes = [1, 1, 1, 0, 0, 0, 0, 0]
    divisions = [sum(outcomes[i] for i in chosen) for chosen in itertools.combinations(range(8), 4)]
    counts = np.array(divisions)
    four = np.full(len(counts), 4)
    tests = fisher_tests(3 - counts, four, counts, four)
    (attainable,) = tests.attainable
    for level in attainable:
        assert np.mean(tests.p <= level * (1 + 1e-9)) == pytest.approx(level)


def test_q_values_are_those_of_the_formula():
    """The largest level t with sum_i F_i(t) / (1 - F_i(t_last)) <= fdr * calls, written out question by question."""
    rng = np.random.default_rng(4)
    fdr = 0.2
    for _ in range(20):
        old, new, trials = rng.integers(0, 7, 12), rng.integers(0, 7, 12), np.full(12, 6)
        tests = fisher_tests(old, trials, new, trials)

        def law(i, t, tests=tests):
            values = tests.attainable[tests.margin[i]]
            return max((value for value in values if value <= t * (1 + 1e-9)), default=0.0)

        def odds(i, t):
            return np.inf if law(i, t) >= 1 else law(i, t) / (1 - law(i, t))

        levels = np.unique(tests.p)
        allowed = [t for t in levels if sum(odds(i, t) for i in range(12)) <= fdr * 12]
        rejected = 0
        for t in allowed:
            calls = (tests.p <= t * (1 + 1e-9)).sum()
            if sum(law(i, t) / (1 - law(i, allowed[-1])) for i in range(12)) <= fdr * calls:
                rejected = calls
        assert (discrete_q_values(tests, fdr) <= fdr).sum() == rejected


def test_p_better_by_draws():
    row = question_diff(matrix([2, 7], 8), matrix([5, 7], 8)).rows[0]
    rng = np.random.default_rng(0)
    draws = beta(5.5, 3.5).rvs(400_000, rng) > beta(2.5, 6.5).rvs(400_000, rng)
    assert row.p_better == pytest.approx(draws.mean(), abs=0.004)
    assert question_diff(matrix([2, 7], 8), matrix([5, 7], 8)).rows[1].p_better == 0.5


@pytest.mark.slow
def test_false_discovery_rate():
    """Worlds of 60 questions, a third of them changed: the mean share of false calls is at most .2, with its error."""
    rng = np.random.default_rng(6)
    shares = []
    for _ in range(150):
        old = rng.beta(0.5, 0.5, 60)
        new = np.where(np.arange(60) < 20, rng.beta(0.5, 0.5, 60), old)
        diff = question_diff(matrix(rng.binomial(8, old), 8), matrix(rng.binomial(8, new), 8), fdr=0.2)
        called = [int(row.question[1:]) for row in diff.improved + diff.worse]
        shares.append(np.mean(np.array(called) >= 20) if called else 0.0)
    assert np.mean(shares) <= 0.2 + 3 * np.std(shares) / np.sqrt(150)
    assert np.mean(shares) > 0.005  # it is not that nothing is called


def test_kinds():
    old = matrix([8, 0, 0, 8, 4, 1, 2], [8, 8, 8, 8, 8, 1, 8], list("abcdefg"))
    new = matrix([0, 8, 0, 8, 5, 0, 2], [8, 8, 8, 8, 8, 1, 8], list("abcdefg"))
    diff = question_diff(old, new)
    assert [row.change for row in diff.rows] == ["worse", "improved", "same", "same", "flaky", "flipped", "flaky"]
    assert [row.question for row in diff.worse + diff.improved] == ["a", "b"]
    assert str(diff).startswith(
        "of 7 questions, 1 improved and 1 are worse (false-discovery rate 0.1); 2 flaky, 1 flipped"
    )


def test_one_trial_tells_nothing_and_says_so():
    diff = question_diff(matrix([1, 0, 1], 1), matrix([0, 1, 1], 1))
    assert [row.change for row in diff.rows] == ["flipped", "flipped", "same"]
    assert not diff.can_tell
    assert "run more trials per question" in str(diff)
    assert question_diff(matrix([4, 4], 4), matrix([0, 4], 4)).can_tell


def test_rewards_against_all_permutations():
    values = [0.1, 0.2, 0.35, 0.6, 0.7, 0.8, 0.85, 0.9]
    old, new = (OutcomeMatrix.from_rewards([half, half], questions=["a", "b"]) for half in (values[:4], values[4:]))
    sums = [sum(values[i] for i in chosen) for chosen in itertools.combinations(range(8), 4)]
    middle = sum(values) / 2
    exact = np.mean([abs(each - middle) >= abs(sum(values[4:]) - middle) - 1e-12 for each in sums])
    row = question_diff(old, new).rows[0]
    assert row.p_value == pytest.approx(exact)  # the smallest that is possible: 2 of 70
    assert row.change == "improved"


def test_questions_are_matched_by_label_and_tasks_by_name():
    old = matrix([8, 0, 8], 8, ["a", "b", "gone"])
    new = matrix([0, 0, 0], 8, ["new", "b", "a"])
    diff = question_diff(old, new)
    assert [(row.question, row.old, row.new) for row in diff.rows] == [("a", 1.0, 0.0), ("b", 0.0, 0.0)]
    assert (diff.only_old, diff.only_new) == ((("", "gone"),), (("", "new"),))
    suites = [Suite({"s": {"m": each}, "t": {"m": each}}) for each in (old, new)]
    assert [(row.task, row.question) for row in question_diff(*suites).worse] == [("s", "a"), ("t", "a")]
    both = OutcomeSet({"old": matrix([8, 0], 8), "new": matrix([0, 0], 8)})
    assert len(question_diff(both, both, model=("old", "new")).worse) == 1
    with pytest.raises(OutcomeError, match="share no question"):
        question_diff(matrix([1], 2, ["x"]), matrix([1], 2, ["y"]))
    with pytest.raises(OutcomeError, match="2 and 3 questions without labels"):
        question_diff([[1], [0]], [[1], [0], [1]])


def test_exports():
    diff = question_diff(matrix([8, 4], 8), matrix([0, 5], 8))
    values = json.loads(diff.to_json())
    assert [row["change"] for row in values["rows"]] == ["worse", "flaky"]
    assert [row["change"] for row in csv.DictReader(io.StringIO(diff.to_csv()))] == ["worse", "flaky"]
    assert diff.to_html().count("<tr>") == 3  # the heading, the question that is worse, the notes
    assert len(diff.flaky_table().cells) == 1
