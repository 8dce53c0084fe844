"""``scorio score``: models by metrics, with intervals."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .._conditions import Condition, check_conditions, fail_under
from .._options import bars_option, interval_options, too_few_option, weights_option
from .._output import Answer, deliver, drawn, output_options
from .._reading import gathered, load, reading_options
from .._score_verdicts import verdict
from .._scoring import check_no_weights, measured, scores_of_tasks, scores_table, with_verdicts
from .._task_metrics import MetricChoice, task_metrics_option

if TYPE_CHECKING:
    from ...comparison._task_metrics import Weights
    from ...outcomes import Suite


@click.command("score", epilog="Example: scorio score logs/ -m pass@1 -m pass@4 --confidence 0.9")
@reading_options
@task_metrics_option
@interval_options
@too_few_option("raise", "omit", "nan")
@weights_option
@bars_option
@fail_under
@output_options
def command(
    logs: tuple[str, ...],
    metrics: MetricChoice,
    too_few: str,
    weights: Weights,
    conditions: tuple[Condition, ...],
    form: str | None,
    output: Path | None,
    bars: bool | None,
    **options: Any,
) -> None:
    """Score models by one or more metrics, with intervals."""
    from ...outcomes import Suite

    models = load(logs, gathered(options))
    if isinstance(models, Suite):
        options |= {"too_few": too_few, "weights": weights}
        _deliver_suite(models, metrics, conditions, form, output, bars, options)
        return
    check_no_weights(weights)
    pairs = [(name, metric) for metric in metrics.listed(models) for name in models]
    scores = measured(models, pairs, too_few, options)
    records = [each.record() for each in scores]
    spreads = [(each.interval.lo, each.score, each.interval.hi) for each in scores]
    alone = scores if len(models) == 1 else []
    said = [verdict(each.model, each.metric, models[each.model], each.interval) for each in alone]
    table = drawn(with_verdicts(scores_table(scores, models), said), spreads, bars, form, output)
    deliver(Answer([table], records, options), form, output)
    check_conditions(conditions, records)


def _deliver_suite(
    suite: Suite,
    metrics: MetricChoice,
    conditions: tuple[Condition, ...],
    form: str | None,
    output: Path | None,
    bars: bool | None,
    options: dict[str, Any],
) -> None:
    """Score the models over all tasks and on each of them."""
    from ...rank import Leaderboard

    board = Leaderboard(metrics.chosen(suite), suite, **options)
    plain, spreads, records = scores_of_tasks(board)
    if len(board.models) == 1:
        name = board.models[0]
        said = [verdict(name, each.metric, suite, each.intervals[0], each.weights) for each in board.rankings]
        plain = [with_verdicts(table, [sentence]) for table, sentence in zip(plain, said, strict=True)]
    tables = [drawn(table, each, bars, form, output) for table, each in zip(plain, spreads, strict=True)]
    deliver(Answer(tables, records, options), form, output)
    check_conditions(conditions, records)
