r"""Copies and opposites: trials, runs and models that are exactly alike, and models that disagree about what is hard.

Every chance is a bound that holds for every sound data set, corrected for the number of places.

- *Trials of a question* of the rate ``p`` are all alike with the chance ``p^n + (1 - p)^n``. Its logarithm is
  concave in ``p (1 - p)``, so of all rates whose ``p (1 - p)`` have a given mean, equal ones give the largest chance.
- *Two models* with ``n`` trials each of a question and one success rate: given the successes of both, those of one are
  hypergeometric. If their rates differ, equal numbers are rarer.

Trials that agree may also have success rates near 0 and 1, which no outcome tells apart from copies. They are found if
the share of the variance of outcomes within questions, ``mean p (1 - p) / (m (1 - m))``, is shown to be below a fifth.

A model that does not agree with others about which questions are hard may have its labels or its outcomes turned. The
success rates of the questions are ranked within each model, and ``r`` is the correlation of the ranks of one model with
the mean ranks of the others (of clusters, where there are clusters). For others, it is ``r_0``: the lower median of the
same without that model. Fisher's ``atanh r`` has about the standard deviation ``1.06 / sqrt(questions - 3)`` for ranks
(Fieller, Hartley and Pearson, 1957). A model is found if its ``r`` would be so small with probability at most the
error, if its correlation were half of ``r_0``, times the square root of its reliability over that of the others: a
model that guesses every answer correlates with none.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Counts, Vector
from .._display.numbers import counts, is_chance, number
from .._display.words import pluralize
from .._special import log_choose, ndtr
from ..outcomes import OutcomeMatrix, OutcomeSet, RewardMatrix
from ._diagnosis import Finding
from ._reliability import means_of, noise_of, varies
from ._runs import Runs

_FIFTH = 0.2  # share of the variance within questions that alike trials exclude
_FEWEST = 10  # questions or clusters
_SHARED = 0.3  # correlation of models from which on they agree about what is hard
_HALF = 0.5
_SPREAD = 1.06


def copies(models: OutcomeSet, runs: Mapping[str, Runs], error: float, error_of_runs: float) -> Iterator[Finding]:
    """Yield what looks copied; models and trials are found in sound outcomes with probability at most ``error``.

    Trials need most of it. Numbers of trials that follow the outcomes are left out: their trials are not exchangeable.
    """
    fixed = {name: matrix for name, matrix in models.items() if not matrix.is_adaptive}
    of_fixed = {name: of_model for name, of_model in runs.items() if name in fixed}
    yield from _alike_trials(fixed, 0.8 * error)
    for name, of_model in of_fixed.items():
        yield from _copied_runs(name, of_model, error_of_runs / len(of_fixed))
    yield from _copied_models(fixed, 0.2 * error)


def _alike_trials(models: Mapping[str, OutcomeMatrix], error: float) -> Iterator[Finding]:
    """Yield the models of which no trials of a question differ."""
    for name, matrix in models.items():
        if matrix.max_trials < 2 or varies(matrix).any():
            continue
        asked = matrix.trials >= 2
        fewest = int(matrix.trials[asked].min())
        chance = min(1.0, len(models) * _chance_of_alike(_passes(matrix)[asked], fewest))
        if chance <= error:
            size = f"{pluralize(int(asked.sum()), 'question')} x {counts(fewest, matrix.max_trials)} trials"
            what = (
                f"all trials of a question are alike: {name}, {size} (p {is_chance(chance)} if a fifth or more of the"
                " variance of outcomes were within questions)"
            )
            yield Finding.of("trials alike", what, name, chance=chance)


def _passes(matrix: OutcomeMatrix) -> Counts:
    """Return the successes of each question; outcomes in the upper half of their range are successes."""
    if isinstance(matrix, RewardMatrix):
        means = np.nan_to_num(matrix.means)
        return np.where(means > 0.5 * (means.min() + means.max()), matrix.trials, 0)
    return np.asarray(matrix.counts[:, matrix.n_categories // 2 :].sum(axis=1))


def _chance_of_alike(passes: Counts, trials: int) -> float:
    """Return the chance that so many trials of every question are alike, as these are.

    It holds if at least a fifth of the variance of outcomes is within questions.

    >>> round(_chance_of_alike(np.array([0, 2, 2]), 2), 3)  # two trials agree with probability 1 - 2 p (1 - p)
    0.756
    """
    mean = float((passes > 0).mean())
    rate = 0.5 - np.sqrt(0.25 - _FIFTH * mean * (1.0 - mean))
    return float((rate**trials + (1.0 - rate) ** trials) ** len(passes))


def _copied_runs(name: str, runs: Runs, error: float) -> Iterator[Finding]:
    """Yield two runs with the same outcome on every question, where the outcomes of all runs make that unlikely."""
    groups = _equal({i: row.tobytes() for i, row in enumerate(runs.values.T + 0.0)})
    is_there = ~np.isnan(runs.values)
    trials = is_there.sum(axis=1)
    times = np.array([(runs.values == outcome).sum(axis=1) for outcome in np.unique(runs.values[is_there])])
    alike, pairs = (times * (times - 1)).sum(axis=0), trials * (trials - 1)
    share_alike = np.where(pairs > 0, alike / np.maximum(pairs, 1), 1.0)  # of the pairs of trials of each question
    pairs_of_runs = runs.values.shape[1] * (runs.values.shape[1] - 1) / 2
    tried = [is_there[:, equal[0]] for equal in groups]
    chances = [pairs_of_runs * float(np.prod(share_alike[questions])) for questions in tried]
    unlikely = [i for i, chance in enumerate(chances) if chance <= error]
    if not unlikely:
        return
    first = min(unlikely, key=chances.__getitem__)
    one, two = (runs.names[i] for i in groups[first][:2])
    more = sum(len(groups[i]) - 1 for i in unlikely) - 1
    like_this = f", and {pluralize(more, 'more run')} like this" if more else ""
    what = (
        f"two runs of {name} have the same outcome on all of {pluralize(int(tried[first].sum()), 'question')}: "
        f"{one} and {two} (by chance: p {is_chance(chances[first])}){like_this}"
    )
    yield Finding.of("copied run", what, name, chance=chances[first])


def _equal(held: Mapping[Any, Hashable]) -> list[list[Any]]:
    """Return the names of what holds the same together, where there are several."""
    groups: dict[Hashable, list[Any]] = defaultdict(list)
    for name, content in held.items():
        groups[content].append(name)
    return [names for names in groups.values() if len(names) > 1]


def _copied_models(models: Mapping[str, OutcomeMatrix], error: float) -> Iterator[Finding]:
    """Yield models with the same outcomes on every question, where two models with equal success rates rarely agree."""
    pairs = len(models) * (len(models) - 1) // 2
    contents = {
        name: (matrix.means.tobytes(), matrix.variances.tobytes())
        if isinstance(matrix, RewardMatrix)
        else matrix.counts.tobytes()
        for name, matrix in models.items()
    }
    for names in _equal(contents):
        matrix = models[names[0]]
        n, c = matrix.trials, _passes(matrix)
        if matrix.max_trials == 1:  # that of two alike trials
            chance = _chance_of_alike(c[n > 0], 2)
        else:  # that of as many successes on every question, if all success rates are equal
            chance = float(np.exp((2.0 * log_choose(n, c) - log_choose(2 * n, 2 * c)).sum()))
        chance = min(1.0, pairs * chance)
        if chance <= error:
            more = f" and {pluralize(len(names) - 2, 'more model')}"
            who = " and ".join(names) if len(names) == 2 else f"{', '.join(names[:2])}{more}"
            what = f"{who} have the same outcomes on every question (by chance: p {is_chance(chance)})"
            yield Finding.of("copied model", what, *names, chance=chance)


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
