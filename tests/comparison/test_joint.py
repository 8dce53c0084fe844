"""The joint posterior of models on shared questions: by hand, against scipy's paired t, by simulation."""

import numpy as np
import pytest

from scorio import GeoSpectrum, OutcomeMatrix
from scorio.metrics import GeomDsAtK


@pytest.mark.parametrize("metric", [GeomDsAtK(2), GeoSpectrum(3), GeoSpectrum(3, lam=1.0)], ids=str)
@pytest.mark.parametrize("counts", [[9, 3, 7, 5, 0], [0, 0, 6, 0, 0], [0, 0, 0, 0, 0]], ids=str)
def test_blends_without_some_questions_are_the_scores_of_the_others(metric, counts):
    outcomes, group = OutcomeMatrix.from_counts(counts, 9), np.array([0, 1, 0, 2, 1])
    expected = [metric.score(outcomes.select(group != each)) for each in range(3)]
    assert metric._without_each(outcomes, group) == pytest.approx(expected, rel=1e-12, abs=1e-15)
