"""``scorio plan``: how many more trials or questions are needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..._display.numbers import number
from ..._display.table import Column, Table
from ...errors import ParameterError
from .._command import declared
from .._context import Record, tracked
from .._metric import metrics_or_default
from .._options import (
    between_option,
    choice_option,
    confidence_option,
    half_width_option,
    metrics_option,
    power_option,
    prior_option,
    runs_option,
    task_weight_option,
)
from .._output import Answer, Output, subject
from .._reading import Reading, load, of_model

if TYPE_CHECKING:
    from ...metrics import Metric
    from ...outcomes import OutcomeSet, Suite
    from ...planning import Plan


_UNITS = _TRIALS, _ = ("trials", "questions")


@declared(
    "plan",
    "logs/ -m pass@1 --half-width 0.02",
    metrics_option,
    between_option("the two best"),
    power_option,
    half_width_option("a plan to separate two models"),
    choice_option(
        "--unit",
        _UNITS,
        _TRIALS,
        "Plan for more trials of each question, or for more questions, which needs --half-width.",
    ),
    task_weight_option,
    confidence_option,
    prior_option,
    runs_option,
)
def command(
    logs: tuple[str, ...],
    how: Reading,
    metrics: tuple[Metric, ...],
    half_width: float | None,
    unit: str,
    between: tuple[str, str] | None,
    out: Output,
    **options: Any,
) -> None:
    """Plan how many more trials or questions are needed, from results so far; before any trial, use power.

    The goal is a significant difference between two models, or with --half-width a narrow interval for every model.
    With logs of several tasks, plans are for overall scores. With --runs random, plans are of more runs, and say
    whether more trials in the same runs would be enough.
    """
    models = load(logs, how)
    metrics = tuple(metrics_or_default(metrics, models))
    if half_width is None:
        if unit != _TRIALS:
            raise ParameterError(f"--unit {unit} needs --half-width, as in --half-width 0.02 --unit {unit}")
        pairs = [(metric, *(between or leaders(metric, models, options["task_weights"]))) for metric in metrics]
        records = [_separation(models, *pair, **options) for pair in tracked("planning", pairs)]
    else:
        records = list(_widths(models, metrics, half_width, unit, options))
    out.deliver(Answer([_table(records, models)], records, {"half_width": half_width, **options}))


def leaders(metric: Metric, models: OutcomeSet | Suite, weights: Any = None) -> tuple[str, str]:
    """Return the two best models."""
    from ...comparison import weights_of
    from ...outcomes import Suite

    names = models.models
    if len(names) < 2:
        raise ParameterError("one model cannot be separated from another: plan for its interval with --half-width")
    if isinstance(models, Suite):
        models.check_complete()
        shares = weights_of(weights, models)
        scores = {name: sum(shares[task] * metric.score(each[name]) for task, each in models.items()) for name in names}
    else:
        scores = {name: metric.score(models[name]) for name in names}
    first, second, *_ = sorted(names, key=lambda name: -scores[name])
    return first, second


def _separation(
    models: OutcomeSet | Suite, metric: Metric, first: str, second: str, confidence: float, power: float, **options: Any
) -> Record:
    from ...planning import plan_separation

    pair = [of_model(models, name) for name in (first, second)]
    paired = None if metric._is_mean_over_questions else False
    plan = plan_separation(metric, *pair, confidence=confidence, power=power, paired=paired, **options)
    return _record(metric, f"{first} > {second}", f"{100 * confidence:g}% confidence, power {power:g}", plan)


def _widths(
    models: OutcomeSet | Suite, metrics: Sequence[Metric], half_width: float, unit: str, options: Record
) -> Iterator[Record]:
    from ...planning import plan_questions, plan_trials

    planner = plan_trials if unit == _TRIALS else plan_questions
    confidence, about = options["confidence"], {name: options[name] for name in ("prior", "task_weights", "runs")}
    jobs = [(metric, name) for metric in metrics for name in models.models]
    for metric, name in tracked("planning", jobs):
        plan = planner(metric, of_model(models, name), half_width, confidence, **about)
        yield _record(metric, name, f"{100 * confidence:g}% interval of +-{half_width:g}", plan)


def _record(metric: Metric, model: str, goal: str, plan: Plan) -> Record:
    values: dict[str, Any] = {"more": plan.more, "unit": plan.unit, "expected": plan.expected, "reason": plan.reason}
    if plan.same_runs is not None:
        values["same_runs"] = vars(plan.same_runs)
    if plan.by_task:
        values["by_task"] = dict(plan.by_task)
    return {"metric": str(metric), "model": model, "goal": goal, **values}


def _table(records: Sequence[Record], models: OutcomeSet | Suite) -> Table:
    from ...planning import SameRuns

    columns = [*map(Column, ("metric", "model", "goal")), Column("more", right=True), Column("unit, expected result")]
    notes = [f"{each['model']}: {SameRuns(**each['same_runs'])}" for each in records if each.get("same_runs")]
    return Table(subject(models), columns, [_cells(record) for record in records], notes)


def _cells(record: Record) -> list[str]:
    more = "-" if record["more"] is None else f"{record['more']:,}"
    by_task = ", ".join(f"{task} {count}" for task, count in record.get("by_task", {}).items())
    unit = f"{record['unit']} ({by_task})" if by_task else record["unit"]
    result = record["reason"] or f"{unit}, expected to reach {number(record['expected'])}"
    return [record["metric"], record["model"], record["goal"], more, result]
