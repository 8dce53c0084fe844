"""How a command is declared: its options, and its help page in sections that begin with what matters most."""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import click

from ._context import ConvertingOption, Option, ReadingOption, debug_option, is_typed
from ._options import reading_options
from ._output import Output, format_option, output_option
from ._reading import gathered
from ._writing import Writable, check_outputs

READING = "Options of reading logs, the same in every command"
CONVERTING = "Options of reading logs that only convert has, whose file every command reads"
_OTHERS = "Options"
_NAMES_WIDTH = 20  # of a help page; a longer name has a line of its own
SECTIONS = {  # of a help page, in order
    "Logs": ("logs",),
    _OTHERS: (),  # all that are in no other section
    "Statistics": (
        *("--confidence", "--target", "--prior", "--shape", "--paired", "--family"),
        *("--too-few", "--tie", "--seed", "--fdr", "--correlation"),
    ),
    "Answer": (
        *("--bars", "--methods", "--costs", "--fail-under", "--picture", "--junit", "--annotations"),
        *("--title", "--format", "--output"),
    ),
    CONVERTING: (),
    "Help": ("--debug", "--help"),
}
_LOGS = "Logs of evaluation tools, tables or saved counts: files, folders, archives, URLs or patterns."


def section_of(param: click.Parameter) -> str:
    """Return the heading under which help lists an option or argument."""
    if isinstance(param, ReadingOption):
        return CONVERTING if isinstance(param, ConvertingOption) else READING
    return next((head for head, names in SECTIONS.items() if {*names} & {*param.opts}), _OTHERS)


def write_sections(
    ctx: click.Context, formatter: click.HelpFormatter, heads: Iterable[str], params: Sequence[click.Parameter]
) -> None:
    """Write some sections of a help page."""
    for head in heads:
        records = [_record(each, ctx) for each in params if section_of(each) == head]
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


def _logs_argument(is_required: bool) -> Option:
    return click.argument("logs", nargs=-1, required=is_required, type=click.Path())


def logs_are_missing() -> click.MissingParameter:
    """Return the error that a command without logs raises where it needs them."""
    return click.MissingParameter(param_hint="'LOGS...'", param_type="argument")


def _check_files(values: Mapping[str, Any]) -> None:
    """Check the files of the command line: what is written must not be what is read."""
    params = [each for each in click.get_current_context().command.params if isinstance(each.type, click.Path)]
    named = {each: values.get(each.name or "") for each in params}
    outputs = {
        max(each.opts, key=len): value
        for each, value in named.items()
        if isinstance(each.type, Writable) and value is not None and is_typed(each.name or "")
    }
    sources: list[str] = []
    for each, value in named.items():
        if not isinstance(each.type, Writable) and value is not None:
            sources += map(str, value if isinstance(value, tuple) else [value])
    check_outputs(outputs, sources)


def declared(
    name: str, example: str, *options: Option, needs_logs: bool = True, answers: bool = True
) -> Callable[[Callable[..., None]], click.Command]:
    """Return a decorator that makes a command of a function, with options in the order of its help page.

    The function gets the logs as ``logs``, which may be none unless it ``needs_logs``, and as ``how`` in which way they
    are read. If it answers with tables, it gets as ``out`` where the answer goes.
    """
    first = (_logs_argument(needs_logs), *reading_options)
    last = (format_option, output_option) if answers else ()

    def decorate(function: Callable[..., None]) -> click.Command:
        @functools.wraps(function)
        def call(**values: Any) -> None:
            _check_files(values)
            values["how"] = gathered(values)
            if answers:
                values["out"] = Output(values.pop("form"), values.pop("output"), values.pop("conditions", ()))
            function(**values)

        made: Callable[..., None] = call
        for option in reversed((*first, *options, *last, debug_option)):
            made = option(made)
        reading = "How logs are read, as with --model and --task: scorio --help-reading"
        epilog = f"\b\n{reading}\nExample: scorio {name} {example}"
        return click.command(name, cls=SectionedCommand, epilog=epilog)(made)

    return decorate
