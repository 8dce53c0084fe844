"""``scorio costs``: scores beside what they cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .._options import (
    confidence_option,
    cost_option,
    metrics_option,
    metrics_or_default,
    prior_option,
    seed_option,
    target_option,
    weights_option,
)
from .._output import Answer, deliver, output_options
from .._progress import working
from .._reading import gathered, load, reading_options

if TYPE_CHECKING:
    from ...metrics import Metric


@click.command("costs", epilog="Example: scorio costs logs/ -m pass@1 --cost seconds")
@reading_options
@metrics_option
@cost_option
@click.option(
    "--budget",
    type=click.FloatRange(min=0, min_open=True),
    show_default="the cost of k trials of the costliest model",
    help="Cost that a model may spend on a question, for the values at equal cost.",
)
@weights_option
@target_option
@prior_option
@confidence_option
@seed_option
@output_options
def command(
    logs: tuple[str, ...], metrics: tuple[Metric, ...], form: str | None, output: Path | None, **options: Any
) -> None:
    """Set scores beside costs: for the same money, and which models are worth their price.

    The logs tell what their runs used: tokens, seconds or dollars.
    """
    from ...rank import cost_table

    models = load(logs, gathered(options))
    with working("ranking"):
        tables = [cost_table(metric, models, **options) for metric in metrics_or_default(metrics, models)]
    records = [{"metric": each.metric, **record} for each in tables for record in each._records()]
    deliver(Answer([each._display_table() for each in tables], records, options), form, output)
