"""``scorio plan``: how many more trials or questions are needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..._display.numbers import number
from ..._display.table import Column, Table
from ...errors import ParameterError
from .._options import (
    between_option,
    confidence_option,
    metrics_option,
    metrics_or_default,
    prior_option,
    subject,
    weights_option,
)
from .._output import Answer, Record, deliver, output_options
from .._progress import tracked
from .._reading import gathered, load, reading_options

if TYPE_CHECKING:
    from ...metrics import Metric
    from ...outcomes import OutcomeSet, Suite
    from ...planning import Plan


@click.command("plan", epilog="Example: scorio plan logs/ -m pass@1 --half-width 0.02")
@reading_options
@metrics_option
@weights_option
@click.option(
    "--half-width",
    type=float,
    show_default="a plan to separate two models",
    help="Half-width of every model's interval to plan for.",
)
@click.option("--questions", is_flag=True, help="Plan with more questions instead of more trials, for --half-width.")
@between_option("Models to separate.", "the two best")
@click.option(
    "--power",
    type=float,
    default=0.8,
    show_default=True,
    help="Power: probability that the difference of the two models is then significant.",
)
@confidence_option
@prior_option
@output_options
def command(
    logs: tuple[str, ...],
    metrics: tuple[Metric, ...],
    half_width: float | None,
    questions: bool,
    between: tuple[str, str] | None,
    form: str | None,
    output: Path | None,
    **options: Any,
) -> None:
    """Plan how many more trials or questions are needed.

    The goal is a significant difference between two models, or with --half-width a narrow interval for every model.
    With logs of several tasks, plans are for overall scores.
    """
    models = load(logs, gathered(options))
    metrics = tuple(metrics_or_default(metrics, models))
    if half_width is None:
        if questions:
            raise ParameterError("--questions needs --half-width")
        pairs = [(metric, *(between or leaders(metric, models, options["weights"]))) for metric in metrics]
        records = [_separation(models, *pair, **options) for pair in tracked("planning", pairs)]
    else:
        records = list(_widths(models, metrics, half_width, questions, options))
    deliver(Answer([_table(records, models)], records, {"half_width": half_width, **options}), form, output)


def leaders(metric: Metric, models: OutcomeSet | Suite, weights: Any = None) -> tuple[str, str]:
    """Return the two best models."""
    from ...comparison._task_metrics import weights_of
    from ...outcomes import Suite
    from .._tasks import model_names

    names = model_names(models)
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
    from .._tasks import of_model

    pair = [of_model(models, name) for name in (first, second)]
    paired = None if metric.is_mean_over_questions else False
    plan = plan_separation(metric, *pair, confidence=confidence, power=power, paired=paired, **options)
    return _record(metric, f"{first} > {second}", f"{100 * confidence:g}% confidence, power {power:g}", plan)


def _widths(
    models: OutcomeSet | Suite, metrics: Sequence[Metric], half_width: float, questions: bool, options: Record
) -> Iterator[Record]:
    from ...planning import plan_questions, plan_trials
    from .._tasks import model_names, of_model

    planner = plan_questions if questions else plan_trials
    prior, confidence, weights = options["prior"], options["confidence"], options["weights"]
    jobs = [(metric, name) for metric in metrics for name in model_names(models)]
    for metric, name in tracked("planning", jobs):
        plan = planner(metric, of_model(models, name), half_width, confidence, prior=prior, weights=weights)
        yield _record(metric, name, f"{100 * confidence:g}% interval of +-{half_width:g}", plan)


def _record(metric: Metric, model: str, goal: str, plan: Plan) -> Record:
    values = {"more": plan.more, "unit": plan.unit, "expected": plan.expected, "reason": plan.reason}
    by_task = {"by_task": dict(plan.by_task)} if plan.by_task else {}
    return {"metric": str(metric), "model": model, "goal": goal, **values, **by_task}


def _table(records: Sequence[Record], models: OutcomeSet | Suite) -> Table:
    columns = [*map(Column, ("metric", "model", "goal")), Column("more", right=True), Column("unit, expected result")]
    return Table(subject(models), columns, [_cells(record) for record in records])


def _cells(record: Record) -> list[str]:
    more = "-" if record["more"] is None else f"{record['more']:,}"
    by_task = ", ".join(f"{task} {count}" for task, count in record.get("by_task", {}).items())
    unit = f"{record['unit']} ({by_task})" if by_task else record["unit"]
    result = record["reason"] or f"{unit}, expected to reach {number(record['expected'])}"
    return [record["metric"], record["model"], record["goal"], more, result]
