"""Metrics of categories with rewards: Bayes@N, avg@N, Max@k and Worst@k.

The posterior of the category rates is a Dirichlet.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np
from numpy import empty

from .. import params
from .._base.arrays import Vector, cached_property, read_only
from .._base.choices import LEARNED, UNIFORM
from .._kernels import best_reward, category_rates
from ..errors import OutcomeError
from ..inference import Interval, Mixture, Prior
from ..inference._interval import Bounds
from ..inference._law import SkewedT
from ..inference._level import Level
from ..inference._prior import PriorLike, as_prior
from ..outcomes import OutcomeMatrix, RewardMatrix, as_outcomes
from ..params import Check, count, optional, param
from ._base import Metric, Moments
from ._checks import PUBLISHED, values_or_nan, warn_of_contradiction, with_enough_trials
from ._count import CountMetric
from ._reward_laws import ContinuousMean, Steps, plausible_support, support_of
from ._rubric import Rubric
from ._shapes import NO_REACH, Request
from ._threshold import PassAtK, PassHatK
from ._worth import CovarianceTerms

__all__ = ["BayesMetric", "AvgMetric", "MaxAtK", "MinAtK"]  # noqa: RUF022 - in the order of lists and tables

ZERO_ONE = read_only(np.array([0.0, 1.0]))
RATE = PassAtK(1)
_NEW = 0.05  # chance that the next trial has another reward than those seen, from which on these are not all

rewards: Check = optional(
    Check(
        f"a Rubric or {params.weights.says}",
        lambda value: value if isinstance(value, Rubric) else params.weights.convert(value),
    )
)


@dataclass(frozen=True)
class Categorical(Metric):
    """A metric of category rates; without weights, the rewards are the outcomes' own levels, or 0 and 1."""

    takes_rewards: ClassVar[bool] = True
    parameter_aliases: ClassVar[dict[str, str]] = {"w": "weights"}
    _shares: ClassVar[bool] = False  # whether continuous rewards of unequally many trials share what is learned

    def rewards_of(self, outcomes: OutcomeMatrix) -> Vector:
        """Return the reward of each category."""
        rewards = self._own_weights
        if rewards is None and outcomes.levels is not None:
            rewards = np.array(outcomes.levels)
        if rewards is None:
            if not outcomes.has_two_categories:
                raise OutcomeError(
                    f"{self} without weights needs binary outcomes, but category {outcomes.max_category} occurs",
                    hint="give the metric one weight per category, as in weights=(0, 0.5, 1), or make the outcomes of"
                    " rewards: OutcomeMatrix.from_rewards(values)",
                )
            return ZERO_ONE
        if outcomes.n_categories > len(rewards) and outcomes.max_category >= len(rewards):
            last = len(rewards) - 1
            raise OutcomeError(f"{last + 1} weights are for categories 0..{last}, but {outcomes.max_category} occurs")
        return rewards

    @cached_property
    def _own_weights(self) -> Vector | None:
        weights: Any = getattr(self, "weights")  # noqa: B009 - subclasses declare it, because the order of fields differs
        weights = weights.weights if isinstance(weights, Rubric) else weights
        return None if weights is None else read_only(np.array(weights, dtype=np.float64))

    def support(self, R: Any) -> Bounds:
        """Return the smallest and the largest reward: of the weights, or that a reward can plausibly have."""
        outcomes = as_outcomes(R)
        if isinstance(outcomes, RewardMatrix):
            return support_of(outcomes)
        rewards = self.rewards_of(outcomes).tolist()
        if self._own_weights is not None or outcomes.levels is None:
            return min(rewards), max(rewards)
        return plausible_support(rewards[0], rewards[-1], int(outcomes.trials.sum()))

    def _as_continuous(self, outcomes: OutcomeMatrix, support: Bounds | None = None) -> RewardMatrix | None:
        """Return the rewards without categories, where those that were seen are not all that there may be; else None.

        That is where no weights declare the levels, and the chance that the next trial has a new one, the share of
        trials whose reward occurred once (Good 1953), is not small; or where all trials but few have one reward, and
        the others leave room for rewards beyond those seen.
        """
        if isinstance(outcomes, RewardMatrix):
            return outcomes if support is None or outcomes.support else outcomes.replaced(support=support)
        if self._own_weights is not None or outcomes.levels is None or outcomes.prior_counts is not None:
            return None
        times = outcomes.counts.sum(axis=0)
        trials, rest = int(times.sum()), int(times.sum() - times.max())
        is_new = np.count_nonzero(times == 1) >= _NEW * trials or (rest <= _NEW * trials and _has_room(outcomes))
        is_new = (self.draw_size or 1) == 1 and is_new
        if trials < 2 or not (is_new or rest == 0) or outcomes.min_trials < self.required_trials:
            return None
        kept = outcomes.cached("as continuous", lambda: cast("RewardMatrix", outcomes.as_continuous()))
        return kept if support is None else kept.replaced(support=support)

    def _interval_of_posterior(
        self, outcomes: OutcomeMatrix, request: Request, prior: Prior, about: dict[str, Any]
    ) -> Interval:
        """Return the interval; bounds that hold all rewards are the support of those without categories."""
        limits = request.limits
        is_default = limits == self.support(outcomes)
        is_declared = limits is not None and not is_default and bool(np.isfinite(limits).all())
        rewards = self._as_continuous(outcomes, limits if is_declared else None) if prior.is_learned else None
        if rewards is not None:
            outcomes = rewards
            request = request._replace(limits=self.support(rewards) if is_default else limits)
        return super()._interval_of_posterior(outcomes, request, prior, about)

    def _range(self, outcomes: OutcomeMatrix, level: Level, target: str) -> Bounds | None:
        """Return the range of the success rate's metric, or the sum of those of every step between rewards."""
        if self.draw_size is None or outcomes.is_continuous:
            return None
        recorded = self._recorded(outcomes)
        rewards = self.rewards_of(recorded)
        if not pays_success(recorded, rewards):
            return self._steps(recorded, rewards).range(level, target)
        ends = self._rate._range(recorded.without_rewards, level, target)
        base, gain = float(rewards[0]), float(rewards[1] - rewards[0])
        return None if ends is None else (base + gain * ends[0], base + gain * ends[1])

    def _steps(self, outcomes: OutcomeMatrix, rewards: Vector) -> Steps:
        return Steps(outcomes, rewards, self._rate.k, self._trend or 1)

    def score(self, R: Any, *, too_few: str = "raise") -> float:
        """Return the mean over questions of each question's value."""
        enough = with_enough_trials(self, as_outcomes(R), too_few)
        if enough is not None and enough.is_continuous:
            return float(np.mean(self._values(enough)))
        return float("nan") if enough is None else enough.groups.mean(self._scores(enough))

    def per_question(self, R: Any, *, too_few: str = "raise") -> Vector:
        """Return the value of each question, (M,)."""
        return values_or_nan(self, as_outcomes(R), too_few, self._values)

    def _values(self, outcomes: OutcomeMatrix) -> Vector:
        if isinstance(outcomes, RewardMatrix):
            return self.continuous_mean(outcomes).per_question()
        return self._scores(outcomes)[outcomes.profile_of_question]

    def continuous_mean(self, rewards: RewardMatrix) -> ContinuousMean:
        """Return what the metric is for continuous rewards, which have no weights."""
        if self._own_weights is not None:
            raise OutcomeError(
                f"weights are for categories, and these are continuous rewards: {self.name} needs no weights"
            )
        with_enough_trials(self, rewards, "raise")
        return ContinuousMean(rewards, self._rate.k, self._shares, worst=self._trend < 0)

    def _rewards_of_categories(self, outcomes: OutcomeMatrix) -> Vector | None:
        rewards = self.rewards_of(outcomes)
        return None if pays_success(outcomes, rewards) else rewards

    def moments(self, R: Any, *, prior: PriorLike = UNIFORM) -> Moments:
        """Return the posterior mean and variance of each question's value, (M,) each."""
        outcomes = self._recorded(as_outcomes(R))
        if isinstance(outcomes, RewardMatrix):
            return Moments(*self.continuous_mean(outcomes).moments(as_prior(prior)))
        assumed = as_prior(prior)
        if assumed.is_learned:
            return self._learned_moments(outcomes)
        mean, sd = self._posterior(outcomes, assumed)
        where = outcomes.profile_of_question
        return Moments(mean[where], (sd * sd)[where])

    def law_of(self, outcomes: OutcomeMatrix, prior: PriorLike | None, target: str) -> Mixture | SkewedT:
        """Return the posterior of the metric's true value; of continuous rewards, a Student t."""
        assumed = as_prior(self._prior_of(outcomes) if prior is None else prior)
        rewards = self._as_continuous(outcomes) if assumed.is_learned or outcomes.is_continuous else None
        if rewards is not None:
            return self.continuous_mean(rewards).posterior(assumed, target)
        return super().law_of(outcomes, prior, target)

    def _estimate(self, outcomes: OutcomeMatrix, prior: Prior) -> tuple[float, float]:
        recorded = self._recorded(outcomes)
        mean, sd = self._posterior(recorded, prior)
        return recorded.groups.mean(mean), recorded.groups.norm(sd) / outcomes.n_questions

    def _learned_moments(self, outcomes: OutcomeMatrix) -> Moments:
        recorded = self._recorded(outcomes)
        rewards = self.rewards_of(recorded)
        if not pays_success(recorded, rewards):
            return self._steps(recorded, rewards).moments()
        mean, variance = self._rate.moments(recorded.without_rewards, prior=LEARNED)
        gain = rewards[1] - rewards[0]
        return Moments(rewards[0] + gain * mean, gain**2 * variance)

    def _learned_law(self, outcomes: OutcomeMatrix, target: str) -> Mixture:
        recorded = self._recorded(outcomes)
        rewards = self.rewards_of(recorded)
        if pays_success(recorded, rewards):
            law = self._rate._learned_law(recorded.without_rewards, target)
            return law.scaled(float(rewards[0]), float(rewards[1] - rewards[0]))
        law = self._steps(recorded, rewards).mixture()
        return law if target == "questions" else self._widened(law, outcomes)

    def _reach(self, outcomes: OutcomeMatrix, level: Level, target: str) -> Bounds:
        """Return what rare successes or failures allow, of the success rate or of every step between rewards."""
        recorded = self._recorded(outcomes)
        rewards = self.rewards_of(recorded)
        if not pays_success(recorded, rewards):
            return self._steps(recorded, rewards).reach(level, target)
        base, gain = float(rewards[0]), float(rewards[1] - rewards[0])
        if gain == 0.0:
            return NO_REACH
        least, most = self._rate._reach(recorded.without_rewards, level, target)
        return base + gain * least, base + gain * most

    def published_moments(self, R: Any) -> tuple[float, float]:
        """Return the mean and standard deviation of the published definition, without the interval around them."""
        outcomes = as_outcomes(R)
        if outcomes.is_continuous:
            return self.published(outcomes).numbers[:2]
        moments = self._estimate(outcomes, as_prior(PUBLISHED))
        warn_of_contradiction(self, outcomes)
        return moments

    @cached_property
    def _rate(self) -> CountMetric:
        """The count metric that this one is for binary outcomes, up to the gain of a success."""
        return RATE

    @abstractmethod
    def _scores(self, outcomes: OutcomeMatrix) -> Vector:
        """Return the value of every profile, a distinct row of counts."""

    @abstractmethod
    def _posterior(self, outcomes: OutcomeMatrix, prior: Prior) -> tuple[Vector, Vector]:
        """Return the posterior mean and standard deviation of every profile."""

    def _recorded(self, outcomes: OutcomeMatrix) -> OutcomeMatrix:
        """Return the outcomes that the posterior uses: prior outcomes are included."""
        return outcomes.with_prior_counts

    def _binary_gain(self, outcomes: OutcomeMatrix) -> float:
        rewards = self.rewards_of(outcomes)
        if outcomes.max_category > 1:
            raise TypeError(f"the covariance of {self} and another metric is not known where rewards are not binary")
        return float(rewards[1] - rewards[0])


