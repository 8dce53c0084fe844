"""Copies: trials of a question that are all alike, runs that repeat another run, models that repeat another model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np

from .._arrays import Counts, Vector
from .._display.numbers import counts, is_chance
from .._display.words import pluralize
from ..outcomes import OutcomeMatrix, OutcomeSet, RewardMatrix
from ._chance import chance_of
from ._findings import COPIED_MODEL, COPIED_RUN, COPIES, SEED, Finding
from ._moments import means_of, varies
from ._runs import Runs

_ONCE = (
    "Repeated trials then add nothing: check the temperature, the cache and the seeds, or count one trial per question"
)
_TESTED = 3  # runs that equal another one, of each model


def copies(task: str, models: OutcomeSet, runs: Mapping[str, Runs], error: float) -> Iterator[Finding]:
    """Yield what looks copied; each kind is found in sound outcomes with probability at most ``error``."""
    alike = {name: _all_alike(each) for name, each in models.items()}
    for name, chance in alike.items():
        corrected = min(1.0, chance * len(models))
        if corrected <= error:
            matrix = models[name]
            what = (
                f"all trials of a question are alike: {name}, {pluralize(matrix.n_questions, 'question')} x "
                f"{counts(matrix.min_trials, matrix.max_trials)} trials (by chance: p {is_chance(corrected)})"
            )
            yield Finding(COPIES, what, _ONCE, task, (name,), corrected)
    several = {name: each for name, each in runs.items() if alike[name] > error / len(models)}
    for name, each in several.items():
        yield from _copied_runs(task, name, each, error / len(models))
    yield from _copied_models(task, models, error)
    for name, each in runs.items():
        yield from _seeds(task, name, each)


def _all_alike(matrix: OutcomeMatrix) -> float:
    """Return the chance that the trials of each question agree; 1 if they do not, or there is one trial each."""
    trials = matrix.trials
    if matrix.max_trials < 2 or varies(matrix).any():
        return 1.0
    first = _binary(means_of(matrix)[trials > 0])
    return chance_of(first, first * (trials[trials > 0, None] - 1))


def _binary(values: Vector) -> Counts:
    """Return outcomes as failures and successes, (M, 2): rewards above the middle of their range are successes."""
    middle = 0.5 * (np.nanmin(values) + np.nanmax(values))
    solved = values > middle if np.nanmax(values) > np.nanmin(values) else values > 0.0
    return np.stack([~solved, solved], axis=1).astype(np.int64)


def _copied_runs(task: str, name: str, runs: Runs, error: float) -> Iterator[Finding]:
    """Yield a run that equals an earlier one in all outcomes, if that is unlikely given all other runs."""
    count = runs.values.shape[1]
    same = _same_runs(runs.values)
    for i, j in same[:_TESTED]:
        questions, by_chance = _chance_of_run(runs.values, j)
        chance = min(1.0, count * (count - 1) / 2 * by_chance)
        if chance <= error:
            more = f", and {pluralize(len(same) - 1, 'more run')} like this" if len(same) > 1 else ""
            what = (
                f"two runs of {name} have the same outcome on all of {pluralize(questions, 'question')}: "
                f"{runs.names[i]} and {runs.names[j]} (by chance: p {is_chance(chance)}){more}"
            )
            yield Finding(COPIED_RUN, what, "Read the run once, if it was copied", task, (name,), chance)
            return


def _same_runs(values: Vector) -> list[tuple[int, int]]:
    """Return the runs that equal an earlier one, each with that one."""
    first: dict[bytes, int] = {}
    earlier = [first.setdefault(column.tobytes(), j) for j, column in enumerate(np.nan_to_num(values.T, nan=-np.inf))]
    return [(i, j) for j, i in enumerate(earlier) if i != j]


def _chance_of_run(values: Vector, j: int) -> tuple[int, float]:
    """Return the number of questions of a run, and the chance of its outcomes given all other runs."""
    middle = _threshold(values)
    rest = np.delete(values, j, axis=1)
    asked = ~np.isnan(values[:, j])
    known = np.stack([(rest <= middle).sum(axis=1), (rest > middle).sum(axis=1)], axis=1)
    further = np.stack([values[:, j] <= middle, values[:, j] > middle], axis=1).astype(np.int64)
    return int(asked.sum()), chance_of(known[asked], further[asked]) if asked.any() else 1.0


def _threshold(values: Vector) -> float:
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    return 0.5 * (low + high) if high > low else 0.0


def _copied_models(task: str, models: OutcomeSet, error: float) -> Iterator[Finding]:
    """Yield the pairs of models with the same counts of outcomes on every question, if that is unlikely by chance."""
    pairs = len(models) * (len(models) - 1) // 2
    for (name, one), (other, two) in combinations(models.items(), 2):
        if isinstance(one, RewardMatrix) or isinstance(two, RewardMatrix) or not np.array_equal(one.counts, two.counts):
            continue
        top = one.n_categories // 2
        known = np.stack([one.counts[:, :top].sum(axis=1), one.counts[:, top:].sum(axis=1)], axis=1)
        chance = min(1.0, pairs * chance_of(known, known, ordered=False))
        if chance <= error:
            what = f"{name} and {other} have the same outcomes on every question (by chance: p {is_chance(chance)})"
            advice = "Check whether one log was read under two names"
            yield Finding(COPIED_MODEL, what, advice, task, (name, other), chance)


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
