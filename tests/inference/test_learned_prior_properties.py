"""What holds for the learned prior whatever the outcomes are."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scorio import AvgMetric, BayesMetric, GPassTau, MaxAtK, MGPass, OutcomeMatrix, PassAtK, PassHatK
from scorio.metrics import GeomAtK, GeomDsAtK

METRICS = [PassAtK(1), PassAtK(4), PassHatK(4), GPassTau(8, 0.5), MGPass(8), GeomAtK(3), GeomDsAtK(3), BayesMetric()]


def bank(successes, trials):
    return OutcomeMatrix.from_counts(np.array(successes), np.array(trials))


successes = st.lists(st.integers(0, 6), min_size=1, max_size=12)


@settings(max_examples=20, deadline=None)
@given(successes, st.randoms(use_true_random=False))
def test_the_order_of_questions_does_not_matter(c, random):
    shuffled = list(c)
    random.shuffle(shuffled)
    one, other = (PassAtK(3).interval(bank(each, 6), prior="learned") for each in (c, shuffled))
    assert tuple(one) == tuple(other)


@settings(max_examples=20, deadline=None)
@given(successes)
def test_success_and_failure_are_alike(c):
    R, mirrored = bank(c, 6), bank([6 - x for x in c], 6)
    one, other = PassAtK(1).posterior(R, prior="learned"), PassAtK(1).posterior(mirrored, prior="learned")
    assert one.mean == pytest.approx(1.0 - other.mean, abs=2e-3)
    assert one.sd == pytest.approx(other.sd, rel=0.02)


@pytest.mark.parametrize("metric", [*METRICS, AvgMetric(), MaxAtK(3)], ids=str)
def test_moments_add_up_to_no_more_than_the_interval_knows(metric):
    R = bank([0, 3, 6, 2, 6, 0, 1], 6)
    mean, variance = metric.moments(R, prior="learned")
    posterior = metric.posterior(R, prior="learned")
    if metric.is_mean_over_questions:
        assert mean.mean() == pytest.approx(posterior.mean, rel=1e-9)
    assert (variance >= 0.0).all()
    assert posterior.sd <= np.sqrt(variance).mean() * 1.0001 or not metric.is_mean_over_questions


def test_prior_outcomes_and_ragged_rows_count():
    ragged = OutcomeMatrix([[0, 1, 1], [1], [0, 0]], prior=[[1, 1], [0], [0, 0, 0]])
    counted = bank([4, 1, 0], [5, 2, 5])
    assert (
        tuple(PassAtK(2).interval(ragged, prior="learned"))[:2]
        == tuple(PassAtK(2).interval(counted, prior="learned"))[:2]
    )


def test_questions_without_trials_are_covered_by_the_others():
    R = OutcomeMatrix([[1, 0, 1], [np.nan] * 3, [1, 1, 1], [0, 1, 1]], missing="omit")
    mean, variance = PassAtK(1).moments(R, prior="learned")
    assert 0.4 < mean[1] < 0.9
    assert variance[1] > variance[0]


def test_rewards_follow_steps_of_binary_banks():
    rng = np.random.default_rng(1)
    p = rng.beta(0.4, 0.6, 200)
    counts = np.stack([8 - (c := rng.binomial(8, p)), np.zeros(200, int), c], axis=1)
    three = OutcomeMatrix.from_counts(counts)
    two = OutcomeMatrix.from_counts(c, 8)
    for metric, plain in ((MaxAtK(4, (0, 0.5, 1)), PassAtK(4)), (BayesMetric((0, 0.5, 1)), PassAtK(1))):
        assert metric.posterior(three, prior="learned").mean == pytest.approx(
            plain.posterior(two, prior="learned").mean, rel=1e-6
        )


def test_rewards_in_any_order_and_merged():
    rng = np.random.default_rng(1)
    counts = rng.multinomial(6, [0.5, 0.3, 0.2], size=40)
    straight = MaxAtK(3, (0, 0.5, 1)).posterior(OutcomeMatrix.from_counts(counts), prior="learned")
    turned = MaxAtK(3, (1, 0, 0.5)).posterior(OutcomeMatrix.from_counts(counts[:, [2, 0, 1]]), prior="learned")
    assert (straight.mean, straight.sd) == pytest.approx((turned.mean, turned.sd))
    merged = MaxAtK(3, (0, 0, 1)).posterior(OutcomeMatrix.from_counts(counts), prior="learned")
    binary = PassAtK(3).posterior(OutcomeMatrix.from_counts(counts[:, 2], 6), prior="learned")
    assert (merged.mean, merged.sd) == pytest.approx((binary.mean, binary.sd))
