"""Whether the outcomes contradict the uniform prior, which the published intervals assume.

Under that prior every question's category rates are uniform on the simplex, so its mean reward has known moments: those
of draws from a Polya urn that starts with one ball per category. With ``z`` the standardized mean reward of a question,
``g`` its skewness and ``h`` its fourth moment, ``z`` and ``z^2 - 1 - g z`` are uncorrelated with mean 0 and variances 1
and ``h - 1 - g^2``. Sums over ``M`` questions are nearly normal, so

    T = (sum z)^2 / M + (sum z^2 - 1 - g z)^2 / sum (h - 1 - g^2)

is nearly chi-squared with two degrees of freedom: the first term finds questions that are too easy or too hard, the
second a spread between questions that is too large (many all-or-none questions) or too small. ``T`` above
``-2 log FALSE_ALARMS`` contradicts the prior.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from .._arrays import Vector
from .._display.warn import warn
from ..errors import BiasWarning, PriorWarning
from ..inference import Interval
from ..inference._interval import two_sided_z
from ..inference._prior import PriorLike, is_learned
from ..outcomes import OutcomeMatrix

FALSE_ALARMS = 1e-3  # the share of sets of uniform questions that are called a contradiction
_CRITICAL = -2.0 * math.log(FALSE_ALARMS)
_ROUNDING = 1e-12
_USUAL = 0.95  # an interval of a lower confidence may well exclude the score
_ADVICE = 'write interval(R, prior="learned"), or prior="uniform" to keep these numbers without this warning'
_FIXED_PRIOR = (
    "a fixed prior biases the estimate, so the interval is not valid at every look although looks were given; "
    'pass prior="learned"'
)


class Checked(Protocol):
    """The part of a metric that the check uses."""

    estimate_ignores_prior: ClassVar[bool]

    @property
    def required_trials(self) -> int:
        """The number of trials that the score needs of each question."""
        ...

    def observed(self, R: Any, *, too_few: str = "raise") -> float:
        """The metric of the recorded trials alone."""
        ...

    def _rewards_of_categories(self, outcomes: OutcomeMatrix) -> Vector | None:
        """The reward of each category; None for successes and failures."""
        ...


def warn_of_fixed_prior(metric: Checked, outcomes: OutcomeMatrix, prior: PriorLike, target: str) -> None:
    """Issue a BiasWarning where an interval with looks depends on a prior that is not learned."""
    has_prior = target == "questions" and not metric.estimate_ignores_prior and not outcomes.is_continuous
    if has_prior and not is_learned(prior):
        warn(_FIXED_PRIOR, BiasWarning)


def warn_of_prior(metric: Checked, outcomes: OutcomeMatrix, interval: Interval) -> None:
    """Issue a PriorWarning where the outcomes contradict the uniform prior, or the interval excludes the score."""
    if contradicts_uniform(outcomes, metric._rewards_of_categories(outcomes)):
        problem = (
            "the outcomes contradict the uniform prior of the success rates, so this interval may miss the true value"
        )
    elif _excludes_score(metric, outcomes, interval):
        problem = (
            "this interval under the uniform prior excludes the observed score: that prior does not fit, or the score"
            " itself is uncertain (k is close to the number of trials)"
        )
    else:
        return
    warn(f"{problem}; {_ADVICE}", PriorWarning)


def contradicts_uniform(outcomes: OutcomeMatrix, rewards: Vector | None = None) -> bool:
    """Return whether the outcomes contradict the uniform prior; the answer is kept with the outcomes.

    >>> contradicts_uniform(OutcomeMatrix.from_counts([8] * 20 + [0] * 20, 8))
    True
    """
    name = "contradicts uniform" if rewards is None else f"contradicts uniform, {hash(rewards.tobytes())}"
    return outcomes._cached(name, lambda: _discrepancy(outcomes.with_prior_counts, rewards) > _CRITICAL)


def _excludes_score(metric: Checked, outcomes: OutcomeMatrix, interval: Interval) -> bool:
    """Return whether the score is beyond ``mu -+ z sigma``, at 95% or the confidence if that is higher."""
    if outcomes.min_trials < max(1, metric.required_trials) or outcomes.is_adaptive:
        return False
    gap = abs(metric.observed(outcomes) - interval.mu)
    reach = two_sided_z(max(interval.confidence, _USUAL)) * interval.sigma
    return gap > reach + _ROUNDING * abs(interval.mu)


class _Urn(NamedTuple):
    """Draws from a Polya urn with one ball per category: the moments of the rewards."""

    balls: float
    mean: float
    second: float
    third: float
    fourth: float

    @classmethod
    def of(cls, rewards: Vector) -> _Urn:
        centred = rewards - rewards.mean()
        moments = [float(np.mean(centred**power)) for power in (2, 3, 4)]
        return cls(float(len(rewards)), float(rewards.mean()), *moments)

    def sum_moments(self, n: Any) -> tuple[Any, Any, Any]:
        """Variance, third and fourth central moment of the sum of ``n`` rewards."""
        balls, _, m2, m3, m4 = self
        a, b, c = balls + 1.0, balls + 2.0, balls + 3.0
        two, three = n * (n - 1.0), n * (n - 1.0) * (n - 2.0)
        variance = m2 * n * (n + balls) / a
        third = m3 * (n + 3.0 * two / a + 2.0 * three / (a * b))
        fourth = (
            n * m4
            + two * (7.0 * m4 + 3.0 * balls * m2 * m2) / a
            + 6.0 * three * (2.0 * m4 + balls * m2 * m2) / (a * b)
            + three * (n - 3.0) * (6.0 * m4 + 3.0 * balls * m2 * m2) / (a * b * c)
        )
        return variance, third, fourth


_BINARY = _Urn(2.0, 0.5, 0.25, 0.0, 0.0625)


def _discrepancy(outcomes: OutcomeMatrix, rewards: Vector | None) -> float:
    """Return the statistic ``T`` of the module; 0 where one trial per question says nothing, or no reward differs."""
    n: Any
    total: Any
    weight: Any
    if rewards is None:
        if not outcomes.has_two_categories:
            return 0.0
        urn, states = _BINARY, outcomes._states
        n, total, weight = states.trials, states.successes, states.multiplicity
    else:
        urn, rows = _Urn.of(rewards), outcomes._profile_rows
        width = min(rows.shape[1], len(rewards))
        n, total, weight = rows.sum(axis=1), rows[:, :width] @ rewards[:width], outcomes._groups.multiplicity
    if urn.second == 0.0:
        return 0.0
    if outcomes.min_trials == outcomes.max_trials:
        n = float(outcomes.min_trials)
    elif outcomes.min_trials == 0:
        n, total, weight = (each[n > 0] for each in (n, total, weight))
    return _statistic(n, total - n * urn.mean, np.asarray(weight, dtype=np.float64), urn)


def _statistic(n: Any, away: Vector, weight: Vector, urn: _Urn) -> float:
    variance, third, fourth = urn.sum_moments(n)
    z = away / np.sqrt(variance)
    skew, spread = third / variance**1.5, fourth / variance**2
    share = np.maximum(spread - 1.0 - skew * skew, 0.0)
    count, between = float(weight.sum()), float((weight * share).sum())
    first = float(weight @ z) ** 2 / count
    if between <= 1e-9 * count:  # one trial of binary outcomes per question: its square says nothing
        return first
    second = z * z - 1.0 - skew * z
    return first + float(weight @ np.where(share > 0.0, second, 0.0)) ** 2 / between
