"""``scorio curve``: the score for every budget."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from ...errors import ParameterError
from .._command import declared
from .._conditions import fail_under_option
from .._metric import metric_of
from .._options import each_as, interval_options, metric_option, picture_option, too_few_option
from .._output import Answer, Output
from .._reading import Reading, load_task
from .._scoring import measured, scores_table
from .._writing import write_picture

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


def budgets_option(default: str, detail: str = "") -> Any:
    """Return ``-k``; ``default`` says which numbers hold without it, and the detail what the command does with them."""
    return click.option(
        *("-k", "budgets"),
        callback=each_as(_budgets),
        metavar="K,K,..",
        show_default=default,
        help=f"Numbers of trials k to score for. {detail}".rstrip(),
    )


def family_option(detail: str, **settings: Any) -> Any:
    """Return ``--metric`` for metrics whose k ``-k`` lists; the detail says what the command does with them."""
    return metric_option(detail, callback=each_as(_of_budget), show_default="pass, or max for rewards", **settings)


@declared(
    "curve",
    "logs/ -m pass -m passhat -k 1,2,4",
    family_option("Repeatable. Its k is left out, as in pass, passhat or gpass:tau=.5, because -k lists them."),
    budgets_option("powers of two up to the fewest trials of a question, and that number"),
    *interval_options,
    too_few_option("raise", "omit", "nan"),
    picture_option,
    fail_under_option,
)
def command(
    logs: tuple[str, ...],
    how: Reading,
    metrics: tuple[Metric, ...],
    budgets: list[int] | None,
    too_few: str,
    picture: Path | None,
    out: Output,
    **options: Any,
) -> None:
    """Score models for every number of trials k, as in Pass@k, or Vote@k where answers are kept.

    With --too-few nan, k may be more than the trials: that is a forecast, which the picture of --picture shows dashed.
    """
    if picture is not None and len(metrics) > 1:
        raise ParameterError("shows one metric", argument="picture")
    from ...inference import Terms
    from ...metrics import warn_of_shapes
    from ...report import family_of, ks_of

    models = load_task(logs, how)
    families = metrics or (family_of(models),)
    of_budget = [replace(cast(Any, metric), k=k) for metric in families for k in budgets or ks_of(models)]
    for family in families if too_few != "raise" else ():  # else k beyond the trials is an error
        warn_of_shapes([each for each in of_budget if type(each) is type(family)], models.values(), Terms(**options))
    scores = measured(models, [(name, metric) for name in models for metric in of_budget], too_few, options)
    records = [{**each.record(), "k": each.metric.get_params()["k"]} for each in scores]
    out.deliver(Answer([scores_table(scores, models)], records, options))
    if picture is not None:
        from ... import plot

        write_picture(plot.pass_curve(models, budgets or ks_of(models), metric=families[0], **options), picture)
