"""The options of pairs of models that are judged together, which ``rank`` and ``compare`` share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from .._choices import FAMILIES
from ..errors import ParameterError
from ._context import Command


def family_options(pairs: str) -> Callable[[Command], Command]:
    """Return ``--family`` and ``--by-task``; ``pairs`` says what is judged together."""
    options = (
        click.option(
            "--family",
            type=click.Choice(FAMILIES),
            show_default="no second table",
            help=f"Error rate of {pairs}, shown as a second table: of each pair alone, family-wise by Holm's "
            "method, the false-discovery rate, or family-wise by the joint law of all differences.",
        ),
        click.option(
            "--by-task", is_flag=True, help="Pairs on each task in the same family as those overall, with --family."
        ),
    )

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def check_by_task(by_task: bool, family: str | None, outcomes: Any) -> None:
    """Check that there is a family and that there are tasks for it."""
    from ..outcomes import Suite

    if by_task and family is None:
        raise ParameterError("--by-task goes with --family, as in --family holm --by-task")
    if by_task and not isinstance(outcomes, Suite):
        raise ParameterError("--by-task needs logs of several tasks; these are of one")
