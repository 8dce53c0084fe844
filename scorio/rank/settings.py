"""Everything a leaderboard was asked: kept, checked and told in words."""

from __future__ import annotations

import dataclasses
import operator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..interval import BoundsLike
from ..params import Check, budget, check_fields, open_unit, param
from ..prior import UNIFORM, PriorLike
from .rules import METHODS, TIES, Method, Tie

LeaderboardTie = Tie | Literal["paired"]
LEADERBOARD_TIES: tuple[str, ...] = (*TIES, "paired")
SHORT = ("raise", "omit")
SHAPES = ("normal", "quantile")
TARGETS = ("questions", "population")
_INTERVAL = ("prior", "method", "target", "bounds")


def _one_of(options: tuple[str, ...]) -> Check:
    return Check(f"one of {options}", lambda value: options[options.index(value)])


def kept_seed(rng: int | np.random.Generator | None) -> int:
    """A seed that can be kept: a generator and None give one."""
    if rng is None or isinstance(rng, np.random.Generator):
        return int(np.random.default_rng(rng).integers(2**32))
    return int(_seed("rng", rng))


def _whole(value: Any) -> int:
    seed = operator.index(value)
    if isinstance(value, bool) or seed < 0:
        raise ValueError
    return seed


def _plain(value: Any) -> Any:
    """A name, None or a tuple of numbers."""
    return value if value is None or isinstance(value, str) else tuple(float(each) for each in value)


_seed = Check("None, an integer, at least 0, or a numpy Generator", _whole)
_prior = Check("a name or pseudo-counts", _plain)
_bounds = Check('"range", None or two numbers', _plain)


@dataclass(frozen=True)
class Settings:
    """The parameters of a Leaderboard, as it was made with them."""

    confidence: float = param(open_unit, default=0.95)
    prior: PriorLike = param(_prior, default=UNIFORM)
    method: str = param(_one_of(SHAPES), default="normal")
    target: str = param(_one_of(TARGETS), default="questions")
    bounds: BoundsLike = param(_bounds, default="range")
    tie: LeaderboardTie = param(_one_of(LEADERBOARD_TIES), default="zscore_adjacent")
    ranking: Method = param(_one_of(METHODS), default="competition")
    short: str = param(_one_of(SHORT), default="raise")
    draws: int = param(budget, default=20_000)
    rng: int = param(_seed, default=0)

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def interval_options(self) -> dict[str, Any]:
        """What ``Metric.interval`` is to be told beyond its own defaults."""
        given = {field.name: (getattr(self, field.name), field.default) for field in dataclasses.fields(self)}
        return {name: value for name, (value, usual) in given.items() if name in _INTERVAL and value != usual}

    @property
    def shares_questions(self) -> bool:
        """Whether differences are taken question by question."""
        return self.tie == "paired" or self.target == "population"

    @property
    def percent(self) -> str:
        """The confidence as a percentage."""
        return f"{100 * self.confidence:.6g}%"

    def __str__(self) -> str:
        about = {"questions": "these questions", "population": "questions like these"}[self.target]
        prior = self.prior if isinstance(self.prior, str) else f"({', '.join(f'{each:g}' for each in self.prior)})"
        return f"{self.percent} {self.method} intervals for {about}, prior {prior}; ties by {self.tie}"
