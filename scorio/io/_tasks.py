"""One task or several: the sources that are wanted, and outcomes of the kind that is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, overload

from .._display.words import shorten, unknown
from ..errors import OutcomeError, ParameterError, Remedy
from ..outcomes import OutcomeSet, Suite
from ._assemble import task_name
from ._records import Source
from ._request import Request


def of_task(sources: list[Source], request: Request) -> list[Source]:
    """Return the sources of the tasks that the user wants."""
    kept = [source for source in sources if request.wants(source.run.task)]
    if not kept:
        raise OutcomeError(unknown("task", request.task, sorted({str(each.run.task) for each in sources})))
    return kept


@overload
def as_asked(outcomes: OutcomeSet | Suite, sources: Sequence[Source], suite: Literal[True]) -> Suite: ...
@overload
def as_asked(outcomes: OutcomeSet | Suite, sources: Sequence[Source], suite: bool | None) -> OutcomeSet | Suite: ...
def as_asked(outcomes: OutcomeSet | Suite, sources: Sequence[Source], suite: bool | None) -> OutcomeSet | Suite:
    """Return a suite if ``suite`` is True, one set of outcomes if it is False, and what there is if it is None."""
    if suite not in (None, True, False):
        raise ParameterError(f"must be None, True or False; got {suite!r}", argument="suite")
    if suite and isinstance(outcomes, OutcomeSet):
        return Suite({task_name(sources[0]): outcomes})
    return outcomes if suite is not False else one_task(outcomes)


def one_task(outcomes: OutcomeSet | Suite) -> OutcomeSet:
    """Return the outcomes of the only task.

    >>> one_task(Suite({"algebra": {"a": [[1]]}, "chess": {"a": [[0]]}}))
    Traceback (most recent call last):
    scorio.errors.OutcomeError: there are 2 tasks, and one is needed here, of 'algebra', 'chess': task="..." chooses one
    """
    if isinstance(outcomes, OutcomeSet):
        return outcomes
    if len(outcomes) == 1:
        return next(iter(outcomes.values()))
    problem = f"there are {len(outcomes)} tasks, and one is needed here, of {shorten(outcomes)}"
    raise OutcomeError(problem, remedies=[Remedy("task", "...", "chooses one")])
