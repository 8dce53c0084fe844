"""The protocol: draw replicates, score their first n trials for every n, compare each ranking with gold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._arrays import Flags, Vector, read_only, underflow_is_zero
from .._display.progress import Progress
from .._display.words import unknown
from .._jobs import run
from ..errors import OutcomeError, ParameterError, Remedy
from ..estimates import TaskMetrics, Weights, as_models, at_task, complete_tasks, metrics_of_tasks, shares_of
from ..metrics import Metric
from ..outcomes import OutcomeSet
from ..params import count, seed
from ..rank import TOLERANCE, in_order, rank_scores, read_ranking
from ._result import Convergence, ConvergenceTable, convergence_at
from ._scoring import Grid, Seeds, TaskDraws
from ._tau_b import tau_b

_CHUNK = 32  # replicates that share a seed: another number would give other replicates
_SEED_WORDS = 3
_LARGEST_TABLE = 1 << 24  # scores of a metric over n and successes, 128 MiB
_MOST_TRIALS = 2**31 - 1
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
    shares = shares_of(task_weights, {task: each.n_questions for task, each in tasks.items()})
    draws = tuple(
        TaskDraws.of(each, tuple(of_tasks[at] for _, of_tasks in chosen), shares[task], grid, replace)
        for at, (task, each) in enumerate(tasks.items())
    )
    golds = _gold_scores(gold, draws, models)
    study = Study(draws, golds, free_ties, seed("rng", rng))
    replicates = count("replicates", replicates)
    jobs = [(i, min(_CHUNK, replicates - i * _CHUNK)) for i in range(-(-replicates // _CHUNK))]
    with Progress("convergence", len(jobs), progress) as shown:
        chunks = run(jobs, study.chunk, n_jobs, shown)
    results = [_result(study, metric, [chunk[i] for chunk in chunks], i) for i, (metric, _) in enumerate(chosen)]
    return ConvergenceTable({str(result.metric): result for result in results})


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

    def chunk(self, index: int, size: int) -> Compared:
        """Return tau-b, and whether the ranking is gold's, (replicates, n) per metric, in the chunk of this index."""
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


def _result(study: Study, metric: Metric | TaskMetrics, chunks: Compared, i: int) -> Convergence:
    task = study.tasks[0]
    return Convergence(
        metric=metric,
        models=task.models.models,
        gold=_ranks(study.golds[i]),
        n=read_only(task.n),
        tau=read_only(np.concatenate([tau for tau, _ in chunks])),
        converged=read_only(convergence_at(np.concatenate([is_same for _, is_same in chunks]), task.n)),
        replace=task.replace,
        free_ties=study.free_ties,
        seed=study.seed,
    )


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
