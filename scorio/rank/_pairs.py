"""The pairs of models of rankings, as one family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from .._display.words import pluralize
from ..comparison._family_law import Family
from ..comparison._pairs import Block, Pairs, all_pairs
from ..errors import OutcomeError, ParameterError
from ._race import Race
from ._settings import LeaderboardSettings


class _Ranked(Protocol):
    """What pairs need of a ranking."""

    @property
    def metric(self) -> Any: ...
    @property
    def models(self) -> tuple[str, ...]: ...
    @property
    def law(self) -> Family: ...
    @property
    def race(self) -> Race | None: ...
    @property
    def settings(self) -> LeaderboardSettings: ...
    @property
    def tasks(self) -> Mapping[str, Any]: ...


def pairs_of(rankings: Sequence[_Ranked], family: str, tasks: bool = False) -> Pairs:
    """Return the pairs of models by each ranking; with ``tasks``, also on each task."""
    if tasks and not rankings[0].tasks:
        raise ParameterError("needs a leaderboard of a Suite", argument="tasks")
    settings = rankings[0].settings
    return all_pairs(blocks_of(rankings, tasks), family, settings.confidence, settings.target)


def blocks_of(rankings: Sequence[_Ranked], tasks: bool, label: str | None = None) -> list[Block]:
    """Return the pairs of each ranking; ``label`` names the outcomes."""
    first = rankings[0]
    if first.race is not None:
        hint = "make a leaderboard without looks from the final outcomes, or read board.beaten and board.in_the_running"
        raise ParameterError("has no pairs of one error rate at many looks", argument="looks", hint=hint)
    if len(first.models) < 2:
        raise OutcomeError(f"pairs need two models; there is {pluralize(len(first.models), 'model')}")
    blocks = []
    for each in rankings:
        blocks.append(Block(str(each.metric), label, each.models, each.law))
        if tasks:
            blocks += [
                Block(str(of.metric), of_task(label, task), of.models, of.law) for task, of in each.tasks.items()
            ]
    return blocks


def of_task(label: str | None, task: str) -> str:
    """Return the name of a task of labelled outcomes."""
    return task if label is None else f"{label}/{task}"
