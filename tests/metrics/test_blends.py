"""Geometric means: they are integrated over the success rates, and their score has no bias as a polynomial of these."""

import warnings

import mpmath
import numpy as np
import pytest
from scipy.stats import binom

from scorio import OutcomeMatrix, PassAtK, PassHatK, compare, estimate_with_judge, gate
from scorio._kernels import finite_scores
from scorio._kernels.states import States
from scorio.errors import BiasWarning, TrialsWarning
from scorio.metrics import GeomAtK, GeomDsAtK
from scorio.metrics._blend import _near

CASES = [
    (0.5, 0.5, 0, 4),
    (0.03, 0.02, 1, 3),
    (2.0, 5.0, 2, 4),
    (0.1, 30.0, 0, 8),
    (0.001, 0.1, 0, 1),
    (2.0, 5.0, 0, 0),
]


@pytest.mark.parametrize(("k", "u", "v"), [(1, 0.5, 0.5), (2, 0.5, 0.5), (8, 0.3, 1.2), (64, 0.5, 0.5), (3, 0.0, 0.5)])
def test_under_a_beta_it_is_the_integral(k, u, v):
    posterior = GeomAtK(k, u, v)._worth.moments
    for a, b, c, n in CASES:
        mean, sd = (each.item() for each in posterior(States(*np.array([[c], [n], [1]])), [(a, b)]))
        exact = moments(a + c, b + n - c, lambda p: (1 - (1 - p) ** k) ** u * p ** (k * v))
        assert (mean, sd) == pytest.approx(exact, rel=1e-7, abs=1e-12)


def moments(a, b, value):
    """Mean and standard deviation under ``Beta(a, b)``, by quadrature over the logit."""
    edges = [-mpmath.inf, -10_000, -1000, -100, -40, -10, -4, 0, 4, 10, 40, 100, 1000, mpmath.inf]

    def mean_of(function):
        def density(t):
            return function(1 / (1 + mpmath.exp(-t))) * mpmath.exp(a * t) / (1 + mpmath.exp(t)) ** (a + b)

        return mpmath.quad(density, edges) / mpmath.beta(a, b)

    mean = mean_of(value)
    return float(mean), float(mpmath.sqrt(mean_of(lambda p: (value(p) - mean) ** 2)))


@pytest.mark.parametrize("target", ["questions", "population"])
def test_powers_of_means_of_very_few_questions_say_so(target):
    """One model has no question with eight successes of eight, so its score is 0, and its loss cannot be known."""
    rates = np.linspace(0.1, 0.9, 30)
    old = OutcomeMatrix.from_counts([8] * 15 + [4] * 15, 8)
    new = OutcomeMatrix.from_counts(np.minimum(np.round(8 * rates), 7).astype(int), 8)
    with pytest.warns(BiasWarning, match=r"geomds@8 .* rests on 0 questions of a model"):
        compare("geomds@8", new, old, target=target)
    with pytest.warns(BiasWarning, match="rests on 0 questions"):
        gate("geomds@8", new, old, max_drop=0.5, mode="noninferior", target=target)


def test_statements_from_biased_scores_say_so():
    rng = np.random.default_rng(2)
    one, two = (OutcomeMatrix(rng.binomial(1, 0.5, (60, 6))) for _ in range(2))
    people = OutcomeMatrix(rng.binomial(1, 0.5, (30, 6)), questions=list(range(30)))
    with pytest.warns(BiasWarning, match=r"geom@2 .* Pass@k and Pass\^k have none"):
        compare("geom@2", one, two, target="population")
    with pytest.warns(BiasWarning, match="geom@2"):
        estimate_with_judge("geom@2", one, people)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare("geom@2", one, two)
        compare("geomds@2", one, two, target="population")
        GeomAtK(2).interval(one, target="population")


