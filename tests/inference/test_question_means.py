"""The mean over questions of real-valued rewards against linear algebra, textbook formulas and simulation."""

import numpy as np
import pytest
from scipy import stats

from scorio.inference import Level, SkewedT
from scorio.inference._question_means import QuestionEstimates, QuestionMeans


def estimates_of(rows):
    """What rows of rewards say, by numpy and scipy one row at a time."""
    value, variance, third = [], [], []
    for row in rows:
        n = len(row)
        value.append(np.mean(row) if n else np.nan)
        variance.append(np.var(row, ddof=1) / n if n > 1 else np.nan)
        third.append(stats.kstat(row, 3) / n**2 if n > 2 else np.nan)
    lengths = np.array([len(row) for row in rows], float)
    return QuestionEstimates(*(np.array(each) for each in (value, variance, third)), lengths)


def rows_of(rng, lengths, spread=1.0):
    return [rng.normal(rng.normal(0, spread), 1.0, n) for n in lengths]


def test_learned_mean_is_the_posterior_mean_of_the_normal_model():
    """Condition the joint normal law of all true values and all estimates, with a flat prior for their mean."""
    rng = np.random.default_rng(0)
    lengths = np.array([1, 2, 3, 8, 20, 0])
    means = QuestionMeans(estimates_of(rows_of(rng, lengths)))
    within, between = means.spread.within, means.spread.between
    here = lengths > 0
    truth = between * np.eye(6) + 1e4
    noisy = truth[np.ix_(here, here)] + np.diag(within / lengths[here])
    gain = truth[:, here] @ np.linalg.inv(noisy)
    mean = gain @ means.estimates.value[here]
    left = truth - gain @ truth[here]
    assert means.mu == pytest.approx(mean.mean(), rel=1e-3)
    pooled = QuestionEstimates(
        means.estimates.value, np.where(here, within / np.maximum(lengths, 1), np.nan), np.zeros(6), lengths * 1.0
    )
    posterior = QuestionMeans(pooled)
    object.__setattr__(posterior, "spread", means.spread)
    object.__setattr__(posterior, "weights", means.weights)
    assert posterior.of_these().sd == pytest.approx(np.sqrt(left.mean()), rel=1e-3)


def test_one_question_is_students_interval():
    row = np.random.default_rng(1).normal(size=12)
    posterior = QuestionMeans(estimates_of([row])).of_these()
    student = stats.ttest_1samp(row, 0.0).confidence_interval(0.9)
    assert posterior.degrees == pytest.approx(11)
    reach = Level(0.9).critical(posterior.degrees) * posterior.sd
    assert (posterior.mean - reach, posterior.mean + reach) == pytest.approx(tuple(student))


def test_equal_trials_give_the_plain_mean():
    rows = rows_of(np.random.default_rng(2), [4] * 30)
    learned, plain = (QuestionMeans(estimates_of(rows), learned) for learned in (True, False))
    assert learned.mu == pytest.approx(plain.mu, rel=1e-14) == pytest.approx(np.mean(rows))
    assert learned.of_these().sd == pytest.approx(plain.of_these().sd, rel=1e-14)
    pooled = np.sqrt(np.mean([np.var(row, ddof=1) for row in rows]) / (4 * 30))
    assert plain.of_these().sd == pytest.approx(pooled, rel=1e-12)


def test_population_is_the_clustered_standard_error():
    rows = rows_of(np.random.default_rng(3), [5] * 24)
    means = QuestionMeans(estimates_of(rows), learned=False)
    alone = means.of_population(np.arange(24))
    question = np.mean(rows, axis=1)
    assert alone.sd == pytest.approx(stats.sem(question))
    assert alone.degrees == 23
    assert alone.skewness == pytest.approx(stats.kstat(question, 3) / 24**2 / alone.sd**3)
    pairs = means.of_population(np.repeat(np.arange(12), 2))
    assert pairs.sd == pytest.approx(stats.sem(question.reshape(12, 2).mean(axis=1)))
    with pytest.raises(ValueError, match="at least two clusters"):
        means.of_population(np.zeros(24, int))


def test_one_trial_per_question_takes_the_spread_between_questions():
    rows = rows_of(np.random.default_rng(4), [1] * 40)
    posterior = QuestionMeans(estimates_of(rows)).of_these()
    assert posterior.sd == pytest.approx(stats.sem(np.ravel(rows)))
    assert posterior.degrees == 39


