"""``scorio curve``: the score for every budget."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from ...errors import ParameterError
from .._conditions import Condition, check_conditions, fail_under
from .._metric import metric_of
from .._options import each_as, interval_options, too_few_option
from .._output import Answer, deliver, output_options
from .._reading import gathered, load_task, reading_options
from .._scoring import measured, scores_table

if TYPE_CHECKING:
    from ...metrics import Metric


def _of_budget(text: str) -> Metric:
    """Return a metric that has a budget; its value does not matter and may be left out."""
    from ...metrics._names import is_metric_name

    head, colon, rest = text.partition(":")
    metric = metric_of(f"{head}@1{colon}{rest}" if is_metric_name(head) else text)
    if metric.budget is None:
        raise ParameterError(f"{text} has no budget k, and so no curve")
    return metric


def _budgets(text: str | None) -> list[int]:
    try:
        return [int(part) for part in text.split(",")] if text else []
    except ValueError:
        raise ParameterError(f"{text!r} is not a list of whole numbers such as 1,2,4") from None


@click.command("curve", epilog="Example: scorio curve logs/ -m pass -m passhat -k 1,2,4")
@reading_options
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    callback=each_as(_of_budget),
    show_default="pass, or max for rewards",
    help="Metric with a budget, such as pass, passhat or gpass:tau=.5; repeatable.",
)
@click.option(
    "-k",
    "budgets",
    callback=each_as(_budgets),
    metavar="K,K,..",
    show_default="powers of two up to the fewest trials of a question, and that number",
    help="Budgets.",
)
@interval_options
@too_few_option("raise", "omit", "nan")
@fail_under
@output_options
def command(
    logs: tuple[str, ...],
    metrics: tuple[Metric, ...],
    budgets: list[int],
    too_few: str,
    conditions: tuple[Condition, ...],
    form: str | None,
    output: Path | None,
    **options: Any,
) -> None:
    """Score models for every budget k."""
    from ...report._findings import budgets_of, family_of

    models = load_task(logs, gathered(options))
    families = metrics or (family_of(models),)
    of_budget = [
        dataclasses.replace(cast(Any, metric), k=k) for metric in families for k in budgets or budgets_of(models)
    ]
    scores = measured(models, [(name, metric) for name in models for metric in of_budget], too_few, options)
    records = [{**each.record(), "k": each.metric.get_params()["k"]} for each in scores]
    deliver(Answer([scores_table(scores, models)], records, options), form, output)
    check_conditions(conditions, records)
