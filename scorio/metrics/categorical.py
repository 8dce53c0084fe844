"""Categorical metrics: every category has a reward, and the posterior of its rates is a Dirichlet."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import params
from .._kernels import dirichlet
from ..errors import OutcomeError
from ..grouped import frozen
from ..interval import Bounds
from ..mixture import Mixture
from ..outcomes import OutcomeMatrix, as_outcomes
from ..params import Check, optional
from ..prior import LEARNT, UNIFORM, PriorLike, dirichlet_prior, is_learnt
from .base import Metric, Moments, Vector
from .ladder import covariance as ladder_covariance
from .rubric import Rubric
from .steps import Steps
from .terms import Terms, covariance
from .threshold import PassAtK

RIGHT_OR_WRONG = frozen(np.array([0.0, 1.0]))
RATE = PassAtK(1)

rewards: Check = optional(
    Check(
        f"a Rubric or {params.weights.says}",
        lambda value: value if isinstance(value, Rubric) else params.weights.convert(value),
    )
)


@dataclass(frozen=True)
class Categorical(Metric):
    """A metric of the rates of categories; without weights the outcomes' own levels count, or 0 and 1."""

    aliases: ClassVar[dict[str, str]] = {"w": "weights"}

    def rewards(self, bank: OutcomeMatrix) -> Vector:
        """The reward of each category."""
        found = self._given
        if found is None and bank.levels is not None:
            found = np.array(bank.levels)
        if found is None:
            if not bank.is_binary:
                raise OutcomeError(
                    f"{type(self).__name__} without weights needs binary outcomes; category {bank.max_category} occurs"
                )
            return RIGHT_OR_WRONG
        if bank.n_categories > len(found) and bank.max_category >= len(found):
            raise OutcomeError(f"{len(found)} weights serve categories 0..{len(found) - 1}; {bank.max_category} occurs")
        return found

    @cached_property
    def _given(self) -> Vector | None:
        """The weights as an array, kept."""
        given = getattr(self, "weights")  # noqa: B009 - declared by subclasses, which order their fields
        values = given.weights if isinstance(given, Rubric) else given
        return None if values is None else frozen(np.array(values, dtype=np.float64))

    def range(self, R: Any) -> Bounds:
        """The smallest and the largest reward."""
        found = self.rewards(as_outcomes(R)).tolist()
        return min(found), max(found)

    def score(self, R: Any, *, short: str = "raise") -> float:
        """The mean over questions of each question's value."""
        enough = self._long_enough(as_outcomes(R), short)
        return float("nan") if enough is None else enough.groups.mean(self._scores(enough))

    def per_question(self, R: Any, *, short: str = "raise") -> Vector:
        """The value of each question alone, (M,)."""
        return self._spread(as_outcomes(R), short, lambda bank: self._scores(bank)[bank.profile_of_question])

    def moments(self, R: Any, *, prior: PriorLike = UNIFORM) -> Moments:
        """Posterior mean and variance of each question's value, (M,) each."""
        bank = self._recorded(as_outcomes(R))
        if is_learnt(prior):
            return self._of_steps(bank)
        mean, sd = self._posterior(bank, prior)
        where = bank.profile_of_question
        return Moments(mean[where], (sd * sd)[where])

    def _estimate(self, bank: OutcomeMatrix, prior: PriorLike) -> tuple[float, float]:
        recorded = self._recorded(bank)
        mean, sd = self._posterior(recorded, prior)
        return recorded.groups.mean(mean), recorded.groups.norm(sd) / bank.n_questions

    def _learnt_moments(self, bank: OutcomeMatrix) -> Moments:
        return self.moments(bank, prior=LEARNT)

    def _of_steps(self, bank: OutcomeMatrix) -> Moments:
        found = self.rewards(bank)
        if not rises(bank, found):
            return Steps(bank, found, self._rate.k).moments()
        mean, variance = self._rate.moments(bank.ungraded, prior=LEARNT)
        gain = found[1] - found[0]
        return Moments(found[0] + gain * mean, gain**2 * variance)

    def _calibrated(self, bank: OutcomeMatrix) -> Mixture:
        recorded = self._recorded(bank)
        found = self.rewards(recorded)
        if not rises(recorded, found):
            return Steps(recorded, found, self._rate.k).mixture()
        return self._rate._calibrated(recorded).scaled(float(found[0]), float(found[1] - found[0]))

    @cached_property
    def _rate(self) -> PassAtK:
        """What a success is worth, of binary outcomes."""
        return RATE

    def cov(self, other: Metric, R: Any, *, prior: PriorLike = UNIFORM) -> float:
        """Posterior covariance with another metric on the same outcomes; of more than two categories, with its kin."""
        bank = as_outcomes(R)
        if bank.is_binary or self == other or not isinstance(other, Categorical):
            return covariance(self, other, bank, prior)
        return _categorical_covariance(self, other, bank, prior)

    @abstractmethod
    def _scores(self, bank: OutcomeMatrix) -> Vector:
        """The value of every profile."""

    @abstractmethod
    def _posterior(self, bank: OutcomeMatrix, prior: PriorLike) -> tuple[Vector, Vector]:
        """Posterior mean and standard deviation of every profile."""

    @abstractmethod
    def linear_terms(self, bank: OutcomeMatrix, prior: PriorLike) -> Terms:
        """The metric of binary outcomes as a sum of count metrics."""

    def _recorded(self, bank: OutcomeMatrix) -> OutcomeMatrix:
        """The outcomes the posterior is of: with the prior outcomes."""
        return bank.informed

    def _stretch(self, bank: OutcomeMatrix, prior: PriorLike) -> Any:  # noqa: ARG002 - AvgMetric looks
        """Each question's deviation over that of the posterior."""
        return 1.0

    def _binary_gain(self, bank: OutcomeMatrix) -> float:
        found = self.rewards(bank)
        if bank.max_category > 1:
            raise TypeError(f"no joint posterior is known of {self} and a metric of binary outcomes")
        return float(found[1] - found[0])


