"""Rubrics: named levels with weights, and a rule that turns raw signals into a level."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .._base.arrays import LARGEST_REWARD, Indices, finite_list
from .._base.words import unknown
from ..errors import OutcomeError, ParameterError
from ..outcomes import OutcomeMatrix


@dataclass(frozen=True)
class Rubric:
    """Categories with names and weights: a subclass defines ``levels`` and ``classify``.

    ``classify`` is called with the signals of one trial and returns the name of its level. If the class sets
    ``vectorized = True``, it is called once with whole arrays.

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
            raise ParameterError(f"{type(self).__name__}.levels must have at least two names with a finite weight each")

    def classify(self, *signals: Any, **named: Any) -> Any:  # noqa: ARG002 - subclasses name their signals
        """Return the name of the level of one trial with these signals."""
        raise ParameterError(f"{type(self).__name__} must define classify, which turns signals into a level")

    @property
    def weights(self) -> tuple[float, ...]:
        """The weight of each level, in the order of ``levels``."""
        return tuple(float(weight) for weight in self.levels.values())

    def encode(self, names: Any) -> Indices:
        """Return level names, in an array of any shape, as categories 0, 1, .. in the order of ``levels``."""
        words = np.asarray(names, dtype=object)
        codes = np.full(words.shape, -1, dtype=np.intp)
        for code, level in enumerate(self.levels):
            codes[words == level] = code
        if (codes < 0).any():
            at = tuple(int(i) for i in np.argwhere(codes < 0)[0])
            raise OutcomeError(unknown("level", words[at], self.levels), where=f"position {list(at)}")
        return codes

    def outcomes(self, *signals: Any, questions: Any = None, clusters: Any = None, **named: Any) -> OutcomeMatrix:
        """Return the outcomes that ``classify`` makes of signals: arrays (questions, trials), broadcast together."""
        keys = list(named)
        arrays = [np.asarray(signal) for signal in (*signals, *named.values())]
        try:
            arrays = [*np.broadcast_arrays(*arrays)]
        except ValueError:
            shapes = ", ".join(str(array.shape) for array in arrays)
            raise OutcomeError(
                f"signals must be arrays (questions, trials) of one shape; got shapes {shapes}"
            ) from None

        def level(*values: Any) -> Any:
            first, last = values[: len(signals)], values[len(signals) :]
            return self.classify(*first, **dict(zip(keys, last, strict=True)))

        if self.vectorized:
            levels = level(*arrays)
        else:
            levels = np.frompyfunc(lambda *values: np.asarray(level(*values)).item(), len(arrays), 1)(*arrays)
        return OutcomeMatrix(self.encode(levels), questions=questions, clusters=clusters)
