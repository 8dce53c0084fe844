"""The geometric mean of a dataset, for the population: it uses the same densities as its parts."""

import warnings

import numpy as np
import pytest

from scorio import OutcomeMatrix, PassAtK, PassHatK
from scorio.errors import TrialsWarning
from scorio.metrics import GeomDsAtK


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
