"""The protocol: draw replicates, score their first n trials for every n, compare each ranking with gold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import read_only, underflow_is_zero
from .._display.progress import Progress
from .._display.words import unknown
from .._jobs import run
from ..errors import OutcomeError, ParameterError, Remedy
from ..estimates import ONLY, TaskMetrics, Weights, at_task, metrics_of_tasks, shares_of
from ..metrics import Metric
from ..outcomes import OutcomeSet, Suite
from ..params import count
from ..rank import TOLERANCE, in_order, rank_scores, read_ranking
from ._result import Convergence, ConvergenceTable, convergence_at
from ._scoring import Scorer, scorer
from ._source import Grid, Scheme, Seeds, TrialSource, trial_sources
from ._tau_b import tau_b

_CHUNK = 32  # replicates that share a seed: another number would give other replicates
_SEED_WORDS = 3
_LARGEST_TABLE = 1 << 24  # scores of a metric over n and successes, 128 MiB
Compared = list[tuple[NDArray[np.float64], NDArray[np.bool_]]]


@dataclass(frozen=True, eq=False)
class Gold:
    """The gold ranking of models; with ``free_ties`` models that tie in it may come in any order."""

    scores: NDArray[np.float64]
    free_ties: bool

    @property
    def ranks(self) -> tuple[int, ...]:
        """Competition ranks."""
        return tuple(rank_scores(self.scores)["competition"].tolist())

    def compare(self, scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Return tau-b to this ranking, and whether it is equal, of the scores (models, replicates, n)."""
        better = np.array(self.ranks) - 1
        order = np.argsort(better, kind="stable")
        return tau_b(scores[order], better[order], TOLERANCE, self.free_ties)


def gold_rankings(
    gold: Any, full: NDArray[np.float64], metrics: int, models: Sequence[str], free_ties: bool
) -> tuple[Gold, ...]:
    """Return the gold ranking of each metric; ``full`` has the scores by each, and by a metric ``gold`` as the last."""
    if isinstance(gold, str):
        if gold != "full":
            raise ParameterError(f"{unknown('gold', gold, ['full'])}, or give a Metric, scores or a ranking by names")
        return tuple(Gold(scores, free_ties) for scores in full)
    names, scores = (None, full[-1]) if isinstance(gold, Metric) else read_ranking(gold)
    if names is not None:
        scores = in_order(scores, names, models)
    elif len(scores) != len(models):
        raise OutcomeError(f"gold has {len(scores)} scores for {len(models)} models")
    return (Gold(scores, free_ties),) * metrics


@dataclass(frozen=True, eq=False)
class SourceTask:
    """One task: its models, what their trials are drawn from, its metrics and its weight."""

    models: OutcomeSet
    sources: tuple[TrialSource, ...]
    metrics: tuple[Metric, ...]
    weight: float

    def scores(self, metrics: Sequence[Metric]) -> NDArray[np.float64]:
        """Return the scores on all trials, (metrics, models)."""
        return np.array([[metric.score(each) for each in self.models.values()] for metric in metrics])

    def replicates(self, score: Scorer, seeds: Seeds) -> NDArray[np.float64]:
        """Return the scores of replicates, (metrics, models, replicates, n)."""
        return np.stack([score(source, own) for source, own in zip(self.sources, seeds, strict=True)], axis=1)


def source_tasks(
    metrics: Any, outcomes: Any, scheme: str, replace: bool, weights: Weights
) -> tuple[Sequence[Metric | TaskMetrics], tuple[SourceTask, ...]]:
    """Return the metrics, and the tasks: one of weight 1 for outcomes that are no suite."""
    tasks: dict[str, Any] = {ONLY: outcomes}
    if isinstance(outcomes, Suite):
        outcomes.check_complete()
        tasks = {task: OutcomeSet({name: each[name] for name in outcomes.models}) for task, each in outcomes.items()}
    of_metrics = metrics_of_tasks(metrics, tasks)
    made = {}
    for task, models in tasks.items():
        with at_task(task):
            made[task] = trial_sources(models, scheme, replace)
    shares = shares_of(weights, {task: models.n_questions for task, (models, _) in made.items()})
    found = [
        SourceTask(models, sources, tuple(of_tasks[at] for _, of_tasks in of_metrics), shares[task])
        for at, (task, (models, sources)) in enumerate(made.items())
    ]
    return [metric for metric, _ in of_metrics], tuple(found)


