"""Laws of rewards: of continuous ones, and of few levels as sums over the steps between them.

**Continuous rewards.** A question's value is the mean of its trials, or the best of ``k`` of them; the estimates, their
errors and intervals are those of ``QuestionMeans``. There are no pseudo-counts: every prior is the one that is learned.

**What was not seen.** The spread of trials says nothing of values that have not occurred yet. So trials that agree
bring half of one more trial that could be anything: a quarter of it is at each end of the support. The estimate does
not move, but its variance and its third moment do, and with Johnson's correction trials that all agree have an end
where Jeffreys' interval of a rate has it. The half trial counts by the share of questions whose trials agree, or, where
questions are what varies, of questions that repeat the value of another.

**Steps.** A trial passes a step if its reward is above it, so each step is Pass@k. Scores and moments under a fixed
prior come from the kernel ``best_reward``. Under learned priors every step is a binary outcome with a shared prior of
its own. With ``r_1 < .. < r_L`` the rewards and ``A_l`` the rate of trials below ``r_l``, the best of ``k`` trials is
worth

    r_1 + sum_l (r_l - r_(l-1)) (1 - A_l^k),

``k = 1`` being the mean reward: each step is Pass@k with "at least ``r_l``" for a success, and its prior is learned as
that of binary outcomes. Under a Dirichlet the steps are nested, and for ``i`` before ``j``

    Cov(A_i^k, A_j^k) = (E A_i^k / E A_j^k) Var A_j^k;

that is taken for the trials' part, no more than the two deviations allow. What the shared priors leave uncertain is
added as deviations, the steps being about one difficulty.
"""

from dataclasses import dataclass, replace

import numpy as np

from .._base.arrays import Vector, cached_property
from .._base.choices import TARGETS
from ..errors import OutcomeError
from ..inference import Mixture, Prior
from ..inference._interval import Bounds
from ..inference._law import SkewedT
from ..inference._level import Level
from ..inference._question_means import QuestionEstimates, QuestionMeans
from ..outcomes import OutcomeMatrix, RewardMatrix
from ..params import choice
from ._base import Moments
from ._checks import check_continuous_prior
from ._sample_metric import best_values
from ._shapes import NO_REACH
from ._shared_prior import Averaged, check_clusters, groups, learned_prior, of_states
from ._threshold import PassAtK

_UNSEEN = 0.5  # of a trial that could be anything, where all trials agree
_DEGREES = 20.0  # with fewer, skewness and how unequally questions vary are hardly known, and count by as much less
_AGREE, _SAME = 0.01, 1e-9  # of the support: trials that are closer agree, and questions have the same value
_UNITS = ((0.0, 1.0), (-1.0, 0.0), (-1.0, 1.0))
_SCALES = (*_UNITS, (0.0, 10.0), (0.0, 100.0))  # that rewards usually have
_BEYOND = 10.0  # over the trials less one: ranges of what was seen that rewards may lie beyond it on other scales
UNKNOWN: Bounds = (-np.inf, np.inf)


