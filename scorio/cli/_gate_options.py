"""The options of a gate, which ``gate`` and ``report`` share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import click

from .._choices import GATE_MODES
from ._context import Command
from ._options import between_option, named_numbers

_MAX_DROP = 0.02
_PROBLEM = "neither a number nor of the form TASK=NUMBER"


class MaxDrop(NamedTuple):
    """The accepted drop on the command line: a number for all tasks, and those of tasks by name."""

    number: float | None = None
    by_task: Mapping[str, float] = MappingProxyType({})

    @property
    def is_set(self) -> bool:
        """Whether the option was used."""
        return self.number is not None or bool(self.by_task)

    def of_tasks(self, outcomes: Any) -> float | dict[str, float]:
        """Return the accepted drop, by task if a task has its own."""
        number = _MAX_DROP if self.number is None else self.number
        if not self.by_task:
            return number
        return {**dict.fromkeys(getattr(outcomes, "tasks", ()), number), **self.by_task}


def _max_drop(ctx: click.Context, param: click.Parameter, texts: Sequence[str]) -> MaxDrop:
    plain = [text for text in texts if "=" not in text]
    by_task = named_numbers([text for text in texts if "=" in text], _PROBLEM, ctx, param) or {}
    if len(plain) > 1:
        raise click.BadParameter(f"several numbers for all tasks: {', '.join(plain)}", ctx, param)
    try:
        return MaxDrop(float(plain[0]) if plain else None, by_task)
    except ValueError:
        raise click.BadParameter(f"{plain[0]!r} is {_PROBLEM}", ctx, param) from None


def gate_options(no_baseline: str, no_drop: str) -> Callable[[Command], Command]:
    """Return the options of a gate; the arguments say what holds without ``--baseline`` and ``--max-drop``."""
    options = (
        click.option(
            "--baseline",
            "old",
            multiple=True,
            type=click.Path(),
            metavar="LOGS",
            show_default=no_baseline,
            help="Logs or saved counts of the baseline, the run to compare with; repeatable.",
        ),
        between_option(
            "Names of the new model and of the baseline, where there are several.", "the only two", "NEW OLD"
        ),
        click.option(
            "--max-drop",
            multiple=True,
            callback=_max_drop,
            metavar="NUMBER|TASK=NUMBER",
            show_default=no_drop,
            help="Largest drop of the score that is accepted, for the verdict of a gate; repeatable for tasks with a "
            "limit of their own.",
        ),
        click.option(
            "--mode",
            type=click.Choice(GATE_MODES),
            default="noninferior",
            show_default=True,
            help="What has to be shown: that the drop is smaller, that it is larger, or nothing beyond the scores.",
        ),
    )

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate
