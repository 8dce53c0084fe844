"""How often one of two equal models is called better: in 1 - confidence of all comparisons.

With ``R`` replicates a share p has the Monte Carlo error sqrt(p (1 - p) / R); the bands below are p -+ 3.3 of them,
widened by 0.01 for the learned prior, which is approximate.
"""

import numpy as np
import pytest

from scorio import Metric, OutcomeMatrix, compare

METRICS = [Metric.from_string(name) for name in ("pass@1", "pass@4", "passhat@4")]
REPLICATES = 400


def shares(draw, questions, trials, rule="interval", confidence=0.9, **options):
    """The share of replicates with a call, per metric; ``draw`` returns the rates of both models."""
    rng = np.random.default_rng(12)
    called = np.zeros(len(METRICS))
    for _ in range(REPLICATES):
        pair = [OutcomeMatrix.from_counts(rng.binomial(trials, p), trials) for p in draw(rng, questions)]
        found = [compare(metric, *pair, rule=rule, confidence=confidence, **options) for metric in METRICS]
        called += [each.winner is not None for each in found]
    return called / REPLICATES


def within(share, nominal):
    error = np.sqrt(nominal * (1 - nominal) / REPLICATES)
    return (np.abs(share - nominal) < 3.3 * error + 0.01).all()


def same_rates(rng, questions):
    p = rng.beta(0.5, 1.0, questions)
    return p, p


def same_law(rng, questions):
    return rng.beta(0.5, 1.0, (2, questions))


def same_mean_of_differences(rng, questions):
    """Models that differ on each question, in either direction alike: equal for the population only."""
    p = rng.beta(0.5, 1.0, (2, questions))
    swap = rng.random(questions) < 0.5
    return np.where(swap, p, p[::-1])


@pytest.mark.parametrize("paired", [True, False])
def test_models_equal_on_these_questions(paired):
    assert within(shares(same_rates, 60, 8, paired=paired), 0.1)


@pytest.mark.simulation
@pytest.mark.parametrize(("draw", "paired"), [(same_mean_of_differences, True), (same_law, False)])
def test_models_equal_for_the_population(draw, paired):
    assert within(shares(draw, 60, 8, target="population", paired=paired), 0.1)


def test_near_the_ceiling_skewed_posteriors_keep_the_rate_where_normal_ones_call_too_rarely():
    def easy(rng, questions):
        p = rng.beta(6.0, 0.5, questions)
        return p, p

    quantile, normal = (shares(easy, 60, 8, shape=shape) for shape in ("quantile", "normal"))
    assert (quantile < 0.16).all()
    assert (quantile[[0, 2]] > 0.05).all()
    assert normal[1] < quantile[1]


def test_the_spread_between_questions_is_no_part_of_these_questions():
    """Models that differ question by question are not equal on these questions, and are called so."""
    assert (shares(same_mean_of_differences, 60, 8) > 0.35).all()
