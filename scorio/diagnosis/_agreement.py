r"""Do models agree about which questions are hard? A model that does not may have its labels or its outcomes turned.

The success rates of the questions are ranked within each model, and ``r`` is the correlation of the ranks of one
model with the mean ranks of the others (of clusters, where there are clusters). For others, it is ``r_0``: the lower
median of the same without that model. Fisher's ``atanh r`` has about the standard deviation ``1.06 / sqrt(questions -
3)`` for ranks (Fieller, Hartley and Pearson, 1957). A model is found

- if its ``r`` would be so small with probability at most the error, if its correlation were half of ``r_0``, times the
  square root of its reliability over that of the others: a model that guesses every answer correlates with none,
- or if ``r`` would be so much smaller than with its labels in one of the orders that labels often have by mistake.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .._arrays import Flags, Indices, Vector
from .._display.numbers import is_chance, number
from .._special import ndtr
from ..outcomes import OutcomeSet
from ._copies import lower_median
from ._diagnosis import Finding
from ._reliability import means_of, noise_of

_FEWEST = 10  # questions or clusters
_SHARED = 0.3  # correlation of models from which on they agree about what is hard
_HALF = 0.5
_SPREAD = 1.06
_SORTED = (
    "Check how the labels of questions were made: sorted as text or as numbers, counted from 0 or from 1, or shuffled"
)
_SHIFTS = 2  # of the orders, the first two
_TESTS = 2  # of each of several models


class _Rates(NamedTuple):
    """Ranks of success rates, a row per model; lower limits of their reliabilities; orders of questions."""

    names: list[str]
    ranks: Vector
    reliability: Vector
    orders: list[tuple[str, Indices]]

    @property
    def size(self) -> int:
        """How many questions or clusters there are."""
        return int(self.ranks.shape[1])


def agreement(task: str, models: OutcomeSet, error: float) -> Iterator[Finding]:
    """Yield the models whose success rates of questions do not follow those of the other models."""
    rates = _rates(models)
    if len(rates.names) < 2 or rates.size < _FEWEST:
        return
    if len(rates.names) == 2:
        yield from _about_two(task, rates, error)
        return
    for i in range(len(rates.names)):
        yield from _about_one(task, rates, i, error)


def _rates(models: OutcomeSet) -> _Rates:
    """Return the success rates of the questions or clusters that every model tried, of the models that have several."""
    means = np.array([means_of(matrix) for matrix in models.values()])
    noise = np.array([noise_of(matrix) / np.maximum(matrix.trials, 1) for matrix in models.values()])
    shared: Flags = np.asarray(~np.isnan(means).any(axis=0))
    means, noise = means[:, shared], noise[:, shared]
    if models.clusters is not None:
        labels = [label for label, keep in zip(models.clusters, shared, strict=True) if keep]
        number_of = {label: i for i, label in enumerate(dict.fromkeys(labels))}
        place = np.array([number_of[label] for label in labels], np.intp)
        sizes = np.bincount(place)
        means = np.array([np.bincount(place, each) for each in means]) / sizes
        noise = np.array([np.bincount(place, each) for each in noise]) / sizes**2
    count = means.shape[1]
    spread = means.var(axis=1) if count else np.zeros(len(means))
    keep = spread > 0.0
    reliability = 1.0 - noise[keep].mean(axis=1) / spread[keep]
    reliability -= 2.0 * np.sqrt(2.0 / max(count, 1)) * (1.0 - reliability)  # two standard errors of the ratio
    names = [name for name, has in zip(models, keep, strict=True) if has]
    ranks = np.array([_ranked(each) for each in means[keep]]).reshape(len(names), count)
    orders = [] if models.clusters is not None or not shared.all() else _orders(count)
    return _Rates(names, ranks, np.clip(np.nan_to_num(reliability), 0.0, 1.0), orders)


def _ranked(values: Vector) -> Vector:
    """Return ranks, equal values sharing the mean of theirs, with the mean 0 and the variance 1.

    >>> _ranked(np.array([5.0, 1.0, 1.0])).round(2).tolist()
    [1.41, -0.71, -0.71]
    """
    _, place, times = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(times) - 0.5 * times)[place]
    return np.asarray((ranks - ranks.mean()) / ranks.std())


def _orders(count: int) -> list[tuple[str, Indices]]:
    """Return the orders of questions that labels often have by mistake."""
    numbers = np.arange(count)
    as_text = np.array(sorted(range(count), key=str), np.intp)
    return [
        ("shifted by one", np.roll(numbers, 1)),
        ("shifted by one", np.roll(numbers, -1)),
        ("in the reverse order", numbers[::-1]),
        ("sorted as text", as_text),
        ("sorted as numbers", np.argsort(as_text)),
    ]


def _correlation(one: Vector, two: Vector) -> float:
    """Return the correlation, 0 where one does not vary."""
    spread = float(one.std() * two.std())
    return float((one * two).mean() - one.mean() * two.mean()) / spread if spread > 1e-12 else 0.0


def _scaled(correlation: float) -> float:
    """Return Fisher's transformation, bounded."""
    return float(np.arctanh(np.clip(correlation, -1.0 + 1e-9, 1.0 - 1e-9)))


