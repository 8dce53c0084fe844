"""How good is a language model, and how sure are you: scores with intervals from repeated trials.

>>> from scorio import OutcomeMatrix, PassAtK
>>> R = OutcomeMatrix([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]])
>>> PassAtK(k=2).score(R)
0.95
"""

from typing import Any

from .errors import OutcomeError, ParameterError
from .interval import Interval
from .metrics import (
    METRICS,
    AucAtK,
    AvgMetric,
    BayesMetric,
    CountMetric,
    GeomAtK,
    GeomDsAtK,
    GeoSpectrum,
    GPassTau,
    MajAtK,
    MaxAtK,
    Metric,
    MGPass,
    Moments,
    PassAtK,
    PassHatK,
    Rubric,
    ThresholdSpectrum,
)
from .outcome_set import OutcomeSet
from .outcomes import OutcomeMatrix, as_outcomes
from .params import param
from .rank import Leaderboard

__all__ = [
    "METRICS",
    "AucAtK",
    "AvgMetric",
    "BayesMetric",
    "CountMetric",
    "GPassTau",
    "GeoSpectrum",
    "GeomAtK",
    "GeomDsAtK",
    "Interval",
    "Leaderboard",
    "MGPass",
    "MajAtK",
    "MaxAtK",
    "Metric",
    "Moments",
    "OutcomeError",
    "OutcomeMatrix",
    "OutcomeSet",
    "ParameterError",
    "PassAtK",
    "PassHatK",
    "Rubric",
    "ThresholdSpectrum",
    "as_outcomes",
    "param",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("scorio")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
