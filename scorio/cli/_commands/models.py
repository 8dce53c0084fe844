"""Commands about every model of the logs: score, rank, curve, costs, history, factors, horizon and gap."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..._base.choices import RANDOM
from ..._base.words import pluralize
from ...errors import ForecastWarning, OutcomeError, ParameterError
from .._context import working
from .._metric import MetricChoice
from .._output import Answer
from .._reading import Reading, as_task, load, load_over, load_runs, load_task

if TYPE_CHECKING:
    from ...estimates._tasks import Weights
    from ...outcomes import OutcomeSet, Suite

    Logs = Sequence[str]


def score(
    logs: Logs,
    reading_options: Reading,
    metrics: MetricChoice,
    task_weights: Weights,
    too_few: str,
    is_list: bool,
    **options: Any,
) -> Answer:
    """Score models, or list the metrics."""
    from ...metrics import list_metrics
    from ...outcomes import Suite
    from ...rank._scores import score_models

    if is_list:
        listed = list_metrics()
        return Answer.of(listed, kind="list")
    if not logs:
        raise click.MissingParameter(param_hint="'LOGS...'", param_type="argument")
    models = load(logs, reading_options, by_task=bool(metrics.by_task))
    chosen = metrics.chosen(models) if isinstance(models, Suite) else metrics.listed(models)
    with working("scoring"):
        scores = score_models(chosen, models, too_few=too_few, task_weights=task_weights, **options)
    if isinstance(models, Suite):
        options |= {"too_few": too_few, "task_weights": task_weights}
    answer = Answer(scores.tables(verdicts=False), scores.as_records, options, methods=scores.to_methods)
    return answer.headed_by(scores.verdicts())


def rank(logs: Logs, reading_options: Reading, metrics: MetricChoice, family: str | None, **options: Any) -> Answer:
    """Rank models."""
    from ...rank import Leaderboard

    models = load(logs, reading_options, by_task=bool(metrics.by_task))
    with working("ranking"):
        board = Leaderboard(metrics.chosen(models), models, **options)
        pairs = None if family is None else board.pairs(family)
        tables = []
        for ranking in board.rankings:
            first, *rest = ranking.tables()
            others = board.verdicts(ranking.metric)[1:]  # the first verdict stands above the table
            first = first._replace(notes=[*first.notes, *others])
            tables += [first, *rest]
    settings = dataclasses.asdict(board.settings)
    if board.weights:
        settings["task_weights"] = dict(board.weights)
    if len(board.models) > 1:
        settings["leader"] = {str(ranking.metric): ranking.leader_score.to_dict() for ranking in board.rankings}
    if pairs is not None:
        tables += pairs.tables()
        settings["pairs"] = pairs.to_dict()
    answer = Answer(tables, board.as_records, settings, draw=lambda plot: plot.draw(board), methods=board.to_methods)
    return answer.headed_by(ranking.as_sentence() for ranking in board.rankings if len(board.models) > 1)


def curve(
    logs: Logs, reading_options: Reading, metrics: MetricChoice, budgets: list[int] | None, **options: Any
) -> Answer:
    """Score models for every number of trials, and forecast those for more trials than there are."""
    from ...curves import forecast

    outcomes = load(logs, reading_options)
    with working("scoring"), warnings.catch_warnings(action="ignore", category=ForecastWarning):  # the tables say it
        curves = [forecast(metric, outcomes, budgets, **options) for metric in metrics.plain or (None,)]
    told = {
        "compared": [comparison.to_dict() for of_metric in curves for comparison in of_metric.compared],
        "verdicts": [verdict for of_metric in curves for verdict in of_metric.verdicts()],
    }
    tables = [table for of_metric in curves for table in of_metric.tables()]
    records = lambda: [record for of_metric in curves for record in of_metric.as_records()]
    return Answer(tables, records, options | told, draw=lambda plot: plot.draw(curves[0]))


def costs(logs: Logs, reading_options: Reading, metrics: MetricChoice, **options: Any) -> Answer:
    """Set scores beside costs."""
    from ...rank import cost_table

    models = load(logs, reading_options)
    with working("ranking"):
        tables = [cost_table(metric, models, **options) for metric in metrics.listed(models)]
    records = lambda: [{"metric": table.metric, **record} for table in tables for record in table.as_records()]
    shown = [table.tables()[0] for table in tables]
    answer = Answer(shown, records, options, draw=lambda plot: plot.draw(tables[0]))
    return answer.headed_by(table.as_sentence() for table in tables)


def history(logs: Logs, reading_options: Reading, metrics: MetricChoice, **options: Any) -> Answer:
    """Show scores over dates."""
    from ...comparison import analyze_history

    parts = load_runs(logs, reading_options, by_day=options["runs"] == RANDOM)
    with working("comparing"):
        past = analyze_history(metrics.first, parts, **options)
    about = {"confidence": past.confidence, "target": past.target, "comparisons": past.comparisons}
    about |= {"runs": past.runs} if past.runs == RANDOM else {}
    return Answer.of(past, about, draw=lambda plot: plot.draw(past))


def factors(
    logs: Logs, reading_options: Reading, metrics: MetricChoice, random: tuple[str, ...], **options: Any
) -> Answer:
    """Analyse crossed conditions."""
    from ...factorial import analyze_factors

    models = load_task(logs, reading_options)
    chosen = list(reading_options["factors"]) or None
    with working("factors"):
        answers = [
            analyze_factors(metric, models, chosen, random=list(random) or None, **options)
            for metric in metrics.listed(models)
        ]
    tables = [table for answer in answers for table in answer.tables()]
    settings = {"factors": list(answers[0].factors), "random": list(answers[0].random), **options}
    return Answer(tables, lambda: [record for answer in answers for record in answer.as_records()], settings)


def horizon(
    logs: Logs,
    reading_options: Reading,
    metrics: MetricChoice,
    over: str,
    rates: tuple[float, ...],
    dates: dict[str, str],
    **options: Any,
) -> Answer:
    """Find the values of questions at which success crosses rates."""
    from ...curves import horizon as horizon_of

    models = as_task(load_over(logs, reading_options, over).outcomes)
    with working("fitting"):
        horizons = horizon_of(metrics.listed(models)[0], models, over, at=rates, **options)
        shown = horizons.tables()[0]
        trend = horizons.trend(dates) if dates else None
    settings: dict[str, Any] = {"over": over, "rates": list(rates), **options}
    if trend is not None:
        shown = shown._replace(notes=[*shown.notes, str(trend)])
        settings["trend"] = trend.to_dict()
    tables = [shown] + ([horizons.comparisons(rate) for rate in horizons.rates] if len(models) > 1 else [])
    return Answer(tables, horizons.as_records, settings, draw=lambda plot: plot.draw(horizons))


def gap(
    logs: Logs,
    reading_options: Reading,
    metrics: MetricChoice,
    sets_file: Path | None,
    cut: str | None,
    over: str | None,
    others: tuple[str, ...],
    **options: Any,
) -> Answer:
    """Say whether a model does better on questions that it may have seen."""
    from ...curves import gaps

    outcomes, about = _read_sets(logs, reading_options, sets_file, cut, over)
    with working("gaps"):
        measured = gaps(metrics.listed(outcomes)[0], outcomes, others=others or None, **about, **options)
    settings = {"sets": measured.rows[0].sets, "cut": cut, "over": over, "paired": measured.rows[0].is_paired}
    settings |= {name: options[name] for name in ("confidence", "target")}
    return Answer.of(measured, settings)


def _read_sets(
    logs: Logs, reading_options: Reading, sets_file: Path | None, cut: str | None, over: str | None
) -> tuple[OutcomeSet | Suite, dict[str, Any]]:
    """Return the outcomes, and as arguments of ``gaps`` in which set each question is."""
    from ...curves._gap import read_sets

    if over is not None and sets_file is not None:
        raise ParameterError("--over and --sets both say which questions are in which set: give one of them")
    if (over is not None and cut is None) or (cut is not None and over is None and sets_file is None):
        raise ParameterError("--cut divides the numbers of --over, or the column date or value of --sets")
    limit = {} if cut is None else {"cut": cut}
    if over is not None:
        return as_task(load_over(logs, reading_options, over).outcomes), {"sets": over, **limit}
    if sets_file is not None:
        models = load_task(logs, reading_options)
        return models, read_sets(sets_file, models, is_cut=cut is not None) | limit
    outcomes = load(logs, reading_options, by_task=True)
    tasks = outcomes.tasks
    if len(tasks) != 2:
        problem = f"the logs hold {pluralize(max(len(tasks), 1), 'task')}, and a gap is between two sets of questions"
        hint = "name a file with --sets, or a number with --over and --cut; --task chooses tasks"
        raise OutcomeError(problem, hint=hint)
    return outcomes, {}
