"""``scorio score``: models by metrics, with intervals."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from ...errors import OutcomeError
from ...interval import Interval
from ...metrics import Metric
from ...outcome_set import OutcomeSet
from ...sheet import Column, Sheet, plain
from ..conditions import Condition, demand, fail_under
from ..options import chosen, interval_options, metrics_option, subject
from ..output import Answer, Record, deliver, output_options
from ..progress import tracked
from ..reading import gathered, load, reading_options


@click.command("score")
@reading_options
@metrics_option
@interval_options
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
    found = [_measured(models, *pair, short, options) for pair in tracked("scoring", pairs)]
    records = [_record(*pair, *each) for pair, each in zip(pairs, found, strict=True)]
    about = found[0][1].about
    deliver(Answer([_sheet(records, subject(models), about)], records, options), form, output)
    demand(conditions, records)


def _measured(models: OutcomeSet, name: str, metric: Metric, short: str, options: Record) -> tuple[float, Interval]:
    try:
        return metric.score(models[name], short=short), metric.interval(models[name], **options)
    except OutcomeError as error:
        raise OutcomeError(f"{name}: {error}") from None


def _record(name: str, metric: Metric, score: float, interval: Interval) -> Record:
    numbers = dict(zip(Interval._fields, interval, strict=True))
    return {"model": name, "metric": str(metric), "score": score, **numbers, "coverage": interval.coverage}


def _sheet(records: list[Record], title: str, about: str) -> Sheet:
    """A row a model and metric; coverage where trials are missing."""
    left, right = Column, partial(Column, right=True)
    columns = [left("model"), left("metric"), *map(right, ("score", "mu", "sigma")), left("interval")]
    cells = [_cells(record) for record in records]
    if any(record["coverage"] < 1.0 for record in records):
        columns.append(right("coverage"))
        cells = [[*line, f"{record['coverage']:.1%}"] for line, record in zip(cells, records, strict=True)]
    return Sheet(title, columns, cells, [f"score: of these trials; mu, sigma, interval: {about}"])


def _cells(record: Record) -> list[str]:
    numbers = [f"{record[name]:.3f}" for name in ("score", "mu", "sigma")]
    return [plain(record["model"]), record["metric"], *numbers, f"[{record['lo']:.3f}, {record['hi']:.3f}]"]