def profiles_of(bank: OutcomeMatrix, width: int) -> NDArray[np.float64]:
    """The distinct count rows with ``width`` columns: what is added or left out never occurs."""
    profiles = bank.profile_rows
    have = profiles.shape[1]
    if have == width:
        return profiles
    fitted = np.zeros((len(profiles), width))
    fitted[:, : min(have, width)] = profiles[:, :width]
    return fitted


def rises(bank: OutcomeMatrix, found: Vector) -> bool:
    """Whether success is all there is to gain: then the states of a rate serve, as a sum of positive terms."""
    return found is RIGHT_OR_WRONG or (bank.is_binary and len(found) == 2 and bool(found[1] >= found[0]))


def stretched(found: Vector, mean: Vector, sd: Vector) -> tuple[Vector, Vector]:
    """Moments of a rate, as those of two rewards."""
    if found is RIGHT_OR_WRONG:
        return mean, sd
    gain = found[1] - found[0]
    return found[0] + gain * mean, gain * sd


def linear(bank: OutcomeMatrix, found: Vector, prior: PriorLike) -> tuple[Vector, Vector]:
    """Posterior mean and standard deviation of every profile's mean reward."""
    if rises(bank, found):
        return stretched(found, *RATE._state_moments(bank.states, prior))
    profiles = profiles_of(bank, len(found))
    mean, sd = np.empty(len(profiles)), np.empty(len(profiles))
    dirichlet.linear(profiles, found, dirichlet_prior(prior, len(found)), mean, sd)
    return mean, sd


def _categorical_covariance(x: Categorical, y: Categorical, bank: OutcomeMatrix, prior: PriorLike) -> float:
    """Covariance on more than two categories, where both metrics order them alike; a mean is the best of one."""
    rewards_of_x, rewards_of_y = x.rewards(bank), y.rewards(bank)
    if len(rewards_of_x) != len(rewards_of_y):
        raise TypeError(f"no joint posterior is known of {x} and {y}: they tell different numbers of categories apart")
    informed, width = bank.informed, len(rewards_of_x)
    joint = ladder_covariance(
        profiles_of(informed, width),
        dirichlet_prior(prior, width),
        (rewards_of_x, getattr(x, "k", 1)),
        (rewards_of_y, getattr(y, "k", 1)),
    )
    stretch = x._stretch(bank, prior) * y._stretch(bank, prior)
    return float(np.sum(joint[informed.profile_of_question] * stretch)) / bank.n_questions**2