def test_single_trials_borrow_the_pooled_variance():
    rng = np.random.default_rng(5)
    rows = rows_of(rng, [1] * 10 + [12] * 10)
    means = QuestionMeans(estimates_of(rows), learned=False)
    pooled = np.mean([np.var(row, ddof=1) for row in rows[10:]])
    assert means.spread.within == pytest.approx(pooled)
    assert means.of_these().sd == pytest.approx(np.sqrt((10 * pooled + 10 * pooled / 12) / 400))


def test_trials_without_spread_leave_nothing_open():
    rows = [[0.25] * 4, [0.75] * 4]
    posterior = QuestionMeans(estimates_of(rows)).of_these()
    assert (posterior.mean, posterior.sd, posterior.ends(Level(0.95))) == (0.5, 0.0, (0.5, 0.5))


def test_weights_do_not_follow_the_variances_of_questions():
    """Questions that are almost always zero have a small variance: it must not draw the mean towards them."""
    rng = np.random.default_rng(6)
    rows = [np.where(rng.random(6) < share, rng.random(6), 0.0) for share in np.repeat([0.05, 0.95], 50)]
    assert QuestionMeans(estimates_of(rows)).mu == pytest.approx(np.mean(rows), rel=1e-12)


def test_each_question_is_pulled_towards_the_mean():
    rng = np.random.default_rng(7)
    rows = rows_of(rng, [2, 2, 30, 30, 0, 5, 5, 5], spread=0.5)
    means = QuestionMeans(estimates_of(rows))
    value, variance = means.of_each()
    raw = means.estimates.value
    kept = (value - means.mu)[[0, 2]] / (raw - means.mu)[[0, 2]]
    assert 0 < kept[0] < kept[1] < 1
    assert value[4] == pytest.approx(means.mu)
    assert variance[4] > variance[0] > variance[2] > 0
    plain, noise = QuestionMeans(means.estimates, learned=False).of_each()
    np.testing.assert_array_equal(plain[[0, 1, 2]], raw[[0, 1, 2]])
    assert noise[0] > noise[2]


def test_more_trials_shrink_the_variance_as_their_number():
    rows = rows_of(np.random.default_rng(8), [4] * 20)
    means = QuestionMeans(estimates_of(rows))
    now = means.of_these().sd ** 2
    assert means.variance_after(0) == pytest.approx(now)
    assert means.variance_after(12) == pytest.approx(now / 4)


def test_scale_and_shift_move_the_interval_along():
    rows = rows_of(np.random.default_rng(9), [3, 4, 5, 6, 1, 2])
    low, high = QuestionMeans(estimates_of(rows)).of_these().ends(Level(0.9))
    for scale in (1e-60, 1e60):
        moved = QuestionMeans(estimates_of([scale * (np.array(row) + 5.0) for row in rows])).of_these()
        assert moved.ends(Level(0.9)) == pytest.approx((scale * (low + 5), scale * (high + 5)), rel=1e-9)


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("draw", "lengths"),
    [
        (lambda rng, mean, n: rng.normal(mean, 1.0, n), [4] * 25),
        (lambda rng, mean, n: mean + rng.standard_t(3, n), [4] * 25),
        (lambda rng, mean, n: mean - 1.0 + rng.exponential(1.0, n), [6] * 25),
        (lambda rng, mean, n: rng.normal(mean, 1.0, n), [1, 2, 3, 4, 8] * 5),
    ],
)
def test_interval_covers(draw, lengths):
    """Of 600 banks the share that is covered is within four standard errors of 93% to 97%."""
    rng, hits, replicates = np.random.default_rng(10), 0, 600
    for _ in range(replicates):
        truth = rng.normal(0, 1, len(lengths))
        rows = [draw(rng, mean, n) for mean, n in zip(truth, lengths, strict=True)]
        low, high = QuestionMeans(estimates_of(rows)).of_these().ends(Level(0.95))
        hits += low <= truth.mean() <= high
    margin = 4 * np.sqrt(0.95 * 0.05 / replicates)
    assert 0.93 - margin < hits / replicates < 0.97 + margin


def test_student_with_a_longer_end():
    even, skewed = SkewedT(1.0, 2.0, 7.0, 0.0), SkewedT(1.0, 2.0, 7.0, -0.4)
    assert even.ends(Level(0.9)) == pytest.approx(stats.t(7, 1.0, 2.0).interval(0.9))
    reach = stats.t(7).ppf(0.95)
    low, high = skewed.ends(Level(0.9))
    assert high == even.ends(Level(0.9))[1]
    assert low == pytest.approx(1.0 - 2.0 * (reach + 0.4 * (2 * reach**2 + 1) / 6))
    assert SkewedT(0.0, 1.0, np.inf, 0.0).ends(Level(0.95)) == pytest.approx(stats.norm.interval(0.95))
