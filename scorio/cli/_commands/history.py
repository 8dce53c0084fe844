"""``scorio history``: the same models and tasks over dates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..._choices import RANDOM
from .._command import declared
from .._context import working
from .._options import confidence_option, metric_option, picture_option, runs_option, target_option
from .._output import Answer, Output
from .._reading import Reading
from .._writing import write_picture

if TYPE_CHECKING:
    from ...metrics import Metric


@declared(
    "history",
    "logs/ -m pass@1 --picture history.svg",
    metric_option(multiple=False),
    confidence_option,
    target_option,
    runs_option,
    click.option(
        "--records",
        is_flag=True,
        help="Say which records are real: runs that are better than every earlier one.",
    ),
    picture_option,
)
def command(
    logs: tuple[str, ...], how: Reading, metrics: Metric | None, picture: Path | None, out: Output, **options: Any
) -> None:
    """Show scores of finished runs over dates, and what changed; for a run that still grows, use watch.

    Runs are dated by their logs. Tables, such as saved counts, are dated by their names, as in counts-2026-01-31.csv.
    Settings that differ from the run before are listed as drift, except those named with --pool. With --runs random,
    the runs of one day are one date.
    """
    from ...comparison import history_of
    from .._runs import load_runs

    parts = load_runs(logs, how, by_day=options["runs"] == RANDOM)
    with working("comparing"):
        result = history_of(parts, metrics, prior=None, **options)
    about = {"confidence": result.confidence, "target": result.target, "comparisons": result.comparisons}
    about |= {"runs": result.runs} if result.runs == RANDOM else {}
    out.deliver(Answer([result._display_table()], result._records(), about))
    write_picture(picture, lambda plot: plot.history(result))
