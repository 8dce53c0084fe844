"""``scorio curve``: the score for every number of trials, also for more than there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from ...errors import ParameterError
from .._command import declared
from .._context import is_typed, working
from .._metric import metric_of
from .._options import check_one_metric, each_as, interval_options, metric_option, picture_option, too_few_option
from .._output import Answer, Output
from .._reading import Reading, as_task, load
from .._scoring import measured, scores_table
from .._writing import write_picture

if TYPE_CHECKING:
    from ...metrics import Metric
    from ...outcomes import OutcomeSet, Suite


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
    "logs/ -m pass -k 1,2,4,100,1000",
    metric_option(
        callback=each_as(_of_budget),
        show_default="pass, or max for rewards",
    ),
    click.option(
        *("-k", "budgets"),
        callback=each_as(_budgets),
        metavar="K,K,..",
        show_default="powers of two up to the fewest trials of a question, and that number",
        help="Numbers of trials k, for metrics whose k is left out, as in pass, passhat or gpass:tau=.5.",
    ),
    *interval_options,
    too_few_option,
    picture_option,
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
    """Score models for every number of trials k, as in Pass@k, and forecast those for more trials than there are.

    A forecast of pass, passhat or max has intervals of 50%, 80% and --confidence. Most of one may come from questions
    that were never solved: below the table are the values if none or all of these can be solved. Two models are
    compared at every k. Other metrics have intervals without a score beyond the trials, with --too-few nan.
    """
    check_one_metric(picture, metrics)
    from ...comparison import as_tasks
    from ...report import family_of, ks_of

    outcomes = load(logs, how)
    families = metrics or (family_of(next(iter(as_tasks(outcomes).values()))),)
    if too_few == "raise" and budgets and _is_forecast(families, outcomes, budgets):
        _forecast(families[0], outcomes, budgets, options, picture, out)
        return
    models = as_task(outcomes)
    of_budget = [replace(cast(Any, metric), k=k) for metric in families for k in budgets or ks_of(models)]
    scores = measured(models, [(name, metric) for name in models for metric in of_budget], too_few, options)
    records = [{**each.record(), "k": each.metric.get_params()["k"]} for each in scores]
    ks = budgets or ks_of(models)
    write_picture(picture, lambda plot: plot.pass_curve(models, ks, metric=families[0], **options))
    out.deliver(Answer([scores_table(scores, models)], records, options))


def _is_forecast(families: Sequence[Metric], outcomes: OutcomeSet | Suite, budgets: Sequence[int]) -> bool:
    """Return whether a k is beyond the trials, of a metric that has a forecast, under the prior that forecasts have."""
    from ...comparison import as_tasks
    from ...forecasting import can_be_forecast

    every = [each for models in as_tasks(outcomes).values() for each in models.values()]
    is_beyond = max(budgets) > max(1, min(each.min_trials for each in every))
    is_plain = len(families) == 1 and not (is_typed("prior") or is_typed("shape"))
    return is_beyond and is_plain and can_be_forecast(families[0])


def _forecast(
    metric: Metric,
    outcomes: OutcomeSet | Suite,
    budgets: Sequence[int],
    options: dict[str, Any],
    picture: Path | None,
    out: Output,
) -> None:
    """Say what many more trials than there are would give."""
    from ...forecasting import forecast, levels_up_to

    confidence, target = options["confidence"], options["target"]
    with working("forecasting"):
        found = forecast(metric, outcomes, budgets, levels=levels_up_to(confidence), target=target)
    about: dict[str, Any] = {"metric": found.metric, "k": list(found.ks), "confidence": confidence, "target": target}
    told = {"compared": [each.to_dict() for each in found.compared], "verdicts": list(found.verdicts())}
    ends = [{"lo": each.lo, "hi": each.hi} for each in found.points]
    records = [record | each for record, each in zip(found._records(), ends, strict=True)]
    write_picture(picture, lambda plot: plot.forecast(found))
    out.deliver(Answer([found._display_table()], records, about | told, kind="forecast"))
