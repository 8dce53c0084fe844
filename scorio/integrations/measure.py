"""One metric of one run's trials, as the numbers that an evaluation tool shows."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import ParameterError
from ..metrics import Metric
from ..outcomes import OutcomeMatrix

Trials = Mapping[Hashable, Sequence[float]]
NAMES = ("value", "sd", "lower", "upper", "coverage")
_SHORT = ("nan", "omit")


@dataclass(frozen=True)
class Measure:
    """A metric and all it takes to compute it from real-valued trials; what is wrong with it is said at once.

    A trial succeeds with ``success`` or more; metrics of rewards take the values themselves. ``levels`` are rewards
    that a trial may have, besides those that occur; 0 and 1 are among them where all values lie between. ``options``
    go to ``interval``. With ``short="nan"`` the value is NaN while a question has fewer trials than the metric needs,
    with ``"omit"`` such questions are left out; an error would end the tool's run.

    >>> from scorio import PassAtK
    >>> Measure(PassAtK(k=2)).of({"q1": [0, 1, 1, 0, 1], "q2": [1, 1, 0, 1, 1]})["value"]
    0.95
    """

    metric: Metric
    success: float = 1.0
    levels: Sequence[float] = ()
    short: str = "nan"
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.short not in _SHORT:
            raise ParameterError(f"short must be one of {_SHORT}; got {self.short!r}")
        if self._takes_rewards and getattr(self.metric, "weights", None) is not None:
            raise ParameterError(f"{self.metric}: here the values are the rewards; pass levels, not weights")
        self.metric.interval([[0, 1]], **self.options)

    @property
    def _takes_rewards(self) -> bool:
        return hasattr(self.metric, "rewards")

    def of(
        self, trials: Trials, *, planned: int | None = None, clusters: Sequence[Hashable] | None = None
    ) -> dict[str, float]:
        """Value, sd, lower and upper bound of the interval, and coverage; NaN trials are missing.

        ``planned`` is the trials planned for a question: as many as any has, if left out.
        """
        present = [[value for value in values if not math.isnan(value)] for values in trials.values()]
        if not any(present):
            return dict.fromkeys(NAMES, math.nan) | {"coverage": 0.0}
        most = max(map(len, trials.values())) if planned is None else planned
        bank = self._bank(present, most, clusters)
        enough = bank.max_trials >= self.metric.needs
        value = self.metric.score(bank, short=self.short) if enough else math.nan
        _, sd, lower, upper = self.metric.interval(bank, **self.options)
        return dict(zip(NAMES, (value, sd, lower, upper, bank.coverage), strict=True))

    def of_question(self, values: Sequence[float]) -> float:
        """The value of one question alone; NaN where it has too few trials."""
        return self.of({0: values})["value"]

    def _bank(
        self, present: Sequence[Sequence[float]], planned: int, clusters: Sequence[Hashable] | None
    ) -> OutcomeMatrix:
        levels = self._scale(present) if self._takes_rewards else (0.0, 1.0)
        counts = np.zeros((len(present), len(levels)), np.int64)
        for row, values in zip(counts, present, strict=True):
            found = values if self._takes_rewards else np.greater_equal(values, self.success)
            np.add.at(row, np.searchsorted(levels, found), 1)
        meant = np.maximum(counts.sum(axis=1), planned)
        return OutcomeMatrix.from_counts(counts, planned=meant, clusters=clusters, levels=levels)

    def _scale(self, present: Sequence[Sequence[float]]) -> tuple[float, ...]:
        """The levels, ascending."""
        scale = {float(level) for level in self.levels}.union(*present)
        if min(scale) >= 0 and max(scale) <= 1:
            scale |= {0.0, 1.0}
        elif len(scale) == 1:
            scale.add(0.0)
        return tuple(sorted(scale))
