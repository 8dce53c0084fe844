"""Outcomes and metrics that several test files use."""

from collections import Counter

import numpy as np
import pytest

from scorio import (
    AvgMetric,
    BayesMetric,
    GeoSpectrum,
    GPassTau,
    MajAtK,
    MaxAtK,
    MGPass,
    OutcomeMatrix,
    PassAtK,
    PassHatK,
)
from scorio.metrics import AgreementAtK, AucAtK, GeomAtK, GeomDsAtK, MinAtK, ThresholdSpectrum

A = OutcomeMatrix([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]])
B = OutcomeMatrix([[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]])
RAGGED = OutcomeMatrix([[0, 1, 1, 0, 1], [1, 1], [0, 0, 1]], questions=["x", "y", "z"])
ALL = [
    BayesMetric(),
    BayesMetric(weights=(0.0, 0.5)),
    AvgMetric(),
    PassAtK(k=2),
    PassHatK(k=2),
    GPassTau(k=2, tau=0.5),
    MGPass(k=2),
    MajAtK(k=2),
    AgreementAtK(k=2),
    AucAtK(k=2),
    MaxAtK(k=2),
    MaxAtK(k=2, weights=(1.0, 0.0)),
    MinAtK(k=2),
    MinAtK(k=2, weights=(1.0, 0.0)),
    ThresholdSpectrum(k=2, weights=(0.25, 0.5)),
    GeomAtK(k=2),
    GeomDsAtK(k=2, pass_power=0.25),
    GeoSpectrum(k=2),
    GeoSpectrum(k=2, lam=0.25, weights=(0.25, 0.5)),
]
each_metric = pytest.mark.parametrize("metric", ALL, ids=str)


def answer_counts(matrix):
    """The trials of each question with each answer; those without one are left out."""
    answers = matrix.trial_columns.all_answers
    rows = np.split(answers.of_trial, np.cumsum(matrix.trials)[:-1])
    return [dict(Counter(answers.labels[code] for code in row if code >= 0)) for row in rows]
