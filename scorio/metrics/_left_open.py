"""Intervals of metrics that need more trials than there are: what the trials leave open widens them.

``N`` trials of each question determine the first ``N`` moments of the distribution of success rates and nothing else.
For ``k`` above ``N`` the learned prior fills the rest with a shape that is smooth, which the trials do not show. So
each end of an interval goes from that of the learned law to that of the range of all distributions that fit the
outcomes (``_profile``), by the share ``log(k/N) / log 4``: from ``4 N`` on, it is the range. Single trials show nothing
of how rates differ, and leave all of it open for any ``k`` above 1. Where the value can only grow with ``k``, the lower
end is not below that at ``N``, which the trials do show; likewise the upper end where it can only fall.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ..inference import BEYOND, LEARNED, Bounds, Interval, Level, within
from ..outcomes import OutcomeMatrix
from ._shared_prior import share_beyond

if TYPE_CHECKING:
    from ._base import Metric


class LeftOpen(NamedTuple):
    """The ``ends`` of the range of all that fits the outcomes, and its ``share`` in those of the interval.

    Neither is ``beyond`` what as many trials show as there are.
    """

    share: float
    ends: Bounds
    beyond: Bounds = (-math.inf, math.inf)


def share_left_open(k: int, outcomes: OutcomeMatrix) -> float:
    """Return the share of the range in the interval of a metric that needs ``k`` trials of every question.

    >>> outcomes = OutcomeMatrix.from_counts([1, 5, 8], 8)
    >>> [share_left_open(k, outcomes) for k in (8, 16, 32, 1000)]
    [0.0, 0.5, 1.0, 1.0]
    """
    if k <= max(1, outcomes.min_trials) or outcomes.is_continuous:
        return 0.0
    recorded = outcomes.with_prior_counts
    share = share_beyond(k, recorded.mean_trials)
    return 1.0 if share > 0.0 and recorded.max_trials <= 1 else share


def left_open(metric: Metric, outcomes: OutcomeMatrix, level: Level, target: str) -> LeftOpen | None:
    """Return what the outcomes leave open of the metric; None if that is nothing, or not known."""
    share = metric.share_left_open(outcomes)
    if share == 0.0:
        return None
    ranges: dict[Any, LeftOpen | None] = outcomes.cached("ranges", dict)
    asked = metric, level, target
    if asked not in ranges:
        ends = metric._range(outcomes, level, target)
        beyond = (-math.inf, math.inf) if ends is None else _shown(metric, outcomes, level, target)
        ranges[asked] = ends and LeftOpen(share, (within(beyond, ends[0]), within(beyond, ends[1])), beyond)
    return ranges[asked]


def _shown(metric: Metric, outcomes: OutcomeMatrix, level: Level, target: str) -> Bounds:
    """Return the end at as many trials as there are, beyond which no larger ``k`` leads, and infinity.

    Single trials show no such end: how much they vary is a guess.
    """
    trials = outcomes.with_prior_counts.min_trials
    if metric._trend == 0 or trials < 2:
        return -math.inf, math.inf
    shown: Metric = type(metric)(**metric.get_params() | {"k": trials})
    interval = shown._interval(outcomes, level, None, LEARNED, target, shown.support(outcomes))
    return (interval.lo, math.inf) if metric._trend > 0 else (-math.inf, interval.hi)


def widened(interval: Interval, is_open: LeftOpen, level: Level) -> Interval:
    """Return the interval with both ends moved towards those of the range by its share, and the mean into it."""
    share, bounds = is_open.share, interval.bounds or (-math.inf, math.inf)
    lo, hi = (
        within(bounds, (1.0 - share) * within(is_open.beyond, near) + share * far)
        for near, far in zip((interval.lo, interval.hi), is_open.ends, strict=True)
    )
    spread = (is_open.ends[1] - is_open.ends[0]) / (2.0 * level.critical())
    sigma = (1.0 - share) * interval.sigma + share * spread
    mu = (1.0 - share) * interval.mu + share * within(is_open.ends, interval.mu)
    return replace(interval, mu=mu, sigma=sigma, lo=lo, hi=hi, shape=BEYOND)
