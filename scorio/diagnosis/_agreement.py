r"""Do models agree about which questions are hard? A model that does not may have its labels or its outcomes turned.

The success rates of the questions are ranked within each model, and ``r`` is the correlation of the ranks of one
model with the mean ranks of the others (of clusters, where there are clusters). For others, it is ``r_0``: the lower
median of the same without that model. Fisher's ``atanh r`` has about the standard deviation ``1.06 / sqrt(questions -
3)`` for ranks (Fieller, Hartley and Pearson, 1957). A model is found if its ``r`` would be so small with probability at
most the error, if its correlation were half of ``r_0``, times the square root of its reliability over that of the
others: a model that guesses every answer correlates with none.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from .._arrays import Vector
from .._display.numbers import is_chance, number
from .._special import ndtr
from ..outcomes import OutcomeSet
from ._diagnosis import Finding
from ._reliability import means_of, noise_of

_FEWEST = 10  # questions or clusters
_SHARED = 0.3  # correlation of models from which on they agree about what is hard
_HALF = 0.5
_SPREAD = 1.06


class _Rates(NamedTuple):
    """Ranks of success rates, a row per model, and lower limits of their reliabilities."""

    names: list[str]
    ranks: Vector
    reliability: Vector


def agreement(models: OutcomeSet, error: float) -> Iterator[Finding]:
    """Yield the models whose success rates of questions do not follow those of the other models."""
    rates = _rates(models)
    if len(rates.names) < 2 or rates.ranks.shape[1] < _FEWEST:
        return
    if len(rates.names) == 2:
        yield from _about_two(rates, error)
        return
    for i in range(len(rates.names)):
        yield from _about_one(rates, i, error)


def _rates(models: OutcomeSet) -> _Rates:
    """Return the success rates of the questions or clusters that every model tried, of the models that have several."""
    means = np.array([means_of(matrix) for matrix in models.values()])
    noise = np.array([noise_of(matrix) / np.maximum(matrix.trials, 1) for matrix in models.values()])
    shared = np.flatnonzero(~np.isnan(means).any(axis=0))
    labels = np.arange(len(shared)) if models.clusters is None else [str(models.clusters[i]) for i in shared]
    place, sizes = np.unique(labels, return_inverse=True, return_counts=True)[1:]
    means = np.array([np.bincount(place, of_model) for of_model in means[:, shared]]) / sizes
    noise = np.array([np.bincount(place, of_model) for of_model in noise[:, shared]]) / sizes**2
    spread = means.var(axis=1) if len(sizes) else np.zeros(len(means))
    keep = spread > 0.0
    reliability = 1.0 - noise[keep].mean(axis=1) / spread[keep]
    reliability -= 2.0 * np.sqrt(2.0 / max(len(sizes), 1)) * (1.0 - reliability)  # two standard errors of the ratio
    names = [name for name, has in zip(models, keep, strict=True) if has]
    ranks = np.array([_ranked(of_model) for of_model in means[keep]]).reshape(len(names), len(sizes))
    return _Rates(names, ranks, np.clip(np.nan_to_num(reliability), 0.0, 1.0))


def _ranked(values: Vector) -> Vector:
    """Return ranks, equal values sharing the mean of theirs, with the mean 0 and the variance 1.

    >>> _ranked(np.array([5.0, 1.0, 1.0])).round(2).tolist()
    [1.41, -0.71, -0.71]
    """
    _, place, times = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(times) - 0.5 * times)[place]
    return np.asarray((ranks - ranks.mean()) / ranks.std())


def _lower_median(values: Sequence[float]) -> float:
    return sorted(values)[(len(values) - 1) // 2]


def _correlation(one: Vector, two: Vector) -> float:
    """Return the correlation, 0 where one does not vary."""
    spread = float(one.std() * two.std())
    return float((one * two).mean() - one.mean() * two.mean()) / spread if spread > 1e-12 else 0.0


def _at_most(seen: float, true: float, count: int) -> float:
    """Return the chance of a correlation this small over so many questions, if ``true`` is the correlation."""
    limit = 1.0 - 1e-9
    gap = np.arctanh(np.clip(seen, -limit, limit)) - np.arctanh(np.clip(true, -limit, limit))
    return float(ndtr(gap * np.sqrt(count - 3.0) / _SPREAD))


def _about_one(rates: _Rates, i: int, error: float) -> Iterator[Finding]:
    """Yield what the ranks of one of several models say."""
    name, ranks, (places, count) = rates.names[i], rates.ranks[i], rates.ranks.shape
    others = rates.ranks.sum(axis=0) - ranks
    rest = [j for j in range(places) if j != i]
    usual = _lower_median([_correlation(rates.ranks[j], others - rates.ranks[j]) for j in rest])
    seen = _correlation(ranks, others)
    if usual < _SHARED:
        return
    typical = _lower_median(rates.reliability[rest].tolist())
    share = min(1.0, float(np.sqrt(rates.reliability[i] / typical))) if typical > 0.0 else 0.0
    chance = min(1.0, places * _at_most(seen, _HALF * usual * share, count))
    what = (
        f"success rates of {name} over questions correlate {number(seen, 2)} with those of other models, which "
        f"correlate {number(usual, 2)} with each other (p {is_chance(chance)} if its correlation were half as large)"
    )
    if places * _at_most(seen, 0.0, count) <= error:
        yield Finding.of("inverted outcomes", f"{what}: it fails where they succeed", name, chance=chance)
    elif chance <= error:
        yield Finding.of("labels do not match", what, name, chance=chance)


def _about_two(rates: _Rates, error: float) -> Iterator[Finding]:
    """Yield two models of which one fails where the other succeeds."""
    (one, two), pair = rates.ranks, tuple(rates.names)
    seen = _correlation(one, two)
    chance = min(1.0, 2.0 * _at_most(seen, 0.0, len(one)))
    if chance <= error and seen <= -_SHARED:
        what = (
            f"where {pair[0]} succeeds, {pair[1]} fails: their success rates over questions correlate "
            f"{number(seen, 2)} (by chance: p {is_chance(chance)})"
        )
        advice = "Check whether 0 means success in the logs of one of them"
        yield Finding.of("inverted outcomes", what, *pair, chance=chance, advice=advice)
