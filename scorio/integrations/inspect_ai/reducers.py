"""Reducers: a metric of the epochs of one sample; NaN (unscored) if the sample has too few scored epochs.

Scores that are dictionaries are reduced key by key, lists position by position. ``to_float`` converts a score to a
number; ``success`` is the smallest number that counts as a success. There is one reducer per built-in metric that is a
mean over samples, ``pass_at(8)`` for ``pass@8``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from inspect_ai.scorer import Score, ScoreReducer, ValueToFloat, score_reducer

from ... import metrics as ours
from .._measure import Measure
from ._values import functions, of_counts, outcome_value


def _of_sample(own: ours.Metric, *, success: float = 1.0, to_float: ValueToFloat | None = None) -> ScoreReducer:
    """Wrap a metric as Inspect calls it."""
    measure = Measure(own, success)
    number = to_float or outcome_value

    def reduced(values: list[Any]) -> Any:
        scored = [value for value in values if not _is_unscored(value)]
        first = scored[0] if scored else math.nan
        if isinstance(first, Mapping):
            return {key: reduced([value.get(key, math.nan) for value in scored]) for key in first}
        if isinstance(first, list | tuple):
            return [reduced(list(place)) for place in zip(*scored, strict=True)]
        return measure.of_question([number(value) for value in scored])

    def reduce(scores: list[Score]) -> Score:
        shared = {
            name: getattr(scores[0], name)
            for name in ("answer", "explanation", "reason")
            if len({getattr(score, name) for score in scores}) == 1
        }
        return Score(value=reduced([score.value for score in scores]), metadata=scores[0].metadata, **shared)

    return reduce


def _is_unscored(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


_FUNCTIONS = {
    each.__name__: score_reducer(each)
    for each in functions((each for each in of_counts() if each._is_mean_over_questions), _of_sample)
}
globals().update(_FUNCTIONS, __all__=list(_FUNCTIONS))


def __getattr__(name: str) -> Callable[..., ScoreReducer]:
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