def _has_room(outcomes: OutcomeMatrix) -> bool:
    """Return whether rewards can plausibly be below or above all that occur."""
    times = outcomes.counts.sum(axis=0)
    seen = np.array(outcomes.levels)[times > 0]
    ends = float(seen[0]), float(seen[-1])
    return plausible_support(*ends, int(times.sum())) != ends


def profiles_of(outcomes: OutcomeMatrix, width: int) -> Vector:
    """Return the distinct rows of counts with ``width`` columns: columns added or removed are zero."""
    profiles = outcomes.profile_rows
    columns = profiles.shape[1]
    if columns == width:
        return profiles
    resized = np.zeros((len(profiles), width))
    resized[:, : min(columns, width)] = profiles[:, :width]
    return resized


def pays_success(outcomes: OutcomeMatrix, rewards: Vector) -> bool:
    """Return whether there are two rewards, the larger for success: then the metric is one of a success rate."""
    if rewards is ZERO_ONE:
        return True
    return outcomes.has_two_categories and len(rewards) == 2 and bool(rewards[1] >= rewards[0])


def rescale(rewards: Vector, mean: Vector, sd: Vector) -> tuple[Vector, Vector]:
    """Return the mean and standard deviation of a success rate on the scale of two rewards."""
    if rewards is ZERO_ONE:
        return mean, sd
    with np.errstate(under="ignore"):
        gain = rewards[1] - rewards[0]
        return rewards[0] + gain * mean, gain * sd


