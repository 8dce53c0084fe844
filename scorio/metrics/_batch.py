"""Intervals of many metrics on many sets of outcomes in one call, as an array."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import underflow_is_zero
from .._kernels import prior_moments
from ..errors import ParameterError
from ..inference import Interval
from ..inference._prior import PriorLike, is_learned
from ..outcomes import OutcomeMatrix, OutcomeSet, as_outcomes
from ..params import open_unit
from ._base import Metric
from ._count import CountMetric
from ._fits import learned_prior

_DEFAULTS: dict[str, Any] = {"prior": None, "shape": None, "target": "questions", "bounds": "support", "looks": None}
_CHUNK = 256  # sets that a thread takes at a time


@underflow_is_zero
def intervals(
    metrics: Iterable[Metric | str], sets: Any, confidence: float = 0.95, *, n_jobs: int = 1
) -> NDArray[np.float64]:
    """Return learned intervals of many metrics on many sets of outcomes, (sets, metrics, 4).

    The last axis holds the posterior mean, its standard deviation and both ends, the same numbers as
    ``metric.interval(outcomes, confidence, prior="learned")``. ``sets`` is an ``OutcomeSet``, a
    mapping, a tensor (sets, questions, trials) or any iterable of outcomes; each set is read, fitted and dropped in
    turn, so a generator needs the memory of few sets. ``n_jobs`` threads share the work.

    >>> from scorio import PassAtK, PassHatK
    >>> intervals([PassAtK(2), PassHatK(2)], [[[0, 1, 1], [1, 1, 1]], [[0, 0, 1], [0, 1, 0]]]).shape
    (2, 2, 4)
    """
    chosen = [Metric.from_string(metric) if isinstance(metric, str) else metric for metric in metrics]
    open_unit("confidence", confidence)
    check_jobs(n_jobs)
    plan = _Plan(chosen, confidence)
    chunks = _chunks(_each(sets))
    if n_jobs == 1:
        results = [plan.of_chunk(chunk) for chunk in chunks]
    else:
        results = []
        with ThreadPoolExecutor(n_jobs) as pool:
            while some := list(islice(chunks, 4 * n_jobs)):
                results += pool.map(plan.of_chunk, some)
    return np.concatenate(results) if results else np.empty((0, len(chosen), 4))


def check_jobs(n_jobs: int) -> int:
    """Return the number of threads if it is one."""
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs < 1:
        raise ParameterError(f"must be a whole number of threads, at least 1; got {n_jobs!r}", argument="n_jobs")
    return n_jobs


@underflow_is_zero
def intervals_of_set(
    metrics: Sequence[Metric], outcomes: OutcomeMatrix, confidence: float, **options: Any
) -> list[Interval]:
    """Return the interval of each metric on one set; in one kernel call where learned intervals are requested.

    ``options`` are those of ``Metric.interval``, and the numbers are the same to the last bit.
    """
    settings = {**_DEFAULTS, **options}
    is_default = all(settings[name] == value for name, value in _DEFAULTS.items() if name not in ("prior", "shape"))
    if not (
        is_default
        and settings["shape"] in (None, "quantile")
        and settings["prior"] is not None
        and is_learned(settings["prior"])
    ):
        return [metric.interval(outcomes, confidence, **options) for metric in metrics]
    plan = _Plan(list(metrics), open_unit("confidence", confidence))
    rows = dict(zip(plan.together.tolist(), plan.of_counts(outcomes).tolist(), strict=True))
    about: dict[str, Any] = {"prior": settings["prior"], "completeness": outcomes.completeness, "shape": "quantile"}
    return [
        Interval(*rows[at], confidence=confidence, bounds=metric.support(outcomes), **about)
        if at in rows
        else metric.interval(outcomes, confidence, **options)
        for at, metric in enumerate(metrics)
    ]


def interval_of_error(
    metric: Metric,
    outcomes: OutcomeMatrix,
    confidence: float,
    error: float,
    *,
    prior: PriorLike,
    shape: str,
    target: str,
) -> Interval:
    """Return the interval with probability ``error`` in both tails, for one of many looks at several models."""
    admitted = metric._admit(outcomes)
    limits = metric.support(admitted)
    return metric._interval(admitted, confidence, shape, prior, target, limits, error=error)


class _Plan:
    """The metrics, those apart that one kernel call serves together."""

    def __init__(self, metrics: list[Metric], confidence: float) -> None:
        self.metrics, self.confidence = metrics, confidence
        counting = [each for each in metrics if isinstance(each, CountMetric) and _is_small(each)]
        small = np.array([each in counting for each in metrics], dtype=bool)
        self.together, self.alone = np.flatnonzero(small), np.flatnonzero(~small)
        self.credits = [each.credits for each in counting]
        self.bounds = np.array([each.support() for each in counting], dtype=np.float64).reshape(-1, 2)
        self.first = counting[0] if counting else None

    def of_chunk(self, sets: list[Any]) -> NDArray[np.float64]:
        """The intervals of these sets, (sets, metrics, 4)."""
        return np.stack([self.of_set(as_outcomes(R)) for R in sets])

    def of_set(self, outcomes: OutcomeMatrix) -> NDArray[np.float64]:
        """The intervals of one set, (metrics, 4)."""
        out = np.empty((len(self.metrics), 4))
        out[self.together] = self.of_counts(outcomes)
        for at in self.alone:
            out[at] = self.metrics[at].interval(outcomes, self.confidence, prior="learned")
        return out

    def of_counts(self, outcomes: OutcomeMatrix) -> NDArray[np.float64]:
        """The intervals of the metrics that one kernel call serves, (those metrics, 4)."""
        results = np.empty((len(self.credits), 4))
        if self.first is not None:
            prior = learned_prior(self.first._admit(outcomes).with_prior_counts)
            prior_moments.intervals(prior, self.credits, self.bounds, self.confidence, results)
        return results


def _is_small(metric: CountMetric) -> bool:
    is_plain = type(metric).interval is Metric.interval and type(metric).posterior is Metric.posterior
    return is_plain and metric.k <= prior_moments.LARGEST_BUDGET


def _each(sets: Any) -> Iterator[Any]:
    """The sets one after the other."""
    if isinstance(sets, OutcomeSet):
        return (sets[name] for name in sets)
    return iter(sets.values() if isinstance(sets, Mapping) else sets)


def _chunks(sets: Iterator[Any]) -> Iterator[list[Any]]:
    while chunk := list(islice(sets, _CHUNK)):
        yield chunk
