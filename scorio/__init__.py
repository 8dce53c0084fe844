"""How good is a language model, and how sure are you: scores with intervals from repeated trials.

>>> from scorio import OutcomeMatrix, PassAtK
>>> R = OutcomeMatrix([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]])
>>> PassAtK(k=2).score(R)
0.95
"""

from typing import Any

from . import simulate
from .agreement import RankAgreement, rank_agreement
from .compare import Comparison, compare
from .convergence import Convergence, ConvergenceTable, convergence
from .errors import OutcomeError, ParameterError
from .interval import Interval
from .io import read
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
from .mixture import Mixture
from .outcome_set import OutcomeSet
from .outcomes import OutcomeMatrix, as_outcomes
from .params import param
from .plan import Plan, plan_questions, plan_separation, plan_trials
from .rank import Leaderboard

__all__ = [
    "METRICS",
    "AucAtK",
    "AvgMetric",
    "BayesMetric",
    "Comparison",
    "Convergence",
    "ConvergenceTable",
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
    "Mixture",
    "Moments",
    "OutcomeError",
    "OutcomeMatrix",
    "OutcomeSet",
    "ParameterError",
    "PassAtK",
    "PassHatK",
    "Plan",
    "RankAgreement",
    "Rubric",
    "ThresholdSpectrum",
    "as_outcomes",
    "compare",
    "convergence",
    "param",
    "plan_questions",
    "plan_separation",
    "plan_trials",
    "rank_agreement",
    "read",
    "simulate",
]

_LATER = {"eval", "plot", "report", "testing"}  # rooms that are loaded when they are asked for


def __getattr__(name: str) -> Any:
    if name in _LATER:
        from importlib import import_module

        return import_module(f".{name}", __name__)
    if name == "__version__":
        from importlib.metadata import version

        return version("scorio")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
