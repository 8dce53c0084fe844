"""The learned posterior of a geometric mean integrates it over the success rates, and not its parts."""

import warnings

import mpmath
import numpy as np
import pytest

from scorio import OutcomeMatrix, compare, estimate_with_judge, gate
from scorio._kernels.states import States
from scorio.errors import BiasWarning
from scorio.metrics import GeomAtK

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


@pytest.mark.simulation
@pytest.mark.parametrize("target", ["questions", "population"])
def test_few_trials_of_many_questions_are_covered(target):
    """The score and the value of the mean rates are both far from the truth there."""
    rng, metric, hits = np.random.default_rng(0), GeomAtK(3), 0
    grid = np.random.default_rng(1).beta(2.0, 5.0, 400_000)
    beyond = np.sqrt((1.0 - (1.0 - grid) ** 3) * grid**3).mean()
    for _ in range(200):
        p = rng.beta(2.0, 5.0, 500)
        outcomes = OutcomeMatrix.from_counts(rng.binomial(3, p), 3)
        truth = np.sqrt((1.0 - (1.0 - p) ** 3) * p**3).mean() if target == "questions" else beyond
        hits += truth in metric.interval(outcomes, target=target)
        assert metric.score(outcomes) < 0.6 * truth
    assert hits >= 0.90 * 200


def test_few_successes_of_a_weak_model_are_covered():
    """No question has two successes in most draws, and a score without bias is then below 0, which no truth is."""
    rng, metric, p = np.random.default_rng(0), GeomAtK(4), np.array([0.08] * 6 + [0.001] * 24)
    truth = np.sqrt((1.0 - (1.0 - p) ** 4) * p**4).mean()
    hits = sum(truth in metric.interval(OutcomeMatrix.from_counts(rng.binomial(8, p), 8)) for _ in range(30))
    assert hits >= 0.90 * 30


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
