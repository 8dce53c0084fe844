"""``scorio costs``: scores beside what they cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..._choices import PER
from .._command import declared
from .._context import working
from .._metric import metrics_or_default
from .._options import (
    FiniteRange,
    check_one_metric,
    choice_option,
    confidence_option,
    cost_option,
    metrics_option,
    picture_option,
    runs_option,
    target_option,
    task_weight_option,
)
from .._output import Answer, Output
from .._reading import Reading, load
from .._writing import write_picture

if TYPE_CHECKING:
    from ...metrics import Metric


@declared(
    "costs",
    "logs/ -m pass@1 --cost seconds",
    metrics_option,
    cost_option("the only one, or dollars"),
    click.option(
        "--limit",
        type=FiniteRange(min=0, min_open=True),
        metavar="COST",
        show_default="the cost of k trials of the costliest model",
        help="Cost that a model may spend on a question, for the values at equal cost.",
    ),
    choice_option(
        "--per", PER, "trial", "What the cost is of: a trial, or a success, for which that of failures counts as well."
    ),
    task_weight_option,
    confidence_option,
    target_option,
    runs_option,
    picture_option,
)
def command(
    logs: tuple[str, ...],
    how: Reading,
    metrics: tuple[Metric, ...],
    picture: Path | None,
    out: Output,
    **options: Any,
) -> None:
    """Set scores beside costs: for the same money, and which models are worth their price.

    The logs tell what their runs used: tokens, seconds or dollars. In tables with one row per trial, columns such as
    cost, usd, tokens or seconds are found by their names; --field cost=COLUMN names others.
    """
    from ...rank import cost_table

    check_one_metric(picture, metrics)
    models = load(logs, how)
    with working("ranking"):
        tables = [cost_table(metric, models, **options) for metric in metrics_or_default(metrics, models)]
    records = [{"metric": each.metric, **record} for each in tables for record in each._records()]
    write_picture(picture, lambda plot: plot.frontier(tables[0]))
    out.deliver(Answer([each._display_table() for each in tables], records, options))