@underflow_is_zero
def analyze_convergence(
    metrics: Metric | str | Sequence[Metric | str] | Mapping[str, Metric | str],
    outcomes: Any,
    *,
    task_weights: Weights = None,
    gold: Any = "full",
    n: Any = None,
    replicates: int = 1000,
    scheme: Scheme = "rows",
    replace: bool = True,
    free_ties: bool = False,
    rng: int | np.random.Generator | None = None,
    n_jobs: int | None = None,
    progress: bool = True,
) -> ConvergenceTable:
    """Measure how many trials a ranking of models needs: tau-b to ``gold`` by ``n`` and convergence@n, over replicates.

    A replicate is a sequence of trials drawn from the outcomes; its first ``n`` are scored and ranked for every ``n``.
    All metrics see the same replicates.

    ``gold`` is ``"full"`` (each metric's own ranking on all trials), a Metric, or one ranking as ``rank_agreement``
    takes it: scores, or names from best to worst. With ``free_ties`` models that tie in gold may come in any order.
    ``n`` is the largest number of trials, or a list of numbers; by default every number up to the trials of the
    question with the fewest, which is too many for thousands of trials.

    ``scheme="rows"`` draws each question's trials separately, ``"columns"`` whole runs, for which ``outcomes`` must
    be arrays. With ``replace`` (the bootstrap) a trial may be drawn again and ``n`` may exceed the trials there are;
    without it a replicate is a random order of the trials, and ends at ``"full"`` gold.

    With a Suite, models are ranked by their overall scores: the trials of each task are drawn for themselves, ``n`` is
    the number of trials of every question of every task, and ``task_weights`` are those of ``Leaderboard``.

    ``rng`` alone decides the result: neither ``n_jobs`` (joblib, threads unless ``joblib.parallel_config`` says
    otherwise) nor the order in which chunks finish. ``progress`` shows on a terminal once a second has passed.

    >>> R = {"a": [[1, 1, 0, 1], [1, 1, 1, 1]], "b": [[0, 1, 0, 0], [0, 1, 1, 0]]}
    >>> table = analyze_convergence("avg", R, replicates=200, rng=0)
    >>> table["avg"].mean, table["avg"].never
    (1.336734693877551, 0.02)
    """
    chosen, tasks = source_tasks(metrics, outcomes, scheme, replace, task_weights)
    grid = _grid(n, min(source.trials for task in tasks for source in task.sources), replace)
    of_gold = [gold] if isinstance(gold, Metric) else []
    full = np.sum([task.weight * task.scores([*task.metrics, *of_gold]) for task in tasks], axis=0)
    golds = gold_rankings(gold, full, len(chosen), tasks[0].models.models, free_ties)
    scorers = tuple(scorer(task.metrics, task.models, grid) for task in tasks)
    study = Study(tuple(chosen), tasks, scorers, golds, _seed(rng))
    replicates = count("replicates", replicates)
    jobs = [(i, min(_CHUNK, replicates - i * _CHUNK)) for i in range(-(-replicates // _CHUNK))]
    with Progress("convergence", len(jobs), progress) as shown:
        chunks = run(jobs, study.chunk, n_jobs, shown)
    found = (_result(study, i, chunks, tasks[0].models.models, scheme) for i in range(len(chosen)))
    return ConvergenceTable({str(each.metric): each for each in found})


@dataclass(frozen=True, eq=False)
class Study:
    """The inputs of every chunk of replicates."""

    metrics: tuple[Metric | TaskMetrics, ...]
    tasks: tuple[SourceTask, ...]
    scorers: tuple[Scorer, ...]
    golds: tuple[Gold, ...]
    seed: int

    def chunk(self, index: int, size: int) -> Compared:
        """Return tau-b, and whether the ranking is gold's, (replicates, n) per metric, in the chunk of this index."""
        seeds = np.split(self._seeds(index)[:, :size], len(self.tasks))
        parts = zip(self.tasks, self.scorers, seeds, strict=True)
        by_metric = np.sum([task.weight * task.replicates(score, own) for task, score, own in parts], axis=0)
        return [gold.compare(each) for gold, each in zip(self.golds, by_metric, strict=True)]

    def _seeds(self, index: int) -> Seeds:
        """Return the seed words of each task, model and replicate of the chunk."""
        count = sum(len(task.sources) for task in self.tasks) * _CHUNK * _SEED_WORDS
        words: Seeds = np.random.SeedSequence(self.seed, spawn_key=(index,)).generate_state(count, np.uint64)  # type: ignore[assignment]
        return words.reshape(-1, _CHUNK, _SEED_WORDS)


def _result(study: Study, i: int, chunks: list[Compared], models: tuple[str, ...], scheme: Scheme) -> Convergence:
    same = np.concatenate([chunk[i][1] for chunk in chunks])
    return Convergence(
        metric=study.metrics[i],
        models=models,
        gold=study.golds[i].ranks,
        n=read_only(study.scorers[0].n),
        tau=read_only(np.concatenate([chunk[i][0] for chunk in chunks])),
        converged=read_only(convergence_at(same, study.scorers[0].n)),
        scheme=scheme,
        replace=study.tasks[0].sources[0].replace,
        free_ties=study.golds[i].free_ties,
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


def _seed(rng: int | np.random.Generator | None) -> int:
    """Return the seed of all replicates."""
    if rng is None or isinstance(rng, np.random.Generator):
        return int(np.random.default_rng(rng).integers(2**63))
    if isinstance(rng, bool) or not isinstance(rng, (int, np.integer)) or rng < 0:
        raise ParameterError(f"must be None, an integer >= 0 or a numpy Generator; got {rng!r}", argument="rng")
    return int(rng)
