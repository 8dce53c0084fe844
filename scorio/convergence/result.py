"""What the replicates say: tau-b against n, and from which n on the ranking is gold's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..metrics import Metric
from ..metrics.registry import spelt
from ..params import open_unit
from .banks import Scheme

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Convergence:
    """How the ranking by one metric approaches gold as trials are added.

    ``tau`` is Kendall's tau-b to gold, (replicates, n): NaN where ``n`` is below what the metric needs, or all models
    tie. ``converged`` is convergence@n of each replicate: the smallest ``n`` from which on its ranking equals gold and
    stays so, 0 where that never comes. ``gold`` has gold's competition ranks; the other fields are the arguments.
    """

    metric: Metric
    models: tuple[str, ...]
    gold: tuple[int, ...]
    n: NDArray[np.intp]
    tau: Vector
    converged: NDArray[np.intp]
    scheme: Scheme
    replace: bool
    free_ties: bool
    seed: int

    @property
    def replicates(self) -> int:
        """How many there are."""
        return len(self.tau)

    @property
    def mean_tau(self) -> Vector:
        """The mean of tau-b over replicates, for each ``n``."""
        known = ~np.isnan(self.tau)
        count = known.sum(axis=0)
        total = np.sum(self.tau, axis=0, where=known)
        mean: Vector = np.divide(total, count, out=np.full(count.shape, np.nan), where=count > 0)
        return mean

    def band(self, confidence: float = 0.95) -> tuple[Vector, Vector]:
        """The central ``confidence`` of tau-b over replicates, for each ``n``: lower and upper end."""
        tail = (1.0 - open_unit("confidence", confidence)) / 2.0
        ends = np.full((2, len(self.n)), np.nan)
        known = ~np.isnan(self.tau).all(axis=0)
        ends[:, known] = np.nanquantile(self.tau[:, known], [tail, 1.0 - tail], axis=0)
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
        found = self.converged[self.converged > 0]
        return float(found.mean()) if found.size else np.nan

    @property
    def median(self) -> float:
        """The median convergence@n of those that converge; NaN if none does."""
        found = self.converged[self.converged > 0]
        return float(np.median(found)) if found.size else np.nan

    def __str__(self) -> str:
        return (
            f"{self.metric}: mean convergence@n {self.mean:.4g}, median {self.median:.4g}, never {self.never:.1%}; "
            f"mean tau-b {self.mean_tau[-1]:.4f} at n = {self.n[-1]}"
        )

    def __repr__(self) -> str:
        return f"<Convergence of {len(self.models)} models, {self.replicates} replicates: {self}>"


class ConvergenceTable(Mapping[str, Convergence]):
    """The results of several metrics on the same replicates, by the metric's name or the metric; prints as a table."""

    __slots__ = ("_found",)

    def __init__(self, found: tuple[Convergence, ...]) -> None:
        self._found = {str(each.metric): each for each in found}

    def __getitem__(self, metric: str | Metric) -> Convergence:
        found = self._found.get(spelt(metric, self._found))
        if found is None:
            raise KeyError(f"no result by {metric}; there are {', '.join(self._found)}")
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __str__(self) -> str:
        width = max(map(len, self._found))
        lines = [f"{'metric':<{width}}{'mean':>8}{'median':>8}{'never':>8}{'tau':>8}"]
        for name, each in self._found.items():
            share, tau = f"{each.never:.1%}", each.mean_tau[-1]
            lines.append(f"{name:<{width}}{each.mean:>8.1f}{each.median:>8.1f}{share:>8}{tau:>8.3f}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<ConvergenceTable of {', '.join(self._found)}>"


def first_of_the_last_stretch(same: NDArray[np.bool_], n: NDArray[np.intp]) -> NDArray[np.intp]:
    """For each row, the smallest ``n`` from which on all are true; 0 where the last is not."""
    stretch = np.logical_and.accumulate(same[:, ::-1], axis=1).sum(axis=1)
    return np.where(stretch > 0, n[len(n) - np.maximum(stretch, 1)], 0)
