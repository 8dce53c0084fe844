"""Gates that ask about every question: verdicts per question, and questions that broke."""

import itertools

import numpy as np
import pytest
from scipy import stats

from scorio import OutcomeMatrix, Suite, gate
from scorio.comparison._question_diff import call_power, discrete_family, fisher_tests
from scorio.comparison._question_limits import rates_below, repeats_to_decide
from scorio.errors import OutcomeError, ParameterError
from scorio.inference._prior import as_prior
from scorio.metrics._shared_prior import learned_prior
from scorio.planning._expected import draw_rates


def outcomes(counts, trials=10):
    return OutcomeMatrix.from_counts(counts, trials, questions=[f"q{i}" for i in range(len(counts))])


def test_the_probability_below_a_limit_is_that_of_draws_of_the_posterior(rng=np.random.default_rng(1)):
    of = outcomes([10, 10, 9, 0, 4, 10, 8, 10, 0, 3])
    prior = learned_prior(of)
    draws = np.array([draw_rates(prior, of.state_of_question, rng) for _ in range(20_000)])
    for limit in (0.3, 0.8, 0.95):
        found = rates_below(of, np.full(10, limit))[0]
        assert found == pytest.approx((draws < limit).mean(axis=0), abs=4 * 0.5 / np.sqrt(len(draws)))


def test_a_fixed_prior_is_a_beta_posterior():
    found = rates_below(outcomes([10, 3]), np.array([0.8, 0.5]), "jeffreys")[0]
    a, b = as_prior("jeffreys").pair()
    assert found == pytest.approx(stats.beta.cdf([0.8, 0.5], [a + 10, a + 3], [b, b + 7]))


def test_exact_binomial_verdicts_are_those_of_scipy():
    result = gate(None, outcomes([40, 39, 30, 12, 0], 40), per_question=0.8, question_rule="binomial").questions
    least = [stats.binomtest(c, 40, 0.8, "greater").pvalue for c in (40, 39, 30, 12, 0)]
    most = [stats.binomtest(c, 40, 0.8, "less").pvalue for c in (40, 39, 30, 12, 0)]
    assert [row.p_passed for row in result.rows] == pytest.approx(least)
    assert [row.p_failed for row in result.rows] == pytest.approx(most)
    assert [row.verdict for row in result.rows] == ["passed", "passed", "undecided", "failed", "failed"]
    assert result.verdict == "failed"
    assert {row.question for row in result.deciding} == {"q3", "q4"}


def test_ten_of_ten_shows_only_74_percent():
    [row] = gate(None, outcomes([10]), per_question=0.8, question_rule="binomial").questions.rows
    assert (round(row.lo, 2), row.hi, row.verdict) == (0.74, 1.0, "undecided")
    assert repeats_to_decide(1.0, 0.8, 0.05) == 14  # 0.8^14 = 0.044 and 0.8^13 = 0.055


def test_repeats_are_enough_and_no_fewer_by_enumeration():
    for rate, limit in ((0.5, 0.8), (0.95, 0.8), (0.1, 0.3)):
        n = repeats_to_decide(rate, limit, 0.01)

        def power(n, rate=rate, limit=limit):
            k = np.arange(n + 1)
            p = stats.binom.sf(k - 1, n, limit) if rate > limit else stats.binom.cdf(k, n, limit)
            return stats.binom.pmf(k, n, rate)[p <= 0.01].sum()

        assert power(n) >= 0.8 > power(n - 1)


def test_limits_by_question_and_by_task():
    suite = Suite({"a": {"m": outcomes([40, 0], 40)}, "b": {"m": outcomes([20], 40)}})
    result = gate(None, suite, per_question={"a": {"q0": 0.8, "q1": 0.1}, "b": 0.2}, question_rule="binomial")
    assert [(row.task, row.limit, row.verdict) for row in result.questions.rows] == [
        ("a", 0.8, "passed"),
        ("a", 0.1, "failed"),
        ("b", 0.2, "passed"),
    ]
    with pytest.raises(ParameterError, match="names no limit for 1 question of task 'a': 'q1'"):
        gate(None, suite, per_question={"a": {"q0": 0.8}, "b": 0.2})