@dataclass(frozen=True, eq=False)
class ContinuousMean:
    """The mean over questions of the expected best of ``k`` trials, or ``worst``; for ``k`` of 1 it is the mean reward.

    If ``learned``, questions with unequally many trials share what is learned from them. The matrix keeps the results.
    """

    rewards: RewardMatrix
    k: int
    learned: bool
    worst: bool = False

    @property
    def estimates(self) -> QuestionEstimates:
        """The value of each question, with the variance and third moment of that estimate."""
        return self.rewards.cached(f"question estimates {self.k} {self.worst}", self._estimate)

    @property
    def means(self) -> QuestionMeans:
        """The mean over questions."""
        key = f"question means {self.k} {self.learned} {self.worst}"
        return self.rewards.cached(key, lambda: QuestionMeans(self.estimates, self.learned))

    def per_question(self) -> Vector:
        """Return the value of each question; without a trial, the mean of the others."""
        value, present = self.estimates.value, self.rewards.trials > 0
        return value if present.all() else np.where(present, value, value[present].mean())

    def moments(self, prior: Prior) -> tuple[Vector, Vector]:
        """Return the mean and variance of each question's true value."""
        check_continuous_prior(prior)
        return self.means.of_each()

    def posterior(self, prior: Prior, target: str) -> SkewedT:
        """Return the posterior of the mean over these questions or over the population."""
        check_continuous_prior(prior)
        rewards, has_trials = self.rewards, self.rewards.trials > 0
        if choice("target", target, TARGETS) == "population":
            check_clusters(rewards.select(has_trials))
            law = self.means.of_population(groups(rewards))
            return self._with_unseen(law, law.degrees, law.degrees + 1.0, of_questions=True)
        if has_trials.sum() < 2 and rewards.max_trials < 2:
            raise OutcomeError("one trial of one question does not show how much rewards vary: there is no interval")
        law, weights = self.means.of_these(), self.means.weights[has_trials]
        trials = 1.0 / float(
            np.sum(weights**2 / rewards.trials[has_trials])
        )  # as many have the same error, spread evenly
        degrees = self.means.spread.degrees
        return self._with_unseen(law, max(law.degrees, degrees), trials, of_questions=law.degrees > degrees)

    def _with_unseen(self, law: SkewedT, degrees: float, size: float, *, of_questions: bool) -> SkewedT:
        """Return the law with half of one more trial that could be anything, where ``size`` trials or questions agree.

        ``degrees`` are those of the variance pooled over questions, to which the law goes where they are few.
        """
        trust = min(degrees / _DEGREES, 1.0)
        law = replace(law, degrees=degrees * (law.degrees / degrees) ** trust, skewness=trust * law.skewness)
        least, largest = self._reach(of_questions=of_questions)
        low, high = min(least - law.mean, 0.0), max(largest - law.mean, 0.0)
        if not 0.0 < high - low < np.inf:
            return law
        weight = _UNSEEN * self._agreement(high - low, of_questions=of_questions)
        factors = (self.k, 1) if self.worst else (1, self.k)  # a draw of k is as likely to hold the one trial
        unit = np.hypot(law.sd * size, np.sqrt(weight / 2.0) * np.hypot(factors[0] * low, factors[1] * high))
        if weight == 0.0 or unit == 0.0:
            return law
        below, above = factors[0] * low / unit, factors[1] * high / unit
        added = min(weight / 2.0 * (below**2 + above**2), 1.0)  # its share of the variance
        return SkewedT(
            law.mean,
            float(unit / size),
            float(1.0 / ((1.0 - added) ** 2 / law.degrees + added**2 / size)),
            float(law.skewness * (1.0 - added) ** 1.5 + weight / 2.0 * (below**3 + above**3)),
        )

    def _reach(self, *, of_questions: bool) -> Bounds:
        """Return the declared support, or what is plausible of trials or questions; infinite without the trials."""
        values = self.rewards.summary.values
        if self.rewards.support is not None or values is None:
            return self.rewards.support or UNKNOWN
        seen = self.estimates.value[self.estimates.trials > 0] if of_questions or self.k > 1 else values
        return plausible_support(seen.min(), seen.max(), seen.size, support_of(self.rewards))

    def _agreement(self, width: float, *, of_questions: bool) -> float:
        """Return the share of questions whose trials agree, or that repeat the value of another."""
        estimates = self.estimates
        if not of_questions:
            return float(np.mean(estimates.per_trial[estimates.trials > 1] <= (_AGREE * width) ** 2))
        values = np.sort(estimates.value[estimates.trials > 0])
        return float(np.mean(np.diff(values) <= _SAME * width))

    @np.errstate(under="ignore")
    def _estimate(self) -> QuestionEstimates:
        if self.k > 1:
            ordered = self.rewards.ordered
            return best_values(self.rewards, -ordered if self.worst else ordered, self.k).estimates
        summary, n = self.rewards.summary, self.rewards.trials.astype(np.float64)
        variance, third = np.full((2, len(n)), np.nan)
        np.divide(summary.squares, (n - 1.0) * n, out=variance, where=n > 1)
        np.divide(summary.cubes, (n - 1.0) * (n - 2.0) * n, out=third, where=n > 2)
        return QuestionEstimates(summary.mean, variance, third, n)


def support_of(rewards: RewardMatrix) -> Bounds:
    """Return the smallest and largest value that a reward can have, as declared or by a usual scale; else infinite."""
    values = rewards.summary.values
    if rewards.support is not None or values is None:
        return rewards.support or UNKNOWN
    return rewards.cached("scale", lambda: _scale(values.min(), values.max()) or UNKNOWN)


def plausible_support(least: float, largest: float, trials: int, scale: Bounds | None = None) -> Bounds:
    """Return the unit scale that holds the rewards seen; of others, some way beyond them, less with more trials.

    >>> plausible_support(0.85, 0.9, 2), plausible_support(7.0, 7.0, 3), plausible_support(-3.0, 2.0, 51)
    ((0.0, 1.0), (0.0, 10.0), (-4.0, 3.0))
    """
    low, high = scale or _scale(least, largest) or UNKNOWN
    if (low, high) in _UNITS or (least == largest and high < np.inf):
        return low, high
    beyond = (largest - least) * min(_BEYOND / max(trials - 1, 1), 1.0) or abs(largest)
    return max(low, float(least - beyond)), min(high, float(largest + beyond))


def _scale(least: float, largest: float) -> Bounds | None:
    return next(((low, high) for low, high in _SCALES if low <= least and largest <= high), None)


