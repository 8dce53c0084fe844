"""Commands about what to label, to ask and to run next: judge, subset, plan and watch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from ..._base.choices import RANDOM
from ...errors import ParameterError
from .._context import allow_only, is_typed, working
from .._metric import MetricChoice
from .._output import Answer
from .._reading import Reading, load, load_logs, load_task
from .._writing import check_outputs

Logs = Sequence[str]

_OF_A_DESIGN = ("n_questions", "n_trials", "difference", "picture")


def judge(
    logs: Logs,
    reading_options: Reading,
    labels: Path | None,
    sample: int | None,
    write: Path,
    metrics: MetricChoice,
    rng: int,
    **options: Any,
) -> Answer | None:
    """Draw questions to label, or correct the scores of a judge by the labels."""
    from ...io._assemble import one_task
    from ...judging import judge_models, read_labels, sample_to_label

    if (labels is None) == (sample is None):
        raise ParameterError("either --sample N, to draw questions, or --labels FILE is needed")
    if sample is not None and is_typed("output"):
        raise ParameterError("--sample writes the file of --write: leave out --output")
    fields = dict(reading_options["fields"])
    label = {"label": fields.pop("label")} if "label" in fields else {}
    part = load_logs(logs, {**reading_options, "fields": fields})
    models, trials = one_task(part.outcomes), part.named_trials(reading_options["missing"])
    if labels is None or sample is not None:
        check_outputs({"--write": write}, logs)
        drawn = sample_to_label(models, sample or 0, rng, trials)
        drawn.write(write)
        click.echo(f"{write}: {drawn}. Fill the column label from the top; then: scorio judge LOGS --labels {write}")
        return None
    read = read_labels(labels, fields | label)
    with working("judging"):
        agreement = judge_models(metrics.listed(models), models, read, trials, **options)
    return Answer.of(agreement, {name: options[name] for name in ("target", "confidence")})


def subset(
    logs: Logs,
    reading_options: Reading,
    choose: int | None,
    write_sample: Path,
    estimate: Path | None,
    metrics: MetricChoice,
    rng: int,
    **options: Any,
) -> Answer:
    """Choose questions to ask, or estimate scores on all from those that were asked."""
    from ...judging import choose_questions, estimate_models, read_question_sample

    if (choose is None) == (estimate is None):
        raise ParameterError("one of --choose N and --estimate FILE is needed")
    models = load_task(logs, reading_options)
    chosen = metrics.listed(models)
    if estimate is not None:
        estimates = estimate_models(chosen, models, read_question_sample(estimate), **options)
        settings = {name: options[name] for name in ("target", "confidence")}
        return Answer.of(estimates, settings)
    check_outputs({"--write-sample": write_sample}, logs)
    if len(chosen) > 1:
        raise ParameterError("--choose draws for one metric: name one --metric")
    sample = choose_questions(models, choose or 0, metric=chosen[0], rng=rng)
    sample.write(write_sample)
    note = (
        f"{write_sample}: ask all {choose} questions with drawn = 1, then: scorio subset LOGS --estimate {write_sample}"
    )
    table = sample.tables()[0]
    settings = {"metric": sample.metric, "seed": rng, "history": list(sample.history)}
    return Answer([table._replace(notes=[*table.notes, note])], sample.as_records, settings)


def plan(
    logs: Logs, reading_options: Reading, metrics: MetricChoice, half_width: float | None, unit: str, **options: Any
) -> Answer:
    """Plan what to run."""
    from ...planning import plan_models

    design = {name: options.pop(name) for name in _OF_A_DESIGN[:-1]}
    if not logs:
        return _design(metrics, **design, power=options["power"], confidence=options["confidence"])
    options["difference"] = design["difference"]
    if typed := [name for name in _OF_A_DESIGN if is_typed(name) and name != "difference"]:
        raise ParameterError("is for plans before any trial: leave out the logs", argument=typed[0])
    models = load(logs, reading_options)
    with working("planning"):
        chosen = metrics.listed(models)
        plans = plan_models(chosen, models, half_width=half_width, unit=unit, **options)
    told = {name: value for name, value in options.items() if name != "between"}
    return Answer.of(plans, {"half_width": half_width, **told})


def _design(metrics: MetricChoice, **design: Any) -> Answer:
    """Say what a comparison of two models will show."""
    from ...planning import plan_designs

    if design["n_questions"] is None:
        raise ParameterError("plan needs logs of results so far, or before any trial --questions N")
    design["n_trials"] = design["n_trials"] or 1
    allow_only("n_questions", *_OF_A_DESIGN, "metrics", "power", "confidence")
    designs = plan_designs(metrics.plain or ["pass@1"], **design)
    first, power = designs.designs[0], design["power"]
    about = {"difference": design["difference"], "confidence": first.confidence, "correlation": first.correlation}
    draw = lambda plot: plot.draw(first, goal=power)
    return Answer.of(designs, about, kind="design", draw=draw)


def watch(logs: Logs, reading_options: Reading, metrics: MetricChoice, **options: Any) -> Answer:
    """Read the logs, and say what is settled at this look."""
    from ...rank._leaderboard import look_at

    outcomes = load_task(logs, reading_options)
    look = look_at(metrics.listed(outcomes), outcomes, **options)
    about = {"looks": look.looks.to_dict()} | ({"runs": RANDOM} if options["runs"] == RANDOM else {})
    return Answer.of(look, about, code=look.exit_code, advice=look.advice)
