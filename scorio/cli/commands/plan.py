"""``scorio plan``: how many more trials or questions it takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from ...errors import ParameterError
from ...labels import listed
from ...metrics import Metric
from ...outcome_set import OutcomeSet
from ...plan import Plan, plan_questions, plan_separation, plan_trials
from ...sheet import Column, Sheet
from ..options import chosen, confidence_option, metrics_option, prior_option, subject
from ..output import Answer, Record, deliver, output_options
from ..progress import tracked
from ..reading import gathered, load, reading_options

Job = tuple[str, Metric]


@click.command("plan")
@reading_options
@metrics_option
@click.option("--half-width", type=float, help="Of every model's interval. Without it: to tell the two best apart.")
@click.option("--questions", is_flag=True, help="More questions, not more trials, for that half width.")
@click.option("--between", nargs=2, metavar="MODEL MODEL", help="The two to tell apart.")
@click.option("--power", type=float, default=0.8, show_default=True, help="The chance that they then are.")
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
    """How many more trials or questions it takes.

    scorio plan logs/ -m pass@1 --half-width 0.02
    """
    models = load(logs, gathered(options))
    asked = chosen(metrics, models)
    if half_width is None:
        if questions:
            raise ParameterError("--questions needs --half-width")
        pairs = [(metric, *(between or leaders(metric, models))) for metric in asked]
        records = [_separation(models, *pair, **options) for pair in tracked("planning", pairs)]
    else:
        records = list(_widths(models, asked, half_width, questions, options))
    deliver(Answer([_sheet(records, models)], records, {"half_width": half_width, **options}), form, output)


def leaders(metric: Metric, models: OutcomeSet) -> tuple[str, str]:
    """The two best models."""
    if len(models) < 2:
        raise ParameterError("one model needs no telling apart: say --half-width")
    first, second, *_ = sorted(models, key=lambda name: -metric.score(models[name]))
    return first, second


def _separation(
    models: OutcomeSet, metric: Metric, first: str, second: str, confidence: float, power: float, prior: Any
) -> Record:
    lost = [name for name in (first, second) if name not in models]
    if lost:
        raise ParameterError(f"there is no model {lost[0]!r}; there are {listed(models)}")
    paired = None if metric.additive else False
    found = plan_separation(
        metric, models[first], models[second], rho=confidence, power=power, paired=paired, prior=prior
    )
    return _record(metric, f"{first} > {second}", f"{100 * confidence:g}% sure, with power {power:g}", found)


def _widths(
    models: OutcomeSet, metrics: Sequence[Metric], half_width: float, questions: bool, options: Record
) -> Iterator[Record]:
    plan = plan_questions if questions else plan_trials
    prior, confidence = options["prior"], options["confidence"]
    jobs = [(metric, name) for metric in metrics for name in models]
    for metric, name in tracked("planning", jobs):
        found = plan(metric, models[name], half_width, confidence, prior=prior)
        yield _record(metric, name, f"{100 * confidence:g}% interval of +-{half_width:g}", found)


def _record(metric: Metric, model: str, goal: str, found: Plan) -> Record:
    told = {"more": found.more, "unit": found.unit, "expected": found.expected, "reason": found.reason}
    return {"metric": str(metric), "model": model, "goal": goal, **told}


def _sheet(records: Sequence[Record], models: OutcomeSet) -> Sheet:
    columns = [Column("metric"), Column("model"), Column("goal"), Column("more", right=True), Column("what it takes")]
    return Sheet(subject(models), columns, [_cells(record) for record in records])


def _cells(record: Record) -> list[str]:
    more = "-" if record["more"] is None else f"{record['more']:,}"
    takes = record["reason"] or f"{record['unit']}, expected to reach {record['expected']:.3g}"
    return [record["metric"], record["model"], record["goal"], more, takes]