@pytest.mark.parametrize(("k", "u", "v", "degree", "error"), [
    (16, 0.5, 0.5, 16, 1e-9), (4, 0.5, 0.5, 12, 1e-5), (3, 0.5, 0.5, 9, 1e-7), (5, 0.3, 0.6, 10, 1e-4),
    (2, 0.5, 0.5, 6, 2e-3), (64, 0.5, 0.5, 64, 1e-9),
])  # fmt: skip
@pytest.mark.parametrize("n", [64, 90])
def test_the_expected_score_of_all_outcomes_is_the_value(k, u, v, degree, error, n):
    near = _near(GeomAtK(k, u, v), degree)
    c = np.arange(n + 1)
    scores = np.empty(n + 1)
    finite_scores.credit(States(np.array(c), np.full(n + 1, n), np.ones(n + 1, int)), degree, near.values, scores)
    for p in (0.0, 1e-3, 0.05, 0.2, 0.5, 0.77, 0.95, 0.999, 1.0):
        value = (1.0 - (1.0 - p) ** k) ** u * p ** (k * v)
        assert binom.pmf(c, n, p) @ scores == pytest.approx(value, abs=near.error + 1e-12)
    assert near.error < error


@pytest.mark.parametrize("target", ["questions", "population"])
@pytest.mark.parametrize(("rates", "k", "n"), [((0.1, 0.998), 16, 32), ((0.5, 0.5), 16, 32), ((0.3, 0.7), 4, 8)])
def test_difficulties_of_few_values_are_not_missed(rates, k, n, target):
    """Counts as they are expected: a smooth law of difficulties put geom@16 at .266 where .302 is true."""
    p = np.repeat(rates, 500)
    quantiles = (np.tile(np.arange(500), 2) + 0.5) / 500
    outcomes = OutcomeMatrix.from_counts(binom.ppf(quantiles, n, p).astype(int), n)
    truth = np.mean(np.sqrt((1.0 - (1.0 - np.array(rates)) ** k) * np.array(rates) ** k))
    found = GeomAtK(k).interval(outcomes, target=target)
    assert abs(found.mu - truth) < 0.5 * found.sigma


def test_a_value_below_the_precision_of_credits_is_not_moved_out_of_its_range():
    """The mean was -6e-10, and two such models were called different."""
    rng = np.random.default_rng(1)
    rates = np.where(rng.random(50) < 0.68, 0.407, 0.002)
    found = GeomAtK(64).interval(OutcomeMatrix.from_counts(rng.binomial(64, rates), 64))
    assert 0.0 <= found.lo <= found.mu <= found.hi < 1e-6


def test_its_mean_and_width_are_those_of_its_parts():
    rng = np.random.default_rng(0)
    rates = np.where(rng.random(3000) < 0.58, 0.1, 0.45)
    outcomes = OutcomeMatrix.from_counts(rng.binomial(5, rates), 5)
    options = {"prior": "learned", "target": "population"}
    some, every, both = (metric(4).interval(outcomes, **options) for metric in (PassAtK, PassHatK, GeomDsAtK))
    assert both.mu == pytest.approx(np.sqrt(some.mu * every.mu), rel=0.01)
    chosen = rng.integers(3000, size=(300, 3000))
    resampled = [GeomDsAtK(4).score(outcomes.select(each)) for each in chosen]
    assert both.sigma == pytest.approx(np.std(resampled), rel=0.15)


def test_trials_that_depend_on_difficulty_are_warned_of_for_the_population():
    rng = np.random.default_rng(1)
    rates = rng.beta(0.5, 0.5, 400)
    related, unrelated = np.where(rates < 0.5, 6, 3), rng.permutation(np.repeat([3, 6], 200))
    for trials, is_warned in ((related, True), (unrelated, False)):
        outcomes = OutcomeMatrix.from_counts(rng.binomial(trials, rates), trials)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            PassAtK(1).interval(outcomes, prior="learned", target="population")
        assert any(issubclass(each.category, TrialsWarning) for each in said) == is_warned
