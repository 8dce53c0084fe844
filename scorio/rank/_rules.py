"""From scores to ranks: when models share a rank, how such ranks are numbered, and a leaderboard's settings."""

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._arrays import Flags, Indices, Vector, finite_list
from .._choices import CATEGORICAL, DIFFERENCE, SAMPLES, TIES, TOO_FEW_OR_NAN
from .._display.words import spread_of, subject
from .._special import ndtri
from ..errors import ParameterError
from ..estimates import Stack
from ..inference import WHATEVER, BoundsLike, Level, Terms
from ..params import Check, choice, count, nonnegative, one_of, open_unit, param, seed

AdjacentTie = Literal["zscore_adjacent", "ci_overlap_adjacent"]
Tie = AdjacentTie | Literal["difference"]
Ranking = Literal["competition", "competition_max", "dense", "avg"]
Ranks = NDArray[Any]
_PAIRS_AT_ONCE = 500  # whose differences are in memory
TOLERANCE = 1e-12  # neighbors in score order with scores within this tie

# How the first and the last rank of each model's group of ties make its rank.
RANKINGS: Mapping[str, Callable[[Indices, Indices], Ranks]] = MappingProxyType(
    {
        "competition": lambda first, last: first,  # noqa: ARG005 - one signature
        "competition_max": lambda first, last: last,  # noqa: ARG005
        "dense": lambda first, last: np.unique(first, return_inverse=True)[1] + 1,  # noqa: ARG005
        "avg": lambda first, last: (first + last) / 2.0,
    }
)


def _small_z(one: Vector, other: Vector, confidence: float) -> Flags:
    gap, sigma = np.abs(one[:, 0] - other[:, 0]), np.hypot(one[:, 1], other[:, 1])
    return np.asarray(gap < ndtri(confidence) * sigma)


def _overlap(one: Vector, other: Vector, confidence: float) -> Flags:  # noqa: ARG001 - intervals have their confidence
    return np.asarray((one[:, 2] <= other[:, 3]) & (other[:, 2] <= one[:, 3]))


# Published rules: which models are tied with others, from the intervals of both, (L, 4): mu, sigma, lo and hi.
ADJACENT_TIES: Mapping[str, Callable[[Vector, Vector, float], Flags]] = MappingProxyType(
    {"zscore_adjacent": _small_z, "ci_overlap_adjacent": _overlap}
)


class Ties(NamedTuple):
    """First and last rank of each model, (L,), and whether it is tied with the top model, if the rule says so."""

    first: Indices
    last: Indices
    with_top: Flags | None = None


def adjacent_ties(order: Indices, tied: Flags, with_top: Flags) -> Ties:
    """Return ties of models in score ``order`` whose neighbors are ``tied``: a chain of ties shares one rank."""
    group = np.concatenate(([0], np.cumsum(~tied)))
    last = np.cumsum(np.bincount(group))
    first = last - np.bincount(group) + 1
    where = np.empty(len(order), dtype=np.intp)
    where[order] = group
    return Ties(first[where], last[where], with_top)