def _of_categories(outcomes: OutcomeMatrix, rewards: Vector, prior: Prior, *, recorded: bool) -> tuple[Vector, Vector]:
    """Return the posterior mean and standard deviation of every profile, or the mean and deviation of avg@N."""
    groups, profiles = outcomes.groups, outcomes.profile_rows
    mean, sd = empty(len(profiles)), empty(len(profiles))
    category_rates.linear(groups, profiles, rewards, prior.checked_counts(len(rewards)), mean, sd, recorded)
    return mean, sd


@dataclass(frozen=True)
class BayesMetric(Categorical):
    """Bayes@N: the posterior mean of the weighted category rates (arXiv:2510.04265).

    Without weights, outcomes are binary; ``weights`` may be a Rubric.

    >>> round(BayesMetric(weights=(0, 0.5, 1)).score([[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]]), 6)
    0.5625
    """

    name: ClassVar[str] = "bayes"
    _shares: ClassVar[bool] = True
    _default_prior: ClassVar[str] = UNIFORM
    weights: Sequence[float] | Rubric | None = param(rewards, default=None)

    @property
    def required_trials(self) -> int:
        """None: without trials, the score is the prior mean."""
        return 0

    def score(self, R: Any, *, too_few: str = "raise") -> float:
        """Return the posterior mean under the uniform prior, prior outcomes included."""
        return super().score(as_outcomes(R).with_prior_counts, too_few=too_few)

    def observed(self, R: Any, *, too_few: str = "raise") -> float:  # noqa: ARG002 - questions without trials are left out
        """Return the mean of the recorded trials; prior outcomes and questions without trials are left out."""
        outcomes = as_outcomes(R)
        return self._mean.score(outcomes, too_few="omit")

    @cached_property
    def _mean(self) -> AvgMetric:
        return AvgMetric(self.weights)

    def per_question(self, R: Any, *, too_few: str = "raise") -> Vector:
        """Return the posterior mean of each question, (M,)."""
        return super().per_question(as_outcomes(R).with_prior_counts, too_few=too_few)

    def _scores(self, outcomes: OutcomeMatrix) -> Vector:
        return self._posterior(outcomes, as_prior(UNIFORM))[0]

    def _posterior(self, outcomes: OutcomeMatrix, prior: Prior) -> tuple[Vector, Vector]:
        rewards = self.rewards_of(outcomes)
        if pays_success(outcomes, rewards):
            return rescale(rewards, *RATE._state_moments(outcomes.states, *prior.pair()))
        return _of_categories(outcomes, rewards, prior, recorded=False)

    def covariance_terms(self, outcomes: OutcomeMatrix, prior: Prior) -> CovarianceTerms:  # noqa: ARG002 - the prior does not matter
        """Return Pass@1 times the gain of a success."""
        return [(self._binary_gain(outcomes), PassAtK(1))]


