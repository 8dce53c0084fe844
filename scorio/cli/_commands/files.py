"""Commands about files: doctor, which says what logs hold, and report and convert, which write files of their own."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..._base.table import plain
from ...errors import ParameterError
from .._context import Option, allow_only, is_typed, session, working
from .._metric import MetricChoice
from .._output import Answer
from .._reading import Reading, load_logs, load_pair, on_one_footing
from .._spelling import spelled
from .._values import MaxDrop
from .._writing import replacing, standard_output

if TYPE_CHECKING:
    from ...rank import Leaderboard

    Logs = Sequence[str]

_OF_COMPARISONS = ("confidence", "target", "prior", "task_weights", "runs", "shared_only")


def doctor(logs: Logs, reading_options: Reading) -> Answer:
    """Say what the logs hold, what is suspicious, which statements they support, and what to run next."""
    from ...diagnosis import diagnose

    reading = load_logs(logs, reading_options)
    with working("diagnosing"):
        diagnosis = diagnose(reading, logs=_as_typed(click.get_current_context()))
    tables = [table._replace(cells=[list(map(spelled, row)) for row in table.cells]) for table in diagnosis.tables()]
    advice = [f"Next: {plain(diagnosis.next_command)}", diagnosis.next_reason]
    tables[-1] = tables[-1]._replace(notes=[*tables[-1].notes, *advice])
    return Answer(tables, diagnosis.as_records, diagnosis.to_dict).headed_by([diagnosis.as_sentence()])


def _as_typed(ctx: click.Context) -> str:
    """Return the logs and the options that say how they are read, for the command line of another command."""
    words = [*ctx.params["logs"]]
    for param in ctx.command.params:
        if not (isinstance(param, Option) and param.is_of_reading and param.name != "quiet" and is_typed(param.name)):
            continue
        value = ctx.params[param.name]
        if param.is_flag:
            words.append(param.opts[0])
        else:
            words += [text for item in (value if param.multiple else [value]) for text in (param.opts[0], str(item))]
    return " ".join(map(shlex.quote, words))


def report(
    logs: Logs,
    reading_options: Reading,
    metrics: MetricChoice,
    baseline: Logs,
    title: str | None,
    output: Path,
    **options: Any,
) -> None:
    """Write a report about a leaderboard, or about what changed since a baseline or between two models."""
    rules = {name: options.pop(name) for name in ("between", "mode", "max_drop")}
    if baseline or rules["between"]:
        allow_only("baseline" if baseline else "between", "baseline", *_OF_COMPARISONS, *rules, "metrics", "title")
        rules |= {name: options[name] for name in _OF_COMPARISONS}
        page = _comparison(logs, baseline, reading_options, metrics, rules, title or "Comparison")
    elif rules["max_drop"].is_set:
        raise ParameterError("--max-drop is for a report with --baseline or --between")
    else:
        page = _leaderboard(logs, reading_options, metrics, options, title or "Leaderboard")
    with replacing(output) as unfinished:
        unfinished.write_text(spelled(page, is_page=True), encoding="utf-8")


def _leaderboard(
    logs: Logs, reading_options: Reading, metrics: MetricChoice, options: dict[str, Any], title: str
) -> str:
    from ...io._dated_runs import dates_of
    from ...rank import Leaderboard
    from ...report import html_report

    standard = options.pop("standard")
    reading = load_logs(logs, reading_options)
    [models] = on_one_footing(reading, by_task=bool(metrics.by_task))
    tasks = sorted({source.run.task for source in reading.sources if source.run.task})
    about = {"title": title, "task": tasks[0] if len(tasks) == 1 else "", "source": _named(logs)}
    about["date"] = dates_of(reading.sources)
    with working("reporting"):
        board = Leaderboard(metrics.chosen(models), models, **options)
        results = {} if standard is None else _accuracies(board)
        return html_report(board, results, note=session().added_up(), **about)


def _accuracies(board: Leaderboard) -> dict[str, Any]:
    """Return what NIST AI 800-3 asks for, as a section of a report."""
    from ...metrics import Metric
    from ...rank import accuracies

    metric = board.rankings[0].metric
    if board.weights or not isinstance(metric, Metric):
        raise ParameterError("--for nist-800-3 needs logs of one task")
    about = accuracies(board.outcomes, metric, confidence=board.settings.confidence)
    return {"Benchmark and generalized accuracy": about}


def _named(logs: Logs) -> str:
    """Return the logs as they were typed; of an absolute path, which tells about a computer, the name."""
    return ", ".join(Path(log).name if Path(log).is_absolute() else log for log in logs)


def _comparison(
    logs: Logs, baseline: Logs, reading_options: Reading, metrics: MetricChoice, options: dict[str, Any], title: str
) -> str:
    from ...io._dated_runs import dates_of
    from ...report import comparison_report

    new, old = load_pair(logs, baseline, reading_options, options["between"])
    source = f"{_named(logs)}; baseline {_named(baseline)}" if baseline else _named(logs)
    with working("reporting"):
        max_drop: MaxDrop = options.pop("max_drop")
        first, second = on_one_footing(new, old, by_task=bool(max_drop.by_task))
        about: dict[str, Any] = {"title": title, "source": source, "note": session().added_up()}
        about["date"] = dates_of([*new.sources, *old.sources])
        about["max_drop"] = max_drop.of_tasks(second) if max_drop.is_set else None
        return comparison_report(
            first, second, metrics.of(second) or None, model=options.pop("between"), **about, **options
        )


def convert(logs: Logs, reading_options: Reading, form: str | None, output: Path | None) -> None:
    """Write the outcomes of logs as a table, or as saved counts."""
    from ...io._outcome_table import write_table

    chosen = form or (output.suffix.lower().lstrip(".") if output else "csv")
    if chosen == "npz":
        _save(logs, reading_options, output)
        return
    if chosen != "csv":
        raise ParameterError(f"{output}: the ending must be .csv or .npz, or --format must be one of them")
    reading = load_logs(logs, reading_options)
    if output is None:
        with standard_output() as stdout:
            write_table(reading.outcomes, stdout)
            stdout.flush()
        return
    with working("writing"), replacing(output) as unfinished:
        write_table(reading.outcomes, unfinished)


def _save(logs: Logs, reading_options: Reading, output: Path | None) -> None:
    """Write saved counts."""
    if output is None or output.suffix.lower() != ".npz":
        raise ParameterError("saved counts are not text: write them to a file with --output that ends with .npz")
    from ...outcomes import SavedCounts

    reading = load_logs(logs, reading_options)
    with working("writing"):
        SavedCounts(reading.outcomes, metadata=reading.metadata).save(output)