class Steps:
    """The steps between the rewards of a set of outcomes, and the best of ``k`` trials computed from them.

    A trial succeeds at a step if it earns ``r_l`` or more; by that, the ``gap`` more than ``r_(l-1)``. With the
    ``sign`` -1 it is the worst: minus the best of minus the rewards.
    """

    def __init__(self, outcomes: OutcomeMatrix, rewards: Vector, k: int, sign: int = 1) -> None:
        self.sign, self.metric, self.questions = sign, PassAtK(k), outcomes.n_questions
        levels, at = np.unique(sign * rewards, return_inverse=True)
        reached = np.zeros((outcomes.n_questions, len(levels)), dtype=np.int64)
        for category in range(min(outcomes.n_categories, len(rewards))):
            reached[:, at[category]] += outcomes.counts[:, category]
        below = np.cumsum(reached, axis=1)
        self.lowest: float = float(levels[0])
        self.gaps: Vector = np.diff(levels)
        self.outcomes: list[OutcomeMatrix] = [  # right or wrong, by the step
            outcomes.replaced(counts=np.stack([failed, below[:, -1] - failed], axis=1), levels=None)
            for failed in below.T[:-1]
        ]

    @cached_property
    def by_step(self) -> Averaged:
        """The mean and both variances of every question's value, (steps, questions) each."""
        parts = [
            [values[step.state_of_question] for values in of_states(self.metric._worth, learned_prior(step))]
            for step in self.outcomes
        ]
        return Averaged(*np.reshape(parts, (len(parts), 3, self.questions)).swapaxes(0, 1))

    def moments(self) -> Moments:
        """Mean and variance of every question's value."""
        mean, _, between = self.by_step
        return Moments(
            self.sign * (self.lowest + self.gaps @ mean), self._within() + (self.gaps @ np.sqrt(between)) ** 2
        )

    def mixture(self) -> Mixture:
        """The posterior of the mean over questions: the components of the least certain step, widened for all."""
        if not self.outcomes:  # all rewards are equal
            return Mixture.single(self.sign * self.lowest, 0.0)
        posteriors = [
            self.metric._learned_law(step, "questions").scaled(0.0, gap)
            for gap, step in zip(self.gaps.tolist(), self.outcomes, strict=True)
        ]
        trials_part = self.gaps**2 * self.by_step.within.sum(axis=1) / self.questions**2
        deviations = np.sqrt(np.maximum([posterior.sd**2 for posterior in posteriors] - trials_part, 0.0))
        at = int(np.argmax(deviations))
        widest, stretch = posteriors[at], float(deviations.sum()) / max(float(deviations[at]), 1e-300)
        mean = self.lowest + sum(posterior.mean for posterior in posteriors) + stretch * (widest.means - widest.mean)
        of_trials = float(self._within().sum()) / self.questions**2
        variance = np.maximum(of_trials + stretch**2 * (widest.variances - trials_part[at]), 0.0)
        return Mixture(widest.weights, self.sign * mean, variance)

    def reach(self, level: Level, target: str) -> Bounds:
        """Return the least value that rare falls below the highest reward allow, and the largest for rare rises."""
        ends = []
        for step in self.outcomes:
            least, most = self.metric._reach(step, level, "questions")
            if target == "population":
                law = self.metric._learned_law(step, target).on(0.0, 1.0)
                low, high = law.equal_tailed(level.tail) if level.tail > 0.0 else (0.0, 1.0)
                least, most = min(low, least) if least < 1.0 else least, max(high, most) if most > 0.0 else most
            ends.append((least, most))
        return self._summed(ends or [NO_REACH])

    def range(self, level: Level, target: str) -> Bounds:
        """Return the sums of the least and of the largest values of all steps that fit the outcomes."""
        ends = [self.metric._range(step, level, target) for step in self.outcomes]
        return self._summed([end for end in ends if end is not None] or [(0.0, 0.0)])  # steps are binary: all have ends

    def _summed(self, ends: list[Bounds]) -> Bounds:
        least, most = np.array(ends).T
        gaps = self.gaps if self.outcomes else np.ones(1)
        low, high = self.lowest + float(gaps @ least), self.lowest + float(gaps @ most)
        return (low, high) if self.sign > 0 else (-high, -low)

    def _within(self) -> Vector:
        """The trials' part of every question's variance."""
        mean, within, _ = self.by_step
        total: Vector = self.gaps**2 @ within
        for j in range(len(mean)):
            for i in range(j):
                nested = np.divide(1.0 - mean[i], 1.0 - mean[j], out=np.zeros_like(total), where=mean[j] < 1.0)
                joint = np.minimum(nested * within[j], np.sqrt(within[i] * within[j]))
                total = total + 2.0 * self.gaps[i] * self.gaps[j] * joint
        return total
