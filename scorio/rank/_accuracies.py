"""The two accuracies of NIST AI 800-3, side by side, and where the uncertainty of each comes from.

The benchmark accuracy is the mean success rate of exactly these questions; the generalized accuracy is that of all
questions like these. The variance of the second is that of the first, and that of the questions; runs add theirs where
the outcomes say which run each trial belongs to::

    var(generalized) = trials^2 + questions^2        runs^2 = var(about runs like these) - var(about these runs)
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from .._choices import INDEPENDENT, RANDOM
from .._display.exports import Exports
from .._display.numbers import number, percent, span
from .._display.table import Field
from .._display.words import shorten
from ..errors import OutcomeError
from ..estimates import as_tasks, default_metric
from ..inference import Interval
from ..metrics import Metric, as_metric
from ..outcomes import OutcomeMatrix

_ASSUMPTIONS = (
    "trials of a question are independent and share its success rate",
    "for the generalized accuracy, the questions, or their clusters, are a random sample of questions like these",
    "how success rates are distributed is learned from the outcomes: no shape such as a normal law is assumed",
    "trials without an outcome are missing for reasons that have nothing to do with what it would have been",
)


class AccuracyRow(NamedTuple):
    """Both accuracies of a model with their intervals, and the standard deviation that each source adds."""

    model: str
    benchmark: float
    benchmark_lo: float
    benchmark_hi: float
    generalized: float
    generalized_lo: float
    generalized_hi: float
    trials_sd: float
    questions_sd: float
    runs_sd: float | None


@dataclass(frozen=True)
class Accuracies(Exports):
    """Both accuracies of every model."""

    metric: str
    confidence: float
    rows: tuple[AccuracyRow, ...]
    _columns: ClassVar = (
        Field("model", of="model"),
        Field("benchmark accuracy", True, "benchmark", number),
        Field("interval", True, "benchmark_lo benchmark_hi", span),
        Field("generalized accuracy", True, "generalized", number),
        Field("interval", True, "generalized_lo generalized_hi", span),
        Field("sd of trials", True, "trials_sd", number),
        Field("sd of questions", True, "questions_sd", number),
        Field("sd of runs", True, "runs_sd", number, unless=None),
    )

    @property
    def as_title(self) -> str:
        return f"{self.metric} of these questions, and of questions like these"

    def _notes(self) -> list[str]:
        assumed = (f"assumed: {assumption}" for assumption in _ASSUMPTIONS)
        return [f"{percent(self.confidence)} intervals; sd: what each source adds to the uncertainty", *assumed]

    def as_sentence(self) -> str:
        return (
            "the benchmark accuracy is about exactly these questions, and the generalized accuracy about all questions"
            " like these: NIST AI 800-3 asks which one is meant"
        )


def accuracies(outcomes: Any, metric: Metric | str | None = None, *, confidence: float = 0.95) -> Accuracies:
    """Return the benchmark accuracy and the generalized accuracy of every model, with the sources of uncertainty.

    The outcomes are a set of models, or what makes one. The metric is by default the share of trials that succeed, or
    the mean reward.

    >>> from scorio import OutcomeSet
    >>> both = accuracies(OutcomeSet({"a": [[1, 1, 0, 1], [0, 0, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0]]}))
    >>> print(both.tables()[0]._replace(notes=()).text())
    pass@1 of these questions, and of questions like these
    model  benchmark accuracy        interval  generalized accuracy        interval  sd of trials  sd of questions
    a                   0.500  [0.324, 0.676]                 0.500  [0.177, 0.823]         0.090            0.143
    """
    tasks = as_tasks(outcomes)
    if len(tasks) > 1:
        raise OutcomeError(f"both accuracies are of one task: choose one of {shorten(tasks)}, as in outcomes[task]")
    [models] = tasks.values()
    chosen = as_metric(metric if metric is not None else default_metric(models.values()))
    rows = tuple(_row(chosen, model, matrix, confidence) for model, matrix in models.items())
    return Accuracies(str(chosen), confidence, rows)


def _row(metric: Metric, model: str, outcomes: OutcomeMatrix, confidence: float) -> AccuracyRow:
    def interval(target: str, runs: str) -> Interval:
        return metric.interval(outcomes, confidence, target=target, runs=runs)

    benchmark, generalized = interval("questions", INDEPENDENT), interval("population", INDEPENDENT)
    has_runs = len(set(outcomes.runs or ())) > 1
    runs = _added(interval("questions", RANDOM).sigma, benchmark.sigma) if has_runs else None
    return AccuracyRow(
        model,
        *(benchmark.mu, benchmark.lo, benchmark.hi),
        *(generalized.mu, generalized.lo, generalized.hi),
        benchmark.sigma,
        _added(generalized.sigma, benchmark.sigma),
        runs,
    )


def _added(whole: float, part: float) -> float:
    """Return the standard deviation that makes the whole out of a part."""
    return math.sqrt(max(0.0, whole * whole - part * part))
