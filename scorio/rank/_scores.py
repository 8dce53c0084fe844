"""Scores of models by several metrics with their intervals, without ranks, and the two accuracies of NIST AI 800-3.

The benchmark accuracy is the score, about exactly these questions; the generalized accuracy is that of all
questions like these. The variance of the second is that of the first, and that of the questions; runs add theirs where
the outcomes say which run each trial belongs to::

    var(generalized) = trials^2 + questions^2        runs^2 = var(about runs like these) - var(about these runs)
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from .._base.arrays import TIE
from .._base.choices import INDEPENDENT, OVERALL, RANDOM
from .._base.exports import Exports
from .._base.numbers import DIGITS, FORECAST, FORECAST_NOTE, number, percent, score_text, span
from .._base.table import Field, Table, plain
from .._base.words import pluralize, shorten, subject as subject_of
from ..errors import OutcomeError
from ..estimates._tasks import ONLY, Weights, as_tasks, default_metric, extent_of, shares_of
from ..inference import Interval, Methods
from ..metrics import Metric
from ..metrics._registry import as_metric
from ..metrics._shapes import few_questions_note
from ..outcomes import OutcomeMatrix, OutcomeSet, Suite
from ..planning import plan_questions, plan_trials
from ._leaderboard import Leaderboard, sentences_of_scores
from ._metric_ranking import listed


class Score(NamedTuple):
    """The score of one model by one metric on a task, with its interval; ``task`` is empty where there is one task."""

    task: str
    model: str
    metric: Any
    score: float
    interval: Interval

    def record(self) -> dict[str, Any]:
        """Return all values as one flat record."""
        numbers = dict(zip(("mu", "sigma", "lo", "hi"), self.interval, strict=True))
        about = {"completeness": self.interval.completeness, "forecast": math.isnan(self.score)}
        task = {"task": self.task} if self.task else {}
        return task | {"model": self.model, "metric": str(self.metric), "score": self.score, **numbers, **about}


@dataclass(frozen=True)
class Scores(Exports):
    """The scores of models by one or several metrics: ``rows`` has them in the order in which they are asked for.

    ``outcomes`` are those that were scored, ``weights`` those of the tasks of a suite, and ``extent`` says how large
    it is.
    """

    rows: tuple[Score, ...]
    outcomes: OutcomeSet | Suite
    weights: Mapping[str, float] | None = None
    extent: str = ""
    _rows_alone: ClassVar = True
    _columns: ClassVar = (
        Field("task", of="task", unless=""),
        Field("model", of="model"),
        Field("metric", of="metric"),
        Field("score", True, "score", number, missing=FORECAST),
        Field("mu", True, "interval.mu", number),
        Field("sigma", True, "interval.sigma", number),
        Field("interval", of="interval.lo interval.hi", form=span),
        Field("completeness", True, "interval.completeness", "{:.1%}".format, unless=1.0),
    )

    @property
    def groups(self) -> list[tuple[Score, ...]]:
        """The rows of each table: one table for one task, and one per metric for a suite."""
        if self.weights is None:
            return [self.rows]
        size = len(self.outcomes.models) * (len(self.outcomes) + 1)
        return [self.rows[i : i + size] for i in range(0, len(self.rows), size)]

    def verdicts(self) -> list[str]:
        """Say which model scores highest by each metric; of a single model, what trials would halve its interval."""
        if len(self.outcomes.models) > 1:
            overall = [row for row in self.rows if row.task in ("", OVERALL)]
            by_metric = {str(row.metric): [other for other in overall if other.metric == row.metric] for row in overall}
            return list(map(_highest, by_metric.values()))
        if self.weights is not None:
            firsts = [rows[0] for rows in self.groups]
            return [verdict(row.model, row.metric, self.outcomes, row.interval, self.weights) for row in firsts]
        return [verdict(row.model, row.metric, self.outcomes[row.model], row.interval) for row in self.rows]

    def to_methods(self) -> Methods:
        """Return a paragraph for the method section of a paper, with its references."""
        intervals = [row.interval for row in self.rows]
        of_tasks = [row for row in self.rows if row.task != OVERALL]
        extent = f"{pluralize(len(self.outcomes.models), 'model')} on {self.extent}" if self.extent else ""
        extent, about = extent or extent_of(self.outcomes), intervals[0]
        return Methods.of(sentences_of_scores(extent, of_tasks, intervals, self.weights, about, about.prior))

    def tables(self, digits: int = DIGITS, *, verdicts: bool = True) -> list[Table]:
        """Return the scores as tables, with the verdicts unless they are not asked for."""
        said = self.verdicts() if verdicts else []
        if self.weights is None:
            notes = [*_notes(self.rows), *_few(self.rows, self.outcomes), *said]
            return [Table.of(extent_of(self.outcomes), self._columns, self.rows, notes, digits)]
        title = f"{pluralize(len(self.outcomes.models), 'model')} on {self.extent}"
        return [
            Table.of(title, self._columns[:-1], rows, [*_notes(rows), *said[i : i + 1]], digits)
            for i, rows in enumerate(self.groups)
        ]


def score_models(
    metrics: Any, outcomes: OutcomeSet | Suite, *, too_few: str = "raise", task_weights: Weights = None, **interval: Any
) -> Scores:
    """Score every model by one or several metrics, with intervals.

    Of a suite, scores are those over all tasks, by ``task_weights``, and of each task; ``metrics`` may then be a
    mapping from tasks. All other options are those of ``Metric.interval``, such as ``confidence``. ``too_few`` is
    that of ``Leaderboard``.

    >>> from scorio import OutcomeSet
    >>> found = score_models("pass@1", OutcomeSet({"a": [[1, 0], [1, 1]], "b": [[0, 0], [1, 0]]}))
    >>> [(row.model, row.score) for row in found.rows]
    [('a', 0.75), ('b', 0.25)]
    """
    if ONLY not in outcomes.by_task:
        board = Leaderboard(metrics, outcomes, too_few=too_few, task_weights=task_weights, **interval)
        rows = [
            Score(task, model, part.metric, score, of_model)
            for ranking in board.rankings
            for task, part in {OVERALL: ranking, **ranking.tasks}.items()
            for model, score, of_model in zip(part.models, part.scores.tolist(), part.intervals, strict=True)
        ]
        first = board.rankings[0]
        return Scores(tuple(rows), outcomes, first.weights, first.extent)
    shares_of(task_weights, {ONLY: outcomes.n_questions})  # refuses weights of one task
    several = metrics if isinstance(metrics, Sequence) and not isinstance(metrics, str) else [metrics]
    chosen = [as_metric(metric) for metric in several]
    by_model = [_of_model(name, outcomes.matrix(name), chosen, too_few, interval) for name in outcomes.models]
    return Scores(tuple(score for scores in zip(*by_model, strict=True) for score in scores), outcomes)


def _of_model(
    name: str, outcomes: OutcomeMatrix, metrics: Sequence[Metric], too_few: str, interval: Mapping[str, Any]
) -> list[Score]:
    try:
        scores = [metric.score(outcomes, too_few=too_few) for metric in metrics]
        intervals = [metric.interval(outcomes, **interval) for metric in metrics]
        return [Score("", name, *values) for values in zip(metrics, scores, intervals, strict=True)]
    except OutcomeError as error:
        raise error.at(name) from None


def _highest(rows: Sequence[Score]) -> str:
    points = [row.interval.mu if math.isnan(row.score) else row.score for row in rows]
    top = rows[points.index(max(points))]
    names = [plain(row.model) for row, point in zip(rows, points, strict=True) if max(points) - point <= TIE]
    verb = "scores" if len(names) == 1 else "score"
    value = f"{score_text(top.score)} {span(top.interval.lo, top.interval.hi)}"
    return f"{listed(names)} {verb} highest by {top.metric}: {value}"


def _few(rows: Sequence[Score], models: OutcomeSet | Suite) -> list[str]:
    for row in rows:
        outcomes = models.matrix(row.model)
        note = few_questions_note(row.metric, outcomes.n_questions, outcomes.min_trials, [row.interval])
        if note:
            return note
    return []


def _notes(rows: Sequence[Score]) -> list[str]:
    interval = rows[0].interval
    forecast = [FORECAST_NOTE] if any(math.isnan(row.score) for row in rows) else []
    return [f"score: of these trials; mu, sigma, interval: {interval.about}", *forecast, error_of(interval)]


def error_of(interval: Interval) -> str:
    """Say how often such intervals are wrong.

    >>> from scorio import PassAtK
    >>> error_of(PassAtK(1).interval([[1, 0], [1, 1]], 0.9))
    'error 10%: how often such an interval does not contain the true value'
    """
    rate = percent(round(1.0 - interval.confidence, 12))
    return f"error {rate}: how often such an interval does not contain the true value"


def verdict(model: str, metric: Any, outcomes: Any, interval: Interval, weights: Any = None) -> str:
    """Say where the value of a model is, and what would halve its interval; ``outcomes`` may be a suite of the model.

    >>> from scorio import PassAtK
    >>> R = [[1, 0, 1], [1, 1, 1], [0, 0, 1], [0, 1, 0]]
    >>> verdict("a", PassAtK(1), R, PassAtK(1).interval(R, prior="learned"))
    'a: pass@1 is between 0.338 and 0.798 on these questions; 12 more trials per question would halve the interval'
    """
    name = f"{OVERALL} {metric}" if weights is not None and str(metric) != OVERALL else str(metric)
    sentence = f"{plain(model)}: {name} is between {number(interval.lo)} and {number(interval.hi)}"
    plan = _plan(metric, outcomes, interval, weights) if isinstance(metric, Metric) else ""
    return f"{sentence} on {subject_of(interval.target, interval.runs)}{plan}"


def _plan(metric: Metric, outcomes: Any, interval: Interval, weights: Any) -> str:
    """Say how many trials, or for the population questions, would halve the interval; nothing if there is no plan."""
    half = (interval.hi - interval.lo) / 4.0
    if half <= 0.0 or interval.runs == RANDOM:
        return ""
    planner = plan_trials if interval.target == "questions" else plan_questions
    try:
        about: dict[str, Any] = {"task_weights": weights, "prior": interval.prior}
        about["runs"] = INDEPENDENT
        plan = planner(metric, outcomes, half, interval.confidence, **about)
    except OutcomeError:
        return ""
    if plan.more is None:
        return f"; no number of {plan.unit} would halve the interval"
    by_task = ", ".join(f"{task} {more:,}" for task, more in plan.by_task.items())
    return f"; {plan.amount}{f' ({by_task})' if by_task else ''} would halve the interval"


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
    score = metric.score(outcomes, too_few="nan")
    return AccuracyRow(
        model,
        *(benchmark.mu if math.isnan(score) else score, benchmark.lo, benchmark.hi),
        *(generalized.mu, generalized.lo, generalized.hi),
        benchmark.sigma,
        _added(generalized.sigma, benchmark.sigma),
        runs,
    )


def _added(whole: float, part: float) -> float:
    """Return the standard deviation that makes the whole out of a part."""
    return math.sqrt(max(0.0, whole * whole - part * part))
