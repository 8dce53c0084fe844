"""Leaderboards of simulated models: what is said with a probability holds that often."""

import numpy as np
import pytest

from scorio import BayesMetric, Leaderboard, OutcomeMatrix, PassAtK
from scorio.estimates._joint import difference

PUBLISHED = {"prior": "uniform", "shape": "normal"}


@pytest.mark.parametrize(("trials", "metric"), [(1, PassAtK(1)), (4, PassAtK(4)), (4, BayesMetric())], ids=str)
def test_equal_models_beat_each_other_for_a_population_as_often_as_is_said(trials, metric):
    """At 95% either way one pair in ten is told apart, however few the trials."""
    random = np.random.default_rng(2)
    called = 0
    for _ in range(500):
        chance = random.beta(0.5, 0.5, 40)
        models = [OutcomeMatrix.from_counts(random.binomial(trials, chance), trials) for _ in range(2)]
        called += (
            not 0.05
            < Leaderboard(metric, models, target="population", **PUBLISHED).rankings[0].joint.p_above(difference(0, 1))
            < 0.95
        )
    assert 0.06 < called / 500 < 0.14


@pytest.mark.simulation
def test_chances_to_be_the_best_are_calibrated():
    """Worlds drawn from the prior: the models said to be best with chance p are best in a share p of the worlds."""
    random = np.random.default_rng(4)
    chances, hits = [], []
    for _ in range(400):
        truth = random.random((3, 6))
        outcomes = [OutcomeMatrix.from_counts(random.binomial(10, p), 10) for p in truth]
        board = Leaderboard(BayesMetric(), outcomes, **PUBLISHED)
        chances.extend(board.posterior.best)
        hits.extend(np.arange(3) == np.argmax(truth.mean(axis=1)))
    chances, hits = np.array(chances), np.array(hits)
    for low, high in ((0.0, 0.1), (0.1, 0.4), (0.4, 0.7), (0.7, 0.95), (0.95, 1.0)):
        group = (chances >= low) & (chances < high)
        error = np.sqrt(chances[group].mean() * (1 - chances[group].mean()) / group.sum())
        assert abs(hits[group].mean() - chances[group].mean()) < 4 * error
