"""Categorical metrics: every category has a reward, and the posterior of the category rates is a Dirichlet."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from .. import params
from .._arrays import LARGEST_REWARD, Vector, read_only
from .._kernels import category_rates
from ..errors import OutcomeError
from ..inference import Interval, Mixture
from ..inference._interval import Bounds, check_bounds, is_support
from ..inference._prior import LEARNED, UNIFORM, PriorLike, dirichlet_prior, is_learned
from ..outcomes import OutcomeMatrix, RewardMatrix, as_outcomes
from ..params import Check, optional
from ._base import Metric, Moments
from ._best_reward import covariance as best_reward_covariance
from ._continuous import ContinuousMean, support_of
from ._covariance import CovarianceTerms, covariance
from ._reward_levels import Steps
from ._rubric import Rubric
from ._threshold import PassAtK
from ._too_few import values_or_nan, with_enough_trials

ZERO_ONE = read_only(np.array([0.0, 1.0]))
RATE = PassAtK(1)

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

    def rewards(self, outcomes: OutcomeMatrix) -> Vector:
        """Return the reward of each category."""
        rewards = self._own_weights
        if rewards is None and outcomes.levels is not None:
            rewards = np.array(outcomes.levels)
        if rewards is None:
            if not outcomes.has_two_categories:
                raise OutcomeError(
                    f"{self} without weights needs binary outcomes, but category {outcomes._max_category} occurs",
                    hint="give the metric one weight per category",
                )
            return ZERO_ONE
        if outcomes.n_categories > len(rewards) and outcomes._max_category >= len(rewards):
            last = len(rewards) - 1
            raise OutcomeError(f"{last + 1} weights are for categories 0..{last}, but {outcomes._max_category} occurs")
        return rewards

    @cached_property
    def _own_weights(self) -> Vector | None:
        """The weights as an array, cached."""
        weights = getattr(self, "weights")  # noqa: B009 - subclasses declare it, because the order of fields differs
        values = weights.weights if isinstance(weights, Rubric) else weights
        return None if values is None else read_only(np.array(values, dtype=np.float64))

    def support(self, R: Any) -> Bounds:
        """Return the smallest and the largest reward; of continuous rewards, those that are possible."""
        outcomes = as_outcomes(R)
        if isinstance(outcomes, RewardMatrix):
            return support_of(outcomes)
        rewards = self.rewards(outcomes).tolist()
        return min(rewards), max(rewards)

    @property
    def _scale(self) -> float:
        """The largest weight where the square of weights would overflow, else 1."""
        largest = 1.0 if self._own_weights is None else float(np.abs(self._own_weights).max())
        return largest if largest > LARGEST_REWARD else 1.0

    def interval(self, R: Any, confidence: float = 0.95, **options: Any) -> Interval:
        """Return the interval of :meth:`Metric.interval`, of very large weights in units of the largest."""
        scale = self._scale
        if scale == 1.0:
            return super().interval(R, confidence, **options)
        weights = tuple(weight / scale for weight in self.get_params()["weights"])
        bounds = options.get("bounds", "support")
        if bounds is not None and not is_support(bounds):
            options["bounds"] = tuple(bound / scale for bound in check_bounds(bounds))
        small = type(self)(**self.get_params() | {"weights": weights}).interval(R, confidence, **options)
        ends = {name: scale * getattr(small, name) for name in ("mu", "sigma", "lo", "hi")}
        limits = None if small.bounds is None else tuple(scale * bound for bound in small.bounds)
        return small._replace(**ends, bounds=limits)

    def _check_squares(self) -> None:
        if self._scale != 1.0:
            problem = f"weights above {LARGEST_REWARD:g} have no variance that a number can hold"
            raise OutcomeError(problem, hint="divide them by the largest")

    def score(self, R: Any, *, too_few: str = "raise") -> float:
        """Return the mean over questions of each question's value."""
        enough = with_enough_trials(self, as_outcomes(R), too_few)
        if enough is not None and enough.is_continuous:
            return float(np.mean(self._values(enough)))
        return float("nan") if enough is None else enough._groups.mean(self._scores(enough))

    def per_question(self, R: Any, *, too_few: str = "raise") -> Vector:
        """Return the value of each question, (M,)."""
        return values_or_nan(self, as_outcomes(R), too_few, self._values)

    def _values(self, outcomes: OutcomeMatrix) -> Vector:
        if isinstance(outcomes, RewardMatrix):
            return self.continuous_mean(outcomes).per_question()
        return self._scores(outcomes)[outcomes._profile_of_question]

    def continuous_mean(self, rewards: RewardMatrix) -> ContinuousMean:
        """Return what the metric is for continuous rewards, which have no weights."""
        if self._own_weights is not None:
            raise OutcomeError(
                f"weights are for categories, and these are continuous rewards: {self.name} needs no weights"
            )
        with_enough_trials(self, rewards, "raise")
        return ContinuousMean(rewards, self._rate.k, self._shares)

    def _rewards_of_categories(self, outcomes: OutcomeMatrix) -> Vector | None:
        rewards = self.rewards(outcomes)
        return None if pays_success(outcomes, rewards) else rewards

    def moments(self, R: Any, *, prior: PriorLike = UNIFORM) -> Moments:
        """Return the posterior mean and variance of each question's value, (M,) each."""
        self._check_squares()
        outcomes = self._recorded(as_outcomes(R))
        if isinstance(outcomes, RewardMatrix):
            return Moments(*self.continuous_mean(outcomes).moments(prior))
        if is_learned(prior):
            return self._of_steps(outcomes)
        mean, sd = self._posterior(outcomes, prior)
        where = outcomes._profile_of_question
        return Moments(mean[where], (sd * sd)[where])

    def posterior(self, R: Any, *, prior: PriorLike = UNIFORM, target: str = "questions") -> Mixture:
        """Return the posterior of the metric's true value; of continuous rewards, a Student t."""
        self._check_squares()
        outcomes = as_outcomes(R)
        if isinstance(outcomes, RewardMatrix):
            return self.continuous_mean(outcomes).posterior(prior, target)
        return super().posterior(outcomes, prior=prior, target=target)

    def _estimate(self, outcomes: OutcomeMatrix, prior: PriorLike) -> tuple[float, float]:
        recorded = self._recorded(outcomes)
        mean, sd = self._posterior(recorded, prior)
        return recorded._groups.mean(mean), recorded._groups.norm(sd) / outcomes.n_questions

    def _learned_moments(self, outcomes: OutcomeMatrix) -> Moments:
        return self.moments(outcomes, prior=LEARNED)

    def _of_steps(self, outcomes: OutcomeMatrix) -> Moments:
        rewards = self.rewards(outcomes)
        if not pays_success(outcomes, rewards):
            return Steps(outcomes, rewards, self._rate.k).moments()
        mean, variance = self._rate.moments(outcomes.without_rewards, prior=LEARNED)
        gain = rewards[1] - rewards[0]
        return Moments(rewards[0] + gain * mean, gain**2 * variance)

    def _calibrated(self, outcomes: OutcomeMatrix) -> Mixture:
        recorded = self._recorded(outcomes)
        rewards = self.rewards(recorded)
        if not pays_success(recorded, rewards):
            return Steps(recorded, rewards, self._rate.k).mixture()
        return self._rate._calibrated(recorded).scaled(float(rewards[0]), float(rewards[1] - rewards[0]))

    @cached_property
    def _rate(self) -> PassAtK:
        """The count metric that this one is for binary outcomes, up to the gain of a success."""
        return RATE

    def cov(self, other: Metric, R: Any, *, prior: PriorLike = UNIFORM) -> float:
        """Return the posterior covariance with another metric; for more than two categories, both must take rewards."""
        self._check_squares()
        outcomes = as_outcomes(R)
        if outcomes.is_continuous:
            return super().cov(other, outcomes, prior=prior)
        if outcomes.has_two_categories or self == other or not isinstance(other, Categorical):
            return covariance(self, other, outcomes, prior)
        return _categorical_covariance(self, other, outcomes, prior)

    @abstractmethod
    def _scores(self, outcomes: OutcomeMatrix) -> Vector:
        """Return the value of every profile, a distinct row of counts."""

    @abstractmethod
    def _posterior(self, outcomes: OutcomeMatrix, prior: PriorLike) -> tuple[Vector, Vector]:
        """Return the posterior mean and standard deviation of every profile."""

    @abstractmethod
    def covariance_terms(self, outcomes: OutcomeMatrix, prior: PriorLike) -> CovarianceTerms:
        """Return the metric, for binary outcomes, as a sum of count metrics."""

    def _recorded(self, outcomes: OutcomeMatrix) -> OutcomeMatrix:
        """Return the outcomes that the posterior uses: prior outcomes are included."""
        return outcomes.with_prior_counts

    def _stretch(self, outcomes: OutcomeMatrix, prior: PriorLike) -> Any:  # noqa: ARG002 - for AvgMetric
        """Return each question's standard deviation divided by that of Bayes@N."""
        return 1.0

    def _binary_gain(self, outcomes: OutcomeMatrix) -> float:
        rewards = self.rewards(outcomes)
        if outcomes._max_category > 1:
            raise TypeError(f"the covariance of {self} and a metric of binary outcomes is not known")
        return float(rewards[1] - rewards[0])