def significant_differences(stack: Stack) -> Ties:
    """Return ties by comparison: a rank is one more than the number of models that are called better.

    >>> from scorio.estimates._joint import independent
    >>> significant_differences(Stack(independent([0.9, 0.5, 0.52], [0.05] * 3), Level(0.95))).first
    array([1, 2, 2])
    """
    count = len(stack.joint.mu)
    first, last = np.ones(count, dtype=np.intp), np.full(count, count)
    models, step = np.arange(count), max(1, _PAIRS_AT_ONCE // count)
    for start in range(0, count, step):
        some = models[start : start + step]
        better = stack.is_better(np.repeat(some, count), np.tile(models, len(some))).reshape(-1, count)
        first += better.sum(axis=0)
        last[some] -= better.sum(axis=1)
    return Ties(first, last)


def competition_ranks_from_scores(scores: ArrayLike, tol: float = TOLERANCE) -> Ranks:
    """Return ranks 1, 2, 2, 4: higher is better, and neighbors within ``tol`` tie.

    >>> competition_ranks_from_scores([0.95, 0.87, 0.87, 0.72, 0.65])
    array([1, 2, 2, 4, 5])
    """
    return rank_scores(scores, tol)["competition"]


def rank_scores(
    scores: ArrayLike,
    tol: float = TOLERANCE,
    sigmas: ArrayLike | None = None,
    confidence: float = 0.95,
    tie: AdjacentTie = "zscore_adjacent",
) -> dict[str, Ranks]:
    """Return ranks by every method, higher is better: ``competition``, ``competition_max``, ``dense``, ``avg``.

    Neighbors in score order tie if they are within ``tol``. With ``sigmas`` they also tie if
    ``z = |difference| / sqrt(sigma^2 + sigma'^2)`` is below ``Phi^-1(confidence)`` (``"zscore_adjacent"``), or if
    their intervals ``score -+ z sigma`` overlap (``"ci_overlap_adjacent"``).

    >>> rank_scores([0.9, 0.5, 0.52], sigmas=[0.05, 0.05, 0.05])["competition"]
    array([1, 2, 2])
    """
    values = _vector("scores", scores)
    rule = ADJACENT_TIES[choice("tie", tie, ADJACENT_TIES)]
    order, tied = score_order(values, nonnegative("tol", tol))
    open_unit("confidence", confidence)
    if sigmas is not None:
        spread = _vector("sigmas", sigmas)
        if spread.shape != values.shape or (spread < 0).any():
            raise ParameterError(f"must be {len(values)} numbers, at least 0, one per score", argument="sigmas")
        reach = Level(confidence).critical() * spread
        intervals = np.stack([values, spread, values - reach, values + reach], axis=1)[order]
        tied |= rule(intervals[:-1], intervals[1:], confidence)
    ties = adjacent_ties(order, tied, tied)
    return {method: number(ties.first, ties.last) for method, number in RANKINGS.items()}


def score_order(values: Vector, tol: float = TOLERANCE) -> tuple[Indices, Flags]:
    """Return the models from best to worst, and whether each has the score of the next within ``tol``."""
    order = np.argsort(-values, kind="stable")
    return order, -np.diff(values[order]) <= tol


def _vector(name: str, values: ArrayLike) -> Vector:
    vector = finite_list(values)
    if vector is None:
        raise ParameterError(f"must be a list of at least one finite number; got {values!r}", argument=name)
    return vector


def _plain(value: Any) -> Any:
    """Return a name, None or a tuple of numbers."""
    return value if value is None or isinstance(value, str) else tuple(float(number) for number in value)


_bounds = Check('"support", None or two numbers', _plain)


_RANK = "rank: one more than the significantly better models"  # so that ranks may be 1, 1, 2 and 4


@dataclass(frozen=True, kw_only=True)
class LeaderboardSettings(Terms):
    """The parameters that a Leaderboard was made with."""

    bounds: BoundsLike = param(_bounds, default="support")
    tie: Tie = param(one_of(TIES), default=DIFFERENCE)
    ranking: Ranking = param(one_of(RANKINGS), default="competition")
    too_few: str = param(one_of(TOO_FEW_OR_NAN), default="raise")
    draws: int = param(count, default=20_000)
    rng: int = param(seed, default=0)

    @property
    def interval_options(self) -> dict[str, Any]:
        """The options of ``Metric.interval``."""
        return {name: getattr(self, name) for name in ("prior", "shape", "target", "bounds")}

    def to_dict(self) -> dict[str, Any]:
        """Return all parameters for JSON."""
        values = asdict(self)
        if isinstance(self.bounds, tuple):
            values["bounds"] = [bound if math.isfinite(bound) else None for bound in self.bounds]
        if self.looks is None:
            del values["looks"]
            return values
        return values | {"looks": self.looks.to_dict(), "valid": str(self.looks)}

    @property
    def percent(self) -> str:
        """The confidence as a percentage."""
        return f"{100 * self.confidence:.6g}%"

    @property
    def error_percent(self) -> str:
        """The error rate, one minus the confidence, as a percentage."""
        return f"{100 * (1.0 - self.confidence):.6g}%"

    def __str__(self) -> str:
        return self.in_words()

    def in_words(self, rewards: str = CATEGORICAL, *, is_ranked: bool = True) -> str:
        """Say what the intervals of metrics of these ``rewards`` are about; choices among samples have no prior."""
        about = subject(self.target, self.runs)
        kind = "" if self.shape is None else f"{self.shape} "
        prior = "each metric's own prior" if self.prior is None else f"prior {self.assumed}"
        prior = prior if self.shape is None else WHATEVER.get(self.shape, prior)
        prior = spread_of(self.target) if rewards == SAMPLES else prior
        said = f"{self.percent} {kind}intervals for {about}, {prior}"
        if self.looks is not None or not is_ranked:
            return said
        return f"{said}; {_RANK}" if self.tie == DIFFERENCE else f"{said}; ties by {self.tie}"
