r"""Do models agree about which questions are hard? A model that does not may have its labels or its outcomes turned.

The success rates of the questions are ranked within each model, and ``r`` is the correlation of the ranks of one
model with the mean ranks of the others (of clusters, where there are clusters). For others, it is ``r_0``: the lower
median of the same without that model. Fisher's ``atanh r`` has about the standard deviation ``1.06 / sqrt(questions -
3)`` for ranks (Fieller, Hartley and Pearson, 1957). A model is found

- if its ``r`` would be so small with probability at most the error, if its correlation were half of ``r_0``, times the
  square root of its reliability over that of the others: a model that guesses every answer correlates with none,
- if ``r`` would be so much smaller than with its labels in one of the orders that labels often have by mistake,
- or if it fails on so many of the questions that the others nearly always solve, and solves so many that they nearly
  always fail, although the chance of each was twice the largest share of any other model. Only a model whose trials
  differ about as much as those of the others is compared: a surer one turns more outcomes by chance.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from .._arrays import Counts, Flags, Indices, Vector
from .._display.numbers import is_chance, number
from .._display.words import pluralize
from .._special import betainc, ndtr
from ..outcomes import OutcomeMatrix, OutcomeSet
from ._copies import lower_median, share_within
from ._diagnosis import INVERTED, LABELS, Finding
from ._reliability import means_of, variances_of

_FEWEST = 10  # questions or clusters
_SHARED = 0.3  # correlation of models from which on they agree about what is hard
_HALF = 0.5
_SPREAD = 1.06
_SORTED = (
    "Check how the labels of questions were made: sorted as text or as numbers, counted from 0 or from 1, or shuffled"
)
_TURNED = "Check whether 0 means success in its logs"
_SHIFTS = 2  # of the orders, the first two
_TESTS = 3  # of each of several models
_NEARLY_ALL = 0.9  # success rate
_ABOUT = 2.0 / 3.0  # of the share of variance within questions of other models
_TWICE = 2.0  # the most of any other model


class _Rates(NamedTuple):
    """Success rates, and their ranks, a row per model; lower limits of their reliabilities; orders of questions."""

    names: list[str]
    means: Vector
    ranks: Vector
    reliability: Vector
    orders: list[tuple[str, Indices]]


def agreement(task: str, models: OutcomeSet, error: float) -> Iterator[Finding]:
    """Yield the models whose success rates of questions do not follow those of the other models."""
    rates = _rates(models)
    if len(rates.names) < 2 or rates.ranks.shape[1] < _FEWEST:
        return
    if len(rates.names) == 2:
        yield from _about_two(task, rates, error)
        return
    sure = _as_sure(models) if models.is_pass_fail else set()
    for i, name in enumerate(rates.names):
        about = list(_about_one(task, rates, i, error))
        if not about and name in sure:
            about = list(_about_opposites(task, rates, i, error))
        yield from about


def _rates(models: OutcomeSet) -> _Rates:
    """Return the success rates of the questions or clusters that every model tried, of the models that have several."""
    means = np.array([means_of(matrix) for matrix in models.values()])
    noise = np.array([_noise(matrix) for matrix in models.values()])
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
    return _Rates(names, means[keep], ranks, np.clip(np.nan_to_num(reliability), 0.0, 1.0), orders)


def _noise(matrix: OutcomeMatrix) -> Vector:
    """Return the variance of the mean of each question; NaN if no question has two trials."""
    several = matrix.trials >= 2
    variances = variances_of(matrix)
    typical = variances[several].mean() if several.any() else np.nan
    return np.asarray(np.where(several, variances, typical) / np.maximum(matrix.trials, 1))


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
    return float(_correlations(one[None], two[None])[0])


def _correlations(one: Vector, two: Vector) -> Vector:
    """Return the correlation of each row of one with that of the other; 0 where one does not vary."""
    spread = one.std(axis=1) * two.std(axis=1)
    product = (one * two).mean(axis=1) - one.mean(axis=1) * two.mean(axis=1)
    return np.asarray(np.divide(product, spread, out=np.zeros(len(spread)), where=spread > 1e-12))


def _scaled(correlation: float) -> float:
    """Return Fisher's transformation, bounded."""
    return float(np.arctanh(np.clip(correlation, -1.0 + 1e-9, 1.0 - 1e-9)))


def _at_most(seen: float, true: float, count: int) -> float:
    """Return the chance of a correlation this small over so many questions, if ``true`` is the correlation."""
    return float(ndtr((_scaled(seen) - _scaled(true)) * np.sqrt(count - 3.0) / _SPREAD))


