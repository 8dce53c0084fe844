"""``estimate_with_predictions``: some questions asked, predictions for all."""

import numpy as np
import pytest

from helpers.judged_worlds import some
from scorio import OutcomeSet, PassAtK
from scorio.judging import estimate_with_predictions


def test_the_estimate_by_hand():
    rng = np.random.default_rng(1)
    R, F = (rng.random((60, 4)) < 0.5).astype(int), rng.random(60)
    place = rng.choice(60, 24, replace=False)
    found = estimate_with_predictions("pass@2", some(R, place), F)
    Y = PassAtK(2).per_question(R)
    assert found.mu == pytest.approx(F.mean() + np.mean(Y[place] - F[place]))
    assert found.labels_alone.mu == pytest.approx(Y[place].mean())
    assert "24 of 60 questions asked; the predictions alone" in str(found)
    by_name = estimate_with_predictions("pass@2", some(R, place), dict(enumerate(F)))
    assert tuple(by_name) == pytest.approx(tuple(found))


def test_other_models_are_predictions():
    rng = np.random.default_rng(2)
    R = (rng.random((3, 40, 4)) < rng.random((40, 1))).astype(int)
    others = OutcomeSet({"a": R[0], "b": R[1]})
    mean = (PassAtK(2).per_question(R[0]) + PassAtK(2).per_question(R[1])) / 2
    found = estimate_with_predictions("pass@2", some(R[2], np.arange(20)), others)
    assert tuple(found) == pytest.approx(tuple(estimate_with_predictions("pass@2", some(R[2], np.arange(20)), mean)))


@pytest.mark.simulation
@pytest.mark.parametrize("is_good", [True, False])
def test_it_is_valid_whatever_the_predictions_are(is_good):
    """Coverage with good predictions and with noise; good ones make the interval narrower."""
    rng, runs = np.random.default_rng([3, is_good]), 200
    hits, widths = 0, np.zeros(2)
    for _ in range(runs):
        p = rng.beta(0.5, 0.5, 150)
        R = (rng.random((150, 8)) < p[:, None]).astype(int)
        F = np.clip(p + 0.15 * rng.normal(size=150), 0, 1) if is_good else 0.3 * rng.random(150)
        found = estimate_with_predictions("pass@1", some(R, rng.choice(150, 50, replace=False)), F)
        hits += found.lo <= p.mean() <= found.hi
        widths += [found.hi - found.lo, found.labels_alone.hi - found.labels_alone.lo]
    assert hits / runs > 0.95 - 3.5 * np.sqrt(0.95 * 0.05 / runs)
    assert (widths[0] < 0.75 * widths[1]) == is_good
