"""The joint posterior of several models on the same questions.

Models share questions, so the difficulty of a question cancels in a difference. With ``s[i, c]`` the effect of cluster
``c`` on the score of model ``i`` (each question is its own cluster if there are none; the squares of a row add up to
the variance of that score over draws of clusters) and ``own[i]`` the variance that this spread does not show,

    Var[i - j] = sum_c (s[i, c] - s[j, c])^2 + own[i] + own[j]

which is the paired variance of Student's t. It is a sum of squares, so near-equal models lose no digits.

Few clusters do not show what the others may be like: four that were all won differ by nothing. So one more cluster is
added that could be anything, half of it at the lower end of the metric's support and half at the upper end. With ``C``
clusters, ``n = C + 1`` and a support of width ``w``, the mean difference is ``m = sum d / n``, its variance

    (sum (d - m)^2 + w^2 + m^2) / (n (n - 1)),

and its degrees of freedom ``C``. This is what Agresti and Coull do for a proportion, for a mean of bounded numbers. From
``ENOUGH`` clusters on the ends move in as ``ENOUGH / C``, so that it fades (benchmarks/few_tasks.py). The p-value is at
least ``2^(1 - C)``, that of ``C`` differences of one sign.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .._arrays import Flags, Indices, Vector, read_only
from .._special import stdtr, stdtrit
from ..inference import Beta, Prior
from ..metrics import Linear, Metric, check_clusters, degrees_of_mean, groups, shifts, shifts_of_mean
from ..outcomes import OutcomeMatrix

Which = int | np.integer[Any] | Indices
_ROUNDING = 1e-13  # a spread below this share of the largest number is rounding
ENOUGH = 20.0  # clusters, from which on what was not seen counts less

_UNIFORM = Beta(1.0, 1.0)


@dataclass(frozen=True, eq=False)
class Joint:
    """A Student t over models: means ``mu``, squared scale ``shared @ shared.T + diag(own)``.

    With infinite ``df`` it is normal. Where the spread of a difference over questions is nil, the variances
    ``trial_noise`` of both models take its place. No difference has a two-sided p-value below ``least_p``.

    >>> joint = independent([0.6, 0.5], [0.03, 0.04])
    >>> round(float(joint.sd(0, 1)), 6), round(float(joint.beats(0, 1)), 6)
    (0.05, 0.97725)
    """

    mu: Vector
    shared: Vector
    own: Vector
    df: float
    trial_noise: Vector | None = None
    least_p: float = 0.0

    def scaled(self, factors: Vector) -> Joint:
        """Return the law of the values of each model times a factor."""
        noise = None if self.trial_noise is None else read_only(factors**2 * self.trial_noise)
        arrays = (factors * self.mu, factors[:, None] * self.shared, factors**2 * self.own)
        mu, shared, own = map(read_only, arrays)
        return replace(self, mu=mu, shared=shared, own=own, trial_noise=noise)

    @property
    def is_independent(self) -> bool:
        """Whether no variance is shared by models."""
        return not self.shared.shape[1]

    @property
    def effects(self) -> Vector:
        """All effects on each model, shared and own, (L, ..): their squares add up to the variance of its mean."""
        return np.hstack([self.shared, np.diag(np.sqrt(self._own))]) if self._own.any() else self.shared

    @property
    def _own(self) -> Vector:
        return self.own

    def _spread(self, i: Which, j: Which) -> Vector:
        """Return the variance of the difference over draws of questions."""
        gap = self.shared[i] - self.shared[j]
        return np.asarray((gap * gap).sum(axis=-1))

    def has_spread(self, i: Which, j: Which) -> Flags:
        """Return whether the difference varies between questions by more than rounding."""
        largest = max(np.abs(self.mu).max(), np.abs(self.shared).max(initial=0.0))
        return np.asarray(self._spread(i, j) > (_ROUNDING * largest) ** 2)

    def pairing_gain(self, i: int, j: int) -> float | None:
        """Return how many unpaired questions one paired question is worth: the ratio of both variances.

        The variance of an unpaired difference is the sum of both models' own. None where models share no questions, or
        where their difference does not vary between questions.
        """
        if self.is_independent or not bool(self.has_spread(i, j)):
            return None
        own = float(self.own[i] + self.own[j])
        unpaired = float((self.shared[i] ** 2).sum() + (self.shared[j] ** 2).sum())
        return (unpaired + own) / (float(self._spread(i, j)) + own)

    def sd(self, i: Which, j: Which) -> Any:
        """Return the standard deviation of the difference between models ``i`` and ``j``, indices that broadcast."""
        shown = self.shown_variance(i, j)
        if self.trial_noise is not None:
            shown = np.where(self.has_spread(i, j), shown, shown + self.trial_noise[i] + self.trial_noise[j])
        if self.least_p > 0.0:
            farthest = float(stdtrit(self.df, self.least_p / 2.0))
            shown = np.maximum(shown, ((self.mu[i] - self.mu[j]) / farthest) ** 2)
        return np.sqrt(shown)

    def shown_variance(self, i: Which, j: Which) -> Vector:
        """Return the variance of the difference without ``trial_noise``: 0 where it does not vary between questions."""
        spread = self._spread(i, j)
        if self.trial_noise is not None:
            spread = np.where(self.has_spread(i, j), spread, 0.0)
        return np.asarray(spread + self.own[i] + self.own[j])

    def beats(self, i: Which, j: Which) -> Any:
        """Return P(model ``i`` has the higher mean than ``j``); equal means give 1/2."""
        gap, sd = np.broadcast_arrays(self.mu[i] - self.mu[j], self.sd(i, j))
        certain = np.where(gap > 0, np.inf, np.where(gap < 0, -np.inf, 0.0))
        return stdtr(self.df, np.divide(gap, sd, out=certain, where=sd > 0))

    def degrees(self, i: Which, j: Which) -> Any:  # noqa: ARG002 - they differ between pairs of weighted sums
        """Return the degrees of freedom of the difference between two models."""
        return self.df

    def for_draws(self) -> Joint:
        """Return the joint posterior with the trial noise as one more cluster, so that no two models draw alike."""
        if self.trial_noise is None:
            return self
        return replace(self, own=read_only(self.own + self.trial_noise / self.df), trial_noise=None)

    def draw(self, n: int, rng: np.random.Generator) -> Vector:
        """Return ``n`` draws of all means, (n, L)."""
        models, width = self.shared.shape
        noise = rng.standard_normal((n, width)) @ self.shared.T
        noise += rng.standard_normal((n, models)) * np.sqrt(self.own)
        if math.isfinite(self.df):
            noise *= np.sqrt(self.df / rng.chisquare(self.df, (n, 1)))
        return self.mu + noise


@dataclass(frozen=True, eq=False)
class SummedJoint(Joint):
    """The joint posterior of weighted sums over tasks; each task has its own law, normal or Student's."""

    tasks: tuple[Joint, ...] = ()
    weights: tuple[float, ...] = ()
    bias: tuple[float, ...] = ()  # of each model, taken out of the weighted sums
    added: Vector = field(default_factory=lambda: np.zeros(1))  # the variance that this adds, by model

    @property
    def _weighted(self) -> list[tuple[float, Joint]]:
        return list(zip(self.weights, self.tasks, strict=True))

    @property
    def _own(self) -> Vector:
        return np.asarray(self.own + self.added)

    def sd(self, i: Which, j: Which) -> Any:
        """Return the standard deviation of the difference between models ``i`` and ``j``."""
        return np.sqrt(self._variances(i, j).sum(axis=0) + self.added[i] + self.added[j])

    def _variances(self, i: Which, j: Which) -> Vector:
        """Return the weighted variance of the difference on each task, (T, ..).

        A task on which the difference does not vary between questions adds nothing, because the others vary more than
        they should, and the sum is right on average. The noise of trials takes the place if it varies on no task.
        """
        shown = np.array([weight**2 * part.shown_variance(i, j) for weight, part in self._weighted])
        noise = np.array([(weight * part.sd(i, j)) ** 2 for weight, part in self._weighted])
        return np.where(shown.sum(axis=0) > 0.0, shown, noise)

    def degrees(self, i: Which, j: Which) -> Any:
        """Return the degrees of freedom of the difference, by Welch and Satterthwaite."""
        variances = self._variances(i, j)
        total = variances.sum(axis=0)
        freedom = np.array([part.df for part in self.tasks]).reshape(-1, *[1] * (variances.ndim - 1))
        share = (variances**2 / freedom).sum(axis=0)
        return np.divide(total**2, share, out=np.full_like(total, np.inf), where=share > 0.0)

    def beats(self, i: Which, j: Which) -> Any:
        """Return P(model ``i`` has the higher mean than ``j``), with Welch's degrees of freedom."""
        gap, sd = np.broadcast_arrays(self.mu[i] - self.mu[j], self.sd(i, j))
        certain = np.where(gap > 0, np.inf, np.where(gap < 0, -np.inf, 0.0))
        return stdtr(self.degrees(i, j), np.divide(gap, sd, out=certain, where=sd > 0))

    def for_draws(self) -> Joint:
        """Return the joint posterior in which no two models draw alike."""
        parts = tuple(part.for_draws() for part in self.tasks)
        return replace(self, tasks=parts)

    def draw(self, n: int, rng: np.random.Generator) -> Vector:
        """Return ``n`` draws of all overall means, (n, L)."""
        drawn = sum(weight * part.draw(n, rng) for weight, part in self._weighted) - np.array(self.bias)
        if self.added.any():
            drawn = drawn + rng.standard_normal((n, len(self.mu))) * np.sqrt(self.added)
        return np.asarray(drawn)


