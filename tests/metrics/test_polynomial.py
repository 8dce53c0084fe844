"""A geometric mean as a polynomial of the success rate: its score has no bias, and intervals follow it."""

import numpy as np
import pytest
from scipy.stats import binom

from scorio import OutcomeMatrix
from scorio._kernels import finite_scores
from scorio._kernels.states import States
from scorio.metrics import GeomAtK
from scorio.metrics._blend import _near


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
