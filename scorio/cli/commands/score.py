"""``scorio score``: models by metrics, with intervals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ...metrics import Metric
from ..conditions import Condition, demand, fail_under
from ..options import chosen, interval_options, metrics_option, short_option
from ..output import Answer, deliver, output_options
from ..reading import gathered, load, reading_options
from ..scoring import measured, sheet


@click.command("score")
@reading_options
@metrics_option
@interval_options
@short_option("raise", "omit", "nan")
@fail_under
@output_options
def command(
    logs: tuple[str, ...],
    metrics: tuple[Metric, ...],
    short: str,
    conditions: tuple[Condition, ...],
    form: str | None,
    output: Path | None,
    **options: Any,
) -> None:
    """Score models by one metric or more, with intervals.

    scorio score logs/ -m pass@1 -m pass@8 --prior eb --confidence .95
    """
    models = load(logs, gathered(options))
    pairs = [(name, metric) for metric in chosen(metrics, models) for name in models]
    found = measured(models, pairs, short, options)
    records = [each.record() for each in found]
    deliver(Answer([sheet(found, models)], records, options), form, output)
    demand(conditions, records)