def profiles_of(outcomes: OutcomeMatrix, width: int) -> Vector:
    """Return the distinct rows of counts with ``width`` columns: columns added or removed are zero."""
    profiles = outcomes._profile_rows
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
    gain = rewards[1] - rewards[0]
    return rewards[0] + gain * mean, gain * sd


def mean_reward(outcomes: OutcomeMatrix, rewards: Vector, prior: PriorLike) -> tuple[Vector, Vector]:
    """Return the posterior mean and standard deviation of every profile's mean reward."""
    if pays_success(outcomes, rewards):
        return rescale(rewards, *RATE._state_moments(outcomes._states, prior))
    profiles = profiles_of(outcomes, len(rewards))
    mean, sd = np.empty(len(profiles)), np.empty(len(profiles))
    category_rates.linear(profiles, rewards, dirichlet_prior(prior, len(rewards)), mean, sd)
    return mean, sd


def _categorical_covariance(x: Categorical, y: Categorical, outcomes: OutcomeMatrix, prior: PriorLike) -> float:
    """Return the covariance of two metrics that order the categories alike; a mean reward is the best of one."""
    rewards_of_x, rewards_of_y = x.rewards(outcomes), y.rewards(outcomes)
    if len(rewards_of_x) != len(rewards_of_y):
        raise TypeError(f"the covariance of {x} and {y} is not known, because their numbers of categories differ")
    informed, width = outcomes.with_prior_counts, len(rewards_of_x)
    joint = best_reward_covariance(
        profiles_of(informed, width),
        dirichlet_prior(prior, width),
        (rewards_of_x, x.budget or 1),
        (rewards_of_y, y.budget or 1),
    )
    stretch = x._stretch(outcomes, prior) * y._stretch(outcomes, prior)
    return float(np.sum(joint[informed._profile_of_question] * stretch)) / outcomes.n_questions**2
