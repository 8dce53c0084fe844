"""Simulated outcomes to come: whose law they follow, and what counts of them."""

import numpy as np
import pytest

from scorio import OutcomeMatrix, PassAtK, PassHatK, next_trials
from scorio.inference import LEARNED, Level, as_prior
from scorio.metrics import as_metric, share_of_tail, tail_of
from scorio.planning._futures import Futures

RATES = 10.0 ** np.random.default_rng(3).uniform(-4.5, 0.0, 40)
SOLVED = np.random.default_rng(4).binomial(16, RATES)
SO_FAR = OutcomeMatrix.from_counts(SOLVED, 16)
LEVEL, K, FAR = Level(0.95), 10_000, 1_000_000


def futures(metric, outcomes=SO_FAR, count=12, level=LEVEL):
    return Futures(metric, outcomes, as_prior(LEARNED), range(count), level)


def solved_later(found, more, count):
    """How many questions that were never solved are solved after more trials, in each future."""
    return [int((found._later(more, i).counts[SOLVED == 0, 1] > 0).sum()) for i in range(count)]


def test_without_further_trials_a_forecast_is_as_wide_as_its_interval():
    interval = PassAtK(K).interval(SO_FAR)
    assert 1.959964 * futures(PassAtK(K)).variance(0) ** 0.5 == pytest.approx((interval.hi - interval.lo) / 2.0)
    assert futures(PassAtK(2)).variance(0) == pytest.approx(PassAtK(2).interval(SO_FAR).sigma ** 2)


def test_a_plan_states_the_present_half_width_of_the_interval():
    for confidence in (0.8, 0.95):
        plan = next_trials(PassAtK(K), SO_FAR, 8, confidence=confidence)
        interval = PassAtK(K).interval(SO_FAR, confidence)
        assert plan.half_width_now == pytest.approx((interval.hi - interval.lo) / 2.0)


def test_outcomes_to_come_have_the_law_of_a_forecast_of_as_many_trials():
    """Of the questions that were never solved, n more trials solve as many as Pass@n says."""
    count = 96
    found = futures(PassAtK(FAR), count=count)
    for more in (32, 128, 1000):  # under the learned prior, under both, and under the tail's own law
        expected = PassAtK(more).moments(SO_FAR, prior=LEARNED).mean[SOLVED == 0].sum()
        reached = solved_later(found, more, count)
        assert np.mean(reached) == pytest.approx(expected, abs=3.5 * np.std(reached) / np.sqrt(count))


def test_the_tail_enters_as_often_as_it_has_weight(monkeypatch):
    found, drawn = futures(PassAtK(FAR)), []
    kind = type(found.tail.prior)
    real = kind.draw_rates
    monkeypatch.setattr(kind, "draw_rates", lambda *given: drawn.append(float(given[2][0])) or real(*given))
    for more, share in ((32, share_of_tail(32, 16.0)), (128, share_of_tail(128, 16.0)), (1000, 1.0)):
        drawn.clear()
        for future in range(12):
            found._later(more, future)
        assert len(drawn) == round(12 * share)
        assert drawn == sorted(drawn) and all(0.0 < each < 1.0 for each in drawn)
    assert share_of_tail(32, 16.0) == 0.2 and share_of_tail(128, 16.0) == 0.5


def test_the_tail_does_not_enter_where_the_interval_to_come_no_longer_rests_on_it():
    found, rates = futures(PassAtK(1000)), np.full(len(SOLVED), -1.0)
    for future in range(12):
        found._draw_tail(rates, found.tail, 1000, future)
    assert (rates == -1.0).all()


def test_failures_are_the_mirror_image():
    mirrored = OutcomeMatrix.from_counts(16 - SOLVED, 16)
    ours, theirs = futures(PassAtK(FAR)), futures(PassHatK(FAR), mirrored)
    one, other = np.full(len(SOLVED), -1.0), np.full(len(SOLVED), 2.0)
    ours._draw_tail(one, ours.tail, 1000, 5)
    theirs._draw_tail(other, theirs.tail, 1000, 5)
    assert other == pytest.approx(1.0 - one)
    assert (one >= 0.0).tolist() == (SOLVED <= 5).tolist()


def test_only_what_is_far_beyond_the_trials_has_a_tail():
    assert tail_of(PassAtK(16), SO_FAR) is None
    assert tail_of(as_metric("avg"), SO_FAR) is None
    assert tail_of(as_metric("max@10000"), SO_FAR).k == K
    assert tail_of(PassHatK(K), SO_FAR).of_failures
    assert futures(PassAtK(16)).level is None
