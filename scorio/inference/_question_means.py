"""The mean over questions of real-valued rewards: an estimate, its error, and an interval that covers.

Every question has an estimate ``y_a`` without bias (the mean of its trials, or the expected best of k of them), an
estimate ``v_a`` of its variance and one of its third central moment. The mean over questions is estimated by
``sum_a c_a y_a`` with weights that sum to 1:

- plain, ``c_a = 1/M``;
- learned: the questions' true values are a draw with mean ``m`` and variance ``tau^2``, both unknown, and a trial of
  any question has variance ``s^2``. The posterior mean of the mean over questions is then the sum with ``c_a``
  proportional to ``tau^2 / (tau^2 + s^2 / n_a)``. With equally many trials per question this is the plain mean.

The weights depend on the numbers of trials only, never on a question's own variance: where rewards are mostly zero,
the questions with a low mean have a low variance too, and weighting by it would pull the mean towards them.

The error of the sum does not rest on the normal law that gave the weights. For these questions it is
``sum_a c_a^2 v_a + tau^2 sum_a (c_a - 1/M)^2``, with Satterthwaite's degrees of freedom; for the population it is the
sandwich ``G/(G-1) sum_g u_g^2`` over the clusters' sums ``u_g`` of ``c_a (y_a - sum c y)``.

Without a second trial of any question the trials' noise cannot be told from the spread between questions. The
variance of the sum for these questions is then taken from that spread, which includes the noise: the interval is too
wide rather than too narrow.

All work is linear in the number of questions.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from .._base.arrays import Indices, Vector
from ._law import SkewedT
from ._level import satterthwaite

_FEW_DEGREES = 10.0  # below these, the spread between questions may say more of the error than repeated trials do


@dataclass(frozen=True, slots=True, eq=False)
class QuestionEstimates:
    """What the trials of each question say: ``value``, its ``variance`` and ``third`` central moment, and ``trials``.

    ``value`` is NaN where a question has no trial, ``variance`` where it has one, ``third`` where it has two. ``third``
    estimates the third central moment of ``value``, not of a trial.
    """

    value: Vector
    variance: Vector
    third: Vector
    trials: Vector

    @property
    def per_trial(self) -> Vector:
        """The variance of one trial of each question."""
        return self.variance * self.trials


@dataclass(frozen=True, slots=True)
class Spread:
    """The variance of a trial, ``within``, known with ``degrees`` of freedom, and that ``between`` questions."""

    within: float
    between: float
    degrees: float


@dataclass(frozen=True, eq=False)
class QuestionMeans:
    """The mean over questions: for these questions or for the population they are drawn from.

    With ``learned`` the questions' true values share a distribution that is learned from them.

    >>> rewards = np.array([[0.1, 0.4, 0.2], [0.8, 0.6, 0.9]])
    >>> deviation = rewards - rewards.mean(axis=1, keepdims=True)
    >>> variance = (deviation**2).sum(axis=1) / (2 * 3)
    >>> third = (deviation**3).sum(axis=1) * 3 / (2 * 1 * 9)
    >>> means = QuestionMeans(QuestionEstimates(rewards.mean(axis=1), variance, third, np.array([3.0, 3.0])))
    >>> posterior = means.of_these()
    >>> round(posterior.mean, 4), round(posterior.sd, 4)
    (0.5, 0.0624)
    """

    estimates: QuestionEstimates
    learned: bool = True
    spread: Spread = field(init=False)
    weights: Vector = field(init=False)

    @np.errstate(under="ignore")
    def __post_init__(self) -> None:
        spread = _spread(self.estimates)
        object.__setattr__(self, "spread", spread)
        object.__setattr__(self, "weights", _weights(self.estimates, spread, learned=self.learned))

    @property
    def mu(self) -> float:
        """The estimate of the mean over questions."""
        present = self.estimates.trials > 0
        value = self.estimates.value[present]
        return float(value[0] + self.weights[present] @ (value - value[0]))  # a large common value costs no digits

    @np.errstate(under="ignore")
    def of_these(self) -> SkewedT:
        """Return the mean over these questions: only the trials are random."""
        estimates, spread, weights = self.estimates, self.spread, self.weights
        uneven = float(np.sum((weights - 1.0 / len(weights)) ** 2)) * spread.between
        present = np.flatnonzero(estimates.trials > 0)
        if spread.degrees < _FEW_DEGREES and len(present) - 1 > spread.degrees:
            bound = self.of_population(np.arange(len(weights)))
            sigma = float(np.hypot(bound.sd, np.sqrt(uneven)))
            return SkewedT(bound.mean, sigma, bound.degrees, bound.skewness)
        variance, degrees = _own_error(estimates, spread, weights)
        third = float(weights[present] ** 3 @ _thirds(estimates)[present])
        return SkewedT(self.mu, float(np.sqrt(variance + uneven)), degrees, _skewness(third, variance + uneven))

    @np.errstate(under="ignore")
    def of_population(self, group: Indices) -> SkewedT:
        """Return the mean over the population of questions; ``group`` numbers the cluster of each question."""
        present = np.flatnonzero(self.estimates.trials > 0)
        moved = self.weights[present] * (self.estimates.value[present] - self.mu)
        sums = np.bincount(np.unique(group[present], return_inverse=True)[1], moved)
        count = len(sums)
        if count < 2:
            raise ValueError("the population needs at least two clusters with trials")
        variance = float(sums @ sums) * count / (count - 1)
        third = float(np.sum(sums**3)) * count**2 / ((count - 1) * (count - 2)) if count > 2 else 0.0
        return SkewedT(self.mu, float(np.sqrt(variance)), count - 1.0, _skewness(third, variance))

    @np.errstate(under="ignore")
    def variance_after(self, more: int) -> float:
        """Return the variance to expect of the mean over these questions after ``more`` trials of every question."""
        estimates = self.estimates
        if self.spread.degrees == 0.0:
            raise ValueError("what more trials do shows only where a question has two trials")
        trials = estimates.trials + float(more)
        within = np.where(estimates.trials > 1, estimates.per_trial, self.spread.within)
        variance = np.divide(within, trials, out=np.full(len(trials), np.nan), where=trials > 0)
        weights = _weights(replace(estimates, trials=trials), self.spread, learned=self.learned)
        here = trials > 0
        uneven = float(np.sum((weights - 1.0 / len(weights)) ** 2)) * self.spread.between
        return float(weights[here] ** 2 @ variance[here]) + uneven

    @np.errstate(under="ignore")
    def of_each(self) -> tuple[Vector, Vector]:
        """Return the mean and variance of each question's true value, (M,), pulled towards the mean where learned."""
        estimates, spread = self.estimates, self.spread
        present = estimates.trials > 0
        noise = np.divide(_moderated(estimates, spread), estimates.trials, where=present, out=np.zeros(len(present)))
        value = np.where(present, estimates.value, self.mu)
        if not self.learned:
            return value, np.where(present, noise, spread.between)
        keep = _reliability(estimates.trials, spread)
        error = self.of_population(np.arange(len(present))).sd ** 2 if present.sum() > 1 else 0.0
        pulled = self.mu + keep * (value - self.mu)
        return pulled, np.where(present, keep * noise, spread.between) + (1.0 - keep) ** 2 * error


