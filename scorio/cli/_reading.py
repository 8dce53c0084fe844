"""The one way from the sources on the command line to outcomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .._display.table import plain
from .._display.words import pluralize, shorten
from ..errors import ParameterError
from ._context import READING_ARGUMENTS, Command, add_runs, added_up, set_reading
from ._metric import function_of
from ._options import each_as
from ._progress import working

if TYPE_CHECKING:
    from ..io import Reading as LogReading
    from ..outcomes import OutcomeSet, Suite


_ALL = "all"  # the value of --pool that stands for every condition


@dataclass(frozen=True)
class Reading:
    """How the logs are to be read: the options of ``scorio.read``."""

    options: Mapping[str, Any]
    quiet: bool


def load(sources: Sequence[str], how: Reading) -> OutcomeSet | Suite:
    """Read the outcomes of logs and tables, a suite if there are several tasks; formats are logged to stderr."""
    part = load_part(sources, how)
    check_renamed(how, [part])
    return part.outcomes


def load_task(sources: Sequence[str], how: Reading) -> OutcomeSet:
    """Read the outcomes of one task."""
    from ..io._tasks import one_task

    outcomes = load(sources, how)
    set_reading(True)
    models = one_task(outcomes)
    set_reading(False)
    return models


def load_part(sources: Sequence[str], how: Reading) -> LogReading:
    """Read some of the logs, which need not hold every model that is renamed."""
    from ..io import recognise
    from ..io._remote import url_text

    set_reading(True)
    with working("reading"):
        reading = recognise(sources[0] if len(sources) == 1 else sources, **how.options)
    set_reading(False)
    add_runs(reading.runs)
    lines = [f"skipped {url_text(path)}: {reading.skipped[path]}" for path in reading.bad]
    lines += [f"left out task {task}: {reason}" for task, reason in reading.bad_tasks.items()]
    for line in lines:
        click.echo(plain(line), err=True)
    if not how.quiet:
        for line in _formats(reading):
            click.echo(plain(line), err=True)
    return reading


def check_renamed(how: Reading, parts: Sequence[LogReading]) -> None:
    """Check that every old name is known: a misspelt one would leave the model as it is."""
    names = how.options["model"]
    for old, new in names.items() if isinstance(names, Mapping) else ():
        if all(old in part.unknown_models for part in parts):
            models = dict.fromkeys(source.run.model for part in parts for source in part.sources)
            problem = f"--model {new}={old}: {old!r} is neither a model nor a path; the models are {shorten(models)}"
            raise ParameterError(problem)


def _formats(reading: LogReading) -> list[str]:
    """Describe the detected formats, one line for all files of one kind."""
    kinds: dict[str, set[Path]] = {}
    for source in reading.sources:
        notes = ", ".join(f"{name} {note}" for name, note in source.notes.items())
        kind = f"{source.format} ({notes})" if notes else source.format
        kinds.setdefault(kind, set()).update(source.paths)
    lines = [f"read {pluralize(len(paths), 'file')}: {kind}" for kind, paths in kinds.items()]
    skipped = len(reading.skipped) - len(reading.bad)
    lines += [f"skipped {pluralize(skipped, 'file')} without outcomes"] * bool(skipped)
    return [*lines, *filter(None, [added_up(reading.runs)])]


def reading_options(command: Command) -> Command:
    """Add the logs and the reading options, which ``gathered`` takes out again."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def gathered(options: dict[str, Any]) -> Reading:
    """Take the reading options out of a command's options."""
    values = {name: options.pop(name) for name in READING_ARGUMENTS}
    values["model"] = _models(values["model"])
    values["pool"] = True if _ALL in values["pool"] else list(values["pool"])
    values["fields"] = _columns(values["fields"])
    values["levels"] = {word: _number(word, value) for word, value in _pairs("--level", values["levels"]).items()}
    return Reading(values, options.pop("quiet"))


def _models(texts: Sequence[str]) -> str | dict[str, str] | None:
    """One name for all models, or names by model or path pattern."""
    if len(texts) == 1 and "=" not in texts[0].partition("[")[0]:
        return texts[0]
    return {old: new for new, old in (_pair("--model", text) for text in texts)} or None


def _columns(texts: Sequence[str]) -> dict[str, str | None]:
    """The column of each role; ``trial=`` says that these files have no column for the role."""
    named: dict[str, str | None] = dict(_pairs("--field", [text for text in texts if not text.endswith("=")]))
    return named | dict.fromkeys(text.removesuffix("=") for text in texts if text.endswith("="))


def _pairs(option: str, texts: Sequence[str]) -> dict[str, str]:
    return dict(_pair(option, text) for text in texts)


def _pair(option: str, text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not (name and sign and value):
        raise ParameterError(f"{option} must be of the form NAME=VALUE; got {text!r}")
    return name, value


def _number(word: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise ParameterError(f"--level {word} must be a number; got {value!r}") from None


_OPTIONS = (
    click.argument("logs", nargs=-1, required=True, type=click.Path()),
    click.option(
        "--log-format", "format", metavar="NAME", show_default="detected from the content", help="Format of the logs."
    ),
    click.option(
        "--model",
        multiple=True,
        metavar="[NAME=]MODEL",
        show_default="as in the logs",
        help="Name of the model, or a new NAME for a MODEL or a path pattern; repeatable.",
    ),
    click.option("--task", metavar="PATTERN", show_default="all", help="Pattern of the tasks to read."),
    click.option(
        "--log-score",
        "metric",
        metavar="NAME",
        show_default="the only one",
        help="Score or column to read where the logs have several.",
    ),
    click.option(
        "--filter",
        metavar="NAME",
        show_default="the only one",
        help="Filter to read where the logs have several (lm-eval).",
    ),
    click.option(
        "--field",
        "fields",
        multiple=True,
        metavar="ROLE=COLUMN",
        show_default="known names",
        help="Column or field for a role: question, outcome, model, task, trial, cluster, trials or successes, as in "
        "question=item_id; trial= for none; repeatable.",
    ),
    click.option(
        "--level",
        "levels",
        multiple=True,
        metavar="WORD=REWARD",
        show_default="known words",
        help="Reward for a word, as in P=0.5; repeatable.",
    ),
    click.option(
        "--factor",
        "factors",
        multiple=True,
        metavar="COLUMN",
        show_default="none",
        help="Column of a table, such as prompt or judge, or condition of logs, whose levels are kept apart as rows; "
        "repeatable.",
    ),
    click.option("--table", metavar="NAME", show_default="the only one", help="Table of SQLite and DuckDB files."),
    click.option("--query", metavar="SQL", show_default="the whole table", help="Query on SQLite and DuckDB files."),
    click.option(
        "--missing",
        type=click.Choice(["omit", "fail", "raise"]),
        default="omit",
        show_default=True,
        help="Treatment of planned trials without an outcome: left out, counted as failures, or an error.",
    ),
    click.option(
        "--pool",
        multiple=True,
        metavar="CONDITION",
        show_default="none",
        help=f"Condition in which runs may differ and still add up, such as temperature; {_ALL} for every one; "
        "repeatable.",
    ),
    click.option(
        "--score",
        callback=each_as(lambda text: None if text is None else function_of(text)),
        metavar="MODULE:FUNCTION",
        show_default="the stored scores",
        help="Function that grades each stored response (lm-eval).",
    ),
    click.option(
        "--skip-bad", is_flag=True, help="Files and tasks that cannot be read are skipped, and listed on stderr."
    ),
    click.option("-q", "--quiet", is_flag=True, help="Silence about the detected formats on stderr."),
)
