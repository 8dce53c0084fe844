"""``scorio plan``: how many more trials or questions are needed, and what a comparison will show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..._choices import PROFILES
from ..._display.numbers import number
from ..._display.table import Column, Table
from ...errors import ParameterError
from .._command import declared
from .._context import Record, check_not_typed, is_typed, tracked
from .._designs import design_answer, designs
from .._metric import metrics_or_default
from .._options import (
    FiniteRange,
    between_option,
    choice_option,
    confidence_option,
    count_option,
    half_width_option,
    metrics_option,
    number_option,
    picture_option,
    power_option,
    runs_option,
    task_weight_option,
    trials_option,
)
from .._output import Answer, Output, subject
from .._reading import Reading, load, of_model
from .._writing import write_picture

if TYPE_CHECKING:
    from ...metrics import Metric
    from ...outcomes import OutcomeSet, Suite
    from ...planning import Plan


_UNITS = _TRIALS, _ = ("trials", "questions")
_OF_A_DESIGN = ("n_questions", "n_trials", "profile", "difference", "correlation", "picture")


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
    runs_option,
    count_option("--questions", "n_questions", text="Number of questions, without logs.", least=2, show_default="none"),
    trials_option("n_trials"),
    click.option(
        "--profile",
        default="typical",
        show_default=True,
        metavar="NAME",
        help=f"Difficulties of the questions without logs: {', '.join(PROFILES)}, or the path of logs of one model.",
    ),
    number_option("--difference", None, "True difference to give the power for, without logs.", "none"),
    click.option(
        "--correlation",
        type=FiniteRange(-1.0, 1.0),
        metavar="NUMBER",
        default=0.7,
        show_default=True,
        help="Correlation of the two models' true values over questions, without logs.",
    ),
    picture_option,
    needs_logs=False,
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
    """Plan how many more trials or questions are needed, from results so far or before any trial.

    With logs, the goal is a significant difference between two models, or with --half-width a narrow interval for every
    model. With logs of several tasks, plans are for overall scores. With --runs random, plans are of more runs, and say
    whether more trials in the same runs would be enough.

    Without logs, --questions and --trials say what will be run: the answer is the difference between two models that
    is detected, and for a --difference the power and the questions that are needed.
    """
    design = {name: options.pop(name) for name in _OF_A_DESIGN}
    if not logs:
        _plan_design(metrics, design, options, out)
        return
    if typed := [name for name in _OF_A_DESIGN if is_typed(name)]:
        raise ParameterError("is for plans before any trial: leave out the logs", argument=typed[0])
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


def _plan_design(metrics: Sequence[Metric], design: dict[str, Any], options: dict[str, Any], out: Output) -> None:
    """Say what a comparison of two models will show."""
    if design["n_questions"] is None or design["n_trials"] is None:
        raise ParameterError("plan needs logs of results so far; before any trial, --questions N and --trials N")
    check_not_typed("n_questions", *_OF_A_DESIGN, "metrics", "power", "confidence")
    picture: Path | None = design.pop("picture")
    difference, power = design.pop("difference"), options["power"]
    planned = designs(metrics, **design, confidence=options["confidence"])
    out.deliver(design_answer(planned, difference, power, design["profile"]))
    write_picture(picture, lambda plot: plot.power(planned[0], goal=power))


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
    confidence, about = options["confidence"], {name: options[name] for name in ("task_weights", "runs")}
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
