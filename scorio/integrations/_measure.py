"""One metric of one run's trials, as the numbers that an evaluation tool shows."""

import math
import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import ParameterError
from ..metrics import Metric
from ..outcomes import OutcomeMatrix, RewardMatrix
from ..outcomes._outcome_values import PASS_FAIL, reward
from ..outcomes._rewards import RewardTrials

Trials = Mapping[Hashable, Sequence[Any]]
NAMES = ("value", "sd", "lower", "upper", "completeness")
_SHORT = ("nan", "omit")


@dataclass(frozen=True)
class Measure:
    """A metric and its options, computed from the outcomes of trials; invalid options are errors at once.

    Outcomes are read as everywhere in scorio: numbers, truth values and words; None and NaN are missing. A trial
    succeeds with ``success`` or more; metrics of rewards take the values themselves. ``levels`` are rewards that a
    trial may have, besides those that occur. ``options`` go to ``interval``.
    With ``too_few="nan"`` the value is NaN while a question has fewer trials than the metric needs, with ``"omit"``
    such questions are left out; an error would end the tool's run.

    >>> from scorio import PassAtK
    >>> Measure(PassAtK(k=2)).of({"q1": [0, 1, 1, 0, 1], "q2": [1, 1, 0, 1, 1]})["value"]
    0.95
    """

    metric: Metric
    success: float = 1.0
    levels: Sequence[float] = ()
    too_few: str = "nan"
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.too_few not in _SHORT:
            raise ParameterError(f"too_few must be one of {_SHORT}; got {self.too_few!r}")
        if self.metric.takes_rewards and getattr(self.metric, "weights", None) is not None:
            raise ParameterError(f"{self.metric}: here the values are the rewards; pass levels, not weights")
        object.__setattr__(self, "options", dict(self.options))
        self.metric.interval([[0, 1]], **self.options)

    def of(
        self, trials: Trials, *, planned: int | None = None, clusters: Sequence[Hashable] | None = None
    ) -> dict[str, float]:
        """Return the value, the sd, the lower and upper bound of the interval, and the completeness.

        ``planned`` is the number of trials planned per question: as many as any question has, if left out.
        """
        present = [_present(values) for values in trials.values()]
        if not any(present):
            return dict.fromkeys(NAMES, math.nan) | {"completeness": 0.0}
        most = max(map(len, trials.values())) if planned is None else planned
        outcomes = self.outcomes(present, most, clusters=clusters)
        enough = outcomes.max_trials >= self.metric.required_trials
        value = self.metric.score(outcomes, too_few=self.too_few) if enough else math.nan
        _, sd, lower, upper = self.metric.interval(outcomes, **self.options)
        return dict(zip(NAMES, (value, sd, lower, upper, outcomes.completeness), strict=True))

    def outcomes(
        self,
        present: Sequence[Sequence[float]],
        planned: int,
        *,
        questions: Sequence[Hashable] | None = None,
        clusters: Sequence[Hashable] | None = None,
    ) -> OutcomeMatrix:
        """Return the trials that each question has as outcomes that suit the metric."""
        values = np.array([value for values in present for value in values], np.float64)
        lengths = np.array([len(values) for values in present])
        declared: Sequence[float] = PASS_FAIL
        if self.metric.takes_rewards:
            declared = self.levels
        else:
            values = (values >= self.success).astype(np.float64)
        times = np.repeat([1, 0], [values.size, len(declared)])  # levels that no trial has are there
        rows = np.append(np.repeat(np.arange(lengths.size), lengths), np.zeros(len(declared), np.int64))
        trials = RewardTrials(np.append(values, declared), rows, lengths.size, "the outcomes", times)
        return OutcomeMatrix.of_reduced(trials.reduced(), np.maximum(lengths, planned), questions, clusters)


def with_ends(metric: Metric, outcomes: OutcomeMatrix | RewardMatrix, name: str, mean: str = "") -> dict[str, float]:
    """Return the score of a metric and the ends of its interval by their names in the log of a training."""
    with warnings.catch_warnings(action="ignore"):  # a trainer logs numbers at every step
        interval = metric.interval(outcomes)
    return {f"{name}{mean}": float(metric.score(outcomes)), f"{name}/lo": interval.lo, f"{name}/hi": interval.hi}


def _present(values: Iterable[Any]) -> list[float]:
    """Return the rewards of the trials that have an outcome."""
    return [number for number in map(reward, values) if number is not None]
