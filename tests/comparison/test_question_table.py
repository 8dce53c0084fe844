"""Tables of questions: numbers recomputed question by question, flags on planted questions, speed by size."""

import numpy as np
import pytest
from scipy.stats import beta, pearsonr

from scorio import OutcomeError, OutcomeMatrix, OutcomeSet, RewardMatrix, Suite, describe_questions


def world(models=12, questions=30, trials=6, seed=1, planted=0):
    rng = np.random.default_rng(seed)
    ability, difficulty = np.sort(rng.normal(0, 1.2, models)), rng.normal(0, 1.5, questions)
    rates = 1 / (1 + np.exp(-(ability[:, None] - difficulty)))
    if planted:
        rates[:, 0], rates[:, 1] = 0.0, 1.0
        rates[:, 2] = np.linspace(0.98, 0.02, models)
        rates[:, 3] = 0.5
    return rng.binomial(trials, rates), trials


def outcome_set(counts, trials):
    labels = [f"q{i}" for i in range(counts.shape[1])]
    return OutcomeSet({f"m{i}": OutcomeMatrix.from_counts(c, trials, questions=labels) for i, c in enumerate(counts)})


def test_rates_and_their_intervals():
    counts, trials = world()
    for q, row in enumerate(describe_questions(outcome_set(counts, trials), confidence=0.9).rows):
        assert row.question == f"q{q}"
        assert row.rates == pytest.approx(counts[:, q] / trials)
        for s, (lo, hi) in zip(counts[:, q], row.intervals, strict=True):
            law = beta(s + 0.5, trials - s + 0.5)
            assert lo == pytest.approx(law.ppf(0.05) if s else 0.0, abs=1e-9)
            assert hi == pytest.approx(law.ppf(0.95) if s < trials else 1.0, abs=1e-9)
        assert row.difficulty == pytest.approx(1 - counts[:, q].mean() / trials)
        below, above = np.abs(np.array(row.intervals) - np.array(row.rates)[:, None]).T
        assert row.mean - row.lo == pytest.approx(np.sqrt(below @ below) / len(below))
        assert row.hi - row.mean == pytest.approx(np.sqrt(above @ above) / len(above))


def test_discrimination_is_the_correlation_with_the_rest():
    counts, trials = world()
    rates = counts / trials
    for q, row in enumerate(describe_questions(outcome_set(counts, trials)).rows):
        rest = np.delete(rates, q, axis=1).mean(axis=1)
        if np.ptp(rates[:, q]) == 0:
            assert np.isnan(row.discrimination)
            continue
        same = pearsonr(rates[:, q], rest)
        assert row.discrimination == pytest.approx(same.statistic)
        interval = same.confidence_interval(0.95)
        assert (row.discrimination_lo, row.discrimination_hi) == pytest.approx((interval.low, interval.high))


def test_disagreement_is_that_of_two_trials_without_replacement():
    rows = describe_questions(OutcomeSet({"a": [[0, 1, 1, 1], [1, 1, 1, 1]], "b": [[0, 0, 1, 1], [1, 1, 1, 0]]})).rows
    assert rows[0].disagreement == pytest.approx((3 / 6 + 4 / 6) / 2)  # unequal pairs of 6, by counting
    assert rows[1].disagreement == pytest.approx((0 + 3 / 6) / 2)


def test_planted_questions_are_flagged_and_others_are_not():
    counts, trials = world(models=40, questions=100, trials=8, planted=True)
    table = describe_questions(outcome_set(counts, trials))
    names = [tuple(flag.name for flag in row.flags) for row in table.rows]
    assert names[:2] == [("never solved",), ("always solved",)]
    assert names[2][0] == "solved less by better models"
    assert names[3] == ("flaky",)
    assert not any("solved less by better models" in n for n in names[4:])
    assert table.rows[0].flags[0].reason == "no success in 320 trials of 40 models"
    assert "5 flagged" not in str(table)
    assert {row.question for row in table.flagged("flaky").rows} >= {"q3"}


def test_few_models_cannot_invert_a_question():
    """With four models the smallest p-value of a permutation test is 1/24, too large for 30 questions."""
    counts = np.vstack([np.full(30, i * 2) for i in range(4)])
    counts[:, 0] = [6, 4, 2, 0]
    table = describe_questions(outcome_set(counts, 6))
    assert table.rows[0].discrimination == pytest.approx(-1.0)
    assert table.rows[0].flags == ()


def test_models_may_have_different_trials_and_gaps():
    a = OutcomeMatrix([[0, 1], [1, 1], [None, None]], missing="omit")
    b = OutcomeMatrix([[0, 0], [1, 0], [1, 1]])
    rows = describe_questions(OutcomeSet({"a": a, "b": b})).rows
    assert np.isnan(rows[2].rates[0])
    assert rows[2].mean == 1.0
    assert rows[2].trials == (0, 2)


def test_rewards():
    levels = OutcomeSet({"a": OutcomeMatrix.from_rewards([[0.5, 1.0], [0.0, 0.5]])})
    rows = describe_questions(levels).rows
    assert [row.difficulty for row in rows] == [0.25, 0.75]
    assert all(lo < row.mean < hi for row in rows for lo, hi in row.intervals)
    values = RewardMatrix([[0.2, 0.4, 0.9], [0.5, 0.1, 0.3]], support=(0, 1))
    row = describe_questions(OutcomeSet({"a": values})).rows[0]
    width = 4.302652729911275 * np.std([0.2, 0.4, 0.9], ddof=1) / np.sqrt(3)  # t table, 2 degrees of freedom
    assert row.intervals[0] == pytest.approx((0.5 - width, 0.5 + width))
    assert row.difficulty == pytest.approx(0.5)


def test_a_suite_has_the_questions_of_every_task():
    counts, trials = world()
    one, other = outcome_set(counts[:, :20], trials), outcome_set(counts[:, 20:], trials)
    table = describe_questions(Suite({"a": one, "b": other}))
    assert [row.task for row in table.rows] == ["a"] * 20 + ["b"] * 10
    assert table.rows[25].discrimination == describe_questions(other).rows[5].discrimination
    lacking = Suite({"a": one, "b": {name: other[name] for name in other.models[1:]}})
    with pytest.raises(OutcomeError, match="'m0' has no outcomes of 1 task"):
        describe_questions(lacking)
    with pytest.raises(OutcomeError, match="at least two questions"):
        describe_questions({"a": [[0, 1]]})


def test_very_many_models_do_not_overflow():
    """The number of orders of their rates is far above the largest double."""
    with np.errstate(all="raise", under="ignore"):
        table = describe_questions(outcome_set(*world(models=400, questions=6, trials=200)))
    assert len(table.rows) == 6
