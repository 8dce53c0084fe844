"""What a running command keeps in click's context, and how it shows that it works."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import click

from .._display.progress import Progress
from .._display.words import shorten
from ..errors import ParameterError

Record = Mapping[str, Any]  # one row of an answer
_DEBUG, _READING, _RUNS, _DIFFERING = "scorio.debug", "scorio.reading", "scorio.runs", "scorio.differing"
_QUIET, _INPUTS = "scorio.quiet", "scorio.inputs"
working = Progress  # shows that work goes on, if it takes long


class ReadingOption(click.Option):
    """An option that says how logs are read. All commands have the same ones."""


class ConvertingOption(ReadingOption):
    """An option of reading logs that ``convert`` alone has, because every command reads what it writes."""


def set_debug(ctx: click.Context, _: click.Parameter, is_set: bool) -> None:
    """Note that errors show their traceback."""
    if is_set:
        ctx.meta[_DEBUG] = True


def is_debug(ctx: click.Context) -> bool:
    """Return whether errors show their traceback."""
    return bool(ctx.meta.get(_DEBUG))


@contextmanager
def reading_logs(*, shown: bool = True) -> Iterator[None]:
    """Say that logs are being read, so that arguments in errors are those of ``scorio.read``, and show the progress."""
    meta = click.get_current_context().meta
    meta[_READING] = True
    with working("reading") if shown else nullcontext():
        yield
    meta[_READING] = False  # after an error it stays, for its message


def is_reading(ctx: click.Context) -> bool:
    """Return whether logs are being read."""
    return bool(ctx.meta.get(_READING))


def set_quiet(is_set: bool) -> None:
    """Say whether the user asked for no messages but the answer."""
    click.get_current_context().meta[_QUIET] = is_set


def is_quiet() -> bool:
    """Return whether the user asked for no messages but the answer."""
    ctx = click.get_current_context(silent=True)
    return ctx is not None and bool(ctx.meta.get(_QUIET))


def is_typed(name: str) -> bool:
    """Return whether an option, by the name of its parameter, stands on the command line."""
    source = click.get_current_context().get_parameter_source(name)
    return source == click.core.ParameterSource.COMMANDLINE


def check_not_typed(argument: str, *others: str) -> None:
    """Check that beside an option there are only those that say how to read and write, and some others.

    All are named by their parameters.
    """
    allowed = {argument, "form", "output", *others}
    typed = [
        max(each.opts, key=len)
        for each in click.get_current_context().command.params
        if isinstance(each, click.Option) and not isinstance(each, ReadingOption) and each.expose_value
        if each.name not in allowed and is_typed(each.name or "")
    ]
    if typed:
        raise ParameterError(f"cannot be combined with {', '.join(typed)}", argument=argument)


def note_inputs(paths: Iterable[Path]) -> None:
    """Remember files that were read, so that an answer can say what it follows from."""
    meta = click.get_current_context().meta
    meta[_INPUTS] = {**meta.get(_INPUTS, {}), **dict.fromkeys(paths)}


def noted_inputs() -> list[Path]:
    """Return the files that were read, each once."""
    return [*click.get_current_context().meta.get(_INPUTS, {})]


def add_runs(runs: Mapping[str, int], differing: Mapping[str, Sequence[str]]) -> None:
    """Remember the models of which several runs were added up, with their number, and in what their runs differ."""
    meta = click.get_current_context().meta
    meta[_RUNS] = {**meta.get(_RUNS, {}), **{model: count for model, count in runs.items() if count > 1}}
    meta[_DIFFERING] = {**meta.get(_DIFFERING, {}), **differing}


def added_runs() -> dict[str, int]:
    """Return the number of runs of each model of which several were added up."""
    runs: dict[str, int] = click.get_current_context().meta.get(_RUNS, {})
    return runs


def added_up(runs: Mapping[str, int] | None = None) -> str:
    """Say of which models several runs were added up, by default of all that were read; empty if of none."""
    counts = added_runs() if runs is None else runs
    differing: dict[str, Sequence[str]] = click.get_current_context().meta.get(_DIFFERING, {})
    ends = {model: f", which differ in {shorten(names)}" for model, names in differing.items()}
    several = [f"{count} runs of {model}{ends.get(model, '')}" for model, count in counts.items() if count > 1]
    return f"added up: {', '.join(several)}" if several else ""
