"""Scores of models by metrics, as rows: shared by ``score`` and ``curve``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from .._choices import OVERALL
from .._display.bars import Spread
from .._display.numbers import number, span
from .._display.table import Column, Table
from .._display.words import pluralize
from ..errors import OutcomeError, ParameterError
from ._options import subject
from ._output import Record
from ._progress import tracked
from ._score_verdicts import error_of

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
    return {"model": model, "metric": metric, "score": score, **numbers, "completeness": interval.completeness}


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
    from ..metrics._batch import intervals_of_set

    try:
        scores = [metric.observed(outcomes, too_few=too_few) for metric in metrics]
        intervals = intervals_of_set(metrics, outcomes, **interval)
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
    return Table(subject(models), columns, cells, _notes(rows[0].interval))


def _notes(interval: Interval) -> list[str]:
    """Say what the numbers are, by which method, and how often intervals are wrong."""
    return [f"score: of these trials; mu, sigma, interval: {interval.about}", error_of(interval)]


def with_verdicts(table: Table, verdicts: Iterable[str]) -> Table:
    """Return the table with verdicts below it."""
    return table._replace(notes=[*table.notes, *verdicts])


def check_no_weights(weights: Any) -> None:
    """Check that there are no weights of tasks, for outcomes of one task."""
    if weights is not None:
        raise ParameterError("are those of tasks, and the logs hold one task", argument="weights")


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
        cells = [[task, model, name, number(score), *_numbers(each)] for task, (name, model, score, each) in rows]
        title = f"{pluralize(len(ranking.models), 'model')} on {ranking.extent}"
        tables.append(Table(title, columns, cells, _notes(ranking.intervals[0])))
        spreads.append([(each.lo, score, each.hi) for _, (_, _, score, each) in rows])
        records += [{"task": task, **_record(*each)} for task, each in rows]
    return tables, spreads, records


def _by_model(ranking: MetricRanking) -> Iterator[tuple[str, float, Interval]]:
    return zip(ranking.models, ranking.scores.tolist(), ranking.intervals, strict=True)


def _cells(row: Measured) -> list[str]:
    score = "-" if math.isnan(row.score) else number(row.score)
    return [row.model, str(row.metric), score, *_numbers(row.interval)]


def _numbers(interval: Interval) -> list[str]:
    mu, sigma, lo, hi = interval
    return [number(mu), number(sigma), span(lo, hi)]
