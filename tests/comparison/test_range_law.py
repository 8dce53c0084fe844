"""The law of the largest difference between equal models: against scipy's studentized range, and by simulation."""

import math

import numpy as np
import pytest
from scipy.stats import studentized_range

from scorio.comparison._family_law import critical_range, p_of_range


@pytest.mark.parametrize("df", [math.inf, 59.0, 8.0])
@pytest.mark.parametrize("models", [2, 6, 40])
def test_probabilities_are_those_of_the_studentized_range(models, df):
    statistic = np.array([1.5, 3.0, 4.0])
    of_scipy = studentized_range.sf(math.sqrt(2.0) * statistic, models, min(df, 1e7))
    np.testing.assert_allclose(p_of_range(statistic, models, df), of_scipy, rtol=0.01, atol=1e-4)


@pytest.mark.parametrize("models", [2, 7, 60])
def test_probabilities_and_critical_values_are_inverse(models):
    for error in (0.5, 0.05, 0.001):
        assert p_of_range(np.array([critical_range(error, models, 12.0)]), models, 12.0)[0] == pytest.approx(error)


def test_unequal_variances_are_covered():
    """Tukey and Kramer: the probability that any two of the equal models differ by more is at most the error."""
    rng = np.random.default_rng(0)
    sd = np.array([1.0, 3.0, 0.2, 1.0, 5.0])
    x = rng.standard_normal((100_000, 5)) * sd
    i, j = np.triu_indices(5, 1)
    largest = (np.abs(x[:, i] - x[:, j]) / np.hypot(sd[i], sd[j])).max(axis=1)
    assert 0.03 < (largest > critical_range(0.05, 5)).mean() < 0.052


def test_few_degrees_of_freedom_have_no_upper_end():
    assert critical_range(0.01, 20, 1.0) > 100.0
