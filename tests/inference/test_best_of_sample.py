"""The best of k trials by order statistics against every choice of k."""

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest

from scorio.inference import Level
from scorio.inference._best_of_sample import best_of, weights
from scorio.inference._question_means import QuestionMeans


@pytest.mark.parametrize(("n", "k"), [(1, 1), (5, 1), (5, 5), (40, 7), (40, 39)])
def test_weights_are_exact(n, k):
    exact = [float(Fraction(comb(i - 1, k - 1), comb(n, k))) for i in range(1, n + 1)]
    np.testing.assert_allclose(weights(n, k), exact, rtol=1e-13, atol=0)


def test_weights_of_a_million_trials_add_up():
    assert weights(10**6, 1000).sum() == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("n", range(1, 7))
@pytest.mark.parametrize("k", range(1, 7))
def test_all_choices(n, k):
    row = np.sort(np.random.default_rng((n, k)).normal(3.0, 1.0, n))
    found = best_of(row, np.array([n]), k)
    if k > n:
        assert np.isnan(found.value[0])
        assert found.trials[0] == 0
        return

    def value(values):
        return np.mean([max(choice) for choice in combinations(values, k)])

    assert found.value[0] == pytest.approx(value(row), rel=1e-13)
    if n == 1:
        assert np.isnan(found.variance[0])
    elif k == n:
        assert found.variance[0] == pytest.approx((row[-1] - row[-2]) ** 2)
    else:
        moved = np.array([value(row) - value(np.delete(row, j)) for j in range(n)])
        assert found.variance[0] == pytest.approx((n - 1) / n * np.sum(moved**2))
        assert found.third[0] == pytest.approx(np.sum(moved**3), abs=1e-13)


def test_ragged_rows_are_what_they_are_alone():
    rng = np.random.default_rng(1)
    lengths = np.array([3, 9, 3, 1, 5])
    rows = [np.sort(rng.normal(size=n)) for n in lengths]
    together = best_of(np.concatenate(rows), lengths, 3)
    for i, row in enumerate(rows):
        alone = best_of(row, lengths[i : i + 1], 3)
        np.testing.assert_array_equal([together.value[i], together.variance[i]], [alone.value[0], alone.variance[0]])


def test_large_common_value_costs_no_digits():
    row = np.sort(np.random.default_rng(2).normal(size=50))
    near, far = (best_of(row + shift, np.array([50]), 10) for shift in (0.0, 2.0**40))
    assert far.variance[0] == pytest.approx(near.variance[0], rel=1e-3)


def test_jackknife_is_not_below_the_true_variance():
    """Uniform trials: the best of n has mean n/(n + 1) and a known variance."""
    rng = np.random.default_rng(3)
    for k in (2, 5, 9, 10):
        tables = np.sort(rng.random((20_000, 10)), axis=1)
        found = best_of(tables.ravel(), np.full(20_000, 10), k)
        assert found.value.mean() == pytest.approx(k / (k + 1), abs=5 * found.value.std() / 141)
        assert found.variance.mean() > 0.97 * found.value.var()


def test_interval_covers_the_best_of_four():
    rng, hits = np.random.default_rng(4), 0
    best_of_four = 1.0293753730039641  # the mean of the largest of four standard normals
    for _ in range(500):
        mean = rng.normal(size=20)
        table = np.sort(mean[:, None] + rng.normal(size=(20, 12)), axis=1)
        low, high = (
            QuestionMeans(best_of(table.ravel(), np.full(20, 12), 4), learned=False).of_these().ends(Level(0.95))
        )
        hits += low <= mean.mean() + best_of_four <= high
    assert 0.92 < hits / 500 < 0.99
