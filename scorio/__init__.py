"""How good is a language model, and how sure are you: scores with intervals from repeated trials.

>>> from scorio import OutcomeMatrix, PassAtK
>>> R = OutcomeMatrix([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]])
>>> PassAtK(k=2).score(R)
0.95
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import (
        arms as arms,
        comparison as comparison,
        curves as curves,
        errors as errors,
        estimates as estimates,
        eval as eval,  # noqa: A004
        inference as inference,
        io as io,
        judging as judging,
        metrics as metrics,
        outcomes as outcomes,
        params as params,
        planning as planning,
        plot as plot,
        rank as rank,
        report as report,
        simulate as simulate,
        testing as testing,
    )
    from .comparison import analyze_history, compare, describe_questions, gate
    from .curves import forecast
    from .diagnosis import diagnose
    from .errors import OutcomeError, ParameterError
    from .estimates import Estimate, Family, estimate
    from .factorial import analyze_factors
    from .inference import Beta, Interval, Looks, Prior
    from .io import read
    from .judging import choose_questions, estimate_with_judge
    from .metrics import (
        AvgMetric,
        BayesMetric,
        CountMetric,
        GeoSpectrum,
        GPassTau,
        MajAtK,
        MaxAtK,
        Metric,
        MGPass,
        PassAtK,
        PassHatK,
        Rubric,
        VoteAtK,
    )
    from .outcomes import Accumulator, OutcomeMatrix, OutcomeSet, RewardMatrix, Suite
    from .planning import Design, next_trials, plan_questions, plan_separation, plan_trials
    from .rank import Leaderboard, cost_table

__all__ = [
    "Accumulator",
    "AvgMetric",
    "BayesMetric",
    "Beta",
    "CountMetric",
    "Design",
    "Estimate",
    "Family",
    "GPassTau",
    "GeoSpectrum",
    "Interval",
    "Leaderboard",
    "Looks",
    "MGPass",
    "MajAtK",
    "MaxAtK",
    "Metric",
    "OutcomeError",
    "OutcomeMatrix",
    "OutcomeSet",
    "ParameterError",
    "PassAtK",
    "PassHatK",
    "Prior",
    "RewardMatrix",
    "Rubric",
    "Suite",
    "VoteAtK",
    "analyze_factors",
    "analyze_history",
    "choose_questions",
    "compare",
    "cost_table",
    "describe_questions",
    "diagnose",
    "estimate",
    "estimate_with_judge",
    "forecast",
    "gate",
    "next_trials",
    "plan_questions",
    "plan_separation",
    "plan_trials",
    "plot",
    "read",
    "report",
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
    "estimates",
    "judging",
    "comparison",
    "factorial",
    "planning",
    "arms",
    "rank",
    "curves",
    "diagnosis",
)  # each imports only packages before it


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used; until then, ``import scorio`` loads nothing else."""
    if name in _MODULES or name in _PACKAGES:
        return import_module(f".{name}", __name__)
    if name in __all__:
        packages = (import_module(f".{package}", __name__) for package in _PACKAGES)
        globals()[name] = value = next(getattr(package, name) for package in packages if name in package.__all__)
        return value
    if name == "__version__":
        from importlib.metadata import version

        return version("scorio")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    special = {name for name in globals() if name.startswith("__")}
    return sorted({*special, *__all__, *_MODULES})
