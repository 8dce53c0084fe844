"""``analyze_convergence``: draw replicates, score their first n trials for every n, compare each ranking with gold.

For binary outcomes, a metric that is a mean over questions is a function of (n, successes) per question: one table
gives the scores of all replicates. A blend of dataset means is a product of powers of two such means. Categories, prior
outcomes and other kinds of metrics are scored from the counts, which is slower and gives the same numbers.

Rankings are compared by Kendall's tau-b, ``(P - Q) / sqrt((T - t)(T - u))``, of ``T`` pairs, of which ``P`` are in the
same order in both rankings, ``Q`` in opposite order, ``t`` tied in the one and ``u`` in the other. These are whole
numbers up to the last division, so equal rankings have exactly 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from .._base.arrays import TIE, Flags, Indices, Vector, finite_list, read_only, underflow_is_zero
from .._base.exports import ByContent, Exports
from .._base.jobs import run
from .._base.numbers import DIGITS, number
from .._base.options import accepted, takes
from .._base.progress import Progress
from .._base.table import Field
from .._base.words import pluralize, shorten, unknown
from .._kernels import resample
from ..errors import OutcomeError, ParameterError, Remedy
from ..metrics import Metric
from ..metrics._blend import Blend
from ..metrics._registry import as_metrics, spelt
from ..outcomes import OutcomeMatrix, OutcomeSet
from ..params import count, open_unit, seed
from ..rank import rank_scores

_CHUNK = 32  # replicates that share a seed: another number would give other replicates
_SEED_WORDS = 3
_LARGEST_TABLE = 1 << 24  # scores of a metric over n and successes, 128 MiB
_MOST_TRIALS = 2**31 - 1
_ROWS = 1 << 18  # questions times replicates that are scored at once
Grid = NDArray[np.intp]
Factors = tuple[tuple[Metric, float], ...]  # means over questions and their powers, whose product is a score
Compared = list[tuple[Vector, Flags]]


class WorkOptions(TypedDict, total=False):
    """How the work is done: the seed, how many jobs share it, and whether its progress is shown."""

    rng: int | np.random.Generator | None
    n_jobs: int | None
    progress: bool


@takes(WorkOptions, progress=True)
@underflow_is_zero
def analyze_convergence(
    metrics: Metric | str | Sequence[Metric | str],
    outcomes: Any,
    *,
    gold: Any = "full",
    n: Any = None,
    replicates: int = 1000,
    replace: bool = True,
    free_ties: bool = False,
    **options: Unpack[WorkOptions],
) -> ConvergenceTable:
    """Measure how many trials a ranking of models needs: tau-b to ``gold`` by ``n`` and convergence@n, over replicates.

    A replicate is a sequence of trials of each question, drawn from the outcomes; its first ``n`` are scored and ranked
    for every ``n``. All metrics see the same replicates.

    ``gold`` is ``"full"`` (each metric's own ranking on all trials), or the scores of the
    models, higher is better, in their order or by name. With ``free_ties`` models that tie in gold may come in any
    order. ``n`` is the largest number of trials, or a list of numbers; by default every number up to the trials of the
    question with the fewest, which is too many for thousands of trials.

    With ``replace`` (the bootstrap) a trial may be drawn again and ``n`` may exceed the trials there are; without it a
    replicate is a random order of the trials, and ends at ``"full"`` gold.

    ``rng`` alone decides the result: neither ``n_jobs`` (joblib, threads unless ``joblib.parallel_config`` says
    otherwise) nor the order in which chunks finish. ``progress`` shows on a terminal once a second has passed.

    >>> R = {"a": [[1, 1, 0, 1], [1, 1, 1, 1]], "b": [[0, 1, 0, 0], [0, 1, 1, 0]]}
    >>> table = analyze_convergence("avg", R, replicates=200, rng=0)
    >>> table["avg"].mean, table["avg"].never
    (1.336734693877551, 0.02)
    """
    work = accepted(options, analyze_convergence)
    models, chosen = _models(outcomes), as_metrics(metrics)
    grid = _grid(n, min(int(matrix.trials.min()) for matrix in models.values()), replace)
    draws = Draws.of(models, chosen, grid, replace, seed("rng", work.get("rng")))
    golds = _gold_scores(gold, models, chosen)
    n_jobs, progress = work.get("n_jobs"), work.get("progress", True)
    compared = draws.compared(golds, count("replicates", replicates), n_jobs, free_ties=free_ties, progress=progress)
    results = {}
    for metric, gold_scores, (tau, is_same) in zip(chosen, golds, compared, strict=True):
        results[str(metric)] = Convergence(
            metric=metric,
            models=models.models,
            gold=_ranks(gold_scores),
            n=read_only(grid),
            tau=read_only(tau),
            converged=read_only(_convergence_at(is_same, grid)),
            replace=replace,
            free_ties=free_ties,
            seed=draws.seed,
        )
    return ConvergenceTable(results)


def _models(outcomes: Any) -> OutcomeSet:
    """Return the models, after checking that there are trials to draw from."""
    models = outcomes if isinstance(outcomes, OutcomeSet) else OutcomeSet(outcomes)
    for name, matrix in models.items():
        if not 1 <= matrix.trials.min() <= matrix.trials.max() <= _MOST_TRIALS:
            raise OutcomeError("every question needs from 1 to 2**31 - 1 trials to draw from", where=name)
    return models


def _gold_scores(gold: Any, models: OutcomeSet, metrics: Sequence[Metric]) -> Vector:
    """Return the scores of the gold ranking of each metric, (metrics, models)."""
    if isinstance(gold, str):
        if gold != "full":
            raise ParameterError(f"{unknown('gold', gold, ['full'])}, or give scores or a ranking by names")
        return np.array([[metric.score(matrix) for matrix in models.values()] for metric in metrics])
    if isinstance(gold, Mapping):
        if odd := gold.keys() ^ set(models.models):
            raise OutcomeError(f"gold is not of the same models: only one side has {shorten(sorted(map(str, odd)))}")
        gold = [gold[name] for name in models.models]
    scores = finite_list(gold)
    if scores is None:
        raise OutcomeError(f"gold needs a finite score per model; got {gold!r}")
    if len(scores) != len(models):
        raise OutcomeError(f"gold has {len(scores)} scores for {len(models)} models")
    return np.tile(scores, (len(metrics), 1))


def _ranks(scores: Vector) -> tuple[int, ...]:
    return tuple(rank_scores(scores)["competition"].tolist())


def _convergence_at(same: Flags, n: Grid) -> Grid:
    """Return, per row, the smallest ``n`` from which on all are true; 0 if the last is not."""
    stretch = np.logical_and.accumulate(same[:, ::-1], axis=1).sum(axis=1)
    return np.where(stretch > 0, n[len(n) - np.maximum(stretch, 1)], 0)


@dataclass(frozen=True, eq=False)
class Convergence(ByContent):
    """How the ranking by one metric approaches gold as trials are added.

    ``tau`` is Kendall's tau-b to gold, (replicates, n): NaN where ``n`` is below what the metric needs, or all models
    tie. ``converged`` is convergence@n of each replicate: the smallest ``n`` from which on its ranking equals gold and
    stays so, 0 where that never comes. ``gold`` has gold's competition ranks; the other fields are the arguments.
    """

    metric: Metric
    models: tuple[str, ...]
    gold: tuple[int, ...]
    n: NDArray[np.intp]
    tau: Vector = field(repr=False)
    converged: NDArray[np.intp]
    replace: bool
    free_ties: bool
    seed: int
    _also: ClassVar = ("replicates", "never", "mean", "median", "mean_tau", "pmf", "cdf")

    @property
    def replicates(self) -> int:
        """The number of replicates."""
        return len(self.tau)

    @property
    def mean_tau(self) -> Vector:
        """The mean of tau-b over replicates, for each ``n``."""
        is_number = ~np.isnan(self.tau)
        count = is_number.sum(axis=0)
        total = np.sum(self.tau, axis=0, where=is_number)
        return np.asarray(np.divide(total, count, out=np.full(count.shape, np.nan), where=count > 0))

    def band(self, confidence: float = 0.95) -> tuple[Vector, Vector]:
        """Return the lower and upper end of the central ``confidence`` of tau-b over replicates, for each ``n``."""
        tail = (1.0 - open_unit("confidence", confidence)) / 2.0
        ends = np.full((2, len(self.n)), np.nan)
        is_number = ~np.isnan(self.tau).all(axis=0)
        ends[:, is_number] = np.nanquantile(self.tau[:, is_number], [tail, 1.0 - tail], axis=0)
        return ends[0], ends[1]

    @property
    def pmf(self) -> Vector:
        """The share of replicates that converge at each ``n``; with ``never`` they add up to 1."""
        return self._arrivals / self.replicates

    @property
    def cdf(self) -> Vector:
        """The share of replicates that have converged by each ``n``."""
        return np.cumsum(self._arrivals) / self.replicates

    @property
    def _arrivals(self) -> NDArray[np.intp]:
        return np.bincount(np.searchsorted(self.n, self.converged[self.converged > 0]), minlength=len(self.n))

    @property
    def never(self) -> float:
        """The share of replicates that never converge."""
        return float((self.converged == 0).mean())

    @property
    def mean(self) -> float:
        """The mean convergence@n of those that converge; NaN if none does."""
        reached = self.converged[self.converged > 0]
        return float(reached.mean()) if reached.size else np.nan

    @property
    def median(self) -> float:
        """The median convergence@n of those that converge; NaN if none does."""
        reached = self.converged[self.converged > 0]
        return float(np.median(reached)) if reached.size else np.nan

    def __str__(self) -> str:
        return (
            f"{self.metric}: mean convergence@n {self.mean:.4g}, median {self.median:.4g}, never {self.never:.1%}; "
            f"mean tau-b {number(self.mean_tau[-1])} at n = {self.n[-1]}"
        )

    @property
    def extent(self) -> str:
        """What the result rests on."""
        replicates = pluralize(self.replicates, "replicate")
        return (
            f"{pluralize(len(self.models), 'model')}, {replicates} of {self.n[0]} to {self.n[-1]} trials per question"
        )

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The results for each ``n``; ``tau_lo`` and ``tau_hi`` are the ends of the central 95%."""
        lo, hi = self.band()
        columns = {"n": self.n, "mean_tau": self.mean_tau, "tau_lo": lo, "tau_hi": hi, "pmf": self.pmf, "cdf": self.cdf}
        rows = zip(*(column.tolist() for column in columns.values()), strict=True)
        return [{"metric": str(self.metric), **dict(zip(columns, row, strict=True))} for row in rows]

    def __repr__(self) -> str:
        return f"<Convergence of {len(self.models)} models, {self.replicates} replicates: {self}>"


@dataclass(frozen=True, eq=False)
class ConvergenceTable(Mapping[str, Convergence], Exports):
    """The results of several metrics on the same replicates, by the metric's name or the metric; prints as a table."""

    results: Mapping[str, Convergence]
    _title: ClassVar = "convergence@n: {0._first.extent}"
    _columns: ClassVar = (
        Field("metric", of="metric"),
        Field("mean", True, "mean", "{:.1f}".format),
        Field("median", True, "median", "{:.1f}".format),
        Field("never", True, "never", "{:.1%}".format),
        Field("tau-b", True, form=lambda result, digits=DIGITS: number(result.mean_tau[-1], digits)),
    )

    def __getitem__(self, metric: str | Metric) -> Convergence:
        result = self.results.get(spelt(metric, self.results))
        if result is None:
            raise KeyError(unknown("metric", str(metric), self.results))
        return result

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    @property
    def _first(self) -> Convergence:
        return next(iter(self.results.values()))

    def _rows(self) -> Iterable[Convergence]:
        return self.results.values()

    def _notes(self) -> list[str]:
        last = f"at {self._first.n[-1]} trials per question"
        return [f"mean and median: of the replicates that converge; tau-b: with gold, {last}"]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The results of every metric for each ``n``."""
        return [row for result in self.values() for row in result.rows]

    def to_dict(self) -> dict[str, Any]:
        """Return every metric's result, ready for JSON."""
        return {name: result.to_dict() for name, result in self.items()}


@dataclass(frozen=True, eq=False)
class Draws:
    """The models and metrics, and the ``n`` of which replicates are scored.

    ``tables`` has the values of a question by (n, successes), for each metric whose scores are made of these.
    """

    models: OutcomeSet
    metrics: Sequence[Metric]
    n: Grid
    replace: bool
    seed: int
    tables: dict[Metric, Vector]

    @classmethod
    def of(cls, models: OutcomeSet, metrics: Sequence[Metric], n: Grid, replace: bool, seed: int) -> Draws:
        """Return the draws with their tables."""
        needed = [part for metric in metrics for part, _ in _factors(metric, models) or ()]
        tables = {metric: _table(metric, models.first, n) for metric in dict.fromkeys(needed)}
        return cls(models, metrics, n, replace, seed, tables)

    def compared(
        self, golds: Vector, replicates: int, n_jobs: int | None, *, free_ties: bool, progress: bool
    ) -> Compared:
        """Return tau-b, and whether the ranking is gold's, (replicates, n) per metric."""
        starts = range(0, replicates, _CHUNK)
        jobs = [(i, min(_CHUNK, replicates - start), golds, free_ties) for i, start in enumerate(starts)]
        with Progress("convergence", len(jobs), progress) as shown:
            chunks = run(jobs, self.chunk, n_jobs, shown)
        of_metrics = (zip(*of_chunks, strict=True) for of_chunks in zip(*chunks, strict=True))
        return [(np.concatenate(tau), np.concatenate(is_same)) for tau, is_same in of_metrics]

    def chunk(self, index: int, size: int, golds: Vector, free_ties: bool) -> Compared:
        """Return the same of the chunk of this index alone."""
        words = len(self.models) * _CHUNK * _SEED_WORDS
        state = np.random.SeedSequence(self.seed, spawn_key=(index,)).generate_state(words, np.uint64)
        seeds = state.reshape(-1, _CHUNK, _SEED_WORDS)[:, :size]
        of_models = [self._of_model(*pair) for pair in zip(self.models.values(), seeds, strict=True)]
        compared = []
        for gold, scores in zip(golds, np.stack(of_models, axis=1), strict=True):  # (models, replicates, n)
            better = np.array(_ranks(gold)) - 1
            order = np.argsort(better, kind="stable")
            compared.append(tau_b(scores[order], better[order], TIE, free_ties))
        return compared

    def _of_model(self, outcomes: OutcomeMatrix, seeds: NDArray[Any]) -> Vector:
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

    def _from_counts(
        self, metric: Metric, outcomes: OutcomeMatrix, entries: NDArray[np.int32], seeds: NDArray[Any]
    ) -> Vector:
        """Return the metric of the replicates' counts, (replicates, n)."""
        batch = max(1, _ROWS // (len(self.n) * outcomes.n_questions))
        scores = []
        for start in range(0, len(seeds), batch):
            some = seeds[start : start + batch]
            counts = np.zeros((len(some), len(self.n), *entries.shape), np.int64)
            resample.counts(entries, self.replace, some, self.n, counts)
            scores.append(_scores_of_counts(metric, outcomes, counts))
        return np.concatenate(scores)


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
    net, ordered = np.zeros((2, *scores.shape[1:]), np.intp)
    for i, before in enumerate(better.tolist()):
        is_worse = np.sign(ranks[i] - ranks[:i])
        net += is_worse[:before].sum(axis=0)
        ordered += np.abs(is_worse).sum(axis=0)
    gold_ordered = int(better.sum())
    is_number = ~np.isnan(scores).any(axis=0)
    with np.errstate(invalid="ignore"):
        tau = np.where(is_number, net / np.sqrt(float(gold_ordered) * ordered), np.nan)
    return tau, is_number & (net == gold_ordered) & (free_ties | (ordered == gold_ordered))


def _factors(metric: Metric, models: OutcomeSet) -> Factors | None:
    """Return the means over questions that the score is made of; None if successes and trials do not determine them."""
    is_alike = len({matrix.levels for matrix in models.values()}) == 1
    if not is_alike or models.n_categories != 2 or any(matrix.prior_counts is not None for matrix in models.values()):
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
