"""Continuous rewards that come as means and standard deviations, and the range that rewards keep to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .._arrays import Vector
from ..errors import OutcomeError, ParameterError
from ._from_counts import per_question
from ._outcome_values import check_size
from ._reward_summary import RewardSummary

Support = tuple[float, float]


def summary_of_moments(trials: Any, mean: Any, sd: Any) -> RewardSummary:
    """Return the summary of questions of which only trials, mean and standard deviation are known."""
    center = _reals(mean, "mean", None)
    count = per_question(trials, len(center), "trials")
    spread = np.where(count > 1, _reals(sd, "sd", len(center)), 0.0)
    if (count < 0).any() or not count.any():
        raise OutcomeError("trials must be at least 0, and some question must have a trial")
    if (spread < 0).any():
        raise OutcomeError(f"sd[{int(np.argmax(spread < 0))}] is negative")
    unknown = np.where(count > 2, np.nan, 0.0)  # the cubes of three or more trials
    squares = spread**2 * np.maximum(count - 1, 0)
    return RewardSummary(count, np.where(count > 0, center, np.nan), squares, unknown)


def _reals(values: Any, name: str, count: int | None) -> Vector:
    try:
        found = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.full(1, np.nan)
    if count is not None and found.ndim == 0:
        found = np.full(count, float(found))
    if found.ndim != 1 or not found.size or not np.isfinite(found).all() or (count or len(found)) != len(found):
        raise OutcomeError(f"{name} must be one finite number for each question; got {values!r}")
    check_size((float(found.min()), float(found.max())), name)
    return found


def check_support(support: Iterable[float], summary: RewardSummary) -> Support:
    """Return the support as two numbers that no reward is outside of."""
    try:
        low, high = (float(end) for end in support)
    except (TypeError, ValueError):
        raise ParameterError(f"must be two numbers (low, high); got {support!r}", argument="support") from None
    if not low < high:
        raise ParameterError(f"must satisfy low < high; got {support!r}", argument="support")
    values = summary.values if summary.values is not None else summary.mean[summary.trials > 0]
    if values.min() < low or values.max() > high:
        raise OutcomeError(f"a reward is outside the support ({low:g}, {high:g}): {values.min():g}..{values.max():g}")
    return low, high