def _about_one(task: str, rates: _Rates, i: int, error: float) -> Iterator[Finding]:
    """Yield what the ranks of one of several models say."""
    name, own, count = rates.names[i], rates.ranks[i], rates.ranks.shape[1]
    others = rates.ranks.sum(axis=0) - own
    rest = [j for j in range(len(rates.names)) if j != i]
    usual = lower_median(_correlations(rates.ranks[rest], others - rates.ranks[rest]).tolist())
    seen = _correlation(own, others)
    if usual < _SHARED or seen > usual:
        return
    places = _TESTS * len(rates.names)
    typical = lower_median(rates.reliability[rest].tolist())
    share = min(1.0, float(np.sqrt(rates.reliability[i] / typical))) if typical > 0.0 else 0.0
    chance = min(1.0, places * _at_most(seen, _HALF * usual * share, count))
    what = (
        f"success rates of {name} over questions correlate {number(seen, 2)} with those of other models, which "
        f"correlate {number(usual, 2)} with each other"
    )
    reason = f"(p {is_chance(chance)} if its correlation were half as large)"
    if places * _at_most(seen, 0.0, count) <= error:
        yield Finding(INVERTED, f"{what} {reason}: it fails where they succeed", _TURNED, task, (name,), chance)
        return
    mended, order, restored = _restored(own, others, seen, rates.orders)
    mended = min(1.0, places * mended)
    if mended <= error:
        what += f", and {number(restored, 2)} with its labels {order} (by chance: p {is_chance(mended)})"
        yield Finding(LABELS, what, _SORTED, task, (name,), mended)
    elif chance <= error:
        yield Finding(LABELS, f"{what} {reason}", _SORTED, task, (name,), chance)


def _about_opposites(task: str, rates: _Rates, i: int, error: float) -> Iterator[Finding]:
    """Yield a model that turns the outcomes of so many questions, in both directions, that no other model does."""
    others = [j for j in range(len(rates.names)) if j != i]
    rest = rates.means.sum(axis=0) - rates.means[i]
    own = _opposites(rates.means[i], rest / len(others))
    usual = np.array([_opposites(rates.means[j], (rest - rates.means[j]) / (len(others) - 1)) for j in others])
    shares = (usual[..., 0] + 1.0) / (usual[..., 1] + 1.0)
    if (own[:, 0] <= shares.max(axis=0) * own[:, 1]).any():
        return
    count, of = own.sum(axis=0).tolist()
    totals = usual.sum(axis=1) + 1.0
    most = min(1.0, _TWICE * float((totals[:, 0] / totals[:, 1]).max()))
    chance = min(1.0, _TESTS * len(rates.names) * float(betainc(count, of - count + 1.0, most)))
    if chance <= error:
        fails, solves = (f"{some:,} of {pluralize(total, 'question')}" for some, total in own.tolist())
        what = (
            f"{rates.names[i]} nearly always fails on {fails} that other models nearly always solve, and nearly always "
            f"solves {solves} that they nearly always fail (p {is_chance(chance)} if it did so twice as often as any)"
        )
        advice = "Check the keys of these questions, and whether 0 means success in some of its logs"
        yield Finding(INVERTED, what, advice, task, (rates.names[i],), chance)


def _as_sure(models: OutcomeSet) -> set[str]:
    """Return the models whose trials differ about as much, and are as many, as those of the others.

    The observed rates of another model are nearer to 0 and 1 than theirs, and more of them are opposite.
    """
    shares = {each: share_within(matrix, matrix.trials >= 2) for each, matrix in models.items()}
    trials = {each: matrix.mean_trials for each, matrix in models.items()}
    found = set()
    for name in models:
        usual, many = (lower_median([of[each] for each in models if each != name]) for of in (shares, trials))
        if shares[name] >= _ABOUT * usual and trials[name] >= many:
            found.add(name)
    return found


def _opposites(own: Vector, shared: Vector) -> Counts:
    """Return how many of the questions that others nearly always solve this model nearly always fails, and the reverse.

    ``shared`` is the mean rate of the others.

    >>> _opposites(np.array([0.0, 1.0, 0.0]), np.array([0.95, 1.0, 0.1])).tolist()
    [[1, 2], [0, 1]]
    """
    low = 1.0 - _NEARLY_ALL + 1e-12
    easy, hard, fails, solves = shared >= 1.0 - low, shared <= low, own <= low, own >= 1.0 - low
    return np.array([[(easy & fails).sum(), easy.sum()], [(hard & solves).sum(), hard.sum()]])


def _restored(
    own: Vector, others: Vector, seen: float, orders: Sequence[tuple[str, Indices]]
) -> tuple[float, str, float]:
    """Return the order of labels with the largest correlation, that, and the chance that it is so much larger."""
    if not orders:
        return 1.0, "", seen
    best, name = max((_correlation(own[order], others), name) for name, order in orders)
    gain = (_scaled(best) - _scaled(seen)) * np.sqrt((len(own) - 3.0) / 2.0) / _SPREAD
    return min(1.0, len(orders) * float(ndtr(-gain))), name, best


def _about_two(task: str, rates: _Rates, error: float) -> Iterator[Finding]:
    """Yield two models of which one fails where the other succeeds, or whose questions are shifted by one."""
    (one, two), pair = rates.ranks, tuple(rates.names)
    seen = _correlation(one, two)
    chance = min(1.0, 2.0 * _at_most(seen, 0.0, len(one)))
    if chance <= error and seen <= -_SHARED:
        what = (
            f"where {pair[0]} succeeds, {pair[1]} fails: their success rates over questions correlate "
            f"{number(seen, 2)} (by chance: p {is_chance(chance)})"
        )
        yield Finding(INVERTED, what, "Check whether 0 means success in the logs of one of them", task, pair, chance)
        return
    mended, order, restored = _restored(one, two, seen, rates.orders[:_SHIFTS])
    if 2.0 * mended <= error and restored >= _SHARED:
        what = (
            f"success rates of {pair[0]} and {pair[1]} over questions correlate {number(seen, 2)}, and "
            f"{number(restored, 2)} with labels {order} (by chance: p {is_chance(2.0 * mended)})"
        )
        yield Finding(LABELS, what, _SORTED, task, pair, 2.0 * mended)
