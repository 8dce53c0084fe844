"""Rubrics: named levels with weights, and how raw signals become a level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..errors import OutcomeError, ParameterError
from ..outcomes import OutcomeMatrix
from ..params import LARGEST_REWARD, finite_list


@dataclass(frozen=True)
class Rubric:
    """Categories with names and weights: a subclass gives ``levels`` and ``classify``.

    ``classify`` is called with the signals of one trial and names its level; a class that sets ``vectorized = True``
    is called once with whole arrays.

    >>> class Graded(Rubric):
    ...     levels = {"wrong": 0.0, "partial": 0.5, "right": 1.0}
    ...     def classify(self, points):
    ...         return "right" if points >= 10 else "partial" if points >= 5 else "wrong"
    >>> from scorio import BayesMetric
    >>> rubric = Graded()
    >>> round(BayesMetric(rubric).score(rubric.outcomes(points=[[10, 3, 7], [10, 10, 0]])), 6)
    0.541667
    """

    levels: ClassVar[Mapping[str, float]] = {}
    vectorized: ClassVar[bool] = False

    def __post_init__(self) -> None:
        weights = finite_list(list(self.levels.values()))
        if weights is None or len(weights) < 2 or np.abs(weights).max() > LARGEST_REWARD:
            raise ParameterError(f"{type(self).__name__}.levels must give at least two names a finite weight each")

    def classify(self, *signals: Any, **named: Any) -> Any:  # noqa: ARG002 - a subclass names its signals
        """The level of one trial with these signals."""
        raise ParameterError(f"{type(self).__name__} does not say how signals become a level: define classify")

    @property
    def weights(self) -> tuple[float, ...]:
        """The weight of each level, in the order of ``levels``."""
        return tuple(float(weight) for weight in self.levels.values())

    def encode(self, names: Any) -> NDArray[np.intp]:
        """Level names, of any shape, as categories 0, 1, .. in the order of ``levels``."""
        given = np.asarray(names, dtype=object)
        codes = np.full(given.shape, -1, dtype=np.intp)
        for code, level in enumerate(self.levels):
            codes[given == level] = code
        if (codes < 0).any():
            at = tuple(int(i) for i in np.argwhere(codes < 0)[0])
            raise OutcomeError(f"level {given[at]!r} at {list(at)} is not one of {list(self.levels)}")
        return codes

    def outcomes(self, *signals: Any, questions: Any = None, clusters: Any = None, **named: Any) -> OutcomeMatrix:
        """The outcomes that ``classify`` makes of signals: arrays questions x trials, broadcast together."""
        keys = list(named)
        arrays = np.broadcast_arrays(*(np.asarray(signal) for signal in (*signals, *named.values())))

        def level(*values: Any) -> Any:
            first, last = values[: len(signals)], values[len(signals) :]
            return self.classify(*first, **dict(zip(keys, last, strict=True)))

        if self.vectorized:
            found = level(*arrays)
        else:
            found = np.frompyfunc(lambda *values: np.asarray(level(*values)).item(), len(arrays), 1)(*arrays)
        categories = len(self.levels)
        return OutcomeMatrix(self.encode(found), categories=categories, questions=questions, clusters=clusters)
