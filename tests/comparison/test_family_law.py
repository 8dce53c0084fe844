"""The joint law of all differences: against brute force, Student's law, and simulated worlds of equal models."""

import numpy as np
import pytest

from scorio import Leaderboard, Metric, OutcomeMatrix
from scorio.comparison._joint import paired_by_question

PASS_AT_1 = Metric.from_string("pass@1")


def population(seed=0, models=5, questions=30):
    rng = np.random.default_rng(seed)
    rates = rng.beta(1, 1, questions)
    return paired_by_question(PASS_AT_1, [OutcomeMatrix.from_counts(rng.binomial(6, rates), 6) for _ in range(models)])


@pytest.mark.simulation
@pytest.mark.parametrize("target", ["questions", "population"])
def test_of_six_equal_models_the_top_set_loses_any_in_at_most_5_percent_of_worlds(target):
    rng = np.random.default_rng(11)
    worlds, lost = (250 if target == "questions" else 100), 0
    for _ in range(worlds):
        rates = 1.0 / (1.0 + np.exp(rng.normal(0.0, 2.0, 40)))
        models = [OutcomeMatrix.from_counts(rng.binomial(8, rates), 8) for _ in range(6)]
        lost += not Leaderboard("pass@1", models, target=target).tied_with_top.all()
    assert lost / worlds < 0.05 + 3.5 * np.sqrt(0.05 * 0.95 / worlds)
    assert lost >= 1
