"""Worst@k: the expected worst reward among ``k`` trials, which is minus Max@k of minus the rewards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from .._arrays import Vector, cached_property
from ..errors import OutcomeError
from ..inference import Bounds, Level, Mixture, Prior
from ..outcomes import OutcomeMatrix, RewardMatrix
from ..params import count, param
from ._base import Moments
from ._continuous import ContinuousMean
from ._covariance import CovarianceTerms
from ._reward_levels import Steps, best_of, best_of_posterior
from ._reward_metrics import Categorical, pays_success, profiles_of, rescale, rewards
from ._rubric import Rubric
from ._threshold import PassAtK, PassHatK
from ._too_few import with_enough_trials

__all__ = ["MinAtK"]


@dataclass(frozen=True)
class MinAtK(Categorical, aliases=("min",)):
    """Worst@k: the expected worst reward among ``k`` trials, for users who meet the worst of them.

    Without weights, outcomes are binary, and it is Pass^k; ``weights`` may be a Rubric. Continuous rewards are taken
    as they are.

    >>> round(MinAtK(k=2, weights=(0, 0.5, 1)).score([[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]]), 6)
    0.35
    """

    name: ClassVar[str] = "worst"
    _trend: ClassVar[int] = -1
    k: int = param(count)
    weights: Sequence[float] | Rubric | None = param(rewards, default=None)

    @property
    def _required_trials(self) -> int:
        """``k``, because trials are drawn without replacement."""
        return self.k

    def _scores(self, outcomes: OutcomeMatrix) -> Vector:
        values = self._rewards(outcomes)
        if not pays_success(outcomes, values):
            return -best_of(profiles_of(outcomes, len(values)), -values, self.k)
        successes = self._rate._state_scores(outcomes._states)
        return rescale(values, successes, successes)[0]

    def _posterior(self, outcomes: OutcomeMatrix, prior: Prior) -> tuple[Vector, Vector]:
        values = self._rewards(outcomes)
        if not pays_success(outcomes, values):
            profiles = profiles_of(outcomes, len(values))
            mean, sd = best_of_posterior(profiles, -values, prior._checked_counts(len(values)), self.k)
            return -mean, sd
        return rescale(values, *self._rate._state_moments(outcomes._states, *prior.pair()))

    @cached_property
    def _rate(self) -> PassHatK:  # type: ignore[override]
        return PassHatK(self.k)

    def _of_steps(self, outcomes: OutcomeMatrix) -> Moments:
        values = self._rewards(outcomes)
        if pays_success(outcomes, values):
            return super()._of_steps(outcomes)
        mean, variance = Steps(outcomes, -values, self.k).moments()
        return Moments(-mean, variance)

    def _calibrated(self, outcomes: OutcomeMatrix) -> Mixture:
        recorded = self._recorded(outcomes)
        values = self._rewards(recorded)
        if pays_success(recorded, values):
            return super()._calibrated(outcomes)
        return Steps(recorded, -values, self.k).mixture().scaled(0.0, -1.0)

    def _reach_of_steps(self, outcomes: OutcomeMatrix, rewards: Vector, level: Level, target: str) -> Bounds:
        least, most = Steps(outcomes, -rewards, self.k).reach(level, target)
        return -most, -least

    def _range_of_steps(self, outcomes: OutcomeMatrix, rewards: Vector, level: Level, target: str) -> Bounds | None:
        least, most = Steps(outcomes, -rewards, self.k).range(level, target)
        return -most, -least

    def _continuous_mean(self, rewards: RewardMatrix) -> ContinuousMean:
        if self._own_weights is not None:
            raise OutcomeError(
                f"weights are for categories, and these are continuous rewards: {self.name} needs no weights"
            )
        with_enough_trials(self, rewards, "raise")
        return ContinuousMean(rewards, self.k, learned=False, worst=True)

    def _covariance_terms(self, outcomes: OutcomeMatrix, prior: Prior) -> CovarianceTerms:  # noqa: ARG002 - the prior does not matter
        """Return the gain of a success times Pass^k, or times Pass@k if the gain is negative."""
        gain = self._binary_gain(outcomes)
        return [(gain, self._rate if gain >= 0.0 else PassAtK(self.k))]