def _at_most(seen: float, true: float, count: int) -> float:
    """Return the chance of a correlation this small over so many questions, if ``true`` is the correlation."""
    return float(ndtr((_scaled(seen) - _scaled(true)) * np.sqrt(count - 3.0) / _SPREAD))


def _about_one(task: str, rates: _Rates, i: int, error: float) -> Iterator[Finding]:
    """Yield what the ranks of one of several models say."""
    name, own = rates.names[i], rates.ranks[i]
    others = rates.ranks.sum(axis=0) - own
    rest = [j for j in range(len(rates.names)) if j != i]
    usual = lower_median([_correlation(rates.ranks[j], others - rates.ranks[j]) for j in rest])
    seen = _correlation(own, others)
    if usual < _SHARED or seen > usual:
        return
    places = _TESTS * len(rates.names)
    typical = lower_median(rates.reliability[rest].tolist())
    share = min(1.0, float(np.sqrt(rates.reliability[i] / typical))) if typical > 0.0 else 0.0
    chance = min(1.0, places * _at_most(seen, _HALF * usual * share, rates.size))
    what = (
        f"success rates of {name} over questions correlate {number(seen, 2)} with those of other models, which "
        f"correlate {number(usual, 2)} with each other"
    )
    reason = f"(p {is_chance(chance)} if its correlation were half as large)"
    if places * _at_most(seen, 0.0, rates.size) <= error:
        advice = "Check whether 0 means success in its logs"
        yield Finding(
            "inverted outcomes", f"{what} {reason}: it fails where they succeed", advice, task, (name,), chance
        )
        return
    mended, order, restored = _restored(own, others, seen, rates.orders)
    mended = min(1.0, places * mended)
    if mended <= error:
        what += f", and {number(restored, 2)} with its labels {order} (by chance: p {is_chance(mended)})"
        yield Finding("labels do not match", what, _SORTED, task, (name,), mended)
    elif chance <= error:
        yield Finding("labels do not match", f"{what} {reason}", _SORTED, task, (name,), chance)


def _restored(own: Vector, others: Vector, seen: float, orders: list[tuple[str, Indices]]) -> tuple[float, str, float]:
    """Return the chance of such a gain by the best order of labels, that order, and the correlation in it."""
    if not orders:
        return 1.0, "", seen
    best, name = max((_correlation(own[order], others), name) for name, order in orders)
    gain = (_scaled(best) - _scaled(seen)) * np.sqrt((len(own) - 3.0) / 2.0) / _SPREAD
    return min(1.0, len(orders) * float(ndtr(-gain))), name, best


def _about_two(task: str, rates: _Rates, error: float) -> Iterator[Finding]:
    """Yield two models of which one fails where the other succeeds, or whose questions are shifted by one."""
    (one, two), pair = rates.ranks, tuple(rates.names)
    seen = _correlation(one, two)
    chance = min(1.0, 2.0 * _at_most(seen, 0.0, rates.size))
    if chance <= error and seen <= -_SHARED:
        what = (
            f"where {pair[0]} succeeds, {pair[1]} fails: their success rates over questions correlate "
            f"{number(seen, 2)} (by chance: p {is_chance(chance)})"
        )
        advice = "Check whether 0 means success in the logs of one of them"
        yield Finding("inverted outcomes", what, advice, task, pair, chance)
        return
    mended, order, restored = _restored(one, two, seen, rates.orders[:_SHIFTS])
    if 2.0 * mended <= error and restored >= _SHARED:
        what = (
            f"success rates of {pair[0]} and {pair[1]} over questions correlate {number(seen, 2)}, and "
            f"{number(restored, 2)} with labels {order} (by chance: p {is_chance(2.0 * mended)})"
        )
        yield Finding("labels do not match", what, _SORTED, task, pair, 2.0 * mended)
