"""``scorio report``: one HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import ParameterError
from .._command import declared
from .._context import added_up, check_not_typed, working
from .._metric import MetricChoice
from .._options import (
    MaxDrop,
    confidence_option,
    gate_options,
    logs_option,
    over_option,
    prior_option,
    runs_option,
    target_option,
    task_metrics_option,
    task_weight_option,
    too_few_option,
)
from .._reading import Reading, load_logs, load_pair, on_one_footing
from .._writing import FILE, Writable, replacing
from .horizon import keeping, named_over

if TYPE_CHECKING:
    from ...comparison import History
    from ...curves import Horizons
    from ...rank import Leaderboard


_OF_COMPARISONS = ("confidence", "target", "prior", "task_weights", "runs")


@declared(
    "report",
    "logs/ -m pass@1 -m pass@4 -o report.html",
    task_metrics_option,
    task_weight_option,
    logs_option(
        *("--history", "earlier"),
        default="none",
        text="Logs or saved counts of earlier runs, for the section on history; repeatable.",
    ),
    over_option("no section on horizons"),
    *gate_options("none", "no gate"),
    confidence_option,
    target_option,
    prior_option,
    runs_option,
    too_few_option,
    click.option("--title", metavar="TEXT", show_default="Leaderboard, or Comparison", help="Heading of the page."),
    click.option(
        *("-o", "--output"),
        default="report.html",
        show_default=True,
        type=Writable([".html", ".htm"]),
        help=FILE,
    ),
    answers=False,
)
def command(
    logs: tuple[str, ...],
    how: Reading,
    metrics: MetricChoice,
    earlier: tuple[str, ...],
    over: str | None,
    baseline: tuple[str, ...],
    max_drop: MaxDrop,
    title: str | None,
    output: Path,
    **options: Any,
) -> None:
    """Write a report: one HTML file that needs no network.

    With --baseline it is about what changed between two runs: the differences per task and overall, and the questions.
    """
    rules: dict[str, Any] = {name: options.pop(name) for name in ("between", "mode")} | {"max_drop": max_drop}
    if baseline:
        check_not_typed("baseline", *_OF_COMPARISONS, *rules, "metrics", "title")
        rules |= {name: options[name] for name in _OF_COMPARISONS}
        page = _comparison(logs, baseline, how, metrics, rules, title or "Comparison")
    elif max_drop.is_set or rules["between"]:
        raise ParameterError("--max-drop and --between are for a report with --baseline")
    else:
        page = _leaderboard(logs, earlier, how, metrics, options, title or "Leaderboard", over)
    with replacing(output) as unfinished:
        unfinished.write_text(page, encoding="utf-8")


def _leaderboard(
    logs: tuple[str, ...],
    earlier: tuple[str, ...],
    how: Reading,
    metrics: MetricChoice,
    options: dict[str, Any],
    title: str,
    over: str | None,
) -> str:
    from ...rank import Leaderboard
    from ...report import html_report
    from .._runs import dates_of

    with named_over():
        reading = load_logs(logs, how if over is None else keeping(how, over))
    [models] = on_one_footing(reading, by_task=bool(metrics.by_task))
    tasks = sorted({source.run.task for source in reading.sources if source.run.task})
    about = {"title": title, "task": tasks[0] if len(tasks) == 1 else "", "source": _named(logs)}
    about["date"] = dates_of(reading.sources)
    with working("reporting"):
        board = Leaderboard(metrics.chosen(models), models, **options)
        past = _history((*earlier, *logs), how, board) if earlier else None
        found = None if over is None else _horizons(board, over)
        return html_report(board, history=past, horizons=found, note=added_up(), **about)


def _horizons(board: Leaderboard, over: str) -> Horizons:
    """Return the horizons by the leaderboard's first metric."""
    from ...curves import horizon
    from ...metrics import Metric

    metric, settings = board.rankings[0].metric, board.settings
    if not isinstance(metric, Metric):
        raise ParameterError("--over needs logs of one task")
    return horizon(metric, board.outcomes, over, confidence=settings.confidence, target=settings.target)


def _named(logs: Sequence[str]) -> str:
    """Return the logs as they were typed; of an absolute path, which tells about a computer, the name."""
    return ", ".join(Path(each).name if Path(each).is_absolute() else each for each in logs)


def _comparison(
    logs: tuple[str, ...],
    baseline: tuple[str, ...],
    how: Reading,
    metrics: MetricChoice,
    options: dict[str, Any],
    title: str,
) -> str:
    from ...report import comparison_report
    from .._runs import dates_of

    new, old = load_pair(logs, baseline, how, options["between"])
    source = f"{_named(logs)}; baseline {_named(baseline)}"
    with working("reporting"):
        max_drop: MaxDrop = options.pop("max_drop")
        first, second = on_one_footing(new, old, by_task=bool(max_drop.by_task))
        about: dict[str, Any] = {"title": title, "source": source, "note": added_up()}
        about["date"] = dates_of([*new.sources, *old.sources])
        about["max_drop"] = max_drop.of_tasks(second) if max_drop.is_set else None
        return comparison_report(
            first, second, metrics.of(second) or None, model=options.pop("between"), **about, **options
        )


def _history(logs: tuple[str, ...], how: Reading, board: Leaderboard) -> History:
    """Return the history by the leaderboard's first metric; without one for all tasks, by the usual one."""
    from ...comparison import history_of
    from ...metrics import Metric
    from .._runs import load_runs

    metric, settings = board.rankings[0].metric, board.settings
    by = metric if isinstance(metric, Metric) else None
    law: dict[str, Any] = {"confidence": settings.confidence, "target": settings.target, "prior": settings.prior}
    law["runs"] = settings.runs
    return history_of(load_runs(logs, how), by, **law)
