"""``scorio factors``: models under crossed conditions, such as prompts and judges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..._choices import INCOMPLETE
from .._command import declared
from .._context import working
from .._metric import metrics_or_default
from .._options import (
    choice_option,
    confidence_option,
    metrics_option,
    target_option,
    task_weight_option,
)
from .._output import Answer, Output
from .._reading import Reading, load

if TYPE_CHECKING:
    from ...metrics import Metric


@declared(
    "factors",
    "runs.csv --factor prompt",
    metrics_option,
    click.option(
        "--random",
        multiple=True,
        metavar="FACTOR",
        show_default="all with 3 levels or more",
        help="Factor whose levels are a random sample of levels like these; repeatable.",
    ),
    choice_option(
        "--incomplete",
        INCOMPLETE,
        "raise",
        "Levels that some model lacks are an error (raise), or are left out (omit).",
    ),
    task_weight_option,
    confidence_option,
    target_option,
)
def command(
    logs: tuple[str, ...],
    how: Reading,
    metrics: tuple[Metric, ...],
    random: tuple[str, ...],
    out: Output,
    **options: Any,
) -> None:
    """Analyse models under crossed prompts, judges or other factors.

    The tables are margins, differences of models, tests, cells with interactions, and variance components. Factors
    are columns of tables, and conditions of logs; without --factor, all conditions in which runs of one model differ.
    With logs of several tasks, these are about overall scores, and one more table has the margins by task.
    """
    from ...factorial import analyze_factors

    models = load(logs, how)
    chosen = list(how.options["factors"]) or None
    with working("factors"):
        answers = [
            analyze_factors(metric, models, chosen, random=list(random) or None, **options)
            for metric in metrics_or_default(metrics, models)
        ]
    tables = [table for each in answers for table in each.tables()]
    settings = {"factors": list(answers[0].factors), "random": list(answers[0].random), **options}
    out.deliver(Answer(tables, [record for each in answers for record in each._records()], settings))