def _spread(estimates: QuestionEstimates) -> Spread:
    """Return moment estimates; ``between`` errs on the large side, so that weights are nearer to equal ones."""
    repeated = np.flatnonzero(estimates.trials > 1)
    freedom = estimates.trials[repeated] - 1.0
    degrees = float(freedom.sum())
    within = float(freedom @ estimates.per_trial[repeated]) / degrees if degrees else 0.0
    present = estimates.trials > 0
    value, count = estimates.value[present], int(present.sum())
    if count < 2:
        return Spread(within, within, degrees)
    total = float(np.var(value, ddof=1))
    noise = within * float(np.mean(1.0 / estimates.trials[present]))
    return Spread(within, max(total - noise, 0.0) + total * float(np.sqrt(2.0 / (count - 1))), degrees)


def _reliability(trials: Vector, spread: Spread) -> Vector:
    """Return how much of the distance between a question's estimate and the mean is kept."""
    if spread.within == 0.0:
        return np.where(trials > 0, 1.0, 0.0)
    return np.asarray(spread.between * trials / (spread.between * trials + spread.within))


def _weights(estimates: QuestionEstimates, spread: Spread, *, learned: bool) -> Vector:
    here = estimates.trials > 0
    if not learned or spread.degrees == 0.0 or spread.between == 0.0:
        return np.asarray(here / here.sum())
    kept = _reliability(estimates.trials, spread)
    return np.asarray(kept / kept.sum())


