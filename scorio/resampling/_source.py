"""The trials that replicates are drawn from: the counts of each question, or whole runs in their order."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .._kernels import resample
from ..errors import OutcomeError, Remedy
from ..outcomes import OutcomeMatrix, OutcomeSet
from ..params import choice

Scheme = Literal["rows", "columns"]
SCHEMES: tuple[Scheme, ...] = ("rows", "columns")
Seeds = NDArray[np.uint64]
Grid = NDArray[np.intp]
_MOST_TRIALS = 2**31 - 1


@dataclass(frozen=True, eq=False)
class TrialSource:
    """One model's outcomes, and how its trials are drawn from them."""

    outcomes: OutcomeMatrix
    entries: NDArray[np.int32]  # counts by category of each question; or its trials in their order
    runs: bool
    replace: bool

    @property
    def trials(self) -> int:
        """The smallest number of trials of a question."""
        return int(self.entries.shape[1] if self.runs else self.outcomes.trials.min())

    def sums(self, seeds: Seeds, n: Grid, tables: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum over questions of ``table[n, successes]``, (replicates, tables, n); one seed per replicate."""
        out = np.zeros((len(seeds), len(tables), len(n)))
        resample.sums(self.entries, self.runs, self.replace, seeds, n, tables, out)
        return out

    def counts(self, seeds: Seeds, n: Grid) -> NDArray[np.int64]:
        """Return counts by category, (replicates, n, questions, categories), of the same draws."""
        out = np.zeros((len(seeds), len(n), *self.outcomes.counts.shape), np.int64)
        resample.counts(self.entries, self.runs, self.replace, seeds, n, out)
        return out


def trial_sources(outcomes: Any, scheme: str, replace: bool) -> tuple[OutcomeSet, tuple[TrialSource, ...]]:
    """Return the models, and the source of the replicates of each."""
    if choice("scheme", scheme, SCHEMES) == "columns":
        models, tables = _in_order(outcomes)
    else:
        models = outcomes if isinstance(outcomes, OutcomeSet) else OutcomeSet(outcomes)
        tables = [matrix.counts for matrix in models.values()]
    for name, matrix in models.items():
        if not 1 <= matrix.trials.min() <= matrix.trials.max() <= _MOST_TRIALS:
            raise OutcomeError("every question needs from 1 to 2**31 - 1 trials to draw from", where=name)
    pairs = zip(models.values(), tables, strict=True)
    runs = scheme == "columns"
    return models, tuple(TrialSource(m, np.ascontiguousarray(t, dtype=np.int32), runs, replace) for m, t in pairs)


def _in_order(outcomes: Any) -> tuple[OutcomeSet, list[NDArray[Any]]]:
    """Return the models, and the trials of each, (questions, runs)."""
    items = list(outcomes.values()) if isinstance(outcomes, Mapping) else outcomes
    if isinstance(items, (list, tuple)) and any(isinstance(item, OutcomeMatrix) for item in items):
        raise OutcomeError(
            "counts do not keep the order of the trials",
            remedies=[Remedy("scheme", "rows", "needs counts only")],
            hint="pass arrays (models, questions, trials)",
        )
    models = OutcomeSet(outcomes)
    for name, matrix in models.items():
        if (matrix.trials != matrix.trials[0]).any():
            raise OutcomeError(
                "trials are missing, so there are no whole runs to draw",
                where=name,
                remedies=[Remedy("scheme", "rows", "draws the trials of each question separately")],
            )
    return models, [np.asarray(item).reshape(models.n_questions, -1) for item in items]