def independent(mu: Sequence[float] | Vector, sigma: Sequence[float] | Vector) -> Joint:
    """Return the joint posterior of models with independent normal posteriors."""
    mean, spread = np.array(mu, dtype=np.float64), np.array(sigma, dtype=np.float64)
    return Joint(read_only(mean), read_only(np.zeros((len(mean), 0))), read_only(spread**2), math.inf)


def paired_by_question(metric: Metric, models: Sequence[OutcomeMatrix], prior: Prior = _UNIFORM) -> Joint:
    """Return the joint posterior of scores whose questions are a draw, in whole clusters, at least two.

    If trials are too few for a score, posterior means under ``prior`` take its place, with their variance.

    >>> models = [OutcomeMatrix.from_counts(counts, 10) for counts in ([9, 7, 2], [8, 5, 2])]
    >>> joint = paired_by_question(Metric.from_string("pass@1"), models)
    >>> joint.df, round(float(joint.mu[0] - joint.mu[1]), 6)  # of the differences .1, .2, 0 and one that may be anything
    (3.0, 0.075)
    """
    check_clusters(models[0])
    posteriors = [metric._law_of(outcomes, prior, "questions") for outcomes in models]
    noise = np.array([each.sd for each in posteriors]) ** 2
    if min(outcomes.min_trials for outcomes in models) >= metric._required_trials:
        means, own = [metric.score(outcomes) for outcomes in models], np.zeros(len(models))
        effects = [shifts(metric, outcomes) for outcomes in models]
    else:
        means, own = [each.mean for each in posteriors], noise
        effects = [shifts_of_mean(question_values(metric, outcomes, prior), groups(outcomes)) for outcomes in models]
    joint = Joint(np.array(means), np.array(effects), own, degrees_of_mean(groups(models[0])), read_only(noise))
    low, high = np.array([metric.support(outcomes) for outcomes in models], dtype=np.float64).T
    return with_one_more(joint, float(low.min()), float(high.max()))


