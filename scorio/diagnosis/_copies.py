r"""Copies and opposites: trials, runs and models that are exactly alike, and models that fail where others succeed.

Every chance is a bound that holds for every sound data set, corrected for the number of places.

- *Trials of a question* of the rate ``p`` are all alike with the chance ``p^n + (1 - p)^n``. Its logarithm is
  concave in ``p (1 - p)``, so of all rates whose ``p (1 - p)`` have a given mean, equal ones give the largest chance.
- *Two models* with ``n`` trials each of a question and one success rate: given the successes of both, those of one are
  hypergeometric. If their rates differ, equal numbers are rarer.

Trials that agree may also have success rates near 0 and 1, which no outcome tells apart from copies. They are found if
the share of the variance of outcomes within questions, ``mean p (1 - p) / (m (1 - m))``, is shown to be below a fifth.

A model that fails where others succeed may have its outcomes inverted. Success rates of questions (of clusters, where
there are clusters) are ranked within each model, and ``r`` is the correlation of the ranks of one model with the sum of
those of the others. Fisher's ``atanh r`` has about the standard deviation ``1.06 / sqrt(questions - 3)`` for ranks
(Fieller, Hartley and Pearson, 1957).
"""

from collections.abc import Iterator, Mapping

import numpy as np

from .._arrays import Counts, Vector
from .._display.numbers import counts, is_chance, number
from .._display.words import pluralize
from .._special import log_choose, ndtr
from ..io import grouped
from ..outcomes import OutcomeMatrix, OutcomeSet, RewardMatrix
from ._diagnosis import Finding
from ._reliability import means_of, varies
from ._runs import Runs

_FIFTH = 0.2  # share of the variance within questions that alike trials exclude
_FEWEST = 10  # questions or clusters that show that a model is inverted
_LEAST = 0.3  # correlation with the others, below 0
_SPREAD = 1.06  # of Fisher's transform of a correlation of ranks
_ALIKE = 1e-9  # a spread, or a distance of a correlation from -1, that is rounding only


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
    columns = [column.tobytes() for column in runs.values.T + 0.0]
    groups = [equal for equal in grouped(range(len(columns)), columns.__getitem__).values() if len(equal) > 1]
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


def _copied_models(models: Mapping[str, OutcomeMatrix], error: float) -> Iterator[Finding]:
    """Yield models with the same outcomes on every question, where two models with equal success rates rarely agree."""
    pairs = len(models) * (len(models) - 1) // 2
    contents = {
        name: (matrix.means.tobytes(), matrix.variances.tobytes())
        if isinstance(matrix, RewardMatrix)
        else matrix.counts.tobytes()
        for name, matrix in models.items()
    }
    for names in [equal for equal in grouped(contents, contents.__getitem__).values() if len(equal) > 1]:
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


def inverted(models: OutcomeSet, error: float) -> Iterator[Finding]:
    """Yield the models that fail where the others succeed, over the questions or clusters that every model tried."""
    means = np.array([means_of(matrix) for matrix in models.values()])
    shared = np.flatnonzero(~np.isnan(means).any(axis=0))
    labels = np.arange(len(shared)) if models.clusters is None else [str(models.clusters[i]) for i in shared]
    place, sizes = np.unique(labels, return_inverse=True, return_counts=True)[1:]
    means = np.array([np.bincount(place, of_model) for of_model in means[:, shared]]) / sizes
    ranks = {name: _ranked(of_model) for name, of_model in zip(models, means, strict=True) if len(set(of_model)) > 1}
    if len(ranks) < 2 or len(sizes) < _FEWEST:
        return
    for name, of_model in ranks.items():
        others = sum(ranks.values()) - of_model
        seen = float((of_model * others).mean() / others.std()) if others.std() > _ALIKE else 0.0
        if seen > -_LEAST:
            continue
        z = np.arctanh(max(seen, _ALIKE - 1.0)) * np.sqrt(len(sizes) - 3.0) / _SPREAD
        chance = min(1.0, len(ranks) * float(ndtr(z)))
        if chance > error:
            continue
        correlate = f"correlate {number(seen, 2)}"
        if len(ranks) == 2:
            one, two = ranks
            what = f"where {one} succeeds, {two} fails: their success rates over questions {correlate}"
            advice = "Check whether 0 means success in the logs of one of them"
            by_chance = f"(by chance: p {is_chance(chance)})"
            yield Finding.of("inverted outcomes", f"{what} {by_chance}", one, two, chance=chance, advice=advice)
            return
        what = f"success rates of {name} over questions {correlate} with those of other models"
        why = f"(by chance: p {is_chance(chance)}): it fails where they succeed"
        yield Finding.of("inverted outcomes", f"{what} {why}", name, chance=chance)


def _ranked(values: Vector) -> Vector:
    """Return ranks, equal values sharing the mean of theirs, with the mean 0 and the variance 1.

    >>> _ranked(np.array([5.0, 1.0, 1.0])).round(2).tolist()
    [1.41, -0.71, -0.71]
    """
    _, place, times = np.unique(values, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(times) - 0.5 * times)[place]
    return np.asarray((ranks - ranks.mean()) / ranks.std())
