"""The protocol: draw replicates, score their first n trials for every n, compare each ranking with gold.

For binary outcomes, a metric that is a mean over questions is a function of (n, successes) per question: one table
gives the scores of all replicates. A blend of dataset means is a product of powers of two such means. Categories, prior
outcomes and other kinds of metrics are scored from the counts, which is slower and gives the same numbers.

Rankings are compared by Kendall's tau-b, ``(P - Q) / sqrt((T - t)(T - u))``, of ``T`` pairs, of which ``P`` are in the
same order in both rankings, ``Q`` in opposite order, ``t`` tied in the one and ``u`` in the other. These are whole
numbers up to the last division, so equal rankings have exactly 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import Flags, Indices, Vector, read_only, underflow_is_zero
from .._display.progress import Progress
from .._display.words import unknown
from .._jobs import run
from .._kernels import resample
from ..errors import OutcomeError, ParameterError, Remedy
from ..estimates import Weights, as_models, at_task, complete_tasks, metrics_of_tasks, shares_of
from ..metrics import Blend, Metric
from ..outcomes import OutcomeMatrix, OutcomeSet
from ..params import count, seed
from ..rank import TOLERANCE, in_order, rank_scores, read_ranking
from ._result import Convergence, ConvergenceTable, convergence_at

_CHUNK = 32  # replicates that share a seed: another number would give other replicates
_SEED_WORDS = 3
_LARGEST_TABLE = 1 << 24  # scores of a metric over n and successes, 128 MiB
_MOST_TRIALS = 2**31 - 1
_ROWS = 1 << 18  # questions times replicates that are scored at once
Seeds = NDArray[np.uint64]
Grid = NDArray[np.intp]
Factors = tuple[tuple[Metric, float], ...]  # means over questions and their powers, whose product is a score
Compared = list[tuple[Vector, Flags]]


@underflow_is_zero
def analyze_convergence(
    metrics: Metric | str | Sequence[Metric | str] | Mapping[str, Metric | str],
    outcomes: Any,
    *,
    task_weights: Weights = None,
    gold: Any = "full",
    n: Any = None,
    replicates: int = 1000,
    replace: bool = True,
    free_ties: bool = False,
    rng: int | np.random.Generator | None = None,
    n_jobs: int | None = None,
    progress: bool = True,
) -> ConvergenceTable:
    """Measure how many trials a ranking of models needs: tau-b to ``gold`` by ``n`` and convergence@n, over replicates.

    A replicate is a sequence of trials of each question, drawn from the outcomes; its first ``n`` are scored and ranked
    for every ``n``. All metrics see the same replicates.

    ``gold`` is ``"full"`` (each metric's own ranking on all trials), or one ranking as ``rank_agreement`` takes it:
    scores, or names from best to worst. With ``free_ties`` models that tie in gold may come in any order. ``n`` is the
    largest number of trials, or a list of numbers; by default every number up to the trials of the question with the
    fewest, which is too many for thousands of trials.

    With ``replace`` (the bootstrap) a trial may be drawn again and ``n`` may exceed the trials there are; without it a
    replicate is a random order of the trials, and ends at ``"full"`` gold.

    With a Suite, models are ranked by their overall scores: the trials of each task are drawn for themselves, ``n`` is
    the number of trials of every question of every task, and ``task_weights`` are those of ``Leaderboard``.

    ``rng`` alone decides the result: neither ``n_jobs`` (joblib, threads unless ``joblib.parallel_config`` says
    otherwise) nor the order in which chunks finish. ``progress`` shows on a terminal once a second has passed.

    >>> R = {"a": [[1, 1, 0, 1], [1, 1, 1, 1]], "b": [[0, 1, 0, 0], [0, 1, 1, 0]]}
    >>> table = analyze_convergence("avg", R, replicates=200, rng=0)
    >>> table["avg"].mean, table["avg"].never
    (1.336734693877551, 0.02)
    """
    tasks = _tasks(outcomes)
    chosen = metrics_of_tasks(metrics, tasks)
    models = next(iter(tasks.values())).models
    grid = _grid(n, min(int(matrix.trials.min()) for task in tasks.values() for matrix in task.values()), replace)
    draws = _draws(tasks, chosen, task_weights, grid, replace=replace)
    golds = _gold_scores(gold, draws, models)
    study = Study(draws, golds, free_ties, seed("rng", rng))
    compared = study.compared(count("replicates", replicates), n_jobs, progress=progress)
    results = {}
    for (metric, _), gold_scores, (tau, is_same) in zip(chosen, golds, compared, strict=True):
        results[str(metric)] = Convergence(
            metric=metric,
            models=models,
            gold=_ranks(gold_scores),
            n=read_only(grid),
            tau=read_only(tau),
            converged=read_only(convergence_at(is_same, grid)),
            replace=replace,
            free_ties=free_ties,
            seed=study.seed,
        )
    return ConvergenceTable(results)


def _draws(
    tasks: Mapping[str, OutcomeSet], metrics: Sequence[Any], task_weights: Weights, grid: Grid, *, replace: bool
) -> tuple[TaskDraws, ...]:
    """Return how each task is drawn and scored; ``metrics`` are pairs of a metric and those of the tasks."""
    shares = shares_of(task_weights, {task: models.n_questions for task, models in tasks.items()})
    return tuple(
        TaskDraws.of(models, tuple(of_tasks[at] for _, of_tasks in metrics), shares[task], grid, replace)
        for at, (task, models) in enumerate(tasks.items())
    )


def _tasks(outcomes: Any) -> dict[str, OutcomeSet]:
    """Return the tasks, with the models of each in one order, after checking that there are trials to draw from."""
    tasks = complete_tasks(as_models(outcomes))
    for task, models in tasks.items():
        with at_task(task):
            for name, matrix in models.items():
                if not 1 <= matrix.trials.min() <= matrix.trials.max() <= _MOST_TRIALS:
                    raise OutcomeError("every question needs from 1 to 2**31 - 1 trials to draw from", where=name)
    return tasks


def _gold_scores(gold: Any, tasks: Sequence[TaskDraws], models: Sequence[str]) -> Vector:
    """Return the scores of the gold ranking of each metric, (metrics, models)."""
    if isinstance(gold, str):
        if gold != "full":
            raise ParameterError(f"{unknown('gold', gold, ['full'])}, or give scores or a ranking by names")
        return np.asarray(np.sum([task.weight * task.scores() for task in tasks], axis=0))
    names, scores = read_ranking(gold)
    if names is not None:
        scores = in_order(scores, names, models)
    elif len(scores) != len(models):
        raise OutcomeError(f"gold has {len(scores)} scores for {len(models)} models")
    return np.tile(scores, (len(tasks[0].metrics), 1))


def _ranks(scores: Vector) -> tuple[int, ...]:
    return tuple(rank_scores(scores)["competition"].tolist())


@dataclass(frozen=True, eq=False)
class Study:
    """The inputs of every chunk of replicates; ``golds`` has the scores of each metric's gold ranking."""

    tasks: tuple[TaskDraws, ...]
    golds: Vector
    free_ties: bool
    seed: int

    def compared(self, replicates: int, n_jobs: int | None, *, progress: bool) -> Compared:
        """Return tau-b, and whether the ranking is gold's, (replicates, n) per metric."""
        jobs = [(i, min(_CHUNK, replicates - i * _CHUNK)) for i in range(-(-replicates // _CHUNK))]
        with Progress("convergence", len(jobs), progress) as shown:
            chunks = run(jobs, self.chunk, n_jobs, shown)
        of_metrics = (zip(*of_chunks, strict=True) for of_chunks in zip(*chunks, strict=True))
        return [(np.concatenate(tau), np.concatenate(is_same)) for tau, is_same in of_metrics]

    def chunk(self, index: int, size: int) -> Compared:
        """Return the same of the chunk of this index alone."""
        seeds = np.split(self._seeds(index)[:, :size], len(self.tasks))
        pairs = zip(self.tasks, seeds, strict=True)
        by_metric = np.sum([task.weight * task.replicates(words) for task, words in pairs], axis=0)
        return [self._compared(*pair) for pair in zip(self.golds, by_metric, strict=True)]

    def _compared(self, gold: Vector, scores: Vector) -> tuple[Vector, Flags]:
        """Compare the rankings by scores (models, replicates, n) with that by gold."""
        better = np.array(_ranks(gold)) - 1
        order = np.argsort(better, kind="stable")
        return tau_b(scores[order], better[order], TOLERANCE, self.free_ties)

    def _seeds(self, index: int) -> Seeds:
        """Return the seed words of each task, model and replicate of the chunk."""
        count = sum(len(task.models) for task in self.tasks) * _CHUNK * _SEED_WORDS
        words: Seeds = np.random.SeedSequence(self.seed, spawn_key=(index,)).generate_state(count, np.uint64)  # type: ignore[assignment]
        return words.reshape(-1, _CHUNK, _SEED_WORDS)


def tau_b(scores: Vector, better: Indices, tolerance: float, free_ties: bool) -> tuple[Vector, Flags]:
    """Return tau-b of every ranking with a gold ranking, and whether it is that ranking; NaN and no for NaN scores.

    ``scores`` (models, ..) come in the order of the gold ranking, best first, and ``better`` says how many models come
    strictly before each of them there. Scores tie with their neighbours within the tolerance, and a chain of such ties
    ties all of them. With ``free_ties`` models that tie in the gold ranking may come in any order.

    >>> tau_b(np.array([[0.9, 0.2], [0.5, 0.5], [0.1, 0.8]]), np.array([0, 1, 2]), 1e-12, False)
    (array([ 1., -1.]), array([ True, False]))
    """
    order = np.argsort(-scores, axis=0, kind="stable")
    is_below = -np.diff(np.take_along_axis(scores, order, axis=0), axis=0) > tolerance
    start = np.zeros((1, *scores.shape[1:]), np.intp)
    ranks = np.empty(scores.shape, np.intp)
    np.put_along_axis(ranks, order, np.concatenate([start, np.cumsum(is_below, axis=0)]), axis=0)
    places = np.arange(1, len(scores)).reshape(-1, *(1 for _ in scores.shape[1:]))
    ordered = np.maximum.accumulate(np.where(is_below, places, 0), axis=0).sum(axis=0)
    net = np.zeros(scores.shape[1:], np.intp)
    for rank, before in zip(ranks, better.tolist(), strict=True):
        net += np.sum(ranks[:before] < rank, axis=0) - np.sum(ranks[:before] > rank, axis=0)
    gold_ordered = int(better.sum())
    is_number = ~np.isnan(scores).any(axis=0)
    with np.errstate(invalid="ignore"):
        tau = np.where(is_number, net / np.sqrt(float(gold_ordered) * ordered), np.nan)
    return tau, is_number & (net == gold_ordered) & (free_ties | (ordered == gold_ordered))


@dataclass(frozen=True, eq=False)
class TaskDraws:
    """One task: its models, metrics and weight, and the ``n`` of which replicates are scored.

    ``tables`` has the values of a question by (n, successes), for each metric whose scores are made of these.
    """

    models: OutcomeSet
    metrics: tuple[Metric, ...]
    weight: float
    n: Grid
    replace: bool
    tables: dict[Metric, Vector]

    @classmethod
    def of(cls, models: OutcomeSet, metrics: tuple[Metric, ...], weight: float, n: Grid, replace: bool) -> TaskDraws:
        """Return the task with its tables."""
        needed = [part for metric in metrics for part, _ in _factors(metric, models) or ()]
        first = next(iter(models.values()))
        tables = {metric: _table(metric, first, n) for metric in dict.fromkeys(needed)}
        return cls(models, metrics, weight, n, replace, tables)

    def scores(self) -> Vector:
        """Return the scores on all trials, (metrics, models)."""
        return np.array([[metric.score(matrix) for matrix in self.models.values()] for metric in self.metrics])

    def replicates(self, seeds: Seeds) -> Vector:
        """Return the scores of replicates, (metrics, models, replicates, n); NaN if ``n`` is below what is needed."""
        pairs = zip(self.models.values(), seeds, strict=True)
        return np.stack([self._of_model(matrix, words) for matrix, words in pairs], axis=1)

    def _of_model(self, outcomes: OutcomeMatrix, seeds: Seeds) -> Vector:
        """Return one model's scores, (metrics, replicates, n), with one seed per replicate."""
        entries = np.ascontiguousarray(outcomes.counts, dtype=np.int32)
        totals = np.zeros((len(seeds), len(self.tables), len(self.n)))
        tables = np.array(list(self.tables.values())).reshape(len(self.tables), len(self.n), self.n[-1] + 1)
        resample.sums(entries, self.replace, seeds, self.n, tables, totals)
        means = dict(zip(self.tables, np.moveaxis(totals / outcomes.n_questions, 1, 0), strict=True))
        scores = []
        for metric in self.metrics:
            factors = _factors(metric, self.models)
            if factors is None:
                scores.append(self._from_counts(metric, outcomes, entries, seeds))
            else:
                scores.append(np.prod([means[part] ** power for part, power in factors], axis=0))
        return np.array(scores)

    def _from_counts(self, metric: Metric, outcomes: OutcomeMatrix, entries: NDArray[np.int32], seeds: Seeds) -> Vector:
        """Return the metric of the replicates' counts, (replicates, n)."""
        batch = max(1, _ROWS // (len(self.n) * outcomes.n_questions))
        scores = []
        for start in range(0, len(seeds), batch):
            some = seeds[start : start + batch]
            counts = np.zeros((len(some), len(self.n), *entries.shape), np.int64)
            resample.counts(entries, self.replace, some, self.n, counts)
            scores.append(_scores_of_counts(metric, outcomes, counts))
        return np.concatenate(scores)


def _factors(metric: Metric, models: OutcomeSet) -> Factors | None:
    """Return the means over questions that the score is made of; None if successes and trials do not determine them."""
    is_alike = len({matrix.levels for matrix in models.values()}) == 1
    if not is_alike or models.n_categories != 2 or any(each.prior_counts is not None for each in models.values()):
        return None
    if metric.is_mean_over_questions:
        return ((metric, 1.0),)
    return metric.parts if isinstance(metric, Blend) else None


def _table(metric: Metric, like: OutcomeMatrix, n: Grid) -> Vector:
    """Return the metric of a question with ``n`` trials and each number of successes, (n, largest n + 1)."""
    trials = np.repeat(n, n + 1)
    successes = np.concatenate([np.arange(count + 1) for count in n])
    states = _with_counts(like, np.stack([trials - successes, successes], axis=1))
    table = np.zeros((len(n), n[-1] + 1))
    table[np.repeat(np.arange(len(n)), n + 1), successes] = metric.per_question(states, too_few="nan")
    return table


def _scores_of_counts(metric: Metric, like: OutcomeMatrix, counts: NDArray[np.int64]) -> Vector:
    shape, (questions, categories) = counts.shape[:2], counts.shape[2:]
    if metric.is_mean_over_questions:
        values = metric.per_question(_with_counts(like, counts.reshape(-1, categories)), too_few="nan")
        return np.asarray(values.reshape(*shape, -1).mean(axis=-1))
    matrices = counts.reshape(-1, questions, categories)
    return np.array([metric.score(_with_counts(like, one), too_few="nan") for one in matrices]).reshape(shape)


def _with_counts(like: OutcomeMatrix, counts: NDArray[np.int64]) -> OutcomeMatrix:
    """Return these counts with the levels of ``like``, and its prior outcomes repeated to fit."""
    prior = like.prior_counts
    if prior is not None:
        prior = np.tile(prior, (len(counts) // len(prior), 1))
    return like.replaced(counts=counts, planned=counts.sum(axis=1), prior=prior, questions=None, clusters=None)


def _grid(n: Any, trials: int, replace: bool) -> Grid:
    """Return the values of ``n``, ascending."""
    grid: Sequence[int]
    if np.ndim(n) == 0:
        grid = range(1, (trials if n is None else count("n", n)) + 1)
    else:
        grid = sorted({count("n", each) for each in n})
    if not grid:
        raise ParameterError("must be a number of trials or a list of them; got none", argument="n")
    if grid[-1] > trials and not replace:
        raise OutcomeError(
            f"n = {grid[-1]} trials cannot be drawn without replacement from {trials}",
            remedies=[Remedy("replace", True, "draws trials again")],
        )
    if len(grid) * grid[-1] > _LARGEST_TABLE:
        raise ParameterError(f"{len(grid)} values of n up to {grid[-1]} are too many: give a list of fewer of them")
    return np.array(grid, dtype=np.intp)
