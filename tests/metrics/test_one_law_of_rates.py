"""Binary rewards have the intervals of success rates; ends where outcomes are as low, or as high, as can be."""

import itertools

import numpy as np
import pytest

from scorio import AvgMetric, BayesMetric, GPassTau, MajAtK, MaxAtK, MGPass, OutcomeMatrix, PassAtK, PassHatK, compare
from scorio.metrics import AucAtK, MinAtK

OUTCOMES = {
    "differing": OutcomeMatrix.from_counts([0, 1, 1, 3, 4, 6, 7, 8, 8, 8], 8),
    "never solved": OutcomeMatrix.from_counts([0] * 30, 8),
    "always solved": OutcomeMatrix.from_counts([8] * 30, 8),
    "solved once": OutcomeMatrix.from_counts([1] + [0] * 29, 8),
    "single trials": OutcomeMatrix([[0]] * 12 + [[1]] * 8),
    "clusters": OutcomeMatrix.from_counts([0, 1, 1, 3, 4, 6, 7, 8] * 2, 8, clusters=[*range(8)] * 2),
}
RATES = [(AvgMetric(), PassAtK(1)), (BayesMetric(), PassAtK(1)), (MaxAtK(4), PassAtK(4)), (MinAtK(4), PassHatK(4))]


@pytest.mark.filterwarnings("ignore::scorio.errors.PriorWarning")
@pytest.mark.parametrize("target", ["questions", "population"])
@pytest.mark.parametrize("outcomes", OUTCOMES.values(), ids=OUTCOMES)
@pytest.mark.parametrize(("metric", "rate"), RATES, ids=str)
def test_binary_outcomes(metric, rate, outcomes, target):
    expected = rate.interval(outcomes, prior="learned", target=target)
    found = metric.interval(outcomes, prior="learned", target=target)
    np.testing.assert_allclose(found[:4], expected[:4], rtol=1e-9, atol=1e-12)
    graded = type(metric)(**metric.get_params() | {"weights": (-1.0, 3.0)})
    scaled = graded.interval(outcomes, prior="learned", target=target)
    np.testing.assert_allclose(scaled[2:4], np.multiply(expected[2:4], 4.0) - 1.0, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("target", ["questions", "population"])
@pytest.mark.parametrize("metric", [AvgMetric((0, 0.2, 1)), MaxAtK(4, (0, 0.2, 1)), MinAtK(4, (0, 0.2, 1))], ids=str)
def test_a_reward_in_every_trial(metric, target):
    """Trials that all earned the lowest, or the highest, of three rewards say no more than as many pass/fail trials."""
    rate = PassHatK(4) if isinstance(metric, MinAtK) else PassAtK(metric.draw_size or 1)
    for category, side in ((0, 3), (2, 2)):
        graded = OutcomeMatrix(np.full((30, 8), category))
        binary = OutcomeMatrix(np.full((30, 8), category // 2))
        end = rate.interval(binary, target=target)[side]
        assert metric.interval(graded, target=target)[side] == pytest.approx(end, rel=0.02, abs=2e-4)


def test_an_average_of_no_success_is_not_certain():
    none, few = OutcomeMatrix.from_counts([0] * 30, 64), OutcomeMatrix.from_counts([1] * 3 + [0] * 27, 64)
    assert AvgMetric().interval(none).hi > 1e-3
    assert AvgMetric().interval(none, target="population").hi > 0.05
    assert not compare("avg", none, few).winner


RATE_METRICS = [PassAtK(1), PassAtK(3), PassHatK(3), GPassTau(4, 0.5), MGPass(4), MajAtK(3), AucAtK(4)]
LEARNED = {"prior": "learned", "target": "population"}


@pytest.mark.parametrize("metric", RATE_METRICS, ids=str)
def test_the_interval_reaches_the_bound_that_the_score_is_at(metric):
    low, high = metric.support()
    for counts in itertools.combinations_with_replacement(range(6), 2):
        R = OutcomeMatrix.from_counts(np.array(counts), 5)
        score, interval = metric.score(R), metric.interval(R, **LEARNED)
        assert (interval.lo == low) == (score == low), counts
        assert (interval.hi == high) == (score == high), counts


@pytest.mark.parametrize(
    ("metric", "counts", "expected"),
    [
        (PassHatK(4), [0, 1], (True, False)),  # two trials, and no question solved in both
        (PassHatK(4), [0, 0], (True, False)),
        (GPassTau(8, 0.5), [0, 0], (True, False)),
        (PassAtK(8), [1, 2], (False, True)),
    ],
    ids=str,
)
def test_fewer_trials_than_the_budget_count_by_their_share(metric, counts, expected):
    interval = metric.interval(OutcomeMatrix.from_counts(np.array(counts), 2), **LEARNED)
    low, high = metric.support()
    for end, limit, is_reached in zip(interval[2:], (low, high), expected, strict=True):
        assert not is_reached or end == pytest.approx(limit, abs=0.01)