def test_what_cannot_be_asked_is_refused():
    both = (outcomes([1, 2]), outcomes([1, 2]))
    with pytest.raises(ParameterError, match="baseline"):
        gate(None, both[0])
    with pytest.raises(ParameterError, match="baseline"):
        gate(None, both[0], per_question=0.5, no_new_failures=True)
    with pytest.raises(ParameterError, match="allow"):
        gate(None, *both, allow=2)
    with pytest.raises(OutcomeError, match="pass or fail"):
        gate(None, OutcomeMatrix.from_rewards([[0.5, 0.2], [0.1, 0.4]]), per_question=0.5)
    with pytest.raises(ParameterError, match="names no question"):
        gate(None, *both, no_new_failures=True, allow=["q7"])


def test_a_run_that_ended_early_is_undecided():
    cut = OutcomeMatrix([[1] * 40, [1] * 40, [np.nan] * 40], missing="omit", questions=["a", "b", "c"])
    result = gate(None, cut, per_question=0.5)
    assert result.verdict == "undecided" and "67% of its planned trials" in str(result)
    assert gate(None, cut, per_question=0.5, allow_missing=True).questions.rows[2].verdict == "undecided"


def test_the_family_wise_correction_by_enumeration():
    """All tables of three questions with fixed sums: a p-value is corrected to at least the chance of one so small."""
    margins = [(3, 3, 3), (3, 3, 2), (2, 3, 3)]
    laws = []
    for n, m, total in margins:
        new = np.arange(max(0, total - n), min(m, total) + 1)
        laws.append([(k, stats.hypergeom.pmf(k, n + m, m, total)) for k in new.tolist()])
    for error in (0.05, 0.1, 0.2, 0.3):
        chance = 0.0
        for cells in itertools.product(*laws):
            new = np.array([k for k, _ in cells])
            old = np.array([total for *_, total in margins]) - new
            tests = fisher_tests(old, np.array([n for n, *_ in margins]), new, np.array([m for _, m, _ in margins]))
            chance += np.prod([mass for _, mass in cells]) * bool((discrete_family(tests) <= error).any())
        assert chance <= error + 1e-12


def test_a_broken_question_fails_and_may_be_allowed():
    old, new = outcomes([8] * 9 + [4], 8), outcomes([8] * 8 + [0, 5], 8)
    about = {"max_drop": 0.5, "no_new_failures": True}
    result = gate("pass@1", new, old, **about)
    assert result.verdict == "failed" and [row.question for row in result.failures.broken] == ["q8"]
    assert "1 of 10 questions got worse ('q8')" in str(result)
    assert gate("pass@1", new, old, allow=1, **about).verdict == "passed"
    assert gate("pass@1", new, old, allow=["q8"], **about).verdict == "passed"
    assert gate("pass@1", new, old, allow=["q1"], **about).verdict == "failed"
    by_number = gate("pass@1", [*[[1] * 8] * 8, [0] * 8], [[1] * 8] * 9, **about)
    assert [row.question for row in by_number.failures.broken] == [8]


def test_few_trials_say_which_fall_would_not_be_seen():
    result = gate("pass@1", outcomes([2] * 6, 2), outcomes([2] * 6, 2), max_drop=0.9, no_new_failures=True)
    assert (result.failures.verdict, result.exit_code) == ("undecided", 3)
    assert "no fall would be seen, not even from 1 to 0" in result.failures.limit_of_sight
    result = gate("pass@1", outcomes([20] * 6, 20), outcomes([20] * 6, 20), max_drop=0.9, no_new_failures=True)
    assert result.verdict == "passed"
    assert call_power(20, 0.05, 1.0, result.failures.seen) >= 0.8  # questions that never failed cannot be called


@pytest.mark.simulation
@pytest.mark.parametrize(("rate", "rest"), [(0.8 - 1e-9, 0.99), (0.8, 0.5)])
def test_false_verdicts_at_the_limit_are_rare(rate, rest):
    rng, worlds, wrong = np.random.default_rng(2), 200, 0
    for _ in range(worlds):
        rates = np.repeat([rate, rest], 10)
        rows = gate(None, outcomes(rng.binomial(40, rates), 40), per_question=0.8).questions.rows
        false = "passed" if rate < 0.8 else "failed"
        wrong += any(row.verdict == false for row in rows[:10])
    assert wrong / worlds <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / worlds)


@pytest.mark.parametrize(("failed", "note"), [(20, None), (21, ".. and 1 more"), (22, ".. and 2 more")])
def test_a_table_of_questions_says_how_many_it_leaves_out(failed, note):
    lines = gate(None, outcomes([0] * failed, 40), per_question=0.8).questions.tables()[0].text().split("\n")
    assert sum(" failed " in f" {line} " and "q" in line for line in lines) >= 20
    assert [line for line in lines if line.startswith(".. and ")] == [note] * (note is not None)
