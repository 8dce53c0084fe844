"""What the user asks of a file: the arguments of ``read`` that formats see."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Literal

from .._display.words import shorten, unknown
from ..errors import OutcomeError, ParameterError, Remedy
from ..outcomes._column_names import ROLES
from ..outcomes._outcome_values import reward


@dataclass(frozen=True)
class Request:
    """The arguments of ``read`` that a format takes into account.

    >>> Request(task="math_*").wants("math_algebra")
    True
    >>> Request(metric="quality").choose("metric", ["judge/quality", "judge/style"])
    'judge/quality'
    """

    task: str | None = None
    metric: str | None = None
    filter: str | None = None
    score: Callable[..., Any] | None = None
    fields: Mapping[str, str | None] = field(default_factory=dict)
    levels: Mapping[str, float] = field(default_factory=dict)
    table: str | None = None
    query: str | None = None
    factors: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not (self.score is None or callable(self.score)):
            raise ParameterError(f"must be a function of one response; got {self.score!r}", argument="score")
        if not isinstance(self.fields, Mapping) or not all(
            isinstance(name, (str, type(None))) for name in self.fields.values()
        ):
            raise ParameterError(
                f"must map roles to names of columns, or to None; got {self.fields!r}", argument="fields"
            )
        for role in self.fields:
            if role not in ROLES:
                raise ParameterError(f"has an {unknown('role', role, ROLES)}", argument="fields")
        if not isinstance(self.levels, Mapping) or not all(map(_is_finite, self.levels.values())):
            raise ParameterError(f"must map words to finite rewards; got {self.levels!r}", argument="levels")
        if len(set(self.factors)) < len(self.factors) or not all(isinstance(name, str) for name in self.factors):
            raise ParameterError(f"must be different names; got {list(self.factors)!r}", argument="factors")
        for name in ("table", "query"):
            if not isinstance(getattr(self, name), (str, type(None))):
                raise ParameterError(f"must be text; got {getattr(self, name)!r}", argument=name)
        if self.table is not None and self.query is not None:
            raise ParameterError("cannot be combined with query, which names its tables itself", argument="table")

    def wants(self, task: str | None) -> bool:
        """Return whether the user wants this task."""
        return self.task is None or fnmatchcase(task or "", self.task)

    def outcome(self, value: Any) -> float | None:
        """Return the reward of an outcome as it is written in the file, None if it is missing."""
        return reward(value, self.levels)

    def choose(self, argument: Literal["metric", "filter"], offered: Collection[str], noun: str = "") -> str:
        """Return the one of the ``offered`` names that the user chose, or the only one.

        A name may be shortened to the part after its last slash. ``noun`` is what the tool calls these things.
        """
        return choose(getattr(self, argument), offered, argument, noun or argument)

    @property
    def options(self) -> set[str]:
        """The names of the arguments that the user passed, with the roles of ``fields`` one by one."""
        values = {"metric": self.metric, "filter": self.filter, "score": self.score, "levels": self.levels or None}
        values |= {"table": self.table, "query": self.query}
        return {name for name, value in values.items() if value is not None} | set(self.fields)


def choose(name: str | None, offered: Collection[str], argument: str, noun: str) -> str:
    """Return the one of the ``offered`` names that ``name`` stands for, or the only one if ``name`` is None."""
    if not offered:
        raise OutcomeError(f"there is no {noun}")
    if name is None:
        if len(offered) > 1:
            remedy = Remedy(argument, "...", "chooses one")
            raise OutcomeError(f"there are several {noun}s, {shorten(offered)}", remedies=[remedy])
        return next(iter(offered))
    matches = [each for each in offered if each == name] or [
        each for each in offered if each.rpartition("/")[2] == name
    ]
    if len(matches) > 1:
        raise OutcomeError(f"names {len(matches)} {noun}s: {shorten(matches)}", argument=f"{argument}={name!r}")
    if not matches:
        raise OutcomeError(unknown(noun, name, offered))
    return matches[0]


def _is_finite(value: Any) -> bool:
    return isinstance(value, (int, float)) and abs(value) < math.inf
