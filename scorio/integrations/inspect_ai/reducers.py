"""Reducers: one sample's epochs to the metric of that sample alone; NaN (unscored) while there are too few.

Scores that are dictionaries or lists are reduced key by key, place by place. ``to_float`` turns a score into a number,
``success`` is the least that counts as one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from inspect_ai.scorer import Score, ScoreReducer, ValueToFloat, score_reducer, value_to_float

from ... import metrics as ours
from ..measure import Measure


def _of_sample(of: ours.Metric, to_float: ValueToFloat | None, success: float = 1.0) -> ScoreReducer:
    """The metric as Inspect calls it."""
    measure = Measure(of, success)
    number = to_float or value_to_float()

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


@score_reducer
def bayes(to_float: ValueToFloat | None = None) -> ScoreReducer:
    """Bayes@N: the posterior mean of the reward."""
    return _of_sample(ours.BayesMetric(), to_float)


@score_reducer
def pass_at(k: int, success: float = 1.0, to_float: ValueToFloat | None = None) -> ScoreReducer:
    """Pass@k: at least one of k trials succeeds."""
    return _of_sample(ours.PassAtK(k), to_float, success)


@score_reducer
def pass_hat(k: int, success: float = 1.0, to_float: ValueToFloat | None = None) -> ScoreReducer:
    """Pass^k: all of k trials succeed."""
    return _of_sample(ours.PassHatK(k), to_float, success)


@score_reducer
def g_pass(k: int, tau: float, success: float = 1.0, to_float: ValueToFloat | None = None) -> ScoreReducer:
    """G-Pass@k at tau: at least ``tau k`` of k trials succeed."""
    return _of_sample(ours.GPassTau(k, tau), to_float, success)


@score_reducer
def mg_pass(k: int, success: float = 1.0, to_float: ValueToFloat | None = None) -> ScoreReducer:
    """mG-Pass@k: how far more than half of k trials succeed."""
    return _of_sample(ours.MGPass(k), to_float, success)


@score_reducer
def maj_at(k: int, success: float = 1.0, to_float: ValueToFloat | None = None) -> ScoreReducer:
    """Maj@k: more than half of k trials succeed."""
    return _of_sample(ours.MajAtK(k), to_float, success)


@score_reducer
def auc_at(k: int, success: float = 1.0, to_float: ValueToFloat | None = None) -> ScoreReducer:
    """AUC@k: the area under Pass@1..Pass@k."""
    return _of_sample(ours.AucAtK(k), to_float, success)


@score_reducer
def max_at(k: int, to_float: ValueToFloat | None = None) -> ScoreReducer:
    """Max@k: the best reward of k trials."""
    return _of_sample(ours.MaxAtK(k), to_float)


@score_reducer
def geom_at(k: int, success: float = 1.0, to_float: ValueToFloat | None = None) -> ScoreReducer:
    """Geom@k: the root of Pass@k times Pass^k."""
    return _of_sample(ours.GeomAtK(k), to_float, success)
