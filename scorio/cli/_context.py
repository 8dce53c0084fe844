"""What a running command keeps in click's context: whether to show tracebacks, and whether logs are being read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])
READING_ARGUMENTS = (
    *("format", "model", "task", "metric", "filter", "score", "fields", "levels", "table", "query", "missing", "pool"),
    *("skip_bad", "factors"),
)  # of scorio.read
_DEBUG, _READING, _RUNS = "scorio.debug", "scorio.reading", "scorio.runs"


class Option(Protocol):
    """A decorator that gives a command one more option."""

    def __call__(self, command: Command, /) -> Command:
        """Return the same command, with the option."""
        ...


def _set_debug(ctx: click.Context, _: click.Parameter, is_set: bool) -> None:
    ctx.meta[_DEBUG] = is_set or is_debug(ctx)


debug_option: Option = click.option(
    "--debug", is_flag=True, expose_value=False, callback=_set_debug, help="Traceback of errors."
)


def is_debug(ctx: click.Context) -> bool:
    """Return whether errors show their traceback."""
    return bool(ctx.meta.get(_DEBUG))


def set_reading(is_set: bool) -> None:
    """Say whether logs are being read: arguments in errors are then those of ``scorio.read``."""
    click.get_current_context().meta[_READING] = is_set


def is_reading(ctx: click.Context) -> bool:
    """Return whether logs are being read."""
    return bool(ctx.meta.get(_READING))


def add_runs(runs: Mapping[str, int]) -> None:
    """Remember the models of which several runs were added up, with their number."""
    meta = click.get_current_context().meta
    meta[_RUNS] = {**meta.get(_RUNS, {}), **{model: count for model, count in runs.items() if count > 1}}


def added_runs() -> dict[str, int]:
    """Return the number of runs of each model of which several were added up."""
    runs: dict[str, int] = click.get_current_context().meta.get(_RUNS, {})
    return runs


def added_up(runs: Mapping[str, int] | None = None) -> str:
    """Say of which models several runs were added up, by default of all that were read; empty if of none."""
    counts = added_runs() if runs is None else runs
    several = [f"{count} runs of {model}" for model, count in counts.items() if count > 1]
    return f"added up: {', '.join(several)}" if several else ""
