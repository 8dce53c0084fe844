"""``scorio report``: one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import ParameterError
from .._context import added_up, debug_option
from .._gate_options import MaxDrop, gate_options
from .._options import (
    interval_options,
    seed_option,
    tie_option,
    too_few_option,
    weights_option,
)
from .._progress import working
from .._reading import check_renamed, gathered, load_part, reading_options
from .._task_metrics import MetricChoice, task_metrics_option
from .._writing import Writable, replacing

if TYPE_CHECKING:
    from ...comparison import History
    from ...rank import Leaderboard
    from .._reading import Reading


_RANKS = {"shape": "--shape", "too_few": "--too-few", "tie": "--tie", "rng": "--seed"}  # options of leaderboards


@click.command("report", epilog="Example: scorio report logs/ -m pass@1 -m pass@4 -o report.html")
@reading_options
@task_metrics_option
@interval_options
@too_few_option("raise", "omit")
@weights_option
@tie_option
@seed_option
@click.option(
    "--history",
    "earlier",
    multiple=True,
    type=click.Path(),
    metavar="LOGS",
    show_default="none",
    help="Logs or saved counts of earlier runs, for the section on history; repeatable.",
)
@gate_options("none", "no gate")
@click.option("--title", show_default="Leaderboard, or Comparison", help="Heading of the page.")
@click.option(
    "-o", "--output", default="report.html", show_default=True, type=Writable([".html", ".htm"]), help="File to write."
)
@debug_option
def command(
    logs: tuple[str, ...],
    metrics: MetricChoice,
    earlier: tuple[str, ...],
    old: tuple[str, ...],
    max_drop: MaxDrop,
    title: str | None,
    output: Path,
    **options: Any,
) -> None:
    """Write a report: one HTML file that needs no network.

    With --baseline it is about what changed between two runs: the differences per task and overall, and the questions.
    """
    how = gathered(options)
    rules = {name: options.pop(name) for name in ("between", "mode")} | {"max_drop": max_drop}
    if old:
        page = _comparison(logs, old, how, metrics, {**_without(options, earlier), **rules}, title or "Comparison")
    elif max_drop.is_set or rules["between"]:
        raise ParameterError("--max-drop and --between are for a report with --baseline")
    else:
        page = _leaderboard(logs, earlier, how, metrics, options, title or "Leaderboard")
    with replacing(output) as unfinished:
        unfinished.write_text(page, encoding="utf-8")
    click.echo(f"wrote {output}", err=True)


def _leaderboard(
    logs: tuple[str, ...],
    earlier: tuple[str, ...],
    how: Reading,
    metrics: MetricChoice,
    options: dict[str, Any],
    title: str,
) -> str:
    from ...rank import Leaderboard
    from ...report import html_report

    reading = load_part(logs, how)
    check_renamed(how, [reading])
    models = reading.outcomes
    tasks = sorted({source.run.task for source in reading.sources if source.run.task})
    about = {"title": title, "task": tasks[0] if len(tasks) == 1 else "", "source": ", ".join(logs)}
    with working("reporting"):
        board = Leaderboard(metrics.chosen(models), models, **options)
        past = _history((*earlier, *logs), how, board) if earlier else None
        return html_report(board, history=past, note=added_up(), **about)


def _without(options: dict[str, Any], earlier: tuple[str, ...]) -> dict[str, Any]:
    """Return the options that a comparison has; a history and the settings of ranks are for leaderboards."""
    source = click.get_current_context().get_parameter_source
    names = [option for name, option in _RANKS.items() if source(name) == click.core.ParameterSource.COMMANDLINE]
    names += ["--history"] if earlier else []
    if names:
        raise ParameterError(f"{', '.join(names)}: only for a report without --baseline")
    return {name: options[name] for name in ("confidence", "target", "prior", "weights")}


def _comparison(
    logs: tuple[str, ...],
    old: tuple[str, ...],
    how: Reading,
    metrics: MetricChoice,
    options: dict[str, Any],
    title: str,
) -> str:
    from ...report import comparison_report
    from .._tasks import load_tasks, on_one_footing

    new, baseline = load_tasks(logs, how), load_tasks(old, how)
    check_renamed(how, [*new.parts, *baseline.parts])
    source = f"{', '.join(logs)}; baseline {', '.join(old)}"
    with working("reporting"):
        max_drop: MaxDrop = options.pop("max_drop")
        first, second = on_one_footing(new, baseline, by_task=bool(max_drop.by_task))
        about: dict[str, Any] = {"title": title, "source": source, "note": added_up()}
        about["max_drop"] = max_drop.of_tasks(second) if max_drop.is_set else None
        return comparison_report(
            first, second, metrics.of(second) or None, model=options.pop("between"), **about, **options
        )


def _history(logs: tuple[str, ...], how: Reading, board: Leaderboard) -> History:
    """Return the history by the leaderboard's first metric; without one for all tasks, by the usual one."""
    from ...comparison._history import history_of
    from ...metrics import Metric
    from .._runs import load_runs

    metric, settings = board.rankings[0].metric, board.settings
    by = metric if isinstance(metric, Metric) else None
    law: dict[str, Any] = {"confidence": settings.confidence, "target": settings.target, "prior": settings.prior}
    return history_of(load_runs(logs, how), by, **law)
