"""History: the scores of the same models and tasks over runs, the changes, and the drift of anything else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from .._arrays import underflow_is_zero
from .._choices import TARGETS
from .._display.exports import Exports, strict
from .._display.numbers import number, percent, signed, span
from .._display.table import Column, Table
from .._display.words import pluralize
from ..errors import OutcomeError, ParameterError
from ..inference._prior import LEARNED, PriorLike
from ..metrics import Metric
from ..metrics._registry import as_metric
from ..outcomes import OutcomeMatrix
from ..params import choice, open_unit
from ._history_series import HistoryPoint, HistorySeries, PastRun, Rules, points_of
from ._task_metrics import default_metric
from ._task_sets import as_tasks

Parts = Mapping[tuple[str, str], Mapping[str, PastRun]]  # the runs by label, of each task and model


@dataclass(frozen=True)
class History(Exports):
    """The ``series`` of every model and task: scores, called changes and drift. At most ``1 - confidence`` of all
    histories without any change have a called one. ``smallest_change`` says what could be called at all.
    """

    series: tuple[HistorySeries, ...]
    confidence: float
    target: str
    comparisons: int

    @property
    def changes(self) -> tuple[tuple[HistorySeries, HistoryPoint], ...]:
        """The called changes: the series, and the run at which it changed."""
        return tuple((series, point) for series in self.series for point in series.changes)

    @property
    def drift(self) -> tuple[tuple[HistorySeries, HistoryPoint], ...]:
        """The runs at which anything but the outcomes changed."""
        return tuple((series, point) for series in self.series for point in series.points if point.drift)

    @property
    def smallest_change(self) -> float | None:
        """About how large a change must be to be called: half the median width of the differences' intervals.

        None if there is no comparison.
        """
        points = [point for series in self.series for point in series.points]
        widths = [
            (each.difference_hi - each.difference_lo) / 2.0
            for each in points
            if each.difference_lo is not None and each.difference_hi is not None
        ]
        return median(widths) if widths else None

    @property
    def extent(self) -> str:
        """How many runs and series there are."""
        runs = dict.fromkeys(point.run for series in self.series for point in series.points)
        return f"{pluralize(len(runs), 'run')}, {len(self.series)} series"

    def __str__(self) -> str:
        said = [f"{point.change} at {point.run} ({series.name})" for series, point in self.changes]
        return "; ".join(
            [
                f"{pluralize(len(said), 'change')} in {pluralize(self.comparisons, 'comparison')}",
                *said,
                *self._drifted(),
            ]
        )

    def _drifted(self) -> list[str]:
        return [f"{pluralize(len(self.drift), 'run')} under other circumstances"] if self.drift else []

    def to_dict(self) -> dict[str, Any]:
        """Return all runs and parameters, ready for JSON."""
        values: dict[str, Any] = {"confidence": self.confidence, "target": self.target}
        values |= {"comparisons": self.comparisons, "smallest_change": self.smallest_change}
        parts = [
            {"task": each.task, "model": each.model, "metric": each.metric, "points": list(map(vars, each.points))}
            for each in self.series
        ]
        made: dict[str, Any] = strict(values | {"series": parts})
        return made

    def _records(self) -> Sequence[Mapping[str, Any]]:
        return [record for series in self.series for record in series.records]

    def _display_table(self) -> Table:
        heads = ("questions", "trials", "score", "interval", "difference", "interval")
        columns = [Column("task"), Column("model"), Column("run"), *(Column(head, right=True) for head in heads)]
        columns += [Column("change"), Column("drift")]
        cells = [_cells(series, point) for series in self.series for point in series.points]
        if not any(series.task for series in self.series):
            columns, cells = columns[1:], [line[1:] for line in cells]
        level = percent(self.confidence)
        about = "these questions" if self.target == "questions" else "questions like these"
        notes = [
            f"scores with {level} intervals for {about}",
            "difference: from all runs since the last called change; intervals and changes are corrected for "
            + pluralize(self.comparisons, "comparison"),
        ]
        if self.smallest_change is not None:
            least = number(self.smallest_change)
            notes.append(f"a change of less than about {least} is rarely called from so few trials")
        return Table(str(self), columns, cells, notes)


def _cells(series: HistorySeries, point: HistoryPoint) -> list[str]:
    difference, interval = "", ""
    if point.difference is not None and point.difference_lo is not None and point.difference_hi is not None:
        difference = signed(point.difference)
        interval = f"[{signed(point.difference_lo)}, {signed(point.difference_hi)}]"
    score = "-" if point.score is None else number(point.score)
    extent = [f"{point.n_questions:,}", f"{point.n_trials:,}", score, span(point.lo, point.hi)]
    return [series.task, series.model, point.run, *extent, difference, interval, point.change, "; ".join(point.drift)]


@underflow_is_zero
def history(
    runs: Mapping[str, Any],
    metric: Metric | str | None = None,
    *,
    model: str | Iterable[str] | None = None,
    confidence: float = 0.95,
    target: str = "questions",
    prior: PriorLike = LEARNED,
) -> History:
    """Return the scores of models over runs, oldest first, with the changes that are called.

    ``runs`` maps a label, such as a date or a commit, to outcomes of one model, an ``OutcomeSet``, a ``Suite``, or a
    ``PastRun``, which also knows the settings and the texts of the questions. Every run of a model on a task is
    compared with all its runs since the last called change together, on the questions that they share. The error rate
    is divided by the number of comparisons: a history without any change has a called one with probability at most
    ``1 - confidence``. Whatever else differs from the run before (questions, completeness, settings) is listed as
    drift: a change at such a run need not be one of the model.

    ``metric`` is Pass@1, or Bayes@N for rewards, if left out. ``model`` chooses one model or several.

    >>> from scorio import OutcomeMatrix
    >>> counts = {"2026-01-05": [9, 8, 5, 10], "2026-02-02": [8, 9, 4, 10], "2026-03-02": [3, 2, 0, 6]}
    >>> runs = {date: OutcomeMatrix.from_counts(each, 10) for date, each in counts.items()}
    >>> result = history(runs, "pass@1")
    >>> print(result)
    1 change in 2 comparisons; worse at 2026-03-02 (model)
    >>> round(result.smallest_change, 2)
    0.17
    """
    if not isinstance(runs, Mapping) or not runs:
        raise OutcomeError("a history needs a mapping from labels to runs, with at least one run")
    chosen = [model] if isinstance(model, str) else model
    parts: dict[tuple[str, str], dict[str, PastRun]] = {}
    for label, each in runs.items():
        run = each if isinstance(each, PastRun) else PastRun(each)
        try:
            tasks = as_tasks(run.outcomes)
        except OutcomeError as error:
            raise error.at(f"run {label}") from None
        for task, models in tasks.items():
            for name in models:
                own = PastRun(models[name], run.facts, run.fingerprints)
                parts.setdefault((task, name), {})[str(label)] = own
    names = list(dict.fromkeys(name for _, name in parts))
    kept = names if chosen is None else [choice("model", name, names) for name in chosen]
    chosen_parts = {key: each for key, each in parts.items() if key[1] in kept}
    return history_of(chosen_parts, metric, confidence=confidence, target=target, prior=prior)


def history_of(
    parts: Parts, metric: Metric | str | None, *, confidence: float, target: str, prior: PriorLike
) -> History:
    """Return the history of the runs of each task and model."""
    open_unit("confidence", confidence)
    choice("target", target, TARGETS)
    comparisons = sum(len(runs) - 1 for runs in parts.values())
    error = (1.0 - confidence) / max(comparisons, 1)
    series = []
    for (task, name), runs in parts.items():
        matrices: list[OutcomeMatrix] = [run.outcomes for run in runs.values()]
        by = _metric(metric, matrices)
        rules = Rules(by, confidence, error, target, prior)
        try:
            series.append(HistorySeries(task, name, str(by), points_of(runs, rules)))
        except OutcomeError as problem:
            raise problem.at(f"task {task}" if task else name) from None
    return History(tuple(series), confidence, target, comparisons)


def _metric(metric: Metric | str | None, matrices: Sequence[OutcomeMatrix]) -> Metric:
    if metric is None:
        return default_metric(matrices)
    if not isinstance(metric, (str, Metric)):
        raise ParameterError("must be one metric", argument="metric")
    return as_metric(metric)