@dataclass(frozen=True)
class AvgMetric(Categorical):
    """avg@N: the mean of the weighted outcomes; its standard deviation is that of Bayes@N times ``T/N``.

    Without weights, outcomes are binary; ``weights`` may be a Rubric. Prior outcomes are ignored.

    >>> round(AvgMetric().score([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]), 6)
    0.7
    """

    name: ClassVar[str] = "avg"
    aliases: ClassVar[tuple[str, ...]] = ("accuracy", "acc", "mean")
    _estimate_ignores_prior: ClassVar[bool] = True
    weights: Sequence[float] | Rubric | None = param(rewards, default=None)

    def _scores(self, outcomes: OutcomeMatrix) -> Vector:
        rewards = self.rewards_of(outcomes)
        if pays_success(outcomes, rewards):
            rates = RATE._state_scores(outcomes.states)
            return rescale(rewards, rates, rates)[0]
        profiles = profiles_of(outcomes, len(rewards))
        return np.asarray(profiles @ rewards / np.add.reduce(profiles, axis=1))

    def _posterior(self, outcomes: OutcomeMatrix, prior: Prior) -> tuple[Vector, Vector]:
        with_enough_trials(self, outcomes, "raise")
        rewards = self.rewards_of(outcomes)
        if not pays_success(outcomes, rewards):
            return _of_categories(outcomes, rewards, prior, recorded=True)
        states = outcomes.states
        mean, sd = empty(states.n_states), empty(states.n_states)
        category_rates.of_success(states, *prior.pair(), mean, sd)
        return rescale(rewards, mean, sd)

    def _recorded(self, outcomes: OutcomeMatrix) -> OutcomeMatrix:
        if outcomes.prior_counts is None:
            return outcomes
        return outcomes.cached("without prior outcomes", lambda: outcomes.replaced(prior=None))

    def covariance_terms(self, outcomes: OutcomeMatrix, prior: Prior) -> CovarianceTerms:
        """Return Pass@1 times the gain of a success and each question's ratio of standard deviations to Bayes@N."""
        mine, base = (metric.moments(outcomes, prior=prior).variance for metric in (self, BayesMetric(self.weights)))
        stretch = np.sqrt(np.divide(mine, base, out=np.zeros_like(mine), where=base > 0.0))
        return [(self._binary_gain(outcomes) * stretch, PassAtK(1))]