def with_one_more(joint: Joint, low: float, high: float) -> Joint:
    """Return the law of means over clusters with one more that may lie anywhere between ``low`` and ``high``.

    Where values have no limits there is none.

    >>> joint = Joint(np.array([0.9, 0.1]), np.zeros((2, 4)), np.zeros(2), 3.0)  # each of four clusters differs by .8
    >>> more = with_one_more(joint, 0.0, 1.0)
    >>> round(float(more.mu[0] - more.mu[1]), 6), round(float(more.sd(0, 1)), 6), more.df
    (0.64, 0.27568, 4.0)
    """
    if not np.isfinite(high - low):
        return replace(joint, mu=read_only(joint.mu), shared=read_only(joint.shared), own=read_only(joint.own))
    clusters = joint.df + 1.0
    mu = (clusters * joint.mu + (low + high) / 2.0) / (clusters + 1.0)
    width = (high - low) * min(1.0, ENOUGH / clusters)
    shared = np.hstack([math.sqrt((clusters - 1.0) / (clusters + 1.0)) * joint.shared, (mu / clusters)[:, None]])
    own = joint.own + width**2 / (2.0 * clusters * (clusters + 1.0))
    arrays = map(read_only, (mu, shared, own))
    return Joint(*arrays, clusters, least_p=2.0 ** (1.0 - clusters))


def question_values(metric: Metric, outcomes: OutcomeMatrix, prior: Prior = _UNIFORM) -> Vector:
    """Return the posterior mean of each question's value, (M,); for blends of dataset means, to first order."""
    if metric._is_mean_over_questions or not isinstance(metric, Linear):
        return metric.moments(outcomes, prior=prior).mean
    parts = [
        gain * part.moments(outcomes, prior=prior).mean for gain, part in metric._covariance_terms(outcomes, prior)
    ]
    return np.asarray(np.sum(parts, axis=0))
