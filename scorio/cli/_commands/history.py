"""``scorio history``: the same models and tasks over dates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .._metric import metric_of
from .._options import confidence_of, each_as, prior_option, target_option
from .._output import Answer, deliver, output_options
from .._progress import working
from .._reading import gathered, reading_options
from .._writing import Writable, replacing

if TYPE_CHECKING:
    from ...comparison import History
    from ...metrics import Metric


@click.command("history", epilog="Example: scorio history logs/ -m pass@1 --plot history.svg")
@reading_options
@click.option(
    "-m",
    "--metric",
    "by",
    callback=each_as(lambda text: None if text is None else metric_of(text)),
    metavar="METRIC",
    show_default="pass@1, or bayes for rewards",
    help="Metric of the scores.",
)
@confidence_of("Confidence level of intervals, and one minus the error rate of all called changes together.")
@target_option
@prior_option
@click.option("--plot", "picture", type=Writable(), show_default="none", help="File for a picture: .svg, .pdf or .png.")
@output_options
def command(
    logs: tuple[str, ...],
    by: Metric | None,
    picture: Path | None,
    form: str | None,
    output: Path | None,
    **options: Any,
) -> None:
    """Show scores over dates: changes that are called, and what else changed.

    Runs are dated by their logs. Tables, such as saved counts, are dated by their names, as in counts-2026-01-31.csv.
    Settings that differ from the run before are listed as drift, except those named with --pool.
    """
    from ...comparison._history import history_of
    from .._runs import load_runs

    parts = load_runs(logs, gathered(options))
    with working("comparing"):
        result = history_of(parts, by, **options)
    about = {"confidence": result.confidence, "target": result.target, "comparisons": result.comparisons}
    deliver(Answer([result._display_table()], result._records(), about), form, output)
    if picture is not None:
        _draw(result, picture)


def _draw(result: History, picture: Path) -> None:
    from ... import plot

    figure: Any = plot.history(result).figure
    with replacing(picture) as unfinished:
        figure.savefig(unfinished)
    click.echo(f"wrote {picture}", err=True)
