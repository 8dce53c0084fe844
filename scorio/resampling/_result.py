"""The result over replicates: tau-b against n, and the n from which on the ranking is gold's."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .._arrays import Vector
from .._display.exports import ByContent, Exports
from .._display.numbers import DIGITS, number
from .._display.table import Field
from .._display.words import pluralize, unknown
from ..estimates import TaskMetrics
from ..metrics import Metric, spelt
from ..params import open_unit


@dataclass(frozen=True, eq=False)
class Convergence(ByContent):
    """How the ranking by one metric approaches gold as trials are added.

    ``tau`` is Kendall's tau-b to gold, (replicates, n): NaN where ``n`` is below what the metric needs, or all models
    tie. ``converged`` is convergence@n of each replicate: the smallest ``n`` from which on its ranking equals gold and
    stays so, 0 where that never comes. ``gold`` has gold's competition ranks; the other fields are the arguments.
    """

    metric: Metric | TaskMetrics
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
        """How many replicates converge at each ``n``."""
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


def convergence_at(same: NDArray[np.bool_], n: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return, per row, the smallest ``n`` from which on all are true; 0 if the last is not."""
    stretch = np.logical_and.accumulate(same[:, ::-1], axis=1).sum(axis=1)
    return np.where(stretch > 0, n[len(n) - np.maximum(stretch, 1)], 0)