def _own_error(estimates: QuestionEstimates, spread: Spread, weights: Vector) -> tuple[float, float]:
    """Return the variance of the weighted sum over the trials, and its degrees of freedom.

    A question without a second trial has the pooled variance, so the whole is a sum ``b_a v_a`` over the others.
    """
    repeated = estimates.trials > 1
    single = estimates.trials == 1
    freedom = estimates.trials[repeated] - 1.0
    lent = float(weights[single] @ weights[single]) / spread.degrees if spread.degrees else 0.0
    parts = weights[repeated] ** 2 * estimates.variance[repeated] + lent * freedom * estimates.per_trial[repeated]
    variance = float(parts.sum())
    if variance == 0.0:
        return 0.0, max(spread.degrees, 1.0)
    degrees = float(satterthwaite(parts, freedom + 2.0)[1]) - 2.0
    return variance, min(max(degrees, 1.0), spread.degrees)


def _thirds(estimates: QuestionEstimates) -> Vector:
    """Return the third central moment of each estimate; where trials are too few for one, what the questions share.

    Two trials differ symmetrically whatever their law. If no question has more, half of the covariance between
    questions of estimate and variance is taken: a skewed law of the trials shows there too.
    """
    enough = np.isfinite(estimates.third) & (estimates.trials > 2)
    if enough.all():
        return estimates.third
    trials = np.maximum(estimates.trials, 1.0)
    repeated = np.flatnonzero(estimates.trials > 1)
    if enough.any():
        shared = float(np.mean((estimates.third * trials**2)[enough]))
    elif len(repeated) > 1:
        value, variance = estimates.value[repeated], estimates.per_trial[repeated]
        covariance = np.sum((value - value.mean()) * (variance - variance.mean())) / (len(repeated) - 1)
        shared = 0.5 * float(covariance * np.mean(estimates.trials[repeated]))
    else:
        shared = 0.0
    return np.where(enough, estimates.third, shared / trials**2)


def _moderated(estimates: QuestionEstimates, spread: Spread) -> Vector:
    """Return the variance of a trial of each question, pulled to the pooled one as by an inverse chi-squared law."""
    repeated = estimates.trials > 1
    if not repeated.any() or spread.within == 0.0:
        return np.full(len(repeated), spread.within if spread.degrees else spread.between)
    freedom = np.where(repeated, estimates.trials - 1.0, 0.0)
    ratio = np.where(repeated, estimates.per_trial, spread.within) / spread.within
    chance = float(np.mean(2.0 / freedom[repeated]))
    extra = (float(np.mean((ratio[repeated] - 1.0) ** 2)) - chance) / (1.0 + chance)
    if extra <= 0.0:
        return np.full(len(repeated), spread.within)
    prior = 4.0 + 2.0 / extra
    return np.asarray(spread.within * (prior + freedom * ratio) / (prior + freedom))


def _skewness(third: float, variance: float) -> float:
    """``third / variance^1.5``, without powers that leave the range of a double."""
    return float(np.cbrt(third) / np.sqrt(variance)) ** 3 if variance > 0.0 else 0.0
