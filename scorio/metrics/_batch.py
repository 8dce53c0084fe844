"""Intervals of many metrics on many sets of outcomes in one call, as an array."""

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from .._arrays import underflow_is_zero
from .._choices import AUTO, RANDOM, RUNS
from ..inference import Interval, Level, PriorLike
from ..outcomes import OutcomeMatrix, OutcomeSet, as_outcomes
from ..params import choice, count, open_unit
from ._base import Metric
from ._count import CountMetric, learned_intervals
from ._intervals import Request
from ._registry import as_metric
from ._run_effects import warn_of_runs

_CHUNK = 256  # sets that a thread takes at a time


@underflow_is_zero
def compute_intervals(
    metrics: Metric | str | Iterable[Metric | str],
    sets: Any,
    confidence: float = 0.95,
    *,
    n_jobs: int = 1,
    runs: str = "auto",
) -> NDArray[np.float64]:
    """Return intervals of many metrics on many sets of outcomes, (sets, metrics, 4).

    The last axis holds the posterior mean, its standard deviation and both ends, the same numbers as
    ``metric.interval(outcomes, confidence, runs=runs)``. ``sets`` is an ``OutcomeSet``, a
    mapping, a tensor (sets, questions, trials) or any iterable of outcomes; each set is read, fitted and dropped in
    turn, so a generator needs the memory of few sets. ``n_jobs`` threads share the work.

    >>> from scorio import PassAtK, PassHatK
    >>> compute_intervals([PassAtK(2), PassHatK(2)], [[[0, 1, 1], [1, 1, 1]], [[0, 0, 1], [0, 1, 0]]]).shape
    (2, 2, 4)
    """
    several = [metrics] if isinstance(metrics, (str, Metric)) else metrics
    chosen = [as_metric(metric) for metric in several]
    open_unit("confidence", confidence)
    count("n_jobs", n_jobs)
    plan = _Plan(chosen, confidence, choice("runs", runs, RUNS))
    chunks = _chunks(_each(sets))
    if n_jobs == 1:
        results = [plan.of_chunk(chunk) for chunk in chunks]
    else:
        results = []
        with ThreadPoolExecutor(n_jobs) as pool:
            while some := list(islice(chunks, 4 * n_jobs)):
                results += pool.map(plan.of_chunk, some)
    return np.concatenate(results) if results else np.empty((0, len(chosen), 4))


def interval_at(
    metric: Metric, outcomes: OutcomeMatrix, level: Level, *, prior: PriorLike, shape: str, target: str
) -> Interval:
    """Return the interval at a level, such as that of one of many looks at several models."""
    admitted = metric.admit(outcomes)
    return metric._interval(admitted, Request(level, prior, target, shape, metric.support(admitted)))


class _Plan:
    """The metrics, those apart that one call of the kernel serves together."""

    def __init__(self, metrics: list[Metric], confidence: float, runs: str) -> None:
        self.metrics, self.confidence, self.runs = metrics, confidence, runs
        is_together = [
            runs != RANDOM and isinstance(metric, CountMetric) and metric._is_in_kernel(metric.support(), confidence)
            for metric in metrics
        ]
        self.together, self.alone = np.flatnonzero(is_together), np.flatnonzero(np.logical_not(is_together))
        self.counting = [cast("CountMetric", metrics[at]) for at in self.together]
        self.bounds = [metric.support() for metric in self.counting]

    def of_chunk(self, sets: list[Any]) -> NDArray[np.float64]:
        """The intervals of these sets, (sets, metrics, 4)."""
        return np.stack([self.of_set(as_outcomes(R)) for R in sets])

    def of_set(self, outcomes: OutcomeMatrix) -> NDArray[np.float64]:
        """The intervals of one set, (metrics, 4); as ``Metric.interval`` computes them, for several metrics at once."""
        out = np.empty((len(self.metrics), 4))
        if self.runs == AUTO and outcomes.runs is not None:
            for metric in self.counting:
                warn_of_runs(metric, [outcomes])
        if self.counting:
            admitted = self.counting[0].admit(outcomes)
            [(out[self.together], _, _)] = learned_intervals(self.counting, [admitted], self.confidence, self.bounds)
        fewest = outcomes.with_prior_counts.min_trials  # beyond which the kernel knows nothing
        for at in (*self.alone, *self.together[[counted.k > fewest for counted in self.counting]]):
            out[at] = self.metrics[at].interval(outcomes, self.confidence, runs=self.runs)
        return out


def _each(sets: Any) -> Iterator[Any]:
    """The sets one after the other."""
    if isinstance(sets, OutcomeSet):
        return (sets[name] for name in sets)
    return iter(sets.values() if isinstance(sets, Mapping) else sets)


def _chunks(sets: Iterator[Any]) -> Iterator[list[Any]]:
    while chunk := list(islice(sets, _CHUNK)):
        yield chunk
