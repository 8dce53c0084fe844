"""``scorio curve``: the score for every budget."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, cast

import click

from ...errors import ParameterError
from .._command import declared
from .._conditions import fail_under_option
from .._metric import metric_of
from .._options import each_as, interval_options, metric_option, too_few_option
from .._output import Answer, Output
from .._reading import Reading, load_task
from .._scoring import measured, scores_table

if TYPE_CHECKING:
    from ...metrics import Metric


def _of_budget(text: str) -> Metric:
    """Return a metric that has a budget; its value does not matter and may be left out."""
    from ...metrics import is_metric_name

    head, colon, rest = text.partition(":")
    metric = metric_of(f"{head}@1{colon}{rest}" if is_metric_name(head) else text)
    if metric._k is None:
        raise ParameterError(f"{text} has no budget k, and so no curve")
    return metric


def _budgets(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",") if text]
    except ValueError:
        raise ParameterError(f"{text!r} is not a list of whole numbers such as 1,2,4") from None


@declared(
    "curve",
    "logs/ -m pass -m passhat -k 1,2,4",
    metric_option(
        "Repeatable. Its k is left out, as in pass, passhat or gpass:tau=.5, because -k lists them.",
        callback=each_as(_of_budget),
        show_default="pass, or max for rewards",
    ),
    click.option(
        *("-k", "budgets"),
        callback=each_as(_budgets),
        metavar="K,K,..",
        show_default="powers of two up to the fewest trials of a question, and that number",
        help="Numbers of trials k to score for.",
    ),
    *interval_options,
    too_few_option("raise", "omit", "nan"),
    fail_under_option,
)
def command(
    logs: tuple[str, ...],
    how: Reading,
    metrics: tuple[Metric, ...],
    budgets: list[int] | None,
    too_few: str,
    out: Output,
    **options: Any,
) -> None:
    """Score models for every number of trials k, as in Pass@k."""
    from ...report import family_of, ks_of

    models = load_task(logs, how)
    families = metrics or (family_of(models),)
    of_budget = [dataclasses.replace(cast(Any, metric), k=k) for metric in families for k in budgets or ks_of(models)]
    scores = measured(models, [(name, metric) for name in models for metric in of_budget], too_few, options)
    records = [{**each.record(), "k": each.metric.get_params()["k"]} for each in scores]
    out.deliver(Answer([scores_table(scores, models)], records, options))
