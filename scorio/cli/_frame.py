"""The one frame of all commands: it parses, reads how logs are read, calls the command's function, and delivers."""

import importlib
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import click

from .._base.table import plain
from ..errors import ParameterError
from ._context import Option, is_typed, session
from ._options import ANSWER, CONVERTING, HELP, OPTIONS, READING_KEYS, STATISTICS, option
from ._output import Answer, Output
from ._reading import gathered
from ._spelling import spelled
from ._table import COMMANDS, Command
from ._writing import Writable, check_outputs, replacing, write_picture

_NAMES_WIDTH = 20  # of a help page; a longer name has a line of its own
SECTIONS = ("Logs", OPTIONS, STATISTICS, ANSWER, CONVERTING, HELP)  # of a help page, in order
_LOGS = "Logs of evaluation tools, tables or saved counts: files, folders, archives or patterns."
_SUMMARY = "GITHUB_STEP_SUMMARY"  # the file to which a step of GitHub Actions appends its summary
_WRITTEN_BY_THE_FRAME = ("picture", "junit", "annotations")


def section_of(param: click.Parameter) -> str:
    """Return the heading under which help lists an option or argument."""
    if isinstance(param, Option):
        return param.section
    return "Logs" if isinstance(param, click.Argument) else HELP


def write_sections(
    ctx: click.Context, formatter: click.HelpFormatter, heads: Iterable[str], params: Sequence[click.Parameter]
) -> None:
    """Write some sections of a help page."""
    for head in heads:
        records = [_record(param, ctx) for param in params if section_of(param) == head]
        if records:
            with formatter.section(head):
                formatter.write_dl(records, col_max=_NAMES_WIDTH)


def _record(param: click.Parameter, ctx: click.Context) -> tuple[str, str]:
    """Return the name of an option or argument as help shows it, and its meaning."""
    if isinstance(param, click.Argument):
        return "LOGS", _LOGS
    return param.get_help_record(ctx) or ("", "")


class SectionedCommand(click.Command):
    """A command whose help page has sections; the options of reading have a page of their own for all commands."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections, in order."""
        write_sections(ctx, formatter, SECTIONS, self.get_params(ctx))


@cache
def made(name: str) -> click.Command:
    """Return the command that a row of the table declares."""
    row = COMMANDS[name]
    keys = [*READING_KEYS, *row.options, *(["form", "output"] if row.writes_tables else []), "debug"]
    logs = click.Argument(["logs"], nargs=-1, required=row.needs_logs, type=click.Path())
    reading = "How logs are read, as with --model and --task: scorio --help-reading"
    return SectionedCommand(
        name,
        params=[logs, *map(option, keys)],
        callback=partial(_call, name, row),
        help=f"{row.summary}\n\n{row.about}",
        epilog=f"\b\n{reading}\nExample: scorio {name} {row.example}",
    )


def _call(name: str, row: Command, **values: Any) -> None:
    """Check the files, call the function of a command, and deliver its answer."""
    _check_files(values)
    values["reading_options"] = gathered(values)
    given = [values.pop(key, None) for key in ("form", "output")] if row.writes_tables else []
    out = Output(*given)
    asked = {key: values.pop(key, None) for key in _WRITTEN_BY_THE_FRAME}
    metrics = values.get("metrics")
    if asked["picture"] and metrics is not None and len(metrics.plain) > 1:
        raise ParameterError("shows one metric", argument="picture")
    function = getattr(importlib.import_module(f"._commands.{row.module}", __package__), name)
    answer: Answer | None = function(**values)  # none where the command writes a file of its own kind
    if answer is not None:
        _deliver(answer, out, asked)
        click.get_current_context().exit(answer.code)


def _deliver(answer: Answer, out: Output, asked: Mapping[str, Any]) -> None:
    """Write the picture and the files that were asked for, and then the answer: other files can fail to be written."""
    session().say_warnings()
    if answer.draw is not None:
        write_picture(asked["picture"], answer.draw)
    if answer.verdict is not None:
        _publish(answer.verdict, asked["junit"], asked["annotations"])
    out.deliver(answer)
    is_shown = out.path is None and out.form in (None, "table")  # the verdict is the title of the table
    if answer.verdict is not None and answer.code and not is_shown:
        click.echo(f"scorio: {plain(spelled(str(answer.verdict)))}", err=True)
    if answer.advice:
        click.echo(plain(answer.advice), err=True)


def _check_files(values: Mapping[str, Any]) -> None:
    """Check the files of the command line: what is written must not be what is read."""
    outputs: dict[str, Path] = {}
    sources: list[str] = []
    for param in click.get_current_context().command.params:
        value = values.get(param.name or "") if isinstance(param.type, click.Path) else None
        if isinstance(param.type, Writable):
            if value is not None and is_typed(param.name or ""):
                outputs[max(param.opts, key=len)] = value
        elif isinstance(value, tuple):
            sources += value
        elif value is not None:
            sources.append(str(value))
            session().inputs[value] = None
    check_outputs(outputs, sources)
    if "junit" in values and (summary := os.environ.get(_SUMMARY)):
        check_outputs({_SUMMARY: Path(summary)}, sources)


def _publish(result: Any, junit: Path | None, annotations: Path | None) -> None:
    """Write the files that were asked for, and append to the summary of the step if there is one; with all warnings."""
    notes = [text for _, text in session().warnings]
    for path, written in ((junit, result.junit), (annotations, result.annotations)):
        if path is not None:
            with replacing(path) as unfinished:
                unfinished.write_text(spelled(written(notes)) + "\n", encoding="utf-8")
    summary = os.environ.get(_SUMMARY)
    if summary:
        with Path(summary).open("a", encoding="utf-8") as file:
            told = [f"warning: {plain(note)}" for note in notes]
            file.write("\n\n".join(map(spelled, [result.to_markdown(), *told])) + "\n\n")
