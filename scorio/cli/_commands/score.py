"""``scorio score``: models by metrics, with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .._command import declared, logs_are_missing
from .._conditions import fail_under_option
from .._metric import MetricChoice
from .._options import (
    bars_option,
    interval_options,
    runs_option,
    task_metrics_option,
    task_weight_option,
    too_few_option,
)
from .._output import Answer, Output
from .._reading import Reading, load
from .._scoring import check_no_weights, measured, scores_of_tasks, scores_table, verdict, with_verdicts

if TYPE_CHECKING:
    from ...comparison import Weights
    from ...outcomes import Suite


@declared(
    "score",
    "logs/ -m pass@1 -m pass@4 --confidence 0.9",
    task_metrics_option,
    task_weight_option,
    *interval_options,
    runs_option,
    too_few_option,
    bars_option,
    fail_under_option,
    click.option("--list", "is_list", is_flag=True, help="List the metrics to choose from, with their formulas."),
    needs_logs=False,
)
def command(
    logs: tuple[str, ...],
    how: Reading,
    metrics: MetricChoice,
    too_few: str,
    task_weights: Weights,
    out: Output,
    bars: bool | None,
    is_list: bool,
    **options: Any,
) -> None:
    """Score models by one or more metrics, with intervals.

    With -m TASK=METRIC, a task has a metric of its own. --list needs no logs; plug-ins add metrics with the entry point
    scorio.metrics.
    """
    from ...outcomes import Suite

    if is_list:
        from .._metric_list import list_of_metrics

        out.deliver(list_of_metrics())
        return
    if not logs:
        raise logs_are_missing()
    models = load(logs, how, by_task=bool(metrics.by_task))
    if isinstance(models, Suite):
        options |= {"too_few": too_few, "task_weights": task_weights}
        _deliver_suite(models, metrics, out, bars, options)
        return
    check_no_weights(task_weights)
    pairs = [(name, metric) for metric in metrics.listed(models) for name in models]
    scores = measured(models, pairs, too_few, options)
    records = [each.record() for each in scores]
    spreads = [(each.interval.lo, each.score, each.interval.hi) for each in scores]
    alone = scores if len(models) == 1 else []
    said = [verdict(each.model, each.metric, models[each.model], each.interval) for each in alone]
    table = out.drawn(with_verdicts(scores_table(scores, models), said), spreads, bars)
    out.deliver(Answer([table], records, options))


def _deliver_suite(
    suite: Suite, metrics: MetricChoice, out: Output, bars: bool | None, options: dict[str, Any]
) -> None:
    """Score the models over all tasks and on each of them."""
    from ...rank import Leaderboard

    board = Leaderboard(metrics.chosen(suite), suite, **options)
    plain, spreads, records = scores_of_tasks(board)
    if len(board.models) == 1:
        name = board.models[0]
        said = [verdict(name, each.metric, suite, each.intervals[0], each.weights) for each in board.rankings]
        plain = [with_verdicts(table, [sentence]) for table, sentence in zip(plain, said, strict=True)]
    tables = [out.drawn(table, each, bars) for table, each in zip(plain, spreads, strict=True)]
    out.deliver(Answer(tables, records, options))
