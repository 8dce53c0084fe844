"""``scorio curve``: the score for every budget."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, cast

import click

from ...errors import ParameterError
from ...metrics import Metric
from ...report.findings import budgets_of, family_of
from ..conditions import Condition, demand, fail_under
from ..metric import Known, metric_of
from ..options import each_as, interval_options, short_option
from ..output import Answer, deliver, output_options
from ..reading import gathered, load, reading_options
from ..scoring import measured, sheet


def _of_budget(text: str) -> Metric:
    """A metric that has a budget; which one does not matter, and may be left out."""
    head, colon, rest = text.partition(":")
    metric = metric_of(f"{head}@1{colon}{rest}" if head in Known() else text)
    if not hasattr(metric, "k"):
        raise ParameterError(f"{text} has no budget k: it has no curve")
    return metric


def _budgets(text: str | None) -> list[int]:
    try:
        return [int(part) for part in text.split(",")] if text else []
    except ValueError:
        raise ParameterError(f"{text!r} is not whole numbers with commas between, as in 1,2,4") from None


@click.command("curve")
@reading_options
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    callback=each_as(_of_budget),
    help="pass, passhat, gpass:tau=.5 ..; pass if left out, max for rewards.",
)
@click.option(
    "-k",
    "budgets",
    callback=each_as(_budgets),
    metavar="K,K,..",
    help="The budgets; powers of two up to the fewest trials, and those, if left out.",
)
@interval_options
@short_option("raise", "omit", "nan")
@fail_under
@output_options
def command(
    logs: tuple[str, ...],
    metrics: tuple[Metric, ...],
    budgets: list[int],
    short: str,
    conditions: tuple[Condition, ...],
    form: str | None,
    output: Path | None,
    **options: Any,
) -> None:
    """Score models for every budget k.

    scorio curve logs/ -m pass -m passhat -k 1,2,4,8
    """
    models = load(logs, gathered(options))
    families = metrics or (family_of(models),)
    asked = [dataclasses.replace(cast(Any, metric), k=k) for metric in families for k in budgets or budgets_of(models)]
    found = measured(models, [(name, metric) for name in models for metric in asked], short, options)
    records = [{**each.record(), "k": each.metric.get_params()["k"]} for each in found]
    deliver(Answer([sheet(found, models)], records, options), form, output)
    demand(conditions, records)