@dataclass(frozen=True)
class Pick(Categorical):
    """The expected best reward among ``k`` trials, or by the ``_trend`` the worst: minus the best of minus them."""

    k: int = param(count)
    weights: Sequence[float] | Rubric | None = param(rewards, default=None)

    def _scores(self, outcomes: OutcomeMatrix) -> Vector:
        rewards, sign = self.rewards_of(outcomes), self._trend
        if not pays_success(outcomes, rewards):
            profiles, levels = profiles_of(outcomes, len(rewards)), sign * rewards
            best = empty(len(profiles))
            best_reward.best(profiles, levels.argsort(), levels, self.k, best)
            return sign * best
        values = self._rate._state_scores(outcomes.states)
        return rescale(rewards, values, values)[0]

    def _posterior(self, outcomes: OutcomeMatrix, prior: Prior) -> tuple[Vector, Vector]:
        rewards, sign = self.rewards_of(outcomes), self._trend
        if pays_success(outcomes, rewards):
            return rescale(rewards, *self._rate._state_moments(outcomes.states, *prior.pair()))
        profiles, levels = profiles_of(outcomes, len(rewards)), sign * rewards
        mean, sd = empty(len(profiles)), empty(len(profiles))
        counts = prior.checked_counts(len(rewards))
        best_reward.posterior(profiles, levels.argsort(), levels, counts, self.k, mean, sd)
        return sign * mean, sd

    @cached_property
    def _rate(self) -> CountMetric:
        return PassAtK(self.k) if self._trend > 0 else PassHatK(self.k)

    def covariance_terms(self, outcomes: OutcomeMatrix, prior: Prior) -> CovarianceTerms:  # noqa: ARG002 - the prior does not matter
        """Return the gain of a success times Pass@k or Pass^k, or times the other one if the gain is negative."""
        gain = self._binary_gain(outcomes)
        is_any = (gain >= 0.0) == (self._trend > 0)
        return [(gain, PassAtK(self.k) if is_any else PassHatK(self.k))]


@dataclass(frozen=True)
class MaxAtK(Pick):
    """Max@k: the expected best reward among ``k`` trials (arXiv:2510.23393, arXiv:2505.15201).

    Without weights, outcomes are binary; ``weights`` may be a Rubric.

    >>> round(MaxAtK(k=2, weights=(0, 0.5, 1)).score([[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]]), 6)
    0.85
    """

    name: ClassVar[str] = "max"
    _trend: ClassVar[int] = 1


@dataclass(frozen=True)
class MinAtK(Pick):
    """Worst@k: the expected worst reward among ``k`` trials, for users who meet the worst of them.

    Without weights, outcomes are binary, and it is Pass^k; ``weights`` may be a Rubric. Continuous rewards are taken
    as they are.

    >>> round(MinAtK(k=2, weights=(0, 0.5, 1)).score([[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]]), 6)
    0.35
    """

    name: ClassVar[str] = "worst"
    aliases: ClassVar[tuple[str, ...]] = ("min",)
    _trend: ClassVar[int] = -1
