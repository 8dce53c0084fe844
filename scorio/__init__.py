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
        Comparison,
        GateCheck,
        GateResult,
        History,
        HistoryPoint,
        HistorySeries,
        Methods,
        Pair,
        Pairs,
        PastRun,
        QuestionChange,
        QuestionDiff,
        QuestionRow,
        QuestionTable,
        compare,
        gate,
        history,
        question_diff,
        question_table,
    )
    from .diagnosis import Diagnosis, Finding, Reliability, Stability, Statement, TaskFacts, diagnose
    from .errors import (
        AxesWarning,
        BiasWarning,
        LabelsWarning,
        OutcomeError,
        ParameterError,
        PoolingWarning,
        PriorWarning,
        QuestionsWarning,
    )
    from .factorial import FactorAnalysis, factors
    from .inference import Beta, Dirichlet, Interval, Jeffreys, Learned, Looks, Mixture, Prior
    from .io import read
    from .judging import (
        Agreement,
        Labels,
        LabelSample,
        RectifiedInterval,
        RectifiedLeaderboard,
        SampledInterval,
        assisted,
        judge_agreement,
        judge_bias,
        krippendorff_alpha,
        label_sample,
        read_labels,
        rectified,
        rectified_leaderboard,
    )
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
        intervals,
    )
    from .outcomes import Accumulator, OutcomeMatrix, OutcomeSet, RewardMatrix, SavedCounts, Suite, as_outcomes
    from .params import param
    from .planning import Allocation, Design, Plan, next_trials, plan_questions, plan_separation, plan_trials
    from .rank import CostTable, Leaderboard, RankAgreement, cost_table, join_pairs, rank_agreement
    from .resampling import Convergence, ConvergenceTable, convergence

__all__ = [
    "METRICS",
    "Accumulator",
    "Agreement",
    "Allocation",
    "AucAtK",
    "AvgMetric",
    "AxesWarning",
    "BayesMetric",
    "Beta",
    "BiasWarning",
    "Comparison",
    "Convergence",
    "ConvergenceTable",
    "CostTable",
    "CountMetric",
    "Design",
    "Diagnosis",
    "Dirichlet",
    "FactorAnalysis",
    "Finding",
    "GPassTau",
    "GateCheck",
    "GateResult",
    "GeoSpectrum",
    "GeomAtK",
    "GeomDsAtK",
    "History",
    "HistoryPoint",
    "HistorySeries",
    "Interval",
    "Jeffreys",
    "LabelSample",
    "Labels",
    "LabelsWarning",
    "Leaderboard",
    "Learned",
    "Looks",
    "MGPass",
    "MajAtK",
    "MaxAtK",
    "Methods",
    "Metric",
    "Mixture",
    "Moments",
    "OutcomeError",
    "OutcomeMatrix",
    "OutcomeSet",
    "Pair",
    "Pairs",
    "ParameterError",
    "PassAtK",
    "PassHatK",
    "PastRun",
    "Plan",
    "PoolingWarning",
    "Prior",
    "PriorWarning",
    "QuestionChange",
    "QuestionDiff",
    "QuestionRow",
    "QuestionTable",
    "QuestionsWarning",
    "RankAgreement",
    "RectifiedInterval",
    "RectifiedLeaderboard",
    "Reliability",
    "RewardMatrix",
    "Rubric",
    "SampledInterval",
    "SavedCounts",
    "Stability",
    "Statement",
    "Suite",
    "TaskFacts",
    "ThresholdSpectrum",
    "as_outcomes",
    "assisted",
    "compare",
    "convergence",
    "cost_table",
    "diagnose",
    "factors",
    "gate",
    "history",
    "intervals",
    "join_pairs",
    "judge_agreement",
    "judge_bias",
    "krippendorff_alpha",
    "label_sample",
    "next_trials",
    "param",
    "plan_questions",
    "plan_separation",
    "plan_trials",
    "question_diff",
    "question_table",
    "rank_agreement",
    "read",
    "read_labels",
    "rectified",
    "rectified_leaderboard",
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
    "factorial",
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
    return sorted({*globals(), *__all__, *_MODULES})
