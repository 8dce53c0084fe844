"""Any valid input gives a valid result: intervals of every metric, prior, shape and target; and hostile outcomes."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from helpers.samples import ALL, RAGGED, A
from scorio import (
    AvgMetric,
    BayesMetric,
    GeoSpectrum,
    GPassTau,
    Looks,
    MajAtK,
    MaxAtK,
    MGPass,
    OutcomeMatrix,
    PassAtK,
    PassHatK,
)
from scorio.metrics import GeomAtK, ThresholdSpectrum


@st.composite
def outcome_matrices(draw, most_trials=40):
    """Counts of up to six questions, ragged, with extremes often."""
    trials = draw(st.lists(st.integers(1, most_trials), min_size=1, max_size=6))
    if draw(st.booleans()):
        trials = [trials[0]] * len(trials)
    successes = [draw(st.one_of(st.just(0), st.just(n), st.integers(0, n))) for n in trials]
    return OutcomeMatrix.from_counts(successes, trials)


@st.composite
def outcomes_and_budgets(draw):
    R = draw(outcome_matrices())
    return R, draw(st.integers(1, R.min_trials))


priors = st.tuples(st.floats(0.01, 1000), st.floats(0.01, 1000))


SHARES = (0.01,) * 100
LONG = [
    replace(metric, k=100) for metric in ALL if metric.draw_size and len(getattr(metric, "weights", None) or ()) < 2
]
METRICS = [*ALL, *LONG, ThresholdSpectrum(100, SHARES), GeoSpectrum(100, 0.2, SHARES), MaxAtK(100, (3, 1))]
BANKS = {
    "two questions": A,
    "ragged": RAGGED,
    "none solved but one": OutcomeMatrix.from_counts([0] * 9 + [16], 16),
    "all but one solved": OutcomeMatrix.from_counts([1] * 5 + [2] * 95, 2),
    "only the grid density": OutcomeMatrix.from_counts([1] * 200 + [7] * 200, 8),
    "only the grid density, many trials": OutcomeMatrix.from_counts([20] * 300 + [180] * 300, 200),
    "one state": OutcomeMatrix.from_counts([3] * 40, 8),
    "one question": OutcomeMatrix.from_counts([3], 8),
    "one trial of one question": OutcomeMatrix.from_counts([1], 1),
    "never solved": OutcomeMatrix.from_counts([0] * 12, 8),
    "always solved": OutcomeMatrix.from_counts([8] * 12, 8),
}


def check(metric, outcomes, confidence=0.95, **options):
    """An interval contains its mean, and both are within the range of the metric."""
    low, high = metric.support(outcomes)
    mu, sigma, lo, hi = metric.interval(outcomes, confidence, **options)
    assert low <= lo <= mu + 1e-12, (metric, options)
    assert mu - 1e-12 <= hi <= high, (metric, options)
    assert low - 1e-12 <= mu <= high + 1e-12
    assert 0 <= sigma < np.inf


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", BANKS)
def test_every_interval_of_every_metric_is_around_its_mean(name):
    """Whatever components the learned prior keeps, and at looks whose tails are too small for a number."""
    outcomes = BANKS[name]
    targets = ("questions", "population")[: outcomes.n_questions]  # one question says nothing of a population
    for metric, target in product(METRICS, targets):
        fixed = (
            ("uniform", "jeffreys") if target == "questions" or metric.required_trials <= outcomes.min_trials else ()
        )
        for prior, shape in product((*fixed, "learned"), ("quantile", "normal")):
            check(metric, outcomes, prior=prior, shape=shape, target=target)
        for looks in (Looks(4 * 10**5), Looks(10**9), Looks(around=10**7)) if metric in ALL else ():
            check(metric, outcomes, looks=looks, prior="learned", target=target)
    for metric in METRICS:
        mean, variance = metric.moments(outcomes, prior="learned")
        assert np.isfinite(mean).all()
        assert (variance >= 0.0).all()


@given(outcomes_and_budgets(), priors, st.floats(0.01, 0.999))
def test_any_valid_input_gives_a_valid_result(pair, prior, confidence):
    R, k = pair
    metrics = [replace(metric, k=k) for metric in LONG]
    for metric in (
        BayesMetric(),
        AvgMetric((-1, 2)),
        MaxAtK(k, (3, 1)),
        GPassTau(k, 0.37),
        GeoSpectrum(k, 1.0),
        *metrics,
    ):
        check(metric, R, confidence, prior=prior)
        low, high = metric.support(R)
        assert low - 1e-12 <= metric.score(R) <= high + 1e-12


@settings(max_examples=30)
@given(st.integers(0, 5), st.integers(1, 5), st.sampled_from([10**3, 10**5]))
def test_budgets_far_beyond_the_trials(c, extra, k):
    for metric in (PassAtK(k), PassHatK(k), GPassTau(k, 0.5), MGPass(k), MajAtK(k), GeomAtK(k), GeoSpectrum(k)):
        check(metric, OutcomeMatrix.from_counts([c], c + extra), prior="uniform")


hostile = st.one_of(
    st.lists(st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=4), max_size=4),
    st.lists(st.lists(st.integers(-3, -1), min_size=1, max_size=4), min_size=1, max_size=4),
    st.lists(st.lists(st.text(max_size=2), min_size=1, max_size=3), min_size=1, max_size=3),
    st.lists(st.lists(st.complex_numbers(), min_size=1, max_size=3), min_size=1, max_size=3),
    st.text(),
    st.none(),
    st.floats(),
)


WORDS = {"C": 1, "P": 0.5, "I": 0, "N": 0, "no": 0, "No": 0, "nO": 0, "NO": 0}  # of texts this short


@settings(max_examples=200)
@given(hostile)
@example([["I"]])
@example([["P"]])
@example([["C", "No"]])
def test_hostile_outcomes_are_counted_rightly_or_refused(values):
    try:
        score = AvgMetric().score(values)
    except ValueError:
        return
    flat = [x for row in values for x in (row if isinstance(row, list) else [row])]
    numbers = {float(x) for x in flat if x not in WORDS}
    assert numbers <= {0.0, 1.0}
    assert score == pytest.approx(np.mean([WORDS[x] if x in WORDS else float(x) for x in flat]))
