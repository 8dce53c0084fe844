"""``scorio converge``: how many trials a ranking needs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from ...convergence import Convergence, convergence
from ...metrics import Metric
from ...sheet import Column, Sheet
from ..conditions import Condition, demand, fail_under
from ..options import chosen, confidence_option, metrics_option, seed_option, subject
from ..output import Answer, Record, deliver, output_options
from ..reading import gathered, load, reading_options

_SUMMARY = ("mean", "median", "never", "tau")
_BY_TRIALS = ("n", "tau", "lo", "hi", "converged")


@click.command("converge")
@reading_options
@metrics_option
@click.option("--by-trials", is_flag=True, help="A row for every number of trials.")
@click.option("-n", "--trials", "n", type=int, help="The most trials a question; those there are if left out.")
@click.option("--replicates", type=int, default=1000, show_default=True, help="How many rankings are drawn.")
@click.option("--replace/--no-replace", default=True, show_default=True, help="Whether a trial may be drawn again.")
@click.option("--free-ties", is_flag=True, help="Models that tie on all trials may come in any order.")
@confidence_option
@seed_option
@fail_under
@output_options
def command(
    logs: tuple[str, ...],
    metrics: tuple[Metric, ...],
    by_trials: bool,
    confidence: float,
    conditions: tuple[Condition, ...],
    form: str | None,
    output: Path | None,
    **options: Any,
) -> None:
    """How many trials the ranking needs until it is the ranking on all trials and stays so.

    scorio converge logs/ -m pass@1 -m pass@4 --replicates 2000
    """
    models = load(logs, gathered(options))
    table = convergence(chosen(metrics, models), models, **options)
    if by_trials:
        records = [row for each in table.values() for row in _by_trials(each, confidence)]
    else:
        records = [_summary(each) for each in table.values()]
    shown = _BY_TRIALS if by_trials else _SUMMARY
    columns = [Column("metric"), *(Column(head, right=True) for head in shown)]
    cells = [[row["metric"], *(_number(row[name]) for name in shown)] for row in records]
    notes = [_NOTE_BY_TRIALS if by_trials else _NOTE]
    deliver(Answer([Sheet(subject(models), columns, cells, notes)], records, options), form, output)
    demand(conditions, records)


def _summary(found: Convergence) -> Record:
    numbers = {"mean": found.mean, "median": found.median, "never": found.never, "tau": float(found.mean_tau[-1])}
    return {"metric": str(found.metric), **numbers}


def _by_trials(found: Convergence, confidence: float) -> Iterator[Record]:
    lo, hi = found.band(confidence)
    for i, n in enumerate(found.n):
        numbers = (found.mean_tau[i], lo[i], hi[i], found.cdf[i])
        yield {"metric": str(found.metric), "n": int(n), **dict(zip(_BY_TRIALS[1:], map(float, numbers), strict=True))}


def _number(value: float) -> str:
    return f"{value:d}" if isinstance(value, int) else "-" if value != value else f"{value:.3f}"  # noqa: PLR0124 - NaN


_NOTE = "mean, median: trials from which on the ranking stays; never: replicates where it does not; tau: in the end"
_NOTE_BY_TRIALS = "tau: Kendall's tau-b to the ranking on all trials, with its band; converged: share of replicates"
