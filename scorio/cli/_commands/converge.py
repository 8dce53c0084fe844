"""``scorio converge``: the number of trials that a ranking needs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from ..._display.table import Column, Table
from .._command import declared
from .._conditions import fail_under_option
from .._context import Record
from .._metric import metrics_or_default
from .._options import confidence_option, metrics_option, seed_option, task_weight_option, trials_option
from .._output import Answer, Output, subject
from .._reading import Reading, load

if TYPE_CHECKING:
    from ...metrics import Metric
    from ...resampling import Convergence

_SUMMARY = ("mean", "median", "never", "tau")
_BY_TRIALS = ("n", "tau", "lo", "hi", "converged")


@declared(
    "converge",
    "logs/ -m pass@1 -m pass@4 --replicates 200",
    metrics_option,
    task_weight_option,
    trials_option(
        "-n", "--trials", "n", show_default="as many as there are", detail="The largest number that is drawn."
    ),
    click.option("--by-trials", is_flag=True, help="Show one row per number of trials."),
    click.option(
        "--replicates", type=int, metavar="N", default=1000, show_default=True, help="Number of simulated rankings."
    ),
    click.option(
        "--replace/--no-replace", default=True, show_default=True, help="Draw trials with or without replacement."
    ),
    click.option(
        "--free-ties", is_flag=True, help="Count any order of models that tie on all trials as the same ranking."
    ),
    confidence_option,
    seed_option,
    fail_under_option,
)
def command(
    logs: tuple[str, ...],
    how: Reading,
    metrics: tuple[Metric, ...],
    by_trials: bool,
    confidence: float,
    out: Output,
    **options: Any,
) -> None:
    """Estimate how many trials keep the ranking the same; to separate two models, use plan.

    With logs of several tasks, models are ranked by their overall scores.
    Each replicate draws trials at random, and converges when its ranking becomes the ranking on all trials for good.
    """
    from ...resampling import analyze_convergence

    models = load(logs, how)
    table = analyze_convergence(metrics_or_default(metrics, models), models, **options)
    if by_trials:
        records = [row for each in table.values() for row in _by_trials(each, confidence)]
    else:
        records = [_summary(each) for each in table.values()]
    names = _BY_TRIALS if by_trials else _SUMMARY
    columns = [Column("metric"), *(Column(name, right=True) for name in names)]
    cells = [[row["metric"], *(_number(row[name]) for name in names)] for row in records]
    notes = [_NOTE_BY_TRIALS if by_trials else _NOTE]
    out.deliver(Answer([Table(subject(models), columns, cells, notes)], records, options))


def _summary(result: Convergence) -> Record:
    numbers = {"mean": result.mean, "median": result.median, "never": result.never, "tau": float(result.mean_tau[-1])}
    return {"metric": str(result.metric), **numbers}


def _by_trials(result: Convergence, confidence: float) -> Iterator[Record]:
    lo, hi = result.band(confidence)
    for i, n in enumerate(result.n):
        numbers = (result.mean_tau[i], lo[i], hi[i], result.cdf[i])
        yield {"metric": str(result.metric), "n": int(n), **dict(zip(_BY_TRIALS[1:], map(float, numbers), strict=True))}


def _number(value: float) -> str:
    return f"{value:d}" if isinstance(value, int) else "-" if value != value else f"{value:.3f}"  # noqa: PLR0124 - NaN


_NOTE = (
    "mean, median: trials per question until the ranking stays the same; never: share of replicates that do not "
    "converge; tau: Kendall's tau-b between the last ranking and the ranking on all trials"
)
_NOTE_BY_TRIALS = (
    "tau, lo, hi: Kendall's tau-b with the ranking on all trials, mean and band; converged: share of replicates"
)
