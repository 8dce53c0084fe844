"""Copies: trials of a question that are all alike; runs, models and tasks that repeat others; repeated seeds.

Every chance is a bound that holds for every sound data set, corrected for the number of places.

- *Trials of a question* of the rate ``p`` are all alike with the chance ``p^n + (1 - p)^n``. Its logarithm is
  concave in ``p (1 - p)``, so of all rates whose ``p (1 - p)`` have a given mean, equal ones give the largest chance.
- *Two models* with ``n`` trials each of a question and one success rate: given the successes of both, those of one are
  hypergeometric. If their rates differ, equal numbers are rarer.

Trials that agree may also have success rates near 0 and 1, which no outcome tells apart from copies. The variance of
an outcome has a share within questions, ``mean p (1 - p) / (m (1 - m))``. Trials are called copies if none differ and
this share is shown to be less than a quarter of that of other models, the lower median of them, on the same questions.
Where no other model shows any variation, a finding of its own says that trials are alike, and the share below a fifth.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from .._arrays import Counts, Flags, Vector
from .._display.numbers import counts, is_chance
from .._display.words import pluralize, shorten
from .._special import log_choose
from ..outcomes import OutcomeMatrix, OutcomeSet, RewardMatrix
from ._diagnosis import Finding, Kind
from ._reliability import means_of, variances_of, varies
from ._runs import Runs

_ONCE = (
    "Repeated trials then add nothing: check the temperature, the cache and the seeds, or count one trial per question"
)
_EITHER = "These are copied trials, or success rates near 0 and 1: check the temperature, the cache and the seeds"
_QUARTER = 0.25  # of the share within questions of other models
_FIFTH = 0.2  # share within questions that alike trials exclude where there is nothing to compare with


def copies(
    task: str, models: OutcomeSet, runs: Mapping[str, Runs], error: float, error_of_runs: float
) -> Iterator[Finding]:
    """Yield what looks copied; models and trials are found in sound outcomes with probability at most ``error``.

    Trials need most of it. Numbers of trials that follow the outcomes are left out: their trials are not exchangeable.
    """
    fixed = {name: matrix for name, matrix in models.items() if not matrix.is_adaptive}
    of_fixed = {name: each for name, each in runs.items() if name in fixed}
    yield from _copied_trials(task, fixed, 0.8 * error)
    for name, each in of_fixed.items():
        yield from _copied_runs(task, name, each, error_of_runs / len(of_fixed))
    yield from _copied_models(task, fixed, 0.2 * error)
    for name, each in runs.items():
        yield from _seeds(task, name, each)


def _copied_trials(task: str, models: Mapping[str, OutcomeMatrix], error: float) -> Iterator[Finding]:
    """Yield the models of which no trials of a question differ, compared with the other models."""
    shares = {name: share_within(matrix) for name, matrix in models.items()}
    alike = [name for name, matrix in models.items() if not varies(matrix).any() and matrix.max_trials > 1]
    for name in alike:
        matrix = models[name]
        usual = lower_median([share for other, share in shares.items() if other != name])
        share = _FIFTH if len(alike) == len(models) else _QUARTER * usual
        asked = matrix.trials >= 2
        fewest, most = int(matrix.trials[asked].min()), matrix.max_trials
        chance = min(1.0, len(models) * _chance_of_alike(_passes(matrix)[asked] > 0, fewest, share))
        if chance > error:
            continue
        size = f"{pluralize(int(asked.sum()), 'question')} x {counts(fewest, most)} trials"
        what = f"all trials of a question are alike: {name}, {size} (p {is_chance(chance)} if"
        if usual:
            what += " they differed a quarter as often as those of other models)"
            yield Finding("copied trials", what, _ONCE, task, (name,), chance)
        else:
            what += " a fifth or more of the variance of outcomes were within questions)"
            yield Finding("trials alike", what, _EITHER, task, (name,), chance)


def lower_median(shares: Sequence[float]) -> float:
    """Return the lower median, 0 of nothing."""
    return sorted(shares)[(len(shares) - 1) // 2] if shares else 0.0


def share_within(matrix: OutcomeMatrix) -> float:
    """Return the share of the variance of single outcomes that is within questions; 0 without any variance."""
    asked = matrix.trials >= 2
    if not asked.any():
        return 0.0
    means, variances, n = means_of(matrix)[asked], variances_of(matrix)[asked], matrix.trials[asked]
    total = float((means**2 + variances * (n - 1) / n).mean() - means.mean() ** 2)
    return float(variances.mean()) / total if total > 0.0 else 0.0


def _passes(matrix: OutcomeMatrix) -> Counts:
    """Return the successes of each question; outcomes in the upper half of their range are successes."""
    if isinstance(matrix, RewardMatrix):
        means = np.nan_to_num(matrix.means)
        return np.where(means > 0.5 * (means.min() + means.max()), matrix.trials, 0)
    return np.asarray(matrix.counts[:, matrix.n_categories // 2 :].sum(axis=1))


def _chance_of_alike(solved: Vector | Counts | Flags, trials: int, share: float) -> float:
    """Return the chance that so many trials of every question are alike.

    It holds if at least this share of the variance of outcomes is within questions.

    >>> round(_chance_of_alike(np.array([0, 1, 1]), 2, 0.45), 3)  # two trials agree with probability 1 - 2 p (1 - p)
    0.512
    """
    mean = float(solved.mean())
    within = share * mean * (1.0 - mean)
    rate = 0.5 - np.sqrt(0.25 - within)
    return float((rate**trials + (1.0 - rate) ** trials) ** len(solved))


def _copied_runs(task: str, name: str, runs: Runs, error: float) -> Iterator[Finding]:
    """Yield two runs with the same outcome on every question, where the outcomes of all runs make that unlikely."""
    groups = [each for each in _equal({i: row.tobytes() for i, row in enumerate(runs.values.T + 0.0)}) if len(each) > 1]
    differ = _chances_to_differ(runs.values)
    pairs = runs.values.shape[1] * (runs.values.shape[1] - 1) / 2
    tried = [~np.isnan(runs.values[:, each[0]]) for each in groups]
    chances = [pairs * float(np.prod(1.0 - differ[each])) for each in tried]
    found = [i for i, chance in enumerate(chances) if chance <= error]
    if not found:
        return
    first = min(found, key=chances.__getitem__)
    one, two = (runs.names[i] for i in groups[first][:2])
    more = sum(len(groups[i]) - 1 for i in found) - 1
    like_this = f", and {pluralize(more, 'more run')} like this" if more else ""
    what = (
        f"two runs of {name} have the same outcome on all of {pluralize(int(tried[first].sum()), 'question')}: "
        f"{one} and {two} (by chance: p {is_chance(chances[first])}){like_this}"
    )
    yield Finding("copied run", what, "Read the run once, if it was copied", task, (name,), chances[first])


def _equal(held: Mapping[Any, Hashable]) -> list[list[Any]]:
    """Return the names of what holds the same together."""
    groups: dict[Hashable, list[Any]] = defaultdict(list)
    for name, each in held.items():
        groups[each].append(name)
    return list(groups.values())


def _chances_to_differ(values: Vector) -> Vector:
    """Return for each question the share of pairs of its trials that differ."""
    ordered = np.sort(values, axis=1)  # NaN come last
    trials = (~np.isnan(values)).sum(axis=1)
    alike = np.zeros(len(values))
    begins = np.zeros(len(values), np.int64)
    for j in range(1, values.shape[1]):
        begins = np.where(ordered[:, j] == ordered[:, j - 1], begins, j)
        alike += j - begins  # earlier trials with the same outcome
    pairs = trials * (trials - 1) / 2
    return np.asarray(np.where(pairs > 0, 1.0 - alike / np.maximum(pairs, 1), 0.0))


def _copied_models(task: str, models: Mapping[str, OutcomeMatrix], error: float) -> Iterator[Finding]:
    """Yield models with the same outcomes on every question, where two models with equal success rates rarely agree."""
    pairs = len(models) * (len(models) - 1) // 2
    for names in (each for each in _equal({name: _held(matrix) for name, matrix in models.items()}) if len(each) > 1):
        matrix = models[names[0]]
        asked = int(matrix.trials.sum())
        kind: Kind
        if matrix.max_trials == 1:
            chance = min(1.0, pairs * _chance_of_alike(_passes(matrix)[matrix.trials > 0], 2, _FIFTH))
            what = (
                f"{shorten(names)} have the same outcome on every question, with one trial each of "
                f"{pluralize(asked, 'question')} (p {is_chance(chance)} if a fifth or more of the variance of outcomes "
                "were within questions)"
            )
            kind, also = "trials alike", "; success rates near 0 and 1 look the same"
        else:
            chance = min(1.0, pairs * _chance_of_counts(matrix))
            more = f" and {pluralize(len(names) - 2, 'more model')}"
            who = " and ".join(names) if len(names) == 2 else f"{', '.join(names[:2])}{more}"
            what = f"{who} have the same outcomes on every question (by chance: p {is_chance(chance)})"
            kind, also = "copied model", ""
        if chance <= error:
            advice = f"Check whether one log was read under two names{also}"
            yield Finding(kind, what, advice, task, tuple(names), chance)


def _held(matrix: OutcomeMatrix) -> bytes:
    held = (matrix.means, matrix.variances) if isinstance(matrix, RewardMatrix) else (matrix.counts,)
    return b"".join(np.ascontiguousarray(each).tobytes() for each in held)


def _chance_of_counts(matrix: OutcomeMatrix) -> float:
    """Return the chance that another model has as many successes on every question, if all success rates are equal."""
    n, c = matrix.trials, _passes(matrix)
    return float(np.exp((2.0 * log_choose(n, c) - log_choose(2 * n, 2 * c)).sum()))


def copied_tasks(tasks: Mapping[str, OutcomeSet], error: float) -> Iterator[Finding]:
    """Yield the pairs of tasks on which some model has the same counts of outcomes, if that is unlikely by chance."""
    pairs = len(tasks) * (len(tasks) - 1) // 2
    for (first, one), (second, two) in combinations(tasks.items(), 2):
        same = [name for name in one if name in two and _same_counts(one[name], two[name])]
        chance = min([1.0, *(pairs * len(same) * _chance_of_counts(one[name]) for name in same)])
        if chance <= error:
            what = (
                f"{first} and {second} have the same outcomes of {shorten(same)} on every question "
                f"(by chance: p {is_chance(chance)})"
            )
            yield Finding("copied task", what, "Leave out one of them if it is a copy", "", tuple(same), chance)


def _same_counts(one: OutcomeMatrix, two: OutcomeMatrix) -> bool:
    """Return whether two tasks have the same counts, question by question: by their labels if these are the same."""
    if one.is_continuous or two.is_continuous:
        return False
    order = {label: row for row, label in enumerate(two.questions or ())}
    rows = [order[label] for label in one.questions or () if label in order]
    counts_of_two = two.counts[rows] if len(rows) == two.n_questions else two.counts
    return np.array_equal(one.counts, counts_of_two)


def _seeds(task: str, name: str, runs: Runs) -> Iterator[Finding]:
    """Yield the seeds that several runs of a model have."""
    known = {run: seed for run, seed in zip(runs.names, runs.seeds, strict=True) if seed is not None}
    repeated = [names for names in _equal(known) if len(names) > 1]
    if repeated:
        more = f", and {len(repeated) - 1} more seeds repeat" if len(repeated) > 1 else ""
        what = f"{pluralize(len(repeated[0]), 'run')} of {name} have the seed {known[repeated[0][0]]}{more}"
        advice = "Give each run a seed of its own: where the seed is honored, such runs are copies"
        yield Finding("repeated seed", what, advice, task, (name,))
