"""``scorio factors``: models under crossed conditions, such as prompts and judges."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..._choices import INCOMPLETE
from .._options import (
    confidence_option,
    metrics_option,
    metrics_or_default,
    target_option,
    too_few_option,
    weights_option,
)
from .._output import Answer, deliver, output_options
from .._progress import working
from .._reading import gathered, load, reading_options

if TYPE_CHECKING:
    from ...metrics import Metric


@click.command("factors", epilog="Example: scorio factors runs.csv --factor prompt")
@reading_options
@metrics_option
@click.option(
    "--random",
    multiple=True,
    metavar="FACTOR",
    show_default="all with 3 levels or more",
    help="Factor whose levels are a sample of levels like these; repeatable.",
)
@click.option(
    "--incomplete",
    type=click.Choice(INCOMPLETE),
    default="raise",
    show_default=True,
    help="Treatment of levels that some model lacks: an error, or left out.",
)
@too_few_option("raise", "omit")
@weights_option
@target_option
@confidence_option
@output_options
def command(
    logs: tuple[str, ...],
    metrics: tuple[Metric, ...],
    random: tuple[str, ...],
    form: str | None,
    output: Path | None,
    **options: Any,
) -> None:
    """Analyse models under crossed prompts, judges or other factors.

    The tables are margins, differences of models, tests, cells with interactions, and variance components. Factors
    are columns of tables, and conditions of logs; without --factor, all conditions in which runs of one model differ.
    With logs of several tasks, these are about overall scores, and one more table has the margins by task.
    """
    from ...factorial import factors

    how = gathered(options)
    models = load(logs, how)
    chosen = list(how.options["factors"]) or None
    with working("factors"):
        answers = [
            factors(metric, models, chosen, random=list(random) or None, **options)
            for metric in metrics_or_default(metrics, models)
        ]
    tables = [table for each in answers for table in each.tables()]
    settings = {"factors": list(answers[0].factors), "random": list(answers[0].random), **options}
    deliver(Answer(tables, [record for each in answers for record in each._records()], settings), form, output)
