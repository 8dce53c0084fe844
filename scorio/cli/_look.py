"""One look at growing results: which metrics are settled, which models are still in the running, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .._display.numbers import number, span
from .._display.table import Column, Table
from ..comparison import compare
from ..comparison._contest import Contest
from ..inference import Interval, Looks
from ..inference._prior import LEARNED
from ..metrics import Metric
from ..outcomes import OutcomeMatrix, OutcomeSet
from ..rank._race import race

Records = list[dict[str, Any]]
_SUBJECT = {"questions": "these questions", "population": "questions like these"}


@dataclass(frozen=True)
class Declared:
    """What was declared before the first look; the metrics and the number of ``models`` share the error."""

    metrics: tuple[Metric, ...]
    looks: Looks
    models: int
    half_width: float | None = None
    baseline: OutcomeMatrix | None = None
    target: str = "questions"
    within: float = 0.0
    goal: str = "best"

    @property
    def of_metric(self) -> Looks:
        """The looks with the share of the error that one metric has."""
        return self.looks.shared(len(self.metrics))

    @property
    def of_interval(self) -> Looks:
        """The looks with the share of the error that one metric of one model has."""
        return self.of_metric.shared(self.models)


@dataclass(frozen=True)
class Look:
    """The results of one look; ``reasons`` has one sentence per metric that is settled."""

    rows: Records
    reasons: tuple[str, ...]
    settled: bool
    beaten: dict[str, Records]
    in_the_running: tuple[str, ...]
    open_metrics: tuple[Metric, ...]
    about: str

    def table(self, title: str) -> Table:
        """The rows as a table."""
        names = ("metric", "model", "trials", "mu", "interval", "state")
        columns = [Column(name, right=name in {"trials", "mu"}) for name in names]
        return Table(title, columns, [_cells(row) for row in self.rows], [self.about, *self.reasons])


def _cells(row: Mapping[str, Any]) -> list[str]:
    numbers = [f"{row['trials']:.4g}", number(row["mu"]), span(row["lo"], row["hi"])]
    return [row["metric"], row["model"], *numbers, row["state"]]


def look(outcomes: OutcomeSet, declared: Declared, beaten: Mapping[str, Records]) -> Look:
    """Evaluate the present results; ``beaten`` holds the models that were beaten at earlier looks, by metric."""
    results = [_by_metric(metric, outcomes, declared, beaten.get(str(metric), ())) for metric in declared.metrics]
    reasons = tuple(each.reason for each in results if each.reason)
    about = f"{100 * declared.looks.confidence:.6g}% intervals for {_SUBJECT[declared.target]}, difficulties learned"
    return Look(
        rows=[row for each in results for row in each.rows],
        reasons=reasons,
        settled=len(reasons) == len(results),
        beaten={str(metric): each.beaten for metric, each in zip(declared.metrics, results, strict=True)},
        in_the_running=tuple(dict.fromkeys(name for each in results for name in each.running)),
        open_metrics=tuple(metric for metric, each in zip(declared.metrics, results, strict=True) if not each.reason),
        about=f"{about}; {declared.of_interval}",
    )


@dataclass(frozen=True)
class _MetricLook:
    """The results of one metric at one look."""

    rows: Records
    reason: str
    beaten: Records
    running: tuple[str, ...]


def _by_metric(
    metric: Metric, outcomes: OutcomeSet, declared: Declared, beaten: Iterable[Mapping[str, Any]]
) -> _MetricLook:
    intervals = {
        name: metric.interval(matrix, prior=LEARNED, target=declared.target, looks=declared.of_interval)
        for name, matrix in outcomes.items()
    }
    if declared.baseline is not None:
        states, running, lost, reason = _against_baseline(metric, outcomes, declared, declared.baseline)
    elif declared.models > 1:
        states, running, lost, reason = _in_race(metric, outcomes, declared, beaten)
    else:
        states, running, lost, reason = {}, tuple(outcomes), [], ""
    if not reason:
        reason = _narrow(metric, intervals, declared.half_width)
    rows = [
        _row(metric, name, outcomes[name], interval, states.get(name, ""))
        for name, interval in sorted(intervals.items(), key=lambda item: -item[1].mu)
    ]
    return _MetricLook(rows, reason, lost, running)


def _row(metric: Metric, name: str, matrix: OutcomeMatrix, interval: Interval, state: str) -> dict[str, Any]:
    numbers = interval._asdict()
    trials = float(matrix.mean_trials)
    return {
        "metric": str(metric),
        "model": name,
        "trials": trials,
        **numbers,
        "state": state,
        "valid": str(interval.looks),
    }


def _narrow(metric: Metric, intervals: Mapping[str, Interval], half_width: float | None) -> str:
    """Return the reason why the intervals settle the metric, or an empty text if they do not."""
    widest = max((each.hi - each.lo) / 2.0 for each in intervals.values())
    if half_width is None or widest > half_width:
        return ""
    return f"{metric} settled: every half-width is at most {widest:.4g}, as required ({half_width:g})"


_Standing = tuple[dict[str, str], tuple[str, ...], Records, str]  # states, models in the running, beaten, the reason


def _in_race(
    metric: Metric, outcomes: OutcomeSet, declared: Declared, beaten: Iterable[Mapping[str, Any]]
) -> _Standing:
    contest = race(
        outcomes.names,
        Contest(metric, tuple(outcomes.values()), LEARNED, "quantile", declared.target),
        declared.of_metric,
        goal=declared.goal,
        within=declared.within,
        beaten=beaten,
        entrants=declared.models,
    )
    states = {name: contest.state_of(name) for name in outcomes}
    settled = contest.settled and len(outcomes) == declared.models
    return states, contest.in_the_running, contest.to_dict()["beaten"], f"{metric} {contest}" if settled else ""


def _against_baseline(metric: Metric, outcomes: OutcomeSet, declared: Declared, baseline: OutcomeMatrix) -> _Standing:
    states = dict.fromkeys(outcomes, "")
    for name, matrix in outcomes.items():
        winner = compare(
            metric, matrix, baseline, prior=LEARNED, target=declared.target, looks=declared.of_interval
        ).winner
        if winner is not None:
            states[name] = "better than the baseline" if winner == "A" else "worse than the baseline"
    running = tuple(name for name, state in states.items() if not state)
    reason = ""
    if not running and len(outcomes) == declared.models:
        reason = f"{metric} settled: " + "; ".join(f"{name} is {state}" for name, state in states.items())
    return states, running or tuple(outcomes), [], reason
