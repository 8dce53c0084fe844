"""Horizons of curves that are not logistic: a warning."""

import warnings

import numpy as np
import pytest
from scipy.special import expit

from scorio import OutcomeMatrix, OutcomeSet
from scorio.curves import horizon
from scorio.errors import BiasWarning

LINKS = {
    "logistic": expit,
    "steps": lambda e: expit(np.where(e > 0.0, 2.0 * e, 0.6 * e)),
    "plateau": lambda e: 0.8 * expit(e),
}


def world(link, tasks, runs, rng):
    x = rng.uniform(-4.0, 4.0, tasks)
    p = LINKS[link](-0.7 * x + rng.normal(0.0, 0.8, tasks))
    return 2.0 ** (x + 5.0), OutcomeMatrix.from_counts(rng.binomial(runs, p), runs)


def warned(link, tasks, runs, rng, **about):
    values, outcomes = world(link, tasks, runs, rng)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", BiasWarning)
        horizon("pass@1", {"m": outcomes}, values, at=0.5, **about)
    return bool(found)


@pytest.mark.parametrize("about", [{}, {"target": "population"}, {"fit": "metr"}], ids=str)
def test_a_curve_that_bends_is_warned_of_once(about):
    """In truth, success crosses 50% at 44.2: the horizon's interval lies beside it."""
    values, bent = world("steps", 2000, 2, np.random.default_rng(0))
    _, straight = world("logistic", 2000, 2, np.random.default_rng(0))
    models = OutcomeSet({"straight": straight, "bent": bent})
    with pytest.warns(BiasWarning, match="log-odds of success of bent do not fall") as found:
        horizons = horizon("pass@1", models, values, **about)
    assert len(found) == 1
    assert horizons.of("bent").lo > 45.0


@pytest.mark.parametrize("solved", [0, 1])
def test_a_model_without_a_slope_does_not_bend(solved):
    horizon("pass@1", {"m": np.full((40, 4), solved)}, range(1, 41))


@pytest.mark.slow
def test_false_alarms_and_power():
    """One in 20 logistic curves is called; of 200 worlds, the standard error is .015."""
    rng = np.random.default_rng(1)
    rates = {
        (link, tasks, runs): np.mean([warned(link, tasks, runs, rng, target="population") for _ in range(200)])
        for link, tasks, runs in [("logistic", 24, 4), ("logistic", 200, 1), ("steps", 120, 6), ("plateau", 400, 2)]
    }
    assert max(rate for (link, *_), rate in rates.items() if link == "logistic") < 0.096
    assert rates["steps", 120, 6] > 0.5
    assert rates["plateau", 400, 2] > 0.2
