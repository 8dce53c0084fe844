"""Scores of models by metrics, as rows and in sentences: shared by ``score`` and ``curve``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from .._choices import OVERALL, told
from .._display.bars import Spread
from .._display.numbers import FORECAST_NOTE, number, percent, score_text, span
from .._display.table import Column, Table, plain
from .._display.words import pluralize
from .._display.words import subject as subject_of
from ..errors import OutcomeError, ParameterError
from ._context import Record, tracked
from ._output import subject

if TYPE_CHECKING:
    from ..inference import Interval
    from ..metrics import Metric
    from ..outcomes import OutcomeMatrix, OutcomeSet
    from ..rank import Leaderboard, MetricRanking

    Pair = tuple[str, Metric]


class Measured(NamedTuple):
    """The score and interval of one model by one metric."""

    model: str
    metric: Metric
    score: float
    interval: Interval

    def record(self) -> Record:
        """Return all values as one flat record."""
        return _record(str(self.metric), self.model, self.score, self.interval)


def _record(metric: str, model: str, score: float, interval: Interval) -> Record:
    numbers = dict(zip(interval._fields, interval, strict=True))
    about = {"completeness": interval.completeness, "forecast": math.isnan(score)}
    return {"model": model, "metric": metric, "score": score, **numbers, **about}


def measured(models: OutcomeSet, pairs: Iterable[Pair], too_few: str, interval: Record) -> list[Measured]:
    """Score each model by each metric, with intervals; the result follows ``pairs``."""
    ordered = list(pairs)
    by_model: dict[str, list[Metric]] = {}
    for name, metric in ordered:
        by_model.setdefault(name, []).append(metric)
    rows = {
        name: iter(_of_model(name, models[name], by_model[name], too_few, interval))
        for name in tracked("scoring", by_model)
    }
    return [next(rows[name]) for name, _ in ordered]


def _of_model(
    name: str, outcomes: OutcomeMatrix, metrics: Sequence[Metric], too_few: str, interval: Record
) -> list[Measured]:
    try:
        scores = [metric.score(outcomes, too_few=too_few) for metric in metrics]
        intervals = [metric.interval(outcomes, **interval) for metric in metrics]
        return [Measured(name, *each) for each in zip(metrics, scores, intervals, strict=True)]
    except OutcomeError as error:
        raise error.at(name) from None


def scores_table(rows: Sequence[Measured], models: OutcomeSet) -> Table:
    """Return a table with one row per model and metric, and the completeness if trials are missing."""
    left, right = Column, partial(Column, right=True)
    columns = [left("model"), left("metric"), *map(right, ("score", "mu", "sigma")), left("interval")]
    cells = [_cells(each) for each in rows]
    if any(each.interval.completeness < 1.0 for each in rows):
        columns.append(right("completeness"))
        cells = [[*line, f"{each.interval.completeness:.1%}"] for line, each in zip(cells, rows, strict=True)]
    notes = _notes(rows[0].interval, [each.score for each in rows])
    return Table(subject(models), columns, cells, [*notes, *_few(rows, models)])


def _few(rows: Sequence[Measured], models: OutcomeSet) -> list[str]:
    """Say where intervals rest on few questions, once."""
    from ..metrics import few_questions_note

    found = (
        few_questions_note(row.metric, models[row.model].n_questions, models[row.model].min_trials, [row.interval])
        for row in rows
    )
    return next(filter(None, found), [])


def _notes(interval: Interval, scores: Iterable[float]) -> list[str]:
    """Say what the numbers are, by which method, and how often intervals are wrong."""
    forecast = [FORECAST_NOTE] if any(map(math.isnan, scores)) else []
    return [f"score: of these trials; mu, sigma, interval: {interval.about}", *forecast, error_of(interval)]


def with_verdicts(table: Table, verdicts: Iterable[str]) -> Table:
    """Return the table with verdicts below it."""
    return table._replace(notes=[*table.notes, *verdicts])


def check_no_weights(weights: Any) -> None:
    """Check that there are no weights of tasks, for outcomes of one task."""
    if weights is not None:
        raise ParameterError(
            "can only be given for a suite of tasks, and these outcomes are of one task", argument="task_weights"
        )


def scores_of_tasks(board: Leaderboard) -> tuple[list[Table], list[list[Spread]], list[Record]]:
    """Return the scores over all tasks, and of each task, as tables, as spreads of their rows, and as records."""
    tables: list[Table] = []
    spreads: list[list[Spread]] = []
    records: list[Record] = []
    columns = [Column("task"), Column("model"), Column("metric"), Column("score", right=True)]
    columns += [Column(head, right=True) for head in ("mu", "sigma")] + [Column("interval")]
    for ranking in board.rankings:
        parts = {OVERALL: ranking, **ranking.tasks}
        rows = [(task, (str(part.metric), *each)) for task, part in parts.items() for each in _by_model(part)]
        cells = [[task, model, name, score_text(score), *_numbers(each)] for task, (name, model, score, each) in rows]
        title = f"{pluralize(len(ranking.models), 'model')} on {ranking.extent}"
        tables.append(Table(title, columns, cells, _notes(ranking.intervals[0], [each[2] for _, each in rows])))
        spreads.append([(each.lo, score, each.hi) for _, (_, _, score, each) in rows])
        records += [{"task": task, **_record(*each)} for task, each in rows]
    return tables, spreads, records


def _by_model(ranking: MetricRanking) -> Iterator[tuple[str, float, Interval]]:
    return zip(ranking.models, ranking.scores.tolist(), ranking.intervals, strict=True)


def _cells(row: Measured) -> list[str]:
    return [row.model, str(row.metric), score_text(row.score), *_numbers(row.interval)]


def _numbers(interval: Interval) -> list[str]:
    mu, sigma, lo, hi = interval
    return [number(mu), number(sigma), span(lo, hi)]


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
    from ..metrics import Metric
    from ..outcomes import Suite

    name = f"{OVERALL} {metric}" if isinstance(outcomes, Suite) and str(metric) != OVERALL else str(metric)
    sentence = f"{plain(model)}: {name} is between {number(interval.lo)} and {number(interval.hi)}"
    plan = _plan(metric, outcomes, interval, weights) if isinstance(metric, Metric) else ""
    return f"{sentence} on {subject_of(interval.target, interval.runs)}{plan}"


def _plan(metric: Metric, outcomes: Any, interval: Interval, weights: Any) -> str:
    """Say how many trials, or for the population questions, would halve the interval; nothing if there is no plan."""
    from ..planning import plan_questions, plan_trials

    half = (interval.hi - interval.lo) / 4.0
    if half <= 0.0:
        return ""
    planner = plan_trials if interval.target == "questions" else plan_questions
    try:
        about: dict[str, Any] = {"task_weights": weights, "prior": interval.prior}
        about["runs"] = told(interval.runs)
        plan = planner(metric, outcomes, half, interval.confidence, **about)
    except OutcomeError:
        return ""
    if plan.more is None:
        return f"; no number of {plan.unit} would halve the interval"
    by_task = ", ".join(f"{task} {more:,}" for task, more in plan.by_task.items())
    return f"; {plan.more:,} more {plan.unit}{f' ({by_task})' if by_task else ''} would halve the interval"
