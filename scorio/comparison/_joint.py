"""The joint posterior of several models on the same questions.

Models share questions, so the difficulty of a question cancels in a difference. With ``s[i, c]`` the effect of cluster
``c`` on the score of model ``i`` (each question is its own cluster if there are none; the squares of a row add up to
the variance of that score over draws of clusters) and ``own[i]`` the variance that this spread does not show,

    Var[i - j] = sum_c (s[i, c] - s[j, c])^2 + own[i] + own[j]

which is the paired variance of Student's t. It is a sum of squares, so near-equal models lose no digits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .._arrays import Flags, Indices, Vector, read_only
from .._special import ndtri, stdtr, stdtrit
from ..errors import OutcomeError
from ..inference._interval import two_sided_z
from ..inference._prior import UNIFORM, PriorLike
from ..metrics import Metric
from ..metrics._clusters import cluster_count, groups, shifts, shifts_of_mean
from ..metrics._covariance import Linear
from ..outcomes import OutcomeMatrix

Which = int | np.integer[Any] | Indices
_ROUNDING = 1e-13  # a spread below this share of the largest number is rounding


@dataclass(frozen=True, eq=False)
class Joint:
    """A Student t over models: means ``mu``, squared scale ``shared @ shared.T + diag(own)``.

    With infinite ``df`` it is normal. Where the spread of a difference over questions is nil, the variances
    ``trial_noise`` of both models take its place.

    >>> joint = independent([0.6, 0.5], [0.03, 0.04])
    >>> round(float(joint.sd(0, 1)), 6), round(float(joint.beats(0, 1)), 6)
    (0.05, 0.97725)
    """

    mu: Vector
    shared: Vector
    own: Vector
    df: float
    trial_noise: Vector | None = None

    @property
    def is_independent(self) -> bool:
        """Whether no variance is shared by models."""
        return not self.shared.shape[1]

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

    def reach(self, confidence: float, error: float | None = None) -> float:
        """Return how many standard deviations to either side of a mean lie within ``confidence``.

        ``error`` is the probability of both tails: that of ``confidence``, unless it is given for looks.
        """
        if error is None:
            is_normal = math.isinf(self.df)
            return two_sided_z(confidence) if is_normal else float(stdtrit(self.df, (1.0 + confidence) / 2.0))
        return -float(quantile_of(self.df, error / 2.0))

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


def quantile_of(df: float, p: Any) -> Any:
    """Return quantiles of Student's t, which is normal with infinite ``df``."""
    return ndtri(p) if math.isinf(df) else stdtrit(df, p)


def independent(mu: Sequence[float] | Vector, sigma: Sequence[float] | Vector) -> Joint:
    """Return the joint posterior of models with independent normal posteriors."""
    mean, spread = (np.array(each, dtype=np.float64) for each in (mu, sigma))
    return Joint(read_only(mean), read_only(np.zeros((len(mean), 0))), read_only(spread**2), math.inf)


def paired_by_question(metric: Metric, models: Sequence[OutcomeMatrix], prior: PriorLike = UNIFORM) -> Joint:
    """Return the joint posterior of scores whose questions are a draw, in whole clusters, at least two.

    If trials are too few for a score, posterior means under ``prior`` take its place, with their variance.

    >>> models = [OutcomeMatrix.from_counts(counts, 10) for counts in ([9, 7, 2], [8, 5, 2])]
    >>> joint = paired_by_question(Metric.from_string("pass@1"), models)
    >>> round(float(joint.sd(0, 1)), 6)  # of the differences .1, .2, 0
    0.057735
    """
    if cluster_count(models[0]) < 2:
        raise OutcomeError(
            "population needs at least two questions, in two clusters if there are clusters", argument="target"
        )
    posteriors = [metric.posterior(outcomes, prior=prior) for outcomes in models]
    noise = np.array([each.sigma for each in posteriors]) ** 2
    if min(outcomes.min_trials for outcomes in models) >= metric.required_trials:
        means, own = [metric.score(outcomes) for outcomes in models], np.zeros(len(models))
        effects = [shifts(metric, outcomes) for outcomes in models]
    else:
        means, own = [each.mu for each in posteriors], noise
        effects = [shifts_of_mean(question_values(metric, outcomes, prior), groups(outcomes)) for outcomes in models]
    arrays = (np.array(means), np.array(effects), own, noise)
    mu, shared, own, noise = map(read_only, arrays)
    return Joint(mu, shared, own, len(effects[0]) - 1.0, noise)


def question_values(metric: Metric, outcomes: OutcomeMatrix, prior: PriorLike = UNIFORM) -> Vector:
    """Return the posterior mean of each question's value, (M,); for blends of dataset means, to first order."""
    if metric.is_mean_over_questions or not isinstance(metric, Linear):
        return metric.moments(outcomes, prior=prior).mean
    parts = [gain * part.moments(outcomes, prior=prior).mean for gain, part in metric.covariance_terms(outcomes, prior)]
    return np.asarray(np.sum(parts, axis=0))
