r"""Copies: trials of a question that are all alike, runs or models that repeat others exactly, and repeated seeds.

Every chance is a bound that holds for every sound data set (``_tails``), corrected for the number of places.

Trials that agree may also have success rates near 0 and 1, which no outcome tells apart from copies. The variance of
an outcome has a share within questions, ``mean p (1 - p) / (m (1 - m))``. Trials are called copies if none differ and
this share is shown to be less than a quarter of that of other models, the lower median of them, on the same questions.
Where no other model shows any variation, a finding of its own says that trials are alike, and the share below a fifth.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from .._arrays import Counts, Flags, Vector
from .._display.numbers import counts, is_chance
from .._display.words import pluralize, shorten
from .._special import log_choose
from ..outcomes import OutcomeMatrix, OutcomeSet, RewardMatrix
from ._diagnosis import ALIKE, COPIED_MODEL, COPIED_RUN, COPIED_TASK, COPIES, SEED, Finding
from ._reliability import means_of, variances_of, varies
from ._runs import Runs
from ._tails import disagreement, equal_successes

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
    yield from _copied_trials(task, fixed, 0.8 * error)
    of_fixed = {name: each for name, each in runs.items() if name in fixed}
    shares = shares_of_error([_chance_of_equal_runs(each.values) for each in of_fixed.values()], error_of_runs)
    for (name, each), share in zip(of_fixed.items(), shares, strict=True):
        yield from _copied_runs(task, name, each, share)
    yield from _copied_models(task, fixed, of_fixed, 0.1 * error)
    yield from _equal_single_trials(task, fixed, 0.1 * error)
    for name, each in runs.items():
        yield from _seeds(task, name, each)


def _copied_trials(task: str, models: Mapping[str, OutcomeMatrix], error: float) -> Iterator[Finding]:
    """Yield the models of which no trials of a question differ, compared with the other models."""
    shares = {name: share_within(matrix, matrix.trials >= 2) for name, matrix in models.items()}
    alike = [name for name, matrix in models.items() if not varies(matrix).any()]
    for name in alike:
        usual = lower_median([share for other, share in shares.items() if other != name])
        share = _FIFTH if len(alike) == len(models) else _QUARTER * usual
        chance = min(1.0, len(models) * _chance_of_trials(models[name], share))
        if chance <= error:
            yield _about_trials(task, name, models[name], usual, chance)


def lower_median(shares: Sequence[float]) -> float:
    """Return the lower median, 0 of nothing."""
    return sorted(shares)[(len(shares) - 1) // 2] if shares else 0.0


def share_within(matrix: OutcomeMatrix, asked: Flags) -> float:
    """Return the share of the variance of single outcomes that is within questions; 0 without any variance."""
    asked = asked & (matrix.trials >= 2)
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


def _chance_of_trials(matrix: OutcomeMatrix, share: float) -> float:
    """Return the chance of alike trials if at least this share of the variance of outcomes is within questions."""
    asked = matrix.trials >= 2
    if share <= 0.0 or not asked.any():
        return 1.0
    successes, trials = _passes(matrix)[asked], matrix.trials[asked]
    mean = float((successes / trials).mean())
    return disagreement(successes, trials, share * mean * (1.0 - mean))


def _about_trials(task: str, name: str, matrix: OutcomeMatrix, usual: float, chance: float) -> Finding:
    trials = matrix.trials[matrix.trials >= 2]
    size = f"{pluralize(len(trials), 'question')} x {counts(int(trials.min()), int(trials.max()))} trials"
    alike = f"all trials of a question are alike: {name}, {size}"
    if not usual:
        what = f"{alike} (p {is_chance(chance)} if a fifth or more of the variance of outcomes were within questions)"
        return Finding(ALIKE, what, _EITHER, task, (name,), chance)
    what = f"{alike} (p {is_chance(chance)} if they differed a quarter as often as those of other models)"
    return Finding(COPIES, what, _ONCE, task, (name,), chance)


def shares_of_error(least: Sequence[float], error: float) -> list[float]:
    """Return shares of an error for statistics whose smallest chances are ``least``, in sum no more than the error.

    The smallest chances follow from the numbers of successes, on which all chances are conditional, so shares may
    depend on them (Tarone 1990): as many statistics as possible get what their smallest chance needs, and all get an
    equal part of the rest.

    >>> [round(share, 4) for share in shares_of_error([0.003, 0.006, 0.5, 0.001], 0.02)]
    [0.0055, 0.0085, 0.0025, 0.0035]
    """
    needed, left = [0.0] * len(least), error
    for place in sorted(range(len(least)), key=least.__getitem__):
        if least[place] > left:
            break
        needed[place] = least[place]
        left -= least[place]
    return [each + left / len(least) for each in needed]


def _chance_of_equal_runs(values: Vector) -> float:
    """Return a bound of the chance that some two runs have the same outcome on every question that all runs have."""
    complete = values[~np.isnan(values).any(axis=1)]
    count = values.shape[1]
    pairs = count * (count - 1) / 2
    return float(pairs * np.prod(1.0 - _chances_to_differ(complete)))


def _copied_runs(task: str, name: str, runs: Runs, error: float) -> Iterator[Finding]:
    """Yield two runs with the same outcome on every question, where the outcomes of all runs make that unlikely."""
    groups = [each for each in equal_groups(runs.values.T) if len(each) > 1]
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
    yield Finding(COPIED_RUN, what, "Read the run once, if it was copied", task, (name,), chances[first])


def equal_groups(rows: Vector) -> list[list[int]]:
    """Return the numbers of equal rows together; NaN equals NaN.

    >>> equal_groups(np.array([[1.0, np.nan], [1.0, 0.0], [1.0, np.nan]]))
    [[0, 2], [1]]
    """
    groups: dict[bytes, list[int]] = defaultdict(list)
    for i, row in enumerate(np.nan_to_num(rows, nan=-np.inf)):
        groups[row.tobytes()].append(i)
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


def _copied_models(
    task: str, models: Mapping[str, OutcomeMatrix], runs: Mapping[str, Runs], error: float
) -> Iterator[Finding]:
    """Yield models with the same outcomes on every question, where two models with equal success rates rarely agree."""
    pairs = len(models) * (len(models) - 1) // 2
    groups: dict[bytes, list[str]] = defaultdict(list)
    for name, matrix in models.items():
        held = (matrix.means, matrix.variances) if isinstance(matrix, RewardMatrix) else (matrix.counts,)
        groups[b"".join(np.ascontiguousarray(each).tobytes() for each in held)].append(name)
    for names in (each for each in groups.values() if len(each) > 1):
        one, two = names[:2]
        chance = 1.0 if isinstance(models[one], RewardMatrix) else _chance_of_counts(models[one])
        if one in runs and two in runs and np.array_equal(runs[one].values, runs[two].values, equal_nan=True):
            chance = min(chance, _chance_of_order(runs[one].values))
        chance = min(1.0, 2 * pairs * chance)
        if chance <= error:
            who = (
                f"{one} and {two}" if len(names) == 2 else f"{one}, {two} and {pluralize(len(names) - 2, 'more model')}"
            )
            what = f"{who} have the same outcomes on every question (by chance: p {is_chance(chance)})"
            advice = "Check whether one log was read under two names"
            yield Finding(COPIED_MODEL, what, advice, task, tuple(names), chance)


def _chance_of_counts(matrix: OutcomeMatrix) -> float:
    """Return the chance that another model has as many successes on every question, if all success rates are equal."""
    asked = matrix.trials > 0
    return equal_successes(matrix.trials[asked], _passes(matrix)[asked])


def _chance_of_order(values: Vector) -> float:
    """Return the chance that trials of another model with as many successes succeed in the same order."""
    has = ~np.isnan(values)
    if not has.any():
        return 1.0
    successes = ((values > 0.5 * (np.nanmin(values) + np.nanmax(values))) & has).sum(axis=1)
    return float(np.exp(-log_choose(has.sum(axis=1), successes).sum()))


def _equal_single_trials(task: str, models: Mapping[str, OutcomeMatrix], error: float) -> Iterator[Finding]:
    """Yield models with one trial per question that agree on every question."""
    groups: dict[bytes, list[str]] = defaultdict(list)
    for name, matrix in models.items():
        if matrix.max_trials == 1:
            groups[np.nan_to_num(means_of(matrix), nan=-np.inf).tobytes()].append(name)
    for names in (names for names in groups.values() if len(names) > 1):
        matrix = models[names[0]]
        passes, asked = _passes(matrix)[matrix.trials > 0], int(matrix.trials.sum())
        mean = float(passes.mean())
        pairs = len(models) * (len(models) - 1) // 2
        chance = min(1.0, pairs * disagreement(2 * passes, np.full(asked, 2), _FIFTH * mean * (1.0 - mean)))
        if chance <= error:
            what = (
                f"{shorten(names)} have the same outcome on every question, with one trial each of "
                f"{pluralize(asked, 'question')} (p {is_chance(chance)} if a fifth or more of the variance of outcomes "
                "were within questions)"
            )
            advice = "Check whether one log was read under two names; success rates near 0 and 1 look the same"
            yield Finding(ALIKE, what, advice, task, tuple(names), chance)


def copied_tasks(tasks: Mapping[str, OutcomeSet], error: float) -> Iterator[Finding]:
    """Yield the pairs of tasks on which some model has the same counts of outcomes, if that is unlikely by chance."""
    pairs = len(tasks) * (len(tasks) - 1) // 2
    for (first, one), (second, two) in combinations(tasks.items(), 2):
        same = [name for name in one if name in two and _same_counts(one[name], two[name])]
        found = [_chance_of_counts(one[name]) for name in same]
        chance = min([1.0, *(pairs * len(same) * each for each in found)])
        if chance <= error:
            what = (
                f"{first} and {second} have the same outcomes of {shorten(same)} on every question "
                f"(by chance: p {is_chance(chance)})"
            )
            yield Finding(COPIED_TASK, what, "Leave out one of them if it is a copy", "", tuple(same), chance)


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
    of: dict[str, list[str]] = {}
    for run, seed in zip(runs.names, runs.seeds, strict=True):
        if seed is not None:
            of.setdefault(seed, []).append(run)
    repeated = {seed: names for seed, names in of.items() if len(names) > 1}
    if repeated:
        seed, names = next(iter(repeated.items()))
        more = f", and {len(repeated) - 1} more seeds repeat" if len(repeated) > 1 else ""
        what = f"{pluralize(len(names), 'run')} of {name} have the seed {seed}{more}"
        advice = "Give each run a seed of its own: where the seed is honored, such runs are copies"
        yield Finding(SEED, what, advice, task, (name,))
