"""How good is a language model, and how sure are you: scores with intervals from repeated trials.

>>> from scorio import OutcomeMatrix, PassAtK
>>> R = OutcomeMatrix([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]])
>>> PassAtK(k=2).score(R)
0.95
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import simulate
    from .comparison import (
        analyze_history,
        compare,
        compare_rules,
        describe_questions,
        diff_questions,
        gate,
    )
    from .curves import curve_over, gap, horizon
    from .diagnosis import diagnose
    from .errors import OutcomeError, ParameterError, PoolingWarning, PriorWarning, QuestionsWarning, RunsWarning
    from .factorial import analyze_factors
    from .forecasting import forecast
    from .inference import Beta, Dirichlet, Interval, Jeffreys, Learned, Looks, Prior
    from .io import read
    from .judging import (
        choose_questions,
        estimate_with_judge,
        estimate_with_predictions,
        rank_with_judge,
        read_labels,
        sample_to_label,
    )
    from .metrics import (
        METRICS,
        AucAtK,
        AvgMetric,
        BayesMetric,
        BestOfK,
        CountMetric,
        GeomAtK,
        GeomDsAtK,
        GeoSpectrum,
        GPassTau,
        MajAtK,
        MaxAtK,
        Metric,
        MGPass,
        MinAtK,
        PassAtK,
        PassHatK,
        Rubric,
        ThresholdSpectrum,
        VoteAtK,
        WeightedVoteAtK,
        compute_intervals,
    )
    from .outcomes import (
        Accumulator,
        OutcomeMatrix,
        OutcomeSet,
        RewardMatrix,
        SavedCounts,
        Suite,
        as_outcomes,
        normalize_answer,
    )
    from .params import param
    from .planning import Design, analyze_runs, next_trials, plan_questions, plan_separation, plan_trials
    from .rank import Leaderboard, cost_table, join_pairs, score_best
    from .resampling import analyze_convergence

__all__ = [
    "METRICS",
    "Accumulator",
    "AucAtK",
    "AvgMetric",
    "BayesMetric",
    "BestOfK",
    "Beta",
    "CountMetric",
    "Design",
    "Dirichlet",
    "GPassTau",
    "GeoSpectrum",
    "GeomAtK",
    "GeomDsAtK",
    "Interval",
    "Jeffreys",
    "Leaderboard",
    "Learned",
    "Looks",
    "MGPass",
    "MajAtK",
    "MaxAtK",
    "Metric",
    "MinAtK",
    "OutcomeError",
    "OutcomeMatrix",
    "OutcomeSet",
    "ParameterError",
    "PassAtK",
    "PassHatK",
    "PoolingWarning",
    "Prior",
    "PriorWarning",
    "QuestionsWarning",
    "RewardMatrix",
    "Rubric",
    "RunsWarning",
    "SavedCounts",
    "Suite",
    "ThresholdSpectrum",
    "VoteAtK",
    "WeightedVoteAtK",
    "analyze_convergence",
    "analyze_factors",
    "analyze_history",
    "analyze_runs",
    "as_outcomes",
    "choose_questions",
    "compare",
    "compare_rules",
    "compute_intervals",
    "cost_table",
    "curve_over",
    "describe_questions",
    "diagnose",
    "diff_questions",
    "estimate_with_judge",
    "estimate_with_predictions",
    "forecast",
    "gap",
    "gate",
    "horizon",
    "join_pairs",
    "next_trials",
    "normalize_answer",
    "param",
    "plan_questions",
    "plan_separation",
    "plan_trials",
    "rank_with_judge",
    "read",
    "read_labels",
    "sample_to_label",
    "score_best",
    "simulate",
]

_MODULES = {"eval", "plot", "report", "simulate", "testing"}
_PACKAGES = (
    "errors",
    "params",
    "outcomes",
    "inference",
    "metrics",
    "io",
    "judging",
    "comparison",
    "curves",
    "factorial",
    "forecasting",
    "planning",
    "rank",
    "resampling",
    "diagnosis",
)  # each imports only packages before it


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used; until then, ``import scorio`` loads nothing else."""
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    if name in __all__:
        packages = (import_module(f".{package}", __name__) for package in _PACKAGES)
        globals()[name] = value = next(getattr(each, name) for each in packages if name in each.__all__)
        return value
    if name == "__version__":
        from importlib.metadata import version

        return version("scorio")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    special = {name for name in globals() if name.startswith("__")}
    return sorted({*special, *__all__, *_MODULES})
