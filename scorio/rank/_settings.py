"""The parameters of a leaderboard: their checks and their description in words."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Collection
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from .._choices import SHAPES, TARGETS
from ..inference import Looks
from ..inference._interval import BoundsLike
from ..inference._prior import LEARNED, Prior, PriorLike, as_prior
from ..params import Check, budget, check_fields, choice, nonnegative, open_unit, param
from ._race import GOALS
from ._rules import RANKINGS, Ranking
from ._ties import DIFFERENCE, TIES, Tie

TOO_FEW = ("raise", "omit")
_OF_LOOKS = {"looks", "within", "goal"}
_INTERVAL_DEFAULTS = {"prior": None, "shape": None, "target": "questions", "bounds": "support"}


def _one_of(choices: Collection[str]) -> Callable[[str, Any], str]:
    return lambda name, value: choice(name, value, choices)


def seed_of(rng: int | np.random.Generator | None) -> int:
    """Return a seed that can be kept; a generator and None give one."""
    if rng is None or isinstance(rng, np.random.Generator):
        return int(np.random.default_rng(rng).integers(2**32))
    return int(_seed("rng", rng))


def _whole(value: Any) -> int:
    seed = operator.index(value)
    if isinstance(value, bool) or seed < 0:
        raise ValueError
    return seed


def _plain(value: Any) -> Any:
    """Return a name, None, a Prior or a tuple of numbers."""
    return value if value is None or isinstance(value, (str, Prior)) else tuple(float(each) for each in value)


_seed = Check("None, an integer, at least 0, or a numpy Generator", _whole)
_prior = Check("a name or pseudo-counts", _plain)
_bounds = Check('"support", None or two numbers', _plain)


@dataclass(frozen=True)
class LeaderboardSettings:
    """The parameters that a Leaderboard was made with."""

    confidence: float = param(open_unit, default=0.95)
    prior: PriorLike = param(_prior, default=LEARNED)
    shape: str = param(_one_of(SHAPES), default="quantile")
    target: str = param(_one_of(TARGETS), default="questions")
    bounds: BoundsLike = param(_bounds, default="support")
    tie: Tie = param(_one_of(TIES), default=DIFFERENCE)
    ranking: Ranking = param(_one_of(RANKINGS), default="competition")
    too_few: str = param(_one_of(TOO_FEW), default="raise")
    draws: int = param(budget, default=20_000)
    rng: int = param(_seed, default=0)
    looks: Looks | None = None
    within: float = param(nonnegative, default=0.0)
    goal: str = param(_one_of(GOALS), default="best")

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def interval_options(self) -> dict[str, Any]:
        """The options of ``Metric.interval`` that differ from its own defaults."""
        chosen = {name: getattr(self, name) for name in _INTERVAL_DEFAULTS}
        return {name: value for name, value in chosen.items() if value != _INTERVAL_DEFAULTS[name]}

    def to_dict(self) -> dict[str, Any]:
        """Return all parameters for JSON; those of looks only where there are looks."""
        values = asdict(self)
        if isinstance(self.bounds, tuple):
            values["bounds"] = [bound if math.isfinite(bound) else None for bound in self.bounds]
        if self.looks is not None:
            return values | {"looks": self.looks.to_dict(), "valid": str(self.looks)}
        return {name: value for name, value in values.items() if name not in _OF_LOOKS}

    @property
    def percent(self) -> str:
        """The confidence as a percentage."""
        return f"{100 * self.confidence:.6g}%"

    @property
    def error_percent(self) -> str:
        """The error rate, one minus the confidence, as a percentage."""
        return f"{100 * (1.0 - self.confidence):.6g}%"

    def __str__(self) -> str:
        about = {"questions": "these questions", "population": "questions like these"}[self.target]
        said = f"{self.percent} {self.shape} intervals for {about}, prior {as_prior(self.prior)}"
        return f"{said}; ties by {self.tie}" if self.looks is None else said
